//! `callboard init`: what it makes, repairs and keeps, and what git then sees.

use super::stage::Stage;
use serde_json::Value;
use std::fs;

#[test]
fn a_board_is_made_once_and_a_second_time_all_is_there() {
    let stage = Stage::bare();
    let first = stage.ok(&["init", "--zone", "Europe/Berlin"]);
    for line in [
        "created  .callboard/",
        "created  .callboard/.gitignore",
        "created  .callboard/.gitattributes",
        "created  project harbour (Europe/Berlin)",
        "created  6 git hooks",
        "created  .callboard/GUIDE.md",
        "created  .mcp.json",
        "created  .claude/settings.local.json",
        "created  .claude/skills/callboard-*",
        "created  AGENTS.md",
    ] {
        assert!(first.lines().any(|said| said.starts_with(line)), "{line} in {first}");
    }
    assert!(first.contains("claude mcp add callboard -- callboard mcp"));
    let second = stage.ok(&["init"]);
    let steps: Vec<&str> = second.lines().take_while(|line| !line.is_empty()).collect();
    assert!(steps.len() == 10 && steps.iter().all(|line| line.starts_with("already")), "{second}");
    assert_eq!(fs::read_to_string(stage.board().join(".gitattributes")).unwrap(), "* -text\n");
    assert_eq!(
        fs::read_to_string(stage.board().join(".gitignore")).unwrap(),
        "/*\n!/.gitignore\n!/.gitattributes\n!/log/\n!/blobs/\n!/reports/\n!/workflows/\n!/config.toml\n"
    );
}

#[test]
fn git_sees_the_log_and_the_two_dot_files_and_nothing_else() {
    let stage = Stage::new();
    stage.add("Paint the buoys", &[]);
    stage.git(&["add", "-A"]);
    let staged = stage.git(&["diff", "--cached", "--name-only"]);
    let (log, other): (Vec<&str>, Vec<&str>) = staged.lines().partition(|path| path.starts_with(".callboard/log/") && path.ends_with(".jsonl"));
    assert_eq!((log.len(), other), (1, vec![".callboard/.gitattributes", ".callboard/.gitignore"]));
}

#[test]
fn other_servers_in_the_clients_settings_keep_every_byte() {
    let stage = Stage::bare();
    let path = stage.dir().join(".mcp.json");
    let before = "{\n\t\"zeta\": 1,\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\":\"x\",   \"args\": []}\n\t},\n\t\"alpha\": null\n}";
    fs::write(&path, before).unwrap();
    stage.ok(&["init"]);
    let with = fs::read_to_string(&path).unwrap();
    let read: Value = serde_json::from_str(&with).unwrap();
    assert_eq!(read["mcpServers"]["callboard"], serde_json::json!({"command": "callboard", "args": ["mcp"]}));
    assert!(with.starts_with(&before[..before.find("\n\t},").unwrap()]) && with.ends_with("\n\t},\n\t\"alpha\": null\n}"), "{with}");
    stage.ok(&["init"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), with, "a second time changes nothing");
    let removed = stage.ok(&["init", "--remove"]);
    assert!(removed.starts_with("removed  .mcp.json"), "{removed}");
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    assert!(stage.board().join("state.db").exists(), "the board stays");
}

#[test]
fn an_entry_of_that_name_which_is_not_ours_is_kept() {
    let stage = Stage::bare();
    let path = stage.dir().join(".mcp.json");
    for theirs in ["{\"mcpServers\": {\"callboard\": {\"type\": \"http\", \"url\": \"http://127.0.0.1:2140/mcp\"}}}\n", "// not JSON\n"] {
        fs::write(&path, theirs).unwrap();
        let said = stage.ok(&["init"]);
        assert!(said.lines().any(|line| line.starts_with("kept     .mcp.json")), "{said}");
        stage.ok(&["init", "--remove"]);
        assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
    }
}

#[test]
fn a_log_that_came_with_the_repository_is_adopted() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    stage.git(&["add", "-A"]);
    stage.git(&["commit", "--quiet", "-m", "Board"]);
    let clone = Stage::bare();
    fs::remove_dir_all(clone.dir()).unwrap();
    let (from, to) = (stage.dir(), clone.dir());
    stage.git(&["clone", "--quiet", from.to_str().unwrap(), to.to_str().unwrap()]);
    let said = clone.ok(&["init", "--no-client"]);
    assert!(said.lines().any(|line| line.starts_with("already  project harbour (Europe/Berlin)")), "{said}");
    assert!(clone.ok(&["tasks"]).contains(&id));
}

#[test]
fn a_dot_file_that_lets_the_database_out_is_repaired() {
    let stage = Stage::new();
    fs::write(stage.board().join(".gitignore"), "# mine\n").unwrap();
    let said = stage.ok(&["init", "--no-client"]);
    assert!(said.lines().any(|line| line.starts_with("repaired .callboard/.gitignore")), "{said}");
    assert!(fs::read_to_string(stage.board().join(".gitignore")).unwrap().ends_with("!/config.toml\n# mine\n"));
}

#[test]
fn a_linked_worktree_uses_the_one_board() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    let tree = stage.dir().parent().unwrap().join("tree");
    stage.git(&["worktree", "add", "--quiet", tree.to_str().unwrap()]);
    let listed = stage.callboard(&["tasks"]).current_dir(&tree).output().unwrap();
    assert!(String::from_utf8_lossy(&listed.stdout).contains(&id));
}

#[test]
fn a_link_is_no_board_and_an_agent_makes_none() {
    let stage = Stage::bare();
    let ended = stage.run_as("agent:ada/w1", &["init"]);
    assert_eq!(ended.exit, 1);
    assert!(ended.stderr.contains("(forbidden)"), "{}", ended.stderr);
    let elsewhere = stage.dir().parent().unwrap().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, stage.board()).unwrap();
    let ended = stage.run(&["init"]);
    assert_eq!(ended.exit, 2, "{}", ended.stderr);
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn an_e_mail_however_long_loses_no_event() {
    let stage = Stage::new();
    let name = "b".repeat(420);
    stage.git(&["config", "user.email", &format!("{name}@example.org")]);
    let id = stage.add("Paint the buoys", &[]);
    stage.ok(&["tasks", "comment", &id, "-m", "Red, not green"]);
    assert!(stage.ok(&["log", "verify"]).contains("sound"));
    std::fs::remove_file(stage.board().join("state.db")).unwrap();
    assert!(stage.ok(&["tasks", "show", &id]).contains("Red, not green"));
    assert!(!stage.board().join("quarantine").exists());
}
