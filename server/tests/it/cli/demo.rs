//! `callboard demo` and `callboard ui`: one server a project, and a board on which something of everything has happened.

use super::stage::Stage;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Child;

/// A server that ends with the test.
struct Served(Child, String);

impl Served {
    fn start(stage: &Stage, args: &[&str]) -> Served {
        let mut child = stage.callboard(args).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.split_whitespace().last().unwrap_or_default().to_owned();
        assert!(url.starts_with("http://"), "{line:?}");
        Served(child, url)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_demonstration_shows_every_standing_and_is_found_again() {
    let stage = Stage::bare();
    let demo = stage.dir().parent().unwrap().join("demo");
    let path = demo.to_str().unwrap();
    let served = Served::start(&stage, &["demo", path, "--still", "--port", "0"]);
    let listed = stage.run(&["tasks", "--all", "--json", "--project", path]).json();
    let cards = listed["items"].as_array().unwrap();
    assert_eq!(cards.len(), 26);
    let standings: BTreeSet<&str> = cards.iter().map(|card| card["standing"].as_str().unwrap()).collect();
    let expected = ["assigned", "blocked", "cancelled", "changes", "done", "held", "in_review", "needs_you", "ready", "stalled", "working"];
    assert_eq!(standings, BTreeSet::from(expected));
    assert_eq!(stage.run(&["log", "verify", "--json", "--project", path]).json()["sound"], true);
    let second = stage.run(&["ui", "--project", path, "--json"]);
    assert_eq!(second.json()["url"].as_str(), Some(served.1.as_str()), "{}", second.stderr);
    assert_eq!(stage.run(&["demo", path, "--json"]).json()["url"].as_str(), Some(served.1.as_str()));
    let subjects = stage.git(&["-C", path, "log", "--format=%s"]);
    assert_eq!(subjects.lines().count(), 4);
    drop(served);

    let ids = |listed: &Value| -> BTreeSet<String> { listed["items"].as_array().unwrap().iter().map(|card| card["id"].as_str().unwrap().to_owned()).collect() };
    let again = Served::start(&stage, &["demo", path, "--still", "--port", "0", "--fresh"]);
    assert_eq!(ids(&stage.run(&["tasks", "--all", "--json", "--project", path]).json()), ids(&listed), "the same story gives the same ids");
    drop(again);
}

#[test]
fn a_folder_with_anything_else_is_left_alone() {
    let stage = Stage::new();
    for path in [stage.dir(), stage.home()] {
        let ended = stage.run(&["demo", path.to_str().unwrap(), "--fresh"]);
        assert_eq!(ended.exit, 2, "{}", ended.stderr);
    }
    assert!(fs::read_to_string(stage.home().join("gitconfig")).is_ok());
}
