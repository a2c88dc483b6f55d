//! The HTTP service on the wire: both revisions on one endpoint, and who acts.

use crate::fake::*;
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use mcp::{ACTOR_HEADER, McpPrincipal, http_service};
use serde_json::{Value, json};
use std::sync::Arc;
use tower::ServiceExt;

struct Wire {
    board: Arc<Fake>,
    callers: Callers,
}

impl Wire {
    fn new() -> Wire {
        Wire { board: Arc::default(), callers: Arc::default() }
    }

    async fn send(&self, request: Request<String>) -> (StatusCode, Value) {
        let tools = tools(self.board.clone(), self.callers.clone());
        let response: Response<_> = http_service(tools).oneshot(request).await.unwrap();
        let status = response.status();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }

    async fn post(&self, body: Value) -> (StatusCode, Value) {
        self.send(request(&body)).await
    }
}

fn principal() -> McpPrincipal {
    McpPrincipal { principal: "local:ana".into(), actor: actor("agent:ana/http") }
}

fn request(body: &Value) -> Request<String> {
    let mut request = Request::post("/mcp")
        .header("Host", "127.0.0.1:2140")
        .header("Accept", "application/json, text/event-stream")
        .header("Content-Type", "application/json");
    if let Some(version) = body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str() {
        request = request.header("MCP-Protocol-Version", version).header("Mcp-Method", body["method"].as_str().unwrap_or_default());
        if let Some(name) = body["params"]["name"].as_str() {
            request = request.header("Mcp-Name", name);
        }
    }
    let mut request = request.body(body.to_string()).unwrap();
    request.extensions_mut().insert(principal());
    request
}

/// A request of the stateless revision.
fn stateless(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "probe", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

#[tokio::test]
async fn older_revisions_shake_hands() {
    let wire = Wire::new();
    for version in ["2025-06-18", "2025-11-25"] {
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "probe", "version": "1"}}});
        let (status, answer) = wire.post(hello).await;
        assert_eq!((status, answer["result"]["protocolVersion"].as_str()), (StatusCode::OK, Some(version)), "{answer}");
        assert_eq!(answer["result"]["serverInfo"], json!({"name": "callboard", "version": env!("CARGO_PKG_VERSION")}));
        assert!(answer["result"]["instructions"].as_str().unwrap().starts_with("Callboard is the board"));
    }
    let (_, answer) = wire.post(call("ask", json!({"inbox": "unread"}))).await;
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().starts_with("Nothing unread"), "{answer}");
    assert!(answer["result"].get("resultType").is_none(), "{answer}");
}

#[tokio::test]
async fn the_stateless_revision_needs_no_handshake() {
    let wire = Wire::new();
    let (status, answer) = wire.post(stateless("server/discover", json!({}))).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let found = &answer["result"];
    assert!(found["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{answer}");
    assert_eq!((&found["resultType"], &found["ttlMs"], &found["cacheScope"]), (&json!("complete"), &json!(3_600_000), &json!("private")));

    let (_, answer) = wire.post(stateless("tools/list", json!({}))).await;
    let list = &answer["result"];
    let names: Vec<&str> = list["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["ask", "dispatch", "next", "plan", "recover", "report", "update"]);
    assert_eq!((&list["resultType"], &list["ttlMs"], &list["cacheScope"]), (&json!("complete"), &json!(3_600_000), &json!("private")));

    let (_, answer) = wire.post(stateless("tools/call", json!({"name": "ask", "arguments": {"inbox": "unread"}}))).await;
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    assert_eq!(wire.callers.lock().unwrap()[0].client.as_deref(), Some("probe"));
}

#[tokio::test]
async fn malformed_requests_are_protocol_errors() {
    let wire = Wire::new();
    let mut bare = stateless("tools/list", json!({}));
    bare["params"]["_meta"].as_object_mut().unwrap().remove("io.modelcontextprotocol/clientCapabilities");
    let mut old = stateless("tools/list", json!({}));
    old["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2031-01-01".into();
    for (body, status, code) in [
        (bare, 400, -32602),
        (old, 400, -32022),
        (stateless("tools/fly", json!({})), 404, -32601),
        (call("fly", json!({})), 200, -32602),
        (call("ask", json!([])), 200, -32602),
        (call("ask", json!("x")), 200, -32602),
    ] {
        let (got, answer) = wire.post(body).await;
        assert_eq!((got.as_u16(), answer["error"]["code"].as_i64()), (status, Some(code)), "{answer}");
    }
    let disagree = {
        let mut request = request(&stateless("tools/list", json!({})));
        request.headers_mut().insert("Mcp-Method", "tools/call".parse().unwrap());
        request
    };
    assert_eq!(wire.send(disagree).await.1["error"]["code"], -32020);
}

#[tokio::test]
async fn there_are_no_sessions_and_nothing_but_post() {
    let wire = Wire::new();
    for method in ["GET", "DELETE"] {
        let request =
            Request::builder().method(method).uri("/mcp").header("Host", "127.0.0.1:2140").header("Accept", "text/event-stream").body(String::new()).unwrap();
        assert_eq!(wire.send(request).await.0, StatusCode::METHOD_NOT_ALLOWED, "{method}");
    }
    let mut with_session = request(&call("ask", json!({"inbox": "unread"})));
    with_session.headers_mut().insert("Mcp-Session-Id", "made-up".parse().unwrap());
    assert_eq!(wire.send(with_session).await.0, StatusCode::OK);
    let large = call("update", json!({"task": "tk-4f2a9c", "comment": "x".repeat(1 << 20)}));
    assert_eq!(wire.post(large).await.0, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn the_credential_says_who_and_the_call_says_as_what() {
    let wire = Wire::new();
    let ask = call("ask", json!({"inbox": "unread"}));
    wire.post(ask.clone()).await;
    for header in ["agent:ana/w1", "dev:ana"] {
        let mut named = request(&ask);
        named.headers_mut().insert(ACTOR_HEADER, header.parse().unwrap());
        wire.send(named).await;
    }
    wire.post(call("ask", json!({"inbox": "unread", "actor": "agent:ana/sub"}))).await;
    let callers: Vec<String> = wire.callers.lock().unwrap().iter().map(|caller| format!("{} {}", caller.principal, caller.actor)).collect();
    assert_eq!(callers, ["local:ana agent:ana/http", "local:ana agent:ana/w1", "local:ana agent:ana/http", "local:ana agent:ana/sub"]);

    let mut malformed = request(&ask);
    malformed.headers_mut().insert(ACTOR_HEADER, "Ana".parse().unwrap());
    let mut nobody = request(&ask);
    nobody.extensions_mut().remove::<McpPrincipal>();
    for (request, code) in [(malformed, "refused (bad_request)"), (nobody, "refused (unauthorized)")] {
        let (_, answer) = wire.send(request).await;
        assert!(answer["result"]["content"][0]["text"].as_str().unwrap().starts_with(code), "{answer}");
    }
}
