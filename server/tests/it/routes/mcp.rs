//! `/mcp`: the agents' bearer, and who is behind it.

use super::fake::server;
use super::wire::call;
use serde_json::json;

#[tokio::test]
async fn the_agents_token_opens_it_and_says_who_is_behind() {
    let server = server().await;
    let bearer = format!("Bearer {}", server.mcp);
    for path in ["/mcp", "/mcp/board"] {
        let reply = server.send(call("POST", path).with("authorization", &bearer).json(&json!({}))).await;
        assert_eq!((reply.status, reply.body.as_str()), (200, "agent:ana/http local:ana"), "{path}");
        assert_eq!(server.send(call("POST", path)).await.code(), "unauthorized");
        let cookie = server.cookie().await;
        assert_eq!(server.send(call("POST", path).with("cookie", &cookie).with("origin", &server.origin())).await.code(), "unauthorized");
    }
    let large = call("POST", "/mcp").with("authorization", &bearer).body("application/json", vec![b' '; 2 << 20]);
    assert_eq!(server.send(large).await.code(), "too_large");
}
