//! Unread items. One that stands in an answer counts as delivered, so texts are cut before items are; an item that has no room stays unread
//! and is counted, and whole texts can be asked for.

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

/// Unread items as they stand in an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unread {
    /// Empty when there are none.
    pub text: String,
    /// How many of the items stand in it, the oldest first: these and no others are handed over.
    pub shown: usize,
}

/// The items, oldest first, as many as about `budget` bytes have room for, and one in any case; `more` are unread beyond them.
pub(crate) fn unread(items: &[InboxItem], more: i64, budget: usize, now: Option<Moment>) -> Unread {
    if items.is_empty() && more <= 0 {
        return Unread::default();
    }
    let heads: usize = items.iter().map(|item| head(item, 0, now).0.len() + 4).sum();
    let texts = items.iter().filter(|item| !item.entry.text.is_empty()).count().max(1);
    let share = (budget.saturating_sub(heads + 120) / texts).clamp(ITEM_BYTES_LEAST, ITEM_BYTES);
    let (mut rows, mut shortened) = (Vec::new(), false);
    let mut room = budget.saturating_sub(120);
    for item in items {
        let (text, was_cut) = head(item, share, now);
        if !rows.is_empty() && text.len() + 1 > room {
            break;
        }
        room = room.saturating_sub(text.len() + 1);
        rows.push(text);
        shortened |= was_cut;
    }
    let shown = rows.len();
    let more = more + i64::try_from(items.len() - shown).unwrap_or(0);
    let mut lines = vec!["## Inbox".to_owned()];
    lines.extend(shortened.then(|| format!("whole texts: {}", call("ask", json!({"inbox": "all"})))));
    lines.extend(rows);
    lines.extend((more > 0).then(|| format!("+{more} more: {}", call("ask", json!({"inbox": "unread"})))));
    Unread { text: lines.join("\n"), shown }
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
