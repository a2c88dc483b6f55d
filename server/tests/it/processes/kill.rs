//! `kill -9` at random moments: what was acknowledged is there, the chains hold, and the projections are what the log says.

use super::race::sound;
use crate::cli::stage::Stage;
use crate::support::{Dice, log, rounds};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Child, Stdio};
use std::time::Duration;

/// Commands started one after another, until the kill.
fn command_lines(stage: &Stage, round: usize, task: &str) -> Vec<Child> {
    let title = format!("Round {round}: {}", "long ".repeat(30));
    let spec = "x".repeat(round % 5 * 5_000);
    let load: [&[&str]; 4] = [
        &["tasks", "add", &title, "--spec", &spec, "--json"],
        &["tasks", "comment", task, "-m", &title, "--json"],
        &["message", "--to", "agent:ada/w1", "-m", &title, "--json"],
        &["tasks", "add", &title, "--after", task, "--json"],
    ];
    load.iter().map(|args| stage.callboard(args).spawn().unwrap()).collect()
}

/// A session that has been sent many writes at once.
fn session(stage: &Stage, round: usize) -> Child {
    let mut child = stage.callboard(&["mcp"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "probe", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ];
    lines.extend((1..=12).map(|id| {
        let title = format!("Round {round}, call {id}");
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "plan", "arguments": {"tasks": [{"title": title}]}}})
    }));
    let mut to = child.stdin.take().unwrap();
    for line in lines {
        writeln!(to, "{line}").unwrap();
    }
    child.stdin = Some(to); // its end would end the session
    child
}

/// Ids of events and of tasks that somebody was told are there.
#[derive(Default)]
struct Acknowledged {
    events: BTreeSet<String>,
    tasks: BTreeSet<String>,
}

impl Acknowledged {
    fn of_command(&mut self, stdout: &[u8]) {
        let Ok(receipt) = serde_json::from_slice::<Value>(stdout) else { return };
        let events = receipt["events"].as_array().unwrap_or_else(|| panic!("{receipt}"));
        self.events.extend(events.iter().map(|id| id.as_str().unwrap().to_owned()));
    }

    fn of_session(&mut self, stdout: &[u8]) {
        let text = String::from_utf8_lossy(stdout);
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        for answer in whole.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).filter(|answer| answer["id"] != 0) {
            let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
            assert!(!text.starts_with("refused"), "{text}");
            self.tasks.insert(crate::support::session::task_in(text));
        }
    }
}

#[test]
fn whatever_was_acknowledged_survives_kill_9() {
    let stage = Stage::new();
    let task = stage.add("Paint the buoys", &[]);
    let mut dice = Dice::new(7);
    let mut acknowledged = Acknowledged::default();
    let (mut all, mut ended) = (0, 0);
    for round in 0..rounds(20, 200) {
        let mut children = command_lines(&stage, round, &task);
        let mut session = session(&stage, round);
        std::thread::sleep(Duration::from_millis(20 + dice.below(500)));
        for child in children.iter_mut().chain([&mut session]) {
            child.kill().unwrap();
        }
        for child in children {
            let output = child.wait_with_output().unwrap();
            all += 1;
            if output.status.code().is_some() {
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                ended += 1;
            }
            acknowledged.of_command(&output.stdout);
        }
        acknowledged.of_session(&session.wait_with_output().unwrap().stdout);

        let before = stage.run(&["tasks", "--all", "--json"]);
        assert_eq!(before.exit, 0, "round {round}: {}", before.stderr);
        let written: BTreeSet<String> = log::events(&stage.board()).iter().map(|event| event["id"].as_str().unwrap().to_owned()).collect();
        let lost: Vec<_> = acknowledged.events.difference(&written).collect();
        assert!(lost.is_empty(), "round {round}: {lost:?}");
        let items = before.json()["items"].as_array().unwrap().clone();
        let there: BTreeSet<String> = items.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect();
        let lost: Vec<_> = acknowledged.tasks.difference(&there).collect();
        assert!(lost.is_empty(), "round {round}: {lost:?}");
        sound(&stage);
        stage.ok(&["rebuild"]);
        let after = stage.run(&["tasks", "--all", "--json"]).json()["items"].as_array().unwrap().clone();
        assert_eq!(after, items, "round {round}: the projections are not what the log says");
    }
    assert!(ended > 0 && ended < all, "the moments must be random: {ended} of {all} commands ended by themselves");
    assert!(!acknowledged.tasks.is_empty(), "the session never got to answer");
}
