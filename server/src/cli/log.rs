//! `callboard log`: whether every line of the log is what was written, what could not be used, and the files it stands in.

use super::desk::Desk;
use super::out::{Row, Tone};
use super::{Exit, text};
use clap::{Args, Subcommand};
use contracts::Problem;
use serde_json::{Value, json};

/// Arguments of `log`.
#[derive(Debug, Args)]
pub struct LogArgs {
    #[command(subcommand)]
    command: LogCommand,
}

#[derive(Debug, Subcommand)]
enum LogCommand {
    /// Check every line's hash, each writer's chain, and the files against the database
    Verify,
    /// List lines that could not be used
    Quarantine,
    /// Fold files of the log that the base has, and that are older than 30 days, into few
    Pack,
    /// Write back files of this clone's log that no branch has any more
    Restore,
}

/// Runs one of them.
pub async fn run(desk: &mut Desk, args: &LogArgs) -> Result<Exit, Problem> {
    match args.command {
        LogCommand::Verify => verify(desk).await,
        LogCommand::Quarantine => quarantine(desk).await,
        LogCommand::Pack => pack(desk).await,
        LogCommand::Restore => restore(desk).await,
    }
}

/// Prints what is wrong, file by file; anything at all is a fault.
async fn verify(desk: &mut Desk) -> Result<Exit, Problem> {
    let report = desk.boot.store.verify().await.map_err(|fault| fault.problem())?;
    let exit = if report.is_sound() { Exit::Done } else { Exit::Fault };
    if desk.out.manner.json {
        let findings: Vec<Value> =
            report.findings.iter().map(|found| json!({"file": found.file, "line": found.line, "code": found.code, "text": found.text})).collect();
        let counts = json!({"files": report.files, "lines": report.lines, "events": report.events, "blobs": report.blobs});
        desk.out.document(&json!({"sound": report.is_sound(), "counts": counts, "findings": findings}))?;
        return Ok(exit);
    }
    for found in &report.findings {
        let place = if found.line > 0 { format!("{}:{}", found.file, found.line) } else { found.file.clone() };
        desk.out.row(Row::new().strong(place).add(Tone::Bad, format!(" {} ", found.code)).plain(text::flat(&found.text)));
    }
    let read = format!("{}, {}, {}", text::count(report.lines, "line"), text::count(report.files, "file"), text::count(report.events, "event"));
    let line = match report.findings.len() {
        0 => Row::new().add(Tone::Good, "sound").dim(format!("  {read}")),
        faults => Row::new().add(Tone::Bad, text::count(i64::try_from(faults).unwrap_or(i64::MAX), "fault")).dim(format!("  {read}")),
    };
    desk.out.row(line);
    Ok(exit)
}

async fn pack(desk: &mut Desk) -> Result<Exit, Problem> {
    let in_base = desk.boot.port.log_files_in_base().await?;
    let packed = desk.boot.store.pack(&in_base).await.map_err(|fault| fault.problem())?;
    if desk.out.manner.json {
        desk.out.document(&json!({"files": packed.files, "lines": packed.lines, "packs": packed.packs}))?;
    } else if packed.files == 0 {
        desk.out.notice("nothing to pack: only files that the base has, and whose every event is older than 30 days, are packed");
    } else {
        let made = format!("packed {} with {} into {}", text::count(packed.files, "file"), text::count(packed.lines, "line"), packed.packs.join(" "));
        desk.out.row(made);
        desk.out.notice("callboard sync --commit commits it");
    }
    Ok(Exit::Done)
}

async fn restore(desk: &mut Desk) -> Result<Exit, Problem> {
    let restored = desk.boot.store.restore().await.map_err(|fault| fault.problem())?;
    if desk.out.manner.json {
        let items: Vec<Value> = restored.iter().map(|file| json!({"file": format!("log/{}", file.name), "lines": file.lines})).collect();
        desk.out.document(&json!({"total": items.len(), "items": items}))?;
        return Ok(Exit::Done);
    }
    for file in &restored {
        desk.out.row(Row::new().strong(format!("log/{}", file.name)).dim(format!("  {}", text::count(file.lines, "line"))));
    }
    if restored.is_empty() {
        desk.out.notice("nothing to restore: every file of this clone's log is here or on a branch");
    }
    Ok(Exit::Done)
}

async fn quarantine(desk: &mut Desk) -> Result<Exit, Problem> {
    let lines = desk.boot.store.quarantine().map_err(|fault| fault.problem())?;
    if desk.out.manner.json {
        let items: Vec<Value> = lines.iter().map(|line| json!({"file": line.file, "line": line.line, "reason": line.reason, "text": line.text})).collect();
        desk.out.document(&json!({"total": items.len(), "items": items}))?;
        return Ok(Exit::Done);
    }
    let columns = desk.out.manner.columns;
    for line in &lines {
        desk.out.row(Row::new().strong(format!("{}:{}", line.file, line.line)).add(Tone::Warn, format!(" {}", line.reason)));
        desk.out.row(Row::new().dim(format!("  {}", text::cut(&line.text, columns, desk.out.ellipsis()))));
    }
    if lines.is_empty() {
        desk.out.notice("nothing is in quarantine");
    }
    Ok(Exit::Done)
}
