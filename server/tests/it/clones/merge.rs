//! Clones and branches that worked apart come together with plain `git merge`, and nothing is lost.

use super::pair::{Harbour, Pair, Pier, Place};
use crate::cli::stage::Stage;
use crate::support::log;
use std::collections::BTreeSet;

fn work_apart(pair: &Pair, ids: &[String; 3]) {
    let [paint, set, count] = ids.each_ref().map(String::as_str);
    let (ada, w1, w2) = ("dev:ada", "agent:ada/w1", "agent:ada/w2");
    pair.ok(Harbour, w1, &["next", "--task", paint]);
    pair.ok(Harbour, w1, &["tasks", "comment", paint, "-m", "Sanding first"]);
    pair.ok(Harbour, ada, &["tasks", "add", "Buy red paint", "--blocks", set]);
    pair.ok(Harbour, w1, &["tasks", "done", paint, "--no-code", "-m", "All twelve are red"]);
    pair.ok(Pier, w2, &["next", "--task", count]);
    pair.ok(Pier, ada, &["tasks", "edit", set, "--title", "Set all buoys out", "--priority", "0"]);
    pair.ok(Pier, ada, &["tasks", "comment", paint, "-m", "Which red?", "--to", w1]);
    pair.ok(Pier, ada, &["tasks", "add", "Mend the boat", "--after", paint, "--spec", &"wood ".repeat(5_000)]);
    pair.ok(Pier, w2, &["tasks", "release", count, "-m", "Fog, nothing to see"]);
}

/// One takes the other's commits and merges, then the other follows.
fn meet(first: Place, then: Place) {
    let (pair, ids) = Pair::knowing(["Paint the buoys", "Set them out", "Count them"]);
    work_apart(&pair, &ids);
    pair.commit(Harbour);
    pair.commit(Pier);
    pair.merge(first);
    pair.merge(then);
    pair.are_equal();
    let waits: Vec<_> = pair.cards(Pier).into_iter().filter(|card| card["title"] == "Mend the boat").collect();
    assert_eq!(waits[0]["standing"], "ready", "what it waits for was closed in the other clone: {waits:?}");
    // And once more, now that each has seen the other.
    pair.ok(Harbour, "dev:ada", &["tasks", "comment", &ids[1], "-m", "From the harbour"]);
    pair.ok(Pier, "dev:ada", &["tasks", "comment", &ids[1], "-m", "From the pier"]);
    pair.commit(Harbour);
    pair.commit(Pier);
    pair.merge(then);
    pair.merge(first);
    pair.are_equal();
}

#[test]
fn two_clones_meet_at_the_harbour() {
    meet(Harbour, Pier);
}

#[test]
fn two_clones_meet_at_the_pier() {
    meet(Pier, Harbour);
}

#[test]
fn merging_twice_adds_nothing() {
    let (pair, ids) = Pair::knowing(["Paint the buoys", "Set them out", "Count them"]);
    work_apart(&pair, &ids);
    pair.commit(Harbour);
    pair.commit(Pier);
    pair.merge(Harbour);
    pair.merge(Pier);
    let before = (pair.cards(Harbour), log::events(&pair.stage.board()).len());
    for _ in 0..2 {
        pair.merge(Harbour);
        pair.merge(Pier);
    }
    assert_eq!((pair.cards(Harbour), log::events(&pair.stage.board()).len()), before);
    pair.are_equal();
}

#[test]
fn two_branches_of_one_clone_are_merged() {
    let stage = Stage::new();
    let first = stage.add("Paint the buoys", &[]);
    let commit = |message: &str| {
        stage.git(&["add", "--all"]);
        stage.git(&["commit", "--quiet", "--message", message]);
    };
    commit("Log");
    let mut written = BTreeSet::new();
    for branch in ["north", "south"] {
        stage.git(&["switch", "--quiet", "--create", branch, "main"]);
        stage.ok(&["tasks", "comment", &first, "-m", &format!("From the {branch}")]);
        stage.add(&format!("Go {branch}"), &[]);
        commit(branch);
        stage.ok(&["tasks", "comment", &first, "-m", &format!("Again from the {branch}")]);
        commit(branch);
        written.extend(log::events(&stage.board()).iter().map(|event| event["id"].as_str().unwrap().to_owned()));
    }
    stage.git(&["switch", "--quiet", "main"]);
    stage.git(&["merge", "--quiet", "--no-edit", "north"]);
    stage.git(&["merge", "--quiet", "--no-edit", "south"]);
    let merged: BTreeSet<String> = log::events(&stage.board()).iter().map(|event| event["id"].as_str().unwrap().to_owned()).collect();
    assert!(written.is_subset(&merged), "{:?}", written.difference(&merged));
    assert_eq!(stage.run(&["tasks", "--json"]).json()["total"], 3);
    let thread = stage.run(&["tasks", "show", &first, "--json"]).json()["thread"].to_string();
    for part in ["From the north", "Again from the north", "From the south", "Again from the south"] {
        assert!(thread.contains(part), "{part}: {thread}");
    }
    assert_eq!(stage.run(&["log", "verify"]).exit, 0);
    assert_eq!(stage.git(&["status", "--porcelain"]), "");
}

#[test]
fn an_older_close_counts_whatever_was_said_since() {
    let (pair, [paint, set]) = Pair::knowing(["Paint the buoys", "Set them out"]);
    pair.ok(Harbour, "dev:ada", &["tasks", "block", &set, "--on", &paint]);
    pair.commit(Harbour);
    pair.merge(Pier);
    pair.ok(Harbour, "dev:ada", &["tasks", "done", &paint, "--no-code", "-m", "Done by hand"]);
    // The pier does not know yet, and goes on with what it sees.
    pair.ok(Pier, "dev:ada", &["tasks", "edit", &set, "--priority", "0"]);
    pair.ok(Pier, "dev:ada", &["tasks", "comment", &paint, "-m", "Is the red paint here?"]);
    assert_eq!(pair.json(Pier, &["tasks", "show", &paint])["standing"], "ready");
    assert_eq!(pair.json(Pier, &["tasks", "show", &set])["standing"], "blocked");
    pair.commit(Harbour);
    pair.commit(Pier);
    pair.merge(Pier);
    assert_eq!(pair.json(Pier, &["tasks", "show", &paint])["standing"], "done");
    assert_eq!(pair.json(Pier, &["tasks", "show", &set])["standing"], "ready");
    pair.merge(Harbour);
    pair.are_equal();
}
