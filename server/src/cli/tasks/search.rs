//! `callboard tasks search`: hits with where they matched.

use crate::cli::desk::Desk;
use crate::cli::out::Row;
use crate::cli::{marks, text};
use contracts::{Problem, limits};

/// Arguments of `tasks search`.
#[derive(Debug, clap::Args)]
pub struct SearchArgs {
    /// Look for these words; each may be the beginning of a longer one
    #[arg(value_name = "TEXT", required = true, num_args = 1..)]
    words: Vec<String>,
    /// Go on where the last page ended
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

/// Finds.
pub async fn run(desk: &mut Desk, args: SearchArgs) -> Result<(), Problem> {
    let query = args.words.join(" ");
    if query.chars().count() > limits::QUERY_CHARS_MAX {
        return Err(Problem::bad_request("TEXT", format!("has more than {} characters", limits::QUERY_CHARS_MAX)));
    }
    let page = desk.board.search(query, args.cursor).await?;
    if desk.out.manner.json {
        return desk.out.document(&page);
    }
    for hit in &page.items {
        let card = &hit.card;
        let holder = card.lease.as_ref().map(|lease| format!("  {}", lease.actor)).unwrap_or_default();
        let row = Row::new()
            .add(marks::tone(card.standing), format!("{} ", marks::mark(card.standing, desk.out.manner.ascii)))
            .strong(card.id.as_str())
            .add(marks::tone(card.standing), format!(" {} ", card.standing.words()))
            .plain(card.title.clone())
            .dim(holder)
            .dim(format!("  in {}", hit.matched));
        desk.out.row(row);
        if !hit.excerpt.is_empty() {
            desk.out.row(Row::new().dim(format!("    {}", text::flat(&hit.excerpt))));
        }
    }
    let more = page.total - i64::try_from(page.items.len()).unwrap_or(page.total);
    if let (true, Some(cursor)) = (more > 0, &page.next) {
        desk.out.row(Row::new().dim(format!("+{more} more: --cursor {cursor}")));
    }
    if page.items.is_empty() {
        desk.out.notice("nothing found");
    }
    Ok(())
}
