//! The project's zone, in which people write and read days.

use contracts::Moment;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The zone of this name; one this machine does not know is UTC.
pub fn named(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap_or(TimeZone::UTC)
}

/// The last second of a day that is written `2026-12-01`. None for anything else.
pub fn end_of_day(raw: &str, zone: &TimeZone) -> Option<Moment> {
    let date: Date = raw.parse().ok().filter(|_| raw.len() == "2026-12-01".len())?;
    let end = date.at(23, 59, 59, 0).to_zoned(zone.clone()).ok()?;
    Some(Moment(end.timestamp().as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_ends_in_its_zone() {
        let end = |raw, zone| end_of_day(raw, &named(zone)).map(|end| end.to_string());
        assert_eq!(end("2026-07-01", "Europe/Berlin").as_deref(), Some("2026-07-01T21:59:59.000Z"));
        assert_eq!(end("2026-12-01", "Europe/Berlin").as_deref(), Some("2026-12-01T22:59:59.000Z"));
        assert_eq!(end("2026-12-01", "Nowhere/At_All").as_deref(), Some("2026-12-01T23:59:59.000Z"));
        // Either side of the changes to and from summer time, and on their days, which have 23 and 25 hours.
        for (raw, ends) in [("2027-03-27", "22:59:59"), ("2027-03-28", "21:59:59"), ("2027-10-30", "21:59:59"), ("2027-10-31", "22:59:59")] {
            assert_eq!(end(raw, "Europe/Berlin"), Some(format!("{raw}T{ends}.000Z")));
        }
        for other in ["2026-02-30", "20261201", "2026-12-01T10:00", "tomorrow", ""] {
            assert_eq!(end(other, "UTC"), None, "{other}");
        }
    }
}
