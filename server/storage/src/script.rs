//! Several statements on one way to SQLite's thread and back.
//!
//! A connection lives on a thread of its own. One question to it costs two changes of thread, which is more than SQLite needs for most
//! statements; so what belongs together is sent together, and what is only written waits for the next question.

use crate::error::StoreError;
use crate::sql::PROJECT;
use futures::TryStreamExt;
use sqlx::sqlite::{SqliteArguments, SqliteConnection, SqliteRow};
use sqlx::{Arguments, Either, Executor};

/// A value for a statement.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Value {
        Value::Int(value.into())
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::Text(value.to_owned())
    }
}

impl From<&String> for Value {
    fn from(value: &String) -> Value {
        Value::Text(value.clone())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::Text(value)
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Value {
        Value::Bytes(value)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

/// A larger script hardly ever comes again with the same text, so it is run statement by statement.
const STATEMENTS_TOGETHER_MAX: usize = 30;
const VALUES_TOGETHER_MAX: usize = 600;

/// Rows of an insert: few forms of a statement, so that each stays prepared.
const ROWS_MANY: usize = 100;
const ROWS_SOME: usize = 10;

/// Statements in the order they will run, with their values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    sql: String,
    values: Vec<Value>,
    /// Where each statement ends: in the text, and in the values.
    ends: Vec<(usize, usize)>,
}

/// A statement that is put together piece by piece.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    sql: String,
    values: Vec<Value>,
}

impl Text {
    pub fn new(sql: &str) -> Text {
        Text { sql: sql.to_owned(), values: Vec::new() }
    }

    pub fn push(&mut self, sql: impl AsRef<str>) -> &mut Text {
        self.sql.push_str(sql.as_ref());
        self
    }

    pub fn push_bind(&mut self, value: impl Into<Value>) -> &mut Text {
        self.sql.push('?');
        self.values.push(value.into());
        self
    }
}

/// A statement of a script: where its rows are found in the answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Statement(usize);

impl Script {
    /// Adds a statement; `?1` in it is the project, `?2` the first of the values.
    pub fn add<const N: usize>(&mut self, sql: &str, values: [Value; N]) -> Statement {
        // A script counts its values from its own beginning, so numbers become turns.
        let mut rest = sql;
        while let Some(at) = rest.find('?') {
            self.sql.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let number: usize = rest[..digits].parse().unwrap_or(0);
            self.values.push(match number {
                1 => Value::from(PROJECT),
                _ => values.get(number.wrapping_sub(2)).cloned().unwrap_or(Value::Null),
            });
            rest = &rest[digits..];
        }
        self.sql.push_str(rest);
        self.end()
    }

    /// Adds a statement that was put together.
    pub fn add_text(&mut self, text: Text) -> Statement {
        self.sql.push_str(&text.sql);
        self.values.extend(text.values);
        self.end()
    }

    /// Adds statements that insert these rows, the project before each. `head` is all up to `values`, `tail` what follows the rows.
    pub fn insert<const N: usize>(&mut self, head: &str, rows: impl IntoIterator<Item = [Value; N]>, tail: &str) {
        self.insert_rows(head, Some(PROJECT), rows, tail);
    }

    /// The same for a table that keeps no project.
    pub fn insert_without_project<const N: usize>(&mut self, head: &str, rows: impl IntoIterator<Item = [Value; N]>) {
        self.insert_rows(head, None, rows, "");
    }

    fn insert_rows<const N: usize>(&mut self, head: &str, project: Option<&str>, rows: impl IntoIterator<Item = [Value; N]>, tail: &str) {
        let mut rows: Vec<[Value; N]> = rows.into_iter().collect();
        let row_marks = vec!["?"; N + usize::from(project.is_some())].join(",");
        let mut left = rows.drain(..);
        while left.len() > 0 {
            let some = if left.len() < ROWS_SOME { left.len() } else { ROWS_SOME };
            let size = if left.len() < ROWS_MANY { some } else { ROWS_MANY };
            self.sql.push_str(head);
            for (at, row) in left.by_ref().take(size).enumerate() {
                self.sql.push_str(if at == 0 { " values (" } else { ",(" });
                self.sql.push_str(&row_marks);
                self.sql.push(')');
                self.values.extend(project.map(Value::from));
                self.values.extend(row);
            }
            self.sql.push_str(tail);
            self.end();
        }
    }

    fn end(&mut self) -> Statement {
        self.sql.push_str(";\n");
        self.ends.push((self.sql.len(), self.values.len()));
        Statement(self.ends.len() - 1)
    }

    /// Runs all of it, in order, up to the first that fails.
    pub async fn run(self, conn: &mut SqliteConnection) -> Result<Answers, StoreError> {
        let mut answers = Answers(Vec::with_capacity(self.ends.len()));
        let mut values = self.values.into_iter();
        if self.ends.len() <= STATEMENTS_TOGETHER_MAX && values.len() <= VALUES_TOGETHER_MAX {
            if !self.ends.is_empty() {
                run(conn, &self.sql, values, &mut answers).await?;
            }
            return Ok(answers);
        }
        let mut from = (0, 0);
        for end in self.ends {
            run(conn, &self.sql[from.0..end.0], values.by_ref().take(end.1 - from.1), &mut answers).await?;
            from = end;
        }
        Ok(answers)
    }
}

/// One way there and back.
async fn run(conn: &mut SqliteConnection, sql: &str, values: impl Iterator<Item = Value>, answers: &mut Answers) -> Result<(), StoreError> {
    let mut arguments = SqliteArguments::default();
    for value in values {
        let added = match value {
            Value::Null => arguments.add(None::<i64>),
            Value::Int(value) => arguments.add(value),
            Value::Text(value) => arguments.add(value),
            Value::Bytes(value) => arguments.add(value),
        };
        added.map_err(sqlx::Error::Encode)?;
    }
    let mut found = conn.fetch_many(sqlx::query_with(sql, arguments));
    let mut rows = Vec::new();
    while let Some(next) = found.try_next().await? {
        match next {
            Either::Right(row) => rows.push(row),
            Either::Left(_) => answers.0.push(std::mem::take(&mut rows)),
        }
    }
    Ok(())
}

/// The rows of every statement of a script.
#[derive(Default)]
pub(crate) struct Answers(Vec<Vec<SqliteRow>>);

impl Answers {
    /// The rows of one.
    pub fn rows(&self, of: Statement) -> &[SqliteRow] {
        self.0.get(of.0).map_or(&[], Vec::as_slice)
    }

    /// The rows of one, taken out.
    pub fn take(mut self, of: Statement) -> Vec<SqliteRow> {
        self.0.get_mut(of.0).map(std::mem::take).unwrap_or_default()
    }

    /// Its first row.
    pub fn first(&self, of: Statement) -> Option<&SqliteRow> {
        self.rows(of).first()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::{Connection, Row};

    #[tokio::test]
    async fn each_statement_gets_its_own_values_and_gives_its_own_rows() {
        let mut conn = SqliteConnection::connect(":memory:").await.unwrap();
        for _ in 0..2 {
            let mut script = Script::default();
            script.add("create temp table if not exists t (project text, a, b)", []);
            script.add("delete from t", []);
            script.insert("insert into t (project, a, b)", [["x".into(), 1_i64.into()], ["y".into(), Value::Null]], "");
            script.insert("insert into t (project, a, b)", Vec::<[Value; 2]>::new(), "");
            let twice = script.add("select ?3, ?2, ?3, ?1", ["two".into(), vec![3_u8].into()]);
            let none = script.add("select a from t where a = ?2", ["z".into()]);
            script.add("update t set b = ?2 where b is null", [2_i64.into()]);
            let all = script.add("select a, b from t where project = ?1 order by a", []);
            let answers = script.run(&mut conn).await.unwrap();
            let row = answers.first(twice).unwrap();
            assert_eq!((row.get::<Vec<u8>, _>(0), row.get::<String, _>(1), row.get::<Vec<u8>, _>(2)), (vec![3], "two".to_owned(), vec![3]));
            assert_eq!(row.get::<String, _>(3), PROJECT);
            assert!(answers.first(none).is_none());
            let all: Vec<(String, i64)> = answers.rows(all).iter().map(|row| (row.get(0), row.get(1))).collect();
            assert_eq!(all, [("x".to_owned(), 1), ("y".to_owned(), 2)]);
        }
        assert!(Script::default().run(&mut conn).await.unwrap().0.is_empty());
    }

    #[tokio::test]
    async fn many_rows_and_many_statements_come_in_order() {
        let mut conn = SqliteConnection::connect(":memory:").await.unwrap();
        let mut script = Script::default();
        script.add("create temp table t (project text, a integer primary key, b)", []);
        script.insert("insert into t (project, a, b)", (1..=357_i64).map(|a| [a.into(), format!("{a}").into()]), "");
        let half = script.add("select count(*), sum(a), sum(b = a) from t where a <= ?2", [300_i64.into()]);
        for a in 358..=400_i64 {
            script.add("insert into t values (?1, ?2, ?2)", [a.into()]);
        }
        let all = script.add("select count(*), max(a), sum(b = a) from t", []);
        assert!(script.ends.len() < 60 && script.values.len() > VALUES_TOGETHER_MAX);
        let answers = script.run(&mut conn).await.unwrap();
        let numbers = |of| [0, 1, 2].map(|at| answers.first(of).unwrap().get::<i64, _>(at));
        assert_eq!((numbers(half), numbers(all)), ([300, 45_150, 300], [400, 400, 400]));
    }

    #[tokio::test]
    async fn nothing_runs_after_the_first_that_fails() {
        let mut conn = SqliteConnection::connect(":memory:").await.unwrap();
        let mut script = Script::default();
        script.add("create temp table t (a integer not null)", []);
        script.add("insert into t values (?2)", [Value::Null]);
        script.add("insert into t values (1)", []);
        assert!(script.run(&mut conn).await.is_err());
        let count: i64 = sqlx::query("select count(*) from t").fetch_one(&mut conn).await.unwrap().get(0);
        assert_eq!(count, 0);
    }
}
