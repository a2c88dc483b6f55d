//! Unread items. One that stands in an answer counts as delivered, so texts are cut before items are, and what was cut can be
//! asked for again.

use super::fit::{List, Oldest, fit};
use super::safe::line;
use super::{call, thread};
use contracts::Moment;
use contracts::view::InboxItem;
use serde_json::json;

/// Bytes of an inbox that rides on an answer about something else.
pub(crate) const RIDING_BYTES: usize = 1_100;
/// Longest text of one item, bytes.
const ITEM_BYTES: usize = 2_000;
/// Bytes an item's text keeps, however many there are.
const ITEM_BYTES_LEAST: usize = 60;

/// The items, oldest first, within about `budget` bytes; `more` are unread beyond them.
pub(crate) fn unread(items: &[InboxItem], more: i64, budget: usize, now: Option<Moment>) -> String {
    if items.is_empty() && more <= 0 {
        return String::new();
    }
    let heads: usize = items.iter().map(|item| head(item, 0, now).0.len() + 4).sum();
    let texts = items.iter().filter(|item| !item.entry.text.is_empty()).count().max(1);
    let share = (budget.saturating_sub(heads + 120) / texts).clamp(ITEM_BYTES_LEAST, ITEM_BYTES);
    let mut list = List::new("## Inbox", Oldest::First, call("ask", json!({"inbox": "all"})));
    for item in items {
        let (text, was_cut) = head(item, share, now);
        list.items.push(text);
        list.shortened |= was_cut;
    }
    fit(&mut [&mut list], budget.max(200));
    let mut text = list.text();
    if more > 0 {
        text.push_str(&format!("\n+{more} more: {}", call("ask", json!({"inbox": "unread"}))));
    }
    text
}

/// Items as a page: every text to 2,000 bytes.
pub(crate) fn page(items: &[InboxItem]) -> String {
    items.iter().map(|item| head(item, ITEM_BYTES, None).0).collect::<Vec<_>>().join("\n")
}

/// One item, its text cut to `bytes` (0 for none).
fn head(item: &InboxItem, bytes: usize, now: Option<Moment>) -> (String, bool) {
    let mut entry = item.entry.clone();
    if bytes == 0 {
        entry.text.clear();
    }
    entry.to.clear();
    let (text, was_cut) = thread::entry(&entry, bytes, now);
    let (first, rest) = text.split_once('\n').map_or((text.as_str(), None), |(first, rest)| (first, Some(rest)));
    let mut first = format!("{first} · {}", line(&entry.subject, 20));
    if !entry.title.is_empty() {
        first.push_str(&format!(" {}", line(&entry.title, 80)));
    }
    first.push_str(&format!(" ({})", line(&item.why.replace('_', " "), 20)));
    (rest.map_or(first.clone(), |rest| format!("{first}\n{rest}")), was_cut)
}
