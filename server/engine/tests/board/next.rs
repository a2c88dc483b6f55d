//! Why there is nothing, reason by reason; and what comes first.

use crate::world::*;
use insta::assert_snapshot;

#[test]
fn no_tasks() {
    assert_snapshot!(outcome("", "w1 next"), @r#"
    nothing: no_tasks: the project has no tasks yet
    hint: plan some: plan {"tasks":[{"spec":"<how it will be judged>","title":"<what to do>"}]}
    "#);
}

#[test]
fn finished() {
    assert_snapshot!(outcome("ana plan a / b; ana close a no_code=true note=x; ana cancel b note=no", "w1 next"), @r#"
    nothing: finished: every task is closed: 1 done, 1 cancelled; last: tk-0000a1 b, just now
    hint: plan more, or stop: plan {"tasks":[{"spec":"<how it will be judged>","title":"<what to do>"}]}
    "#);
}

#[test]
fn filtered_out() {
    assert_snapshot!(outcome("ana plan a labels=ui", "w1 next labels=api; w1 next type=bug; w1 next labels=ui"), @r#"
    nothing: filtered_out: 1 task could be taken without the filter, none with it
    hint: drop the filter, or plan what is missing: next {} or plan {"tasks":[{"spec":"<how it will be judged>","title":"<what to do>"}]}
    nothing: filtered_out: 1 task could be taken without the filter, none with it
    hint: drop the filter, or plan what is missing: next {} or plan {"tasks":[{"spec":"<how it will be judged>","title":"<what to do>"}]}
    tk-0000a0: claimed
    "#);
}

#[test]
fn all_assigned() {
    assert_snapshot!(outcome("ana plan a assignee=x1 / b assignee=bo", "w1 next"), @"
    nothing: all_assigned: what could be started is meant for agent:bo/x1, dev:bo
    hint: a person assigns it to you, or you stop here
    ");
}

#[test]
fn needs_people() {
    assert_snapshot!(outcome("ana plan a / b / c after=a; ana hold a note=later; ana commit b; bo submit b", "w1 next"), @"
    nothing: needs_people: nothing moves until a person acts on 2 tasks: tk-0000a0 a (held), tk-0000a1 b (in review)
    hint: tell your person, and stop here
    ");
}

#[test]
fn all_running() {
    assert_snapshot!(outcome("ana plan a / b; w1 claim a; w2 claim b", "w3 next"), @"
    nothing: all_running: everything open is being worked on: agent:ana/w1 on tk-0000a0 for 15 min more, agent:ana/w2 on tk-0000a1 for 15 min more
    hint: ask again later, or stop here
    ");
    assert_snapshot!(outcome("ana plan a / b; w1 claim a; ana hold b", "w3 next"), @"
    nothing: all_running: everything open is being worked on: agent:ana/w1 on tk-0000a0 for 15 min more; 1 task for a person
    hint: ask again later, or stop here
    ");
}

#[test]
fn all_blocked() {
    assert_snapshot!(outcome("ana plan a / b after=a / c after=a; w1 claim a; ana block c reason='the vendor'", "w3 next"), @"
    nothing: all_blocked: everything that is free waits: tk-0000a0 a (2 wait, agent:ana/w1 is on it), tk-0000a2 waits for the vendor
    hint: ask again later, or stop here
    ");
}

#[test]
fn a_named_task_says_why_not() {
    assert_snapshot!(outcome("ana plan a / b after=a / c assignee=x1 / d / e / f / g; ana close d no_code=true note=x; ana cancel e note=no; ana hold f note='legal looks at it'; w2 claim a; ana commit g; ana submit g", "w1 next a; w1 next b; w1 next c; w1 next d; w1 next e; w1 next f; w1 next g"), @r#"
    nothing: held_elsewhere: tk-0000a0 is held by agent:ana/w2, for 15 min more
    hint: update {"comment":"<what you need>","mentions":["agent:ana/w2"],"task":"tk-0000a0"} or next {}
    nothing: waits: tk-0000a1 waits for tk-0000a0 (agent:ana/w2 is on it)
    hint: take what is free: next {}
    nothing: assigned_elsewhere: tk-0000a2 is meant for agent:bo/x1
    hint: take what is free, or a person assigns it to you: next {}
    nothing: already_done: tk-0000a3 was already done by dev:ana just now
    hint: next {}
    nothing: already_cancelled: claim: tk-0000a4 was cancelled by dev:ana just now
    hint: a person reopens it
    nothing: on_hold: tk-0000a5 is held by dev:ana: legal looks at it
    hint: a person lifts the hold
    nothing: in_review: claim: tk-0000a6 is under review, submitted by dev:ana
    hint: a person passes it, or asks for changes: next {}
    "#);
    assert_snapshot!(outcome("ana plan a / b / c; w1 claim a; w1 question a text='3 or 9?'; wait 20m", "w2 next a; w2 next b; w2 next c"), @r#"
    nothing: at_gate: tk-0000a0 waits for an answer to agent:ana/w1: agent:ana/w1 asks: 3 or 9?
    hint: a person settles it
    tk-0000a1: claimed
    nothing: at_limit: you hold tk-0000a1 already, the most is 1
    hint: finish or release what you hold: next {"task":"tk-0000a1"} or update {"comment":"<what is done, what is left>","status":"released","task":"tk-0000a1"}
    "#);
}

#[test]
fn what_is_mine_comes_before_what_is_urgent_and_that_before_what_is_due() {
    assert_snapshot!(outcome("ana plan a / b priority=0 / c assignee=w1 / d due_at=2026-12-01T00:00:00Z", "w1 next; w1 close c no_code=true note='decided in the spec'; w1 next; w1 close b no_code=true note='decided in the spec'; w1 next; w1 close d no_code=true note='decided in the spec'; w1 next"), @"
    tk-0000a2: assigned to you
    task.closed tk-0000a2 note=decided in the spec no_code=true
    lease of tk-0000a2 ended
    now done
    tk-0000a1: claimed
    task.closed tk-0000a1 note=decided in the spec no_code=true
    lease of tk-0000a1 ended
    now done
    tk-0000a3: claimed
    task.closed tk-0000a3 note=decided in the spec no_code=true
    lease of tk-0000a3 ended
    now done
    tk-0000a0: claimed
    ");
}

#[test]
fn changes_wanted_come_first_of_all() {
    assert_snapshot!(outcome("ana plan a / b assignee=w1 priority=0; w1 claim a; w1 commit a; w1 submit a note='all of it is done'; ana review a verdict=changes note='no tests'", "w1 next"), @"
    tk-0000a0: changes wanted by dev:ana
    note: no tests
    ");
}

#[test]
fn a_person_gets_back_what_they_hold() {
    assert_snapshot!(outcome("ana plan a / b; ana claim b", "ana next"), @"tk-0000a1: resumed: you hold it");
}

#[test]
fn what_is_late_is_still_held() {
    assert_snapshot!(outcome("ana plan a; w1 claim a; wait 16m", "w2 next a; w2 next; wait 2m; w2 next"), @r#"
    nothing: held_elsewhere: tk-0000a0 is held by agent:ana/w1, late by 60 s, free in 60 s
    hint: update {"comment":"<what you need>","mentions":["agent:ana/w1"],"task":"tk-0000a0"} or next {}
    nothing: all_running: everything open is being worked on: agent:ana/w1 on tk-0000a0 late by 60 s
    hint: ask again later, or stop here
    tk-0000a0: taken over from agent:ana/w1 (silent 18 min, 0 commits)
    "#);
}

#[test]
fn raced() {
    let why = engine::raced();
    assert_snapshot!(format!("{}: {}; {}", why.code, why.text, why.next.for_mcp()), @"raced: what was ready was taken just now; ask again now: next {}");
}
