//! The live page's line: frames over a WebSocket, and the same frames as server-sent events. It only carries: what is published, in
//! which order and as which text, is the publisher's word.
//!
//! Invariants: who fell behind is told so and gets nothing more, never a gap; a line that ends gives its place back at once.

use crate::lasting::Lasting;
use axum::extract::rejection::QueryRejection;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use contracts::report::NarrationNews;
use contracts::{Answer, Code, Frame, Hint, Moment, Problem, Saying, limits};
use futures::stream::unfold;
use futures::{Sink, SinkExt, Stream, StreamExt};
use serde::Deserialize;
use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast, watch};
use tokio::time::{Instant, Interval, MissedTickBehavior, Sleep, interval_at, sleep, timeout};

/// The server goes, or the line is a day old.
const GOING_AWAY: u16 = 1001;
/// What let this line in would not do so any more.
const CREDENTIAL_ENDED: u16 = 4401;
/// The database is another one now.
const RESTARTED: u16 = 1012;
/// This line fell behind.
const TRY_AGAIN: u16 = 1013;
/// Longest time a client may take to accept one frame.
const SEND_FOR: Duration = Duration::from_secs(30);
/// Longest time a farewell may take.
const FAREWELL: Duration = Duration::from_secs(1);
/// Largest message taken from a client: it has little to say.
const MESSAGE_BYTES_MAX: usize = 4 << 10;

/// What comes from the publisher.
#[derive(Clone, Debug)]
pub enum Heard {
    /// One batch, as text, and the position after it.
    Batch(i64, Arc<str>),
    /// Some were lost: the queue of this line was full.
    Lagged,
    /// The database was replaced.
    Replaced,
}

/// A line's batches.
pub type Hearing = Pin<Box<dyn Stream<Item = Heard> + Send>>;

/// A line that begins.
pub struct Resumed {
    /// The first frame.
    pub hello: Frame,
    /// What was missed, then what comes; nothing between is lost. Its end is the server's.
    pub hearing: Hearing,
}

/// The publisher, as a line sees it.
pub trait Feed: Send + Sync + 'static {
    /// Everything after a position; `-1` when the client has none.
    fn resume(&self, since: i64, epoch: String) -> Answer<'_, Resumed>;
    /// Position up to which everything was handed out.
    fn published(&self) -> i64;
    /// What is narrated about a report, from the beginning of the narration under way; it goes on with later ones. None where nothing is.
    fn narration(&self, _report: &str) -> Option<Narrated> {
        None
    }
}

/// What is narrated about one report.
pub type Narrated = Pin<Box<dyn Stream<Item = NarrationNews> + Send>>;

/// What was missed and then what a broadcast brings. Its capacity is each line's queue: [`limits::LIVE_BATCHES_QUEUED_MAX`].
pub fn hearing<T: Clone + Send + 'static>(
    missed: Vec<T>,
    receiver: broadcast::Receiver<T>,
    read: impl Fn(&T) -> Heard + Send + Sync + Clone + 'static,
) -> Hearing {
    let own = read.clone();
    let missed = futures::stream::iter(missed).map(move |item| own(&item));
    let coming = unfold((receiver, read), |(mut receiver, read)| async move {
        let heard = match receiver.recv().await {
            Ok(item) => read(&item),
            Err(broadcast::error::RecvError::Lagged(_)) => Heard::Lagged,
            Err(broadcast::error::RecvError::Closed) => return None,
        };
        Some((heard, (receiver, read)))
    });
    Box::pin(missed.chain(coming))
}

/// All lines of this server.
pub struct Live {
    feed: Arc<dyn Feed>,
    now: Arc<dyn Fn() -> Moment + Send + Sync>,
    shutdown: watch::Receiver<bool>,
    places: Arc<Semaphore>,
    places_all: u32,
    beat: Duration,
    life: Duration,
}

impl Live {
    /// Lines fed by the publisher, which end when `shutdown` says true.
    pub fn new(feed: Arc<dyn Feed>, now: Arc<dyn Fn() -> Moment + Send + Sync>, shutdown: watch::Receiver<bool>) -> Live {
        let (beat, life) = (Duration::from_secs(limits::LIVE_BEAT_SECONDS), Duration::from_secs(86_400));
        let (places, places_all) = (Arc::new(Semaphore::new(limits::LIVE_SOCKETS_MAX)), u32::try_from(limits::LIVE_SOCKETS_MAX).unwrap_or(u32::MAX));
        Live { feed, now, shutdown, places, places_all, beat, life }
    }

    /// With other times and places, for tests.
    pub fn with(mut self, beat: Duration, life: Duration, places: u32) -> Live {
        (self.beat, self.life, self.places_all) = (beat, life, places);
        self.places = Arc::new(Semaphore::new(places as usize));
        self
    }

    /// Waits until every line has said its farewell, after `shutdown` was given: a socket outlives the connection it came on.
    pub async fn ended(&self) {
        let _ = timeout(2 * FAREWELL, self.places.acquire_many(self.places_all)).await; // who is still there then is cut off
    }

    async fn begin(self: &Arc<Self>, (since, epoch): (i64, String), report: Option<String>, lasting: Option<Lasting>) -> Result<Line, Problem> {
        let place = self.places.clone().try_acquire_owned().map_err(|_| {
            Problem::new(Code::Busy, format!("{} live pages are open already; that is the limit", self.places_all)).hint(Hint::text("close one"))
        })?;
        let Resumed { hello, hearing } = self.feed.resume(since, epoch).await?;
        let (seq, epoch) = match &hello {
            Frame::Hello { seq, epoch, .. } => (*seq, epoch.clone()),
            _ => (0, String::new()),
        };
        let mut beat = interval_at(Instant::now() + self.beat, self.beat);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let end = Box::pin(sleep(self.life));
        Ok(Line {
            live: self.clone(),
            hello: Some(hello),
            hearing,
            narrated: report.and_then(|report| self.feed.narration(&report)),
            beat,
            end,
            shutdown: self.shutdown.clone(),
            lasting,
            seq,
            epoch,
            lagged: false,
            over: false,
            _place: place,
        })
    }
}

/// Routes `/live` and `/live/sse`. Who may come in was checked before.
pub fn router(live: Arc<Live>) -> Router {
    Router::new().route("/live", get(socket)).route("/live/sse", get(events)).with_state(live)
}

/// What goes out on a line.
#[derive(Debug)]
enum Out {
    Frame { event: &'static str, seq: i64, text: Arc<str> },
    Nothing,
    End(u16),
}

/// What happened first.
enum Turn {
    Heard(Option<Heard>),
    Narrated(Option<NarrationNews>),
    Beat,
    Over,
}

/// One client's line, whatever carries it.
struct Line {
    live: Arc<Live>,
    hello: Option<Frame>,
    hearing: Hearing,
    narrated: Option<Narrated>,
    beat: Interval,
    end: Pin<Box<Sleep>>,
    shutdown: watch::Receiver<bool>,
    lasting: Option<Lasting>,
    seq: i64,
    epoch: String,
    lagged: bool,
    over: bool,
    _place: OwnedSemaphorePermit,
}

impl Line {
    /// The next thing to send; none after the end.
    async fn next(&mut self) -> Option<Out> {
        if self.over {
            return None;
        }
        if let Some(hello) = self.hello.take() {
            return Some(self.frame("hello", &hello));
        }
        let turn = tokio::select! {
            biased;
            _ = self.shutdown.wait_for(|ended| *ended) => Turn::Over,
            heard = self.hearing.next() => Turn::Heard(heard),
            news = narrated(&mut self.narrated) => Turn::Narrated(news),
            _ = self.beat.tick() => Turn::Beat,
            _ = self.end.as_mut() => Turn::Over,
        };
        Some(match turn {
            Turn::Heard(Some(Heard::Batch(seq, text))) => {
                self.seq = self.seq.max(seq);
                Out::Frame { event: "batch", seq: self.seq, text }
            }
            Turn::Heard(Some(Heard::Lagged)) => {
                // Nothing more comes: the next thing this line says is its end.
                self.hearing = Box::pin(futures::stream::once(async { Heard::Lagged }));
                match std::mem::replace(&mut self.lagged, true) {
                    true => self.ended(TRY_AGAIN),
                    false => self.frame("lagged", &Frame::Lagged { seq: self.seq }),
                }
            }
            Turn::Heard(Some(Heard::Replaced)) => self.ended(RESTARTED),
            Turn::Heard(None) | Turn::Over => self.ended(GOING_AWAY),
            Turn::Narrated(Some(news)) => self.frame("narration", &Frame::Narration(news)),
            Turn::Narrated(None) => {
                self.narrated = None;
                return Some(Out::Nothing);
            }
            Turn::Beat if self.has_lost_its_credential().await => self.ended(CREDENTIAL_ENDED),
            Turn::Beat => {
                let beat = Frame::Beat { seq: self.live.feed.published(), now: (self.live.now)() };
                self.frame("beat", &beat)
            }
        })
    }

    /// What the client says. What has no meaning here is let go by.
    fn hear(&mut self, said: &str) {
        if let Ok(Saying::Watch { report }) = serde_json::from_str(said) {
            self.narrated = report.and_then(|report| self.live.feed.narration(&report));
        }
    }

    async fn has_lost_its_credential(&mut self) -> bool {
        match &self.lasting {
            Some(lasting) => lasting.has_ended().await,
            None => false,
        }
    }

    fn frame(&self, event: &'static str, frame: &Frame) -> Out {
        Out::Frame { event, seq: self.seq, text: serde_json::to_string(frame).unwrap_or_default().into() }
    }

    fn ended(&mut self, code: u16) -> Out {
        self.over = true;
        Out::End(code)
    }
}

/// `?since=<seq>&epoch=<epoch>`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct From {
    since: Option<i64>,
    #[serde(default)]
    epoch: String,
    /// The report that is watched, for who can't say so later.
    report: Option<String>,
}

type Asked = Result<Query<From>, QueryRejection>;
type Lasts = Option<Extension<Lasting>>;

fn place(asked: Asked) -> Result<(i64, String, Option<String>), Problem> {
    let Query(from) = asked.map_err(|fault| Problem::bad_request("", fault.body_text()).hint(Hint::text("parameters here: since, epoch, report")))?;
    Ok((from.since.unwrap_or(-1), from.epoch, from.report))
}

/// The next news of a narration; never, where none is watched.
async fn narrated(watched: &mut Option<Narrated>) -> Option<NarrationNews> {
    match watched {
        Some(watched) => watched.next().await,
        None => std::future::pending().await,
    }
}

/// A refusal, worded where all of this server's are.
fn refused(problem: Problem) -> Response {
    let status = StatusCode::from_u16(problem.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut answer = status.into_response();
    answer.extensions_mut().insert(problem);
    answer
}

async fn socket(State(live): State<Arc<Live>>, lasting: Lasts, asked: Asked, upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>) -> Response {
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade.max_message_size(MESSAGE_BYTES_MAX).max_frame_size(MESSAGE_BYTES_MAX),
        Err(_) => return refused(Problem::bad_request("", "This address speaks WebSocket").hint(Hint::text("GET /live/sse sends the same frames as events"))),
    };
    let begun = match place(asked) {
        Ok((since, epoch, report)) => live.begin((since, epoch), report, lasting.map(|Extension(lasting)| lasting)).await,
        Err(problem) => Err(problem),
    };
    match begun {
        Ok(line) => upgrade.on_upgrade(move |socket: WebSocket| talk(socket, line)),
        Err(problem) => refused(problem),
    }
}

async fn events(State(live): State<Arc<Live>>, lasting: Lasts, asked: Asked, headers: HeaderMap) -> Response {
    let begun = match place(asked) {
        Ok((since, epoch, report)) => {
            let from = last_event(&headers).unwrap_or((since, epoch));
            live.begin(from, report, lasting.map(|Extension(lasting)| lasting)).await
        }
        Err(problem) => Err(problem),
    };
    let line = match begun {
        Ok(line) => line,
        Err(problem) => return refused(problem),
    };
    let events = unfold(line, |mut line| async move {
        loop {
            match line.next().await? {
                Out::Frame { event, seq, text } => {
                    let event = Event::default().event(event).id(format!("{}-{seq}", line.epoch)).data(&*text);
                    return Some((Ok::<_, Infallible>(event), line));
                }
                Out::Nothing => {}
                Out::End(_) => return None,
            }
        }
    });
    Sse::new(events).into_response()
}

/// `Last-Event-ID: <epoch>-<seq>`: what a browser sends by itself when it reopens.
fn last_event(headers: &HeaderMap) -> Option<(i64, String)> {
    let (epoch, seq) = headers.get("last-event-id")?.to_str().ok()?.rsplit_once('-')?;
    Some((seq.parse().ok()?, epoch.to_owned()))
}

/// Carries a line over anything that takes and gives messages, until either side ends it.
async fn talk<S, E>(socket: S, mut line: Line)
where
    S: Stream<Item = Result<Message, E>> + Sink<Message> + Send,
{
    let mut socket = pin!(socket);
    loop {
        let out = tokio::select! {
            out = line.next() => out,
            said = socket.next() => match said {
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                Some(Ok(Message::Text(said))) => {
                    line.hear(&said);
                    continue;
                }
                Some(Ok(_)) => continue,
            },
        };
        match out {
            Some(Out::Nothing) => {}
            Some(Out::Frame { text, .. }) => match timeout(SEND_FOR, socket.send(Message::Text((&*text).into()))).await {
                Ok(Ok(())) => {}
                _ => break,
            },
            Some(Out::End(code)) => {
                let close = CloseFrame { code, reason: "".into() };
                let _ = timeout(FAREWELL, socket.send(Message::Close(Some(close)))).await; // it ends either way
                break;
            }
            None => break,
        }
    }
    drop(line);
    let _ = timeout(FAREWELL, socket.close()).await; // likewise
}

#[cfg(test)]
mod tests;
