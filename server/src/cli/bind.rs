//! `callboard bind`: a commit that no hook saw is bound by hand.

use super::Exit;
use super::desk::Desk;
use super::out::Row;
use crate::evidence::{self, TRAILER};
use clap::Args;
use contracts::command::BoundHow;
use contracts::{Code, Command, Hint, Problem, TaskId};

/// Arguments of `bind`.
#[derive(Debug, Args)]
pub struct BindArgs {
    /// Which commit; the one HEAD is at when left out
    #[arg(value_name = "SHA", default_value = "HEAD", hide_default_value = true)]
    sha: String,
    /// For which task, instead of those its trailers or its branch name
    #[arg(long, value_name = "ID", value_parser = crate::cli::words::task)]
    task: Option<TaskId>,
}

/// Binds it to each task it names.
pub async fn run(desk: &mut Desk, args: BindArgs) -> Result<Exit, Problem> {
    let failed = |fault: git::GitError| match &fault {
        git::GitError::Failed { stderr, .. } if ["bad revision", "bad object", "names no commit"].iter().any(|said| stderr.contains(said)) => {
            let title = format!("git knows no commit {}", super::text::flat(&args.sha));
            Problem::new(Code::NotFound, title).hint(Hint::text("git log --oneline lists them: callboard bind SHA"))
        }
        _ => Problem::new(Code::GitFailed, fault.to_string()),
    };
    let repository = desk.boot.place.here().ok_or_else(|| Problem::new(Code::GitFailed, "this is no git repository"))?;
    let facts = repository.commit_facts(&args.sha, TRAILER).map_err(failed)?;
    let named = evidence::tasks_of(&facts.trailers);
    let (tasks, how) = match (args.task, facts.branch.as_deref().and_then(evidence::task_in)) {
        (Some(task), _) => (vec![task], BoundHow::Manual),
        (None, _) if !named.is_empty() => (named, BoundHow::Trailer),
        (None, Some(task)) => (vec![task], BoundHow::Branch),
        (None, None) => {
            let title = format!("neither the message of {} nor this branch names a task", short(&facts.sha));
            return Err(Problem::bad_request("task", title).hint(Hint::text("say which: callboard bind SHA --task ID")));
        }
    };
    for task in &tasks {
        let receipt = desk.execute(Command::Bind(evidence::bind(&facts, task, how))).await?;
        let bound = if receipt.events.is_empty() { "was bound already" } else { "is bound" };
        let row = Row::new().strong(task.as_str()).plain(format!(" {} {bound}", short(&facts.sha))).dim(format!("  {}", super::text::flat(&facts.subject)));
        desk.say(&receipt, row).await?;
    }
    Ok(Exit::Done)
}

fn short(sha: &str) -> &str {
    sha.get(..9).unwrap_or(sha)
}
