//! Secondary indexes of what is written in bulk: made once from sorted rows instead of row by row in the order of ids.

use crate::error::StoreError;
use sqlx::{Executor, Row, SqliteConnection};

/// Indexes that were dropped.
pub(crate) struct Indexes {
    made_by: Vec<String>,
    /// What the planner believes, which goes with an index.
    believed: Vec<(String, String, String)>,
}

impl Indexes {
    /// Drops those of these tables that are more than a table's own key.
    pub async fn drop_all(conn: &mut SqliteConnection, tables: &[&str]) -> Result<Indexes, StoreError> {
        let sql =
            "select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name in (select value from json_each(?1)) order by name";
        let found = sqlx::query(sql).bind(crate::sql::list(tables.iter().copied())).fetch_all(&mut *conn).await?;
        let believed = sqlx::query("select tbl, idx, stat from sqlite_stat1 where idx is not null").fetch_all(&mut *conn).await?;
        for row in &found {
            conn.execute(format!("drop index {}", row.get::<&str, _>(0)).as_str()).await?;
        }
        Ok(Indexes {
            made_by: found.iter().map(|row| row.get(1)).collect(),
            believed: believed.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect(),
        })
    }

    /// Makes them again.
    pub async fn make(self, conn: &mut SqliteConnection) -> Result<(), StoreError> {
        for sql in &self.made_by {
            conn.execute(sql.as_str()).await?;
        }
        conn.execute("delete from sqlite_stat1").await?;
        for (table, index, stat) in self.believed {
            sqlx::query("insert into sqlite_stat1 (tbl, idx, stat) values (?1, ?2, ?3)").bind(table).bind(index).bind(stat).execute(&mut *conn).await?;
        }
        conn.execute("analyze sqlite_schema").await?;
        Ok(())
    }
}
