//! A project's wall clock for who has no database of time zones: the offsets of the years around now.

use crate::zone;
use contracts::{Moment, Offsets, limits};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// Years before now of which the offsets are told, and after.
const YEARS: (i64, i64) = (2, 3);

fn minutes(zone: &TimeZone, at: Timestamp) -> i32 {
    zone.to_offset(at).seconds() / 60
}

/// The offset some years ago, then each change since, and those that are to come. Empty for a moment that is out of time.
pub(super) fn around(name: &str, now: Moment) -> Vec<(Moment, i32)> {
    let zone = zone::named(name);
    let begin = Timestamp::from_millisecond(now.0).and_then(|at| at.checked_sub((YEARS.0 * 366 * 24).hours()));
    let Ok(begin) = begin else { return Vec::new() };
    let moment = |at: Timestamp| Moment(at.as_millisecond());
    let end = Moment(now.0 + YEARS.1 * 366 * 86_400_000);
    let changes = zone.following(begin).map(|change| (moment(change.timestamp()), change.offset().seconds() / 60));
    let mut told = vec![(moment(begin), minutes(&zone, begin))];
    for change in changes.take(limits::ZONE_CHANGES_MAX) {
        // Beyond the last one a day still reads as itself by winter's offset, and as the day after by summer's.
        let rose = matches!(told.as_slice(), [.., (_, before), (_, last)] if last > before);
        if change.0 >= end && !rose {
            break;
        }
        told.push(change);
    }
    told
}

/// The same, ready to be asked.
pub(super) fn clock(name: &str, now: Moment) -> Offsets {
    match around(name, now).split_first() {
        Some(((_, first), changes)) => Offsets::new(*first, changes),
        None => Offsets::from(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        Moment::parse(text).unwrap()
    }

    #[test]
    fn every_day_of_the_years_around_now_ends_where_the_zone_says() {
        let now = at("2026-11-29T12:00:00Z");
        for name in ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kolkata", "UTC", "Nowhere/At_All"] {
            let (clock, zone) = (clock(name, now), zone::named(name));
            let mut day = jiff::civil::date(2025, 1, 1);
            while day.year() < 2030 {
                let end = zone::end_of_day(&day.to_string(), &zone).unwrap();
                let (year, month, date, hour, minute, second, _) = clock.local(end).civil();
                let read = format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}");
                assert_eq!(read, format!("{day}T23:59:59"), "{name}");
                day = day.tomorrow().unwrap();
            }
        }
    }

    #[test]
    fn a_day_beyond_what_is_told_still_reads_as_itself() {
        for now in ["2026-11-29T12:00:00Z", "2026-05-29T12:00:00Z"] {
            for name in ["Europe/Berlin", "Australia/Sydney"] {
                let (clock, zone) = (clock(name, at(now)), zone::named(name));
                for day in ["2033-01-15", "2033-07-15"] {
                    let (year, month, date, ..) = clock.local(zone::end_of_day(day, &zone).unwrap()).civil();
                    assert_eq!(format!("{year:04}-{month:02}-{date:02}"), day, "{name} {now}");
                }
            }
        }
    }
}
