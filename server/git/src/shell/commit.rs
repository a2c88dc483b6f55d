//! The arguments of `git commit`: the message as far as it is there, and what kind of commit it would be.

use super::args::Arg;
use super::{Commit, Directory};

/// Where a commit would be made.
pub(super) struct Place {
    pub directory: Directory,
    pub repository: Directory,
    pub hooks_off: bool,
    pub stdin: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
    /// A value, but only behind `=`.
    Perhaps,
}

const LONG: [(&str, Takes); 41] = [
    ("ahead-behind", Takes::Nothing),
    ("all", Takes::Nothing),
    ("allow-empty", Takes::Nothing),
    ("allow-empty-message", Takes::Nothing),
    ("amend", Takes::Nothing),
    ("author", Takes::Value),
    ("branch", Takes::Nothing),
    ("cleanup", Takes::Value),
    ("date", Takes::Value),
    ("dry-run", Takes::Nothing),
    ("edit", Takes::Nothing),
    ("file", Takes::Value),
    ("fixup", Takes::Value),
    ("gpg-sign", Takes::Perhaps),
    ("help", Takes::Nothing),
    ("include", Takes::Nothing),
    ("inter-hunk-context", Takes::Value),
    ("interactive", Takes::Nothing),
    ("long", Takes::Nothing),
    ("message", Takes::Value),
    ("null", Takes::Nothing),
    ("only", Takes::Nothing),
    ("patch", Takes::Nothing),
    ("pathspec-file-nul", Takes::Nothing),
    ("pathspec-from-file", Takes::Value),
    ("porcelain", Takes::Nothing),
    ("post-rewrite", Takes::Nothing),
    ("quiet", Takes::Nothing),
    ("reedit-message", Takes::Value),
    ("reset-author", Takes::Nothing),
    ("reuse-message", Takes::Value),
    ("short", Takes::Nothing),
    ("signoff", Takes::Nothing),
    ("squash", Takes::Value),
    ("status", Takes::Nothing),
    ("template", Takes::Value),
    ("trailer", Takes::Value),
    ("unified", Takes::Value),
    ("untracked-files", Takes::Perhaps),
    ("verbose", Takes::Nothing),
    ("verify", Takes::Nothing),
];

/// The short options that matter here.
const SHORT: [(char, &str); 14] = [
    ('m', "message"),
    ('F', "file"),
    ('C', "reuse-message"),
    ('c', "reedit-message"),
    ('t', "template"),
    ('U', "unified"),
    ('u', "untracked-files"),
    ('S', "gpg-sign"),
    ('n', "no-verify"),
    ('e', "edit"),
    ('h', "help"),
    ('s', "signoff"),
    ('a', "all"),
    ('z', "null"),
];

const VALUED: [char; 6] = ['m', 'F', 'C', 'c', 't', 'U'];

/// What was given, in the words of the long options.
#[derive(Default)]
struct Given {
    messages: Vec<Option<String>>,
    file: Option<Option<String>>,
    trailers: Vec<String>,
    amend: bool,
    fixup: Option<Option<String>>,
    squash: bool,
    reuse: bool,
    reedit: bool,
    edit: Option<bool>,
    no_verify: bool,
    dry_run: bool,
    helps: bool,
}

/// What `git commit` with these arguments would make; none when it would make nothing.
pub(super) fn read(args: &[Arg], place: Place, file: &mut dyn FnMut(&Directory) -> Option<String>) -> Option<Commit> {
    let given = given(args);
    if given.dry_run || given.helps {
        return None;
    }
    let message = match (&given.file, given.messages.is_empty()) {
        (_, false) => given.messages.iter().cloned().collect::<Option<Vec<String>>>().map(|parts| parts.join("\n\n")),
        (Some(Some(name)), true) if matches!(name.as_str(), "-" | "/dev/stdin") => place.stdin,
        (Some(name), true) => file(&place.directory.join(name.as_deref())),
        (None, true) => None,
    };
    let texts = !given.messages.is_empty() || given.file.is_some();
    // `--fixup=amend:X` opens an editor, `--fixup=X` does not.
    let amends = matches!(&given.fixup, Some(Some(of)) if of.starts_with("amend:") || of.starts_with("reword:"));
    let silent = texts || given.reuse || (given.fixup.is_some() && !amends);
    Some(Commit {
        directory: place.repository,
        message,
        trailers: given.trailers,
        amend: given.amend,
        fixup: given.fixup.is_some() || given.squash,
        reuses: given.reuse || given.reedit || given.squash || given.fixup.is_some() || (given.amend && !texts),
        editor: given.edit.unwrap_or(given.reedit || !silent),
        hooks_off: place.hooks_off,
        no_verify: given.no_verify,
    })
}

fn given(args: &[Arg]) -> Given {
    let mut given = Given::default();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        let Some(text) = arg.text.as_deref() else {
            given.partly_known(&arg.script);
            continue;
        };
        if text == "--" {
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            let Some((name, negated, takes)) = long_option(name) else { continue };
            let value = match value {
                Some(value) => Some(value.to_owned()),
                None if takes == Takes::Value && !negated => {
                    at += 1;
                    args.get(at - 1).and_then(|arg| arg.text.clone())
                }
                None => None,
            };
            given.take(name, negated, value);
        } else if let Some(cluster) = text.strip_prefix('-') {
            at += given.cluster(cluster, args.get(at));
        }
    }
    given
}

/// The option meant by a name, which may be cut short as long as it is one option's; whether it begins with `no-`.
fn long_option(name: &str) -> Option<(&'static str, bool, Takes)> {
    let find = |name: &str| {
        let mut fitting = LONG.iter().filter(|(option, _)| option.starts_with(name));
        let exact = LONG.iter().find(|(option, _)| *option == name);
        exact.or_else(|| fitting.next().filter(|_| fitting.next().is_none()))
    };
    let (option, negated) = match name.strip_prefix("no-") {
        Some(rest) => (find(rest), true),
        None => (find(name), false),
    };
    option.map(|(option, takes)| (*option, negated, *takes))
}

impl Given {
    /// Takes short options; returns how many further arguments that used.
    fn cluster(&mut self, cluster: &str, next: Option<&Arg>) -> usize {
        for (n, c) in cluster.char_indices() {
            let rest = &cluster[n + c.len_utf8()..];
            let Some((_, name)) = SHORT.iter().find(|(short, _)| *short == c) else { continue };
            if matches!(c, 'u' | 'S') {
                break; // the rest is its value
            }
            if VALUED.contains(&c) {
                let attached = !rest.is_empty();
                let value = if attached { Some(rest.to_owned()) } else { next.and_then(|arg| arg.text.clone()) };
                self.take(name, false, value);
                return usize::from(!attached);
            }
            match name.strip_prefix("no-") {
                Some(name) => self.take(name, true, None),
                None => self.take(name, false, None),
            }
        }
        0
    }

    /// An argument of which only some is known, `-m"fix $x"` or `--message=$x`: a message is there, but cannot be read.
    fn partly_known(&mut self, script: &str) {
        if let Some((name, _)) = script.strip_prefix("--").and_then(|long| long.split_once('=')) {
            if let Some((name, negated, _)) = long_option(name) {
                self.take(name, negated, None);
            }
        } else if let Some(cluster) = script.strip_prefix('-').filter(|cluster| !cluster.starts_with('-')) {
            let unknown = Arg::unknown();
            let letters = cluster.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(cluster.len());
            let valued = cluster[..letters].find(VALUED);
            self.cluster(&cluster[..valued.map_or(letters, |at| at + 1)], Some(&unknown));
        }
    }

    fn take(&mut self, name: &str, negated: bool, value: Option<String>) {
        match (name, negated) {
            ("message", false) => self.messages.push(value),
            ("message", true) => self.messages.clear(),
            ("file", false) => self.file = Some(value),
            ("file", true) => self.file = None,
            ("trailer", false) => self.trailers.extend(value),
            ("amend", _) => self.amend = !negated,
            ("fixup", false) => self.fixup = Some(value),
            ("squash", false) => self.squash = true,
            ("reuse-message", false) => self.reuse = true,
            ("reedit-message", false) => self.reedit = true,
            ("edit", _) => self.edit = Some(!negated),
            ("verify", _) => self.no_verify = negated,
            ("dry-run" | "short" | "porcelain" | "long", _) => self.dry_run = !negated,
            ("help", _) => self.helps = true,
            _ => {}
        }
    }
}
