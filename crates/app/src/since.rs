//! How far back to look: `45s`, `30m`, `2h`, `3d`, `1w`, a day (`2026-11-01`) or a moment in RFC 3339.

use engine_text::stamp::Stamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// A point in the past as typed; resolved against the clock when it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    Ago { ms: u64 },
    At(Stamp),
}

impl Since {
    pub fn stamp(self, now: Stamp) -> Stamp {
        match self {
            Self::Ago { ms } => Stamp(now.0.saturating_sub(ms)),
            Self::At(stamp) => stamp,
        }
    }
}

impl std::str::FromStr for Since {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, unit) = word.split_at(digits);
        let unit_ms = match unit {
            "s" => Some(1000),
            "m" => Some(60_000),
            "h" => Some(3_600_000),
            "d" => Some(86_400_000),
            "w" => Some(604_800_000),
            _ => None,
        };
        if let (Ok(number), Some(unit_ms)) = (number.parse::<u64>(), unit_ms) {
            return Ok(Self::Ago { ms: number.saturating_mul(unit_ms) });
        }
        if let Some(stamp) = crate::time::parse(word) {
            return Ok(Self::At(stamp));
        }
        let zone = TimeZone::try_system().unwrap_or(TimeZone::UTC);
        let day: Option<Date> = word.parse().ok();
        let start =
            day.and_then(|day| day.to_zoned(zone).ok()).map(|start| start.timestamp().as_millisecond());
        match start.and_then(|ms| u64::try_from(ms).ok()) {
            Some(ms) => Ok(Self::At(Stamp(ms))),
            None => Err("use 45s, 30m, 2h, 3d, 1w, a day such as 2026-11-01, or a moment in RFC 3339".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_spans_and_moments() {
        assert_eq!("2h".parse(), Ok(Since::Ago { ms: 7_200_000 }));
        assert_eq!("1970-01-01T00:00:05Z".parse(), Ok(Since::At(Stamp(5000))));
        assert!("2026-11-01".parse::<Since>().is_ok());
        for bad in ["", "h", "2x", "yesterday", "-3h"] {
            assert!(bad.parse::<Since>().is_err(), "{bad}");
        }
    }
}
