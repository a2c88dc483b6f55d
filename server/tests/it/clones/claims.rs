//! A claim travels with the log: elsewhere the task is held until the published end, and no longer.

use super::pair::{Harbour, Pair, Pier};
use callboard::boot::{self, BootOptions};
use contracts::command::Claim;
use contracts::{Actor, Caller, Command, CommandRequest, Moment, Surface, TaskId};
use serde_json::json;
use std::sync::Arc;

const W1: &str = "agent:ada/w1";
const W2: &str = "agent:ada/w2";

#[test]
fn what_is_claimed_here_is_working_there() {
    let (pair, [paint, set]) = Pair::knowing(["Paint the buoys", "Set them out"]);
    pair.ok(Harbour, W1, &["next", "--task", &paint]);
    pair.commit(Harbour);
    pair.merge(Pier);
    let card = pair.json(Pier, &["tasks", "show", &paint]);
    assert_eq!((&card["standing"], &card["lease"]["actor"]), (&json!("working"), &json!(W1)), "{card}");
    assert!(card["lease"]["elsewhere"].is_string(), "{card}");
    let refused = pair.run(Pier, W2, &["tasks", "claim", &paint, "--json"]);
    assert_eq!((refused.exit, &refused.json()["code"]), (1, &json!("lease_held")), "{}", refused.stdout);
    assert_eq!(pair.run(Pier, W2, &["next", "--json"]).json()["task"]["id"], json!(set));
    let nothing = pair.run(Pier, "agent:ada/w3", &["next", "--json"]).json();
    assert_eq!(nothing["why"]["code"], "all_running", "{nothing}");
    // It ends there when it ends here.
    pair.ok(Harbour, W1, &["tasks", "release", &paint, "-m", "Out of red paint"]);
    pair.commit(Harbour);
    pair.merge(Pier);
    assert_eq!(pair.json(Pier, &["tasks", "show", &paint])["standing"], "ready");
    assert_eq!(pair.run(Pier, "agent:ada/w3", &["next", "--json"]).json()["task"]["id"], json!(paint));
}

/// Claims in the harbour as it was some seconds ago.
async fn claimed_ago(pair: &Pair, id: &str, actor: &str, seconds: i64) {
    let now = || {
        #[allow(clippy::disallowed_methods, reason = "a test stands outside of the product's clock")]
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        i64::try_from(since.as_millis()).unwrap()
    };
    let clock: boot::Clock = Arc::new(move || Moment(now() - seconds * 1_000));
    let boot = boot::boot(BootOptions { project: Some(pair.dir(Harbour)), clock: Some(clock), ..BootOptions::default() }).await.unwrap();
    let caller = Caller { actor: Actor::parse(actor).unwrap(), principal: "local:ada".into(), surface: Surface::Cli, session: None, client: None };
    let claim = Command::Claim(Claim { task: TaskId::parse(id).unwrap(), ttl_s: None, session: None, worktree: None });
    boot.port.for_caller(caller).execute(CommandRequest::of(claim)).await.unwrap();
    boot.port.shutdown().await;
}

#[tokio::test]
async fn a_claim_from_elsewhere_ends_at_its_published_end() {
    let (pair, [paint]) = Pair::knowing(["Paint the buoys"]);
    let fresh = crate::support::log::events(&pair.stage.board());
    let board_began = fresh.iter().find(|event| event["kind"] == "task.created").unwrap()["at"].clone();
    // The published horizon is two hours: a claim of an hour and a half ago holds, one of three hours ago does not.
    claimed_ago(&pair, &paint, W1, 5_400).await;
    let claim = crate::support::log::events(&pair.stage.board()).into_iter().find(|event| event["kind"] == "task.claimed").unwrap();
    pair.commit(Harbour);
    pair.merge(Pier);
    let card = pair.json(Pier, &["tasks", "show", &paint]);
    assert_eq!(card["standing"], "working", "claimed at {} after {board_began}: {card}", claim["at"]);

    let (pair, [paint]) = Pair::knowing(["Paint the buoys"]);
    claimed_ago(&pair, &paint, W1, 3 * 3_600).await;
    pair.commit(Harbour);
    pair.merge(Pier);
    let card = pair.json(Pier, &["tasks", "show", &paint]);
    assert_eq!(card["standing"], "stalled", "{card}");
    let taken = pair.run(Pier, W2, &["next", "--json"]).json();
    assert_eq!((&taken["task"]["id"], &taken["lease"]["fence"]), (&json!(paint), &json!(2)), "{taken}");
}

#[test]
fn a_deleted_database_comes_back_with_what_is_held() {
    let (pair, [paint, set]) = Pair::knowing(["Paint the buoys", "Set them out"]);
    pair.ok(Harbour, W1, &["next", "--task", &paint]);
    pair.ok(Harbour, W1, &["tasks", "comment", &paint, "-m", "Sanding first", "--to", W2]);
    pair.ok(Harbour, "dev:ada", &["tasks", "hold", &set, "-m", "Not in the rain"]);
    // What each reader may do names the lease, which is now as of another clone's.
    let whole = || {
        let mut task = pair.task(Harbour, &paint);
        task.as_object_mut().unwrap().remove("allowed");
        (pair.cards(Harbour), task)
    };
    let before = whole();
    pair.forget(Harbour);
    assert_eq!(whole(), before);
    let refused = pair.run(Harbour, W2, &["tasks", "claim", &paint, "--json"]);
    assert_eq!(refused.json()["code"], "lease_held", "{}", refused.stdout);
    assert!(pair.run(Harbour, W2, &["next", "--json"]).json()["task"].is_null());
    let resumed = pair.run(Harbour, W1, &["next", "--json"]).json();
    assert_eq!((&resumed["task"]["id"], &resumed["how"]), (&json!(paint), &json!("resumed")), "{resumed}");
    pair.ok(Harbour, W1, &["tasks", "done", &paint, "--no-code", "-m", "All twelve are red"]);
    assert_eq!(pair.json(Harbour, &["log", "verify"])["findings"], json!([]));
}
