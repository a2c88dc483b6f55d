//! The live board of a page: one signal a card, one list of ids a column. A change touches the card it is about and nothing else.
//!
//! Made from a [`Snapshot`] on the server and in the browser alike; after that only [`Store::apply`] and the answers to this page's
//! own acts change it.

mod acts;
mod cards;
mod inbox;
mod live;
mod many;
mod project;
mod unread;

use crate::lanes;
use crate::live::Status;
use crate::look::{Group, Look, View};
use crate::narrated::Told;
use crate::order;
use crate::port::Port;
use crate::tabs::{Shown, Spot};
use contracts::standing::Column;
use contracts::view::{ActorRow, ConflictRow, Counts, Entry, InboxItem, Me, MilestoneView, ProjectView, Quarantine, RefusedForm, Snapshot, TaskCard, TaskView};
use contracts::{MilestoneId, Moment, Offsets, Problem, TaskId};
use filter::{Around, Card, Fault, Filter};
use leptos::prelude::*;
use std::collections::{BTreeSet, HashMap};

pub use acts::Giving;
pub use cards::Asked;
pub use many::Undo;

/// One card: what it shows, and what is happening to it here.
#[derive(Clone)]
pub struct CardStore {
    /// The card.
    pub card: ArcRwSignal<TaskCard>,
    /// Just changed by somebody else.
    pub changed: ArcRwSignal<bool>,
    /// An act of this page is under way.
    pub busy: ArcRwSignal<bool>,
    /// What this page's last act on it was refused with.
    pub problem: ArcRwSignal<Option<Problem>>,
    age: cards::Age,
}

impl CardStore {
    fn new(card: TaskCard, age: cards::Age) -> CardStore {
        CardStore { card: ArcRwSignal::new(card), changed: ArcRwSignal::new(false), busy: ArcRwSignal::new(false), problem: ArcRwSignal::new(None), age }
    }
}

/// One column: which cards, in order, and what is not loaded.
#[derive(Clone, Copy)]
pub struct ColumnStore {
    /// The cards that are loaded, in order.
    pub ids: RwSignal<Vec<TaskId>>,
    /// Tasks that pass the filter.
    pub total: RwSignal<i64>,
    /// Where to go on.
    pub next: RwSignal<Option<String>>,
}

/// Something others did that concerns the reader.
#[derive(Clone, Debug, PartialEq)]
pub struct Toast {
    /// The line.
    pub entry: Entry,
}

/// Everything a page shows, as signals.
#[derive(Clone, Copy)]
pub struct Store {
    /// Position of the log.
    pub seq: RwSignal<i64>,
    /// The database's.
    pub epoch: RwSignal<String>,
    /// Build of the server that rendered the page.
    pub version: RwSignal<String>,
    /// The one clock of the page.
    pub now: RwSignal<Moment>,
    /// The project.
    pub project: RwSignal<ProjectView>,
    /// The reader.
    pub me: RwSignal<Me>,
    /// How many stand where, over all tasks.
    pub counts: RwSignal<Counts>,
    /// All milestones.
    pub milestones: RwSignal<Vec<MilestoneView>>,
    /// Who is there.
    pub actors: RwSignal<Vec<ActorRow>>,
    /// Open conflicts.
    pub conflicts: RwSignal<Vec<ConflictRow>>,
    /// Lines of the log that could not be used.
    pub quarantine: RwSignal<Quarantine>,
    /// The reader's inbox, newest first.
    pub inbox: RwSignal<Vec<InboxItem>>,
    /// How many are unread, here or not.
    pub unread: RwSignal<i64>,
    /// Snippets for connecting agents.
    pub connect: RwSignal<Vec<(String, String)>>,
    /// The refused form this page answers.
    pub refusal: RwSignal<Option<RefusedForm>>,
    /// The five columns.
    pub columns: [ColumnStore; 5],
    /// How the board is looked at, as the address says.
    pub look: RwSignal<Look>,
    /// The filter that is on; what is typed and can't be read leaves it as it was.
    pub filter: RwSignal<Option<Filter>>,
    /// What waits for what among the open cards that are loaded; read for the graph alone.
    pub edges: RwSignal<Vec<(TaskId, TaskId)>>,
    /// The looks that were kept for the project: name and address.
    pub views: RwSignal<Vec<(String, String)>>,
    /// Why a look was not kept.
    pub view_problem: RwSignal<Option<Problem>>,
    /// The way back from the last act on many.
    pub undo: RwSignal<Option<Undo>>,
    /// What is wrong with what was typed.
    pub faults: RwSignal<Vec<Fault>>,
    /// What a task may be.
    pub types: RwSignal<Vec<String>>,
    /// Tasks being worked on at once above which the board warns.
    pub wip_max: RwSignal<Option<i64>>,
    /// The open card.
    pub open: RwSignal<Option<TaskView>>,
    /// Which card is open or being opened.
    pub open_id: RwSignal<Option<TaskId>>,
    /// Why it could not be opened.
    pub open_problem: RwSignal<Option<Problem>>,
    /// Its thread, with the older pages that were asked for.
    pub thread: RwSignal<Vec<Entry>>,
    /// Where the thread goes on.
    pub thread_next: RwSignal<Option<String>>,
    /// The thread is an older page alone, as an address asked for; newer entries are not here.
    pub thread_partial: RwSignal<bool>,
    /// Where on the open card the reader is.
    pub spot: RwSignal<Spot>,
    /// What that part shows beyond the task itself.
    pub shown: RwSignal<Shown>,
    /// The report that is shown: what is narrated about it is heard.
    pub watched: RwSignal<Option<String>>,
    /// What was told of its narration.
    pub told: RwSignal<Told>,
    /// The line to the server.
    pub line: RwSignal<Status>,
    /// Since when it is lost.
    pub lost_at: RwSignal<Option<Moment>>,
    /// Counts the changes that came.
    pub pulse: RwSignal<u32>,
    /// The server is another build.
    pub other_version: RwSignal<bool>,
    /// Somebody pressed "Try now".
    pub try_now: RwSignal<u32>,
    /// At most four.
    pub toasts: RwSignal<Vec<Toast>>,
    /// What the polite live region says.
    pub said: RwSignal<String>,
    /// The reader last saw the open card's thread up to here.
    pub new_since: RwSignal<Option<Moment>>,
    seen: RwSignal<Option<unread::Seen>>,
    cards: StoredValue<HashMap<TaskId, CardStore>>,
    ages: StoredValue<cards::Ages>,
    port: StoredValue<Option<Port>>,
    quiet: StoredValue<live::Quiet>,
    /// Counts the drawings of each column.
    turns: StoredValue<[u32; 5]>,
}

impl Store {
    /// The store of a page.
    pub fn new(snapshot: Snapshot, look: Look, port: Option<Port>) -> Store {
        let column = || ColumnStore { ids: RwSignal::new(Vec::new()), total: RwSignal::new(0), next: RwSignal::new(None) };
        let (filter, faults) = match filter::typed(&look.q) {
            Ok(filter) => (filter, Vec::new()),
            Err(faults) => (None, faults),
        };
        let store = Store {
            seq: RwSignal::new(snapshot.seq),
            epoch: RwSignal::new(snapshot.epoch.clone()),
            version: RwSignal::new(snapshot.version.clone()),
            now: RwSignal::new(snapshot.now),
            project: RwSignal::new(snapshot.project.clone()),
            me: RwSignal::new(snapshot.me.clone()),
            counts: RwSignal::new(Counts::default()),
            milestones: RwSignal::new(Vec::new()),
            actors: RwSignal::new(Vec::new()),
            conflicts: RwSignal::new(Vec::new()),
            quarantine: RwSignal::new(Quarantine::default()),
            inbox: RwSignal::new(Vec::new()),
            unread: RwSignal::new(0),
            connect: RwSignal::new(snapshot.connect.clone()),
            refusal: RwSignal::new(snapshot.refusal.clone()),
            columns: std::array::from_fn(|_| column()),
            filter: RwSignal::new(filter),
            edges: RwSignal::new(Vec::new()),
            views: RwSignal::new(Vec::new()),
            view_problem: RwSignal::new(None),
            undo: RwSignal::new(None),
            faults: RwSignal::new(faults),
            look: RwSignal::new(look),
            types: RwSignal::new(Vec::new()),
            wip_max: RwSignal::new(None),
            open: RwSignal::new(None),
            open_id: RwSignal::new(None),
            open_problem: RwSignal::new(None),
            thread: RwSignal::new(Vec::new()),
            thread_next: RwSignal::new(None),
            thread_partial: RwSignal::new(false),
            spot: RwSignal::new(Spot::default()),
            shown: RwSignal::new(Shown::Nothing),
            watched: RwSignal::new(None),
            told: RwSignal::new(Told::default()),
            line: RwSignal::new(Status::Starting),
            lost_at: RwSignal::new(None),
            pulse: RwSignal::new(0),
            other_version: RwSignal::new(false),
            try_now: RwSignal::new(0),
            toasts: RwSignal::new(Vec::new()),
            said: RwSignal::new(String::new()),
            new_since: RwSignal::new(None),
            seen: RwSignal::new(None),
            cards: StoredValue::new(HashMap::new()),
            ages: StoredValue::new(cards::Ages::default()),
            port: StoredValue::new(port),
            quiet: StoredValue::new(live::Quiet::default()),
            turns: StoredValue::new([0; 5]),
        };
        store.fill(snapshot, store.asking(), false);
        store
    }

    /// Puts a snapshot in the place of what is here; what did not change keeps its nodes. With `anew` nothing that was known counts any more.
    fn fill(&self, snapshot: Snapshot, asked: Asked, anew: bool) {
        let asked = self.begins(snapshot.seq, asked, anew);
        self.seq.set(snapshot.seq);
        self.epoch.set(snapshot.epoch);
        self.configured(snapshot.project, &snapshot.settings);
        self.replace(&self.me, snapshot.me);
        self.replace(&self.milestones, snapshot.milestones);
        self.replace(&self.actors, snapshot.actors);
        self.replace(&self.conflicts, snapshot.conflicts);
        self.replace(&self.quarantine, snapshot.quarantine);
        self.replace(&self.unread, snapshot.unread);
        self.replace(&self.inbox, snapshot.inbox);
        self.fill_board(snapshot.board, asked, |place, ids| self.replace(&self.columns[place].ids, ids));
        if let Some(task) = snapshot.task {
            self.show(*task, asked);
        }
    }

    fn replace<T: PartialEq + Send + Sync + 'static>(&self, signal: &RwSignal<T>, value: T) {
        if signal.with_untracked(|old| *old != value) {
            signal.set(value);
        }
    }

    /// Closes the open card.
    pub fn close(&self) {
        self.open_id.set(None);
        self.open.set(None);
        self.open_problem.set(None);
        self.thread.set(Vec::new());
    }

    /// The tint of a milestone. By its place in the order of their making, so that the first six differ and none changes later.
    pub fn milestone_hue(&self, id: &MilestoneId) -> Option<u32> {
        self.milestones.with(|all| {
            let made = |milestone: &MilestoneView| (milestone.created_at, milestone.id.clone());
            let own = made(all.iter().find(|each| each.id == *id)?);
            let before = all.iter().filter(|each| made(each) < own).count();
            Some(u32::try_from(before % 6).unwrap_or(0) + 1)
        })
    }

    /// The column a screen that shows one at a time opens on: where a person is needed, else where something goes on.
    pub fn first_column(&self) -> Column {
        let any = |column: &Column| self.columns[order::place(*column)].ids.with_untracked(|ids| !ids.is_empty());
        [Column::NeedsYou, Column::Working, Column::Ready].into_iter().find(any).unwrap_or(Column::Backlog)
    }

    /// A card by its task.
    pub fn card(&self, id: &TaskId) -> Option<CardStore> {
        self.cards.with_value(|cards| cards.get(id).cloned())
    }

    /// The board behind the page.
    pub fn port(&self) -> Result<Port, Problem> {
        self.port.get_value().ok_or_else(crate::port::unreachable)
    }

    /// The address's parameters, to go on looking at the board so.
    pub fn query(&self) -> String {
        self.look.with(Look::query)
    }

    /// The same, without following it.
    pub fn query_now(&self) -> String {
        self.look.with_untracked(Look::query)
    }

    /// The filter as the server reads it; empty when none is on.
    pub fn filter_text(&self) -> String {
        self.filter.with_untracked(|filter| filter.as_ref().map(Filter::to_string).unwrap_or_default())
    }

    /// Whether a card passes the filter.
    pub fn fits(&self, card: &TaskCard) -> bool {
        self.filter.with_untracked(|filter| {
            let Some(filter) = filter else { return true };
            let around = Around { now: self.now.get_untracked(), me: self.me.with_untracked(|me| me.actor.clone()), clock: self.clock() };
            self.milestones.with_untracked(|milestones| filter.matches(&Card { card, milestones }, &around))
        })
    }

    /// The cards that are loaded and shown, column by column.
    pub fn loaded(&self) -> Vec<TaskCard> {
        let ids = self.columns.iter().flat_map(|column| column.ids.get());
        ids.filter_map(|id| self.card(&id)).map(|card| card.card.get()).collect()
    }

    /// The labels of the cards that are shown, each once.
    pub fn labels(&self) -> BTreeSet<String> {
        let mut labels = BTreeSet::new();
        for id in self.columns.iter().flat_map(|column| column.ids.get()) {
            if let Some(card) = self.card(&id) {
                card.card.with(|card| labels.extend(card.labels.iter().filter(|label| !labels.contains(*label)).cloned().collect::<Vec<_>>()));
            }
        }
        labels
    }

    /// The rows of ids that stand side by side, as they are looked at now.
    pub fn rows(&self) -> Vec<Vec<TaskId>> {
        let look = self.look.get();
        match (look.view, look.group) {
            (View::Columns, Group::Standing) => self.columns.iter().map(|column| column.ids.get()).collect(),
            (View::Columns, group) => {
                self.milestones.with(|milestones| lanes::lanes(group, &self.loaded(), milestones)).into_iter().map(|lane| lane.ids).collect()
            }
            _ => vec![self.milestones.with(|milestones| lanes::rows(&look, &self.loaded(), milestones))],
        }
    }

    /// The same, without following it.
    pub fn rows_now(&self) -> Vec<Vec<TaskId>> {
        untrack(|| self.rows())
    }

    /// The project's wall clock.
    pub fn clock(&self) -> Offsets {
        self.project.with_untracked(ProjectView::clock)
    }

    /// Tasks of a column that pass the filter.
    pub fn total(&self, column: Column) -> i64 {
        if self.filter.with(Option::is_none) { self.counts.with(|counts| counts.column(column)) } else { self.columns[order::place(column)].total.get() }
    }

    /// Tasks of a column that the filter hides.
    pub fn hidden(&self, column: Column) -> i64 {
        (self.counts.with(|counts| counts.column(column)) - self.total(column)).max(0)
    }

    /// Whether what is shown is what is so.
    pub fn live(&self) -> bool {
        !matches!(self.line.get(), Status::Off { .. })
    }
}
