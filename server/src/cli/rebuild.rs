//! `callboard rebuild`: every projection anew from the log.

use super::Exit;
use super::desk::Desk;
use super::text::count;
use contracts::Problem;
use serde_json::json;

/// Rebuilds and says so.
pub async fn run(desk: &mut Desk) -> Result<Exit, Problem> {
    let made = desk.boot.rebuild().await?;
    if made.bodiless > 0 {
        let words = "without the long body that belongs to it: no file here holds it; `callboard log verify` names it, and the branch that has it brings it";
        desk.out.notice(&format!("{} stands {words}", count(made.bodiless, "event")));
    }
    if desk.out.manner.json {
        desk.out.document(&json!({"events": made.events, "tasks": made.tasks, "bodiless": made.bodiless, "epoch": made.epoch}))?;
    } else {
        desk.out.row(format!("rebuilt {} from {}; leases and sessions were kept", count(made.tasks, "task"), count(made.events, "event")));
    }
    Ok(Exit::Done)
}
