//! `--json`: one document on stdout, for answers and for refusals.

use super::stage::Stage;

#[test]
fn every_read_and_write_is_one_document() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &["--spec", "Red to port."]);
    let (comment, show, log) = (vec!["tasks", "comment", &id, "-m", "x"], vec!["tasks", "show", &id], vec!["tasks", "log", &id]);
    for (args, key) in [
        (vec!["tasks"], "items"),
        (show, "allowed"),
        (log, "items"),
        (comment, "events"),
        (vec!["tasks", "search", "buoys"], "items"),
        (vec!["next", "--peek"], "queue"),
        (vec!["inbox"], "items"),
        (vec!["actors"], "items"),
        (vec!["conflicts"], "items"),
        (vec!["milestone"], "items"),
        (vec!["log", "verify"], "findings"),
        (vec!["config", "explain"], "items"),
        (vec!["rebuild"], "events"),
        (vec!["init", "--no-client"], "steps"),
    ] {
        let ended = stage.run(&[args.clone(), vec!["--json"]].concat());
        assert_eq!(ended.exit, 0, "{args:?}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.json().get(key).is_some(), "{args:?}: {}", ended.stdout);
    }
}

#[test]
fn a_list_says_at_which_position_of_the_log_it_was_read() {
    let stage = Stage::new();
    stage.add("Paint the buoys", &[]);
    stage.ok(&["milestone", "add", "Season"]);
    let seq = stage.run(&["tasks", "--json"]).json()["seq"].as_i64().unwrap();
    assert!(seq > 0);
    for list in [vec!["actors"], vec!["conflicts"], vec!["milestone"], vec!["milestone", "list"], vec!["inbox"], vec!["tasks", "search", "buoys"]] {
        let read = stage.run(&[list.clone(), vec!["--json"]].concat()).json();
        assert_eq!(read["seq"].as_i64(), Some(seq), "{list:?}: {read}");
    }
}

#[test]
fn a_refusal_is_a_document_too() {
    let stage = Stage::new();
    for (args, code, status) in [
        (vec!["tasks", "show", "tk-000000"], "not_found", 404),
        (vec!["tasks", "show", "nonsense"], "bad_request", 400),
        (vec!["tasks", "--frobnicate"], "bad_request", 400),
    ] {
        let ended = stage.run(&[args, vec!["--json"]].concat());
        let problem = ended.json();
        assert_eq!((problem["code"].as_str(), problem["status"].as_i64()), (Some(code), Some(status)), "{problem}");
        assert_eq!(problem["type"], format!("urn:callboard:{code}"));
        assert!(problem["hint"].is_string() && ended.stderr.is_empty(), "{}", ended.stderr);
    }
}

#[test]
fn a_long_list_is_whole_in_a_pipe() {
    let stage = Stage::new();
    let tasks: Vec<String> = (0..450).map(|number| format!("{{\"title\": \"Task {number}\"}}")).collect();
    let planned = stage.run_with(&["tasks", "plan", "-"], &format!("{{\"tasks\": [{}]}}", tasks.join(",")));
    assert_eq!(planned.exit, 0, "{}", planned.stderr);
    let listed = stage.run(&["tasks", "--json"]).json();
    assert_eq!((listed["items"].as_array().unwrap().len(), listed["total"].as_i64(), listed.get("next")), (450, Some(450), None));
    assert_eq!(stage.ok(&["tasks", "--quiet"]).lines().count(), 450);
    let some = stage.ok(&["tasks", "--limit", "210"]);
    assert_eq!((some.lines().count(), some.contains("+240 more")), (212, true));
}
