//! `callboard ui`: the one page server of a project. A second one finds the first and prints its address.
//!
//! `run/ui.lock` is held as long as the process lives, so a stale `run/ui.json` deceives nobody.

use super::out::{Out, Row};
use super::{Exit, Globals, Serve, who};
use crate::boot::{self, Boot, BootOptions};
use crate::known;
use contracts::{Actor, Code, Hint, Problem};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{IsTerminal, Write};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

/// Arguments of `ui`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct UiArgs {
    /// Listen on this address instead of this machine's own
    #[arg(long, value_name = "ADDRESS")]
    host: Option<IpAddr>,
    /// Listen on this port instead of the first free one of 2140 to 2159
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Accept this name in Host too; may be given several times
    #[arg(long, value_name = "NAME", value_parser = crate::config::host_name)]
    allow_host: Vec<String>,
    /// Take no writes
    #[arg(long)]
    read_only: bool,
    /// Let a browser in only after it entered a code printed here
    #[arg(long)]
    private: bool,
    /// Open the page in a browser
    #[arg(long)]
    open: bool,
}

impl UiArgs {
    /// On this port, with or without a browser.
    pub fn at(port: Option<u16>, open: bool) -> UiArgs {
        UiArgs { port, open, ..UiArgs::default() }
    }
}

/// What the page server is told.
pub struct UiOptions {
    /// The address to listen on; this machine's own when absent.
    pub host: Option<IpAddr>,
    /// The port; the first free one of 2140 to 2159 when absent.
    pub port: Option<u16>,
    /// Further names accepted in `Host`.
    pub hosts: Vec<String>,
    /// Takes no writes.
    pub read_only: bool,
    /// Browsers must enter a code.
    pub private: bool,
    /// The person whose pages these are.
    pub actor: Actor,
    /// Live sockets open now: the server counts, whoever started it may look.
    pub watchers: Arc<AtomicUsize>,
    /// Called once, with the address, when it is listened on.
    pub listening: Box<dyn FnOnce(&str) + Send>,
}

/// What `run/ui.json` says about the process that holds the lock.
#[derive(Debug, Serialize, Deserialize)]
struct Running {
    pid: u32,
    url: String,
    version: String,
    started: String,
    #[serde(default)]
    private: bool,
    #[serde(default)]
    read_only: bool,
}

/// How long a second one waits for the first to say where it is.
const FIRST_SAYS_WITHIN: Duration = Duration::from_secs(3);

/// Serves, or finds who does.
pub async fn run(globals: &Globals, out: Out, args: UiArgs, serve: Serve) -> Result<Exit, Problem> {
    let place = boot::find_place(globals.project.as_deref())?;
    if !place.project {
        offer_init(globals, &out).await?;
    }
    let place = boot::find_place(globals.project.as_deref())?;
    let Some(lock) = hold(&place.directory())? else { return found(out, &place.directory(), &args).await };
    let boot = boot::boot(BootOptions { project: globals.project.clone(), readers: READERS, ..BootOptions::default() }).await?;
    for sentence in &boot.repaired {
        out.notice(sentence);
    }
    let ended = with(globals, boot, out, args, serve, Arc::default()).await;
    drop(lock);
    ended
}

/// Reading connections of a page server.
pub const READERS: u32 = 4;

/// Serves a board that is open and whose lock is held.
pub async fn with(globals: &Globals, boot: Boot, mut out: Out, args: UiArgs, serve: Serve, watchers: Arc<AtomicUsize>) -> Result<Exit, Problem> {
    let actor = who::acts(globals.actor.as_deref(), who::variable().as_deref(), &boot.identity.dev)?;
    // Pages are for people: what an agent starts serves the person it answers to.
    let actor = if actor.is_dev() { actor } else { boot.identity.dev.clone() };
    let config = &boot.config;
    if let Some(words) = config.left_out() {
        out.notice(&words);
    }
    let mut hosts = config.hosts();
    hosts.extend(args.allow_host);
    let open = args.open || config.open();
    let private = args.private || config.private();
    let read_only = args.read_only;
    let json = out.manner.json;
    let root = boot.root.clone();
    remember(&boot, &out).await;
    if !private && !json {
        out.notice("whoever can reach this port on this machine acts as you; callboard ui --private asks a browser for a code first");
    }
    let listening = move |url: &str| {
        let running = Running {
            pid: std::process::id(),
            url: url.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started: boot::now().to_string(),
            private,
            read_only,
        };
        let written = write_private(&root, &running);
        if json {
            let _ = out.document(&running);
        } else {
            out.row(Row::new().plain("Callboard is at ").strong(url));
        }
        let _ = out.flush(); // the page is served whether or not anybody reads this
        if let Err(fault) = written {
            out.notice(&format!("a second `callboard ui` will not find this one: {fault}"));
        }
        if open {
            open_browser(&out, url);
        }
    };
    let options = UiOptions {
        host: args.host,
        port: args.port.or(config.port()),
        hosts,
        read_only: args.read_only,
        private,
        actor,
        watchers,
        listening: Box::new(listening),
    };
    serve(boot, options).await.map(|()| Exit::Done)
}

/// Notes that this project was opened, so that the pages of others lead here. A demonstration is nobody's project.
async fn remember(boot: &Boot, out: &Out) {
    let Some(file) = known::file() else { return };
    let Some(root) = boot.root.parent().filter(|_| !crate::demo::is_ours(&boot.root)) else { return };
    let name = match boot.store.reader().begin().await {
        Ok(mut read) => read.project().await.ok().flatten().map(|project| project.name),
        Err(_) => None,
    };
    if let Err(fault) = known::remember(&file, &name.unwrap_or_default(), root, boot::now()) {
        out.notice(&format!("the pages of other projects will not lead here: {} can't be written ({})", file.display(), fault.kind()));
    }
}

/// The lock of the project's one page server; none when another process holds it.
pub fn hold(root: &Path) -> Result<Option<File>, Problem> {
    let unusable = |fault: std::io::Error| Problem::new(Code::Internal, format!("run/ui.lock can't be used: {}", fault.kind()));
    fs::create_dir_all(root.join("run")).map_err(unusable)?;
    let file = File::options().create(true).truncate(false).write(true).open(root.join("run/ui.lock")).map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(fault)) => Err(unusable(fault)),
    }
}

/// Another process serves this project: its address is the answer.
///
/// # Errors
/// `illegal_move` when that one lets in more than is asked for here.
pub async fn found(mut out: Out, root: &Path, args: &UiArgs) -> Result<Exit, Problem> {
    let path = root.join("run/ui.json");
    let mut waited = Duration::ZERO;
    let running = loop {
        let read = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Running>(&bytes).ok());
        match read {
            // The holder of the lock writes its own as soon as it listens.
            Some(running) if is_alive(&running) => break Some(running),
            _ if waited >= FIRST_SAYS_WITHIN => break None,
            _ => {}
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        waited += Duration::from_millis(50);
    };
    let Some(running) = running else {
        return Err(
            Problem::new(Code::Busy, "another process serves this board, and does not say where").hint(Hint::text("end it, or wait a moment and try again"))
        );
    };
    for (flag, asked, there) in [("--private", args.private, running.private), ("--read-only", args.read_only, running.read_only)] {
        if asked && !there {
            let title = format!("this board is served at {} already, without {flag}", running.url);
            return Err(Problem::new(Code::IllegalMove, title).hint(Hint::text(format!("end that one (process {}), then callboard ui {flag}", running.pid))));
        }
    }
    if running.version != env!("CARGO_PKG_VERSION") {
        out.notice(&format!("it runs version {}, this is {}", running.version, env!("CARGO_PKG_VERSION")));
    }
    if out.manner.json {
        out.document(&running)?;
    } else {
        out.row(Row::new().plain("Callboard is already at ").strong(running.url.clone()));
    }
    out.flush()?;
    if args.open {
        open_browser(&out, &running.url);
    }
    Ok(Exit::Done)
}

/// Whether the process that wrote it still runs, where that can be seen; a crashed one leaves its file behind.
fn is_alive(running: &Running) -> bool {
    let processes = Path::new("/proc");
    !processes.join("self").exists() || processes.join(running.pid.to_string()).exists()
}

/// On a terminal, asks whether to make a board; elsewhere says how.
async fn offer_init(globals: &Globals, out: &Out) -> Result<(), Problem> {
    let refused = || Problem::new(Code::NotInitialized, "there is no board here").hint(Hint::call(contracts::Call::new("init")));
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() || out.manner.json {
        return Err(refused());
    }
    let _ = write!(std::io::stderr(), "There is no board in this repository. Make one? [y/N] ");
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    let _ = std::io::stdin().read_line(&mut answer); // nothing read is no answer
    if !matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        return Err(refused());
    }
    let mut talk = Out::new(out.manner);
    super::init::run(globals, &mut talk, super::init::InitArgs::default()).await?;
    talk.flush()
}

fn write_private(root: &Path, running: &Running) -> std::io::Result<()> {
    let path = root.join("run/ui.json");
    let fresh = root.join(format!("run/ui.json.{}", std::process::id()));
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&fresh).and_then(|mut file| file.write_all(serde_json::to_string(running)?.as_bytes()))?;
    fs::rename(&fresh, &path)
}

/// Starts the system's way to open an address. Without a display it only says where the page is.
#[allow(clippy::disallowed_methods, reason = "this starts a browser, not git")]
fn open_browser(out: &Out, url: &str) {
    let display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    let opener = match std::env::consts::OS {
        "macos" => Some("open"),
        "windows" => Some("explorer"),
        _ => display.then_some("xdg-open"),
    };
    let started = opener.is_some_and(|opener| {
        let quiet = std::process::Stdio::null;
        std::process::Command::new(opener).arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().is_ok()
    });
    if !started {
        out.notice(&format!("no browser could be started: open {url}"));
    }
}
