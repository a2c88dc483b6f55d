//! What the settings page is told: how the project is wired here, what connects clients by hand, and whether the log holds.

use super::{ServerPort, assemble::told};
use crate::init::status::{self, INIT};
use crate::{boot, init, known};
use contracts::settings::{KnownProject, LogCheck, LogFinding, SettingsQuery, SettingsView, Snippet, Wiring, WiringRow};
use contracts::{Code, Problem};
use git::Repository;
use std::path::Path;
use storage::{Store, VerifyReport};
use tokio::runtime::Handle;

/// Most findings of a check that are told one by one.
const FINDINGS_TOLD_MAX: usize = 50;

pub(super) async fn settings(port: &ServerPort, query: SettingsQuery, seq: i64) -> Result<SettingsView, Problem> {
    let store = port.store();
    let directory = store.place().root.clone();
    let runtime = Handle::current();
    // Git is started and a whole log may be read: on a thread where that may take its time.
    let looking = tokio::task::spawn_blocking(move || {
        let wired = wired(&directory);
        let log = query.verify.then(|| runtime.block_on(checked(&store))).transpose();
        (wired, log)
    });
    let ((hooks, clients), log) = looking.await.map_err(|_| Problem::new(Code::Internal, "the settings could not be looked at"))?;
    let page = port.page();
    Ok(SettingsView {
        seq,
        hooks,
        clients,
        snippets: snippets(page.address),
        log: log?,
        version: page.version,
        licence: env!("CARGO_PKG_LICENSE").to_owned(),
        ..SettingsView::default()
    })
}

/// The projects this person opened lately: files are read and ports are knocked at, on a thread where that may take its time.
pub(super) async fn projects(port: &ServerPort) -> Result<Vec<KnownProject>, Problem> {
    let Some(file) = known::file() else { return Ok(Vec::new()) };
    let directory = port.store().place().root.clone();
    let looking = tokio::task::spawn_blocking(move || {
        let root = directory.parent().unwrap_or(&directory);
        known::list(&file, root, boot::home().as_deref())
    });
    looking.await.map_err(|_| Problem::new(Code::Internal, "the other projects could not be looked for"))
}

/// Git's hooks, and what clients are given. Nothing of it is an error: what can't be looked at is a row that says so.
fn wired(directory: &Path) -> (Vec<WiringRow>, Vec<WiringRow>) {
    let (Some(root), Some(binary)) = (directory.parent(), init::settings::binary()) else { return (Vec::new(), Vec::new()) };
    let repository = Repository::find(root, None).ok().and_then(|place| place.repository());
    let hooks = repository.as_ref().map_or_else(Vec::new, |repository| {
        status::hooks(repository, &binary).unwrap_or_else(|fault| {
            tracing::warn!(%fault, "git's hooks could not be looked at");
            let said = "git could not be asked; callboard doctor says more".to_owned();
            vec![WiringRow { what: "hooks".to_owned(), place: "git".to_owned(), wiring: Wiring::Dead, said, line: String::new(), mend: INIT.to_owned() }]
        })
    });
    (hooks, status::clients(root, directory, repository.as_ref(), &binary))
}

/// The chains of the log, read on a thread where that may take its time.
pub(super) async fn checked_log(store: &Store) -> Result<LogCheck, Problem> {
    let (store, runtime) = (store.clone(), Handle::current());
    let reading = tokio::task::spawn_blocking(move || runtime.block_on(checked(&store)));
    reading.await.map_err(|_| Problem::new(Code::Internal, "the log could not be checked"))?
}

async fn checked(store: &Store) -> Result<LogCheck, Problem> {
    let VerifyReport { files, lines, events, blobs, findings } = store.verify().await.map_err(told)?;
    let total = i64::try_from(findings.len()).unwrap_or(i64::MAX);
    let findings = findings.into_iter().take(FINDINGS_TOLD_MAX).map(|found| LogFinding {
        place: if found.line > 0 { format!("{}:{}", found.file, found.line) } else { found.file },
        code: found.code,
        text: found.text,
    });
    Ok(LogCheck { files, lines, events, blobs, total, findings: findings.collect() })
}

/// What connects clients that `init` does not know, or that are elsewhere.
fn snippets(address: Option<String>) -> Vec<Snippet> {
    let stdio = "{\n  \"mcpServers\": {\n    \"callboard\": { \"command\": \"callboard\", \"args\": [\"mcp\"] }\n  }\n}";
    let vscode = "{\n  \"servers\": {\n    \"callboard\": { \"type\": \"stdio\", \"command\": \"callboard\", \"args\": [\"mcp\"] }\n  }\n}";
    let codex = "[mcp_servers.callboard]\ncommand = \"callboard\"\nargs = [\"mcp\"]";
    let mut all = vec![
        ("Claude Code", "In a terminal, in this repository", "claude mcp add callboard -- callboard mcp\ncallboard init".to_owned()),
        ("Codex", "~/.codex/config.toml", codex.to_owned()),
        ("Cursor", ".cursor/mcp.json", stdio.to_owned()),
        ("Copilot", ".vscode/mcp.json", vscode.to_owned()),
        ("Any other client", ".mcp.json, or where it keeps its servers", stdio.to_owned()),
    ];
    if let Some(address) = address {
        let http = format!("{address}/mcp\nAuthorization: Bearer $(cat .callboard/mcp-token)");
        all.push(("Any other client, over HTTP", "Address and header, while this page is served", http));
    }
    all.into_iter().map(|(client, place, text)| Snippet { client: client.to_owned(), place: place.to_owned(), text }).collect()
}
