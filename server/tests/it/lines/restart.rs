//! A server that ends and comes back, a board that was rebuilt, a database that was deleted: pages are told, and go on.

use crate::cli::stage::Stage;
use crate::support::line::{Events, Socket};
use crate::support::server::Server;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_server_that_comes_back_goes_on_where_it_was() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let port = server.port;
    let mut socket = Socket::open(&server, "").await;
    let hello = socket.frame().await;
    let epoch = hello["epoch"].as_str().unwrap().to_owned();
    stage.add("Paint the buoys", &[]);
    let seq = socket.batch().await["seq"].as_i64().unwrap();
    let ending = tokio::task::spawn_blocking(move || server.end());
    assert_eq!(socket.close_code().await, 1001);
    ending.await.unwrap();
    stage.add("Set them out", &[]);

    let server = Server::at(&stage, port);
    let mut socket = Socket::since(&server, seq, &epoch).await;
    let hello = socket.frame().await;
    assert_eq!((&hello["resumed"], &hello["epoch"]), (&json!(true), &json!(epoch)), "{hello}");
    assert!(socket.batch().await.to_string().contains("Set them out"));
    stage.add("Count them", &[]);
    assert!(socket.batch().await.to_string().contains("Count them"));
}

#[tokio::test]
async fn a_rebuilt_board_is_another_one() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    let server = Server::of(&stage);
    let mut socket = Socket::open(&server, "").await;
    let mut events = Events::open(&server, "/live/sse", "").await;
    events.next().await;
    let hello = socket.frame().await;
    let (seq, epoch) = (hello["seq"].as_i64().unwrap(), hello["epoch"].as_str().unwrap().to_owned());
    stage.ok(&["rebuild"]);
    assert_eq!(socket.close_code().await, 1012);
    let mut again = Socket::since(&server, seq, &epoch).await;
    let hello = again.frame().await;
    assert_eq!(hello["resumed"], false, "{hello}");
    assert_ne!(hello["epoch"], json!(epoch));
    assert_eq!(server.get("/api/snapshot").await["epoch"], hello["epoch"]);
    stage.ok(&["tasks", "comment", &id, "-m", "After it was rebuilt"]);
    assert!(again.batch().await.to_string().contains("After it was rebuilt"));
}

#[tokio::test]
async fn a_deleted_database_ends_the_lines_and_not_the_server() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    let mut server = Server::of(&stage);
    let mut socket = Socket::open(&server, "").await;
    let epoch = socket.frame().await["epoch"].clone();
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        std::fs::remove_file(stage.board().join(name)).unwrap();
    }
    // Nobody needs to write for the server to notice: it looks every second.
    let code = tokio::time::timeout(Duration::from_secs(8), socket.close_code()).await.expect("the line ends");
    assert_eq!(code, 1012);
    assert!(server.is_alive());
    let mut socket = Socket::open(&server, "").await;
    let hello = socket.frame().await;
    assert_ne!(hello["epoch"], epoch);
    assert!(server.get("/api/tasks").await.to_string().contains("Paint the buoys"), "everything durable is back");
    server.does("comment", json!({"task": id, "text": "Written by the server"})).await;
    assert!(socket.batch().await.to_string().contains("Written by the server"));
    stage.ok(&["tasks", "comment", &id, "-m", "Written beside it"]);
    assert!(socket.batch().await.to_string().contains("Written beside it"));
    let shown = stage.ok(&["tasks", "show", &id]);
    assert!(shown.contains("Written by the server") && shown.contains("Written beside it"), "{shown}");
    assert_eq!(stage.run(&["log", "verify"]).exit, 0);
}

#[tokio::test]
async fn a_write_through_the_server_survives_the_deletion_just_before_it() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    let server = Server::of(&stage);
    for round in 0..3 {
        for name in ["state.db", "state.db-wal", "state.db-shm"] {
            let _ = std::fs::remove_file(stage.board().join(name)); // not all need be there
        }
        server.does("comment", json!({"task": id, "text": format!("Right after deletion {round}")})).await;
        stage.ok(&["tasks", "comment", &id, "-m", &format!("Beside it {round}")]);
    }
    let shown = server.get(&format!("/api/tasks/{id}")).await.to_string();
    for round in 0..3 {
        assert!(shown.contains(&format!("Right after deletion {round}")) && shown.contains(&format!("Beside it {round}")), "{round}: {shown}");
    }
    assert_eq!(stage.run(&["log", "verify"]).exit, 0);
}

#[tokio::test]
async fn a_database_that_was_cut_short_is_made_anew_under_the_server() {
    for (share, written_first) in [(0, false), (0, true), (3, false), (2, true)] {
        let stage = Stage::new();
        let id = stage.add("Paint the buoys", &["--spec", &"red ".repeat(4_000)]);
        let mut server = Server::of(&stage);
        let mut socket = Socket::open(&server, "").await;
        socket.frame().await;
        let file = std::fs::OpenOptions::new().write(true).open(stage.board().join("state.db")).unwrap();
        let bytes = file.metadata().unwrap().len();
        file.set_len(bytes.checked_div(share).unwrap_or(0)).unwrap();
        if written_first {
            server.does("comment", json!({"task": id, "text": "Right after it"})).await;
        }
        let shown = server.get(&format!("/api/tasks/{id}")).await;
        assert!(shown["title"] == "Paint the buoys" && shown["spec"].as_str().unwrap().len() > 10_000, "1/{share}: {shown}");
        server.does("comment", json!({"task": id, "text": "Later on"})).await;
        stage.ok(&["tasks", "comment", &id, "-m", "Beside it"]);
        let shown = stage.ok(&["tasks", "show", &id]);
        assert!(shown.contains("Later on") && shown.contains("Beside it") && shown.contains("Right after it") == written_first, "1/{share}: {shown}");
        assert_eq!(stage.run(&["log", "verify"]).exit, 0, "1/{share}");
        assert!(server.is_alive());
        let code = tokio::time::timeout(Duration::from_secs(8), socket.close_code()).await.expect("pages are told");
        assert_eq!(code, 1012, "1/{share}");
        server.end();
    }
}
