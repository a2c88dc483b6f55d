//! A workflow played without anybody: canned reports, canned answers, and what came of it. Its own test, and the quickest way to see
//! whether it goes where it should.

use crate::document::NoteKind;
use crate::plan::Plan;
use crate::run::state::{Key, Outcome, Run, StepOutcome};
use crate::run::{Caller, Child, Command, Decided, Report, TaskEffect, World, decide};
use contracts::{Actor, Moment};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Steps a play takes before it is stopped.
const TURNS: usize = 2_000;

/// What is played.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// The workflow's name.
    pub play: String,
    /// What the run is given.
    pub input: Value,
    /// Fields of the task.
    pub task: Map<String, Value>,
    /// Subtasks: each with its status.
    pub children: Vec<String>,
    /// Reports by step, in the order they are given; the last is given again. A step without any reports that it is done.
    pub reports: BTreeMap<String, Vec<Said>>,
    /// Verdicts by step: `yes`, or `no: why`. A step without any gets a yes.
    pub verdicts: BTreeMap<String, Vec<String>>,
    /// What must come of it; whatever is left out is not compared.
    pub expect: Expect,
}

/// A canned report.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Said {
    /// `done`, `failed`, `cannot` or `back`.
    pub outcome: Option<String>,
    /// What came of it.
    pub output: Value,
    /// A note.
    pub note: Option<String>,
    /// What the note is.
    pub note_kind: NoteKind,
    /// Evidence, each with `pass` or `fail`.
    pub evidence: BTreeMap<String, String>,
    /// Fields of the task.
    pub writes: Map<String, Value>,
    /// What is appended to stores.
    pub append: BTreeMap<String, Vec<Value>>,
}

/// What must come of a play.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expect {
    /// `completed`, `failed`, `cancelled`, or `blocked`.
    pub outcome: Option<String>,
    /// The steps that were worked on, in order.
    pub path: Option<Vec<String>>,
    /// The branch of each decision.
    pub branches: BTreeMap<String, String>,
}

/// What came of a play.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Played {
    /// `completed`, `failed`, `cancelled` or `blocked`.
    pub outcome: String,
    /// Why.
    pub reason: String,
    /// The steps that were worked on, in order.
    pub path: Vec<String>,
    /// The branch of each decision.
    pub branches: BTreeMap<String, String>,
    /// Each turn in words.
    pub turns: Vec<String>,
    /// What is otherwise than expected; empty when all of it is as it should be.
    pub faults: Vec<String>,
}

/// Reads a script.
///
/// # Errors
/// What is wrong with it, with its place.
pub fn script(text: &str) -> Result<Script, String> {
    let source = crate::source::read(text).map_err(|findings| findings.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    serde_path_to_error::deserialize(source.value.clone()).map_err(|fault| {
        let place = source.place(&format!("/{}", fault.path().to_string().replace(['.', '['], "/").replace(']', "")));
        format!("{}:{} {}", place.line, place.column, fault.inner())
    })
}

/// Plays it.
pub fn play(plan: &Plan, script: &Script) -> Played {
    let mut table = Table::set(plan, script);
    let reason = match table.begin() {
        Ok(()) => table.turns(),
        Err(fault) => fault,
    };
    table.told(reason)
}

/// A play under way.
struct Table<'a> {
    plan: &'a Plan,
    script: &'a Script,
    world: World,
    run: Option<Run>,
    given: BTreeMap<String, usize>,
    path: Vec<String>,
    lines: Vec<String>,
}

/// People of a play who may be asked for one yes.
const PEOPLE: usize = 12;

/// Whoever does the work. The names are only labels of a play; nothing of it is written.
fn worker(person: bool) -> Caller {
    let actor = if person { Actor::dev_named("worker") } else { Actor::agent_named("worker", "w1") };
    Caller { actor, principal: "worker".to_owned(), is_person: person, assurance: "session".to_owned() }
}

/// Whoever says yes or no.
fn voter(name: &str) -> Caller {
    Caller { actor: Actor::dev_named(name), principal: name.to_owned(), is_person: true, assurance: "session".to_owned() }
}

impl<'a> Table<'a> {
    fn set(plan: &'a Plan, script: &'a Script) -> Table<'a> {
        let mut task = Map::new();
        for (field, value) in [("id", "tk-000000"), ("title", "A play"), ("status", "open"), ("standing", "working")] {
            task.insert(field.to_owned(), json!(value));
        }
        task.insert("labels".to_owned(), json!([]));
        task.extend(script.task.clone());
        let child = |(place, status): (usize, &String)| {
            let id = format!("tk-{:06}", place + 1);
            Child { fields: Map::from_iter([("id".to_owned(), json!(id)), ("status".to_owned(), json!(status))]), id }
        };
        let children = script.children.iter().enumerate().map(child).collect();
        let approvers = || plan.blocks.iter().filter_map(|block| block.gate().and_then(|gate| gate.approvers.as_ref()));
        let roles: BTreeSet<String> = approvers().flat_map(|approvers| approvers.roles.clone()).collect();
        let named = approvers().flat_map(|approvers| approvers.people.clone());
        let people = (0..PEOPLE).map(|number| format!("player-{number}")).chain(named).map(|name| (name, roles.clone())).collect();
        let world = World { now: Moment(0), task, children, people, ..World::default() };
        Table { plan, script, world, run: None, given: BTreeMap::new(), path: Vec::new(), lines: Vec::new() }
    }

    fn begin(&mut self) -> Result<(), String> {
        self.give(&worker(false), &Command::Start { run: "rn-000000".to_owned(), input: self.script.input.clone(), origin: "play".to_owned() }).map(drop)
    }

    fn give(&mut self, caller: &Caller, command: &Command) -> Result<Decided, String> {
        let decided = decide(self.plan, self.run.as_ref(), &self.world, caller, command).map_err(|problem| problem.to_string())?;
        self.run = Some(decided.run.clone());
        for effect in &decided.effects {
            match effect {
                TaskEffect::Set(fields) => self.world.task.extend(fields.clone()),
                TaskEffect::Close { status, .. } => {
                    self.lines.push(format!("the task is closed: {status}"));
                    self.world.task.insert("status".to_owned(), json!(status));
                }
            }
        }
        Ok(decided)
    }

    /// Goes on until it ends, is blocked, or nothing moves it; says why when that is not an end.
    fn turns(&mut self) -> String {
        for _ in 0..TURNS {
            if self.run.as_ref().is_none_or(|run| run.outcome.is_some() || run.blocked.is_some()) {
                return String::new();
            }
            match self.turn() {
                Ok(true) => {}
                Ok(false) => return "nothing moves it: a gate waits for what the script does not give".to_owned(),
                Err(fault) => return fault,
            }
        }
        format!("it was stopped after {TURNS} turns")
    }

    fn turn(&mut self) -> Result<bool, String> {
        let Some(run) = &self.run else { return Ok(false) };
        let open = run.requests.iter().find(|(_, request)| request.closed.is_none()).map(|(id, request)| (id.clone(), request.clone()));
        if let Some((request, asked)) = open {
            let said = self.next(&asked.on, &self.script.verdicts).unwrap_or_else(|| "yes".to_owned());
            let (yes, comment) = match said.split_once(':') {
                Some((_, why)) => (false, why.trim().to_owned()),
                None => (said != "no", String::new()),
            };
            self.lines.push(format!("{}: {} {said}", asked.on, asked.prompt));
            let comment = if yes || !comment.is_empty() { comment } else { "no".to_owned() };
            let named = self
                .plan
                .at(&asked.on.path)
                .and_then(|index| self.plan.block(index).gate())
                .and_then(|gate| gate.approvers.as_ref())
                .map(|approvers| &approvers.people);
            let place = asked.verdicts.len();
            let name = named.and_then(|people| people.get(place).cloned()).unwrap_or_else(|| format!("player-{place}"));
            self.give(&voter(&name), &Command::Decide { request, digest: asked.digest, yes, comment })?;
            return Ok(true);
        }
        let before = run.clone();
        let human = |key: &Key| self.plan.at(&key.path).is_some_and(|index| self.plan.block(index).is_for_people());
        let next = run.instances.iter().filter(|(_, own)| own.state == crate::run::state::InstanceState::Open).min_by_key(|(_, own)| own.order);
        if let Some((key, _)) = next.map(|(key, own)| (key.clone(), own.order)) {
            let person = human(&key);
            return self.work(&key, person).map(|()| true);
        }
        // Only the clock is left: the longest wait of a workflow is over in a year.
        self.give(&worker(false), &Command::Settle)?;
        if self.run.as_ref() == Some(&before) {
            self.world.now = Moment(0).plus_seconds(366 * 86_400);
            self.give(&worker(false), &Command::Settle)?;
        }
        Ok(self.run.as_ref() != Some(&before))
    }

    /// What the script says next for a step.
    fn next<T: Clone>(&mut self, key: &Key, of: &BTreeMap<String, Vec<T>>) -> Option<T> {
        let id = self.plan.at(&key.path).map(|index| self.plan.block(index).id.clone())?;
        let list = of.get(&id)?;
        let given = self.given.entry(id).or_insert(0);
        let said = list.get(*given).or(list.last()).cloned();
        *given += 1;
        said
    }

    fn work(&mut self, key: &Key, person: bool) -> Result<(), String> {
        let said = self.next(key, &self.script.reports).unwrap_or_default();
        let outcome = match said.outcome.as_deref().unwrap_or("done") {
            "done" => StepOutcome::Done,
            "failed" => StepOutcome::Failed,
            "cannot" => StepOutcome::Cannot,
            "back" => StepOutcome::Back,
            other => return Err(format!("{key}: {other} is none of done, failed, cannot, back")),
        };
        let worker = worker(person);
        let taken = self.give(&worker, &Command::Claim { path: Some(key.path.clone()), agent: None, seconds: 900 })?;
        let handle = taken.handle.ok_or_else(|| format!("{key} could not be taken"))?;
        for (store, values) in &said.append {
            for value in values {
                let change = crate::run::StoreChange { store: store.clone(), op: "append".to_owned(), at: None, value: value.clone(), expect: None };
                self.give(&worker, &Command::Store { handle: handle.clone(), change })?;
            }
        }
        let note = said.note.clone().map(|text| (if outcome == StepOutcome::Cannot { NoteKind::Blocker } else { said.note_kind }, text));
        let evidence = said.evidence.iter().map(|(name, verdict)| (name.clone(), verdict == "pass", None)).collect();
        self.path.push(key.path.clone());
        self.lines.push(format!("{key}: {}", said.outcome.as_deref().unwrap_or("done")));
        let report = Report { handle, outcome, output: said.output, note, evidence, writes: said.writes };
        let done = self.give(&worker, &Command::Done(Box::new(report))).map_err(|fault| format!("{key}: {fault}"))?;
        match done.unmet.iter().find(|unmet| unmet.yours) {
            Some(unmet) => Err(format!("{key}: its gate is not met: {}: {}", unmet.key, unmet.text)),
            None => Ok(()),
        }
    }

    fn told(self, stopped: String) -> Played {
        let run = self.run.as_ref();
        let word = |outcome: Outcome| json!(outcome).as_str().unwrap_or_default().to_owned();
        let blocked = run.and_then(|run| run.blocked.as_ref()).map(|blocked| format!("{}: {}", blocked.reason, blocked.detail));
        let outcome = run.and_then(|run| run.outcome).map_or_else(|| "blocked".to_owned(), word);
        let reason = blocked.unwrap_or_else(|| if stopped.is_empty() { run.map(|run| run.reason.clone()).unwrap_or_default() } else { stopped });
        let taken = |(key, own): (&Key, &crate::run::state::Instance)| own.branch.as_ref().map(|taken| (key.path.clone(), taken.branch.clone()));
        let branches: BTreeMap<String, String> = run.map(|run| run.instances.iter().filter_map(taken).collect()).unwrap_or_default();
        let mut faults = Vec::new();
        let expect = &self.script.expect;
        if let Some(wanted) = expect.outcome.as_ref().filter(|wanted| **wanted != outcome) {
            faults.push(format!("it is {outcome}, and {wanted} was expected"));
        }
        if let Some(wanted) = expect.path.as_ref().filter(|wanted| **wanted != self.path) {
            faults.push(format!("it went {}, and {} was expected", self.path.join(", "), wanted.join(", ")));
        }
        for (decision, wanted) in &expect.branches {
            let took = branches.get(decision).map_or("none", String::as_str);
            if took != wanted {
                faults.push(format!("{decision} took {took}, and {wanted} was expected"));
            }
        }
        if expect == &Expect::default() && outcome != "completed" {
            faults.push(format!("it is {outcome}: {reason}"));
        }
        Played { outcome, reason, path: self.path, branches, turns: self.lines, faults }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Around, check};

    fn played(slug: &str, text: &str) -> Played {
        let template = crate::templates::template(slug).unwrap();
        let checked = check(template.text, &Around::default()).unwrap();
        play(&Plan::compile(&checked.document, "00000000").unwrap(), &script(text).unwrap())
    }

    #[test]
    fn every_template_can_be_carried_to_its_end() {
        for (slug, reports) in [
            ("blank", ""),
            (
                "bugfix",
                "red-test: [{output: {test_path: t.rs}, note: the fault lives in the worker of the exporter and in its buffer, evidence: {test-red: fail}}], prove: [{evidence: {tests: pass}}]",
            ),
            (
                "feature",
                "plan: [{output: {plan: do it in two steps}, note: It is done in two steps because the first of them can be released alone and tried by people., note_kind: DECISION}], make: [{evidence: {tests: pass}}], review: [{note: It reads well and it does all of what was planned for it.}]",
            ),
            (
                "research",
                "sources: [{append: {sources: [a, b, c]}}], findings: [{output: {text: three}}], doubt: [{output: {standing: false}}, {output: {standing: true}}], answer: [{note: The answer is three because each of the sources says so on its own and none says more., note_kind: DECISION}]",
            ),
            (
                "release",
                "notes: [{note: 'What is new is the exporter that does not time out any more on large boards, and nobody must do anything.'}], prove: [{evidence: {build: pass, tests: pass}}], ship: [{evidence: {shipped: pass}}], look: [{evidence: {healthy: pass}}]",
            ),
            ("refactor", "pin: [{evidence: {pinned: pass}}], prove: [{evidence: {tests: pass}}]"),
            (
                "publish",
                "draft: [{output: {text: so}}], claims: [{output: {green: false}}, {output: {green: true}}], publish: [{evidence: {published: pass}}], verify: [{evidence: {landed: pass}}]",
            ),
        ] {
            let played = played(slug, &format!("play: {slug}\nchildren: [done]\nreports: {{{reports}}}\n"));
            assert_eq!((played.outcome.as_str(), played.faults), ("completed", Vec::new()), "{slug}: {} {:#?}", played.reason, played.turns);
        }
    }

    #[test]
    fn as_many_people_say_yes_as_the_gate_wants() {
        let text = "workflow: x\nsteps:\n  - {id: a, instructions: do}\n  - {id: ok, gate: {requires_approval: true, approvers: {min: 2, roles: [maintainer], self: false}}}\n  - {id: z, end: completed}\n";
        let checked = check(text, &Around::default()).unwrap();
        let played = play(&Plan::compile(&checked.document, "00000000").unwrap(), &Script::default());
        assert_eq!((played.outcome.as_str(), played.turns.len()), ("completed", 3), "{:#?}", played.turns);
    }

    #[test]
    fn a_red_check_never_publishes() {
        let played = played(
            "publish",
            "reports: {draft: [{output: {text: so}}], claims: [{output: {green: false}}]}\nexpect: {outcome: failed, branches: {verdict: red}}\n",
        );
        assert_eq!(played.faults, Vec::<String>::new(), "{:#?}", played.turns);
        assert!(!played.path.contains(&"publish".to_owned()));
    }

    #[test]
    fn a_no_sends_the_work_back_and_the_next_report_is_given() {
        let text = "reports: {red-test: [{output: {test_path: t.rs}, note: the fault lives in the worker of the exporter and in its buffer, evidence: {test-red: fail}}], prove: [{evidence: {tests: pass}}]}\ntask: {complexity: S}\nverdicts: {release: ['no: the pages are wrong', yes]}\nexpect: {outcome: completed, branches: {size-up: small}}\n";
        let played = played("bugfix", text);
        assert_eq!(played.faults, Vec::<String>::new(), "{:#?}", played.turns);
        assert!(played.turns.iter().any(|turn| turn.contains("no: the pages are wrong")));
    }

    #[test]
    fn what_is_not_as_expected_is_told() {
        let missing = played("bugfix", "reports: {red-test: [{output: {test_path: t.rs}}]}\n");
        assert!(missing.faults[0].starts_with("it is blocked: red-test#1: its gate is not met: require_context"), "{:?}", missing.faults);
        let wrong = played("blank", "expect: {outcome: failed, path: [work, more]}\n");
        assert_eq!(wrong.faults, ["it is completed, and failed was expected", "it went work, and work, more was expected"]);
        assert!(script("reports: {a: [{colour: red}]}\n").unwrap_err().contains("unknown field `colour`"));
    }
}
