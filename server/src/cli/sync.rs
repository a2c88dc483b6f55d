//! `callboard sync`: what others did is read in, what was queued is written, and with `--commit` git gets the log of this clone.

use super::Exit;
use super::desk::Desk;
use super::out::Row;
use super::text::count;
use crate::pending;
use clap::Args;
use contracts::{Code, Hint, Problem};
use git::Repository;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Arguments of `sync`.
#[derive(Debug, Args)]
pub struct SyncArgs {
    /// Commit the log, its blobs and the reports, and nothing else
    #[arg(long)]
    commit: bool,
}

/// The subject of the commit that holds nothing but the log.
const SUBJECT: &str = "callboard: log";

/// Syncs and says in one line what came of it.
pub async fn run(desk: &mut Desk, args: &SyncArgs) -> Result<Exit, Problem> {
    for sentence in pending::drain_all(&desk.boot.root, &desk.boot.port).await {
        desk.out.notice(&sentence);
    }
    // Opening read the log folder already, unless something came since.
    let folder = desk.boot.store.reconcile().await.map_err(|fault| fault.problem())?;
    let tips = desk.boot.port.look_at_tips().await?;
    let report = desk.boot.reconciled.and(folder).and(tips);
    let left_alone = desk.boot.store.left_alone().await.map_err(|fault| fault.problem())?;
    let repository = desk.boot.place.repository();
    let committed = match (&repository, args.commit) {
        (_, false) => None,
        (Some(repository), true) => commit(repository, &desk.boot.root)?,
        (None, true) => {
            let hint = Hint::text("callboard sync without --commit reads what is in the log folder");
            return Err(Problem::new(Code::GitFailed, "this board is in no git repository, so there is nothing to commit to").hint(hint));
        }
    };
    let left = match &repository {
        Some(repository) => repository.uncommitted_below(&refs(&below(repository, &desk.boot.root))).map_err(failed)?.len(),
        None => 0,
    };
    if desk.out.manner.json {
        desk.out.document(&json!({
            "in": report.lines_in, "out": report.lines_out, "now_ready": report.now_ready, "conflicts": report.conflicts,
            "quarantined": report.quarantined, "left_alone": left_alone, "not_committed": left, "commit": committed,
        }))?;
        return Ok(Exit::Done);
    }
    let dot = desk.out.dot();
    let mut parts = vec![
        format!("in {}", report.lines_in),
        format!("out {}", report.lines_out),
        format!("now ready {}", report.now_ready),
        format!("conflicts {}", report.conflicts),
        format!("quarantined {}", report.quarantined),
        format!("not committed {}", count(i64::try_from(left).unwrap_or(i64::MAX), "file")),
    ];
    parts.extend(committed.as_ref().map(|sha| format!("committed {}", sha.get(..12).unwrap_or(sha))));
    desk.out.row(Row::from(parts.join(&format!(" {dot} "))));
    if let Some(base) = desk.boot.port.base_without_remote().await? {
        let how = format!("git branch --set-upstream-to REMOTE/{base} {base}");
        desk.out.notice(&format!("note: {base} follows no branch of a remote, so what others did is not looked for: {how}"));
    }
    if left_alone > 0 {
        let files = count(i64::try_from(left_alone).unwrap_or(i64::MAX), "file");
        desk.out.notice(&format!("note: this branch follows another remote than the base does, so {files} of its log were not read"));
    }
    if report.quarantined > 0 {
        desk.out.notice("note: callboard log quarantine shows what could not be used");
    }
    Ok(Exit::Done)
}

/// What is committed, from the top of the repository.
fn below(repository: &Repository, root: &Path) -> Vec<PathBuf> {
    let root = root.strip_prefix(repository.directory()).unwrap_or(root);
    ["log", "blobs", "reports"].map(|folder| root.join(folder)).to_vec()
}

fn refs(paths: &[PathBuf]) -> Vec<&Path> {
    paths.iter().map(PathBuf::as_path).collect()
}

fn commit(repository: &Repository, root: &Path) -> Result<Option<String>, Problem> {
    repository.commit_below(&refs(&below(repository, root)), SUBJECT).map_err(failed)
}

fn failed(fault: git::GitError) -> Problem {
    let hint = Hint::text("end what git is in the middle of, then: callboard sync --commit");
    Problem::new(Code::GitFailed, "git did not commit the log").detail(fault.to_string()).hint(hint)
}
