//! What a report holds: the seven sections, and the views over the same events.

use super::window::Window;
use crate::facts::Counters;
use crate::task::Task;
use contracts::report::{ReportKind, ReportStamp};
use contracts::standing::{Standing, Status};
use contracts::{Actor, Moment, TaskId};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::{BTreeMap, BTreeSet};

/// One of the seven places a task has in a report, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Done inside the window.
    Closed,
    /// Given up inside the window.
    Cancelled,
    /// Nothing goes on until a person acts.
    Needs,
    /// Worked on, or touched inside the window.
    Motion,
    /// New, and not begun.
    Opened,
    /// Older, and waits for something.
    Waiting,
    /// Older, and nobody began.
    Ready,
}

impl Section {
    /// All seven.
    pub const ALL: [Section; 7] = [Section::Closed, Section::Cancelled, Section::Needs, Section::Motion, Section::Opened, Section::Waiting, Section::Ready];

    /// Its name in an address.
    pub fn key(self) -> &'static str {
        match self {
            Section::Closed => "closed",
            Section::Cancelled => "cancelled",
            Section::Needs => "needs",
            Section::Motion => "motion",
            Section::Opened => "opened",
            Section::Waiting => "waiting",
            Section::Ready => "ready",
        }
    }

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Section::Closed => "Closed",
            Section::Cancelled => "Cancelled",
            Section::Needs => "Needs a person",
            Section::Motion => "In motion",
            Section::Opened => "Opened",
            Section::Waiting => "Waiting",
            Section::Ready => "Ready, not started",
        }
    }

    /// So many of it, in the first line.
    pub fn counted(self, count: usize) -> String {
        match self {
            Section::Closed => format!("{count} closed"),
            Section::Cancelled => format!("{count} cancelled"),
            Section::Needs if count == 1 => "1 needs a person".to_owned(),
            Section::Needs => format!("{count} need a person"),
            Section::Motion => format!("{count} in motion"),
            Section::Opened => format!("{count} opened"),
            Section::Waiting => format!("{count} waiting"),
            Section::Ready => format!("{count} ready"),
        }
    }
}

/// Where a task belongs; none when it was closed before the window. The first rule that fits.
pub(super) fn section_of(task: &Task, standing: Standing, is_stirred: bool, window: &Window) -> Option<Section> {
    let ended_inside = task.closed.as_ref().is_some_and(|closed| window.holds(closed.at));
    match task.status {
        Status::Done => return ended_inside.then_some(Section::Closed),
        Status::Cancelled => return ended_inside.then_some(Section::Cancelled),
        Status::Open => {}
    }
    Some(match standing {
        Standing::NeedsYou | Standing::InReview => Section::Needs,
        Standing::Working | Standing::Waiting | Standing::Changes | Standing::Stalled => Section::Motion,
        _ if is_stirred => Section::Motion,
        _ if window.holds(task.created_at) => Section::Opened,
        Standing::Blocked | Standing::Held => Section::Waiting,
        _ => Section::Ready,
    })
}

/// Something that somebody said, or that happened to the work, with words.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// When.
    pub at: Moment,
    /// Who.
    pub actor: Actor,
    /// What kind of thing, in words: `commented`, `asks`.
    pub words: String,
    /// The words themselves.
    pub text: String,
    /// A verdict on a submission.
    pub is_verdict: bool,
}

/// What happened to a task inside the window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stir {
    /// It was claimed, submitted, released or committed to.
    pub is_stirred: bool,
    /// Commits bound that still count.
    pub commits: u32,
    /// Lines they add.
    pub added: i64,
    /// Lines they take away.
    pub deleted: i64,
    /// Who did anything to it.
    pub actors: BTreeSet<Actor>,
    /// When the last of it was.
    pub last: Moment,
}

/// A task in a section.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// As it was at the end.
    pub task: Task,
    /// What its neighbours made of it then.
    pub counters: Counters,
    /// How it stood then.
    pub standing: Standing,
    /// Open tasks it waited for, and its open subtasks.
    pub waits_on: Vec<TaskId>,
    /// Open tasks that waited for it.
    pub blocking: Vec<TaskId>,
    /// How long it was held in all, milliseconds.
    pub held_ms: i64,
    /// All that was said, in order: before the window too where the task was closed in it.
    pub said: Vec<Said>,
    /// Inside the window.
    pub stir: Stir,
}

/// A task's part of the conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Talk {
    /// Which task; none for messages about the project.
    pub task: Option<TaskId>,
    /// Its title.
    pub title: String,
    /// In order.
    pub said: Vec<Said>,
    /// Whether its entry above holds all of this.
    pub is_above: bool,
}

/// What one actor did inside the window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Deeds {
    /// Tasks with any event of theirs.
    pub tasks: BTreeSet<TaskId>,
    /// Tasks they closed, as it stood at the end.
    pub closed: i64,
    /// Commits bound that still count.
    pub commits: i64,
    /// Lines they add.
    pub added: i64,
    /// Lines they take away.
    pub deleted: i64,
    /// Comments, messages, questions and answers.
    pub comments: i64,
    /// Events by kind.
    pub kinds: BTreeMap<String, i64>,
}

/// Something that was set right, or still has to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Correction {
    /// When.
    pub at: Moment,
    /// Which task.
    pub task: TaskId,
    /// Its title.
    pub title: String,
    /// Who.
    pub actor: Actor,
    /// What, in words.
    pub words: String,
    /// Their words.
    pub text: String,
}

/// One day in numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Tasks closed.
    pub closed: i64,
    /// From creation to close of each of them, seconds.
    pub lead_s: Vec<i64>,
    /// Commits bound that still count.
    pub commits: i64,
    /// Lines they add.
    pub added: i64,
    /// Lines they take away.
    pub deleted: i64,
    /// Agents that did anything.
    pub agents: BTreeSet<Actor>,
}

/// The facts of a window.
#[derive(Clone, Debug)]
pub struct Report {
    /// Which part of time.
    pub window: Window,
    /// First instant of it: of the first event, where the window has no beginning.
    pub from: Moment,
    /// The zone its days are cut in.
    pub zone: TimeZone,
    /// The zone's name.
    pub zone_name: String,
    /// Events before `as_of`, but for those about reports.
    pub events: i64,
    /// First 16 digits of SHA-256 over their ids, sorted, one a line.
    pub sum: String,
    /// Events inside the window.
    pub inside: i64,
    /// The seven sections; an absent one is empty.
    pub sections: BTreeMap<Section, Vec<Entry>>,
    /// What was said inside the window, by task, the newest first.
    pub talk: Vec<Talk>,
    /// By actor, who touched most tasks first.
    pub actors: Vec<(Actor, Deeds)>,
    /// In order.
    pub corrections: Vec<Correction>,
    /// By day; days without anything are absent.
    pub days: BTreeMap<Date, Figures>,
    /// Titles of the tasks that entries name.
    pub titles: BTreeMap<TaskId, String>,
}

impl Report {
    /// The entries of a section.
    pub fn entries(&self, section: Section) -> &[Entry] {
        self.sections.get(&section).map(Vec::as_slice).unwrap_or_default()
    }

    /// What it was made of; none where no file is kept.
    pub fn stamp(&self, generated: Moment) -> Option<ReportStamp> {
        let Window { kind, label, to, as_of, .. } = &self.window;
        // A report of everything ends when it was made: its window goes on, so that what comes later leaves it behind.
        Some(ReportStamp {
            kind: *kind,
            label: label.clone()?,
            zone: self.zone_name.clone(),
            from: self.from,
            to: if *kind == ReportKind::All { FOREVER } else { *to },
            as_of: *as_of,
            events: self.events,
            sum: self.sum.clone(),
            generated,
        })
    }
}

/// The end of a window that has none: 9999-12-31T23:59:59.999Z.
const FOREVER: Moment = Moment(253_402_300_799_999);
