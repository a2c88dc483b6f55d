//! What pages are told beside the cards: the reader's inbox, the project, who is there, the milestones' numbers.

use crate::cli::stage::Stage;
use crate::routes::wire::call;
use crate::support::line::Socket;
use crate::support::server::Server;
use serde_json::{Value, json};
use std::time::Duration;

const AGENT: &str = "agent:ada/w1";

/// The changes of a kind in a batch.
fn of_kind<'a>(batch: &'a Value, kind: &'a str) -> Vec<&'a Value> {
    batch["changes"].as_array().unwrap().iter().filter(|change| change["k"] == kind).collect()
}

/// The server, a line that heard its hello, and whatever the first look brought is over.
async fn listening(stage: &Stage) -> (Server, Socket) {
    let server = Server::of(stage);
    server.get("/api/snapshot").await;
    let mut socket = Socket::open(&server, "").await;
    socket.frame().await;
    socket.batches(Duration::from_millis(300)).await;
    (server, socket)
}

#[tokio::test]
async fn what_is_told_to_somebody_is_told_at_once_with_its_reason() {
    let stage = Stage::new();
    let (id, own) = (stage.add("Paint the buoys", &[]), stage.add("Set them out", &[]));
    assert_eq!(stage.run_as(AGENT, &["tasks", "claim", &own]).exit, 0);
    let (server, mut socket) = listening(&stage).await;
    assert_eq!(stage.run_as("dev:bo", &["tasks", "assign", &id, "dev:ada"]).exit, 0);
    let batch = socket.batch().await;
    assert_eq!(of_kind(&batch, "event")[0]["told"], json!([["dev:ada", "assigned"]]), "{batch}");
    assert_eq!(stage.run_as(AGENT, &["tasks", "comment", &id, "-m", "Red, @ada?"]).exit, 0);
    let batch = socket.batch().await;
    let told = of_kind(&batch, "event")[0];
    assert_eq!(told["told"], json!([["dev:ada", "mention"]]), "{batch}");
    // A question is nobody's message: it waits on its card.
    assert_eq!(stage.run_as(AGENT, &["tasks", "question", &own, "-m", "Which red?"]).exit, 0);
    let batch = socket.batch().await;
    assert_eq!(of_kind(&batch, "event")[0].get("told"), None, "{batch}");
    // The snapshot has the same, and no more.
    let snapshot = server.get("/api/snapshot").await;
    let whys: Vec<&str> = snapshot["inbox"].as_array().unwrap().iter().map(|item| item["why"].as_str().unwrap()).collect();
    assert_eq!((whys, &snapshot["unread"]), (vec!["mention", "assigned"], &json!(2)));
    // Read on one page, it is read on all.
    let event = told["entry"]["event"].clone();
    assert_eq!(server.api(call("POST", "/api/inbox").json(&json!({"events": [event]}))).await.status, 200);
    let frame = socket.frame().await;
    let delivery = of_kind(&frame, "delivery");
    assert_eq!((&delivery[0]["event"], &delivery[0]["actor"]), (&event, &json!("dev:ada")), "{frame}");
    assert_eq!(server.get("/api/snapshot").await["unread"], 1);
}

#[tokio::test]
async fn only_what_a_page_showed_counts_as_read() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let say = |number: usize| json!({"command": "message", "args": {"to": ["dev:ada"], "text": format!("Message {number}")}});
    let sent = json!({"batch": (0..60).map(say).collect::<Vec<_>>(), "actor": AGENT});
    assert_eq!(server.api(call("POST", "/api/commands").json(&sent)).await.status, 200);
    let snapshot = server.get("/api/snapshot").await;
    let shown: Vec<&Value> = snapshot["inbox"].as_array().unwrap().iter().collect();
    let text = |item: &Value| item["entry"]["text"].as_str().unwrap().to_owned();
    assert_eq!((shown.len(), &snapshot["unread"]), (50, &json!(60)));
    assert_eq!((text(shown[0]), text(shown[49])), ("Message 59".to_owned(), "Message 10".to_owned()), "the newest first");
    let events: Vec<&Value> = shown.iter().map(|item| &item["entry"]["event"]).collect();
    assert_eq!(server.api(call("POST", "/api/inbox").json(&json!({"events": events}))).await.status, 200);
    let snapshot = server.get("/api/snapshot").await;
    assert_eq!(snapshot["unread"], 10);
    // What was never shown is unread, and comes before what was read, however old.
    let unread = snapshot["inbox"].as_array().unwrap().iter().filter(|item| item["delivered_at"].is_null()).map(text);
    assert_eq!(unread.collect::<Vec<_>>(), (0..10).rev().map(|number| format!("Message {number}")).collect::<Vec<_>>());
    assert_eq!(snapshot["inbox"].as_array().unwrap().len(), 50);
    // Marks of what is nobody's message are no marks, and too many are refused.
    let far = vec!["0".repeat(32); 201];
    assert_eq!(server.api(call("POST", "/api/inbox").json(&json!({"events": far}))).await.status, 400);
    assert_eq!(server.api(call("POST", "/api/inbox").json(&json!({"events": far[..1]}))).await.status, 200);
    assert_eq!(server.get("/api/snapshot").await["unread"], 10);
}

#[tokio::test]
async fn a_setting_is_live_and_a_view_is_kept_beside_the_others() {
    let stage = Stage::new();
    let (server, mut socket) = listening(&stage).await;
    stage.ok(&["config", "set", "wip_max", "3"]);
    let batch = socket.batch().await;
    let project = of_kind(&batch, "project")[0];
    assert_eq!((&project["settings"]["wip_max"], &project["project"]["zone"]), (&json!(3), &json!("Europe/Berlin")), "{batch}");
    // Two pages keep a view each; neither knows the other's.
    for name in ["X", "Y"] {
        server.does("configure", json!({"key": "views", "value": {"name": name, "query": "q=a"}})).await;
    }
    socket.batch().await;
    let names =
        |project: &Value| project["settings"]["views"].as_array().unwrap().iter().map(|view| view["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    let batch = socket.batch().await;
    assert_eq!(names(of_kind(&batch, "project")[0]), ["X", "Y"]);
    server.does("configure", json!({"key": "views", "value": {"name": "X"}})).await;
    assert_eq!(names(&server.get("/api/snapshot").await), ["Y"]);
}

#[tokio::test]
async fn who_acts_for_the_first_time_is_among_those_who_are_there() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    let (_server, mut socket) = listening(&stage).await;
    let comment = || assert_eq!(stage.run_as("dev:bo", &["tasks", "comment", &id, "-m", "Hello"]).exit, 0);
    comment();
    let batch = socket.batch().await;
    let actors = of_kind(&batch, "actors");
    assert!(actors.len() == 1 && actors[0].to_string().contains("dev:bo"), "{batch}");
    comment();
    let batch = socket.batch().await;
    assert!(of_kind(&batch, "actors").is_empty(), "once: {batch}");
}

#[tokio::test]
async fn a_task_that_moves_between_milestones_changes_the_numbers_of_both() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let made = async |title: &str| server.does("milestone_create", json!({"title": title})).await["data"]["milestone"].as_str().unwrap().to_owned();
    let (first, second) = (made("Alpha").await, made("Beta").await);
    let id = stage.add("Paint the buoys", &["--milestone", &first]);
    let mut socket = Socket::open(&server, "").await;
    socket.frame().await;
    let open = |batch: &Value| {
        let mut rows: Vec<String> = of_kind(batch, "milestone")
            .iter()
            .map(|change| format!("{} {}", change["milestone"]["title"].as_str().unwrap(), change["milestone"]["open"]))
            .collect();
        rows.sort();
        rows
    };
    server.does("edit", json!({"task": id, "milestone": second})).await;
    assert_eq!(open(&socket.batch().await), ["Alpha 0", "Beta 1"]);
    server.does("edit", json!({"task": id, "milestone": null})).await;
    assert_eq!(open(&socket.batch().await), ["Beta 0"]);
}

#[tokio::test]
async fn a_day_ends_by_the_projects_zone_whatever_the_season() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    for (date, end) in [("2027-07-01", "2027-07-01T21:59:59.000Z"), ("2026-12-01", "2026-12-01T22:59:59.000Z")] {
        assert_eq!(server.get(&format!("/api/day?date={date}")).await["end"], end);
    }
    let refused = server.api(call("GET", "/api/day?date=1.7.2027")).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "bad_request"));
    // What a page shows times by has both of the year's offsets.
    let project = server.get("/api/snapshot").await["project"].clone();
    let offsets: Vec<i64> = project["offsets"].as_array().unwrap().iter().map(|change| change[1].as_i64().unwrap()).collect();
    assert!(offsets.contains(&60) && offsets.contains(&120), "{project}");
    stage.ok(&["config", "set", "zone", "Asia/Kolkata"]);
    assert_eq!(server.get("/api/day?date=2027-07-01").await["end"], "2027-07-01T18:29:59.000Z");
}
