//! A refusal on the command line: `error:` and `hint:` on stderr, or the problem as a document, and the exit code of its code.

use super::out::{Manner, Out};
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

/// A line that can't be read as a command, in our own form. `None` when it only asked for help or the version.
pub fn usage(fault: &clap::Error) -> Option<Problem> {
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
    let hint = match (tip, usage) {
        (Some(tip), _) => tip.to_owned(),
        (None, Some(usage)) => usage.to_owned(),
        (None, None) => "callboard --help lists every command".to_owned(),
    };
    Some(Problem::new(Code::BadRequest, title).hint(Hint::text(hint)))
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
