//! A refusal as text: the code, what is wrong, where, and the exact call that would work.

use super::fit::{List, Oldest, fit};
use super::safe::{clean, cut, line};
use contracts::{Problem, limits};

/// `refused (code): title`, the detail, faults at their paths, `next: …`.
pub(crate) fn text(problem: &Problem) -> String {
    let mut head = format!("refused ({}): {}", problem.code, line(&problem.title, 700));
    if !problem.detail.is_empty() {
        head.push('\n');
        head.push_str(&cut(&clean(&problem.detail), 1_000).0);
    }
    if let Some(incident) = &problem.incident {
        head.push_str(&format!("\nincident: {}", line(incident, 100)));
    }
    let hint = problem.hint.for_mcp();
    let next = if hint.is_empty() { String::new() } else { format!("next: {}", line(&hint, 1_200)) };

    let mut faults = List::new("", Oldest::Last, "mend these and send it again");
    let told = |path: &str, text: &str| problem.errors.len() == 1 && problem.title == format!("{path}: {text}");
    for error in problem.errors.iter().filter(|error| !error.path.is_empty() && !told(&error.path, &error.text)) {
        faults.items.push(format!("- {}: {}", line(&error.path, 200), line(&error.text, 400)));
    }
    fit(&mut [&mut faults], limits::MCP_ANSWER_BYTES.saturating_sub(head.len() + next.len() + 8));
    [head, faults.text(), next].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use contracts::{Call, Code, FieldError, Hint};

    #[test]
    fn a_refusal_says_what_is_wrong_and_the_way_out() {
        let problem = Problem::new(Code::LeaseHeld, "agent:bo/w1 holds tk-4f2a9c")
            .detail("Its lease ends at 14:20 UTC.")
            .hint(Hint::call(Call::new("message").with("task", "tk-4f2a9c").with("to", vec!["agent:bo/w1"]).with("text", "<text>")).or(Call::new("next")));
        insta::assert_snapshot!(text(&problem), @r#"
        refused (lease_held): agent:bo/w1 holds tk-4f2a9c
        Its lease ends at 14:20 UTC.
        next: update {"comment":"<text>","mentions":["agent:bo/w1"],"task":"tk-4f2a9c"} or next {}
        "#);
    }

    #[test]
    fn faults_stand_at_their_paths_and_within_the_budget() {
        let error = |place: usize| FieldError { path: format!("tasks[{place}].after[0]"), text: format!("no task tk-00000{place}\u{202e}") };
        let problem = Problem::new(Code::BadRequest, "2 of the plan's tasks can't be read").errors(vec![error(1), error(3)]);
        insta::assert_snapshot!(text(&problem), @r"
        refused (bad_request): 2 of the plan's tasks can't be read
        - tasks[1].after[0]: no task tk-000001\u{202e}
        - tasks[3].after[0]: no task tk-000003\u{202e}
        ");
        let long = FieldError { path: "a".repeat(500), text: "b".repeat(5_000) };
        let problem = Problem::new(Code::BadRequest, "x".repeat(9_000)).detail("y".repeat(9_000)).errors(vec![long; 20]);
        assert!(text(&problem).len() <= limits::MCP_ANSWER_BYTES);
    }
}
