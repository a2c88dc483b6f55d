//! Handles and people: who may take, report, ask, approve, hold back and give up, and what a late one changes (nothing).

use super::*;

const ONE: &str = "  - {id: a, instructions: do}\n  - {id: z, instructions: go on}";

#[test]
fn a_second_taker_is_refused_and_told_who_has_it() {
    let mut stage = Stage::of(ONE);
    stage.claim("a");
    let problem = stage.give(&other_agent(), Command::Claim { path: None, agent: None, seconds: 60 }).unwrap_err();
    assert_eq!(problem.code, Code::LeaseHeld);
    assert!(problem.title.contains("agent:ana/w1"), "{}", problem.title);
}

#[test]
fn an_agent_that_comes_back_from_the_dead_changes_nothing_and_is_told() {
    let mut stage = Stage::of(ONE);
    let old = stage.claim("a");
    stage.world.now = stage.world.now.plus_seconds(2_000);
    let new = stage.claim_as(&other_agent(), "a");
    assert_ne!(old, new);
    let before = serde_json::to_string(&stage.run).unwrap();
    let change = super::super::stores::Change { store: "plan".to_owned(), op: "append".to_owned(), at: None, value: json!("x"), expect: None };
    for command in [
        Command::Release { handle: old.clone() },
        Command::Ask { handle: old.clone(), text: "which?".to_owned(), choices: Vec::new() },
        Command::Note { handle: old.clone(), kind: NoteKind::Context, text: "late".to_owned() },
        Command::Store { handle: old.clone(), change },
    ] {
        assert_eq!(refused(stage.give(&agent(), command)), Code::StaleFence);
    }
    let late = stage.give(&agent(), Command::Done(Box::new(Report { output: json!("mine"), ..Stage::report(&old, StepOutcome::Done) }))).unwrap();
    assert_eq!(late.refusal.map(|problem| problem.code), Some(Code::StaleFence));
    assert!(matches!(late.events.as_slice(), [(RunEvent::Late { output, .. }, _)] if *output == json!("mine")), "what was done is kept beside the step");
    assert_eq!(serde_json::to_string(&stage.run).unwrap(), before);
    stage.give(&other_agent(), Command::Done(Box::new(Stage::report(&new, StepOutcome::Done)))).unwrap();
    stage.stands("a#1 done\nz#1 open");
}

#[test]
fn a_handle_that_only_lapsed_still_counts_while_nobody_else_took_the_step() {
    let mut stage = Stage::of(ONE);
    let handle = stage.claim("a");
    stage.world.now = stage.world.now.plus_seconds(90_000);
    stage.give(&agent(), Command::Done(Box::new(Stage::report(&handle, StepOutcome::Done)))).unwrap();
    assert_eq!(stage.state("a"), InstanceState::Done);
}

#[test]
fn the_third_silent_holder_blocks_the_run() {
    let mut stage = Stage::of(ONE);
    for _ in 0..3 {
        stage.claim("a");
        stage.world.now = stage.world.now.plus_seconds(2_000);
    }
    stage.give(&agent(), Command::Claim { path: None, agent: None, seconds: 60 }).unwrap();
    assert_eq!(stage.run.blocked.as_ref().unwrap().reason, "lapsed_3x");
    stage.replays();
}

#[test]
fn a_report_that_is_sent_twice_is_one_transition() {
    let mut stage = Stage::of(ONE);
    let handle = stage.claim("a");
    let report = Command::Done(Box::new(Stage::report(&handle, StepOutcome::Done)));
    stage.give(&agent(), report.clone()).unwrap();
    let again = stage.give(&agent(), report).unwrap();
    assert!(again.repeated && again.events.is_empty());
    let other = Report { output: json!({"other": 1}), ..Stage::report(&handle, StepOutcome::Done) };
    let told = stage.give(&agent(), Command::Done(Box::new(other))).unwrap();
    assert_eq!(told.refusal.map(|problem| problem.code), Some(Code::StaleFence));
    stage.stands("a#1 done\nz#1 open");
}

#[test]
fn what_is_reported_must_look_as_the_step_says_and_write_only_what_it_may() {
    let mut stage = Stage::of(
        "  - {id: a, instructions: do, returns: {type: object, required: [path], properties: {path: {type: string}}}}\n  - {id: z, instructions: do}",
    );
    let handle = stage.claim("a");
    let with = |output: Value, writes: Map<String, Value>| Command::Done(Box::new(Report { output, writes, ..Stage::report(&handle, StepOutcome::Done) }));
    let empty = stage.give(&agent(), with(Value::Null, Map::new())).unwrap_err();
    assert_eq!(empty.code, Code::BadOutput);
    assert_eq!(stage.state("a"), InstanceState::Taken, "the handle is kept");
    assert_eq!(refused(stage.give(&agent(), with(json!({"path": "a"}), Map::from_iter([("priority".to_owned(), json!(0))])))), Code::Forbidden);
    stage.give(&agent(), with(json!({"path": "a"}), Map::new())).unwrap();
    assert_eq!(stage.state("z"), InstanceState::Open);
}

#[test]
fn a_question_ends_the_turn_and_its_answer_opens_the_step_again() {
    let mut stage = Stage::of(ONE);
    let handle = stage.claim("a");
    stage.give(&agent(), Command::Ask { handle: handle.clone(), text: "Which red?".to_owned(), choices: Vec::new() }).unwrap();
    assert_eq!((stage.state("a"), stage.run.standing(stage.world.now)), (InstanceState::Asking, Standing::NeedsYou));
    assert_eq!(refused(stage.give(&agent(), Command::Done(Box::new(Stage::report(&handle, StepOutcome::Done))))), Code::IllegalMove);
    let ask = stage.run.asks.keys().next().unwrap().clone();
    let answer = Command::Answer { ask, text: "RAL 3020".to_owned() };
    assert_eq!(refused(stage.give(&agent(), answer.clone())), Code::Forbidden);
    stage.give(&person("ana"), answer.clone()).unwrap();
    assert_eq!(refused(stage.give(&person("ana"), answer)), Code::AlreadyDecided);
    stage.stands("a#1 open");
    assert_eq!(stage.run.newest("a").unwrap().1.lapses, 0);
}

const ASKS: &str = "  - {id: a, instructions: do}\n  - id: ok\n    by: human\n    gate: {requires_approval: true, approvers: {roles: [maintainer], self: false}, on_reject: {goto: a, max: 1}, timeout: {after: 1h, then: reject}}\n  - {id: z, instructions: do}";

fn asked() -> Stage {
    let world = World { people: roles(&[("ana", &["maintainer"]), ("ben", &["maintainer"]), ("eve", &["viewer"])]), ..Stage::world() };
    let mut stage = Stage::in_world(ASKS, world);
    stage.work("a");
    stage
}

#[test]
fn who_may_say_yes_is_judged_by_principal_and_role() {
    let mut stage = asked();
    assert_eq!(refused(stage.say(&person("mallory"), true)), Code::Forbidden, "a stranger");
    assert_eq!(refused(stage.say(&person("eve"), true)), Code::Forbidden, "another role");
    assert_eq!(refused(stage.say(&person("ana"), true)), Code::Forbidden, "whoever answers for the work, under any label");
    let ana_as_ben = Caller { principal: "local:ana".to_owned(), ..person("ben") };
    assert_eq!(refused(stage.say(&ana_as_ben, true)), Code::Forbidden);
    stage.say(&person("ben"), true).unwrap();
    stage.stands("a#1 done\nok#1 done\nz#1 open");
}

#[test]
fn a_yes_said_twice_counts_once_and_a_late_one_is_told_who_decided() {
    let mut stage = asked();
    let (request, digest) = stage.request();
    let yes = Command::Decide { request, digest, yes: true, comment: String::new() };
    stage.give(&person("ben"), yes.clone()).unwrap();
    let again = stage.give(&person("ben"), yes.clone()).unwrap();
    assert!(again.repeated && again.events.is_empty());
    let problem = stage.give(&person("ana"), yes).unwrap_err();
    assert_eq!(problem.code, Code::AlreadyDecided);
    assert!(problem.title.contains("dev:ben"), "{}", problem.title);
}

#[test]
fn a_no_says_why_and_sends_the_work_back_until_it_may_no_more() {
    let mut stage = asked();
    let (request, digest) = stage.request();
    let silent = Command::Decide { request, digest, yes: false, comment: " ".to_owned() };
    assert_eq!(refused(stage.give(&person("ben"), silent)), Code::NeedsReason);
    stage.say(&person("ben"), false).unwrap();
    stage.stands("a#1 superseded\nok#1 superseded\na#2 open");
    stage.work("a");
    stage.say(&person("ben"), false).unwrap();
    assert_eq!(stage.run.blocked.as_ref().unwrap().reason, "back_max");
    stage.replays();
}

#[test]
fn silence_is_never_a_yes() {
    let mut stage = asked();
    stage.world.now = stage.world.now.plus_seconds(3_600);
    stage.settle();
    stage.stands("a#1 superseded\nok#1 superseded\na#2 open");
}

#[test]
fn a_maintainer_opens_a_gate_all_the_same_and_it_shows() {
    let mut stage = asked();
    let open = |reason: &str| Command::Override { key: Key::of("ok", 1), reason: reason.to_owned() };
    assert_eq!(refused(stage.give(&agent(), open("because"))), Code::Forbidden);
    assert_eq!(refused(stage.give(&person("eve"), open("because"))), Code::Forbidden);
    assert_eq!(refused(stage.give(&person("ana"), open(""))), Code::NeedsReason);
    stage.give(&person("ana"), open("the fire is bigger")).unwrap();
    assert!(stage.run.newest("ok").unwrap().1.overridden);
    assert_eq!(stage.state("z"), InstanceState::Open);
    stage.replays();
}

#[test]
fn steps_for_people_are_not_handed_to_agents() {
    let mut stage = Stage::of("  - {id: a, instructions: do, by: human}");
    assert_eq!(refused(stage.give(&agent(), Command::Claim { path: None, agent: None, seconds: 60 })), Code::GateClosed);
    stage.claim_as(&person("ana"), "a");
}

#[test]
fn a_label_picks_among_open_steps() {
    let mut stage = Stage::of("  - {id: g, parallel: [{id: x, instructions: do}, {id: y, instructions: do, agent: tester}]}");
    let handle = stage.give(&agent(), Command::Claim { path: None, agent: Some("tester".to_owned()), seconds: 60 }).unwrap().handle.unwrap();
    assert_eq!(stage.run.of_handle(&handle).unwrap().0.path, "g/y");
}

#[test]
fn a_run_that_is_held_back_hands_out_nothing_and_keeps_what_is_out() {
    let mut stage = Stage::of("  - {id: g, parallel: [{id: x, instructions: do}, {id: y, instructions: do}]}\n  - {id: z, instructions: do}");
    let handle = stage.claim("g/x");
    stage.give(&person("ana"), Command::Pause { reason: "lunch".to_owned() }).unwrap();
    assert_eq!(refused(stage.give(&agent(), Command::Claim { path: None, agent: None, seconds: 60 })), Code::Held);
    stage.give(&agent(), Command::Done(Box::new(Stage::report(&handle, StepOutcome::Done)))).unwrap();
    assert_eq!(stage.state("g/x"), InstanceState::Gated, "the work is in, and the run does not move");
    assert_eq!(refused(stage.give(&agent(), Command::Resume)), Code::Forbidden);
    stage.give(&person("ana"), Command::Resume).unwrap();
    assert_eq!(stage.state("g/x"), InstanceState::Done);
    stage.replays();
}

#[test]
fn giving_a_run_up_closes_all_of_it_and_tells_the_holders() {
    let mut stage = Stage::of("  - {id: g, parallel: [{id: x, instructions: do}, {id: y, instructions: do, gate: {requires_approval: true}}]}");
    let handle = stage.claim("g/x");
    stage.work("g/y");
    assert_eq!(refused(stage.give(&agent(), Command::Cancel { reason: "tired".to_owned() })), Code::Forbidden, "an agent, of a run it did not begin");
    stage.give(&person("ana"), Command::Cancel { reason: "not wanted".to_owned() }).unwrap();
    stage.stands("g#1 cancelled\ng/x#1 cancelled\ng/y#1 cancelled\nended cancelled");
    assert!(stage.run.requests.values().all(|request| request.closed == Some(Verdict::Cancelled)));
    assert_eq!(refused(stage.give(&agent(), Command::Done(Box::new(Stage::report(&handle, StepOutcome::Done))))), Code::StaleFence);
}

#[test]
fn an_approval_in_a_lane_is_its_own_and_the_group_does_not_finish_around_it() {
    let mut stage = Stage::of(
        "  - {id: g, parallel: [{id: x, instructions: do}, {id: y, instructions: do, gate: {requires_approval: true}}]}\n  - {id: z, instructions: do}",
    );
    stage.work("g/y");
    stage.work("g/x");
    assert!(stage.run.newest("z").is_none());
    stage.say(&person("ana"), true).unwrap();
    assert_eq!(stage.state("z"), InstanceState::Open);
}

#[test]
fn an_approval_that_an_agent_wrote_into_the_log_has_no_effect() {
    let stage = asked();
    let (request, digest) = stage.request();
    let forged = RunEvent::ApprovalGiven { run: "rn-4f2a9c".to_owned(), request, digest, assurance: "session".to_owned(), comment: String::new() };
    let by = super::super::fold::By { actor: agent().actor, principal: "local:ana".to_owned(), at: stage.world.now };
    let mut run = Some(stage.run.clone());
    assert_eq!(super::super::apply(&mut run, &forged, &by), super::super::Effect::Conflict);
    assert_eq!(run.as_ref(), Some(&stage.run));
}

#[test]
fn of_two_clones_that_took_one_step_the_first_in_order_stands() {
    let start = Stage::of(ONE);
    let (mut one, mut other) =
        (Stage { plan: start.plan.clone(), world: start.world.clone(), run: start.run.clone(), log: Vec::new(), effects: Vec::new() }, start);
    other.world.now = other.world.now.plus_seconds(60);
    one.work("a");
    let handle = other.claim_as(&other_agent(), "a");
    other.give(&other_agent(), Command::Done(Box::new(Report { output: json!("other"), ..Stage::report(&handle, StepOutcome::Done) }))).unwrap();
    let after = one.run.clone();
    let mut run = Some(one.run);
    let late: Vec<super::super::Effect> = other.log[1..]
        .iter()
        .filter(|(event, _)| !matches!(event, RunEvent::Started { .. }))
        .map(|(event, by)| super::super::apply(&mut run, event, by))
        .collect();
    assert!(!late.contains(&super::super::Effect::Applied), "{late:?}");
    assert_eq!(run, Some(after));
}
