//! What `update` asks of the board, and what it says.

use crate::fake::*;
use contracts::command::Warning;
use contracts::view::{Allowance, NextAnswer, Page, Refusal};
use contracts::{Call, Code, Hint, Problem};
use serde_json::json;

const ALL: &str = "unread items ride on every answer";

#[tokio::test]
async fn one_transaction_in_one_order_and_told_line_by_line() {
    let board = Fake::default();
    let mut close = receipt(json!({"freed": ["tk-000002", "tk-000003"], "told": ["dev:ana"]}));
    close.warnings = vec![Warning { code: "unpushed".into(), text: "3 commits are not pushed".into() }];
    board.receipts.lock().unwrap().push_back(Ok(vec![receipt(json!({})), close]));
    let item = contracts::view::InboxItem { entry: entry(3, "dev:bo", "mentioned you", ALL), why: "mention".into(), delivered_at: None };
    *board.inbox.lock().unwrap() = Page { items: vec![item], total: 1, next: None, seq: 1 };
    let client = Client::of(board).await;
    let args = json!({"task": "tk-4f2a9c", "status": "done", "comment": "hashed all tokens", "criteria": [{"i": 1, "met": true}], "fence": 3, "key": "k9"});
    insta::assert_snapshot!(client.call("update", args).await, @r#"
    ## Inbox
    - 2026-11-29 12:23 UTC · dev:bo mentioned you · tk-4f2a9c (mention)
    > unread items ride on every answer

    tk-4f2a9c: criterion 1 answered
    tk-4f2a9c → done
    told: dev:ana
    now ready: tk-000002, tk-000003
    note: 3 commits are not pushed

    agent:ana/main · 3 ready · 1 yours · 2 working · 0 waiting · 4 blocked · 1 needs people · 0 held · 0 stalled · 11 open
    "#);
    insta::assert_snapshot!(client.board.asked().join("\n"), @r#"
    renew
    {"args":{"answers":[{"i":1,"met":true}],"task":"tk-4f2a9c"},"command":"edit","fence":3,"key":"k9.1"}
    {"args":{"no_code":false,"note":"hashed all tokens","task":"tk-4f2a9c"},"command":"close","fence":3,"key":"k9.2"}
    inbox
    deliver 1
    "#);
}

#[tokio::test]
async fn blocked_with_a_live_lease_stays_yours() {
    let board = Fake::default();
    board.receipts.lock().unwrap().push_back(Ok(vec![
        receipt(json!({})),
        receipt(json!({"blocker": "bl-00000001"})),
        receipt(json!({"question": "qu-00000001"})),
    ]));
    let mut view = view();
    view.allowed =
        vec![Allowance { command: "close".into(), refused: Some(Refusal { code: Code::GateClosed, text: "a question is open: qu-00000001".into() }) }];
    *board.task.lock().unwrap() = Some(view);
    let args = json!({"task": "tk-4f2a9c", "blocked_on": ["tk-000002"], "blocker": "a key of the vendor", "question": "Level 3 or 9?"});
    insta::assert_snapshot!(Client::of(board).await.call("update", args).await, @r#"
    tk-4f2a9c waits for tk-000002
    tk-4f2a9c waits for something outside the board (bl-00000001)
    tk-4f2a9c: question asked, a person answers it (qu-00000001)
    Still yours: go on with what you can, or give it back: update {"comment":"<what is done, what is left>","status":"released","task":"tk-4f2a9c"}
    still missing: a question is open: qu-00000001

    agent:ana/main · 3 ready · 1 yours · 2 working · 0 waiting · 4 blocked · 1 needs people · 0 held · 0 stalled · 11 open
    "#);
}

#[tokio::test]
async fn it_goes_on_with_the_next_task_only_when_it_was_accepted() {
    let board = Fake::default();
    let why = contracts::view::WhyNothing { code: "finished".into(), text: "every task is done: 11 done".into(), next: Hint::text("plan more") };
    board.next.lock().unwrap().push_back(Ok(NextAnswer { why: Some(why), queue: queue(), now: now(), ..NextAnswer::default() }));
    let client = Client::of(board).await;
    let args = json!({"task": "tk-4f2a9c", "status": "submitted", "comment": "please look at it", "next": true, "key": "k"});
    insta::assert_snapshot!(client.call("update", args.clone()).await, @r"
    tk-4f2a9c → submitted, waits for a review

    Nothing for you: every task is done: 11 done
    next: plan more

    agent:ana/main · 3 ready · 1 yours · 2 working · 0 waiting · 4 blocked · 1 needs people · 0 held · 0 stalled · 11 open
    ");
    assert_eq!(client.board.asked().last().unwrap(), r#"next {"key":"k.next"}"#);

    let refused =
        Problem::new(Code::NoEvidence, "No commit is bound to tk-4f2a9c").hint(Hint::call(Call::new("close").with("task", "tk-4f2a9c").with("no_code", true)));
    client.board.receipts.lock().unwrap().push_back(Err(refused));
    let text = client.call("update", args.clone()).await;
    assert!(text.starts_with("refused (no_evidence)"), "{text}");
    assert!(!client.board.asked().iter().any(|asked| asked.starts_with("next")), "a refused update takes nothing");

    client.board.next.lock().unwrap().push_back(Err(Problem::new(Code::Busy, "The database stayed locked").hint(Hint::call(Call::new("next")))));
    insta::assert_snapshot!(client.call("update", args).await, @r"
    tk-4f2a9c → submitted, waits for a review

    The next task: refused (busy): The database stayed locked
    next: next {}

    agent:ana/main · 3 ready · 1 yours · 2 working · 0 waiting · 4 blocked · 1 needs people · 0 held · 0 stalled · 11 open
    ");
}

#[tokio::test]
async fn what_is_out_of_form_is_refused_before_the_board_is_asked() {
    let client = Client::of(Fake::default()).await;
    let mut said = String::new();
    for args in [
        json!({"task": "tk-4f2a9c"}),
        json!({"task": "tk-4f2a9c", "criteria": "1"}),
        json!({"task": "tk-4f2a9c", "mentions": "dev:ana, dev:bo", "comment": "x"}),
        json!({"task": "4f2a9c", "comment": "x"}),
        json!({"task": "tk-4f2a9c", "verdict": "pass"}),
        json!({"task": "tk-4f2a9c", "comment": "x", "fence": "3"}),
    ] {
        said.push_str(&client.call("update", args).await);
        said.push_str("\n---\n");
    }
    insta::assert_snapshot!(said);
    assert_eq!(client.board.asked(), ["renew"; 6]);
}
