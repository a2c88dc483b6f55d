//! Lanes and loops: what is open at once, when a group is closed, and what a pass hands on.

use super::super::decide::TaskEffect;
use super::super::event::RunEvent;
use super::super::fold::is_within;
use super::super::state::*;
use super::{Progress, Working};
use crate::document::{Given, LaneConflict, OnLaneFail, OnMax};
use crate::plan::{BlockIndex, BlockKind, LoopTest};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// How the lanes of a group stand.
#[derive(Default)]
struct Lanes {
    done: Vec<String>,
    skipped: Vec<String>,
    failed: Vec<String>,
    active: Vec<(BlockIndex, Key)>,
    waiting: Vec<BlockIndex>,
}

/// What a rule says of a group.
#[derive(PartialEq, Eq)]
enum Joined {
    /// Enough are done.
    Enough,
    /// More must come.
    NotYet,
    /// It can't be enough any more.
    Never,
}

impl Working<'_> {
    pub(super) fn lanes(&mut self, index: BlockIndex, key: &Key, own: &Instance, lanes: &[BlockIndex]) -> Progress {
        if own.joined {
            return self.leave(index, key, own.output.clone());
        }
        let stand = self.standing_of(key, lanes);
        let step = &self.plan.block(index).step;
        let (on_fail, most) = (step.on_lane_fail.unwrap_or_default(), step.max_parallel.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX));
        let rule = self.rule(index, &stand, lanes.len(), on_fail);
        let at_once = on_fail == OnLaneFail::FailFast && !stand.failed.is_empty();
        if rule == Joined::Enough {
            return self.join(index, key, &stand, lanes);
        }
        if rule == Joined::Never && (at_once || stand.active.is_empty() || self.plan.block(index).step.join.is_some()) {
            let failed = stand.failed.join(", ");
            self.cancel_within(key);
            return self.fail(index, key, &format!("lanes of {} failed: {failed}", key.path));
        }
        // All at once, as far as the group allows: nobody waits for the next look.
        let mut moved = false;
        for lane in stand.waiting.iter().take(most.saturating_sub(stand.active.len())) {
            let path = format!("{}/{}", key.path, self.plan.block(*lane).id);
            self.activate(*lane, &path, key, Value::Null);
            moved = true;
        }
        for (lane, of) in stand.active {
            moved |= self.step(lane, &of) == Progress::Moved;
        }
        if moved { Progress::Moved } else { Progress::Busy }
    }

    fn standing_of(&self, key: &Key, lanes: &[BlockIndex]) -> Lanes {
        let mut stand = Lanes::default();
        for lane in lanes {
            let id = self.plan.block(*lane).id.clone();
            match self.run.below(&format!("{}/{id}", key.path), key) {
                None => stand.waiting.push(*lane),
                Some((of, own)) => match own.state {
                    InstanceState::Superseded => stand.waiting.push(*lane),
                    InstanceState::Done => stand.done.push(id),
                    InstanceState::Failed if own.continued => stand.done.push(id),
                    InstanceState::Failed | InstanceState::Cancelled => stand.failed.push(id),
                    InstanceState::Skipped => stand.skipped.push(id),
                    _ => stand.active.push((*lane, of.clone())),
                },
            }
        }
        stand
    }

    fn rule(&self, index: BlockIndex, stand: &Lanes, all: usize, on_fail: OnLaneFail) -> Joined {
        let open = stand.active.len() + stand.waiting.len();
        let enough = |holds: bool, never: bool| {
            if holds {
                Joined::Enough
            } else if never {
                Joined::Never
            } else {
                Joined::NotYet
            }
        };
        match self.plan.block(index).step.join.as_ref().map(|join| &join.0) {
            Some(Given::Word(word)) if word == "any" => enough(!stand.done.is_empty(), open == 0),
            Some(Given::Map(join)) => match (join.quorum, &join.required) {
                (Some(quorum), _) => {
                    let quorum = usize::try_from(quorum).unwrap_or(all);
                    enough(stand.done.len() >= quorum, stand.done.len() + open < quorum)
                }
                (None, Some(ids)) => {
                    let closed = |id: &String| stand.done.contains(id) || stand.skipped.contains(id);
                    enough(ids.iter().all(closed), ids.iter().any(|id| stand.failed.contains(id)))
                }
                (None, None) => Joined::Never,
            },
            _ if on_fail == OnLaneFail::Continue => enough(open == 0, false),
            _ => enough(open == 0 && stand.failed.is_empty(), !stand.failed.is_empty()),
        }
    }

    /// Closes a group: what its lanes wrote is put together.
    fn join(&mut self, index: BlockIndex, key: &Key, stand: &Lanes, lanes: &[BlockIndex]) -> Progress {
        let mut writes: Map<String, Value> = Map::new();
        let by_order = self.plan.block(index).step.conflict.unwrap_or_default() == LaneConflict::Order;
        for lane in lanes {
            let path = format!("{}/{}", key.path, self.plan.block(*lane).id);
            let reports: Vec<Map<String, Value>> = self
                .run
                .instances
                .iter()
                .filter(|(of, own)| is_within(&of.path, &path) && own.state == InstanceState::Done)
                .filter_map(|(_, own)| own.reported.as_ref().map(|reported| reported.writes.clone()))
                .collect();
            for (field, value) in reports.into_iter().flatten() {
                if let Some(other) = writes.get(&field).filter(|other| **other != value && !by_order) {
                    let detail = format!("lanes of {} write {field} as {other} and as {value}", key.path);
                    self.block("write_conflict", &key.path, detail);
                    return Progress::Moved;
                }
                writes.insert(field, value);
            }
        }
        self.joined(index, key, stand.summary(), lanes, writes)
    }

    /// Closes a group with these writes.
    fn joined(&mut self, index: BlockIndex, key: &Key, summary: BTreeMap<String, String>, lanes: &[BlockIndex], writes: Map<String, Value>) -> Progress {
        let mut output = Map::new();
        for lane in lanes {
            let id = self.plan.block(*lane).id.clone();
            let of = self.run.below(&format!("{}/{id}", key.path), key).filter(|(_, own)| own.state == InstanceState::Done).map(|(_, own)| own.output.clone());
            output.insert(id, of.unwrap_or_default());
        }
        let rule = match self.plan.block(index).step.join.as_ref().map(|join| &join.0) {
            Some(Given::Word(word)) => word.clone(),
            Some(Given::Map(join)) => join.quorum.map_or_else(|| "required".to_owned(), |quorum| format!("quorum {quorum}")),
            _ => "all".to_owned(),
        };
        self.cancel_within(key);
        if !writes.is_empty() {
            self.effects.push(TaskEffect::Set(writes.clone()));
        }
        self.push(RunEvent::LanesJoined { run: self.run.id.clone(), path: key.path.clone(), attempt: key.attempt, rule, lanes: summary, writes });
        self.leave(index, key, Value::Object(output))
    }

    /// A person says which lane's words stand.
    pub fn pick_lane(&mut self, key: &Key, lane: &str) -> bool {
        let plan = self.plan;
        let Some(index) = plan.at(&key.path) else { return false };
        let BlockKind::Lanes(lanes) = &plan.block(index).kind else { return false };
        let path = format!("{}/{lane}", key.path);
        if !lanes.iter().any(|own| plan.block(*own).id == lane) {
            return false;
        }
        let mut writes = Map::new();
        let mut own_last = Map::new();
        for (of, own) in self.run.instances.iter().filter(|(of, own)| is_within(&of.path, &key.path) && own.state == InstanceState::Done) {
            let into = if is_within(&of.path, &path) { &mut own_last } else { &mut writes };
            into.extend(own.reported.iter().flat_map(|reported| reported.writes.clone()));
        }
        writes.extend(own_last);
        let stand = self.standing_of(key, lanes);
        self.joined(index, key, stand.summary(), lanes, writes);
        true
    }

    /// Gives up everything inside that is not closed.
    pub fn cancel_within(&mut self, outer: &Key) {
        let inside = |key: &Key| key != outer && is_within(&key.path, &outer.path);
        let open: Vec<Key> = self.run.instances.iter().filter(|(key, own)| !own.state.is_closed() && inside(key)).map(|(key, _)| key.clone()).collect();
        for key in &open {
            self.finish(key, StepOutcome::Cancelled, Value::Null, false);
        }
        self.close_requests(inside, Verdict::Cancelled);
    }

    pub(super) fn passes(&mut self, index: BlockIndex, key: &Key, own: &Instance) -> Progress {
        let plan = self.plan;
        let BlockKind::Loop { body, test, .. } = &plan.block(index).kind else { return Progress::Busy };
        let Some(passes) = &own.passes else { return self.first_pass(key, test) };
        if passes.over {
            let output = match test {
                LoopTest::Over(_) => Value::Array(passes.outputs.clone()),
                _ => passes.outputs.last().cloned().unwrap_or_default(),
            };
            return self.leave(index, key, output);
        }
        let parent = Key::of(format!("{}[{}]", key.path, passes.index), key.attempt);
        match self.list(&parent, &format!("{}/", parent.path), body) {
            Progress::Complete(output) => self.next_pass(index, key, passes, &output),
            Progress::Failed(reason) => self.fail(index, key, &reason),
            other => other,
        }
    }

    fn first_pass(&mut self, key: &Key, test: &LoopTest) -> Progress {
        let around = self.around();
        let list = match test {
            LoopTest::Over(Value::Array(items)) => items.clone(),
            LoopTest::Over(Value::String(name)) => around.value(name, key).and_then(|value| value.as_array().cloned()).unwrap_or_default(),
            _ => Vec::new(),
        };
        let go_on = match test {
            LoopTest::Over(_) => !list.is_empty(),
            LoopTest::While(condition) => condition.truth(&around.known(condition.names(), key)) == Some(true),
            LoopTest::Until(_) => true,
        };
        self.pass(key, 0, go_on, list)
    }

    fn pass(&mut self, key: &Key, index: u32, go_on: bool, list: Vec<Value>) -> Progress {
        self.push(RunEvent::LoopPassed { run: self.run.id.clone(), path: key.path.clone(), attempt: key.attempt, index, go_on, list });
        Progress::Moved
    }

    fn next_pass(&mut self, index: BlockIndex, key: &Key, passes: &Passes, output: &Value) -> Progress {
        let plan = self.plan;
        let BlockKind::Loop { test, max, on_max, .. } = &plan.block(index).kind else { return Progress::Busy };
        // The test of a pass sees what the pass handed on and which it was, not the loop's own place.
        let inside = Key::of(format!("{}[{}]/", key.path, passes.index), key.attempt);
        let asked = |condition: &crate::condition::Condition| {
            let mut known = self.around().known(condition.names(), &inside);
            for name in condition.names() {
                let path = name.strip_prefix("output").or_else(|| name.strip_prefix("loop.output")).filter(|_| !name.starts_with("loop.outputs"));
                if let Some(path) = path {
                    let pointer = path.replace('.', "/");
                    known.values.insert(name.to_owned(), output.pointer(&pointer).cloned().unwrap_or_default());
                }
            }
            condition.truth(&known)
        };
        let go_on = match test {
            LoopTest::Over(_) => usize::try_from(passes.index).is_ok_and(|index| index < passes.list.len()),
            LoopTest::While(condition) => asked(condition) == Some(true),
            LoopTest::Until(condition) => asked(condition) != Some(true),
        };
        if !go_on || passes.index < *max {
            return self.pass(key, passes.index, go_on, Vec::new());
        }
        match on_max {
            OnMax::Continue => self.pass(key, passes.index, false, Vec::new()),
            OnMax::Fail => self.fail(index, key, &format!("{} ran out of passes", key.path)),
            OnMax::Ask => {
                self.block("back_max", &key.path, format!("{max} passes, and the loop is not done"));
                Progress::Moved
            }
        }
    }
}

impl Lanes {
    fn summary(&self) -> BTreeMap<String, String> {
        let of = |ids: &[String], word: &str| ids.iter().map(|id| (id.clone(), word.to_owned())).collect::<Vec<_>>();
        [of(&self.done, "done"), of(&self.skipped, "skipped"), of(&self.failed, "failed")].concat().into_iter().collect()
    }
}
