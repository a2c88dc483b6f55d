//! A live line over a real socket: frames as they come, by WebSocket or as events.

use super::server::Server;
use futures::StreamExt;
use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::{self, Message, client::IntoClientRequest};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// Longest wait for a frame that must come.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a line said.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    Frame(Value),
    Closed(u16),
    /// The connection ended without a word.
    Gone,
}

/// A WebSocket.
pub struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// From this position of that database.
    pub async fn since(server: &Server, seq: i64, epoch: &str) -> Socket {
        Socket::open(server, &format!("?since={seq}&epoch={epoch}")).await
    }

    pub async fn open(server: &Server, query: &str) -> Socket {
        let bearer = format!("Bearer {}", server.local);
        Socket::try_open(server.port, query, &[("authorization", &bearer)]).await.unwrap()
    }

    /// The status when it is refused.
    pub async fn try_open(port: u16, query: &str, headers: &[(&'static str, &str)]) -> Result<Socket, u16> {
        let mut request = format!("ws://127.0.0.1:{port}/live{query}").into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        match connect_async(request).await {
            Ok((socket, _)) => Ok(Socket(socket)),
            Err(tungstenite::Error::Http(answer)) => Err(answer.status().as_u16()),
            Err(other) => panic!("{other}"),
        }
    }

    /// The next thing it says; beats are no news.
    pub async fn said(&mut self) -> Said {
        self.said_within(PATIENCE).await.expect("a frame")
    }

    /// The same, or nothing in this time.
    pub async fn said_within(&mut self, wait: Duration) -> Option<Said> {
        let next = async {
            loop {
                let said = match self.0.next().await {
                    Some(Ok(Message::Text(text))) => Said::Frame(serde_json::from_str(&text).unwrap()),
                    Some(Ok(Message::Close(frame))) => Said::Closed(frame.map_or(1005, |frame| u16::from(frame.code))),
                    Some(Ok(_)) => continue,
                    Some(Err(_)) | None => Said::Gone,
                };
                if !matches!(&said, Said::Frame(frame) if frame["t"] == "beat") {
                    return said;
                }
            }
        };
        tokio::time::timeout(wait, next).await.ok()
    }

    pub async fn frame(&mut self) -> Value {
        match self.said().await {
            Said::Frame(frame) => frame,
            other => panic!("{other:?}"),
        }
    }

    /// The next batch that is not about leases, presence and deliveries alone.
    pub async fn batch(&mut self) -> Value {
        loop {
            let frame = self.frame().await;
            assert_eq!(frame["t"], "batch", "{frame}");
            if frame["live"] != true {
                return frame;
            }
        }
    }

    /// All batches that come until it is quiet for this long.
    pub async fn batches(&mut self, quiet: Duration) -> Vec<Value> {
        let mut frames = Vec::new();
        while let Some(said) = self.said_within(quiet).await {
            match said {
                Said::Frame(frame) => frames.push(frame),
                other => panic!("{other:?} after {frames:?}"),
            }
        }
        frames
    }

    /// Hears whatever comes until it is closed, and says with which code.
    pub async fn close_code(&mut self) -> u16 {
        loop {
            match self.said().await {
                Said::Closed(code) => return code,
                Said::Gone => panic!("it ended without a farewell"),
                Said::Frame(_) => {}
            }
        }
    }
}

/// Server-sent events.
pub struct Events {
    stream: TcpStream,
    /// As it came: chunks with their sizes.
    raw: Vec<u8>,
    heard: String,
}

/// One event: its name, its id, its data.
#[derive(Debug)]
pub struct Event {
    pub name: String,
    pub id: String,
    pub frame: Value,
}

impl Events {
    /// With these header lines beside the bearer.
    pub async fn open(server: &Server, path: &str, more: &str) -> Events {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nauthorization: Bearer {}\r\n{more}\r\n", server.port, server.local);
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut events = Events { stream, raw: Vec::new(), heard: String::new() };
        let end = loop {
            match events.raw.windows(4).position(|window| window == b"\r\n\r\n") {
                Some(at) => break at + 4,
                None => events.read().await,
            }
        };
        let head = String::from_utf8(events.raw.drain(..end).collect()).unwrap();
        assert!(head.starts_with("HTTP/1.1 200") && head.contains("text/event-stream") && head.contains("chunked"), "{head}");
        events
    }

    async fn read(&mut self) {
        let mut buffer = [0_u8; 65_536];
        let read = tokio::time::timeout(PATIENCE, self.stream.read(&mut buffer)).await.unwrap_or_else(|_| panic!("silent after {}", self.heard)).unwrap();
        assert!(read > 0, "it ended after {}", self.heard);
        self.raw.extend_from_slice(&buffer[..read]);
    }

    /// The next event that is no beat.
    pub async fn next(&mut self) -> Event {
        loop {
            if let Some((whole, rest)) = self.heard.split_once("\n\n") {
                let field = |name: &str| whole.lines().find_map(|line| line.strip_prefix(&format!("{name}: "))).unwrap_or_default().to_owned();
                let (name, id, data) = (field("event"), field("id"), field("data"));
                self.heard = rest.to_owned();
                if data.is_empty() || name == "beat" {
                    continue;
                }
                return Event { name, id, frame: serde_json::from_str(&data).unwrap() };
            }
            self.chunk().await;
        }
    }

    async fn chunk(&mut self) {
        loop {
            if let Some(end) = self.raw.windows(2).position(|window| window == b"\r\n") {
                let size = usize::from_str_radix(std::str::from_utf8(&self.raw[..end]).unwrap(), 16).unwrap();
                if self.raw.len() >= end + size + 4 {
                    self.heard.push_str(std::str::from_utf8(&self.raw[end + 2..end + 2 + size]).unwrap());
                    self.raw.drain(..end + size + 4);
                    return;
                }
            }
            self.read().await;
        }
    }
}

impl Socket {
    /// Says something, as a page does.
    pub async fn say(&mut self, said: &Value) {
        use futures::SinkExt;
        self.0.send(Message::Text(said.to_string().into())).await.unwrap();
    }

    /// The text of a narration as it was told to here, and the state it ended in.
    pub async fn narration(&mut self) -> (String, String) {
        let mut text = String::new();
        loop {
            let frame = self.frame().await;
            if frame["t"] != "narration" {
                continue;
            }
            text.push_str(frame["text"].as_str().filter(|_| frame["state"] == "delta").unwrap_or_default());
            if ["done", "failed"].iter().any(|end| frame["state"] == *end) {
                return (text, frame["state"].as_str().unwrap().to_owned());
            }
        }
    }
}
