//! Several workers: names, order, reasons, and what is taken back from whom.

use crate::world::{actor, after, outcome, task};
use contracts::Command;
use engine::Kind;
use serde_json::json;

#[test]
fn workers_get_the_next_names_and_what_is_next_each_its_own() {
    insta::assert_snapshot!(outcome("ana plan a priority=1 / b files=src/ / c files=src/x.rs / d after=[0]", "ana dispatch count=2; ana dispatch"), @r"
    task.assigned tk-0000a0 to=agent:ana/w1 →agent:ana/w1 (assigned)
    task.branched tk-0000a0
    task.assigned tk-0000a1 to=agent:ana/w2 →agent:ana/w2 (assigned)
    task.branched tk-0000a1
    tk-0000a0 for agent:ana/w1 on task/tk-0000a0-a
    tk-0000a1 for agent:ana/w2 on task/tk-0000a1-b
    task.assigned tk-0000a2 to=agent:ana/w3 →agent:ana/w3 (assigned)
    task.branched tk-0000a2
    tk-0000a2 for agent:ana/w3 on task/tk-0000a2-c ~tk-0000a1
    ");
}

#[test]
fn names_of_workers_that_are_still_there_are_not_given_twice() {
    let given = "ana plan a / b / c / d / e; ana dispatch count=2; agent:ana/w1 claim a";
    insta::assert_snapshot!(outcome(given, "ana dispatch count=2; w3 submit c no_code=true note='thought it through'; ana dispatch count=1 prefix=api-"), @r"
    task.assigned tk-0000a2 to=agent:ana/w3 →agent:ana/w3 (assigned)
    task.branched tk-0000a2
    task.assigned tk-0000a3 to=agent:ana/w4 →agent:ana/w4 (assigned)
    task.branched tk-0000a3
    tk-0000a2 for agent:ana/w3 on task/tk-0000a2-c
    tk-0000a3 for agent:ana/w4 on task/tk-0000a3-d
    task.submitted tk-0000a2 note=thought it through no_code=true
    now in_review
    task.assigned tk-0000a4 to=agent:ana/api-1 →agent:ana/api-1 (assigned)
    task.branched tk-0000a4
    tk-0000a4 for agent:ana/api-1 on task/tk-0000a4-e
    ");
    // Gone for a day, and with nothing in its hands: the name is free again. Seen today, it is not.
    let mut world = after("ana plan a / b / c; seen agent:ana/w1; wait 25h; seen agent:ana/w2");
    assert!(world.say("ana dispatch count=2").unwrap().contains("agent:ana/w1 on"));
    assert!(!world.say("ana dispatch count=1").unwrap().contains("agent:ana/w2 on"));
}

#[test]
fn what_cannot_be_given_out_is_named_with_its_reason_and_the_rest_starts() {
    let given = "ana plan a / b / c after=[0] / d / e / f / g; w2 claim b; ana assign d to=x1; ana hold e note=later; ana close f no_code=true note=x; \
                 ana question g text='Which?'";
    insta::assert_snapshot!(outcome(given, "ana dispatch tasks=a,b,c,d,e,f,g,z"), @r"
    task.assigned tk-0000a0 to=agent:ana/w1 →agent:ana/w1 (assigned)
    task.branched tk-0000a0
    tk-0000a0 for agent:ana/w1 on task/tk-0000a0-a
    not tk-0000a1: lease_held: tk-0000a1 is held by agent:ana/w2, for 15 min more
    not tk-0000a2: blocked: tk-0000a2 waits for tk-0000a0
    not tk-0000a3: assigned: tk-0000a3 is meant for agent:bo/x1
    not tk-0000a4: held: tk-0000a4 is held by dev:ana
    not tk-0000a5: illegal_move: tk-0000a5 was already done by dev:ana just now
    not tk-0000a6: gate_closed: tk-0000a6 waits for an answer to dev:ana
    not tk-0000b9: not_found: there is no task tk-0000b9
    ");
}

#[test]
fn a_dispatch_out_of_form_is_refused_whole() {
    let tried = "ana dispatch count=13; ana dispatch count=0; ana dispatch tasks=a count=1; ana dispatch prefix=W; system:demo dispatch";
    insta::assert_snapshot!(outcome("ana plan a", tried), @r"
    refused bad_request: count: count is 1 to 12, not 13
    refused bad_request: count: count is 1 to 12, not 0
    refused bad_request: count: either tasks or count: each task that is named gets one worker
    refused bad_request: prefix: prefix begins the workers' names, like w or api-: [a-z0-9][a-z0-9._-]{0,35}
    refused forbidden: dispatch: workers answer to a person
    hint: a person or one of their agents gives tasks to workers
    ");
}

#[test]
fn a_dry_run_writes_nothing_and_an_agent_sends_agents_of_its_person() {
    let mut world = after("ana plan a / b; w1 claim a");
    let before = world.events.len();
    assert!(world.say("w1 dispatch dry_run=true").unwrap().contains("for agent:ana/w2"));
    assert_eq!(world.events.len(), before);
    let said = world.say("x1 dispatch count=1").unwrap();
    assert!(said.contains("for agent:bo/w1"), "{said}");
}

#[test]
fn a_branch_is_named_once_by_whoever_sees_it_first() {
    let mut world = after("ana plan a");
    world.say("bo branch a branch=bo/tk-0000a0 base=main").unwrap();
    let again = world.say("w1 branch a branch=other").unwrap();
    assert!(!again.contains("task.branched"), "{again}");
    world.say("w1 claim a").unwrap();
    assert_eq!(world.tasks[&task("a")].branch.as_deref(), Some("bo/tk-0000a0"));
    assert_eq!(world.events.iter().filter(|(event, _)| event.kind == Kind::TaskBranched).count(), 1);
    for name in ["-x", "a..b", "''"] {
        assert!(world.say(&format!("w1 branch a branch={name}")).unwrap_err().starts_with("refused bad_request"), "{name}");
    }
}

#[test]
fn the_base_that_was_set_goes_before_the_one_git_knows() {
    let mut world = after("ana plan a; ana configure key=base value=next; w1 claim a");
    assert_eq!(world.tasks[&task("a")].base.as_deref(), Some("next"));
    let said = world.run(&actor("ana"), &Command::parse("branch", json!({"task": task("a")})).unwrap()).unwrap();
    assert_eq!(said.data["base"], "next");
}

#[test]
fn a_silent_agents_task_is_taken_back_and_one_that_reports_is_left_alone() {
    let given = "ana plan a / b / c / d; w1 claim a; w2 claim b; x1 claim c; bo claim d; wait 3m; seen w2";
    insta::assert_snapshot!(outcome(given, "w1 recover; ana recover"), @r"
    left tk-0000a0 with agent:ana/w1: that is you
    left tk-0000a1 with agent:ana/w2: reported 0 s ago
    task.released tk-0000a0 note=agent:ana/w1 was silent for 3 min. reason=recovered holder=agent:ana/w1 →agent:ana/w1 (displaced)
    task.released tk-0000a2 note=agent:bo/x1 was silent for 3 min. reason=recovered holder=agent:bo/x1 →agent:bo/x1 (displaced)
    lease of tk-0000a0 ended
    lease of tk-0000a2 ended
    ! displaced: agent:ana/w1 had tk-0000a0 and is told
    ! displaced: agent:bo/x1 had tk-0000a2 and is told
    left tk-0000a1 with agent:ana/w2: reported 0 s ago
    ");
    insta::assert_snapshot!(outcome(given, "ana recover tasks=b; ana recover tasks=b force=true; w1 recover tasks=c force=true"), @r#"
    left tk-0000a1 with agent:ana/w2: reported 0 s ago
    now working
    task.released tk-0000a1 note=agent:ana/w2 was silent for 0 s. reason=recovered holder=agent:ana/w2 →agent:ana/w2 (displaced)
    lease of tk-0000a1 ended
    ! displaced: agent:ana/w2 had tk-0000a1 and is told
    now ready
    refused forbidden: recover: agent:bo/x1 answers to somebody else than you do
    hint: ask them, or their person: callboard message --to agent:bo/x1 --task tk-0000a2 -m '<text>'
    "#);
}

#[test]
fn silence_counts_from_the_last_renewal_and_from_when_it_could_last_have_been_seen() {
    for (given, waited, freed) in [
        ("w1 claim a", "59s", false),
        ("w1 claim a", "60s", true),
        ("w1 claim a; seen w1", "119s", false),
        ("w1 claim a; seen w1", "120s", true),
        ("w1 claim a; wait 400s; w1 renew", "59s", false),
    ] {
        let mut world = after(&format!("ana plan a; {given}; wait {waited}"));
        assert_eq!(world.say("ana recover").unwrap().contains("task.released"), freed, "{given}, {waited}");
    }
    let mut world = after("ana plan a; w1 claim a; wait 200s");
    assert!(!world.say("ana recover grace_s=300").unwrap().contains("task.released"));
}

#[test]
fn what_was_given_out_and_never_begun_is_free_again_after_a_quarter_of_an_hour() {
    let mut world = after("ana plan a; ana dispatch count=1; wait 14m");
    let said = world.say("ana recover").unwrap();
    assert!(said.contains("left tk-0000a0 with agent:ana/w1: was given it 14 min ago"), "{said}");
    world.say("wait 1m").unwrap();
    let said = world.say("ana recover").unwrap();
    assert!(said.contains("never heard of, had not begun"), "{said}");
    assert_eq!(world.tasks[&task("a")].assignee, None);
    assert!(world.say("w2 next").unwrap().starts_with("tk-0000a0: "));
}

#[test]
fn changes_that_are_owed_by_a_silent_agent_go_to_somebody_else() {
    let mut world = after("ana plan a; w1 claim a; w1 commit a; w1 submit a note='all of it is there'; ana review a verdict=changes note='not yet'; wait 16m");
    world.say("ana recover").unwrap();
    assert_eq!(world.tasks[&task("a")].assignee, None);
    // What waits for a person's verdict is nobody's to take back.
    let mut world = after("ana plan a; w1 claim a; w1 commit a; w1 submit a note='all of it is there'; wait 16m");
    assert!(!world.say("ana recover").unwrap().contains("task.released"));
}

#[test]
fn a_lapsed_lease_of_a_worker_the_task_is_still_meant_for_is_taken_back_too() {
    let mut world = after("ana plan a; ana dispatch count=1; agent:ana/w1 claim a; wait 1h");
    assert!(world.say("w2 next").unwrap().starts_with("nothing"), "it is meant for w1");
    world.say("ana recover").unwrap();
    assert!(world.say("w2 next").unwrap().starts_with("tk-0000a0: "));
    // Without an assignment the lapse alone frees it.
    let mut world = after("ana plan a; w1 claim a; wait 1h");
    assert!(!world.say("ana recover").unwrap().contains("task.released"));
}

#[test]
fn the_next_holder_reads_what_was_left() {
    let mut world = after("ana plan a; w1 claim a; w1 commit a; wait 5m");
    let left = json!([{"task": task("a"), "worktree": ".callboard/trees/tk-0000a0", "uncommitted": ["src/a.rs"], "untracked": ["notes"], "unpushed": 1}]);
    let command = Command::parse("recover", json!({"leftovers": left, "why": "stopped"})).unwrap();
    world.run(&actor("ana"), &command).unwrap();
    let (event, _) = world.events.iter().find(|(event, _)| event.kind == Kind::TaskReleased).unwrap();
    assert_eq!((event.text("reason"), &event.body["leftovers"]), ("stopped", &json!(["src/a.rs", "notes"])));
    let taken = world.say("w2 next").unwrap();
    assert!(taken.contains("Left behind: 1 uncommitted (src/a.rs), 1 untracked (notes), 1 commit not pushed, in .callboard/trees/tk-0000a0"), "{taken}");
}

/// Given out by this command, or by one of another clone that did not end the claim.
const GIVEN_ON: [&str; 3] = ["ana dispatch count=1", "ana dispatch tasks=a", "far ana task.assigned a to=w2"];

#[test]
fn a_worker_that_was_given_up_on_does_not_take_its_task_back_from_the_next_one() {
    for given_on in GIVEN_ON {
        let given = format!("ana plan a; w1 claim a; w1 commit a; wait 2h; {given_on}");
        for late in ["w1 try renew", "w1 try renew a", "w1 try claim a", "w1 try close a", "w1 try release a note='it was mine once'", "w1 next"] {
            let mut world = after(&given);
            world.say(late).unwrap();
            assert_eq!(world.standing(&task("a")), contracts::Standing::Assigned, "{given_on}; {late}");
            world.say("w2 claim a").unwrap_or_else(|refused| panic!("{given_on}; {late}; {refused}"));
        }
    }
}

#[test]
fn who_gets_what_a_silent_worker_had_reads_that_it_was_silent() {
    let mut world = after("ana plan a; w1 claim a; wait 2h");
    let said = world.say("ana dispatch count=1").unwrap();
    assert!(said.contains("reason=displaced holder=agent:ana/w1 →agent:ana/w1 (displaced)") && said.contains("lease of tk-0000a0 ended"), "{said}");
    let taken = world.say("w2 next").unwrap();
    assert_eq!(taken, "tk-0000a0: assigned to you\nnote: agent:ana/w1 was silent for 2 h.\n");
}

#[test]
fn what_was_given_on_and_never_begun_is_taken_back_from_the_one_it_was_given_to() {
    for given_on in GIVEN_ON {
        let mut world = after(&format!("ana plan a; w1 claim a; wait 2h; {given_on}; wait 16m"));
        let said = world.say("ana recover").unwrap();
        assert!(said.contains("holder=agent:ana/w2"), "{given_on}: {said}");
        assert_eq!(world.standing(&task("a")), contracts::Standing::Ready, "{given_on}");
    }
}
