//! What this browser has read: how many comments each card had when it was last open here, and up to when its thread was seen. Kept in
//! the browser, so it is nobody else's business; a card seen for the first time counts as read.

use super::Store;
use crate::{Base, browser};
use contracts::view::TaskCard;
use contracts::{Moment, TaskId};
use leptos::prelude::*;
use std::collections::BTreeMap;

/// Cards that are remembered at most; beyond it those read longest ago are forgotten.
const REMEMBERED: usize = 2_000;

/// For each card: comments, and the moment of the last thing seen of its thread.
pub(super) type Seen = BTreeMap<TaskId, (u32, i64)>;

/// The map without what was read longest ago.
fn pruned(mut seen: Seen) -> Seen {
    if seen.len() > REMEMBERED {
        let mut moments: Vec<i64> = seen.values().map(|(_, at)| *at).collect();
        moments.sort_unstable_by(|a, b| b.cmp(a));
        let oldest = moments[REMEMBERED - 1];
        seen.retain(|_, (_, at)| *at >= oldest);
    }
    seen
}

impl Store {
    /// Begins to keep what is read. `base` tells two boards of one server apart.
    pub fn follow_reading(self, base: &Base) {
        let name = format!("callboard-seen{}", base.0);
        let mut seen: Seen = browser::kept(&name).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        self.cards.with_value(|cards| {
            for card in cards.values() {
                let (id, comments) = card.card.with_untracked(|card| (card.id.clone(), card.comments));
                seen.entry(id).or_insert((comments, 0));
            }
        });
        self.seen.set(Some(seen));
        Effect::new(move |last: Option<Option<TaskId>>| {
            let open = self.open.with(|task| task.as_ref().map(|task| (task.card.id.clone(), task.card.comments, task.thread.last().map(|entry| entry.at))));
            let (id, comments, at) = open?;
            if last.flatten().as_ref() != Some(&id) {
                let until = self.seen.with_untracked(|seen| seen.as_ref().and_then(|seen| seen.get(&id)).map(|(_, at)| *at));
                self.new_since.set(until.filter(|at| *at > 0).map(Moment));
            }
            let now = (comments, at.map_or(1, |at| at.0));
            let differs = self.seen.with_untracked(|seen| seen.as_ref().and_then(|seen| seen.get(&id)) != Some(&now));
            if differs {
                self.has_read(&id, now);
            }
            Some(id)
        });
        Effect::new(move |_| {
            let text = self.seen.with(|seen| seen.as_ref().and_then(|seen| serde_json::to_string(&pruned(seen.clone())).ok()));
            browser::keep(&name, &text.unwrap_or_default());
        });
    }

    /// Whether something was said on a card since it was last open here.
    pub fn is_unread(&self, card: &TaskCard) -> bool {
        self.seen.with(|seen| seen.as_ref().and_then(|seen| seen.get(&card.id)).is_some_and(|(comments, _)| card.comments > *comments))
    }

    /// A card that is new here counts as read.
    pub(super) fn meet(&self, card: &TaskCard) {
        if self.seen.with_untracked(|seen| seen.as_ref().is_some_and(|seen| !seen.contains_key(&card.id))) {
            self.has_read(&card.id, (card.comments, 0));
        }
    }

    fn has_read(&self, id: &TaskId, now: (u32, i64)) {
        self.seen.update(|seen| {
            if let Some(seen) = seen {
                seen.insert(id.clone(), now);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_longest_ago_is_forgotten_first() {
        let seen: Seen = (0..2_500u32).map(|n| (TaskId::from_bits(n.into()), (1, i64::from(n)))).collect();
        let kept = pruned(seen);
        assert_eq!(kept.len(), REMEMBERED);
        assert!(kept.contains_key(&TaskId::from_bits(2_499)) && !kept.contains_key(&TaskId::from_bits(0)));
        let text = serde_json::to_string(&kept).unwrap();
        assert_eq!(serde_json::from_str::<Seen>(&text).unwrap(), kept, "ids are keys of an object");
    }
}
