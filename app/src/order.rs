//! The order of cards in a column: the server's own, so that a card that moves lands where a reload would show it.

use contracts::standing::Column;
use contracts::view::TaskCard;
use std::cmp::Ordering;

/// The five columns, left to right.
pub const COLUMNS: [Column; 5] = [Column::Backlog, Column::Ready, Column::Working, Column::NeedsYou, Column::Done];

/// The place of a column among the five.
pub fn place(column: Column) -> usize {
    COLUMNS.iter().position(|each| *each == column).unwrap_or(0)
}

/// How two cards of one column stand to each other: what closed last first in Done; else by priority, due date, age.
pub fn cards(a: &TaskCard, b: &TaskCard) -> Ordering {
    if a.column == Column::Done {
        return b.closed_at.cmp(&a.closed_at).then_with(|| a.id.cmp(&b.id));
    }
    let due = |card: &TaskCard| card.due_at.map_or(i64::MAX, |due| due.0);
    a.priority.cmp(&b.priority).then_with(|| due(a).cmp(&due(b))).then_with(|| a.created_at.cmp(&b.created_at)).then_with(|| a.id.cmp(&b.id))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use contracts::{Moment, Standing, Status, TaskId};

    /// A ready card with nothing on it.
    pub(crate) fn card(id: &str) -> TaskCard {
        serde_json::from_value(serde_json::json!({
            "id": TaskId::parse(id).unwrap(), "title": "A task", "status": Status::Open, "standing": Standing::Ready, "column": Column::Ready,
            "created_at": Moment(0), "updated_at": Moment(0), "version": 1,
        }))
        .unwrap()
    }

    #[test]
    fn urgent_and_due_cards_come_first_and_closed_ones_by_when() {
        let (mut a, mut b) = (card("tk-000001"), card("tk-000002"));
        assert_eq!(cards(&a, &b), Ordering::Less);
        b.due_at = Some(Moment(5));
        assert_eq!(cards(&a, &b), Ordering::Greater);
        a.priority = 0;
        assert_eq!(cards(&a, &b), Ordering::Less);
        (a.column, b.column) = (Column::Done, Column::Done);
        (a.closed_at, b.closed_at) = (Some(Moment(1)), Some(Moment(2)));
        assert_eq!(cards(&a, &b), Ordering::Greater);
    }
}
