//! A session on a pair of streams: the handshake, lines that are no JSON, and calls that fail.

use crate::fake::*;
use contracts::command::Warning;
use contracts::view::InboxItem;
use mcp::serve;
use rmcp::model::CallToolRequestParams;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

#[tokio::test]
async fn a_client_finds_the_tools_and_is_told_the_loop() {
    let client = Client::of(Fake::default()).await;
    let info = client.peer().peer_info().unwrap();
    let server = info.server_info.as_ref().unwrap();
    assert_eq!((server.name.as_str(), server.version.as_str()), ("callboard", env!("CARGO_PKG_VERSION")));
    let tools = client.peer().list_all_tools().await.unwrap();
    assert_eq!(tools, mcp::schemas(mcp::Set::All));
    client.call("ask", json!({"inbox": "unread"})).await;
    let callers = client.callers.lock().unwrap();
    assert_eq!((callers[0].principal.as_str(), callers[0].actor.as_str(), callers[0].session.as_deref()), ("local:ana", "agent:ana/main", Some("s1")));
    assert_eq!(callers[0].client, None, "the name of the library is no client's");
}

#[tokio::test]
async fn a_panic_is_an_answer_and_the_server_goes_on() {
    let client = Client::of(Fake::default()).await;
    *client.board.panics.lock().unwrap() = true;
    let text = client.call("next", json!({})).await;
    assert!(text.starts_with("refused (internal): ") && text.contains("\nincident: mcp-"), "{text}");
    assert!(!text.contains("fake board"), "what the panic said stays in the log: {text}");
    *client.board.panics.lock().unwrap() = false;
    assert!(client.call("next", json!({})).await.starts_with("Nothing for you"));
    let unknown = client.peer().call_tool(CallToolRequestParams::new("fly")).await.unwrap_err();
    assert!(unknown.to_string().contains("ask, dispatch, next, plan, recover, report, update"), "{unknown}");
}

#[tokio::test]
async fn a_lease_that_was_taken_back_is_said() {
    let board = Fake::default();
    board.renewed.lock().unwrap().warnings = vec![Warning { code: "resumed".into(), text: "tk-4f2a9c had lapsed and is yours again".into() }];
    let text = Client::of(board).await.call("update", json!({"task": "tk-4f2a9c", "comment": "still here"})).await;
    assert!(text.starts_with("note: tk-4f2a9c had lapsed and is yours again\n"), "{text}");
}

#[tokio::test]
async fn lines_that_cannot_be_read_are_answered_and_do_not_end_it() {
    let tools = tools(Arc::default(), Callers::default());
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    let server = tokio::spawn(serve(tools, session(), read, write));
    let (read, mut write) = tokio::io::split(ours);
    let mut lines = BufReader::new(read).lines();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "probe", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let call = |id: i64, comment: String| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "update", "arguments": {"task": "tk-4f2a9c", "comment": comment}}});
    let script = [
        "Debugger listening on port 9229".to_owned(),
        hello.to_string(),
        ready.to_string(),
        "not json {".to_owned(),
        call(2, "x".repeat(1 << 20)).to_string(),
        call(3, "y".repeat(9 << 20)).to_string(),
        format!(r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{{"name":"ask","arguments":{{"x":{}{}}}}}}}"#, "[".repeat(500), "]".repeat(500)),
        call(4, "short".into()).to_string(),
    ];
    let writer = tokio::spawn(async move {
        for line in script {
            write.write_all(line.as_bytes()).await.unwrap();
            write.write_all(b"\n").await.unwrap();
        }
        write
    });
    let mut answers = Vec::new();
    while answers.len() < 7 {
        let line = lines.next_line().await.unwrap().expect("the server goes on");
        answers.push(serde_json::from_str::<Value>(&line).unwrap());
    }
    let text = |id: i64| answers.iter().find(|answer| answer["id"] == id).unwrap()["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text(2).starts_with("refused (too_large): The arguments have"), "{}", text(2));
    assert!(text(4).starts_with("tk-4f2a9c: comment added"), "{}", text(4));
    let faults: Vec<(i64, bool, String)> = answers
        .iter()
        .filter(|answer| answer.get("error").is_some())
        .map(|answer| (answer["error"]["code"].as_i64().unwrap(), answer["id"] == 5, answer["error"]["message"].as_str().unwrap().to_owned()))
        .collect();
    for (code, named, part) in [(-32700, false, "not JSON"), (-32600, false, "more than 8388608 bytes"), (-32600, true, "503 deep; the limit is 64")] {
        assert!(faults.iter().any(|fault| (fault.0, fault.1) == (code, named) && fault.2.contains(part)), "{part}: {faults:?}");
    }
    assert_eq!(faults.len(), 4, "{faults:?}");
    drop((writer.await.unwrap(), lines));
    server.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_an_answer_that_nobody_read_handed_over_is_unread_again() {
    for read in [true, false] {
        let board = Arc::new(Fake::default());
        let item = InboxItem { entry: entry(3, "dev:bo", "mentioned you", "look"), why: "mention".into(), delivered_at: None };
        board.inbox.lock().unwrap().items.push(item);
        // So little room that an answer waits until somebody reads it.
        let (ours, theirs) = tokio::io::duplex(64);
        let (from, to) = tokio::io::split(theirs);
        let server = tokio::spawn(serve(tools(board.clone(), Callers::default()), session(), from, to));
        let (from, mut to) = tokio::io::split(ours);
        let mut lines = BufReader::new(from).lines();
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "probe", "version": "1"}}});
        to.write_all(format!("{hello}\n").as_bytes()).await.unwrap();
        lines.next_line().await.unwrap().unwrap();
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let ask = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "ask", "arguments": {"inbox": "unread"}}});
        to.write_all(format!("{ready}\n{ask}\n").as_bytes()).await.unwrap();
        while !board.asked.lock().unwrap().contains(&"deliver 1".to_owned()) {
            tokio::task::yield_now().await;
        }
        if read {
            assert!(lines.next_line().await.unwrap().unwrap().contains("mentioned you"));
        }
        drop((lines, to));
        let _ = server.await.unwrap(); // how it ends is not what this is about
        let asked = board.asked();
        assert_eq!(asked.contains(&"undeliver 1".to_owned()), !read, "{asked:?}");
    }
}
