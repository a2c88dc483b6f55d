//! Before a close, a submission or a pass is decided: what git has of the task's commits is bound, so that a hook that never ran costs no
//! evidence. Outside the engine, on a thread that may block, and for a bounded time.

use super::ServerPort;
use crate::evidence::{self, Known};
use contracts::standing::Verdict;
use contracts::{Caller, Command, CommandRequest, TaskId};
use std::time::Duration;
use storage::Work;

/// How long git may take. Longer, and the command is decided by what is bound already.
const GATHERING: Duration = Duration::from_secs(4);

/// The task whose evidence a command asks for.
fn asks_for(command: &Command) -> Option<&TaskId> {
    match command {
        Command::Close(close) => Some(&close.task),
        Command::Submit(submit) => Some(&submit.task),
        Command::Review(review) if review.verdict == Verdict::Pass => Some(&review.task),
        _ => None,
    }
}

impl ServerPort {
    /// Binds what git has, and notes what is not pushed yet.
    pub(super) async fn gather(&self, caller: &Caller, requests: &mut [CommandRequest]) {
        let Some(repository) = self.0.base.repository() else { return };
        for request in requests {
            let Some(task) = asks_for(&request.command).cloned() else { continue };
            let Some((known, holder)) = self.known(&task).await else { continue };
            let Ok(base) = self.chosen_base().await else { continue };
            let repository = repository.clone();
            let asking = tokio::task::spawn_blocking(move || evidence::gather(&repository, &known, base.as_deref()));
            let found = match tokio::time::timeout(GATHERING, asking).await {
                Ok(Ok(Ok(found))) => found,
                Ok(Ok(Err(fault))) => {
                    tracing::warn!(%task, %fault, "git could not say which commits there are");
                    continue;
                }
                Ok(Err(_)) => {
                    tracing::error!(%task, "looking for evidence panicked");
                    continue;
                }
                Err(_) => {
                    tracing::warn!(%task, "git took too long to say which commits there are");
                    continue;
                }
            };
            if !found.commands.is_empty() {
                let caller = Caller { actor: holder.unwrap_or_else(|| caller.actor.clone()), ..caller.clone() };
                let commands = found.commands.into_iter().map(CommandRequest::of).collect();
                if let Err(problem) = self.enqueue(&caller, Work::Commands(commands)).await {
                    tracing::warn!(%task, code = %problem.code, "evidence was not bound");
                }
            }
            if let Command::Close(close) = &mut request.command {
                close.unpushed = close.unpushed.or(found.unpushed);
            }
        }
    }

    /// What is known of a task's commits, and who holds it.
    async fn known(&self, task: &TaskId) -> Option<(Known, Option<contracts::Actor>)> {
        let mut read = self.store().reader().begin().await.ok()?;
        let row = read.card_rows(std::slice::from_ref(task)).await.ok()?.pop()?;
        let here = read.commits_bound_here(task).await.ok()?;
        let known = Known {
            task: task.clone(),
            branch: row.task.branch.clone(),
            base: row.task.base.clone(),
            created_at: row.task.created_at,
            bound: row.task.commits.iter().map(|commit| (commit.sha.clone(), commit.superseded.is_some())).collect(),
            here,
        };
        Some((known, row.lease.map(|lease| lease.actor)))
    }
}
