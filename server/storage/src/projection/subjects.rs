//! Milestones and the project itself: few rows, folded like tasks.

use super::{forget, histories};
use crate::error::StoreError;
use crate::log_file::Place;
use crate::script::Script;
use crate::sql::{list, q};
use contracts::{EventId, MilestoneId};
use engine::event::PROJECT as PROJECT_SUBJECT;
use engine::fold::{self, Effect};
use engine::{Event, Milestone, Project};
use sqlx::{Row, SqliteConnection};
use std::collections::BTreeMap;

type Effects = Vec<(EventId, Effect)>;

/// Folds events about milestones and the project; other subjects belong to other parts and have no projection here.
pub(crate) async fn apply(
    conn: &mut SqliteConnection,
    place: &Place,
    of_subjects: BTreeMap<&str, Vec<&Event>>,
    effects: &mut Effects,
) -> Result<(), StoreError> {
    for (subject, mut events) in of_subjects {
        events.sort_by_key(|event| event.order());
        if subject == PROJECT_SUBJECT {
            of_project(conn, place, &events, effects).await?;
        } else if MilestoneId::parse(subject).is_ok() {
            of_milestone(conn, place, subject, &events, effects).await?;
        }
    }
    Ok(())
}

/// All usable events of a subject that is about to be folded anew.
async fn anew(conn: &mut SqliteConnection, place: &Place, subject: &str) -> Result<Vec<Event>, StoreError> {
    forget(conn, &list([subject])).await?;
    Ok(histories(conn, place, [subject]).await?.remove(subject).unwrap_or_default())
}

/// The stored project, `None` before its first event.
pub(crate) async fn load_project(conn: &mut SqliteConnection) -> Result<Option<Project>, StoreError> {
    let row = q("select state from project_state where project = ?1").fetch_optional(&mut *conn).await?;
    row.map(|row| serde_json::from_str(row.get(0)).map_err(StoreError::from)).transpose()
}

pub(crate) async fn store_project(conn: &mut SqliteConnection, project: &Project) -> Result<(), StoreError> {
    q("insert into project_state (project, state) values (?1, ?2) on conflict (project) do update set state = excluded.state")
        .bind(serde_json::to_string(project)?)
        .execute(&mut *conn)
        .await?;
    Ok(())
}

async fn of_project(conn: &mut SqliteConnection, place: &Place, events: &[&Event], effects: &mut Effects) -> Result<(), StoreError> {
    let mut project = load_project(conn).await?.unwrap_or_default();
    let late = events.first().is_some_and(|first| project.last.as_ref().is_some_and(|last| first.order() <= *last));
    if late {
        let (folded, of_events) = fold::fold_project(&mut anew(conn, place, PROJECT_SUBJECT).await?);
        project = folded;
        effects.extend(of_events);
    } else {
        effects.extend(events.iter().map(|event| (event.id.clone(), fold::apply_project(&mut project, event))));
    }
    store_project(conn, &project).await
}

async fn of_milestone(conn: &mut SqliteConnection, place: &Place, subject: &str, events: &[&Event], effects: &mut Effects) -> Result<(), StoreError> {
    let row = q("select state from milestone where project = ?1 and id = ?2").bind(subject).fetch_optional(&mut *conn).await?;
    let mut milestone: Option<Milestone> = row.map(|row| serde_json::from_str(row.get(0))).transpose()?;
    let in_order = milestone.as_ref().zip(events.first()).is_some_and(|(milestone, first)| first.order() > milestone.last);
    if in_order {
        effects.extend(events.iter().map(|event| (event.id.clone(), fold::apply_milestone(&mut milestone, event))));
    } else {
        // Not known yet, or late: whatever waited for it is among all its events.
        let (folded, of_events) = fold::fold_milestone(&mut anew(conn, place, subject).await?);
        milestone = folded;
        effects.extend(of_events);
    }
    let mut script = Script::default();
    add_milestones(&mut script, milestone.as_slice())?;
    script.run(conn).await.map(drop)
}

pub(crate) fn add_milestones(script: &mut Script, milestones: &[Milestone]) -> Result<(), StoreError> {
    for milestone in milestones {
        script.add(
            "insert into milestone (project, id, title_folded, status, created_at, state) values (?1, ?2, ?3, ?4, ?5, ?6) \
             on conflict (project, id) do update set title_folded = excluded.title_folded, status = excluded.status, created_at = excluded.created_at, \
             state = excluded.state",
            [
                milestone.id.as_str().into(),
                milestone.title.to_lowercase().into(),
                milestone.status.as_str().into(),
                milestone.created_at.to_string().into(),
                serde_json::to_string(milestone)?.into(),
            ],
        );
    }
    Ok(())
}
