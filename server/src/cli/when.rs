//! Points in time, in the project's zone: relative on a terminal, with date and time elsewhere.

use crate::zone;
use contracts::Moment;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// A zone, the present, and how to write.
pub struct When {
    zone: TimeZone,
    now: Moment,
    relative: bool,
}

impl When {
    /// In this zone; one this machine does not know is UTC.
    pub fn new(zone: &str, now: Moment, relative: bool) -> When {
        When { zone: zone::named(zone), now, relative }
    }

    /// How long ago, or how long until.
    pub fn moment(&self, at: Moment) -> String {
        let seconds = self.now.seconds_since(at);
        match (self.relative, seconds) {
            (false, _) => self.dated(at),
            (true, 0..=59) => "just now".to_owned(),
            (true, 60..) if seconds < 7 * 86_400 => format!("{} ago", span(seconds)),
            (true, ..=-1) if seconds > -7 * 86_400 => format!("in {}", span(-seconds)),
            _ => self.dated(at),
        }
    }

    /// `14:20` today, `Nov 30 14:20` this year, else with the year.
    pub fn clock(&self, at: Moment) -> String {
        let (then, today) = (self.zoned(at), self.zoned(self.now));
        let form = match (then.date() == today.date(), then.year() == today.year()) {
            (true, _) => "%H:%M",
            (false, true) => "%b %-d %H:%M",
            (false, false) => "%Y-%m-%d %H:%M",
        };
        then.strftime(form).to_string()
    }

    /// `2026-11-29 14:20`.
    pub fn dated(&self, at: Moment) -> String {
        self.zoned(at).strftime("%Y-%m-%d %H:%M").to_string()
    }

    fn zoned(&self, at: Moment) -> Zoned {
        Timestamp::from_millisecond(at.0).unwrap_or(Timestamp::UNIX_EPOCH).to_zoned(self.zone.clone())
    }

    /// What `--due` means: a bare date is 23:59:59 of that day here.
    pub fn due(&self, raw: &str) -> Result<Moment, String> {
        if let Some(at) = Moment::parse(raw) {
            return Ok(at);
        }
        zone::end_of_day(raw, &self.zone).ok_or_else(|| format!("{raw:?} is neither a date like 2026-12-01 nor an instant like 2026-12-01T17:00:00Z"))
    }
}

/// A length of time in its largest unit.
pub fn span(seconds: i64) -> String {
    match seconds {
        ..=59 => format!("{seconds} s"),
        60..=3_599 => format!("{} min", seconds / 60),
        3_600..=86_399 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// Whether this machine knows the zone.
pub fn is_zone(name: &str) -> bool {
    TimeZone::get(name).is_ok()
}

/// The machine's own zone; UTC when it does not say.
pub fn machine_zone() -> String {
    TimeZone::system().iana_name().unwrap_or("UTC").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        Moment::parse(text).unwrap()
    }

    #[test]
    fn a_bare_date_ends_that_day_in_the_projects_zone() {
        let when = When::new("America/New_York", at("2026-11-29T12:00:00Z"), true);
        assert_eq!(when.due("2026-12-01").unwrap(), at("2026-12-02T04:59:59Z"));
        assert_eq!(when.due("2026-07-01").unwrap(), at("2026-07-02T03:59:59Z"));
        assert_eq!(when.due("2026-12-01T08:00:00+01:00").unwrap(), at("2026-12-01T07:00:00Z"));
        for bad in ["2026-02-30", "tomorrow", "2026-12-01T08:00", "20261201", ""] {
            assert!(when.due(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times_are_relative_for_people_and_dated_for_scripts() {
        let now = at("2026-11-29T12:00:00Z");
        let (people, scripts) = (When::new("Europe/Berlin", now, true), When::new("Europe/Berlin", now, false));
        let said: Vec<String> = [0_i64, 90, 7_200, 86_400 * 3, 86_400 * 30, -600].iter().map(|ago| people.moment(now.plus_seconds(-*ago))).collect();
        assert_eq!(said, ["just now", "1 min ago", "2 h ago", "3 d ago", "2026-10-30 13:00", "in 10 min"]);
        assert_eq!(scripts.moment(now), "2026-11-29 13:00");
        assert_eq!((people.clock(now), people.clock(now.plus_seconds(86_400))), ("13:00".to_owned(), "Nov 30 13:00".to_owned()));
        assert_eq!(When::new("Nowhere/At_All", now, false).moment(now), "2026-11-29 12:00");
    }
}
