//! The publisher of a server: turns what was committed, by whichever process, into batches for the sockets.
//!
//! Invariants: one source and one order, the `event` table after `published`; nothing is published twice because `published` decides;
//! each batch becomes text once and is shared by all sockets. A wake-up means "look", never "something happened".

use crate::board::{Changes, ServerPort};
use contracts::{Batch, Change, Frame, Moment, Problem, TaskId, limits};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use storage::{Changed, Watch};
use tokio::sync::{Mutex, broadcast};

/// One frame, as text, for every socket.
#[derive(Clone, Debug)]
pub enum Published {
    /// A batch of changes.
    Batch {
        /// Position of the log after it.
        seq: i64,
        /// The frame as JSON.
        text: Arc<str>,
    },
    /// The database is another one now: every socket ends and its page begins anew.
    Replaced,
}

/// The publisher of one server. Cheap to clone.
#[derive(Clone)]
pub struct Publisher(Arc<Inner>);

struct Inner {
    port: ServerPort,
    version: String,
    sender: broadcast::Sender<Published>,
    published: AtomicI64,
    looks: Looks,
    /// Held while a look hands out, and while a line begins: so a line's first batch is the one after its beginning, whatever comes between.
    looking: Mutex<()>,
    /// The database's epoch at the last look.
    epoch: RwLock<String>,
}

/// How far the looks at what moves without an event have come: the newest such change, and when leases were last looked at.
struct Looks(RwLock<(i64, Moment)>);

impl Looks {
    fn at(live: i64, now: Moment) -> Looks {
        Looks(RwLock::new((live, now)))
    }

    /// Where the next look begins.
    fn from(&self) -> (i64, Moment) {
        *self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn move_on(&self, to: (i64, Moment)) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = to;
    }

    /// What a look up to here found, if anything. After one that failed the next begins where it began, so that nothing between is lost.
    fn looked(&self, to: (i64, Moment), found: Result<Batch, Problem>) -> Result<Option<Batch>, Problem> {
        let batch = found?;
        self.move_on(to);
        Ok(Some(batch).filter(|batch| !batch.changes.is_empty()))
    }
}

/// Events read at a time.
const EVENTS_PER_LOOK: usize = 500;
/// Wait after a look that failed: the database may be moved, locked or gone for a moment.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

impl Publisher {
    /// Starts at the present position.
    ///
    /// # Errors
    /// What the store says when it can't be read or watched.
    pub async fn start(port: ServerPort, version: String) -> Result<Publisher, Problem> {
        let head = port.head().await?;
        let (sender, _) = broadcast::channel(limits::LIVE_BATCHES_QUEUED_MAX);
        let looks = Looks::at(head.live, port.now());
        let epoch = RwLock::new(head.epoch);
        let inner = Inner { version, sender, published: AtomicI64::new(head.seq), looks, looking: Mutex::default(), epoch, port };
        let publisher = Publisher(Arc::new(inner));
        let mut watch = publisher.0.port.store().watch().await.map_err(|error| error.problem())?;
        let own = publisher.clone();
        tokio::spawn(async move {
            loop {
                let turned = match watch.changed().await {
                    Ok(changed) => own.turn(changed, &mut watch).await,
                    Err(error) => Err(error.problem()),
                };
                if let Err(problem) = turned {
                    tracing::warn!(code = %problem.code, "changes could not be read");
                    tokio::time::sleep(AFTER_FAILURE).await;
                }
            }
        });
        Ok(publisher)
    }

    /// The board it publishes.
    pub fn port(&self) -> &ServerPort {
        &self.0.port
    }

    /// Position up to which everything was handed out.
    pub fn published(&self) -> i64 {
        self.0.published.load(Ordering::Acquire)
    }

    /// What a socket hears: the first frame, what it missed, then what comes. A client that is too far behind, or knew another database,
    /// is told to take a snapshot.
    ///
    /// # Errors
    /// What the store says when it can't be read.
    pub async fn resume(&self, since: i64, epoch: &str) -> Result<(Frame, Vec<Published>, broadcast::Receiver<Published>), Problem> {
        // Everything up to `published` comes from the table, everything after it is heard: nothing is lost between, and nothing comes twice.
        let turn = self.0.looking.lock().await;
        self.hand_out_news().await?;
        let (receiver, published) = (self.0.sender.subscribe(), self.published());
        drop(turn);
        let head = self.0.port.head().await?;
        let resumed = epoch == head.epoch && (0..=head.seq).contains(&since) && head.seq - since <= limits::LIVE_RESUME_EVENTS_MAX;
        let mut missed = Vec::new();
        if resumed {
            let batches = self.0.port.changes_since(since, usize::MAX).await?.batches;
            missed.extend(batches.into_iter().filter(|batch| batch.seq <= published).map(frame));
            // Its position is what was handed out, not the log's: a client that leaves now comes back for what follows.
            missed.push(frame(self.0.port.lease_batch().await?.told_after(published)));
        }
        let seq = if resumed { since } else { published };
        let hello = Frame::Hello { seq, epoch: head.epoch, version: self.0.version.clone(), now: self.0.port.now(), resumed };
        Ok((hello, missed, receiver))
    }

    /// One wake-up.
    async fn turn(&self, changed: Changed, watch: &mut Watch) -> Result<(), Problem> {
        if changed.replaced {
            return self.begin_anew(watch).await;
        }
        if changed.log {
            self.0.port.store().reconcile().await.map_err(|error| error.problem())?;
        }
        self.look().await
    }

    /// Another database lies where ours was: goes on with it, and ends every socket.
    async fn begin_anew(&self, watch: &mut Watch) -> Result<(), Problem> {
        self.0.port.reopen().await?;
        *watch = self.0.port.store().watch().await.map_err(|error| error.problem())?;
        self.look().await
    }

    /// Reads on from where the last look ended, and hands it out.
    async fn look(&self) -> Result<(), Problem> {
        let _turn = self.0.looking.lock().await;
        self.hand_out_news().await
    }

    /// A look, by whoever has the turn.
    async fn hand_out_news(&self) -> Result<(), Problem> {
        let head = self.0.port.head().await?;
        if self.renewed(&head.epoch) {
            self.0.published.store(head.seq, Ordering::Release);
            self.0.looks.move_on((head.live, self.0.port.now()));
            let _ = self.0.sender.send(Published::Replaced);
            return Ok(());
        }
        if self.0.sender.receiver_count() == 0 {
            // Nobody hears it, and whoever comes reads from the tables what was missed: a write pays for no page that is not open.
            self.0.looks.move_on((head.live, self.0.port.now()));
            self.0.published.store(head.seq, Ordering::Release);
            return Ok(());
        }
        if head.seq - self.published() > limits::LIVE_RESUME_EVENTS_MAX {
            // An import, or a pull after a long time: whoever was away for as much begins with a snapshot, and so do those who are here.
            self.0.published.store(head.seq, Ordering::Release);
            let _ = self.0.sender.send(Published::Replaced);
        }
        let mut told = BTreeSet::new();
        while self.published() < head.seq {
            let Changes { batches, seq } = self.0.port.changes_since(self.published(), EVENTS_PER_LOOK).await?;
            if batches.is_empty() && seq <= self.published() {
                break;
            }
            for batch in batches {
                told.extend(batch.changes.iter().filter_map(card_of));
                self.hand_out(batch);
            }
            self.0.published.store(seq, Ordering::Release);
        }
        self.look_at_leases(head.live, &told).await
    }

    /// Whether the database was made anew (rebuilt, or folded again) since the last look.
    fn renewed(&self, epoch: &str) -> bool {
        let mut known = self.0.epoch.write().unwrap_or_else(PoisonError::into_inner);
        let renewed = *known != epoch;
        epoch.clone_into(&mut known);
        renewed
    }

    /// What changed without an event: renewals, deliveries, presence, and standings that flipped by time alone.
    async fn look_at_leases(&self, live: i64, told: &BTreeSet<TaskId>) -> Result<(), Problem> {
        let (from, to) = (self.0.looks.from(), (live, self.0.port.now()));
        let batch = self.0.port.live_changes(from.0, (from.1, to.1), told).await;
        if let Some(batch) = self.0.looks.looked(to, batch)? {
            self.hand_out(batch.told_after(self.published()));
        }
        Ok(())
    }

    fn hand_out(&self, batch: Batch) {
        // Nobody listening is no error.
        let _ = self.0.sender.send(frame(batch));
    }
}

fn frame(batch: Batch) -> Published {
    let seq = batch.seq;
    let text = serde_json::to_string(&Frame::Batch(batch)).unwrap_or_else(|_| r#"{"t":"lagged","seq":0}"#.to_owned());
    Published::Batch { seq, text: text.into() }
}

fn card_of(change: &Change) -> Option<TaskId> {
    match change {
        Change::Task { card } => Some(card.id.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contracts::Code;

    #[test]
    fn a_look_that_failed_is_made_again_from_where_it_began() {
        let looks = Looks::at(3, Moment(1_000));
        assert!(looks.looked((5, Moment(2_000)), Err(Problem::new(Code::Busy, "locked"))).is_err());
        assert_eq!(looks.from(), (3, Moment(1_000)));
        assert!(looks.looked((6, Moment(3_000)), Ok(Batch::read_at(1, vec![Change::Actors { actors: Vec::new() }]))).is_ok_and(|found| found.is_some()));
        assert_eq!(looks.from(), (6, Moment(3_000)));
        assert_eq!(looks.looked((7, Moment(4_000)), Ok(Batch::read_at(1, Vec::new()))), Ok(None));
    }
}
