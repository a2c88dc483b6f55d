//! `git add -A` takes what belongs into the repository and nothing else.

use crate::cli::stage::Stage;
use crate::support::server::Server;
use crate::support::session::Session;
use serde_json::json;

fn staged(stage: &Stage) -> Vec<String> {
    stage.git(&["add", "--all"]);
    stage.git(&["diff", "--cached", "--name-only"]).lines().map(str::to_owned).collect()
}

#[test]
fn after_init_and_one_task_the_log_and_two_dot_files_are_staged() {
    let stage = Stage::new();
    stage.add("Paint the buoys", &[]);
    let mut names = staged(&stage);
    let logs: Vec<String> = names.extract_if(.., |name| name.starts_with(".callboard/log/") && name.ends_with(".jsonl")).collect();
    assert_eq!((logs.len(), names), (1, vec![".callboard/.gitattributes".to_owned(), ".callboard/.gitignore".to_owned()]));
}

#[tokio::test]
async fn whatever_ran_before_nothing_private_is_staged() {
    let stage = Stage::new();
    let server = Server::of(&stage);
    let session = Session::stdio(&stage).await;
    session.ok("plan", json!({"tasks": [{"title": "Paint the buoys", "spec": "red ".repeat(6_000)}]})).await;
    session.ok("next", json!({})).await;
    let torn = stage.board().join("log/00000000.jsonl");
    std::fs::write(&torn, "not a line\n").unwrap();
    stage.run(&["tasks"]);
    stage.ok(&["rebuild"]);
    for name in ["local-token", "mcp-token"] {
        let path = stage.board().join(name);
        assert!(path.exists());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
        }
    }
    std::fs::remove_file(torn).unwrap();
    let names = staged(&stage);
    let allowed = |name: &str| {
        [".callboard/.gitattributes", ".callboard/.gitignore"].contains(&name)
            || (name.starts_with(".callboard/log/") && name.ends_with(".jsonl"))
            || name.starts_with(".callboard/blobs/")
    };
    assert!(names.iter().all(|name| allowed(name)), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with(".callboard/blobs/")), "{names:?}");
    let text = stage.git(&["diff", "--cached"]);
    assert!(!text.contains(&server.local) && !text.contains(&server.mcp), "a token is staged");
    session.end().await;
}

#[test]
fn the_log_says_no_path_of_the_machine() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    assert_eq!(stage.run_as("agent:ada/w1", &["next"]).exit, 0);
    stage.ok(&["tasks", "comment", &id, "-m", "Hello"]);
    let home = stage.dir().parent().unwrap().to_str().unwrap().to_owned();
    for (name, text) in crate::support::log::files(&stage.board()) {
        assert!(!text.contains(&home), "{name}: {text}");
    }
}
