//! Random commands: no panic, no broken invariant, and no own event without effect.

use crate::world::*;
use engine::*;
use proptest::prelude::*;

pub fn statement() -> impl Strategy<Value = String> {
    let who = proptest::sample::select(vec!["ana", "bo", "w1", "w2", "x1"]);
    let what = proptest::sample::select(vec![
        "plan t",
        "plan t parent=@ after=#",
        "plan t after=@ assignee=w1",
        "claim @",
        "claim @",
        "claim @",
        "renew",
        "renew @",
        "release @ note='half of it is done'",
        "submit @ note='all of it is done'",
        "submit @ no_code=true note='all of it is done'",
        "review @ verdict=pass",
        "review @ verdict=changes note='there are no tests'",
        "close @",
        "close @ no_code=true note='decided in the spec'",
        "cancel @ note='not needed any more'",
        "cancel @ note='not needed any more' with_children=true",
        "reopen @",
        "hold @ note=x",
        "unhold @",
        "assign @ to=w1",
        "assign @ to=x1",
        "assign @ to=null",
        "comment @ text=hello",
        "question @ text=why",
        "block @ ons=#",
        "block @ reason=vendor",
        "unblock @ on=#",
        "edit @ parent=#",
        "edit @ parent=null",
        "edit @ title=x",
        "commit @",
        "next",
        "next @",
        "next",
        "configure key=max_held.agent value=2",
    ]);
    prop_oneof![
        12 => (who, what, 0_usize..6, 0_usize..6).prop_map(|(who, what, a, b)| format!("{who} {what}").replace('@', ["a", "b", "c", "d", "e", "f"][a]).replace('#', ["a", "b", "c", "d", "e", "f"][b])),
        2 => proptest::sample::select(vec!["wait 1m".to_owned(), "wait 10m".to_owned(), "wait 3h".to_owned(), "wait 2d".to_owned()]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_is_tried_the_board_stays_sound(statements in proptest::collection::vec(statement(), 1..60)) {
        let mut world = after("ana plan a / b after=a / c parent=a / d");
        for statement in &statements {
            let words: Vec<&str> = statement.split(' ').collect();
            // A task that is not there yet is not asked for by name: storage answers that.
            if words.get(1) == Some(&"next") && words.get(2).is_some_and(|id| !world.tasks.contains_key(&task(id))) {
                continue;
            }
            let said = world.say(statement);
            prop_assert!(!said.as_ref().is_ok_and(|text| text.contains("chosen, but")), "{statement}: {said:?}");
            world.check();
            for (id, state) in &world.tasks {
                let mut own: Vec<Event> = world.events.iter().map(|(event, _)| event).filter(|event| event.subject == id.as_str()).cloned().collect();
                let folded = fold_task(&mut own).0;
                prop_assert_eq!(Some(state), folded.as_ref());
                let counters = world.counters(id);
                prop_assert_eq!(counters.edges_inert, 0, "an own command closed a loop");
                world.standing(id);
                let held = world.leases.get(id).filter(|lease| lease_state(lease, world.now, world.settings().grace_s) != LeaseState::Lapsed);
                prop_assert_eq!(card(state, &counters, world.leases.get(id), &world.settings(), world.now, 0).lease.map(|lease| lease.actor), held.map(|lease| lease.actor.clone()));
            }
            let mut ctx = world.context(&actor("w1"), 0);
            for who in ["w1", "ana"] {
                ctx.caller.actor = actor(who);
                let facts = world.facts(&Needs { holdings: true, ..Needs::default() }, &ctx.caller);
                for id in world.tasks.keys() {
                    view(&world.task_facts(id).unwrap(), None, &facts, &ctx);
                }
            }
        }
    }
}
