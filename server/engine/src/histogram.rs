//! Which stretch of time a histogram of events shows, and how long its steps are.
//!
//! Invariant: steps begin at full hours, days or Mondays of the project's wall clock, and there are never more than a picture holds.

use contracts::Moment;
use contracts::view::{Histogram, KindGroup};

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;
/// What is shown when no time was asked for.
const LATELY: i64 = 30 * DAY;
/// The longest stretch in hours, and in days; a longer one is in weeks.
const IN_HOURS: i64 = 3 * DAY;
const IN_DAYS: i64 = 120 * DAY;
/// The fewest steps: a picture of less says nothing.
const STEPS_FEWEST: i64 = 12;
/// The most steps: ten years of weeks.
const STEPS_MOST: i64 = 520;

/// An empty histogram over the time asked for, with as much again on either side where there is any, between the log's first event and
/// now. Without a time: the last thirty days.
pub fn around(first: Moment, now: Moment, since: Option<Moment>, until: Option<Moment>, offset_minutes: i32) -> Histogram {
    let first = first.min(now);
    let (from, to) = match (since, until) {
        (None, None) => (first.max(now.plus_seconds(-LATELY)), now),
        (since, until) => {
            let (low, high) = (since.unwrap_or(first).min(now), until.unwrap_or(now).min(now));
            let high = high.max(low);
            let beside = high.seconds_since(low).max(STEPS_FEWEST * HOUR);
            (low.plus_seconds(-beside).max(first).min(low), high.plus_seconds(beside).min(now))
        }
    };
    let step_s = match to.seconds_since(from) {
        length if length <= IN_HOURS => HOUR,
        length if length <= IN_DAYS => DAY,
        _ => 7 * DAY,
    };
    let end = to.plus_seconds(1);
    let from = start_of_step(from, step_s, offset_minutes);
    let steps = (end.seconds_since(from) + step_s - 1) / step_s;
    let missing = (STEPS_FEWEST - steps).max(0);
    let too_many = (steps - STEPS_MOST).max(0);
    let bars = usize::try_from((steps + missing - too_many).max(1)).unwrap_or(1);
    Histogram { from: from.plus_seconds((too_many - missing) * step_s), step_s, bars: vec![[0; 4]; bars] }
}

/// The start of the hour, day or week of the wall clock that a moment lies in.
fn start_of_step(moment: Moment, step_s: i64, offset_minutes: i32) -> Moment {
    // 1970 began on a Thursday; weeks begin on Mondays.
    let shift_s = i64::from(offset_minutes) * 60 + if step_s > DAY { 3 * DAY } else { 0 };
    let local_s = moment.0.div_euclid(1_000) + shift_s;
    Moment((local_s - local_s.rem_euclid(step_s) - shift_s) * 1_000)
}

/// Counts events of a kind into a step. One outside the picture is none of it.
pub fn count(histogram: &mut Histogram, step: i64, kind: &str, events: i64) {
    let group = KindGroup::ALL.iter().position(|group| *group == KindGroup::of(kind)).unwrap_or(0);
    if let Some(bar) = usize::try_from(step).ok().and_then(|step| histogram.bars.get_mut(step)) {
        bar[group] += events;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Moment {
        Moment::parse(text).unwrap()
    }

    /// First step, length of a step in hours, number of steps.
    fn shown(first: &str, since: Option<&str>, until: Option<&str>, offset: i32) -> (String, i64, usize) {
        let found = around(at(first), at("2026-11-29T12:10:00Z"), since.map(at), until.map(at), offset);
        (found.from.to_string(), found.step_s / HOUR, found.bars.len())
    }

    #[test]
    fn without_a_time_it_is_the_last_thirty_days_or_as_long_as_there_were_events() {
        assert_eq!(shown("2020-01-01T00:00:00Z", None, None, 0), ("2026-10-30T00:00:00.000Z".to_owned(), 24, 31));
        assert_eq!(shown("2026-11-27T20:30:00Z", None, None, 0), ("2026-11-27T20:00:00.000Z".to_owned(), 1, 41));
        assert_eq!(shown("2026-11-29T12:00:00Z", None, None, 0), ("2026-11-29T01:00:00.000Z".to_owned(), 1, 12), "a young log has a whole picture too");
    }

    #[test]
    fn a_time_has_as_much_again_on_either_side() {
        let (from, hours, steps) = shown("2020-01-01T00:00:00Z", Some("2026-11-29T08:00:00Z"), None, 0);
        assert_eq!((from.as_str(), hours, steps), ("2026-11-28T20:00:00.000Z", 1, 17));
        let (from, hours, steps) = shown("2020-01-01T00:00:00Z", Some("2026-06-01T00:00:00Z"), Some("2026-06-11T00:00:00Z"), 0);
        assert_eq!((from.as_str(), hours, steps), ("2026-05-22T00:00:00.000Z", 24, 31));
        assert_eq!(shown("2000-01-01T00:00:00Z", Some("2000-01-01T00:00:00Z"), None, 0).2, 520, "the newest steps of very many");
        let later = shown("2026-11-29T10:00:00Z", Some("2027-01-01T00:00:00Z"), None, 0);
        assert!(later.2 >= 12, "a time to come shows what there is: {later:?}");
    }

    #[test]
    fn steps_begin_on_the_projects_wall_clock() {
        assert_eq!(shown("2026-11-27T20:30:00Z", None, None, 330).0, "2026-11-27T20:30:00.000Z", "half past is a full hour in Kolkata");
        assert_eq!(shown("2026-11-01T20:30:00Z", None, None, 60).0, "2026-10-31T23:00:00.000Z");
        let week = around(at("2020-01-01T00:00:00Z"), at("2026-11-29T12:00:00Z"), Some(at("2026-01-01T00:00:00Z")), None, 0);
        assert_eq!((week.from.0 / 86_400_000 + 3) % 7, 0, "weeks begin on Mondays");
    }

    #[test]
    fn an_event_is_counted_where_it_lies_and_nowhere_else() {
        let mut found = around(at("2026-11-29T00:00:00Z"), at("2026-11-29T12:00:00Z"), None, None, 0);
        count(&mut found, 2, "commit.bound", 3);
        count(&mut found, 99, "commit.bound", 3);
        count(&mut found, -1, "commit.bound", 3);
        assert_eq!(found.bars[2], [0, 3, 0, 0]);
        assert_eq!(found.bars.iter().flatten().sum::<i64>(), 3);
    }
}
