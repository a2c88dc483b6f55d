//! `ask`: reads a task, a part of one, what a search finds, or the inbox; long answers go on page by page.

use super::Row;
use crate::call::{Call, Done, Tail};
use crate::text::fit::{Block, Cursor, render, window};
use crate::text::{self, count, inbox, relations, safe, task, thread};
use crate::{args, schema};
use contracts::limits::{INBOX_ITEMS_MAX, MCP_PAGE_BYTES, PAGE_ROWS_MAX};
use contracts::view::{InboxQuery, Page, SearchHit, TaskView};
use contracts::{Problem, TaskId};
use futures::FutureExt;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub(super) const ROW: Row = Row {
    name: "ask",
    description: "Read one of: a task, a search, your inbox. Takes nothing.",
    example: r#"{"task":"<id>"} or ask {"query":"<words>"} or ask {"inbox":"unread"}"#,
    read_only: true,
    board: true,
    schema: || schema::of::<Args>(&[("query", "words in tasks, threads, commits"), ("section", "of the task, whole"), ("cursor", "from the answer before")]),
    run: |call, args| run(call, args).boxed(),
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    task: Option<TaskId>,
    query: Option<String>,
    inbox: Option<Inbox>,
    section: Option<Section>,
    cursor: Option<String>,
    #[serde(rename = "actor")]
    _actor: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Inbox {
    Unread,
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Section {
    Spec,
    Thread,
    Commits,
    History,
}

impl Section {
    fn word(self) -> &'static str {
        match self {
            Section::Spec => "spec",
            Section::Thread => "thread",
            Section::Commits => "commits",
            Section::History => "history",
        }
    }
}

async fn run(call: &Call, args: Map<String, Value>) -> Result<Done, Problem> {
    let args: Args = args::read(call.row, args, &[])?;
    let cursor = args.cursor.as_deref().map(Cursor::parse).transpose()?;
    if args.section.is_some() && args.task.is_none() {
        return Err(Problem::bad_request("section", "goes with task"));
    }
    match (args.task, args.query, args.inbox) {
        (Some(id), None, None) => match (args.section, cursor) {
            (Some(section), cursor) => part(call, id, section, cursor.unwrap_or_default()).await,
            (None, None) => whole(call, id).await,
            (None, Some(_)) => Err(Problem::bad_request("cursor", "goes with section, query or inbox")),
        },
        (None, Some(query), None) => search(call, query, cursor).await,
        (None, None, Some(Inbox::Unread)) => match cursor {
            None => unread(call).await,
            Some(_) => Err(Problem::bad_request("cursor", "goes with inbox: all; unread ones come in order")),
        },
        (None, None, Some(Inbox::All)) => everything(call, cursor.unwrap_or_default()).await,
        (None, None, None) if cursor.is_none() => {
            Ok(Done { render: Box::new(|budget| render(vec![Block::Text(ASKABLE.to_owned())], budget)), inbox: true, queue: Tail::None })
        }
        _ => Err(Problem::bad_request("", "Exactly one of task, query and inbox is asked at a time")),
    }
}

/// What can be asked, for who asks nothing.
const ASKABLE: &str = r#"Ask one thing:
- a task, with what was said and done: ask {"task":"<id>"}
- a part of it, whole: ask {"task":"<id>","section":"thread"}; also spec, commits, history
- words in tasks, threads and commits: ask {"query":"<words>"}
- what was said to you: ask {"inbox":"unread"}, or all of it: ask {"inbox":"all"}
What to do next is another tool: next {}"#;

/// A task as `next` shows it, without a claim, and with who may do what.
async fn whole(call: &Call, id: TaskId) -> Result<Done, Problem> {
    let view = call.board.task(id).await?;
    Ok(Done { render: Box::new(move |budget| about(&view, budget)), inbox: true, queue: Tail::None })
}

fn about(view: &TaskView, budget: usize) -> String {
    let mut head = vec![task::head(view), standing(view)];
    head.extend(view.card.lease.as_ref().map(|lease| task::lease_for_others(lease, None)));
    let mut blocks = vec![Block::Text(head.join("\n"))];
    let text = safe::clean(view.closing_note.trim()).into_owned();
    blocks.push(Block::Cut { heading: "## Closed with".into(), text, quoted: true, least: 400, call: thread::section(&view.card.id, "thread") });
    blocks.push(Block::List(relations::collisions(view, &view.collisions, 0)));
    blocks.push(Block::Whole(task::spec(view)));
    blocks.push(Block::Whole(task::criteria(view)));
    if let Some(milestone) = &view.milestone_detail {
        blocks.extend(task::milestone(view, milestone));
    }
    blocks.push(Block::List(relations::relations(view, 300)));
    blocks.push(Block::List(relations::blockers(view, 300)));
    blocks.push(Block::List(relations::conflicts(&view.conflict_rows)));
    blocks.push(Block::List(thread::latest(view, None)));
    blocks.push(Block::List(thread::commits(view)));
    if task::is_open(view) {
        blocks.push(Block::Text(task::allowed(view)));
    }
    render(blocks, budget)
}

fn standing(view: &TaskView) -> String {
    let card = &view.card;
    let mut text = card.standing.words().to_owned();
    if let Some(why) = card.why.as_ref().filter(|why| !why.text.is_empty()) {
        text.push_str(&format!(": {}", safe::line(&why.text, 300)));
    }
    if let Some(assignee) = &card.assignee {
        text.push_str(&format!(" · for {assignee}"));
    }
    if let Some(branch) = &card.branch {
        text.push_str(&format!(" · branch {}", safe::line(branch, 200)));
    }
    if let Some(held) = &card.held {
        text.push_str(&format!(" · held by {}: {}", held.by, safe::line(&held.note, 200)));
    }
    if let Some(review) = &card.review {
        text.push_str(&format!(" · review {} by {}: {}", safe::line(&review.state, 20), review.by, safe::line(&review.note, 300)));
    }
    text
}

/// One section of a task, a page of it.
async fn part(call: &Call, id: TaskId, section: Section, cursor: Cursor) -> Result<Done, Problem> {
    let (text, total, next_page) = match section {
        Section::Spec => (task::whole(&call.board.task(id.clone()).await?), None, None),
        Section::Commits => {
            let view = call.board.task(id.clone()).await?;
            (thread::all_commits(&view, 40), Some(count(view.commits_detail.len() as i64, "commit")), None)
        }
        Section::Thread => {
            let page = call.board.thread(id.clone(), cursor.page.clone()).await?;
            let rows: Vec<String> = page.items.iter().map(|row| thread::entry(row, usize::MAX, None).0).collect();
            (rows.join("\n"), Some(entries(page.total, "the newest page first, each oldest first")), page.next)
        }
        Section::History => {
            let page = call.board.history(id.clone(), cursor.page.clone()).await?;
            let rows: Vec<String> = page.items.iter().map(|row| thread::history(row, 2_000)).collect();
            (rows.join("\n"), Some(entries(page.total, "newest first")), page.next)
        }
    };
    let title = format!("# {id} · {}{}", section.word(), total.map(|total| format!(" · {total}")).unwrap_or_default());
    let again = json!({"task": id, "section": section.word()});
    Ok(paged("ask", title, text, cursor, next_page, again, MCP_PAGE_BYTES, true))
}

fn entries(total: i64, order: &str) -> String {
    let noun = if total == 1 { "entry" } else { "entries" };
    format!("{total} {noun}, {order}")
}

/// A window of a page, and the exact call that shows what follows it.
#[allow(clippy::too_many_arguments, reason = "all that a page is made of, each once")]
pub(super) fn paged(
    tool: &'static str,
    title: String,
    text: String,
    cursor: Cursor,
    next_page: Option<String>,
    again: Value,
    bytes: usize,
    inbox: bool,
) -> Done {
    let render = move |budget: usize| {
        // A first page of hits stays within the usual budget; everything that was asked for by name has the larger one.
        let bytes = if bytes < MCP_PAGE_BYTES { budget.min(bytes) } else { bytes };
        let (shown, next_byte) = window(&text, cursor.from, bytes.saturating_sub(title.len() + 200).max(500));
        let go_on = cursor.after(next_byte, next_page).map(|next| {
            let mut again = again;
            again["cursor"] = next.text().into();
            format!("go on: {}", text::call(tool, again))
        });
        let shown = if shown.trim().is_empty() { "nothing here".to_owned() } else { shown.trim_end().to_owned() };
        text::join([title, shown, go_on.unwrap_or_default()])
    };
    Done { render: Box::new(render), inbox, queue: Tail::None }
}

async fn search(call: &Call, query: String, cursor: Option<Cursor>) -> Result<Done, Problem> {
    let bytes = if cursor.is_some() { MCP_PAGE_BYTES } else { contracts::limits::MCP_ANSWER_BYTES };
    let cursor = cursor.unwrap_or_default();
    let Page { items, total, next, .. } = call.board.search(query.clone(), cursor.page.clone()).await?;
    let title = format!("{} for {:?}", count(total, "hit"), safe::line(&query, 200));
    let rows: Vec<String> = items.iter().map(hit).collect();
    Ok(paged("ask", title, rows.join("\n"), cursor, next, json!({"query": query}), bytes, true))
}

/// `id · standing · holder · title · where it matched`.
fn hit(hit: &SearchHit) -> String {
    let card = &hit.card;
    let holder = card.lease.as_ref().map(|lease| &lease.actor).or(card.assignee.as_ref()).map_or("nobody".to_owned(), |actor| actor.to_string());
    let excerpt = if hit.excerpt.is_empty() { String::new() } else { format!(": {}", safe::line(&hit.excerpt, 160)) };
    format!("{} · {} · {holder} · {} · {}{excerpt}", card.id, card.standing.words(), safe::line(&card.title, 200), safe::line(&hit.matched, 40))
}

async fn unread(call: &Call) -> Result<Done, Problem> {
    let page = call.board.inbox(InboxQuery { limit: Some(INBOX_ITEMS_MAX as u32), ..InboxQuery::default() }).await?;
    let unread = inbox::unread(&page.items, page.total - page.items.len() as i64, MCP_PAGE_BYTES, None);
    call.hand_over(&page.items[..unread.shown]).await;
    let text = match unread.shown {
        0 => format!("Nothing unread. The last 7 days: {}", text::call("ask", json!({"inbox": "all"}))),
        _ => unread.text,
    };
    Ok(Done { render: Box::new(move |_| text), inbox: false, queue: Tail::None })
}

async fn everything(call: &Call, cursor: Cursor) -> Result<Done, Problem> {
    // Only a look: an item on a page that nobody asks for must stay unread.
    let query = InboxQuery { all: true, cursor: cursor.page.clone(), limit: Some(PAGE_ROWS_MAX as u32), ..InboxQuery::default() };
    let page = call.board.inbox(query).await?;
    let order = if page.next.is_some() || cursor.page.is_some() { ", the newest page first, each oldest first" } else { "" };
    let title = format!("# Inbox of the last 7 days · {}{order}", count(page.total, "item"));
    Ok(paged("ask", title, inbox::page(&page.items), cursor, page.next, json!({"inbox": "all"}), MCP_PAGE_BYTES, false))
}
