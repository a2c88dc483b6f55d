//! What a session's answers handed over, until they are known to be written: marks of delivery for what the client never got are taken
//! back, so that the next session hands it over again.

use contracts::{Board, EventId};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::io::AsyncWrite;

/// Of one session. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Handed(Arc<Mutex<Vec<One>>>);

struct One {
    board: Arc<dyn Board>,
    events: Vec<EventId>,
}

impl Handed {
    /// An answer that is about to be written holds these, marked as delivered just now.
    pub fn note(&self, board: &Arc<dyn Board>, events: Vec<EventId>) {
        self.held().push(One { board: board.clone(), events });
    }

    /// What was noted up to here has reached the client's side.
    fn written(&self) {
        self.held().clear();
    }

    /// The session is over: what was not written counts as not delivered.
    pub async fn take_back(&self) {
        let left = std::mem::take(&mut *self.held());
        for One { board, events } in left {
            if let Err(problem) = board.undeliver(events).await {
                tracing::warn!(code = problem.code.as_str(), "marks of delivery were not taken back");
            }
        }
    }

    fn held(&self) -> MutexGuard<'_, Vec<One>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The client's side of a session, which says when an answer is out.
pub(crate) struct Telling<W> {
    to: W,
    handed: Handed,
}

impl<W> Telling<W> {
    /// Writes to this.
    pub fn new(to: W, handed: Handed) -> Telling<W> {
        Telling { to, handed }
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Telling<W> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.to).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.to).poll_flush(context);
        if matches!(flushed, Poll::Ready(Ok(()))) {
            self.handed.written();
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.to).poll_shutdown(context)
    }
}
