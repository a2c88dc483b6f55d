//! Hooks as files and as configuration: beside what is there, in every worktree, and away again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use git::hooks::{Hook, HookReport, Hooks, HooksPlace, Kept, Mode, Wiring};

use crate::support::{Folder, Repo, folder, make_executable, snapshot, try_run, with_git_that_says};

const NAMES: [Hook; 6] = [
    Hook { name: "prepare-commit-msg", input: false, may_refuse: true },
    Hook { name: "commit-msg", input: false, may_refuse: false },
    Hook { name: "post-commit", input: false, may_refuse: false },
    Hook { name: "post-rewrite", input: true, may_refuse: false },
    Hook { name: "post-checkout", input: false, may_refuse: false },
    Hook { name: "post-merge", input: false, may_refuse: false },
];

pub const HOOKS: Hooks<'static> = Hooks { owner: "callboard", hooks: &NAMES, words: "hook git", seconds_max: 5 };

/// A program at a difficult path that writes down how it is called, and ends with the code in `code`.
pub fn program(t: &Folder) -> PathBuf {
    let folder = t.path.join("bin of ä's");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("call \"board\"");
    let log = t.path.join("log");
    let code = t.path.join("code");
    let text = format!(
        "#!/bin/sh\n[ \"$3\" = post-rewrite ] && in=\" < $(cat)\"\nprintf '%s%s\\n' \"$*\" \"$in\" >>'{}'\nexit \"$(cat '{}' 2>/dev/null || echo 0)\"\n",
        log.display(),
        code.display()
    );
    fs::write(&path, text).unwrap();
    make_executable(&path);
    path
}

/// What the program was called with since last asked; shas are cut out.
pub fn calls(t: &Folder) -> Vec<String> {
    let text = fs::read_to_string(t.path.join("log")).unwrap_or_default();
    let _ = fs::remove_file(t.path.join("log"));
    let word = |word: &str| if word.len() == 40 && word.chars().all(|c| c.is_ascii_hexdigit()) { String::from("SHA") } else { word.to_owned() };
    let line = |line: &str| {
        let line = line.split(' ').map(word).collect::<Vec<_>>().join(" ");
        line.replace(&format!("{}/", t.path.display()), "")
    };
    text.lines().map(line).collect()
}

pub fn install(repo: &Repo, binary: &Path) -> Vec<HookReport> {
    HOOKS.install(&repo.ours(), binary, Mode::Local).unwrap()
}

pub fn foreign(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    make_executable(path);
}

#[test]
fn a_commit_an_amend_and_a_checkout_call_the_program() {
    let t = folder!();
    let repo = t.repo("app");
    let program = program(&t);
    let reports = install(&repo, &program);
    assert!(reports.iter().all(|report| report.runs && report.binary.as_deref() == Some(&program)), "{reports:#?}");
    assert_eq!(reports[2].wiring, Wiring::File(repo.at(".git/hooks/post-commit")));
    repo.commit("two", &[("b", "1")]);
    assert_eq!(calls(&t), ["hook git prepare-commit-msg .git/COMMIT_EDITMSG message", "hook git commit-msg .git/COMMIT_EDITMSG", "hook git post-commit"]);
    repo.git(&["commit", "-q", "--amend", "--no-edit", "--date=now"]);
    assert_eq!(calls(&t).last().unwrap(), "hook git post-rewrite amend < SHA SHA");
    repo.git(&["checkout", "-q", "-b", "side"]);
    assert_eq!(calls(&t), ["hook git post-checkout SHA SHA 1"]);
    repo.git(&["worktree", "add", "-q", "../linked ü", "-b", "linked"]);
    calls(&t);
    Repo { path: t.path.join("linked ü") }.commit("three", &[("c", "1")]);
    assert_eq!(calls(&t).last().unwrap(), "hook git post-commit", "linked worktrees share the hooks");
}

#[test]
fn only_a_refusal_stops_a_commit() {
    let t = folder!();
    let repo = t.repo("app");
    let program = program(&t);
    install(&repo, &program);
    let commits = |args: &[&str]| try_run(&repo.path, &[&["commit", "-q", "--allow-empty", "-m", "x"], args].concat()).status.success();
    for (code, expected) in [("0", true), ("1", false), ("2", true), ("101", true)] {
        fs::write(t.path.join("code"), code).unwrap();
        assert_eq!(commits(&[]), expected, "exit code {code}");
        assert_eq!(commits(&["--no-verify"]), expected, "exit code {code}");
    }
    fs::write(t.path.join("code"), "1").unwrap();
    fs::remove_file(&program).unwrap();
    assert!(commits(&[]), "a program that is gone stops nothing");
    assert!(HOOKS.status(&repo.ours()).unwrap().iter().all(|report| !report.runs));
    foreign(&program, "#!/bin/sh\nexec sleep 30\n");
    let quick = Hooks { seconds_max: 1, ..HOOKS };
    quick.install(&repo.ours(), &program, Mode::Local).unwrap();
    let begun = std::time::Instant::now();
    assert!(commits(&[]) && begun.elapsed().as_secs() < 10, "one that hangs is given up");
}

#[test]
fn a_hook_that_was_there_runs_after_ours_with_its_own_arguments_input_and_status() {
    let t = folder!();
    let repo = t.repo("app");
    let program = program(&t);
    let hooks = repo.at(".git/hooks");
    foreign(&hooks.join("post-rewrite"), &format!("#!/bin/sh\nprintf 'theirs %s < %s\\n' \"$*\" \"$(cat)\" >>'{}/log'\n", t.path.display()));
    foreign(&hooks.join("commit-msg"), &format!("#!/bin/sh\necho \"theirs $*\" >>'{}/log'\nexit 3\n", t.path.display()));
    fs::write(hooks.join("post-commit"), "#!/bin/sh\necho never\nexit 1\n").unwrap(); // not executable: git does not run it
    let before = snapshot(&repo.at(".git"));
    for _ in 0..2 {
        let reports = install(&repo, &program);
        assert_eq!(reports[1].wiring, Wiring::Chained(hooks.join("commit-msg")));
        assert_eq!(reports[4].wiring, Wiring::File(hooks.join("post-checkout")));
    }
    let refused = try_run(&repo.path, &["commit", "-q", "--allow-empty", "-m", "x"]);
    assert!(!refused.status.success(), "theirs says no");
    assert_eq!(calls(&t)[1..], ["hook git commit-msg .git/COMMIT_EDITMSG", "theirs .git/COMMIT_EDITMSG"]);
    repo.git(&["commit", "-q", "--amend", "--no-edit", "--no-verify", "--date=now"]);
    let calls = calls(&t);
    assert_eq!(calls[calls.len() - 2..], ["hook git post-rewrite amend < SHA SHA", "theirs amend < SHA SHA"]);
    assert!(HOOKS.remove(&repo.ours()).unwrap().iter().all(|report| report.wiring == Wiring::Absent));
    for (path, mode, bytes) in before.iter().filter(|(path, ..)| path.starts_with(&hooks) || path.ends_with("config")) {
        let now = fs::read(path).unwrap();
        assert_eq!(&now, bytes, "{}", path.display());
        let kept = snapshot(path.parent().unwrap()).into_iter().find(|(other, ..)| other == path).unwrap();
        assert_eq!(kept.1, *mode);
    }
    assert_eq!(fs::read_dir(&hooks).unwrap().count(), before.iter().filter(|(path, ..)| path.starts_with(&hooks)).count());
}

#[test]
fn removing_leaves_every_byte_as_it_was() {
    let t = folder!();
    let repo = t.repo("app");
    let program = program(&t);
    let elsewhere = t.path.join("shared hook");
    foreign(&elsewhere, "#!/bin/sh\n");
    std::os::unix::fs::symlink(&elsewhere, repo.at(".git/hooks/post-merge")).unwrap();
    fs::write(repo.at(".git/hooks/commit-msg"), b"#!/bin/sh\n# \xff\xfe\n").unwrap();
    let before = snapshot(&repo.path);
    for _ in 0..2 {
        install(&repo, &program);
    }
    assert!(fs::read_link(repo.at(".git/hooks/post-merge.chained")).is_ok(), "a link moves as a link");
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "#!/bin/sh\n");
    HOOKS.remove(&repo.ours()).unwrap();
    assert_eq!(snapshot(&repo.path), before);
    HOOKS.remove(&repo.ours()).unwrap();
    assert_eq!(snapshot(&repo.path), before, "removing what is not there changes nothing");

    let bare = t.path.join("no template");
    fs::create_dir(&bare).unwrap();
    let plain = git::Repository::init(&bare).unwrap();
    HOOKS.install(&plain, &program, Mode::Local).unwrap();
    assert!(bare.join(".git/hooks/post-commit").exists());
    HOOKS.remove(&plain).unwrap();
    assert!(!bare.join(".git/hooks").exists());
}

#[test]
fn installing_again_follows_the_program_and_spares_a_second_foreign_hook() {
    let t = folder!();
    let repo = t.repo("app");
    let program = program(&t);
    let path = repo.at(".git/hooks/commit-msg");
    foreign(&path, "#!/bin/sh\n# first\n");
    install(&repo, &t.path.join("bin of ä's/old"));
    assert!(HOOKS.status(&repo.ours()).unwrap().iter().all(|report| !report.runs));
    assert!(install(&repo, &program).iter().all(|report| report.runs));
    foreign(&path, "#!/bin/sh\n# second\n"); // a manager of hooks wrote over ours
    let report = install(&repo, &program).swap_remove(1);
    let Wiring::Kept { why: Kept::ChainedTaken, line, .. } = report.wiring else { unreachable!("{report:?}") };
    assert!(line.contains("hook git commit-msg \"$@\"") && line.ends_with("# callboard hook"), "{line}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "#!/bin/sh\n# second\n");
    assert_eq!(HOOKS.outlook(&repo.ours()).unwrap()[1].wiring, install(&repo, &program)[1].wiring);
    foreign(&path, &format!("#!/bin/sh\n# second\n{line}\n"));
    let report = install(&repo, &program).swap_remove(1);
    assert!(report.wiring == Wiring::Line(path.clone()) && report.runs && report.current, "a line added by hand is as good: {report:?}");
    foreign(&path, "#!/bin/sh\n# second\n");
    let asked = HOOKS.install(&repo.ours(), &program, Mode::Tracked).unwrap().swap_remove(1);
    assert!(asked.wiring == Wiring::Line(path.clone()) && asked.runs, "and so is one that was asked for: {asked:?}");
    repo.commit("three", &[("d", "1")]);
    assert_eq!(calls(&t).iter().filter(|call| call.starts_with("hook git commit-msg")).count(), 1);
    HOOKS.remove(&repo.ours()).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "#!/bin/sh\n# second\n");
    fs::remove_file(repo.at(".git/hooks/commit-msg.chained")).unwrap();
    foreign(&repo.at(".git/hooks/commit-msg.chained"), "#!/bin/sh\n# first\n");
    assert!(fs::read_to_string(repo.at(".git/hooks/commit-msg.chained")).unwrap().contains("first"));
    assert!(HOOKS.install(&repo.ours(), Path::new("relative"), Mode::Local).is_err());
}

#[test]
fn a_git_that_knows_configured_hooks_gets_no_file() {
    let t = folder!();
    if !with_git_that_says(&t, "2.54.1", "hooks::a_git_that_knows_configured_hooks_gets_no_file") {
        return;
    }
    let repo = t.repo("app");
    let program = program(&t);
    foreign(&repo.at(".git/hooks/commit-msg"), "#!/bin/sh\n");
    repo.git(&["config", "core.hooksPath", ".husky"]);
    let before = snapshot(&repo.path);
    for _ in 0..2 {
        let reports = install(&repo, &program);
        let right = |report: &HookReport| report.wiring == Wiring::Configured && report.runs && report.binary.as_deref() == Some(&program);
        assert!(reports.iter().all(right), "{reports:#?}");
    }
    assert_eq!(HOOKS.place(&repo.ours()).unwrap(), HooksPlace::Configuration);
    assert_eq!(repo.git(&["config", "--get-all", "hook.callboard-post-commit.event"]), "post-commit");
    repo.git(&["config", "hook.odd name.event", "post-commit"]);
    repo.ours().add(&[&repo.write("b", "b")]).unwrap();
    repo.ours().commit("ours", ("Ada", "ada@example.org"), "2026-05-01T09:00:00Z").unwrap();
    repo.git(&["config", "--remove-section", "hook.odd name"]);
    let before = {
        let mut now = before;
        now.retain(|(path, ..)| path.starts_with(repo.at(".git/hooks")) || path.ends_with("config"));
        now
    };
    // As git calls it: the command in a shell, with the arguments put behind it.
    let command = repo.git(&["config", "hook.callboard-prepare-commit-msg.command"]);
    let as_git = |args: &[&str]| {
        let text = if args.is_empty() { command.clone() } else { format!("{command} \"$@\"") };
        Command::new("sh").args(["-c", &text, &command]).args(args).status().unwrap().code()
    };
    assert_eq!(as_git(&["a b", "message"]), Some(0));
    assert_eq!(as_git(&[]), Some(0));
    assert_eq!(calls(&t), ["hook git prepare-commit-msg a b message", "hook git prepare-commit-msg"]);
    for (code, expected) in [("1", 1), ("2", 0), ("101", 0)] {
        fs::write(t.path.join("code"), code).unwrap();
        assert_eq!(as_git(&["f"]), Some(expected));
    }
    fs::remove_file(&program).unwrap();
    assert_eq!(as_git(&["f"]), Some(0));
    repo.git(&["config", "hook.callboard-post-commit.enabled", "false"]);
    repo.git(&["config", "--unset", "hook.callboard-post-commit.enabled"]);
    HOOKS.remove(&repo.ours()).unwrap();
    let now = snapshot(&repo.path);
    assert!(before.iter().all(|file| now.contains(file)));
}
