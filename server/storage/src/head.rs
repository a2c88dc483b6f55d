//! The one row that says where the log stands: the next number, the last id, the clock, whose file.

use crate::error::StoreError;
use crate::log_file::{self, Place};
use crate::script::Script;
use crate::sql::{blob, event_id, q, stamp, writer};
use contracts::{EventId, Moment, Stamp, Writer};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};
use std::fs;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// 8 hexadecimal digits, new with every database made anew or rebuilt.
    pub epoch: String,
    /// Arrival number of the newest event.
    pub seq: i64,
    /// The writer that events of this directory are written under; none until the next event mints one.
    pub writer: Option<Writer>,
    /// Its newest number.
    pub n: i64,
    /// Its newest event.
    pub prev: EventId,
    /// Greatest clock of the log within the cap.
    pub hlc: Option<Stamp>,
    pub made_at: Moment,
    /// Git's index when it was last asked about.
    pub index_seen: String,
}

/// The columns [`Head::read`] reads.
macro_rules! head_columns {
    () => {
        "epoch, seq, writer, n, prev, hlc, made_at, index_seen"
    };
}

impl Head {
    pub fn new(epoch: String, made_at: Moment) -> Head {
        Head { epoch, seq: 0, writer: None, n: 0, prev: EventId::none(), hlc: None, made_at, index_seen: String::new() }
    }

    pub async fn load(conn: &mut SqliteConnection) -> Result<Option<Head>, StoreError> {
        let sql = concat!("select ", head_columns!(), " from project_head where project = ?1");
        q(sql).fetch_optional(&mut *conn).await?.map(|row| Head::read(&row)).transpose()
    }

    fn read(row: &SqliteRow) -> Result<Head, StoreError> {
        let (own, hlc): (Option<String>, Option<String>) = (row.get(2), row.get(5));
        Ok(Head {
            epoch: row.get(0),
            seq: row.get(1),
            writer: own.map(|own| writer(&own)).transpose()?,
            n: row.get(3),
            prev: event_id(row.get(4)),
            hlc: hlc.map(|hlc| stamp(&hlc)).transpose()?,
            made_at: Moment::parse(row.get(6)).unwrap_or_default(),
            index_seen: row.get(7),
        })
    }

    /// The row, and with it the right to write until the transaction ends: it must be the transaction's first statement.
    pub async fn locked(conn: &mut SqliteConnection) -> Result<Head, StoreError> {
        let sql = concat!("update project_head set seq = seq where project = ?1 returning ", head_columns!());
        let rows = q(sql).fetch_all(&mut *conn).await?;
        rows.first().map(Head::read).transpose()?.ok_or_else(|| StoreError::Corrupt("no head".to_owned()))
    }

    /// The row that every opened database has.
    pub async fn require(conn: &mut SqliteConnection) -> Result<Head, StoreError> {
        Head::load(conn).await?.ok_or_else(|| StoreError::Corrupt("no head".to_owned()))
    }

    pub async fn store(&self, conn: &mut SqliteConnection) -> Result<(), StoreError> {
        let mut script = Script::default();
        self.add_store(&mut script);
        script.run(conn).await.map(drop)
    }

    pub fn add_store(&self, script: &mut Script) {
        script.add(
            "insert into project_head (project, epoch, seq, writer, n, prev, hlc, made_at, index_seen) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) \
             on conflict (project) do update set epoch = excluded.epoch, seq = excluded.seq, writer = excluded.writer, n = excluded.n, \
             prev = excluded.prev, hlc = excluded.hlc, index_seen = excluded.index_seen",
            [
                (&self.epoch).into(),
                self.seq.into(),
                self.writer.as_ref().map(Writer::as_str).into(),
                self.n.into(),
                blob(&self.prev).into(),
                self.hlc.map(|hlc| hlc.to_string()).into(),
                self.made_at.to_string().into(),
                (&self.index_seen).into(),
            ],
        );
    }

    /// Follows a clock, unless it is further ahead of ours than may be.
    pub fn follow(&mut self, at: Stamp, now: Moment) {
        if at.moment.0 <= now.0.saturating_add(contracts::limits::CLOCK_AHEAD_MS_MAX) {
            self.hlc = self.hlc.max(Some(at));
        }
    }

    /// Lets go of a clock that was ahead and was set right: what comes now follows the greatest one within the cap again.
    pub async fn settle_clock(&mut self, conn: &mut SqliteConnection, now: Moment) -> Result<(), StoreError> {
        let furthest = Stamp { moment: Moment(now.0.saturating_add(contracts::limits::CLOCK_AHEAD_MS_MAX)), counter: Stamp::COUNTER_MAX };
        if self.hlc.is_none_or(|hlc| hlc <= furthest) {
            return Ok(());
        }
        let greatest = q("select max(at) from event where project = ?1 and at <= ?2").bind(furthest.to_string()).fetch_one(&mut *conn).await?;
        self.hlc = greatest.get::<Option<String>, _>(0).map(|at| stamp(&at)).transpose()?;
        Ok(())
    }

    /// Lets go of the present writer for good: git has its file, and a file that git has is never written again.
    pub async fn seal(&mut self, conn: &mut SqliteConnection) -> Result<(), StoreError> {
        if let Some(writer) = &self.writer {
            q("update writer set sealed = 1 where project = ?1 and writer = ?2").bind(writer.as_str()).execute(&mut *conn).await?;
        }
        self.let_go();
        Ok(())
    }

    /// Goes on under no writer: the next event mints one.
    pub fn let_go(&mut self) {
        (self.writer, self.n, self.prev) = (None, 0, EventId::none());
    }
}

/// Which directory a writer belongs to: same inode, and same path or device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Home {
    path: String,
    device: i64,
    inode: i64,
}

impl Home {
    pub fn of(place: &Place) -> Result<Home, StoreError> {
        let path = fs::canonicalize(&place.root)?;
        let (device, inode) = log_file::identity(&fs::metadata(&path)?);
        Ok(Home { path: path.to_string_lossy().into_owned(), device, inode })
    }

    /// The unsealed writer of this directory, and whether the database knows writers of other directories only.
    pub async fn writer(&self, conn: &mut SqliteConnection) -> Result<(Option<Writer>, bool), StoreError> {
        let rows = q("select writer, path, device, inode, sealed from writer where project = ?1").fetch_all(&mut *conn).await?;
        let mut current = None;
        let mut at_home = rows.is_empty();
        for row in rows {
            let home = Home { path: row.get(1), device: row.get(2), inode: row.get(3) };
            if home.inode == self.inode && (home.path == self.path || home.device == self.device) {
                at_home = true;
                if row.get::<i64, _>(4) == 0 {
                    current = Some(writer(row.get(0))?);
                }
            }
        }
        Ok((current, !at_home))
    }

    pub async fn settle(&self, conn: &mut SqliteConnection, writer: &Writer) -> Result<(), StoreError> {
        q("insert into writer (project, writer, path, device, inode) values (?1, ?2, ?3, ?4, ?5)")
            .bind(writer.as_str())
            .bind(&self.path)
            .bind(self.device)
            .bind(self.inode)
            .execute(&mut *conn)
            .await?;
        Ok(())
    }
}

/// Whether anything already goes by this name.
pub(crate) async fn is_taken(conn: &mut SqliteConnection, place: &Place, writer: &Writer) -> Result<bool, StoreError> {
    let sql = "select exists (select 1 from event where project = ?1 and writer = ?2) or exists (select 1 from writer where project = ?1 and writer = ?2)";
    let known: i64 = q(sql).bind(writer.as_str()).fetch_one(&mut *conn).await?.get(0);
    Ok(known != 0 || place.log_of(writer.as_str()).exists())
}
