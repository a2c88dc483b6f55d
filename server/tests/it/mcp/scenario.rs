//! One scenario by MCP, by the command line and by the web's API: three logs that say the same.

use crate::cli::stage::Stage;
use crate::support::log;
use crate::support::server::Server;
use crate::support::session::{Session, handshake};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What an agent does on each surface; people's commands are on none of the agents' own.
const AGENT: &str = "agent:ada/main";

/// The log without what no two runs share: ids, times, principals, writers, and by which surface it came.
fn told(stage: &Stage) -> Vec<Value> {
    let mut names = BTreeMap::new();
    let events = log::events(&stage.board());
    events
        .into_iter()
        .map(|mut event| {
            for key in ["id", "at", "prev", "writer", "principal"] {
                event.as_object_mut().unwrap().remove(key);
            }
            let body = event["body"].as_object_mut().unwrap();
            for key in ["via", "session", "expires", "name", "submission"] {
                body.remove(key);
            }
            even(event, &mut names)
        })
        .collect()
}

/// Each random id by the order in which it was first seen.
fn even(value: Value, names: &mut BTreeMap<String, String>) -> Value {
    match value {
        Value::String(text) => {
            let mut text = text;
            for (prefix, digits) in [("tk-", 6), ("ms-", 6), ("qu-", 8), ("bl-", 8)] {
                let mut from = 0;
                while let Some(at) = text[from..].find(prefix).map(|at| at + from) {
                    let end = (at + prefix.len() + digits).min(text.len());
                    let count = names.len();
                    let name = names.entry(text[at..end].to_owned()).or_insert_with(|| format!("{prefix}#{count}")).clone();
                    text.replace_range(at..end, &name);
                    from = at + name.len();
                }
            }
            Value::String(text)
        }
        Value::Array(items) => items.into_iter().map(|item| even(item, names)).collect(),
        Value::Object(object) => object.into_iter().map(|(key, value)| (key, even(value, names))).collect(),
        other => other,
    }
}

fn plan() -> Value {
    json!({"milestone": "Season", "goal": "A marked channel", "rules": ["No oil in the water"], "tasks": [
        {"title": "Paint the buoys", "spec": "Red to port.", "priority": 1, "labels": ["paint", "buoys"], "criteria": ["Dry before noon"], "files": ["buoys/"]},
        {"title": "Set them out", "after": [0], "type": "chore"},
        {"title": "Paint the mast", "parent": 1, "complexity": "S", "due_at": "2027-03-01T12:00:00.000Z"},
    ]})
}

fn ids(stage: &Stage) -> [String; 3] {
    let items = stage.run(&["tasks", "--all", "--json"]).json()["items"].as_array().unwrap().clone();
    ["Paint the buoys", "Set them out", "Paint the mast"]
        .map(|title| items.iter().find(|task| task["title"] == title).unwrap()["id"].as_str().unwrap().to_owned())
}

async fn by_mcp() -> Vec<Value> {
    let stage = Stage::new();
    let session = Session::named(&stage, AGENT).await;
    session.ok("plan", plan()).await;
    let [paint, set, mast] = ids(&stage);
    session.ok("next", json!({"task": paint})).await;
    session.ok("update", json!({"task": paint, "comment": "Sanding first. @dev:ada", "mentions": ["agent:ada/w2"]})).await;
    session.ok("update", json!({"task": paint, "files": ["buoys/red/"]})).await;
    session.ok("update", json!({"task": paint, "question": "Which red?"})).await;
    session.ok("update", json!({"task": paint, "blocker": "The paint is at sea"})).await;
    session.ok("update", json!({"task": paint, "criteria": [{"i": 1, "met": true, "note": "11:40"}]})).await;
    session.ok("update", json!({"task": paint, "status": "released", "comment": "Out of paint for now."})).await;
    session.ok("next", json!({"task": mast})).await;
    session.ok("update", json!({"task": mast, "status": "submitted", "no_code": true, "comment": "Painted, by hand."})).await;
    session.ok("update", json!({"task": mast, "status": "released", "comment": "Saw a drip, taken back."})).await;
    session.ok("next", json!({"task": mast})).await;
    session.ok("update", json!({"task": mast, "status": "done", "no_code": true, "comment": "Painted without a drip."})).await;
    session.ok("update", json!({"task": set, "status": "cancelled", "comment": "The channel is dry."})).await;
    session.end().await;
    told(&stage)
}

async fn by_cli() -> Vec<Value> {
    let stage = Stage::new();
    let does = |args: &[&str]| {
        let ended = stage.run_as(AGENT, args);
        assert_eq!(ended.exit, 0, "{args:?}: {}{}", ended.stdout, ended.stderr);
        ended.stdout
    };
    std::fs::write(stage.dir().join("plan.json"), plan().to_string()).unwrap();
    does(&["tasks", "plan", "plan.json"]);
    let [paint, set, mast] = ids(&stage);
    does(&["next", "--task", &paint]);
    does(&["tasks", "comment", &paint, "-m", "Sanding first. @dev:ada", "--to", "agent:ada/w2"]);
    does(&["tasks", "edit", &paint, "--files", "buoys/red/"]);
    does(&["tasks", "question", &paint, "-m", "Which red?"]);
    does(&["tasks", "block", &paint, "--reason", "The paint is at sea"]);
    does(&["tasks", "edit", &paint, "--met", "1=11:40"]);
    does(&["tasks", "release", &paint, "-m", "Out of paint for now."]);
    does(&["next", "--task", &mast]);
    does(&["tasks", "submit", &mast, "--no-code", "-m", "Painted, by hand."]);
    does(&["tasks", "release", &mast, "-m", "Saw a drip, taken back."]);
    does(&["next", "--task", &mast]);
    does(&["tasks", "done", &mast, "--no-code", "-m", "Painted without a drip."]);
    does(&["tasks", "cancel", &set, "-m", "The channel is dry."]);
    told(&stage)
}

#[tokio::test]
async fn an_agents_scenario_leaves_one_log_by_mcp_and_by_command_line() {
    let (mcp, cli) = (by_mcp().await, by_cli().await);
    same(&mcp, &cli);
    assert_eq!(mcp.len(), 20);
}

#[track_caller]
fn same(one: &[Value], other: &[Value]) {
    for (place, (one, other)) in one.iter().zip(other).enumerate() {
        assert_eq!(one, other, "at {place}");
    }
    assert_eq!(one.len(), other.len());
}

/// Nobody judges their own work, so somebody else does it first.
fn handed_in(stage: &Stage, task: &str) {
    for args in [&["next", "--task", task][..], &["tasks", "submit", task, "--no-code", "-m", "Painted by hand."]] {
        assert_eq!(stage.run_as(AGENT, args).exit, 0);
    }
}

/// What a person does, by the command line and by the web: pages and API always act as a person.
#[tokio::test]
async fn a_persons_scenario_leaves_one_log_by_command_line_and_by_the_web() {
    let stage = Stage::new();
    std::fs::write(stage.dir().join("plan.json"), plan().to_string()).unwrap();
    stage.ok(&["tasks", "plan", "plan.json"]);
    let [paint, set, mast] = ids(&stage);
    handed_in(&stage, &mast);
    let steps: &[&[&str]] = &[
        &["tasks", "claim", &paint],
        &["tasks", "comment", &paint, "-m", "Sanding first. @agent:ada/w2"],
        &["tasks", "edit", &paint, "--title", "Paint all buoys", "--priority", "0"],
        &["tasks", "block", &paint, "--on", &mast],
        &["tasks", "release", &paint],
        &["tasks", "unblock", &paint, "--on", &mast],
        &["tasks", "hold", &paint, "-m", "Not in the rain"],
        &["tasks", "unhold", &paint],
        &["tasks", "assign", &paint, "agent:ada/w2", "-m", "You have the brush"],
        &["tasks", "review", &mast, "changes", "-m", "There is a drip"],
        &["tasks", "question", &mast, "-m", "Which white?"],
        &["tasks", "cancel", &set, "-m", "The channel is dry", "--with-children"],
        &["tasks", "reopen", &set],
        &["message", "--to", "agent:ada/w2", "-m", "Come over", "--task", &set],
        &["config", "set", "criteria_gate", "answered"],
    ];
    for step in steps {
        stage.ok(step);
    }

    let web = Stage::new();
    let server = Server::of(&web);
    server.does("plan", plan()).await;
    let [paint, set, mast] = ids(&web);
    handed_in(&web, &mast);
    for (command, args) in [
        ("claim", json!({"task": paint})),
        ("comment", json!({"task": paint, "text": "Sanding first. @agent:ada/w2"})),
        ("edit", json!({"task": paint, "title": "Paint all buoys", "priority": 0})),
        ("block", json!({"task": paint, "on": [mast]})),
        ("release", json!({"task": paint})),
        ("unblock", json!({"task": paint, "on": mast})),
        ("hold", json!({"task": paint, "note": "Not in the rain"})),
        ("unhold", json!({"task": paint})),
        ("assign", json!({"task": paint, "to": "agent:ada/w2", "note": "You have the brush"})),
        ("review", json!({"task": mast, "verdict": "changes", "note": "There is a drip"})),
        ("question", json!({"task": mast, "text": "Which white?"})),
        ("cancel", json!({"task": set, "note": "The channel is dry", "with_children": true})),
        ("reopen", json!({"task": set})),
        ("message", json!({"to": ["agent:ada/w2"], "text": "Come over", "task": set})),
        ("configure", json!({"key": "criteria_gate", "value": "answered"})),
    ] {
        server.does(command, args).await;
    }
    same(&told(&stage), &told(&web));
}

/// What every surface offers, by the same agent over pipes and over HTTP.
#[tokio::test]
async fn an_agents_answers_are_the_same_on_pipes_and_over_http() {
    let mut logs = Vec::new();
    for over_http in [false, true] {
        let stage = Stage::new();
        let server = over_http.then(|| Server::of(&stage));
        let session = match &server {
            Some(server) => Session::http(server, "/mcp", Some(AGENT), handshake()).await,
            None => Session::named(&stage, AGENT).await,
        };
        let mut answers = vec![session.ok("plan", plan()).await];
        let [paint, ..] = ids(&stage);
        for (tool, args) in [
            ("next", json!({"task": paint})),
            ("update", json!({"task": paint, "comment": "Sanding first."})),
            ("update", json!({"task": paint, "status": "done", "comment": "Painted."})),
            ("update", json!({"task": paint, "status": "done", "no_code": true, "comment": "Painted by hand.", "criteria": [{"i": 1, "met": true}]})),
            ("next", json!({"labels": ["none"]})),
        ] {
            answers.push(session.call(tool, args).await);
        }
        let answers: Vec<String> = answers.iter().map(|answer| stage.even(answer)).collect();
        logs.push((told(&stage), answers));
        session.end().await;
    }
    same(&logs[0].0, &logs[1].0);
    assert_eq!(logs[0].1, logs[1].1);
}
