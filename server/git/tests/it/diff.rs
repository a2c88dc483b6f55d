//! What a commit changes, as real git says it, taken apart.

use crate::support::folder;
use git::{FileChanged, FileDiff};

#[test]
fn a_diff_is_whole_lines_up_to_its_limit() {
    let t = folder!();
    let repo = t.repo("app");
    let ours = repo.ours();
    let small = ours.diff("HEAD").unwrap();
    assert!(small.text.starts_with("diff --git a/a.txt b/a.txt\nnew file") && small.text.ends_with("+a\n"), "{}", small.text);
    assert!(!small.truncated);
    repo.commit("big", &[("big", &"a line of text\n".repeat(60_000))]);
    let big = ours.diff("HEAD").unwrap();
    assert!(big.truncated && big.text.len() as u64 <= git::DIFF_BYTES_MAX && big.text.ends_with("+a line of text\n"));
    assert!(ours.diff("missing").is_err());
}

fn file<'a>(files: &'a [FileDiff], path: &str) -> &'a FileDiff {
    files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("no {path} in {files:#?}"))
}

#[test]
fn each_kind_of_change_is_told_by_its_path() {
    let t = folder!();
    let repo = t.repo("app");
    let ours = repo.ours();
    let many: String = (1..=40).map(|n| format!("line {n}\n")).collect();
    repo.commit("begin", &[("moved from.txt", &many), ("gone", "x\n"), ("run", "#!/bin/sh\n"), ("caf\u{e9} \"q\".txt", "1\n2\n"), ("empty", "")]);
    std::fs::write(repo.at("bin"), [0_u8, 1, 2, 255]).unwrap();
    std::fs::rename(repo.at("moved from.txt"), repo.at("moved to.txt")).unwrap();
    std::fs::write(repo.at("moved to.txt"), many.replace("line 20\n", "line twenty\n")).unwrap();
    std::fs::remove_file(repo.at("gone")).unwrap();
    std::fs::write(repo.at("caf\u{e9} \"q\".txt"), "1\n2 without an end").unwrap();
    std::fs::write(repo.at("returns"), "a\r\n\tb\r\n").unwrap();
    repo.git(&["update-index", "--chmod=+x", "run"]);
    repo.git(&["add", "--all", "."]);
    repo.git(&["update-index", "--chmod=+x", "run"]);
    repo.git(&["commit", "-q", "-m", "all"]);
    let files = ours.diff("HEAD").unwrap().files();
    assert_eq!(files.len(), 6, "{files:#?}");

    let moved = file(&files, "moved to.txt");
    assert_eq!((moved.what, moved.from.as_deref()), (FileChanged::Renamed, Some("moved from.txt")));
    assert_eq!((moved.hunks[0].old, moved.hunks[0].new), ((17, 7), (17, 7)));
    assert_eq!(moved.hunks[0].lines[3..5], ["-line 20", "+line twenty"]);
    assert_eq!(file(&files, "gone").what, FileChanged::Deleted);
    assert_eq!(file(&files, "run").modes, Some(("100644".to_owned(), "100755".to_owned())));
    let named = file(&files, "caf\u{e9} \"q\".txt");
    assert_eq!(named.hunks[0].lines, [" 1", "-2", "+2 without an end", "\\ No newline at end of file"]);
    assert!(file(&files, "bin").binary && file(&files, "bin").hunks.is_empty());
    assert_eq!(file(&files, "returns").hunks[0].lines, ["+a\r", "+\tb\r"]);
}

#[test]
fn a_merge_shows_what_it_changed_itself() {
    let t = folder!();
    let repo = t.repo("app");
    let ours = repo.ours();
    repo.git(&["checkout", "-q", "-b", "side"]);
    repo.commit("side", &[("a.txt", "side\n")]);
    repo.git(&["checkout", "-q", "main"]);
    repo.commit("main", &[("a.txt", "main\n")]);
    crate::support::try_run(&repo.path, &["merge", "-q", "side"]);
    repo.write("a.txt", "both\n");
    repo.git(&["add", "a.txt"]);
    repo.git(&["commit", "-q", "-m", "Merge"]);
    let files = ours.diff("HEAD").unwrap().files();
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].path, "a.txt");
    assert_eq!(files[0].hunks[0].lines, ["-main", "-side", "+both"]);
}

#[test]
fn a_persons_own_taste_in_diffs_changes_nothing() {
    let t = folder!();
    let repo = t.repo("app");
    for (key, value) in [("diff.noprefix", "true"), ("diff.mnemonicPrefix", "true"), ("core.quotePath", "false"), ("color.ui", "always")] {
        repo.git(&["config", key, value]);
    }
    repo.commit("more", &[("\u{fc}ber.txt", "1\n")]);
    let files = repo.ours().diff("HEAD").unwrap().files();
    assert_eq!((files.len(), files[0].path.as_str(), files[0].what), (1, "\u{fc}ber.txt", FileChanged::Added));
}
