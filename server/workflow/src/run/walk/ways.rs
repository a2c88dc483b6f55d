//! Leaving a step: through its gate, by a failure, or by a way that leads somewhere else.

use super::super::event::RunEvent;
use super::super::state::*;
use super::{Progress, Working};
use crate::document::{Binds, Course, Gate, Opens};
use crate::plan::{BlockIndex, BlockKind};
use contracts::limits;
use serde_json::Value;

impl Working<'_> {
    /// Leaves a step whose work is done: when its gate lets it.
    pub fn leave(&mut self, index: BlockIndex, key: &Key, output: Value) -> Progress {
        let plan = self.plan;
        let passed = self.run.instances.get(key).is_some_and(|own| own.passed);
        match plan.block(index).gate() {
            Some(gate) if !passed => self.gate(index, key, gate),
            _ => {
                self.finish(key, StepOutcome::Done, output, false);
                Progress::Moved
            }
        }
    }

    fn gate(&mut self, index: BlockIndex, key: &Key, gate: &Gate) -> Progress {
        let said = self.around().evaluate(gate, self.plan.block(index), key);
        let Some(approval) = gate.requires_approval.as_ref().and_then(|switch| switch.on().map(|on| on.into_owned())) else {
            if said.is_met() {
                self.met(key, said.met, said.vacuous, Vec::new());
                return Progress::Moved;
            }
            return Progress::Busy;
        };
        let digest = if approval.binds == Binds::Attempt { digits(&[&self.run.hash, &key.to_string()], 64) } else { self.around().digest(key) };
        if let Some((id, request)) = self.run.open_request(key).map(|(id, request)| (id.clone(), request.clone())) {
            if request.digest != digest {
                self.close_request(&id, Verdict::Stale);
                return Progress::Moved;
            }
            let yes = request.verdicts.values().filter(|said| said.yes).count();
            if request.verdicts.values().any(|said| !said.yes) {
                self.close_request(&id, Verdict::Rejected);
                let reasons: Vec<&str> = request.verdicts.values().filter(|said| !said.yes).map(|said| said.comment.as_str()).collect();
                return self.rejected(index, key, gate, &reasons.join("; "));
            }
            if said.is_met() && yes >= usize::try_from(request.min).unwrap_or(usize::MAX) {
                self.close_request(&id, Verdict::Met);
                self.met(key, said.met, said.vacuous, vec![id]);
                return Progress::Moved;
            }
            if request.expires.is_some_and(|expires| expires <= self.world.now) {
                return self.expired(index, key, gate, &id);
            }
            return Progress::Busy;
        }
        if said.is_met() || approval.opens == Opens::Early {
            let earlier = self.run.requests.values().filter(|request| request.on == *key).count();
            let id = format!("ap-{}", digits(&[&self.run.id, &key.to_string(), &digest, &earlier.to_string()], 8));
            let around = self.around();
            let prompt = crate::reference::render(gate.prompt.as_deref().unwrap_or("May it go on?"), &|name| around.value(name, key)).0;
            let expires = gate.timeout.as_ref().and_then(|timeout| timeout.after).map(|after| self.world.now.plus_seconds(after.seconds));
            let min = gate.approvers.as_ref().map_or(1, |approvers| approvers.min);
            self.push(RunEvent::ApprovalRequested {
                run: self.run.id.clone(),
                path: key.path.clone(),
                attempt: key.attempt,
                request: id,
                digest,
                prompt,
                min,
                expires,
            });
        }
        Progress::Busy
    }

    fn met(&mut self, key: &Key, keys: std::collections::BTreeMap<String, Value>, vacuous: Vec<String>, approvals: Vec<String>) {
        self.push(RunEvent::GateMet {
            run: self.run.id.clone(),
            path: key.path.clone(),
            attempt: key.attempt,
            which: "exit".to_owned(),
            keys,
            vacuous,
            approvals,
        });
    }

    fn close_request(&mut self, request: &str, how: Verdict) {
        self.push(RunEvent::ApprovalClosed { run: self.run.id.clone(), request: request.to_owned(), how });
    }

    /// Somebody said no: the work goes back, or the run stops.
    pub fn rejected(&mut self, index: BlockIndex, key: &Key, gate: &Gate, reason: &str) -> Progress {
        match gate.on_reject.as_ref().and_then(|reject| reject.goto.clone().map(|to| (to, reject.max, reject.set.clone()))) {
            Some((to, max, set)) => {
                if !set.is_empty() {
                    self.effects.push(super::super::decide::TaskEffect::Set(set));
                }
                self.goto(index, key, &to, max, reason)
            }
            None => {
                self.block("rejected", &key.path, reason);
                Progress::Moved
            }
        }
    }

    /// Nobody answered in time.
    fn expired(&mut self, index: BlockIndex, key: &Key, gate: &Gate, request: &str) -> Progress {
        match gate.timeout.as_ref().and_then(|timeout| timeout.then.clone()) {
            Some(Course::Goto(id)) => {
                self.close_request(request, Verdict::Expired);
                self.goto(index, key, &id, limits::WAY_BACK_DEFAULT, "nobody answered in time")
            }
            Some(Course::Word(word)) if word == "reject" => {
                self.close_request(request, Verdict::Expired);
                self.rejected(index, key, gate, "nobody answered in time")
            }
            Some(Course::Word(word)) if word == "fail" => {
                self.close_request(request, Verdict::Expired);
                self.fail(index, key, "nobody answered in time")
            }
            // The question stays open: whoever looks sees that it is overdue.
            _ => Progress::Busy,
        }
    }

    /// A step went wrong: it is tried again, or what it says for that case is done.
    pub fn fail(&mut self, index: BlockIndex, key: &Key, reason: &str) -> Progress {
        let block = self.plan.block(index);
        let work = matches!(block.kind, BlockKind::Work);
        if work && block.step.retry.as_ref().is_some_and(|retry| key.attempt <= retry.max) {
            self.finish(key, StepOutcome::Superseded, Value::Null, false);
            return Progress::Moved;
        }
        match block.on_fail() {
            Course::Word(word) if word == "continue" => self.finish(key, StepOutcome::Failed, Value::Null, true),
            Course::Word(word) if word == "ask" => self.block("failed", &key.path, reason),
            Course::Word(_) => self.finish(key, StepOutcome::Failed, Value::Null, false),
            Course::Goto(id) => {
                let max = limits::WAY_BACK_DEFAULT;
                return self.goto(index, key, &id, max, reason);
            }
        }
        Progress::Moved
    }

    /// The instance that a parent's name stands for: a pass stands for its loop, a branch for its decision.
    fn owner(&self, parent: &Key) -> Option<Key> {
        if self.run.instances.contains_key(parent) {
            return Some(parent.clone());
        }
        let path = if parent.path.ends_with(']') { parent.path.rsplit_once('[') } else { parent.path.rsplit_once('/') };
        path.map(|(path, _)| Key::of(path, parent.attempt)).filter(|key| self.run.instances.contains_key(key))
    }

    /// Goes on at another step of this list or of one around it: forward over what lies between, or back to do it again.
    pub fn goto(&mut self, from: BlockIndex, key: &Key, to: &str, max: u32, reason: &str) -> Progress {
        let plan = self.plan;
        let Some(target) = plan.named(to) else {
            self.block("gate_config", &key.path, format!("there is no step {to}"));
            return Progress::Moved;
        };
        let list = plan.list_of(target).to_vec();
        // The step of that list in which this one stands.
        let (mut index, mut at) = (from, key.clone());
        let mut around = vec![key.clone()];
        while !list.contains(&index) {
            let parent = self.run.instances.get(&at).map(|own| own.parent.clone());
            let Some((owner, of)) = parent.and_then(|parent| self.owner(&parent)).and_then(|owner| plan.at(&owner.path).map(|of| (owner, of))) else {
                self.block("gate_config", &key.path, format!("no way leads to {to}"));
                return Progress::Moved;
            };
            (index, at) = (of, owner);
            around.push(at.clone());
        }
        let place = |of: BlockIndex| list.iter().position(|own| *own == of).unwrap_or(0);
        let (here, there) = (place(index), place(target));
        let parent = self.run.instances.get(&at).map(|own| own.parent.clone()).unwrap_or_else(|| Key::of("", 0));
        let prefix = if parent.path.is_empty() { String::new() } else { format!("{}/", parent.path) };
        let path = |of: BlockIndex| format!("{prefix}{}", plan.block(of).id);
        if there > here {
            for one in around {
                let output = self.run.instances.get(&one).map(|own| own.output.clone()).unwrap_or_default();
                let failed = self.run.instances.get(&one).and_then(|own| own.reported.as_ref()).is_some_and(|reported| reported.outcome == StepOutcome::Failed);
                let outcome = if failed { StepOutcome::Failed } else { StepOutcome::Done };
                self.finish(&one, outcome, output, failed);
            }
            for between in &list[here + 1..there] {
                let path = path(*between);
                let attempt = self.run.newest(&path).map_or(0, |(key, _)| key.attempt) + 1;
                let skipped = Key::of(path.clone(), attempt);
                self.push(RunEvent::Activated {
                    run: self.run.id.clone(),
                    path,
                    attempt,
                    parent: parent.path.clone(),
                    parent_attempt: parent.attempt,
                    state: InstanceState::Within,
                    item: Value::Null,
                });
                self.skip(&skipped, "branch");
            }
            return Progress::Moved;
        }
        let to_path = path(target);
        let count = self.run.backs.get(&format!("{}>{to_path}", key.path)).copied().unwrap_or(0) + 1;
        if count > max {
            self.block("back_max", &key.path, format!("the way back to {to} was gone {max} times; the last reason: {reason}"));
            return Progress::Moved;
        }
        let undone: Vec<Key> = list[there..=here]
            .iter()
            .filter_map(|of| self.run.below(&path(*of), &parent).filter(|(_, own)| own.state != InstanceState::Superseded).map(|(key, _)| key.clone()))
            .collect();
        self.push(RunEvent::SentBack {
            run: self.run.id.clone(),
            path: key.path.clone(),
            attempt: key.attempt,
            to: to_path,
            reason: reason.to_owned(),
            count,
            undone,
        });
        Progress::Moved
    }
}
