//! Gathering the facts of a window: one subject's events at a time, so that a long log is never held whole.

use super::section::{Correction, Deeds, Entry, Figures, Report, Said, Section, Stir, Talk, section_of};
use super::window::{Window, date_of};
use crate::entries::{entry, is_thread};
use crate::event::{Event, Kind, PROJECT};
use crate::facts::Counters;
use crate::fold::{apply_task, in_order};
use crate::graph::Edges;
use crate::standing::{published, rest};
use crate::task::{Claim, EdgeChange, Task};
use contracts::report::ReportKind;
use contracts::standing::{Status, Via};
use contracts::{Actor, Moment, TaskId};
use jiff::tz::TimeZone;
use sha2::{Digest, Sha256};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

/// The facts of one window, as far as they were told.
#[derive(Debug)]
pub struct Gather {
    window: Window,
    zone: TimeZone,
    zone_name: String,
    ids: Vec<u128>,
    first: Option<Moment>,
    inside: i64,
    known: HashMap<TaskId, Known>,
    kept: Vec<Kept>,
    edges: Vec<EdgeChange>,
    said: Vec<Said>,
    actors: BTreeMap<Actor, Deeds>,
    corrections: Vec<Correction>,
    days: BTreeMap<jiff::civil::Date, Figures>,
}

/// What is known of every task, also of those the report leaves out.
#[derive(Debug)]
struct Known {
    title: String,
    status: Status,
}

/// A task that may have a place in the report.
#[derive(Debug)]
struct Kept {
    task: Task,
    held_ms: i64,
    said: Vec<Said>,
    stir: Stir,
}

/// A commit bound inside the window.
struct Bound {
    sha: String,
    by: Actor,
    at: Moment,
    added: i64,
    deleted: i64,
}

impl Gather {
    /// Nothing told yet.
    pub fn new(window: Window, zone: TimeZone, zone_name: &str) -> Gather {
        Gather {
            window,
            zone,
            zone_name: zone_name.to_owned(),
            ids: Vec::new(),
            first: None,
            inside: 0,
            known: HashMap::new(),
            kept: Vec::new(),
            edges: Vec::new(),
            said: Vec::new(),
            actors: BTreeMap::new(),
            corrections: Vec::new(),
            days: BTreeMap::new(),
        }
    }

    /// All events of one subject, in any order. Those at or after the window's `as_of` are left aside.
    pub fn subject(&mut self, mut events: Vec<Event>) {
        events.retain(|event| event.at.moment < self.window.as_of);
        in_order(&mut events);
        for event in &events {
            self.count(event);
        }
        let Some(subject) = events.first().map(|event| event.subject.clone()) else { return };
        if TaskId::parse(&subject).is_ok() {
            self.task(&events);
        } else if subject == PROJECT {
            let inside = events.iter().filter(|event| self.window.holds(event.at.moment) && event.kind == Kind::MessageSent);
            self.said.extend(inside.filter_map(said));
        }
    }

    /// What holds for events of every subject.
    fn count(&mut self, event: &Event) {
        if is_about_reports(&event.kind) {
            return;
        }
        self.ids.push(bits(event));
        let at = event.at.moment;
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        if !self.window.holds(at) {
            return;
        }
        self.inside += 1;
        let deeds = self.actors.entry(event.actor.clone()).or_default();
        if let Some(count) = deeds.kinds.get_mut(event.kind.as_str()) {
            *count += 1;
        } else {
            deeds.kinds.insert(event.kind.as_str().to_owned(), 1);
        }
        deeds.comments += i64::from(is_speech(&event.kind));
        if event.actor.is_agent() {
            self.days.entry(date_of(at, &self.zone)).or_default().agents.insert(event.actor.clone());
        }
    }

    fn task(&mut self, events: &[Event]) {
        let mut state: Option<Task> = None;
        let (mut held_ms, mut all_said, mut stir, mut bound) = (0, Vec::new(), Stir::default(), Vec::new());
        let mut corrections = Vec::new();
        for event in events {
            let before = state.as_ref().and_then(|task| task.claim.clone());
            let effect = apply_task(&mut state, event);
            let now = state.as_ref().and_then(|task| task.claim.as_ref());
            if let Some(claim) = before.filter(|claim| now.is_none_or(|now| now.event != claim.event)) {
                held_ms += held(&claim, event);
            }
            if !effect.waits {
                all_said.extend(said(event));
            }
            if !self.window.holds(event.at.moment) {
                continue;
            }
            stir.actors.insert(event.actor.clone());
            stir.last = event.at.moment;
            stir.is_stirred |= effect.applied && stirs(&event.kind);
            if event.kind == Kind::CommitBound && effect.applied {
                bound.push(bound_by(event));
            }
            corrections.extend(corrected(event, effect.conflict).map(|words| (event, words)));
        }
        let Some(mut task) = state else { return };
        if let Some(claim) = &task.claim {
            held_ms += ms(claim.at, claim.expires.min(self.window.as_of));
        }
        bound.retain(|commit| task.commits.iter().any(|known| known.sha == commit.sha && known.superseded.is_none()));
        self.tell(&task, &bound, &mut stir);
        let correction = |(event, words): (&Event, String)| Correction {
            at: event.at.moment,
            task: task.id.clone(),
            title: task.title.clone(),
            actor: event.actor.clone(),
            words,
            text: event.text("note").to_owned(),
        };
        self.corrections.extend(corrections.into_iter().map(correction));
        self.edges.append(&mut task.edges);
        self.known.insert(task.id.clone(), Known { title: task.title.clone(), status: task.status });
        let is_closed = task.status != Status::Open;
        let ended_inside = task.closed.as_ref().is_some_and(|closed| self.window.holds(closed.at));
        if !ended_inside {
            // What was said before only matters beside a close.
            all_said.retain(|said| self.window.holds(said.at));
        }
        if !is_closed || ended_inside || !all_said.is_empty() {
            self.kept.push(Kept { task, held_ms, said: all_said, stir });
        }
    }

    /// What a task adds to its actors' deeds and to its days.
    fn tell(&mut self, task: &Task, bound: &[Bound], stir: &mut Stir) {
        for actor in &stir.actors {
            self.actors.entry(actor.clone()).or_default().tasks.insert(task.id.clone());
        }
        let mut shas = BTreeSet::new();
        for commit in bound.iter().filter(|commit| shas.insert(&commit.sha)) {
            stir.commits += 1;
            stir.added += commit.added;
            stir.deleted += commit.deleted;
            let deeds = self.actors.entry(commit.by.clone()).or_default();
            (deeds.commits, deeds.added, deeds.deleted) = (deeds.commits + 1, deeds.added + commit.added, deeds.deleted + commit.deleted);
            let day = self.days.entry(date_of(commit.at, &self.zone)).or_default();
            (day.commits, day.added, day.deleted) = (day.commits + 1, day.added + commit.added, day.deleted + commit.deleted);
        }
        if let Some(closed) = task.closed.as_ref().filter(|closed| task.status == Status::Done && self.window.holds(closed.at)) {
            self.actors.entry(closed.by.clone()).or_default().closed += 1;
            let day = self.days.entry(date_of(closed.at, &self.zone)).or_default();
            day.closed += 1;
            day.lead_s.push(closed.at.seconds_since(task.created_at));
        }
    }

    /// The facts, when every subject was told.
    pub fn finish(mut self) -> Report {
        let links = self.links();
        let mut sections: BTreeMap<Section, Vec<Entry>> = BTreeMap::new();
        let (mut talk, mut titles) = (Vec::new(), BTreeMap::new());
        for kept in std::mem::take(&mut self.kept) {
            let linked = links.get(&kept.task.id).cloned().unwrap_or_default();
            let standing = published(rest(&kept.task, &linked.counters), &kept.task, self.window.as_of);
            let section = section_of(&kept.task, standing, kept.stir.is_stirred, &self.window);
            if !self.concerns(&kept) {
                continue;
            }
            let mut inside: Vec<Said> = kept.said.iter().filter(|said| self.window.holds(said.at)).cloned().collect();
            inside.retain(|said| self.window.by.as_ref().is_none_or(|by| *by == said.actor));
            if !inside.is_empty() {
                let is_above = matches!(section, Some(Section::Closed | Section::Cancelled));
                talk.push(Talk { task: Some(kept.task.id.clone()), title: kept.task.title.clone(), said: inside, is_above });
            }
            let Some(section) = section else { continue };
            for named in linked.waits_on.iter().chain(&linked.blocking) {
                if let Some(known) = self.known.get(named) {
                    titles.insert(named.clone(), known.title.clone());
                }
            }
            let Kept { task, held_ms, said, stir } = kept;
            let Links { counters, waits_on, blocking } = linked;
            sections.entry(section).or_default().push(Entry { task, counters, standing, waits_on, blocking, held_ms, said, stir });
        }
        for (section, entries) in &mut sections {
            in_section_order(*section, entries);
        }
        self.said.retain(|said| self.window.by.as_ref().is_none_or(|by| *by == said.actor));
        if !self.said.is_empty() {
            talk.push(Talk { task: None, title: "the project".to_owned(), said: std::mem::take(&mut self.said), is_above: false });
        }
        // The newest task first; what is about the project comes last.
        talk.sort_by_key(|talk| (talk.task.is_none(), Reverse(talk.said.last().map(|said| said.at)), talk.task.clone()));
        self.corrections.sort_by(|a, b| (a.at, &a.task, &a.words).cmp(&(b.at, &b.task, &b.words)));
        let by = self.window.by.clone();
        let mut actors: Vec<(Actor, Deeds)> = self.actors.into_iter().filter(|(actor, _)| by.as_ref().is_none_or(|by| by == actor)).collect();
        actors.sort_by_key(|(actor, deeds)| (Reverse(deeds.tasks.len()), Reverse(deeds.commits), actor.clone()));
        let from = self.window.from.or(self.first).unwrap_or(self.window.as_of);
        let events = i64::try_from(self.ids.len()).unwrap_or(i64::MAX);
        Report {
            from,
            zone: self.zone,
            zone_name: self.zone_name,
            events,
            sum: sum_of(self.ids),
            inside: self.inside,
            sections,
            talk,
            actors,
            corrections: self.corrections,
            days: self.days,
            titles,
            window: self.window,
        }
    }

    /// Whether a task has to do with the one actor a report may be about.
    fn concerns(&self, kept: &Kept) -> bool {
        let Some(by) = &self.window.by else { return true };
        let holds = kept.task.claim.as_ref().is_some_and(|claim| claim.actor == *by);
        holds || kept.task.assignee.as_ref() == Some(by) || kept.stir.actors.contains(by)
    }

    /// What its neighbours make of each task.
    fn links(&mut self) -> HashMap<TaskId, Links> {
        self.edges.sort_by(|a, b| a.order.cmp(&b.order));
        let mut edges = Edges::new();
        std::mem::take(&mut self.edges).iter().for_each(|change| edges.push(change));
        let status = |id: &TaskId| self.known.get(id).map(|known| known.status);
        let mut links: HashMap<TaskId, Links> = HashMap::new();
        let mut joined: BTreeSet<(&TaskId, &TaskId)> = BTreeSet::new();
        for edge in edges.rows() {
            let is_parent = edge.via == Via::Parent;
            let target = status(&edge.on);
            let of_task = links.entry(edge.task.clone()).or_default();
            of_task.counters.edges_inert += u32::from(edge.inert);
            let is_open = !edge.inert && if is_parent { target == Some(Status::Open) } else { matches!(target, None | Some(Status::Open)) };
            if is_parent {
                of_task.counters.children += 1;
                of_task.counters.children_open += u32::from(is_open);
            }
            if edge.inert || !joined.insert((&edge.task, &edge.on)) {
                continue;
            }
            if is_open {
                of_task.waits_on.push(edge.on.clone());
            }
            if is_parent {
                continue;
            }
            of_task.counters.waits_open += u32::from(is_open);
            of_task.counters.waits_cancelled += u32::from(target == Some(Status::Cancelled));
            if status(&edge.task) == Some(Status::Open) {
                let of_target = links.entry(edge.on.clone()).or_default();
                of_target.counters.blocks += 1;
                of_target.blocking.push(edge.task.clone());
            }
        }
        links
    }
}

/// What its neighbours make of a task.
#[derive(Clone, Debug, Default)]
struct Links {
    counters: Counters,
    waits_on: Vec<TaskId>,
    blocking: Vec<TaskId>,
}

/// What ended comes newest first, what goes on by priority and age.
fn in_section_order(section: Section, entries: &mut [Entry]) {
    if matches!(section, Section::Closed | Section::Cancelled) {
        entries.sort_by_key(|entry| (Reverse(entry.task.closed.as_ref().map(|closed| closed.at)), entry.task.id.clone()));
    } else {
        entries.sort_by(|a, b| (a.task.priority, &a.task.created).cmp(&(b.task.priority, &b.task.created)));
    }
}

/// How long a claim lasted that this event ended. Whoever else ended it may have come long after it lapsed.
fn held(claim: &Claim, by: &Event) -> i64 {
    let at = by.at.moment;
    ms(claim.at, if by.actor == claim.actor { at } else { at.min(claim.expires) })
}

fn ms(from: Moment, to: Moment) -> i64 {
    to.0.saturating_sub(from.0).max(0)
}

/// What puts a task in motion.
fn stirs(kind: &Kind) -> bool {
    matches!(kind, Kind::TaskClaimed | Kind::TaskSubmitted | Kind::TaskReleased | Kind::CommitBound)
}

fn is_speech(kind: &Kind) -> bool {
    matches!(kind, Kind::TaskCommented | Kind::MessageSent | Kind::TaskAsked | Kind::TaskAnswered)
}

fn is_about_reports(kind: &Kind) -> bool {
    kind.as_str().starts_with("report.")
}

/// What an event says, when it says something. A closing note is told with its close.
fn said(event: &Event) -> Option<Said> {
    if !is_thread(&event.kind) || matches!(event.kind, Kind::TaskClosed | Kind::TaskCancelled) {
        return None;
    }
    let told = entry(event, 0, "", false);
    let is_verdict = event.kind == Kind::TaskReviewed;
    let speaks = is_verdict || is_speech(&event.kind) || !told.text.trim().is_empty();
    speaks.then_some(Said { at: told.at, actor: told.actor, words: told.words, text: told.text, is_verdict })
}

fn bound_by(event: &Event) -> Bound {
    let number = |key: &str| event.body.get(key).and_then(serde_json::Value::as_i64).unwrap_or(0);
    Bound { sha: event.text("sha").to_owned(), by: event.actor.clone(), at: event.at.moment, added: number("added"), deleted: number("deleted") }
}

/// What was set right, or will have to be.
fn corrected(event: &Event, is_conflict: bool) -> Option<String> {
    let words = || entry(event, 0, "", false).words;
    match event.kind {
        _ if is_conflict => Some(format!("{}, which does not fit: a person settles it", words())),
        Kind::TaskReopened | Kind::CommitSuperseded | Kind::ConflictSettled => Some(words()),
        _ => None,
    }
}

/// An event's id as a number: numbers sort as their texts do.
fn bits(event: &Event) -> u128 {
    u128::from_str_radix(event.id.as_str(), 16).unwrap_or_default()
}

/// First 16 digits of SHA-256 over these ids, sorted, one a line: equal where the events are.
pub fn sum_of(mut ids: Vec<u128>) -> String {
    ids.sort_unstable();
    let mut hash = Sha256::new();
    let mut line = String::with_capacity(33);
    for id in ids {
        line.clear();
        let _ = writeln!(line, "{id:032x}"); // a text takes everything
        hash.update(line.as_bytes());
    }
    hash.finalize().iter().take(8).fold(String::with_capacity(16), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Report {
    /// Whether the window is one of several days, so that what ended is told by date.
    pub(super) fn is_by_date(&self) -> bool {
        matches!(self.window.kind, ReportKind::Range | ReportKind::All)
    }
}
