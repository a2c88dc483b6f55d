//! What a command comes to: events, or a refusal that says what is missing and who can supply it. Looks at nothing but its arguments.

use super::event::RunEvent;
use super::fold::{By, apply};
use super::gate::Unmet;
use super::state::*;
use super::walk::Working;
use super::world::World;
use crate::document::NoteKind;
use crate::plan::{BlockIndex, BlockKind, Plan};
use contracts::{Actor, ActorKind, Code, Hint, Moment, Problem, limits};
use serde_json::{Map, Value, json};

/// Who asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Caller {
    /// Who says they act.
    pub actor: Actor,
    /// Who answers for it.
    pub principal: String,
    /// Whether it is a person at a page or a terminal. An agent's credential never makes one, whatever its label.
    pub is_person: bool,
    /// How sure that is: `terminal`, `session`.
    pub assurance: String,
}

/// What is asked of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Begin it.
    Start {
        /// Its id.
        run: String,
        /// What it is given.
        input: Value,
        /// By what: `explicit`, `routed`.
        origin: String,
    },
    /// Take an open step.
    Claim {
        /// This one; the first that fits without it.
        path: Option<String>,
        /// Only one for this label.
        agent: Option<String>,
        /// How long it is held, seconds.
        seconds: i64,
    },
    /// Report a step.
    Done(Box<Report>),
    /// Give a step back.
    Release {
        /// Its handle.
        handle: HandleId,
    },
    /// Ask, and wait for the answer.
    Ask {
        /// Its handle.
        handle: HandleId,
        /// What is asked.
        text: String,
        /// What may be chosen.
        choices: Vec<String>,
    },
    /// Answer.
    Answer {
        /// The question.
        ask: String,
        /// The answer.
        text: String,
    },
    /// Write a note on a step.
    Note {
        /// Its handle.
        handle: HandleId,
        /// What it is.
        kind: NoteKind,
        /// What it says.
        text: String,
    },
    /// Write data of the run.
    Store {
        /// The handle of the step that writes.
        handle: HandleId,
        /// What is done.
        change: super::stores::Change,
    },
    /// Say yes or no.
    Decide {
        /// The request.
        request: String,
        /// The digest that was shown.
        digest: String,
        /// Yes or no.
        yes: bool,
        /// Why.
        comment: String,
    },
    /// Open a gate all the same.
    Override {
        /// The instance.
        key: Key,
        /// Why.
        reason: String,
    },
    /// Go on after a stop: try again, or with this branch or lane.
    Unblock {
        /// A branch or lane.
        choice: Option<String>,
    },
    /// Hold it back.
    Pause {
        /// Why.
        reason: String,
    },
    /// No longer.
    Resume,
    /// Give it up.
    Cancel {
        /// Why.
        reason: String,
    },
    /// Something from outside came.
    Signal {
        /// Its name.
        name: String,
        /// Its fields.
        fields: Map<String, Value>,
    },
    /// The task could not be closed.
    CloseRefused {
        /// What is missing.
        detail: String,
    },
    /// Look whether something moves by itself.
    Settle,
}

/// A report.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The handle.
    pub handle: HandleId,
    /// `Done`, `Failed`, `Cannot` or `Back`.
    pub outcome: StepOutcome,
    /// What came of it.
    pub output: Value,
    /// A note.
    pub note: Option<(NoteKind, String)>,
    /// Evidence: name, whether it went well, the commit.
    pub evidence: Vec<(String, bool, Option<String>)>,
    /// Fields of the task.
    pub writes: Map<String, Value>,
}

/// What is done to the task with it, in the same transaction.
#[derive(Clone, Debug, PartialEq)]
pub enum TaskEffect {
    /// These fields are set.
    Set(Map<String, Value>),
    /// It is closed.
    Close {
        /// `done` or `cancelled`.
        status: String,
        /// Why no commit belongs to it.
        no_code: Option<String>,
    },
}

/// What a command comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// The state it leads to.
    pub run: Run,
    /// What is written, in order, each with its author.
    pub events: Vec<(RunEvent, By)>,
    /// What is done to the task.
    pub effects: Vec<TaskEffect>,
    /// The handle of a step that was taken.
    pub handle: Option<HandleId>,
    /// What keeps a report from being the end of its step; empty when it was accepted.
    pub unmet: Vec<Unmet>,
    /// Whether it was said before.
    pub repeated: bool,
    /// The answer, where what is written is only that somebody came too late.
    pub refusal: Option<Problem>,
}

/// Decides a command. `run` is `None` for a start alone.
///
/// # Errors
/// The refusal; nothing is written then.
pub fn decide(plan: &Plan, run: Option<&Run>, world: &World, caller: &Caller, command: &Command) -> Result<Decided, Problem> {
    let mut deciding = match (run, command) {
        (None, Command::Start { run, input, origin }) => begin(plan, world, caller, run, input, origin)?,
        (Some(_), Command::Start { .. }) => return Err(Problem::new(Code::IllegalMove, "the task has a run already").hint(Hint::text("callboard runs show"))),
        (None, _) => return Err(Problem::new(Code::NotFound, "there is no such run")),
        (Some(run), _) => Deciding::of(plan, run.clone(), world, caller),
    };
    deciding.carry_out(command)?;
    deciding.working.settle();
    if let Command::Done(report) = command {
        deciding.told_of_people(&report.handle);
    }
    let Deciding { working, handle, unmet, repeated, refusal, .. } = deciding;
    Ok(Decided { run: working.run, events: working.events, effects: working.effects, handle, unmet, repeated, refusal })
}

fn begin<'a>(plan: &'a Plan, world: &'a World, caller: &'a Caller, run: &str, input: &Value, origin: &str) -> Result<Deciding<'a>, Problem> {
    if let Some(schema) = &plan.document.input {
        let faults = crate::returns::faults(schema, input);
        if !faults.is_empty() {
            return Err(Problem::new(Code::BadOutput, format!("the input does not fit {}: {}", plan.slug, faults.join("; "))));
        }
    }
    let started = RunEvent::Started {
        run: run.to_owned(),
        workflow: plan.slug.clone(),
        hash: plan.version.clone(),
        input: input.clone(),
        vars: plan.document.vars.clone().into_iter().collect(),
        origin: origin.to_owned(),
    };
    let by = By { actor: caller.actor.clone(), principal: caller.principal.clone(), at: world.now };
    let mut state = None;
    apply(&mut state, &started, &by);
    let run = state.ok_or_else(|| Problem::new(Code::Internal, "a run could not be begun"))?;
    let mut deciding = Deciding::of(plan, run, world, caller);
    deciding.working.events.push((started, by));
    Ok(deciding)
}

pub(super) struct Deciding<'a> {
    pub working: Working<'a>,
    pub plan: &'a Plan,
    pub world: &'a World,
    pub caller: &'a Caller,
    pub handle: Option<HandleId>,
    pub unmet: Vec<Unmet>,
    pub repeated: bool,
    pub refusal: Option<Problem>,
}

impl<'a> Deciding<'a> {
    fn of(plan: &'a Plan, run: Run, world: &'a World, caller: &'a Caller) -> Deciding<'a> {
        let working = Working { plan, world, run, events: Vec::new(), effects: Vec::new(), principal: caller.principal.clone() };
        Deciding { working, plan, world, caller, handle: None, unmet: Vec::new(), repeated: false, refusal: None }
    }

    fn carry_out(&mut self, command: &Command) -> Result<(), Problem> {
        if self.working.run.outcome.is_some() && !matches!(command, Command::Settle | Command::Done(_) | Command::Decide { .. } | Command::Start { .. }) {
            return Err(Problem::new(Code::IllegalMove, "the run is over"));
        }
        match command {
            Command::Start { .. } | Command::Settle => Ok(()),
            Command::Claim { path, agent, seconds } => self.claim(path.as_deref(), agent.as_deref(), *seconds),
            Command::Done(report) => self.done(report),
            Command::Release { handle } => self.release(handle),
            Command::Ask { handle, text, choices } => self.ask(handle, text, choices),
            Command::Answer { ask, text } => self.answer(ask, text),
            Command::Note { handle, kind, text } => {
                let (key, _) = self.held(handle)?;
                self.note(&key, *kind, text)
            }
            Command::Store { handle, change } => self.store(handle, change),
            Command::Decide { request, digest, yes, comment } => self.verdict(request, digest, *yes, comment),
            Command::Override { key, reason } => self.override_gate(key, reason),
            Command::Unblock { choice } => self.unblock(choice.as_deref()),
            Command::Pause { reason } => self.pause(reason),
            Command::Resume => self.resume(),
            Command::Cancel { reason } => self.cancel(reason),
            Command::Signal { name, fields } => {
                // What an agent says is no fact from outside: it would open a gate with its own words.
                if self.caller.actor.is_agent() {
                    return Err(Problem::new(Code::Forbidden, "a signal comes from outside, not from an agent")
                        .hint(Hint::text("report what you saw as evidence of your step")));
                }
                let run = self.working.run.id.clone();
                let source = self.caller.actor.short().to_owned();
                self.write(RunEvent::Signal { run, name: name.clone(), source, fields: fields.clone() });
                Ok(())
            }
            Command::CloseRefused { .. } if self.caller.actor.kind() != ActorKind::System => Err(Problem::new(Code::Forbidden, "only the board says so")),
            Command::CloseRefused { detail } => {
                self.working.block("close_refused", "", detail.clone());
                Ok(())
            }
        }
    }

    /// Writes an event of the caller.
    pub fn write(&mut self, event: RunEvent) {
        let by = By { actor: self.caller.actor.clone(), principal: self.caller.principal.clone(), at: self.world.now };
        self.working.push_by(event, by);
    }

    /// The instance a handle is the newest of.
    pub fn held(&self, handle: &HandleId) -> Result<(Key, Instance), Problem> {
        let run = &self.working.run;
        let Some((key, own)) = run.of_handle(handle) else {
            return Err(Problem::new(Code::NotFound, format!("{} is the handle of no step of this run", handle.0)));
        };
        if own.is_held_by(handle) && own.state == InstanceState::Taken {
            return Ok((key.clone(), own.clone()));
        }
        Err(self.stale(handle, key, own))
    }

    fn stale(&self, handle: &HandleId, key: &Key, own: &Instance) -> Problem {
        let now = match &own.holder {
            Some(holder) if own.state == InstanceState::Asking && holder.handle == *handle => {
                return Problem::new(Code::IllegalMove, format!("{key} waits for the answer to what you asked; it is handed out again with it"));
            }
            Some(holder) => format!("{} has it", holder.actor),
            None => format!("it is {}", json!(own.state).as_str().unwrap_or_default()),
        };
        Problem::new(Code::StaleFence, format!("{} is not the newest handle of {key}: {now}", handle.0))
            .hint(Hint::text("take the next step; what you report with this one changes nothing"))
    }

    fn claim(&mut self, path: Option<&str>, agent: Option<&str>, seconds: i64) -> Result<(), Problem> {
        let run = &self.working.run;
        if let Some(reason) = &run.paused {
            return Err(Problem::new(Code::Held, format!("the run is held back: {reason}")));
        }
        if let Some(blocked) = &run.blocked {
            return Err(Problem::new(Code::Blocked, format!("the run is blocked ({}): {}", blocked.reason, blocked.detail)));
        }
        let lapsed = |own: &Instance| {
            own.state == InstanceState::Taken && own.holder.as_ref().is_some_and(|holder| holder.expires.plus_seconds(limits::GRACE_SECONDS) < self.world.now)
        };
        let mut open: Vec<(BlockIndex, Key, Instance)> = Vec::new();
        for (key, own) in run.instances.iter().filter(|(_, own)| own.state == InstanceState::Open || lapsed(own)) {
            let Some(index) = self.plan.at(&key.path) else { continue };
            let block = self.plan.block(index);
            let fits = path.is_none_or(|path| path == key.path) && agent.is_none_or(|agent| block.step.agent.as_deref() == Some(agent));
            if fits && (self.caller.is_person || !block.is_for_people()) {
                open.push((index, key.clone(), own.clone()));
            }
        }
        open.sort_by_key(|(_, _, own)| own.order);
        let Some((index, key, own)) = open.into_iter().next() else { return Err(self.nothing(path)) };
        if own.lapses >= 2 && own.state == InstanceState::Taken {
            self.working.block("lapsed_3x", &key.path, format!("three holders of {key} fell silent"));
            return Ok(());
        }
        let longest = self.plan.block(index).step.timeout.map_or(seconds, |timeout| timeout.seconds.min(seconds));
        let fence = own.fence + 1;
        let handle = HandleId(format!("st-{}.{fence}", instance_name(&self.working.run.id, &key)));
        let mode = if self.caller.is_person { "person" } else { "self" };
        let took_over = own.holder.as_ref().map(|holder| holder.handle.clone());
        self.write(RunEvent::Claimed {
            run: self.working.run.id.clone(),
            path: key.path.clone(),
            attempt: key.attempt,
            handle: handle.clone(),
            fence,
            expires: self.world.now.plus_seconds(longest),
            mode: mode.to_owned(),
            took_over,
        });
        self.handle = Some(handle);
        Ok(())
    }

    fn nothing(&self, path: Option<&str>) -> Problem {
        let run = &self.working.run;
        let taken: Vec<String> = run
            .instances
            .iter()
            .filter(|(key, own)| own.state == InstanceState::Taken && path.is_none_or(|path| path == key.path))
            .map(|(key, own)| {
                format!(
                    "{key} is with {} until {}",
                    own.holder.as_ref().map_or_else(String::new, |holder| holder.actor.to_string()),
                    own.holder.as_ref().map_or(Moment(0), |holder| holder.expires)
                )
            })
            .collect();
        if !taken.is_empty() {
            return Problem::new(Code::LeaseHeld, taken.join("; ")).hint(Hint::text("end your turn; it is handed out when it is free"));
        }
        let standing = json!(run.standing(self.world.now));
        Problem::new(Code::GateClosed, format!("no step of this run is open to you: the run is {}", standing.as_str().unwrap_or_default()))
            .hint(Hint::text("end your turn; the run goes on by itself when what it waits for comes"))
    }

    fn release(&mut self, handle: &HandleId) -> Result<(), Problem> {
        let (key, _) = self.held(handle)?;
        let run = self.working.run.id.clone();
        self.write(RunEvent::Released { run, path: key.path, attempt: key.attempt, handle: handle.clone(), why: "given_back".to_owned() });
        Ok(())
    }

    fn done(&mut self, report: &Report) -> Result<(), Problem> {
        let run = self.working.run.id.clone();
        let Some((key, own)) = self.working.run.of_handle(&report.handle).map(|(key, own)| (key.clone(), own.clone())) else {
            return Err(Problem::new(Code::NotFound, format!("{} is the handle of no step of this run", report.handle.0)));
        };
        if own.reported.as_ref().is_some_and(|before| before.handle == report.handle && before.outcome == report.outcome && before.output == report.output)
            && !own.is_held_by(&report.handle)
        {
            self.repeated = true;
            return Ok(());
        }
        if !own.is_held_by(&report.handle) || own.state != InstanceState::Taken {
            let problem = self.stale(&report.handle, &key, &own);
            if problem.code != Code::StaleFence || self.working.run.outcome.is_some() {
                return Err(problem);
            }
            // What was done is kept beside the step, and moves nothing.
            self.write(RunEvent::Late { run, path: key.path, attempt: key.attempt, handle: report.handle.clone(), output: report.output.clone() });
            self.refusal = Some(problem);
            return Ok(());
        }
        let Some(index) = self.plan.at(&key.path) else { return Err(Problem::new(Code::Internal, "the step is not in its workflow")) };
        self.check(index, report)?;
        if let Some((kind, text)) = &report.note {
            self.note(&key, *kind, text)?;
        }
        for (name, pass, sha) in &report.evidence {
            let count = self.working.run.evidence.len().to_string();
            let evidence = format!("ev-{}", digits(&[&run, &key.to_string(), name, &count], 8));
            let source = match self.caller.actor.kind() {
                ActorKind::Dev if self.caller.is_person => "person",
                ActorKind::System => "ci",
                ActorKind::Dev | ActorKind::Agent => "agent",
            };
            let event = RunEvent::EvidenceAdded {
                run: run.clone(),
                path: key.path.clone(),
                attempt: key.attempt,
                evidence,
                name: name.clone(),
                pass: *pass,
                source: source.to_owned(),
                sha: sha.clone(),
            };
            self.write(event);
        }
        match report.outcome {
            StepOutcome::Done => self.finished(index, &key, report),
            StepOutcome::Cannot => {
                self.submit(&key, report);
                let detail = report.note.as_ref().map(|(_, text)| text.clone()).unwrap_or_default();
                self.working.block("cannot", &key.path, detail);
            }
            StepOutcome::Back => {
                self.submit(&key, report);
                let reason = report.note.as_ref().map(|(_, text)| text.clone()).unwrap_or_default();
                if let Some(gate) = self.plan.block(index).gate() {
                    self.working.rejected(index, &key, gate, &reason);
                }
            }
            _ => self.submit(&key, report),
        }
        Ok(())
    }

    /// A step whose work is in may wait for a person: whoever reported is told.
    fn told_of_people(&mut self, handle: &HandleId) {
        let run = &self.working.run;
        let Some((key, _)) = run.of_handle(handle).filter(|(_, own)| own.state == InstanceState::Gated) else { return };
        if let Some((id, request)) = run.open_request(key) {
            let text = format!("{} of {} people said yes ({id})", request.verdicts.values().filter(|said| said.yes).count(), request.min);
            self.unmet.push(Unmet { key: "requires_approval".to_owned(), code: "approval_missing".to_owned(), yours: false, text });
        }
    }

    /// What a report must be before anything is kept of it.
    fn check(&self, index: BlockIndex, report: &Report) -> Result<(), Problem> {
        let block = self.plan.block(index);
        let note = report.note.as_ref().map(|(kind, text)| (*kind, text.trim())).filter(|(_, text)| !text.is_empty());
        match report.outcome {
            StepOutcome::Cannot if note.is_none_or(|(kind, _)| kind != NoteKind::Blocker) => {
                return Err(
                    Problem::new(Code::NeedsReason, "what stands in the way is not said").hint(Hint::text("note: why it can't be done, note_kind: BLOCKER"))
                );
            }
            StepOutcome::Back if note.is_none() => {
                return Err(Problem::new(Code::NeedsReason, "why it must be done again is not said").hint(Hint::text("note: what is wrong with it")));
            }
            StepOutcome::Back if block.gate().and_then(|gate| gate.on_reject.as_ref()).is_none() => {
                return Err(Problem::new(Code::IllegalMove, format!("no way leads back from {}", block.id)).hint(Hint::text("report outcome failed or cannot")));
            }
            _ => {}
        }
        if let (StepOutcome::Done, Some(schema)) = (report.outcome, &block.step.returns) {
            let faults = crate::returns::faults(schema, &report.output);
            if !faults.is_empty() {
                let problem = Problem::new(Code::BadOutput, format!("the output of {} does not fit: {}", block.id, faults.join("; ")));
                return Err(problem.hint(Hint::text(format!("report again with the same handle; wanted: {schema}"))));
            }
        }
        let allowed: Vec<&str> = block.step.writes.iter().map(|field| field.as_str()).collect();
        if let Some(field) = report.writes.keys().find(|field| !allowed.contains(&field.as_str())) {
            let may = if allowed.is_empty() { "no field".to_owned() } else { allowed.join(", ") };
            return Err(Problem::new(Code::Forbidden, format!("{} may not write {field}", block.id)).hint(Hint::text(format!("it may write {may}"))));
        }
        Ok(())
    }

    fn submit(&mut self, key: &Key, report: &Report) {
        let run = self.working.run.id.clone();
        self.write(RunEvent::Submitted {
            run,
            path: key.path.clone(),
            attempt: key.attempt,
            handle: report.handle.clone(),
            outcome: report.outcome,
            output: report.output.clone(),
            writes: report.writes.clone(),
        });
    }

    /// Work that is said to be done: what is the holder's to supply must be there.
    fn finished(&mut self, index: BlockIndex, key: &Key, report: &Report) {
        let before = self.working.run.clone();
        let (events, effects) = (self.working.events.len(), self.working.effects.len());
        self.submit(key, report);
        let block = self.plan.block(index);
        if let Some(gate) = block.gate() {
            let said = self.working.around().evaluate(gate, block, key);
            if said.unmet.iter().any(|unmet| unmet.yours) {
                // The report is not taken; its note and evidence stay.
                self.working.run = before;
                self.working.events.truncate(events);
                self.working.effects.truncate(effects);
                let unmet = said.unmet.iter().map(|unmet| unmet.code.clone()).collect();
                let run = self.working.run.id.clone();
                self.write(RunEvent::Refused { run, path: key.path.clone(), attempt: key.attempt, handle: report.handle.clone(), unmet });
                self.unmet = said.unmet;
                return;
            }
            self.unmet = said.unmet;
        }
        // What a lane writes waits until the lanes are joined.
        if !report.writes.is_empty() && !self.is_in_lane(index) {
            self.working.effects.push(TaskEffect::Set(report.writes.clone()));
        }
    }

    fn is_in_lane(&self, index: BlockIndex) -> bool {
        let mut around = self.plan.block(index).parent;
        while let Some(block) = around {
            if matches!(self.plan.block(block).kind, BlockKind::Lanes(_)) {
                return true;
            }
            around = self.plan.block(block).parent;
        }
        false
    }

    pub fn note(&mut self, key: &Key, kind: NoteKind, text: &str) -> Result<(), Problem> {
        if text.trim().is_empty() || text.len() > limits::NOTE_BYTES_MAX {
            return Err(Problem::bad_request("note", format!("a note has 1 to {} bytes", limits::NOTE_BYTES_MAX)));
        }
        let run = self.working.run.id.clone();
        let count = self.working.run.notes.len().to_string();
        let note = format!("nt-{}", digits(&[&run, &key.to_string(), text, &count], 8));
        self.write(RunEvent::NoteAdded { run, path: key.path.clone(), attempt: key.attempt, note, note_kind: kind, text: text.to_owned() });
        Ok(())
    }
}
