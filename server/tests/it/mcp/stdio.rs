//! `callboard mcp` with a real client: the loop of an agent, who it is, and what it is refused.

use crate::cli::stage::Stage;
use crate::support::session::{Session, handshake, stateless, task_in};
use serde_json::{Value, json};

#[tokio::test]
async fn an_agent_plans_takes_tells_and_closes() {
    let stage = Stage::new();
    let session = Session::stdio(&stage).await;
    let planned = session
        .ok(
            "plan",
            json!({"milestone": "Season", "rules": ["No oil in the water"], "tasks": [
                {"title": "Paint the buoys", "spec": "Red to port.", "criteria": ["Dry before noon"], "priority": 1},
                {"title": "Set them out", "after": [0]},
            ]}),
        )
        .await;
    let first = task_in(&planned);
    assert!(planned.contains("Paint the buoys") && planned.contains("1 ready now"), "{planned}");

    let taken = session.ok("next", json!({})).await;
    for part in [&*format!("# {first} · Paint the buoys"), "fence 1", "Red to port.", "Dry before noon", "No oil in the water", "git switch -c "] {
        assert!(taken.contains(part), "{part}: {taken}");
    }
    let told = session.ok("update", json!({"task": first, "comment": "Which red? @dev:ada", "mentions": ["dev:ada"]})).await;
    assert!(told.contains("dev:ada"), "{told}");
    let inbox = stage.run(&["inbox"]);
    assert!(inbox.stdout.contains("Which red?"), "{}", inbox.stdout);

    let refused = session.call("update", json!({"task": first, "status": "done", "comment": "Painted all twelve."})).await;
    assert!(refused.starts_with("refused (no_evidence)"), "{refused}");
    let done = session.ok("update", json!({"task": first, "status": "done", "no_code": true, "comment": "Painted all twelve.", "next": true})).await;
    assert!(done.contains("done") && done.contains("Set them out") && done.contains("fence 1"), "{done}");
    assert!(done.trim_end().lines().next_back().unwrap().starts_with("agent:ada/main"), "{done}");
    session.end().await;

    let shown: Value = stage.run(&["tasks", "show", &first, "--json"]).json();
    assert_eq!((&shown["status"], &shown["milestone_detail"]["title"]), (&json!("done"), &json!("Season")), "{shown}");
}

#[tokio::test]
async fn a_session_started_again_has_its_task_back_without_a_warning() {
    let stage = Stage::new();
    stage.add("Paint the buoys", &[]);
    let session = Session::stdio(&stage).await;
    session.ok("next", json!({})).await;
    session.end().await;
    let again = Session::stdio(&stage).await;
    let taken = again.ok("next", json!({})).await;
    assert!(taken.contains("resumed") && !taken.contains("another session"), "{taken}");
    again.end().await;
}

#[tokio::test]
async fn what_a_person_says_is_in_the_next_answer_and_only_there() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    let session = Session::stdio(&stage).await;
    session.ok("next", json!({})).await;
    stage.ok(&["tasks", "comment", &id, "-m", "Signal red, please"]);
    stage.run_as("agent:ada/other", &["tasks", "comment", &id, "-m", "Nobody is told of this"]);
    let heard = session.ok("update", json!({"task": id, "labels": ["paint"]})).await;
    assert_eq!(heard.matches("Signal red, please").count(), 1, "{heard}");
    assert!(!heard.contains("Nobody is told"), "{heard}");
    for (tool, args) in [("update", json!({"task": id, "labels": ["red"]})), ("ask", json!({"inbox": "unread"}))] {
        let again = session.ok(tool, args).await;
        assert!(!again.contains("Signal red"), "{again}");
    }
    assert!(session.ok("ask", json!({"inbox": "all"})).await.contains("Signal red"));
    session.end().await;
}

#[tokio::test]
async fn sessions_without_a_name_are_different_agents_and_one_that_was_killed_comes_back() {
    let stage = Stage::new();
    let ids = [stage.add("Paint the buoys", &["-p", "0"]), stage.add("Set them out", &["-p", "1"]), stage.add("Log them", &[])];
    let (one, two) = (Session::stdio(&stage).await, Session::stdio(&stage).await);
    let (first, second) = (one.ok("next", json!({})).await, two.ok("next", json!({})).await);
    assert_eq!((task_in(&first), task_in(&second)), (ids[0].clone(), ids[1].clone()));
    assert!(first.contains("agent:ada/main ·") && second.contains("agent:ada/main-2 ·"), "{first}\n{second}");
    // Killed, not closed: the lock ends with the process all the same.
    kill(one.pid.unwrap());
    assert!(one.try_call("next", json!({})).await.is_err(), "nobody answers any more");
    let again = Session::stdio(&stage).await;
    let resumed = again.ok("next", json!({})).await;
    assert!(task_in(&resumed) == ids[0] && resumed.contains("agent:ada/main ·"), "{resumed}");
    assert_eq!(task_in(&two.ok("next", json!({})).await), ids[1]);
    again.end().await;
    two.end().await;
}

#[allow(clippy::disallowed_methods, reason = "these tests are about processes")]
fn kill(pid: u32) {
    assert!(std::process::Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
}

#[tokio::test]
async fn what_is_out_of_form_is_refused_with_the_right_form() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    let session = Session::stdio(&stage).await;
    let before = stage.ok(&["tasks", "show", &id, "--json"]);
    for (tool, args, parts) in [
        ("next", json!({"taks": id}), ["taks", "task"]),
        ("update", json!({"task": id, "coment": "x"}), ["coment", "comment"]),
        ("update", json!({"task": id, "labels": "a,b"}), ["labels", "[\""]),
        ("update", json!({"task": id}), ["refused (bad_request)", "next:"]),
        ("update", json!({"task": id, "status": "approved"}), ["approved", "done"]),
        ("plan", json!({"tasks": "[{\"title\": \"x\"}]"}), ["tasks", "[{"]),
        ("plan", json!({"tasks": [{"title": "x", "prio": 1}]}), ["tasks[0].prio", "priority"]),
        ("plan", json!({"tasks": [{"title": "x", "after": [true]}]}), ["tasks[0].after", "next:"]),
        ("ask", json!({"task": id, "inbox": "unread"}), ["one of", "next:"]),
    ] {
        let refused = session.call(tool, args.clone()).await;
        assert!(refused.starts_with("refused (bad_request)") && parts.iter().all(|part| refused.contains(part)), "{tool} {args}: {refused}");
    }
    assert_eq!(stage.ok(&["tasks", "show", &id, "--json"]), before, "a refusal changes nothing");
    assert_eq!(stage.run(&["tasks", "--json"]).json()["total"], 1);
    session.end().await;
}

#[tokio::test]
async fn people_and_parts_do_not_act_here() {
    let stage = Stage::new();
    let session = Session::stdio(&stage).await;
    for actor in ["dev:ada", "system:landing"] {
        let refused = session.call("plan", json!({"actor": actor, "tasks": [{"title": "x"}]})).await;
        assert!(refused.starts_with("refused (forbidden)") && refused.contains("agent:"), "{refused}");
    }
    assert!(session.ok("next", json!({"actor": "agent:ada/sub"})).await.contains("agent:ada/sub"));
    session.end().await;
    // A person in the variable is no name for a session: it takes one of its own.
    let session = Session::named(&stage, "dev:ada").await;
    assert!(session.ok("next", json!({})).await.contains("agent:ada/main"));
    session.end().await;
    let ended = stage.run_as("Ada", &["mcp"]);
    assert!(ended.exit == 2 && ended.stderr.contains("CALLBOARD_ACTOR") && ended.stdout.is_empty(), "{}", ended.stderr);
}

#[tokio::test]
async fn before_init_every_tool_says_so_and_afterwards_works() {
    let stage = Stage::bare();
    let session = Session::stdio(&stage).await;
    for (tool, args) in [("next", json!({})), ("ask", json!({"inbox": "unread"})), ("plan", json!({"tasks": [{"title": "x"}]}))] {
        let refused = session.call(tool, args).await;
        assert!(refused.starts_with("refused (not_initialized)") && refused.contains("callboard init"), "{refused}");
    }
    assert!(!stage.board().exists(), "asking makes nothing");
    stage.ok(&["init", "--no-client"]);
    session.ok("plan", json!({"tasks": [{"title": "Paint the buoys"}]})).await;
    session.end().await;
}

#[tokio::test]
async fn the_stateless_revision_works_on_pipes() {
    let stage = Stage::new();
    stage.add("Paint the buoys", &[]);
    for lifecycle in [handshake(), stateless()] {
        let session = Session::of(stage.callboard(&["mcp"]), lifecycle).await;
        assert!(session.ok("next", json!({})).await.contains("Paint the buoys"));
        session.end().await;
    }
}

#[tokio::test]
async fn a_stale_fence_changes_nothing() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    let session = Session::stdio(&stage).await;
    session.ok("next", json!({})).await;
    session.ok("update", json!({"task": id, "fence": 1, "comment": "Sanding now."})).await;
    session.ok("update", json!({"task": id, "status": "released", "comment": "Out of paint, sanded."})).await;
    assert!(session.ok("next", json!({"task": id})).await.contains("fence 2"));
    let before = stage.ok(&["tasks", "show", &id, "--json"]);
    let refused = session.call("update", json!({"task": id, "fence": 1, "comment": "Late word.", "labels": ["late"]})).await;
    assert!(refused.starts_with("refused (stale_fence)"), "{refused}");
    let refused = session.call("update", json!({"task": id, "fence": 1, "status": "done", "no_code": true, "comment": "All painted now."})).await;
    assert!(refused.starts_with("refused (stale_fence)"), "{refused}");
    let after = stage.ok(&["tasks", "show", &id, "--json"]);
    let quiet = |text: &str| {
        text.lines()
            .filter(|line| !["renewed_at", "until", "expires", "\"seen\"", "last_seen"].iter().any(|word| line.contains(word)))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(quiet(&after), quiet(&before), "a stale fence changes nothing");
    assert!(session.ok("update", json!({"task": id, "fence": 2, "status": "done", "no_code": true, "comment": "All painted now."})).await.contains("done"));
    session.end().await;
}

#[tokio::test]
async fn tools_as_sent_are_small_sorted_and_the_same_on_both_sets() {
    let stage = Stage::new();
    let all = Session::stdio(&stage).await;
    let board = Session::of(stage.callboard(&["mcp", "--tools", "board"]), handshake()).await;
    let (tools, set) = (all.peer().list_all_tools().await.unwrap(), board.peer().list_all_tools().await.unwrap());
    let sent = |tools: &[rmcp::model::Tool]| tools.iter().map(|tool| (tool.name.to_string(), serde_json::to_string(tool).unwrap())).collect::<Vec<_>>();
    assert_eq!(sent(&tools), sent(&set));
    let budgets = [("ask", 600), ("dispatch", 600), ("next", 650), ("plan", 1_740), ("recover", 500), ("report", 650), ("update", 1_536)];
    for (name, text) in sent(&tools) {
        let most = budgets.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("{name}")).1;
        assert!(text.len() <= most, "{name}: {} of {most}", text.len());
        assert!(text.contains(r#""additionalProperties":false"#), "{text}");
    }
    assert!(tools.is_sorted_by_key(|tool| tool.name.clone()));
    let info = all.peer().peer_info().unwrap();
    let instructions = info.instructions.as_deref().unwrap();
    assert!((200..=2_000).contains(&instructions.chars().count()), "{instructions}");
    all.end().await;
    board.end().await;
}
