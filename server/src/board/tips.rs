//! What others did, as far as git fetched it: the log on the branches of the remote that base follows is read without checking anything
//! out. Nothing here talks to a network.
//!
//! Invariant: a branch of any other remote, a fork's say, is not read: who can put a file on a branch that is read can write facts.

use super::ServerPort;
use super::assemble::told;
use contracts::{Code, Problem};
use engine::Settings;
use git::{GitError, RefsStamp, Repository};
use std::path::Path;
use std::sync::Arc;
use storage::{Offer, Reconciled, Store};

/// Bytes of log files in memory at once.
const BYTES_AT_ONCE: u64 = 16 << 20;
/// A log file longer than this is no log of ours.
const FILE_BYTES_MAX: u64 = 256 << 20;

impl ServerPort {
    /// How git's refs look now; none outside git.
    pub fn refs_stamp(&self) -> Option<RefsStamp> {
        self.0.base.repository().map(|repository| repository.refs_stamp())
    }

    /// Reads what the branches of the remote have that was not read yet.
    ///
    /// # Errors
    /// When git or the store fails; what was read until then stays read.
    pub async fn look_at_tips(&self) -> Result<Reconciled, Problem> {
        let mut report = Reconciled::default();
        let Some(repository) = self.0.base.repository().cloned() else { return Ok(report) };
        let store = self.store();
        let Some(folder) = folder_of(&repository, &store) else { return Ok(report) };
        let settings = match store.reader().begin().await.map_err(told)?.project().await.map_err(told)? {
            Some(project) => Settings::of(&project),
            None => return Ok(report),
        };
        let Some(base) = self.0.base.chosen(settings.base.as_deref()) else { return Ok(report) };
        let tips = {
            let only_base = settings.sync_refs == "base";
            asked(&repository, move |repository| tips(repository, &base, only_base)).await?
        };
        let new = store.unnoted(&tips).await.map_err(told)?;
        if !new.is_empty() {
            report = read_logs(&repository, &store, &new, format!("{folder}/log")).await?;
        }
        fetch_blobs(&repository, &store, tips, format!("{folder}/blobs")).await?;
        store.note(&new).await.map_err(told)?;
        Ok(report)
    }
}

impl ServerPort {
    /// The base, when there are remotes and it follows none of them: then nobody else's branches are read.
    ///
    /// # Errors
    /// When git or the store fails.
    pub async fn base_without_remote(&self) -> Result<Option<String>, Problem> {
        let Some(repository) = self.0.base.repository().cloned() else { return Ok(None) };
        let Some(base) = self.chosen_base().await? else { return Ok(None) };
        asked(&repository, move |repository| {
            let alone = repository.has_remotes()? && repository.remote_of(&base)?.is_none();
            Ok(alone.then_some(base))
        })
        .await
    }

    /// What the board says is the base, else git's word.
    pub(super) async fn chosen_base(&self) -> Result<Option<String>, Problem> {
        let project = self.store().reader().begin().await.map_err(told)?.project().await.map_err(told)?;
        let set = project.and_then(|project| Settings::of(&project).base);
        let base = self.0.base.clone();
        // Git may be asked for the first time.
        tokio::task::spawn_blocking(move || base.chosen(set.as_deref())).await.map_err(|_| Problem::new(Code::Internal, "asking git failed"))
    }

    /// Names of the files of the log folder that the base has byte for byte.
    ///
    /// # Errors
    /// When git or the store fails.
    pub async fn log_files_in_base(&self) -> Result<Vec<String>, Problem> {
        let Some(repository) = self.0.base.repository().cloned() else { return Ok(Vec::new()) };
        let store = self.store();
        let Some(folder) = folder_of(&repository, &store) else { return Ok(Vec::new()) };
        let Some(base) = self.chosen_base().await? else { return Ok(Vec::new()) };
        let here = store.place().root.join("log");
        asked(&repository, move |repository| {
            let Some(tip) = repository.tip(&base)? else { return Ok(Vec::new()) };
            let mut offers = files(repository, &[tip], &format!("{folder}/log"))?;
            offers.retain(|offer| offer.name.ends_with(".jsonl") && !offer.name.contains(char::is_control) && here.join(&offer.name).is_file());
            let paths: Vec<_> = offers.iter().map(|offer| here.join(&offer.name)).collect();
            let blobs = repository.blobs_of_files(&paths)?;
            Ok(offers.into_iter().zip(blobs).filter(|(offer, blob)| offer.blob == *blob).map(|(offer, _)| offer.name).collect())
        })
        .await
    }
}

/// `.callboard` from the top of the repository; none when it lies elsewhere.
fn folder_of(repository: &Repository, store: &Store) -> Option<String> {
    let root = &store.place().root;
    let inside = root.strip_prefix(repository.directory()).ok().map(Path::to_owned);
    inside.filter(|inside| !inside.as_os_str().is_empty()).and_then(|inside| inside.to_str().map(str::to_owned))
}

/// The commits at the tips, each once.
fn tips(repository: &Repository, base: &str, only_base: bool) -> Result<Vec<String>, GitError> {
    let followed = if only_base { repository.followed(base)? } else { None };
    let all = repository.remote_tips(base)?.into_iter();
    let mut shas: Vec<String> = all.filter(|tip| !only_base || Some(&tip.name) == followed.as_ref()).map(|tip| tip.sha).collect();
    shas.sort();
    shas.dedup();
    Ok(shas)
}

/// The files in a folder of these commits.
fn files(repository: &Repository, commits: &[String], folder: &str) -> Result<Vec<Offer>, GitError> {
    let revs: Vec<&str> = commits.iter().map(String::as_str).collect();
    let mut trees: Vec<String> = repository.folders(&revs, folder)?.into_iter().flatten().collect();
    trees.sort();
    trees.dedup();
    let mut found = Vec::new();
    for tree in trees {
        found.extend(repository.files_of(&tree)?.into_iter().map(|file| Offer { name: file.name, blob: file.blob, size: file.size }));
    }
    Ok(found)
}

async fn read_logs(repository: &Arc<Repository>, store: &Store, commits: &[String], folder: String) -> Result<Reconciled, Problem> {
    let commits = commits.to_vec();
    let offers = asked(repository, move |repository| files(repository, &commits, &folder)).await?;
    let mut wanted = store.lacking(offers).await.map_err(told)?;
    wanted.retain(|offer| {
        let fits = offer.size <= FILE_BYTES_MAX;
        if !fits {
            tracing::warn!(file = offer.name, bytes = offer.size, "a file on another branch is too long to be a log, and was not read");
        }
        fits
    });
    let mut report = Reconciled::default();
    while !wanted.is_empty() {
        let mut bytes = 0;
        let fitting = wanted.iter().take_while(|offer| {
            bytes += offer.size;
            bytes <= BYTES_AT_ONCE
        });
        let count = fitting.count().max(1);
        let part: Vec<Offer> = wanted.drain(..count).collect();
        let offered = asked(repository, move |repository| with_bytes(repository, part)).await?;
        report = report.and(store.take_in(offered).await.map_err(told)?);
    }
    Ok(report)
}

fn with_bytes(repository: &Repository, offers: Vec<Offer>) -> Result<Vec<(Offer, Vec<u8>)>, GitError> {
    let names: Vec<&str> = offers.iter().map(|offer| offer.blob.as_str()).collect();
    let mut found = repository.blobs(&names)?;
    let bytes_of = |offer: Offer| {
        let place = found.iter().position(|(blob, _)| *blob == offer.blob)?;
        let bytes = std::mem::take(&mut found[place].1);
        Some((offer, bytes))
    };
    Ok(offers.into_iter().filter_map(bytes_of).collect())
}

/// Large bodies that events wait for: a log that came from a branch has them in that branch.
async fn fetch_blobs(repository: &Arc<Repository>, store: &Store, tips: Vec<String>, folder: String) -> Result<(), Problem> {
    let missing = store.missing_blobs().await.map_err(told)?;
    if missing.is_empty() || tips.is_empty() {
        return Ok(());
    }
    let found = asked(repository, move |repository| {
        let mut offers = files(repository, &tips, &folder)?;
        offers.retain(|offer| missing.contains(&offer.name) && offer.size <= contracts::limits::BLOB_BYTES_MAX as u64);
        offers.sort_by(|a, b| a.name.cmp(&b.name));
        offers.dedup_by(|a, b| a.name == b.name);
        with_bytes(repository, offers)
    })
    .await?;
    for (offer, bytes) in found {
        if !store.keep_blob(&offer.name, &bytes).await.map_err(told)? {
            tracing::warn!(blob = offer.name, "a blob on another branch is not what its name says");
        }
    }
    Ok(())
}

/// A question to git, on a thread that may block.
async fn asked<T: Send + 'static>(repository: &Arc<Repository>, ask: impl FnOnce(&Repository) -> Result<T, GitError> + Send + 'static) -> Result<T, Problem> {
    let repository = repository.clone();
    let answer = tokio::task::spawn_blocking(move || ask(&repository)).await;
    let answer = answer.map_err(|fault| Problem::new(Code::Internal, format!("git was not asked: {fault}")))?;
    answer.map_err(|fault| Problem::new(Code::GitFailed, "git could not say what was fetched").detail(fault.to_string()))
}
