//! A call of git: its global options, its aliases, and which of its commands it is.

use super::args::Arg;
use super::commit::Place;
use super::syntax::{Parser, Unbalanced};
use super::walk::{State, Walk};
use super::wrappers::Invocation;
use super::{ALIASES_ASKED_MAX, DEPTH_MAX, Directory, commit};

/// Global options that take the next argument, if they are not given theirs by `=`.
const VALUED: [&str; 8] = ["--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env", "--attr-source", "--super-prefix", "--list-cmds"];
const FLAGS: [&str; 13] = [
    "-p",
    "-P",
    "--paginate",
    "--no-pager",
    "--bare",
    "--no-replace-objects",
    "--no-lazy-fetch",
    "--no-optional-locks",
    "--no-advice",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
];

/// Git's own commands, which no alias can stand for, as far as they are typed.
const COMMANDS: &str = " add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore checkout cherry \
    cherry-pick citool clean clone column commit commit-graph commit-tree config count-objects credential daemon describe diff diff-files \
    diff-index diff-tree difftool fast-export fast-import fetch filter-branch for-each-ref format-patch fsck gc grep gui hash-object help \
    hook init instaweb interpret-trailers log ls-files ls-remote ls-tree mailinfo maintenance merge merge-base merge-file merge-tree \
    mergetool mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id prune pull push range-diff read-tree rebase reflog \
    refs remote repack replace replay request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack shortlog show \
    show-branch show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag update-index update-ref var \
    verify-commit verify-pack verify-tag version whatchanged worktree write-tree ";

/// What global options say.
struct Global {
    directory: Directory,
    git_dir: Option<Directory>,
    hooks_off: bool,
    aliases: Vec<(String, String)>,
}

impl Walk<'_> {
    pub fn git(&mut self, call: Invocation, state: &mut State, depth: usize) -> Result<(), Unbalanced> {
        let mut inner = state.clone();
        inner.directory = call.directory.clone();
        inner.take_variables(&call.variables);
        let mut global = Global { directory: call.directory.clone(), git_dir: inner.git_dir.clone(), hooks_off: inner.hooks_off, aliases: Vec::new() };
        let mut args: Vec<Arg> = call.args.into_iter().skip(1).collect();
        for _ in 0..=DEPTH_MAX {
            let Some(taken) = global.take(&args) else { return Ok(()) };
            let Some(name) = args.get(taken).and_then(|arg| arg.text.clone()) else { return Ok(()) };
            let rest = args.split_off(taken + 1);
            if name == "commit" {
                let place = Place { repository: global.repository(), directory: global.directory, hooks_off: global.hooks_off, stdin: call.stdin };
                if let Some(commit) = commit::read(&rest, place, &mut |path| self.message_file(path)) {
                    self.reading.commits.push(commit);
                }
                return Ok(());
            }
            if name == "config" {
                state.hooks_off |= moves_hooks(&rest);
            }
            if COMMANDS.contains(&format!(" {name} ")) {
                return Ok(());
            }
            let Some(alias) = self.alias(&global, &name) else { return Ok(()) };
            if let Some(script) = alias.strip_prefix('!') {
                let text: Vec<String> = std::iter::once(script.to_owned()).chain(rest.iter().map(Arg::quoted)).collect();
                inner.directory = global.directory;
                inner.git_dir = global.git_dir;
                inner.hooks_off = global.hooks_off;
                return self.text(&text.join(" "), inner, depth + 1).map(drop);
            }
            args = self.split(&alias)?;
            args.extend(rest);
        }
        Err(Unbalanced) // aliases of aliases without end
    }

    fn alias(&mut self, global: &Global, name: &str) -> Option<String> {
        if let Some((_, value)) = global.aliases.iter().rev().find(|(key, _)| key.eq_ignore_ascii_case(name)) {
            return Some(value.clone());
        }
        let key = (global.repository(), name.to_owned());
        if let Some(known) = self.aliases.get(&key) {
            return known.clone();
        }
        if ALIASES_ASKED_MAX <= self.aliases.len() {
            return None;
        }
        let value = (self.world.alias)(&key.0, name).filter(|value| !value.trim().is_empty());
        self.aliases.insert(key, value.clone());
        value
    }

    /// An alias's words.
    fn split(&self, text: &str) -> Result<Vec<Arg>, Unbalanced> {
        let chars: Vec<char> = text.chars().collect();
        super::syntax::spend(&self.budget, chars.len())?;
        let mut parser = Parser { text: &chars, at: 0, depth: DEPTH_MAX, nest: 0, budget: &self.budget };
        let mut args = Vec::new();
        loop {
            while parser.peek(0).is_some_and(char::is_whitespace) {
                parser.at += 1;
            }
            if parser.at == chars.len() {
                return Ok(args);
            }
            let before = parser.at;
            args.push(Arg::of(&parser.word()?));
            if parser.at == before {
                return Err(Unbalanced); // an operator, which git would not split at
            }
        }
    }

    fn message_file(&mut self, path: &Directory) -> Option<String> {
        let path = path.path()?;
        match self.written.get(path) {
            Some(text) => text.clone(),
            None => (self.world.file)(path).filter(|text| text.len() <= super::TEXT_BYTES_MAX),
        }
    }
}

impl Global {
    /// Reads the options in front of git's command and returns how many arguments they are; none when nothing would run.
    fn take(&mut self, args: &[Arg]) -> Option<usize> {
        let mut at = 0;
        loop {
            // What only running would tell may well be an option.
            let Some(text) = args.get(at)?.text.as_deref() else {
                at += 1;
                continue;
            };
            let (name, given) = text.split_once('=').filter(|_| text.starts_with("--")).map_or((text, None), |(name, value)| (name, Some(value)));
            if matches!(name, "-C" | "-c") || (given.is_none() && VALUED.contains(&name)) {
                let value = args.get(at + 1)?.clone();
                self.set(name, value.text.as_deref(), &value.script);
                at += 2;
            } else if VALUED.contains(&name) {
                self.set(name, given, given.unwrap_or_default());
                at += 1;
            } else if FLAGS.contains(&name) {
                at += 1;
            } else if text.starts_with('-') {
                return None; // `--version`, `--help`, and what git does not know
            } else {
                return Some(at);
            }
        }
    }

    fn set(&mut self, name: &str, value: Option<&str>, script: &str) {
        match name {
            "-C" => self.directory = self.directory.join(value),
            "--git-dir" => self.git_dir = Some(self.directory.join(value)),
            "-c" | "--config-env" => {
                let (key, setting) = script.split_once('=').unwrap_or((script, "true"));
                let key = key.to_ascii_lowercase();
                self.hooks_off |= key == "core.hookspath" || key.starts_with("hook.");
                if let Some(alias) = key.strip_prefix("alias.").filter(|_| name == "-c") {
                    self.aliases.push((alias.to_owned(), setting.to_owned()));
                }
            }
            _ => {}
        }
    }

    /// Where the repository is that decides the branch: the one named, if one is named.
    fn repository(&self) -> Directory {
        match &self.git_dir {
            None => self.directory.clone(),
            Some(Directory::Unknown) => Directory::Unknown,
            Some(Directory::Known(path)) => match path.parent() {
                Some(parent) if path.file_name().is_some_and(|name| name == ".git") => Directory::known(parent),
                _ => Directory::Known(path.clone()),
            },
        }
    }
}

/// Whether `git config` is told to change where hooks are.
fn moves_hooks(args: &[Arg]) -> bool {
    let words: Vec<&str> = args.iter().filter_map(|arg| arg.text.as_deref()).collect();
    let Some(key) = words.iter().position(|word| word.eq_ignore_ascii_case("core.hooksPath") || word.to_ascii_lowercase().starts_with("hook.")) else {
        return false;
    };
    key + 1 < args.len() || words[..key].iter().any(|word| word.contains("unset"))
}
