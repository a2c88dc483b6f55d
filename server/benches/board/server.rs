//! What the page server costs: a durable create, fifty callers at one task, its start, its first page.

use crate::process::{Bench, Client, Server, Session, timed};
use crate::stats::{kib, median, ms, percentile, ratio};
use crate::table::Row;
use crate::wire::Connection;
use crate::{Fault, Outcome, boards, cli, floors, peers};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

/// One task, safe on disk before the answer: by a process of its own, and by a client that is connected.
pub fn create(bench: &Bench) -> Outcome<Vec<Row>> {
    let sqlite = floors::Sqlite::build(bench)?;
    let board = bench.work.join("boards/create");
    boards::empty(bench, &board)?;
    let peers = peers::Peers::find(bench);
    let times = bench.times(200);
    let (mut bare, mut synced, mut connected, mut by_cli, mut by_cpu) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut over_stdio = Vec::new();
    let mut beside = peers::Creates::default();
    let mut agent = Session::of_ours(bench, &board, "agent:bench/create")?;
    for _ in 0..bench.rounds() {
        bare.push(sqlite.commit(bench, times)?);
        synced.push(floors::append(bench, times)?);
        let server = Server::start(bench, &board)?;
        let mut client = server.client()?;
        let mut series = Vec::with_capacity(times);
        for _ in 0..times {
            let started = Instant::now();
            client.command("plan", json!({"tasks": [{"title": "Refuse expired tokens in sign-in"}]}))?;
            series.push(started.elapsed());
        }
        connected.push(median(&series));
        server.stop()?;
        let mut series = Vec::with_capacity(times);
        for _ in 0..times {
            let started = Instant::now();
            agent.must("plan", json!({"tasks": [{"title": "Refuse expired tokens in sign-in"}]}))?;
            series.push(started.elapsed());
        }
        over_stdio.push(median(&series));
        let (wall, cpu) = timed(bench.times(20), || bench.callboard(&board, &["tasks", "add", "Refuse expired tokens in sign-in"]))?;
        by_cli.push(median(&wall));
        by_cpu.push(cpu);
        peers.create(bench, &mut beside)?;
    }
    let floor = median(&bare);
    let by_cli = (median(&by_cli), median(&by_cpu));
    let how = format!("median of {} medians of {times}", bench.rounds());
    let client = |what: &str, series: &[Duration], beside: String| Row {
        what: what.to_owned(),
        measured: format!("{:.2}x ({})", ratio(median(series), floor), ms(median(series))),
        target: "2x of bare SQLite".to_owned(),
        holds: Some(ratio(median(series), floor) <= 2.0),
        beside,
        how: how.clone(),
    };
    let floors = format!("bare SQLite `insert … commit` {}, a line appended and synced {}", ms(floor), ms(median(&synced)));
    Ok(vec![
        Row {
            what: "one durable create by CLI: `tasks add`".to_owned(),
            measured: cli::both(by_cli),
            target: "20 ms".to_owned(),
            holds: Some(by_cli.0 <= Duration::from_millis(20)),
            beside: beside.words(),
            how: format!("median of {} medians of {} runs", bench.rounds(), bench.times(20)),
        },
        client("one durable create by a connected client, over HTTP", &connected, floors),
        client("the same over MCP, stdio", &over_stdio, String::new()),
    ])
}

/// How many ask at once.
const CALLERS: usize = 50;

/// Fifty callers, one task, at 10,000 tasks: through one server, and as fifty processes.
pub fn claim(bench: &Bench) -> Outcome<Vec<Row>> {
    let board = boards::of(bench, 10_000, 2_000)?;
    let races = bench.times(20);
    let ids = boards::ready(bench, &board, races)?;
    let mut served = Vec::new();
    let mut processes = Vec::new();
    let server = Server::start(bench, &board)?;
    let person = dev(&mut server.client()?)?;
    for _ in 0..bench.rounds().min(3) {
        let mut callers = Vec::new();
        for place in 0..CALLERS {
            let actor = format!("agent:{person}/c{place}");
            let mut client = server.client()?;
            callers.push(Box::new(move |ask: Ask| -> Outcome<bool> {
                let (command, args) = match ask {
                    Ask::Claim(id) => ("claim", json!({"task": id})),
                    Ask::Release(id) => ("release", json!({"task": id, "note": "given back, measured"})),
                };
                let reply = client.try_post("commands", &json!({"command": command, "args": args, "actor": actor}))?;
                match reply.status {
                    200 => Ok(true),
                    409 => Ok(false),
                    status => Err(format!("{command}: {status} {}", reply.text()).into()),
                }
            }) as Caller);
        }
        served.extend(race(callers, &ids)?);
    }
    server.stop()?;
    for _ in 0..bench.rounds().min(3) {
        let mut callers = Vec::new();
        for place in 0..CALLERS {
            let mut session = Session::of_ours(bench, &board, &format!("agent:{person}/p{place}"))?;
            callers.push(Box::new(move |ask: Ask| -> Outcome<bool> {
                let called = match ask {
                    Ask::Claim(id) => session.call("next", json!({"task": id}))?,
                    Ask::Release(id) => session.call("update", json!({"task": id, "status": "released", "comment": "given back, measured"}))?,
                };
                match called {
                    Ok(text) => Ok(!text.contains("Nothing for you")),
                    Err(refusal) if ["(lease_held)", "(at_limit)", "(assigned)"].iter().any(|code| refusal.contains(code)) => Ok(false),
                    Err(refusal) => Err(refusal.into()),
                }
            }) as Caller);
        }
        processes.extend(race(callers, &ids)?);
    }
    let row = |what: &str, series: &[Duration]| {
        let p99 = percentile(series, 99);
        Row {
            what: what.to_owned(),
            measured: format!("p99 {}, p50 {}, one winner each time", ms(p99), ms(median(series))),
            target: "p99 below 50 ms, one winner".to_owned(),
            holds: Some(p99 < Duration::from_millis(50)),
            how: format!("{} claims in {} races at 10,000 tasks, callers on the same cores", series.len(), series.len() / CALLERS),
            ..Row::default()
        }
    };
    Ok(vec![row("`claim` under 50 racing callers of one server, over HTTP", &served), row("`claim` under 50 racing processes, over stdio", &processes)])
}

/// Who credentials of this machine belong to.
fn dev(client: &mut Client) -> Outcome<String> {
    let meta = client.get("meta")?;
    let actor = meta["me"]["actor"].as_str().ok_or("no actor in meta")?;
    Ok(actor.trim_start_matches("dev:").to_owned())
}

#[derive(Clone, Copy)]
enum Ask<'a> {
    Claim(&'a str),
    Release(&'a str),
}

/// Asks, and says whether it was granted.
type Caller = Box<dyn FnMut(Ask<'_>) -> Outcome<bool> + Send>;

/// One race a task: all at once, then the winner gives back. Anything but one winner is a fault.
fn race(callers: Vec<Caller>, ids: &[String]) -> Outcome<Vec<Duration>> {
    let barrier = Barrier::new(callers.len());
    let results: Vec<Outcome<Vec<(Duration, bool)>>> = thread::scope(|scope| {
        let run = |mut caller: Caller| {
            let barrier = &barrier;
            move || -> Outcome<Vec<(Duration, bool)>> {
                let mut own = Vec::with_capacity(ids.len());
                let mut fault: Option<Fault> = None;
                for id in ids {
                    barrier.wait();
                    let started = Instant::now();
                    let won = caller(Ask::Claim(id));
                    let took = started.elapsed();
                    barrier.wait();
                    match won {
                        Ok(true) => match caller(Ask::Release(id)) {
                            Ok(_) => own.push((took, true)),
                            Err(other) => fault = Some(other),
                        },
                        Ok(false) => own.push((took, false)),
                        Err(other) => fault = Some(other),
                    }
                }
                fault.map_or(Ok(own), Err) // only after the last race: the others wait at the barrier
            }
        };
        let threads: Vec<_> = callers.into_iter().map(|caller| scope.spawn(run(caller))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a caller panicked".into()))).collect()
    });
    let results = results.into_iter().collect::<Outcome<Vec<_>>>()?;
    for (place, id) in ids.iter().enumerate() {
        let winners = results.iter().filter(|own| own[place].1).count();
        if winners != 1 {
            return Err(format!("{winners} winners of {id}").into());
        }
    }
    Ok(results.into_iter().flatten().map(|(took, _)| took).collect())
}

/// From the start of the process to the first 200.
pub fn start(bench: &Bench) -> Outcome<Vec<Row>> {
    let board = boards::of(bench, 10_000, 2_000)?;
    let (mut ready, mut page) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds() {
        let started = Instant::now();
        let server = Server::start(bench, &board)?;
        ready.push(server.ready);
        let reply = Connection::open(server.port)?.send("GET", "/", &[("Accept", "text/html")], b"")?;
        if reply.status != 200 {
            return Err(format!("the first page is {}", reply.status).into());
        }
        page.push(started.elapsed());
        server.stop()?;
    }
    Ok(vec![Row {
        what: "server start to first 200, 10,000 tasks".to_owned(),
        measured: format!("{}; to the first whole page {}", ms(median(&ready)), ms(median(&page))),
        target: "150 ms".to_owned(),
        holds: Some(median(&ready) <= Duration::from_millis(150)),
        how: format!("median of {}, asked every 0.5 ms", bench.rounds()),
        ..Row::default()
    }])
}

/// The board's page at 10,000 tasks, 2,000 of them open.
pub fn page(bench: &Bench) -> Outcome<Vec<Row>> {
    let board = boards::of(bench, 10_000, 2_000)?;
    let server = Server::start(bench, &board)?;
    let mut connection = Connection::open(server.port)?;
    let first = connection.send("GET", "/", &[("Accept", "text/html")], b"")?;
    let cookie = first.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
    let mut get = |coding: &str| -> Outcome<(Duration, u64, String)> {
        let started = Instant::now();
        let reply = connection.send("GET", "/", &[("Accept", "text/html"), ("Accept-Encoding", coding), ("Cookie", &cookie)], b"")?;
        let took = started.elapsed();
        if reply.status == 200 {
            Ok((took, reply.body.len() as u64, reply.header("content-encoding").to_owned()))
        } else {
            Err(format!("the page is {}", reply.status).into())
        }
    };
    let times = bench.times(20);
    let mut series: [Vec<Duration>; 2] = Default::default();
    let (mut raw, mut brotli, mut gzip) = (0, 0, 0);
    for _ in 0..bench.rounds() {
        let mut round: [Vec<Duration>; 2] = Default::default();
        for _ in 0..times {
            let (took, bytes, _) = get("identity")?;
            round[0].push(took);
            raw = bytes;
            let (took, bytes, coding) = get("br")?;
            round[1].push(took);
            brotli = if coding == "br" { bytes } else { u64::MAX };
        }
        series[0].push(median(&round[0]));
        series[1].push(median(&round[1]));
        gzip = get("gzip")?.1;
    }
    let mut client = server.client()?;
    let mut snapshot = Vec::new();
    for _ in 0..times {
        let started = Instant::now();
        client.get("snapshot")?;
        snapshot.push(started.elapsed());
    }
    let useful = first.text().matches("data-card=").count();
    server.stop()?;
    let render = median(&series[0]);
    Ok(vec![
        Row {
            what: "first board page, 10,000 tasks (2,000 open): server render".to_owned(),
            measured: format!("{}; with brotli {}", ms(render), ms(median(&series[1]))),
            target: "50 ms".to_owned(),
            holds: Some(render <= Duration::from_millis(50)),
            beside: format!("the same data as JSON {}", ms(median(&snapshot))),
            how: format!("median of {} medians of {times} whole answers on a kept connection", bench.rounds()),
        },
        Row {
            what: "the same page: HTML".to_owned(),
            measured: format!("{} brotli, {} gzip, {} raw", kib(brotli), kib(gzip), kib(raw)),
            target: "250 KiB compressed, useful before any script".to_owned(),
            holds: Some(brotli.max(gzip) <= 250 * 1024 && useful > 0),
            how: format!("{useful} cards are in the HTML"),
            ..Row::default()
        },
    ])
}

/// Everything a browser fetches for its first page, as it comes over the wire.
pub fn visit(bench: &Bench) -> Outcome<Vec<Row>> {
    let board = boards::of(bench, 10_000, 2_000)?;
    let empty = bench.work.join("boards/visit");
    boards::empty(bench, &empty)?;
    let mut rows = Vec::new();
    for (what, board, promised) in [("an empty board", &empty, true), ("10,000 tasks, 2,000 open", &board, false)] {
        let server = Server::start(bench, board)?;
        let mut connection = Connection::open(server.port)?;
        let plain = connection.send("GET", "/", &[("Accept", "text/html")], b"")?;
        let cookie = plain.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
        let named: BTreeSet<String> = references(&plain.text());
        let mut parts = Vec::new();
        let mut total = 0;
        let html = connection.send("GET", "/", &[("Accept", "text/html"), ("Accept-Encoding", "br"), ("Cookie", &cookie)], b"")?;
        let mut count = |name: &str, bytes: u64| {
            total += bytes;
            parts.push(format!("{name} {}", kib(bytes)));
        };
        count("HTML", html.body.len() as u64 + html.head_bytes);
        for path in &named {
            let reply = connection.send("GET", path, &[("Accept-Encoding", "br, gzip"), ("Cookie", &cookie)], b"")?;
            if reply.status != 200 {
                return Err(format!("{path} is {}", reply.status).into());
            }
            count(kind(path), reply.body.len() as u64 + reply.head_bytes);
        }
        server.stop()?;
        rows.push(Row {
            what: format!("first visit over the wire, {what}"),
            measured: format!("{}: {}", kib(total), parts.join(", ")),
            target: if promised { "700 KiB".to_owned() } else { String::new() },
            holds: promised.then_some(total <= 700 * 1024),
            how: "heads and bodies, brotli where offered".to_owned(),
            ..Row::default()
        });
    }
    Ok(rows)
}

/// Our own files a page refers to.
fn references(html: &str) -> BTreeSet<String> {
    let ends = |c: char| matches!(c, '"' | '\'' | ' ' | '#' | '<' | '>' | ')' | '\\');
    html.match_indices("/pkg/").map(|(at, _)| html[at..].split(ends).next().unwrap_or_default().to_owned()).filter(|path| path.contains('.')).collect()
}

fn kind(path: &str) -> &str {
    match path.rsplit('.').next().unwrap_or_default() {
        "js" => "script",
        "css" => "styles",
        "svg" => "picture",
        "wasm" => "wasm",
        other => other,
    }
}
