//! The events of an agent client: who acts, what is delivered, what is denied, and who is held back once.

use super::scene::{HOLDER, OTHER, Scene};
use serde_json::{Value, json};

fn context(said: &Value) -> &str {
    said["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default()
}

fn used(tool: &str, input: Value, answer: &str) -> Value {
    json!({"tool_name": tool, "tool_input": input, "tool_response": [{"type": "text", "text": answer}]})
}

#[test]
fn a_hook_that_knows_nothing_says_nothing() {
    let scene = Scene::new();
    let dir = scene.dir();
    for (event, input) in [
        ("PreToolUse", "not JSON"),
        ("PreToolUse", "[]"),
        ("Nonsense", "{}"),
        ("PreToolUse", r#"{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Read","tool_input":{"file_path":"x"}}"#),
        ("PreToolUse", r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/nowhere","tool_input":{"command":"git commit -m x"}}"#),
        ("Stop", r#"{"hook_event_name":"SessionStart","session_id":"s"}"#),
        ("PreToolUse", ""),
    ] {
        let said = scene.shell(&format!("\"$CB\" hook client {event}"), &dir, &[], input);
        assert!(said.ok && said.stdout.is_empty() && said.stderr.is_empty(), "{event} {input}: {said:?}");
    }
    let said = scene.shell("\"$CB\" hook client SessionStart", &dir, &[("CALLBOARD_ACTOR", "x y")], "{\"session_id\":\"s\"}");
    assert!(said.ok && said.stdout.is_empty() && said.stderr.lines().count() == 1, "{said:?}");
}

#[test]
fn our_own_tools_say_who_a_session_is_and_a_sub_agent_is_another() {
    let scene = Scene::new();
    let (task, _) = scene.task();
    let denied = |agent: Option<&str>| {
        let body = json!({"tool_name": "Bash", "tool_input": {"command": "git commit -m x"}, "agent_id": agent});
        scene.event("PreToolUse", &[], body)["hookSpecificOutput"]["permissionDecisionReason"].as_str().map(str::to_owned)
    };
    assert!(denied(None).unwrap().contains("agent:ada/main"), "nothing says who it is yet");
    scene.event("PostToolUse", &[], used("mcp__callboard__next", json!({}), &format!("## {task}\n\n{HOLDER} · 0 ready · 1 yours")));
    assert_eq!(denied(None), None);
    assert_eq!(denied(Some("a1")), None, "a helper acts as its session");
    let mut other = used("mcp__callboard__ask", json!({"actor": OTHER}), "whatever");
    other["agent_id"] = "a1".into();
    scene.event("PostToolUse", &[], other);
    assert!(denied(Some("a1")).unwrap().contains(OTHER));
    assert_eq!(denied(None), None);
}

#[test]
fn what_is_unread_is_delivered_once_and_what_is_held_is_said() {
    let scene = Scene::new();
    let (task, branch) = scene.task();
    let actor = [("CALLBOARD_ACTOR", HOLDER)];
    scene.stage.ok(&["message", "--to", HOLDER, "-m", "the red paint is in the shed", "--task", &task]);
    let said = scene.event("SessionStart", &actor, json!({"source": "startup"}));
    for word in [task.as_str(), branch.as_str(), "red paint", "1 open"] {
        assert!(context(&said).contains(word), "{word} in {said}");
    }
    assert!(said["systemMessage"].as_str().unwrap().starts_with("Callboard: 0 ready"));
    let said = scene.event("PostToolUse", &actor, used("Read", json!({}), ""));
    assert_eq!(said, Value::Null, "once");
    scene.stage.ok(&["message", "--to", HOLDER, "-m", "and the brushes too"]);
    let said = scene.event("PostToolUse", &actor, used("Read", json!({}), ""));
    assert!(context(&said).contains("brushes"), "{said}");
    scene.stage.ok(&["message", "--to", HOLDER, "-m", "the ladder is loose"]);
    let failed = json!({"tool_name": "Bash", "tool_input": {"command": "false"}, "error": "Exit code 1", "is_interrupt": false});
    let said = scene.event("PostToolUseFailure", &actor, failed);
    assert!(context(&said).contains("ladder") && said["hookSpecificOutput"]["hookEventName"] == "PostToolUseFailure", "a failed tool is heard too: {said}");
    scene.stage.ok(&["tasks", "question", &task, "-m", "Red or green?", "--actor", HOLDER]);
    let said = scene.event("UserPromptSubmit", &actor, json!({"prompt": "go on"}));
    assert!(context(&said).contains("waits for a person"), "{said}");
    assert_eq!(scene.event("UserPromptSubmit", &actor, json!({"prompt": "go on"})), Value::Null, "not again so soon");
}

#[test]
fn a_file_that_another_task_declares_is_told_once() {
    let scene = Scene::new();
    let (task, _) = scene.task();
    scene.stage.ok(&["tasks", "edit", &task, "--files", "src/"]);
    let touch = |path: &str| scene.event("PostToolUse", &[("CALLBOARD_ACTOR", OTHER)], used("Edit", json!({"file_path": scene.dir().join(path)}), "done"));
    std::fs::create_dir(scene.dir().join("src")).unwrap();
    let said = touch("src/buoy.rs");
    assert!(context(&said).contains(&task) && context(&said).contains(HOLDER), "{said}");
    assert_eq!(touch("src/buoy.rs"), Value::Null);
    assert!(context(&touch("src/gull.rs")).contains("src/gull.rs"));
    assert_eq!(touch("README.md"), Value::Null);
    let own = scene.event("PostToolUse", &[("CALLBOARD_ACTOR", HOLDER)], used("Edit", json!({"file_path": scene.dir().join("src/buoy.rs")}), "done"));
    assert_eq!(own, Value::Null, "its own files are no collision");
}

#[test]
fn who_stops_while_holding_is_held_back_once() {
    let scene = Scene::new();
    let (task, _) = scene.task();
    let actor = [("CALLBOARD_ACTOR", HOLDER)];
    assert_eq!(scene.event("Stop", &actor, json!({"stop_hook_active": true})), Value::Null);
    let said = scene.event("Stop", &actor, json!({}));
    assert_eq!(said["decision"], "block");
    for way in [&task, "status=done", "status=submitted", "status=released"] {
        assert!(said["reason"].as_str().unwrap().contains(way), "{way} in {said}");
    }
    assert_eq!(scene.event("Stop", &actor, json!({})), Value::Null, "and then let go");
    assert_eq!(scene.event("Stop", &actor, json!({"session_id": "s2"}))["decision"], "block", "another session is another");
    assert_eq!(scene.event("Stop", &[], json!({"session_id": "s3"})), Value::Null, "who is only guessed at holds nothing back");
    scene.stage.ok(&["config", "set", "stop_gate", "off"]);
    assert_eq!(scene.event("Stop", &actor, json!({"session_id": "s4"})), Value::Null);
    scene.stage.ok(&["config", "set", "stop_gate", "on"]);
    scene.stage.ok(&["tasks", "release", &task, "-m", "the paint is used up", "--actor", HOLDER]);
    assert_eq!(scene.event("Stop", &actor, json!({"session_id": "s5"})), Value::Null);
}

#[test]
fn what_only_people_do_is_denied_to_an_agent_and_nothing_is_ever_allowed() {
    let scene = Scene::new();
    let (task, _) = scene.task();
    for text in [
        format!("callboard tasks hold {task} -m x"),
        format!("cd src; callboard tasks review {task} pass"),
        format!("callboard tasks done {task} --actor dev:ada"),
    ] {
        let denied = scene.denied(HOLDER, &text, &scene.dir()).unwrap();
        assert!(denied.contains("a person does this"), "{denied}");
    }
    for text in ["callboard next", "git status", "rm -rf target", "git commit -m x"] {
        assert_eq!(scene.denied(HOLDER, text, &scene.dir()), None, "{text}");
    }
}

#[test]
fn an_intent_says_whose_a_commit_is_where_the_branch_does_not() {
    let scene = Scene::new();
    let (task, _) = scene.task();
    let dir = scene.dir();
    scene.event("PostToolUse", &[], used("mcp__callboard__next", json!({"actor": HOLDER}), ""));
    let body = json!({"tool_name": "Bash", "tool_input": {"command": "git commit -m x"}});
    assert_eq!(scene.event("PreToolUse", &[], body), Value::Null);
    scene.change(&dir, "1");
    // The shell of such a client names nobody.
    assert!(scene.shell("git commit -m x", &dir, &[], "").ok);
    assert_eq!(scene.trailers(&dir), [task.as_str()]);
    let history = scene.stage.ok(&["tasks", "log", &task]);
    assert!(history.lines().any(|line| line.contains(HOLDER) && line.contains("commit")), "{history}");
}
