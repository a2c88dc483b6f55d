//! What an event does to a run. Total: what does not fit has no effect and says so, and what says again what is so already is absorbed.

use super::event::RunEvent;
use super::state::*;
use contracts::{Actor, Moment};
use serde_json::Value;

/// What came of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It had its effect.
    Applied,
    /// It says what is so already.
    Agrees,
    /// It does not fit: kept, without effect.
    Conflict,
}

use Effect::{Agrees, Applied, Conflict};

/// Who wrote an event, and when.
#[derive(Clone, Debug, PartialEq)]
pub struct By {
    /// Who says they act.
    pub actor: Actor,
    /// Who answers for it.
    pub principal: String,
    /// When, by the log's clock.
    pub at: Moment,
}

/// Applies an event in order. `run` is `None` before the first.
pub fn apply(run: &mut Option<Run>, event: &RunEvent, by: &By) -> Effect {
    if event.is_a_persons() && !by.actor.is_dev() {
        return Conflict;
    }
    let Some(run) = run else {
        return match event {
            RunEvent::Started { run: id, workflow, hash, input, vars, origin } => {
                *run = Some(started(id, (workflow, hash), (input, vars), origin, by));
                Applied
            }
            _ => Conflict,
        };
    };
    if matches!(event, RunEvent::Started { .. }) {
        return Agrees;
    }
    if run.outcome.is_some() {
        return if matches!(event, RunEvent::Ended { outcome, .. } if run.outcome == Some(*outcome)) { Agrees } else { Conflict };
    }
    let effect = run.take(event, by);
    // What came too late is kept in the log and changes nothing.
    if effect == Applied && !matches!(event, RunEvent::Late { .. }) {
        run.changed_at = run.changed_at.max(by.at);
    }
    effect
}

fn started(id: &str, of: (&str, &str), given: (&Value, &serde_json::Map<String, Value>), origin: &str, by: &By) -> Run {
    Run {
        id: id.to_owned(),
        workflow: of.0.to_owned(),
        hash: of.1.to_owned(),
        input: given.0.clone(),
        vars: given.1.clone(),
        origin: origin.to_owned(),
        started_by: by.actor.clone(),
        started_at: by.at,
        changed_at: by.at,
        outcome: None,
        reason: String::new(),
        paused: None,
        blocked: None,
        transitions: 0,
        instances: Default::default(),
        backs: Default::default(),
        notes: Vec::new(),
        evidence: Vec::new(),
        requests: Default::default(),
        asks: Default::default(),
        stores: Default::default(),
        signals: Vec::new(),
    }
}

impl Run {
    fn take(&mut self, event: &RunEvent, by: &By) -> Effect {
        match event {
            RunEvent::Started { .. } => Agrees,
            RunEvent::Paused { reason, .. } => changed(self.paused.replace(reason.clone()).is_none()),
            RunEvent::Resumed { .. } => changed(self.paused.take().is_some()),
            RunEvent::Blocked { blocked, .. } => {
                let same = self.blocked.as_ref() == Some(blocked);
                if !same {
                    self.blocked = Some(blocked.clone());
                }
                changed(!same)
            }
            RunEvent::Unblocked { .. } => changed(self.blocked.take().is_some()),
            RunEvent::Ended { outcome, reason, .. } => {
                (self.outcome, self.reason) = (Some(*outcome), reason.clone());
                self.blocked = None;
                Applied
            }
            RunEvent::Signal { name, fields, .. } => {
                self.signals.push(Signal { name: name.clone(), fields: fields.clone(), at: by.at });
                Applied
            }
            RunEvent::StoreChanged { store, value, rev, .. } => {
                let own = self.stores.entry(store.clone()).or_default();
                if *rev != own.rev + 1 {
                    return Conflict;
                }
                *own = StoreValue { value: value.clone(), rev: *rev };
                Applied
            }
            RunEvent::Activated { path, attempt, parent, parent_attempt, state, item, .. } => {
                let key = Key::of(path.clone(), *attempt);
                if self.instances.contains_key(&key) {
                    return Agrees;
                }
                let reason = self.newest(path).and_then(|(_, before)| before.reason.clone());
                self.instances.insert(key, fresh(Key::of(parent.clone(), *parent_attempt), *state, item.clone(), reason, (self.transitions, by.at)));
                self.transitions += 1;
                Applied
            }
            RunEvent::ApprovalRequested { .. } | RunEvent::ApprovalGiven { .. } | RunEvent::ApprovalRejected { .. } | RunEvent::ApprovalClosed { .. } => {
                self.take_verdict(event, by)
            }
            RunEvent::Asked { .. }
            | RunEvent::Answered { .. }
            | RunEvent::NoteAdded { .. }
            | RunEvent::NoteResolved { .. }
            | RunEvent::EvidenceAdded { .. } => self.take_words(event, by),
            _ => self.take_step(event, by),
        }
    }

    /// Events that move an instance.
    fn take_step(&mut self, event: &RunEvent, by: &By) -> Effect {
        let Some(key) = event.key() else { return Conflict };
        if let RunEvent::SentBack { to, reason, count, undone, .. } = event {
            return self.send_back(&key, to, reason, *count, undone);
        }
        let name = instance_name(&self.id, &key);
        let Some(own) = self.instances.get_mut(&key) else { return Conflict };
        if own.state.is_closed() {
            return own.again(event);
        }
        match event {
            RunEvent::Opened { state, .. } if own.state == InstanceState::Held => {
                (own.state, own.opened_at) = (*state, Some(by.at));
            }
            RunEvent::Opened { .. } => return Agrees,
            RunEvent::Skipped { .. } => own.close(InstanceState::Skipped, by.at),
            RunEvent::Claimed { handle, fence, expires, took_over, .. } => {
                let free = own.state == InstanceState::Open
                    || (own.state == InstanceState::Taken && own.holder.as_ref().map(|holder| &holder.handle) == took_over.as_ref());
                // Another clone's claim of the same place in the line came first.
                if !free || *fence <= own.fence || handle.parts() != Some((name.as_str(), *fence)) {
                    return Conflict;
                }
                own.lapses += u32::from(took_over.is_some());
                own.fence = *fence;
                own.state = InstanceState::Taken;
                own.holder = Some(Holder { handle: handle.clone(), actor: by.actor.clone(), principal: by.principal.clone(), expires: *expires });
            }
            RunEvent::Released { handle, why, .. } => {
                if !own.is_held_by(handle) {
                    return Conflict;
                }
                own.lapses += u32::from(why == "lapsed");
                (own.state, own.holder) = (InstanceState::Open, None);
            }
            RunEvent::Submitted { handle, outcome, output, writes, .. } => {
                if !own.is_held_by(handle) {
                    return Conflict;
                }
                let principal = by.principal.clone();
                own.reported =
                    Some(Reported { handle: handle.clone(), outcome: *outcome, output: output.clone(), writes: writes.clone(), principal, at: by.at });
                own.output = output.clone();
                (own.state, own.holder) = (InstanceState::Gated, None);
            }
            RunEvent::Refused { unmet, .. } => return changed(own.refusals.insert(unmet.join(" "))),
            RunEvent::Late { .. } => return Applied,
            RunEvent::GateMet { which, .. } if which == "exit" => return changed(!std::mem::replace(&mut own.passed, true)),
            RunEvent::GateMet { .. } => return Applied,
            RunEvent::GateOverridden { .. } => {
                own.overridden = true;
                return changed(!std::mem::replace(&mut own.passed, true));
            }
            RunEvent::Finished { outcome, output, continued, .. } => {
                if !output.is_null() {
                    own.output = output.clone();
                }
                own.continued = *continued;
                own.close(closed(*outcome), by.at);
            }
            RunEvent::DecisionTaken { branch, inputs, results, by: who, .. } => {
                if own.branch.is_some() {
                    return Agrees;
                }
                own.branch = Some(Taken { branch: branch.clone(), inputs: inputs.clone(), results: results.clone(), by: who.clone() });
            }
            RunEvent::LanesJoined { .. } => return changed(!std::mem::replace(&mut own.joined, true)),
            RunEvent::LoopPassed { index, go_on, list, .. } => {
                let output = self.pass_output(&key, *index);
                let Some(own) = self.instances.get_mut(&key) else { return Conflict };
                let passes = own.passes.get_or_insert_with(|| Passes { list: list.clone(), ..Passes::default() });
                if passes.over || *index != passes.index {
                    return Agrees;
                }
                if *index > 0 {
                    passes.outputs.push(output);
                }
                passes.over = !*go_on;
                passes.index += u32::from(*go_on);
            }
            RunEvent::TimerFired { .. } => return Applied,
            _ => return Conflict,
        }
        Applied
    }

    /// What the last step of a pass handed on.
    pub(super) fn pass_output(&self, key: &Key, index: u32) -> Value {
        let parent = Key::of(format!("{}[{index}]", key.path), key.attempt);
        let last = self.instances.values().filter(|own| own.parent == parent && own.state == InstanceState::Done).max_by_key(|own| own.order);
        last.map(|own| own.output.clone()).unwrap_or_default()
    }

    /// The way back: everything between is done again.
    fn send_back(&mut self, from: &Key, to: &str, reason: &str, count: u32, undone: &[Key]) -> Effect {
        let way = format!("{}>{to}", from.path);
        let open = self.instances.get(from).is_some_and(|own| own.state != InstanceState::Superseded);
        if self.backs.get(&way).copied().unwrap_or(0) + 1 != count || !open {
            return Conflict;
        }
        for root in undone {
            self.supersede(root);
        }
        if let Some(target) = self.newest(to).map(|(key, _)| key.clone())
            && let Some(own) = self.instances.get_mut(&target)
        {
            own.reason = Some(reason.to_owned());
        }
        self.backs.insert(way, count);
        self.blocked = None;
        Applied
    }

    fn supersede(&mut self, key: &Key) {
        let inside = |(of, own): &(&Key, &Instance)| of.path != key.path && is_within(&of.path, &key.path) && own.state != InstanceState::Superseded;
        let below: Vec<Key> = self.instances.iter().filter(inside).map(|(of, _)| of.clone()).collect();
        for one in below.iter().chain(std::iter::once(key)) {
            if let Some(own) = self.instances.get_mut(one) {
                (own.state, own.holder) = (InstanceState::Superseded, None);
            }
            for request in self.requests.values_mut().filter(|request| request.on == *one && request.closed.is_none()) {
                request.closed = Some(Verdict::Superseded);
            }
        }
    }

    fn take_verdict(&mut self, event: &RunEvent, by: &By) -> Effect {
        match event {
            RunEvent::ApprovalRequested { request, digest, prompt, min, expires, .. } => {
                let Some(on) = event.key() else { return Conflict };
                if self.requests.contains_key(request) {
                    return Agrees;
                }
                if self.instances.get(&on).is_none_or(|own| own.state.is_closed()) {
                    return Conflict;
                }
                let fresh = Request {
                    on,
                    digest: digest.clone(),
                    prompt: prompt.clone(),
                    min: *min,
                    at: by.at,
                    expires: *expires,
                    verdicts: Default::default(),
                    closed: None,
                };
                self.requests.insert(request.clone(), fresh);
                Applied
            }
            RunEvent::ApprovalGiven { request, digest, assurance, comment, .. } | RunEvent::ApprovalRejected { request, digest, assurance, comment, .. } => {
                let Some(own) = self.requests.get_mut(request) else { return Conflict };
                if own.closed.is_some() || own.digest != *digest {
                    return Conflict;
                }
                if own.verdicts.contains_key(&by.principal) {
                    return Agrees;
                }
                let yes = matches!(event, RunEvent::ApprovalGiven { .. });
                own.verdicts
                    .insert(by.principal.clone(), Said { yes, actor: by.actor.clone(), assurance: assurance.clone(), comment: comment.clone(), at: by.at });
                Applied
            }
            RunEvent::ApprovalClosed { request, how, .. } => match self.requests.get_mut(request) {
                Some(own) if own.closed.is_none() => {
                    own.closed = Some(*how);
                    Applied
                }
                Some(_) => Agrees,
                None => Conflict,
            },
            _ => Conflict,
        }
    }

    fn take_words(&mut self, event: &RunEvent, by: &By) -> Effect {
        match event {
            RunEvent::Asked { ask, handle, ask_kind, text, choices, .. } => {
                let Some(on) = event.key() else { return Conflict };
                let Some(own) = self.instances.get_mut(&on).filter(|own| own.is_held_by(handle)) else { return Conflict };
                own.state = InstanceState::Asking;
                self.asks.insert(ask.clone(), Ask { on, kind: ask_kind.clone(), text: text.clone(), choices: choices.clone(), answer: None });
            }
            RunEvent::Answered { ask, text, .. } => {
                let Some(own) = self.asks.get_mut(ask) else { return Conflict };
                if own.answer.is_some() {
                    return Agrees;
                }
                own.answer = Some(text.clone());
                let on = own.on.clone();
                let more = self.asks.values().any(|other| other.on == on && other.answer.is_none());
                if let Some(own) = self.instances.get_mut(&on).filter(|own| own.state == InstanceState::Asking && !more) {
                    (own.state, own.holder) = (InstanceState::Open, None);
                }
            }
            RunEvent::NoteAdded { note, note_kind, text, .. } => {
                let Some(on) = event.key() else { return Conflict };
                if self.notes.iter().any(|own| own.note == *note) {
                    return Agrees;
                }
                self.notes.push(NoteRow { note: note.clone(), on, kind: *note_kind, text: text.clone(), actor: by.actor.clone(), resolved: false });
            }
            RunEvent::NoteResolved { note, .. } => match self.notes.iter_mut().find(|own| own.note == *note) {
                Some(own) => return changed(!std::mem::replace(&mut own.resolved, true)),
                None => return Conflict,
            },
            RunEvent::EvidenceAdded { evidence, name, pass, source, sha, .. } => {
                let Some(on) = event.key() else { return Conflict };
                if self.evidence.iter().any(|own| own.evidence == *evidence) {
                    return Agrees;
                }
                self.evidence.push(EvidenceRow {
                    evidence: evidence.clone(),
                    on,
                    name: name.clone(),
                    pass: *pass,
                    source: source.clone(),
                    sha: sha.clone(),
                    at: by.at,
                });
            }
            _ => return Conflict,
        }
        Applied
    }
}

impl Instance {
    /// Whether this is its newest handle and the work is under way.
    pub fn is_held_by(&self, handle: &HandleId) -> bool {
        matches!(self.state, InstanceState::Taken | InstanceState::Asking) && self.holder.as_ref().is_some_and(|holder| holder.handle == *handle)
    }

    fn close(&mut self, state: InstanceState, at: Moment) {
        (self.state, self.holder, self.finished_at) = (state, None, Some(at));
    }

    /// What an event about a closed instance comes to.
    fn again(&self, event: &RunEvent) -> Effect {
        match event {
            RunEvent::Finished { outcome, .. } if closed(*outcome) == self.state => Agrees,
            RunEvent::Skipped { .. } if self.state == InstanceState::Skipped => Agrees,
            RunEvent::GateMet { .. } if self.passed => Agrees,
            RunEvent::DecisionTaken { branch, .. } if self.branch.as_ref().is_some_and(|taken| taken.branch == *branch) => Agrees,
            RunEvent::Late { .. } => Applied,
            _ => Conflict,
        }
    }
}

fn fresh(parent: Key, state: InstanceState, item: Value, reason: Option<String>, (order, at): (u32, Moment)) -> Instance {
    Instance {
        order,
        parent,
        state,
        item,
        activated_at: at,
        opened_at: (state == InstanceState::Open).then_some(at),
        finished_at: None,
        holder: None,
        fence: 0,
        lapses: 0,
        reported: None,
        output: Value::Null,
        passed: false,
        joined: false,
        overridden: false,
        continued: false,
        reason,
        branch: None,
        passes: None,
        refusals: Default::default(),
    }
}

fn changed(is: bool) -> Effect {
    if is { Applied } else { Agrees }
}

fn closed(outcome: StepOutcome) -> InstanceState {
    match outcome {
        StepOutcome::Done => InstanceState::Done,
        StepOutcome::Failed | StepOutcome::Cannot => InstanceState::Failed,
        StepOutcome::Back | StepOutcome::Superseded => InstanceState::Superseded,
        StepOutcome::Cancelled => InstanceState::Cancelled,
    }
}

/// Whether a path is another or stands inside it: `build/repair` and `sweep[2]/x` in `build` and `sweep`.
pub(super) fn is_within(path: &str, outer: &str) -> bool {
    path == outer || path.strip_prefix(outer).is_some_and(|rest| rest.starts_with(['/', '[']))
}
