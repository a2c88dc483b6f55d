//! What the page itself is doing: which layer is open, which card is lifted. Nothing here is known to the server.

use contracts::TaskId;
use contracts::standing::Column;
use contracts::view::Allowance;
use leptos::prelude::*;

use crate::moves::Ask;

/// A lifted card.
#[derive(Clone, Debug, PartialEq)]
pub struct Lift {
    /// Which.
    pub id: TaskId,
    /// Its title, for the picture under the pointer.
    pub title: String,
    /// The columns it may go to.
    pub moves: Vec<Column>,
    /// Where it came from.
    pub from: Column,
    /// Where it would land now.
    pub over: Option<Column>,
    /// Where the pointer is; none when lifted by the keyboard.
    pub at: Option<(i32, i32)>,
}

impl Lift {
    /// The columns the keyboard steps through: where it may go, and where it came from.
    fn stops(&self) -> Vec<Column> {
        crate::order::COLUMNS.into_iter().filter(|column| *column == self.from || self.moves.contains(column)).collect()
    }

    /// One column to the left or right of where it is.
    pub fn stepped(&self, right: bool) -> Lift {
        let stops = self.stops();
        let here = stops.iter().position(|column| Some(*column) == self.over).unwrap_or(0);
        let there = if right { (here + 1).min(stops.len().saturating_sub(1)) } else { here.saturating_sub(1) };
        Lift { over: stops.get(there).copied(), ..self.clone() }
    }

    /// Whether it may be dropped where it is.
    pub fn lands(&self) -> Option<Column> {
        self.over.filter(|column| *column != self.from && self.moves.contains(column))
    }
}

/// A pointer that went down on a card and has not moved far yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Press {
    /// Which card.
    pub id: TaskId,
    /// Where.
    pub at: (i32, i32),
}

/// The page's own state.
#[derive(Clone, Copy)]
pub struct Ui {
    /// The help is open.
    pub help: RwSignal<bool>,
    /// The form to add a task is open.
    pub adding: RwSignal<bool>,
    /// The card whose "Move to…" is open.
    pub moving: RwSignal<Option<TaskId>>,
    /// The card that waits for words before it moves.
    pub asking: RwSignal<Option<(TaskId, Ask)>>,
    /// The lifted card.
    pub lift: RwSignal<Option<Lift>>,
    /// Why the lifted or moving card may not go elsewhere.
    pub allowed: RwSignal<Vec<Allowance>>,
    /// A press that may become a lift.
    pub press: RwSignal<Option<Press>>,
    /// The next click belongs to a drag and opens nothing.
    pub swallow_click: RwSignal<bool>,
}

impl Ui {
    /// Nothing open, nothing lifted.
    pub fn new() -> Ui {
        Ui {
            help: RwSignal::new(false),
            adding: RwSignal::new(false),
            moving: RwSignal::new(None),
            asking: RwSignal::new(None),
            lift: RwSignal::new(None),
            allowed: RwSignal::new(Vec::new()),
            press: RwSignal::new(None),
            swallow_click: RwSignal::new(false),
        }
    }
}

impl Default for Ui {
    fn default() -> Ui {
        Ui::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyboard_steps_over_columns_that_are_closed_to_a_card() {
        let lift = Lift {
            id: TaskId::parse("tk-4f2a9c").unwrap(),
            title: String::new(),
            moves: vec![Column::Backlog, Column::Done],
            from: Column::Ready,
            over: Some(Column::Ready),
            at: None,
        };
        assert_eq!(lift.lands(), None);
        let right = lift.stepped(true);
        assert_eq!(right.lands(), Some(Column::Done));
        assert_eq!(right.stepped(true).over, Some(Column::Done));
        assert_eq!(lift.stepped(false).lands(), Some(Column::Backlog));
    }
}
