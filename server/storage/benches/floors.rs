//! Floors for `make bench`: what bare SQLite needs for the same rows on the same disk. Prints nanoseconds.
//!
//! `floors commit N`: the median of N times `insert`, `commit`, in WAL with `synchronous=full`.
//! `floors bulk N`: N rows of a log with its indexes, in one transaction, as fast as it goes: many rows a statement, indexes afterwards.

#![allow(clippy::print_stdout, reason = "the number is what this program is for")]

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, QueryBuilder, Sqlite};
use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

const TABLE: &str = "create table event (seq integer primary key, id blob not null, writer text not null, n integer not null, at text not null, \
    actor text not null, kind text not null, subject text not null, body text not null, command integer not null) strict";
const INDEXES: [&str; 4] = [
    "create unique index event_id on event (id)",
    "create index event_place on event (writer, n)",
    "create index event_subject on event (subject, at, writer, n, id)",
    "create index event_at on event (at)",
];
const INSERT: &str = "insert into event (id, writer, n, at, actor, kind, subject, body, command) ";
/// Rows a statement, in bulk.
const ROWS: i64 = 100;

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let [what, count] = words.as_slice() else { return Ok(()) }; // run by `cargo bench` without a question
    let count: i64 = count.parse()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let path = Path::new("floor.db");
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", path.display())); // the first time there is none
    }
    let took = runtime.block_on(async {
        let options = SqliteConnectOptions::new().filename(path).create_if_missing(true).journal_mode(SqliteJournalMode::Wal);
        let mut connection = options.synchronous(SqliteSynchronous::Full).connect().await?;
        sqlx::query(TABLE).execute(&mut connection).await?;
        let took = match what.as_str() {
            "commit" => commit(&mut connection, count).await?,
            _ => bulk(&mut connection, count).await?,
        };
        connection.close().await?;
        Outcome::Ok(took)
    })?;
    println!("{}", took.as_nanos());
    Ok(())
}

async fn commit(connection: &mut SqliteConnection, count: i64) -> Outcome<Duration> {
    make_indexes(connection).await?;
    let mut series = Vec::new();
    for n in 0..count {
        let started = Instant::now();
        let mut transaction = connection.begin_with("begin immediate").await?;
        insert(&mut transaction, n, n + 1).await?;
        transaction.commit().await?;
        series.push(started.elapsed());
    }
    series.sort_unstable();
    Ok(series.get(series.len() / 2).copied().unwrap_or_default())
}

async fn bulk(connection: &mut SqliteConnection, count: i64) -> Outcome<Duration> {
    // As much memory for pages as a rebuild takes.
    sqlx::query("pragma cache_size = -65536").execute(&mut *connection).await?;
    let started = Instant::now();
    let mut transaction = connection.begin_with("begin immediate").await?;
    let mut n = 0;
    while n < count {
        let end = count.min(n + ROWS);
        insert(&mut transaction, n, end).await?;
        n = end;
    }
    make_indexes(&mut transaction).await?;
    transaction.commit().await?;
    Ok(started.elapsed())
}

async fn make_indexes(connection: &mut SqliteConnection) -> Outcome<()> {
    for index in INDEXES {
        sqlx::query(index).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Rows as wide as a created task's, with ids as scattered as a hash.
async fn insert(connection: &mut SqliteConnection, from: i64, to: i64) -> Outcome<()> {
    let mut sql: QueryBuilder<'_, Sqlite> = QueryBuilder::new(INSERT);
    sql.push_values(from..to, |mut row, n| {
        let scattered = n.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64);
        let id: Vec<u8> = scattered.to_be_bytes().into_iter().chain(n.to_be_bytes()).collect();
        let at = format!("2026-11-29T11:{:02}:{:02}.123Z#{:04}", n / 600_000 % 60, n / 10_000 % 60, n % 10_000);
        let subject = format!("tk-{:06x}", scattered as u64 >> 40);
        let body =
            format!(r#"{{"files":["src/mail/part.rs"],"labels":["backend","mail"],"spec":"{}","title":"Refuse expired tokens, part {n}"}}"#, "x".repeat(300));
        row.push_bind(id).push("'9c1e07ab'").push_bind(n).push_bind(at).push("'dev:ana'").push("'task.created'");
        row.push_bind(subject).push_bind(body).push_bind(n);
    });
    sql.build().execute(connection).await?;
    Ok(())
}
