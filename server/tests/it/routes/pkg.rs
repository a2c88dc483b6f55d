//! `/pkg`: the embedded files and nothing else.

use super::fake::server;
use super::wire::call;

#[tokio::test]
async fn tricks_with_paths_find_nothing() {
    let server = server().await;
    for path in [
        "/pkg/",
        "/pkg/nothing.js",
        "/pkg/../Cargo.toml",
        "/pkg/..%2f..%2fCargo.toml",
        "/pkg/%2e%2e/%2e%2e/etc/passwd",
        "/pkg//etc/passwd",
        "/pkg/%2fetc%2fpasswd",
        "/pkg/..\\..\\x.js",
        "/pkg/app.js%00",
        "/pkg/%ff.js",
        "/pkg/app.0123456789abcdef.css.br",
        "/pkg/.",
        "/pkg/..",
    ] {
        let reply = server.send(call("GET", path)).await;
        assert_eq!((reply.status, reply.code().as_str()), (404, "not_found"), "{path}");
        assert!(!reply.body.contains("workspace") && !reply.body.contains("root:"));
    }
}

#[tokio::test]
async fn a_file_is_kept_for_ever_and_needs_no_credential() {
    let name = callboard::assets::names().css;
    if name.is_empty() {
        return; // built without its UI
    }
    let server = server().await;
    let path = format!("/pkg/{name}");
    let file = server.send(call("GET", &path)).await;
    assert_eq!((file.status, file.header("content-type")), (200, "text/css; charset=utf-8"));
    assert_eq!((file.header("cache-control"), file.header("vary")), ("public, max-age=31536000, immutable", "accept-encoding"));
    assert_eq!(file.header("set-cookie"), "");
    let again = server.send(call("GET", &path).with("if-none-match", file.header("etag"))).await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    assert_eq!(server.send(call("POST", &path)).await.code(), "method_not_allowed");
}

#[tokio::test]
async fn what_it_is_made_with_is_told_to_everybody() {
    let server = server().await;
    let reply = server.send(call("GET", "/licences.txt")).await;
    assert_eq!((reply.status, reply.header("content-type")), (200, "text/plain; charset=utf-8"));
    assert!(reply.body.contains("leptos 0.8") && reply.body.contains(": MIT"), "{}", reply.body);
}
