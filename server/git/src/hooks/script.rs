//! The shell text of every form, and how it is recognised again.

use std::path::PathBuf;

use super::{Hook, Hooks};

impl Hooks<'_> {
    /// The second line of a file of ours.
    pub(super) fn file_mark(&self) -> String {
        format!("# {} hook:", self.owner)
    }

    /// The end of a line of ours in a file that is not.
    pub(super) fn line_mark(&self) -> String {
        format!(" # {} hook", self.owner)
    }

    /// A whole file. What was there before it is run from beside it.
    pub(super) fn file_text(&self, hook: &Hook, binary: &str) -> String {
        let Hook { name, .. } = hook;
        let (owner, words, seconds) = (self.owner, self.words, self.seconds_max);
        let mark = self.file_mark();
        let refusal = if hook.may_refuse { "[ $? -ne 1 ] || exit 1" } else { ":" };
        let (keep, give, chain) = if hook.input {
            ("input=$(cat; echo .)\ninput=${input%.}\n", "printf %s \"$input\" | ", "printf %s \"$input\" | \"$chained\" \"$@\"")
        } else {
            ("", "", "exec \"$chained\" \"$@\"")
        };
        let silence = if hook.input { "" } else { " </dev/null" };
        format!(
            "#!/bin/sh\n\
             {mark} written by {owner}, which rewrites it and takes it away again. A hook that was here before is run as {name}.chained.\n\
             bin={bin}\n\
             chained=\"$0.chained\"\n\
             limit=\n\
             command -v timeout >/dev/null 2>&1 && limit='timeout {seconds}'\n\
             {keep}\
             if [ -x \"$bin\" ]; then\n\
             \t{give}$limit \"$bin\" {words} {name} \"$@\"{silence} || {refusal}\n\
             fi\n\
             [ -x \"$chained\" ] || exit 0\n\
             {chain}\n",
            bin = quoted(binary),
        )
    }

    /// The program that a file of ours calls.
    pub(super) fn binary_in(&self, text: &str) -> Option<PathBuf> {
        let value = text.lines().find_map(|line| line.strip_prefix("bin="))?;
        unquoted(value).map(PathBuf::from)
    }

    /// One command for the configuration. Git puts `"$@"` behind it when there are arguments, so it ends in a name that takes them.
    pub(super) fn command(&self, hook: &Hook, binary: &str) -> String {
        let bin = quoted(binary);
        let (words, name, seconds) = (self.words, hook.name, self.seconds_max);
        let silence = if hook.input { "" } else { " </dev/null" };
        let refusal = if hook.may_refuse { "[ $? -ne 1 ]" } else { ":" };
        format!(
            "hook() {{ bin={bin}; [ -x \"$bin\" ] || return 0; limit=; command -v timeout >/dev/null 2>&1 && limit='timeout {seconds}'; \
             $limit \"$bin\" {words} {name} \"$@\"{silence} || {refusal}; }}; hook"
        )
    }

    /// The program that a command of ours calls.
    pub(super) fn binary_of(&self, command: &str) -> Option<PathBuf> {
        let value = command.strip_prefix("hook() { bin=")?;
        let (value, _) = value.split_once("; [ -x")?;
        unquoted(value).map(PathBuf::from)
    }

    /// One line for a committed file: it finds the program in this clone's configuration, and does nothing where there is none.
    /// It holds under `set -e`, and leaves the hook's input to what follows.
    pub(super) fn line_text(&self, hook: &Hook) -> String {
        let (owner, words, name, mark) = (self.owner, self.words, hook.name, self.line_mark());
        let find = format!("if hook_bin=$(git config {owner}.bin) && [ -x \"$hook_bin\" ]");
        let refusal = if hook.may_refuse { "[ $? -ne 1 ] || exit 1" } else { ":" };
        if hook.input {
            format!(
                "{find} && hook_in=$(mktemp); then cat >\"$hook_in\"; \"$hook_bin\" {words} {name} \"$@\" <\"$hook_in\" || {refusal}; \
                 exec <\"$hook_in\"; rm -f \"$hook_in\"; fi{mark}"
            )
        } else {
            format!("{find}; then \"$hook_bin\" {words} {name} \"$@\" </dev/null || {refusal}; fi{mark}")
        }
    }
}

/// A word no shell looks into.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// What [`quoted`] was given.
fn unquoted(text: &str) -> Option<String> {
    Some(text.strip_prefix('\'')?.strip_suffix('\'')?.replace(r"'\''", "'"))
}
