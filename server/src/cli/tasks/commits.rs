//! `callboard tasks commits`: what is bound to a task, file by file, and with `--diff` line by line.

use crate::cli::desk::Desk;
use crate::cli::out::{Out, Row, Tone};
use crate::cli::text;
use contracts::view::{CommitDetail, CommitView, DiffView, FileChanged, FileDiff, Hunk};
use contracts::{CommitSha, Problem, TaskId};
use serde_json::json;

/// Arguments of `tasks commits`.
#[derive(Debug, clap::Args)]
pub struct CommitsArgs {
    /// Which task
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    id: TaskId,
    /// Show what each commit changes
    #[arg(long)]
    diff: bool,
}

/// Prints them, oldest first.
pub async fn run(desk: &mut Desk, args: CommitsArgs) -> Result<(), Problem> {
    let commits = desk.board.task(args.id).await?.commits_detail;
    if !args.diff {
        return list(desk, &commits).await;
    }
    let mut details = Vec::with_capacity(commits.len());
    for commit in &commits {
        let sha = CommitSha::parse(&commit.sha).map_err(|fault| Problem::bad_request("sha", fault))?;
        details.push(desk.board.commit(sha).await?);
    }
    if desk.out.manner.json {
        return desk.out.document(&json!({"total": details.len(), "items": details}));
    }
    let when = desk.when().await?;
    for detail in &details {
        desk.out.gap();
        head(&mut desk.out, &detail.commit, &when.moment(detail.commit.at));
        change(&mut desk.out, detail);
    }
    none(&desk.out, details.len());
    Ok(())
}

async fn list(desk: &mut Desk, commits: &[CommitView]) -> Result<(), Problem> {
    if desk.out.manner.json {
        return desk.out.document(&json!({"total": commits.len(), "items": commits}));
    }
    let when = desk.when().await?;
    for commit in commits {
        head(&mut desk.out, commit, &when.moment(commit.at));
        for (path, added, deleted) in &commit.files {
            let lines = match (added, deleted) {
                (Some(added), Some(deleted)) => format!("+{added} -{deleted}"),
                _ => "binary".to_owned(),
            };
            desk.out.row(Row::new().dim(format!("  {lines:>12}  ")).plain(path.as_str()));
        }
        if commit.files_dropped > 0 {
            desk.out.row(Row::new().dim(format!("  +{} more files", commit.files_dropped)));
        }
    }
    none(&desk.out, commits.len());
    Ok(())
}

fn none(out: &Out, commits: usize) {
    if commits == 0 {
        out.notice("no commit is bound to this task");
    }
}

fn head(out: &mut Out, commit: &CommitView, when: &str) {
    let sha: String = commit.sha.chars().take(12).collect();
    let void = if commit.counts { "" } else { "  does not count" };
    let author = commit.author.as_deref().map(|author| format!("  {}", text::flat(author))).unwrap_or_default();
    let row = Row::new().strong(sha).plain(format!(" {}", text::flat(&commit.subject)));
    out.row(row.dim(format!("  +{} -{}{void}{author}  {when}", commit.added, commit.deleted)));
}

fn change(out: &mut Out, detail: &CommitDetail) {
    let Some(DiffView { files, truncated }) = &detail.diff else {
        let bring = detail.fetch.as_ref().map(|fetch| format!(": {fetch}")).unwrap_or_default();
        out.row(Row::new().add(Tone::Warn, format!("  not in this clone{bring}")));
        return;
    };
    if files.is_empty() {
        out.row(Row::new().dim("  changes nothing itself"));
    }
    for file in files {
        file_of(out, file);
    }
    if *truncated {
        out.row(Row::new().add(Tone::Warn, format!("  cut here; all of it: git show {}", detail.commit.sha)));
    }
}

fn file_of(out: &mut Out, file: &FileDiff) {
    let mut notes = Vec::new();
    match &file.from {
        Some(from) => notes.push(format!("{} from {from}", file.what.words())),
        None if file.what != FileChanged::Modified => notes.push(file.what.words().to_owned()),
        None => {}
    }
    notes.extend(file.modes.as_ref().map(|(old, new)| format!("mode {old} {} {new}", out.arrow())));
    notes.extend(file.binary.then(|| "binary".to_owned()));
    let notes = if notes.is_empty() { String::new() } else { format!("  {}", notes.join(", ")) };
    out.row(Row::new().plain("  ").strong(file.path.as_str()).dim(notes));
    for Hunk { old, new, heading, lines } in &file.hunks {
        let place = format!("  @@ -{},{} +{},{} @@", old.0, old.1, new.0, new.1);
        out.row(Row::new().add(Tone::Live, place).dim(if heading.is_empty() { String::new() } else { format!(" {heading}") }));
        for line in lines {
            let tone = match line.as_bytes().first() {
                Some(b'+') => Tone::Good,
                Some(b'-') => Tone::Bad,
                Some(b'\\') => Tone::Dim,
                _ => Tone::Plain,
            };
            out.row(Row::new().plain("  ").add(tone, line.replace('\t', "    ")));
        }
    }
}
