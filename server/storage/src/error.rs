//! What can go wrong in the store, and how each is said outside. Paths and SQL stay in here.

use contracts::{Call, Code, Hint, Problem};
use std::io;

/// The store could not do it. A refusal by the rules is no error of the store: it is an outcome.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process held the lock, or the database, for too long.
    #[error("the database stayed busy")]
    Busy,
    /// Another file now lies where the database was: close this store and open again.
    #[error("the database was replaced")]
    Replaced,
    /// Written by a newer Callboard.
    #[error("written by a newer Callboard (format {found}, this one knows {known})")]
    NewerFormat {
        /// As found.
        found: i64,
        /// The newest this version reads.
        known: i64,
    },
    /// A cursor that no page gave.
    #[error("no cursor")]
    Cursor,
    /// The way to the board's folder is longer than a database's may be.
    #[error("the folder's path has {bytes} bytes")]
    TooDeep {
        /// As it is.
        bytes: usize,
        /// As it may be.
        most: usize,
    },
    /// The board's folder is not there.
    #[error("the board's folder is gone")]
    Gone,
    /// A directory or file that must not be trusted, in words.
    #[error("{0}")]
    Refused(String),
    /// More than one event can hold, in words.
    #[error("{0}")]
    TooLarge(String),
    /// The database is damaged beyond reading.
    #[error("the database is damaged: {0}")]
    Corrupt(String),
    /// No space left.
    #[error("the disk is full")]
    DiskFull,
    /// The answer was recorded in the database but could not be written to the log file.
    #[error("recorded, but the log file could not be written: {0}")]
    NotSafe(Box<StoreError>),
    /// A file could not be read or written.
    #[error("file: {0}")]
    Io(io::Error),
    /// A statement failed.
    #[error("statement: {0}")]
    Sql(sqlx::Error),
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull,
            _ => StoreError::Io(error),
        }
    }
}

/// SQLite's primary result codes that mean something to us.
const BUSY: i64 = 5;
const LOCKED: i64 = 6;
const CORRUPT: i64 = 11;
const FULL: i64 = 13;
const NOT_A_DATABASE: i64 = 26;

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let code = error.as_database_error().and_then(|error| error.code()).and_then(|code| code.parse::<i64>().ok()).map(|code| code & 0xff);
        match (code, error) {
            (Some(BUSY | LOCKED), _) => StoreError::Busy,
            (Some(FULL), _) => StoreError::DiskFull,
            (Some(CORRUPT | NOT_A_DATABASE), error) => StoreError::Corrupt(error.to_string()),
            (_, sqlx::Error::Io(error)) => error.into(),
            (_, error) => StoreError::Sql(error),
        }
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        StoreError::Corrupt(format!("stored JSON: {error}"))
    }
}

impl StoreError {
    /// What callers are told. Never a path, never SQL.
    pub fn problem(&self) -> Problem {
        let retry = || Hint::call(Call::new("retry"));
        match self {
            StoreError::Busy => Problem::new(Code::Busy, "The board is busy: other processes were writing for five seconds").hint(retry()),
            StoreError::Replaced => Problem::new(Code::Busy, "The board's database was replaced and is being opened again").hint(retry()),
            StoreError::Cursor => Problem::bad_request("cursor", "is taken word for word from the page before").hint(Hint::text("begin again without it")),
            StoreError::TooDeep { bytes, most } => {
                Problem::new(Code::TooLarge, format!("The path of this folder has {bytes} bytes; a board's may have {most}"))
                    .detail("SQLite opens no database behind a longer path.")
                    .hint(Hint::text("move the repository to where its path is shorter, then callboard init"))
            }
            StoreError::Gone => Problem::new(Code::NotInitialized, "The board's folder .callboard is not there any more")
                .hint(Hint { text: "put it back, or begin a new board".to_owned(), calls: vec![Call::new("init")] }),
            StoreError::NewerFormat { .. } => {
                Problem::new(Code::NewerFormat, "This board was written by a newer Callboard").hint(Hint::call(Call::new("upgrade")))
            }
            StoreError::DiskFull => Problem::new(Code::Busy, "The disk is full; nothing was lost")
                .detail("What could not be written was not answered for.")
                .hint(Hint::text("free some space, then send the same call again")),
            StoreError::NotSafe(error) => {
                let (code, title) = match **error {
                    StoreError::DiskFull => (Code::Busy, "Recorded here, but not yet safe: the disk is full"),
                    StoreError::Busy => (Code::Busy, "Recorded here, but not yet safe: another process held the log file for five seconds"),
                    _ => (Code::Internal, "Recorded here, but not yet safe: the log file could not be written"),
                };
                let hint = Hint::text("`callboard sync`, or any other write, completes it; sent again without its key, it would be done twice");
                Problem::new(code, title).detail("It is on this board; only the log file lacks it still.").hint(hint)
            }
            StoreError::Refused(why) => Problem::new(Code::Forbidden, why.clone()),
            StoreError::TooLarge(why) => Problem::new(Code::TooLarge, why.clone()).hint(Hint::text("send less in one call")),
            StoreError::Corrupt(_) => {
                let text = "it is made anew from the log files, and the damaged one kept beside it".to_owned();
                Problem::new(Code::Internal, "The board's database is damaged").hint(Hint { text, calls: vec![Call::new("rebuild")] })
            }
            StoreError::Io(error) => Problem::new(Code::Internal, format!("A file of the board could not be read or written: {}", error.kind()))
                .hint(Hint::text("see that all in .callboard is yours and a file or folder as it was, then send the same call again")),
            StoreError::Sql(_) => Problem::new(Code::Internal, "The board's database could not answer")
                .hint(Hint::text("if it stays so: end every Callboard process and delete .callboard/state.db, it is made anew from the log files")),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        error.problem()
    }
}
