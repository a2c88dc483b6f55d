//! One call of a narrator: started, heard, ended in time with everything it started.

use super::spool::Spool;
use crate::run::group;
use crate::run::provider::{Narrating, Provider, fresh_mark};
use serde_json::Value;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStdout};
use tokio::sync::watch;

/// How often it is looked whether somebody wants it ended.
const LOOK: Duration = Duration::from_millis(200);
/// Longest line that is read.
const LINE_BYTES_MAX: usize = 1 << 20;
/// Longest time a program may take to end after its last word.
const LAST_WORD: Duration = Duration::from_secs(5);
/// Characters of what a provider said that are told.
const SAID_CHARS: usize = 300;

/// Why a pass gave no whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// Somebody ended it.
    Cancelled,
    /// All of it took longer than this.
    Deadline(Duration),
    /// It said nothing for so long.
    Silent(Duration),
    /// The text got longer than this, bytes.
    TooLong(usize),
    /// The provider says so, or ended without a word.
    Provider(String),
    /// Whoever took the text could not go on.
    Stopped(String),
}

/// What it may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Time {
    /// When all of it began.
    pub began: Instant,
    /// How long all of it may take.
    pub total: Duration,
    /// How long nothing may be heard.
    pub silence: Duration,
}

/// What one line of the stream says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Heard {
    /// Which model answers.
    Model(String),
    /// More of the answer.
    Text(String),
    /// Tokens written so far in this answer.
    Tokens(i64),
    /// The end.
    End {
        /// What went wrong, if something did.
        error: Option<String>,
        /// Tokens written.
        tokens: Option<i64>,
        /// Millionths of a dollar.
        cost_micros: Option<i64>,
    },
    /// Nothing that matters here.
    Other,
}

/// Runs it once. `hear` gets what is said and says whether to go on.
pub(super) async fn pass(
    provider: &Provider,
    (system, prompt): (&str, &str),
    time: Time,
    (spool, stop): (&Spool, &watch::Receiver<bool>),
    hear: &mut (dyn FnMut(Heard) -> Result<(), Why> + Send),
) -> Result<(), Why> {
    let mark = fresh_mark();
    let place = Place::make(&mark, prompt).map_err(|fault| Why::Stopped(format!("a temporary folder can't be made: {}", fault.kind())))?;
    let narrating = Narrating { system, prompt: &place.prompt(), directory: &place.empty(), complaints: &place.complaints(), mark: &mark };
    let mut child =
        provider.start_narrator(&narrating).map_err(|fault| Why::Provider(format!("{} could not be started: {fault}", provider.program.display())))?;
    let pid = child.id().unwrap_or_default();
    let heard = match child.stdout.take() {
        Some(stdout) => listen(stdout, time, spool, stop, hear).await,
        None => Err(Why::Stopped("its answer can't be heard".to_owned())),
    };
    let exit = end(child, pid, &mark, heard.is_ok()).await;
    match heard {
        Ok(true) => Ok(()),
        Ok(false) => Err(Why::Provider(format!("it ended without a last word ({exit}){}", place.complained()))),
        Err(Why::Provider(said)) => Err(Why::Provider(format!("{said}{}", place.complained()))),
        Err(why) => Err(why),
    }
}

/// Hears it to its last word; false when there was none.
async fn listen(
    mut stdout: ChildStdout,
    time: Time,
    spool: &Spool,
    stop: &watch::Receiver<bool>,
    hear: &mut (dyn FnMut(Heard) -> Result<(), Why> + Send),
) -> Result<bool, Why> {
    let (mut buffer, mut chunk, mut heard_at) = (Vec::new(), vec![0_u8; 16 << 10], Instant::now());
    let mut stop = stop.clone();
    loop {
        let read = tokio::select! {
            read = stdout.read(&mut chunk) => Some(read),
            () = tokio::time::sleep(LOOK) => None,
            // Who can't ask any more does not ask.
            () = async { if stop.changed().await.is_err() { std::future::pending().await } } => None,
        };
        if *stop.borrow() || spool.is_to_cancel() {
            return Err(Why::Cancelled);
        }
        if time.began.elapsed() > time.total {
            return Err(Why::Deadline(time.total));
        }
        match read {
            None if heard_at.elapsed() > time.silence => return Err(Why::Silent(time.silence)),
            None => continue,
            Some(Ok(0)) => return Ok(false),
            Some(Ok(bytes)) => buffer.extend_from_slice(&chunk[..bytes]),
            Some(Err(fault)) => return Err(Why::Stopped(format!("its answer can't be heard: {}", fault.kind()))),
        }
        heard_at = Instant::now();
        while let Some(end) = buffer.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = buffer.drain(..=end).collect();
            let said = heard(&line);
            let error = match &said {
                Heard::End { error, .. } => Some(error.clone()),
                _ => None,
            };
            hear(said)?;
            match error {
                Some(Some(error)) => return Err(Why::Provider(error)),
                Some(None) => return Ok(true),
                None => {}
            }
        }
        if buffer.len() > LINE_BYTES_MAX {
            return Err(Why::TooLong(LINE_BYTES_MAX));
        }
    }
}

/// Reads a line of the stream. A line of another form, or of a kind not known here, says nothing.
pub(super) fn heard(line: &[u8]) -> Heard {
    let Ok(value) = serde_json::from_slice::<Value>(line) else { return Heard::Other };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match (value["type"].as_str(), value["subtype"].as_str(), value["event"]["type"].as_str()) {
        (Some("system"), Some("init"), _) => Heard::Model(text(&value["model"])),
        (Some("stream_event"), _, Some("content_block_delta")) if value["event"]["delta"]["type"] == "text_delta" => {
            Heard::Text(text(&value["event"]["delta"]["text"]))
        }
        (Some("stream_event"), _, Some("message_delta")) => value["event"]["usage"]["output_tokens"].as_i64().map_or(Heard::Other, Heard::Tokens),
        // How it ended is told by this flag and nothing else: a missing login ends as a success.
        (Some("result"), _, _) => Heard::End {
            error: value["is_error"].as_bool().unwrap_or(false).then(|| cut(&text(&value["result"]))),
            tokens: value["usage"]["output_tokens"].as_i64(),
            cost_micros: value["total_cost_usd"].as_f64().map(|dollars| (dollars * 1e6).round() as i64),
        },
        _ => Heard::Other,
    }
}

fn cut(said: &str) -> String {
    let plain: String = said.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(SAID_CHARS).collect();
    let plain = plain.trim();
    if plain.is_empty() { "it says that it failed, and not why".to_owned() } else { format!("it says: {plain}") }
}

/// Waits for its end, or makes one; nothing it started is left.
async fn end(mut child: Child, pid: u32, mark: &str, in_peace: bool) -> String {
    let ended = if in_peace { tokio::time::timeout(LAST_WORD, child.wait()).await.ok() } else { None };
    let mark = mark.to_owned();
    let exit = match ended {
        Some(exit) => {
            let _ = tokio::task::spawn_blocking(move || group::end_rest(pid, &mark)).await; // a thread that fails ends nothing more
            exit
        }
        None => {
            // Waited for at the same time: a group whose dead nobody collects looks alive.
            let (exit, _) = tokio::join!(child.wait(), tokio::task::spawn_blocking(move || group::end(pid, &mark)));
            exit
        }
    };
    exit.map_or_else(|fault| format!("lost: {}", fault.kind()), |status| status.to_string())
}

/// A folder of this pass alone: what it is told, what it complains of, and an empty folder to stand in. Gone when this is.
struct Place(PathBuf);

impl Place {
    fn make(mark: &str, prompt: &str) -> io::Result<Place> {
        let place = Place(std::env::temp_dir().join(format!("callboard-{mark}")));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&place.0)?;
        builder.create(place.empty())?;
        fs::write(place.prompt(), prompt)?;
        Ok(place)
    }

    fn prompt(&self) -> PathBuf {
        self.0.join("prompt.md")
    }

    fn empty(&self) -> PathBuf {
        self.0.join("empty")
    }

    fn complaints(&self) -> PathBuf {
        self.0.join("stderr")
    }

    /// What it said beside its answer.
    fn complained(&self) -> String {
        match first_words(&self.complaints()) {
            said if said.is_empty() => String::new(),
            said => format!("; on stderr: {said}"),
        }
    }
}

fn first_words(file: &Path) -> String {
    let bytes = fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * SAID_CHARS)]).into_owned();
    let plain: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(SAID_CHARS).collect();
    plain.trim().to_owned()
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0); // what is left of it is in the system's temporary folder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_heard_by_its_fields_and_never_by_its_prose() {
        let said = |line: &str| heard(line.as_bytes());
        assert_eq!(said(r#"{"type":"system","subtype":"init","model":"m-1"}"#), Heard::Model("m-1".to_owned()));
        assert_eq!(
            said(r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"error 401"}}}"#),
            Heard::Text("error 401".to_owned())
        );
        assert_eq!(said(r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"hm"}}}"#), Heard::Other);
        assert_eq!(said(r#"{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":20}}}"#), Heard::Tokens(20));
        let end = said(r#"{"type":"result","subtype":"success","is_error":true,"result":"Not logged in","total_cost_usd":0.0015,"usage":{"output_tokens":7}}"#);
        assert_eq!(end, Heard::End { error: Some("it says: Not logged in".to_owned()), tokens: Some(7), cost_micros: Some(1_500) });
        for other in ["", "not json", r#"{"type":"news"}"#, "[]", "{}"] {
            assert_eq!(said(other), Heard::Other, "{other}");
        }
    }
}
