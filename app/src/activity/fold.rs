//! Folding: what one actor did to one task without anything of anybody else in between is one line.

use crate::times;
use contracts::Offsets;
use contracts::view::HistoryRow;

/// One line of the timeline: an event, or several, the newest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold<'a> {
    /// The newest.
    pub newest: &'a HistoryRow,
    /// Those before it.
    pub rest: &'a [HistoryRow],
}

/// The lines of events that come newest first. A day ends a line, because a heading stands between; what found no effect stands alone.
pub fn folded(rows: &[HistoryRow], zone: impl Into<Offsets>) -> Vec<Fold<'_>> {
    let zone = zone.into();
    let goes_on = |a: &HistoryRow, b: &HistoryRow| {
        let (a, b) = (&a.entry, &b.entry);
        let same_work = a.actor == b.actor && a.subject == b.subject && a.subject.starts_with("tk-");
        same_work && !a.no_effect && !b.no_effect && times::day(a.at, zone) == times::day(b.at, zone)
    };
    rows.chunk_by(goes_on).filter_map(|rows| rows.split_first()).map(|(newest, rest)| Fold { newest, rest }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Actor, subject, time, and whether it found no effect.
    fn rows(list: &[(&str, &str, &str, bool)]) -> Vec<HistoryRow> {
        let row = |(actor, subject, at, no_effect): &(&str, &str, &str, bool)| {
            let entry = json!({"event": "5d10ee00000000000000000000000000", "kind": "task.edited", "subject": subject, "actor": actor, "at": at, "words": "set", "no_effect": no_effect});
            serde_json::from_value(json!({"entry": entry, "principal": "local:ana"})).unwrap()
        };
        list.iter().map(row).collect()
    }

    fn lengths(rows: &[HistoryRow], offset: i32) -> Vec<usize> {
        folded(rows, offset).iter().map(|fold| 1 + fold.rest.len()).collect()
    }

    const W1: &str = "agent:ana/w1";
    const NOON: &str = "2026-11-29T12:00:00Z";

    #[test]
    fn what_one_actor_did_to_one_task_in_a_row_is_one_line() {
        let (a, b) = ("tk-00000a", "tk-00000b");
        let all =
            rows(&[(W1, a, NOON, false), (W1, a, NOON, false), (W1, b, NOON, false), ("dev:ana", b, NOON, false), (W1, b, NOON, false), (W1, b, NOON, false)]);
        assert_eq!(lengths(&all, 0), [2, 1, 1, 2]);
        assert_eq!(lengths(&[], 0), Vec::<usize>::new());
    }

    #[test]
    fn a_day_no_effect_and_what_is_no_task_end_a_line() {
        let a = "tk-00000a";
        let days = rows(&[(W1, a, "2026-11-29T00:10:00Z", false), (W1, a, "2026-11-28T23:50:00Z", false)]);
        assert_eq!((lengths(&days, 0), lengths(&days, -60)), (vec![1, 1], vec![2]));
        assert_eq!(lengths(&rows(&[(W1, a, NOON, false), (W1, a, NOON, true), (W1, a, NOON, false)]), 0), [1, 1, 1]);
        assert_eq!(lengths(&rows(&[(W1, "project", NOON, false), (W1, "project", NOON, false)]), 0), [1, 1]);
    }
}
