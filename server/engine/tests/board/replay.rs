//! Any set of events, in any order of arrival, folds to the same state.

use crate::world::*;
use contracts::{Actor, EventId, Moment, Stamp, TaskId, Writer};
use engine::*;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![4 => Just(Kind::TaskCreated), 40 => proptest::sample::select(engine::event::kinds().to_vec()), 1 => Just(Kind::Other("schedule.fired".to_owned()))]
}

/// Bodies that fit, half fit, or do not fit at all.
fn body() -> impl Strategy<Value = Value> {
    let id = || (0_u128..4).prop_map(|id| json!(TaskId::from_bits(id)));
    let who = || proptest::sample::select(vec!["agent:ana/w1", "agent:bo/x1", "dev:ana", "nobody"]).prop_map(Value::from);
    let event = || (0_u128..40).prop_map(|id| json!(EventId::from_bits(id)));
    let junk = || prop_oneof![Just(Value::Null), Just(json!(true)), Just(json!(-7)), Just(json!("x")), Just(json!([1, "x"])), Just(json!({"a": 1}))];
    let pair = prop_oneof![
        (Just("on"), id()),
        (Just("parent"), id()),
        (Just("after"), proptest::collection::vec(id(), 0..3).prop_map(Value::from)),
        (Just("to"), prop_oneof![who(), id(), junk()]),
        (Just("holder"), who()),
        (Just("expires"), (0_i64..50).prop_map(|at| json!(Moment(at * 1000)))),
        (Just("fence"), prop_oneof![(0_i64..9).prop_map(Value::from), junk()]),
        (Just("took_over"), who().prop_map(|who| json!({"actor": who}))),
        (Just("submission"), event()),
        (Just("event"), event()),
        (Just("verdict"), proptest::sample::select(vec![json!("pass"), json!("changes"), json!(1)])),
        (Just("reason"), proptest::sample::select(vec![json!("asked"), json!("displaced"), json!(1)])),
        (Just("field"), proptest::sample::select(vec![json!("title"), json!("parent"), json!("labels"), json!("criteria"), json!("new"), json!(3)])),
        (Just("sha"), proptest::sample::select(vec![json!("s1"), json!("s2")])),
        (Just("old"), proptest::sample::select(vec![json!("s1"), json!("s2")])),
        (Just("question"), Just(json!("qu-00000001"))),
        (Just("blocker"), Just(json!("bl-00000001"))),
        (Just("criteria"), prop_oneof![Just(json!([{"i": 0, "met": true}, {"i": 1, "met": true}])), Just(json!([{"text": "x"}, "y"])), junk()]),
        (Just("mentions"), prop_oneof![who().prop_map(|who| json!([who])), junk()]),
        (Just("held"), junk()),
        (Just("imported"), proptest::sample::select(vec![json!("f1"), json!("f2"), json!(3)])),
        (Just("text"), junk()),
        (Just("note"), junk()),
        (Just("title"), junk()),
    ];
    proptest::collection::vec(pair, 0..6)
        .prop_map(|pairs| pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<serde_json::Map<_, _>>().into())
}

fn event() -> impl Strategy<Value = Event> {
    let who = proptest::sample::select(vec!["agent:ana/w1", "agent:bo/x1", "dev:ana"]);
    (kind(), body(), who, 0_i64..30, 0_u16..3, 1_u128..3, 0_u128..3).prop_map(|(kind, body, who, second, counter, writer, subject)| {
        let Value::Object(body) = body else { unreachable!() };
        Event {
            id: EventId::none(),
            writer: Writer::from_bits(writer),
            n: 0,
            prev: EventId::none(),
            at: Stamp { moment: Moment(second * 1000), counter },
            actor: Actor::parse(who).unwrap(),
            principal: "local:x".to_owned(),
            kind,
            subject: TaskId::from_bits(subject).to_string(),
            body,
        }
    })
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    proptest::collection::vec(event(), 0..40).prop_map(|mut events| {
        for (place, event) in events.iter_mut().enumerate() {
            event.id = EventId::from_bits(place as u128);
            event.n = place as i64;
        }
        events
    })
}

/// As storage does it: in order applied, late ones that only add applied, other late ones folded anew.
fn incremental(arriving: &[Event]) -> Option<Task> {
    let (mut state, mut known): (Option<Task>, Vec<Event>) = (None, Vec::new());
    for event in arriving {
        if known.iter().any(|seen| seen.id == event.id) {
            continue;
        }
        known.push(event.clone());
        let later = state.as_ref().is_some_and(|task| event.order() > task.last);
        if later || (state.is_some() && is_additive(event)) {
            apply_task(&mut state, event);
        } else {
            state = fold_task(&mut known.clone()).0;
        }
    }
    state
}

fn edges_of<'a>(tasks: impl Iterator<Item = &'a Task>) -> Vec<Edge> {
    let mut changes: Vec<_> = tasks.flat_map(|task| task.edges.clone()).collect();
    changes.sort_by(|a, b| a.order.cmp(&b.order));
    let mut edges = Edges::new();
    changes.iter().for_each(|change| edges.push(change));
    edges.rows().cloned().collect()
}

proptest! {
    #[test]
    fn every_order_of_arrival_folds_to_the_same(events in events(), seed in any::<u64>()) {
        let mut by_subject: BTreeMap<String, Vec<Event>> = BTreeMap::new();
        for event in events {
            by_subject.entry(event.subject.clone()).or_default().push(event);
        }
        let mut tasks = Vec::new();
        for events in by_subject.into_values() {
            let mut sorted = events.clone();
            let (whole, effects) = fold_task(&mut sorted);
            let mut mixed: Vec<Event> = events.iter().chain(&events).cloned().collect();
            let mut state = seed | 1;
            for place in (1..mixed.len()).rev() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                mixed.swap(place, (state >> 33) as usize % (place + 1));
            }
            prop_assert_eq!(&whole, &incremental(&mixed));
            prop_assert_eq!((&whole, effects), { let (state, effects) = fold_task(&mut mixed); (&state.clone(), effects) });
            if let Some(task) = &whole {
                let text = serde_json::to_string(task).unwrap();
                let mut back: Task = serde_json::from_str(&text).unwrap();
                back.spec = task.spec.clone();
                prop_assert_eq!(task, &back);
                rest(task, &Counters::default());
            }
            tasks.extend(whole);
        }
        let edges = edges_of(tasks.iter());
        // Active edges have no loop.
        let mut waiting: BTreeMap<TaskId, BTreeSet<TaskId>> = BTreeMap::new();
        for edge in edges.iter().filter(|edge| !edge.inert) {
            waiting.entry(edge.task.clone()).or_default().insert(edge.on.clone());
        }
        for edge in edges.iter().filter(|edge| !edge.inert) {
            let mut others = waiting.clone();
            others.get_mut(&edge.task).unwrap().remove(&edge.on);
            prop_assert!(closes_a_loop(&others, &edge.task, &edge.on).is_none());
        }
    }

    #[test]
    fn an_incremental_order_finds_the_loops_that_a_search_finds(pairs in proptest::collection::vec((0_u128..9, 0_u128..9, any::<bool>()), 0..60)) {
        let mut edges = Edges::new();
        let mut plain: BTreeMap<TaskId, BTreeSet<TaskId>> = BTreeMap::new();
        for (place, (from, to, remove)) in pairs.into_iter().enumerate() {
            let (task, on) = (TaskId::from_bits(from), TaskId::from_bits(to));
            let order = Order { at: Stamp::default(), writer: Writer::from_bits(1), n: place as i64, id: EventId::from_bits(place as u128) };
            let add = !(remove && place % 3 == 0);
            let there = edges.rows().any(|edge| edge.task == task && edge.on == on);
            edges.push(&task::EdgeChange { order, add, task: task.clone(), on: on.clone(), via: contracts::standing::Via::Block, by: actor("ana") });
            if !add {
                plain.entry(task).or_default().remove(&on);
            } else if !there {
                let inert = closes_a_loop(&plain, &task, &on).is_some();
                prop_assert_eq!(edges.rows().find(|edge| edge.task == task && edge.on == on).unwrap().inert, inert);
                if !inert {
                    plain.entry(task).or_default().insert(on);
                }
            }
        }
    }
}

#[test]
fn an_event_before_its_subject_waits() {
    let mut world = World::new();
    assert_eq!(world.say("far bo task.closed a note=x").unwrap(), "waits\n");
    assert_eq!(world.say("far bo task.created a").unwrap(), "applied\n");
    assert_eq!(world.say("far x1 task.created a").unwrap(), "conflict →dev:bo (conflict) →agent:bo/x1 (conflict)\n");
}

#[test]
fn the_table_of_effects() {
    let row = |given: &str, what: &str| {
        after(given)
            .say(&format!("far bo {what} a note=x submission=00000000000000000000000000000000 verdict=pass"))
            .unwrap()
            .split([' ', '\n'])
            .next()
            .unwrap()
            .to_owned()
    };
    let [open, done, cancelled] = ["ana plan a", "ana plan a; ana close a no_code=true note=x", "ana plan a; ana cancel a note=x"];
    for (kind, expected) in [
        ("task.closed", ["applied", "already", "conflict"]),
        ("task.cancelled", ["applied", "conflict", "already"]),
        ("task.reopened", ["already", "applied", "applied"]),
        ("task.claimed", ["applied", "conflict", "conflict"]),
        ("task.submitted", ["applied", "conflict", "conflict"]),
        ("task.reviewed", ["conflict", "conflict", "conflict"]),
        ("task.held", ["applied", "conflict", "conflict"]),
        ("task.assigned", ["applied", "conflict", "conflict"]),
        ("task.commented", ["applied", "applied", "applied"]),
        ("message.sent", ["applied", "applied", "applied"]),
        ("task.released", ["applied", "applied", "applied"]),
    ] {
        assert_eq!([row(open, kind), row(done, kind), row(cancelled, kind)], expected, "{kind}");
    }
}
