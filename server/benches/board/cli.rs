//! What the command line costs: a read, a plan of a thousand tasks, the projections made anew.

use crate::process::{Bench, run, run_with, status_kib, timed};
use crate::stats::{median, mib, ms, percentile, ratio, seconds};
use crate::table::Row;
use crate::{Outcome, boards, floors, peers};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Process start to answer, at two sizes; the floor is the same process saying its version.
pub fn read(bench: &Bench) -> Outcome<Vec<Row>> {
    let small = boards::of(bench, 1_000, 1_000)?;
    let large = boards::of(bench, 10_000, 2_000)?;
    let peers = peers::Peers::find(bench);
    let times = bench.times(20);
    let mut series: [Series; 6] = Default::default();
    let mut beside = peers::Reads::default();
    let ids = [boards::ready(bench, &small, 1)?.remove(0), boards::ready(bench, &large, 1)?.remove(0)];
    for _ in 0..bench.rounds() {
        let runs: [(&Path, Vec<&str>); 6] = [
            (&small, vec!["--version"]),
            (&small, vec!["tasks"]),
            (&large, vec!["tasks"]),
            (&small, vec!["tasks", "show", &ids[0]]),
            (&large, vec!["tasks", "show", &ids[1]]),
            (&large, vec!["tasks", "--limit", "20"]),
        ];
        for (series, (board, words)) in series.iter_mut().zip(&runs) {
            series.add(timed(times, || bench.callboard(board, words))?);
        }
        peers.read(bench, &mut beside)?;
    }
    let [version, list_small, list_large, show_small, show_large, some_large] = series.map(|series| series.middle());
    let how = format!("median of {} medians of {times} runs", bench.rounds());
    let floor = format!("`callboard --version` {}", both(version));
    let row = |size: &str, list: (Duration, Duration), target_ms: u64, beside: String| Row {
        what: format!("CLI read, {size}: `tasks`, every open one"),
        measured: both(list),
        target: format!("{target_ms} ms"),
        holds: Some(list.0 <= Duration::from_millis(target_ms)),
        beside,
        how: how.clone(),
    };
    let told = |what: &str, list: (Duration, Duration), target_ms: u64| Row {
        what: what.to_owned(),
        measured: both(list),
        target: format!("{target_ms} ms"),
        holds: Some(list.0 <= Duration::from_millis(target_ms)),
        how: how.clone(),
        ..Row::default()
    };
    Ok(vec![
        row("1,000 tasks, all open", list_small, 20, [vec![floor], beside.words()].concat().join("; ")),
        row("10,000 tasks, 2,000 open", list_large, 50, String::new()),
        told("CLI read, 1,000 tasks: `tasks show`", show_small, 20),
        told("CLI read, 10,000 tasks: `tasks show`", show_large, 50),
        told("CLI read, 10,000 tasks: `tasks --limit 20`", some_large, 50),
    ])
}

/// Wall and processor time, of each round.
#[derive(Default)]
struct Series {
    wall: Vec<Duration>,
    cpu: Vec<Duration>,
}

impl Series {
    fn add(&mut self, (wall, cpu): (Vec<Duration>, Duration)) {
        self.wall.push(median(&wall));
        self.cpu.push(cpu);
    }

    fn middle(&self) -> (Duration, Duration) {
        (median(&self.wall), median(&self.cpu))
    }
}

/// `wall (processor)`.
pub fn both((wall, cpu): (Duration, Duration)) -> String {
    format!("{} (cpu {})", ms(wall), ms(cpu))
}

/// A thousand tasks in one command, from its start to its end.
pub fn plan(bench: &Bench) -> Outcome<Vec<Row>> {
    let board = bench.work.join("boards/plan");
    let bare = plan_text(false);
    let full = plan_text(true);
    let mut series: [Vec<Duration>; 2] = Default::default();
    let mut small = Vec::new();
    let peers = peers::Peers::find(bench);
    let mut beside = Vec::new();
    for _ in 0..bench.rounds() {
        for (series, plan) in series.iter_mut().zip([&bare, &full]) {
            boards::empty(bench, &board)?;
            let started = Instant::now();
            run_with(&mut bench.callboard(&board, &["tasks", "plan", "-"]), plan.as_bytes())?;
            series.push(started.elapsed());
        }
        let started = Instant::now();
        run_with(&mut bench.callboard(&board, &["tasks", "plan", "-"]), br#"{"tasks": [{"title": "One"}]}"#)?;
        small.push(started.elapsed());
        beside.extend(peers.plan(bench)?);
    }
    let beside = match median(&beside) {
        Duration::ZERO => "taskops not installed".to_owned(),
        took => format!("taskops {} in ten calls over MCP", ms(took)),
    };
    let how = format!("median of {}, whole process, into an empty board; a plan of one task takes {}", bench.rounds(), ms(median(&small)));
    let row = |what: &str, series: &[Duration], beside: String| Row {
        what: what.to_owned(),
        measured: ms(median(series)),
        target: "200 ms".to_owned(),
        holds: Some(median(series) <= Duration::from_millis(200)),
        beside,
        how: how.clone(),
    };
    Ok(vec![
        row("1,000 tasks in one `plan`, titles alone", &series[0], beside),
        row("1,000 tasks in one `plan`, with spec, labels, files, edges, milestone", &series[1], String::new()),
    ])
}

fn plan_text(full: bool) -> String {
    let mut plan = boards::plan(0, 1_000);
    if !full {
        for task in plan["tasks"].as_array_mut().into_iter().flatten() {
            *task = serde_json::json!({"title": task["title"]});
        }
        plan["milestone"].take();
        if let Some(members) = plan.as_object_mut() {
            members.remove("milestone");
        }
    }
    plan.to_string()
}

/// A process watched until it ends: its time, and the most memory it was seen to have.
fn watched(bench: &Bench, board: &Path, words: &[&str]) -> Outcome<(Duration, u64)> {
    let started = Instant::now();
    let mut child = bench.callboard(board, words).stdout(Stdio::null()).spawn()?;
    let mut peak = 0;
    loop {
        peak = peak.max(status_kib(child.id(), "VmHWM"));
        if let Some(ended) = child.try_wait()? {
            let took = started.elapsed();
            return if ended.success() { Ok((took, peak)) } else { Err(format!("{} ended with {ended}", words.join(" ")).into()) };
        }
        std::thread::sleep(Duration::from_millis(3));
    }
}

/// `rebuild` of a log of 100,000 events, and the same log read into a database that is not there.
pub fn rebuild(bench: &Bench) -> Outcome<Vec<Row>> {
    let board = boards::of(bench, 100_000, 100_000)?;
    let sqlite = floors::Sqlite::build(bench)?;
    let rounds = if bench.quick { 1 } else { 3 };
    let (mut again, mut anew, mut bulk) = (Vec::new(), Vec::new(), Vec::new());
    let (mut again_peak, mut anew_peak) = (0, 0);
    for _ in 0..rounds {
        bulk.push(sqlite.bulk(bench, 100_000)?);
        let (took, peak) = watched(bench, &board, &["rebuild"])?;
        again.push(took);
        again_peak = again_peak.max(peak);
        let copy = bench.work.join("boards/anew");
        if copy.exists() {
            fs::remove_dir_all(&copy)?;
        }
        run(bench.command("cp", &bench.work).args(["-r".as_ref(), board.as_os_str(), copy.as_os_str()]))?;
        for end in ["", "-wal", "-shm"] {
            let _ = fs::remove_file(copy.join(format!(".callboard/state.db{end}"))); // the last two may be folded in already
        }
        let (took, peak) = watched(bench, &copy, &["tasks", "--limit", "1"])?;
        anew.push(took);
        anew_peak = anew_peak.max(peak);
        fs::remove_dir_all(copy)?;
    }
    let floor = format!("rows alone into bare SQLite {} (ratio {:.1})", seconds(median(&bulk)), ratio(median(&again), median(&bulk)));
    let row = |what: &str, series: &[Duration], peak: u64, beside: String, promised: bool| Row {
        what: what.to_owned(),
        measured: format!("{}, {} at most", seconds(median(series)), mib(peak)),
        target: if promised { "5 s, 200 MiB".to_owned() } else { String::new() },
        holds: promised.then_some(median(series) <= Duration::from_secs(5) && peak <= 200 * 1024),
        beside,
        how: format!("median of {rounds}, slowest {}", seconds(percentile(series, 100))),
    };
    Ok(vec![
        row("`rebuild` from 100,000 events (100,000 tasks)", &again, again_peak, floor, true),
        row("the same log read into a new database, on open", &anew, anew_peak, String::new(), false),
    ])
}
