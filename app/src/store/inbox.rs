//! The reader's inbox behind the bell: what a page began with, what the line brings, and what counts as read, which is what was shown.
//!
//! Invariant: an event lies in it once, whoever brought it, and each unread one is counted once.

use super::Store;
use contracts::view::{Entry, InboxItem, InboxQuery};
use contracts::{EventId, Moment, limits};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// The unread ones of a list.
fn unread_of(inbox: &[InboxItem]) -> i64 {
    i64::try_from(inbox.iter().filter(|item| item.delivered_at.is_none()).count()).unwrap_or(i64::MAX)
}

impl Store {
    /// Something was told to the reader. Says whether that is news.
    pub(super) fn told(&self, entry: &Entry, why: String) -> bool {
        if self.in_snapshot(entry.seq) || self.inbox.with_untracked(|inbox| inbox.iter().any(|item| item.entry.event == entry.event)) {
            return false;
        }
        let delivered_at = self.me.with_untracked(|me| entry.delivered.iter().find(|(actor, _)| *actor == me.actor).map(|(_, at)| *at));
        self.add(InboxItem { entry: entry.clone(), why, delivered_at });
        if delivered_at.is_none() {
            self.unread.update(|unread| *unread += 1);
        }
        true
    }

    fn add(&self, item: InboxItem) {
        self.inbox.update(|inbox| {
            let at = inbox.partition_point(|other| (other.entry.at, &other.entry.event) > (item.entry.at, &item.entry.event));
            inbox.insert(at, item);
            // What was read long ago makes room; what is unread stays.
            while inbox.len() > limits::PAGE_ROWS_MAX
                && let Some(old) = inbox.iter().rposition(|item| item.delivered_at.is_some())
            {
                inbox.remove(old);
            }
        });
    }

    /// An event of the reader's inbox was shown, here or on another page.
    pub(super) fn was_read(&self, event: &EventId, at: Moment) {
        let known = self.inbox.with_untracked(|inbox| inbox.iter().position(|item| item.entry.event == *event));
        match known {
            Some(place) if self.inbox.with_untracked(|inbox| inbox[place].delivered_at.is_none()) => {
                self.inbox.update(|inbox| inbox[place].delivered_at = Some(at));
                self.unread.update(|unread| *unread = (*unread - 1).max(0));
            }
            Some(_) => {}
            None => {
                let listed = self.inbox.with_untracked(|inbox| unread_of(inbox));
                self.unread.update(|unread| *unread = (*unread - 1).max(listed));
            }
        }
    }

    /// Unread items that are not in the list.
    pub fn not_listed(&self) -> i64 {
        (self.unread.get() - self.inbox.with(|inbox| unread_of(inbox))).max(0)
    }

    /// Marks what is in the list as read, and gives back which events that are.
    fn mark_shown(&self) -> Vec<EventId> {
        let fresh: Vec<EventId> =
            self.inbox.with_untracked(|inbox| inbox.iter().filter(|item| item.delivered_at.is_none()).map(|item| item.entry.event.clone()).collect());
        let now = self.now.get_untracked();
        fresh.iter().for_each(|event| self.was_read(event, now));
        fresh
    }

    /// The marks could not be kept: what was marked is unread again.
    fn unmark(&self, events: &[EventId]) {
        self.inbox.update(|inbox| inbox.iter_mut().filter(|item| events.contains(&item.entry.event)).for_each(|item| item.delivered_at = None));
        let count = i64::try_from(events.len()).unwrap_or(0);
        self.unread.update(|unread| *unread += count);
    }

    /// The bell was opened or closed: what is in its list was shown, that and nothing else counts as read.
    pub fn read_inbox(self) {
        let shown = self.mark_shown();
        if shown.is_empty() {
            return;
        }
        spawn_local(async move {
            let Ok(port) = self.port() else { return };
            for part in shown.chunks(limits::PAGE_ROWS_MAX) {
                if port.0.deliver(part.to_vec()).await.is_err() {
                    self.unmark(part);
                }
            }
        });
    }

    /// Lists what is unread and was not listed.
    pub fn list_unread(self) {
        spawn_local(async move {
            let Ok(port) = self.port() else { return };
            let limit = u32::try_from(limits::PAGE_ROWS_MAX).ok();
            if let Ok(page) = port.0.inbox(InboxQuery { limit, ..InboxQuery::default() }).await {
                self.list(page.items, page.total);
                self.read_inbox();
            }
        });
    }

    /// Adds to the list what is not in it; so many were unread in all when that was read. What was marked here since is not among them.
    fn list(&self, items: Vec<InboxItem>, unread: i64) {
        let (known, fresh): (Vec<_>, Vec<_>) =
            self.inbox.with_untracked(|inbox| items.into_iter().partition(|item| inbox.iter().any(|own| own.entry.event == item.entry.event)));
        let marked = self.inbox.with_untracked(|inbox| {
            let is_read = |item: &InboxItem| inbox.iter().any(|own| own.entry.event == item.entry.event && own.delivered_at.is_some());
            known.iter().filter(|item| item.delivered_at.is_none() && is_read(item)).count()
        });
        fresh.into_iter().for_each(|item| self.add(item));
        let listed = self.inbox.with_untracked(|inbox| unread_of(inbox));
        self.unread.set((unread - i64::try_from(marked).unwrap_or(0)).max(listed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::cards::tests::{Page, board};
    use contracts::Actor;
    use serde_json::json;

    fn entry(seq: i64) -> Entry {
        let event = format!("{seq:032x}");
        serde_json::from_value(
            json!({"event": event, "seq": seq, "kind": "task.assigned", "subject": "tk-000001", "actor": "dev:mei", "at": Moment(seq), "words": "assigned it"}),
        )
        .unwrap()
    }

    fn item(seq: i64, delivered: bool) -> InboxItem {
        InboxItem { entry: entry(seq), why: "mention".to_owned(), delivered_at: delivered.then_some(Moment(0)) }
    }

    /// Positions of the list, a bang after what is unread, and how many are unread.
    fn shown(store: &Store) -> (String, i64) {
        let row = |item: &InboxItem| format!("{}{}", item.entry.seq, if item.delivered_at.is_none() { "!" } else { "" });
        (store.inbox.with_untracked(|inbox| inbox.iter().map(row).collect::<Vec<_>>().join(" ")), store.unread.get_untracked())
    }

    #[test]
    fn an_event_lies_in_the_bell_once_whoever_brings_it() {
        let page = Page::new("", board(100, &[]));
        let store = page.store;
        assert!(store.told(&entry(103), "assigned".to_owned()));
        assert!(!store.told(&entry(103), "assigned".to_owned()), "the same batch again");
        assert!(!store.told(&entry(99), "mention".to_owned()), "the snapshot counted it");
        assert!(store.told(&entry(102), "mention".to_owned()));
        assert_eq!(shown(&store), ("103! 102!".to_owned(), 2));
        // Another page of the same reader read one, and the line says so, once or twice.
        store.was_read(&entry(103).event, Moment(5));
        store.was_read(&entry(103).event, Moment(5));
        assert_eq!(shown(&store), ("103 102!".to_owned(), 1));
        // What was handed over before it came here is no news for the badge.
        let mut read = entry(104);
        read.delivered = vec![(Actor::parse("dev:ana").unwrap(), Moment(1))];
        store.told(&read, "mention".to_owned());
        assert_eq!(shown(&store), ("104 103 102!".to_owned(), 1));
    }

    #[test]
    fn only_what_was_shown_counts_as_read() {
        let page = Page::new("", board(100, &[]));
        let store = page.store;
        store.inbox.set(vec![item(90, false), item(80, true), item(70, false)]);
        store.unread.set(25);
        assert_eq!(store.mark_shown(), [entry(90).event, entry(70).event]);
        assert_eq!((shown(&store), store.not_listed()), (("90 80 70".to_owned(), 23), 23));
        store.unmark(&[entry(70).event]);
        assert_eq!(shown(&store), ("90 80 70!".to_owned(), 24));
        store.list(vec![item(70, false), item(60, false)], 24);
        assert_eq!((shown(&store), store.not_listed()), (("90 80 70! 60!".to_owned(), 24), 22));
        // The marks of what is shown may still be on their way when the rest is asked for.
        store.list(vec![item(90, false), item(50, false)], 24);
        assert_eq!((shown(&store), store.not_listed()), (("90 80 70! 60! 50!".to_owned(), 23), 20));
        store.unread.set(25);
        store.was_read(&entry(1).event, Moment(0)); // read elsewhere, and not in the list here
        assert_eq!((store.unread.get_untracked(), store.not_listed()), (24, 21));
    }
}
