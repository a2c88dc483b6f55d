//! Plans: checked whole, written whole.

use crate::world::*;
use insta::assert_snapshot;

#[test]
fn references_within_a_plan_are_places() {
    assert_snapshot!(outcome("", "ana plan a / b after=0 / c parent=1 after=0"), @"
    task.created tk-0000a0
    task.created tk-0000a1
    task.created tk-0000a2
    ");
}

#[test]
fn a_plan_that_waits_for_itself_shows_where() {
    assert_snapshot!(outcome("", "ana plan a after=1 / b after=0; ana plan a after=0; ana plan a parent=1 / b after=0; ana plan a parent=1 / b after=2 / c after=0"), @"
    refused cycle: tasks[1].after[0]: it would wait for itself: [1] → [0] → [1]
    hint: after and parent name a place in this call's tasks (counted from 0) or a task id; nothing was written, so send the whole plan again
    refused cycle: tasks[0].after[0]: entry 0 names itself
    hint: after and parent name a place in this call's tasks (counted from 0) or a task id; nothing was written, so send the whole plan again
    task.created tk-0000a0
    task.created tk-0000a1
    task.created tk-0000a2
    task.created tk-0000a3
    task.created tk-0000a4
    ");
    assert_snapshot!(outcome("ana plan a after=b / b", "ana plan x after=a blocks=b"), @"
    refused cycle: tasks[0].blocks[0]: it would wait for itself: tk-0000a1 → [0] → tk-0000a0 → tk-0000a1
    hint: after and parent name a place in this call's tasks (counted from 0) or a task id; nothing was written, so send the whole plan again
    ");
}

#[test]
fn what_is_closed_or_unknown_cannot_be_waited_for() {
    assert_snapshot!(outcome("ana plan a / b / c; ana cancel a note=no; ana close b no_code=true note=x", "ana plan x after=a / y after=b / z parent=b blocks=a,b / u milestone=ms-ffffff"), @"
    refused illegal_move: the plan has 5 problems, nothing was planned
      tasks[0].after[0]: tk-0000a0 was cancelled, it will never be delivered
      tasks[2].parent: tk-0000a1 is done
      tasks[2].blocks[0]: tk-0000a0 is cancelled, it waits for nothing any more
      tasks[2].blocks[1]: tk-0000a1 is done, it waits for nothing any more
      tasks[3].milestone: there is no milestone ms-ffffff
    hint: after and parent name a place in this call's tasks (counted from 0) or a task id; nothing was written, so send the whole plan again
    ");
    assert_snapshot!(outcome("ana plan a; ana close a no_code=true note=x", "ana plan b after=a"), @"
    task.created tk-0000a1
    now ready
    ");
}

#[test]
fn subtasks_are_five_deep() {
    assert_snapshot!(outcome("", "ana plan a / b parent=0 / c parent=1 / d parent=2 / e parent=3 / f parent=4 / g parent=5"), @"
    refused bad_request: tasks[6].parent: subtasks would be deeper than the limit of 5
    hint: after and parent name a place in this call's tasks (counted from 0) or a task id; nothing was written, so send the whole plan again
    ");
    assert_snapshot!(outcome("ana plan a / b parent=0 / c parent=1 / d parent=2 / e parent=3 / f parent=4", "ana plan g parent=f; ana plan h / i parent=0; ana edit h parent=e"), @"
    refused bad_request: tasks[0].parent: subtasks would be deeper than the limit of 5
    hint: after and parent name a place in this call's tasks (counted from 0) or a task id; nothing was written, so send the whole plan again
    task.created tk-0000a6
    task.created tk-0000a7
    task.edited tk-0000a7 to=tk-0000a4 from=tk-0000a6 field=parent
    now ready
    ");
}

#[test]
fn an_agent_neither_holds_back_nor_assigns_beyond_its_person() {
    assert_snapshot!(outcome("", "w1 plan a held=later / b assignee=x1 / c assignee=w2 type=spike after=b,b"), @r#"
    refused forbidden: the plan has 4 problems, nothing was planned
      tasks[0].held: a person holds tasks back
      tasks[1].assignee: agent:bo/x1 answers to somebody else than you do
      tasks[2].type: "spike" is not a type of this project; types: task, feature, bug, chore, docs, test, refactor, research, decision, incident
      tasks[2].after[1]: tk-0000a1 is named twice
    hint: after and parent name a place in this call's tasks (counted from 0) or a task id; nothing was written, so send the whole plan again
    "#);
}

#[test]
fn what_is_missing_or_past_is_said() {
    assert_snapshot!(outcome("", "ana plan a spec='' / b due_at=2020-01-01T00:00:00Z; ana plan c goal=x"), @"
    task.created tk-0000a0
    task.created tk-0000a1
    ! no_spec: 1 task with no spec: tk-0000a0
    ! past_due: 1 task with a due date in the past: tk-0000a1
    refused bad_request: milestone: goal, rules and criteria belong to a milestone: name one
    hint: after and parent name a place in this call's tasks (counted from 0) or a task id; nothing was written, so send the whole plan again
    ");
}

#[test]
fn blocks_makes_others_wait() {
    assert_snapshot!(outcome("ana plan a", "ana plan b blocks=a; w1 next a"), @"
    task.created tk-0000a1
    task.blocked tk-0000a0 on=tk-0000a1
    now ready
    nothing: waits: tk-0000a0 waits for tk-0000a1
    hint: take what is free: next {}
    ");
}

#[test]
fn a_milestone_is_used_again_by_its_folded_title() {
    let world = after("ana plan a milestone=Beta; ana plan b milestone=BETA");
    assert_eq!(world.milestones.len(), 1);
    assert_eq!(world.tasks[&task("a")].milestone, world.tasks[&task("b")].milestone);
}

#[test]
fn a_dry_run_answers_and_writes_nothing() {
    let mut world = World::new();
    let before = world.events.len();
    assert_eq!(world.say("ana plan a dry_run=true").unwrap(), "");
    assert_eq!((world.events.len(), world.tasks.len()), (before, 0));
}

#[test]
fn the_receipt_of_a_plan_says_what_waits_for_what() {
    let mut world = World::new();
    let command = contracts::Command::parse(
        "plan",
        serde_json::json!({"tasks": [{"title": "A", "spec": "s"}, {"title": "B", "spec": "s", "after": [0], "priority": 0}], "milestone": "Beta"}),
    )
    .unwrap();
    let decision = world.run(&actor("ana"), &command).unwrap();
    assert_snapshot!(decision.data.to_string(), @r#"
    {"milestone":"ms-000002","ready":1,"tasks":[{"id":"tk-0000a0","index":0,"priority":2,"title":"A","waits_for":[]},{"id":"tk-0000a1","index":1,"priority":0,"title":"B","waits_for":["tk-0000a0"]}]}
    "#);
    assert_snapshot!(decision.subject, @"ms-000002");
}

#[test]
fn a_task_waits_for_no_more_by_a_plan_than_by_a_block() {
    use contracts::command::{Command, Plan};
    let blocking = |entries: usize| -> Command {
        let entry = serde_json::json!({"title": "part", "blocks": [task("a")]});
        Command::parse("plan", serde_json::json!({"tasks": vec![entry; entries]})).unwrap()
    };
    let mut world = after("ana plan a / b after=a");
    let refused = refused_words(&world.run(&actor("ana"), &blocking(101)).unwrap_err());
    assert!(refused.contains("tasks[100].blocks[0]: tk-0000a0 would wait for 101 tasks, the limit is 100"), "{refused}");
    world.run(&actor("ana"), &blocking(60)).unwrap();
    assert!(world.run(&actor("ana"), &blocking(41)).is_err(), "what it waits for already counts");
    world.run(&actor("ana"), &blocking(40)).unwrap();
    let named = serde_json::json!({"tasks": [{"title": "x", "blocks": vec![task("b"); 101]}]});
    let Command::Plan(Plan { .. }) = Command::parse("plan", named.clone()).unwrap() else { panic!("a plan") };
    let refused = refused_words(&world.run(&actor("ana"), &Command::parse("plan", named).unwrap()).unwrap_err());
    assert!(refused.contains("tasks[0].blocks: 101 items, the limit is 100"), "{refused}");
}
