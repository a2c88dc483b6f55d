//! The board as text: five columns, and every standing in them with its count.

use crate::report::text::clean;
use contracts::command::Priority;
use contracts::standing::{Column, Standing};
use contracts::view::{BoardView, ColumnView, TaskCard};

/// How everything stands, from the rows as they are now.
pub fn board(board: &BoardView) -> String {
    let mut text = "# Board\n".to_owned();
    for column in &board.columns {
        let standings = Standing::ALL.iter().filter(|standing| standing.column() == column.key);
        let counts: Vec<String> = standings.map(|standing| format!("{} {}", board.counts.at(*standing), standing.words())).collect();
        text.push_str(&format!("\n## {} ({})\n\n{}\n", heading(column.key), column.total, counts.join(" · ")));
        if !column.cards.is_empty() {
            text.push('\n');
        }
        column.cards.iter().for_each(|card| text.push_str(&row(card)));
        text.push_str(&more(column));
    }
    text
}

fn heading(column: Column) -> &'static str {
    match column {
        Column::Backlog => "Backlog",
        Column::Ready => "Ready",
        Column::Working => "Working",
        Column::NeedsYou => "Needs you",
        Column::Done => "Done",
    }
}

/// Id, title, priority, holder, what it waits for, what waits for it, commits.
fn row(card: &TaskCard) -> String {
    let priority = Priority::parse(card.priority.into()).map_or("?", |priority| priority.words());
    let holder = card.lease.as_ref().map(|lease| &lease.actor).or(card.assignee.as_ref());
    let holder = holder.map(|holder| format!(" · {holder}")).unwrap_or_default();
    let marks = [("↑", card.waits), ("↓", card.blocks), ("◆", card.commits)];
    let marks: String = marks.iter().filter(|(_, count)| *count > 0).map(|(mark, count)| format!(" {mark}{count}")).collect();
    format!("- {} {} · {priority}{holder}{marks}\n", card.id, clean(&card.title))
}

fn more(column: &ColumnView) -> String {
    let more = column.total - i64::try_from(column.cards.len()).unwrap_or(column.total);
    if more > 0 { format!("\n{more} more not shown\n") } else { String::new() }
}
