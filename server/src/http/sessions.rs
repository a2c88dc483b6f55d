//! Sessions of browsers: a cookie that stands for "the person at this machine", kept in the database under a hash of its id, so that a
//! restart does not refuse an open page's next write and a copy of the database lets nobody in.

use super::Site;
use crate::lasting::Lasting;
use contracts::{Answer, Moment, Problem};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use subtle::ConstantTimeEq;
use tower_sessions::cookie::SameSite;
use tower_sessions::session::{Id, Record};
use tower_sessions::{Expiry, Session, SessionManagerLayer, SessionStore, session_store};

/// Days without a visit after which a session ends.
const INACTIVE_DAYS: i64 = 30;
const DAY_MS: i64 = 86_400_000;
const KEY: &str = "person";

/// Where sessions are kept. The id comes hashed.
pub trait SessionRows: Send + Sync + 'static {
    /// Keeps or replaces one.
    fn put(&self, id_hash: String, data: String, until: Moment) -> Answer<'_, ()>;
    /// Finds one, with when it ends; ended ones may be found or not.
    fn get(&self, id_hash: String) -> Answer<'_, Option<(String, Moment)>>;
    /// Forgets one.
    fn delete(&self, id_hash: String) -> Answer<'_, ()>;
}

/// Sessions that end with the process.
#[derive(Default)]
pub struct MemorySessions(Mutex<HashMap<String, (String, Moment)>>);

impl SessionRows for MemorySessions {
    fn put(&self, id_hash: String, data: String, until: Moment) -> Answer<'_, ()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id_hash, (data, until));
        Box::pin(async { Ok(()) })
    }

    fn get(&self, id_hash: String) -> Answer<'_, Option<(String, Moment)>> {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id_hash).cloned();
        Box::pin(async { Ok(found) })
    }

    fn delete(&self, id_hash: String) -> Answer<'_, ()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id_hash);
        Box::pin(async { Ok(()) })
    }
}

/// The store the session layer asks.
#[derive(Clone)]
pub struct Store {
    rows: Arc<dyn SessionRows>,
    now: super::Clock,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Store")
    }
}

fn hashed(id: &Id) -> String {
    Sha256::digest(id.to_string().as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn failed(problem: Problem) -> session_store::Error {
    session_store::Error::Backend(problem.to_string())
}

type Stored<'a, T> = Pin<Box<dyn Future<Output = session_store::Result<T>> + Send + 'a>>;

impl SessionStore for Store {
    fn create<'a, 'b, 'c>(&'a self, record: &'b mut Record) -> Stored<'c, ()>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        self.save(record)
    }

    fn save<'a, 'b, 'c>(&'a self, record: &'b Record) -> Stored<'c, ()>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        Box::pin(async move {
            let data = serde_json::to_string(&record.data).map_err(|error| session_store::Error::Encode(error.to_string()))?;
            let until = Moment(record.expiry_date.unix_timestamp().saturating_mul(1_000));
            self.rows.put(hashed(&record.id), data, until).await.map_err(failed)
        })
    }

    fn load<'a, 'b, 'c>(&'a self, id: &'b Id) -> Stored<'c, Option<Record>>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        Box::pin(async move {
            let Some((data, until)) = self.rows.get(hashed(id)).await.map_err(failed)? else { return Ok(None) };
            if until <= (self.now)() {
                return Ok(None);
            }
            let data = serde_json::from_str(&data).map_err(|error| session_store::Error::Decode(error.to_string()))?;
            let expiry_date = time::OffsetDateTime::from_unix_timestamp(until.0 / 1_000).map_err(|error| session_store::Error::Decode(error.to_string()))?;
            Ok(Some(Record { id: *id, data, expiry_date }))
        })
    }

    fn delete<'a, 'b, 'c>(&'a self, id: &'b Id) -> Stored<'c, ()>
    where
        'a: 'c,
        'b: 'c,
        Self: 'c,
    {
        Box::pin(async move { self.rows.delete(hashed(id)).await.map_err(failed) })
    }
}

/// The layer that finds a request's session and sends the cookie when one was made or changed.
pub fn layer(site: &Site) -> SessionManagerLayer<Store> {
    let store = Store { rows: site.sessions.clone(), now: site.now.clone() };
    SessionManagerLayer::new(store)
        .with_name(site.local_token.cookie_name())
        .with_http_only(true)
        .with_same_site(SameSite::Lax) // Strict would drop it on a link from a chat
        .with_secure(false) // loopback speaks http
        .with_path("/")
        .with_always_save(false)
        .with_expiry(Expiry::OnInactivity(time::Duration::days(INACTIVE_DAYS)))
}

/// What a session holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Visit {
    /// The day it was last used: written once a day, so that inactivity is counted and reads write nothing.
    day: i64,
    /// Whether the one-time code was typed in for it.
    entered: bool,
}

/// Whether the session lets its browser in here.
///
/// # Errors
/// `busy` or `internal` when the store does not answer.
pub async fn is_valid(site: &Site, session: &Session) -> Result<bool, Problem> {
    Ok(visit(session).await?.is_some_and(|visit| visit.entered || site.code.is_none()))
}

/// What tells later whether this session still stands; nothing when there is none.
pub fn lasting(site: &Site, session: &Session) -> Option<Lasting> {
    let hash = hashed(&session.id()?);
    let (rows, now) = (site.sessions.clone(), site.now.clone());
    Some(Lasting::new(move || {
        let (rows, now, hash) = (rows.clone(), now.clone(), hash.clone());
        Box::pin(async move { Ok(rows.get(hash).await?.is_some_and(|(_, until)| until > now())) })
    }))
}

/// Notes that it was used today.
///
/// # Errors
/// As [`is_valid`].
pub async fn touch(site: &Site, session: &Session) -> Result<(), Problem> {
    match visit(session).await? {
        Some(visit) if visit.day != today(site) => keep(session, Visit { day: today(site), ..visit }).await,
        _ => Ok(()),
    }
}

/// Makes a session, or makes it one for which the code was typed in.
///
/// # Errors
/// As [`is_valid`].
pub async fn hand_out(site: &Site, session: &Session, entered: bool) -> Result<(), Problem> {
    keep(session, Visit { day: today(site), entered }).await
}

fn today(site: &Site) -> i64 {
    (site.now)().0.div_euclid(DAY_MS)
}

async fn visit(session: &Session) -> Result<Option<Visit>, Problem> {
    session.get::<Visit>(KEY).await.map_err(unavailable)
}

async fn keep(session: &Session, visit: Visit) -> Result<(), Problem> {
    session.insert(KEY, visit).await.map_err(unavailable)
}

pub(super) fn unavailable(error: tower_sessions::session::Error) -> Problem {
    tracing::warn!(%error, "a session can't be read or kept");
    Problem::new(contracts::Code::Busy, "Your session can't be read or kept just now").hint(contracts::Hint::call(contracts::Call::new("retry")))
}

/// With `--private`: the code of eight digits that lets one browser in. Ten wrong tries, or a right one, make a new one.
pub struct EntryCode {
    now: Mutex<(String, u32)>,
    bits: super::Bits,
    announce: Box<dyn Fn(&str) + Send + Sync>,
}

const TRIES: u32 = 10;

impl EntryCode {
    /// A first code. `announce` tells each new one to the person at the terminal.
    pub fn new(bits: super::Bits, announce: impl Fn(&str) + Send + Sync + 'static) -> EntryCode {
        let code = EntryCode { now: Mutex::default(), bits, announce: Box::new(announce) };
        code.renew(&mut code.now.lock().unwrap_or_else(PoisonError::into_inner));
        code
    }

    fn renew(&self, now: &mut (String, u32)) {
        *now = (format!("{:08}", (self.bits)() % 100_000_000), 0);
        (self.announce)(&now.0);
    }

    /// Whether this is the code; it is none any more then.
    pub fn redeem(&self, given: &str) -> bool {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let right: bool = now.0.as_bytes().ct_eq(given.trim().as_bytes()).into();
        now.1 += 1;
        if right || now.1 >= TRIES {
            self.renew(&mut now);
        }
        right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn a_code_is_good_once_and_for_ten_tries() {
        let (next, told) = (AtomicU64::new(12_345_670), Arc::new(Mutex::new(Vec::new())));
        let hear = told.clone();
        let bits: crate::http::Bits = Arc::new(move || u128::from(next.fetch_add(1, Ordering::Relaxed)));
        let code = EntryCode::new(bits, move |code| hear.lock().unwrap().push(code.to_owned()));
        assert!(!code.redeem("") && !code.redeem("00000000"));
        assert!(code.redeem(" 12345670\n") && !code.redeem("12345670"));
        for _ in 0..9 {
            assert!(!code.redeem("99999999"));
        }
        assert!(!code.redeem("12345671"), "ten wrong tries have made another one");
        assert_eq!(*told.lock().unwrap(), ["12345670", "12345671", "12345672"]);
    }

    #[tokio::test]
    async fn ids_are_kept_hashed_and_end() {
        let rows = Arc::new(MemorySessions::default());
        let store = Store { rows: rows.clone(), now: Arc::new(|| Moment(1_000_000)) };
        let record = |until: i64| Record { id: Id(5), data: HashMap::new(), expiry_date: time::OffsetDateTime::from_unix_timestamp(until).unwrap() };
        store.save(&record(1_001)).await.unwrap();
        assert!(store.load(&Id(5)).await.unwrap().is_some() && store.load(&Id(6)).await.unwrap().is_none());
        assert!(!rows.0.lock().unwrap().contains_key(&Id(5).to_string()));
        store.save(&record(1_000)).await.unwrap();
        assert!(store.load(&Id(5)).await.unwrap().is_none());
    }
}
