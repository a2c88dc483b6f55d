//! `POST /enter`: with `--private`, a browser comes in with the code from the terminal.

use super::fake::{Server, Wanted, cookie_of, started};
use super::wire::{Reply, call};
use callboard::http::MemorySessions;
use std::sync::Arc;

async fn private(sessions: &Arc<MemorySessions>) -> Server {
    started(Wanted { private: true, sessions: sessions.clone(), ..Wanted::default() }).await
}

async fn enter(server: &Server, code: &str) -> Reply {
    let form = format!("code={code}&back=%2Ft%2Ftk-4f2a9c");
    server.send(call("POST", "/enter").with("origin", &server.origin()).with("accept", "text/html").form(&form)).await
}

#[tokio::test]
async fn the_code_lets_one_browser_in() {
    let server = private(&Arc::default()).await;
    let page = server.send(call("GET", "/t/tk-4f2a9c").with("accept", "text/html")).await;
    assert_eq!((page.status, page.header("set-cookie")), (401, ""));
    assert!(page.body.contains("action=\"/enter\"") && page.body.contains("value=\"/t/tk-4f2a9c\"") && !page.body.contains("Atlas"), "{page:?}");
    assert!(page.header("content-security-policy").contains("form-action 'self'"));
    assert_eq!(enter(&server, "00000000").await.status, 401);
    let code = server.codes.lock().unwrap()[0].clone();
    let foreign = call("POST", "/enter").form(&format!("code={code}"));
    assert_eq!(server.send(foreign).await.code(), "origin_refused");
    let entered = enter(&server, &code).await;
    assert_eq!((entered.status, entered.header("location")), (303, "/t/tk-4f2a9c"), "{entered:?}");
    let cookie = cookie_of(&entered);
    assert_eq!(server.send(call("GET", "/api/meta").with("cookie", &cookie)).await.status, 200);
    assert_eq!(enter(&server, &code).await.status, 401, "a code is good once");
}

#[tokio::test]
async fn ten_wrong_tries_make_another_code() {
    let server = private(&Arc::default()).await;
    let code = server.codes.lock().unwrap()[0].clone();
    for _ in 0..10 {
        assert_eq!(enter(&server, "x").await.status, 401);
    }
    assert_eq!(enter(&server, &code).await.status, 401);
    assert_eq!(server.codes.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_session_from_before_is_not_enough() {
    let sessions = Arc::default();
    let open = started(Wanted { sessions: Arc::clone(&sessions), ..Wanted::default() }).await;
    let cookie = open.cookie().await;
    let server = private(&sessions).await;
    assert_eq!(server.send(call("GET", "/api/meta").with("cookie", &cookie)).await.code(), "unauthorized");
    assert_eq!(server.send(call("GET", "/").with("cookie", &cookie)).await.status, 401);
}

#[tokio::test]
async fn what_was_written_waits_for_the_code() {
    let server = private(&Arc::default()).await;
    let written = "command=comment&back=%2Ft%2Ftk-4f2a9c&task=tk-4f2a9c&text=a+%22long%22+text";
    let asked = server.send(call("POST", "/do").with("origin", &server.origin()).with("accept", "text/html").form(written)).await;
    assert_eq!((asked.status, asked.header("set-cookie")), (401, ""), "{asked:?}");
    assert!(asked.body.contains("name=\"unsent\"") && !asked.body.contains("Atlas"), "{}", asked.body);
    let unsent: String = written.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let code = server.codes.lock().unwrap()[0].clone();
    let enter =
        |code: &str| call("POST", "/enter").with("origin", &server.origin()).with("accept", "text/html").form(&format!("code={code}&back=/&unsent={unsent}"));
    let wrong = server.send(enter("00000000")).await;
    assert!(wrong.status == 401 && wrong.body.contains("text=a+%22long%22+text"), "{}", wrong.body);
    let again = server.send(enter(&code)).await;
    assert!(again.body.contains("Your session had ended.") && again.body.contains("a &quot;long&quot; text</textarea>"), "{}", again.body);
    assert!(!cookie_of(&again).is_empty() && server.writes().is_empty());
}
