//! One place a report to narrate from, and what whoever watches is told: a lock that ends with its process, and a stream of news that any
//! process can follow, from its beginning too.
//!
//! Invariant: whoever narrates holds the lock, so a narration without a narrator is known without a heartbeat.

use contracts::report::{NarrationNews, Telling};
use contracts::{Actor, Call, Code, Hint, Moment, Problem};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

const FOLDER: &str = "narration";
/// How often the lock is tried: somebody may look at it at this very moment.
const TRIES: u32 = 5;
const BETWEEN: Duration = Duration::from_millis(30);

/// Where what is narrated about one label goes, `.callboard/narration/<label>.*`. Git never sees it.
#[derive(Clone, Debug)]
pub struct Spool {
    folder: PathBuf,
    label: String,
}

/// Who has the place, since when, and where the news are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    actor: Actor,
    since: Moment,
    #[serde(default)]
    stream: String,
}

/// The place, taken. It is free again when this is dropped, or its process ends.
#[derive(Debug)]
pub struct Taken {
    spool: Spool,
    _lock: File,
    holder: Holder,
    news: Option<File>,
}

impl Spool {
    pub(super) fn of(directory: &Path, label: &str) -> Spool {
        Spool { folder: directory.join(FOLDER), label: label.to_owned() }
    }

    fn file(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.label))
    }

    fn holder(&self) -> Option<Holder> {
        serde_json::from_slice(&fs::read(self.file("json")).ok()?).ok()
    }

    /// Takes the place.
    ///
    /// # Errors
    /// `narrating` with who has it and since when; `busy` when the folder can't be written.
    pub fn take(&self, actor: &Actor, now: Moment) -> Result<Taken, Problem> {
        let unwritable = |fault: io::Error| Problem::new(Code::Busy, format!(".callboard/narration can't be written: {}", fault.kind()));
        fs::create_dir_all(&self.folder).map_err(unwritable)?;
        let lock = File::create(self.file("lock")).map_err(unwritable)?;
        let mut tries = 0;
        while lock.try_lock().is_err() {
            tries += 1;
            if tries == TRIES {
                return Err(self.is_busy());
            }
            std::thread::sleep(BETWEEN);
        }
        let holder = Holder { actor: actor.clone(), since: now, stream: String::new() };
        Ok(Taken { spool: self.clone(), _lock: lock, holder, news: None })
    }

    fn is_busy(&self) -> Problem {
        let who = self.holder().map(|holder| format!(" by {} since {}", holder.actor, holder.since)).unwrap_or_default();
        Problem::new(Code::Narrating, format!("{} is being narrated{who}", self.label))
            .hint(Hint::text("wait for it, or end it").or(Call::new("cancel_narration").with("label", self.label.as_str())))
    }

    /// Whether somebody has the place.
    pub fn is_taken(&self) -> bool {
        File::open(self.file("lock")).is_ok_and(|lock| lock.try_lock_shared().is_err())
    }

    /// Asks whoever narrates to end it.
    ///
    /// # Errors
    /// `not_found` when nobody does.
    pub fn ask_to_cancel(&self) -> Result<(), Problem> {
        if !self.is_taken() {
            return Err(Problem::new(Code::NotFound, format!("nobody narrates {}", self.label)));
        }
        File::create(self.file("cancel")).map(drop).map_err(|fault| Problem::new(Code::Busy, format!("the narrator can't be told: {}", fault.kind())))
    }

    pub(super) fn is_to_cancel(&self) -> bool {
        self.file("cancel").exists()
    }

    /// Follows the news: of a narration under way from its beginning, else of the next one.
    pub fn tail(&self) -> Tail {
        let seen = if self.is_taken() { String::new() } else { self.holder().map(|holder| holder.stream).unwrap_or_default() };
        Tail { spool: self.clone(), seen, following: None }
    }
}

impl Taken {
    /// Begins a stream of news. What was said about an earlier narration goes.
    pub(super) fn begin(&mut self) -> io::Result<()> {
        let earlier = self.spool.holder().map(|holder| holder.stream).filter(|stream| !stream.is_empty());
        self.holder.stream = format!("{}.{:016x}.news", self.spool.label, crate::boot::random_bits() >> 64);
        self.news = Some(OpenOptions::new().create(true).append(true).open(self.spool.folder.join(&self.holder.stream))?);
        let gone = |result: io::Result<()>| match result {
            Err(fault) if fault.kind() != io::ErrorKind::NotFound => Err(fault),
            _ => Ok(()),
        };
        gone(fs::remove_file(self.spool.file("cancel")))?;
        fs::write(self.spool.file("json.new"), serde_json::to_vec(&self.holder)?)?;
        fs::rename(self.spool.file("json.new"), self.spool.file("json"))?;
        earlier.map_or(Ok(()), |stream| gone(fs::remove_file(self.spool.folder.join(stream))))
    }

    /// Tells whoever watches.
    pub(super) fn tell(&mut self, news: &NarrationNews) -> io::Result<()> {
        match &mut self.news {
            Some(file) => file.write_all(format!("{}\n", serde_json::to_string(news)?).as_bytes()),
            None => Ok(()),
        }
    }

    pub(super) fn spool(&self) -> &Spool {
        &self.spool
    }
}

/// Somebody who watches.
#[derive(Debug)]
pub struct Tail {
    spool: Spool,
    /// The stream that was heard to its end, or was over before anybody watched.
    seen: String,
    following: Option<Following>,
}

#[derive(Debug)]
struct Following {
    stream: String,
    file: File,
    rest: Vec<u8>,
}

impl Tail {
    /// What came since the last look; text that came in pieces is one piece. Reads files, briefly.
    pub fn look(&mut self, now: Moment) -> Vec<NarrationNews> {
        let Some(holder) = self.spool.holder() else { return Vec::new() };
        if holder.stream != self.seen && self.following.as_ref().is_none_or(|following| following.stream != holder.stream) {
            let file = File::open(self.spool.folder.join(&holder.stream)).ok();
            self.following = file.map(|file| Following { stream: holder.stream, file, rest: Vec::new() });
        }
        let Some(following) = &mut self.following else { return Vec::new() };
        // Asked before the news are read: who is gone by now has said everything.
        let is_gone = !self.spool.is_taken();
        let mut news = following.read();
        let is_over = news.last().is_some_and(|last| matches!(last.state, Telling::Done | Telling::Failed));
        if is_gone && !is_over {
            let text = Some("whoever narrated it is gone: narrate it again".to_owned());
            news.push(NarrationNews {
                label: self.spool.label.clone(),
                state: Telling::Failed,
                text,
                i: None,
                n: None,
                tokens: None,
                cost_micros: None,
                at: now,
            });
        }
        if is_gone || is_over {
            self.seen = std::mem::take(&mut following.stream);
            self.following = None;
        }
        news
    }
}

impl Following {
    fn read(&mut self) -> Vec<NarrationNews> {
        let _ = self.file.read_to_end(&mut self.rest); // what can't be read now is read later
        let Some(end) = self.rest.iter().rposition(|byte| *byte == b'\n') else { return Vec::new() };
        let lines: Vec<u8> = self.rest.drain(..=end).collect();
        let mut news: Vec<NarrationNews> = Vec::new();
        for item in lines.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<NarrationNews>(line).ok()) {
            match news.last_mut().filter(|last| last.state == Telling::Delta && item.state == Telling::Delta) {
                Some(last) => {
                    let text = format!("{}{}", last.text.as_deref().unwrap_or(""), item.text.as_deref().unwrap_or(""));
                    let tokens = item.tokens.or(last.tokens);
                    *last = NarrationNews { text: Some(text), tokens, ..item };
                }
                None => news.push(item),
            }
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(state: Telling, text: &str) -> NarrationNews {
        let text = (!text.is_empty()).then(|| text.to_owned());
        NarrationNews { label: "2026-11-28".to_owned(), state, text, i: None, n: None, tokens: None, cost_micros: None, at: Moment(0) }
    }

    #[test]
    fn the_place_is_taken_once_and_free_when_its_holder_is_gone() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Spool::of(directory.path(), "2026-11-28");
        assert!(!spool.is_taken());
        let mut taken = spool.take(&Actor::dev_named("ana"), Moment(0)).unwrap();
        taken.begin().unwrap();
        assert!(spool.is_taken());
        let refused = spool.take(&Actor::dev_named("bo"), Moment(1)).unwrap_err();
        assert_eq!(refused.code, Code::Narrating);
        assert!(refused.title.contains("by dev:ana since 1970-01-01T00:00:00.000Z"), "{refused}");
        drop(taken);
        assert!(!spool.is_taken() && spool.take(&Actor::dev_named("bo"), Moment(1)).is_ok());
        assert_eq!(spool.ask_to_cancel().unwrap_err().code, Code::NotFound);
    }

    #[test]
    fn who_joins_in_the_middle_hears_the_text_so_far_and_then_the_rest() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Spool::of(directory.path(), "2026-11-28");
        let mut early = spool.tail();
        let mut taken = spool.take(&Actor::dev_named("ana"), Moment(0)).unwrap();
        taken.begin().unwrap();
        for item in [news(Telling::Started, ""), news(Telling::Delta, "It "), news(Telling::Delta, "went ")] {
            taken.tell(&item).unwrap();
        }
        let heard =
            |tail: &mut Tail| tail.look(Moment(9)).into_iter().map(|news| format!("{:?} {}", news.state, news.text.unwrap_or_default())).collect::<Vec<_>>();
        assert_eq!(heard(&mut early), ["Started ", "Delta It went "]);
        let mut late = spool.tail();
        assert_eq!(heard(&mut late), ["Started ", "Delta It went "]);
        assert_eq!(heard(&mut late), Vec::<String>::new());
        taken.tell(&news(Telling::Delta, "well.")).unwrap();
        taken.tell(&news(Telling::Done, "")).unwrap();
        assert_eq!(heard(&mut late), ["Delta well.", "Done "]);
        drop(taken);
        assert_eq!(heard(&mut late), Vec::<String>::new());
        assert_eq!(heard(&mut spool.tail()), Vec::<String>::new(), "what is over is in the file");
        let mut again = spool.take(&Actor::dev_named("bo"), Moment(0)).unwrap();
        again.begin().unwrap();
        again.tell(&news(Telling::Started, "")).unwrap();
        assert_eq!(heard(&mut late), ["Started "]);
    }

    #[test]
    fn a_narrator_that_dies_is_told_as_gone() {
        let directory = tempfile::tempdir().unwrap();
        let spool = Spool::of(directory.path(), "all");
        let mut taken = spool.take(&Actor::dev_named("ana"), Moment(0)).unwrap();
        taken.begin().unwrap();
        taken.tell(&news(Telling::Started, "")).unwrap();
        let mut tail = spool.tail();
        assert_eq!(tail.look(Moment(9)).len(), 1);
        drop(taken);
        let last = tail.look(Moment(9));
        assert!(last[0].state == Telling::Failed && last[0].text.as_deref().is_some_and(|text| text.contains("is gone")), "{last:?}");
        assert_eq!(tail.look(Moment(9)), Vec::new());
    }
}
