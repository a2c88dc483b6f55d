//! The lines of a session before they are messages: one that can't be read is answered by its sender's own protocol, and the session goes on.
//!
//! Invariant: what goes on to the library is one JSON document a line, within the limits; an answer leaves by the same way as all others, so
//! two never mix.

use contracts::limits;
use rmcp::RoleServer;
use rmcp::model::{ErrorCode, ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::future::Future;
use std::io;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Longest line of a session, bytes. Over the limit of a body its call is refused by name; over this it is thrown away, its id with it.
const LINE_BYTES_MAX: usize = 8 << 20;
/// Bytes that wait between the two.
const BETWEEN_BYTES: usize = 1 << 16;
/// Answers to unreadable lines that wait; their senders wait too.
const ANSWERS_WAITING_MAX: usize = 16;

/// A session's way in and out.
pub(crate) struct Lines<W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, DuplexStream, W>,
    unreadable: mpsc::Receiver<Unreadable>,
    /// An answer to an unreadable line that is on its way.
    answering: Option<JoinHandle<Result<(), io::Error>>>,
    sifting: JoinHandle<()>,
}

/// Why a line is not read.
#[derive(Debug)]
struct Unreadable {
    code: ErrorCode,
    text: String,
    id: Option<RequestId>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Lines<W> {
    /// On a pair of streams.
    pub fn new<R: AsyncRead + Send + Unpin + 'static>(read: R, write: W) -> Lines<W> {
        let (good, theirs) = tokio::io::duplex(BETWEEN_BYTES);
        let (tell, unreadable) = mpsc::channel(ANSWERS_WAITING_MAX);
        let inner = AsyncRwTransport::new_server(theirs, write).with_max_line_length(LINE_BYTES_MAX);
        Lines { inner, unreadable, answering: None, sifting: tokio::spawn(sift(BufReader::new(read), good, tell)) }
    }
}

impl<W: AsyncWrite> Drop for Lines<W> {
    fn drop(&mut self) {
        self.sifting.abort();
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    fn send(&mut self, item: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(answering) = &mut self.answering {
                let _ = answering.await; // whoever does not hear it has gone, which the next line shows
                self.answering = None;
            }
            tokio::select! {
                // Before the end of the stream is told, every line of it is answered.
                biased;
                Some(Unreadable { code, text, id }) = self.unreadable.recv() => {
                    let answer = TxJsonRpcMessage::<RoleServer>::error(ErrorData::new(code, text, None), id);
                    // On its own: this future is dropped whenever another answer is ready first, and half a line must not leave.
                    self.answering = Some(tokio::spawn(self.inner.send(answer)));
                }
                message = self.inner.receive() => return message,
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.inner.close().await
    }
}

/// Hands on the lines that can be read, and tells of the others. Ends with the stream.
async fn sift<R: AsyncBufRead + Unpin>(mut read: R, mut good: DuplexStream, tell: mpsc::Sender<Unreadable>) {
    let mut line = Vec::new();
    loop {
        let fault = match next_line(&mut read, &mut line).await {
            Ok(Some(true)) => fault_of(&line),
            Ok(Some(false)) => Some(Unreadable {
                code: ErrorCode::INVALID_REQUEST,
                text: format!("the line has more than {LINE_BYTES_MAX} bytes; send it in several calls"),
                id: None,
            }),
            Ok(None) => return,
            Err(fault) => {
                tracing::error!(%fault, "the client's stream can't be read");
                return;
            }
        };
        let told = match fault {
            None => good.write_all(&line).await.is_ok(),
            Some(fault) => {
                tracing::debug!(text = fault.text, "a line was not read");
                tell.send(fault).await.is_ok()
            }
        };
        if !told {
            return; // the session is over
        }
    }
}

/// Reads a line with its end, true, or throws one away that is too long, false. None at the end of the stream.
async fn next_line<R: AsyncBufRead + Unpin>(read: &mut R, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    let mut fits = true;
    loop {
        let available = read.fill_buf().await?;
        if available.is_empty() {
            return Ok(None); // what has no end is no message
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(available.len(), |end| end + 1);
        fits = fits && line.len() + length <= LINE_BYTES_MAX;
        if fits {
            line.extend_from_slice(&available[..length]);
        } else {
            *line = Vec::new();
        }
        read.consume(length);
        if end.is_some() {
            return Ok(Some(fits));
        }
    }
}

/// What is wrong with a line; none with a blank one.
fn fault_of(line: &[u8]) -> Option<Unreadable> {
    #[derive(Deserialize)]
    struct Named {
        id: Option<RequestId>,
    }
    let line = line.trim_ascii();
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.is_empty() {
        return None;
    }
    if let Err(fault) = serde_json::from_slice::<IgnoredAny>(line) {
        return Some(Unreadable { code: ErrorCode::PARSE_ERROR, text: format!("the line is not JSON: {fault}"), id: None });
    }
    let depth = contracts::json::depth(line);
    (depth > limits::JSON_DEPTH_MAX).then(|| Unreadable {
        code: ErrorCode::INVALID_REQUEST,
        text: format!("the JSON is nested {depth} deep; the limit is {}", limits::JSON_DEPTH_MAX),
        id: serde_json::from_slice::<Named>(line).ok().and_then(|named| named.id),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_document_within_the_limits() {
        for good in ["", "  ", "{}", "\u{feff}{\"a\": [1]}", "[]", "5"] {
            assert!(fault_of(good.as_bytes()).is_none(), "{good:?}");
        }
        for bad in ["{", "{} {}", "Debugger listening", "\u{1}"] {
            assert!(matches!(fault_of(bad.as_bytes()), Some(Unreadable { code: ErrorCode::PARSE_ERROR, id: None, .. })), "{bad:?}");
        }
        let deep = format!("{{\"jsonrpc\": \"2.0\", \"id\": 7, \"params\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let fault = fault_of(deep.as_bytes()).unwrap();
        assert_eq!((fault.code, fault.id, fault.text.contains("100001 deep")), (ErrorCode::INVALID_REQUEST, Some(RequestId::Number(7)), true));
    }
}
