//! Commits of the old board.

use super::{Mapper, Now};
use contracts::{CommitSha, limits};
use engine::Kind;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Lines added and deleted; none for a binary file.
type Size = (Option<u64>, Option<u64>);

impl Mapper {
    /// A commit is evidence when it is named in full.
    pub(super) fn commit(&mut self, now: &Now<'_>) {
        let Ok(sha) = CommitSha::parse(now.text("sha")) else {
            self.facts.warn(format!("a commit of {} is named {:?}, which is no whole name; it is no evidence here", now.line.task, now.text("sha")));
            return self.other(now);
        };
        let sizes: BTreeMap<String, Size> = numstat(now.line.body.get("numstat"));
        let listed = now.texts("files");
        let paths: BTreeSet<&String> = listed.iter().chain(sizes.keys()).collect();
        let row = |path: &&String| {
            let (added, deleted) = sizes.get(*path).copied().unwrap_or_default();
            json!([path, added, deleted])
        };
        let files: Vec<Value> = paths.iter().take(limits::COMMIT_FILES_MAX).map(row).collect();
        let sum = |pick: fn(&Size) -> Option<u64>| sizes.values().filter_map(pick).sum::<u64>();
        let dropped = paths.len().saturating_sub(files.len());
        let body = json!({
            "sha": sha, "subject": now.text("subject"), "how": "manual", "files": files, "files_dropped": (dropped > 0).then_some(dropped),
            "added": sum(|size| size.0), "deleted": sum(|size| size.1), "branch": now.text("branch"),
        });
        self.known(now).commits.push(sha.as_str().to_owned());
        self.add(now, Kind::CommitBound, body);
    }
}

/// `{path: [added, deleted]}`, or a list of `[added, deleted, path]` or `{path, added, deleted}`.
fn numstat(value: Option<&Value>) -> BTreeMap<String, Size> {
    let pair = |added: &Value, deleted: &Value| (added.as_u64(), deleted.as_u64());
    match value {
        Some(Value::Object(files)) => files
            .iter()
            .filter_map(|(path, size)| {
                let size = size.as_array()?;
                Some((path.clone(), pair(size.first()?, size.get(1)?)))
            })
            .collect(),
        Some(Value::Array(rows)) => rows
            .iter()
            .filter_map(|row| match row {
                Value::Array(row) => match row.as_slice() {
                    [added, deleted, Value::String(path)] | [Value::String(path), added, deleted] => Some((path.clone(), pair(added, deleted))),
                    _ => None,
                },
                Value::Object(row) => Some((row.get("path")?.as_str()?.to_owned(), pair(row.get("added")?, row.get("deleted")?))),
                _ => None,
            })
            .collect(),
        _ => BTreeMap::new(),
    }
}
