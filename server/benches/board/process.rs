//! The product as processes: one command, a page server, a session of tools over stdio; and what `/proc` says of them.

use crate::wire::{Connection, Reply};
use crate::{Fault, Outcome};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a server may take to be ready, or to end.
const PATIENCE: Duration = Duration::from_secs(60);
/// One tick of `/proc` is a hundredth of a second on every Linux a person meets.
const TICK: Duration = Duration::from_millis(10);

/// What every measurement is given.
pub struct Bench {
    /// The binary under measurement.
    pub binary: PathBuf,
    /// The repository.
    pub root: PathBuf,
    /// Where boards are kept, on the disk of the build.
    pub work: PathBuf,
    /// Run only groups whose name contains this.
    pub only: Option<String>,
    /// Fewer rounds.
    pub quick: bool,
}

impl Bench {
    /// As the environment says.
    pub fn of_process() -> Outcome<Bench> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no folder above the crate")?.to_owned();
        let binary = PathBuf::from(env!("CARGO_BIN_EXE_callboard"));
        let target = binary.parent().and_then(Path::parent).ok_or("no target folder")?;
        let work = target.join("bench");
        fs::create_dir_all(work.join("home"))?;
        let only = std::env::var("BENCH_ONLY").ok().filter(|only| !only.is_empty());
        let quick = std::env::var_os("BENCH_QUICK").is_some_and(|value| !value.is_empty());
        Ok(Bench { binary, root, work, only, quick })
    }

    /// How many rounds a median is of.
    pub fn rounds(&self) -> usize {
        if self.quick { 3 } else { 5 }
    }

    /// A number of repetitions within a round.
    pub fn times(&self, usual: usize) -> usize {
        if self.quick { (usual / 5).max(1) } else { usual }
    }

    /// A program in a directory, in an environment that is the same everywhere.
    pub fn command(&self, program: impl AsRef<Path>, directory: &Path) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir(directory).env_clear().stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.work.join("home")).env("LANG", "C.UTF-8").env("TZ", "UTC");
        command.env("GIT_CONFIG_NOSYSTEM", "1");
        command
    }

    /// The product in a board's directory.
    pub fn callboard(&self, board: &Path, words: &[&str]) -> Command {
        let mut command = self.command(&self.binary, board);
        command.args(words);
        command
    }
}

/// Runs it to its end and gives its output; any other end than success is a fault.
pub fn run(command: &mut Command) -> Outcome<Vec<u8>> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let what = command.get_program().to_string_lossy().rsplit('/').next().unwrap_or_default().to_owned();
    let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
    Err(format!("{what} {} ended with {}: {said}", words.join(" "), output.status).into())
}

/// Runs it and gives its output as text.
pub fn run_text(command: &mut Command) -> Outcome<String> {
    Ok(String::from_utf8(run(command)?)?)
}

/// Runs it with something on stdin.
pub fn run_with(command: &mut Command, input: &[u8]) -> Outcome<Vec<u8>> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
    child.stdin.take().ok_or("no stdin")?.write_all(input)?;
    let output = child.wait_with_output()?;
    if output.status.success() { Ok(output.stdout) } else { Err(format!("ended with {}: {}", output.status, String::from_utf8_lossy(&output.stdout)).into()) }
}

/// Runs it some times in a row: wall time of each, processor time of one as their mean (the system counts it in hundredths).
pub fn timed(times: usize, mut command: impl FnMut() -> Command) -> Outcome<(Vec<Duration>, Duration)> {
    let mut wall = Vec::with_capacity(times);
    let before = children_cpu();
    for _ in 0..times {
        let mut command = command();
        let started = Instant::now();
        run(&mut command)?;
        wall.push(started.elapsed());
    }
    Ok((wall, (children_cpu() - before) / u32::try_from(times).unwrap_or(1).max(1)))
}

/// Fields of `/proc/<pid>/stat` after the name.
fn stat(pid: &str) -> Vec<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let rest = text.rsplit_once(") ").map_or("", |(_, rest)| rest);
    rest.split(' ').skip(1).map(|word| word.trim().parse().unwrap_or_default()).collect()
}

fn ticks(fields: &[u64], first: usize) -> Duration {
    let sum: u64 = fields.iter().skip(first).take(2).sum();
    TICK * u32::try_from(sum).unwrap_or(u32::MAX)
}

/// Processor time of this process's ended children.
pub fn children_cpu() -> Duration {
    ticks(&stat("self"), 12)
}

/// Processor time of a process, as the system counts it.
pub fn cpu(pid: u32) -> Duration {
    ticks(&stat(&pid.to_string()), 10)
}

/// Processor time of a process's threads, to the nanosecond; threads that ended are not in it.
pub fn cpu_fine(pid: u32) -> Duration {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Duration::ZERO };
    let one = |thread: fs::DirEntry| -> Option<u64> { fs::read_to_string(thread.path().join("schedstat")).ok()?.split(' ').next()?.parse().ok() };
    Duration::from_nanos(threads.flatten().filter_map(one).sum())
}

/// Page faults of a process's ended children: moves when one was started and ended.
pub fn children_faults(pid: u32) -> u64 {
    stat(&pid.to_string()).get(7).copied().unwrap_or_default()
}

/// A line of `/proc/<pid>/status`, in KiB.
pub fn status_kib(pid: u32, name: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')?.trim().strip_suffix(" kB").map(str::to_owned));
    value.and_then(|value| value.trim().parse().ok()).unwrap_or_default()
}

/// A page server.
pub struct Server {
    child: Child,
    /// Where it listens.
    pub port: u16,
    /// From its start to the first 200 of `/healthz`.
    pub ready: Duration,
    token: String,
}

impl Server {
    /// Starts one on a free port and waits until it says it is ready.
    pub fn start(bench: &Bench, board: &Path) -> Outcome<Server> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut command = bench.callboard(board, &["ui", "--port", &port.to_string()]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let started = Instant::now();
        let child = command.spawn()?;
        let mut server = Server { child, port, ready: Duration::ZERO, token: String::new() };
        loop {
            let status = Connection::open(port).and_then(|mut connection| connection.send("GET", "/healthz", &[], b""));
            if status.is_ok_and(|reply| reply.status == 200) {
                break;
            }
            if let Some(ended) = server.child.try_wait()? {
                return Err(format!("the server ended with {ended}").into());
            }
            if started.elapsed() > PATIENCE {
                return Err("the server is not ready".into());
            }
            sleep(Duration::from_micros(500));
        }
        server.ready = started.elapsed();
        server.token = fs::read_to_string(board.join(".callboard/local-token"))?.trim().to_owned();
        Ok(server)
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The person's credential, as a header's value.
    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// A connection that sends commands.
    pub fn client(&self) -> Outcome<Client> {
        Ok(Client { connection: Connection::open(self.port)?, bearer: self.bearer() })
    }

    /// Ends it as the system would.
    pub fn stop(mut self) -> Outcome<()> {
        self.end()
    }

    fn end(&mut self) -> Outcome<()> {
        if self.child.try_wait()?.is_some() {
            return Ok(());
        }
        run(Command::new("kill").args(["-TERM", &self.child.id().to_string()]))?;
        let asked = Instant::now();
        while self.child.try_wait()?.is_none() {
            if asked.elapsed() > Duration::from_secs(10) {
                self.child.kill()?;
                self.child.wait()?;
                return Err("the server did not end when asked".into());
            }
            sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.end(); // a measurement that failed has said so already
    }
}

/// A connected client of the API.
pub struct Client {
    connection: Connection,
    bearer: String,
}

impl Client {
    /// Sends JSON to a route below `/api`; anything but 200 is a fault.
    pub fn post(&mut self, route: &str, body: &Value) -> Outcome<Value> {
        let reply = self.try_post(route, body)?;
        if reply.status == 200 { Ok(serde_json::from_slice(&reply.body)?) } else { Err(format!("{route}: {} {}", reply.status, reply.text()).into()) }
    }

    /// Sends JSON and gives whatever came back.
    pub fn try_post(&mut self, route: &str, body: &Value) -> Outcome<Reply> {
        let headers = [("Authorization", self.bearer.as_str()), ("Content-Type", "application/json")];
        self.connection.send("POST", &format!("/api/{route}"), &headers, body.to_string().as_bytes())
    }

    /// Reads a route below `/api`.
    pub fn get(&mut self, route: &str) -> Outcome<Value> {
        let reply = self.connection.send("GET", &format!("/api/{route}"), &[("Authorization", self.bearer.as_str())], b"")?;
        if reply.status == 200 { Ok(serde_json::from_slice(&reply.body)?) } else { Err(format!("{route}: {} {}", reply.status, reply.text()).into()) }
    }

    /// One command.
    pub fn command(&mut self, command: &str, args: Value) -> Outcome<Value> {
        self.post("commands", &json!({"command": command, "args": args}))
    }
}

/// A session of tools over stdio, ours or another tool's.
pub struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    id: i64,
    /// From its start to the answer of `initialize`.
    pub first: Duration,
}

impl Session {
    /// Starts one and shakes hands.
    pub fn start(command: &mut Command) -> Outcome<Session> {
        let started = Instant::now();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        let mut session = Session { child, input, output, id: 0, first: Duration::ZERO };
        session.ask("initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}))?;
        session.first = started.elapsed();
        session.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(session)
    }

    /// Ours, as an agent.
    pub fn of_ours(bench: &Bench, board: &Path, actor: &str) -> Outcome<Session> {
        Session::start(bench.callboard(board, &["mcp"]).env("CALLBOARD_ACTOR", actor))
    }

    fn say(&mut self, message: &Value) -> Outcome<()> {
        let input = self.input.as_mut().ok_or("its stdin is closed")?;
        input.write_all(format!("{message}\n").as_bytes())?;
        Ok(input.flush()?)
    }

    /// One request and its result.
    pub fn ask(&mut self, method: &str, params: Value) -> Outcome<Value> {
        self.id += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}))?;
        let mut line = String::new();
        loop {
            line.clear();
            if self.output.read_line(&mut line)? == 0 {
                return Err(format!("the session ended at {method}").into());
            }
            let Ok(mut answer) = serde_json::from_str::<Value>(&line) else { continue };
            if answer["id"] == json!(self.id) {
                if answer["result"].is_null() {
                    return Err(Fault::from(format!("{method}: {}", answer["error"])));
                }
                return Ok(answer["result"].take());
            }
        }
    }

    /// One tool call: its text, or a refusal's.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Outcome<Result<String, String>> {
        let result = self.ask("tools/call", json!({"name": tool, "arguments": arguments}))?;
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        Ok(if result["isError"] == json!(true) { Err(text) } else { Ok(text) })
    }

    /// A tool call that must not be refused.
    pub fn must(&mut self, tool: &str, arguments: Value) -> Outcome<String> {
        self.call(tool, arguments)?.map_err(|refusal| format!("{tool}: {refusal}").into())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.input.take());
        let closed = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if closed.elapsed() > Duration::from_secs(5) {
                let _ = self.child.kill(); // it was told to end by the end of its input
                let _ = self.child.wait();
                return;
            }
            sleep(Duration::from_millis(2));
        }
    }
}
