//! Cards, views, words: what readers see.

use crate::world::*;
use contracts::view::TaskCard;
use insta::assert_snapshot;

fn card(given: &str) -> TaskCard {
    let world = after(given);
    let id = task("a");
    engine::card(&world.tasks[&id], &world.counters(&id), world.leases.get(&id), &world.settings(), world.now, 0)
}

fn told(given: &str) -> String {
    let card = card(given);
    let moves: Vec<&str> = card.moves.iter().map(|column| column.as_str()).collect();
    format!("{} | {} | {}", card.standing, card.why.map(|why| why.text).unwrap_or_default(), moves.join(" "))
}

#[test]
fn every_standing_says_why_and_where_the_card_may_go() {
    for (given, expected) in [
        ("ana plan a", "ready |  | backlog working done"),
        ("ana plan a assignee=w1", "assigned | for ana/w1 | backlog working done"),
        ("ana plan a; w1 claim a", "working |  | backlog ready needs_you done"),
        ("ana plan a; w1 claim a; wait 16m", "working |  | backlog ready needs_you done"),
        ("ana plan a; w1 claim a; wait 1h", "stalled | no word from ana/w1 | backlog working done"),
        ("ana plan a after=b / b", "blocked | waits for tk-0000a1 | working done"),
        ("ana plan a / b parent=0; ana block a reason='the vendor'", "blocked | waits for 1 subtask, the vendor | working"),
        ("ana plan a; ana hold a note='legal'", "held | held by ana: legal | ready done"),
        ("ana plan a; ana commit a; ana submit a", "in_review | handed in by ana | ready done"),
        (
            "ana plan a; ana commit a; w1 claim a; w1 submit a note='all of it is done'; ana review a verdict=changes note='no tests'",
            "changes | ana wants changes: no tests | backlog working done",
        ),
        ("ana plan a; w1 claim a; w1 question a text='3 or 9?'", "needs_you | ana/w1 asks: 3 or 9? | done"),
        ("ana plan a; ana close a no_code=true note=x", "done |  | ready"),
        ("ana plan a; ana cancel a note='too dear'", "cancelled | cancelled by ana: too dear | ready"),
        (
            "ana plan a; ana close a no_code=true note=x; far bo task.cancelled a note=no; ana reopen a",
            "needs_you | cancelled, but it was done already by dev:ana | done",
        ),
        ("ana plan b / a after=0", "ready |  | backlog working done"),
    ] {
        assert_eq!(told(given), expected, "{given}");
    }
}

#[test]
fn a_card_counts_what_counts() {
    let card = card("ana plan a / b parent=0 / c parent=0; ana close b no_code=true note=x; ana commit a; ana commit a path=null; ana comment a text=hello");
    assert_eq!((card.children, card.commits, card.added, card.deleted, card.comments, card.version), ((1, 2), 1, 3, 1, 1, 1));
}

#[test]
fn a_view_says_what_its_reader_may_do() {
    let allowed = |given: &str, who: &str| {
        let mut world = after(given);
        let ctx = world.context(&actor(who), 0);
        let needs = engine::Needs { holdings: true, ..Default::default() };
        let view = engine::view(&world.task_facts(&task("a")).unwrap(), None, &world.facts(&needs, &ctx.caller), &ctx);
        let word = |allowance: &contracts::view::Allowance| match &allowance.refused {
            None => allowance.command.clone(),
            Some(refusal) => format!("({} {})", allowance.command, refusal.code),
        };
        view.allowed.iter().map(word).collect::<Vec<_>>().join(" ")
    };
    assert_snapshot!(allowed("ana plan a", "ana"), @"edit claim (renew lease_lost) (release illegal_move) submit (review illegal_move) close cancel (reopen illegal_move) hold (unhold illegal_move) assign comment question message block (unblock not_found)");
    assert_snapshot!(allowed("ana plan a", "w1"), @"(edit forbidden) claim (renew lease_lost) (release illegal_move) (submit forbidden) (review illegal_move) (close forbidden) (cancel forbidden) (reopen forbidden) (hold forbidden) (unhold forbidden) assign comment (question forbidden) message (block forbidden) (unblock not_found)");
    assert_snapshot!(allowed("ana plan a; w1 claim a", "w1"), @"edit claim renew release submit (review illegal_move) close (cancel forbidden) (reopen forbidden) (hold forbidden) (unhold forbidden) assign comment question message block (unblock not_found)");
    assert_snapshot!(allowed("ana plan a; w1 claim a", "ana"), @"edit (claim lease_held) (renew lease_lost) release submit (review illegal_move) close cancel (reopen illegal_move) hold (unhold illegal_move) assign comment question message block (unblock not_found)");
    assert_snapshot!(allowed("ana plan a; ana close a no_code=true note=x", "ana"), @"(edit illegal_move) (claim illegal_move) (renew lease_lost) (release illegal_move) (submit illegal_move) (review illegal_move) (close illegal_move) (cancel illegal_move) reopen (hold illegal_move) (unhold illegal_move) (assign illegal_move) comment (question illegal_move) message (block illegal_move) (unblock not_found)");
    assert_snapshot!(allowed("ana plan a; w1 claim a; w1 commit a; w1 submit a note='all of it is done'", "ana"), @"edit (claim illegal_move) (renew lease_lost) release (submit illegal_move) review close cancel (reopen illegal_move) hold (unhold illegal_move) assign comment question message block (unblock not_found)");
}

#[test]
fn every_kind_has_words() {
    let world = after(
        "ana plan a / b after=0 criteria=x; ana edit b title=B priority=0 labels=x spec=y due_at=2026-12-01T00:00:00Z; w1 claim a; w1 commit a; w1 question a text='3 or 9?'; \
         ana answer question=qu-00000007 text=9; w1 submit a note='all of it is done'; ana review a verdict=changes note='no tests'; ana assign a to=w2; ana hold a note=x; ana unhold a; \
         ana block a reason=vendor; ana message tos=w1 text=hi; ana configure key=grace_s value=60; w2 comment a text=hello; ana close a; ana reopen a; ana cancel a note=no; \
         far bo schedule.fired a x=1; far bo import.other a kind=old",
    );
    let words: Vec<String> = world
        .events
        .iter()
        .map(|(event, effect)| engine::entry(event, 0, "", !effect.applied))
        .map(|entry| format!("{} {}", entry.actor.short(), entry.words))
        .collect();
    assert_snapshot!(words.join("\n"), @"
    ana created the project
    ana created it
    ana created it
    ana renamed it to B
    ana changed its spec
    ana set its priority to urgent
    ana set its labels to x
    ana set its due date to 2026-12-01T00:00:00.000Z
    ana/w1 claimed it
    ana/w1 named its branch task/tk-0000a0-a
    ana/w1 committed 000000000000 work
    ana/w1 asks
    ana answered
    ana/w1 handed it in with 1 commit
    ana asked for changes
    ana assigned it to agent:ana/w2
    ana put it on hold
    ana lifted the hold
    ana says it waits for something outside
    ana sent a message
    ana set grace_s to 60
    ana/w2 commented
    ana closed it with 1 commit
    ana reopened it
    ana cancelled it
    bo did something this version does not know (schedule.fired)
    bo imported old
    ");
    for kind in engine::event::kinds() {
        let draft = engine::Draft { kind: kind.clone(), subject: "project".to_owned(), body: Default::default() };
        let event = world.event(&contracts::Writer::from_bits(2), &actor("bo"), draft, world.now);
        assert!(!engine::entry(&event, 0, "", false).words.is_empty(), "{kind}");
        assert_eq!(engine::history_row(&event, 0, "", false).principal, "local:ana");
    }
}
