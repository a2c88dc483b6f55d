//! What agents and people write stays text on every page, wherever it is shown.

use super::wire::call;
use crate::cli::stage::Stage;
use crate::support::server::Server;
use serde_json::json;

/// Leaves a title, an attribute, a comment and a script, and would then act.
const HOSTILE: &str = "</title></textarea></script>\"'><meta http-equiv=refresh content=0><script>alert(1)</script><img src=x onerror=alert(1)>";

#[tokio::test]
async fn nothing_that_was_written_becomes_a_tag() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let api = async |command: &str, args: serde_json::Value| {
        let sent = call("POST", "/api/commands").with("authorization", &format!("Bearer {}", server.local)).json(&json!({"command": command, "args": args}));
        let reply = sent.send(server.port).await;
        assert_eq!(reply.status, 200, "{command}: {reply:?}");
        reply.json()
    };
    api("configure", json!({"key": "name", "value": HOSTILE})).await;
    let milestone = json!({"milestone": &HOSTILE[..100], "goal": HOSTILE, "rules": [HOSTILE], "criteria": [HOSTILE]});
    let task = json!({"title": HOSTILE, "spec": HOSTILE, "criteria": [HOSTILE], "files": ["<script>.rs"]});
    let mut plan = milestone;
    plan["tasks"] = json!([task]);
    let planned = api("plan", plan).await;
    let id = planned["data"]["tasks"][0]["id"].as_str().unwrap().to_owned();
    api("comment", json!({"task": id, "text": HOSTILE})).await;
    api("question", json!({"task": id, "text": HOSTILE, "choices": [HOSTILE]})).await;
    api("block", json!({"task": id, "reason": HOSTILE})).await;
    api("hold", json!({"task": id, "note": HOSTILE})).await;
    let typed: String = HOSTILE.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let parts = ["thread", "history", "graph", "commits"].map(|tab| format!("/t/{id}?tab={tab}"));
    for path in [format!("/t/{id}"), "/".to_owned(), format!("/?q={typed}"), format!("/{typed}"), format!("/t/{typed}")].into_iter().chain(parts) {
        let page = call("GET", &path).with("accept", "text/html").send(server.port).await;
        assert!(page.header("content-type").starts_with("text/html"), "{path}: {page:?}");
        for tag in ["<script>alert", "<meta http-equiv", "<img src=x", "</title></textarea>"] {
            assert!(!page.body.contains(tag), "{path} holds {tag}: {}", page.body);
        }
    }
}
