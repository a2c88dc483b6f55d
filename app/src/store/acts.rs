//! What the reader does: commands with their optimistic picture, confirmed by the receipt or rolled back with the problem.

use super::Store;
use crate::look::{Look, View};
use crate::moves::{self, Ask, Move};
use crate::tabs::{self, Shown, Spot};
use crate::{browser, order};
use contracts::command::{CommandRequest, Receipt};
use contracts::standing::Column;
use contracts::view::{BoardQuery, TaskCard};
use contracts::{Problem, TaskId, limits};
use filter::Filter;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::collections::HashSet;
use std::time::Duration;

/// How long the live line has to bring what a receipt promised before the page reads it itself.
const CONFIRM_AFTER: Duration = Duration::from_millis(600);

/// Cards that are new to a column and drawn in one frame.
const DRAWN_AT_ONCE: usize = 6;

/// How long typing has to rest before the server is asked.
const ASK_AFTER: Duration = Duration::from_millis(120);

/// What became of a move.
pub enum Giving {
    /// Under way.
    Given,
    /// Words are needed first.
    Asks(Ask),
}

impl Store {
    /// Gives commands as one and answers with their receipts.
    pub async fn give(self, mut requests: Vec<CommandRequest>) -> Result<Vec<Receipt>, Problem> {
        let port = self.port()?;
        for request in &requests {
            let args = request.command.args();
            if let Some(id) = args.get("task").and_then(|task| task.as_str()).and_then(|task| TaskId::parse(task).ok()) {
                self.is_mine(id);
            }
        }
        let receipts = if requests.len() == 1 { vec![port.0.execute(requests.remove(0)).await?] } else { port.0.execute_all(requests).await? };
        let promised = receipts.iter().map(|receipt| receipt.seq).max().unwrap_or(0);
        set_timeout(
            move || {
                if self.seq.get_untracked() < promised {
                    spawn_local(async move { drop(self.catch_up().await) });
                }
            },
            CONFIRM_AFTER,
        );
        Ok(receipts)
    }

    /// Remembers that what happens to a task now is this page's own act.
    fn is_mine(self, id: TaskId) {
        self.quiet.update_value(|quiet| {
            quiet.own.insert(id, browser::now_ms());
        });
    }

    /// Moves a card to a column, at once in the picture; it comes back when that is refused.
    pub fn move_to(self, id: &TaskId, to: Column) -> Giving {
        let Some(card) = self.card(id) else { return Giving::Given };
        let before = card.card.get_untracked();
        if before.column == to {
            return Giving::Given;
        }
        let commands = match self.me.with_untracked(|me| moves::plan(&before, to, &me.actor)) {
            Ok(Move::Ask(ask)) => return Giving::Asks(ask),
            Ok(Move::Now(commands)) => commands,
            Err(problem) => {
                self.say(format!("Not moved: {}", problem.title));
                card.problem.set(Some(problem));
                return Giving::Given;
            }
        };
        let requests = moves::requests(commands, &browser::key());
        self.is_mine(id.clone());
        self.place_seen(TaskCard { column: to, ..before.clone() }, self.acting(id));
        card.busy.set(true);
        card.problem.set(None);
        let word = format!("card-{id}");
        browser::focus_soon(word);
        spawn_local(async move {
            let answer = self.give(requests).await;
            card.busy.set(false);
            match answer {
                Ok(_) => self.say(format!("Moved to {}.", to.words())),
                Err(problem) => {
                    self.say(format!("Not moved: {}", problem.title));
                    let untouched = card.card.with_untracked(|now| now.column == to && now.version == before.version);
                    if untouched {
                        let age = self.acting(&before.id);
                        self.place_seen(before, age);
                    }
                    card.problem.set(Some(problem));
                }
            }
        });
        Giving::Given
    }

    /// Looks at the board as an address says.
    pub fn look_at(self, look: Look) {
        let typed = look.q.clone();
        let same = self.look.with_untracked(|old| old.q == typed);
        let wants_edges = look.view == View::Graph && self.look.with_untracked(|old| old.view != View::Graph);
        if self.look.with_untracked(|old| *old != look) {
            self.look.set(look);
        }
        if !same {
            self.filter(&typed);
        }
        if wants_edges {
            spawn_local(self.ask_again(self.filter.get_untracked()));
        }
    }

    /// Filters by what was typed: what is loaded at once, the rest when the server has answered. What can't be read changes nothing.
    pub fn filter(self, typed: &str) {
        let filter = match filter::typed(typed) {
            Ok(filter) => filter,
            Err(faults) => return self.faults.set(faults),
        };
        self.faults.set(Vec::new());
        if self.filter.with_untracked(|old| *old == filter) {
            return;
        }
        self.filter.set(filter.clone());
        for (place, column) in self.columns.iter().enumerate() {
            let mut shown: Vec<TaskCard> = self.cards.with_value(|cards| {
                cards.values().map(|card| card.card.get_untracked()).filter(|card| order::place(card.column) == place && self.fits(card)).collect()
            });
            shown.sort_by(order::cards);
            column.total.set(i64::try_from(shown.len()).unwrap_or(i64::MAX));
            // As many as the server will answer with: what was loaded on the way here need not all be drawn for a moment.
            let first = if order::COLUMNS[place] == Column::Done { limits::DONE_CARDS_FIRST } else { limits::COLUMN_CARDS_FIRST };
            self.draw(place, shown.into_iter().take(first).map(|card| card.id).collect());
        }
        set_timeout(
            move || {
                if self.filter.with_untracked(|now| *now == filter) {
                    spawn_local(self.ask_again(filter));
                }
            },
            ASK_AFTER,
        );
    }

    /// Asks the server for what passes the filter, and shows it if it is still the one that is on.
    pub(super) async fn ask_again(self, filter: Option<Filter>) {
        let Ok(port) = self.port() else { return };
        let edges = self.look.with_untracked(|look| look.view == View::Graph);
        let query = BoardQuery { filter: self.filter_text(), edges, ..Default::default() };
        let asked = self.asking();
        if let Ok(board) = port.0.board(query).await
            && self.filter.with_untracked(|now| *now == filter)
            && self.fill_board(board, asked, |place, ids| self.draw(place, ids))
        {
            self.ask_soon();
        }
    }

    /// Puts these cards into a column, a few new ones a frame, so that the page answers while many come.
    fn draw(self, place: usize, ids: Vec<TaskId>) {
        let turn = self.turn(place);
        let here = self.columns[place].ids;
        let old: HashSet<TaskId> = here.with_untracked(|ids| ids.iter().cloned().collect());
        let mut fresh = 0;
        let first = ids.iter().position(|id| {
            fresh += usize::from(!old.contains(id));
            fresh > DRAWN_AT_ONCE
        });
        let first = first.unwrap_or(ids.len());
        self.replace(&here, ids[..first].to_vec());
        self.draw_rest(place, ids[first..].to_vec(), turn);
    }

    fn draw_rest(self, place: usize, rest: Vec<TaskId>, turn: u32) {
        if rest.is_empty() {
            return;
        }
        request_animation_frame(move || {
            if self.turns.with_value(|turns| turns[place] != turn) {
                return;
            }
            let (now, later) = rest.split_at(DRAWN_AT_ONCE.min(rest.len()));
            // What moved or ceased to fit meanwhile has its place already.
            self.columns[place].ids.update(|ids| {
                let fresh: Vec<TaskId> = now.iter().filter(|id| !ids.contains(id) && self.belongs(id, place)).cloned().collect();
                ids.extend(fresh);
            });
            self.draw_rest(place, later.to_vec(), turn);
        });
    }

    /// A new turn of drawing a column; the one before ends.
    fn turn(self, place: usize) -> u32 {
        self.turns.update_value(|turns| turns[place] = turns[place].wrapping_add(1));
        self.turns.with_value(|turns| turns[place])
    }

    /// Loads the next part of a column.
    pub fn more(self, column: Column) {
        let Some(cursor) = self.columns[order::place(column)].next.get_untracked() else { return };
        spawn_local(async move {
            let Ok(port) = self.port() else { return };
            let query = BoardQuery { filter: self.filter_text(), column: Some(column), cursor: Some(cursor.clone()), limit: Some(200), ..Default::default() };
            let asked = self.asking();
            if let Ok(board) = port.0.board(query).await {
                self.fill_more(board, asked, &cursor);
            }
        });
    }

    /// Loads the page of the thread before what is shown.
    pub fn older(self) {
        let (Some(id), Some(cursor)) = (self.open_id.get_untracked(), self.thread_next.get_untracked()) else { return };
        spawn_local(async move {
            let Ok(port) = self.port() else { return };
            if let Ok(page) = port.0.thread(id, Some(cursor)).await {
                self.thread_next.set(page.next);
                self.thread.update(|thread| {
                    let fresh: Vec<_> = page.items.into_iter().filter(|entry| !thread.iter().any(|known| known.event == entry.event)).collect();
                    thread.splice(0..0, fresh);
                });
            }
        });
    }

    /// Goes to a part of the open card and reads what it needs.
    pub fn go(self, spot: Spot) {
        if self.spot.with_untracked(|old| *old == spot) {
            return;
        }
        if self.spot.with_untracked(|old| old.tab != spot.tab) {
            self.shown.set(Shown::Nothing);
        }
        self.spot.set(spot);
        spawn_local(self.read_shown());
    }

    /// Reads what the chosen part shows; pages of a history that were asked for stay.
    pub(super) async fn read_shown(self) {
        let (Some(id), Ok(port), spot) = (self.open_id.get_untracked(), self.port(), self.spot.get_untracked()) else { return };
        let mut read = tabs::read(port, id.clone(), &spot).await;
        let stale = self.open_id.with_untracked(|open| open.as_ref() != Some(&id)) || self.spot.with_untracked(|now| *now != spot);
        if stale {
            return;
        }
        if let Shown::History(page) = &mut read {
            self.shown.with_untracked(|old| {
                if let Shown::History(old) = old {
                    tabs::keep_older(page, old)
                }
            });
        }
        self.shown.set(read);
    }

    /// Loads the page of the history before what is shown.
    pub fn earlier(self) {
        let cursor = self.shown.with_untracked(|shown| if let Shown::History(page) = shown { page.next.clone() } else { None });
        let (Some(id), Some(cursor)) = (self.open_id.get_untracked(), cursor) else { return };
        spawn_local(async move {
            let Ok(port) = self.port() else { return };
            if let Ok(page) = port.0.history(id, Some(cursor)).await {
                self.shown.update(|shown| {
                    if let Shown::History(here) = shown {
                        here.items.extend(page.items);
                        here.next = page.next;
                    }
                });
            }
        });
    }

    /// Opens a card: what is known of it is shown at once.
    pub fn open_card(self, id: TaskId) {
        if self.open_id.with_untracked(|open| open.as_ref() == Some(&id)) {
            return;
        }
        self.open.set(None);
        self.open_problem.set(None);
        self.thread.set(Vec::new());
        self.thread_next.set(None);
        self.shown.set(Shown::Nothing);
        self.open_id.set(Some(id.clone()));
        spawn_local(self.read_task(id));
    }
}
