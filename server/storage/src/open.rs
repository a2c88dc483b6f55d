//! Opening: the database and the log files are made equal in both directions before anything is answered. A clean opening is reads and
//! `stat`s only.

use crate::damage;
use crate::encoding::Reason;
use crate::error::StoreError;
use crate::head::{Head, Home};
use crate::log_file::{self, Place};
use crate::projection::subjects;
use crate::sql::{self, blob, q};
use crate::store::{self, Inner, Opened, Options, Reconciled, Store};
use crate::{append, import, inbox, lock, projection, rebuild, schema};
use contracts::Writer;
use engine::Settings;
use sqlx::{Connection, Executor, Row, SqliteConnection};
use std::fs::{self, OpenOptions};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use tokio::sync::{Mutex, watch};

impl Store {
    /// Opens a project's store, and makes it whole unless it is only read: the schema is there, and the log files and the
    /// database say the same; what one of them lost, the other gives back.
    pub async fn open(place: Place, options: Options) -> Result<(Store, Opened), StoreError> {
        check(&place)?;
        let mut opened = Opened::default();
        let found = usable(&place, &options).await;
        Store::opened(place, options, found, &mut opened).await.map(|store| (store, opened))
    }

    /// Opens the board again whose database was [replaced](Store::replaced): what lies there now, or, where it was cut short, one made anew.
    pub async fn again(&self) -> Result<(Store, Opened), StoreError> {
        match self.inner.shrunk() {
            true => self.anew().await,
            false => Store::open(self.inner.place.clone(), self.inner.options.clone()).await,
        }
    }

    /// Opens the same board again with a database made anew; the one that lies there was found damaged and is moved aside.
    pub async fn anew(&self) -> Result<(Store, Opened), StoreError> {
        let (place, options) = (self.inner.place.clone(), self.inner.options.clone());
        let mut opened = Opened::default();
        let conn = prepared(&place, &options, Some(self.inner.identity), &mut opened).await?;
        Store::opened(place, options, Ok(Some(conn)), &mut opened).await.map(|store| (store, opened))
    }

    async fn opened(place: Place, options: Options, found: Result<Option<SqliteConnection>, StoreError>, opened: &mut Opened) -> Result<Store, StoreError> {
        let mut conn = match found {
            Ok(Some(conn)) => conn,
            Ok(None) => prepared(&place, &options, None, opened).await?,
            Err(StoreError::Corrupt(_) | StoreError::Busy) if !options.read_only => prepared(&place, &options, None, opened).await?,
            Err(error) => return Err(error),
        };
        if !options.read_only {
            // The common case takes no lock and writes nothing.
            let judged = identity(&place)?;
            match work_to_do(&mut conn, &place, &options).await {
                Ok(false) => {}
                Ok(true) => opened.reconciled = under_lock(&mut conn, &place, &options, opened).await?,
                Err(StoreError::Corrupt(_)) => {
                    drop(conn);
                    conn = prepared(&place, &options, Some(judged), opened).await?;
                    opened.reconciled = under_lock(&mut conn, &place, &options, opened).await?;
                }
                Err(error) => return Err(error),
            }
        }
        let identity = identity(&place)?;
        let bytes = AtomicU64::new(fs::metadata(place.database())?.len());
        let readers = store::readers(&place, options.readers).await?;
        let inner = Inner {
            place,
            options,
            identity,
            bytes,
            writer: Arc::new(Mutex::new(conn)),
            readers,
            next_reader: AtomicUsize::new(0),
            index_seen: std::sync::Mutex::default(),
            committed: watch::Sender::new(0),
        };
        Ok(Store { inner: Arc::new(inner) })
    }

    /// Reads in what other files hold and completes the own one: after a merge, a checkout, or when the log folder changed.
    pub async fn reconcile(&self) -> Result<Reconciled, StoreError> {
        let mut conn = self.inner.writer().await?;
        let mut opened = Opened::default();
        if !work_to_do(&mut conn, &self.inner.place, &self.inner.options).await? {
            return Ok(Reconciled::default());
        }
        let report = under_lock(&mut conn, &self.inner.place, &self.inner.options, &mut opened).await?;
        drop(conn);
        self.inner.announce();
        Ok(report)
    }
}

impl Store {
    /// Files in the log folder that are not read because the branch that brought them is a stranger's.
    pub async fn left_alone(&self) -> Result<usize, StoreError> {
        let inner = &self.inner;
        let mut conn = inner.writer().await?;
        let own = Head::require(&mut conn).await?.writer;
        let files = import::unread(&mut conn, &inner.place, own.as_ref().map(Writer::as_str)).await?;
        Ok(if !files.is_empty() && is_a_strangers(&mut conn, &inner.options).await? { files.len() } else { 0 })
    }
}

/// `.callboard` must be a directory of its own.
fn check(place: &Place) -> Result<(), StoreError> {
    let metadata = fs::symlink_metadata(&place.root).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => StoreError::Gone,
        _ => error.into(),
    })?;
    place.within_limit()?;
    if place.root.to_str().is_none() {
        return Err(StoreError::Refused("the way to this folder is not UTF-8, and no database can be opened there: rename what is not".to_owned()));
    }
    if !metadata.is_dir() {
        return Err(StoreError::Refused(".callboard is not a directory of its own".to_owned()));
    }
    match link(&place.root)? {
        Some(link) => Err(StoreError::Refused(format!(".callboard/{link} is a link, and nothing is written through one: see where it leads, then delete it"))),
        None => Ok(()),
    }
}

/// A link among what is written in a board's folder. A repository can bring one, and would choose which of the person's files is written over.
/// Below other folders files are written beside and moved over, which puts a file in the place of a link.
pub fn link(root: &Path) -> Result<Option<String>, StoreError> {
    for folder in ["", "run", "log", "narration"] {
        let entries = match fs::read_dir(root.join(folder)) {
            Ok(entries) => entries,
            // What is missing or no folder is told by whoever needs it.
            Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => continue,
            Err(error) => return Err(error.into()),
        };
        for entry in entries {
            let entry = entry?;
            if entry.file_type()?.is_symlink() {
                return Ok(Some(Path::new(folder).join(entry.file_name()).to_string_lossy().into_owned()));
            }
        }
    }
    Ok(None)
}

/// A connection to a database that is there and of this format.
async fn usable(place: &Place, options: &Options) -> Result<Option<SqliteConnection>, StoreError> {
    let path = place.database();
    let found = fs::symlink_metadata(&path).ok();
    if found.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        return Err(StoreError::Refused("state.db is not a file of its own".to_owned()));
    }
    if found.is_none_or(|metadata| metadata.len() == 0) {
        return if options.read_only { Err(StoreError::Io(std::io::ErrorKind::NotFound.into())) } else { Ok(None) };
    }
    let mut conn = sql::connect(&path, false, options.read_only).await?;
    if damage::is_cut_short(&mut conn, place).await? {
        return Err(StoreError::Corrupt("it was cut short".to_owned()));
    }
    match schema::version(&mut conn).await? {
        schema::NEWEST => Ok(Some(conn)),
        _ if options.read_only => {
            Err(StoreError::Refused("the board's database is of an older format; a process that may write brings it up to date".to_owned()))
        }
        _ => Ok(None),
    }
}

/// Which file the database is.
fn identity(place: &Place) -> Result<(i64, i64), StoreError> {
    Ok(log_file::identity(&fs::metadata(place.database())?))
}

/// Makes or migrates the database, under the write lock. A damaged one is moved aside: one that shows it here, or the one that was found
/// so before, unless somebody replaced it meanwhile.
async fn prepared(place: &Place, options: &Options, damaged: Option<(i64, i64)>, opened: &mut Opened) -> Result<SqliteConnection, StoreError> {
    for folder in ["run", "log", "blobs"] {
        fs::create_dir_all(place.root.join(folder))?;
    }
    let _lock = lock::exclusive(&place.run("write.lock")).await?;
    let path = place.database();
    if damage::is_emptied(place) {
        move_aside(place, options, opened)?;
    }
    let found = match damaged.is_some_and(|damaged| identity(place).is_ok_and(|here| here == damaged)) {
        true => Err(StoreError::Corrupt("found before".to_owned())),
        false => migrated(&path).await,
    };
    match found {
        Err(StoreError::Corrupt(_)) => {
            move_aside(place, options, opened)?;
            migrated(&path).await
        }
        done => done,
    }
}

/// Makes room for a new database. Whoever has the old one open sees that another file lies there.
fn move_aside(place: &Place, options: &Options, opened: &mut Opened) -> Result<(), StoreError> {
    let aside = format!("state.db.broken-{}", (options.clock)().0);
    for suffix in ["", "-wal", "-shm"] {
        let from = place.root.join(format!("state.db{suffix}"));
        if from.exists() {
            fs::rename(from, place.root.join(format!("{aside}{suffix}")))?;
        }
    }
    opened.repaired.push(format!("the database was damaged or another board's; it was moved aside as {aside} and made anew from the log files"));
    Ok(())
}

async fn migrated(path: &Path) -> Result<SqliteConnection, StoreError> {
    // Only a new one is opened here: closing one that is there would drop the locks of this process's other connections to it.
    if !path.exists() {
        let mut file = OpenOptions::new();
        file.create_new(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut file, 0o600);
        file.open(path)?;
    }
    let mut conn = sql::connect(path, true, false).await?;
    if schema::version(&mut conn).await? < schema::NEWEST {
        schema::migrate(&mut conn).await.map_err(|error| match error {
            // Tables that the format it claims to have does not know.
            StoreError::Sql(error) => StoreError::Corrupt(error.to_string()),
            other => other,
        })?;
    } else {
        // A database that can't tell its own size is damaged even if its first page is whole.
        Head::load(&mut conn).await?;
        let found: String = sqlx::query("pragma quick_check(1)").fetch_one(&mut conn).await?.get(0);
        if found != "ok" {
            return Err(StoreError::Corrupt(found));
        }
    }
    Ok(conn)
}

/// Whether anything must be written before this database may be used. Reads and `stat`s only.
async fn work_to_do(conn: &mut SqliteConnection, place: &Place, options: &Options) -> Result<bool, StoreError> {
    let Some(head) = Head::load(conn).await? else { return Ok(true) };
    let home = Home::of(place)?;
    let (own, elsewhere) = home.writer(conn).await?;
    if elsewhere && (options.tracked)(&place.database()) {
        return Err(StoreError::Refused("state.db belongs to another directory and git tracks it: a repository must not bring its own database".to_owned()));
    }
    if elsewhere && knows_what_no_file_holds(conn, place).await? {
        return Err(StoreError::Corrupt("it was copied here from another board".to_owned()));
    }
    if own != head.writer {
        return Ok(true);
    }
    if let Some(own) = &own {
        let tail = log_file::tail(&place.log_of(own.as_str()))?;
        let last = tail.last.as_ref().map(|line| (line.event.n, &line.event.id));
        let complete = last == Some((head.n, &head.prev)) || (head.n == 0 && tail.size == 0);
        if !complete || tail.good != tail.size {
            return Ok(true);
        }
    }
    if !import::unread(conn, place, own.as_ref().map(Writer::as_str)).await?.is_empty() && !is_a_strangers(conn, options).await? {
        return Ok(true);
    }
    Ok(waiting_blobs(conn, place).await?.iter().any(|(_, here)| *here))
}

/// Whether events of this database stand in no log file here. In a directory that was copied as a whole they do; what a database from
/// elsewhere says beyond them is nobody's.
async fn knows_what_no_file_holds(conn: &mut SqliteConnection, place: &Place) -> Result<bool, StoreError> {
    let here = import::writers(place)?;
    let rows = q("select distinct writer from event where project = ?1").fetch_all(&mut *conn).await?;
    Ok(rows.iter().any(|row| !here.contains(row.get::<&str, _>(0))))
}

/// Whether the files in the log folder came with a branch whose log is not to be read.
async fn is_a_strangers(conn: &mut SqliteConnection, options: &Options) -> Result<bool, StoreError> {
    let base = subjects::load_project(conn).await?.and_then(|project| Settings::of(&project).base);
    let stranger = options.stranger.clone();
    Ok(tokio::task::spawn_blocking(move || stranger(base.as_deref())).await.unwrap_or(false))
}

/// Blobs that events wait for, and whether each has come.
pub(crate) async fn waiting_blobs(conn: &mut SqliteConnection, place: &Place) -> Result<Vec<(String, bool)>, StoreError> {
    let sql = "select distinct waits_for from parked where project = ?1 and waits_for >= 'blob:' and waits_for < 'blob;'";
    let rows = q(sql).fetch_all(&mut *conn).await?;
    let names = rows.iter().map(|row| row.get::<String, _>(0));
    Ok(names.map(|waits_for| (waits_for.clone(), log_file::read_blob(place, waits_for.trim_start_matches("blob:")).is_some())).collect())
}

async fn under_lock(conn: &mut SqliteConnection, place: &Place, options: &Options, opened: &mut Opened) -> Result<Reconciled, StoreError> {
    for folder in ["run", "log", "blobs"] {
        fs::create_dir_all(place.root.join(folder))?;
    }
    let _lock = lock::exclusive(&place.run("write.lock")).await?;
    let now = (options.clock)();
    let mut report = Reconciled::default();
    let made_anew = Head::load(conn).await?.is_none();
    if made_anew {
        let epoch = rebuild::epoch((options.bits)());
        Head::new(epoch, now).store(conn).await?;
        opened.made_anew = true;
    }
    let home = Home::of(place)?;
    let (own, _) = home.writer(conn).await?;
    settle_home(conn, own.as_ref()).await?;
    if let Some(own) = &own {
        own_file(conn, place, options, own, opened, &mut report).await?;
    }
    other_files(conn, place, own.as_ref(), options, &mut report).await?;
    // No closure may live across an await here: its future would not be `Send` for every lifetime, and servers spawn this.
    for (waits_for, here) in waiting_blobs(conn, place).await? {
        if !here {
            continue;
        }
        let mut tx = conn.begin_with("begin immediate").await?;
        projection::unpark(&mut tx, place, &waits_for).await?;
        tx.commit().await?;
    }
    if made_anew {
        inbox::settle_old(conn, now).await?;
    }
    Ok(report)
}

/// The head follows the writer of this directory: a copied directory goes on under a writer of its own.
async fn settle_home(conn: &mut SqliteConnection, own: Option<&Writer>) -> Result<(), StoreError> {
    let mut head = Head::require(conn).await?;
    if head.writer.as_ref() == own {
        return Ok(());
    }
    head.let_go();
    if let Some(own) = own {
        let newest = "select n, id from event where project = ?1 and writer = ?2 order by n desc limit 1";
        if let Some(row) = q(newest).bind(own.as_str()).fetch_optional(&mut *conn).await? {
            (head.n, head.prev) = (row.get(0), sql::event_id(row.get(1)));
        }
        head.writer = Some(own.clone());
    }
    head.store(conn).await
}

/// Makes the own current file and the database equal, in both directions.
async fn own_file(
    conn: &mut SqliteConnection,
    place: &Place,
    options: &Options,
    own: &Writer,
    opened: &mut Opened,
    report: &mut Reconciled,
) -> Result<(), StoreError> {
    let path = place.log_of(own.as_str());
    let name = format!("{own}.jsonl");
    if left_with_a_branch(conn, options, &path).await? {
        let mut head = Head::require(conn).await?;
        head.seal(conn).await?;
        return head.store(conn).await;
    }
    {
        let _lock = lock::exclusive(&place.run("append.lock")).await?;
        let tail = log_file::tail(&path)?;
        if tail.good != tail.size {
            let torn = tail.torn.strip_suffix(b"\n").unwrap_or(&tail.torn);
            report.quarantined += i64::from(log_file::quarantine(&place.root, &name, 0, Reason::Torn, torn)?);
            log_file::cut(&path, tail.good)?;
            opened.repaired.push(format!("the end of log/{name} was never finished; it was cut, and kept in quarantine"));
        }
        let head = Head::require(conn).await?;
        let last = tail.last.as_ref().map_or(0, |line| line.event.n);
        let known = match &tail.last {
            Some(line) => {
                let sql = "select exists (select 1 from event where project = ?1 and id = ?2)";
                q(sql).bind(blob(&line.event.id)).fetch_one(&mut *conn).await?.get::<i64, _>(0) != 0
            }
            None => true,
        };
        if last > head.n || !known {
            lines_the_database_lacks(conn, place, &name, options, report).await?;
        }
    }
    settle_number(conn, own).await?;
    let written = append::complete(conn, place, &options.disk, own, &[]).await?;
    if written > 0 {
        report.lines_out += written;
    }
    Ok(())
}

/// Whether the own file was written, committed, and is gone because another branch is checked out. Writing it back would block the way back
/// to that branch.
async fn left_with_a_branch(conn: &mut SqliteConnection, options: &Options, path: &Path) -> Result<bool, StoreError> {
    if path.exists() || Head::require(conn).await?.n == 0 {
        return Ok(false);
    }
    let (tracked, path) = (options.tracked.clone(), path.to_owned());
    Ok(tokio::task::spawn_blocking(move || tracked(&path)).await.unwrap_or(false))
}

async fn lines_the_database_lacks(
    conn: &mut SqliteConnection,
    place: &Place,
    name: &str,
    options: &Options,
    report: &mut Reconciled,
) -> Result<(), StoreError> {
    let metadata = fs::metadata(place.log().join(name))?;
    let size = i64::try_from(metadata.len()).unwrap_or(i64::MAX);
    let seen = log_file::Seen { name: name.to_owned(), size, mtime: log_file::mtime(&metadata) };
    import::file(conn, place, &seen, import::Left::default(), (options.clock)(), report).await
}

/// No number is used twice: the head stands at the greatest one of the own writer.
async fn settle_number(conn: &mut SqliteConnection, own: &Writer) -> Result<(), StoreError> {
    let mut head = Head::require(conn).await?;
    let newest = "select n, id from event where project = ?1 and writer = ?2 order by n desc, seq limit 1";
    if let Some(row) = q(newest).bind(own.as_str()).fetch_optional(&mut *conn).await? {
        let n: i64 = row.get(0);
        if n > head.n {
            (head.n, head.prev) = (n, sql::event_id(row.get(1)));
            head.store(conn).await?;
        }
    }
    Ok(())
}

async fn other_files(conn: &mut SqliteConnection, place: &Place, own: Option<&Writer>, options: &Options, report: &mut Reconciled) -> Result<(), StoreError> {
    let files = import::unread(conn, place, own.map(Writer::as_str)).await?;
    if files.is_empty() || is_a_strangers(conn, options).await? {
        return Ok(());
    }
    let now = (options.clock)();
    let bytes: i64 = files.iter().map(|(seen, left)| if seen.size > left.size { seen.size - left.read } else { seen.size }).sum();
    if bytes < import::BULK_BYTES {
        for (seen, left) in files {
            import::file(conn, place, &seen, left, now, report).await?;
        }
        return Ok(());
    }
    // Much at once: insert everything, then fold it in one go; half of it would not be a board.
    conn.execute(rebuild::MUCH_IN_MEMORY).await?;
    let mut tx = conn.begin_with("begin immediate").await?;
    import::bulk(&mut tx, place, files, now, report).await?;
    rebuild::project_all(&mut tx, place).await?;
    tx.commit().await?;
    conn.execute(sql::USUAL_MEMORY).await?;
    Ok(())
}
