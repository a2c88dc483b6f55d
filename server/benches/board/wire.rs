//! HTTP/1.1 as plain bytes on one kept connection, so that nothing but the server is measured.

use crate::Outcome;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// One kept connection.
pub struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
}

/// An answer, its body as it came over the wire but for the chunks' lengths.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// Still compressed when the server compressed it.
    pub body: Vec<u8>,
    /// Bytes of the head.
    pub head_bytes: u64,
}

impl Reply {
    /// A header.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Connection {
    /// Connects.
    pub fn open(port: u16) -> Outcome<Connection> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Connection { stream: BufReader::new(stream), host: format!("127.0.0.1:{port}") })
    }

    /// Sends one request and reads its answer.
    pub fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Outcome<Reply> {
        let mut request = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", self.host);
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if method != "GET" {
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        request.push_str("\r\n");
        let mut bytes = request.into_bytes();
        bytes.extend_from_slice(body);
        self.stream.get_mut().write_all(&bytes)?;
        self.read()
    }

    fn read(&mut self) -> Outcome<Reply> {
        let mut head_bytes = 0;
        let first = self.line(&mut head_bytes)?;
        let status = first.split(' ').nth(1).and_then(|word| word.parse().ok()).ok_or_else(|| format!("no status in {first:?}"))?;
        let mut headers = Vec::new();
        loop {
            let line = self.line(&mut head_bytes)?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').ok_or("a header without a colon")?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut reply = Reply { status, headers, body: Vec::new(), head_bytes };
        if reply.header("transfer-encoding").contains("chunked") {
            loop {
                let line = self.line(&mut 0)?;
                let size = u64::from_str_radix(line.split(';').next().unwrap_or_default().trim(), 16)?;
                (&mut self.stream).take(size).read_to_end(&mut reply.body)?;
                self.line(&mut 0)?;
                if size == 0 {
                    break;
                }
            }
        } else if let Ok(size) = reply.header("content-length").parse::<u64>() {
            (&mut self.stream).take(size).read_to_end(&mut reply.body)?;
        }
        Ok(reply)
    }

    fn line(&mut self, bytes: &mut u64) -> Outcome<String> {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line)?;
        if read == 0 {
            return Err("the server closed the connection".into());
        }
        *bytes += read as u64;
        Ok(line.trim_end_matches(['\r', '\n']).to_owned())
    }
}
