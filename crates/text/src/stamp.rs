//! A moment in UTC, and the ids made from it.
//!
//! Written out by hand because the hook path formats one stamp per event and a time-zone library costs more
//! than the rest of the journal line together (31 µs against next to nothing). Moments are
//! shown to people in their own zone by the command line, with a real library.

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stamp(pub u64);

const MS_PER_DAY: u64 = 86_400_000;

impl Stamp {
    /// The day as `2026-11-15`: the name of its journal file.
    pub fn day(self) -> String {
        let mut text = String::with_capacity(24);
        self.write_day(&mut text);
        text
    }

    fn write_day(self, text: &mut String) {
        let (year, month, day) = civil(self.0 / MS_PER_DAY);
        // Later years have more digits.
        write_digits(text, year, if year < 10_000 { 4 } else { 6 });
        for part in [month, day] {
            text.push('-');
            write_digits(text, part, 2);
        }
    }

    /// `2026-11-15T11:30:00.123Z`.
    pub fn rfc3339(self) -> String {
        let ms = self.0 % MS_PER_DAY;
        let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
        let (seconds, millis) = (ms / 1000 % 60, ms % 1000);
        let mut text = String::with_capacity(24);
        self.write_day(&mut text);
        for (sign, part, digits) in [('T', hours, 2), (':', minutes, 2), (':', seconds, 2), ('.', millis, 3)]
        {
            text.push(sign);
            write_digits(&mut text, part, digits);
        }
        text.push('Z');
        text
    }

    /// The moment that [`Self::rfc3339`] writes, with or without milliseconds; nothing of another zone or form.
    pub fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
        let number = |text: &str| -> Option<u64> {
            let is_number =
                !text.is_empty() && text.len() <= 6 && text.bytes().all(|byte| byte.is_ascii_digit());
            if is_number { text.parse().ok() } else { None }
        };
        let (time, millis) = time.split_once('.').unwrap_or((time, "0"));
        let mut parts = date.split('-').chain(time.split(':')).map(number);
        let mut part = |most: u64| parts.next()?.filter(|part| *part <= most);
        let (year, month, day) = (part(999_999)?, part(12)?, part(31)?);
        let (hours, minutes, seconds) = (part(23)?, part(59)?, part(60)?);
        if parts.next().is_some() || month == 0 || day == 0 || year < 1970 {
            return None;
        }
        let seconds = hours * 3600 + minutes * 60 + seconds;
        Some(Self(days(year, month, day) * MS_PER_DAY + seconds * 1000 + number(millis)?))
    }

    pub fn minus_days(self, days: u64) -> Self {
        Self(self.0.saturating_sub(days * MS_PER_DAY))
    }

    /// How long ago it was: `7 min`.
    pub fn before(self, now: Self) -> String {
        span(now.0.saturating_sub(self.0))
    }
}

/// A time in milliseconds as a person says it: `under 1 min`, `7 min`, `13 h`, `3 days`.
pub fn span(milliseconds: u64) -> String {
    let minutes = milliseconds / 60_000;
    match (minutes, minutes / 60) {
        (0, _) => "under 1 min".to_owned(),
        (..60, _) => format!("{minutes} min"),
        (_, hours @ ..48) => format!("{hours} h"),
        (_, hours) => format!("{} days", hours / 24),
    }
}

/// The last digits of a number.
fn write_digits(text: &mut String, number: u64, digits: u32) {
    for place in (0..digits).rev() {
        let digit = number / 10_u64.pow(place) % 10;
        text.push(char::from(b'0' + u8::try_from(digit).unwrap_or(0)));
    }
}

/// Days since 1970 to year, month, day (proleptic Gregorian), by counting in 400-year eras from 0000-03-01.
fn civil(days: u64) -> (u64, u64, u64) {
    let z = days + 719_468;
    let era = z / 146_097;
    let of_era = z % 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

/// The way back.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = year - u64::from(month <= 2);
    let era = year / 400;
    let of_era = year % 400;
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The name of one decision: sortable by time, and its day can be read back, so that `engine why ID` opens a
/// single journal file. Nine characters of milliseconds, three that tell apart processes of one millisecond.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DecisionId(String);

/// Without `i l o u`: an id is read aloud and typed.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const TIME_DIGITS: u32 = 9;
const SALT_DIGITS: u32 = 3;

impl DecisionId {
    /// `salt` is anything that differs between processes of one millisecond.
    pub fn new(at: Stamp, salt: u64) -> Self {
        // Fibonacci hashing spreads neighbouring process ids over the few digits there are.
        let spread = salt.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - 5 * SALT_DIGITS);
        let number = (at.0 << (5 * SALT_DIGITS)) | spread;
        let length = TIME_DIGITS + SALT_DIGITS;
        let digit = |place: u32| char::from(DIGITS[(number >> (5 * place) & 31) as usize]);
        Self((0..length).rev().map(digit).collect())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// When the decision named by a whole id, or by a prefix that holds all of its time, was made.
    pub fn time_of(id: &str) -> Option<Stamp> {
        let time = id.get(..TIME_DIGITS as usize)?;
        let value = |c: u8| DIGITS.iter().position(|&d| d == c.to_ascii_lowercase());
        time.bytes().try_fold(0u64, |sum, c| Some(sum << 5 | value(c)? as u64)).map(Stamp)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_span_in_words() {
        let minute = 60_000;
        for (milliseconds, expected) in [
            (0, "under 1 min"),
            (minute - 1, "under 1 min"),
            (minute, "1 min"),
            (59 * minute, "59 min"),
            (60 * minute, "1 h"),
            (48 * 60 * minute - 1, "47 h"),
            (48 * 60 * minute, "2 days"),
        ] {
            assert_eq!(Stamp(5).before(Stamp(5 + milliseconds)), expected);
        }
        assert_eq!(Stamp(9).before(Stamp(5)), "under 1 min", "clocks are set back");
    }

    #[test]
    fn only_its_own_form_is_read_back() {
        assert_eq!(Stamp::parse("1970-01-01T00:00:01Z"), Some(Stamp(1000)));
        for text in [
            "",
            "1970-01-01",
            "1970-01-01T00:00:01",
            "1970-01-01T00:00:01+01:00",
            "1970-13-01T00:00:01Z",
            "1970-00-01T00:00:01Z",
            "x-1-1T0:0:0Z",
            "1969-01-01T00:00:00Z",
            "1970-01-01T00:00:01:02Z",
        ] {
            assert_eq!(Stamp::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_a_real_calendar(ms in 0u64..4_102_444_800_000) {
            let moment = jiff::Timestamp::from_millisecond(i64::try_from(ms).unwrap()).unwrap();
            prop_assert_eq!(Stamp::parse(&Stamp(ms).rfc3339()), Some(Stamp(ms)));
            prop_assert_eq!(Stamp(ms).rfc3339(), moment.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string());
        }

        #[test]
        fn an_id_keeps_its_time(ms in 0u64..4_102_444_800_000, salt: u64) {
            let id = DecisionId::new(Stamp(ms), salt);
            prop_assert_eq!(DecisionId::time_of(id.as_str()), Some(Stamp(ms)));
        }

        #[test]
        fn ids_sort_by_time(a in 0u64..2_000_000_000_000, later in 1u64..2_000_000_000_000, salt: u64) {
            prop_assert!(DecisionId::new(Stamp(a), salt) < DecisionId::new(Stamp(a + later), !salt));
        }
    }
}
