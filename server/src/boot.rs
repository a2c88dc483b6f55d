//! Boot: the only place that knows the clock, the randomness, the environment and the machine; everything else gets them as values.

use crate::board::{PageFacts, ServerPort};
use crate::config::Config;
use contracts::{Actor, Call, Code, Hint, Moment, Problem, limits};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A clock, given to the store; the demo and tests bring their own.
pub type Clock = Arc<dyn Fn() -> Moment + Send + Sync>;
/// A source of random bits, given to the store.
pub type Bits = Arc<dyn Fn() -> u128 + Send + Sync>;

/// The variable that names who acts.
pub const ACTOR_VARIABLE: &str = "CALLBOARD_ACTOR";
/// The variable by which `doctor` asks whether a hook is called: the folder in which it leaves a file of its name.
pub const PROBE: &str = "CALLBOARD_PROBE";

/// How a process wants the board opened.
#[derive(Clone, Default)]
pub struct BootOptions {
    /// `--project`: where to look, instead of the working directory.
    pub project: Option<PathBuf>,
    /// Reading connections beside the writer's; a command needs none of its own.
    pub readers: u32,
    /// Another clock.
    pub clock: Option<Clock>,
    /// Other ids.
    pub bits: Option<Bits>,
    /// What pages are told beside the board.
    pub page: PageFacts,
}

/// Who this process is, on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// `dev:` and the local part of git's e-mail, or the system's user.
    pub dev: Actor,
    /// `local:<os user>` or `local:<os user>/<git e-mail>`.
    pub principal: String,
}

/// An opened board.
pub struct Boot {
    /// The repository and the project in it.
    pub place: git::Place,
    /// `.callboard`.
    pub root: PathBuf,
    /// Both files.
    pub config: Config,
    /// The log and its projections.
    pub store: storage::Store,
    /// The board, for everybody.
    pub port: ServerPort,
    /// Who this process is.
    pub identity: Identity,
    /// What opening repaired, in sentences for stderr.
    pub repaired: Vec<String>,
    /// What opening read in and wrote out.
    pub reconciled: storage::Reconciled,
}

impl Boot {
    /// Makes every projection anew from the log; a database that can't be read is first replaced, and kept beside it.
    ///
    /// # Errors
    /// What the store says.
    pub async fn rebuild(&self) -> Result<storage::Rebuilt, Problem> {
        let made = match self.store.rebuild().await {
            // What can't be read can't be emptied either.
            Err(storage::StoreError::Corrupt(_)) => self.anew().await,
            made => made,
        };
        made.map_err(|fault| fault.problem())
    }

    async fn anew(&self) -> Result<storage::Rebuilt, storage::StoreError> {
        let (store, opened) = self.store.anew().await?;
        for sentence in opened.repaired {
            tracing::warn!("{sentence}");
        }
        store.rebuild().await
    }
}

/// Opens the board of the repository this process stands in.
///
/// # Errors
/// `not_initialized` when there is no project, `newer_format`, `busy`, or `bad_request` for a bad configuration file.
pub async fn boot(options: BootOptions) -> Result<Boot, Problem> {
    let place = find_place(options.project.as_deref())?;
    if !place.project {
        return Err(not_initialized());
    }
    open(place, options).await
}

/// Opens the board of a place, making its database when there is none yet (`init` and `demo` call this before the first event).
///
/// # Errors
/// As [`boot`], without `not_initialized`.
pub async fn open(place: git::Place, options: BootOptions) -> Result<Boot, Problem> {
    let root = place.directory();
    let config = Config::load(&root, home().as_deref())?;
    let repository = place.repository().map(Arc::new);
    let identity = identity(repository.as_deref());
    let clock = options.clock.unwrap_or_else(|| Arc::new(now));
    let bits = options.bits.unwrap_or_else(|| Arc::new(random_bits));
    let index = repository.as_ref().map(|repository| repository.git_dir().join("index"));
    let base = Base::new(repository.clone(), place.root.clone(), place.worktree.clone());
    let stranger = Arc::new({
        let base = base.clone();
        move |set: Option<&str>| base.chosen(set).zip(base.repository()).is_some_and(|(base, repository)| repository.follows_a_stranger(&base).unwrap_or(false))
    });
    let tracked = Arc::new(move |path: &Path| repository.as_ref().is_some_and(|repository| is_gits(repository, path)));
    let storage_options = storage::Options { readers: options.readers, tracked, stranger, index, ..storage::Options::new(clock, bits) };
    let (store, opened) = storage::Store::open(storage::Place { root: root.clone() }, storage_options).await.map_err(|error| error.problem())?;
    let port = ServerPort::start(store.clone(), base, options.page);
    let mut repaired = opened.repaired;
    repaired.extend(crate::pending::drain(&root, &port).await);
    Ok(Boot { place, root, config, store, port, identity, repaired, reconciled: opened.reconciled })
}

/// Whether git has this file: in its index, or, when it is gone, on a branch that is not checked out.
fn is_gits(repository: &git::Repository, path: &Path) -> bool {
    repository.tracks(path).unwrap_or(false) || (!path.exists() && repository.remembers(path).unwrap_or(false))
}

/// The project that `CALLBOARD_ROOT` names.
pub(crate) fn root_variable() -> Option<PathBuf> {
    std::env::var_os("CALLBOARD_ROOT").map(PathBuf::from)
}

/// Finds the repository and its project: `--project`, else `CALLBOARD_ROOT`, else the working directory.
///
/// # Errors
/// `not_initialized` when neither a repository nor a project is there.
pub fn find_place(project: Option<&Path>) -> Result<git::Place, Problem> {
    let named = project.map(Path::to_owned).or_else(root_variable);
    let here = std::env::current_dir().map_err(|error| Problem::new(Code::NotInitialized, format!("the working directory can't be read: {error}")))?;
    git::Repository::find(&here, named.as_deref()).map_err(|error| match error {
        git::GitError::NotARepository => not_initialized(),
        other => Problem::new(Code::GitFailed, other.to_string()),
    })
}

/// The refusal where there is no project yet.
pub(crate) fn not_initialized() -> Problem {
    Problem::new(Code::NotInitialized, "there is no board here")
        .hint(Hint { text: "in the repository whose work it shall keep".to_owned(), calls: vec![Call::new("init")] })
}

/// Who this process is: git's e-mail when there is one, and the system's user.
pub fn identity(repository: Option<&git::Repository>) -> Identity {
    let user = ["USER", "LOGNAME", "USERNAME"]
        .iter()
        .find_map(|name| std::env::var(name).ok())
        .filter(|user| !user.is_empty())
        .unwrap_or_else(|| "unknown".to_owned());
    let user = contracts::id::derived_name(&user);
    let email = repository.and_then(|repository| repository.user_email().ok().flatten()).filter(|email| !email.chars().any(char::is_control));
    let name = email.as_deref().and_then(|email| email.split('@').next()).filter(|name| !name.is_empty()).unwrap_or(&user);
    let principal = match &email {
        Some(email) => format!("local:{user}/{email}"),
        None => format!("local:{user}"),
    };
    // Longer than the log takes, it tells less of who it is than the user's name alone.
    let principal = if principal.len() > limits::PRINCIPAL_BYTES_MAX { format!("local:{user}") } else { principal };
    Identity { dev: Actor::dev_named(name), principal }
}

/// The branch work is cut from, asked of git at most once and only when somebody needs it.
#[derive(Clone)]
pub struct Base {
    repository: Option<Arc<git::Repository>>,
    root: PathBuf,
    here: Option<PathBuf>,
    found: Arc<std::sync::OnceLock<Option<String>>>,
}

impl Base {
    /// Of this repository, for a process that stands in the worktree `here`.
    pub fn new(repository: Option<Arc<git::Repository>>, root: PathBuf, here: Option<PathBuf>) -> Base {
        Base { repository, root, here, found: Arc::default() }
    }

    /// The project's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The worktree this process stands in.
    pub fn here(&self) -> Option<&Path> {
        self.here.as_deref()
    }

    /// The repository; none outside git.
    pub fn repository(&self) -> Option<&Arc<git::Repository>> {
        self.repository.as_ref()
    }

    /// What work is cut from: as the project's setting says, else as git says.
    pub fn chosen(&self, set: Option<&str>) -> Option<String> {
        set.map(str::to_owned).or_else(|| self.of_git())
    }

    /// What git says alone, for the engine, which knows the setting itself: the remote's default branch, `main`, `master`, or none.
    pub fn of_git(&self) -> Option<String> {
        self.found.get_or_init(|| self.repository.as_ref().and_then(|repository| repository.default_base().ok().flatten())).clone()
    }

    /// Whether a branch exists, as the files of the repository say.
    pub fn has_branch(&self, branch: &str) -> bool {
        let Some(repository) = &self.repository else { return false };
        let name = format!("refs/heads/{branch}");
        let packed = || std::fs::read_to_string(repository.common_dir().join("packed-refs")).unwrap_or_default();
        repository.common_dir().join(&name).is_file() || packed().lines().any(|line| line.split(' ').nth(1) == Some(name.as_str()))
    }
}

/// The wall clock.
#[allow(clippy::disallowed_methods, reason = "boot owns the clock; everybody else is given it")]
pub fn now() -> Moment {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Moment(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// 128 random bits of the operating system.
pub fn random_bits() -> u128 {
    let mut bytes = [0_u8; 16];
    if getrandom::fill(&mut bytes).is_err() {
        // Without randomness ids would collide and tokens could be guessed: nothing may go on.
        std::process::abort();
    }
    u128::from_le_bytes(bytes)
}

/// The person's home directory.
pub fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
}
