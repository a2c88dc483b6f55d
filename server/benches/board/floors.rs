//! What the disk and the machine give when nothing of ours is in the way.

use crate::Outcome;
use crate::process::{Bench, run_text};
use crate::stats::median;
use serde_json::Value;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The program of bare SQLite loops, built once.
pub struct Sqlite {
    program: PathBuf,
}

impl Sqlite {
    /// Builds it: only the storage crate knows SQLite.
    pub fn build(bench: &Bench) -> Outcome<Sqlite> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.current_dir(&bench.root).args(["bench", "-p", "storage", "--bench", "floors", "--no-run", "--message-format=json", "--quiet"]);
        let said = run_text(&mut command)?;
        let program = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).find_map(|message| {
            let own = message["target"]["name"] == "floors";
            message["executable"].as_str().filter(|_| own).map(PathBuf::from)
        });
        Ok(Sqlite { program: program.ok_or("the floors were not built")? })
    }

    /// The median of `insert … commit`, so many times, in WAL with `synchronous=full`.
    pub fn commit(&self, bench: &Bench, times: usize) -> Outcome<Duration> {
        self.run(bench, "commit", times)
    }

    /// So many rows with the indexes of a log, in one transaction.
    pub fn bulk(&self, bench: &Bench, rows: usize) -> Outcome<Duration> {
        self.run(bench, "bulk", rows)
    }

    fn run(&self, bench: &Bench, what: &str, count: usize) -> Outcome<Duration> {
        let folder = bench.work.join("floor");
        fs::create_dir_all(&folder)?;
        let said = run_text(bench.command(&self.program, &folder).args([what, &count.to_string()]))?;
        Ok(Duration::from_nanos(said.trim().parse()?))
    }
}

/// The median of one line appended and synced.
pub fn append(bench: &Bench, times: usize) -> Outcome<Duration> {
    let folder = bench.work.join("floor");
    fs::create_dir_all(&folder)?;
    let path = folder.join("lines");
    let mut file = File::options().create(true).append(true).open(&path)?;
    let line = [b'x'; 400];
    let mut series = Vec::with_capacity(times);
    for _ in 0..times {
        let started = Instant::now();
        file.write_all(&line)?;
        file.sync_data()?;
        series.push(started.elapsed());
    }
    drop(file);
    fs::remove_file(path)?;
    Ok(median(&series))
}

/// From the first byte written to the last socket read: so many bare sockets, one message, one process for both sides.
pub async fn echo(sockets: usize, bytes: usize, times: usize) -> Outcome<Vec<Duration>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let (mut near, mut far) = (Vec::with_capacity(sockets), Vec::with_capacity(sockets));
    for _ in 0..sockets {
        let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        near.push(accepted?.0);
        far.push(client?);
    }
    let (told, mut done) = tokio::sync::mpsc::channel::<Instant>(sockets);
    for mut socket in far {
        let told = told.clone();
        tokio::spawn(async move {
            let mut text = vec![0; bytes];
            while socket.read_exact(&mut text).await.is_ok() {
                if told.send(Instant::now()).await.is_err() {
                    break;
                }
            }
        });
    }
    let text = vec![b'x'; bytes];
    let mut series = Vec::with_capacity(times);
    for _ in 0..times {
        let started = Instant::now();
        for socket in &mut near {
            socket.write_all(&text).await?;
        }
        let mut last = started;
        for _ in 0..sockets {
            last = last.max(done.recv().await.ok_or("a socket ended")?);
        }
        series.push(last - started);
    }
    Ok(series)
}
