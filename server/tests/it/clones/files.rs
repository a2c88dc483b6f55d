//! The files of the log: folded when they are old, written back when nobody has them any more.

use super::fleet::Fleet;
use callboard::boot::{self, BootOptions};
use std::sync::Arc;
use storage::Packed;

/// Packs a clone's log as it will be possible some days from now.
async fn packed_in(fleet: &Fleet, clone: &str, days: i64) -> Packed {
    let clock: boot::Clock = Arc::new(move || boot::now().plus_seconds(days * 86_400));
    let boot = boot::boot(BootOptions { project: Some(fleet.dir(clone)), clock: Some(clock), ..BootOptions::default() }).await.unwrap();
    let in_base = boot.port.log_files_in_base().await.unwrap();
    let packed = boot.store.pack(&in_base).await.unwrap();
    boot.port.shutdown().await;
    packed
}

fn thread(fleet: &Fleet, clone: &str, id: &str) -> Vec<String> {
    let task = fleet.json(clone, &["tasks", "show", id]);
    let entries = task["thread"].as_array().unwrap();
    entries.iter().filter(|entry| entry["kind"] == "task.commented").map(|entry| entry["text"].as_str().unwrap().to_owned()).collect()
}

/// Says something and commits the log, so that a file of it is in the base.
fn say(fleet: &Fleet, clone: &str, id: &str, text: &str) {
    fleet.ok(clone, &["tasks", "comment", id, "-m", text]);
    fleet.ok(clone, &["sync", "--commit"]);
}

#[tokio::test]
async fn old_files_that_the_base_has_become_one_and_two_packings_merge() {
    let (fleet, [id]) = Fleet::knowing(&["pier"], ["Paint the buoys"]);
    for text in ["one", "two", "three"] {
        say(&fleet, "harbour", &id, text);
    }
    fleet.git("harbour", &["push", "--quiet", "origin", "main"]);
    fleet.git("pier", &["pull", "--quiet"]);
    fleet.ok("harbour", &["tasks", "comment", &id, "-m", "not committed yet"]);
    let before = thread(&fleet, "harbour", &id);
    assert_eq!(fleet.log_files("harbour").len(), 5);
    let packed = packed_in(&fleet, "harbour", 31).await;
    assert_eq!((packed.files, packed.lines, packed.packs.len()), (4, 5, 1), "{packed:?}");
    let left = fleet.log_files("harbour");
    assert!(left.len() == 2 && left.contains(&packed.packs[0]), "{left:?}");
    assert!(fleet.ok("harbour", &["log", "verify"]).starts_with("sound"));
    assert_eq!(fleet.ok("harbour", &["log", "restore"]), "", "what is in a pack is not missing");
    assert_eq!(packed_in(&fleet, "harbour", 31).await, Packed::default(), "a pack is not packed again");
    // The other packs too, and both write on.
    let there = packed_in(&fleet, "pier", 40).await;
    assert_eq!(there.packs, packed.packs, "the same lines make the same pack");
    say(&fleet, "harbour", &id, "after it");
    say(&fleet, "pier", &id, "after it, elsewhere");
    fleet.git("harbour", &["push", "--quiet", "origin", "main"]);
    fleet.git("pier", &["pull", "--quiet", "--no-rebase", "--no-edit"]);
    let after = thread(&fleet, "pier", &id);
    assert_eq!(after.len(), before.len() + 2, "{after:?}");
    assert!(fleet.ok("pier", &["log", "verify"]).starts_with("sound"));
    // Nothing but the files remembers it all.
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        let _ = std::fs::remove_file(fleet.dir("pier").join(".callboard").join(name)); // two of them only while it is open
    }
    assert_eq!(thread(&fleet, "pier", &id), after);
}

#[tokio::test]
async fn what_is_young_or_not_in_the_base_is_not_packed() {
    let (fleet, [id]) = Fleet::knowing(&[], ["Paint the buoys"]);
    say(&fleet, "harbour", &id, "one");
    assert_eq!(packed_in(&fleet, "harbour", 29).await, Packed::default());
    fleet.git("harbour", &["switch", "--quiet", "--create", "side"]);
    say(&fleet, "harbour", &id, "on a branch alone");
    let packed = packed_in(&fleet, "harbour", 31).await;
    assert_eq!((packed.files, fleet.log_files("harbour").len()), (2, 2), "{packed:?}");
    let ended = fleet.run("harbour", "dev:ada", &["log", "pack"]);
    assert!(ended.exit == 0 && ended.stderr.contains("nothing to pack"), "{}", ended.stderr);
}

#[test]
fn a_file_of_ours_that_no_branch_has_any_more_is_written_back_to_the_byte() {
    let (fleet, [id]) = Fleet::knowing(&[], ["Paint the buoys"]);
    fleet.git("harbour", &["switch", "--quiet", "--create", "side"]);
    fleet.ok("harbour", &["tasks", "comment", &id, "-m", "Said on a branch"]);
    let before = fleet.log_files("harbour");
    fleet.ok("harbour", &["sync", "--commit"]);
    fleet.ok("harbour", &["tasks", "comment", &id, "-m", "This seals the file before"]);
    let lost = before.iter().find(|name| !fleet.git("harbour", &["ls-tree", "-r", "--name-only", "main"]).contains(name.as_str())).unwrap().clone();
    let path = fleet.dir("harbour").join(".callboard/log").join(&lost);
    let bytes = std::fs::read(&path).unwrap();
    fleet.git("harbour", &["switch", "--quiet", "main"]);
    assert!(!path.exists());
    assert_eq!(fleet.ok("harbour", &["log", "restore"]), "", "the branch has it");
    fleet.git("harbour", &["branch", "--quiet", "-D", "side"]);
    let said = fleet.ok("harbour", &["log", "restore"]);
    assert!(said.starts_with(&format!("log/{lost}  1 line")), "{said}");
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(fleet.ok("harbour", &["log", "restore"]), "");
    assert!(fleet.ok("harbour", &["log", "verify"]).starts_with("sound"));
}
