//! `POST /do`: forms that work without scripts.

use super::fake::{Server, cookie_of, server};
use super::wire::{Reply, call};
use contracts::{Code, Problem};
use serde_json::json;

async fn submit(server: &Server, form: &str) -> Reply {
    let call = call("POST", "/do").with("cookie", &server.cookie().await).with("origin", &server.origin()).with("accept", "text/html");
    server.send(call.form(form)).await
}

#[tokio::test]
async fn what_is_done_leads_back() {
    let server = server().await;
    let reply = submit(&server, "command=comment&key=k1&back=%2Ft%2Ftk-4f2a9c%3Fq%3Da&task=tk-4f2a9c&text=caf%C3%A9+au+lait%0D%0Aok").await;
    assert_eq!((reply.status, reply.header("location")), (303, "/t/tk-4f2a9c?q=a"), "{reply:?}");
    assert_eq!(server.writes()[0]["args"]["text"], "café au lait\nok");
    assert_eq!(server.writes()[0]["key"], "k1");
    for back in ["https%3A%2F%2Fevil.example", "%2F%2Fevil.example", "%2F%5Cevil.example", "%2Fa%0D%0Aset-cookie%3A+a%3Db", ""] {
        let reply = submit(&server, &format!("command=renew&back={back}")).await;
        assert_eq!((reply.status, reply.header("location")), (303, "/"), "{back}");
    }
}

#[tokio::test]
async fn a_bare_date_is_the_end_of_that_day_in_the_projects_zone() {
    let server = server().await;
    assert_eq!(submit(&server, "command=edit&task=tk-4f2a9c&due_at=2026-07-01").await.status, 303);
    assert_eq!(server.writes()[0]["args"]["due_at"], "2026-07-01T21:59:59.000Z");
}

#[tokio::test]
async fn a_move_is_the_commands_of_its_column() {
    let server = server().await;
    assert_eq!(submit(&server, "command=move&task=tk-aaaaaa&to=backlog&note=later&key=k1&back=/").await.status, 303);
    let args = json!({"task": "tk-aaaaaa", "note": "later"});
    let key = server.writes()[0]["key"].as_str().unwrap().to_owned();
    assert!(key.starts_with("k1."), "{key}");
    assert_eq!(server.writes(), [json!({"command": "release", "args": args, "key": key}), json!({"command": "hold", "args": args, "key": format!("{key}.1")})]);
    let refused = submit(&server, "command=move&task=tk-4f2a9c&to=ready&back=/").await;
    assert_eq!(refused.status, 409, "{refused:?}");
    assert_eq!(submit(&server, "command=move&task=tk-4f2a9c&to=nowhere").await.status, 400);
    assert_eq!(submit(&server, "command=move&task=tk-4f2a9c&to=working&wat=1").await.status, 400);
    assert_eq!(server.writes().len(), 2);
}

#[tokio::test]
async fn a_move_sent_again_is_done_and_another_move_under_its_key_is_one_of_its_own() {
    let server = server().await;
    for _ in 0..2 {
        assert_eq!(submit(&server, "command=move&task=tk-aaaaaa&to=backlog&note=later&key=k1&back=/").await.status, 303);
        assert_eq!(server.writes().len(), 2, "its answer was lost, what it did was not");
    }
    assert_eq!(submit(&server, "command=move&task=tk-aaaaaa&to=ready&note=later&key=k1&back=/").await.status, 303);
    assert_eq!(server.writes().len(), 3);
}

#[tokio::test]
async fn what_is_refused_is_the_page_again_with_what_was_typed() {
    let server = server().await;
    *server.board.refuses.lock().unwrap() = Some(Problem::new(Code::NoEvidence, "No commit is bound to it"));
    let reply = submit(&server, "command=close&key=k1&back=/t/tk-4f2a9c&task=tk-4f2a9c&note=%3Cscript%3Ealert(1)%3C/script%3E").await;
    assert_eq!((reply.status, reply.header("content-type")), (422, "text/html; charset=utf-8"), "{reply:?}");
    assert!(reply.body.contains("No commit is bound to it") && reply.body.contains("alert(1)"), "{}", reply.body);
    assert!(!reply.body.contains("<script>alert"), "{}", reply.body);
    assert!(reply.header("content-security-policy").contains("'nonce-"), "the page again is a whole page");
    let faulty = submit(&server, "command=edit&task=tk-4f2a9c&priority=high&back=/t/tk-4f2a9c").await;
    assert_eq!(faulty.status, 400);
    assert!(faulty.body.contains("Atlas"), "{}", faulty.body);
}

#[tokio::test]
async fn a_form_without_a_session_or_of_broken_text_goes_nowhere() {
    let server = server().await;
    let call = call("POST", "/do").with("origin", &server.origin()).form("command=renew");
    assert_eq!(server.send(call).await.code(), "unauthorized");
    for broken in ["command=%ff", "command=renew&back=%00", "command=%zz"] {
        assert_eq!(submit(&server, broken).await.status, 400, "{broken}");
    }
    assert_eq!(submit(&server, &format!("command=comment&text={}", "x".repeat(2 << 20))).await.status, 413);
    assert_eq!(server.writes().len(), 0);
}

#[tokio::test]
async fn what_was_written_outlives_the_session_it_was_written_in() {
    let server = server().await;
    let call = || {
        call("POST", "/do")
            .with("origin", &server.origin())
            .with("accept", "text/html")
            .form("command=comment&back=/t/tk-4f2a9c&task=tk-4f2a9c&text=Half+an+hour+of+work")
    };
    let again = server.send(call()).await;
    assert_eq!(again.status, 401, "{again:?}");
    assert!(again.body.contains("data-here=\"/t/tk-4f2a9c\""), "the page that comes back knows its address: {}", again.body);
    assert!(again.body.contains("Your session had ended.") && again.body.contains("Half an hour of work</textarea>"), "{}", again.body);
    assert_eq!(server.writes().len(), 0, "nothing was carried out");
    let cookie = cookie_of(&again);
    assert_eq!(server.send(call().with("cookie", &cookie)).await.status, 303);
    assert_eq!(server.writes()[0]["args"]["text"], "Half an hour of work");
    let foreign = server.send(call().with("sec-fetch-site", "cross-site")).await;
    assert_eq!((foreign.status, foreign.header("set-cookie")), (403, ""), "another page's form gets no session");
}

#[tokio::test]
async fn a_theme_is_chosen_without_scripts() {
    let server = server().await;
    let choose = |theme: &str| call("POST", "/theme").with("origin", &server.origin()).form(&format!("theme={theme}&back=/t/tk-4f2a9c"));
    let dark = server.send(choose("dark")).await;
    assert_eq!((dark.status, dark.header("location")), (303, "/t/tk-4f2a9c"));
    assert_eq!(dark.header("set-cookie"), "callboard-theme=dark; Path=/; Max-Age=31536000; SameSite=Lax");
    let page = server.send(call("GET", "/").with("accept", "text/html").with("cookie", "callboard-theme=dark")).await;
    assert!(page.body.contains("data-theme=\"dark\"") && page.body.contains("action=\"/theme\""), "{}", page.body);
    assert!(server.send(choose("%0D%0Ax")).await.header("set-cookie").starts_with("callboard-theme=system;"));
    assert_eq!(server.send(choose("dark").with("sec-fetch-site", "cross-site")).await.status, 403);
}
