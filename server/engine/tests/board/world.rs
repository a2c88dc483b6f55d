//! A board in memory: it loads facts, decides, applies, as storage does, and speaks a small language.
//!
//! `ana` is a person, `bo` another; `w1`, `w2` are ana's agents, `x1` is bo's. Tasks are `a`, `b`, … in the order they are planned.
//! Statements are separated by `;`: `ana plan a files=src/a.rs`, `w1 claim a`, `w1 commit a`, `wait 20m`, `w1 close a note='…'`.
//! `far bo task.closed a note=x` is an event of another clone; `w1 next` asks for work.

use contracts::command::Command;
use contracts::standing::{Standing, Status, Via};
use contracts::view::NextRequest;
use contracts::{Actor, BlockerId, Caller, EventId, MilestoneId, Moment, QuestionId, Surface, TaskId, Writer};
use engine::*;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

pub struct World {
    pub now: Moment,
    pub events: Vec<(Event, Effect)>,
    pub project: Option<Project>,
    pub tasks: BTreeMap<TaskId, Task>,
    pub milestones: BTreeMap<MilestoneId, Milestone>,
    pub leases: BTreeMap<TaskId, Lease>,
    pub minted: u128,
    pub ids: u128,
    pub surface: Option<Surface>,
    pub fence: Option<i64>,
    pub expect: Option<i64>,
    pub seen: BTreeMap<Actor, Moment>,
}

pub const START: &str = "2026-11-29T12:00:00Z";

pub fn actor(word: &str) -> Actor {
    let raw = match word {
        "ana" | "bo" => format!("dev:{word}"),
        "x1" | "x2" => format!("agent:bo/{word}"),
        "w1" | "w2" | "w3" => format!("agent:ana/{word}"),
        other => other.to_owned(),
    };
    Actor::parse(&raw).unwrap()
}

/// `a` is the first task, `b` the second.
pub fn task(word: &str) -> TaskId {
    match word.as_bytes() {
        [letter @ b'a'..=b'z'] => TaskId::from_bits(u128::from(letter - b'a') + 0xa0),
        _ => TaskId::parse(word).unwrap(),
    }
}

impl World {
    pub fn new() -> World {
        let mut world = World::empty();
        world.say("ana create_project name=Demo zone=UTC").unwrap();
        world
    }

    pub fn empty() -> World {
        World {
            now: Moment::parse(START).unwrap(),
            events: Vec::new(),
            project: None,
            tasks: BTreeMap::new(),
            milestones: BTreeMap::new(),
            leases: BTreeMap::new(),
            minted: 0xa0,
            ids: 0,
            surface: None,
            fence: None,
            expect: None,
            seen: BTreeMap::new(),
        }
    }

    pub fn settings(&self) -> Settings {
        Settings::of(&self.project.clone().unwrap_or_default())
    }

    fn edges(&self) -> Vec<Edge> {
        let mut changes: Vec<_> = self.tasks.values().flat_map(|task| task.edges.clone()).collect();
        changes.sort_by(|a, b| a.order.cmp(&b.order));
        let mut edges = Edges::new();
        changes.iter().for_each(|change| edges.push(change));
        edges.rows().cloned().collect()
    }

    fn running(&self, id: &TaskId) -> Option<&Lease> {
        let grace = self.settings().grace_s;
        self.leases.get(id).filter(|lease| lease_state(lease, self.now, grace) != LeaseState::Lapsed)
    }

    pub fn counters(&self, id: &TaskId) -> Counters {
        let mut counters = Counters::default();
        let status = |id: &TaskId| self.tasks.get(id).map(|task| task.status);
        for edge in self.edges() {
            if edge.inert {
                counters.edges_inert += u32::from(edge.task == *id);
                continue;
            }
            let parent = edge.via == Via::Parent;
            if edge.task == *id && parent {
                counters.children += 1;
                counters.children_open += u32::from(status(&edge.on) == Some(Status::Open));
            } else if edge.task == *id {
                match status(&edge.on) {
                    Some(Status::Done) => {}
                    Some(Status::Cancelled) => counters.waits_cancelled += 1,
                    _ => {
                        counters.waits_open += 1;
                        counters.waits_first.get_or_insert(edge.on.clone());
                    }
                }
            } else if edge.on == *id && !parent {
                counters.blocks += u32::from(status(&edge.task) == Some(Status::Open));
            }
        }
        counters
    }

    pub fn standing(&self, id: &TaskId) -> Standing {
        standing(rest(&self.tasks[id], &self.counters(id)), self.leases.get(id), self.now, self.settings().grace_s)
    }

    fn neighbour(&self, id: &TaskId, edge: &Edge) -> Neighbour {
        let known = self.tasks.get(id);
        Neighbour {
            id: id.clone(),
            title: known.map(|task| task.title.clone()).unwrap_or_default(),
            status: known.map(|task| task.status),
            standing: known.map(|_| self.standing(id)),
            holder: self.running(id).map(|lease| lease.actor.clone()),
            via: edge.via,
            inert: edge.inert,
            note: known.and_then(|task| task.closed.as_ref()).map(|closed| closed.note.clone()).unwrap_or_default(),
            by: Some(edge.by.clone()),
        }
    }

    pub fn task_facts(&self, id: &TaskId) -> Option<TaskFacts> {
        let task = self.tasks.get(id)?.clone();
        let edges = self.edges();
        let some = |which: &dyn Fn(&Edge) -> bool, of: &dyn Fn(&Edge) -> TaskId| -> Vec<Neighbour> {
            edges.iter().filter(|edge| which(edge)).map(|edge| self.neighbour(&of(edge), edge)).collect()
        };
        let mut ancestors = Vec::new();
        let mut above = task.parent.clone();
        while let Some(parent) = above.filter(|_| ancestors.len() < 20) {
            let child = ancestors.last().map_or(id.clone(), |last: &Neighbour| last.id.clone());
            let edge = edges.iter().find(|edge| edge.task == parent && edge.on == child && edge.via == Via::Parent).unwrap();
            ancestors.push(self.neighbour(&parent, edge));
            above = self.tasks.get(&parent).and_then(|task| task.parent.clone());
        }
        Some(TaskFacts {
            counters: self.counters(id),
            lease: self.leases.get(id).cloned(),
            waits_on: some(&|edge| edge.task == *id && edge.via != Via::Parent, &|edge| edge.on.clone()),
            blocking: some(&|edge| edge.on == *id && edge.via != Via::Parent, &|edge| edge.task.clone()),
            children: some(&|edge| edge.task == *id && edge.via == Via::Parent, &|edge| edge.on.clone()),
            ancestors,
            task,
        })
    }

    pub fn milestone_facts(&self, id: &MilestoneId) -> Option<MilestoneFacts> {
        let milestone = self.milestones.get(id)?.clone();
        let within = || self.tasks.values().filter(|task| task.milestone.as_ref() == Some(id));
        let open_tasks: Vec<TaskId> = within().filter(|task| task.status == Status::Open).map(|task| task.id.clone()).collect();
        Some(MilestoneFacts { milestone, open: open_tasks.len() as i64, closed: within().count() as i64 - open_tasks.len() as i64, open_tasks })
    }

    pub fn holdings(&self, actor: &Actor) -> Vec<Holding> {
        let mut leases: Vec<&Lease> = self.leases.values().filter(|lease| lease.actor == *actor).collect();
        leases.sort_by_key(|lease| lease.claimed_at);
        let holding = |lease: &Lease| Holding { lease: lease.clone(), task: self.tasks[&lease.task].clone(), counters: self.counters(&lease.task) };
        leases.into_iter().map(holding).collect()
    }

    pub fn facts(&self, needs: &Needs, caller: &Caller) -> Facts {
        let mut facts = Facts { project: self.project.clone(), ..Facts::default() };
        let mut ids = needs.tasks.clone();
        let has = |which: &dyn Fn(&Task) -> bool| self.tasks.values().filter(|task| which(task)).map(|task| task.id.clone()).collect::<Vec<_>>();
        ids.extend(has(&|task| task.questions.iter().any(|question| Some(&question.id) == needs.question.as_ref())));
        ids.extend(has(&|task| task.conflicts.iter().any(|conflict| Some(&conflict.event) == needs.conflict.as_ref())));
        if needs.agents_tasks {
            let of_agent = |actor: Option<&Actor>| actor.is_some_and(Actor::is_agent);
            ids.extend(has(&|task| of_agent(task.assignee.as_ref()) || of_agent(self.leases.get(&task.id).map(|lease| &lease.actor))));
        }
        let mut above = needs.descendants.clone();
        while !above.is_empty() {
            let below = has(&|task| task.status == Status::Open && task.parent.as_ref().is_some_and(|parent| above.contains(parent)));
            above = below.into_iter().filter(|id| ids.insert(id.clone())).collect();
        }
        let mut milestones = needs.milestones.clone();
        for of in ids.iter().filter_map(|id| self.task_facts(id)) {
            milestones.extend(of.task.milestone.clone());
            facts.tasks.insert(of.task.id.clone(), of);
        }
        let named = |milestone: &&Milestone| milestone.status == Status::Open && Some(folded(&milestone.title)) == needs.milestone_title;
        milestones.extend(self.milestones.values().filter(named).map(|milestone| milestone.id.clone()));
        facts.milestones = milestones.iter().filter_map(|id| Some((id.clone(), self.milestone_facts(id)?))).collect();
        let mut reach: Vec<TaskId> = needs.reach.iter().cloned().collect();
        let edges = self.edges();
        while let Some(id) = reach.pop() {
            if facts.edges.contains_key(&id) {
                continue;
            }
            let targets: BTreeSet<TaskId> = edges.iter().filter(|edge| edge.task == id && !edge.inert).map(|edge| edge.on.clone()).collect();
            reach.extend(targets.iter().cloned());
            facts.edges.insert(id, targets);
        }
        if needs.holdings {
            facts.holdings = self.holdings(&caller.actor);
        }
        if let Some(prefix) = &needs.workers {
            let next = self.next_facts(&caller.actor, &NextRequest::default());
            let mut assigned: Vec<SurfaceRow> = Vec::new();
            for task in self.tasks.values().filter(|task| self.standing(&task.id) == Standing::Assigned) {
                let (actor, patterns) = (task.assignee.clone(), surface(task));
                assigned.push(SurfaceRow { task: task.id.clone(), title: task.title.clone(), standing: Standing::Assigned, actor, patterns });
            }
            facts.surfaces = next.surfaces.into_iter().chain(assigned).collect();
            facts.candidates = if needs.candidates { next.candidates } else { Vec::new() };
            let held = self.leases.values().map(|lease| lease.actor.clone());
            let meant = self.tasks.values().filter(|task| task.status == Status::Open).filter_map(|task| task.assignee.clone());
            let seen = self.seen.iter().filter(|(_, at)| self.now.seconds_since(**at) < 24 * 3_600).map(|(actor, _)| actor.clone());
            facts.busy = held.chain(meant).chain(seen).filter(|actor| actor.as_str().starts_with(prefix)).collect();
        }
        if needs.seen {
            facts.seen = self.seen.clone();
            for (event, _) in self.events.iter().filter(|(event, _)| matches!(event.kind, Kind::TaskAssigned | Kind::TaskCreated)) {
                facts.assigned_at.insert(TaskId::parse(&event.subject).unwrap(), event.at.moment);
            }
        }
        let acted = |actor: &&Actor| self.events.iter().any(|(event, _)| event.actor == **actor);
        facts.actors = needs.actors.iter().filter(acted).cloned().collect();
        facts.event = self.events.iter().find(|(event, _)| Some(&event.id) == needs.conflict.as_ref()).map(|(event, _)| event.clone());
        facts
    }

    pub fn context(&mut self, who: &Actor, tasks: usize) -> Context {
        let surface = self.surface.unwrap_or(if who.is_dev() { Surface::Web } else { Surface::Mcp });
        let caller = Caller { actor: who.clone(), principal: "local:ana".to_owned(), surface, session: None, client: None };
        self.ids += 1;
        let tasks: Vec<TaskId> = (self.minted..).take(tasks).map(TaskId::from_bits).collect();
        let minted = Minted {
            tasks,
            milestone: Some(MilestoneId::from_bits(self.ids)),
            blocker: Some(BlockerId::from_bits(self.ids)),
            question: Some(QuestionId::from_bits(self.ids)),
        };
        let (expect, fence) = (self.expect.take(), self.fence.take());
        Context { now: self.now, caller, minted, expect, fence, base: Some("main".to_owned()), hooks_renew: true }
    }

    pub fn run(&mut self, who: &Actor, command: &Command) -> Result<Decision, Rejection> {
        let wanted = ids_wanted(command).tasks;
        let ctx = self.context(who, wanted);
        let mut facts = self.facts(&needs(command, &ctx.caller), &ctx.caller);
        if let Some(needs) = needs_beyond(command, &ctx.caller, &facts) {
            facts = self.facts(&needs, &ctx.caller);
        }
        let decision = decide(&facts, command, &ctx)?;
        if !decision.dry_run {
            self.minted += wanted as u128;
            self.apply(&ctx, &decision);
        }
        Ok(decision)
    }

    /// As storage does it, but that nothing of ours may ever be without effect.
    fn apply(&mut self, ctx: &Context, decision: &Decision) {
        let mut claim = EventId::none();
        for draft in &decision.events {
            let event = self.event(&Writer::from_bits(1), &ctx.caller.actor, draft.clone(), self.now);
            if event.kind == Kind::TaskClaimed {
                claim = event.id.clone();
            }
            let effect = self.take_in(event);
            assert!(effect.applied && !effect.conflict && !effect.waits, "an own event found no effect: {draft:?} {effect:?}");
        }
        for change in &decision.leases {
            match change {
                LeaseChange::Take(lease) => {
                    let mut lease = lease.clone();
                    lease.claim_event = claim.clone();
                    self.leases.insert(lease.task.clone(), lease);
                }
                LeaseChange::Extend { task, renewed_at, expires_at, published_until } => {
                    let lease = self.leases.get_mut(task).expect("extends what is there");
                    (lease.renewed_at, lease.expires_at) = (*renewed_at, *expires_at);
                    lease.published_until = published_until.unwrap_or(lease.published_until);
                }
                LeaseChange::Drop(task) => drop(self.leases.remove(task)),
            }
        }
        self.check();
    }

    pub fn event(&self, writer: &Writer, who: &Actor, draft: Draft, now: Moment) -> Event {
        let last = self.events.iter().map(|(event, _)| event.at).max().unwrap_or_default();
        let n = self.events.len() as i64 + 1;
        Event {
            id: EventId::from_bits(n as u128),
            writer: writer.clone(),
            n,
            prev: EventId::none(),
            at: tick(last, None, now),
            actor: who.clone(),
            principal: "local:ana".to_owned(),
            kind: draft.kind,
            subject: draft.subject,
            body: draft.body,
        }
    }

    pub fn take_in(&mut self, event: Event) -> Effect {
        let effect = if event.subject == "project" {
            let mut project = self.project.take().unwrap_or_default();
            let effect = apply_project(&mut project, &event);
            self.project = Some(project);
            effect
        } else if let Ok(id) = MilestoneId::parse(&event.subject) {
            let mut state = self.milestones.remove(&id);
            let effect = apply_milestone(&mut state, &event);
            state.map(|state| self.milestones.insert(id, state));
            effect
        } else {
            let id = TaskId::parse(&event.subject).unwrap();
            let mut state = self.tasks.remove(&id);
            let effect = apply_task(&mut state, &event);
            state.map(|state| self.tasks.insert(id, state));
            effect
        };
        self.events.push((event, effect.clone()));
        effect
    }

    /// What must hold after every command.
    pub fn check(&self) {
        for lease in self.leases.values() {
            assert_eq!(self.tasks[&lease.task].status, Status::Open, "a lease on a closed task");
            assert!(self.tasks[&lease.task].claim.as_ref().is_some_and(|claim| claim.actor == lease.actor), "a lease without its claim");
            assert!(lease.fence <= self.tasks[&lease.task].fence);
        }
    }

    /// One statement.
    pub fn say(&mut self, statement: &str) -> Result<String, String> {
        let words = words(statement);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["wait", span] => {
                let (number, unit) = span.split_at(span.len() - 1);
                let seconds =
                    number.parse::<i64>().unwrap() * [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400)].iter().find(|known| known.0 == unit).unwrap().1;
                self.now = self.now.plus_seconds(seconds);
                Ok(String::new())
            }
            ["seen", who] => {
                self.seen.insert(actor(who), self.now);
                Ok(String::new())
            }
            ["far", who, kind, subject, rest @ ..] => {
                let mut body = arguments(rest);
                if let Some(span) = body.get("expires_in").and_then(Value::as_i64) {
                    body.remove("expires_in");
                    body.insert("expires".to_owned(), json!(self.now.plus_seconds(span)));
                }
                if kind == &"task.created" {
                    body.insert("title".to_owned(), (*subject).into());
                }
                let draft = Draft { kind: Kind::of(kind), subject: task(subject).to_string(), body };
                let event = self.event(&Writer::from_bits(2), &actor(who), draft, self.now);
                let effect = self.take_in(event);
                Ok(effect_words(&effect))
            }
            [who, "next", rest @ ..] => Ok(self.next(&actor(who), rest)),
            [who, "try", rest @ ..] => Ok(self.say(&format!("{who} {}", rest.join(" "))).unwrap_or_default()),
            [who, rest @ ..] => {
                let who = actor(who);
                let command = self.command(rest)?;
                let before = self.events.len();
                let decision = self.run(&who, &command).map_err(|refused| refused_words(&refused))?;
                Ok(self.outcome(&decision, before))
            }
            [] => Ok(String::new()),
        }
    }

    fn command(&mut self, words: &[&str]) -> Result<Command, String> {
        let (name, rest) = words.split_first().unwrap();
        let mut name = *name;
        let mut args = arguments(rest);
        self.fence = args.remove("fence").and_then(|fence| fence.as_i64());
        self.expect = args.remove("expect").and_then(|expect| expect.as_i64());
        if name == "commit" {
            name = "bind";
            self.ids += 1;
            args.entry("sha").or_insert_with(|| format!("{:040x}", self.ids).into());
            args.entry("subject").or_insert_with(|| "work".into());
            args.entry("how").or_insert_with(|| "branch".into());
            let path = args.remove("path").unwrap_or_else(|| "src/lib.rs".into());
            if !path.is_null() {
                args.insert("files".to_owned(), json!([[path, 3, 1]]));
            }
        }
        if name == "plan" {
            return plan_command(rest);
        }
        if let Some(first) = rest.first().filter(|first| !first.contains('=')) {
            let (key, value) = if name.starts_with("milestone") { ("milestone", Value::from(*first)) } else { ("task", json!(task(first))) };
            args.insert(key.to_owned(), value);
        }
        Command::parse(name, Value::Object(args)).map_err(|problem| format!("refused {}: {}", problem.code, problem.title))
    }

    fn outcome(&self, decision: &Decision, before: usize) -> String {
        let mut text = String::new();
        let shown =
            ["note", "no_code", "reason", "holder", "resumed", "took_over", "to", "from", "field", "key", "on", "by_review", "verdict", "mentions", "choice"];
        for (event, effect) in &self.events[before..] {
            let body: Vec<String> = shown.iter().filter_map(|key| Some(format!(" {key}={}", plain(event.body.get(*key)?)))).collect();
            let told: Vec<String> = effect.notices.iter().map(|notice| format!(" →{} ({})", notice.actor, notice.why)).collect();
            writeln!(text, "{} {}{}{}", event.kind, event.subject, body.concat(), told.concat()).unwrap();
        }
        for change in &decision.leases {
            let words = match change {
                LeaseChange::Take(lease) => format!("lease of {} taken, fence {}, {} s", lease.task, lease.fence, lease.ttl_s),
                LeaseChange::Extend { task, .. } => format!("lease of {task} extended"),
                LeaseChange::Drop(task) => format!("lease of {task} ended"),
            };
            writeln!(text, "{words}").unwrap();
        }
        for warning in &decision.warnings {
            writeln!(text, "! {}: {}", warning.code, warning.text).unwrap();
        }
        let listed = |key: &str| decision.data.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        for row in listed("started") {
            let others: Vec<String> = row["collisions"].as_array().into_iter().flatten().map(|other| format!(" ~{}", plain(&other["id"]))).collect();
            writeln!(text, "{} for {} on {}{}", plain(&row["task"]), plain(&row["worker"]), plain(&row["branch"]), others.concat()).unwrap();
        }
        for row in listed("not_started") {
            writeln!(text, "not {}: {}: {}", plain(&row["task"]), plain(&row["code"]), plain(&row["text"])).unwrap();
        }
        for row in listed("left_alone") {
            writeln!(text, "left {} with {}: {}", plain(&row["task"]), plain(&row["holder"]), plain(&row["text"])).unwrap();
        }
        if let Ok(id) = TaskId::parse(&decision.subject)
            && self.tasks.contains_key(&id)
        {
            writeln!(text, "now {}", self.standing(&id)).unwrap();
        }
        text
    }

    pub fn next_facts(&self, who: &Actor, request: &NextRequest) -> NextFacts {
        let grace = self.settings().grace_s;
        let mine: BTreeSet<TaskId> = self.holdings(who).into_iter().map(|holding| holding.lease.task).collect();
        let mut queue = contracts::view::Queue::default();
        let mut digest = Digest::default();
        let mut candidates = Vec::new();
        let mut surfaces = Vec::new();
        for task in self.tasks.values() {
            let stands = self.standing(&task.id);
            let counter = match stands {
                Standing::Ready | Standing::Changes | Standing::Assigned => &mut queue.ready,
                Standing::Working => &mut queue.working,
                Standing::Waiting => &mut queue.waiting,
                Standing::Blocked => &mut queue.blocked,
                Standing::NeedsYou | Standing::InReview => &mut queue.needs_people,
                Standing::Held => &mut queue.held,
                Standing::Stalled => &mut queue.stalled,
                Standing::Done => &mut digest.done,
                Standing::Cancelled => &mut digest.cancelled,
            };
            *counter += 1;
            queue.open += i64::from(task.status == Status::Open);
            let free = matches!(stands, Standing::Ready | Standing::Changes | Standing::Assigned | Standing::Stalled);
            if free && let Some(to) = task.assignee.as_ref().filter(|to| *to != who) {
                digest.assigned_to.push(to.clone());
            } else if free {
                let child_of_mine = task.parent.as_ref().is_some_and(|parent| mine.contains(parent));
                candidates.push(Candidate { task: task.clone(), counters: self.counters(&task.id), lease: self.leases.get(&task.id).cloned(), child_of_mine });
            }
            if let Some(lease) = self.running(&task.id) {
                digest.running.push((task.id.clone(), lease.actor.clone(), lease.expires_at));
            }
            if self.running(&task.id).is_some() || stands == Standing::InReview {
                let actor = self.leases.get(&task.id).map(|lease| lease.actor.clone()).or(task.assignee.clone());
                surfaces.push(SurfaceRow { task: task.id.clone(), title: task.title.clone(), standing: stands, actor, patterns: surface(task) });
            }
            if matches!(stands, Standing::NeedsYou | Standing::InReview | Standing::Held) {
                digest.people.push((task.id.clone(), task.title.clone(), stands));
            }
            let waiting = self.counters(&task.id).blocks;
            if waiting > 0 && task.status == Status::Open {
                digest.most_waited.push((task.id.clone(), task.title.clone(), i64::from(waiting), self.running(&task.id).map(|lease| lease.actor.clone())));
            }
            digest.outside.extend(task.blockers.iter().map(|blocker| (task.id.clone(), blocker.reason.clone())));
            if let Some(closed) = &task.closed {
                digest.last_closed = Some((task.id.clone(), task.title.clone(), closed.at));
            }
        }
        digest.people_total = digest.people.len() as i64;
        assert!(grace >= 0);
        NextFacts {
            project: self.project.clone().unwrap(),
            holdings: self.holdings(who),
            named: request.task.as_ref().and_then(|id| self.task_facts(id)),
            candidates_total: candidates.len() as i64,
            candidates,
            surfaces,
            queue,
            digest,
        }
    }

    fn next(&mut self, who: &Actor, words: &[&str]) -> String {
        let mut args = arguments(words);
        if let Some(first) = words.first().filter(|first| !first.contains('=')) {
            args.insert("task".to_owned(), json!(task(first)));
        }
        if let Some(labels) = args.get_mut("labels").filter(|labels| labels.is_string()) {
            *labels = json!([labels.clone()]);
        }
        let request: NextRequest = serde_json::from_value(Value::Object(args)).unwrap();
        let facts = self.next_facts(who, &request);
        let ctx = self.context(who, 0);
        let claimed = match choose(&facts, &request, &ctx) {
            Choice::Nothing(why) => return format!("nothing: {}: {}\nhint: {}\n", why.code, why.text, why.next.for_mcp()),
            Choice::Resume(id) => id,
            Choice::Take(ids) => ids[0].clone(),
        };
        let task = self.tasks[&claimed].clone();
        let (_, text, note) = how(&task, self.leases.get(&claimed), who, self.now);
        let (shared, more) = collisions(&task, &facts.surfaces);
        let note = if note.is_empty() { String::new() } else { format!("note: {note}\n") };
        let shared: Vec<String> =
            shared.iter().map(|hit| format!("overlaps {} of {}: {}\n", hit.id, hit.actor.as_ref().unwrap(), hit.paths.join(", "))).collect();
        assert_eq!(more, 0);
        let command = Command::parse("claim", json!({"task": claimed})).unwrap();
        match self.run(who, &command) {
            Ok(_) => format!("{claimed}: {text}\n{note}{}", shared.concat()),
            Err(refused) => format!("{claimed} chosen, but {}", refused_words(&refused)),
        }
    }
}

pub fn refused_words(refused: &Rejection) -> String {
    let problem = refused.problem();
    let mut text = format!("refused {}: {}\n", problem.code, problem.title);
    if !problem.detail.is_empty() {
        writeln!(text, "  {}", problem.detail).unwrap();
    }
    if problem.errors.len() > 1 {
        problem.errors.iter().for_each(|error| writeln!(text, "  {}: {}", error.path, error.text).unwrap());
    }
    let hint = problem.hint.for_cli();
    if !hint.is_empty() {
        writeln!(text, "hint: {hint}").unwrap();
    }
    text
}

fn effect_words(effect: &Effect) -> String {
    let word = [(effect.applied, "applied"), (effect.already, "already"), (effect.conflict, "conflict"), (effect.waits, "waits")];
    let words: Vec<&str> = word.iter().filter(|known| known.0).map(|known| known.1).collect();
    let told: Vec<String> = effect.notices.iter().map(|notice| format!(" →{} ({})", notice.actor, notice.why)).collect();
    format!("{}{}\n", words.join(" "), told.concat())
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn words(statement: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut quoted = false;
    for character in statement.trim().chars() {
        match character {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

const TASKS: [&str; 6] = ["task", "on", "after", "parent", "blocks", "tasks_named"];

fn value(key: &str, raw: &str) -> Value {
    let one = |raw: &str| {
        if TASKS.contains(&key) && raw.len() == 1 && raw.as_bytes()[0].is_ascii_lowercase() {
            return json!(task(raw));
        }
        if ["mentions", "to", "assignee"].contains(&key) && raw != "null" {
            return json!(actor(raw));
        }
        match raw {
            text if ["event", "text", "choice", "choices", "note", "title", "spec", "criteria"].contains(&key) && !text.starts_with('[') => text.into(),
            "null" => Value::Null,
            raw => raw
                .parse::<i64>()
                .map(Value::from)
                .or(raw.parse::<bool>().map(Value::from))
                .unwrap_or_else(|_| if raw.starts_with(['[', '{']) { serde_json::from_str(raw).unwrap() } else { Value::from(raw) }),
        }
    };
    let listed = ["after", "blocks", "files", "labels", "criteria", "mentions", "choices"].contains(&key);
    if listed && !raw.starts_with('[') { raw.split(',').filter(|part| !part.is_empty()).map(one).collect() } else { one(raw) }
}

fn arguments(words: &[&str]) -> Map<String, Value> {
    let pairs = words.iter().filter_map(|word| word.split_once('='));
    let mut args: Map<String, Value> = pairs.map(|(key, raw)| (key.to_owned(), value(key, raw))).collect();
    // `block` and `message` take lists (`ons=`, `tos=`), `unblock` and `assign` one (`on=`, `to=`).
    if let Some(on) = args.get("ons").cloned() {
        args.remove("ons");
        args.insert("on".to_owned(), on.as_str().unwrap().split(',').map(|id| json!(task(id))).collect());
    }
    if let Some(tasks) = args.get("tasks").and_then(Value::as_str).filter(|tasks| tasks.split(',').all(|id| id.len() == 1)).map(str::to_owned) {
        args.insert("tasks".to_owned(), tasks.split(',').map(|id| json!(task(id))).collect());
    }
    if let Some(to) = args.get("tos").cloned() {
        args.remove("tos");
        args.insert("to".to_owned(), to.as_str().unwrap().split(',').map(|who| json!(actor(who))).collect());
    }
    args
}

/// `plan a prio=0 / b after=a milestone=Beta`: `/` separates tasks; keys of the plan stand after `plan:`.
fn plan_command(words: &[&str]) -> Result<Command, String> {
    let mut tasks = Vec::new();
    let mut plan = Map::new();
    let titles: Vec<&str> = words.split(|word| *word == "/").map(|entry| entry[0]).collect();
    for entry in words.split(|word| *word == "/") {
        let mut task = arguments(entry);
        for key in ["milestone", "goal", "dry_run"] {
            if let Some(value) = task.remove(key) {
                if key == "milestone" && value.as_str().is_some_and(|id| id.starts_with("ms-")) {
                    task.insert(key.to_owned(), value)
                } else {
                    plan.insert(key.to_owned(), value)
                };
            }
        }
        let place = |id: &Value| titles.iter().position(|title| title.len() == 1 && json!(self::task(title)) == *id).map(Value::from);
        for reference in task.get_mut("after").and_then(Value::as_array_mut).into_iter().flatten() {
            *reference = place(reference).unwrap_or(reference.clone());
        }
        if let Some(parent) = task.get_mut("parent") {
            *parent = place(parent).unwrap_or(parent.clone());
        }
        task.insert("title".to_owned(), entry[0].into());
        task.entry("spec").or_insert_with(|| "what to do".into());
        tasks.push(Value::Object(task));
    }
    plan.insert("tasks".to_owned(), tasks.into());
    Command::parse("plan", Value::Object(plan)).map_err(|problem| {
        let faults: Vec<String> = problem.errors.iter().map(|error| format!("  {}: {}\n", error.path, error.text)).collect();
        format!("refused {}: {}\n{}", problem.code, problem.title, faults.concat())
    })
}

/// What came before must pass; what is tried is told.
pub fn outcome(given: &str, tried: &str) -> String {
    let mut world = World::new();
    for statement in given.split(';').filter(|statement| !statement.trim().is_empty()) {
        world.say(statement).unwrap_or_else(|refused| panic!("{statement}: {refused}"));
    }
    let mut told = String::new();
    for statement in tried.split(';') {
        let before = (world.events.clone(), world.leases.clone());
        match world.say(statement) {
            Ok(text) => told.push_str(&text),
            Err(refused) => {
                assert_eq!((world.events.clone(), world.leases.clone()), before, "a refusal writes nothing");
                told.push_str(&refused);
            }
        }
    }
    told
}

/// The world after statements that must pass.
pub fn after(given: &str) -> World {
    let mut world = World::new();
    for statement in given.split(';').filter(|statement| !statement.trim().is_empty()) {
        world.say(statement).unwrap_or_else(|refused| panic!("{statement}: {refused}"));
    }
    world
}
