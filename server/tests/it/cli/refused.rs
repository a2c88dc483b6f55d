//! Refusals: words, hints and exit codes.

use super::stage::Stage;

#[test]
fn each_kind_of_refusal_has_its_exit() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    for (args, exit, code) in [
        (vec!["tasks", "show", "tk-000000"], 1, "not_found"),
        (vec!["tasks", "show", "4f2a9c"], 1, "not_found"),
        (vec!["tasks", "show", "4f2"], 2, "bad_request"),
        (vec!["bind", "nonsense", "--task", &id], 1, "not_found"),
        (vec!["tasks", "done", &id], 1, "no_evidence"),
        (vec!["tasks", "block", &id, "--on", &id], 1, "cycle"),
        (vec!["tasks", "reopen", &id], 1, "illegal_move"),
        (vec!["tasks", "add", ""], 2, "bad_request"),
        (vec!["tasks", "add", "x", "--priority", "4"], 2, "bad_request"),
        (vec!["tasks", "add", "x", "--type", "nonsense"], 2, "bad_request"),
        (vec!["tasks", "add", "x", "--after", "tk-000000"], 2, "bad_request"),
        (vec!["tasks", "list", "--standing", "todo"], 2, "bad_request"),
        (vec!["tasks", "list", "--type", "nonsense"], 2, "bad_request"),
        (vec!["tasks", "list", "--filter", "type in (bug, nonsense)"], 2, "bad_request"),
        (vec!["next", "--type", "nonsense"], 2, "bad_request"),
        (vec!["tasks", "--frobnicate"], 2, "bad_request"),
        (vec!["frobnicate"], 2, "bad_request"),
        (vec!["message", "--to", "ada", "-m", "x"], 2, "bad_request"),
        (vec!["config", "set", "nonsense", "1"], 2, "bad_request"),
        (vec!["config", "set", "grace_s", "never"], 2, "bad_request"),
        (vec!["config", "set", "zone", "Mars/Olympus"], 2, "bad_request"),
        (vec!["bind", "nonsense"], 1, "not_found"),
        (vec!["tasks", "add", "x", "--due", "9999-12-31T23:59:59-10:00"], 2, "bad_request"),
        (vec!["conflicts", "settle", "0000", "keep", "-m", "x"], 1, "not_found"),
        (vec!["mcp", "--headers"], 1, "unauthorized"),
    ] {
        let ended = stage.run(&args);
        assert_eq!(ended.exit, exit, "{args:?}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stderr.starts_with("error: ") && ended.stderr.lines().next().unwrap().ends_with(&format!("({code})")), "{args:?}: {}", ended.stderr);
        assert_eq!(ended.stdout, "", "{args:?}");
    }
}

#[test]
fn an_unknown_flag_is_named_and_the_nearest_shown() {
    let stage = Stage::new();
    insta::assert_snapshot!(stage.said(&["tasks", "list", "--standin", "ready"]), @r"
    ! error: unexpected argument '--standin' found (bad_request)
    ! hint: a similar argument exists: '--standing'
    exit 2
    ");
    insta::assert_snapshot!(stage.said(&["tasks", "comment"]), @r"
    ! error: the following required arguments were not provided: <TEXT|--message <TEXT>> <ID> (bad_request)
    ! hint: callboard tasks comment <ID> <TEXT>
    exit 2
    ");
}

#[test]
fn nothing_asked_for_is_answered_with_the_help() {
    let stage = Stage::new();
    for args in [&[][..], &["config"]] {
        let ended = stage.run(args);
        assert!(ended.exit == 2 && ended.stderr.contains("Usage: callboard") && ended.stderr.contains("Commands:"), "{args:?}: {ended:?}");
    }
    assert!(stage.run(&["--json"]).stdout.contains("bad_request"), "a program gets a problem");
    for args in [&["help"][..], &["help", "tasks"], &["tasks", "help", "add"]] {
        assert!(stage.ok(args).contains("Usage: callboard"), "{args:?}");
    }
}

#[test]
fn a_slip_is_answered_with_the_call_that_was_meant() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    for (args, hint) in [
        (vec!["list"], "callboard tasks list"),
        (vec!["done", "tk-4f2a9c"], "callboard tasks done tk-4f2a9c"),
        (vec!["done"], "callboard tasks done --help"),
        (vec!["tasks", "delete", &id], "callboard tasks cancel ID -m '<why>'"),
        (vec!["tasks", "tk-4f2a9c"], "callboard tasks show tk-4f2a9c"),
        (vec!["tasks", "question", &id, "is it wet, isn't it?"], "callboard tasks question … -m 'is it wet, isn'\\''t it?'"),
        (vec!["tasks", "--milestone", "harbour"], "callboard milestone list"),
        (vec!["tasks", "--assignee", "ada"], "callboard actors"),
        (vec!["tasks", "add", "x", "-p", "soon"], "callboard tasks add --help"),
        (vec!["tasks", "add", "x", "--type", "epic"], "callboard tasks add --help"),
        (vec!["tasks", "reopen", &id], "callboard tasks claim"),
        (vec!["bind", "nonsense", "--task", &id], "git log --oneline"),
    ] {
        let ended = stage.run(&args);
        let hinted = ended.stderr.lines().find_map(|line| line.strip_prefix("hint: ")).unwrap_or_default();
        assert!(ended.exit != 0 && hinted.contains(hint), "{args:?}: {}", ended.stderr);
    }
    assert!(!stage.run(&["tasks", "add", "x", "--type", "epic"]).stderr.contains("tasks[0]"));
}

#[test]
fn what_can_only_mean_one_thing_is_understood() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &["-p", "high"]);
    assert!(stage.ok(&["tasks", "show", id.trim_start_matches("tk-")]).contains("Paint the buoys"));
    stage.ok(&["tasks", "assign", &id, "me"]);
    assert!(stage.ok(&["tasks", "--assignee", "me"]).contains(&id));
    stage.ok(&["tasks", "start", &id]);
    let listed: serde_json::Value = serde_json::from_str(&stage.ok(&["tasks", "ls", "--json"])).unwrap();
    assert_eq!((&listed["items"][0]["priority"], &listed["items"][0]["type"]), (&1.into(), &"task".into()));
    let normal = stage.add("Coil the ropes", &[]);
    let shown: serde_json::Value = serde_json::from_str(&stage.ok(&["tasks", "show", &normal, "--json"])).unwrap();
    assert_eq!(shown["priority"], 2, "also at its default");
}

#[test]
fn a_short_name_counts_when_it_fits_one_and_is_refused_with_the_candidates_when_it_fits_several() {
    let stage = Stage::new();
    let ids: Vec<String> = (0..40).map(|number| stage.add(&format!("Buoy {number}"), &[])).collect();
    let begins = |start: &str| ids.iter().filter(|id| id.starts_with(start)).count();
    let unique = ids.iter().find_map(|id| (4..9).map(|end| &id[..end]).find(|start| begins(start) == 1).map(|start| (id, start))).unwrap();
    assert!(stage.ok(&["tasks", "show", unique.1]).contains(unique.0.as_str()));
    stage.ok(&["tasks", "comment", unique.1, "Painted twice"]);
    stage.ok(&["tasks", "comment", unique.1, "-m", "And dried"]);
    let shown = stage.ok(&["tasks", "show", unique.0]);
    assert!(shown.contains("Painted twice") && shown.contains("And dried"), "{shown}");
    assert_eq!(stage.run(&["tasks", "comment", unique.0]).exit, 2);
    assert_eq!(stage.run(&["tasks", "comment", unique.0, "this", "-m", "and that"]).exit, 2);

    // Forty ids begin with sixteen digits.
    let several = ids.iter().map(|id| &id[..4]).find(|start| begins(start) > 1).unwrap();
    let refused = stage.run(&["tasks", "show", several]);
    let named = ids.iter().filter(|id| id.starts_with(several) && refused.stderr.contains(id.as_str())).count();
    assert!(refused.exit == 2 && named == begins(several).min(10), "{}", refused.stderr);
    assert!(refused.stderr.contains("hint: give more of it; callboard tasks show tk-"), "{}", refused.stderr);
    assert_eq!(stage.run(&["tasks", "show", several, "--json"]).json()["code"], "bad_request");

    stage.ok(&["milestone", "add", "Spring season"]);
    stage.ok(&["tasks", "edit", unique.1, "--milestone", "spring SEASON"]);
    assert!(stage.ok(&["tasks", "--milestone", "Spring season"]).contains(unique.0.as_str()));
    assert!(stage.ok(&["milestone", "show", "Spring season"]).contains(unique.0.as_str()));
    let refused = stage.run(&["milestone", "show", "Autumn"]);
    assert!(refused.exit == 2 && refused.stderr.contains("ms-000000"), "{}", refused.stderr);
}

#[test]
fn an_inbox_without_messages_still_says_what_waits_for_a_person() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    assert!(!stage.run(&["inbox"]).stderr.contains("waits for a person"));
    stage.ok(&["tasks", "question", &id, "-m", "Red or green?"]);
    assert!(stage.run(&["inbox"]).stderr.contains("1 task waits for a person: callboard tasks --standing needs_you,in_review"));
}

#[test]
fn without_a_board_the_way_to_one_is_named() {
    let stage = Stage::bare();
    insta::assert_snapshot!(stage.said(&["tasks"]), @r"
    ! error: there is no board here (not_initialized)
    ! hint: in the repository whose work it shall keep: callboard init
    exit 1
    ");
    assert!(stage.run(&["ui"]).stderr.contains("hint: callboard init"));
    assert!(!stage.board().exists(), "a refusal makes nothing");
}

#[test]
fn a_misspelt_key_in_the_configuration_is_refused_with_its_place() {
    let stage = Stage::new();
    std::fs::write(stage.board().join("config.toml"), "[http]\nprot = 1\n").unwrap();
    let ended = stage.run(&["config", "check"]);
    assert!(ended.exit == 2 && ended.stderr.contains(".callboard/config.toml:2:1") && ended.stderr.contains("prot"), "{}", ended.stderr);
    std::fs::remove_file(stage.board().join("config.toml")).unwrap();
    stage.ok(&["config", "set", "http.port", "2150"]);
    assert!(stage.ok(&["config", "explain", "http.port"]).contains("2150  .callboard/config.toml"));
    stage.ok(&["config", "set", "grace_s", "60"]);
    assert!(stage.ok(&["config", "explain", "grace_s"]).contains("60  setting of this board"));
    stage.ok(&["config", "set", "grace_s", "null"]);
    assert!(stage.ok(&["config", "explain"]).contains("120  default"));
}

#[test]
fn help_and_version_are_answers() {
    let stage = Stage::bare();
    assert!(stage.ok(&["--help"]).contains("Make a board for this repository"));
    assert!(stage.ok(&["tasks", "add", "--help"]).contains("--spec-file"));
    assert_eq!(stage.ok(&["--version"]), format!("callboard {}\n", env!("CARGO_PKG_VERSION")));
    for shell in ["bash", "zsh", "fish"] {
        assert!(stage.ok(&["completions", shell]).contains("callboard"), "{shell}");
    }
}

#[test]
fn a_name_that_is_given_twice_in_a_plan_is_told() {
    let stage = Stage::new();
    let ended = stage.run_with(&["tasks", "plan", "-"], r#"{"tasks": [{"title": "Paint the buoys", "title": "Grease the chain"}]}"#);
    assert_eq!(ended.exit, 2);
    assert!(ended.stderr.starts_with("error: FILE: \"title\" is given twice at line 1"), "{}", ended.stderr);
}

#[test]
fn a_fault_of_the_machine_is_logged_with_its_cause() {
    let stage = Stage::new();
    std::fs::remove_dir_all(stage.board().join("run")).unwrap();
    std::fs::write(stage.board().join("run"), "no folder").unwrap();
    let ended = stage.run(&["tasks", "add", "Paint the buoys"]);
    assert_eq!(ended.exit, 4);
    assert!(ended.stderr.contains("a batch of writes failed") && ended.stderr.contains("error: A file of the board could not be"), "{}", ended.stderr);
    let quiet = stage.callboard(&["tasks", "add", "Paint the buoys"]).env("CALLBOARD_LOG", "off").output().unwrap();
    assert!(String::from_utf8(quiet.stderr).unwrap().starts_with("error: "));
}

#[test]
fn a_level_of_the_log_that_is_none_is_refused() {
    let stage = Stage::new();
    let ended = stage.callboard(&["tasks"]).env("CALLBOARD_LOG", "loud").output().unwrap();
    assert!(String::from_utf8(ended.stderr).unwrap().starts_with("error: CALLBOARD_LOG: loud is no level"));
    assert_eq!(ended.status.code(), Some(2));
    let hook = stage.callboard(&["hook", "git", "post-commit"]).env("CALLBOARD_LOG", "loud").output().unwrap();
    assert_eq!((hook.status.code(), String::from_utf8(hook.stderr).unwrap()), (Some(0), String::new()), "git's hooks stay quiet");
}

#[cfg(unix)]
#[test]
fn an_actor_that_is_not_utf8_is_refused_like_any_that_is_none() {
    let stage = Stage::new();
    let raw = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"agent:ada/\xff");
    for args in [vec!["next"], vec!["tasks"], vec!["mcp"]] {
        let ended = stage.callboard(&args).env("CALLBOARD_ACTOR", raw).output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(ended.status.code() == Some(2) && said.starts_with("error: CALLBOARD_ACTOR: "), "{args:?}: {said}");
    }
    let hook = stage.callboard(&["hook", "git", "post-commit"]).env("CALLBOARD_ACTOR", raw).output().unwrap();
    assert_eq!(hook.status.code(), Some(0));
}

#[test]
fn a_board_served_openly_is_not_taken_for_a_private_one() {
    let stage = Stage::new();
    let run = stage.board().join("run");
    std::fs::create_dir_all(&run).unwrap();
    let lock = std::fs::File::create(run.join("ui.lock")).unwrap();
    lock.try_lock().unwrap();
    let running = serde_json::json!({"pid": std::process::id(), "url": "http://localhost:2140/", "version": "0", "started": "2026-11-29T12:00:00Z"});
    std::fs::write(run.join("ui.json"), running.to_string()).unwrap();
    assert!(stage.ok(&["ui"]).contains("already at http://localhost:2140/"));
    for flag in ["--private", "--read-only"] {
        let ended = stage.run(&["ui", flag]);
        assert!(ended.exit == 1 && ended.stderr.contains(&format!("then callboard ui {flag}")), "{ended:?}");
    }
}

#[test]
fn a_type_that_nothing_can_have_is_refused_with_those_there_are() {
    let stage = Stage::new();
    insta::assert_snapshot!(stage.said(&["tasks", "--filter", "priority = 0 or type = nonsense"]), @r#"
    ! error: filter, character 24: no task is of the type "nonsense" (bad_request)
    !   filter[24..31]: E_VALUE: no task is of the type "nonsense"; types here: task, feature, bug, chore, docs, test, refactor, research, decision, incident
    ! hint: types here: task, feature, bug, chore, docs, test, refactor, research, decision, incident
    exit 2
    "#);
    // One that the project gave up is known as long as a task has it.
    stage.ok(&["config", "set", "types", "[\"spike\"]"]);
    stage.add("Try it", &["--type", "spike"]);
    stage.ok(&["config", "set", "types", "[]"]);
    assert!(stage.ok(&["tasks", "--type", "spike"]).contains("Try it"));
    assert!(stage.ok(&["tasks", "--filter", "type = spike"]).contains("Try it"));
}

#[test]
fn a_path_that_is_too_long_for_a_database_is_refused_and_nothing_is_left_there() {
    let stage = Stage::bare();
    let mut deep = stage.dir();
    while deep.as_os_str().len() < 3_600 {
        deep.push("d".repeat(200));
    }
    // The system makes no such path at once.
    make_deep(&deep);
    let output = stage.callboard(&["init", "--project", deep.to_str().unwrap(), "--no-client"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && said.contains("(too_large)") && said.contains("a board's may have") && said.contains("hint: move the repository"),
        "{said}"
    );
    assert!(!deep.join(".callboard").exists());
}

fn make_deep(path: &std::path::Path) {
    if !path.exists() {
        make_deep(path.parent().unwrap());
        std::fs::create_dir(path).unwrap();
    }
}
