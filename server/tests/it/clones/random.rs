//! Three people who work apart and pull when it suits them: git never stops them, and in the end they have one board.

use super::fleet::Fleet;
use super::pair::unplaced;
use crate::support::{Dice, rounds};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const CLONES: [&str; 3] = ["harbour", "pier", "mole"];

/// What one of them does next. Refusals are part of it: who works apart asks for what is no longer possible.
fn act(fleet: &Fleet, clone: &str, known: &mut Vec<String>, dice: &mut Dice) {
    let agent = format!("agent:{clone}/w1");
    let person = format!("dev:{clone}");
    let pick = |dice: &mut Dice| known[usize::try_from(dice.below(known.len() as u64)).unwrap()].clone();
    let (one, other) = (pick(dice), pick(dice));
    let text = format!("Said {} by {clone}", dice.below(1_000));
    let (actor, args): (&str, Vec<&str>) = match dice.below(16) {
        0 | 1 => {
            let more = ["--parent", one.as_str()];
            let more = if dice.below(3) == 0 { &more[..] } else { &[] };
            let ended = fleet.run(clone, &person, &[&["tasks", "add", &text, "--json"], more].concat());
            known.extend(ended.json()["data"]["tasks"][0]["id"].as_str().map(str::to_owned));
            return;
        }
        2 | 3 => (&agent, vec!["next"]),
        4 => (&agent, vec!["tasks", "done", &one, "--no-code", "-m", "It was done before"]),
        5 => (&agent, vec!["tasks", "release", &one, "-m", "Something else came up"]),
        6 => (&person, vec!["tasks", "done", &one, "--no-code", "-m", "Done by hand"]),
        7 => (&person, vec!["tasks", "cancel", &one, "-m", "Not wanted any more"]),
        8 => (&person, vec!["tasks", "reopen", &one, "-m", "It is not done"]),
        9 => (&person, vec!["tasks", "edit", &one, "--title", &text, "--priority", if dice.below(2) == 0 { "0" } else { "3" }]),
        10 => (&person, vec!["tasks", "block", &one, "--on", &other]),
        11 => (&person, vec!["tasks", "unblock", &one, "--on", &other]),
        12 => (&person, vec!["tasks", "hold", &one, "-m", "Wait"]),
        13 => (&person, vec!["tasks", "unhold", &one]),
        14 => (&person, vec!["tasks", "assign", &one, "agent:pier/w1"]),
        _ => (&agent, vec!["tasks", "comment", &one, "-m", &text]),
    };
    let ended = fleet.run(clone, actor, &args);
    assert!(ended.exit <= 1, "{clone} {args:?}: {} {}{}", ended.exit, ended.stdout, ended.stderr);
}

/// Commits the log, pulls and pushes, as a person would.
fn exchange(fleet: &Fleet, clone: &str) {
    fleet.ok(clone, &["sync", "--commit"]);
    fleet.git(clone, &["pull", "--quiet", "--no-rebase", "--no-edit"]);
    fleet.git(clone, &["push", "--quiet", "origin", "HEAD"]);
}

/// A branch of one's own that carries some of the log, merged before it is left behind.
fn branch_off(fleet: &Fleet, clone: &str, name: &str, known: &mut Vec<String>, dice: &mut Dice) {
    fleet.ok(clone, &["sync", "--commit"]);
    fleet.git(clone, &["switch", "--quiet", "--create", name]);
    act(fleet, clone, known, dice);
    fleet.ok(clone, &["sync", "--commit"]);
    fleet.git(clone, &["switch", "--quiet", "main"]);
    act(fleet, clone, known, dice);
    fleet.ok(clone, &["sync", "--commit"]);
    fleet.git(clone, &["merge", "--quiet", "--no-edit", name]);
}

/// Every task, whole, but for what is a clone's own.
fn board(fleet: &Fleet, clone: &str) -> BTreeMap<String, Value> {
    let list = fleet.json(clone, &["tasks", "--all"]);
    let mut all = BTreeMap::new();
    for card in list["items"].as_array().unwrap() {
        let id = card["id"].as_str().unwrap();
        let mut task = fleet.json(clone, &["tasks", "show", id]);
        for key in ["lease", "worktree", "standing", "column", "why", "moves", "allowed", "collides", "collisions"] {
            task.as_object_mut().unwrap().remove(key); // follow from leases, of which each clone has its own
        }
        let relations = ["waits_on", "blocking", "subtasks"];
        for relation in relations.iter().filter_map(|key| task.get(*key).cloned().map(|list| (*key, list))).collect::<Vec<_>>() {
            let ids: Vec<Value> = relation.1.as_array().unwrap().iter().map(|one| json!([one["id"], one["inert"]])).collect();
            task[relation.0] = json!(ids);
        }
        all.insert(id.to_owned(), unplaced(task));
    }
    all
}

#[test]
fn three_clones_that_work_apart_end_with_one_board() {
    let (fleet, first) = Fleet::knowing(&CLONES[1..], ["Paint the buoys", "Set them out", "Mend the ladder"]);
    let mut known = first.to_vec();
    let mut dice = Dice::new(7);
    let pick = |dice: &mut Dice| CLONES[usize::try_from(dice.below(3)).unwrap()];
    for round in 0..rounds(24, 500) {
        let clone = pick(&mut dice);
        act(&fleet, clone, &mut known, &mut dice);
        match dice.below(8) {
            0 | 1 => exchange(&fleet, clone),
            2 => branch_off(&fleet, clone, &format!("{clone}-{round}"), &mut known, &mut dice),
            3 => {
                fleet.git(clone, &["fetch", "--quiet"]);
                fleet.ok(clone, &["sync"]);
            }
            _ => {}
        }
    }
    for clone in CLONES.iter().chain(&CLONES) {
        exchange(&fleet, clone);
    }
    let boards = CLONES.map(|clone| board(&fleet, clone));
    assert!(boards[0].len() > 3, "something happened");
    for (clone, other) in CLONES.iter().zip(&boards).skip(1) {
        for (id, task) in &boards[0] {
            assert_eq!(Some(task), other.get(id), "{id} in {clone}");
        }
        assert_eq!(boards[0].len(), other.len(), "{clone}");
    }
    for clone in CLONES {
        let verified = fleet.run(clone, "dev:ada", &["log", "verify", "--json"]).json();
        assert_eq!(verified["findings"], json!([]), "{clone}");
        assert_eq!(fleet.git(clone, &["status", "--porcelain"]), "", "{clone}");
        let conflicts = |clone: &str| fleet.json(clone, &["conflicts"])["items"].as_array().unwrap().iter().map(|row| row["event"].clone()).collect::<Vec<_>>();
        let (mut here, mut there) = (conflicts(CLONES[0]), conflicts(clone));
        here.sort_by_key(Value::to_string);
        there.sort_by_key(Value::to_string);
        assert_eq!(here, there, "{clone}");
    }
}
