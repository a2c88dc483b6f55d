//! How a project's wall clock reads over time, without a database of time zones: minutes east of UTC, and when these change.

use crate::limits::ZONE_CHANGES_MAX;
use crate::moment::Moment;

const DAY_MS: i64 = 86_400_000;

/// Minutes east of UTC over time. Small and copied, because every time a page shows needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offsets {
    first: i32,
    changes: [(Moment, i32); ZONE_CHANGES_MAX],
    known: usize,
}

impl From<i32> for Offsets {
    /// The same at all times.
    fn from(minutes: i32) -> Offsets {
        Offsets { first: minutes, changes: [(Moment(0), 0); ZONE_CHANGES_MAX], known: 0 }
    }
}

impl Offsets {
    /// At first `first`; then, from each moment on, what stands beside it, in order of time. What is beyond [`ZONE_CHANGES_MAX`] is left out.
    pub fn new(first: i32, changes: &[(Moment, i32)]) -> Offsets {
        let mut offsets = Offsets::from(first);
        for (place, change) in offsets.changes.iter_mut().zip(changes) {
            *place = *change;
        }
        offsets.known = changes.len().min(ZONE_CHANGES_MAX);
        offsets
    }

    /// Minutes east of UTC at a moment.
    pub fn at(&self, moment: Moment) -> i32 {
        self.changes[..self.known].iter().rev().find(|(from, _)| *from <= moment).map_or(self.first, |(_, minutes)| *minutes)
    }

    /// The moment, moved so that its UTC reads as the wall clock does.
    pub fn local(&self, moment: Moment) -> Moment {
        Moment(moment.0 + i64::from(self.at(moment)) * 60_000)
    }

    /// Days since 1970 on the wall clock.
    pub fn day(&self, moment: Moment) -> i64 {
        self.local(moment).0.div_euclid(DAY_MS)
    }

    /// When a day begins on the wall clock, the day given as days since 1970.
    pub fn day_begins(&self, day: i64) -> Moment {
        let midnight = day.saturating_mul(DAY_MS);
        let with = |minutes: i32| Moment(midnight.saturating_sub(i64::from(minutes) * 60_000));
        // The offset that holds then: the guess by that of UTC's midnight is off by one change at most.
        with(self.at(with(self.at(Moment(midnight)))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        Moment::parse(text).unwrap()
    }

    fn berlin() -> Offsets {
        Offsets::new(60, &[(at("2026-03-29T01:00:00Z"), 120), (at("2026-10-25T01:00:00Z"), 60), (at("2027-03-28T01:00:00Z"), 120)])
    }

    #[test]
    fn summer_and_winter_each_have_their_offset() {
        for (moment, minutes) in [
            ("2020-01-01T00:00:00Z", 60),
            ("2026-03-29T00:59:59Z", 60),
            ("2026-03-29T01:00:00Z", 120),
            ("2026-10-25T00:59:59Z", 120),
            ("2026-10-25T01:00:00Z", 60),
            ("2030-01-01T00:00:00Z", 120),
        ] {
            assert_eq!(berlin().at(at(moment)), minutes, "{moment}");
        }
        assert_eq!(Offsets::from(-90).at(at("2026-07-01T00:00:00Z")), -90);
    }

    #[test]
    fn a_day_begins_at_its_own_midnight() {
        for (moment, begins) in [
            ("2026-07-01T21:59:59Z", "2026-06-30T22:00:00.000Z"),
            ("2026-12-01T22:59:59Z", "2026-11-30T23:00:00.000Z"),
            ("2026-03-29T12:00:00Z", "2026-03-28T23:00:00.000Z"),
            ("2026-10-25T12:00:00Z", "2026-10-24T22:00:00.000Z"),
        ] {
            assert_eq!(berlin().day_begins(berlin().day(at(moment))).to_string(), begins, "{moment}");
        }
    }

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let changes: Vec<(Moment, i32)> = (0..20).map(|n| (Moment(n), n as i32)).collect();
        assert_eq!(Offsets::new(-1, &changes).at(Moment(99)), 11);
        assert_eq!(Offsets::new(-1, &changes).at(Moment(-1)), -1);
    }
}
