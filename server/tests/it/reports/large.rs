//! A report of everything over a long log: soon, and without holding all of it. The promise is 2 seconds and 200 MiB for 100,000 events by
//! the binary as it is built for use; the one under test is not optimised, so what is held to here is the memory, and a time in proportion.

use crate::cli::stage::Stage;
use crate::hooks::scene::is_slow;
use crate::support::rounds;
use engine::report::dossier::sha256;
use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Writes a log of so many events, as another clone would have left it: each task has ten.
fn write_log(stage: &Stage, events: usize) {
    let (mut lines, mut prev) = (String::new(), "0".repeat(32));
    let mut add = |n: usize, at_s: usize, kind: &str, subject: &str, body: Value| {
        let moment = contracts::Moment(1_767_225_600_000 + i64::try_from(at_s).unwrap() * 1_000);
        let mut event = json!({
            "v": 1, "writer": "9c1e07ab", "n": n, "prev": prev, "at": format!("{moment}#0000"), "actor": format!("agent:ada/w{}", n % 7),
            "principal": "local:ada", "kind": kind, "subject": subject, "body": body,
        });
        prev = sha256(&event.to_string())[..32].to_owned();
        event["id"] = prev.as_str().into();
        lines.push_str(&format!("{event}\n"));
    };
    for n in 1..=events {
        let (task, step) = ((n - 1) / 10, (n - 1) % 10);
        let subject = format!("tk-{task:06x}");
        let (kind, body) = match step {
            0 => ("task.created", json!({"title": format!("Paint buoy {task}"), "spec": "Red to port, green to starboard."})),
            1 => ("task.claimed", json!({"expires": "2026-12-31T00:00:00.000Z", "ttl_s": 900, "fence": 1, "via": "mcp"})),
            2..=4 => (
                "commit.bound",
                json!({"sha": format!("{n:040x}"), "subject": "Paint it", "how": "trailer", "files": [["buoys.txt", 3, 1]], "added": 3, "deleted": 1}),
            ),
            5..=8 => ("task.commented", json!({"text": "It takes two coats, and the second one only holds when the first is dry."})),
            _ => ("task.closed", json!({"note": "Painted, two coats."})),
        };
        add(n, n * 60, kind, &subject, body);
    }
    fs::write(stage.board().join("log/9c1e07ab.jsonl"), lines).unwrap();
}

/// How long the report of everything took, and the most memory it was seen to have, KiB.
fn told(stage: &Stage) -> (Duration, u64) {
    let began = Instant::now();
    let mut child =
        stage.callboard(&["report", "all", "--json"]).stdout(Stdio::from(fs::File::create(stage.home().join("all.json")).unwrap())).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let seen = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.trim().parse().ok());
        most = most.max(seen.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(child.wait().unwrap().success());
    (began.elapsed(), most)
}

#[test]
fn a_long_log_is_told_without_holding_all_of_it() {
    let events = rounds(10_000, 100_000);
    let stage = Stage::new();
    write_log(&stage, events);
    stage.ok(&["rebuild"]);
    let (took, most) = told(&stage);
    let view: Value = serde_json::from_str(&fs::read_to_string(stage.home().join("all.json")).unwrap()).unwrap();
    let markdown = view["markdown"].as_str().unwrap();
    assert!(view["stamp"]["events"].as_u64().unwrap() >= events as u64, "{}", view["stamp"]);
    assert!(markdown.len() <= 2 << 20 && markdown.contains(&format!("{} closed", events / 10)), "{} bytes", markdown.len());
    eprintln!("{events} events: {took:?}, {} MiB", most >> 10);
    assert!(most < 200 << 10, "{} MiB", most >> 10);
    assert!(took < Duration::from_secs(if is_slow() { 60 } else { 20 }), "{took:?}");
}
