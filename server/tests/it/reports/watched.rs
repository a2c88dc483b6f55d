//! A narration as pages hear it: by several at once, by who comes late, whichever process narrates; and what the API says about it.

use super::{names, scene, text};
use crate::routes::wire::call;
use crate::support::line::{Said, Socket};
use crate::support::server::Server;
use serde_json::json;
use std::process::Stdio;
use std::time::Duration;

const HALVES: &str = "say 'It went '; touch $HERE/half; until [ -e $HERE/go ]; do sleep 0.05; done; say 'well.'; over";

#[tokio::test]
async fn two_pages_hear_it_at_once_and_a_third_joins_in_the_middle() {
    let scene = scene(HALVES);
    let server = Server::of(&scene.stage);
    let watch = json!({"t": "watch", "report": "all"});
    let mut early = Vec::new();
    for _ in 0..2 {
        let mut socket = Socket::open(&server, "").await;
        socket.say(&watch).await;
        early.push(socket);
    }
    let mut bystander = Socket::open(&server, "").await;
    let started = server.api(call("POST", "/api/reports/all/narration").json(&json!({}))).await;
    assert_eq!((started.status, started.json()["label"].as_str().map(str::to_owned)), (202, Some("all".to_owned())), "{started:?}");
    let half = scene.stage.home().join("half");
    while !half.exists() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let again = server.api(call("POST", "/api/reports/all/narration").json(&json!({}))).await;
    assert_eq!((again.status, again.code().as_str()), (409, "narrating"), "{again:?}");
    assert_eq!(server.get("/api/reports/all").await["narration"]["state"], "writing");
    // By its address, as a page without a socket of its own says it.
    let mut late = Socket::open(&server, "?report=all").await;
    std::fs::write(scene.stage.home().join("go"), "").unwrap();
    for socket in early.iter_mut().chain([&mut late]) {
        assert_eq!(socket.narration().await, ("It went well.".to_owned(), "done".to_owned()));
    }
    let view = server.get("/api/reports/all").await;
    assert_eq!((&view["narration"]["state"], &view["narration"]["text"]), (&json!("done"), &json!("It went well.")), "{view}");
    assert!(view["narration"]["html"].as_str().unwrap().contains("<p>It went well.</p>"));
    while let Some(Said::Frame(frame)) = bystander.said_within(Duration::from_millis(300)).await {
        assert_ne!(frame["t"], "narration", "who does not watch hears nothing");
    }
    let listed = server.get("/api/reports").await;
    assert_eq!((&listed["items"][0]["label"], &listed["items"][0]["narrated"]), (&json!("all"), &json!("claude")), "{listed}");
}

#[tokio::test]
async fn what_a_command_line_narrates_is_heard_on_pages_and_ended_from_there() {
    let scene = scene("say 'It began'; touch $HERE/half; sleep 3000");
    let server = Server::of(&scene.stage);
    let mut socket = Socket::open(&server, "?report=all").await;
    let narrating = scene.stage.callboard(&["report", "all", "--digest"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let half = scene.stage.home().join("half");
    while !half.exists() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let cancelled = server.api(call("DELETE", "/api/reports/all/narration").json(&json!({}))).await;
    assert_eq!(cancelled.status, 200, "{cancelled:?}");
    assert_eq!(socket.narration().await, ("It began".to_owned(), "failed".to_owned()));
    let ended = narrating.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&ended.stderr).contains("it was cancelled"));
    let none = server.api(call("DELETE", "/api/reports/all/narration").json(&json!({}))).await;
    assert_eq!((none.status, none.code().as_str()), (404, "not_found"));
}

#[tokio::test]
async fn a_report_is_read_kept_and_sent_by_programs() {
    let scene = scene("");
    scene.stage.add("Paint the buoys", &[]);
    let server = Server::of(&scene.stage);
    let made = server.get("/api/reports/2020-02-01..2020-02-29").await;
    assert!(made["written"] == false && made["markdown"].as_str().unwrap().contains("Nothing happened"), "{made}");
    assert_eq!(server.api(call("GET", "/api/reports/nothing")).await.status, 404);
    assert_eq!(server.api(call("GET", "/api/report?kind=day&last=7d")).await.status, 400);
    assert!(server.get("/api/report?kind=standup&since=1h").await["sections"][0]["html"].as_str().unwrap().contains("task.created 1"));
    let written = server.api(call("POST", "/api/reports/all").json(&json!({}))).await;
    assert_eq!((written.status, written.json()["written"].as_bool()), (200, Some(true)), "{written:?}");
    let kept = server.api(call("GET", "/api/reports/all/file")).await;
    assert!(kept.header("content-disposition").contains("all.md") && kept.body.contains("Paint the buoys"), "{kept:?}");

    let there = text(&scene, "all");
    let mine = there.clone() + "\nIt was quiet, says Ada.\n";
    let put = |text: &str, base: Option<String>| call("PUT", "/api/reports/all/file").json(&json!({"text": text, "base": base}));
    let refused = server.api(put(&mine.replace("buoys", "pier"), None)).await;
    assert_eq!((refused.status, refused.code().as_str()), (409, "report_conflict"), "{refused:?}");
    assert!(refused.json()["detail"].as_str().unwrap().contains("here: made "), "both are named: {refused:?}");
    assert_eq!(text(&scene, "all"), there);
    let sha256 = server.get("/api/reports").await["items"][0]["sha256"].as_str().unwrap().to_owned();
    assert_eq!(server.api(put(&mine, Some(sha256))).await.status, 200);
    assert_eq!(server.get("/api/reports/all").await["narration"]["by"], "hand");
    assert_eq!(server.api(put(&mine, None)).await.status, 200, "what is here already is known");
    assert_eq!(names(&scene), ["all.md"]);
}

#[tokio::test]
async fn the_pages_are_whole_without_scripts() {
    let scene = scene("say 'It went **well**.'; over");
    let task = scene.stage.add("Paint the <b>buoys</b>", &[]);
    scene.stage.ok(&["tasks", "done", &task, "--no-code", "-m", "painted by hand"]);
    scene.stage.ok(&["report", "all", "--digest"]);
    let server = Server::of(&scene.stage);
    let port = server.port;
    let page = |path: &'static str| async move {
        let mut reply = call("GET", path).with("accept", "text/html").send(port).await;
        // Marks between nodes, which hydration wants, are no text.
        reply.body = reply.body.replace("<!>", "");
        reply
    };
    let all = page("/reports/all").await;
    assert_eq!(all.status, 200, "{all:?}");
    for part in [
        "<h1>Everything so far</h1>",
        "1 closed",
        "Asked",
        "painted by hand",
        "It went <strong>well</strong>.",
        "By claude",
        "aria-current=\"page\"",
        "/api/reports/all/file",
    ] {
        assert!(all.body.contains(part), "{part}: {}", all.body);
    }
    assert!(!all.body.contains("<b>buoys</b>"), "what somebody wrote is text");
    let list = page("/reports").await;
    assert!(list.status == 200 && list.body.contains("href=\"/reports/all\"") && list.body.contains("current, still open"), "{}", list.body);
    let range = page("/reports?from=2020-02-01&to=2020-02-29").await;
    assert!(range.body.contains("2020-02-01 to 2020-02-29") && range.body.contains("Pictures of the period"), "{}", range.body);
    assert!(page("/reports?since=24h").await.body.contains("Standup since"));
    let nothing = page("/reports/nothing").await;
    assert!(nothing.status == 404 && nothing.body.contains("no report is named nothing"), "{nothing:?}");
}
