//! Commands that run another command: `env`, `timeout`, `sudo`, `xargs` and their like, taken off with their options.

use super::Directory;
use super::args::{Arg, Valued, options};
use super::words::UNKNOWN;

/// A command about to run, as far as wrappers tell.
#[derive(Clone, Debug)]
pub(super) struct Invocation {
    pub args: Vec<Arg>,
    pub variables: Vec<(String, Option<String>)>,
    pub directory: Directory,
    /// What it is given on stdin.
    pub stdin: Option<String>,
}

/// What is left when the wrappers are off.
pub(super) enum Peeled {
    Command(Invocation),
    /// `env -S`: text that is split into words, the rest of the command behind it.
    Split(Invocation, String),
    /// Nothing runs, as with `command -v`.
    Nothing,
}

const NONE: Valued = Valued { short: "", long: &[], last: &[] };

/// The options with values of each wrapper, and how many arguments come before the command.
fn wrapper(name: &str) -> Option<(Valued, usize)> {
    let valued = match name {
        "command" | "builtin" | "nohup" | "setsid" | "unbuffer" | "chronic" => NONE,
        "env" => Valued { short: "uCSP", long: &["unset", "chdir", "split-string"], last: &["S", "split-string"] },
        "exec" => Valued { short: "a", long: &[], last: &[] },
        "time" => Valued { short: "fo", long: &["format", "output"], last: &[] },
        "nice" => Valued { short: "n", long: &["adjustment"], last: &[] },
        "ionice" => Valued { short: "cn", long: &["class", "classdata"], last: &[] },
        "timeout" => return Some((Valued { short: "ks", long: &["kill-after", "signal"], last: &[] }, 1)),
        "sudo" => Valued {
            short: "ugpCDRTUrthac",
            long: &["user", "group", "prompt", "close-from", "chdir", "chroot", "command-timeout", "other-user", "role", "type", "host", "login-class"],
            last: &[],
        },
        "doas" => Valued { short: "uC", long: &[], last: &[] },
        "stdbuf" => Valued { short: "ioe", long: &["input", "output", "error"], last: &[] },
        "xargs" => Valued { short: "aIEnPLsd", long: &["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"], last: &[] },
        _ => return None,
    };
    Some((valued, 0))
}

/// Takes assignments and wrappers off the front.
pub(super) fn peel(mut call: Invocation) -> Peeled {
    take_assignments(&mut call);
    loop {
        let Some(name) = call.args.first().and_then(Arg::base_name).map(str::to_owned) else { return Peeled::Command(call) };
        let Some((valued, positional)) = wrapper(&name) else { return Peeled::Command(call) };
        let (found, taken) = options(&call.args[1..], &valued);
        let given = |names: &[&str]| found.iter().find(|(name, _)| names.contains(&name.as_str()));
        if name == "command" && given(&["v", "V"]).is_some() {
            return Peeled::Nothing;
        }
        let skipped = (1 + taken + positional).min(call.args.len());
        call.args.drain(..skipped);
        match name.as_str() {
            "env" => {
                if let Some((_, directory)) = given(&["C", "chdir"]) {
                    call.directory = call.directory.join(directory.as_ref().and_then(|arg| arg.text.as_deref()));
                }
                if let Some((_, text)) = given(&["S", "split-string"]) {
                    let text = text.as_ref().map(|arg| arg.script.clone()).unwrap_or_default();
                    return Peeled::Split(call, text);
                }
                if call.args.first().is_some_and(|arg| arg.text.as_deref() == Some("-")) {
                    call.args.remove(0);
                }
                take_assignments(&mut call);
            }
            "sudo" | "doas" => {
                if let Some((_, directory)) = given(&["D", "chdir"]) {
                    call.directory = call.directory.join(directory.as_ref().and_then(|arg| arg.text.as_deref()));
                }
                take_assignments(&mut call);
            }
            "xargs" => {
                let replaced = given(&["I", "replace", "i"]).map(|(_, value)| value.as_ref().and_then(|arg| arg.text.clone()));
                feed_from_input(&mut call, replaced);
            }
            _ => {}
        }
        if call.args.is_empty() {
            return Peeled::Nothing;
        }
    }
}

/// `xargs` puts what it reads behind the command, or wherever the mark stands.
fn feed_from_input(call: &mut Invocation, replaced: Option<Option<String>>) {
    call.stdin = None;
    match replaced {
        None => call.args.push(Arg::unknown()),
        Some(mark) => {
            let mark = mark.unwrap_or_else(|| String::from("{}"));
            for arg in &mut call.args {
                if !mark.is_empty() && arg.script.contains(&mark) {
                    *arg = Arg { text: None, script: arg.script.replace(&mark, UNKNOWN) };
                }
            }
        }
    }
}

fn take_assignments(call: &mut Invocation) {
    let mut taken = 0;
    while let Some(variable) = call.args.get(taken).and_then(Arg::assignment) {
        call.variables.push(variable);
        taken += 1;
    }
    call.args.drain(..taken);
}

/// The script that a shell is given by `-c`.
pub(super) fn shell_script(args: &[Arg]) -> Option<&Arg> {
    let mut given = false;
    let mut rest = args.iter().skip(1);
    while let Some(arg) = rest.next() {
        let text = arg.text.as_deref().unwrap_or_default();
        if matches!(text, "--rcfile" | "--init-file") {
            rest.next();
        } else if text == "--" || text == "-" {
            return rest.next().filter(|_| given);
        } else if text.starts_with(['-', '+']) {
            given |= text.starts_with('-') && !text.starts_with("--") && text.contains('c');
            if !text.starts_with("--") && text.contains(['o', 'O']) {
                rest.next();
            }
        } else {
            return Some(arg).filter(|_| given);
        }
    }
    None
}
