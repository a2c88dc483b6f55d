//! Answers stay short whatever the board holds, and say what they left out.

use crate::fake::*;
use contracts::limits::{MCP_ANSWER_BYTES, MCP_PAGE_BYTES};
use contracts::view::*;
use contracts::{Standing, TaskId};
use serde_json::{Value, json};

fn huge() -> TaskView {
    let mut view = view();
    let relation = |bits: u128, standing| Relation {
        id: TaskId::from_bits(bits),
        title: "t".repeat(200),
        standing: Some(standing),
        holder: Some(actor("agent:bo/w1")),
        via: None,
        note: "n".repeat(16_000),
        inert: false,
    };
    view.card.title = "é".repeat(200);
    view.waits_on = (0..100).map(|bits| relation(bits, Standing::Done)).collect();
    view.subtasks = (0..100).map(|bits| relation(bits, Standing::Ready)).collect();
    view.thread = (0..50).map(|minute| entry(minute, "dev:bo", "commented", &format!("{minute} {}", "words ".repeat(2_000)))).collect();
    view.thread_total = 400;
    let commit = |at: i64| CommitView {
        sha: format!("{at:040x}"),
        subject: "s".repeat(200),
        author: None,
        at: now().plus_seconds(at),
        added: 1,
        deleted: 1,
        files: vec![("p".repeat(300), None, None); 300],
        files_dropped: 9,
        counts: false,
    };
    view.commits_detail = (0..300).map(commit).collect();
    view.milestone_detail = Some(MilestoneView {
        id: contracts::MilestoneId::parse("ms-000001").unwrap(),
        title: "m".repeat(120),
        slug: "m".into(),
        goal: "g".repeat(8_000),
        rules: Vec::new(),
        criteria: vec![Criterion { text: "c".repeat(500), met: Some(false), note: "n".repeat(2_000) }; 40],
        reviews: false,
        due_at: None,
        status: contracts::Status::Open,
        created_by: actor("dev:ana"),
        created_at: now(),
        open: 3,
        closed: 1,
    });
    view
}

fn items(count: i64) -> Vec<InboxItem> {
    (0..count)
        .map(|minute| InboxItem { entry: entry(minute, "dev:bo", "sent you a message", &"m".repeat(9_000)), why: "message".into(), delivered_at: None })
        .collect()
}

#[tokio::test]
async fn the_next_task_fits_and_its_order_is_whole() {
    let mut answer = claimed();
    let mut view = huge();
    view.spec = "spec ".repeat(3_000).trim().to_owned();
    let spec = view.spec.clone();
    answer.task = Some(Box::new(view));
    answer.verdict = "v".repeat(16_000);
    answer.inbox = items(10);
    answer.inbox_more = 30;
    answer.collisions = vec![
        Collision {
            id: TaskId::from_bits(9),
            title: "c".repeat(200),
            standing: Standing::Working,
            actor: Some(actor("agent:bo/w1")),
            paths: vec!["p".repeat(300); 3]
        };
        5
    ];
    answer.collisions_more = 12;
    let board = Fake::default();
    board.next.lock().unwrap().push_back(Ok(answer));
    let text = Client::of(board).await.call("next", json!({})).await;
    assert!(text.contains(&spec), "no half orders");
    assert!(text.len() <= MCP_ANSWER_BYTES + spec.len(), "{} bytes beside the spec", text.len() - spec.len());
    for (call, why) in [
        (r#" more: ask {"inbox":"unread"}"#, "undelivered items"),
        (r#"whole texts: ask {"inbox":"all"}"#, "delivered ones whose texts were cut"),
        (r#" more: ask {"section":"thread","task":"tk-4f2a9c"}"#, "the thread"),
        (r#" more: ask {"section":"commits","task":"tk-4f2a9c"}"#, "the commits"),
        (r#" more: ask {"section":"spec","task":"tk-4f2a9c"}"#, "the relations"),
    ] {
        assert!(text.contains(call), "{why}: {text}");
    }
    assert!(text.ends_with("11 open"));
}

#[tokio::test]
async fn what_is_marked_as_delivered_stands_in_the_answer_and_the_rest_is_counted() {
    let unread: Vec<InboxItem> = (0..10)
        .map(|minute| {
            let entry =
                contracts::view::Entry { title: format!("{minute} {}", "t".repeat(78)), ..entry(minute, "dev:bo", "sent you a message", &"m".repeat(9_000)) };
            InboxItem { entry, why: "message".into(), delivered_at: None }
        })
        .collect();
    for (tool, args) in [
        ("next", json!({})),
        ("ask", json!({"task": "tk-4f2a9c"})),
        ("ask", json!({"inbox": "unread"})),
        ("update", json!({"task": "tk-4f2a9c", "comment": "half of it is there"})),
        ("update", json!({"task": "tk-4f2a9c", "status": "done", "comment": "all of it is there", "next": true})),
    ] {
        let board = Fake::default();
        *board.task.lock().unwrap() = Some(view());
        board.next.lock().unwrap().push_back(Ok(contracts::view::NextAnswer { inbox: unread.clone(), inbox_more: 15, ..claimed() }));
        *board.inbox.lock().unwrap() = Page { items: unread.clone(), total: 25, next: None, seq: 1 };
        let client = Client::of(board).await;
        let text = client.call(tool, args.clone()).await;
        let shown: Vec<&str> = text.lines().filter_map(|line| line.split_once("sent you a message").map(|(_, rest)| rest)).collect();
        let delivered: Vec<String> = client.board.asked().into_iter().filter(|asked| asked.starts_with("deliver")).collect();
        assert_eq!(delivered, [format!("deliver {}", shown.len())], "{tool} {args}: {text}");
        for (minute, line) in shown.iter().enumerate() {
            assert!(line.contains(&format!(" {minute} t")), "the oldest are shown: {text}");
        }
        assert!((1..10).contains(&shown.len()), "{tool} {args} has no room for all: {text}");
        assert!(text.contains(&format!(r#"+{} more: ask {{"inbox":"unread"}}"#, 25 - shown.len())), "{tool} {args}: {text}");
    }
}

#[tokio::test]
async fn every_other_answer_fits_too() {
    let board = Fake::default();
    *board.task.lock().unwrap() = Some(huge());
    *board.inbox.lock().unwrap() = Page { items: items(10), total: 60, next: None, seq: 1 };
    let hit = SearchHit { card: huge().card, matched: "spec".into(), excerpt: "e".repeat(900) };
    *board.hits.lock().unwrap() = Page { items: vec![hit; 20], total: 90, next: Some("c".into()), seq: 1 };
    let rows: Vec<Value> = (0..1_000)
        .map(|index| json!({"index": index, "id": "tk-000001", "title": "t".repeat(200), "priority": 2, "waits_for": vec!["tk-000002"; 100]}))
        .collect();
    board.receipts.lock().unwrap().push_back(Ok(vec![receipt(json!({"tasks": rows, "ready": 0}))]));
    let client = Client::of(board).await;
    for (tool, args) in [
        ("plan", json!({"tasks": [{"title": "x"}]})),
        ("ask", json!({"task": "tk-4f2a9c"})),
        ("ask", json!({"query": "x"})),
        ("update", json!({"task": "tk-4f2a9c", "comment": "x", "blocked_on": vec!["tk-000001"; 100]})),
    ] {
        let text = client.call(tool, args).await;
        assert!(text.len() <= MCP_ANSWER_BYTES, "{tool} gave {} bytes: {text}", text.len());
        assert!(tool == "update" || text.contains("more: ask {") || text.contains("go on: ask {"), "{tool}: {text}");
    }
}

#[tokio::test]
async fn pages_cover_the_whole_without_a_gap() {
    let board = Fake::default();
    let mut view = view();
    view.spec = (0..9_000).map(|line| format!("line {line}\n")).collect();
    *board.task.lock().unwrap() = Some(view);
    let client = Client::of(board).await;
    let (mut cursor, mut seen, mut pages) = (None::<String>, 0, 0);
    loop {
        let mut args = json!({"task": "tk-4f2a9c", "section": "spec"});
        if let Some(cursor) = &cursor {
            args["cursor"] = cursor.as_str().into();
        }
        let text = client.call("ask", args).await;
        assert!(text.len() <= MCP_PAGE_BYTES, "{}", text.len());
        for line in text.lines().filter_map(|line| line.strip_prefix("line ")) {
            assert_eq!(line, seen.to_string());
            seen += 1;
        }
        pages += 1;
        let Some((_, call)) = text.split_once("go on: ask ") else { break };
        cursor = serde_json::from_str::<Value>(call).unwrap()["cursor"].as_str().map(str::to_owned);
    }
    assert_eq!((seen, pages > 3), (9_000, true));
}
