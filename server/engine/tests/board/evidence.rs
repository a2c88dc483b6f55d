//! Reviews, criteria, questions, talk: what closing asks for and what is said on the way.

use crate::world::*;
use insta::assert_snapshot;

#[test]
fn a_review_is_not_ones_own_and_changes_need_words() {
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 commit a; w1 submit a note='all of it is done'", "w1 review a verdict=changes note='I see a mistake'; w2 review a verdict=pass; w2 review a verdict=changes note=no; w2 review a verdict=changes note='the tests are missing'; w2 review a verdict=changes note='the tests are missing'"), @"
    refused forbidden: tk-0000a0 was submitted by you, and nobody judges their own work
    hint: somebody else judges it; to take it back: callboard tasks release tk-0000a0 -m '<why>'
    refused forbidden: a person does this: passing a submission
    hint: ask a person: callboard tasks review tk-0000a0 pass
    refused needs_reason: asking for changes needs a note of at least 10 characters
    hint: callboard tasks review tk-0000a0 changes -m '<why>'
    task.reviewed tk-0000a0 note=the tests are missing verdict=changes →agent:ana/w1 (verdict)
    now changes
    refused illegal_move: review: tk-0000a0 has no submission to judge
    hint: who holds it hands it in: callboard tasks submit tk-0000a0 -m '<what was done>'
    ");
}

#[test]
fn handing_in_twice_or_nothing_is_refused() {
    assert_snapshot!(outcome("ana plan a; w1 claim a", "w1 submit a note='all of it is done'; w1 commit a; w1 submit a; w1 submit a note='all of it is done'; w1 submit a note='all of it is done'"), @"
    refused no_evidence: tk-0000a0 has no commit
    hint: commit on task/tk-0000a0-a; a commit elsewhere counts with the trailer Task: tk-0000a0, or after callboard bind SHA --task tk-0000a0; or without code: callboard tasks submit tk-0000a0 -m '<what was done, and why without code>' --no-code
    commit.bound tk-0000a0
    now working
    refused needs_reason: submit needs a note of at least 10 characters
    hint: callboard tasks submit tk-0000a0 -m '<why>'
    task.submitted tk-0000a0 note=all of it is done
    lease of tk-0000a0 ended
    now in_review
    refused illegal_move: submit: tk-0000a0 is under review already
    hint: to hand it in again, take it back first: callboard tasks release tk-0000a0 -m '<why>'
    ");
}

#[test]
fn after_changes_the_review_is_still_under_way() {
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 commit a; w1 submit a note='all of it is done'; ana review a verdict=changes note='no tests'; w1 claim a", "w1 close a; w1 submit a note='with tests this time'; ana review a verdict=pass"), @"
    refused needs_review: tk-0000a0 needs a review
    hint: hand it in, a person passes it: callboard tasks submit tk-0000a0 -m '<what was done>'
    task.submitted tk-0000a0 note=with tests this time
    lease of tk-0000a0 ended
    now in_review
    task.reviewed tk-0000a0 verdict=pass →agent:ana/w1 (verdict)
    task.closed tk-0000a0 note=with tests this time by_review=true
    now done
    ");
}

#[test]
fn a_gate_on_criteria_asks_for_answers_with_the_close() {
    assert_snapshot!(outcome("ana configure key=criteria_gate value=met; ana plan a criteria=fast,small; w1 claim a; w1 commit a", "w1 close a; w1 close a criteria=[{\"i\":3,\"met\":true}]; w1 close a criteria=[{\"i\":1,\"met\":true},{\"i\":2,\"met\":true}]"), @r#"
    refused criteria_open: tk-0000a0: criteria without an answer: 1, 2
    hint: callboard tasks done tk-0000a0 --met 1
    refused bad_request: criteria[0].i: there is no criterion 3, they are counted from 1 to 2
    task.closed tk-0000a0
    lease of tk-0000a0 ended
    now done
    "#);
}

#[test]
fn a_question_needs_a_person() {
    assert_snapshot!(outcome("ana plan a; w1 claim a", "w1 question a text='3 or 9?' choices=3,9; wait 2h; w2 claim a; w2 next a; w1 answer question=qu-00000004 choice=3; ana answer question=qu-00000004 choice=5; ana answer question=qu-00000004; ana answer question=qu-00000004 choice=9; ana answer question=qu-00000004 choice=9; w2 next a"), @r#"
    task.asked tk-0000a0
    now needs_you
    refused gate_closed: tk-0000a0 waits for an answer to agent:ana/w1
      agent:ana/w1 asks: 3 or 9?
    hint: a person settles it: callboard tasks answer qu-00000004 -m '<answer>'
    nothing: at_gate: tk-0000a0 waits for an answer to agent:ana/w1: agent:ana/w1 asks: 3 or 9?
    hint: a person settles it
    refused forbidden: a person does this: answering a question
    hint: ask a person: callboard tasks answer qu-00000004 --choice 3
    refused bad_request: choice: "5" is not a choice; choices: 3, 9
    refused bad_request: text: the text is empty
    task.answered tk-0000a0 choice=9 →agent:ana/w1 (answer)
    now stalled
    refused not_found: there is no open question qu-00000004
    hint: it may be answered already; the open ones stand with their tasks
    tk-0000a0: taken over from agent:ana/w1 (silent 2 h, 0 commits)
    "#);
}

#[test]
fn blockers_outside_are_opened_and_resolved() {
    assert_snapshot!(outcome("ana plan a; w1 claim a", "w1 block a reason='the vendor answers'; w1 block a; w1 release a note='the vendor is slow'; w2 next a; w2 unblock a blocker=bl-00000004; ana unblock a blocker=bl-00000004; ana unblock a blocker=bl-00000004"), @"
    task.blocked tk-0000a0 reason=the vendor answers
    now working
    refused bad_request: on: block names either on (task ids) or a reason outside the board
    task.released tk-0000a0 note=the vendor is slow reason=asked holder=agent:ana/w1
    lease of tk-0000a0 ended
    now blocked
    nothing: waits: tk-0000a0 waits for the vendor answers
    hint: take what is free: next {}
    refused forbidden: unblock of tk-0000a0: you neither hold it nor is it assigned to you
    hint: claim it first: callboard tasks claim tk-0000a0
    task.unblocked tk-0000a0
    now ready
    refused not_found: tk-0000a0 has no open blocker bl-00000004
    ");
}

#[test]
fn edges_come_and_go() {
    assert_snapshot!(outcome("ana plan a / b / c", "ana block a ons=b,c; ana block a ons=b; w1 unblock a on=b; ana unblock a on=b; ana unblock a on=b; w1 block a ons=b; ana cancel b note=no; ana block c ons=b; ana close a no_code=true note=x; ana block a ons=c; ana block b ons=a"), @"
    task.blocked tk-0000a0 on=tk-0000a1
    task.blocked tk-0000a0 on=tk-0000a2
    now blocked
    now blocked
    refused forbidden: unblock of tk-0000a0: you neither hold it nor is it assigned to you
    hint: claim it first: callboard tasks claim tk-0000a0
    task.unblocked tk-0000a0 on=tk-0000a1
    now blocked
    refused not_found: tk-0000a0 does not wait for tk-0000a1
    hint: a parent waits for its subtasks as long as they are its own: callboard tasks show tk-0000a0
    refused forbidden: block of tk-0000a0: you neither hold it nor is it assigned to you
    hint: claim it first: callboard tasks claim tk-0000a0
    task.cancelled tk-0000a1 note=no
    now cancelled
    refused illegal_move: block: tk-0000a1 was cancelled, it will never be delivered
    hint: wait for what replaces it
    task.closed tk-0000a0 note=x no_code=true
    ! open_dependency: tk-0000a0 was closed while it still waited for tk-0000a2; the edge was probably wrong
    now done
    refused illegal_move: block: tk-0000a0 was done by dev:ana just now
    hint: a person reopens it: callboard tasks reopen tk-0000a0
    refused illegal_move: block: tk-0000a1 was cancelled by dev:ana just now
    hint: a person reopens it: callboard tasks reopen tk-0000a1
    ");
}

#[test]
fn cancelling_takes_children_along_when_told() {
    assert_snapshot!(outcome("ana plan a / b parent=a / c parent=b; w1 claim c", "ana cancel a note=no; ana cancel a note=no with_children=true"), @"
    refused children_open: tk-0000a0 has 1 task that is open: tk-0000a1
    hint: cancel them too: callboard tasks cancel tk-0000a0 -m '<why>' --with-children
    task.cancelled tk-0000a0 note=no
    task.cancelled tk-0000a1 note=no
    task.cancelled tk-0000a2 note=no →agent:ana/w1 (closed)
    lease of tk-0000a2 ended
    ! displaced: agent:ana/w1 held tk-0000a2 and is told
    ! with_children: cancelled with it: tk-0000a1, tk-0000a2
    now cancelled
    ");
}

#[test]
fn who_planned_may_cancel_until_somebody_claims() {
    assert_snapshot!(outcome("w1 plan a / b; w2 claim b", "w1 cancel a note='a duplicate of another'; w1 cancel b note='a duplicate of another'; w2 cancel b note='a duplicate of another'"), @"
    task.cancelled tk-0000a0 note=a duplicate of another
    now cancelled
    refused forbidden: cancel: tk-0000a1 is not yours to cancel
    hint: a person cancels it, or its creator before anybody claims it: callboard tasks comment tk-0000a1 -m '<why it should be cancelled>'
    refused forbidden: cancel: tk-0000a1 is not yours to cancel
    hint: a person cancels it, or its creator before anybody claims it: callboard tasks comment tk-0000a1 -m '<why it should be cancelled>'
    ");
}

#[test]
fn only_people_reopen_and_the_parent_comes_first() {
    assert_snapshot!(outcome("ana plan a / b parent=a; ana close b no_code=true note=x; ana close a no_code=true note=x", "w1 reopen a; ana reopen b; ana reopen a; ana reopen b; ana reopen b"), @"
    refused forbidden: a person does this: reopening a task
    hint: ask a person: callboard tasks reopen tk-0000a0
    refused illegal_move: reopen: the parent tk-0000a0 of tk-0000a1 is closed
    hint: reopen it first: callboard tasks reopen tk-0000a0
    task.reopened tk-0000a0
    now ready
    task.reopened tk-0000a1
    now ready
    refused illegal_move: reopen: tk-0000a1 is open
    hint: it can be worked on: callboard tasks claim tk-0000a1
    ");
}

#[test]
fn talk_needs_words_and_reaches_whom_it_names() {
    assert_snapshot!(outcome("ana plan a; w1 claim a", "ana comment a text=' '; ana comment a text='look @agent:ana/w1'; ana message tos=w1,w2 text='stop for today'; ana message tos=w1 task=a text=hello; w1 comment a text=hello mentions=bo"), @r#"
    refused bad_request: text: the text is empty
    task.commented tk-0000a0 mentions=["agent:ana/w1"] →agent:ana/w1 (mention)
    now working
    message.sent project to=["agent:ana/w1","agent:ana/w2"] →agent:ana/w1 (message) →agent:ana/w2 (message)
    ! not_here: agent:ana/w2 has not acted here: the message waits for them
    message.sent tk-0000a0 to=["agent:ana/w1"] →agent:ana/w1 (message)
    now working
    task.commented tk-0000a0 mentions=["dev:bo"] →dev:bo (mention)
    now working
    "#);
}

#[test]
fn done_twice_says_by_whom() {
    assert_snapshot!(outcome("ana plan a; ana close a no_code=true note=ok", "bo close a no_code=true note=ok; w1 claim a; w1 submit a; w1 release a note='this was not needed'; ana edit a title=x; ana hold a"), @"
    refused illegal_move: tk-0000a0 was already done by dev:ana just now
    hint: callboard next
    refused illegal_move: tk-0000a0 was already done by dev:ana just now
    hint: callboard next
    refused illegal_move: tk-0000a0 was already done by dev:ana just now
    hint: callboard next
    refused illegal_move: release: tk-0000a0 was done by dev:ana just now
    hint: a person reopens it: callboard tasks reopen tk-0000a0
    refused illegal_move: edit: tk-0000a0 was done by dev:ana just now
    hint: a person reopens it: callboard tasks reopen tk-0000a0
    refused illegal_move: hold: tk-0000a0 was done by dev:ana just now
    hint: a person reopens it: callboard tasks reopen tk-0000a0
    ");
}

#[test]
fn closing_while_waiting_is_a_warning() {
    assert_snapshot!(outcome("ana plan a / b; ana commit a; ana block a ons=b", "ana close a unpushed=2"), @"
    task.closed tk-0000a0
    ! open_dependency: tk-0000a0 was closed while it still waited for tk-0000a1; the edge was probably wrong
    ! unpushed: 2 commits not pushed yet
    now done
    ");
}

#[test]
fn a_commit_is_bound_once() {
    assert_snapshot!(outcome("ana plan a", "ana commit a sha=xyz; ana commit a sha=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; ana commit a sha=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; ana supersede a old=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"), @r#"
    refused bad_request: sha: a commit is 40 or 64 lower-case hexadecimal digits, not "xyz"
    commit.bound tk-0000a0
    now ready
    now ready
    now ready
    "#);
}
