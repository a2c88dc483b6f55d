//! Races between real processes: one winner each, no error, nothing lost.

use crate::cli::stage::Stage;
use crate::support::log;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Output};

fn started(stage: &Stage, actor: &str, args: &[&str]) -> Child {
    stage.callboard(args).env("CALLBOARD_ACTOR", actor).spawn().unwrap()
}

fn document(output: &Output) -> Value {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|fault| panic!("{fault}: {}{}", text(&output.stdout), text(&output.stderr)))
}

#[test]
fn fifty_processes_want_ten_tasks() {
    let stage = Stage::new();
    let ids: BTreeSet<String> = (0..10).map(|number| stage.add(&format!("Paint buoy {number}"), &[])).collect();
    let callers: Vec<(String, Child)> =
        (0..50).map(|number| format!("agent:ada/w{number}")).map(|actor| (actor.clone(), started(&stage, &actor, &["next", "--json"]))).collect();
    let mut winners = BTreeMap::new();
    let mut nothing = 0;
    for (actor, child) in callers {
        let output = child.wait_with_output().unwrap();
        let answer = document(&output);
        assert_eq!(output.status.code(), Some(0), "{answer}");
        match answer["task"]["id"].as_str() {
            Some(id) => assert_eq!(winners.insert(id.to_owned(), actor), None, "{id} has two winners"),
            None => {
                let code = answer["why"]["code"].as_str().unwrap();
                assert!(["all_running", "raced"].contains(&code), "{answer}");
                nothing += 1;
            }
        }
    }
    assert_eq!((winners.keys().cloned().collect::<BTreeSet<_>>(), nothing), (ids, 40));
    let claims = log::events(&stage.board()).into_iter().filter(|event| event["kind"] == "task.claimed");
    let claimed: BTreeMap<String, String> =
        claims.map(|event| (event["subject"].as_str().unwrap().to_owned(), event["actor"].as_str().unwrap().to_owned())).collect();
    assert_eq!(claimed, winners);
    sound(&stage);
}

#[test]
fn fifty_processes_want_one_task() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoy", &[]);
    let by_name = |number: usize| number.is_multiple_of(2);
    let callers: Vec<Child> = (0..50)
        .map(|number| match by_name(number) {
            true => started(&stage, &format!("agent:ada/w{number}"), &["tasks", "claim", &id, "--json"]),
            false => started(&stage, &format!("agent:ada/w{number}"), &["next", "--json"]),
        })
        .collect();
    let mut winners = 0;
    for (number, child) in callers.into_iter().enumerate() {
        let output = child.wait_with_output().unwrap();
        let answer = document(&output);
        match (by_name(number), output.status.code()) {
            (true, Some(1)) => assert_eq!(answer["code"], "lease_held", "{answer}"),
            (true, Some(0)) => winners += 1,
            (false, Some(0)) if answer["task"].is_object() => winners += 1,
            (false, Some(0)) => assert!(answer["why"]["text"].is_string(), "{answer}"),
            (_, exit) => panic!("{exit:?}: {answer}"),
        }
    }
    assert_eq!(winners, 1);
    assert_eq!(log::events(&stage.board()).iter().filter(|event| event["kind"] == "task.claimed").count(), 1);
    sound(&stage);
}

#[test]
fn twenty_processes_write_at_once() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoy", &[]);
    let (stage, id) = (&stage, id.as_str());
    let mut acknowledged = BTreeSet::new();
    for _ in 0..3 {
        let writers: Vec<Child> = (0..20)
            .map(|number| {
                let actor = format!("agent:ada/w{number}");
                match number % 3 {
                    0 => started(stage, &actor, &["tasks", "add", "Another buoy", "--json"]),
                    1 => started(stage, &actor, &["tasks", "comment", id, "-m", "Waves today", "--to", "agent:ada/w0", "--json"]),
                    _ => started(stage, &actor, &["message", "--to", "dev:ada", "-m", &"x".repeat(3_000), "--json"]),
                }
            })
            .collect();
        for child in writers {
            let output = child.wait_with_output().unwrap();
            let receipt = document(&output);
            assert_eq!(output.status.code(), Some(0), "{receipt}");
            acknowledged.extend(receipt["events"].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_owned()));
        }
    }
    assert_eq!(acknowledged.len(), 60);
    let written: BTreeSet<String> = log::events(&stage.board()).iter().map(|event| event["id"].as_str().unwrap().to_owned()).collect();
    assert!(acknowledged.is_subset(&written));
    assert_eq!(log::files(&stage.board()).len(), 1, "one clone writes one file");
    sound(stage);
}

#[test]
fn the_first_commands_of_a_board_may_come_at_once() {
    let stage = Stage::bare();
    stage.ok(&["init", "--no-client"]);
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        let _ = std::fs::remove_file(stage.board().join(name)); // not all need be there
    }
    let callers: Vec<Child> = (0..12).map(|number| started(&stage, &format!("agent:ada/w{number}"), &["tasks", "add", "First", "--json"])).collect();
    for child in callers {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", document(&output));
    }
    assert_eq!(stage.run(&["tasks", "--json"]).json()["total"], 12);
    sound(&stage);
}

#[track_caller]
pub fn sound(stage: &Stage) {
    let verified = stage.run(&["log", "verify", "--json"]);
    assert_eq!((verified.exit, &verified.json()["findings"]), (0, &json!([])), "{}", verified.stdout);
}
