//! The project, its settings, conflicts, milestones.

use crate::world::*;
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn a_project_is_created_once() {
    assert_snapshot!(outcome("", "ana create_project name=Again zone=UTC"), @"refused illegal_move: this repository's project exists already: Demo");
}

#[test]
fn settings_are_checked_and_people_only() {
    assert_snapshot!(outcome("", "ana configure key=grace_s value=60; ana configure key=grace_s value=60; ana configure key=grace_s value=null; ana configure key=grace_s value=-1; ana configure key=colour value=1; w1 configure key=grace_s value=60; ana configure key=types value=[\"spike\"]; ana plan a type=spike; ana plan a type=sprint"), @r#"
    project.configured project to=60 from=null key=grace_s
    project.configured project to=null from=60 key=grace_s
    refused bad_request: value: grace_s is a whole number from 0 to 3600, not -1
    refused bad_request: key: "colour" is not a setting; settings: name, zone, base, review_default, criteria_gate, lease_ttl_s.agent, lease_ttl_s.dev, grace_s, max_held.agent, max_held.dev, commit_guard, stop_gate, types, wip_max, views, trees_dir, sync.refs, narration.provider, narration.model, narration.language, reports.daily
    refused forbidden: a person does this: changing a setting
    hint: ask a person: callboard config set grace_s 60
    project.configured project to=["spike"] from=null key=types
    task.created tk-0000a0
    now ready
    refused bad_request: tasks[0].type: "sprint" is not a type of this project; types: task, feature, bug, chore, docs, test, refactor, research, decision, incident, spike
    hint: after and parent name a place in this call's tasks (counted from 0) or a task id; nothing was written, so send the whole plan again
    "#);
}

#[test]
fn a_version_or_a_fence_goes_with_a_command_about_one_task() {
    assert_snapshot!(outcome("", "ana milestone_create title=Beta expect=1; ana configure key=grace_s value=60 expect=0; w1 renew fence=1"), @r#"
    refused bad_request: expect: goes with a command about one task
    hint: leave expect out
    refused bad_request: expect: goes with a command about one task
    hint: leave expect out
    refused bad_request: fence: goes with a command about one task
    hint: leave fence out
    "#);
}

#[test]
fn a_milestone_closes_when_all_is_answered() {
    assert_snapshot!(outcome("ana milestone_create title=Beta criteria=fast; ana plan a milestone=ms-000002", "w1 milestone_close ms-000002; ana milestone_close ms-000002; ana close a no_code=true note=x; ana milestone_close ms-000002; ana milestone_edit ms-000002 answers=[{\"i\":1,\"met\":false}]; ana milestone_close ms-000002; ana milestone_edit ms-000002 answers=[{\"i\":1,\"met\":false,\"note\":\"later\"}]; ana milestone_close ms-000002; ana milestone_edit ms-000002 title=x; ana milestone_reopen ms-000002; ana milestone_reopen ms-000002; ana milestone_edit ms-000002; ana milestone_edit ms-000002 title=Gamma"), @r#"
    refused forbidden: a person does this: closing a milestone
    hint: ask a person: callboard milestone close ms-000002
    refused children_open: ms-000002 has 1 task that is open: tk-0000a0
    hint: close or cancel them, or move them to another milestone
    task.closed tk-0000a0 note=x no_code=true
    now done
    refused criteria_open: ms-000002: criteria without an answer: 1
    hint: answer each; a no needs a note: callboard milestone edit ms-000002 --met 1
    milestone.edited ms-000002 to=[{"met":false,"text":"fast"}] from=[{"text":"fast"}] field=criteria
    refused criteria_open: ms-000002: criteria without an answer: 1
    hint: answer each; a no needs a note: callboard milestone edit ms-000002 --met 1
    milestone.edited ms-000002 to=[{"met":false,"note":"later","text":"fast"}] from=[{"met":false,"text":"fast"}] field=criteria
    milestone.closed ms-000002
    refused illegal_move: edit: milestone ms-000002 is done
    hint: a person reopens it: callboard milestone reopen ms-000002
    milestone.reopened ms-000002
    refused illegal_move: reopen: milestone ms-000002 is open
    refused bad_request: edit changes at least one of title, goal, rules, criteria, answers, reviews, due_at
    milestone.edited ms-000002 to=Gamma from=Beta field=title
    "#);
}

#[test]
fn a_cancelled_milestone_takes_or_leaves_its_tasks() {
    assert_snapshot!(outcome("ana plan a milestone=Beta / b; w1 claim a", "ana milestone_cancel ms-000002 note=no; ana milestone_cancel ms-000002 note=no tasks=detach; w1 comment a text=hello"), @"
    refused children_open: ms-000002 has 2 tasks that are open: tk-0000a0, tk-0000a1
    hint: say what becomes of them: callboard milestone cancel ms-000002 --tasks cancel or callboard milestone cancel ms-000002 --tasks detach
    milestone.cancelled ms-000002 note=no
    task.edited tk-0000a0 to=null from=ms-000002 field=milestone
    task.edited tk-0000a1 to=null from=ms-000002 field=milestone
    ! tasks: 2 tasks left open, in no milestone
    task.commented tk-0000a0
    now working
    ");
    assert_snapshot!(outcome("ana plan a milestone=Beta / b; w1 claim a", "ana milestone_cancel ms-000002 note=no tasks=cancel; ana plan c milestone=ms-000002; ana milestone_close ms-ffffff"), @"
    milestone.cancelled ms-000002 note=no
    task.cancelled tk-0000a0 note=no →agent:ana/w1 (closed)
    task.cancelled tk-0000a1 note=no
    lease of tk-0000a0 ended
    ! displaced: agent:ana/w1 held tk-0000a0 and is told
    ! tasks: 2 tasks cancelled with it
    refused illegal_move: tasks[0].milestone: milestone ms-000002 is cancelled
    hint: after and parent name a place in this call's tasks (counted from 0) or a task id; nothing was written, so send the whole plan again
    refused not_found: there is no milestone ms-ffffff
    hint: a plan may name a milestone by its title
    ");
}

#[test]
fn a_milestone_that_reviews_makes_its_tasks_need_one() {
    assert_snapshot!(outcome("ana milestone_create title=Beta reviews=true; ana plan a milestone=ms-000002 / b milestone=ms-000002 review=false; w1 claim a; w1 commit a", "w1 close a; w2 commit b; w2 claim b; w2 close b"), @"
    refused needs_review: tk-0000a0 needs a review
    hint: hand it in, a person passes it: callboard tasks submit tk-0000a0 -m '<what was done>'
    commit.bound tk-0000a1
    now ready
    task.claimed tk-0000a1
    task.branched tk-0000a1
    lease of tk-0000a1 taken, fence 1, 900 s
    now working
    task.closed tk-0000a1
    lease of tk-0000a1 ended
    now done
    ");
}

#[test]
fn a_conflict_is_kept_or_dismissed_by_a_person() {
    assert_snapshot!(outcome("ana plan a; ana cancel a note=no; far bo task.closed a note=done no_code=true", "w1 settle event=00000000000000000000000000000004 choice=dismiss note=x; ana settle event=00000000000000000000000000000004 choice=keep note=yes; ana reopen a; ana settle event=00000000000000000000000000000004 choice=keep; ana settle event=00000000000000000000000000000004 choice=keep note=yes; ana settle event=00000000000000000000000000000004 choice=dismiss note=yes"), @"
    refused forbidden: a person does this: settling a conflict
    hint: ask a person: callboard conflicts settle 00000000000000000000000000000004 dismiss -m x
    refused illegal_move: close: tk-0000a0 was cancelled by dev:ana just now
    hint: a person reopens it: callboard tasks reopen tk-0000a0
    task.reopened tk-0000a0
    now needs_you
    refused needs_reason: settling a conflict needs a note
    hint: callboard conflicts settle 00000000000000000000000000000004 keep -m '<why>'
    conflict.settled tk-0000a0 note=yes choice=keep
    task.closed tk-0000a0 note=done no_code=true
    now done
    refused not_found: there is no open conflict about event 00000000000000000000000000000004
    hint: it may be settled already
    ");
    assert_snapshot!(outcome("ana plan a; w1 claim a; far x1 task.claimed a expires_in=7200 fence=1", "ana settle event=00000000000000000000000000000005 choice=keep note='x1 knows it better'; x1 next"), @"
    conflict.settled tk-0000a0 note=x1 knows it better choice=keep
    task.released tk-0000a0 note=x1 knows it better reason=displaced holder=agent:ana/w1 →agent:ana/w1 (displaced)
    task.assigned tk-0000a0 note=x1 knows it better to=agent:bo/x1 →agent:bo/x1 (assigned)
    lease of tk-0000a0 ended
    ! displaced: agent:ana/w1 held tk-0000a0 and is told
    now assigned
    tk-0000a0: assigned to you
    note: x1 knows it better
    ");
    assert_snapshot!(outcome("ana plan a; w1 claim a; far x1 task.claimed a expires_in=7200 fence=1", "ana settle event=00000000000000000000000000000005 choice=dismiss note='first come'"), @"
    conflict.settled tk-0000a0 note=first come choice=dismiss
    now working
    ");
}

#[test]
fn nothing_works_before_there_is_a_project() {
    let mut world = World::empty();
    assert_snapshot!(world.say("ana plan a").unwrap_err(), @"
    refused not_initialized: there is no project here yet
    hint: callboard init
    ");
}

/// A world in which bo, elsewhere, did this to the closed task `a`, and `a` is open again; with the conflict's event.
fn with_conflict(given: &str, kind: &str, body: serde_json::Value) -> (World, String) {
    let mut world = after(given);
    let body = body.as_object().unwrap().clone();
    let draft = engine::Draft { kind: engine::Kind::of(kind), subject: task("a").to_string(), body };
    let event = world.event(&contracts::Writer::from_bits(2), &actor("bo"), draft, world.now);
    let id = event.id.to_string();
    assert!(world.take_in(event).conflict, "{kind}");
    world.say("ana reopen a").unwrap();
    (world, id)
}

#[test]
fn whatever_a_kept_command_is_about_is_looked_at_and_comes_to_what_it_said() {
    let closed = "ana plan a criteria=fast,small / b / p; ana milestone_create title=Beta; ana close a no_code=true note=x";
    for (kind, body, expected) in [
        ("task.blocked", json!({"on": task("b")}), "task.blocked tk-0000a0 on=tk-0000a1"),
        ("task.blocked", json!({"blocker": "bl-00000001", "reason": "a key"}), "task.blocked tk-0000a0 reason=a key"),
        ("task.edited", json!({"field": "parent", "to": task("c")}), "task.edited tk-0000a0 to=tk-0000a2 from=null field=parent"),
        ("task.edited", json!({"field": "milestone", "to": "ms-000003"}), "task.edited tk-0000a0 to=ms-000003 from=null field=milestone"),
        ("task.edited", json!({"field": "title", "to": "z"}), "task.edited tk-0000a0 to=z from=a field=title"),
        ("task.edited", json!({"field": "type", "to": "bug"}), "task.edited tk-0000a0 to=bug from=task field=type"),
        ("task.edited", json!({"field": "labels", "to": ["api"]}), r#"task.edited tk-0000a0 to=["api"] from=[] field=labels"#),
        ("task.edited", json!({"field": "due_at", "to": "2027-01-01T00:00:00Z"}), "field=due_at"),
        (
            "task.edited",
            json!({"field": "criteria", "to": [{"text": "small", "met": true, "note": "12 kB"}, {"text": "new"}]}),
            r#"to=[{"met":true,"note":"12 kB","text":"small"},{"text":"new"}]"#,
        ),
        ("task.held", json!({"kind": "person", "note": "later"}), "task.held tk-0000a0 note=later"),
        ("task.assigned", json!({"to": actor("w1")}), "task.assigned tk-0000a0 note=yes to=agent:ana/w1 "),
        ("task.cancelled", json!({"note": "no use"}), "task.cancelled tk-0000a0 note=no use"),
    ] {
        let (mut world, event) = with_conflict(closed, kind, body.clone());
        let said = world.say(&format!("ana settle event={event} choice=keep note=yes")).unwrap_or_else(|refused| panic!("{kind} {body}: {refused}"));
        assert!(said.contains(expected), "{kind} {body}: {said}");
    }
}

#[test]
fn a_kept_command_meets_the_guards_of_a_new_one() {
    for (given, kind, body, refused) in [
        ("ana plan a / b after=[0]; ana close a no_code=true note=x", "task.blocked", json!({"on": task("b")}), "refused cycle"),
        (
            "ana plan a / b; ana cancel b note=x; ana close a no_code=true note=x",
            "task.edited",
            json!({"field": "parent", "to": task("b")}),
            "refused illegal_move",
        ),
        (
            "ana plan a milestone=Beta; ana close a no_code=true note=x; ana milestone_close ms-000002",
            "task.edited",
            json!({"field": "milestone", "to": "ms-000002"}),
            "",
        ),
        (
            "ana plan a criteria=fast; ana configure key=criteria_gate value=met; ana cancel a note=x",
            "task.closed",
            json!({"note": "done", "no_code": true}),
            "refused criteria_open",
        ),
        (
            "ana plan a criteria=fast; ana configure key=criteria_gate value=met; ana cancel a note=x",
            "task.closed",
            json!({"note": "done", "no_code": true, "criteria": [{"i": 1, "met": true}]}),
            "",
        ),
    ] {
        let (mut world, event) = with_conflict(given, kind, body.clone());
        let said = world.say(&format!("ana settle event={event} choice=keep note=yes")).err().unwrap_or_default();
        assert!(if refused.is_empty() { said.is_empty() } else { said.starts_with(refused) }, "{kind} {body}: {said}");
    }
}

#[test]
fn a_cancelled_milestone_leaves_no_open_subtask_below_a_cancelled_task() {
    let mut world = after(
        "ana milestone_create title=Other; ana plan a milestone=Beta; ana plan b parent=a milestone=ms-000002; ana plan c parent=b; ana plan d parent=a; ana plan e",
    );
    world.say("w1 claim c").unwrap();
    let said = world.say("ana milestone_cancel ms-000003 note=no tasks=cancel").unwrap();
    assert!(said.contains("though in no or another milestone: tk-0000a1, tk-0000a3, tk-0000a2") && said.contains("lease of tk-0000a2 ended"), "{said}");
    let open: Vec<&str> = world.tasks.values().filter(|task| task.status == contracts::Status::Open).map(|task| task.title.as_str()).collect();
    assert_eq!(open, ["e"]);
}
