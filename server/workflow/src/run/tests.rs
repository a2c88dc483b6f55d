//! Runs: each gate key met, unmet, vacuous and changed afterwards; ways, lanes, loops, people; and that a replay comes to the same bytes.

mod gates;
mod paths;
mod people;
mod random;

use super::decide::Decided;
use super::event::RunEvent;
use super::state::*;
use super::world::{Child, World};
use super::{Caller, Command, Report, decide};
use crate::check::{Around, check};
use crate::document::NoteKind;
use crate::plan::Plan;
use contracts::{Actor, Code, Moment, Problem};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A run under test: its plan, its world, and the log of all that happened.
pub struct Stage {
    pub plan: Plan,
    pub world: World,
    pub run: Run,
    pub log: Vec<(RunEvent, super::fold::By)>,
    pub effects: Vec<super::TaskEffect>,
}

pub fn agent() -> Caller {
    Caller { actor: Actor::parse("agent:ana/w1").unwrap(), principal: "local:ana".to_owned(), is_person: false, assurance: "token".to_owned() }
}

/// What speaks for the world: a trigger, the board itself.
pub fn machine() -> Caller {
    Caller { actor: Actor::system("trigger"), principal: "local:ana".to_owned(), is_person: false, assurance: "token".to_owned() }
}

pub fn other_agent() -> Caller {
    Caller { actor: Actor::parse("agent:ana/w2").unwrap(), ..agent() }
}

pub fn person(name: &str) -> Caller {
    Caller { actor: Actor::parse(&format!("dev:{name}")).unwrap(), principal: format!("local:{name}"), is_person: true, assurance: "session".to_owned() }
}

pub fn plan(steps: &str) -> Plan {
    let text = format!("workflow: trial\nstores: {{plan: {{kind: list, of: text}}, facts: {{kind: dict, write: [a]}}}}\nvars: {{size: 1}}\nsteps:\n{steps}\n");
    let checked = check(&text, &Around::default()).unwrap_or_else(|findings| panic!("{findings:#?}"));
    assert!(checked.is_sound(), "{:#?}", checked.findings);
    Plan::compile(&checked.document, "0123abcd").unwrap()
}

impl Stage {
    /// A run of these steps that has begun.
    pub fn of(steps: &str) -> Stage {
        Stage::in_world(steps, Stage::world())
    }

    pub fn world() -> World {
        let task = json!({"id": "tk-91f24c", "title": "Export times out", "status": "open", "standing": "working", "labels": [], "priority": 1});
        let Value::Object(task) = task else { panic!("it is a map") };
        World { now: Moment::parse("2026-11-29T10:00:00Z").unwrap(), task, ..World::default() }
    }

    pub fn in_world(steps: &str, world: World) -> Stage {
        let plan = plan(steps);
        let start = Command::Start { run: "rn-4f2a9c".to_owned(), input: json!({"word": "harbour"}), origin: "explicit".to_owned() };
        let decided = decide(&plan, None, &world, &person("ana"), &start).unwrap();
        Stage { plan, world, run: decided.run, log: decided.events, effects: decided.effects }
    }

    pub fn give(&mut self, caller: &Caller, command: Command) -> Result<Decided, Problem> {
        let decided = decide(&self.plan, Some(&self.run), &self.world, caller, &command)?;
        self.run = decided.run.clone();
        self.log.extend(decided.events.clone());
        self.effects.extend(decided.effects.clone());
        Ok(decided)
    }

    pub fn settle(&mut self) {
        self.give(&agent(), Command::Settle).unwrap();
    }

    #[track_caller]
    pub fn claim(&mut self, path: &str) -> HandleId {
        self.claim_as(&agent(), path)
    }

    #[track_caller]
    pub fn claim_as(&mut self, caller: &Caller, path: &str) -> HandleId {
        let command = Command::Claim { path: Some(path.to_owned()), agent: None, seconds: 900 };
        self.give(caller, command).unwrap_or_else(|problem| panic!("{path}: {problem:?}\n{}", self.told())).handle.expect("a handle is handed out")
    }

    pub fn report(handle: &HandleId, outcome: StepOutcome) -> Report {
        Report { handle: handle.clone(), outcome, output: Value::Null, note: None, evidence: Vec::new(), writes: Map::new() }
    }

    /// Takes a step and reports it.
    #[track_caller]
    pub fn work(&mut self, path: &str) -> Decided {
        self.work_with(path, json!({"text": path}))
    }

    #[track_caller]
    pub fn work_with(&mut self, path: &str, output: Value) -> Decided {
        let handle = self.claim(path);
        let report = Report { output, ..Stage::report(&handle, StepOutcome::Done) };
        self.give(&agent(), Command::Done(Box::new(report))).unwrap_or_else(|problem| panic!("{path}: {problem:?}"))
    }

    #[track_caller]
    pub fn end_work(&mut self, path: &str, outcome: StepOutcome, note: &str) -> Decided {
        let handle = self.claim(path);
        let kind = if outcome == StepOutcome::Cannot { NoteKind::Blocker } else { NoteKind::Context };
        let report = Report { note: Some((kind, note.to_owned())), ..Stage::report(&handle, outcome) };
        self.give(&agent(), Command::Done(Box::new(report))).unwrap_or_else(|problem| panic!("{path}: {problem:?}"))
    }

    /// The request that is open.
    #[track_caller]
    pub fn request(&self) -> (String, String) {
        let open = self.run.requests.iter().find(|(_, request)| request.closed.is_none());
        let (id, request) = open.unwrap_or_else(|| panic!("nothing is asked:\n{}", self.told()));
        (id.clone(), request.digest.clone())
    }

    pub fn say(&mut self, caller: &Caller, yes: bool) -> Result<Decided, Problem> {
        let (request, digest) = self.request();
        self.give(caller, Command::Decide { request, digest, yes, comment: "because".to_owned() })
    }

    /// Each instance with its state, in the order they were reached.
    pub fn told(&self) -> String {
        let mut rows: Vec<(&Key, &Instance)> = self.run.instances.iter().collect();
        rows.sort_by_key(|(_, own)| own.order);
        let state = |own: &Instance| json!(own.state).as_str().unwrap_or_default().to_owned();
        let blocked = self.run.blocked.as_ref().map(|blocked| format!("blocked {}: {}\n", blocked.reason, blocked.detail)).unwrap_or_default();
        let outcome = self.run.outcome.map(|outcome| format!("ended {}\n", json!(outcome).as_str().unwrap_or_default())).unwrap_or_default();
        rows.iter().map(|(key, own)| format!("{key} {}\n", state(own))).collect::<String>() + &blocked + &outcome
    }

    #[track_caller]
    pub fn stands(&self, told: &str) {
        let wanted: String = told.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect();
        assert_eq!(self.told(), wanted);
        self.replays();
    }

    /// The log alone, through its written form, comes to the same bytes.
    #[track_caller]
    pub fn replays(&self) {
        let mut again = None;
        for (event, by) in &self.log {
            let draft = event.draft("tk-91f24c").unwrap();
            assert!(!matches!(draft.kind, engine::Kind::Other(_)), "{} is in the table of kinds", draft.kind);
            let read = RunEvent::read(&draft.kind, &draft.body).unwrap_or_else(|| panic!("{draft:?} reads back"));
            assert_eq!(&read, event);
            assert_eq!(super::apply(&mut again, &read, by), super::Effect::Applied, "{event:?}");
        }
        assert_eq!(serde_json::to_string(&again.unwrap()).unwrap(), serde_json::to_string(&self.run).unwrap());
    }

    pub fn state(&self, path: &str) -> InstanceState {
        self.run.newest(path).map(|(_, own)| own.state).unwrap_or_else(|| panic!("{path} was not reached:\n{}", self.told()))
    }
}

pub fn child(id: &str, status: &str) -> Child {
    let Value::Object(fields) = json!({"id": id, "status": status, "type": "bug"}) else { panic!("it is a map") };
    Child { id: id.to_owned(), fields }
}

pub fn roles(of: &[(&str, &[&str])]) -> BTreeMap<String, BTreeSet<String>> {
    of.iter().map(|(name, roles)| (format!("local:{name}"), roles.iter().map(|role| (*role).to_owned()).collect())).collect()
}

#[track_caller]
pub fn refused(result: Result<Decided, Problem>) -> Code {
    result.expect_err("it is refused").code
}
