//! Pages: who gets one, with which session, status and policy.

use super::fake::{Wanted, cookie_of, server, started};
use super::wire::call;
use callboard::http::MemorySessions;
use std::sync::Arc;

#[tokio::test]
async fn opening_the_page_gives_a_session_once() {
    let server = server().await;
    let page = server.send(call("GET", "/").with("accept", "text/html").with("sec-fetch-mode", "navigate").with("sec-fetch-site", "cross-site")).await;
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"), "{page:?}");
    assert!(page.body.contains("Atlas &lt;&amp;"), "{}", page.body);
    let cookie = page.header("set-cookie").to_owned();
    assert!(cookie.starts_with(&format!("{}=", server.cookie_name)), "{cookie}");
    for part in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=2592000"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Domain"), "{cookie}");
    let again = server.send(call("GET", "/").with("cookie", &cookie_of(&page))).await;
    assert_eq!((again.status, again.header("set-cookie")), (200, ""));
}

#[tokio::test]
async fn only_a_navigation_gets_one() {
    let server = server().await;
    for (name, value) in [
        ("sec-fetch-mode", "cors"),
        ("sec-fetch-mode", "no-cors"),
        ("accept", "application/json"),
        ("accept", "image/avif,image/webp"),
        ("accept", "*/*"),
        ("user-agent", "a monitor"),
    ] {
        let reply = server.send(call("GET", "/").with(name, value)).await;
        assert_eq!((reply.status, reply.code().as_str(), reply.header("set-cookie")), (401, "unauthorized", ""), "{name}: {value}");
    }
    assert_eq!(server.send(call("POST", "/")).await.status, 401);
    let made_up = server.send(call("GET", "/api/meta").with("cookie", &format!("{}=AAAAAAAAAAAAAAAAAAAAAA", server.cookie_name))).await;
    assert_eq!(made_up.code(), "unauthorized");
    let fixed = server.send(call("GET", "/").with("accept", "text/html").with("cookie", &format!("{}=AAAAAAAAAAAAAAAAAAAAAA", server.cookie_name))).await;
    assert!(fixed.status == 200 && !fixed.header("set-cookie").contains("AAAAAAAAAAAAAAAAAAAAAA"), "{fixed:?}");
}

#[tokio::test]
async fn a_session_outlives_the_server() {
    let sessions = Arc::new(MemorySessions::default());
    let first = started(Wanted { sessions: sessions.clone(), ..Wanted::default() }).await;
    let cookie = first.cookie().await;
    first.stop.send(true).unwrap();
    let second = started(Wanted { sessions, ..Wanted::default() }).await;
    assert_eq!(second.send(call("GET", "/api/meta").with("cookie", &cookie)).await.status, 200);
}

#[tokio::test]
async fn a_page_may_load_only_what_is_ours() {
    let server = server().await;
    let page = server.send(call("GET", "/").with("accept", "text/html").with("host", "127.0.0.1:9")).await;
    let policy = page.header("content-security-policy");
    let nonce = policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap();
    assert!(nonce.len() >= 16 && page.body.contains(&format!("nonce=\"{nonce}\"")), "{policy}\n{}", page.body);
    let expected = format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; \
         font-src 'self'; manifest-src 'self'; connect-src 'self' ws://127.0.0.1:9 wss://127.0.0.1:9; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    assert_eq!(policy, expected);
    let other = server.send(call("GET", "/").with("accept", "text/html")).await;
    assert_ne!(other.header("content-security-policy"), policy, "each page has its own nonce");
}

#[tokio::test]
async fn a_page_has_the_status_it_deserves() {
    let server = server().await;
    for (path, status) in [("/", 200), ("/t/tk-4f2a9c", 200), ("/t/tk-ffffff", 404), ("/nowhere", 404), ("/t/tk-4f2a9c/more", 404), ("//evil.example", 404)] {
        let page = server.send(call("GET", path).with("accept", "text/html")).await;
        assert_eq!((page.status, page.header("content-type")), (status, "text/html; charset=utf-8"), "{path}: {page:?}");
        assert_eq!(page.header("cache-control"), "private, no-cache");
    }
    let method = server.send(call("PUT", "/").with("cookie", &server.cookie().await)).await;
    assert_eq!((method.status, method.header("allow")), (405, "GET,HEAD"), "{method:?}");
}

#[tokio::test]
async fn a_refusal_to_a_person_is_a_page() {
    let server = server().await;
    let page = server
        .send(call("POST", "/do").with("accept", "text/html,*/*").with("origin", &server.origin()).with("sec-fetch-site", "cross-site").form("command=renew"))
        .await;
    assert_eq!((page.status, page.header("content-type")), (403, "text/html; charset=utf-8"));
    assert!(page.body.contains("<a href=\"/\">") && !page.header("content-security-policy").contains("script-src"), "{page:?}");
}
