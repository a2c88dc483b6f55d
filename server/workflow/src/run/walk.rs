//! The engine's own steps: it walks from what is done to what comes next, until it meets work, a wait or the end.
//!
//! Every step is taken by writing an event and applying it, one at a time, so what the walk comes to is what a replay comes to.

mod groups;
mod ways;

use super::decide::TaskEffect;
use super::event::RunEvent;
use super::fold::{By, Effect, apply};
use super::gate::Around;
use super::state::*;
use super::world::World;
use crate::document::{Given, WordOr};
use crate::plan::{Block, BlockIndex, BlockKind, Exit, Plan};
use contracts::{Actor, Moment};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Steps the engine takes by itself in one go; the next call goes on.
pub const HOPS: usize = 200;

/// What is under way while one command is carried out.
pub(super) struct Working<'a> {
    pub plan: &'a Plan,
    pub world: &'a World,
    pub run: Run,
    pub events: Vec<(RunEvent, By)>,
    pub effects: Vec<TaskEffect>,
    /// Who caused it.
    pub principal: String,
}

/// What one look at a list or step comes to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Progress {
    /// An event was written.
    Moved,
    /// Somebody or something is waited for.
    Busy,
    /// All of it is closed, with what it hands on.
    Complete(Value),
    /// A step of it failed and nothing passes over that.
    Failed(String),
}

impl Working<'_> {
    /// The engine, as the author of an event.
    pub fn engine(&self) -> By {
        By { actor: Actor::system("workflow"), principal: self.principal.clone(), at: self.world.now }
    }

    /// Writes an event of the engine.
    pub fn push(&mut self, event: RunEvent) {
        let by = self.engine();
        self.push_by(event, by);
    }

    /// Writes an event and applies it; what would change nothing is not written.
    pub fn push_by(&mut self, event: RunEvent, by: By) {
        let mut run = Some(self.run.clone());
        let effect = apply(&mut run, &event, &by);
        debug_assert_ne!(effect, Effect::Conflict, "the engine writes what fits: {event:?}");
        if let (Effect::Applied, Some(run)) = (effect, run) {
            self.run = run;
            self.events.push((event, by));
        }
    }

    pub fn around(&self) -> Around<'_> {
        Around { plan: self.plan, run: &self.run, world: self.world }
    }

    /// Walks on as far as it goes.
    pub fn settle(&mut self) {
        for _ in 0..HOPS {
            if self.run.outcome.is_some() || self.run.paused.is_some() || self.run.blocked.is_some() {
                return;
            }
            if self.run.transitions > self.plan.document.limits.transitions {
                let detail = format!("{} steps were reached", self.run.transitions);
                return self.block("transitions", "", detail);
            }
            let root = Key::of("", 0);
            let steps = self.plan.steps.clone();
            match self.list(&root, "", &steps) {
                Progress::Moved => {}
                Progress::Busy => return,
                Progress::Complete(_) => self.end(Outcome::Completed, ""),
                Progress::Failed(reason) => self.end(Outcome::Failed, &reason),
            }
        }
    }

    pub fn end(&mut self, outcome: Outcome, reason: &str) {
        let open: Vec<Key> = self.run.instances.iter().filter(|(_, own)| !own.state.is_closed()).map(|(key, _)| key.clone()).collect();
        for key in open {
            self.finish(&key, StepOutcome::Cancelled, Value::Null, false);
        }
        self.close_requests(|_| true, Verdict::Cancelled);
        self.push(RunEvent::Ended { run: self.run.id.clone(), outcome, reason: reason.to_owned() });
    }

    pub fn close_requests(&mut self, of: impl Fn(&Key) -> bool, how: Verdict) {
        let open: Vec<String> = self.run.requests.iter().filter(|(_, request)| request.closed.is_none() && of(&request.on)).map(|(id, _)| id.clone()).collect();
        for request in open {
            self.push(RunEvent::ApprovalClosed { run: self.run.id.clone(), request, how });
        }
    }

    pub fn block(&mut self, reason: &str, path: &str, detail: impl Into<String>) {
        let blocked = Blocked { reason: reason.to_owned(), path: path.to_owned(), detail: detail.into() };
        self.push(RunEvent::Blocked { run: self.run.id.clone(), blocked });
    }

    pub fn finish(&mut self, key: &Key, outcome: StepOutcome, output: Value, continued: bool) {
        self.push(RunEvent::Finished { run: self.run.id.clone(), path: key.path.clone(), attempt: key.attempt, outcome, output, continued });
    }

    /// Looks at a list of steps: at the first that is not closed.
    fn list(&mut self, parent: &Key, prefix: &str, list: &[BlockIndex]) -> Progress {
        let mut output = Value::Null;
        for index in list {
            let path = format!("{prefix}{}", self.plan.block(*index).id);
            let found = self.run.below(&path, parent).map(|(key, own)| (key.clone(), own.clone()));
            match found {
                None => return self.activate(*index, &path, parent, Value::Null),
                Some((_, own)) if own.state == InstanceState::Superseded => return self.activate(*index, &path, parent, Value::Null),
                Some((_, own)) if own.state == InstanceState::Failed && !own.continued => return Progress::Failed(format!("{path} failed")),
                Some((_, own)) if own.state.is_closed() => {
                    if own.state == InstanceState::Done {
                        output = own.output;
                    }
                }
                Some((key, _)) => return self.step(*index, &key),
            }
        }
        Progress::Complete(output)
    }

    /// Reaches a step.
    pub fn activate(&mut self, index: BlockIndex, path: &str, parent: &Key, item: Value) -> Progress {
        let block = self.plan.block(index);
        let attempt = self.run.newest(path).map_or(0, |(key, _)| key.attempt) + 1;
        let key = Key::of(path, attempt);
        let passed_over = block.when.as_ref().is_some_and(|when| when.truth(&self.around().known(when.names(), &key)) != Some(true));
        let entry = block.step.entry_gate.is_some() && !passed_over;
        let state = if passed_over || !entry { self.opened(block, passed_over) } else { InstanceState::Held };
        self.push(RunEvent::Activated {
            run: self.run.id.clone(),
            path: path.to_owned(),
            attempt,
            parent: parent.path.clone(),
            parent_attempt: parent.attempt,
            state,
            item,
        });
        if passed_over {
            self.skip(&key, "when");
        }
        Progress::Moved
    }

    fn opened(&self, block: &Block, passed_over: bool) -> InstanceState {
        match block.kind {
            _ if passed_over => InstanceState::Within,
            BlockKind::Work => InstanceState::Open,
            BlockKind::Checkpoint => InstanceState::Gated,
            _ => InstanceState::Within,
        }
    }

    pub fn skip(&mut self, key: &Key, why: &str) {
        self.push(RunEvent::Skipped { run: self.run.id.clone(), path: key.path.clone(), attempt: key.attempt, why: why.to_owned() });
    }

    /// Looks at a step that is not closed.
    fn step(&mut self, index: BlockIndex, key: &Key) -> Progress {
        let plan = self.plan;
        let block = plan.block(index);
        let Some(own) = self.run.instances.get(key).cloned() else { return Progress::Busy };
        match own.state {
            InstanceState::Held => {
                let Some(gate) = &block.step.entry_gate else { return Progress::Busy };
                let said = self.around().evaluate(gate, block, key);
                if !said.is_met() {
                    return Progress::Busy;
                }
                let state = self.opened(block, false);
                self.push(RunEvent::Opened { run: self.run.id.clone(), path: key.path.clone(), attempt: key.attempt, state, keys: said.met });
                Progress::Moved
            }
            InstanceState::Gated => match own.reported.as_ref().map(|reported| reported.outcome) {
                Some(StepOutcome::Failed) => self.fail(index, key, "its work failed"),
                _ => self.leave(index, key, own.output),
            },
            InstanceState::Within => self.within(index, key, &own),
            _ => Progress::Busy,
        }
    }

    /// Looks inside a step that is the engine's.
    fn within(&mut self, index: BlockIndex, key: &Key, own: &Instance) -> Progress {
        let plan = self.plan;
        let block = plan.block(index);
        match &block.kind {
            BlockKind::Container(body) => match self.list(key, &format!("{}/", key.path), body) {
                Progress::Complete(output) => self.leave(index, key, output),
                Progress::Failed(reason) => self.fail(index, key, &reason),
                other => other,
            },
            BlockKind::Decision(_) => self.decision(index, key, own),
            BlockKind::Lanes(lanes) => self.lanes(index, key, own, lanes),
            BlockKind::Loop { .. } => self.passes(index, key, own),
            BlockKind::Wait => self.wait(index, key, own),
            BlockKind::Set => {
                let around = self.around();
                let put = |value: &Value| match value {
                    Value::String(text) => Value::String(crate::reference::render(text, &|name| around.value(name, key)).0),
                    other => other.clone(),
                };
                let fields: Map<String, Value> = block.step.set.iter().flatten().map(|(field, value)| (field.clone(), put(value))).collect();
                let progress = self.leave(index, key, Value::Null);
                if self.run.instances.get(key).is_some_and(|own| own.state == InstanceState::Done) {
                    self.effects.push(TaskEffect::Set(fields));
                }
                progress
            }
            BlockKind::Close => self.close(index, key, block.step.close.as_ref()),
            BlockKind::End(end) => {
                self.finish(key, StepOutcome::Done, Value::Null, false);
                self.end((*end).into(), &format!("{} ends it", key.path));
                Progress::Moved
            }
            BlockKind::Work | BlockKind::Checkpoint => self.leave(index, key, own.output.clone()),
        }
    }

    fn close(&mut self, index: BlockIndex, key: &Key, close: Option<&WordOr<crate::document::Close>>) -> Progress {
        if matches!(self.world.text("status"), "done" | "cancelled") {
            return self.leave(index, key, Value::Null);
        }
        let (status, no_code) = match close.map(|close| &close.0) {
            Some(Given::Map(close)) => (close.status.clone().unwrap_or_else(|| "done".to_owned()), close.no_code.clone()),
            Some(Given::Word(word)) => (word.clone(), None),
            _ => ("done".to_owned(), None),
        };
        let wanted = TaskEffect::Close { status, no_code };
        if !self.effects.contains(&wanted) {
            self.effects.push(wanted);
        }
        Progress::Busy
    }

    fn wait(&mut self, index: BlockIndex, key: &Key, own: &Instance) -> Progress {
        let Some(wait) = &self.plan.block(index).step.wait else { return self.leave(index, key, Value::Null) };
        let due = match (&wait.length, &wait.until, &wait.event) {
            (Some(length), _, _) => Some(own.activated_at.plus_seconds(length.seconds)),
            (_, Some(until), _) => Moment::parse(until),
            (_, _, Some(name)) => {
                let name = name.strip_prefix("signal:").unwrap_or(name);
                let came = self.run.signals.iter().find(|signal| signal.name == name && signal.at >= own.activated_at);
                return match came.map(|signal| signal.fields.clone()) {
                    Some(fields) => self.leave(index, key, Value::Object(fields)),
                    None => Progress::Busy,
                };
            }
            _ => None,
        };
        match due.filter(|due| *due <= self.world.now) {
            Some(due) => {
                self.push(RunEvent::TimerFired { run: self.run.id.clone(), path: key.path.clone(), attempt: key.attempt, key: "wait".to_owned(), due });
                self.leave(index, key, Value::Null);
                Progress::Moved
            }
            None => Progress::Busy,
        }
    }

    fn decision(&mut self, index: BlockIndex, key: &Key, own: &Instance) -> Progress {
        let plan = self.plan;
        let BlockKind::Decision(arms) = &plan.block(index).kind else { return Progress::Busy };
        let Some(taken) = &own.branch else { return self.decide_branch(index, key) };
        let Some(arm) = arms.iter().find(|arm| arm.id == taken.branch) else {
            self.block("no_branch", &key.path, format!("there is no branch {}", taken.branch));
            return Progress::Moved;
        };
        let parent = Key::of(format!("{}/{}", key.path, arm.id), key.attempt);
        match self.list(&parent, &format!("{}/", parent.path), &arm.body) {
            Progress::Complete(output) => match &arm.exit {
                None => self.leave(index, key, output),
                Some(Exit::End(end)) => {
                    self.finish(key, StepOutcome::Done, output, false);
                    self.end((*end).into(), &format!("{} ends it", parent.path));
                    Progress::Moved
                }
                Some(Exit::Goto { id, max }) => self.goto(index, key, id, *max, &format!("{} leads back", parent.path)),
            },
            Progress::Failed(reason) => self.fail(index, key, &reason),
            other => other,
        }
    }

    fn decide_branch(&mut self, index: BlockIndex, key: &Key) -> Progress {
        let plan = self.plan;
        let BlockKind::Decision(arms) = &plan.block(index).kind else { return Progress::Busy };
        let names: Vec<&str> = arms.iter().filter_map(|arm| arm.when.as_ref()).flat_map(|when| when.names()).collect();
        let known = self.around().known(names, key);
        let results: BTreeMap<String, Option<bool>> =
            arms.iter().map(|arm| (arm.id.clone(), arm.when.as_ref().map_or(Some(true), |when| when.truth(&known)))).collect();
        match arms.iter().find(|arm| results.get(&arm.id) == Some(&Some(true))) {
            Some(arm) => self.push(RunEvent::DecisionTaken {
                run: self.run.id.clone(),
                path: key.path.clone(),
                attempt: key.attempt,
                branch: arm.id.clone(),
                inputs: known.values,
                results,
                by: "engine".to_owned(),
            }),
            None => {
                let read: Vec<String> = known.values.iter().map(|(name, value)| format!("{name} is {value}")).collect();
                self.block("no_branch", &key.path, format!("no branch of {} holds: {}", key.path, read.join(", ")));
            }
        }
        Progress::Moved
    }
}
