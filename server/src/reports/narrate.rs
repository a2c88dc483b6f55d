//! The narration of a report: facts first, then a model's prose below them, told as it comes.
//!
//! Invariants: once it began nothing can cost the facts; the file never says more than what was written; what is not whole says so and why.

use super::file::Kept;
use super::pass::{Heard, Time, Why, pass};
use super::prompt;
use super::spool::Taken;
use super::{Reports, has_a_file};
use crate::config::Config;
use crate::run::Provider;
use crate::run::provider::{CLAUDE, fresh_mark};
use contracts::report::{Narrate, Narration, NarrationNews, NarrationState, ReportStamp, Telling};
use contracts::{Call, Caller, Code, Hint, Problem, limits};
use engine::report::part::pieces;
use engine::report::{dossier, window_of_label};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Characters after which what was told is also written to the file,
const CHARS_BETWEEN_WRITES: usize = 400;
/// or this time.
const TIME_BETWEEN_WRITES: Duration = Duration::from_secs(2);

/// What a narration may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// All of it.
    pub total: Duration,
    /// Without a word.
    pub silence: Duration,
    /// Characters of a part.
    pub part_chars: usize,
    /// Bytes of the prose.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            total: Duration::from_secs(limits::NARRATION_SECONDS_MAX),
            silence: Duration::from_secs(limits::NARRATION_SILENCE_SECONDS_MAX),
            part_chars: limits::NARRATION_PART_CHARS_MAX,
            bytes: limits::NARRATION_BYTES_MAX,
        }
    }
}

/// A narration that began: it has the place, and the facts are written.
pub struct Narrator {
    reports: Reports,
    caller: Caller,
    label: String,
    how: Narrate,
    limits: Limits,
    taken: Taken,
    kept: Kept,
    stamp: ReportStamp,
    facts: String,
    language: Option<String>,
    said: Said,
}

/// What was said so far.
#[derive(Default)]
struct Said {
    model: String,
    /// The text of the passes before this one.
    before: Vec<String>,
    /// Of this one.
    text: String,
    /// Tokens of the passes before this one, and of this one.
    tokens: (i64, i64),
    cost_micros: Option<i64>,
}

/// Begins: takes the one place there is for this report, and writes the facts.
///
/// # Errors
/// `narrating`; `report_conflict` when a person's narration, a finished one or facts that a person changed are there; nothing is started.
pub async fn narrate(reports: &Reports, caller: &Caller, label: &str, how: Narrate, limits: Limits) -> Result<Narrator, Problem> {
    let taken = reports.spool(label).take(&caller.actor, reports.port.now())?;
    let mut facts = reports.facts().await?;
    let window = window_of_label(label, &facts.zone, facts.now)?;
    if !has_a_file(window.kind) {
        return Err(Problem::bad_request("label", format!("{label} has no file to narrate in")));
    }
    let project = facts.read.project().await.map_err(super::told)?.unwrap_or_default();
    let (now, zone) = (facts.now, facts.zone.clone());
    drop(facts);
    let set = |key: &str| project.settings.get(key).and_then(serde_json::Value::as_str).map(str::to_owned);
    if let Some(provider) = set("narration.provider").filter(|provider| provider != CLAUDE) {
        let call = Call::new("configure").with("key", "narration.provider").with("value", CLAUDE);
        let title = format!("narration.provider is {provider}, and {CLAUDE} alone narrates so far");
        return Err(Problem::new(Code::NarrationFailed, title).hint(Hint::text("nothing was started").or(call)));
    }
    if let Some(kept) = reports.files.read(label)? {
        let there = dossier::read(&kept.text).narration;
        may_be_replaced(label, &there, &how)?;
        if there.is_by_hand() {
            reports.files.put_aside(label, "hand", &there.text, now, &zone)?;
        }
    }
    let how = Narrate { model: how.model.or_else(|| set("narration.model")), ..how };
    let writing = Narration { by: CLAUDE.to_owned(), state: NarrationState::Writing, ..Narration::default() };
    let (kept, stamp) = reports.written(caller, label, &how, Some(&writing)).await?;
    let facts = dossier::read(&kept.text).facts;
    let said = Said { model: how.model.clone().unwrap_or_default(), ..Said::default() };
    let language = set("narration.language");
    Ok(Narrator { reports: reports.clone(), caller: caller.clone(), label: label.to_owned(), how, limits, taken, kept, stamp, facts, language, said })
}

/// Whether what is there may go: nobody's words do, a person's only where they said so.
fn may_be_replaced(label: &str, there: &Narration, how: &Narrate) -> Result<(), Problem> {
    let refused = |title: String, flag: &str, key: &str| {
        let call = Call::new("narrate").with("label", label).with(key, true);
        let detail = format!("it begins {:?}", there.text.chars().take(200).collect::<String>());
        Err(Problem::new(Code::ReportConflict, title).detail(detail).hint(Hint::text(flag).or(call)))
    };
    if there.is_by_hand() && !how.replace_hand {
        let flag = "--replace-hand narrates it anew, and keeps the words that are there as a file beside it";
        return refused(format!("the narration of {label} was written by hand: nothing was started"), flag, "replace_hand");
    }
    if there.state == NarrationState::Done && !there.is_by_hand() && !how.replace_narration {
        return refused(format!("{label} is narrated already: nothing was started"), "--replace-narration narrates it anew", "replace_narration");
    }
    Ok(())
}

impl Narrator {
    /// Goes on to the end, and tells what happens.
    ///
    /// # Errors
    /// `narration_failed` with the reason and what to do, and `report_conflict` when the file was changed meanwhile; the facts are kept.
    pub async fn run(mut self, stop: watch::Receiver<bool>, mut tell: impl FnMut(&NarrationNews) + Send) -> Result<NarrationNews, Problem> {
        if let Err(fault) = self.taken.begin() {
            tracing::warn!(kind = ?fault.kind(), "nobody can watch this narration");
        }
        self.say(&mut tell, Telling::Started, None, None);
        let ended = self.passes(&stop, &mut tell).await;
        let news = match ended {
            Ok(text) => self.done(&text).await,
            Err(why) => Err(self.failed(&why)),
        };
        match news {
            Ok(()) => Ok(self.say(&mut tell, Telling::Done, None, None)),
            Err(problem) => {
                self.say(&mut tell, Telling::Failed, Some(format!("{}. {}", problem.title, problem.hint.text)), None);
                Err(problem)
            }
        }
    }

    fn say(&mut self, tell: &mut (impl FnMut(&NarrationNews) + Send), state: Telling, text: Option<String>, pass: Option<(usize, usize)>) -> NarrationNews {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let tokens = self.said.tokens.0 + self.said.tokens.1;
        let news = NarrationNews {
            label: self.label.clone(),
            state,
            text,
            i: pass.map(|(i, _)| number(i)),
            n: pass.map(|(_, n)| number(n)),
            tokens: (tokens > 0).then_some(tokens),
            cost_micros: self.said.cost_micros,
            at: self.reports.port.now(),
        };
        if let Err(fault) = self.taken.tell(&news) {
            tracing::debug!(kind = ?fault.kind(), "who watches was not told");
        }
        tell(&news);
        news
    }

    /// A pass for each part, and one that joins them.
    async fn passes(&mut self, stop: &watch::Receiver<bool>, tell: &mut (impl FnMut(&NarrationNews) + Send)) -> Result<String, Failure> {
        let provider = self.provider()?;
        let time = Time { began: Instant::now(), total: self.limits.total, silence: self.limits.silence };
        let parts = pieces(&self.facts, self.limits.part_chars);
        let all = if parts.len() > 1 { parts.len() + 1 } else { 1 };
        for (i, part) in parts.iter().enumerate() {
            self.say(tell, Telling::Pass, None, Some((i + 1, all)));
            let prompt = prompt::part(&part.text(), i + 1, parts.len(), self.language.as_deref(), &fresh_mark());
            self.pass(&provider, &prompt, time, stop, tell, false).await?;
        }
        if all == 1 {
            return Ok(self.said.before.concat());
        }
        self.say(tell, Telling::Pass, None, Some((all, all)));
        let prompt = prompt::join(&self.said.before, self.language.as_deref(), &fresh_mark());
        self.pass(&provider, &prompt, time, stop, tell, true).await?;
        Ok(self.said.before.pop().unwrap_or_default())
    }

    /// The program that narrates.
    fn provider(&self) -> Result<Provider, Failure> {
        let directory = self.reports.port.directory();
        let config = Config::load(&directory, crate::boot::home().as_deref()).map_err(Failure::Refused)?;
        Provider::find(&config, self.how.model.clone(), self.how.use_api_key).map_err(Failure::Refused)
    }

    async fn pass(
        &mut self,
        provider: &Provider,
        prompt: &str,
        time: Time,
        stop: &watch::Receiver<bool>,
        tell: &mut (impl FnMut(&NarrationNews) + Send),
        joins: bool,
    ) -> Result<(), Failure> {
        let spool = self.taken.spool().clone();
        let mut written = (0, Instant::now());
        self.said.text.clear();
        let mut hear = |heard: Heard| -> Result<(), Why> {
            match heard {
                Heard::Model(model) => self.said.model = model,
                Heard::Text(text) => {
                    self.said.text.push_str(&text);
                    self.say(tell, Telling::Delta, Some(text), None);
                    let before: usize = if joins { 0 } else { self.said.before.iter().map(String::len).sum() };
                    if before + self.said.text.len() > self.limits.bytes {
                        return Err(Why::TooLong(self.limits.bytes));
                    }
                    let due = self.said.text.len() >= written.0 + CHARS_BETWEEN_WRITES || written.1.elapsed() >= TIME_BETWEEN_WRITES;
                    // While parts are joined the file keeps the parts: they are whole.
                    if due && !joins {
                        written = (self.said.text.len(), Instant::now());
                        let text = self.said.so_far();
                        self.put(&text, NarrationState::Writing).map_err(|problem| Why::Stopped(problem.title))?;
                    }
                }
                Heard::Tokens(tokens) => self.said.tokens.1 = tokens,
                Heard::End { tokens, cost_micros, .. } => {
                    self.said.tokens = (self.said.tokens.0 + tokens.unwrap_or(self.said.tokens.1), 0);
                    self.said.cost_micros = match (self.said.cost_micros, cost_micros) {
                        (Some(before), Some(now)) => Some(before + now),
                        (before, now) => before.or(now),
                    };
                }
                Heard::Other => {}
            }
            Ok(())
        };
        let ended = pass(provider, (prompt::SYSTEM, prompt), time, (&spool, stop), &mut hear).await;
        let empty = || Why::Provider("its answer is empty".to_owned());
        match ended.and_then(|()| if self.said.text.trim().is_empty() { Err(empty()) } else { Ok(()) }) {
            Ok(()) => {
                let text = std::mem::take(&mut self.said.text);
                self.said.before.push(text);
                Ok(())
            }
            Err(why) if joins => {
                self.said.text.clear();
                Err(Failure::NotJoined(why))
            }
            Err(why) => Err(Failure::Broken(why)),
        }
    }

    /// Puts a text below the facts, if the file still is what was written last.
    fn put(&mut self, text: &str, state: NarrationState) -> Result<(), Problem> {
        let narration = Narration {
            by: CLAUDE.to_owned(),
            model: self.said.model.clone(),
            state,
            events: Some(self.stamp.events),
            text: text.trim().to_owned(),
            html: String::new(),
        };
        let whole = dossier::write(&self.stamp, &self.facts, &narration);
        self.kept = self.reports.files.replace(&self.label, &whole, Some(&self.kept))?;
        Ok(())
    }

    async fn done(&mut self, text: &str) -> Result<(), Problem> {
        if let Err(problem) = self.put(text, NarrationState::Done) {
            return Err(self.put_beside(problem, text));
        }
        self.reports.note(&self.caller, &self.stamp, &self.kept, true).await
    }

    /// Leaves the facts, and what was said below a line that says it is not whole.
    fn failed(&mut self, failure: &Failure) -> Problem {
        let (title, hint) = failure.told(&self.label);
        let so_far = self.said.so_far();
        let text = if so_far.trim().is_empty() { String::new() } else { format!("*Unfinished: {title}.*\n\n{}", so_far.trim()) };
        match self.put(&text, NarrationState::Failed) {
            Ok(()) => Problem::new(Code::NarrationFailed, title).hint(Hint::text(hint)),
            Err(problem) => self.put_beside(problem, &so_far),
        }
    }

    /// The file is not what it was, or can't be written: it is left alone, and the text is kept beside it.
    fn put_beside(&self, problem: Problem, text: &str) -> Problem {
        let now = self.reports.port.now();
        let zone = crate::zone::named(&self.stamp.zone);
        match self.reports.files.put_aside(&self.label, "draft", text, now, &zone) {
            Ok(name) => problem.detail(format!("what was narrated so far is in .callboard/reports/{name}.md")),
            Err(fault) => problem.detail(format!("what was narrated so far could not be kept: {}", fault.title)),
        }
    }
}

impl Said {
    /// The text of all passes so far, in order.
    fn so_far(&self) -> String {
        let parts = self.before.iter().map(String::as_str).chain([self.text.as_str()]);
        parts.filter(|part| !part.trim().is_empty()).map(str::trim).collect::<Vec<_>>().join("\n\n")
    }
}

/// Why there is no whole narration.
enum Failure {
    /// Nothing was started.
    Refused(Problem),
    /// A pass broke off.
    Broken(Why),
    /// The last one did, the one that joins.
    NotJoined(Why),
}

impl Failure {
    /// What happened, and what to do.
    fn told(&self, label: &str) -> (String, String) {
        let again = format!("callboard report --digest writes it again, Narrate in the page too; the facts of {label} are kept");
        let (joined, why) = match self {
            Failure::Refused(problem) => return (problem.title.clone(), problem.hint.text.clone()),
            Failure::Broken(why) => ("", why),
            Failure::NotJoined(why) => ("not joined: ", why),
        };
        let (title, hint) = match why {
            Why::Cancelled => ("it was cancelled".to_owned(), again),
            Why::Deadline(total) => (format!("it took longer than {} s", total.as_secs()), again),
            Why::Silent(silence) => (format!("{CLAUDE} said nothing for {} s", silence.as_secs()), again),
            Why::TooLong(bytes) => (format!("it got longer than {} KiB", bytes >> 10), again),
            Why::Provider(said) => {
                let hint = format!("if it is about signing in: start {CLAUDE} once in a terminal and sign in. {again}");
                (format!("{CLAUDE} failed: {said}"), hint)
            }
            Why::Stopped(text) => (text.clone(), again),
        };
        (format!("{joined}{title}"), hint)
    }
}
