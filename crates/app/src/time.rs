//! Moments as a person reads them: in their own zone.

use engine_text::stamp::Stamp;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// The zone of the person, or UTC where none is known.
fn zoned(at: Stamp) -> Zoned {
    let moment = Timestamp::from_millisecond(i64::try_from(at.0).unwrap_or(i64::MAX)).unwrap_or_default();
    moment.to_zoned(TimeZone::try_system().unwrap_or(TimeZone::UTC))
}

/// `2026-11-15 12:30:01`.
pub fn local(at: Stamp) -> String {
    zoned(at).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// The moment that [`local`] writes.
pub fn of_local(text: &str) -> Option<Stamp> {
    let moment: jiff::civil::DateTime = text.parse().ok()?;
    let zone = TimeZone::try_system().unwrap_or(TimeZone::UTC);
    let moment = moment.to_zoned(zone).ok()?.timestamp();
    u64::try_from(moment.as_millisecond()).ok().map(Stamp)
}

/// The stamp that the journal keeps, back as a moment.
pub fn parse(rfc3339: &str) -> Option<Stamp> {
    let moment: Timestamp = rfc3339.parse().ok()?;
    u64::try_from(moment.as_millisecond()).ok().map(Stamp)
}

/// A stamp of the journal for the person; as it is if it is none.
pub fn shown(rfc3339: &str) -> String {
    parse(rfc3339).map_or_else(|| rfc3339.to_owned(), local)
}

/// The start of the person's day.
pub fn midnight(now: Stamp) -> Stamp {
    let start = zoned(now).start_of_day().ok();
    let start = start.and_then(|start| u64::try_from(start.timestamp().as_millisecond()).ok());
    start.map_or(now, Stamp)
}
