//! The activity: events whole, who did how much, and how it lies over time.

use super::ServerPort;
use super::assemble::{Reading, told};
use contracts::view::{ActivityQuery, ActivityView, ActorRow, HistoryRow, Page, Tally, TimelineQuery};
use contracts::{Actor, Problem, limits};
use engine::histogram;
use std::collections::BTreeMap;
use storage::{EventPage, TallyRow};

/// Events with everything about each, newest first.
pub(super) async fn events(reading: &mut Reading, query: &ActivityQuery) -> Result<Page<HistoryRow>, Problem> {
    let EventPage { rows, total, next } = reading.read.activity(query).await.map_err(told)?;
    let titles = reading.read.titles(rows.iter().map(|row| row.event.subject.as_str())).await.map_err(told)?;
    let title = |subject: &str| titles.get(subject).map_or("", String::as_str);
    let items = rows.iter().map(|row| engine::history_row(&row.event, row.seq, title(&row.event.subject), row.no_effect)).collect();
    Ok(Page { items, total, next, seq: reading.seq().await? })
}

/// What the page shows, but for the chains, which are read apart.
pub(super) async fn timeline(reading: &mut Reading, query: &ActivityQuery) -> Result<ActivityView, Problem> {
    let page = events(reading, query).await?;
    let (ever, first) = reading.read.ever().await.map_err(told)?;
    let (rows, actors) = reading.read.tallies(&ActivityQuery { cursor: None, ..query.clone() }, limits::TALLIES_MAX).await.map_err(told)?;
    let known: BTreeMap<Actor, ActorRow> = reading.read.actors().await.map_err(told)?.into_iter().map(|row| (row.actor.clone(), row)).collect();
    let now = reading.now;
    let offset = super::offsets::clock(&reading.settings.zone, now).at(now);
    let mut drawn = histogram::around(first.unwrap_or(now), now, query.since, query.until, offset);
    let counted = reading.read.kinds_over_time(&query.of_all_time(), drawn.from, drawn.step_s, drawn.bars.len()).await.map_err(told)?;
    for (step, kind, events) in counted {
        histogram::count(&mut drawn, step, &kind, events);
    }
    let tallies: Vec<Tally> = rows.into_iter().map(|row| tally(row, &known)).collect();
    let tallies_more = (actors - i64::try_from(tallies.len()).unwrap_or(i64::MAX)).max(0);
    Ok(ActivityView { seq: page.seq, now, ever, total: page.total, rows: page.items, next: page.next, tallies, tallies_more, histogram: drawn, log: None })
}

fn tally(row: TallyRow, known: &BTreeMap<Actor, ActorRow>) -> Tally {
    let TallyRow { actor, tasks, events, closed, commits, added, deleted, last_at } = row;
    let there = known.get(&actor);
    // Somebody who acts without ever being seen (a hook of another clone) was there when they acted.
    let seen_at = there.and_then(|there| there.seen_at).into_iter().chain([last_at]).max();
    let holds = there.map(|there| there.holds.clone()).unwrap_or_default();
    Tally { actor, tasks, events, closed, commits, added, deleted, last_at, seen_at, holds }
}

/// The same with the chains of the log, when they are to be checked.
pub(super) async fn with_chains(port: &ServerPort, view: ActivityView, query: &TimelineQuery) -> Result<ActivityView, Problem> {
    if !query.verify {
        return Ok(view);
    }
    let log = super::settings::checked_log(&port.store()).await?;
    Ok(ActivityView { log: Some(log), ..view })
}
