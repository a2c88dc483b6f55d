//! The page server, put together: one listener, the board's port, the publisher, and the transports that do not know each other.

use crate::boot::{self, Boot};
use crate::cli::UiOptions;
use crate::http::{self, Doors, EntryCode, Mounts, Person, SessionRows, Site, Token, TokenKind};
use crate::live::{self, Feed, Live, Resumed};
use crate::publisher::{Published, Publisher};
use crate::reports::Reports;
use crate::{assets, board::PageFacts, board::ServerPort};
use axum::Router;
use contracts::{Answer, Board, Caller, Code, Hint, Moment, Problem};
use futures::StreamExt;
use mcp::{Set, Tools};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::MissedTickBehavior;

/// How often it is looked whether somebody narrates what a page shows.
const NARRATION_LOOK: Duration = Duration::from_millis(150);
const DAY: Duration = Duration::from_secs(86_400);

/// Serves the board until the process is told to end.
///
/// # Errors
/// When no port can be had, or the store can't be read.
pub async fn serve(boot: Boot, options: UiOptions) -> Result<(), Problem> {
    let bound = http::bind(options.host, options.port).await.map_err(|error| not_bound(&error, options.port))?;
    if !options.private && bound.addresses.iter().any(|address| !address.is_loopback()) {
        let title = "an address that other machines can reach needs --private";
        return Err(Problem::new(Code::Forbidden, title).hint(Hint::text("add --private, or leave --host out")));
    }
    let doors = Doors::new(&bound.addresses, &options.hosts, bound.port);
    let version = assets::names().build;
    let (router, routers) = watch::channel(http::starting(doors.clone(), version, Arc::new(boot::random_bits)));
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(async move {
        end_of_process().await;
        let _ = stop.send(true);
    });
    let serving = tokio::spawn(http::serve(bound.listeners, routers, stopped.clone()));
    let url = format!("{}/", doors.address());
    let (built, lines) = built(&boot, &options, doors, version, stopped).await?;
    let _ = router.send(built);
    (options.listening)(&url);
    let expiring = tokio::spawn(expire_daily(boot.port.clone()));
    let served = serving.await;
    expiring.abort();
    if served.is_err() {
        return Err(Problem::new(Code::Internal, "the page server ended by itself"));
    }
    lines.ended().await;
    Ok(())
}

/// Takes away what is over, at once and then daily: a database that only grows gets slow.
async fn expire_daily(port: ServerPort) {
    let mut daily = tokio::time::interval(DAY);
    daily.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        daily.tick().await;
        if let Err(error) = storage::sessions::expire(&port.store()).await {
            tracing::warn!(%error, "what is over could not be taken away");
        }
    }
}

async fn built(boot: &Boot, options: &UiOptions, doors: Doors, version: &str, stopped: watch::Receiver<bool>) -> Result<(Router, Arc<Live>), Problem> {
    let address = doors.address().to_owned();
    boot.port.set_page(PageFacts { version: version.to_owned(), connect: connect(&address), address: Some(address), read_only: options.read_only });
    let publisher = Publisher::start(boot.port.clone(), version.to_owned()).await?;
    if !options.read_only {
        tokio::spawn(follow_fetches(boot.port.clone(), stopped.clone()));
    }
    let person = Person { actor: options.actor.clone(), principal: boot.identity.principal.clone() };
    let announce = |code: &str| eprint_code(code);
    let site = Arc::new(Site {
        boards: Arc::new(Ports(boot.port.clone())),
        doors,
        local_token: token(boot, TokenKind::Local)?,
        mcp_token: token(boot, TokenKind::Mcp)?,
        sessions: Arc::new(Sessions(boot.port.clone())),
        code: options.private.then(|| EntryCode::new(Arc::new(boot::random_bits), announce)),
        read_only: options.read_only,
        version: version.to_owned(),
        now: Arc::new(boot::now),
        bits: Arc::new(boot::random_bits),
        person,
    });
    let feed = Arc::new(Fed { publisher, watchers: options.watchers.clone() });
    let lines = Arc::new(Live::new(feed, Arc::new(boot::now), stopped));
    let live = live::router(lines.clone());
    let mcp = mcp_router(&boot.port);
    Ok((http::router(site, Mounts { live, mcp }), lines))
}

/// How often it is looked whether git fetched something: a few `stat`s.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// Reads what others did whenever git fetched something, so that `git fetch` is enough to see it here.
async fn follow_fetches(port: ServerPort, mut stopped: watch::Receiver<bool>) {
    let mut seen = None;
    let mut looks = tokio::time::interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = looks.tick() => {}
            _ = stopped.changed() => return,
        }
        let stamp = port.refs_stamp();
        if stamp.is_none() || stamp == seen {
            continue;
        }
        match port.look_at_tips().await {
            // What was fetched meanwhile has another stamp.
            Ok(_) => seen = stamp,
            Err(problem) => tracing::warn!(code = %problem.code, title = problem.title, "what git fetched was not read; it is tried again"),
        }
    }
}

#[allow(clippy::print_stderr, reason = "the code is for the person at the terminal, and for no log")]
fn eprint_code(code: &str) {
    eprintln!("A browser that opens this board must enter the code {code}");
}

fn not_bound(error: &http::BindError, port: Option<u16>) -> Problem {
    let problem = Problem::new(Code::Busy, error.to_string());
    match port {
        Some(_) => problem.hint(Hint::text("name another --port, or none for the first free one")),
        None => problem,
    }
}

fn token(boot: &Boot, kind: TokenKind) -> Result<Token, Problem> {
    let path = boot.root.join(kind.file());
    let tracked = boot.place.repository().is_some_and(|repository| path.exists() && repository.tracks(&path).unwrap_or(false));
    let kept = http::tokens::keep(&boot.root, kind, tracked, &boot::random_bits)
        .map_err(|error| Problem::new(Code::Internal, format!(".callboard/{} can't be made: {}", kind.file(), error.kind())))?;
    if let Some(notice) = kept.notice {
        tracing::warn!("{notice}");
    }
    Ok(kept.token)
}

/// Snippets that connect agents, filled in.
fn connect(address: &str) -> Vec<(String, String)> {
    let stdio = r#"{"mcpServers": {"callboard": {"command": "callboard", "args": ["mcp"]}}}"#;
    let http = format!(r#"claude mcp add --transport http callboard {address}/mcp --header "Authorization: Bearer $(cat .callboard/mcp-token)""#);
    let helper = format!(r#"{{"mcpServers": {{"callboard": {{"type": "http", "url": "{address}/mcp", "headersHelper": "callboard mcp --headers"}}}}}}"#);
    [
        ("Any MCP client, in .mcp.json", stdio.to_owned()),
        ("Claude Code, over HTTP", http),
        ("A container, over HTTP, in .mcp.json", helper),
        ("By hand", r#"callboard tasks add "Say what is to be done""#.to_owned()),
    ]
    .map(|(title, text)| (title.to_owned(), text))
    .into()
}

/// Whose calls they are, the doors say, once for each request.
fn mcp_router(port: &ServerPort) -> Router {
    let service = |set: Set| {
        let port = port.clone();
        mcp::http_service(Tools::new(set, move |caller| port.for_caller(caller)))
    };
    Router::new().route_service("/mcp", service(Set::All)).route_service("/mcp/board", service(Set::Board))
}

/// Ends with Ctrl-C or a polite kill.
async fn end_of_process() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

struct Ports(ServerPort);

impl http::Boards for Ports {
    fn for_caller(&self, caller: Caller) -> Arc<dyn Board> {
        self.0.for_caller(caller)
    }

    fn head(&self) -> Answer<'_, http::Head> {
        Box::pin(async {
            let (head, lapsed) = self.0.head_and_lapsed().await?;
            Ok(http::Head { seq: head.seq, epoch: head.epoch, live: head.live, lapsed })
        })
    }
}

struct Fed {
    publisher: Publisher,
    watchers: Arc<AtomicUsize>,
}

/// One more page is watching, for as long as this lives.
struct Watcher(Arc<AtomicUsize>);

impl Drop for Watcher {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Feed for Fed {
    fn resume(&self, since: i64, epoch: String) -> Answer<'_, Resumed> {
        Box::pin(async move {
            let (hello, missed, receiver) = self.publisher.resume(since, &epoch).await?;
            self.watchers.fetch_add(1, Ordering::Relaxed);
            let watcher = Watcher(self.watchers.clone());
            let hearing = live::hearing(missed, receiver, |published| match published {
                Published::Batch { seq, text } => live::Heard::Batch(*seq, text.clone()),
                Published::Replaced => live::Heard::Replaced,
            });
            let hearing = Box::pin(hearing.map(move |heard| {
                let _counted = &watcher;
                heard
            }));
            Ok(Resumed { hello, hearing })
        })
    }

    fn published(&self) -> i64 {
        self.publisher.published()
    }

    fn narration(&self, report: &str) -> Option<live::Narrated> {
        let port = self.publisher.port().clone();
        contracts::report::is_label(report).then(|| -> live::Narrated { Box::pin(narrated(&port, report)) })
    }
}

/// What is narrated about a report, whichever process narrates it. Somebody watches, so it is looked at again and again: a look reads a
/// few bytes, and nothing while nobody has the page open.
fn narrated(port: &ServerPort, report: &str) -> impl futures::Stream<Item = contracts::report::NarrationNews> + Send + use<> {
    let tail = Reports::of(port).spool(report).tail();
    let port = port.clone();
    let looks = futures::stream::unfold((port, tail), |(port, mut tail)| async move {
        tokio::time::sleep(NARRATION_LOOK).await;
        let news = tail.look(port.now());
        Some((futures::stream::iter(news), (port, tail)))
    });
    looks.flatten()
}

struct Sessions(ServerPort);

fn kept<T>(result: Result<T, storage::StoreError>) -> Result<T, Problem> {
    result.map_err(|error| error.problem())
}

impl SessionRows for Sessions {
    fn put(&self, id_hash: String, data: String, until: Moment) -> Answer<'_, ()> {
        Box::pin(async move { kept(storage::sessions::put(&self.0.store(), &id_hash, &data, until).await) })
    }

    fn get(&self, id_hash: String) -> Answer<'_, Option<(String, Moment)>> {
        Box::pin(async move { kept(storage::sessions::get(&self.0.store(), &id_hash).await) })
    }

    fn delete(&self, id_hash: String) -> Answer<'_, ()> {
        Box::pin(async move { kept(storage::sessions::delete(&self.0.store(), &id_hash).await) })
    }
}
