//! `POST /mcp` of a running server: both revisions, who may call, and who acts.

use crate::cli::stage::Stage;
use crate::routes::wire::{Call, Reply, call};
use crate::support::server::Server;
use crate::support::session::{Session, handshake, stateless, task_in};
use serde_json::{Value, json};

fn post(path: &str, bearer: &str, body: &Value) -> Call {
    call("POST", path).with("authorization", &format!("Bearer {bearer}")).with("accept", "application/json, text/event-stream").json(body)
}

fn hello(version: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "probe", "version": "1"}}})
}

async fn said(server: &Server, call: Call) -> Reply {
    call.send(server.port).await
}

#[tokio::test]
async fn the_loop_of_an_agent_over_http_in_both_revisions() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    for (path, lifecycle, actor) in [("/mcp", handshake(), "agent:ada/one"), ("/mcp/board", stateless(), "agent:ada/two")] {
        let session = Session::http(&server, path, Some(actor), lifecycle).await;
        let id = task_in(&session.ok("plan", json!({"tasks": [{"title": "Paint the buoys"}]})).await);
        assert!(session.ok("next", json!({})).await.contains(&id));
        stage.ok(&["tasks", "comment", &id, "-m", "Signal red, please", "--to", actor]);
        let heard = session.ok("update", json!({"task": id, "comment": "Red it is. @dev:ada"})).await;
        assert!(heard.contains("Signal red") && heard.contains("dev:ada"), "{heard}");
        let done = session.ok("update", json!({"task": id, "status": "done", "no_code": true, "comment": "Painted all twelve."})).await;
        assert!(!done.contains("Signal red") && done.contains(actor), "{done}");
        assert!(stage.run(&["inbox"]).stdout.contains("Red it is."));
        session.end().await;
    }
    server.end();
}

#[tokio::test]
async fn the_header_names_the_agent_and_without_one_it_is_http() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let plain = Session::http(&server, "/mcp", None, handshake()).await;
    assert!(plain.ok("next", json!({})).await.contains("agent:ada/http"));
    stage.add("Paint the buoys", &[]);
    let first = plain.ok("next", json!({})).await;
    assert!(first.contains("Yours until") && !first.contains("gives no name"), "{first}");
    let second = Session::http(&server, "/mcp", None, handshake()).await;
    let told = second.ok("next", json!({})).await;
    assert!(told.contains("every HTTP client that gives no name is agent:ada/http") && told.contains("actor=agent:ada/<name>"), "{told}");
    assert!(!stage.run(&["actors"]).stdout.contains("rmcp"), "a library is no client");
    assert!(plain.ok("next", json!({"actor": "agent:ada/sub"})).await.contains("agent:ada/sub"));
    let refused = plain.call("next", json!({"actor": "dev:ada"})).await;
    assert!(refused.starts_with("refused (forbidden)"), "{refused}");
    let headers = stage.callboard(&["mcp", "--headers"]).env("CALLBOARD_ACTOR", "agent:ada/helped").output().unwrap();
    let headers: Value = serde_json::from_slice(&headers.stdout).unwrap();
    assert_eq!(headers, json!({"Authorization": format!("Bearer {}", server.mcp), "Callboard-Actor": "agent:ada/helped"}));
}

#[tokio::test]
async fn a_wrong_bearer_is_told_before_anything_is_looked_up() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let other = Stage::new();
    let elsewhere = Server::of(&other);
    let body = hello("2025-11-25");
    for path in ["/mcp", "/mcp/board"] {
        for bearer in ["cbm_wrong", &server.local, &elsewhere.mcp, ""] {
            let reply = said(&server, post(path, bearer, &body)).await;
            assert_eq!((reply.status, reply.code().as_str()), (401, "unauthorized"), "{reply:?}");
        }
        let bare = call("POST", path).with("accept", "application/json, text/event-stream").json(&body);
        assert_eq!(said(&server, bare).await.status, 401);
        assert_eq!(said(&server, post(&format!("{path}?token={}", server.mcp), "cbm_wrong", &body)).await.status, 401);
    }
    // The agents' bearer opens nothing else.
    for path in ["/api/meta", "/api/board", "/live"] {
        let reply = call("GET", path).with("authorization", &format!("Bearer {}", server.mcp)).send(server.port).await;
        assert_eq!(reply.status, 401, "{path}: {reply:?}");
    }
    assert!(Session::try_http(server.port, "/mcp", "cbm_wrong", None, handshake()).await.is_err());
    let foreign = post("/mcp", &server.mcp, &body);
    for (name, value) in [("origin", "https://evil.example"), ("origin", "null"), ("host", "evil.example")] {
        let reply = said(&server, foreign.clone().with(name, value)).await;
        assert_eq!((reply.status, reply.code().as_str()), (403, "origin_refused"), "{name}: {value}");
    }
}

#[tokio::test]
async fn both_revisions_stand_on_one_address() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    for version in ["2025-06-18", "2025-11-25"] {
        let reply = said(&server, post("/mcp", &server.mcp, &hello(version))).await;
        assert_eq!((reply.status, reply.json()["result"]["protocolVersion"].as_str()), (200, Some(version)), "{reply:?}");
        assert_eq!(reply.header("mcp-session-id"), "");
    }
    let request = |version: &str, method: &str| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "probe", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}}}});
        post("/mcp", &server.mcp, &body).with("mcp-protocol-version", version).with("mcp-method", method)
    };
    let found = said(&server, request("2026-07-28", "server/discover")).await.json();
    assert_eq!(found["result"]["resultType"], "complete", "{found}");
    let list = said(&server, request("2026-07-28", "tools/list")).await.json();
    assert_eq!((&list["result"]["ttlMs"], &list["result"]["cacheScope"]), (&json!(3_600_000), &json!("private")), "{list}");
    for (reply, status, code) in [
        (said(&server, request("2031-01-01", "tools/list")).await, 400, -32022),
        (said(&server, request("2026-07-28", "tools/fly")).await, 404, -32601),
        (said(&server, request("2026-07-28", "tools/list").with("mcp-method", "tools/call")).await, 400, -32020),
    ] {
        assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (status, Some(code)), "{reply:?}");
    }
    for method in ["GET", "DELETE"] {
        let reply = call(method, "/mcp").with("authorization", &format!("Bearer {}", server.mcp)).with("accept", "text/event-stream").send(server.port).await;
        assert_eq!(reply.status, 405, "{reply:?}");
    }
    let large = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "plan", "arguments": {"tasks": [{"title": "x", "spec": "y".repeat(1 << 20)}]}}});
    assert_eq!(said(&server, post("/mcp", &server.mcp, &large)).await.status, 413);
}

#[tokio::test]
async fn what_is_no_message_is_refused_as_everything_else_is() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let bearer = format!("Bearer {}", server.mcp);
    let sent = |kind: &str, body: &str| {
        let call = call("POST", "/mcp").with("authorization", &bearer).with("accept", "application/json, text/event-stream");
        call.body(kind, body.as_bytes().to_vec())
    };
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{}{}}}"#, "[".repeat(500), "]".repeat(500));
    for (kind, body, part) in [
        ("application/json", "{", "not JSON"),
        ("application/json", "", "not JSON"),
        ("application/json", "{\"a\": 1}", "no message"),
        ("application/json", deep.as_str(), "501 deep"),
        ("text/plain", "{}", "no message"),
    ] {
        let reply = said(&server, sent(kind, body)).await;
        assert_eq!((reply.status, reply.code().as_str(), reply.header("content-type")), (400, "bad_request", "application/problem+json"), "{body}: {reply:?}");
        assert!(reply.body.contains(part), "{part}: {}", reply.body);
    }
    let unacceptable = call("POST", "/mcp").with("authorization", &bearer).json(&hello("2025-11-25"));
    let reply = said(&server, unacceptable).await;
    assert!(reply.code() == "bad_request" && reply.body.contains("text/event-stream"), "{reply:?}");
}

#[tokio::test]
async fn a_type_or_kind_that_nothing_can_have_is_refused_with_the_legal_ones_on_every_surface() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let bearer = format!("Bearer {}", server.local);
    for (path, legal) in [
        ("/api/tasks?type=bogus", "types here: task, feature, bug"),
        ("/api/board?filter=type+%3D+bogus", "types here: task, feature, bug"),
        ("/api/activity?kind=bogus", "task.created, task.edited"),
        ("/api/activity?kind=bogus.*", "task.created, task.edited"),
    ] {
        let reply = call("GET", path).with("authorization", &bearer).send(server.port).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"), "{path}");
        assert!(reply.body.contains(legal), "{path}: {}", reply.body);
    }
    for path in ["/api/tasks?type=bug", "/api/activity?kind=task.*", "/api/activity?kind=project.created"] {
        assert_eq!(call("GET", path).with("authorization", &bearer).send(server.port).await.status, 200, "{path}");
    }
    let session = Session::http(&server, "/mcp", None, handshake()).await;
    let refused = session.call("next", json!({"type": "bogus"})).await;
    assert!(refused.starts_with("refused (bad_request)") && refused.contains("types here: task, feature, bug"), "{refused}");
    session.end().await;
}

#[tokio::test]
async fn a_bare_date_is_the_same_moment_on_every_surface_also_across_a_change_of_the_clocks() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let session = Session::http(&server, "/mcp", None, handshake()).await;
    for (date, end) in [("2027-03-27", "22:59:59"), ("2027-03-28", "21:59:59"), ("2027-10-30", "21:59:59"), ("2027-10-31", "22:59:59")] {
        let end = json!(format!("{date}T{end}.000Z"));
        let typed = stage.add("Paint the buoys", &["--due", date]);
        let planned = task_in(&session.ok("plan", json!({"tasks": [{"title": "Set them out", "due_at": date}]})).await);
        for id in [typed, planned] {
            assert_eq!(server.get(&format!("/api/tasks/{id}")).await["due_at"], end, "{date}");
        }
    }
    let refused = session.call("plan", json!({"tasks": [{"title": "Set them out", "due_at": "2027-02-30"}]})).await;
    assert!(refused.starts_with("refused (bad_request)") && refused.contains("due_at"), "{refused}");
    session.end().await;
}
