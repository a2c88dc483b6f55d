//! What `dispatch` and `recover` say.

use crate::fake::*;
use contracts::limits::{MCP_ANSWER_BYTES, MCP_PAGE_BYTES};
use serde_json::{Value, json};

fn started(place: usize, brief: &str) -> Value {
    json!({
        "task": format!("tk-{place:06x}"), "title": "Café: refresh token table", "worker": format!("agent:ana/w{place}"), "branch": "task/x", "base": "main",
        "directory": format!("/repo/.callboard/trees/tk-{place:06x}"), "brief": brief,
    })
}

async fn say(tool: &'static str, args: Value, data: Value) -> (String, Vec<String>) {
    let board = Fake::default();
    board.receipts.lock().unwrap().push_back(Ok(vec![receipt(data)]));
    let client = Client::of(board).await;
    let text = client.call(tool, args).await;
    (text, client.board.asked())
}

#[tokio::test]
async fn a_dispatch_hands_out_briefs_word_for_word_and_says_who_got_nothing() {
    let data = json!({
        "started": [started(1, "You are agent:ana/w1.\n```\nEnd."), started(2, "You are agent:ana/w2.")],
        "not_started": [{"task": "tk-000009", "code": "held", "text": "tk-000009 is held by dev:ana\u{202e}"}],
    });
    let (text, asked) = say("dispatch", json!({"tasks": ["tk-000001", "tk-000002", "tk-000009"], "worktrees": false, "key": "k"}), data).await;
    insta::assert_snapshot!(text, @r"
    2 workers got a task. Start one sub-agent for each brief, with the brief as its instructions, word for word.

    worker · task · directory · branch
    agent:ana/w1 · tk-000001 Café: refresh token table · /repo/.callboard/trees/tk-000001 · task/x
    agent:ana/w2 · tk-000002 Café: refresh token table · /repo/.callboard/trees/tk-000002 · task/x

    ## Not started
    - tk-000009 (held): tk-000009 is held by dev:ana\u{202e}

    ```text
    You are agent:ana/w1.
    '''
    End.
    ```

    ```text
    You are agent:ana/w2.
    ```

    agent:ana/main · 3 ready · 1 yours · 2 working · 0 waiting · 4 blocked · 1 needs people · 0 held · 0 stalled · 11 open
    ");
    assert!(
        asked.iter().any(|call| call.contains(r#""command":"dispatch""#) && call.contains(r#""worktrees":false"#) && call.contains(r#""key":"k""#)),
        "{asked:?}"
    );
}

#[tokio::test]
async fn the_briefs_of_a_dozen_workers_are_whole_and_fit_a_page() {
    let brief = "b".repeat(900);
    let data = json!({"started": (1..=12).map(|place| started(place, &brief)).collect::<Vec<_>>(), "not_started": []});
    let (text, _) = say("dispatch", json!({"count": 12}), data).await;
    assert_eq!(text.matches(&brief).count(), 12);
    assert!(text.len() < MCP_PAGE_BYTES, "{}", text.len());
}

#[tokio::test]
async fn a_dispatch_of_nothing_says_how_to_learn_why() {
    let (text, _) = say("dispatch", json!({}), json!({"started": [], "not_started": []})).await;
    assert!(text.contains("No worker got a task.") && text.contains(r#"next {"peek":true}"#), "{text}");
    let (text, _) = say("dispatch", json!({"tasks": "tk-000001"}), json!(null)).await;
    assert!(text.contains(r#"next: dispatch {"tasks":["tk-000001"]}"#), "{text}");
}

#[tokio::test]
async fn a_recovery_says_from_whom_what_was_left_and_who_goes_on() {
    let left = json!({"task": "tk-000001", "worktree": ".callboard/trees/tk-000001", "uncommitted": ["a.rs"], "unpushed": 2});
    let data = json!({
        "freed": [
            {"task": "tk-000001", "title": "Paint", "holder": "agent:ana/w1", "silent_s": 300, "commits": 2, "leftovers": left},
            {"task": "tk-000002", "title": "Log", "holder": "agent:ana/w2", "never_started": true, "commits": 0},
        ],
        "left_alone": [{"task": "tk-000003", "holder": "agent:ana/w3", "text": "reported 5 s ago"}],
    });
    let (text, asked) = say("recover", json!({"grace_s": 120, "force": true}), data.clone()).await;
    insta::assert_snapshot!(text, @r"
    Freed 2 tasks; worktrees are as they were, and whoever takes one reads what was left.

    task · from · silent · commits · left behind
    tk-000001 Paint · agent:ana/w1 · 5 min · 2 · 1 uncommitted (a.rs), 2 commits not pushed, in .callboard/trees/tk-000001
    tk-000002 Log · agent:ana/w2 · never heard of, never begun · 0 · no worktree

    ## Left alone
    - tk-000003 agent:ana/w3: reported 5 s ago

    agent:ana/main · 3 ready · 1 yours · 2 working · 0 waiting · 4 blocked · 1 needs people · 0 held · 0 stalled · 11 open
    ");
    assert!(asked.iter().any(|call| call.contains(r#""command":"recover""#) && call.contains(r#""grace_s":120"#)), "{asked:?}");
    let (text, _) = say("recover", json!({"dry_run": true}), data).await;
    assert!(text.contains("Only a look: 2 tasks would be freed"), "{text}");
    let rows: Vec<Value> = (0..200).map(|n| json!({"task": format!("tk-{n:06x}"), "title": "t".repeat(200), "holder": "agent:ana/w1", "commits": 1})).collect();
    let (text, _) = say("recover", json!({}), json!({"freed": rows, "left_alone": []})).await;
    assert!(text.len() <= MCP_ANSWER_BYTES && text.contains(" more: ask {"), "{}", text.len());
}
