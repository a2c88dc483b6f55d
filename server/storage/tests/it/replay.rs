//! Every projection equals a fold of all events from nothing, for any arrival order: random commands in two clones that pull from each
//! other now and then, then the files in any order in a third.

use crate::board::{World, begun, give, next};
use contracts::TaskId;
use proptest::prelude::*;
use serde_json::{Value, json};
use storage::Store;

/// One step of a story: who does what to which tasks, where, and how much time passes.
#[derive(Clone, Debug)]
struct Step {
    here: bool,
    actor: usize,
    act: u8,
    task: usize,
    other: usize,
    seconds: i64,
    pull: bool,
}

fn step() -> impl Strategy<Value = Step> {
    (any::<bool>(), 0..4usize, 0..24u8, 0..8usize, 0..8usize, prop_oneof![4 => 0..20i64, 1 => 900..5_000i64], prop::bool::weighted(0.12))
        .prop_map(|(here, actor, act, task, other, seconds, pull)| Step { here, actor, act, task, other, seconds, pull })
}

const ACTORS: [&str; 4] = ["dev:ana", "dev:bo", "agent:ana/w1", "agent:bo/w2"];

async fn act(store: &Store, step: &Step, tasks: &mut Vec<TaskId>) {
    let actor = ACTORS[step.actor];
    let pick = |at: usize| tasks.get(at % tasks.len().max(1)).cloned().unwrap_or_else(|| TaskId::from_bits(1));
    let (task, other) = (pick(step.task), pick(step.other));
    let note = "for a reason worth writing down";
    let (command, args): (&str, Value) = match step.act {
        0 => ("plan", json!({"tasks": [{"title": "alone", "labels": ["x"]}, {"title": "waits", "after": [0, other], "parent": task}]})),
        1 => ("plan", json!({"tasks": [{"title": "blocker of others", "blocks": [task]}], "milestone": "Beta", "goal": "go"})),
        2 => ("claim", json!({"task": task})),
        3 => ("release", json!({"task": task, "note": note})),
        4 => ("close", json!({"task": task, "note": note, "no_code": true})),
        5 => ("cancel", json!({"task": task, "note": note, "with_children": step.other.is_multiple_of(2)})),
        6 => ("reopen", json!({"task": task, "note": note})),
        7 => ("block", json!({"task": task, "on": [other]})),
        8 => ("unblock", json!({"task": task, "on": other})),
        9 => ("block", json!({"task": task, "reason": "the vendor answers"})),
        10 => ("edit", json!({"task": task, "priority": step.other % 4, "labels": ["a", "b"]})),
        11 => ("edit", json!({"task": task, "parent": other})),
        12 => ("edit", json!({"task": task, "parent": null, "title": format!("title {}", step.other), "spec": "words ".repeat(step.other)})),
        13 => ("submit", json!({"task": task, "note": note, "no_code": true})),
        14 => ("review", json!({"task": task, "verdict": "changes", "note": note})),
        15 => ("review", json!({"task": task, "verdict": "pass", "note": note})),
        16 => ("assign", json!({"task": task, "to": ACTORS[step.other % 4]})),
        17 => ("comment", json!({"task": task, "text": "hello @dev:ana and @agent:bo/w2"})),
        18 => ("question", json!({"task": task, "text": "three or nine?"})),
        19 => ("hold", json!({"task": task, "note": note})),
        20 => ("unhold", json!({"task": task})),
        21 => (
            "bind",
            json!({"task": task, "sha": format!("{:040x}", step.other + 1), "subject": "fix it", "how": "manual", "files": [["src/a.rs", 1, 2]], "parents": ["00"]}),
        ),
        22 => ("message", json!({"to": ["dev:bo"], "text": "look", "task": task})),
        _ => {
            let _ = next(store, actor, json!({})).await;
            return;
        }
    };
    if let Ok(receipt) = give(store, actor, command, args).await
        && command == "plan"
    {
        tasks.extend(crate::board::ids(&receipt));
    }
}

async fn story(steps: Vec<Step>, shuffle: Vec<usize>) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let here = World::at(&folder.path().join("a"));
    let there = here.beside(&folder.path().join("b"), 77);
    let (a, _) = here.open().await;
    begun(&a).await;
    there.pull(&here);
    let (b, _) = there.open().await;
    let mut tasks = Vec::new();
    for step in &steps {
        here.pass(step.seconds);
        act(if step.here { &a } else { &b }, step, &mut tasks).await;
        if step.pull {
            let (to, from, store) = if step.here { (&here, &there, &a) } else { (&there, &here, &b) };
            to.pull_others(from);
            store.reconcile().await.unwrap();
        }
    }
    for (to, from, store) in [(&here, &there, &a), (&there, &here, &b)] {
        to.pull_others(from);
        store.reconcile().await.unwrap();
        prop_assert!(store.verify().await.unwrap().findings.iter().all(|finding| finding.code == "waits"));
    }
    let folded = here.dump().await;
    same(&there.dump().await, &folded)?;
    a.rebuild().await.unwrap();
    same(&here.dump().await, &folded)?;

    // The same lines in another order, a few at a time.
    let third = here.beside(&folder.path().join("c"), 99);
    std::fs::create_dir_all(third.root.join("log")).unwrap();
    third.pull_blobs(&here);
    let (c, _) = third.open().await;
    let mut lines = here.lines();
    for (at, swap) in shuffle.iter().enumerate().filter(|(at, _)| *at < lines.len()).collect::<Vec<_>>() {
        let to = swap % lines.len();
        lines.swap(at, to);
    }
    for (number, part) in lines.chunks(7).enumerate() {
        std::fs::write(third.root.join("log").join(format!("{number:08x}.jsonl")), part.join("\n") + "\n").unwrap();
        c.reconcile().await.unwrap();
    }
    same(&third.dump().await, &folded)
}

fn same(found: &[String], wanted: &[String]) -> Result<(), TestCaseError> {
    let only = |a: &[String], b: &[String]| a.iter().filter(|row| !b.contains(row)).cloned().collect::<Vec<_>>().join("\n");
    prop_assert!(found == wanted, "only here:\n{}\n\nonly there:\n{}", only(found, wanted), only(wanted, found));
    Ok(())
}

fn cases() -> u32 {
    if std::env::var_os("SLOW").is_some() { 300 } else { 24 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_board_is_a_fold_of_its_log(steps in prop::collection::vec(step(), 5..60), shuffle in prop::collection::vec(any::<usize>(), 200)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(story(steps, shuffle))?;
    }
}
