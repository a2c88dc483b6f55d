//! `callboard worktree`: the worktrees of tasks, made, listed and tidied.

use super::Exit;
use super::desk::Desk;
use super::out::{Row, Tone};
use super::text::flat;
use crate::board::TreeRow;
use clap::{Args, Subcommand};
use contracts::{Caller, Problem, Status, Surface, TaskId};
use git::Added;
use serde::Serialize;

/// Arguments of `worktree`.
#[derive(Debug, Args)]
pub struct WorktreeArgs {
    #[command(subcommand)]
    command: WorktreeCommand,
}

#[derive(Debug, Subcommand)]
enum WorktreeCommand {
    /// Make a task's worktree on its branch, or say where it is
    Add(AddArgs),
    /// List them
    List,
    /// List those that may go: closed, clean, and merged
    Tidy(TidyArgs),
}

#[derive(Debug, Args)]
struct AddArgs {
    /// Which task
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    id: TaskId,
}

#[derive(Debug, Args)]
struct TidyArgs {
    /// Remove them
    #[arg(long)]
    yes: bool,
    /// Remove their branches too
    #[arg(long)]
    branches: bool,
}

/// Runs one of them.
pub async fn run(desk: &mut Desk, args: WorktreeArgs) -> Result<Exit, Problem> {
    match args.command {
        WorktreeCommand::Add(args) => add(desk, &args.id).await?,
        WorktreeCommand::List => list(desk).await?,
        WorktreeCommand::Tidy(args) => tidy(desk, &args).await?,
    }
    Ok(Exit::Done)
}

async fn add(desk: &mut Desk, id: &TaskId) -> Result<(), Problem> {
    let caller = Caller { actor: desk.actor.clone(), principal: desk.boot.identity.principal.clone(), surface: Surface::Cli, session: None, client: None };
    let made = desk.boot.port.tree_add(&caller, id).await?;
    let words = match made.added {
        Added::Reused => "is there",
        Added::Attached => "made for the branch that was there",
        Added::Created => "made with a new branch",
    };
    let path = made.path.to_string_lossy();
    if desk.out.manner.json {
        return desk.out.document(&serde_json::json!({"task": id, "path": path, "branch": made.branch, "created": made.added != Added::Reused}));
    }
    desk.out.row(path.as_ref());
    desk.out.notice(&format!("branch {}, {words}", made.branch));
    Ok(())
}

/// A worktree as a document.
#[derive(Serialize)]
struct Document<'a> {
    task: &'a TaskId,
    title: Option<&'a str>,
    status: Option<Status>,
    holder: Option<&'a contracts::Actor>,
    path: &'a str,
    branch: Option<&'a str>,
    stays: Option<&'a str>,
    removed: bool,
}

fn document(desk: &mut Desk, rows: &[TreeRow]) -> Result<(), Problem> {
    let items: Vec<Document<'_>> = rows
        .iter()
        .map(|row| Document {
            task: &row.task,
            title: row.title.as_deref(),
            status: row.status,
            holder: row.holder.as_ref(),
            path: &row.path,
            branch: row.branch.as_deref(),
            stays: row.stays.as_deref(),
            removed: row.removed,
        })
        .collect();
    desk.out.document(&serde_json::json!({"items": items, "total": rows.len()}))
}

async fn list(desk: &mut Desk) -> Result<(), Problem> {
    let rows = desk.boot.port.tree_rows(None).await?;
    if desk.out.manner.json {
        return document(desk, &rows);
    }
    for row in &rows {
        let who = row.holder.as_ref().map(|holder| format!("  {holder}")).unwrap_or_default();
        desk.out.row(head(row).dim(who));
        desk.out.row(Row::new().dim(format!("  {} on {}", row.path, row.branch.as_deref().unwrap_or("no branch"))));
    }
    if rows.is_empty() {
        desk.out.notice("no worktrees of tasks: callboard worktree add ID makes one");
    }
    Ok(())
}

fn head(row: &TreeRow) -> Row {
    let status = row.status.map_or("unknown", Status::as_str);
    Row::new().strong(row.task.as_str()).plain(format!(" {status} {}", flat(row.title.as_deref().unwrap_or_default())))
}

async fn tidy(desk: &mut Desk, args: &TidyArgs) -> Result<(), Problem> {
    let rows = desk.boot.port.tree_rows(args.yes.then_some(args.branches)).await?;
    if desk.out.manner.json {
        return document(desk, &rows);
    }
    let branches = if args.branches { " and its branch" } else { "" };
    for row in &rows {
        let words = match &row.stays {
            Some(why) => Row::new().add(Tone::Warn, format!("  stays: {}", flat(why))),
            None if row.removed => Row::new().dim(format!("  removed {}{branches}", row.path)),
            None => Row::new().dim(format!("  may go: {}{branches}", row.path)),
        };
        desk.out.row(head(row));
        desk.out.row(words);
    }
    match rows.iter().filter(|row| row.stays.is_none()).count() {
        0 if rows.is_empty() => desk.out.notice("no worktrees of tasks"),
        0 => desk.out.notice("every one of them stays"),
        _ if !args.yes => desk.out.notice("nothing was removed: --yes does it"),
        _ => {}
    }
    Ok(())
}
