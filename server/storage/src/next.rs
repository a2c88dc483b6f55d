//! `next`: candidates from the index, the engine's choice, and the claim, in one transaction. Its cost does not grow with the board.

use crate::commands::{self, Batch};
use crate::error::StoreError;
use crate::lease;
use crate::projection::rows::{self, task_columns};
use crate::read::facts;
use crate::read::queue::{self, Leased, QueueAsked};
use crate::script::{Answers, Script, Statement, Text};
use crate::sql::{PROJECT, actor, id_list, list, micros, q, task_id};
use crate::write::{NextOutcome, Outcome};
use contracts::command::Claim;
use contracts::standing::{Standing, Status};
use contracts::view::NextRequest;
use contracts::{Actor, Code, Command, CommandRequest, Hint, MilestoneId, Moment, Problem, TaskId, limits};
use engine::{Candidate, Choice, Context, Digest, LeaseState, Minted, NextFacts, Project, Settings, SurfaceRow};
use sqlx::{Row, SqliteConnection};
use std::collections::BTreeMap;

/// Standings at rest in which a task can be handed out.
const FREE: [Standing; 4] = [Standing::Ready, Standing::Stalled, Standing::Changes, Standing::Assigned];

/// Answers `next`, by its key if it has one.
pub(crate) async fn answer(batch: &mut Batch<'_>, request: &NextRequest) -> Result<Outcome, StoreError> {
    let content = serde_json::to_value(NextRequest { key: None, ..request.clone() })?;
    let digest = commands::digest(&content);
    if let Some(key) = &request.key {
        match commands::answered(batch, key.as_str(), &digest).await? {
            Some(Err(problem)) => return Ok(Outcome::Refused(problem)),
            Some(Ok(first)) => {
                let first: NextOutcome = serde_json::from_str(&first)?;
                return Ok(Outcome::Next(Box::new(NextOutcome { repeated: true, ..first })));
            }
            None => {}
        }
    }
    let outcome = match find(batch, request).await? {
        Ok(outcome) => outcome,
        Err(problem) => return Ok(Outcome::Refused(problem)),
    };
    if let (Some(key), Some(_)) = (&request.key, &outcome.receipt) {
        commands::keep_answer(batch, key.as_str(), digest, serde_json::to_string(&outcome)?);
    }
    Ok(Outcome::Next(Box::new(outcome)))
}

async fn find(batch: &mut Batch<'_>, request: &NextRequest) -> Result<Result<NextOutcome, Problem>, StoreError> {
    let request = match with_milestone_id(batch.conn, request).await? {
        Ok(request) => request,
        Err(problem) => return Ok(Err(problem)),
    };
    let (mut facts, leased) = match load(batch, &request).await? {
        Ok(loaded) => loaded,
        Err(problem) => return Ok(Err(problem)),
    };
    let context = Context {
        now: batch.now,
        caller: batch.request.caller.clone(),
        minted: Minted::default(),
        expect: None,
        fence: None,
        base: batch.request.base.clone(),
        hooks_renew: batch.request.hooks_renew,
    };
    let mut choice = engine::choose(&facts, &request, &context);
    if matches!(choice, Choice::Nothing(_)) && facts.named.is_none() {
        facts.digest = self::digest(batch.conn, &batch.request.caller.actor, &leased).await?;
        choice = engine::choose(&facts, &request, &context);
    }
    let mut outcome = NextOutcome { queue: facts.queue, ..NextOutcome::default() };
    let (ids, resumed) = match choice {
        Choice::Nothing(why) => {
            outcome.why = Some(why);
            return Ok(Ok(outcome));
        }
        Choice::Resume(id) => (vec![id], true),
        Choice::Take(ids) => (ids, false),
    };
    let mut refused = None;
    for id in &ids {
        let mut script = std::mem::take(batch.later);
        let (row, before) = (rows::add_load(&mut script, &id_list([id])), lease::add_of_tasks(&mut script, &id_list([id])));
        let answers = script.run(batch.conn).await?;
        let Some(row) = rows::read_load(answers.rows(row))?.remove(id) else { continue };
        let before = lease::by_task(answers.rows(before))?.remove(id);
        let (how, how_text, verdict) = engine::how(&row.task, before.as_ref(), &context.caller.actor, batch.now);
        if !request.peek {
            let claim = Claim { task: id.clone(), ttl_s: request.ttl_s, session: context.caller.session.clone(), worktree: None };
            match commands::one(batch, &CommandRequest::of(Command::Claim(claim))).await? {
                Ok(receipt) => {
                    outcome.warnings.clone_from(&receipt.warnings);
                    outcome.receipt = Some(receipt);
                }
                Err(problem) => {
                    refused = Some(problem);
                    continue;
                }
            }
        }
        (outcome.how, outcome.how_text, outcome.verdict) = (how, how_text, verdict);
        (outcome.collisions, outcome.collisions_more) = engine::collisions(&row.task, &facts.surfaces);
        outcome.task = Some(id.clone());
        return Ok(Ok(outcome));
    }
    match refused {
        Some(problem) if resumed || request.task.is_some() => Ok(Err(problem)),
        _ => {
            outcome.why = Some(engine::next::raced());
            Ok(Ok(outcome))
        }
    }
}

/// A milestone may be named by its exact title.
async fn with_milestone_id(conn: &mut SqliteConnection, request: &NextRequest) -> Result<Result<NextRequest, Problem>, StoreError> {
    let Some(named) = request.milestone.as_ref().filter(|named| MilestoneId::parse(named).is_err()) else { return Ok(Ok(request.clone())) };
    let sql = "select id from milestone where project = ?1 and title_folded = ?2 order by status <> 'open', created_at, id limit 1";
    let row = q(sql).bind(engine::folded(named)).fetch_optional(&mut *conn).await?;
    Ok(match row {
        Some(row) => Ok(NextRequest { milestone: Some(row.get(0)), ..request.clone() }),
        None => Err(Problem::new(Code::NotFound, format!("There is no milestone {named}"))),
    })
}

type Loaded = (NextFacts, Vec<Leased>);

async fn load(batch: &mut Batch<'_>, request: &NextRequest) -> Result<Result<Loaded, Problem>, StoreError> {
    let me = batch.request.caller.actor.clone();
    let mut script = Script::default();
    let project = script.add("select state from project_state where project = ?1", []);
    let leased = queue::add_leased(&mut script);
    let holdings = facts::add_holdings(&mut script, &me);
    let named = request.task.as_ref().map(|id| facts::TasksAsked::add(&mut script, [id]));
    let not_live = add_not_live(&mut script);
    let queued = QueueAsked::add(&mut script, &me);
    let answers = script.run(batch.conn).await?;
    let project: Option<Project> = answers.first(project).map(|row| serde_json::from_str(row.get(0))).transpose()?;
    let Some(project) = project else {
        let problem = Problem::new(Code::NotInitialized, "There is no project here");
        return Ok(Err(problem.hint(Hint::call(contracts::Call::new("init")))));
    };
    let grace_s = Settings::of(&project).grace_s;
    let leased = queue::read_leased(answers.rows(leased), batch.now, grace_s)?;
    let holdings = facts::read_holdings(answers.rows(holdings))?;
    let named = match (&request.task, named) {
        (Some(id), Some(named)) => {
            let Some(found) = named.read(&answers, batch.now, grace_s)?.remove(id) else {
                let problem = Problem::new(Code::NotFound, format!("There is no task {id}"));
                return Ok(Err(problem.hint(Hint::call(contracts::Call::new("search").with("query", "<words>")))));
            };
            Some(found)
        }
        _ => None,
    };
    let mut found = Vec::new();
    let mut candidates_total = 0;
    if named.is_none() {
        let held: Vec<&TaskId> = holdings.iter().map(|holding| &holding.lease.task).collect();
        found = candidates(batch.conn, request, &me, &held, batch.now, grace_s).await?;
        candidates_total = i64::try_from(found.len()).unwrap_or(i64::MAX);
        if found.is_empty() {
            let unfiltered = NextRequest::default();
            let all = candidates(batch.conn, &unfiltered, &me, &held, batch.now, grace_s).await?;
            candidates_total = i64::try_from(all.len()).unwrap_or(i64::MAX);
        }
    }
    let facts = NextFacts {
        project,
        holdings,
        named,
        candidates: found,
        candidates_total,
        surfaces: surfaces(&leased, &answers, not_live)?,
        queue: queued.read(&answers, &me, &leased)?,
        digest: Digest::default(),
    };
    Ok(Ok((facts, leased)))
}

/// A candidate's place in the index: priority, due, created, id.
type Place = (i64, String, String, String);

/// At most 200 rows: the caller's own first, then subtasks of what it holds, then the rest, each in the order of the index.
pub(crate) async fn candidates(
    conn: &mut SqliteConnection,
    request: &NextRequest,
    me: &Actor,
    held: &[&TaskId],
    now: Moment,
    grace_s: i64,
) -> Result<Vec<Candidate>, StoreError> {
    let filter = Filter { request, me, from: micros(now) - grace_s * 1_000_000 };
    let free = || list(FREE.iter().map(|standing| standing.as_str()));
    let mut script = Script::default();
    let mine = filter.add(&mut script, |sql| {
        sql.push(" and t.assignee = ").push_bind(me.as_str()).push(" and t.rest in (select value from json_each(").push_bind(free()).push("))");
    });
    let children = (!held.is_empty()).then(|| {
        filter.add(&mut script, |sql| {
            sql.push(" and t.parent in (select value from json_each(").push_bind(id_list(held.iter().copied())).push("))");
            sql.push(" and t.rest in (select value from json_each(").push_bind(free()).push("))");
        })
    });
    let of_standing = |standing: Standing| {
        filter.add(&mut script, |sql| {
            sql.push(" and t.rest = ").push_bind(standing.as_str());
        })
    };
    let rest: Vec<Statement> = FREE.into_iter().filter(|standing| *standing != Standing::Assigned).map(of_standing).collect();
    let answers = script.run(conn).await?;
    let mut ids: Vec<TaskId> = Vec::new();
    for part in [vec![mine], children.into_iter().collect(), rest] {
        let mut places: Vec<Place> = part.into_iter().flat_map(|of| answers.rows(of)).map(|row| (row.get(0), row.get(1), row.get(2), row.get(3))).collect();
        places.sort();
        for (_, _, _, id) in places {
            let id = task_id(&id)?;
            if ids.len() < limits::CANDIDATES_MAX && !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    let mut script = Script::default();
    let (cards, leases) = (rows::add_cards(&mut script, &id_list(&ids)), lease::add_of_tasks(&mut script, &id_list(&ids)));
    let answers = script.run(conn).await?;
    let mut stored = rows::read_cards(answers.rows(cards))?;
    let mut leases = lease::by_task(answers.rows(leases))?;
    let candidate = |id: &TaskId| {
        let row = stored.remove(id)?;
        let child_of_mine = row.task.parent.as_ref().is_some_and(|parent| held.contains(&parent));
        Some(Candidate { task: row.task, counters: row.counters, lease: leases.remove(id), child_of_mine })
    };
    Ok(ids.iter().filter_map(candidate).collect())
}

struct Filter<'a> {
    request: &'a NextRequest,
    me: &'a Actor,
    /// A lease that ended before is lapsed.
    from: i64,
}

impl Filter<'_> {
    /// Asks for places in the order of the index.
    fn add(&self, script: &mut Script, which: impl Fn(&mut Text)) -> Statement {
        let mut sql = Text::new("select t.priority, t.due_key, t.created_at, t.id from task t where t.status = 'open' and t.project = ");
        sql.push_bind(PROJECT);
        which(&mut sql);
        sql.push(" and (t.assignee is null or t.assignee = ").push_bind(self.me.as_str()).push(")");
        sql.push(" and not exists (select 1 from lease l where l.project = t.project and l.task = t.id and l.expires_at > ").push_bind(self.from).push(")");
        if !self.request.labels.is_empty() {
            let labels = list(self.request.labels.iter().map(|label| label.as_str()));
            sql.push(" and exists (select 1 from task_label b where b.project = t.project and b.task = t.id and b.label in (select value from json_each(")
                .push_bind(labels)
                .push(")))");
        }
        if let Some(kind) = &self.request.kind {
            sql.push(" and t.type = ").push_bind(kind.as_str().to_owned());
        }
        if let Some(milestone) = &self.request.milestone {
            sql.push(" and t.milestone = ").push_bind(milestone.clone());
        }
        sql.push(" order by t.priority, t.due_key, t.created_at, t.id limit ").push_bind(i64::try_from(limits::CANDIDATES_MAX).unwrap_or(i64::MAX));
        script.add_text(sql)
    }
}

/// Submitted and assigned tasks whose files are looked at.
const NOT_LIVE: i64 = 200;

/// Asks for submitted and assigned tasks.
pub(crate) fn add_not_live(script: &mut Script) -> [Statement; 2] {
    let sql =
        concat!("select ", task_columns!(), " from task t where t.project = ?1 and t.rest = ?3 and t.status = 'open' order by t.priority, t.due_key limit ?2");
    [Standing::InReview, Standing::Assigned].map(|standing| script.add(sql, [NOT_LIVE.into(), standing.as_str().into()]))
}

/// What live, late, submitted and assigned tasks touch.
pub(crate) fn surfaces(leased: &[Leased], answers: &Answers, not_live: [Statement; 2]) -> Result<Vec<SurfaceRow>, StoreError> {
    let mut found: BTreeMap<TaskId, SurfaceRow> = BTreeMap::new();
    for one in leased.iter().filter(|one| one.state != LeaseState::Lapsed && one.row.task.status == Status::Open) {
        let task = &one.row.task;
        let row = SurfaceRow {
            task: task.id.clone(),
            title: task.title.clone(),
            standing: one.standing,
            actor: Some(one.lease.actor.clone()),
            patterns: engine::surface(task),
        };
        found.insert(task.id.clone(), row);
    }
    for row in not_live.into_iter().flat_map(|of_standing| answers.rows(of_standing)) {
        let stored = rows::read(row, 0)?;
        let task = stored.task;
        found.entry(task.id.clone()).or_insert_with(|| SurfaceRow {
            task: task.id.clone(),
            title: task.title.clone(),
            standing: stored.rest,
            actor: task.submission.as_ref().map(|submission| submission.by.clone()).or_else(|| task.assignee.clone()),
            patterns: engine::surface(&task),
        });
    }
    Ok(found.into_values().collect())
}

/// Named rows in an answer that there is nothing.
const SHOWN: usize = 5;

/// What the answer says when there is nothing.
async fn digest(conn: &mut SqliteConnection, me: &Actor, leased: &[Leased]) -> Result<Digest, StoreError> {
    let mut script = Script::default();
    let tally = queue::add_tally(&mut script);
    let counts = queue::by_standing(script.run(conn).await?.rows(tally), leased)?;
    let of = |standing: Standing| counts.get(&standing).copied().unwrap_or(0);
    let busy = id_list(leased.iter().filter(|one| one.state != LeaseState::Lapsed).map(|one| &one.row.task.id));
    let sql = "select id, title, closed_at from task where project = ?1 and closed_at is not null order by closed_at desc, id desc limit 1";
    let last_closed = match q(sql).fetch_optional(&mut *conn).await? {
        Some(row) => Moment::parse(row.get(2)).map(|at| task_id(row.get(0)).map(|id| (id, row.get(1), at))).transpose()?,
        None => None,
    };
    let sql = "select distinct assignee from task where project = ?1 and assignee is not null and assignee <> ?2 and status = 'open' \
               and rest in ('ready', 'stalled', 'changes', 'assigned') and id not in (select value from json_each(?3)) order by assignee limit 5";
    let assigned = q(sql).bind(me.as_str()).bind(&busy).fetch_all(&mut *conn).await?;
    let mut people = Vec::new();
    for standing in [Standing::NeedsYou, Standing::InReview, Standing::Held] {
        let sql = "select id, title from task where project = ?1 and rest = ?2 and status = 'open' order by priority, due_key, created_at, id limit 5";
        for row in q(sql).bind(standing.as_str()).fetch_all(&mut *conn).await? {
            people.push((task_id(row.get(0))?, row.get(1), standing));
        }
    }
    people.truncate(SHOWN);
    let mut running: Vec<(TaskId, Actor, Moment)> = leased
        .iter()
        .filter(|one| one.standing == Standing::Working)
        .map(|one| (one.lease.task.clone(), one.lease.actor.clone(), one.lease.expires_at))
        .collect();
    running.sort_by(|a, b| (a.2, &a.0).cmp(&(b.2, &b.0)));
    running.truncate(SHOWN);
    let sql = "select id, title, blocks from task where project = ?1 and blocks > 0 and status = 'open' order by blocks desc, id limit 5";
    let mut most_waited = Vec::new();
    for row in q(sql).fetch_all(&mut *conn).await? {
        let id = task_id(row.get(0))?;
        let on_it = leased.iter().find(|one| one.lease.task == id && one.state != LeaseState::Lapsed).map(|one| one.lease.actor.clone());
        most_waited.push((id, row.get(1), row.get(2), on_it));
    }
    let sql = concat!(
        "select ",
        task_columns!(),
        " from open_item i join task t on t.project = i.project and t.id = i.task where i.project = ?1 and i.kind = 'blocker' and t.status = 'open' order by t.id limit 5"
    );
    let mut outside = Vec::new();
    for row in q(sql).fetch_all(&mut *conn).await? {
        let task = rows::read(&row, 0)?.task;
        outside.extend(task.blockers.iter().map(|blocker| (task.id.clone(), blocker.reason.clone())));
    }
    outside.truncate(SHOWN);
    Ok(Digest {
        done: of(Standing::Done),
        cancelled: of(Standing::Cancelled),
        last_closed,
        assigned_to: assigned.iter().map(|row| actor(row.get(0))).collect::<Result<_, _>>()?,
        people_total: of(Standing::NeedsYou) + of(Standing::InReview) + of(Standing::Held),
        people,
        running,
        most_waited,
        outside,
    })
}
