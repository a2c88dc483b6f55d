//! `/api`: what each address asks the board, and what it refuses before asking.

use super::fake::server;
use super::wire::call;
use serde_json::{Value, json};

#[tokio::test]
async fn each_read_asks_the_board_what_it_says() {
    let server = server().await;
    for (path, asked) in [
        ("/api/board?q=caf%C3%A9+au&column=ready&limit=5", r#"board {"q":"café au","column":"ready","limit":5}"#),
        (
            "/api/tasks?standing=ready&standing=changes&label=a&type=bug&all=true",
            r#"tasks {"all":true,"standing":["ready","changes"],"label":["a"],"type":"bug"}"#,
        ),
        ("/api/board?filter=type+%3D+bug", r#"board {"filter":"type = bug"}"#),
        ("/api/tasks/tk-4f2a9c/thread?cursor=c1", r#"thread tk-4f2a9c Some("c1")"#),
        ("/api/tasks/tk-4f2a9c/events", "events tk-4f2a9c None"),
        ("/api/commits/0123456789abcdef0123456789abcdef01234567", "commit 0123456789abcdef0123456789abcdef01234567"),
        ("/api/tasks/tk-4f2a9c/inbox-state?cursor=c2", r#"thread tk-4f2a9c Some("c2")"#),
        ("/api/search?q=token", "search token None"),
        ("/api/activity?actor=agent:ana/w1&kind=task.*", r#"activity {"kind":"task.*","actor":"agent:ana/w1"}"#),
        ("/api/inbox?all=true&limit=3", r#"inbox {"all":true,"deliver":false,"limit":3}"#),
    ] {
        let reply = server.api(call("GET", path)).await;
        assert_eq!((reply.status, reply.header("content-type")), (200, "application/json"), "{path}: {reply:?}");
        assert_eq!(server.asked().last().unwrap(), asked);
        assert!(server.asked().contains(&"as dev:ana local:ana web".to_owned()));
    }
    for path in ["/api/actors", "/api/conflicts", "/api/milestones"] {
        assert_eq!(server.api(call("GET", path)).await.json(), json!({"items": [], "total": 0, "seq": 7}), "{path}");
    }
    let snapshot = server.api(call("GET", "/api/snapshot?q=a&task=tk-4f2a9c")).await.json();
    assert_eq!((&snapshot["seq"], &snapshot["task"]["id"]), (&json!(7), &json!("tk-4f2a9c")));
    let meta = server.api(call("GET", "/api/meta")).await.json();
    assert_eq!((&meta["zone"], &meta["version"], &meta["me"]["actor"]), (&json!("Europe/Berlin"), &json!("0.1.0+test"), &json!("dev:ana")));
}

#[tokio::test]
async fn the_activity_comes_as_data_as_drawn_parts_and_as_a_file() {
    let server = server().await;
    let asked = r#"timeline {"kind":"task.*","actor":"agent:ana/w1","since":"2026-11-28T12:00:00.000Z","text":"torn","limit":100} false"#;
    let query = "kind=task.*&actor=agent:ana/w1&since=2026-11-28T13:00&text=torn";
    let data = server.api(call("GET", &format!("/api/activity/timeline?{query}"))).await;
    assert_eq!((data.status, &data.json()["ever"]), (200, &json!(3)), "{data:?}");
    assert_eq!(server.asked().last().unwrap(), asked, "a time without a zone is the project's");
    let drawn = server.api(call("GET", &format!("/api/activity/drawn?{query}&audit=true"))).await.json();
    assert!(drawn["timeline"].as_str().unwrap().contains("No event matches") && drawn["audit"].as_str().unwrap().contains("Verify the chains"), "{drawn}");

    let file = server.api(call("GET", "/api/activity/export?format=csv&kind=task.*")).await;
    assert_eq!((file.status, file.header("content-type")), (200, "text/csv; charset=utf-8"));
    assert!(file.header("content-disposition").starts_with("attachment; filename=\"activity-"), "{file:?}");
    let lines: Vec<&str> = file.body.split("\r\n").collect();
    assert_eq!(lines.len(), 5, "a head, three events, the end: {}", file.body);
    assert!(lines[1].contains(",\"Refresh, then test\",commented,'=1+1,") && lines[2].contains("\"two\nlines\""), "{}", file.body);
    let file = server.api(call("GET", "/api/activity/export")).await;
    let seqs: Vec<Value> = file.body.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["seq"].clone()).collect();
    assert_eq!(seqs, [3, 2, 1], "every page of it");

    for (path, word) in
        [("export?format=xml", "ndjson or csv"), ("timeline?actor=bob", "actor"), ("drawn?since=yesterday", "24h"), ("drawn?wat=1", "parameters here")]
    {
        let refused = server.api(call("GET", &format!("/api/activity/{path}"))).await;
        assert!(refused.status == 400 && refused.body.contains(word), "{path}: {refused:?}");
    }
}

#[tokio::test]
async fn what_has_not_changed_is_not_sent_again() {
    let server = server().await;
    let first = server.api(call("GET", "/api/board")).await;
    assert_eq!((first.header("etag"), first.header("cache-control")), ("\"a1b2c3d4-7-3.0\"", "private, no-cache"));
    for tag in ["\"a1b2c3d4-7-3.0\"", "W/\"a1b2c3d4-7-3.0\"", "\"x\", \"a1b2c3d4-7-3.0\""] {
        let again = server.api(call("GET", "/api/board").with("if-none-match", tag)).await;
        assert_eq!((again.status, again.body.as_str(), again.header("etag")), (304, "", "\"a1b2c3d4-7-3.0\""));
    }
    assert_eq!(server.api(call("GET", "/api/board").with("if-none-match", "\"a1b2c3d4-7-2.0\"")).await.status, 200);
    assert_eq!(server.api(call("GET", "/api/board?wat=1").with("if-none-match", "\"a1b2c3d4-7-3.0\"")).await.status, 400);
    assert_eq!(server.api(call("GET", "/api/inbox")).await.header("etag"), "");
}

#[tokio::test]
async fn what_time_alone_changes_is_sent_again() {
    let server = server().await;
    let tag = server.api(call("GET", "/api/tasks/tk-4f2a9c")).await.header("etag").to_owned();
    // Its lease ends: no event, no write.
    server.board.lapsed.store(1, std::sync::atomic::Ordering::SeqCst);
    for path in ["/api/tasks/tk-4f2a9c", "/api/tasks", "/api/board", "/api/snapshot", "/api/actors"] {
        assert_eq!(server.api(call("GET", path).with("if-none-match", &tag)).await.status, 200, "{path}");
    }
    for path in ["/api/tasks", "/api/board", "/api/snapshot"] {
        let tag = |filter: &str| format!("{path}?filter={filter}");
        assert_ne!(server.api(call("GET", &tag("type+%3D+bug"))).await.header("etag"), "", "{path}");
        assert_eq!(server.api(call("GET", &tag("stale_days+%3E%3D+3"))).await.header("etag"), "", "{path}");
    }
}

#[tokio::test]
async fn what_it_does_not_know_is_refused_with_the_legal_names() {
    let server = server().await;
    for (path, legal) in [
        ("/api/board?filters=x", "q, filter, edges, column, cursor, limit"),
        ("/api/meta?x", "takes no parameters"),
        ("/api/tasks/tk-4f2a9c?x=1", "takes no parameters"),
        ("/api/snapshot?taks=1", "task"),
    ] {
        let reply = server.api(call("GET", path)).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"), "{path}");
        assert!(reply.json()["hint"].as_str().unwrap().contains(legal), "{reply:?}");
    }
    for path in [
        "/api/board?limit=0",
        "/api/board?limit=201",
        "/api/board?limit=1e1",
        "/api/board?column=mine",
        "/api/board?q=%00",
        "/api/board?q=%ff",
        "/api/board?q=%0a",
        "/api/board?q=%",
        "/api/board?q=a&q=b",
        "/api/tasks?all=1",
        "/api/tasks?standing=lost",
        "/api/tasks/nonsense",
        "/api/tasks/%ff",
        "/api/commits/HEAD",
        "/api/commits/0123456",
        "/api/commits/0123456789ABCDEF0123456789abcdef01234567",
        "/api/commits/%2d-output=x",
        "/api/tasks/..%2f..%2fetc",
        "/api/activity?actor=bob",
        "/api/activity?since=now",
    ] {
        let reply = server.api(call("GET", path)).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"), "{path}");
    }
    assert_eq!(server.api(call("GET", &format!("/api/search?q={}", "x".repeat(201)))).await.code(), "too_large");
    let missing = server.api(call("GET", "/api/tasks/tk-ffffff")).await;
    assert_eq!((missing.status, missing.code().as_str(), missing.json()["hint"].as_str().unwrap()), (404, "not_found", "callboard tasks search token"));
    assert_eq!(missing.json()["instance"], "/api/tasks/tk-ffffff");
    let nowhere = server.api(call("GET", "/api/nowhere").with("accept", "text/html")).await;
    assert_eq!((nowhere.status, nowhere.code().as_str()), (404, "not_found"));
    let method = server.api(call("DELETE", "/api/commands")).await;
    assert_eq!((method.status, method.code().as_str(), method.header("allow")), (405, "method_not_allowed", "POST"));
    assert_eq!(method.json()["hint"], "the header Allow names those it takes");
    assert_eq!(server.api(call("POST", "/api/meta")).await.header("allow"), "GET,HEAD");
}

#[tokio::test]
async fn commands_are_the_one_door_for_writes() {
    let server = server().await;
    let close = json!({"command": "close", "args": {"task": "tk-4f2a9c", "note": "did it", "no_code": true}, "key": "k1"});
    let receipt = server.api(call("POST", "/api/commands").json(&close)).await;
    assert_eq!((receipt.status, receipt.json()["seq"].clone()), (200, json!(8)));
    assert_eq!(server.writes(), std::slice::from_ref(&close));
    let batch = server.api(call("POST", "/api/commands").json(&json!({"batch": [close, {"command": "renew"}]}))).await.json();
    assert_eq!((batch["receipts"].as_array().unwrap().len(), &batch["seq"]), (2, &json!(8)));
    let agent = json!({"command": "renew", "actor": "agent:ana/w1"});
    assert_eq!(server.api(call("POST", "/api/commands").json(&agent)).await.status, 200);
    assert!(server.asked().contains(&"as agent:ana/w1 local:ana web".to_owned()));
    let next = server.api(call("POST", "/api/next").json(&json!({"peek": true, "actor": "agent:ana/w1"}))).await;
    assert_eq!((next.status, server.asked().last().unwrap().as_str()), (200, r#"next {"peek":true}"#));
    for listed in [json!([]), json!(["tk-4f2a9c"]), json!("tk-4f2a9c")] {
        let refused = server.api(call("POST", "/api/next").json(&listed)).await;
        assert_eq!((refused.status, refused.json()["title"].as_str().unwrap().contains("named fields")), (400, true), "{refused:?}");
    }
}

#[tokio::test]
async fn a_faulty_command_is_refused_at_its_path() {
    let server = server().await;
    let renew = json!({"command": "renew"});
    for (sent, code, path) in [
        (json!({"command": "frobnicate"}), "bad_request", "command"),
        (json!({"command": "claim", "args": {"task": "tk-4f2a9c", "taks": 1}}), "bad_request", "taks"),
        (json!({"command": "renew", "wat": 1}), "bad_request", "wat"),
        (json!([]), "bad_request", ""),
        (json!(["renew", {"task": "tk-4f2a9c"}]), "bad_request", ""),
        (json!({"command": "renew", "args": ["tk-4f2a9c"]}), "bad_request", ""),
        (json!({"batch": []}), "bad_request", "batch"),
        (json!({"batch": [renew, {"command": "x"}]}), "bad_request", "batch[1].command"),
        (json!({"batch": [renew], "key": "k"}), "bad_request", "key"),
        (json!({"batch": vec![renew.clone(); 101]}), "too_large", ""),
        (json!({"batch": [{"command": "renew", "actor": "agent:ana/w1"}]}), "bad_request", "batch[0].actor"),
        (json!({"command": "renew", "actor": "dev:bo"}), "forbidden", ""),
        (json!({"command": "renew", "actor": "agent:bo/w1"}), "forbidden", ""),
        (json!({"command": "renew", "actor": "system:landing"}), "forbidden", ""),
        (json!({"command": "renew", "actor": 5}), "bad_request", "actor"),
        (json!({"command": "plan", "args": {"tasks": [{"title": "a\u{0}b"}]}}), "bad_request", "args.tasks[0].title"),
        (json!({"command": "plan", "args": {"tasks": [{"title": "a\u{7}b"}]}}), "bad_request", "tasks[0].title"),
        (json!({"command": "comment", "args": {"task": "tk-4f2a9c", "text": "a\u{1b}[2J"}}), "bad_request", "text"),
    ] {
        let reply = server.api(call("POST", "/api/commands").json(&sent)).await;
        assert_eq!(reply.code(), code, "{sent}");
        let problem = reply.json();
        assert!(
            path.is_empty() || problem["errors"][0]["path"].as_str().is_some_and(|at| at.contains(path)) || problem["title"].as_str().unwrap().contains(path),
            "{sent}: {problem}"
        );
    }
    assert_eq!(server.writes().len(), 0);
}

#[tokio::test]
async fn a_hostile_body_is_refused_whole() {
    let server = server().await;
    let post = |body: Vec<u8>| server.api(call("POST", "/api/commands").body("application/json", body));
    for (body, word) in [
        (b"{\"command\": \"\xff\"}".to_vec(), "UTF-8"),
        (b"{".to_vec(), "not JSON"),
        (Vec::new(), "not JSON"),
        (("[".repeat(200_000) + &"]".repeat(200_000)).into_bytes(), "nested"),
        (format!("{{\"command\":\"renew\",\"args\":{}1{}}}", "{\"a\":".repeat(100), "}".repeat(100)).into_bytes(), "nested"),
    ] {
        let reply = post(body).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"));
        assert!(reply.json()["title"].as_str().unwrap().contains(word), "{reply:?}");
    }
    for size in [(1 << 20) + 1, 10 << 20] {
        let reply = post(vec![b' '; size]).await;
        assert_eq!((reply.status, reply.code().as_str()), (413, "too_large"), "{size}");
        assert!(reply.json()["title"].as_str().unwrap().contains("1048576"));
    }
    let mut chunked = b"200000\r\n".to_vec(); // 2 MiB, without saying so first
    chunked.extend(vec![b' '; 0x20_0000]);
    chunked.extend(b"\r\n0\r\n\r\n");
    let call = call("POST", "/api/commands").body("application/json", chunked).with("transfer-encoding", "chunked");
    let reply = server.api(call).await;
    assert!([400, 413].contains(&reply.status), "a length and chunks at once, or too much: {reply:?}");
    let mut fits = br#"{"command":"renew"}"#.to_vec();
    fits.resize(1 << 20, b' ');
    assert_eq!(post(fits).await.status, 200);
}

#[tokio::test]
async fn a_panic_is_ours_and_has_a_number() {
    let server = server().await;
    let reply = server.api(call("GET", "/api/snapshot?q=panic")).await;
    assert_eq!((reply.status, reply.code().as_str()), (500, "internal"));
    assert_eq!(reply.json()["incident"], reply.header("x-request-id"));
    assert!(!reply.body.contains("asked to") && !reply.body.contains(".rs"));
    assert_eq!(server.api(call("GET", "/api/meta")).await.status, 200);
}

#[tokio::test]
async fn a_hint_is_a_button_in_a_page_and_a_line_elsewhere() {
    let server = server().await;
    let cookie = server.cookie().await;
    let refuse = || {
        let hint = contracts::Hint::call(contracts::Call::new("claim").with("task", "tk-4f2a9c"));
        *server.board.refuses.lock().unwrap() = Some(contracts::Problem::new(contracts::Code::Forbidden, "Claim it first").hint(hint));
    };
    let close = call("POST", "/api/commands").json(&json!({"command": "close", "args": {"task": "tk-4f2a9c"}}));
    refuse();
    assert_eq!(server.api(close.clone()).await.json()["hint"], "callboard tasks claim tk-4f2a9c");
    refuse();
    assert_eq!(server.send(close.with("cookie", &cookie).with("origin", &server.origin())).await.json()["hint"], "Claim");
}

#[tokio::test]
async fn answers_are_compressed_when_asked() {
    let server = server().await;
    let plain = server.api(call("GET", "/api/snapshot")).await;
    let packed = server.api(call("GET", "/api/snapshot").with("accept-encoding", "gzip")).await;
    assert_eq!((plain.header("content-encoding"), packed.header("content-encoding")), ("", "gzip"));
    let _: Value = plain.json();
}
