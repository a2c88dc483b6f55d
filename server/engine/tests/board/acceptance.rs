//! Whole stories that the rules alone decide.

use crate::world::*;
use insta::assert_snapshot;

#[test]
fn a_close_that_arrives_late_stands_though_readiness_was_derived_before() {
    assert_snapshot!(outcome("ana plan a / b after=a", "far bo task.closed a note=done; w1 claim b"), @"
    applied
    task.claimed tk-0000a1
    task.branched tk-0000a1
    lease of tk-0000a1 taken, fence 1, 900 s
    now working
    ");
}

#[test]
fn of_a_close_and_a_cancel_the_earlier_stands_and_the_other_waits_for_a_person() {
    assert_snapshot!(outcome("ana plan a; ana commit a; ana close a", "far bo task.cancelled a note=no"), @"conflict →dev:ana (conflict) →dev:bo (conflict)");
    assert_snapshot!(outcome("ana plan a; ana cancel a note=no", "far bo task.closed a note=done"), @"conflict →dev:ana (conflict) →dev:bo (conflict)");
}

#[test]
fn ready_is_closed_by_its_holder_and_a_submission_can_be_taken_back() {
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 commit a", "w1 close a"), @"
    task.closed tk-0000a0
    lease of tk-0000a0 ended
    now done
    ");
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 commit a; w1 submit a note='all of it is done'", "w1 release a note='found a mistake in it'"), @"
    task.released tk-0000a0 note=found a mistake in it reason=asked holder=agent:ana/w1
    ! withdrawn: the submission of tk-0000a0 is withdrawn
    now ready
    ");
}

#[test]
fn who_is_neither_holder_nor_assignee_cannot_close() {
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 commit a", "w2 close a"), @"
    refused lease_held: tk-0000a0 is held by agent:ana/w1, for 15 min more
    hint: callboard message --to agent:ana/w1 --task tk-0000a0 -m '<what you need>' or callboard next
    ");
    assert_snapshot!(outcome("ana plan a; ana commit a", "w2 close a"), @"
    refused forbidden: close of tk-0000a0: you neither hold it nor is it assigned to you
    hint: claim it first: callboard tasks claim tk-0000a0
    ");
}

#[test]
fn a_person_ends_the_work_of_a_worker_and_the_worker_is_told() {
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 commit a", "ana close a"), @"
    task.closed tk-0000a0 →agent:ana/w1 (closed)
    lease of tk-0000a0 ended
    ! displaced: agent:ana/w1 held tk-0000a0 and is told
    now done
    ");
    assert_snapshot!(outcome("ana plan a; w1 claim a", "ana cancel a note=no"), @"
    task.cancelled tk-0000a0 note=no →agent:ana/w1 (closed)
    lease of tk-0000a0 ended
    ! displaced: agent:ana/w1 held tk-0000a0 and is told
    now cancelled
    ");
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 commit a", "ana submit a"), @"
    task.submitted tk-0000a0 →agent:ana/w1 (displaced)
    lease of tk-0000a0 ended
    ! displaced: agent:ana/w1 held tk-0000a0 and is told
    now in_review
    ");
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 commit a; w1 submit a note='all of it is done'", "ana review a verdict=pass"), @"
    task.reviewed tk-0000a0 verdict=pass →agent:ana/w1 (verdict)
    task.closed tk-0000a0 note=all of it is done by_review=true
    now done
    ");
}

#[test]
fn done_needs_a_commit_or_a_reason() {
    assert_snapshot!(outcome("ana plan a; w1 claim a", "w1 close a"), @"
    refused no_evidence: tk-0000a0 has no commit
    hint: commit on task/tk-0000a0-a; a commit elsewhere counts with the trailer Task: tk-0000a0, or after callboard bind SHA --task tk-0000a0; or without code: callboard tasks done tk-0000a0 -m '<what was done, and why without code>' --no-code
    ");
    assert_snapshot!(outcome("ana plan a; w1 claim a", "w1 close a no_code=true; w1 close a no_code=true note=short; w1 close a no_code=true note='only a decision was made'"), @"
    refused needs_reason: close without code needs a note of at least 10 characters
    hint: callboard tasks done tk-0000a0 -m '<why>' --no-code
    refused needs_reason: close without code needs a note of at least 10 characters
    hint: callboard tasks done tk-0000a0 -m '<why>' --no-code
    task.closed tk-0000a0 note=only a decision was made no_code=true
    lease of tk-0000a0 ended
    now done
    ");
    assert_snapshot!(outcome("ana plan a", "ana close a no_code=true; ana close a no_code=true note=ok"), @"
    refused needs_reason: close without code needs a note
    hint: callboard tasks done tk-0000a0 -m '<why>' --no-code
    task.closed tk-0000a0 note=ok no_code=true
    now done
    ");
}

#[test]
fn merges_empty_and_superseded_commits_are_no_evidence() {
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 commit a parents=[\"1\",\"2\"]; w1 commit a path=null; w1 commit a path=.callboard/log/x.jsonl; w1 commit a sha=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; w1 supersede a old=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa why=gone", "w1 close a"), @"
    refused no_evidence: tk-0000a0 has no commit that counts (merges, empty and superseded ones do not)
    hint: commit on task/tk-0000a0-a; a commit elsewhere counts with the trailer Task: tk-0000a0, or after callboard bind SHA --task tk-0000a0; or without code: callboard tasks done tk-0000a0 -m '<what was done, and why without code>' --no-code
    ");
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 commit a sha=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa patch=p; w1 commit a sha=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb patch=p; w1 supersede a old=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa new=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb why=amend", "w1 commit a sha=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb; w1 close a"), @"
    now working
    task.closed tk-0000a0
    lease of tk-0000a0 ended
    now done
    ");
}

#[test]
fn closed_and_children_open_are_two_refusals() {
    assert_snapshot!(outcome("ana plan a; ana close a no_code=true note=ok", "ana cancel a note=no"), @"
    refused illegal_move: cancel: tk-0000a0 was done by dev:ana just now
    hint: a person reopens it: callboard tasks reopen tk-0000a0
    ");
    assert_snapshot!(outcome("ana plan a / b parent=a", "ana close a no_code=true note=ok; ana cancel a note=no"), @"
    refused children_open: tk-0000a0 has 1 task that is open: tk-0000a1
    hint: close or cancel them first: callboard next
    refused children_open: tk-0000a0 has 1 task that is open: tk-0000a1
    hint: cancel them too: callboard tasks cancel tk-0000a0 -m '<why>' --with-children
    ");
}

#[test]
fn a_loop_is_refused_with_its_path() {
    assert_snapshot!(outcome("ana plan a after=b / b", "ana block b ons=a; ana block a ons=a"), @"
    refused cycle: it would wait for itself: tk-0000a1 → tk-0000a0 → tk-0000a1
    hint: leave out one of these edges, or unblock one that is there
    refused cycle: it would wait for itself: tk-0000a0 → tk-0000a0
    hint: leave out one of these edges, or unblock one that is there
    ");
    assert_snapshot!(outcome("ana plan a / b parent=a / c after=a", "ana block b ons=a; ana edit a parent=b; ana edit c parent=b; ana edit a parent=c"), @"
    refused cycle: it would wait for itself: tk-0000a1 → tk-0000a0 → tk-0000a1
    hint: leave out one of these edges, or unblock one that is there
    refused cycle: it would wait for itself: tk-0000a1 → tk-0000a0 → tk-0000a1
    hint: leave out one of these edges, or unblock one that is there
    refused cycle: it would wait for itself: tk-0000a1 → tk-0000a2 → tk-0000a0 → tk-0000a1
    hint: leave out one of these edges, or unblock one that is there
    task.edited tk-0000a0 to=tk-0000a2 from=null field=parent
    now blocked
    ");
}

#[test]
fn a_close_frees_and_a_reopen_blocks_again() {
    assert_snapshot!(outcome("ana plan a / b after=a", "w1 next b; ana close a no_code=true note=ok; ana reopen a; w1 next b; ana close a no_code=true note=ok; w1 next b"), @"
    nothing: waits: tk-0000a1 waits for tk-0000a0
    hint: take what is free: next {}
    task.closed tk-0000a0 note=ok no_code=true
    now done
    task.reopened tk-0000a0
    now ready
    nothing: waits: tk-0000a1 waits for tk-0000a0
    hint: take what is free: next {}
    task.closed tk-0000a0 note=ok no_code=true
    now done
    tk-0000a1: claimed
    ");
}

#[test]
fn what_its_holder_blocked_is_blocked_when_it_lets_go() {
    assert_snapshot!(outcome("ana plan a / b; w1 claim a; w2 claim b", "w1 block a ons=b; w1 release a note='waiting for the other one'; w1 next; w2 close b no_code=true note='the thing is decided'; w1 next"), @"
    task.blocked tk-0000a0 on=tk-0000a1
    now working
    task.released tk-0000a0 note=waiting for the other one reason=asked holder=agent:ana/w1
    lease of tk-0000a0 ended
    now blocked
    nothing: all_blocked: everything that is free waits: tk-0000a1 b (1 wait, agent:ana/w2 is on it)
    hint: ask again later, or stop here
    task.closed tk-0000a1 note=the thing is decided no_code=true
    lease of tk-0000a1 ended
    now done
    tk-0000a0: claimed
    note: waiting for the other one
    ");
}

#[test]
fn a_named_claim_is_refused_as_next_would() {
    assert_snapshot!(outcome("ana plan a / b after=a / c assignee=x1", "w1 claim b; w1 next b; w1 claim c; w1 next c"), @"
    refused blocked: tk-0000a1 waits for tk-0000a0
    hint: take what is free: callboard next
    nothing: waits: tk-0000a1 waits for tk-0000a0
    hint: take what is free: next {}
    refused assigned: tk-0000a2 is meant for agent:bo/x1
    hint: take what is free, or a person assigns it to you: callboard next or callboard tasks assign tk-0000a2 <actor>
    nothing: assigned_elsewhere: tk-0000a2 is meant for agent:bo/x1
    hint: take what is free, or a person assigns it to you: next {}
    ");
}

#[test]
fn overlap_outranks_urgency_but_only_defers() {
    assert_snapshot!(outcome("ana plan a files=src/ / b priority=0 files=src/a.rs / c priority=3 files=docs/; w2 claim a", "w1 next; w1 release c note='that was the wrong one'; ana cancel c note=no; w1 next"), @"
    tk-0000a2: claimed
    task.released tk-0000a2 note=that was the wrong one reason=asked holder=agent:ana/w1
    lease of tk-0000a2 ended
    now ready
    task.cancelled tk-0000a2 note=no
    now cancelled
    tk-0000a1: claimed
    overlaps tk-0000a0 of agent:ana/w2: src/a.rs
    ");
}

#[test]
fn all_assigned_names_for_whom() {
    assert_snapshot!(outcome("ana plan a assignee=x1 / b assignee=x2", "w1 next"), @"
    nothing: all_assigned: what could be started is meant for agent:bo/x1, agent:bo/x2
    hint: a person assigns it to you, or you stop here
    ");
}

#[test]
fn who_holds_gets_its_own_task_back() {
    assert_snapshot!(outcome("ana plan a / b; w1 claim a", "w1 next; w1 next a; w1 next b"), @r#"
    tk-0000a0: resumed: you hold it
    tk-0000a0: resumed: you hold it
    nothing: at_limit: you hold tk-0000a0 already, the most is 1
    hint: finish or release what you hold: next {"task":"tk-0000a0"} or update {"comment":"<what is done, what is left>","status":"released","task":"tk-0000a0"}
    "#);
}

#[test]
fn a_lapsed_lease_is_its_holders_until_somebody_takes_it() {
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 commit a; wait 20m", "w1 close a"), @"
    task.claimed tk-0000a0 resumed=true
    task.closed tk-0000a0
    lease of tk-0000a0 ended
    ! taken_back: your lease of tk-0000a0 had lapsed, and nobody had taken it: it was taken back
    now done
    ");
    assert_snapshot!(outcome("ana plan a; w1 claim a; wait 16m", "w1 renew a; wait 5m; w1 renew a"), @"
    lease of tk-0000a0 extended
    now working
    lease of tk-0000a0 extended
    now working
    ");
    assert_snapshot!(outcome("ana plan a; w1 claim a; wait 20m; w1 renew", "w2 claim a"), @"
    refused lease_held: tk-0000a0 is held by agent:ana/w1, for 15 min more
    hint: callboard message --to agent:ana/w1 --task tk-0000a0 -m '<what you need>' or callboard next
    ");
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 commit a; wait 20m; w2 claim a", "w1 close a; w1 renew a; w1 comment a text=hello fence=1; w1 edit a labels=x fence=1; w2 comment a text=hello fence=2"), @"
    refused lease_lost: tk-0000a0 is no longer yours: agent:ana/w2 took it just now
    hint: callboard tasks claim tk-0000a0
    refused lease_lost: tk-0000a0 is no longer yours: agent:ana/w2 took it just now
    hint: callboard tasks claim tk-0000a0
    refused stale_fence: tk-0000a0 is at fence 2, you present 1, agent:ana/w2 holds it
    hint: stop working on it, nothing was changed: callboard next
    refused stale_fence: tk-0000a0 is at fence 2, you present 1, agent:ana/w2 holds it
    hint: stop working on it, nothing was changed: callboard next
    task.commented tk-0000a0
    now working
    ");
}

#[test]
fn who_is_mentioned_is_exactly_who_is_named() {
    assert_snapshot!(outcome("ana plan a; w1 claim a; agent:ana/w_1 comment a text=hello; agent:ana/wx1 comment a text=hello", "ana comment a text='ask @agent:ana/w_1, @agent:ana/w9 and @dev:ana'"), @r#"
    task.commented tk-0000a0 mentions=["agent:ana/w_1"] →agent:ana/w_1 (mention)
    now working
    "#);
}

#[test]
fn a_persons_comment_that_names_nobody_is_for_the_holder() {
    assert_snapshot!(outcome("ana plan a; w1 claim a", "ana comment a text='please use nom'; w2 comment a text='seen in passing'; ana comment a text='cc @w9'; w1 release a note='no time for it now'; ana comment a text='cc @w9'"), @r#"
    task.commented tk-0000a0 mentions=["agent:ana/w1"] →agent:ana/w1 (mention)
    now working
    task.commented tk-0000a0
    now working
    task.commented tk-0000a0 mentions=["agent:ana/w1"] →agent:ana/w1 (mention)
    ! not_told: @w9 has not acted here and is told nothing
    now working
    task.released tk-0000a0 note=no time for it now reason=asked holder=agent:ana/w1
    lease of tk-0000a0 ended
    now ready
    task.commented tk-0000a0
    ! not_told: @w9 has not acted here and is told nothing
    now ready
    "#);
}

#[test]
fn a_short_name_is_whom_everything_shows_it_for() {
    assert_snapshot!(outcome("ana plan a / b; w1 claim a; w2 claim b; x1 comment a text=hello", "ana comment b text='@w1, @bo/x1, @bo and @w9: look'; x1 comment b text='@w1 @ana/w1'"), @r#"
    task.commented tk-0000a1 mentions=["agent:ana/w1","agent:bo/x1"] →agent:ana/w1 (mention) →agent:bo/x1 (mention)
    now working
    task.commented tk-0000a1 mentions=["agent:ana/w1"] →agent:ana/w1 (mention)
    now working
    "#);
}

#[test]
fn the_dependents_of_a_cancelled_task_say_it_was_never_delivered() {
    assert_snapshot!(outcome("ana plan a / b after=a", "ana cancel a note='too expensive'; w1 claim b"), @"
    task.cancelled tk-0000a0 note=too expensive
    ! never_delivered: 1 task waited for it and will never get it: tk-0000a1
    now cancelled
    task.claimed tk-0000a1
    task.branched tk-0000a1
    lease of tk-0000a1 taken, fence 1, 900 s
    ! never_delivered: tk-0000a1 waited for what was cancelled, never delivered: tk-0000a0 (a)
    now working
    ");
}

#[test]
fn who_split_its_task_gets_the_parts_then_the_whole() {
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 plan b parent=a / c parent=a", "w1 next; w1 next; w1 close b no_code=true note='decided in the spec'; w1 next; w1 close c no_code=true note='decided in the spec'; w1 next"), @"
    tk-0000a1: claimed
    tk-0000a1: resumed: you hold it
    task.closed tk-0000a1 note=decided in the spec no_code=true
    lease of tk-0000a1 ended
    now done
    tk-0000a2: claimed
    task.closed tk-0000a2 note=decided in the spec no_code=true
    lease of tk-0000a2 ended
    now done
    tk-0000a0: resumed: you hold it
    ");
}

#[test]
fn a_required_review_is_a_pass_or_a_persons_own_close() {
    assert_snapshot!(outcome("ana plan a review=true; w1 claim a; w1 commit a", "w1 close a; ana close a"), @"
    refused needs_review: tk-0000a0 needs a review
    hint: hand it in, a person passes it: callboard tasks submit tk-0000a0 -m '<what was done>'
    task.closed tk-0000a0 →agent:ana/w1 (closed)
    lease of tk-0000a0 ended
    ! displaced: agent:ana/w1 held tk-0000a0 and is told
    now done
    ");
    assert_snapshot!(outcome("ana plan a review=true; w1 claim a; w1 commit a; w1 submit a note='all of it is done'", "w1 close a; ana review a verdict=pass"), @"
    refused needs_review: tk-0000a0 is under review and not passed yet
    hint: a person passes it: callboard tasks review tk-0000a0 pass
    task.reviewed tk-0000a0 verdict=pass →agent:ana/w1 (verdict)
    task.closed tk-0000a0 note=all of it is done by_review=true
    now done
    ");
}

#[test]
fn a_plan_names_each_fault_at_its_path_and_entry_0_is_the_first() {
    assert_snapshot!(outcome("", "ana plan a after=[\"tk-ffffff\"] / b after=[7] / c after=[true]"), @"
    refused bad_request: 1 of the plan's tasks can't be read
      tasks[2].after[0]: expected an index within this plan (counted from 0) or a task id like tk-4f2a9c
    ");
    assert_snapshot!(outcome("", "ana plan a after=[\"tk-ffffff\"] / b after=[7] / c parent=0"), @"
    refused bad_request: the plan has 2 problems, nothing was planned
      tasks[0].after[0]: there is no task tk-ffffff
      tasks[1].after[0]: there is no entry 7 in this plan, they are counted from 0 to 2
    hint: after and parent name a place in this call's tasks (counted from 0) or a task id; nothing was written, so send the whole plan again
    ");
    assert_snapshot!(outcome("", "ana plan a / b parent=0; ana close a no_code=true note=x"), @"
    task.created tk-0000a0
    task.created tk-0000a1
    refused children_open: tk-0000a0 has 1 task that is open: tk-0000a1
    hint: close or cancel them first: callboard next
    ");
}

#[test]
fn an_assignment_is_not_stalled() {
    let world = after("ana plan a; w1 claim a; wait 1h; ana assign a to=w2; wait 1m");
    let (id, settings) = (task("a"), world.settings());
    let card = engine::card(&world.tasks[&id], &world.counters(&id), world.leases.get(&id), &settings, world.now, 0);
    assert_eq!((card.standing.as_str(), card.lease, card.why.map(|why| (why.text, why.since))), ("assigned", None, Some(("for ana/w2".to_owned(), None))));
}

#[test]
fn changes_wanted_are_seen_while_the_worker_works_on() {
    let world = after("ana plan a; w1 claim a; w1 commit a; w1 submit a note='all of it is done'; ana review a verdict=changes note='no tests'; w1 claim a");
    let (id, settings) = (task("a"), world.settings());
    let card = engine::card(&world.tasks[&id], &world.counters(&id), world.leases.get(&id), &settings, world.now, 0);
    let review = card.review.unwrap();
    assert_eq!((card.standing.as_str(), review.state.as_str(), review.note.as_str()), ("working", "changes", "no tests"));
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 commit a; w1 submit a note='all of it is done'", "ana review a verdict=changes; ana review a verdict=changes note='no tests'; w1 next"), @"
    refused needs_reason: asking for changes needs a note
    hint: callboard tasks review tk-0000a0 changes -m '<why>'
    task.reviewed tk-0000a0 note=no tests verdict=changes →agent:ana/w1 (verdict)
    now changes
    tk-0000a0: changes wanted by dev:ana
    note: no tests
    ");
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 commit a; w1 submit a note='all of it is done'; ana plan b parent=a", "ana review a verdict=pass"), @"
    task.reviewed tk-0000a0 verdict=pass →agent:ana/w1 (verdict)
    ! not_closed: passed, but tk-0000a0 is not closed yet: tk-0000a0 has 1 task that is open: tk-0000a1
    now blocked
    ");
}
