//! What the page itself is doing: which layer is open, which card is lifted. Nothing here is known to the server.

use contracts::TaskId;
use contracts::standing::Column;
use contracts::view::Allowance;
use leptos::prelude::*;

use crate::moves::Ask;
use crate::places::Place;
use crate::store::Store;
use crate::{Base, words};

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
    /// The page that was loaded.
    pub place: Place,
    /// Its parameters with their `?`, where they are not the look at the board.
    pub query: StoredValue<String>,
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
    /// The tasks that are selected.
    pub selected: RwSignal<Vec<TaskId>>,
    /// The task that was selected last: where a range begins.
    pub anchor: RwSignal<Option<TaskId>>,
    /// The palette is open.
    pub palette: RwSignal<bool>,
    /// Cards are compact.
    pub compact: RwSignal<bool>,
    /// Single letters act.
    pub letters: RwSignal<bool>,
    /// `g` was pressed and waits for where to go.
    pub going: RwSignal<bool>,
    /// An act that was chosen by name.
    pub asked: RwSignal<Option<crate::keys::Act>>,
}

impl Ui {
    /// Nothing open, nothing lifted, on a page with these parameters.
    pub fn new(place: Place, query: String) -> Ui {
        Ui {
            place,
            query: StoredValue::new(query),
            help: RwSignal::new(false),
            adding: RwSignal::new(false),
            moving: RwSignal::new(None),
            asking: RwSignal::new(None),
            lift: RwSignal::new(None),
            allowed: RwSignal::new(Vec::new()),
            press: RwSignal::new(None),
            swallow_click: RwSignal::new(false),
            selected: RwSignal::new(Vec::new()),
            anchor: RwSignal::new(None),
            palette: RwSignal::new(false),
            compact: RwSignal::new(false),
            letters: RwSignal::new(true),
            going: RwSignal::new(false),
            asked: RwSignal::new(None),
        }
    }

    /// The address of the page that lies under an open card, as it is looked at.
    pub fn home(self, base: &Base, store: Store) -> String {
        match self.place {
            Place::Board => base.board(&store.query()),
            other => base.path(&format!("{}{}", other.page().path, self.query.get_value())),
        }
    }

    /// Whether a task is selected.
    pub fn is_selected(self, id: &TaskId) -> Memo<bool> {
        let id = id.clone();
        Memo::new(move |_| self.selected.with(|selected| selected.contains(&id)))
    }

    /// Selects a task or not any more; with `range` all between it and the one before, as they are looked at.
    pub fn pick(self, store: Store, id: &TaskId, range: bool) {
        let rows = store.rows_now().concat();
        let anchor = self.anchor.get_untracked().filter(|_| range);
        self.selected.update(|selected| *selected = picked(&rows, selected, anchor.as_ref(), id));
        self.anchor.set(Some(id.clone()));
        let count = self.selected.with_untracked(Vec::len);
        store.say(format!("{} selected.", words::count(i64::try_from(count).unwrap_or(i64::MAX), "task", "tasks")));
    }
}

/// What is selected after a press on one: it is turned over, or with an anchor all from there to it are selected.
fn picked(rows: &[TaskId], selected: &[TaskId], anchor: Option<&TaskId>, id: &TaskId) -> Vec<TaskId> {
    let place = |id: &TaskId| rows.iter().position(|each| each == id);
    if let Some((from, to)) = anchor.and_then(place).zip(place(id)) {
        let range = &rows[from.min(to)..=from.max(to)];
        return selected.iter().filter(|each| !range.contains(each)).chain(range).cloned().collect();
    }
    match selected.contains(id) {
        true => selected.iter().filter(|each| *each != id).cloned().collect(),
        false => selected.iter().chain([id]).cloned().collect(),
    }
}

impl Default for Ui {
    fn default() -> Ui {
        Ui::new(Place::Board, String::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_press_turns_one_over_and_a_range_takes_all_between() {
        let rows: Vec<TaskId> = (0..5).map(|n| TaskId::parse(&format!("tk-00000{n}")).unwrap()).collect();
        let of = |places: &[usize]| places.iter().map(|place| rows[*place].clone()).collect::<Vec<_>>();
        assert_eq!(picked(&rows, &[], None, &rows[1]), of(&[1]));
        assert_eq!(picked(&rows, &of(&[1, 3]), None, &rows[1]), of(&[3]));
        assert_eq!(picked(&rows, &of(&[3]), Some(&rows[3]), &rows[1]), of(&[1, 2, 3]));
        assert_eq!(picked(&rows, &of(&[0]), Some(&rows[2]), &rows[4]), of(&[0, 2, 3, 4]));
        let elsewhere = TaskId::parse("tk-ffffff").unwrap();
        assert_eq!(picked(&rows, &[], Some(&elsewhere), &rows[4]), of(&[4]), "what is not shown begins no range");
    }

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
