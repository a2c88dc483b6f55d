//! The same frames as server-sent events, resumed as a browser resumes them.

use crate::cli::stage::Stage;
use crate::support::line::Events;
use crate::support::server::Server;
use serde_json::json;

#[tokio::test]
async fn events_are_frames_with_a_place_to_come_back_to() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let mut events = Events::open(&server, "/live/sse", "").await;
    let hello = events.next().await;
    let (epoch, seq) = (hello.frame["epoch"].as_str().unwrap().to_owned(), hello.frame["seq"].as_i64().unwrap());
    assert_eq!((hello.name.as_str(), hello.id), ("hello", format!("{epoch}-{seq}")));
    stage.add("Paint the buoys", &[]);
    let batch = events.next().await;
    let at = batch.frame["seq"].as_i64().unwrap();
    assert_eq!((batch.name.as_str(), batch.id.as_str()), ("batch", &*format!("{epoch}-{at}")));
    assert!(at > seq && batch.frame.to_string().contains("Paint the buoys"), "{batch:?}");
    drop(events);

    stage.add("Set them out", &[]);
    stage.add("Count them", &[]);
    for (path, header) in [("/live/sse", format!("last-event-id: {}\r\n", batch.id)), (&*format!("/live/sse?since={at}&epoch={epoch}"), String::new())] {
        let mut events = Events::open(&server, path, &header).await;
        let hello = events.next().await;
        assert_eq!((&hello.frame["resumed"], &hello.frame["seq"]), (&json!(true), &json!(at)), "{hello:?}");
        let (set, count) = (events.next().await, events.next().await);
        assert!(set.frame.to_string().contains("Set them out") && count.frame.to_string().contains("Count them"), "{set:?} {count:?}");
        assert!(at < set.frame["seq"].as_i64().unwrap() && set.frame["seq"].as_i64() < count.frame["seq"].as_i64());
        assert_eq!(count.id, format!("{epoch}-{}", count.frame["seq"]));
    }
    let mut other = Events::open(&server, "/live/sse", "last-event-id: 00000000-1\r\n").await;
    assert_eq!(other.next().await.frame["resumed"], false);
}

#[tokio::test]
async fn both_kinds_of_line_say_the_same() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let mut events = Events::open(&server, "/live/sse", "").await;
    let mut socket = crate::support::line::Socket::open(&server, "").await;
    events.next().await;
    socket.frame().await;
    let id = stage.add("Paint the buoys", &[]);
    stage.ok(&["tasks", "claim", &id]);
    stage.ok(&["tasks", "done", &id, "--no-code", "-m", "By hand"]);
    for _ in 0..3 {
        let event = events.next().await;
        assert_eq!((event.name.as_str(), &event.frame), ("batch", &socket.frame().await));
    }
}
