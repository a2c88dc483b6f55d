//! Going through a script in its order: where each command stands, and what it is.
//!
//! The directory follows `cd`, `pushd` and `popd` within their scope. A change that may or may not happen (`a || cd b`, in an `if`)
//! leaves it unknown; what stands behind `&&` counts as happening.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::args::Arg;
use super::script::{Body, Item, Join, Redirection, Scope, Script, Simple};
use super::syntax::{Parser, Unbalanced};
use super::wrappers::{self, Invocation, Peeled};
use super::{CHARS_READ_MAX, Call, Directory, Reading, TEXT_BYTES_MAX, World, words};

/// How many directories `pushd` is followed for.
const PUSHED_MAX: usize = 16;

pub(super) struct Walk<'w> {
    pub world: &'w World<'w>,
    pub reading: Reading,
    pub budget: Cell<usize>,
    pub aliases: HashMap<(Directory, String), Option<String>>,
    /// What the command before the pipe prints, where the text tells.
    pub piped: Option<String>,
    /// Files that the text writes before they are read, with their text where it tells.
    pub written: HashMap<PathBuf, Option<String>>,
}

/// What one command leaves behind for the next.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub directory: Directory,
    previous: Directory,
    pushed: Vec<Directory>,
    /// Set by `export GIT_CONFIG_…` and `git config core.hooksPath`.
    pub hooks_off: bool,
    /// Set by `export GIT_DIR`.
    pub git_dir: Option<Directory>,
}

impl State {
    pub fn new(directory: &Path) -> State {
        State { directory: Directory::known(directory), previous: Directory::Unknown, pushed: Vec::new(), hooks_off: false, git_dir: None }
    }

    fn change(&mut self, to: Directory) {
        self.previous = std::mem::replace(&mut self.directory, to);
    }
}

/// A scope that is open.
struct Frame {
    scope: Scope,
    before: State,
    list: State,
    join: Join,
}

impl<'w> Walk<'w> {
    pub fn new(world: &'w World<'w>) -> Walk<'w> {
        Walk { world, reading: Reading::default(), budget: Cell::new(CHARS_READ_MAX), aliases: HashMap::new(), piped: None, written: HashMap::new() }
    }

    /// Reads `text` as a script and goes through it; `depth` scripts are around it.
    pub fn text(&mut self, text: &str, state: State, depth: usize) -> Result<State, Unbalanced> {
        if TEXT_BYTES_MAX < text.len() {
            return Err(Unbalanced);
        }
        let chars: Vec<char> = text.chars().collect();
        let script = Parser::read(&chars, depth, &self.budget)?;
        self.script(&script, state, depth)
    }

    fn script(&mut self, script: &Script, mut state: State, depth: usize) -> Result<State, Unbalanced> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut list = state.clone(); // how things were where this list of commands began
        let mut join = Join::Sequence;
        for (at, item) in script.items.iter().enumerate() {
            let piped = || join == Join::Pipe || matches!(script.items.get(at + 1), Some(Item::Then(Join::Pipe)));
            match item {
                Item::Enter(scope) => {
                    frames.push(Frame { scope: *scope, before: state.clone(), list: list.clone(), join });
                    list = state.clone();
                    join = Join::Sequence;
                }
                Item::Leave => {
                    let Some(frame) = frames.pop() else { return Err(Unbalanced) };
                    join = frame.join;
                    list = frame.list;
                    let piped = join == Join::Pipe || matches!(script.items.get(at + 1), Some(Item::Then(Join::Pipe)));
                    if piped || matches!(frame.scope, Scope::Subshell | Scope::Function) {
                        state = frame.before;
                    } else if frame.scope == Scope::Choice || join == Join::Or {
                        unsettle(&mut state, &frame.before);
                    }
                }
                Item::Then(next) => {
                    match next {
                        Join::Sequence => list = state.clone(),
                        Join::Background => state = list.clone(),
                        Join::And | Join::Or | Join::Pipe => {}
                    }
                    join = *next;
                }
                Item::Words(words) => {
                    for inner in words.iter().flat_map(words::Word::scripts) {
                        self.script(inner, state.clone(), depth + 1)?;
                    }
                }
                Item::Run(simple) => {
                    let before = state.clone();
                    let piped = piped();
                    if join != Join::Pipe {
                        self.piped = None;
                    }
                    self.simple(simple, &script.bodies, &mut state, depth)?;
                    if piped {
                        state = before;
                    } else if join == Join::Or {
                        unsettle(&mut state, &before);
                    }
                }
            }
        }
        Ok(state)
    }

    fn simple(&mut self, simple: &Simple, bodies: &[Body], state: &mut State, depth: usize) -> Result<(), Unbalanced> {
        let mut inner: Vec<&Script> = simple.words.iter().flat_map(words::Word::scripts).collect();
        for redirection in &simple.redirections {
            match redirection {
                Redirection::Output { word, .. } | Redirection::Input(word) | Redirection::Other(word) | Redirection::HereString(word) => {
                    inner.extend(word.scripts());
                }
                Redirection::Here(body) | Redirection::HereOther(body) => inner.extend(bodies.get(*body).into_iter().flat_map(|body| &body.inner)),
            }
        }
        for script in inner {
            self.script(script, state.clone(), depth + 1)?;
        }
        let piped = self.piped.take();
        let redirected = simple.redirections.iter().any(Redirection::is_input);
        let call = Invocation {
            args: simple.words.iter().map(Arg::of).collect(),
            variables: Vec::new(),
            directory: state.directory.clone(),
            stdin: if redirected { words::stdin(simple, bodies) } else { piped },
        };
        self.invocation(call, state, depth)?;
        self.piped = words::prints(simple, bodies).filter(|_| !simple.redirections.iter().any(Redirection::is_output));
        for redirection in &simple.redirections {
            if let Redirection::Output { word, whole } = redirection {
                let text = if *whole { words::prints(simple, bodies) } else { None };
                self.write(&state.directory.join(word.value().as_deref()), text);
            }
        }
        Ok(())
    }

    fn write(&mut self, file: &Directory, text: Option<String>) {
        if let Some(path) = file.path() {
            self.written.insert(path.to_owned(), text);
        }
    }

    fn invocation(&mut self, call: Invocation, state: &mut State, depth: usize) -> Result<(), Unbalanced> {
        let call = match wrappers::peel(call) {
            Peeled::Nothing => return Ok(()),
            Peeled::Split(call, text) => {
                let rest = call.args.iter().map(Arg::quoted);
                let text: Vec<String> = std::iter::once(text).chain(rest).collect();
                let mut state = state.clone();
                state.directory = call.directory.clone();
                return self.text(&text.join(" "), state, depth + 1).map(drop);
            }
            Peeled::Command(call) => call,
        };
        if call.args.is_empty() {
            return Ok(());
        }
        let argv = call.args.iter().map(|arg| arg.text.clone()).collect();
        self.reading.calls.push(Call { argv, variables: call.variables.clone(), directory: call.directory.clone() });
        let Some(name) = call.args[0].base_name() else { return Ok(()) };
        match name {
            "cd" | "chdir" => state.change_to(&call.args),
            "pushd" => state.push(&call.args),
            "popd" => state.pop(&call.args),
            "export" | "declare" | "typeset" => state.export(&call.args),
            "tee" => {
                for file in call.args.iter().skip(1).filter_map(|arg| arg.text.as_deref()) {
                    self.write(&call.directory.join(Some(file)), None);
                }
            }
            "eval" => {
                let text: Vec<&str> = call.args[1..].iter().map(|arg| arg.script.as_str()).collect();
                *state = self.text(&text.join(" "), state.clone(), depth + 1)?;
            }
            "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" => {
                if let Some(script) = wrappers::shell_script(&call.args) {
                    let mut inner = state.clone();
                    inner.directory = call.directory.clone();
                    inner.take_variables(&call.variables);
                    self.text(&script.script, inner, depth + 1)?;
                }
            }
            "git" | "git.exe" => self.git(call, state, depth)?,
            _ => {}
        }
        Ok(())
    }
}

/// After something that may not have happened: a directory it would have changed is unknown, the rest counts.
fn unsettle(state: &mut State, before: &State) {
    if state.directory != before.directory {
        state.change(Directory::Unknown);
    }
}

impl State {
    /// What variables set for a command mean to the gits in it.
    pub fn take_variables(&mut self, variables: &[(String, Option<String>)]) {
        for (name, value) in variables {
            self.hooks_off |= name.starts_with("GIT_CONFIG");
            if name == "GIT_DIR" {
                self.git_dir = Some(self.directory.join(value.as_deref()));
            }
        }
    }

    fn export(&mut self, args: &[Arg]) {
        let variables: Vec<_> = args.iter().skip(1).filter_map(Arg::assignment).collect();
        self.take_variables(&variables);
    }

    /// The first argument that is no option; `cd` alone goes home, which is unknown here.
    fn target(args: &[Arg]) -> Option<&Arg> {
        let is_option = |arg: &&Arg| arg.text.as_deref().is_some_and(|text| text.len() > 1 && text.starts_with('-'));
        let rest = args.get(1..).unwrap_or_default();
        match rest.iter().position(|arg| arg.text.as_deref() == Some("--")) {
            Some(end) => rest.get(end + 1),
            None => rest.iter().find(|arg| !is_option(arg)),
        }
    }

    fn change_to(&mut self, args: &[Arg]) {
        let to = match State::target(args).map(|arg| arg.text.as_deref()) {
            Some(Some("-")) => self.previous.clone(),
            Some(text) => self.directory.join(text),
            None => Directory::Unknown,
        };
        self.change(to);
    }

    fn push(&mut self, args: &[Arg]) {
        let Some(target) = State::target(args).filter(|arg| !arg.text.as_deref().is_some_and(|text| text.starts_with('+'))) else {
            self.pushed.clear(); // it turns the stack round
            return self.change(Directory::Unknown);
        };
        if self.pushed.len() == PUSHED_MAX {
            self.pushed.remove(0);
        }
        self.pushed.push(self.directory.clone());
        self.change(self.directory.join(target.text.as_deref()));
    }

    fn pop(&mut self, args: &[Arg]) {
        let to = self.pushed.pop().filter(|_| args.len() == 1).unwrap_or(Directory::Unknown);
        self.change(to);
    }
}
