//! The doors, at every address there is: who comes by another name or from another page gets nowhere, and no answer is without
//! its headers.

use super::fake::{Server, Wanted, server, started};
use super::wire::{Reply, call};
use serde_json::json;

/// Every address of this server, read from where it is written, so that a new one can't be forgotten here.
fn table() -> Vec<String> {
    let in_source = |source: &str, before: &str| {
        let routes = source.split(".route(\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned());
        routes.map(|path| format!("{before}{path}")).collect::<Vec<_>>()
    };
    let mut paths = in_source(include_str!("../../../src/http/api.rs"), "/api");
    paths.extend(in_source(include_str!("../../../src/http/activity.rs"), "/api"));
    assert_eq!(paths.len(), 30, "the walk lost its way: {paths:?}");
    paths.extend(in_source(include_str!("../../../src/http.rs"), ""));
    paths.extend(in_source(include_str!("../../../src/live.rs"), ""));
    paths.extend(callboard::http::pages::paths());
    paths.extend(["/mcp", "/mcp/board", "/", "/nowhere", "/api/nowhere", "/api", "/pkg/nothing"].map(str::to_owned));
    for known in ["/do", "/enter", "/healthz", "/live", "/live/sse", "/api/commands", "/t/{id}", "/pkg/{*name}"] {
        assert!(paths.iter().any(|path| path == known), "{known} in {paths:?}");
    }
    paths
        .iter()
        .map(|path| path.replace("{id}", "tk-4f2a9c").replace("{label}", "2026-11-28").replace("{sha}", &"0123456789".repeat(4)).replace("{*name}", "app.js"))
        .collect()
}

fn is_protected(reply: &Reply, at: &str) {
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(reply.header(name), value, "{at}: {reply:?}");
    }
    assert!(reply.header("content-security-policy").contains("default-src 'none'"), "{at}");
    assert!(reply.header("content-security-policy").contains("frame-ancestors 'none'"), "{at}");
    assert!(!reply.header("cache-control").is_empty(), "{at}");
    assert_eq!(reply.header("x-request-id").len(), 16, "{at}");
    for foreign in ["access-control-allow-origin", "access-control-allow-credentials"] {
        assert_eq!(reply.header(foreign), "", "{at}");
    }
}

#[tokio::test]
async fn a_foreign_name_or_page_is_refused_at_every_address() {
    let server = server().await;
    let cookie = server.cookie().await;
    let before = server.asked().len();
    let foreign = [
        ("host", "evil.example"),
        ("host", "localhost.evil.example"),
        ("host", "-"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("origin", "http://localhost:1"),
    ];
    for path in table() {
        let bearer = if path.starts_with("/mcp") { &server.mcp } else { &server.local };
        for (name, value) in foreign {
            for method in ["GET", "POST", "OPTIONS"] {
                let at = format!("{method} {path} with {name}: {value}");
                let call = call(method, &path).with(name, value).with("cookie", &cookie).with("authorization", &format!("Bearer {bearer}"));
                let reply = server.send(call).await;
                if (name, value) == ("host", "-") && reply.status == 400 {
                    continue; // refused before it reaches us
                }
                assert_eq!((reply.status, reply.code().as_str()), (403, "origin_refused"), "{at}");
                is_protected(&reply, &at);
            }
        }
    }
    assert_eq!(server.asked().len(), before, "nothing reached the board");
}

#[tokio::test]
async fn every_answer_has_its_headers() {
    let server = server().await;
    for path in table() {
        is_protected(&server.send(call("GET", &path)).await, &path);
        if path != "/live/sse" {
            is_protected(&server.api(call("GET", &path)).await, &path); // events have no end to wait for
        }
    }
}

#[tokio::test]
async fn without_a_credential_every_address_of_the_api_answers_alike() {
    let server = server().await;
    let mut answers = Vec::new();
    for path in table().iter().filter(|path| path.starts_with("/api") || path.starts_with("/live")) {
        let reply = server.send(call("GET", path)).await;
        assert_eq!((reply.status, reply.code().as_str(), reply.header("www-authenticate")), (401, "unauthorized", "Bearer"), "{path}");
        let mut problem = reply.json();
        problem["instance"] = json!("");
        answers.push(problem);
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
}

#[tokio::test]
async fn the_wrong_bearer_is_refused_with_the_right_files_name() {
    let server = server().await;
    let ask = |path: &'static str, header: String| server.send(call("GET", path).with("authorization", &header));
    let bearer = |token: &str| format!("Bearer {token}");
    for (path, header, file) in [
        ("/api/meta", bearer(&server.mcp), "local-token"),
        ("/live/sse", bearer(&server.mcp), "local-token"),
        ("/mcp", bearer(&server.local), "mcp-token"),
        ("/mcp/board", bearer(&server.local), "mcp-token"),
        ("/api/meta", bearer(&server.local[..20]), "local-token"),
        ("/api/meta", bearer(&format!("{}x", server.local)), "local-token"),
        ("/api/meta", format!("Basic {}", server.local), "local-token"),
        ("/api/meta", server.local.clone(), "local-token"),
        ("/api/meta", "Bearer".into(), "local-token"),
    ] {
        let reply = ask(path, header.clone()).await;
        assert_eq!((reply.status, reply.code().as_str()), (401, "unauthorized"), "{path}");
        assert!(reply.json()["hint"].as_str().unwrap().contains(file), "{reply:?}");
        assert!(!reply.body.contains(&server.local[4..]) && !reply.body.contains(&server.mcp[4..]), "{reply:?}");
    }
    let cookie = server.cookie().await;
    let both = call("GET", "/api/meta").with("cookie", &cookie).with("authorization", "Bearer wrong");
    assert_eq!(server.send(both).await.status, 401, "a wrong bearer is not made good by a cookie");
    let in_query = server.send(call("GET", &format!("/api/meta?token={}", server.local))).await;
    assert_eq!(in_query.status, 401);
}

#[tokio::test]
async fn only_our_own_pages_write_under_a_session() {
    let server = server().await;
    let cookie = server.cookie().await;
    let write = || call("POST", "/api/commands").with("cookie", &cookie).json(&json!({"command": "renew"}));
    let form = || call("POST", "/do").with("cookie", &cookie).form("command=renew&back=/");
    let origin = server.origin();
    let refused = async |call| {
        let reply: Reply = server.send(call).await;
        assert_eq!((reply.status, reply.code().as_str()), (403, "origin_refused"));
    };
    refused(write()).await;
    refused(form()).await;
    for site in ["cross-site", "same-site", "none"] {
        refused(write().with("origin", &origin).with("sec-fetch-site", site)).await;
        refused(form().with("origin", &origin).with("sec-fetch-site", site)).await;
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "-"] {
        let call = call("POST", "/api/commands").with("cookie", &cookie).with("origin", &origin).body(kind, r#"{"command":"renew"}"#);
        refused(call).await;
    }
    refused(call("POST", "/do").with("cookie", &cookie).with("origin", &origin).body("text/plain", "command=renew")).await;
    for site in ["cross-site", "same-site"] {
        refused(call("GET", "/api/meta").with("cookie", &cookie).with("sec-fetch-site", site)).await;
    }
    assert_eq!(server.writes().len(), 0);
    assert_eq!(server.send(write().with("origin", &origin)).await.status, 200);
    assert_eq!(server.send(write().with("origin", &origin).with("sec-fetch-site", "same-origin")).await.status, 200);
    assert_eq!(server.send(form().with("origin", &origin)).await.status, 303);
    assert_eq!(server.send(call("GET", "/api/meta").with("cookie", &cookie).with("sec-fetch-site", "none")).await.status, 200);
    assert_eq!(server.writes().len(), 3);
}

#[tokio::test]
async fn a_server_that_only_reads_takes_no_write() {
    let server = started(Wanted { read_only: true, ..Wanted::default() }).await;
    let reply = server.api(call("POST", "/api/commands").json(&json!({"command": "renew"}))).await;
    assert_eq!((reply.status, reply.code().as_str()), (403, "read_only"));
    let form = call("POST", "/do").with("cookie", &server.cookie().await).with("origin", &server.origin()).form("command=renew");
    assert_eq!(server.send(form).await.code(), "read_only");
    assert_eq!(server.api(call("GET", "/api/meta")).await.json()["read_only"], true);
    assert_eq!(server.writes().len(), 0);
}

#[tokio::test]
async fn it_says_it_is_well_and_nothing_else() {
    let server: Server = server().await;
    let reply = server.send(call("GET", "/healthz")).await;
    assert_eq!((reply.status, reply.json()), (200, json!({"ok": true, "version": "0.1.0+test"})));
}

#[tokio::test]
async fn until_the_board_is_open_everything_says_so() {
    let bound = callboard::http::bind(None, Some(0)).await.unwrap();
    let doors = callboard::http::Doors::new(&bound.addresses, &[], bound.port);
    let starting = callboard::http::starting(doors, "v", std::sync::Arc::new(|| 1));
    let (_router, routers) = tokio::sync::watch::channel(starting);
    let (_stop, stopped) = tokio::sync::watch::channel(false);
    tokio::spawn(callboard::http::serve(bound.listeners, routers, stopped));
    for path in ["/", "/healthz", "/api/meta", "/mcp", "/live", "/pkg/app.js"] {
        let reply = call("GET", path).send(bound.port).await;
        assert_eq!((reply.status, reply.header("retry-after")), (503, "1"), "{path}");
        is_protected(&reply, path);
        assert_eq!(call("GET", path).with("host", "evil.example").send(bound.port).await.status, 403);
    }
}

#[tokio::test]
async fn who_says_nothing_for_too_long_is_not_waited_for() {
    let server = server().await;
    let mut silent = Vec::new();
    for begun in ["", "P", "PRI * HTTP/2.0\r\n", "GET / HTTP/1.1\r\nhost:"] {
        let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut stream, begun.as_bytes()).await.unwrap();
        silent.push((begun, stream));
    }
    let patience = std::time::Duration::from_secs(contracts::limits::REQUEST_HEAD_SECONDS + 5);
    for (begun, mut stream) in silent {
        let mut rest = Vec::new();
        let ended = tokio::time::timeout(patience, tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut rest)).await;
        assert!(ended.is_ok(), "{begun:?} is still waited for");
    }
}
