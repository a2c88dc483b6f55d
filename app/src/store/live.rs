//! How changes from the server reach the store, and what of them is told to the reader.

use super::cards::{Age, Placed};
use super::{Asked, Store, Toast};
use crate::live::Status;
use crate::look::{Group, View};
use crate::{browser, motion, order, words};
use contracts::view::{BoardQuery, Entry, Snapshot, TaskCard};
use contracts::{Actor, Batch, Change, EventId, Moment, Problem, TaskId};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::collections::HashMap;
use std::time::Duration;

/// Most toasts at once.
const TOASTS_MAX: usize = 4;
/// How long an own act keeps its task quiet, milliseconds.
const OWN_ACT_MS: i64 = 4_000;
/// How long changes are gathered before they are spoken.
const SPEAK_AFTER: Duration = Duration::from_millis(1_500);
/// How long changes of the open card are gathered before it is read again.
const REREAD_AFTER: Duration = Duration::from_millis(80);
/// How long changes are gathered before the columns are asked for again.
const ASK_AGAIN_AFTER: Duration = Duration::from_millis(400);

/// What the reader need not be told, and what waits to be told.
#[derive(Default)]
pub(super) struct Quiet {
    pub own: HashMap<TaskId, i64>,
    pub skew_ms: i64,
    moved: i64,
    asks: i64,
    speaking: bool,
    rereading: bool,
    asking: bool,
}

/// What the live region says about a batch of changes.
fn spoken(moved: i64, asks: i64) -> String {
    let mut parts = Vec::new();
    if asks > 0 {
        parts.push(if asks == 1 { "1 task asks for you.".to_owned() } else { format!("{asks} tasks ask for you.") });
    }
    if moved > 0 {
        parts.push(format!("{} moved.", words::count(moved, "task", "tasks")));
    }
    parts.join(" ")
}

impl Store {
    /// Applies the changes of one command.
    pub fn apply(&self, batch: Batch) {
        if !batch.live {
            self.seq.update(|seq| *seq = batch.seq.max(*seq));
        }
        self.pulse.update(|pulse| *pulse = pulse.wrapping_add(1));
        let (age, old) = self.heard(&batch);
        let focused = browser::focused_card();
        let own = batch.changes.iter().any(|change| matches!(change, Change::Event { entry, .. } if self.me.with_untracked(|me| me.actor == entry.actor)));
        for change in batch.changes {
            match change {
                Change::Task { card } => self.card_changed(card, age, own, batch.live),
                Change::Event { entry, told } => self.happened(entry, told),
                Change::Delivery { event, actor, at } => self.delivered(&event, actor, at),
                whole if !old => self.changed(whole),
                _ => {}
            }
        }
        if let Some(id) = focused {
            refocus(id);
        }
    }

    /// What is about the whole board: it is as it says now.
    fn changed(&self, change: Change) {
        match change {
            Change::Milestone { milestone } => self.milestones.update(|all| match all.iter_mut().find(|each| each.id == milestone.id) {
                Some(known) => *known = milestone,
                None => all.push(milestone),
            }),
            Change::Project { project, settings } => self.configured(project, &settings),
            Change::Actors { actors } => self.replace(&self.actors, actors),
            Change::Conflict { row } => self.conflicts.update(|all| {
                all.retain(|each| each.event != row.event);
                if !row.settled {
                    all.push(row);
                }
            }),
            Change::Counts { counts } => self.replace(&self.counts, counts),
            Change::Task { .. } | Change::Event { .. } | Change::Delivery { .. } | Change::Unknown => {}
        }
    }

    /// As [`Store::place`], and what can be seen of it moves there, with what makes room.
    pub(super) fn place_seen(&self, card: TaskCard, age: Age) -> Placed {
        let leaves = self.column_of(&card.id).is_some_and(|from| from != order::place(card.column) || !self.fits(&card));
        // In groups, any change may be to what a group is made by.
        if leaves || self.look.with_untracked(|look| look.group != Group::Standing) {
            motion::glide_from_here();
        }
        self.place(card, age)
    }

    fn card_changed(&self, card: TaskCard, age: Age, own: bool, live: bool) {
        let id = card.id.clone();
        let asks = card.column == contracts::Column::NeedsYou;
        let differs = self.card(&id).is_none_or(|known| known.card.with_untracked(|old| *old != card));
        let placed = self.place_seen(card.clone(), age);
        if !placed.taken {
            return;
        }
        if placed.uncounted || differs && self.look.with_untracked(|look| look.view == View::Graph) {
            self.ask_soon();
        }
        let open = self.open_id.with_untracked(|open| open.as_ref() == Some(&id));
        if open && differs {
            self.open.update(|task| {
                if let Some(task) = task {
                    task.card = card;
                }
            });
            self.reread_soon();
        }
        if own || !differs || self.is_own_act(&id) {
            return;
        }
        if !live || placed.moved {
            self.flash(&id);
        }
        if placed.moved {
            self.quiet.update_value(|quiet| {
                quiet.moved += 1;
                quiet.asks += i64::from(asks);
            });
            self.speak_soon();
        }
    }

    fn is_own_act(&self, id: &TaskId) -> bool {
        let now = browser::now_ms();
        self.quiet.with_value(|quiet| quiet.own.get(id).is_some_and(|at| now - at < OWN_ACT_MS))
    }

    fn flash(&self, id: &TaskId) {
        let Some(card) = self.card(id) else { return };
        if !browser::visible() {
            return;
        }
        card.changed.set(true);
        set_timeout(move || card.changed.set(false), Duration::from_millis(1_000));
    }

    fn happened(&self, entry: Entry, told: Vec<(Actor, String)>) {
        let me = self.me.with_untracked(|me| me.actor.clone());
        let about_open = self.open_id.with_untracked(|id| id.as_ref().is_some_and(|id| id.as_str() == entry.subject));
        if about_open {
            if entry.is_speech() {
                self.thread.update(|thread| {
                    if !thread.iter().any(|known| known.event == entry.event) {
                        thread.push(entry.clone());
                    }
                });
            }
            self.reread_soon();
        }
        let why = told.into_iter().find(|(actor, _)| *actor == me).map(|(_, why)| why);
        let news = why.is_some_and(|why| self.told(&entry, why)) || entry.kind == "task.asked" && entry.actor != me;
        if news && !about_open {
            self.toasts.update(|toasts| {
                toasts.push(Toast { entry });
                let over = toasts.len().saturating_sub(TOASTS_MAX);
                toasts.drain(..over);
            });
        }
    }

    fn delivered(&self, event: &EventId, actor: Actor, at: Moment) {
        if self.me.with_untracked(|me| me.actor == actor) {
            self.was_read(event, at);
        }
        let known =
            self.thread.with_untracked(|thread| thread.iter().any(|entry| entry.event == *event && !entry.delivered.iter().any(|(who, _)| *who == actor)));
        if known {
            self.thread.update(|thread| {
                if let Some(entry) = thread.iter_mut().find(|entry| entry.event == *event) {
                    entry.delivered.push((actor, at));
                }
            });
        }
    }

    /// Reads the open card again, once for many changes.
    pub fn reread_soon(&self) {
        let store = *self;
        let already = self.quiet.with_value(|quiet| quiet.rereading);
        if already {
            return;
        }
        self.quiet.update_value(|quiet| quiet.rereading = true);
        set_timeout(
            move || {
                store.quiet.update_value(|quiet| quiet.rereading = false);
                if let Some(id) = store.open_id.get_untracked() {
                    spawn_local(store.read_task(id));
                }
            },
            REREAD_AFTER,
        );
    }

    /// Asks for the columns again, once for many changes: for what a card alone does not say, as what waits for what.
    pub(super) fn ask_soon(&self) {
        let store = *self;
        if self.quiet.with_value(|quiet| quiet.asking) {
            return;
        }
        self.quiet.update_value(|quiet| quiet.asking = true);
        set_timeout(
            move || {
                store.quiet.update_value(|quiet| quiet.asking = false);
                spawn_local(store.ask_again(store.filter.get_untracked()));
            },
            ASK_AGAIN_AFTER,
        );
    }

    /// Reads a task and shows it, if it is still the one that is wanted.
    pub async fn read_task(self, id: TaskId) {
        let Ok(port) = self.port() else { return };
        let asked = self.asking();
        let answer = port.0.task(id.clone()).await;
        if self.open_id.with_untracked(|open| open.as_ref() != Some(&id)) {
            return;
        }
        match answer {
            Ok(task) => {
                self.show(task, asked);
                self.read_shown().await;
            }
            Err(problem) if self.open.with_untracked(Option::is_none) => self.open_problem.set(Some(problem)),
            Err(_) => {}
        }
    }

    fn speak_soon(&self) {
        let store = *self;
        if self.quiet.with_value(|quiet| quiet.speaking) {
            return;
        }
        self.quiet.update_value(|quiet| quiet.speaking = true);
        set_timeout(
            move || {
                let mut text = String::new();
                store.quiet.update_value(|quiet| {
                    text = spoken(quiet.moved, quiet.asks);
                    (quiet.moved, quiet.asks, quiet.speaking) = (0, 0, false);
                });
                store.said.set(text);
            },
            SPEAK_AFTER,
        );
    }

    /// Says something at once.
    pub fn say(&self, text: impl Into<String>) {
        self.said.set(text.into());
    }

    /// Takes the server's clock; the page's clock runs by it.
    pub fn set_clock(&self, now: Moment) {
        self.quiet.update_value(|quiet| quiet.skew_ms = now.0 - browser::now_ms());
        self.tick();
    }

    /// Moves the page's clock on.
    pub fn tick(&self) {
        let skew = self.quiet.with_value(|quiet| quiet.skew_ms);
        self.now.set(Moment(browser::now_ms() + skew));
    }

    /// Takes what the line says about itself.
    pub fn set_status(&self, status: Status) {
        let lost = match status {
            Status::Live(_) | Status::Starting => None,
            Status::Retrying { .. } | Status::Off { .. } => Some(self.lost_at.get_untracked().unwrap_or_else(|| self.now.get_untracked())),
        };
        self.replace(&self.lost_at, lost);
        self.replace(&self.line, status);
    }

    /// Reads everything as it is looked at now.
    pub async fn read_all(self) -> Result<(Snapshot, Asked), Problem> {
        let edges = self.look.with_untracked(|look| look.view == View::Graph);
        let query = BoardQuery { filter: self.filter_text(), edges, ..Default::default() };
        let (open, asked) = (self.open_id.get_untracked(), self.asking());
        let snapshot = match self.port()?.0.snapshot(query.clone(), open.clone()).await {
            Err(problem) if open.is_some() && problem.code == contracts::Code::NotFound => self.port()?.0.snapshot(query, None).await?,
            other => other?,
        };
        Ok((snapshot, asked))
    }

    /// What was read takes the place of all that was known: the line begins again from there.
    pub fn begin_anew(self, (snapshot, asked): (Snapshot, Asked)) -> (i64, String) {
        let at = (snapshot.seq, snapshot.epoch.clone());
        self.take_in(snapshot, asked, true);
        at
    }

    /// Reads everything, unless the line brings as much meanwhile.
    pub async fn catch_up(self) -> Result<(), Problem> {
        let (snapshot, asked) = self.read_all().await?;
        // Another database is the line's to find: it begins anew there.
        if self.epoch.with_untracked(|epoch| *epoch == snapshot.epoch) && snapshot.seq > self.seq.get_untracked() {
            self.take_in(snapshot, asked, false);
        }
        Ok(())
    }

    /// Scroll, focus and drafts stay because what did not change keeps its nodes.
    fn take_in(self, snapshot: Snapshot, asked: Asked, anew: bool) {
        let focused = browser::focused_card();
        self.set_clock(snapshot.now);
        self.fill(snapshot, asked, anew);
        if let Some(id) = focused {
            refocus(id);
        }
    }
}

/// Gives the focus back to a card that moved to another column.
fn refocus(id: String) {
    request_animation_frame(move || {
        if browser::focused_card().is_none() {
            browser::focus(&format!("card-{id}"));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_changes_are_one_sentence() {
        assert_eq!(spoken(0, 0), "");
        assert_eq!(spoken(3, 1), "1 task asks for you. 3\u{a0}tasks moved.");
    }
}
