//! `callboard tasks log`: everything that happened to a task, newest first, with what each edit changed.

use crate::cli::desk::Desk;
use crate::cli::out::Row;
use crate::cli::text;
use contracts::view::{HistoryRow, Page};
use contracts::{Problem, TaskId};
use serde_json::Value;

/// Arguments of `tasks log`.
#[derive(Debug, clap::Args)]
pub struct HistoryArgs {
    /// Which task
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    id: TaskId,
    /// Print at most N events
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
}

/// Prints the events.
pub async fn run(desk: &mut Desk, args: HistoryArgs) -> Result<(), Problem> {
    let most = args.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let mut list: Page<HistoryRow> = Page::default();
    let mut cursor = None;
    loop {
        let page = desk.board.history(args.id.clone(), cursor).await?;
        let came = page.items.len();
        list = Page { items: list.items, total: page.total, next: page.next.clone(), seq: page.seq };
        list.items.extend(page.items);
        if page.next.is_none() || came == 0 || list.items.len() >= most {
            break;
        }
        cursor = page.next;
    }
    if list.items.len() > most {
        list.items.truncate(most);
        list.next = None;
    }
    if desk.out.manner.json {
        return desk.out.document(&list);
    }
    let when = desk.when().await?;
    for row in &list.items {
        let entry = &row.entry;
        let void = if entry.no_effect { "  had no effect" } else { "" };
        desk.out.row(Row::new().dim(format!("{}  ", when.moment(entry.at))).strong(entry.actor.as_str()).plain(format!(" {}", entry.words)).dim(void));
        if let Some(field) = &row.field {
            let (from, to) = (value(&row.from, desk.out.ellipsis()), value(&row.to, desk.out.ellipsis()));
            desk.out.row(Row::new().dim(format!("    {field}: {from} {} {to}", desk.out.arrow())));
        }
        desk.out.block(4, &entry.text);
    }
    let more = list.total - i64::try_from(list.items.len()).unwrap_or(list.total);
    if more > 0 {
        desk.out.row(Row::new().dim(format!("+{more} more")));
    }
    Ok(())
}

/// A field's value in one line.
fn value(value: &Value, ellipsis: &str) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(written) => text::cut(&format!("{:?}", text::flat(written)), 80, ellipsis),
        other => text::cut(&other.to_string(), 80, ellipsis),
    }
}
