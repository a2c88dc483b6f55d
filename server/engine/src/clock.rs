//! The log's hybrid logical clock: cause sorts before effect across machines whose clocks differ.

use contracts::{Moment, Stamp};

/// The stamp of a new event: after `last` (the greatest local one within the cap), after the last one known about its subject (even
/// one beyond the cap), and at the wall clock when that is later.
pub fn tick(last: Stamp, subject_last: Option<Stamp>, now: Moment) -> Stamp {
    let before = subject_last.map_or(last, |subject| last.max(subject));
    let wall = Stamp { moment: now, counter: 0 };
    if wall > before { wall } else { before.next() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(moment: i64, counter: u16) -> Stamp {
        Stamp { moment: Moment(moment), counter }
    }

    #[test]
    fn a_new_event_is_later_than_all_it_may_follow() {
        assert_eq!(tick(stamp(5, 3), None, Moment(9)), stamp(9, 0));
        assert_eq!(tick(stamp(5, 3), None, Moment(5)), stamp(5, 4));
        assert_eq!(tick(stamp(5, 3), None, Moment(1)), stamp(5, 4), "a clock set back changes nothing");
        assert_eq!(tick(stamp(5, 3), Some(stamp(99, 0)), Moment(9)), stamp(99, 1), "an answer sorts after its cause, however fast that one's clock");
        assert_eq!(tick(stamp(5, 9_999), None, Moment(5)), stamp(6, 0), "a used up counter moves the millisecond on");
    }
}
