//! The smallest HTTP client that can be rude: it sends the bytes it is given and reads what comes.

use std::collections::HashMap;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: HashMap<String, String>,
    pub body: String,
}

impl Reply {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|fault| panic!("{fault}: {self:?}"))
    }

    /// The code of a problem, with the form every problem has.
    #[track_caller]
    pub fn code(&self) -> String {
        assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
        let problem = self.json();
        let code = problem["code"].as_str().unwrap().to_owned();
        assert_eq!(problem["type"], format!("urn:callboard:{code}"));
        assert_eq!(problem["status"], self.status);
        for key in ["title", "detail", "hint", "instance"] {
            assert!(problem[key].is_string(), "{key}: {problem}");
        }
        code
    }
}

/// A request in the making; its address line and headers are sent as they are.
#[derive(Clone)]
pub struct Call {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

pub fn call(method: &str, path: &str) -> Call {
    Call { line: format!("{method} {path} HTTP/1.1"), headers: Vec::new(), body: Vec::new() }
}

impl Call {
    pub fn with(mut self, name: &str, value: &str) -> Call {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn body(mut self, kind: &str, body: impl Into<Vec<u8>>) -> Call {
        self.body = body.into();
        let length = self.body.len().to_string();
        self.with("content-type", kind).with("content-length", &length)
    }

    pub fn json(self, body: &serde_json::Value) -> Call {
        self.body("application/json", body.to_string())
    }

    pub fn form(self, body: &str) -> Call {
        self.body("application/x-www-form-urlencoded", body)
    }

    fn bytes(&self, port: u16) -> Vec<u8> {
        let mut head = format!("{}\r\nconnection: close\r\n", self.line);
        if !self.headers.iter().any(|(name, _)| name == "host") {
            head.push_str(&format!("host: localhost:{port}\r\n"));
        }
        for (name, value) in self.headers.iter().filter(|(_, value)| value != "-") {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        [head.as_bytes(), b"\r\n", &self.body].concat()
    }

    pub async fn send(&self, port: u16) -> Reply {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let bytes = self.bytes(port);
        let (mut read, mut write) = stream.split();
        let mut answer = Vec::new();
        let sent = async {
            let _ = write.write_all(&bytes).await; // a refused body may be left unread
        };
        let (_, heard) = tokio::join!(sent, read.read_to_end(&mut answer));
        assert!(heard.is_ok() || !answer.is_empty(), "{heard:?}");
        parsed(&answer)
    }
}

fn parsed(answer: &[u8]) -> Reply {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(answer)));
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: HashMap<String, String> =
        lines.map(|line| line.split_once(": ").unwrap()).map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    let body = &answer[end + 4..];
    let whole = if headers.get("transfer-encoding").is_some_and(|coding| coding == "chunked") { unchunked(body) } else { body.to_vec() };
    Reply { status, headers, body: String::from_utf8_lossy(&whole).into_owned() }
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|window| window == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        whole.extend_from_slice(&body[end + 2..end + 2 + size]);
        body = &body[end + 4 + size..];
    }
    whole
}
