//! What a line of the old log is here. One pass in order of time, with what is known of each task by then.
//!
//! Invariant: nothing here makes a conflict. What the old board allowed and this one does not (an edit of a closed task, an edge that
//! closes a loop) stays in the history as it was.

mod commit;
mod milestone;

use super::line::Line;
use crate::import::Board;
use crate::import::facts::{Facts, actor, milestone_id, object, refers_to, task_id};
use contracts::{Actor, BlockerId, MilestoneId, Moment, TaskId, limits};
use engine::Kind;
use engine::event::PROJECT;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// How long a claim of the old board is published for, seconds: nothing imported is held.
const CLAIM_SECONDS: i64 = 900;
/// Statuses that are derived here.
const DERIVED: [&str; 6] = ["ready", "claimed", "in_progress", "backlog", "doing", "stalled"];

/// What is known of a task.
#[derive(Debug, Default)]
struct Known {
    created: bool,
    closed: bool,
    fields: Map<String, Value>,
    claim: Option<(Actor, Moment)>,
    claims: i64,
    branch: Option<String>,
    commits: Vec<String>,
    submission: Option<String>,
    blockers: Vec<BlockerId>,
}

struct Mapper {
    facts: Facts,
    tasks: BTreeMap<TaskId, Known>,
    milestones: BTreeMap<MilestoneId, bool>,
    /// Who waits for whom; a parent for its children.
    edges: BTreeMap<TaskId, BTreeSet<TaskId>>,
    inert: Vec<(String, String)>,
}

/// The line being mapped.
struct Now<'a> {
    line: &'a Line,
    at: Moment,
    actor: Actor,
}

impl Now<'_> {
    fn text(&self, key: &str) -> &str {
        self.line.body.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// The note, under whatever name it had.
    fn note(&self) -> &str {
        ["note", "reason", "text", "message", "comment"].into_iter().map(|key| self.text(key)).find(|text| !text.is_empty()).unwrap_or_default()
    }

    fn texts(&self, key: &str) -> Vec<String> {
        texts(self.line.body.get(key))
    }
}

fn texts(value: Option<&Value>) -> Vec<String> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Words every line as facts.
pub fn facts(mut lines: Vec<Line>, board: &mut Board) {
    let mut born: BTreeMap<String, f64> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.kind == "created") {
        let first = born.entry(line.task.clone()).or_insert(line.ts);
        *first = first.min(line.ts);
    }
    // Clocks of several machines: nothing happens to a task before it exists.
    let when = |line: &Line| born.get(&line.task).map_or(line.ts, |born| line.ts.max(*born));
    lines.sort_by(|a, b| when(a).total_cmp(&when(b)).then_with(|| (b.kind == "created").cmp(&(a.kind == "created"))));
    let mut mapper = Mapper { facts: Facts::default(), tasks: BTreeMap::new(), milestones: BTreeMap::new(), edges: BTreeMap::new(), inert: Vec::new() };
    for line in &lines {
        #[allow(clippy::cast_possible_truncation, reason = "seconds below 1e11, as the line was checked")]
        let at = Moment((when(line) * 1000.0).floor() as i64);
        mapper.line(&Now { line, at, actor: actor(&line.actor) });
    }
    let Facts { facts, warnings, skipped, .. } = mapper.facts;
    board.facts = facts;
    board.warnings = warnings;
    board.skipped = skipped;
    board.inert = mapper.inert;
}

impl Mapper {
    fn line(&mut self, now: &Now<'_>) {
        match now.line.kind.as_str() {
            "activity" | "heartbeat" => self.facts.skip("activity of workers, which is not kept here"),
            "milestone" => self.milestone(now),
            "project" | "report" | "context" => self.other(now),
            "created" => self.created(now),
            _ => self.of_task(now),
        }
    }

    /// Adds a fact about the task of the line.
    fn add(&mut self, now: &Now<'_>, kind: Kind, body: Value) -> &mut storage::Fact {
        let subject = task_id(&now.line.task);
        let mut body = object(body);
        if !now.line.verified {
            body.insert("unverified".to_owned(), true.into());
        }
        self.facts.add(now.at, &now.actor, kind, subject.as_str(), &now.line.id, body)
    }

    /// Kept as it was: history without effect.
    fn other(&mut self, now: &Now<'_>) {
        let id = task_id(&now.line.task);
        let subject = if self.tasks.contains_key(&id) { id.as_str().to_owned() } else { PROJECT.to_owned() };
        let mut body = object(json!({"kind": now.line.kind}));
        body.insert("body".to_owned(), Value::Object(now.line.body.clone()));
        self.facts.add(now.at, &now.actor, Kind::ImportOther, &subject, &now.line.id, body);
    }

    fn known(&mut self, now: &Now<'_>) -> &mut Known {
        self.tasks.entry(task_id(&now.line.task)).or_default()
    }

    fn of_task(&mut self, now: &Now<'_>) {
        if !self.known(now).created {
            self.tasks.remove(&task_id(&now.line.task));
            self.facts.skip("about a task that the log does not create");
            return;
        }
        let closed = self.known(now).closed;
        match now.line.kind.as_str() {
            "edited" | "acceptance" | "claimed" | "submitted" | "reviewed" | "handoff" | "blocked" if closed => self.other(now),
            "edited" => self.edited(now),
            "acceptance" => self.field(now, "criteria", now.line.body.get("criteria").cloned().unwrap_or_default()),
            "blocked" => self.waits(now, &task_id(now.text("on"))),
            "unblocked" => self.waits_no_more(now, &task_id(now.text("on"))),
            "claimed" => self.claimed(now),
            "released" => self.released(now),
            "status" => self.status(now, now.text("to")),
            "done" => self.closed(now),
            "submitted" => self.submitted(now),
            "reviewed" => self.reviewed(now),
            "handoff" => self.assigned(now, now.text("assigned_to"), now.line.body.get("dispatched").and_then(Value::as_bool)),
            "comment" => self.said(now, &now.texts("mentions")),
            "message" => self.message(now),
            "commit" => self.commit(now),
            "merged" => {
                let text = format!("merged into {} at {}", now.text("into"), now.text("sha"));
                self.add(now, Kind::TaskCommented, json!({"text": text, "auto": true}));
            }
            _ => self.other(now),
        }
    }

    fn created(&mut self, now: &Now<'_>) {
        let id = task_id(&now.line.task);
        if self.known(now).created {
            self.facts.skip("a task created a second time");
            return;
        }
        if id.as_str() != now.line.task {
            self.facts.warn(format!("the task {:?} is {id} here", now.line.task));
        }
        // The long form has the whole card; the short one its fields.
        let card = now.line.body.get("card").and_then(Value::as_object).unwrap_or(&now.line.body).clone();
        let mut body = Map::new();
        for field in ["title", "spec", "priority", "labels", "milestone", "parent", "files", "criteria", "review", "assignee"] {
            if let Some(value) = card.get(field)
                && let Some(value) = self.fitted(now, field, value)
            {
                body.insert(field.to_owned(), value);
            }
        }
        if !body.contains_key("title") {
            body.insert("title".to_owned(), id.as_str().into());
        }
        if let Some(parent) = body.get("parent").and_then(Value::as_str).map(task_id)
            && !self.link(&parent, &id)
        {
            body.remove("parent");
        }
        let mut after = Vec::new();
        for on in texts(card.get("after")).iter().map(|on| task_id(on)) {
            if self.link(&id, &on) {
                after.push(on);
            }
        }
        body.insert("after".to_owned(), json!(after));
        if body.get("priority") == Some(&json!(2)) {
            body.remove("priority");
        }
        if body.get("review") == Some(&json!(false)) {
            body.remove("review");
        }
        let known = self.known(now);
        known.created = true;
        known.fields = body.clone();
        body.insert("source".to_owned(), json!({"kind": "taskops", "ref": now.line.task}));
        self.add(now, Kind::TaskCreated, Value::Object(body));
        match card.get("status").and_then(Value::as_str) {
            Some("done") => self.closed(now),
            Some("dropped" | "cancelled") => self.status(now, "dropped"),
            _ => {}
        }
    }

    /// A field's value as it may be here; none when it is left out.
    fn fitted(&mut self, now: &Now<'_>, field: &str, value: &Value) -> Option<Value> {
        let of = now.line.task.clone();
        let text = value.as_str().unwrap_or_default();
        let list = texts(Some(value));
        Some(match field {
            "title" => self.facts.title(text, &of).into(),
            "spec" => self.facts.text(text, limits::SPEC_BYTES_MAX, &of).into(),
            "priority" => self.facts.priority(value.as_i64()?, &of).into(),
            "labels" => json!(self.facts.labels(list.iter().map(String::as_str), &of)),
            "milestone" if text.is_empty() => return None,
            "milestone" => milestone_id(text).as_str().into(),
            "parent" if text.is_empty() => return None,
            "parent" => task_id(text).as_str().into(),
            "files" => {
                let (fit, other): (Vec<String>, Vec<String>) = list.into_iter().partition(|pattern| contracts::text::FilePattern::parse(pattern).is_ok());
                for pattern in other {
                    self.facts.warn(format!("the file {pattern:?} of {of} is no pattern here, and is left out"));
                }
                json!(fit.into_iter().take(limits::FILES_MAX).collect::<Vec<_>>())
            }
            "criteria" => {
                let item = |text: &String| json!({"text": text.chars().take(limits::CRITERION_CHARS_MAX).collect::<String>()});
                json!(list.iter().filter(|text| !text.trim().is_empty()).take(limits::CRITERIA_MAX).map(item).collect::<Vec<_>>())
            }
            "review" => value.as_bool()?.into(),
            "assignee" if text.is_empty() => return None,
            "assignee" => actor(text).as_str().into(),
            _ => return None,
        })
    }

    fn edited(&mut self, now: &Now<'_>) {
        let to = now.line.body.get("to").cloned().unwrap_or_default();
        match now.text("field") {
            "assignee" => self.assigned(now, to.as_str().unwrap_or_default(), None),
            "after" => {
                let task = task_id(&now.line.task);
                let wanted: BTreeSet<TaskId> = texts(Some(&to)).iter().map(|on| task_id(on)).collect();
                let children: BTreeSet<TaskId> = self.children(&task);
                let present: BTreeSet<TaskId> = self.edges.get(&task).cloned().unwrap_or_default().difference(&children).cloned().collect();
                for on in present.difference(&wanted) {
                    self.waits_no_more(now, on);
                }
                for on in wanted.difference(&present) {
                    self.waits(now, on);
                }
            }
            "progress" => self.other(now),
            field => {
                let field = field.to_owned();
                self.field(now, &field, to);
            }
        }
    }

    /// The children of a task, as its fields say.
    fn children(&self, parent: &TaskId) -> BTreeSet<TaskId> {
        let is_child = |known: &Known| known.fields.get("parent").and_then(Value::as_str) == Some(parent.as_str());
        self.tasks.iter().filter(|(_, known)| is_child(known)).map(|(id, _)| id.clone()).collect()
    }

    fn field(&mut self, now: &Now<'_>, field: &str, to: Value) {
        let cleared = to.is_null() || to.as_str() == Some("");
        let to = match self.fitted(now, field, &to) {
            Some(to) => to,
            None if cleared && matches!(field, "milestone" | "parent") => Value::Null,
            None => return self.other(now),
        };
        let task = task_id(&now.line.task);
        if field == "parent" {
            if let Some(old) = self.known(now).fields.get("parent").and_then(Value::as_str).map(task_id) {
                self.unlink(&old, &task);
            }
            if let Some(new) = to.as_str().map(task_id)
                && !self.link(&new, &task)
            {
                return self.other(now);
            }
        }
        let from = self.known(now).fields.insert(field.to_owned(), to.clone()).unwrap_or_default();
        if from == to {
            return self.facts.skip("an edit that changed nothing");
        }
        let fact = self.add(now, Kind::TaskEdited, json!({"field": field}));
        fact.body.insert("from".to_owned(), from);
        fact.body.insert("to".to_owned(), to);
    }

    fn assigned(&mut self, now: &Now<'_>, to: &str, dispatched: Option<bool>) {
        let to = if to.is_empty() { Value::Null } else { actor(to).as_str().into() };
        let fact = self.add(now, Kind::TaskAssigned, json!({"note": now.note(), "dispatched": dispatched.filter(|yes| *yes)}));
        fact.body.insert("to".to_owned(), to);
    }

    /// Adds an edge, unless it would close a loop or leads to the task itself; then it is listed.
    fn link(&mut self, task: &TaskId, on: &TaskId) -> bool {
        if task == on || self.reaches(on, task) {
            self.inert.push((task.to_string(), on.to_string()));
            return false;
        }
        self.edges.entry(task.clone()).or_default().insert(on.clone());
        true
    }

    fn unlink(&mut self, task: &TaskId, on: &TaskId) {
        if let Some(waits) = self.edges.get_mut(task) {
            waits.remove(on);
        }
    }

    fn reaches(&self, from: &TaskId, to: &TaskId) -> bool {
        let (mut seen, mut ways) = (BTreeSet::new(), vec![from]);
        while let Some(at) = ways.pop() {
            if at == to {
                return true;
            }
            if seen.insert(at) {
                ways.extend(self.edges.get(at).into_iter().flatten());
            }
        }
        false
    }

    fn waits(&mut self, now: &Now<'_>, on: &TaskId) {
        if self.link(&task_id(&now.line.task), on) {
            self.add(now, Kind::TaskBlocked, json!({"on": on, "reason": now.note()}));
        } else {
            self.other(now);
        }
    }

    fn waits_no_more(&mut self, now: &Now<'_>, on: &TaskId) {
        self.unlink(&task_id(&now.line.task), on);
        self.add(now, Kind::TaskUnblocked, json!({"on": on}));
    }

    /// Whatever else the old status meant, an imported blocker is over when it moves on.
    fn unblock(&mut self, now: &Now<'_>) {
        for blocker in std::mem::take(&mut self.known(now).blockers) {
            self.add(now, Kind::TaskUnblocked, json!({"blocker": blocker}));
        }
    }

    fn claimed(&mut self, now: &Now<'_>) {
        self.unblock(now);
        let (who, expires) = (now.actor.clone(), now.at.plus_seconds(CLAIM_SECONDS));
        let known = self.known(now);
        known.claims += 1;
        let fence = known.claims;
        let took_over = known.claim.replace((who.clone(), expires)).filter(|(other, until)| *other != who && *until > now.at);
        let branch = now.text("branch").to_owned();
        let first = !branch.is_empty() && known.branch.is_none();
        if first {
            known.branch = Some(branch.clone());
        }
        let took_over = took_over.map(|(actor, _)| json!({"actor": actor, "at": now.at}));
        self.add(
            now,
            Kind::TaskClaimed,
            json!({"expires": expires, "ttl_s": CLAIM_SECONDS, "fence": fence, "via": "import", "branch": branch, "took_over": took_over}),
        );
        if first {
            self.add(now, Kind::TaskBranched, json!({"branch": branch}));
        }
    }

    fn released(&mut self, now: &Now<'_>) {
        self.unblock(now);
        let known = self.known(now);
        known.submission = None;
        let holder = known.claim.take().map(|(holder, _)| holder);
        self.add(now, Kind::TaskReleased, json!({"reason": "asked", "note": now.note(), "holder": holder}));
    }

    fn status(&mut self, now: &Now<'_>, to: &str) {
        let closed = self.known(now).closed;
        match to {
            "done" | "closed" => self.closed(now),
            "cancelled" | "dropped" if closed => self.other(now),
            "cancelled" | "dropped" => {
                self.unblock(now);
                let known = self.known(now);
                (known.closed, known.claim) = (true, None);
                self.add(now, Kind::TaskCancelled, json!({"note": now.note()}));
            }
            "open" if closed => {
                let known = self.known(now);
                known.closed = false;
                known.submission = None;
                known.fields.remove("assignee");
                self.add(now, Kind::TaskReopened, json!({"note": now.note()}));
            }
            "released" if !closed => self.released(now),
            "blocked" if !closed => {
                let blocker = BlockerId::from_bits(crate::import::facts::bits(&now.line.id));
                self.known(now).blockers.push(blocker.clone());
                self.add(now, Kind::TaskBlocked, json!({"blocker": blocker, "reason": "imported"}));
            }
            "review" if !closed => self.submitted(now),
            "open" => self.facts.skip("a status that changed nothing"),
            derived if DERIVED.contains(&derived) => {
                self.unblock(now);
                self.facts.skip("a status that is derived here");
            }
            _ => self.other(now),
        }
    }

    fn closed(&mut self, now: &Now<'_>) {
        if self.known(now).closed {
            return self.other(now);
        }
        self.unblock(now);
        let known = self.known(now);
        (known.closed, known.claim) = (true, None);
        let commits = known.commits.clone();
        let without = commits.is_empty();
        let note = match now.note() {
            "" if without => "imported without evidence",
            note => note,
        };
        self.add(now, Kind::TaskClosed, json!({"note": note, "commits": commits, "no_code": without.then_some(true)}));
    }

    fn submitted(&mut self, now: &Now<'_>) {
        self.unblock(now);
        let name = now.line.id.clone();
        let known = self.known(now);
        known.submission = Some(name);
        known.claim = None;
        let commits = known.commits.clone();
        let without = commits.is_empty();
        self.add(now, Kind::TaskSubmitted, json!({"note": now.note(), "commits": commits, "no_code": without.then_some(true)}));
    }

    fn reviewed(&mut self, now: &Now<'_>) {
        let verdict = now.text("verdict").to_owned();
        let Some(submission) = self.known(now).submission.take().filter(|_| matches!(verdict.as_str(), "pass" | "changes")) else {
            return self.other(now);
        };
        let fact = self.add(now, Kind::TaskReviewed, json!({"verdict": verdict, "note": now.note()}));
        refers_to(fact, "submission", Kind::TaskSubmitted, &submission);
    }

    fn said(&mut self, now: &Now<'_>, mentions: &[String]) {
        let mentions: Vec<&String> = mentions.iter().filter(|mention| Actor::parse(mention).is_ok()).collect();
        let text = self.facts.text(now.note(), limits::NOTE_BYTES_MAX, &now.line.task);
        self.add(now, Kind::TaskCommented, json!({"text": text, "mentions": mentions}));
    }

    fn message(&mut self, now: &Now<'_>) {
        let mentions = now.texts("mentions");
        let to: Vec<&String> = mentions.iter().filter(|mention| Actor::parse(mention).is_ok()).collect();
        if to.is_empty() {
            return self.said(now, &[]);
        }
        let text = self.facts.text(now.note(), limits::NOTE_BYTES_MAX, &now.line.task);
        self.add(now, Kind::MessageSent, json!({"text": text, "to": to}));
    }
}
