//! `callboard rebuild`: every projection anew from the log.

use super::Exit;
use super::desk::Desk;
use super::text::count;
use contracts::Problem;
use serde_json::json;

/// Rebuilds and says so.
pub async fn run(desk: &mut Desk) -> Result<Exit, Problem> {
    let made = desk.boot.store.rebuild().await.map_err(|fault| fault.problem())?;
    if desk.out.manner.json {
        desk.out.document(&json!({"events": made.events, "tasks": made.tasks, "epoch": made.epoch}))?;
    } else {
        desk.out.row(format!("rebuilt {} from {}; leases and sessions were kept", count(made.tasks, "task"), count(made.events, "event")));
    }
    Ok(Exit::Done)
}
