//! One tool call: leases are renewed first, then the work, then unread inbox items before it and the queue line after it.

use crate::handed::Handed;
use crate::text::{inbox, queue_line, safe};
use crate::tools::Row;
use contracts::command::{Command, Renew};
use contracts::view::{InboxItem, InboxQuery, Queue};
use contracts::{Actor, Board, Code, CommandRequest, EventId, Hint, Problem, limits};
use serde_json::{Map, Value};
use std::sync::Arc;

/// What a tool works with.
pub(crate) struct Call {
    /// The tool that was called.
    pub row: &'static Row,
    /// The caller's board.
    pub board: Arc<dyn Board>,
    /// The caller.
    pub actor: Actor,
    /// Takes note of what the answer hands over.
    pub handed: Handed,
}

impl Call {
    /// Hands over what stands in the answer: marks it as delivered, and takes note of it until the answer is written. What can't be marked
    /// comes again with a later answer.
    pub async fn hand_over(&self, items: &[InboxItem]) {
        let events: Vec<EventId> = items.iter().filter(|item| item.delivered_at.is_none()).map(|item| item.entry.event.clone()).collect();
        if events.is_empty() {
            return;
        }
        match self.board.deliver(events.clone()).await {
            Ok(()) => self.handed.note(&self.board, events),
            Err(problem) => tracing::debug!(code = problem.code.as_str(), "what was handed over was not marked"),
        }
    }
}

/// What a tool gives back.
pub(crate) struct Done {
    /// The text, given how many bytes it may have.
    pub render: Box<dyn FnOnce(usize) -> String + Send>,
    /// Whether unread inbox items go before it; false where the text has its own, or must deliver none.
    pub inbox: bool,
    /// The line after it.
    pub queue: Tail,
}

/// Which counts stand in the last line.
pub(crate) enum Tail {
    /// None: the tool answers without.
    None,
    /// Read now.
    Read,
    /// These, as they were before the claim.
    Counts(Queue),
}

/// Runs one tool and puts the answer together.
pub(crate) async fn answer(call: &Call, args: Map<String, Value>) -> Result<String, Problem> {
    let (notes, busy) = match renew(call).await {
        Ok(notes) => (notes, false),
        // It waited for its turn already: a second wait would only keep the agent longer from the same answer.
        Err(problem) if !call.row.read_only => return Err(problem),
        Err(_) => (Vec::new(), true),
    };
    let done = (call.row.run)(call, args).await.map_err(|problem| in_form(call.row, problem))?;

    let mut head = notes;
    if done.inbox && !busy {
        head.push(unread(call).await);
    }
    let head = head.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
    let tail = match done.queue {
        Tail::None => String::new(),
        Tail::Counts(queue) => queue_line(&call.actor, &queue),
        Tail::Read => match call.board.queue().await {
            Ok(queue) => queue_line(&call.actor, &queue),
            // What was done is done: a count that can't be read must not turn it into a refusal.
            Err(problem) => format!("{} · the queue could not be read: {}", call.actor, safe::line(&problem.title, 200)),
        },
    };
    let body = (done.render)(limits::MCP_ANSWER_BYTES.saturating_sub(head.len() + tail.len() + 4));
    Ok(crate::text::join([head, body, tail]))
}

/// A call out of form is answered with one that is in form, where nothing better is known.
fn in_form(row: &Row, problem: Problem) -> Problem {
    let unhelped = problem.code == Code::BadRequest && problem.hint == Hint::default();
    if unhelped { problem.hint(crate::args::example(row)) } else { problem }
}

/// Every call extends what its caller holds. Holding nothing, or not being allowed to write, is no reason to refuse the work;
/// only `busy` is handed on.
async fn renew(call: &Call) -> Result<Vec<String>, Problem> {
    match call.board.execute(CommandRequest::of(Command::Renew(Renew { task: None }))).await {
        Ok(receipt) => Ok(receipt.warnings.iter().map(|warning| format!("note: {}", safe::line(&warning.text, 300))).take(3).collect()),
        Err(problem) if problem.code == Code::Busy => Err(problem),
        Err(problem) => {
            tracing::debug!(code = problem.code.as_str(), "leases were not renewed");
            Ok(Vec::new())
        }
    }
}

async fn unread(call: &Call) -> String {
    let query = InboxQuery { limit: Some(limits::INBOX_ITEMS_MAX as u32), ..InboxQuery::default() };
    match call.board.inbox(query).await {
        Ok(page) => {
            let unread = inbox::unread(&page.items, page.total - page.items.len() as i64, inbox::RIDING_BYTES, None);
            call.hand_over(&page.items[..unread.shown]).await;
            unread.text
        }
        Err(problem) => {
            tracing::debug!(code = problem.code.as_str(), "the inbox was not read");
            String::new()
        }
    }
}
