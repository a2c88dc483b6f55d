//! What open pages cost and how soon they hear: one change to one socket, one event to a thousand, memory, and doing nothing.

use crate::process::{Bench, Server, Session, children_faults, cpu, cpu_fine, run, status_kib};
use crate::stats::{median, mib, ms, percentile, ratio};
use crate::table::Row;
use crate::wire::Connection;
use crate::{Outcome, boards, floors};
use futures::StreamExt;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

/// How many pages.
const SOCKETS: usize = 1_000;
/// How long a change may take before the measurement is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a socket heard.
#[derive(Debug)]
enum Heard {
    /// It is open.
    Hello,
    /// A command's changes, so many bytes of text.
    Batch(Instant, usize),
    /// It ended, or fell behind.
    Over(String),
}

/// Opens a live page's line and reads it until it ends.
async fn listen(server: &Server, at: &Value, told: UnboundedSender<Heard>) -> Outcome<()> {
    let address = format!("ws://127.0.0.1:{}/live?since={}&epoch={}", server.port, at["seq"], at["epoch"].as_str().unwrap_or_default());
    let mut request = address.into_client_request()?;
    request.headers_mut().insert("Authorization", server.bearer().parse()?);
    let (mut socket, _) = connect_async(request).await?;
    tokio::spawn(async move {
        while let Some(message) = socket.next().await {
            let arrived = Instant::now();
            let heard = match message {
                Ok(message) => match message.to_text().unwrap_or_default() {
                    text if text.contains(r#""t":"hello""#) => Heard::Hello,
                    text if text.contains(r#""t":"lagged""#) => Heard::Over("it lagged".to_owned()),
                    text if text.contains(r#""t":"batch""#) && !text.contains(r#""live":true"#) => Heard::Batch(arrived, text.len()),
                    _ => continue,
                },
                Err(fault) => Heard::Over(fault.to_string()),
            };
            if told.send(heard).is_err() {
                break;
            }
        }
    });
    Ok(())
}

/// So many lines, all of them greeted.
async fn listeners(server: &Server, count: usize) -> Outcome<UnboundedReceiver<Heard>> {
    let at = server.client()?.get("meta")?;
    let (told, mut heard) = unbounded_channel();
    for _ in 0..count {
        listen(server, &at, told.clone()).await?;
    }
    for _ in 0..count {
        match timeout(PATIENCE, heard.recv()).await? {
            Some(Heard::Hello) => {}
            Some(Heard::Over(why)) => return Err(format!("a line ended at once: {why}").into()),
            other => return Err(format!("instead of a greeting: {other:?}").into()),
        }
    }
    Ok(heard)
}

/// The next batch on any line.
async fn batch(heard: &mut UnboundedReceiver<Heard>) -> Outcome<(Instant, usize)> {
    match timeout(PATIENCE, heard.recv()).await.map_err(|_| "no change came")? {
        Some(Heard::Batch(at, bytes)) => Ok((at, bytes)),
        Some(Heard::Over(why)) => Err(format!("a line ended: {why}").into()),
        other => Err(format!("instead of a change: {other:?}").into()),
    }
}

fn runtime() -> Outcome<Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?)
}

/// Sends something and waits for its change: from the call to the change, and from the answer to the change.
async fn heard_after(heard: &mut UnboundedReceiver<Heard>, times: usize, mut send: impl FnMut(usize) -> Outcome<()>) -> Outcome<[Vec<Duration>; 2]> {
    let mut series: [Vec<Duration>; 2] = Default::default();
    for n in 0..times {
        let started = Instant::now();
        tokio::task::block_in_place(|| send(n))?;
        let answered = Instant::now();
        let (arrived, _) = batch(heard).await?;
        series[0].push(arrived - started);
        series[1].push(arrived.saturating_duration_since(answered));
        tokio::time::sleep(Duration::from_millis(5)).await;
        if let Ok(stray) = heard.try_recv() {
            return Err(format!("a second change for one command: {stray:?}").into());
        }
    }
    Ok(series)
}

/// From a command to the change on a socket: through the server itself, through another process, through a command line.
pub fn change(bench: &Bench) -> Outcome<Vec<Row>> {
    let board = boards::of(bench, 10_000, 2_000)?;
    let id = boards::ready(bench, &board, 1)?.remove(0);
    let server = Server::start(bench, &board)?;
    let runtime = runtime()?;
    let times = bench.times(400);
    let [own, other, line] = runtime.block_on(async {
        let mut heard = listeners(&server, 1).await?;
        let mut client = server.client()?;
        let own = heard_after(&mut heard, times, |n| client.command("comment", json!({"task": id, "text": format!("own {n}")})).map(|_| ())).await?;
        let mut session = Session::of_ours(bench, &board, "agent:bench/change")?;
        session.must("ask", json!({"task": id}))?;
        let other = heard_after(&mut heard, times, |n| session.must("update", json!({"task": id, "comment": format!("other {n}")})).map(|_| ())).await?;
        let words = |n: usize| format!("line {n}");
        let line = heard_after(&mut heard, times / 10, |n| run(&mut bench.callboard(&board, &["tasks", "comment", &id, "-m", &words(n)])).map(|_| ())).await?;
        Outcome::Ok([own, other, line])
    })?;
    server.stop()?;
    let row = |what: &str, series: &[Vec<Duration>; 2], target_ms: u64| {
        let p99 = percentile(&series[0], 99);
        Row {
            what: what.to_owned(),
            measured: format!("p99 {}, p50 {} from the call; p99 {} after its answer", ms(p99), ms(median(&series[0])), ms(percentile(&series[1], 99))),
            target: format!("p99 below {target_ms} ms"),
            holds: Some(p99 < Duration::from_millis(target_ms)),
            how: format!("{} comments one after another, 10,000 tasks; the write itself is in it", series[0].len()),
            ..Row::default()
        }
    };
    Ok(vec![
        row("change on a socket, committed by the same process", &own, 50),
        row("change on a socket, committed by another process (MCP, stdio)", &other, 100),
        row("change on a socket, from the start of a `callboard tasks comment`", &line, 100),
    ])
}

/// One event, a thousand sockets: from the call until the last one has it.
pub fn fanout(bench: &Bench) -> Outcome<Vec<Row>> {
    let board = boards::of(bench, 10_000, 2_000)?;
    let id = boards::ready(bench, &board, 1)?.remove(0);
    let server = Server::start(bench, &board)?;
    let runtime = runtime()?;
    let times = bench.times(20);
    let (series, bytes, busy) = runtime.block_on(async {
        let mut heard = listeners(&server, SOCKETS).await?;
        let mut client = server.client()?;
        let (mut series, mut bytes) = (Vec::new(), 0);
        let before = cpu_fine(server.pid());
        for n in 0..times {
            let started = Instant::now();
            tokio::task::block_in_place(|| client.command("comment", json!({"task": id, "text": format!("to all {n}")})))?;
            let mut last = started;
            for _ in 0..SOCKETS {
                let (arrived, size) = batch(&mut heard).await?;
                last = last.max(arrived);
                bytes = size;
            }
            series.push(last - started);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Outcome::Ok((series, bytes, (cpu_fine(server.pid()) - before) / u32::try_from(times)?))
    })?;
    server.stop()?;
    let bare = runtime.block_on(floors::echo(SOCKETS, bytes, times))?;
    let slowest = percentile(&series, 100);
    Ok(vec![Row {
        what: "one event to 1,000 live sockets: the last one has it".to_owned(),
        measured: format!("slowest {}, median {} (server's cpu {})", ms(slowest), ms(median(&series)), ms(busy)),
        target: "all below 250 ms".to_owned(),
        holds: Some(slowest < Duration::from_millis(250)),
        beside: format!("1,000 bare sockets, same bytes: median {} (ratio {:.1})", ms(median(&bare)), ratio(median(&series), median(&bare))),
        how: format!("{times} events of {bytes} bytes, readers on the same cores"),
    }])
}

/// Resident memory, with a board of 10,000 tasks looked at, and with a thousand pages open.
pub fn memory(bench: &Bench) -> Outcome<Vec<Row>> {
    let board = boards::of(bench, 10_000, 2_000)?;
    let id = boards::ready(bench, &board, 1)?.remove(0);
    let server = Server::start(bench, &board)?;
    let fresh = status_kib(server.pid(), "VmRSS");
    let mut page = Connection::open(server.port)?;
    for _ in 0..bench.times(50) {
        page.send("GET", "/", &[("Accept", "text/html"), ("Accept-Encoding", "br")], b"")?;
    }
    let mut client = server.client()?;
    for n in 0..bench.times(200) {
        client.command("comment", json!({"task": id, "text": format!("memory {n}")}))?;
        client.get("snapshot")?;
    }
    let looked = status_kib(server.pid(), "VmRSS");
    let own = status_kib(server.pid(), "RssAnon");
    let runtime = runtime()?;
    let (open, after) = runtime.block_on(async {
        let mut heard = listeners(&server, SOCKETS).await?;
        let open = status_kib(server.pid(), "VmRSS");
        for n in 0..bench.times(20) {
            tokio::task::block_in_place(|| client.command("comment", json!({"task": id, "text": format!("to all {n}")})))?;
            for _ in 0..SOCKETS {
                batch(&mut heard).await?;
            }
        }
        Outcome::Ok((open, status_kib(server.pid(), "VmRSS")))
    })?;
    server.stop()?;
    let row = |what: &str, measured: String, kib: u64, target_mib: u64, how: String| Row {
        what: what.to_owned(),
        measured,
        target: format!("{target_mib} MiB"),
        holds: Some(kib <= target_mib * 1024),
        how,
        ..Row::default()
    };
    Ok(vec![
        row(
            "resident memory of the server, 10,000 tasks",
            format!("{} ({} its own, the rest the binary's pages); just started {}", mib(looked), mib(own), mib(fresh)),
            looked,
            40,
            format!("after {} pages, {} writes and {} snapshots", bench.times(50), bench.times(200), bench.times(200)),
        ),
        row(
            "resident memory with 1,000 sockets",
            format!("{}; as they opened {}", mib(after), mib(open)),
            after.max(open),
            200,
            format!("after {} events to all", bench.times(20)),
        ),
    ])
}

/// A minute with a page open and nothing to do.
pub fn idle(bench: &Bench) -> Outcome<Vec<Row>> {
    let board = boards::of(bench, 10_000, 2_000)?;
    let server = Server::start(bench, &board)?;
    let length = Duration::from_secs(if bench.quick { 10 } else { 60 });
    let runtime = runtime()?;
    let (ticks, fine, started) = runtime.block_on(async {
        let heard = listeners(&server, 1).await?;
        Connection::open(server.port)?.send("GET", "/", &[("Accept", "text/html")], b"")?;
        tokio::time::sleep(Duration::from_secs(2)).await;
        let before = (cpu(server.pid()), cpu_fine(server.pid()), children_faults(server.pid()));
        tokio::time::sleep(length).await;
        let after = (cpu(server.pid()), cpu_fine(server.pid()), children_faults(server.pid()));
        drop(heard);
        Outcome::Ok((after.0 - before.0, after.1.saturating_sub(before.1), after.2 != before.2 || children_of(server.pid())))
    })?;
    server.stop()?;
    let minutes = 60.0 / length.as_secs_f64();
    Ok(vec![Row {
        what: "idle with a page open: processor time in 60 s".to_owned(),
        measured: format!(
            "{:.2} s (by the finer count {}); {}",
            ticks.as_secs_f64() * minutes,
            ms(fine.mul_f64(minutes)),
            if started { "a process was started" } else { "no process started" }
        ),
        target: "0.0 s, below 0.05; none started".to_owned(),
        holds: Some(ticks.max(fine).mul_f64(minutes) < Duration::from_millis(50) && !started),
        how: format!("{} s, once, utime + stime", length.as_secs()),
        ..Row::default()
    }])
}

/// Whether a process has children now.
fn children_of(pid: u32) -> bool {
    let threads = std::fs::read_dir(Path::new("/proc").join(pid.to_string()).join("task"));
    let has = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("children")).is_ok_and(|text| !text.trim().is_empty());
    threads.is_ok_and(|threads| threads.flatten().any(has))
}
