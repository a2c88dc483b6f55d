//! `callboard inbox`: what is there for whoever asks. An agent has been handed what is printed; a person's stays unread until it
//! is opened in the browser.

use super::desk::Desk;
use super::out::{Out, Row};
use super::when::When;
use super::{Exit, text};
use contracts::standing::Column;
use contracts::view::{BoardQuery, InboxItem, InboxQuery, Page};
use contracts::{Problem, limits};

/// Arguments of `inbox`.
#[derive(Debug, clap::Args)]
pub struct InboxArgs {
    /// Show the last seven days, also what was read
    #[arg(long)]
    all: bool,
    /// Show at most N items
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=limits::PAGE_ROWS_MAX as i64))]
    limit: Option<u32>,
}

/// Prints the items, oldest first.
pub async fn run(desk: &mut Desk, args: &InboxArgs) -> Result<Exit, Problem> {
    let page = page(desk, args).await?;
    if desk.out.manner.json {
        desk.out.document(&page)?;
        return Ok(Exit::Done);
    }
    let when = desk.when().await?;
    rows(&mut desk.out, &when, &page.items);
    let more = page.total - i64::try_from(page.items.len()).unwrap_or(page.total);
    if more > 0 {
        // All of an inbox is one page without a limit; unread ones are a few, unless more are asked for.
        let rest = if args.all || page.total > limits::PAGE_ROWS_MAX as i64 { "--all".to_owned() } else { format!("--limit {}", page.total) };
        desk.out.row(Row::new().dim(format!("+{more} more: callboard inbox {rest}")));
    }
    if page.items.is_empty() {
        let scope = if args.all { "nothing in the last seven days" } else { "nothing unread" };
        desk.out.notice(&format!("{scope} for {}", desk.actor));
    }
    if desk.actor.is_dev() {
        let counts = desk.board.board(BoardQuery { limit: Some(1), ..BoardQuery::default() }).await?.counts;
        let asks = counts.column(Column::NeedsYou);
        if asks > 0 {
            let words = if asks == 1 { "task waits" } else { "tasks wait" };
            desk.out.notice(&format!("{asks} {words} for a person: callboard tasks --standing needs_you,in_review"));
        }
    }
    Ok(Exit::Done)
}

/// What is asked for: unread ones, or page after page, the newest first, of all.
async fn page(desk: &Desk, args: &InboxArgs) -> Result<Page<InboxItem>, Problem> {
    let query = InboxQuery { all: args.all, deliver: desk.actor.is_agent(), limit: args.limit, cursor: None };
    let mut list = desk.board.inbox(query.clone()).await?;
    while args.all
        && args.limit.is_none()
        && let Some(cursor) = list.next.take()
    {
        let older = desk.board.inbox(InboxQuery { cursor: Some(cursor), ..query.clone() }).await?;
        list.next = older.next;
        list.items.splice(0..0, older.items);
    }
    Ok(list)
}

/// One item: who, about what, when; then what they wrote.
pub fn rows(out: &mut Out, when: &When, items: &[InboxItem]) {
    for item in items {
        let entry = &item.entry;
        let subject = if entry.subject == "project" { String::new() } else { format!(" {}", entry.subject) };
        let title = text::cut(&text::flat(&entry.title), 50, out.ellipsis());
        let row = Row::new().strong(entry.actor.as_str()).plain(format!(" {}", entry.words)).strong(subject);
        let row = if title.is_empty() { row } else { row.plain(format!(" {title}")) };
        out.row(row.dim(format!("  {}", when.moment(entry.at))));
        out.block(4, &entry.text);
    }
}
