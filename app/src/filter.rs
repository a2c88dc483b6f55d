//! The text filter of the board: the words that must all stand in a card. The server does the same for what is not loaded.

use contracts::view::TaskCard;

/// Whether every word of `q` stands in the card's id, title, labels, assignee or holder, case-folded.
pub fn matches(card: &TaskCard, q: &str) -> bool {
    let mut words = q.split_whitespace().map(str::to_lowercase).peekable();
    if words.peek().is_none() {
        return true;
    }
    let hay = haystack(card);
    words.all(|word| hay.contains(&word))
}

fn haystack(card: &TaskCard) -> String {
    let mut hay = format!("{}\n{}", card.id, card.title);
    let holder = card.lease.as_ref().map(|lease| lease.actor.as_str());
    for part in card.labels.iter().map(String::as_str).chain(card.assignee.as_ref().map(|actor| actor.as_str())).chain(holder) {
        hay.push('\n');
        hay.push_str(part);
    }
    hay.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::tests::card;

    #[test]
    fn all_words_must_stand_somewhere() {
        let mut card = card("tk-4f2a9c");
        card.title = "WAL replay stops ÄÖ".to_owned();
        card.labels = vec!["storage".to_owned()];
        for (q, hit) in [("", true), ("  ", true), ("replay wal", true), ("4f2a", true), ("STOR", true), ("äö", true), ("replay btree", false)] {
            assert_eq!(matches(&card, q), hit, "{q}");
        }
    }
}
