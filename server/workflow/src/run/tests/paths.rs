//! How a run moves: lists, decisions, ways, lanes, loops, waits, ends.

use super::*;

#[test]
fn one_step_at_a_time_and_nothing_finishes_by_itself() {
    let mut stage =
        Stage::of("  - {id: a, instructions: do}\n  - {id: b, steps: [{id: c, instructions: do}, {id: d, instructions: do}]}\n  - {id: e, end: completed}");
    stage.stands("a#1 open");
    for _ in 0..10 {
        stage.settle();
    }
    stage.stands("a#1 open");
    stage.work("a");
    stage.stands("a#1 done\nb#1 within\nb/c#1 open");
    stage.work("b/c");
    stage.work("b/d");
    stage.stands("a#1 done\nb#1 done\nb/c#1 done\nb/d#1 done\ne#1 done\nended completed");
}

#[test]
fn a_branch_is_taken_by_what_was_read_and_later_changes_do_not_re_decide() {
    let steps = "  - id: size\n    decision:\n      - {id: small, when: task.complexity = S, steps: [{id: touch, instructions: do}], goto: prove}\n      - {id: usual, when: default}\n  - {id: build, instructions: do}\n  - {id: prove, instructions: do}";
    let mut stage = Stage::of(steps);
    stage.stands("size#1 done\nbuild#1 open");
    let taken = stage.run.newest("size").unwrap().1.branch.clone().unwrap();
    assert_eq!(
        (taken.branch.as_str(), taken.results["small"], taken.inputs["task.complexity"].clone()),
        ("usual", None, Value::Null),
        "unknown is no match, and recorded"
    );
    stage.world.task.insert("complexity".to_owned(), json!("S"));
    stage.settle();
    stage.stands("size#1 done\nbuild#1 open");

    let mut world = Stage::world();
    world.task.insert("complexity".to_owned(), json!("S"));
    let mut stage = Stage::in_world(steps, world);
    stage.stands("size#1 within\nsize/small/touch#1 open");
    stage.work("size/small/touch");
    stage.stands("size#1 done\nsize/small/touch#1 done\nbuild#1 skipped\nprove#1 open");
}

#[test]
fn without_a_match_the_run_is_blocked_and_a_person_picks() {
    let mut stage = Stage::in_world(
        "  - id: size\n    decision:\n      - {id: open, when: status = open, steps: [{id: o, instructions: do}]}\n      - {id: over, when: 'status in [done, cancelled]'}\n  - {id: z, instructions: do}",
        World { task: Map::new(), ..Stage::world() },
    );
    stage.stands("size#1 within\nblocked no_branch: no branch of size holds: task.status is null");
    assert_eq!(refused(stage.give(&agent(), Command::Claim { path: None, agent: None, seconds: 60 })), Code::Blocked);
    assert_eq!(refused(stage.give(&agent(), Command::Unblock { choice: Some("over".to_owned()) })), Code::Forbidden);
    assert_eq!(refused(stage.give(&person("ana"), Command::Unblock { choice: Some("never".to_owned()) })), Code::BadRequest);
    stage.give(&person("ana"), Command::Unblock { choice: Some("over".to_owned()) }).unwrap();
    stage.stands("size#1 done\nz#1 open");
    assert_eq!(stage.run.newest("size").unwrap().1.branch.as_ref().unwrap().by, "person");
}

#[test]
fn a_way_back_is_counted_and_ends() {
    let mut stage =
        Stage::of("  - {id: a, instructions: do}\n  - {id: b, instructions: do}\n  - {id: c, instructions: do, gate: {on_reject: {goto: a, max: 2}}}");
    for round in 1..=2 {
        stage.work("a");
        stage.work("b");
        stage.end_work("c", StepOutcome::Back, &format!("round {round} does not hold"));
        assert_eq!(stage.state("a"), InstanceState::Open);
        assert_eq!(stage.run.newest("a").unwrap().1.reason.as_deref(), Some(format!("round {round} does not hold").as_str()));
    }
    stage.work("a");
    stage.work("b");
    stage.end_work("c", StepOutcome::Back, "still not");
    assert!(stage.told().ends_with("blocked back_max: the way back to a was gone 2 times; the last reason: still not\n"), "{}", stage.told());
    stage.replays();
}

#[test]
fn what_was_said_about_superseded_work_counts_no_more() {
    let mut stage =
        Stage::of("  - {id: a, instructions: do, gate: {require_context: {min_length: 5}}}\n  - {id: b, instructions: do, gate: {on_reject: {goto: a}}}");
    stage.end_work("a", StepOutcome::Done, "words of the first attempt");
    stage.end_work("b", StepOutcome::Back, "again, please");
    assert_eq!(stage.work("a").unmet[0].key, "require_context");
    stage.replays();
}

#[test]
fn a_failure_is_tried_again_then_told() {
    let mut stage = Stage::of(
        "  - {id: a, instructions: do, retry: {max: 1}}\n  - {id: b, instructions: do, on_fail: continue}\n  - {id: c, instructions: do, on_fail: 'goto:e'}\n  - {id: d, instructions: do}\n  - {id: e, instructions: do}",
    );
    stage.end_work("a", StepOutcome::Failed, "no luck");
    stage.stands("a#1 superseded\na#2 open");
    stage.work("a");
    stage.end_work("b", StepOutcome::Failed, "no luck");
    stage.end_work("c", StepOutcome::Failed, "no luck");
    stage.stands("a#1 superseded\na#2 done\nb#1 failed\nc#1 failed\nd#1 skipped\ne#1 open");
    stage.end_work("e", StepOutcome::Failed, "no luck");
    assert_eq!(stage.run.outcome, Some(Outcome::Failed));
    stage.replays();
}

#[test]
fn what_can_not_be_done_blocks_without_costing_a_try() {
    let mut stage = Stage::of("  - {id: a, instructions: do, retry: {max: 1}}");
    let handle = stage.claim("a");
    let silent = Command::Done(Box::new(Stage::report(&handle, StepOutcome::Cannot)));
    assert_eq!(refused(stage.give(&agent(), silent)), Code::NeedsReason);
    stage.give(&agent(), Command::Release { handle }).unwrap();
    stage.end_work("a", StepOutcome::Cannot, "the machine is down");
    stage.stands("a#1 gated\nblocked cannot: the machine is down");
    stage.give(&person("ana"), Command::Unblock { choice: None }).unwrap();
    stage.stands("a#1 superseded\na#2 open");
}

#[test]
fn lanes_open_in_one_go_and_their_words_wait_for_the_join() {
    let mut stage = Stage::of(
        "  - id: build\n    parallel:\n      - {id: x, instructions: do, writes: [complexity]}\n      - {id: y, steps: [{id: y1, instructions: do}, {id: y2, instructions: do}]}\n      - {id: w, instructions: do, when: task.vertical = web}\n  - {id: z, instructions: do}",
    );
    stage.stands("build#1 within\nbuild/x#1 open\nbuild/y#1 within\nbuild/w#1 skipped\nbuild/y/y1#1 open");
    let handle = stage.claim("build/x");
    let report =
        Report { writes: Map::from_iter([("complexity".to_owned(), json!("M"))]), output: json!({"sha": "abc"}), ..Stage::report(&handle, StepOutcome::Done) };
    stage.give(&agent(), Command::Done(Box::new(report))).unwrap();
    assert_eq!(stage.effects, [], "a lane's words wait");
    stage.work("build/y/y1");
    stage.work("build/y/y2");
    assert_eq!(stage.effects, [super::super::TaskEffect::Set(Map::from_iter([("complexity".to_owned(), json!("M"))]))]);
    assert_eq!(stage.state("z"), InstanceState::Open);
    assert_eq!(stage.run.newest("build").unwrap().1.output["x"]["sha"], "abc");
    stage.replays();
}

#[test]
fn lanes_that_write_one_field_differently_wait_for_a_person() {
    let mut stage = Stage::of(
        "  - id: build\n    parallel:\n      - {id: x, instructions: do, writes: [complexity]}\n      - {id: y, instructions: do, writes: [complexity]}\n  - {id: z, instructions: do}",
    );
    for (lane, size) in [("x", "S"), ("y", "L")] {
        let handle = stage.claim(&format!("build/{lane}"));
        let report = Report { writes: Map::from_iter([("complexity".to_owned(), json!(size))]), ..Stage::report(&handle, StepOutcome::Done) };
        stage.give(&agent(), Command::Done(Box::new(report))).unwrap();
    }
    assert_eq!(stage.run.blocked.as_ref().unwrap().reason, "write_conflict");
    stage.give(&person("ana"), Command::Unblock { choice: Some("x".to_owned()) }).unwrap();
    assert_eq!(stage.effects, [super::super::TaskEffect::Set(Map::from_iter([("complexity".to_owned(), json!("S"))]))]);
    assert_eq!(stage.state("z"), InstanceState::Open);
    stage.replays();
}

#[test]
fn a_group_is_joined_by_its_rule() {
    let lanes = "parallel: [{id: x, instructions: do}, {id: y, instructions: do}, {id: v, instructions: do}]";
    let mut any = Stage::of(&format!("  - {{id: g, join: any, {lanes}}}\n  - {{id: z, instructions: do}}"));
    any.work("g/y");
    any.stands("g#1 done\ng/x#1 cancelled\ng/y#1 done\ng/v#1 cancelled\nz#1 open");
    let mut quorum = Stage::of(&format!("  - {{id: g, join: {{quorum: 2}}, {lanes}}}\n  - {{id: z, instructions: do}}"));
    quorum.end_work("g/x", StepOutcome::Failed, "no luck");
    quorum.work("g/y");
    quorum.work("g/v");
    assert_eq!(quorum.state("z"), InstanceState::Open);
    let mut never = Stage::of(&format!("  - {{id: g, join: {{quorum: 2}}, {lanes}}}\n  - {{id: z, instructions: do}}"));
    never.end_work("g/x", StepOutcome::Failed, "no luck");
    never.end_work("g/y", StepOutcome::Failed, "no luck");
    assert_eq!((never.run.outcome, never.state("g/v")), (Some(Outcome::Failed), InstanceState::Cancelled), "what can't be enough any more fails at once");
    let mut required = Stage::of(&format!("  - {{id: g, join: {{required: [x]}}, {lanes}}}\n  - {{id: z, instructions: do}}"));
    required.end_work("g/y", StepOutcome::Failed, "no luck");
    required.work("g/x");
    assert_eq!(required.state("z"), InstanceState::Open);
    [any, quorum, never, required].iter().for_each(Stage::replays);
}

#[test]
fn a_lane_that_fails_lets_the_others_finish_or_not() {
    let group = |on: &str| {
        format!("  - {{id: g, on_lane_fail: {on}, parallel: [{{id: x, instructions: do}}, {{id: y, instructions: do}}]}}\n  - {{id: z, instructions: do}}")
    };
    let mut waits = Stage::of(&group("wait_all"));
    waits.end_work("g/x", StepOutcome::Failed, "no luck");
    assert_eq!((waits.run.outcome, waits.state("g/y")), (None, InstanceState::Open));
    waits.work("g/y");
    assert_eq!(waits.run.outcome, Some(Outcome::Failed));
    let mut fast = Stage::of(&group("fail_fast"));
    fast.end_work("g/x", StepOutcome::Failed, "no luck");
    assert_eq!((fast.run.outcome, fast.state("g/y")), (Some(Outcome::Failed), InstanceState::Cancelled));
    let mut goes_on = Stage::of(&group("continue"));
    goes_on.end_work("g/x", StepOutcome::Failed, "no luck");
    goes_on.work("g/y");
    assert_eq!(goes_on.state("z"), InstanceState::Open);
    [waits, fast, goes_on].iter().for_each(Stage::replays);
}

#[test]
fn no_more_lanes_are_open_than_the_group_allows() {
    let mut stage = Stage::of("  - {id: g, max_parallel: 1, parallel: [{id: x, instructions: do}, {id: y, instructions: do}]}");
    stage.stands("g#1 within\ng/x#1 open");
    stage.work("g/x");
    stage.stands("g#1 within\ng/x#1 done\ng/y#1 open");
}

#[test]
fn a_loop_ends_by_its_test_and_hands_on_its_last_pass() {
    let mut stage = Stage::of(
        "  - id: sweep\n    loop: {until: output.green = true, max: 3, steps: [{id: try, instructions: 'pass {{ loop.index }}'}]}\n  - {id: z, instructions: do}",
    );
    stage.work_with("sweep[1]/try", json!({"green": false}));
    stage.work_with("sweep[2]/try", json!({"green": true, "n": 2}));
    stage.stands("sweep#1 done\nsweep[1]/try#1 done\nsweep[2]/try#1 done\nz#1 open");
    assert_eq!(stage.run.newest("sweep").unwrap().1.output["n"], 2);
}

#[test]
fn a_loop_that_runs_out_fails_goes_on_or_asks() {
    let with = |on_max: &str| {
        format!(
            "  - id: sweep\n    loop: {{until: output.green = true, max: 1, on_max: {on_max}, steps: [{{id: try, instructions: do}}]}}\n  - {{id: z, instructions: do}}"
        )
    };
    let mut fails = Stage::of(&with("fail"));
    fails.work("sweep[1]/try");
    assert_eq!(fails.run.outcome, Some(Outcome::Failed));
    let mut goes_on = Stage::of(&with("continue"));
    goes_on.work("sweep[1]/try");
    assert_eq!(goes_on.state("z"), InstanceState::Open);
    let mut asks = Stage::of(&with("ask"));
    asks.work("sweep[1]/try");
    assert_eq!(asks.run.blocked.as_ref().unwrap().reason, "back_max");
    [fails, goes_on, asks].iter().for_each(Stage::replays);
}

#[test]
fn a_loop_over_a_list_reads_it_once_and_hands_on_all_its_passes() {
    let mut stage = Stage::of(
        "  - {id: list, instructions: do}\n  - id: sweep\n    loop: {over: steps.list.output.files, max: 10, steps: [{id: one, instructions: 'see {{ loop.item }}'}]}\n  - {id: z, instructions: do}",
    );
    stage.work_with("list", json!({"files": ["a.rs", "b.rs"]}));
    stage.work_with("sweep[1]/one", json!({"n": 1}));
    stage.work_with("sweep[2]/one", json!({"n": 2}));
    assert_eq!(stage.run.newest("sweep").unwrap().1.output, json!([{"n": 1}, {"n": 2}]));
    assert_eq!(stage.state("z"), InstanceState::Open);
    let empty = Stage::of("  - id: sweep\n    loop: {over: [], max: 10, steps: [{id: one, instructions: do}]}\n  - {id: z, instructions: do}");
    empty.stands("sweep#1 done\nz#1 open");
    stage.replays();
}

#[test]
fn a_wait_holds_nobody_and_ends_by_the_clock() {
    let mut stage = Stage::of("  - {id: w, wait: {for: 2h}}\n  - {id: e, wait: {event: deployed}}\n  - {id: z, instructions: do}");
    assert_eq!(stage.run.standing(stage.world.now), Standing::Waiting);
    stage.world.now = stage.world.now.plus_seconds(7_200);
    stage.settle();
    stage.stands("w#1 done\ne#1 within");
    stage.give(&machine(), Command::Signal { name: "deployed".to_owned(), fields: Map::from_iter([("to".to_owned(), json!("live"))]) }).unwrap();
    assert_eq!(stage.run.newest("e").unwrap().1.output["to"], "live");
    assert_eq!(stage.state("z"), InstanceState::Open);
    stage.replays();
}

#[test]
fn setting_and_closing_are_asked_of_the_board_and_the_run_ends_when_it_did() {
    let mut stage =
        Stage::of("  - {id: s, set: {priority: 0, vertical: '{{ run.input.word }}'}}\n  - {id: c, close: {status: done, no_code: nothing to commit}}");
    let set = Map::from_iter([("priority".to_owned(), json!(0)), ("vertical".to_owned(), json!("harbour"))]);
    let close = super::super::TaskEffect::Close { status: "done".to_owned(), no_code: Some("nothing to commit".to_owned()) };
    assert_eq!(stage.effects, [super::super::TaskEffect::Set(set), close]);
    assert_eq!(stage.run.outcome, None);
    stage.world.task.insert("status".to_owned(), json!("done"));
    stage.settle();
    assert_eq!(stage.run.outcome, Some(Outcome::Completed));
    stage.replays();
}

#[test]
fn a_close_that_the_board_refuses_blocks_the_run_with_what_is_missing() {
    let mut stage = Stage::of("  - {id: c, close: done}");
    stage.give(&machine(), Command::CloseRefused { detail: "no commit".to_owned() }).unwrap();
    stage.stands("c#1 within\nblocked close_refused: no commit");
}

#[test]
fn a_run_that_never_ends_is_stopped_by_its_limit() {
    let text = "workflow: trial\nlimits: {transitions: 5}\nsteps:\n  - id: sweep\n    loop: {until: vars.never = 1, max: 900, steps: [{id: one, set: {priority: 1}}]}\nvars: {never: 0}\n";
    let checked = check(text, &Around::default()).unwrap();
    let plan = Plan::compile(&checked.document, "0123abcd").unwrap();
    let start = Command::Start { run: "rn-4f2a9c".to_owned(), input: Value::Null, origin: "explicit".to_owned() };
    let decided = decide(&plan, None, &Stage::world(), &person("ana"), &start).unwrap();
    assert_eq!(decided.run.blocked.unwrap().reason, "transitions");
}
