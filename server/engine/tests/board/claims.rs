//! Leases: who gets one, who keeps it, what a person overrides.

use crate::world::*;
use insta::assert_snapshot;

#[test]
fn a_claim_names_branch_fence_and_length() {
    assert_snapshot!(outcome("ana plan 'Fix it: now'", "w1 claim a; w1 claim a"), @"
    task.claimed tk-0000a0
    task.branched tk-0000a0
    lease of tk-0000a0 taken, fence 1, 900 s
    now working
    now working
    ");
}

#[test]
fn a_lease_is_extended_after_a_third_and_published_again_at_half() {
    assert_snapshot!(outcome("ana plan a; w1 claim a", "wait 4m; w1 renew; wait 2m; w1 renew; wait 5m; w1 comment a text=hello; wait 14m; w1 renew; wait 14m; w1 renew; wait 14m; w1 renew; wait 14m; w1 renew; wait 10m; w1 renew"), @"
    lease of tk-0000a0 extended
    task.commented tk-0000a0
    lease of tk-0000a0 extended
    now working
    lease of tk-0000a0 extended
    lease of tk-0000a0 extended
    lease of tk-0000a0 extended
    task.renewed tk-0000a0
    lease of tk-0000a0 extended
    lease of tk-0000a0 extended
    ");
}

#[test]
fn who_takes_over_is_told_from_whom_and_the_earlier_holder_by_whom() {
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 commit a; wait 2h", "w2 next"), @"tk-0000a0: taken over from agent:ana/w1 (silent 2 h, 1 commit)");
}

#[test]
fn a_person_may_claim_what_is_blocked_or_anothers() {
    assert_snapshot!(outcome("ana plan a / b after=a assignee=x1", "ana claim b"), @"
    task.assigned tk-0000a1 to=dev:ana from=agent:bo/x1 →agent:bo/x1 (displaced)
    task.claimed tk-0000a1
    task.branched tk-0000a1
    lease of tk-0000a1 taken, fence 1, 86400 s
    ! open_dependency: tk-0000a1 still waits for 1 thing
    ! assigned: tk-0000a1 was meant for agent:bo/x1, who is told that it is yours now
    now working
    ");
}

#[test]
fn a_person_may_hold_many_an_agent_one() {
    assert_snapshot!(outcome("ana plan a / b / c; ana claim a; w1 claim b", "ana claim c; w1 release b note='giving it back now'; w2 claim b; w2 claim a"), @"
    task.claimed tk-0000a2
    task.branched tk-0000a2
    lease of tk-0000a2 taken, fence 1, 86400 s
    now working
    task.released tk-0000a1 note=giving it back now reason=asked holder=agent:ana/w1
    lease of tk-0000a1 ended
    now ready
    task.claimed tk-0000a1
    lease of tk-0000a1 taken, fence 2, 900 s
    now working
    refused lease_held: tk-0000a0 is held by dev:ana, for 24 h more
    hint: callboard message --to dev:ana --task tk-0000a0 -m '<what you need>' or callboard next
    ");
    assert_snapshot!(outcome("ana plan a / b; w1 claim a", "w1 claim b"), @"
    refused at_limit: you hold tk-0000a0 already, the most is 1
    hint: finish or release what you hold: callboard tasks claim tk-0000a0 or callboard tasks release tk-0000a0 -m '<what is done, what is left>'
    ");
}

#[test]
fn a_holding_that_waits_does_not_count() {
    assert_snapshot!(outcome("ana plan a / b / c; w1 claim a; w1 question a text='level 3 or 9?'", "w1 claim b; w1 claim c"), @"
    task.claimed tk-0000a1
    task.branched tk-0000a1
    lease of tk-0000a1 taken, fence 1, 900 s
    now working
    refused at_limit: you hold tk-0000a1 already, the most is 1
    hint: finish or release what you hold: callboard tasks claim tk-0000a1 or callboard tasks release tk-0000a1 -m '<what is done, what is left>'
    ");
}

#[test]
fn a_hold_does_not_end_a_lease_and_keeps_others_away() {
    assert_snapshot!(outcome("ana plan a; w1 claim a", "ana hold a note='wait for legal'; w1 comment a text=ok; wait 2h; w2 claim a; w1 claim a; ana hold a; w1 unhold a; ana unhold a; ana unhold a"), @"
    task.held tk-0000a0 note=wait for legal →agent:ana/w1 (held)
    ! still_working: agent:ana/w1 keeps it and is told; nobody else gets it
    now working
    task.commented tk-0000a0
    now working
    refused held: tk-0000a0 is held by dev:ana
      wait for legal
    hint: a person lifts the hold: callboard tasks unhold tk-0000a0
    task.claimed tk-0000a0 resumed=true
    lease of tk-0000a0 taken, fence 2, 900 s
    ! taken_back: your lease of tk-0000a0 had lapsed, and nobody had taken it: it is yours again
    now working
    refused illegal_move: hold: tk-0000a0 is held by dev:ana already
    hint: callboard tasks unhold tk-0000a0
    refused forbidden: a person does this: lifting a hold
    hint: ask a person: callboard tasks unhold tk-0000a0
    task.unheld tk-0000a0
    now working
    refused illegal_move: unhold: tk-0000a0 is not held
    ");
}

#[test]
fn an_assignment_displaces_a_holder() {
    assert_snapshot!(outcome("ana plan a; w1 claim a", "ana assign a to=w2; w1 renew a; w2 claim a; w2 assign a to=x1; w1 assign a to=w1; ana assign a to=w2; ana assign a to=null"), @"
    task.released tk-0000a0 reason=displaced holder=agent:ana/w1 →agent:ana/w1 (displaced)
    task.assigned tk-0000a0 to=agent:ana/w2 →agent:ana/w2 (assigned)
    lease of tk-0000a0 ended
    ! displaced: agent:ana/w1 held tk-0000a0 and is told
    now assigned
    refused lease_lost: you do not hold tk-0000a0
    hint: callboard tasks claim tk-0000a0
    task.claimed tk-0000a0
    lease of tk-0000a0 taken, fence 2, 900 s
    now working
    refused forbidden: agent:bo/x1 answers to somebody else than you do
    hint: agents assign among the agents of their own person; a person assigns to anybody
    refused lease_held: tk-0000a0 is held by agent:ana/w2, for 15 min more
    hint: callboard message --to agent:ana/w2 --task tk-0000a0 -m '<what you need>' or callboard next
    now working
    task.assigned tk-0000a0 from=agent:ana/w2 →agent:ana/w2 (displaced)
    now working
    ");
}

#[test]
fn agents_assign_within_their_own_person() {
    assert_snapshot!(outcome("ana plan a / b assignee=x1", "w1 assign a to=w2; w1 assign b to=w1; w1 assign a to=x1; w1 assign a to=system:demo"), @"
    task.assigned tk-0000a0 to=agent:ana/w2 →agent:ana/w2 (assigned)
    now assigned
    refused assigned: tk-0000a1 is meant for agent:bo/x1
    hint: take what is free, or a person assigns it to you: callboard next or callboard tasks assign tk-0000a1 <actor>
    refused forbidden: agent:bo/x1 answers to somebody else than you do
    hint: agents assign among the agents of their own person; a person assigns to anybody
    refused bad_request: to: system:demo is no person and no agent
    ");
}

#[test]
fn a_double_claim_is_kept_by_the_first_and_settles_when_one_lets_go() {
    assert_snapshot!(outcome("ana plan a; w1 claim a", "far x1 task.claimed a expires_in=7200 fence=1; w2 next a; far x1 task.released a reason=asked holder=agent:bo/x1 note=sorry; w1 next a"), @"
    conflict →agent:ana/w1 (double_claim) →agent:bo/x1 (double_claim)
    nothing: at_gate: tk-0000a0 has 1 conflict that a person settles
    hint: a person settles it
    applied
    tk-0000a0: resumed: you hold it
    ");
    assert_snapshot!(outcome("ana plan a; w1 claim a; w1 commit a; far x1 task.claimed a expires_in=7200 fence=1", "w1 close a"), @"
    task.closed tk-0000a0 →agent:bo/x1 (closed)
    lease of tk-0000a0 ended
    now done
    ");
}

#[test]
fn who_came_second_lets_go_of_its_own_claim_alone() {
    assert_snapshot!(outcome("ana plan a; far x1 task.claimed a expires_in=7200 fence=1; far w1 task.claimed a expires_in=7200 fence=1", "w2 release a note='not mine to give'; w1 release a note='x1 was there first'; w1 release a note='x1 was there first'"), @"
    refused forbidden: release of tk-0000a0: you neither hold it nor is it assigned to you
    hint: claim it first: callboard tasks claim tk-0000a0
    task.released tk-0000a0 note=x1 was there first reason=asked holder=agent:ana/w1
    now stalled
    refused forbidden: release of tk-0000a0: you neither hold it nor is it assigned to you
    hint: claim it first: callboard tasks claim tk-0000a0
    ");
}

#[test]
fn nothing_held_is_no_refusal_for_renewing_all() {
    assert_snapshot!(outcome("ana plan a", "w1 renew; w1 renew a"), @"
    refused lease_lost: you do not hold tk-0000a0
    hint: callboard tasks claim tk-0000a0
    ");
}

#[test]
fn release_needs_words_from_an_agent_and_something_to_release() {
    assert_snapshot!(outcome("ana plan a; w1 claim a", "w1 release a; w1 release a note='stuck'; w1 release a note='half of it is done'; w1 release a note='half of it is done'"), @"
    refused needs_reason: release needs a note of at least 10 characters
    hint: callboard tasks release tk-0000a0 -m '<why>'
    refused needs_reason: release needs a note of at least 10 characters
    hint: callboard tasks release tk-0000a0 -m '<why>'
    task.released tk-0000a0 note=half of it is done reason=asked holder=agent:ana/w1
    lease of tk-0000a0 ended
    now ready
    refused illegal_move: release: nobody holds tk-0000a0, and it is assigned to nobody
    hint: callboard tasks claim tk-0000a0
    ");
    assert_snapshot!(outcome("ana plan a; w1 claim a", "ana release a"), @"
    task.released tk-0000a0 reason=asked holder=agent:ana/w1 →agent:ana/w1 (displaced)
    lease of tk-0000a0 ended
    ! displaced: agent:ana/w1 held tk-0000a0 and is told
    now ready
    ");
    assert_snapshot!(outcome("ana plan a assignee=w1", "w1 release a note='this is not for me'"), @"
    task.released tk-0000a0 note=this is not for me reason=asked holder=agent:ana/w1
    now ready
    ");
}

#[test]
fn a_length_out_of_range_is_refused() {
    assert_snapshot!(outcome("ana plan a", "w1 claim a ttl_s=59; w1 claim a ttl_s=3600"), @"
    refused bad_request: ttl_s: ttl_s is 60 to 86400 seconds, not 59
    task.claimed tk-0000a0
    task.branched tk-0000a0
    lease of tk-0000a0 taken, fence 1, 3600 s
    now working
    ");
}

#[test]
fn the_fence_that_counts_is_that_of_who_holds_it_however_great_the_losers_is() {
    let given = "ana plan a; w1 claim a; far x1 task.claimed a expires_in=7200 fence=2";
    assert_snapshot!(outcome(given, "w1 comment a text=hello fence=1; x1 comment a text=hello fence=2; w1 renew a fence=1; wait 2h; w1 renew; w1 comment a text=hello fence=1; w1 comment a text=hello fence=3"), @"
    task.commented tk-0000a0
    now needs_you
    refused stale_fence: tk-0000a0 is at fence 1, you present 2, agent:ana/w1 holds it
    hint: stop working on it, nothing was changed: callboard next
    now needs_you
    task.claimed tk-0000a0 resumed=true
    lease of tk-0000a0 taken, fence 3, 900 s
    ! taken_back: your lease of tk-0000a0 had lapsed, and nobody had taken it: it is yours again
    task.commented tk-0000a0
    now needs_you
    task.commented tk-0000a0
    now needs_you
    ");
}

#[test]
fn the_fence_it_was_given_is_good_for_as_long_as_nobody_else_had_the_task() {
    let own = "w1 claim a; wait 5h; w1 renew; w1 comment a text=hello fence=1; wait 5h; w1 comment a text=again fence=1; w1 comment a text=never fence=9";
    assert_snapshot!(outcome("ana plan a", own), @"
    task.claimed tk-0000a0
    task.branched tk-0000a0
    lease of tk-0000a0 taken, fence 1, 900 s
    now working
    task.claimed tk-0000a0 resumed=true
    lease of tk-0000a0 taken, fence 2, 900 s
    ! taken_back: your lease of tk-0000a0 had lapsed, and nobody had taken it: it is yours again
    task.commented tk-0000a0
    now working
    task.commented tk-0000a0
    now stalled
    refused stale_fence: tk-0000a0 is at fence 2, you present 9
    hint: stop working on it, nothing was changed: callboard next
    ");
    let anothers = "wait 5h; w2 claim a; wait 5h; w1 claim a; w1 comment a text=hello fence=1; w2 comment a text=hello fence=2";
    assert_snapshot!(outcome("ana plan a; w1 claim a", anothers), @"
    task.claimed tk-0000a0 took_over={\"actor\":\"agent:ana/w1\",\"at\":\"2026-11-29T12:15:00.000Z\"} →agent:ana/w1 (taken_over)
    lease of tk-0000a0 taken, fence 2, 900 s
    ! taken_over: tk-0000a0 was taken over from agent:ana/w1 (silent 5 h, 0 commits)
    now working
    task.claimed tk-0000a0 took_over={\"actor\":\"agent:ana/w2\",\"at\":\"2026-11-29T17:15:00.000Z\"} →agent:ana/w2 (taken_over)
    lease of tk-0000a0 taken, fence 3, 900 s
    ! taken_over: tk-0000a0 was taken over from agent:ana/w2 (silent 5 h, 0 commits)
    now working
    refused stale_fence: tk-0000a0 is at fence 3, you present 1, agent:ana/w1 holds it
    hint: stop working on it, nothing was changed: callboard next
    refused stale_fence: tk-0000a0 is at fence 3, you present 2, agent:ana/w1 holds it
    hint: stop working on it, nothing was changed: callboard next
    ");
}
