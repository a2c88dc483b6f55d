//! How a point in time reads: relative to the one clock of the page, or as the project's wall clock shows it.

use contracts::{Moment, Offsets};

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Days since 1970 on the project's wall clock.
pub fn day(moment: Moment, zone: impl Into<Offsets>) -> i64 {
    zone.into().day(moment)
}

fn weekday(day: i64) -> &'static str {
    DAYS[usize::try_from((day + 3).rem_euclid(7)).unwrap_or(0)]
}

fn month(month: i64) -> &'static str {
    MONTHS[usize::try_from(month - 1).unwrap_or(0) % 12]
}

/// `16:48`.
pub fn clock(moment: Moment, zone: impl Into<Offsets>) -> String {
    let zone = zone.into();
    let (_, _, _, hour, minute, _, _) = zone.local(moment).civil();
    format!("{hour:02}:{minute:02}")
}

/// `Sat 28 Nov 2026, 16:48`.
pub fn absolute(moment: Moment, zone: impl Into<Offsets>) -> String {
    let zone = zone.into();
    let (year, month_of_year, date, hour, minute, _, _) = zone.local(moment).civil();
    format!("{} {date} {} {year}, {hour:02}:{minute:02}", weekday(zone.day(moment)), month(month_of_year))
}

/// `2026-11-28T16:48:00+01:00`, for machines.
pub fn machine(moment: Moment, zone: impl Into<Offsets>) -> String {
    let zone = zone.into();
    let (year, month, date, hour, minute, second, _) = zone.local(moment).civil();
    let minutes = zone.at(moment);
    let (sign, offset) = (if minutes < 0 { '-' } else { '+' }, minutes.abs());
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}{sign}{:02}:{:02}", offset / 60, offset % 60)
}

/// `2026-11-28`, what a date field holds.
pub fn date(moment: Moment, zone: impl Into<Offsets>) -> String {
    let zone = zone.into();
    let (year, month, date, ..) = zone.local(moment).civil();
    format!("{year:04}-{month:02}-{date:02}")
}

/// How far back: "just now", "4 min ago", "2 h 14 min ago", "yesterday 16:48", "Fri 16:48", "28 Nov".
pub fn ago(now: Moment, then: Moment, zone: impl Into<Offsets>) -> String {
    let zone = zone.into();
    let seconds = now.seconds_since(then);
    let days = zone.day(now) - zone.day(then);
    match seconds {
        ..60 => "just now".to_owned(),
        60..21_600 => format!("{} ago", span(seconds)),
        _ if days <= 0 => format!("{}\u{a0}h ago", seconds / 3_600),
        _ if days == 1 => format!("yesterday {}", clock(then, zone)),
        _ if days < 7 => format!("{} {}", weekday(zone.day(then)), clock(then, zone)),
        _ => calendar(now, then, zone),
    }
}

/// `28 Nov`, with the year when it is another one.
pub fn calendar(now: Moment, then: Moment, zone: impl Into<Offsets>) -> String {
    let zone = zone.into();
    let (year, month_of_year, date, ..) = zone.local(then).civil();
    let this_year = zone.local(now).civil().0;
    if year == this_year { format!("{date}\u{a0}{}", month(month_of_year)) } else { format!("{date}\u{a0}{}\u{a0}{year}", month(month_of_year)) }
}

/// A clock time of today, or with its day: what stands in for "4 min ago" while the page is not live.
pub fn fixed(now: Moment, then: Moment, zone: impl Into<Offsets>) -> String {
    let zone = zone.into();
    if zone.day(now) == zone.day(then) { clock(then, zone) } else { format!("{} {}", calendar(now, then, zone), clock(then, zone)) }
}

/// A length of time in at most two units: "40 s", "14 min", "2 h 14 min", "3 d 4 h".
pub fn span(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let two = |big: i64, big_unit: &str, small: i64, small_unit: &str| {
        if small == 0 { format!("{big}\u{a0}{big_unit}") } else { format!("{big}\u{a0}{big_unit} {small}\u{a0}{small_unit}") }
    };
    match seconds {
        0..60 => format!("{seconds}\u{a0}s"),
        60..3_600 => format!("{}\u{a0}min", seconds / 60),
        3_600..86_400 => two(seconds / 3_600, "h", seconds % 3_600 / 60, "min"),
        _ => two(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h"),
    }
}

/// When it is due, and whether that is over: "Fri", "today", "2 days over", "4 Dec".
pub fn due(now: Moment, due: Moment, zone: impl Into<Offsets>) -> (String, bool) {
    let zone = zone.into();
    let days = zone.day(due) - zone.day(now);
    if due < now {
        return match -days {
            ..=0 => ("due today, over".to_owned(), true),
            1 => ("1\u{a0}day over".to_owned(), true),
            over => (format!("{over}\u{a0}days over"), true),
        };
    }
    let text = match days {
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        2..7 => weekday(zone.day(due)).to_owned(),
        _ => calendar(now, due, zone),
    };
    (text, false)
}

/// What stands above the entries of a day: "Today", "Yesterday", "Sat 28 Nov 2026".
pub fn day_heading(now: Moment, then: Moment, zone: impl Into<Offsets>) -> String {
    let zone = zone.into();
    let days = zone.day(now) - zone.day(then);
    let (year, month_of_year, date, ..) = zone.local(then).civil();
    match days {
        0 => "Today".to_owned(),
        1 => "Yesterday".to_owned(),
        _ => format!("{} {date} {} {year}", weekday(zone.day(then)), month(month_of_year)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        Moment::parse(text).unwrap()
    }

    #[test]
    fn times_read_relative_to_the_clock_of_the_page() {
        let now = at("2026-11-29T12:00:00Z");
        for (then, text) in [
            ("2026-11-29T12:00:05Z", "just now"),
            ("2026-11-29T11:59:10Z", "just now"),
            ("2026-11-29T11:56:00Z", "4\u{a0}min ago"),
            ("2026-11-29T09:46:00Z", "2\u{a0}h 14\u{a0}min ago"),
            ("2026-11-29T01:00:00Z", "11\u{a0}h ago"),
            ("2026-11-28T16:48:00Z", "yesterday 16:48"),
            ("2026-11-27T08:00:00Z", "Fri 08:00"),
            ("2026-11-01T08:00:00Z", "1\u{a0}Nov"),
            ("2025-11-01T08:00:00Z", "1\u{a0}Nov\u{a0}2025"),
        ] {
            assert_eq!(ago(now, at(then), 0), text, "{then}");
        }
    }

    #[test]
    fn the_projects_zone_decides_the_day() {
        let moment = at("2026-11-28T23:30:00Z");
        assert_eq!(absolute(moment, 60), "Sun 29 Nov 2026, 00:30");
        assert_eq!(machine(moment, -90), "2026-11-28T22:00:00-01:30");
        assert_eq!(day_heading(at("2026-11-29T12:00:00Z"), moment, 60), "Today");
    }

    #[test]
    fn each_time_reads_by_the_offset_of_its_own_season() {
        let berlin = Offsets::new(60, &[(at("2026-03-29T01:00:00Z"), 120), (at("2026-10-25T01:00:00Z"), 60), (at("2027-03-28T01:00:00Z"), 120)]);
        let (winter, summer) = (at("2026-12-01T22:59:59Z"), at("2027-07-01T21:59:59Z"));
        assert_eq!((date(winter, berlin), date(summer, berlin)), ("2026-12-01".to_owned(), "2027-07-01".to_owned()));
        assert_eq!(absolute(summer, berlin), "Thu 1 Jul 2027, 23:59");
        assert_eq!((machine(winter, berlin), machine(summer, berlin)), ("2026-12-01T23:59:59+01:00".to_owned(), "2027-07-01T23:59:59+02:00".to_owned()));
        assert_eq!(due(at("2026-07-15T12:00:00Z"), winter, berlin), ("1\u{a0}Dec".to_owned(), false));
        // The night the clocks go back: an hour after half past two it is half past two again.
        assert_eq!(clock(at("2026-10-25T00:30:00Z"), berlin), "02:30");
        assert_eq!(clock(at("2026-10-25T01:30:00Z"), berlin), "02:30");
        assert_eq!(ago(at("2026-10-26T09:00:00Z"), at("2026-10-24T22:30:00Z"), berlin), "yesterday 00:30");
    }

    #[test]
    fn what_is_due_says_when_it_is_over() {
        let now = at("2026-11-29T12:00:00Z");
        assert_eq!(due(now, at("2026-11-27T12:00:00Z"), 0), ("2\u{a0}days over".to_owned(), true));
        assert_eq!(due(now, at("2026-11-29T20:00:00Z"), 0), ("today".to_owned(), false));
        assert_eq!(due(now, at("2026-12-04T20:00:00Z"), 0), ("Fri".to_owned(), false));
    }
}
