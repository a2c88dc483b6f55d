//! The page's line to the server, as a state machine without a socket: what to open, when to try again, what to apply.
//!
//! Invariant: `step` is pure. The time and the random number are arguments; the browser's half (`driver`) only carries out.

#[cfg(feature = "hydrate")]
pub mod driver;

use contracts::report::NarrationNews;
use contracts::{Batch, Frame, Moment};

/// Longest silence before the line counts as dead, milliseconds.
pub const SILENCE_MS_MAX: i64 = 40_000;
/// Longest wait between two tries, milliseconds.
pub const BACKOFF_MS_MAX: i64 = 15_000;
/// Two failures of the socket within this time send the page to server-sent events, milliseconds.
pub const SOCKET_FAILURES_MS: i64 = 10_000;
/// How often the socket is tried again while on server-sent events, milliseconds.
pub const SOCKET_AGAIN_MS: i64 = 60_000;
/// A line that is lost for longer is "not live", not "reconnecting", milliseconds.
pub const RETRYING_MS_MAX: i64 = 10_000;

/// How frames come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// WebSocket.
    Socket,
    /// Server-sent events.
    Events,
}

impl Transport {
    /// What people read.
    pub fn words(self) -> &'static str {
        match self {
            Transport::Socket => "WebSocket",
            Transport::Events => "server-sent events",
        }
    }
}

/// What the dot in the top bar says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Not started: the page as the server rendered it.
    #[default]
    Starting,
    /// Every change arrives.
    Live(Transport),
    /// Lost a moment ago.
    Retrying {
        /// Seconds until the next try.
        seconds: i64,
    },
    /// Lost for longer: what is shown is the last known state.
    Off {
        /// Milliseconds since it was lost.
        lost_ms: i64,
        /// Seconds until the next try.
        seconds: i64,
    },
}

/// What happened.
#[derive(Clone, Debug)]
pub enum Input {
    /// The page is ready.
    Start,
    /// A frame came.
    Frame(Box<Frame>),
    /// The line closed or never opened.
    Closed,
    /// A second went by.
    Tick,
    /// The network is back, the tab is looked at again, or somebody pressed "Try now".
    Wake,
    /// The snapshot that was asked for is in the store.
    Snapshot {
        /// Its position.
        seq: i64,
        /// Its database.
        epoch: String,
    },
    /// The snapshot could not be had.
    NoSnapshot,
}

/// What to do about it.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Close what is open and open this, from `since` on.
    Open(Transport),
    /// Close what is open.
    Close,
    /// Fetch a snapshot; if the line still waits for this one then, put it in the store and say [`Input::Snapshot`].
    Snapshot {
        /// Which one: see [`Link::waits_for`].
        turn: u32,
    },
    /// Apply these changes.
    Apply(Box<Batch>),
    /// What is narrated about the report that is shown.
    Narrated(Box<NarrationNews>),
    /// The server's clock says so.
    Clock(Moment),
    /// The server is another build than this page.
    OtherVersion,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Idle,
    Opening { at: i64 },
    Open { heard: i64 },
    Waiting { until: i64 },
    Snapshotting { at: i64 },
}

/// The state of the line.
#[derive(Clone, Debug)]
pub struct Link {
    /// Last position applied.
    pub since: i64,
    /// The database that position is of.
    pub epoch: String,
    version: String,
    line: Line,
    transport: Transport,
    socket_failures: Vec<i64>,
    attempts: u32,
    socket_again_at: i64,
    lost_at: Option<i64>,
    beats_ahead: u32,
    turn: u32,
}

impl Link {
    /// A line from a snapshot on.
    pub fn new(since: i64, epoch: &str, version: &str) -> Link {
        Link {
            since,
            epoch: epoch.to_owned(),
            version: version.to_owned(),
            line: Line::Idle,
            transport: Transport::Socket,
            socket_failures: Vec::new(),
            attempts: 0,
            socket_again_at: 0,
            lost_at: None,
            beats_ahead: 0,
            turn: 0,
        }
    }

    /// Whether a snapshot is what the line waits for, and not one that was given up.
    pub fn waits_for(&self, turn: u32) -> bool {
        self.turn == turn && matches!(self.line, Line::Snapshotting { .. })
    }

    /// What the dot says.
    pub fn status(&self, now_ms: i64) -> Status {
        if matches!(self.line, Line::Open { .. }) && self.lost_at.is_none() {
            return Status::Live(self.transport);
        }
        let Some(lost_at) = self.lost_at else { return Status::Starting };
        let seconds = match self.line {
            Line::Waiting { until } => ((until - now_ms).max(0) + 999) / 1000,
            _ => 0,
        };
        let lost_ms = now_ms - lost_at;
        if lost_ms <= RETRYING_MS_MAX { Status::Retrying { seconds } } else { Status::Off { lost_ms, seconds } }
    }

    /// Takes in what happened. `random` lies in 0..1.
    pub fn step(&mut self, input: Input, now_ms: i64, random: f64) -> Vec<Effect> {
        match input {
            Input::Start => vec![self.open(Transport::Socket, now_ms)],
            Input::Frame(frame) => self.frame(*frame, now_ms),
            Input::Closed => self.closed(now_ms, random),
            Input::Tick => self.tick(now_ms, random),
            Input::Wake => match self.line {
                Line::Waiting { .. } => vec![self.open(self.transport, now_ms)],
                Line::Open { heard } if now_ms - heard > SILENCE_MS_MAX / 2 => vec![self.open(self.transport, now_ms)],
                Line::Snapshotting { at } if now_ms - at > SILENCE_MS_MAX / 2 => self.snapshot(now_ms).into(),
                _ => Vec::new(),
            },
            Input::Snapshot { seq, epoch } => {
                (self.since, self.epoch) = (seq, epoch);
                vec![self.open(self.transport, now_ms)]
            }
            Input::NoSnapshot => self.wait(now_ms, random),
        }
    }

    fn open(&mut self, transport: Transport, now_ms: i64) -> Effect {
        self.transport = transport;
        self.line = Line::Opening { at: now_ms };
        self.beats_ahead = 0;
        if transport == Transport::Events {
            self.socket_again_at = now_ms + SOCKET_AGAIN_MS;
        }
        Effect::Open(transport)
    }

    fn frame(&mut self, frame: Frame, now_ms: i64) -> Vec<Effect> {
        if matches!(self.line, Line::Snapshotting { .. }) {
            return Vec::new();
        }
        self.line = Line::Open { heard: now_ms };
        match frame {
            Frame::Hello { epoch, version, now, resumed, .. } => {
                let mut effects = vec![Effect::Clock(now)];
                (self.attempts, self.lost_at) = (0, None);
                if version != self.version {
                    self.version = version;
                    effects.push(Effect::OtherVersion);
                }
                if !resumed || epoch != self.epoch {
                    effects.extend(self.snapshot(now_ms));
                }
                effects
            }
            Frame::Batch(batch) => {
                if !batch.live && batch.seq <= self.since {
                    return Vec::new();
                }
                self.since = self.since.max(batch.seq);
                self.beats_ahead = 0;
                vec![Effect::Apply(Box::new(batch))]
            }
            Frame::Lagged { .. } => vec![self.open(self.transport, now_ms)],
            Frame::Beat { seq, now } => {
                self.beats_ahead = if seq > self.since { self.beats_ahead + 1 } else { 0 };
                let mut effects = vec![Effect::Clock(now)];
                if self.beats_ahead >= 2 {
                    effects.extend(self.snapshot(now_ms));
                }
                effects
            }
            Frame::Narration(news) => vec![Effect::Narrated(Box::new(news))],
            Frame::Unknown => Vec::new(),
        }
    }

    fn snapshot(&mut self, now_ms: i64) -> [Effect; 2] {
        self.line = Line::Snapshotting { at: now_ms };
        self.turn = self.turn.wrapping_add(1);
        [Effect::Close, Effect::Snapshot { turn: self.turn }]
    }

    fn closed(&mut self, now_ms: i64, random: f64) -> Vec<Effect> {
        if matches!(self.line, Line::Waiting { .. } | Line::Idle | Line::Snapshotting { .. }) {
            return Vec::new();
        }
        self.lost_at.get_or_insert(now_ms);
        if self.transport == Transport::Socket {
            self.socket_failures.retain(|at| now_ms - at <= SOCKET_FAILURES_MS);
            self.socket_failures.push(now_ms);
            if self.socket_failures.len() >= 2 || self.socket_again_at > 0 {
                return vec![self.open(Transport::Events, now_ms)];
            }
        }
        self.wait(now_ms, random)
    }

    fn wait(&mut self, now_ms: i64, random: f64) -> Vec<Effect> {
        self.lost_at.get_or_insert(now_ms);
        let longest = (500i64 << self.attempts.min(6)).min(BACKOFF_MS_MAX);
        let jittered = longest / 2 + ((longest / 2) as f64 * random) as i64;
        self.attempts += 1;
        self.line = Line::Waiting { until: now_ms + jittered };
        vec![Effect::Close]
    }

    fn tick(&mut self, now_ms: i64, random: f64) -> Vec<Effect> {
        match self.line {
            Line::Waiting { until } if until <= now_ms => vec![self.open(self.transport, now_ms)],
            Line::Open { heard } | Line::Opening { at: heard } if now_ms - heard > SILENCE_MS_MAX => self.closed(now_ms, random),
            // A request can hang for as long as a browser likes, as after a laptop slept.
            Line::Snapshotting { at } if now_ms - at > SILENCE_MS_MAX => self.wait(now_ms, random),
            Line::Open { .. } if self.transport == Transport::Events && now_ms >= self.socket_again_at => {
                vec![self.open(Transport::Socket, now_ms)]
            }
            Line::Open { .. } if self.transport == Transport::Socket => {
                self.socket_again_at = 0;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link() -> Link {
        Link::new(10, "e1", "v1")
    }

    fn hello(epoch: &str, version: &str, resumed: bool) -> Input {
        Input::Frame(Box::new(Frame::Hello { seq: 10, epoch: epoch.into(), version: version.into(), now: Moment(0), resumed }))
    }

    fn batch(seq: i64, live: bool) -> Input {
        Input::Frame(Box::new(Frame::Batch(Batch { seq, live, ..Batch::default() })))
    }

    fn names(effects: &[Effect]) -> Vec<String> {
        effects
            .iter()
            .map(|effect| match effect {
                Effect::Open(Transport::Socket) => "socket".into(),
                Effect::Open(Transport::Events) => "events".into(),
                Effect::Apply(batch) => format!("apply {}", batch.seq),
                Effect::Clock(_) => "clock".into(),
                Effect::Snapshot { .. } => "snapshot".into(),
                other => format!("{other:?}").to_lowercase(),
            })
            .collect()
    }

    #[test]
    fn a_line_opens_resumes_and_applies_each_change_once() {
        let mut link = link();
        assert_eq!(names(&link.step(Input::Start, 0, 0.5)), ["socket"]);
        assert_eq!(link.status(0), Status::Starting);
        assert_eq!(names(&link.step(hello("e1", "v1", true), 10, 0.5)), ["clock"]);
        assert_eq!(link.status(10), Status::Live(Transport::Socket));
        assert_eq!(names(&link.step(batch(11, false), 20, 0.5)), ["apply 11"]);
        assert_eq!(names(&link.step(batch(11, false), 20, 0.5)), Vec::<String>::new());
        assert_eq!(names(&link.step(batch(11, true), 20, 0.5)), ["apply 11"]);
    }

    #[test]
    fn another_epoch_or_a_gap_takes_a_snapshot_first() {
        let mut link = link();
        link.step(Input::Start, 0, 0.5);
        assert_eq!(names(&link.step(hello("e2", "v1", true), 10, 0.5)), ["clock", "close", "snapshot"]);
        assert_eq!(names(&link.step(batch(12, false), 20, 0.5)), Vec::<String>::new(), "nothing is applied to what is being replaced");
        assert_eq!(names(&link.step(Input::Snapshot { seq: 30, epoch: "e2".into() }, 30, 0.5)), ["socket"]);
        assert_eq!((link.since, link.epoch.as_str()), (30, "e2"));
        assert_eq!(names(&link.step(hello("e2", "v1", false), 40, 0.5)), ["clock", "close", "snapshot"]);
    }

    #[test]
    fn a_snapshot_that_hangs_is_given_up() {
        let begun = || {
            let mut link = link();
            link.step(Input::Start, 0, 0.5);
            link.step(hello("e2", "v1", true), 10, 0.5);
            (link.turn, link)
        };
        let (turn, mut link) = begun();
        assert!(link.waits_for(turn));
        assert_eq!(names(&link.step(Input::Tick, 40_010, 0.5)), Vec::<String>::new());
        assert_eq!(names(&link.step(Input::Tick, 40_011, 0.5)), ["close"]);
        assert!(!link.waits_for(turn), "when it comes after all, it is too old");
        assert!(matches!(link.status(40_011), Status::Retrying { .. }), "and the page says that it is not live");
        assert_eq!(names(&link.step(Input::Tick, 41_000, 0.5)), ["socket"]);
        assert_eq!(names(&link.step(hello("e2", "v1", false), 41_010, 0.5)), ["clock", "close", "snapshot"]);
        assert!(!link.waits_for(turn));
        // Whoever presses "Try now", or comes back to the page, need not wait for it.
        let (turn, mut link) = begun();
        assert_eq!(names(&link.step(Input::Wake, 1_000, 0.5)), Vec::<String>::new(), "one that was just asked for may still come");
        assert_eq!(names(&link.step(Input::Wake, 20_011, 0.5)), ["close", "snapshot"]);
        assert!(!link.waits_for(turn) && link.waits_for(turn + 1));
    }

    #[test]
    fn two_quick_failures_of_the_socket_fall_back_and_it_is_tried_again() {
        let mut link = link();
        link.step(Input::Start, 0, 0.0);
        assert_eq!(names(&link.step(Input::Closed, 100, 0.0)), ["close"]);
        assert_eq!(link.status(100), Status::Retrying { seconds: 1 });
        assert_eq!(names(&link.step(Input::Tick, 1_000, 0.0)), ["socket"]);
        assert_eq!(names(&link.step(Input::Closed, 1_100, 0.0)), ["events"]);
        link.step(hello("e1", "v1", true), 1_200, 0.0);
        assert_eq!(link.status(1_200), Status::Live(Transport::Events));
        link.step(batch(11, false), 50_000, 0.0);
        assert_eq!(names(&link.step(Input::Tick, 61_200, 0.0)), ["socket"]);
        assert_eq!(names(&link.step(Input::Closed, 61_300, 0.0)), ["events"], "one failed probe goes straight back");
    }

    #[test]
    fn waits_grow_to_a_limit_and_end_when_the_network_is_back() {
        let mut link = link();
        link.transport = Transport::Events;
        link.line = Line::Open { heard: 0 };
        let mut now = 0;
        for _ in 0..12 {
            link.step(Input::Closed, now, 0.999);
            let Line::Waiting { until } = link.line else { panic!("{:?}", link.line) };
            assert!(until - now <= BACKOFF_MS_MAX);
            now = until;
            link.step(Input::Tick, now, 0.5);
        }
        link.step(Input::Closed, now, 1.0);
        assert!(matches!(link.status(now), Status::Off { .. }));
        assert_eq!(names(&link.step(Input::Wake, now + 1, 0.5)), ["events"]);
    }

    #[test]
    fn forty_silent_seconds_are_a_lost_line() {
        let mut link = link();
        link.step(Input::Start, 0, 0.5);
        link.step(hello("e1", "v1", true), 0, 0.5);
        assert_eq!(names(&link.step(Input::Tick, 39_000, 0.5)), Vec::<String>::new());
        assert_eq!(names(&link.step(Input::Tick, 40_001, 0.5)), ["close"]);
        assert!(matches!(link.status(40_001), Status::Retrying { .. }));
    }

    #[test]
    fn a_lagged_line_reopens_and_another_build_is_told() {
        let mut link = link();
        link.step(Input::Start, 0, 0.5);
        assert_eq!(names(&link.step(hello("e1", "v2", true), 0, 0.5)), ["clock", "otherversion"]);
        assert_eq!(names(&link.step(Input::Frame(Box::new(Frame::Lagged { seq: 9 })), 5, 0.5)), ["socket"]);
    }

    #[test]
    fn two_beats_ahead_of_us_mean_that_something_was_missed() {
        let mut link = link();
        link.step(Input::Start, 0, 0.5);
        link.step(hello("e1", "v1", true), 0, 0.5);
        let beat = || Input::Frame(Box::new(Frame::Beat { seq: 12, now: Moment(0) }));
        assert_eq!(names(&link.step(beat(), 1, 0.5)), ["clock"]);
        assert_eq!(names(&link.step(beat(), 2, 0.5)), ["clock", "close", "snapshot"]);
    }
}
