//! What reports are made of: every event, one subject after the other, and what tells whether a report is behind.

use super::Read;
use crate::error::StoreError;
use crate::projection::whole;
use crate::rebuild::fold::{self, After, PAGE};
use crate::sql::q;
use contracts::{Moment, Stamp};
use engine::Event;
use sqlx::Row;

impl Read {
    /// Hands every event over, all of one subject at a time. No more than a page and one subject's events are held.
    pub async fn each_subject(&mut self, mut take: impl FnMut(Vec<Event>)) -> Result<(), StoreError> {
        let (mut after, mut begun): (Option<After>, Vec<Event>) = (None, Vec::new());
        loop {
            let rows = fold::read(&mut self.conn, after).await?;
            for row in &rows {
                let mut event = fold::event_of(row)?;
                if begun.last().is_some_and(|last| last.subject != event.subject) {
                    take(std::mem::take(&mut begun));
                }
                // A body whose blob is not here yet stays the reference that it is.
                let _ = whole(&self.place, &mut event);
                begun.push(event);
            }
            if rows.len() < PAGE {
                if !begun.is_empty() {
                    take(begun);
                }
                return Ok(());
            }
            after = rows.last().map(After::of);
        }
    }

    /// When each event happened, and its id, in time's order; but for those about reports, since writing one makes no other stale.
    pub async fn event_ids(&mut self) -> Result<Vec<(Moment, u128)>, StoreError> {
        let sql = "select at, id from event where project = ?1 and kind not like 'report.%' order by at";
        let rows = q(sql).fetch_all(&mut *self.conn).await?;
        let read = |row: &sqlx::sqlite::SqliteRow| {
            let at = Stamp::parse(row.get(0)).ok_or_else(|| StoreError::Corrupt("stored stamp".to_owned()))?;
            let id: [u8; 16] = row.get::<&[u8], _>(1).try_into().map_err(|_| StoreError::Corrupt("stored id".to_owned()))?;
            Ok((at.moment, u128::from_be_bytes(id)))
        };
        rows.iter().map(read).collect()
    }
}
