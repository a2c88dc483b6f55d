//! Hooks that are kept in the tree, or outside of it.

use std::fs;

use git::hooks::{HookReport, HooksPlace, Kept, Mode, Wiring};

use crate::hooks::{HOOKS, calls, foreign, install, program};
use crate::support::{Folder, Repo, folder, run, snapshot, try_run};

fn husky(t: &Folder) -> Repo {
    let repo = t.repo("app");
    repo.git(&["config", "core.hooksPath", ".githooks"]);
    foreign(&repo.at(".githooks/commit-msg"), &format!("#!/usr/bin/env bash\nset -e\necho \"theirs $*\" >>'{}/log'\n", t.path.display()));
    foreign(&repo.at(".githooks/post-rewrite"), &format!("#!/bin/sh\necho \"theirs < $(cat)\" >>'{}/log'", t.path.display()));
    foreign(&repo.at(".githooks/post-merge"), "#!/usr/bin/python3\npass\n");
    repo
}

fn tracked(repo: &Repo, binary: &std::path::Path) -> Vec<HookReport> {
    HOOKS.install(&repo.ours(), binary, Mode::Tracked).unwrap()
}

#[test]
fn hooks_in_the_tree_are_left_alone_unless_asked_for() {
    let t = folder!();
    let repo = husky(&t);
    let program = program(&t);
    let before = snapshot(&repo.path);
    for report in install(&repo, &program) {
        let Wiring::Kept { why: Kept::Tracked, path, line } = report.wiring else { unreachable!("{report:?}") };
        assert_eq!(path, repo.at(".githooks").join(report.name));
        assert!(line.contains("git config callboard.bin") && !line.contains(t.path.to_str().unwrap()), "{line}");
    }
    assert_eq!(snapshot(&repo.path), before);
}

#[test]
fn a_line_in_a_tracked_hook_calls_the_program_and_goes_again() {
    let t = folder!();
    let repo = husky(&t);
    let program = program(&t);
    let before = snapshot(&repo.path);
    for _ in 0..2 {
        let reports = tracked(&repo, &program);
        assert_eq!(reports[1].wiring, Wiring::Line(repo.at(".githooks/commit-msg")));
        assert!(matches!(&reports[5].wiring, Wiring::Kept { why: Kept::NoShell, .. }));
        assert!(reports[..5].iter().all(|report| report.runs && report.binary.as_deref() == Some(&program)), "{reports:#?}");
    }
    let text = fs::read_to_string(repo.at(".githooks/commit-msg")).unwrap();
    assert!(text.starts_with("#!/usr/bin/env bash\nif ") && text.lines().count() == 4 && !text.contains(t.path.join("bin").to_str().unwrap()), "{text}");
    repo.commit("two", &[("b", "1")]);
    assert_eq!(calls(&t)[1..], ["hook git commit-msg .git/COMMIT_EDITMSG", "theirs .git/COMMIT_EDITMSG", "hook git post-commit"]);
    repo.git(&["commit", "-q", "--amend", "--no-edit", "--date=now"]);
    let seen = calls(&t);
    assert_eq!(seen[seen.len() - 2..], ["hook git post-rewrite amend < SHA SHA", "theirs < SHA SHA"], "the input reaches both");
    let commits = || try_run(&repo.path, &["commit", "-q", "--allow-empty", "-m", "x"]).status.success();
    for (code, expected) in [("1", false), ("2", true)] {
        fs::write(t.path.join("code"), code).unwrap();
        assert_eq!(commits(), expected, "exit code {code}");
    }
    fs::remove_file(&program).unwrap();
    assert!(commits(), "a program that is gone stops nothing");
    repo.git(&["config", "--unset", "callboard.bin"]);
    assert!(commits(), "nor does a clone that knows none");
    HOOKS.remove(&repo.ours()).unwrap();
    let kept = |snapshot: Vec<(std::path::PathBuf, u32, Vec<u8>)>| -> Vec<_> {
        snapshot.into_iter().filter(|(path, ..)| path.starts_with(repo.at(".githooks")) || path.ends_with(".git/config")).collect()
    };
    assert_eq!(kept(snapshot(&repo.path)), kept(before));
}

#[test]
fn a_clone_of_committed_lines_needs_only_to_be_told_the_program() {
    let t = folder!();
    let repo = husky(&t);
    let program = program(&t);
    tracked(&repo, &program);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "-m", "hooks"]);
    run(&t.path, &["clone", "-q", "app", "copy"]);
    let copy = Repo { path: t.path.join("copy") };
    copy.git(&["config", "core.hooksPath", ".githooks"]);
    calls(&t);
    copy.commit("before", &[]);
    assert!(calls(&t).iter().all(|call| call.starts_with("theirs")));
    let reports = install(&copy, &program);
    assert!(reports[..5].iter().all(|report| report.runs), "{reports:#?}");
    copy.commit("after", &[]);
    assert_eq!(calls(&t).last().unwrap(), "hook git post-commit");
    assert!(copy.ours().is_clean().unwrap(), "no committed file changed");
}

#[test]
fn husky_keeps_what_people_write_beside_what_it_makes() {
    let t = folder!();
    let repo = t.repo("app");
    repo.git(&["config", "core.hooksPath", ".husky/_"]);
    repo.write(".husky/commit-msg", "npx commitlint\n");
    let program = program(&t);
    tracked(&repo, &program);
    let text = fs::read_to_string(repo.at(".husky/commit-msg")).unwrap();
    assert!(text.starts_with("if hook_bin=") && text.ends_with("npx commitlint\n"), "{text}");
    assert!(!repo.at(".husky/_").exists());
    HOOKS.remove(&repo.ours()).unwrap();
    assert_eq!(fs::read_to_string(repo.at(".husky/commit-msg")).unwrap(), "npx commitlint\n");
    assert_eq!(fs::read_dir(repo.at(".husky")).unwrap().count(), 1);
}

#[test]
fn hooks_outside_the_tree_are_reported_and_untouched() {
    let t = folder!();
    let repo = t.repo("app");
    let outside = t.path.join("my hooks");
    foreign(&outside.join("commit-msg"), "#!/bin/sh\n");
    repo.git(&["config", "core.hooksPath", outside.to_str().unwrap()]);
    let program = program(&t);
    let before = snapshot(&t.path);
    let mut lines = Vec::new();
    for report in tracked(&repo, &program) {
        let Wiring::Kept { why: Kept::Outside, line, path } = report.wiring else { unreachable!("{report:?}") };
        assert!(line.contains(&format!("hook git {} \"$@\"", report.name)) && !line.contains(t.path.to_str().unwrap()), "{line}");
        lines.push((path, line));
    }
    assert_eq!(snapshot(&t.path), before);
    assert_eq!(HOOKS.place(&repo.ours()).unwrap(), HooksPlace::Outside(outside));
    for (path, line) in lines {
        foreign(&path, &format!("#!/bin/sh\n{line}\n"));
    }
    assert!(HOOKS.status(&repo.ours()).unwrap().iter().all(|report| !report.runs), "the lines do not know the program yet");
    assert!(tracked(&repo, &program).iter().all(|report| report.runs && report.current), "lines added by hand are told where it is");
    repo.commit("two", &[("b", "1")]);
    assert_eq!(calls(&t).last().unwrap(), "hook git post-commit");
}

#[test]
fn what_was_wired_one_way_is_unwired_when_another_way_takes_over() {
    let t = folder!();
    let repo = t.repo("app");
    let program = program(&t);
    let before = snapshot(&repo.at(".git/hooks"));
    install(&repo, &program);
    repo.git(&["config", "core.hooksPath", ".githooks"]);
    tracked(&repo, &program);
    assert_eq!(snapshot(&repo.at(".git/hooks")), before, "files that git would not run any more are gone");
    repo.git(&["config", "core.hooksPath", repo.at(".git/private").to_str().unwrap()]);
    install(&repo, &program);
    assert_eq!(HOOKS.status(&repo.ours()).unwrap()[0].wiring, Wiring::File(repo.at(".git/private/prepare-commit-msg")));
    HOOKS.remove(&repo.ours()).unwrap();
    assert!(!repo.at(".git/private").exists());
    std::os::unix::fs::symlink(t.path.join("app/.githooks"), repo.at(".git/linked")).unwrap();
    repo.git(&["config", "core.hooksPath", repo.at(".git/linked").to_str().unwrap()]);
    assert_eq!(HOOKS.place(&repo.ours()).unwrap(), HooksPlace::Tree(repo.at(".githooks")), "a link into the tree is the tree");
}
