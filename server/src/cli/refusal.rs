//! A refusal on the command line: `error:` and `hint:` on stderr, or the problem as a document, and the exit code of its code.

use super::out::{Manner, Out};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use contracts::{Code, Hint, Problem};

/// Says what is wrong and the way out; gives the exit code.
pub fn refuse(manner: Manner, problem: &Problem) -> u8 {
    let mut out = Out::new(manner);
    if manner.json {
        // What can't be written has no other place to be said.
        let _ = out.document(&problem.document(problem.hint.for_cli())).and_then(|()| out.flush());
    } else {
        out.tell(&text(problem));
    }
    problem.code.exit()
}

/// `error: <title> (<code>)`, what there is to add, `hint: <call>`.
fn text(problem: &Problem) -> String {
    let mut lines = vec![format!("error: {} ({})", super::text::flat(&problem.title), problem.code)];
    lines.extend(problem.detail.lines().map(|line| format!("  {line}")));
    let told = |path: &str, text: &str| problem.title == text || problem.title == format!("{path}: {text}");
    for error in problem.errors.iter().filter(|error| !told(&error.path, &error.text)) {
        lines.push(format!("  {}: {}", error.path, super::text::flat(&error.text)));
    }
    if let Some(incident) = &problem.incident {
        lines.push(format!("  incident {incident}"));
    }
    let hint = problem.hint.for_cli();
    if !hint.is_empty() {
        lines.push(format!("hint: {}", super::text::flat(&hint)));
    }
    lines.join("\n")
}

/// A line that can't be read as a command, in our own form. `None` when it only asked for help or the version. `words` are the line's.
pub fn usage(fault: &clap::Error, words: &[String]) -> Option<Problem> {
    if !fault.use_stderr() {
        return None;
    }
    let said = fault.render().to_string();
    let mut paragraphs = said.split("\n\n");
    let first = paragraphs.next().unwrap_or_default();
    if !first.starts_with("error:") {
        // Help, shown because nothing was asked for.
        return Some(Problem::new(Code::BadRequest, "a command is missing").hint(Hint::text("callboard --help lists them")));
    }
    let title = super::text::flat(first.trim_start_matches("error:"));
    let rest: Vec<&str> = paragraphs.collect();
    let tip = rest.iter().flat_map(|part| part.lines()).find_map(|line| line.trim().strip_prefix("tip: "));
    let usage = rest.iter().flat_map(|part| part.lines()).find_map(|line| line.trim().strip_prefix("Usage: "));
    let told = || tip.or(usage).map(str::to_owned);
    let hint = meant(fault, words).or_else(told).or_else(|| about_value(fault)).unwrap_or_else(|| format!("{} --help", command_of(words)));
    Some(Problem::new(Code::BadRequest, title).hint(Hint::text(hint)))
}

/// The call that was most likely meant, where that is clearer than what the parser guesses.
fn meant(fault: &clap::Error, words: &[String]) -> Option<String> {
    match fault.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = said(fault, ContextKind::InvalidSubcommand)?;
            let of_tasks = super::definition().find_subcommand("tasks").is_some_and(|tasks| tasks.find_subcommand(word).is_some());
            match (crate::cli::words::task(word), word) {
                (Ok(id), _) => Some(format!("callboard tasks show {id}")),
                (_, "delete" | "rm" | "remove") => Some("nothing is deleted: callboard tasks cancel ID -m '<why>'".to_owned()),
                _ if of_tasks && command_of(words) == "callboard" => Some(of_a_task(word, words)),
                _ => None,
            }
        }
        ErrorKind::UnknownArgument => {
            let text = said(fault, ContextKind::InvalidArg).filter(|text| !text.starts_with('-'))?;
            let command = command_of(words);
            let takes_text = path_of(words).1.get_arguments().any(|argument| argument.get_long() == Some("message"));
            takes_text.then(|| format!("its text goes behind -m: {command} … -m '{}'", text.replace('\'', "'\\''")))
        }
        _ => None,
    }
}

/// The line as it was typed, as a command of `tasks`; where it is not whole, what shows the rest.
fn of_a_task(word: &str, words: &[String]) -> String {
    let rest: Vec<String> = words.iter().skip_while(|other| *other != word).skip(1).cloned().collect();
    let line: Vec<String> = ["tasks", word].map(str::to_owned).into_iter().chain(rest.iter().cloned()).collect();
    if super::reads(&line).is_err() {
        return format!("callboard tasks {word} --help");
    }
    let quoted = rest.iter().map(|word| if word.contains([' ', '\'', '"']) { format!(" '{}'", word.replace('\'', "'\\''")) } else { format!(" {word}") });
    format!("callboard tasks {word}{}", quoted.collect::<String>())
}

/// A hint for a name that fits several: the call that shows the first of them.
pub fn with_more(call: &str) -> String {
    format!("give more of it; {call} shows the first of them")
}

/// Where the values of the argument at fault are listed.
fn about_value(fault: &clap::Error) -> Option<String> {
    let argument = said(fault, ContextKind::InvalidArg)?.split(' ').next()?;
    let place = match argument {
        "--milestone" => "callboard milestone list shows them",
        "<ID>" | "--after" | "--blocks" | "--parent" | "--task" | "--on" => "callboard tasks shows their ids",
        "--assignee" | "--to" | "<ACTOR>" => "callboard actors shows who is here",
        _ => return None,
    };
    Some(place.to_owned())
}

fn said(fault: &clap::Error, kind: ContextKind) -> Option<&str> {
    match fault.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

/// The command that a line names, as far as it names one: `callboard tasks show`.
fn command_of(words: &[String]) -> String {
    path_of(words).0
}

fn path_of(words: &[String]) -> (String, clap::Command) {
    let (mut path, mut command) = ("callboard".to_owned(), super::definition());
    for word in words {
        let Some(inner) = command.find_subcommand(word).cloned() else { continue };
        path = format!("{path} {}", inner.get_name());
        command = inner;
    }
    (path, command)
}

#[cfg(test)]
mod tests {
    use super::*;
    use contracts::{Call, FieldError};

    #[test]
    fn a_refusal_names_the_call_that_works() {
        let problem = Problem::new(Code::NeedsReason, "a close without code needs a note")
            .hint(Hint::call(Call::new("close").with("task", "tk-4f2a9c").with("note", "<what was done>").with("no_code", true)));
        insta::assert_snapshot!(text(&problem), @r"
        error: a close without code needs a note (needs_reason)
        hint: callboard tasks done tk-4f2a9c -m '<what was done>' --no-code
        ");
        assert_eq!(problem.document(String::new())["type"], "urn:callboard:needs_reason");
        assert_eq!(problem.document(String::new())["status"], 422);
    }

    #[test]
    fn faults_of_a_plan_stand_at_their_paths() {
        let error = |path: &str, text: &str| FieldError { path: path.to_owned(), text: text.to_owned() };
        let problem = Problem::new(Code::BadRequest, "2 of the plan's tasks can't be read")
            .errors(vec![error("tasks[0].title", "title is empty"), error("tasks[2].after[0]", "expected an index")]);
        insta::assert_snapshot!(text(&problem), @r"
        error: 2 of the plan's tasks can't be read (bad_request)
          tasks[0].title: title is empty
          tasks[2].after[0]: expected an index
        ");
        insta::assert_snapshot!(text(&Problem::bad_request("due", "no date")), @"error: due: no date (bad_request)");
    }
}
