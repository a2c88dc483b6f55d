//! Who may do what; versions, fences, sizes; and that every code is said somewhere.

use crate::world::*;
use insta::assert_snapshot;

#[test]
fn an_edit_is_by_field_and_by_right() {
    assert_snapshot!(outcome("w1 plan a criteria=fast / b; ana plan c; w2 claim b; w1 claim c", "w1 edit a title=x priority=0; w1 edit a title=x spec=y; w1 edit b title=x; w2 edit b title=x files=src/ labels=b,a,b; w1 edit c answers=[{\"i\":1,\"met\":true}]; w1 edit c complexity=XL; w2 edit c labels=x; ana edit c title=c priority=2; ana edit c; ana edit a answers=[{\"i\":1,\"met\":true}]; w1 edit a criteria=fast,small review=false; ana edit a criteria=small,fast"), @r#"
    refused forbidden: tk-0000a0: you may not change priority
    hint: you may change title, spec, type, vertical, complexity, labels, milestone, parent, files, criteria, answers, due_at; a person may change the rest: callboard tasks comment tk-0000a0 -m '<what should change>'
    task.edited tk-0000a0 to=x from=a field=title
    task.edited tk-0000a0 to=y from=what to do field=spec
    now ready
    refused forbidden: tk-0000a1: you may not change title
    hint: who holds it may change files, labels, complexity and answers to criteria; who created it its words until another claims it; a person everything: callboard tasks comment tk-0000a1 -m '<what should change>'
    refused forbidden: tk-0000a1: you may not change title
    hint: you may change complexity, labels, files, answers; a person may change the rest: callboard tasks comment tk-0000a1 -m '<what should change>'
    refused bad_request: answers[0].i: there are no criteria
    task.edited tk-0000a2 to=XL from=null field=complexity
    now working
    refused forbidden: tk-0000a2: you may not change labels
    hint: who holds it may change files, labels, complexity and answers to criteria; who created it its words until another claims it; a person everything: callboard tasks comment tk-0000a2 -m '<what should change>'
    now working
    refused bad_request: edit changes at least one of title, spec, type, priority, vertical, complexity, labels, milestone, parent, files, criteria, answers, due_at, review
    task.edited tk-0000a0 to=[{"met":true,"text":"fast"}] from=[{"text":"fast"}] field=criteria
    now ready
    refused forbidden: tk-0000a0: you may not change review
    hint: you may change title, spec, type, vertical, complexity, labels, milestone, parent, files, criteria, answers, due_at; a person may change the rest: callboard tasks comment tk-0000a0 -m '<what should change>'
    task.edited tk-0000a0 to=[{"text":"small"},{"met":true,"text":"fast"}] from=[{"met":true,"text":"fast"}] field=criteria
    now ready
    "#);
}

#[test]
fn a_version_that_was_read_must_be_the_present_one() {
    assert_snapshot!(outcome("ana plan a; ana comment a text=hello", "ana edit a title=x expect=1; ana edit a title=y expect=1; ana claim a expect=2"), @"
    task.edited tk-0000a0 to=x from=a field=title
    now ready
    refused stale: tk-0000a0 is at version 2, you read 1
    hint: read it again, then send expect=2: callboard tasks show tk-0000a0
    task.claimed tk-0000a0
    task.branched tk-0000a0
    lease of tk-0000a0 taken, fence 1, 86400 s
    now working
    ");
}

#[test]
fn the_surface_of_agents_is_not_for_people() {
    assert_snapshot!(outcome("ana plan a; w1 claim a", "w1 hold a note='please wait for me'; w1 reopen a; w1 milestone_cancel ms-000002"), @"
    refused forbidden: a person does this: holding a task back
    hint: ask a person: callboard tasks hold tk-0000a0 -m 'please wait for me'
    refused forbidden: a person does this: reopening a task
    hint: ask a person: callboard tasks reopen tk-0000a0
    refused forbidden: a person does this: cancelling a milestone
    hint: ask a person: callboard milestone cancel ms-000002
    ");
}

#[test]
fn sizes_have_limits() {
    assert_snapshot!(outcome("ana plan a", "ana edit a labels=a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u; ana question a text=x choices=1,2,3,4,5,6,7"), @"
    refused too_large: labels: labels has 21 labels, the limit is 20
    hint: send it in parts
    refused too_large: choices: choices has 7 choices, the limit is 6
    hint: send it in parts
    ");
}

#[test]
fn what_is_not_there_is_not_found() {
    assert_snapshot!(outcome("ana plan a", "ana claim b; ana edit a parent=c; ana edit a milestone=ms-ffffff; ana answer question=qu-ffffffff text=x; ana settle event=ffffffffffffffffffffffffffffffff choice=keep note=x"), @"
    refused not_found: there is no task tk-0000a1
    hint: callboard tasks search '<words of its title>'
    refused not_found: there is no task tk-0000a2
    hint: callboard tasks search '<words of its title>'
    refused not_found: there is no milestone ms-ffffff
    hint: a plan may name a milestone by its title
    refused not_found: there is no open question qu-ffffffff
    hint: it may be answered already; the open ones stand with their tasks
    refused not_found: there is no open conflict about event ffffffffffffffffffffffffffffffff
    hint: it may be settled already
    ");
}

#[test]
fn a_person_on_the_surface_of_agents_is_refused() {
    let mut world = after("ana plan a");
    world.surface = Some(contracts::Surface::Mcp);
    assert_snapshot!(world.say("ana claim a").unwrap_err(), @"
    refused forbidden: this is the surface of agents, people act elsewhere
    hint: pass an agent as the actor: agent:<dev>/<name>; people use the pages or the command line
    ");
}

#[test]
fn a_taken_id_is_minted_again() {
    let mut world = after("ana plan a");
    world.minted = 0xa0;
    let command = contracts::Command::parse("plan", serde_json::json!({"tasks": [{"title": "x"}]})).unwrap();
    let ctx = world.context(&actor("ana"), 1);
    let mut needs = engine::needs(&command, &ctx.caller);
    needs.tasks.extend(ctx.minted.tasks.clone());
    assert_eq!(engine::decide(&world.facts(&needs, &ctx.caller), &command, &ctx), Err(engine::Rejection::IdTaken));
}

#[test]
fn words_of_the_callers_machine_have_an_end_and_are_one_line() {
    for (field, most) in [("session", 200), ("worktree", 1_024)] {
        for (text, refused) in [("x".repeat(most), ""), ("x".repeat(most + 1), "too_large"), ("a\u{7}b".to_owned(), "bad_request")] {
            let mut world = after("ana plan a");
            let claim = contracts::Command::parse("claim", serde_json::json!({"task": task("a"), field: text})).unwrap();
            let said = world.run(&actor("w1"), &claim).map_or_else(|refused| refused.problem().code.to_string(), |_| String::new());
            assert_eq!(said, refused, "{field}");
        }
    }
    let mut world = after("ana plan a");
    let bind = serde_json::json!({"task": task("a"), "sha": "a".repeat(40), "subject": "one\u{1b}[1mtwo", "how": "branch", "author": "A\u{7}",
        "files": [["a\nb", 1, 1], ["x".repeat(2_000), 1, 1], ["src/a.rs", 1, 1]]});
    world.run(&actor("w1"), &contracts::Command::parse("bind", bind).unwrap()).unwrap();
    let commit = &world.tasks[&task("a")].commits[0];
    assert_eq!((commit.subject.as_str(), commit.author.as_deref(), commit.files.len(), commit.files_dropped), ("one [1mtwo", Some("A"), 1, 2));
}
