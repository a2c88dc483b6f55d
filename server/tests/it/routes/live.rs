//! `/live` and `/live/sse`: frames over real sockets.

use super::fake::{Server, Wanted, server, started};
use super::wire::call;
use callboard::http::SessionRows;
use futures::StreamExt;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::{self, Message, client::IntoClientRequest};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn open(server: &Server, query: &str, headers: &[(&'static str, &str)]) -> Result<Socket, u16> {
    let mut request = format!("ws://localhost:{}/live{query}", server.port).into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    match connect_async(request).await {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::Error::Http(answer)) => Err(answer.status().as_u16()),
        Err(other) => panic!("{other}"),
    }
}

async fn text(socket: &mut Socket) -> String {
    match tokio::time::timeout(Duration::from_secs(5), socket.next()).await.unwrap() {
        Some(Ok(Message::Text(text))) => text.to_string(),
        Some(Ok(Message::Close(Some(frame)))) => format!("close {}", u16::from(frame.code)),
        other => panic!("{other:?}"),
    }
}

fn batch(seq: i64) -> (i64, Arc<str>) {
    (seq, format!(r#"{{"t":"batch","seq":{seq},"changes":[]}}"#).into())
}

#[tokio::test]
async fn a_socket_hears_hello_batches_and_the_end() {
    let server = server().await;
    let cookie = server.cookie().await;
    let mut socket = open(&server, "?since=5&epoch=a1b2c3d4", &[("cookie", &cookie), ("origin", &server.origin())]).await.unwrap();
    assert_eq!(text(&mut socket).await, r#"{"t":"hello","seq":7,"epoch":"a1b2c3d4","version":"v","now":"1970-01-01T00:00:00.000Z","resumed":true}"#);
    server.publish.send(batch(8)).unwrap();
    assert_eq!(text(&mut socket).await, &*batch(8).1);
    server.stop.send(true).unwrap();
    assert_eq!(text(&mut socket).await, "close 1001");
}

#[tokio::test]
async fn a_socket_needs_an_origin_or_a_bearer() {
    let server = server().await;
    let cookie = server.cookie().await;
    let bearer = format!("Bearer {}", server.local);
    assert_eq!(open(&server, "", &[("cookie", &cookie)]).await.err(), Some(403));
    assert_eq!(open(&server, "", &[("cookie", &cookie), ("origin", "https://evil.example")]).await.err(), Some(403));
    assert_eq!(open(&server, "", &[("origin", &server.origin())]).await.err(), Some(401));
    assert_eq!(open(&server, "", &[("authorization", "Bearer cbm_wrong")]).await.err(), Some(401));
    assert_eq!(open(&server, "?sinse=5", &[("authorization", &bearer)]).await.err(), Some(400));
    let mut socket = open(&server, "", &[("authorization", &bearer)]).await.unwrap();
    assert!(text(&mut socket).await.contains(r#""resumed":false"#));
}

#[tokio::test]
async fn a_line_ends_with_its_session_and_not_with_another() {
    let wanted = Wanted { beat: Some(Duration::from_millis(50)), ..Wanted::default() };
    let rows = wanted.sessions.clone();
    let server = started(wanted).await;
    let (cookie, other) = (server.cookie().await, server.cookie().await);
    let mut line = open(&server, "", &[("cookie", &cookie), ("origin", &server.origin())]).await.unwrap();
    assert!(text(&mut line).await.contains("hello") && text(&mut line).await.contains("beat"));
    let forget = |cookie: &str| {
        let id = Sha256::digest(cookie.split_once('=').unwrap().1.as_bytes());
        rows.delete(id.iter().map(|byte| format!("{byte:02x}")).collect())
    };
    forget(&other).await.unwrap();
    assert!(text(&mut line).await.contains("beat") && text(&mut line).await.contains("beat"));
    forget(&cookie).await.unwrap();
    let mut last = text(&mut line).await;
    while last.contains("beat") {
        last = text(&mut line).await;
    }
    assert_eq!(last, "close 4401");
    assert_eq!(open(&server, "", &[("cookie", &cookie), ("origin", &server.origin())]).await.err(), Some(401));
}

#[tokio::test]
async fn there_are_only_so_many_places() {
    let server = server().await;
    let bearer = format!("Bearer {}", server.local);
    let mut sockets = Vec::new();
    for _ in 0..4 {
        sockets.push(open(&server, "", &[("authorization", &bearer)]).await.unwrap());
    }
    assert_eq!(open(&server, "", &[("authorization", &bearer)]).await.err(), Some(503));
    drop(sockets.pop());
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(open(&server, "", &[("authorization", &bearer)]).await.is_ok());
}

#[tokio::test]
async fn a_plain_request_is_told_what_it_speaks() {
    let server = server().await;
    let reply = server.api(call("GET", "/live")).await;
    assert_eq!((reply.status, reply.code().as_str()), (400, "bad_request"));
    assert!(reply.json()["hint"].as_str().unwrap().contains("/live/sse"));
}

#[tokio::test]
async fn events_are_the_same_frames() {
    let server = server().await;
    let cookie = server.cookie().await;
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    let head = format!(
        "GET /live/sse HTTP/1.1\r\nhost: localhost:{}\r\ncookie: {cookie}\r\nlast-event-id: a1b2c3d4-5\r\naccept-encoding: gzip\r\naccept: text/event-stream\r\n\r\n",
        server.port
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut heard = String::new();
    let mut until = async |word: &str| {
        let mut buffer = [0_u8; 4096];
        while !heard.contains(word) {
            let read = tokio::time::timeout(Duration::from_secs(5), stream.read(&mut buffer)).await.unwrap_or_else(|_| panic!("no {word} in {heard}")).unwrap();
            assert!(read > 0, "{heard}");
            heard.push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
        heard.clone()
    };
    let hello = until("\"resumed\":true").await;
    assert!(hello.contains("content-type: text/event-stream") && !hello.contains("content-encoding"), "{hello}");
    assert!(hello.contains("event: hello\nid: a1b2c3d4-7\ndata: {\"t\":\"hello\""), "{hello}");
    server.publish.send(batch(8)).unwrap();
    let batch = until("event: batch").await;
    assert!(batch.contains("id: a1b2c3d4-8\ndata: {\"t\":\"batch\",\"seq\":8"), "{batch}");
    server.stop.send(true).unwrap();
    until("\r\n0\r\n\r\n").await;
}
