//! One command on its way: key, facts, decision, events, projection, receipt.

use crate::encoding::{self, Line};
use crate::error::StoreError;
use crate::head::{self, Head, Home};
use crate::import;
use crate::lease;
use crate::projection;
use crate::read::{facts, fleet};
use crate::script::{Script, Statement};
use crate::sql::{id_list, list, micros, q};
use crate::store::Inner;
use crate::write::{Outcome, Request, Work};
use contracts::command::Renew;
use contracts::{BlockerId, Code, Command, CommandRequest, EventId, Hint, MilestoneId, Moment, Problem, QuestionId, Receipt, TaskId, Writer, limits};
use engine::event::Draft;
use engine::{Context, Decision, Event, Facts, IdsWanted, Lease, Minted, Settings};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use sqlx::{Row, SqliteConnection};
use std::collections::{BTreeMap, BTreeSet};

/// One request being carried out.
pub(crate) struct Batch<'a> {
    pub inner: &'a Inner,
    pub conn: &'a mut SqliteConnection,
    pub head: &'a mut Head,
    pub request: &'a Request,
    pub now: Moment,
    /// Seq of the first event of the batch: what its events are grouped by.
    pub command: Option<i64>,
    /// What is decided and not yet written: it goes with the next script, so whoever reads by other means flushes first.
    pub later: &'a mut Script,
    /// A savepoint is set before the request's first write. Most refusals come before it and have nothing to take back.
    pub begun: bool,
    /// Lines of the own file to come.
    pub lines: &'a mut Vec<(i64, String)>,
}

impl Batch<'_> {
    /// A script for writes of this request, after all that is still to be written.
    pub fn writes(&mut self) -> Script {
        let mut script = std::mem::take(self.later);
        if !self.begun {
            script.add("savepoint request", []);
            self.begun = true;
        }
        script
    }

    /// Writes what is still to be written.
    pub async fn flush(&mut self) -> Result<(), StoreError> {
        std::mem::take(self.later).run(self.conn).await.map(drop)
    }
}

/// How often ids are minted again when one was taken.
const MINTS_MAX: usize = 8;

/// All commands of a request, or none.
pub(crate) async fn all(batch: &mut Batch<'_>, requests: &[CommandRequest]) -> Result<Outcome, StoreError> {
    if requests.len() > limits::COMMANDS_IN_BATCH_MAX {
        let title = format!("{} commands in one batch, the limit is {}", requests.len(), limits::COMMANDS_IN_BATCH_MAX);
        return Ok(Outcome::Refused(Problem::new(Code::TooLarge, title)));
    }
    let mut receipts = Vec::with_capacity(requests.len());
    for request in requests {
        match keyed(batch, request).await? {
            Ok(receipt) => receipts.push(receipt),
            Err(problem) => return Ok(Outcome::Refused(problem)),
        }
    }
    Ok(Outcome::Receipts(receipts))
}

/// A hash over the content of a request, whatever its key.
pub(crate) fn digest(content: &Value) -> Vec<u8> {
    let text = serde_json_canonicalizer::to_vec(content).unwrap_or_default();
    Sha256::digest(text)[..16].to_vec()
}

/// The first answer to a key, if there was one; a problem when it was to something else.
pub(crate) async fn answered(batch: &mut Batch<'_>, key: &str, digest: &[u8]) -> Result<Option<Result<String, Problem>>, StoreError> {
    let sql = "select digest, receipt from receipt where project = ?1 and actor = ?2 and key = ?3 and at > ?4";
    let from = batch.now.plus_seconds(-limits::RECEIPT_DAYS * 86_400);
    batch.flush().await?;
    let row = q(sql).bind(batch.request.caller.actor.as_str()).bind(key).bind(micros(from)).fetch_optional(&mut *batch.conn).await?;
    Ok(row.map(|row| {
        if row.get::<&[u8], _>(0) == digest {
            return Ok(row.get(1));
        }
        let title = format!("The key {key} was used for another call");
        Err(Problem::new(Code::KeyReused, title).hint(Hint::text("send it with a new key")))
    }))
}

/// Keeps the answer to a key.
pub(crate) fn keep_answer(batch: &mut Batch<'_>, key: &str, digest: Vec<u8>, answer: String) {
    let mut script = batch.writes();
    script.add(
        "insert or replace into receipt (project, actor, key, digest, receipt, at) values (?1, ?2, ?3, ?4, ?5, ?6)",
        [batch.request.caller.actor.as_str().into(), key.into(), digest.into(), answer.into(), micros(batch.now).into()],
    );
    *batch.later = script;
}

async fn keyed(batch: &mut Batch<'_>, request: &CommandRequest) -> Result<Result<Receipt, Problem>, StoreError> {
    let Some(key) = &request.key else { return one(batch, request).await };
    let mut content = CommandRequest { key: None, ..request.clone() }.to_value();
    // What git says beside the call may have changed by the time it is sent again; it is the same call.
    if let Some(args) = content.get_mut("args").and_then(Value::as_object_mut) {
        args.remove("unpushed");
        args.remove("leftovers");
    }
    let digest = digest(&content);
    match answered(batch, key.as_str(), &digest).await? {
        Some(Err(problem)) => return Ok(Err(problem)),
        Some(Ok(first)) => {
            let first: Receipt = serde_json::from_str(&first)?;
            return Ok(Ok(Receipt { repeated: true, ..first }));
        }
        None => {}
    }
    let receipt = one(batch, request).await?;
    if let Ok(receipt) = &receipt {
        keep_answer(batch, key.as_str(), digest, serde_json::to_string(receipt)?);
    }
    Ok(receipt)
}

/// The receipt of a call that renews all of its caller's leases while none is due: nothing is written, so nobody waits for a turn to write.
/// `None` where something is due, and for every other call.
pub(crate) async fn nothing_due(inner: &Inner, conn: &mut SqliteConnection, request: &Request) -> Result<Option<Receipt>, StoreError> {
    let Work::Commands(commands) = &request.work else { return Ok(None) };
    let [CommandRequest { command: command @ Command::Renew(Renew { task: None }), key: None, expect: None, fence: None }] = commands.as_slice() else {
        return Ok(None);
    };
    let now = inner.now();
    let needs = engine::needs(command, &request.caller);
    let facts = facts::load(conn, &inner.place, &needs, &request.caller, now).await?;
    let (minted, base) = (Minted::default(), request.base.clone());
    let context = Context { now, caller: request.caller.clone(), minted, expect: None, fence: None, base, hooks_renew: request.hooks_renew };
    match engine::decide(&facts, command, &context) {
        Ok(Decision { subject, events, leases, warnings, data, .. }) if events.is_empty() && leases.is_empty() => {
            Ok(Some(Receipt { seq: Head::require(conn).await?.seq, subject, warnings, data, ..Receipt::default() }))
        }
        _ => Ok(None),
    }
}

/// One command without regard to its key.
pub(crate) async fn one(batch: &mut Batch<'_>, request: &CommandRequest) -> Result<Result<Receipt, Problem>, StoreError> {
    let wanted = engine::ids_wanted(&request.command);
    let caller = &batch.request.caller;
    if !encoding::is_principal(&caller.principal) {
        let text = format!("is 1 to {} bytes without control characters, not {} bytes", limits::PRINCIPAL_BYTES_MAX, caller.principal.len());
        return Ok(Err(Problem::bad_request("principal", text)));
    }
    let needs = engine::needs(&request.command, caller);
    let mut ids = needs.tasks.clone();
    if facts::has_other_names(&needs) {
        batch.flush().await?;
        ids = facts::named(batch.conn, &needs).await?;
    }
    // Facts and the first ids in one script: hardly ever is an id taken.
    let mut seen = BTreeSet::new();
    let mut minted = mint(batch, wanted.tasks, &mut seen, Vec::new());
    let mut script = std::mem::take(batch.later);
    let asked = facts::Asked::add(&mut script, &needs, &ids, &caller.actor, facts::Counted::Named);
    let mut taken = add_taken(&mut script, &minted, wanted);
    let mut answers = script.run(batch.conn).await?;
    let mut facts = asked.facts(&batch.inner.place, &answers, batch.now)?;
    match engine::needs_beyond(&request.command, caller, &facts) {
        Some(needs) => facts = facts::load(batch.conn, &batch.inner.place, &needs, caller, batch.now).await?,
        None => fleet::load(batch.conn, &needs, caller, batch.now, &mut facts).await?,
    }
    for _ in 0..MINTS_MAX {
        let gone: BTreeSet<&str> = taken.into_iter().flat_map(|taken| answers.rows(taken)).map(|row| row.get(0)).collect();
        if gone.is_empty() {
            let context = Context {
                now: batch.now,
                caller: caller.clone(),
                minted: minted.clone(),
                expect: request.expect,
                fence: request.fence,
                base: batch.request.base.clone(),
                hooks_renew: batch.request.hooks_renew,
            };
            match engine::decide(&facts, &request.command, &context) {
                Ok(decision) => {
                    return match carry_out(batch, &facts, &minted, &request.command, decision).await {
                        // What one caller asks too much of is not the others' loss.
                        Err(too_large @ StoreError::TooLarge(_)) => Ok(Err(too_large.problem())),
                        done => done.map(Ok),
                    };
                }
                Err(engine::Rejection::IdTaken) => {}
                Err(rejection) => return Ok(Err(rejection.problem())),
            }
        }
        // Of a thousand ids some are often taken on a large board; the rest stays.
        let kept = if gone.is_empty() { Vec::new() } else { minted.tasks.into_iter().filter(|id| !gone.contains(id.as_str())).collect() };
        minted = mint(batch, wanted.tasks, &mut seen, kept);
        let mut script = Script::default();
        taken = add_taken(&mut script, &minted, wanted);
        answers = script.run(batch.conn).await?;
    }
    Ok(Err(engine::Rejection::IdTaken.problem()))
}

/// Fresh ids, different from all seen before, added to those that are kept.
fn mint(batch: &Batch<'_>, wanted: usize, seen: &mut BTreeSet<TaskId>, mut tasks: Vec<TaskId>) -> Minted {
    let bits = || (batch.inner.options.bits)();
    while tasks.len() < wanted {
        let id = TaskId::from_bits(bits());
        if seen.insert(id.clone()) {
            tasks.push(id);
        }
    }
    Minted {
        tasks,
        milestone: Some(MilestoneId::from_bits(bits())),
        blocker: Some(BlockerId::from_bits(bits())),
        question: Some(QuestionId::from_bits(bits())),
    }
}

/// Asks for whatever goes by minted ids already: a task, something that waits for one, an event about a task or milestone (which may be one
/// that is not here), an open blocker or question. Of those the command uses none of, nothing is asked.
fn add_taken(script: &mut Script, minted: &Minted, wanted: IdsWanted) -> Option<Statement> {
    let sql = "select id from task where project = ?1 and id in (select value from json_each(?2)) \
               union select waits_on from edge where project = ?1 and waits_on in (select value from json_each(?2)) \
               union select subject from event where project = ?1 and subject in (select value from json_each(?2)) \
               union select id from open_item where project = ?1 and kind in ('blocker', 'question') and id in (select value from json_each(?2))";
    let milestone = minted.milestone.as_ref().filter(|_| wanted.milestone).map(MilestoneId::as_str);
    let blocker = minted.blocker.as_ref().filter(|_| wanted.blocker).map(BlockerId::as_str);
    let question = minted.question.as_ref().filter(|_| wanted.question).map(QuestionId::as_str);
    let ids: Vec<&str> = minted.tasks.iter().map(TaskId::as_str).chain(milestone).chain(blocker).chain(question).collect();
    (!ids.is_empty()).then(|| script.add(sql, [list(ids).into()]))
}

/// Writes what was decided.
async fn carry_out(batch: &mut Batch<'_>, facts: &Facts, minted: &Minted, command: &Command, decision: Decision) -> Result<Receipt, StoreError> {
    let Decision { subject, events, leases, warnings, mut data, dry_run } = decision;
    if dry_run {
        return Ok(Receipt { seq: batch.head.seq, subject, warnings, data, ..Receipt::default() });
    }
    let mut receipt = Receipt { seq: batch.head.seq, subject, warnings, ..Receipt::default() };
    let id = TaskId::parse(&receipt.subject).ok();
    let (mut rest, mut lease) = (None, None);
    if !events.is_empty() {
        let lines = sealed(batch, facts, minted, events).await?;
        receipt.events = lines.iter().map(|line| line.event.id.clone()).collect();
        batch.lines.extend(lines.iter().map(|line| (line.event.n, encoding::encode(line))));
        let first = *batch.command.get_or_insert(batch.head.seq + 1);
        let mut script = batch.writes();
        let source = import::Source::Here { command: first };
        let arrived = import::insert(batch.conn, &batch.inner.place, batch.head, lines, source, batch.now, &mut script).await?;
        let claimed: BTreeMap<&str, &EventId> =
            arrived.iter().filter(|one| one.event.kind == engine::Kind::TaskClaimed).map(|one| (one.event.subject.as_str(), &one.event.id)).collect();
        lease::carry_out(&mut script, leases, &claimed, batch.now);
        let mut applied = projection::apply(batch.conn, &batch.inner.place, &arrived, &mut script).await?;
        *batch.later = script;
        receipt.seq = batch.head.seq;
        rest = id.as_ref().and_then(|id| applied.rests.get(id).copied());
        lease = id.as_ref().map(|id| applied.leases.remove(id)).filter(|_| rest.is_some());
        if matches!(command, Command::Close(_) | Command::Cancel(_) | Command::Review(_)) && !applied.freed.is_empty() {
            if !data.is_object() {
                data = Value::Object(Map::new());
            }
            data["freed"] = json!(applied.freed);
        }
    } else if !leases.is_empty() {
        let mut script = batch.writes();
        lease::carry_out(&mut script, leases, &BTreeMap::new(), batch.now);
        *batch.later = script;
    }
    receipt.data = data;
    if let Some(id) = id {
        receipt.standing = standing(batch, facts, &id, rest, lease).await?;
    }
    Ok(receipt)
}

/// Where a task stands now. `rest` and `lease`: as its own events left them, if there were any.
async fn standing(
    batch: &mut Batch<'_>,
    facts: &Facts,
    id: &TaskId,
    rest: Option<contracts::Standing>,
    lease: Option<Option<Lease>>,
) -> Result<Option<contracts::Standing>, StoreError> {
    let rest = match (rest, facts.tasks.get(id)) {
        (Some(rest), _) => rest,
        (None, Some(facts)) => engine::rest(&facts.task, &facts.counters),
        (None, None) => return Ok(None),
    };
    let grace_s = facts.project.as_ref().map_or(limits::GRACE_SECONDS, |project| Settings::of(project).grace_s);
    let lease = match lease {
        Some(lease) => lease,
        None => {
            let mut script = std::mem::take(batch.later);
            let asked = lease::add_of_tasks(&mut script, &id_list([id]));
            lease::by_task(script.run(batch.conn).await?.rows(asked))?.remove(id)
        }
    };
    Ok(Some(engine::standing(rest, lease.as_ref(), batch.now, grace_s)))
}

/// Gives drafts their place: writer, number, predecessor, clock, id. Large bodies become blobs, which are safe before the commit.
async fn sealed(batch: &mut Batch<'_>, facts: &Facts, minted: &Minted, drafts: Vec<Draft>) -> Result<Vec<Line>, StoreError> {
    let writer = writer(batch).await?;
    let caller = &batch.request.caller;
    let subjects: BTreeSet<&str> = drafts.iter().map(|draft| draft.subject.as_str()).collect();
    let mut last_of = last_of_subjects(batch, facts, minted, &subjects).await?;
    let mut lines = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let last = batch.head.hlc.unwrap_or_default();
        let at = engine::tick(last, last_of.get(&draft.subject).copied(), batch.now);
        last_of.insert(draft.subject.clone(), at);
        batch.head.follow(at, batch.now);
        batch.head.n += 1;
        let (body, text) = inline(batch.inner, draft.body)?;
        let mut event = Event {
            id: EventId::none(),
            writer: writer.clone(),
            n: batch.head.n,
            prev: batch.head.prev.clone(),
            at,
            actor: caller.actor.clone(),
            principal: caller.principal.clone(),
            kind: draft.kind,
            subject: draft.subject,
            body,
        };
        event.id = encoding::id_of(&event, &text);
        batch.head.prev = event.id.clone();
        lines.push(Line { event, body: text });
    }
    Ok(lines)
}

/// The clock of the last event known about each subject, even one far ahead. Nothing is known about what was minted just now.
async fn last_of_subjects(
    batch: &mut Batch<'_>,
    facts: &Facts,
    minted: &Minted,
    subjects: &BTreeSet<&str>,
) -> Result<BTreeMap<String, contracts::Stamp>, StoreError> {
    let mut last: BTreeMap<String, contracts::Stamp> = BTreeMap::new();
    let mut unknown = Vec::new();
    let new: BTreeSet<&str> = minted.tasks.iter().map(TaskId::as_str).collect();
    for subject in subjects {
        match TaskId::parse(subject).ok().and_then(|id| facts.tasks.get(&id)) {
            Some(task) => drop(last.insert((*subject).to_owned(), task.task.last.at)),
            None if new.contains(subject) => {}
            None => unknown.push(*subject),
        }
    }
    if unknown.is_empty() {
        return Ok(last);
    }
    let mut script = std::mem::take(batch.later);
    let sql = "select value, (select max(e.at) from event e where e.project = ?1 and e.subject = value) from json_each(?2)";
    let asked = script.add(sql, [crate::sql::list(unknown).into()]);
    for row in script.run(batch.conn).await?.rows(asked) {
        if let Some(at) = row.get::<Option<&str>, _>(1) {
            last.insert(row.get(0), crate::sql::stamp(at)?);
        }
    }
    Ok(last)
}

/// The body as it stands on the line, and its canonical text.
pub(crate) fn inline(inner: &Inner, body: Map<String, Value>) -> Result<(Map<String, Value>, String), StoreError> {
    let text = encoding::canonical(&body);
    if text.len() <= limits::EVENT_BODY_INLINE_BYTES_MAX {
        // What every other clone will read: numbers as the canonical text has them.
        return Ok((serde_json::from_str(&text)?, text));
    }
    if text.len() > limits::BLOB_BYTES_MAX {
        return Err(StoreError::TooLarge(format!("one event would have {} bytes, the limit is {}", text.len(), limits::BLOB_BYTES_MAX)));
    }
    let sha256 = encoding::sha256_hex(text.as_bytes());
    inner.options.disk.write_blob(&inner.place, &sha256, text.as_bytes())?;
    let mut reference = Map::new();
    reference.insert("blob".to_owned(), sha256.into());
    reference.insert("size".to_owned(), text.len().into());
    let text = encoding::canonical(&reference);
    Ok((reference, text))
}

/// The writer of this directory; minted when there is none.
pub(crate) async fn writer(batch: &mut Batch<'_>) -> Result<Writer, StoreError> {
    if let Some(writer) = &batch.head.writer {
        return Ok(writer.clone());
    }
    let home = Home::of(&batch.inner.place)?;
    batch.writes().run(batch.conn).await?;
    for _ in 0..MINTS_MAX {
        let writer = Writer::from_bits((batch.inner.options.bits)());
        if !head::is_taken(batch.conn, &batch.inner.place, &writer).await? {
            home.settle(batch.conn, &writer).await?;
            batch.head.writer = Some(writer.clone());
            return Ok(writer);
        }
    }
    Err(StoreError::Refused("no free name for a log file".to_owned()))
}
