//! What two clones decided against each other is listed for a person, who settles it.

use super::pair::{Harbour, Pair, Pier, Place};
use serde_json::{Value, json};

fn open(pair: &Pair, place: Place) -> Vec<Value> {
    let list = pair.json(place, &["conflicts"]);
    list["items"].as_array().unwrap().iter().filter(|row| row["settled"] != true).cloned().collect()
}

fn met(pair: &Pair) {
    pair.commit(Harbour);
    pair.commit(Pier);
    pair.merge(Harbour);
    pair.merge(Pier);
}

/// The harbour closes, then the pier cancels.
fn closed_and_cancelled() -> (Pair, String) {
    let (pair, [paint]) = Pair::knowing(["Paint the buoys"]);
    pair.ok(Harbour, "dev:ada", &["tasks", "done", &paint, "--no-code", "-m", "All twelve are red"]);
    pair.ok(Pier, "dev:ada", &["tasks", "cancel", &paint, "-m", "The channel is dry"]);
    met(&pair);
    (pair, paint)
}

#[test]
fn the_earlier_of_close_and_cancel_stands_and_the_other_is_listed() {
    let (pair, paint) = closed_and_cancelled();
    pair.are_equal();
    for place in [Harbour, Pier] {
        assert_eq!(pair.task(place, &paint)["status"], "done");
        let listed = open(&pair, place);
        assert_eq!((listed.len(), &listed[0]["kind"], &listed[0]["task"]), (1, &json!("task.cancelled"), &json!(paint)), "{place:?}: {listed:?}");
        let text = pair.ok(place, "dev:ada", &["conflicts"]);
        assert!(text.contains("task.cancelled by dev:ada") && text.contains("conflicts settle"), "{text}");
    }
    let refused =
        pair.run(Harbour, "agent:ada/w1", &["conflicts", "settle", open(&pair, Harbour)[0]["event"].as_str().unwrap(), "dismiss", "-m", "Done is done, I say"]);
    assert_eq!(refused.exit, 1, "people settle: {}", refused.stdout);
}

#[test]
fn a_person_dismisses_it_and_both_clones_forget_it() {
    let (pair, paint) = closed_and_cancelled();
    let event = open(&pair, Pier)[0]["event"].as_str().unwrap().to_owned();
    pair.ok(Pier, "dev:ada", &["conflicts", "settle", &event[..8], "dismiss", "-m", "It was painted"]);
    assert_eq!(open(&pair, Pier), Vec::<Value>::new());
    pair.commit(Pier);
    pair.merge(Harbour);
    assert_eq!(open(&pair, Harbour), Vec::<Value>::new());
    assert_eq!(pair.task(Harbour, &paint)["status"], "done");
    pair.are_equal();
}

#[test]
fn a_person_keeps_it_when_the_guards_let_them() {
    let (pair, paint) = closed_and_cancelled();
    let event = open(&pair, Pier)[0]["event"].as_str().unwrap().to_owned();
    let refused = pair.run(Pier, "dev:ada", &["conflicts", "settle", &event, "keep", "-m", "It is dry", "--json"]);
    assert_eq!((refused.exit, &refused.json()["code"]), (1, &json!("illegal_move")), "a done task is not cancelled: {}", refused.stdout);
    pair.ok(Pier, "dev:ada", &["tasks", "reopen", &paint, "-m", "It is dry after all"]);
    pair.ok(Pier, "dev:ada", &["conflicts", "settle", &event, "keep", "-m", "It is dry"]);
    assert_eq!((&pair.task(Pier, &paint)["status"], open(&pair, Pier).len()), (&json!("cancelled"), 0));
    pair.commit(Pier);
    pair.merge(Harbour);
    assert_eq!((&pair.task(Harbour, &paint)["status"], open(&pair, Harbour).len()), (&json!("cancelled"), 0));
    pair.are_equal();
}

#[test]
fn two_claims_of_the_same_minutes_are_told_to_both_and_end_with_one() {
    let (pair, [paint]) = Pair::knowing(["Paint the buoys"]);
    let (w1, w2) = ("agent:ada/w1", "agent:ada/w2");
    pair.ok(Harbour, w1, &["next"]);
    pair.ok(Pier, w2, &["next"]);
    met(&pair);
    for (place, actor) in [(Harbour, w1), (Pier, w2)] {
        let listed = open(&pair, place);
        assert_eq!(listed.len(), 1, "{place:?}: {listed:?}");
        let told = pair.run(place, actor, &["inbox"]).stdout;
        assert!(told.contains(&paint), "{place:?}: {actor} is told: {told}");
    }
    assert_eq!(pair.task(Harbour, &paint)["standing"], "needs_you");
    pair.ok(Pier, w2, &["tasks", "release", &paint, "-m", "w1 was there first"]);
    pair.commit(Pier);
    pair.merge(Harbour);
    assert_eq!((open(&pair, Harbour).len(), open(&pair, Pier).len()), (0, 0), "it settles by itself");
    let card = pair.json(Harbour, &["tasks", "show", &paint]);
    assert_eq!((&card["standing"], &card["lease"]["actor"]), (&json!("working"), &json!(w1)), "{card}");
}

#[test]
fn a_loop_of_two_clones_is_listed_with_the_way_out_of_it() {
    let (pair, [paint, count]) = Pair::knowing(["Paint the buoys", "Count them"]);
    pair.ok(Harbour, "dev:ada", &["tasks", "block", &paint, "--on", &count]);
    pair.ok(Pier, "dev:ada", &["tasks", "block", &count, "--on", &paint]);
    met(&pair);
    for place in [Harbour, Pier] {
        assert_eq!(pair.task(place, &count)["standing"], "needs_you");
        assert_eq!(open(&pair, place).len(), 1, "{place:?}");
        let way_out = format!("callboard tasks unblock {count} --on {paint}");
        assert!(pair.ok(place, "dev:ada", &["conflicts"]).contains(&way_out), "{place:?}");
    }
    pair.ok(Pier, "dev:ada", &["tasks", "unblock", &count, "--on", &paint]);
    assert_eq!(open(&pair, Pier), Vec::<Value>::new());
    assert_eq!(pair.task(Pier, &count)["standing"], "ready");
}
