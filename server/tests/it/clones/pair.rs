//! Two clones of one repository in one home, and what their boards say.

use crate::cli::stage::{Ended, Stage};
use serde_json::Value;
use std::path::PathBuf;

/// One clone of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Harbour,
    Pier,
}

pub use Place::{Harbour, Pier};

/// `harbour`, and `pier` that was cloned from it.
pub struct Pair {
    pub stage: Stage,
}

impl Pair {
    /// Both know the tasks of these titles; the ids are given.
    pub fn knowing<const N: usize>(titles: [&str; N]) -> (Pair, [String; N]) {
        let stage = Stage::new();
        let ids = titles.map(|title| stage.add(title, &[]));
        let pair = Pair { stage };
        pair.commit(Harbour);
        pair.stage.git(&["clone", "--quiet", ".", "../pier"]);
        pair.stage.git(&["remote", "add", "origin", "../pier"]);
        (pair, ids)
    }

    pub fn dir(&self, place: Place) -> PathBuf {
        match place {
            Harbour => self.stage.dir(),
            Pier => self.stage.dir().with_file_name("pier"),
        }
    }

    pub fn git(&self, place: Place, args: &[&str]) -> String {
        let dir = self.dir(place);
        let args: Vec<&str> = ["-C", dir.to_str().unwrap()].iter().chain(args).copied().collect();
        self.stage.git(&args)
    }

    pub fn run(&self, place: Place, actor: &str, args: &[&str]) -> Ended {
        let mut command = self.stage.callboard(args);
        let output = command.current_dir(self.dir(place)).env("CALLBOARD_ACTOR", actor).output().unwrap();
        Ended { exit: output.status.code().unwrap_or(-1), stdout: String::from_utf8(output.stdout).unwrap(), stderr: String::from_utf8(output.stderr).unwrap() }
    }

    #[track_caller]
    pub fn ok(&self, place: Place, actor: &str, args: &[&str]) -> String {
        let ended = self.run(place, actor, args);
        assert_eq!(ended.exit, 0, "{place:?} {args:?}: {}{}", ended.stdout, ended.stderr);
        ended.stdout
    }

    #[track_caller]
    pub fn json(&self, place: Place, args: &[&str]) -> Value {
        let args: Vec<&str> = args.iter().chain(&["--json"]).copied().collect();
        serde_json::from_str(&self.ok(place, "dev:ada", &args)).unwrap()
    }

    /// A person commits whatever git shows them.
    pub fn commit(&self, place: Place) {
        self.git(place, &["add", "--all"]);
        self.git(place, &["commit", "--quiet", "--message", "Log"]);
    }

    /// Fetches what the other committed and merges it, as anybody would.
    pub fn merge(&self, into: Place) {
        self.git(into, &["fetch", "--quiet", "origin"]);
        self.git(into, &["merge", "--quiet", "--no-edit", "origin/main"]);
        assert_eq!(self.git(into, &["diff", "--name-only", "--diff-filter=U"]), "");
    }

    /// Every card, without what is a clone's own: live leases.
    pub fn cards(&self, place: Place) -> Vec<Value> {
        let mut cards = self.json(place, &["tasks", "--all"])["items"].as_array().unwrap().clone();
        for card in &mut cards {
            card.as_object_mut().unwrap().remove("lease");
        }
        cards.sort_by_key(|card| card["id"].as_str().unwrap().to_owned());
        cards
    }

    /// All of a task, without what is a clone's own.
    pub fn task(&self, place: Place, id: &str) -> Value {
        let mut task = self.json(place, &["tasks", "show", id]);
        for key in ["lease", "worktree"] {
            task.as_object_mut().unwrap().remove(key);
        }
        unplaced(task)
    }

    /// Deletes the database, as anybody may.
    pub fn forget(&self, place: Place) {
        let board = self.dir(place).join(".callboard");
        std::fs::remove_file(board.join("state.db")).unwrap();
        for name in ["state.db-wal", "state.db-shm"] {
            let _ = std::fs::remove_file(board.join(name)); // they are there only while somebody has it open
        }
    }

    #[track_caller]
    pub fn are_equal(&self) {
        let (here, there) = (self.cards(Harbour), self.cards(Pier));
        for (here, there) in here.iter().zip(&there) {
            assert_eq!(here, there);
        }
        assert_eq!(here.len(), there.len());
        for card in here {
            let id = card["id"].as_str().unwrap();
            assert_eq!(self.task(Harbour, id), self.task(Pier, id));
        }
        for place in [Harbour, Pier] {
            assert_eq!(self.json(place, &["log", "verify"])["findings"], serde_json::json!([]), "{place:?}");
        }
    }
}

/// Without what is a clone's own: positions in its order of arrival, and what it has handed to whom.
pub fn unplaced(value: Value) -> Value {
    match value {
        Value::Object(object) => object.into_iter().filter(|(key, _)| key != "seq" && key != "delivered").map(|(key, value)| (key, unplaced(value))).collect(),
        Value::Array(items) => items.into_iter().map(unplaced).collect(),
        other => other,
    }
}
