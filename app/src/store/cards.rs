//! How cards come to their places, from answers of the server and from the line, in whichever order these arrive.
//!
//! Invariant: nothing goes back. Each card knows the position of the log it was read at, and what is older changes nothing. Where two
//! were read at one position (a lease moves without an event) the line's word stands against an answer that was asked for before it:
//! what such an answer knows beyond it comes over the line too, and what the line has said does not come again.

use super::{CardStore, Store};
use crate::look::View;
use crate::order;
use contracts::view::{BoardView, ColumnView, Entry, TaskCard, TaskView};
use contracts::{Batch, TaskId};
use leptos::prelude::*;

/// How old something is: the position of the log it was read at, then the words heard here before it came, or before it was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Age {
    pub seq: i64,
    pub word: u64,
}

/// A place in what was heard here: what an answer is compared by. Taken before the question goes out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked(u64);

/// How old what the page shows is.
#[derive(Default)]
pub(super) struct Ages {
    /// Batches of the line and acts of the reader so far.
    words: u64,
    /// The youngest batch of the line.
    line: Age,
    /// The youngest answer with columns.
    board: Age,
    /// The youngest snapshot.
    whole: Age,
    /// The database was another one before this word.
    anew: u64,
}

/// What a change of a card did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Placed {
    /// It was no older than what was known.
    pub taken: bool,
    /// It lies in another column than before.
    pub moved: bool,
    /// What a column's total is now, only the server can say: the card may have been counted without being loaded.
    pub uncounted: bool,
}

impl Store {
    /// The place of a question that is about to be asked.
    pub(super) fn asking(&self) -> Asked {
        Asked(self.ages.with_value(|ages| ages.words))
    }

    fn word(&self) -> u64 {
        self.ages.update_value(|ages| ages.words += 1);
        self.ages.with_value(|ages| ages.words)
    }

    /// Takes note of a batch that came. What of it is not about one card is old news when a younger snapshot is here: the second says so.
    pub(super) fn heard(&self, batch: &Batch) -> (Age, bool) {
        let age = Age { seq: batch.seq.max(batch.read), word: self.word() };
        self.ages.update_value(|ages| ages.line = ages.line.max(age));
        (age, self.ages.with_value(|ages| ages.whole > age))
    }

    /// Whether an event is in the snapshot that the page began with already.
    pub(super) fn in_snapshot(&self, seq: i64) -> bool {
        self.ages.with_value(|ages| seq <= ages.whole.seq)
    }

    /// The age of what this page's reader does to a card: as old as what is known of it, and younger than what was asked for before.
    pub(super) fn acting(&self, id: &TaskId) -> Age {
        let seq = self.card(id).map_or(0, |card| card.age.seq);
        Age { seq, word: self.word() }
    }

    /// Takes note of a snapshot, and gives back the place its parts are compared by. With `anew` what was known before is of another database, or of a line that broke: nothing of it counts.
    pub(super) fn begins(&self, seq: i64, asked: Asked, anew: bool) -> Asked {
        if anew {
            let word = self.word();
            self.ages.set_value(Ages { words: word, anew: word, whole: Age { seq, word }, ..Ages::default() });
            self.cards.update_value(|cards| cards.values_mut().for_each(|card| card.age = Age::default()));
            return Asked(word);
        }
        self.ages.update_value(|ages| ages.whole = ages.whole.max(Age { seq, word: asked.0 }));
        asked
    }

    /// Puts the columns of an answer in the place of those here, unless a younger answer did so; what came over the line meanwhile keeps
    /// its place. `show` draws a column. Says whether the totals are not certain now.
    pub(super) fn fill_board(&self, board: BoardView, asked: Asked, show: impl Fn(usize, Vec<TaskId>)) -> bool {
        let age = Age { seq: board.seq, word: asked.0 };
        let (late, line) = self.ages.with_value(|ages| (asked.0 < ages.anew || ages.board > age, ages.line));
        if late {
            return false;
        }
        self.ages.update_value(|ages| ages.board = age);
        if line <= age {
            self.replace(&self.counts, board.counts);
        }
        if self.look.with_untracked(|look| look.view == View::Graph) {
            self.replace(&self.edges, board.edges);
        }
        let mut uncounted = false;
        for column in board.columns {
            let place = order::place(column.key);
            let (ids, differs) = self.fill_column(place, column, age);
            uncounted |= differs;
            show(place, ids);
        }
        uncounted && self.filter.with_untracked(Option::is_some)
    }

    /// The ids of a column from an answer and from what is younger, and whether these differ.
    fn fill_column(&self, place: usize, column: ColumnView, age: Age) -> (Vec<TaskId>, bool) {
        let here = self.columns[place];
        let answered = column.cards.len();
        let mut ids = self.taken_in(place, column.cards, age);
        let gone = answered - ids.len();
        here.next.set(column.next);
        let come = self.insert_younger(place, &mut ids, age);
        let difference = |come: usize, gone: usize| i64::try_from(come).unwrap_or(0) - i64::try_from(gone).unwrap_or(0);
        here.total.set(column.total + difference(come, gone));
        (ids, gone + come > 0)
    }

    /// Appends the next part of a column, which was asked for from this cursor on.
    pub(super) fn fill_more(&self, board: BoardView, asked: Asked, cursor: &str) {
        let age = Age { seq: board.seq, word: asked.0 };
        for column in board.columns {
            let place = order::place(column.key);
            let here = self.columns[place];
            let other = here.next.with_untracked(|next| next.as_deref() != Some(cursor));
            if other || asked.0 < self.ages.with_value(|ages| ages.anew) {
                continue; // the column was filled anew meanwhile
            }
            let fresh = self.taken_in(place, column.cards, age);
            let mut ids = here.ids.get_untracked();
            ids.extend(fresh.into_iter().filter(|id| !ids.contains(id)).collect::<Vec<_>>());
            here.next.set(column.next);
            self.insert_younger(place, &mut ids, age);
            here.ids.set(ids);
        }
    }

    /// Takes in the cards of a column and gives back those that lie in it: all but what is known to have left it since.
    fn taken_in(&self, place: usize, cards: Vec<TaskCard>, age: Age) -> Vec<TaskId> {
        let mut ids = Vec::with_capacity(cards.len());
        for card in cards {
            let id = card.id.clone();
            if self.put(card, age) || self.belongs(&id, place) {
                ids.push(id);
            }
        }
        ids
    }

    /// Puts into a column what is known to have come into it after an answer was read.
    fn insert_younger(&self, place: usize, ids: &mut Vec<TaskId>, age: Age) -> usize {
        let younger: Vec<TaskCard> =
            self.cards.with_value(|cards| cards.values().filter(|card| card.age > age).map(|card| card.card.get_untracked()).collect());
        let mut come = 0;
        for card in younger {
            if order::place(card.column) == place && !ids.contains(&card.id) && self.fits(&card) {
                self.insert(place, ids, &card);
                come += 1;
            }
        }
        come
    }

    /// Puts a card where it belongs in a column, unless that is behind what is loaded.
    fn insert(&self, place: usize, ids: &mut Vec<TaskId>, card: &TaskCard) {
        let at = self.cards.with_value(|cards| {
            ids.partition_point(|each| cards.get(each).is_some_and(|other| other.card.with_untracked(|other| order::cards(other, card).is_lt())))
        });
        if at < ids.len() || self.columns[place].next.with_untracked(Option::is_none) {
            ids.insert(at, card.id.clone());
        }
    }

    /// Whether a card lies in a column and passes the filter.
    pub(super) fn belongs(&self, id: &TaskId, place: usize) -> bool {
        self.card(id).is_some_and(|card| card.card.with_untracked(|card| order::place(card.column) == place && self.fits(card)))
    }

    /// Takes in a card, unless a younger one is known. Says whether it did.
    fn put(&self, card: TaskCard, age: Age) -> bool {
        let id = card.id.clone();
        match self.card(&id) {
            Some(known) if known.age > age => return false,
            Some(known) => {
                self.cards.update_value(|cards| {
                    if let Some(known) = cards.get_mut(&id) {
                        known.age = age;
                    }
                });
                if known.card.with_untracked(|old| *old != card) {
                    known.card.set(card);
                }
            }
            None => {
                self.meet(&card);
                self.cards.update_value(|cards| drop(cards.insert(id, CardStore::new(card, age))));
            }
        }
        true
    }

    /// The column a card is shown in.
    pub(super) fn column_of(&self, id: &TaskId) -> Option<usize> {
        self.columns.iter().position(|column| column.ids.with_untracked(|ids| ids.contains(id)))
    }

    /// Takes in a card and puts it where it belongs. Totals move by where it was and where it is, whether it is shown or not.
    pub(super) fn place(&self, card: TaskCard, age: Age) -> Placed {
        let id = card.id.clone();
        let before = self.card(&id).map(|known| known.card.get_untracked());
        let was = before.as_ref().filter(|before| self.fits(before)).map(|before| order::place(before.column));
        if !self.put(card.clone(), age) {
            return Placed::default();
        }
        let is = self.fits(&card).then(|| order::place(card.column));
        if let Some(from) = self.column_of(&id).filter(|from| Some(*from) != is) {
            self.columns[from].ids.update(|ids| ids.retain(|each| *each != id));
        }
        if let Some(to) = is {
            let old = self.columns[to].ids.get_untracked();
            let mut ids: Vec<TaskId> = old.iter().filter(|each| **each != id).cloned().collect();
            self.insert(to, &mut ids, &card);
            if ids != old {
                self.columns[to].ids.set(ids);
            }
        }
        // A card that was never seen here was not counted either, if everything that is counted is loaded.
        let counted = before.is_some() || self.columns.iter().all(|column| column.next.with_untracked(Option::is_none));
        if counted && was != is {
            for (place, step) in [(was, -1), (is, 1)] {
                if let Some(place) = place {
                    self.columns[place].total.update(|total| *total = (*total + step).max(0));
                }
            }
        }
        Placed {
            taken: true,
            moved: before.is_some_and(|before| before.column != card.column),
            uncounted: !counted && self.filter.with_untracked(Option::is_some),
        }
    }

    /// Shows a task on the open card, unless it is shown as it was later.
    pub(super) fn show(&self, mut task: TaskView, asked: Asked) {
        let age = Age { seq: task.seq, word: asked.0 };
        let same = self.open_id.with_untracked(|id| id.as_ref() == Some(&task.card.id));
        let later = self.open.with_untracked(|open| open.as_ref().is_some_and(|open| open.card.id == task.card.id && open.seq > task.seq));
        if asked.0 < self.ages.with_value(|ages| ages.anew) || (same && later) {
            return;
        }
        if !same {
            self.open_id.set(Some(task.card.id.clone()));
        }
        if !self.put(task.card.clone(), age)
            && let Some(known) = self.card(&task.card.id)
        {
            task.card = known.card.get_untracked();
        }
        let mut thread = task.thread.clone();
        let mut next = task.thread_next.clone();
        if same {
            let first = thread.first().map_or(i64::MAX, |entry| entry.seq);
            let kept =
                |wanted: &dyn Fn(&Entry) -> bool| self.thread.with_untracked(|old| old.iter().filter(|entry| wanted(entry)).cloned().collect::<Vec<_>>());
            // What the line brought after this was read.
            thread.extend(kept(&|entry| entry.seq > task.seq));
            let older = if self.thread_partial.get_untracked() { Vec::new() } else { kept(&|entry| entry.seq < first && entry.seq <= task.seq) };
            if !older.is_empty() {
                next = self.thread_next.get_untracked();
                thread.splice(0..0, older);
            }
        }
        self.replace(&self.thread, thread);
        self.replace(&self.thread_next, next);
        self.thread_partial.set(false);
        self.open_problem.set(None);
        self.replace(&self.open, Some(task));
    }
}

#[cfg(test)]
pub(super) mod tests;
