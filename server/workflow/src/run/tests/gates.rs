//! Each key of a gate: unmet, met, with nothing to ask, and what happens when the world changes afterwards.

use super::*;

/// One step of work behind a gate, and one behind it that shows whether the gate let it through.
fn gated(gate: &str) -> Stage {
    Stage::of(&format!("  - {{id: a, instructions: do it, writes: [complexity], gate: {{{gate}}}}}\n  - {{id: z, instructions: go on}}"))
}

fn passed(stage: &Stage) -> bool {
    stage.run.newest("z").is_some()
}

/// Reports the step; what is missing comes back.
#[track_caller]
fn done(stage: &mut Stage) -> Vec<(String, bool)> {
    stage.work("a").unmet.into_iter().map(|unmet| (unmet.key, unmet.yours)).collect()
}

fn set(stage: &mut Stage, field: &str, value: Value) {
    stage.world.task.insert(field.to_owned(), value);
    stage.settle();
}

#[test]
fn wait_for_children_waits_for_each_that_is_open() {
    let mut stage = gated("wait_for_children: true, min_children: 1");
    stage.world.children = vec![child("tk-000001", "done"), child("tk-000002", "open")];
    assert_eq!(done(&mut stage), [("wait_for_children".to_owned(), false)]);
    assert_eq!(stage.state("a"), InstanceState::Gated);
    // Another child joins while the gate waits; one that is given up counts as closed.
    stage.world.children = vec![child("tk-000001", "done"), child("tk-000002", "cancelled"), child("tk-000003", "open")];
    stage.settle();
    assert!(!passed(&stage));
    stage.world.children.truncate(2);
    stage.settle();
    assert!(passed(&stage));
    // A child that opens again does not take back what was passed.
    stage.world.children[0] = child("tk-000001", "open");
    stage.settle();
    assert!(passed(&stage) && stage.state("a") == InstanceState::Done);
    stage.replays();
}

#[test]
fn without_children_waiting_for_them_is_met_and_says_that_it_was_empty() {
    let mut stage = gated("wait_for_children: true, min_children: 0");
    assert_eq!(done(&mut stage), []);
    assert!(passed(&stage));
    let vacuous = stage.log.iter().find_map(|(event, _)| if let RunEvent::GateMet { vacuous, .. } = event { Some(vacuous.clone()) } else { None });
    assert_eq!(vacuous.unwrap(), ["wait_for_children"]);
}

#[test]
fn a_filter_says_which_children_count() {
    let mut stage = gated("wait_for_children: {filter: type = chore}, min_children: 1");
    stage.world.children = vec![child("tk-000001", "open")];
    assert_eq!(done(&mut stage), []);
    assert!(passed(&stage), "the open one is no chore");
}

#[test]
fn min_children_is_what_guards_against_none() {
    let mut stage = gated("min_children: 2");
    stage.world.children = vec![child("tk-000001", "done")];
    assert_eq!(done(&mut stage), [("min_children".to_owned(), false)]);
    stage.world.children.push(child("tk-000002", "open"));
    stage.settle();
    assert!(passed(&stage));
    stage.world.children.clear();
    stage.settle();
    assert!(passed(&stage), "what was passed stays passed");
}

#[test]
fn task_status_holds_now_and_not_once() {
    let mut stage = gated("task_status: [in_review, done]");
    assert_eq!(done(&mut stage), [("task_status".to_owned(), false)]);
    set(&mut stage, "standing", json!("in_review"));
    assert!(passed(&stage));
    let mut stage = gated("task_status: {not_in: [blocked], of: parent}");
    assert_eq!(done(&mut stage), [("task_status".to_owned(), false)], "a parent that is not there meets nothing");
    stage.world.parent = Some(("open".to_owned(), "blocked".to_owned()));
    stage.settle();
    assert!(!passed(&stage));
    stage.world.parent = Some(("open".to_owned(), "working".to_owned()));
    stage.settle();
    assert!(passed(&stage));
}

#[test]
fn require_context_wants_own_words_of_this_attempt() {
    let mut stage = gated("require_context: {kinds: [CONTEXT], min_length: 10}");
    assert_eq!(done(&mut stage), [("require_context".to_owned(), true)]);
    assert_eq!(stage.state("a"), InstanceState::Taken, "the handle stays with whoever can mend it");
    let handle = stage.run.newest("a").unwrap().1.holder.clone().unwrap().handle;
    let mut tell = |kind: NoteKind, text: &str| {
        let report = Report { note: Some((kind, text.to_owned())), ..Stage::report(&handle, StepOutcome::Done) };
        stage.give(&agent(), Command::Done(Box::new(report))).unwrap().unmet.len()
    };
    assert_eq!(tell(NoteKind::Context, "short"), 1);
    assert_eq!(tell(NoteKind::Decision, "long enough, and of another kind"), 1);
    assert_eq!(tell(NoteKind::Context, "long enough, and of another kind"), 1, "a copy of an earlier note");
    assert_eq!(tell(NoteKind::Context, "the fault lives in the export worker"), 0);
    assert!(passed(&stage));
    stage.replays();
}

#[test]
fn require_fields_wants_a_value_or_a_comparison() {
    let mut stage = gated("require_fields: [due_at, {field: priority, is: '<= 0'}]");
    assert_eq!(done(&mut stage), [("require_fields".to_owned(), false)]);
    set(&mut stage, "due_at", json!("2026-12-01T00:00:00.000Z"));
    assert!(!passed(&stage));
    set(&mut stage, "priority", json!(0));
    assert!(passed(&stage));
    // A field that the holder may write is the holder's to supply.
    let mut stage = gated("require_fields: [complexity]");
    assert_eq!(done(&mut stage), [("require_fields".to_owned(), true)]);
}

#[test]
fn require_evidence_looks_at_the_newest_of_its_name_on_this_attempt() {
    let mut stage = gated("require_evidence: [{name: tests, verdict: pass}]");
    let handle = stage.claim("a");
    let mut show = |evidence: &[(&str, bool)]| {
        let evidence = evidence.iter().map(|(name, pass)| ((*name).to_owned(), *pass, None)).collect();
        let report = Report { evidence, ..Stage::report(&handle, StepOutcome::Done) };
        stage.give(&agent(), Command::Done(Box::new(report))).unwrap().unmet.len()
    };
    assert_eq!(show(&[]), 1);
    assert_eq!(show(&[("tests", true), ("tests", false)]), 1, "the newest is red");
    assert_eq!(show(&[("other", true)]), 1);
    assert_eq!(show(&[("tests", true)]), 0);
    assert!(passed(&stage));
}

#[test]
fn a_red_test_can_be_demanded_and_an_agents_word_is_not_the_machines() {
    let mut stage = gated("require_evidence: [{name: red, verdict: fail}]");
    let handle = stage.claim("a");
    let report = Report { evidence: vec![("red".to_owned(), false, None)], ..Stage::report(&handle, StepOutcome::Done) };
    assert!(stage.give(&agent(), Command::Done(Box::new(report))).unwrap().unmet.is_empty());
    let mut stage = gated("require_evidence: [{name: tests, from: ci}]");
    let handle = stage.claim("a");
    let report = Report { evidence: vec![("tests".to_owned(), true, None)], ..Stage::report(&handle, StepOutcome::Done) };
    let unmet = stage.give(&agent(), Command::Done(Box::new(report))).unwrap().unmet;
    assert_eq!((unmet.len(), unmet[0].yours), (1, false), "nobody who reports can supply it");
}

#[test]
fn wait_for_tasks_wants_each_closed() {
    let mut stage = gated("wait_for_tasks: [tk-00000a, tk-00000b]");
    stage.world.tasks.insert("tk-00000a".to_owned(), ("done".to_owned(), "done".to_owned()));
    assert_eq!(done(&mut stage), [("wait_for_tasks".to_owned(), false)], "one that is not known is not closed");
    stage.world.tasks.insert("tk-00000b".to_owned(), ("cancelled".to_owned(), "cancelled".to_owned()));
    stage.settle();
    assert!(passed(&stage));
}

#[test]
fn wait_for_event_counts_what_came_since_the_step_was_reached() {
    let fields = |to: &str| Map::from_iter([("to".to_owned(), json!(to))]);
    let mut stage = gated("wait_for_event: {name: 'signal:deployed', match: {to: test}}");
    let own = Command::Signal { name: "deployed".to_owned(), fields: fields("test") };
    assert_eq!(refused(stage.give(&agent(), own)), Code::Forbidden, "an agent's word is no fact from outside");
    stage.give(&machine(), Command::Signal { name: "deployed".to_owned(), fields: fields("live") }).unwrap();
    assert_eq!(done(&mut stage), [("wait_for_event".to_owned(), false)]);
    stage.give(&machine(), Command::Signal { name: "deployed".to_owned(), fields: fields("test") }).unwrap();
    assert!(passed(&stage));
    // One that came before the report counts, because it came after the step was reached.
    let mut stage = gated("wait_for_event: {name: deployed}");
    stage.give(&machine(), Command::Signal { name: "deployed".to_owned(), fields: Map::new() }).unwrap();
    assert_eq!(done(&mut stage), []);
    assert!(passed(&stage));
}

#[test]
fn wait_until_opens_by_the_clock_and_follows_the_field() {
    let mut stage = gated("wait_until: +2h");
    assert_eq!(done(&mut stage), [("wait_until".to_owned(), false)]);
    stage.world.now = stage.world.now.plus_seconds(7_199);
    stage.settle();
    assert!(!passed(&stage));
    stage.world.now = stage.world.now.plus_seconds(1);
    stage.settle();
    assert!(passed(&stage));
    let mut stage = gated("wait_until: {field: due_at, offset: -1d}");
    assert_eq!(done(&mut stage).len(), 1);
    set(&mut stage, "due_at", json!("2026-12-05T10:00:00.000Z"));
    assert!(!passed(&stage));
    set(&mut stage, "due_at", json!("2026-11-30T10:00:00.000Z"));
    assert!(passed(&stage));
}

#[test]
fn a_condition_that_is_unknown_is_not_met() {
    let mut stage = gated("condition: task.vertical = web");
    assert_eq!(done(&mut stage), [("condition".to_owned(), false)]);
    set(&mut stage, "vertical", json!("web"));
    assert!(passed(&stage));
    let mut stage = gated("condition: stores.plan.count >= 1");
    let handle = stage.claim("a");
    let report = || Command::Done(Box::new(Stage::report(&handle, StepOutcome::Done)));
    assert!(stage.give(&agent(), report()).unwrap().unmet[0].yours, "a store is the holder's to fill");
    let change = super::super::stores::Change { store: "plan".to_owned(), op: "append".to_owned(), at: None, value: json!("one"), expect: Some(0) };
    stage.give(&agent(), Command::Store { handle: handle.clone(), change: change.clone() }).unwrap();
    assert_eq!(refused(stage.give(&agent(), Command::Store { handle: handle.clone(), change })), Code::Stale);
    assert!(stage.give(&agent(), report()).unwrap().unmet.is_empty());
    assert!(passed(&stage));
    stage.replays();
}

#[test]
fn an_entry_gate_keeps_a_step_from_opening() {
    let mut stage = Stage::of("  - {id: a, instructions: do it, entry_gate: {condition: task.vertical is not null}}");
    assert_eq!(stage.state("a"), InstanceState::Held);
    assert_eq!(refused(stage.give(&agent(), Command::Claim { path: None, agent: None, seconds: 60 })), Code::GateClosed);
    set(&mut stage, "vertical", json!("web"));
    assert_eq!(stage.state("a"), InstanceState::Open);
}

#[test]
fn requires_approval_opens_when_all_else_holds_and_only_people_answer() {
    let mut stage = gated("requires_approval: true, condition: task.vertical is not null, prompt: 'Ship {{ task.id }}?'");
    done(&mut stage);
    assert!(stage.run.requests.is_empty(), "people are asked about finished work alone");
    set(&mut stage, "vertical", json!("web"));
    let (request, _) = stage.request();
    assert_eq!(stage.run.requests[&request].prompt, "Ship tk-91f24c?");
    assert_eq!(refused(stage.say(&agent(), true)), Code::Forbidden);
    let label_alone = Caller { actor: Actor::parse("dev:ana").unwrap(), ..agent() };
    assert_eq!(refused(stage.say(&label_alone, true)), Code::Forbidden, "a label makes no person");
    assert!(!passed(&stage));
    stage.say(&person("ana"), true).unwrap();
    assert!(passed(&stage));
    stage.replays();
}

#[test]
fn a_yes_to_work_that_changed_is_stale_and_people_are_asked_again() {
    let mut stage = gated("requires_approval: true, approvers: {min: 2}, min_children: 0");
    done(&mut stage);
    let (first, digest) = stage.request();
    stage.say(&person("ana"), true).unwrap();
    stage.world.children = vec![child("tk-000001", "open")];
    stage.settle();
    let (second, _) = stage.request();
    assert_ne!(first, second);
    assert_eq!(stage.run.requests[&first].closed, Some(Verdict::Stale));
    let late = stage.give(&person("ben"), Command::Decide { request: first, digest, yes: true, comment: String::new() });
    assert_eq!(refused(late), Code::RequestClosed);
    stage.say(&person("ben"), true).unwrap();
    assert!(!passed(&stage), "the first yes was to other work");
    stage.say(&person("ana"), true).unwrap();
    assert!(passed(&stage));
    stage.replays();
}
