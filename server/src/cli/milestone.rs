//! `callboard milestone`: list, show, add, edit, close, cancel, reopen.

mod fields;

use super::desk::Desk;
use super::out::Row;
use super::{Exit, tasks, text};
use clap::{Args, Subcommand};
use contracts::command::{MilestoneCancel, MilestoneMove, MilestoneTasks};
use contracts::standing::Status;
use contracts::view::{MilestoneView, TaskQuery};
use contracts::{Command, Hint, MilestoneId, Note, Problem};
use serde_json::Value;

/// Arguments of `milestone`.
#[derive(Debug, Args)]
pub struct MilestoneArgs {
    #[command(subcommand)]
    command: Option<MilestoneCommand>,
}

#[derive(Debug, Subcommand)]
enum MilestoneCommand {
    /// List milestones, open ones first
    List,
    /// Show a milestone and its tasks
    Show(One),
    /// Create a milestone
    Add(fields::AddArgs),
    /// Change fields of a milestone
    Edit(Box<fields::EditArgs>),
    /// Close a milestone whose tasks are closed
    Close(MoveArgs),
    /// Cancel a milestone
    Cancel(CancelArgs),
    /// Open a closed milestone again
    Reopen(MoveArgs),
}

/// A milestone by its id.
#[derive(Debug, Args)]
struct One {
    /// Which milestone
    #[arg(value_name = "ID", value_parser = crate::cli::words::milestone)]
    id: MilestoneId,
}

#[derive(Debug, Args)]
struct MoveArgs {
    #[command(flatten)]
    which: One,
    /// Say why
    #[arg(short = 'm', long = "message", value_name = "NOTE", default_value = "", hide_default_value = true, value_parser = Note::parse)]
    note: Note,
}

impl MoveArgs {
    fn command(self) -> MilestoneMove {
        MilestoneMove { milestone: self.which.id, note: self.note }
    }
}

#[derive(Debug, Args)]
struct CancelArgs {
    #[command(flatten)]
    moved: MoveArgs,
    /// Cancel its open tasks too, or leave them open in no milestone
    #[arg(long, value_name = "cancel|detach", value_parser = MilestoneTasks::parse)]
    tasks: Option<MilestoneTasks>,
}

/// Runs one of them.
pub async fn run(desk: &mut Desk, args: MilestoneArgs) -> Result<Exit, Problem> {
    match args.command.unwrap_or(MilestoneCommand::List) {
        MilestoneCommand::List => list(desk).await?,
        MilestoneCommand::Show(One { id }) => show(desk, id).await?,
        MilestoneCommand::Add(args) => fields::add(desk, args).await?,
        MilestoneCommand::Edit(args) => fields::edit(desk, *args).await?,
        MilestoneCommand::Close(args) => write(desk, Command::MilestoneClose(args.command()), "closed").await?,
        MilestoneCommand::Reopen(args) => write(desk, Command::MilestoneReopen(args.command()), "open again").await?,
        MilestoneCommand::Cancel(CancelArgs { moved: MoveArgs { which, note }, tasks }) => {
            write(desk, Command::MilestoneCancel(MilestoneCancel { milestone: which.id, note, tasks }), "cancelled").await?;
        }
    }
    Ok(Exit::Done)
}

/// One write about a milestone.
async fn write(desk: &mut Desk, command: Command, words: &str) -> Result<(), Problem> {
    let receipt = desk.execute(command).await?;
    let id = receipt.data.get("milestone").and_then(Value::as_str).unwrap_or(&receipt.subject).to_owned();
    let row = Row::new().strong(id).dim(format!(" {} ", desk.out.arrow())).plain(words);
    desk.say(&receipt, row).await
}

async fn list(desk: &mut Desk) -> Result<(), Problem> {
    let rows = desk.list(async |board| board.milestones().await).await?;
    if desk.out.manner.json {
        return Ok(());
    }
    for row in &rows {
        let line = head(row).dim(format!("  {} open {} {} closed", row.open, desk.out.dot(), row.closed));
        desk.out.row(line);
    }
    if rows.is_empty() {
        desk.out.notice("no milestones yet: callboard milestone add 'What is to be reached'");
    }
    Ok(())
}

fn head(row: &MilestoneView) -> Row {
    let line = Row::new().strong(row.id.as_str()).plain(format!(" {}", row.title));
    if row.status == Status::Open { line } else { line.dim(format!(" ({})", row.status)) }
}

async fn show(desk: &mut Desk, id: MilestoneId) -> Result<(), Problem> {
    let rows = desk.board.milestones().await?;
    let Some(row) = rows.into_iter().find(|row| row.id == id) else {
        return Err(Problem::new(contracts::Code::NotFound, format!("there is no milestone {id}")).hint(Hint::text("callboard milestone list shows them")));
    };
    if desk.out.manner.json {
        return desk.out.document(&row);
    }
    let when = desk.when().await?;
    desk.out.row(head(&row));
    let reviews = if row.reviews { ", its tasks need a review" } else { "" };
    let due = row.due_at.map(|at| format!(", due {}", when.clock(at))).unwrap_or_default();
    desk.out.row(Row::new().dim(format!("by {} {}{due}{reviews}", row.created_by, when.moment(row.created_at))));
    if !row.goal.trim().is_empty() {
        desk.out.gap();
        desk.out.block(2, &row.goal);
    }
    for rule in &row.rules {
        desk.out.row(format!("  rule: {rule}"));
    }
    for (place, item) in row.criteria.iter().enumerate() {
        let mark = item.met.map_or("[ ]", |met| if met { "[x]" } else { "[!]" });
        desk.out.row(format!("  {:>2} {mark} {}", place + 1, item.text));
        desk.out.block(9, &item.note);
    }
    let page = desk.board.tasks(TaskQuery { milestone: Some(id), all: true, ..TaskQuery::default() }).await?;
    desk.out.gap();
    tasks::table(&mut desk.out, &page.items);
    let shown = i64::try_from(page.items.len()).unwrap_or(page.total);
    if page.total > shown {
        desk.out.row(Row::new().dim(format!("+{} more: callboard tasks --all --milestone {}", page.total - shown, row.id)));
    }
    desk.out.notice(&format!("{}, {} open", text::count(page.total, "task"), row.open));
    Ok(())
}
