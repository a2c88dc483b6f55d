//! What an agent's session costs: its start, its schemas, and `next` as the board grows.

use crate::process::{Bench, Session};
use crate::stats::{kib, median, ms, ratio};
use crate::table::Row;
use crate::{Outcome, boards, peers};
use serde_json::json;
use std::time::{Duration, Instant};

/// From the start of the process to the answer of `initialize`, and to the first answer about the board.
pub fn start(bench: &Bench) -> Outcome<Vec<Row>> {
    let board = boards::of(bench, 1_000, 1_000)?;
    let large = boards::of(bench, 10_000, 2_000)?;
    let id = boards::ready(bench, &board, 1)?.remove(0);
    let id_large = boards::ready(bench, &large, 1)?.remove(0);
    let peers = peers::Peers::find(bench);
    let times = bench.times(10);
    let (mut hello, mut answer, mut answer_large, mut beside) = (Vec::new(), Vec::new(), Vec::new(), peers::Starts::default());
    for _ in 0..bench.rounds() {
        let mut round: [Vec<Duration>; 3] = Default::default();
        for _ in 0..times {
            let started = Instant::now();
            let mut session = Session::of_ours(bench, &board, "agent:bench/start")?;
            round[0].push(session.first);
            session.must("ask", json!({"task": id}))?;
            round[1].push(started.elapsed());
            drop(session);
            let started = Instant::now();
            let mut session = Session::of_ours(bench, &large, "agent:bench/start")?;
            session.must("ask", json!({"task": id_large}))?;
            round[2].push(started.elapsed());
        }
        hello.push(median(&round[0]));
        answer.push(median(&round[1]));
        answer_large.push(median(&round[2]));
        peers.start(bench, &mut beside)?;
    }
    let how = format!("median of {} medians of {times}", bench.rounds());
    let row = |what: &str, series: &[Duration], beside: String| Row {
        what: what.to_owned(),
        measured: ms(median(series)),
        target: "50 ms".to_owned(),
        holds: Some(median(series) <= Duration::from_millis(50)),
        beside,
        how: how.clone(),
    };
    Ok(vec![
        row("MCP over stdio: start to the first answer (`initialize`)", &hello, beside.words()),
        row("MCP over stdio: start to the first answer about a task, 1,000 tasks", &answer, String::new()),
        row("the same at 10,000 tasks", &answer_large, String::new()),
    ])
}

/// Bytes of `tools/list`, which every session of a client pays for.
pub fn schemas(bench: &Bench) -> Outcome<Vec<Row>> {
    let board = boards::of(bench, 1_000, 1_000)?;
    let mut session = Session::of_ours(bench, &board, "agent:bench/start")?;
    let tools = session.ask("tools/list", json!({}))?["tools"].take();
    let bytes = tools.to_string().len() as u64;
    let id = boards::ready(bench, &board, 1)?.remove(0);
    let reply = session.must("ask", json!({"task": id}))?.len() as u64;
    Ok(vec![Row {
        what: "MCP tool schemas".to_owned(),
        measured: format!("{}, {} tools; a task's answer {}", kib(bytes), tools.as_array().map_or(0, Vec::len), kib(reply)),
        target: "6 KiB; an answer 4 KiB".to_owned(),
        holds: Some(bytes <= 6 * 1024 && reply <= 4 * 1024),
        beside: peers::Peers::find(bench).schemas(bench)?,
        how: "`tools` of tools/list as compact JSON".to_owned(),
    }])
}

/// One `next` that takes a task, at two sizes of the ready queue, through a session over stdio.
pub fn next(bench: &Bench) -> Outcome<Vec<Row>> {
    let sizes = [1_000, 100_000];
    let mut sessions = Vec::new();
    for size in sizes {
        let board = boards::of(bench, size, size)?;
        sessions.push(Session::of_ours(bench, &board, "agent:bench/next")?);
    }
    let times = bench.times(40);
    let mut series: [[Vec<Duration>; 2]; 2] = Default::default();
    for _ in 0..bench.rounds() {
        for (session, series) in sessions.iter_mut().zip(&mut series) {
            let (mut taken, mut peeked) = (Vec::new(), Vec::new());
            for _ in 0..times {
                let started = Instant::now();
                session.must("next", json!({"peek": true}))?;
                peeked.push(started.elapsed());
                let started = Instant::now();
                let text = session.must("next", json!({}))?;
                taken.push(started.elapsed());
                let id = task_id(&text).ok_or_else(|| format!("no task in {text}"))?;
                session.must("update", json!({"task": id, "status": "released", "comment": "given back, measured"}))?;
            }
            series[0].push(median(&taken));
            series[1].push(median(&peeked));
        }
    }
    let [small, large] = series.map(|[taken, peeked]| [median(&taken), median(&peeked)]);
    let row = |what: &str, at: usize| Row {
        what: what.to_owned(),
        measured: format!("{:.2}x ({} → {})", ratio(large[at], small[at]), ms(small[at]), ms(large[at])),
        target: "below 2x".to_owned(),
        holds: Some(ratio(large[at], small[at]) < 2.0),
        how: format!("median of {} medians of {times}, one session over stdio each, interleaved", bench.rounds()),
        ..Row::default()
    };
    Ok(vec![row("`next` that takes, 1,000 → 100,000 ready tasks", 0), row("`next` that only looks, 1,000 → 100,000", 1)])
}

/// The first task id in an answer.
pub fn task_id(text: &str) -> Option<String> {
    let is_id = |id: &&str| id.len() == 9 && id[3..].bytes().all(|byte| byte.is_ascii_hexdigit());
    text.match_indices("tk-").filter_map(|(at, _)| text.get(at..at + 9)).find(is_id).map(str::to_owned)
}
