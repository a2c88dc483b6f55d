//! What an update asks of the board: commands in their fixed order, each with the same fence and a key of its own.

use super::{Args, End};
use contracts::command::{Block, Cancel, Close, Command, Comment, Edit, Question, Release, Review, Submit, Unblock};
use contracts::standing::Verdict;
use contracts::text::Note;
use contracts::{BlockerId, Code, CommandRequest, Hint, Key, Problem, TaskId, limits};

/// The batch: edits with checklist answers, blocks, unblocks, comment, question, verdict, status.
pub(super) fn requests(args: &Args) -> Result<Vec<CommandRequest>, Problem> {
    goes_together(args)?;
    let commands = commands(args)?;
    if commands.is_empty() {
        let legal = "comment, status, criteria, blocked_on, blocker, unblock, question, verdict, files, labels, complexity";
        let example = format!(r#"update {{"comment":"<what matters>","task":"{}"}}"#, args.task);
        return Err(Problem::bad_request("", format!("Nothing to do; give at least one of {legal}")).hint(Hint::text(example)));
    }
    if commands.len() > limits::COMMANDS_IN_BATCH_MAX {
        let title = format!("The update makes {} changes, the limit is {}", commands.len(), limits::COMMANDS_IN_BATCH_MAX);
        return Err(Problem::new(Code::TooLarge, title).hint(Hint::text("split it into several calls")));
    }
    let request = |(place, command): (usize, Command)| CommandRequest {
        command,
        key: args.key.as_ref().map(|key| derived(key, &(place + 1).to_string())),
        expect: None,
        fence: args.fence,
    };
    Ok(commands.into_iter().enumerate().map(request).collect())
}

/// Refuses arguments that would be ignored beside each other.
fn goes_together(args: &Args) -> Result<(), Problem> {
    let refuse = |path: &str, text: &str, hint: &str| Err(Problem::bad_request(path, text).hint(Hint::text(hint)));
    let ends = args.status.is_some();
    if args.no_code == Some(true) && !matches!(args.status, Some(End::Done | End::Submitted)) {
        return refuse("no_code", "goes with status done or submitted", "add \"status\":\"done\", or leave no_code out");
    }
    if args.choices.is_some() && args.question.is_none() {
        return refuse("choices", "go with a question", "add \"question\", or leave choices out");
    }
    if args.next == Some(true) && !matches!(args.status, Some(End::Done | End::Submitted | End::Released)) {
        return refuse("next", "goes with status done, submitted or released", "leave next out, or call next {} after this");
    }
    if args.mentions.as_ref().is_some_and(|list| !list.is_empty()) {
        if args.status == Some(End::Cancelled) && args.verdict.is_none() {
            return refuse("mentions", "do not go with status cancelled", "name the actors with @ in the comment");
        }
        if args.comment.is_none() && !ends && args.verdict.is_none() {
            return refuse("mentions", "go with a comment, a status or a verdict", "add \"comment\":\"<what they shall know>\"");
        }
    }
    Ok(())
}

fn commands(args: &Args) -> Result<Vec<Command>, Problem> {
    let task = || args.task.clone();
    let note = || args.comment.clone().unwrap_or_default();
    let mentions = || args.mentions.clone().unwrap_or_default();
    let no_code = args.no_code.unwrap_or(false);
    let mut commands = Vec::new();

    let edit = Edit {
        files: args.files.clone(),
        labels: args.labels.clone(),
        complexity: args.complexity.map(Some),
        answers: args.criteria.clone().unwrap_or_default(),
        ..Edit::of(task())
    };
    if edit != Edit::of(task()) {
        commands.push(Command::Edit(edit));
    }
    if let Some(on) = args.blocked_on.clone().filter(|on| !on.is_empty()) {
        commands.push(Command::Block(Block { task: task(), on, reason: None }));
    }
    if let Some(reason) = args.blocker.clone() {
        commands.push(Command::Block(Block { task: task(), on: Vec::new(), reason: Some(reason) }));
    }
    for (place, id) in args.unblock.iter().flatten().enumerate() {
        commands.push(Command::Unblock(unblock(task(), place, id)?));
    }
    if args.status.is_none()
        && args.verdict.is_none()
        && let Some(text) = args.comment.clone()
    {
        commands.push(Command::Comment(Comment { task: task(), text, mentions: mentions(), reply_to: None }));
    }
    if let Some(text) = args.question.clone() {
        commands.push(Command::Question(Question { task: task(), text, choices: args.choices.clone().unwrap_or_default() }));
    }
    if args.verdict.is_some() {
        commands.push(Command::Review(Review { task: task(), verdict: Verdict::Changes, note: note(), mentions: mentions() }));
    }
    commands.extend(args.status.map(|status| match status {
        End::Done => Command::Close(Close { task: task(), note: note(), no_code, criteria: Vec::new(), unpushed: None, mentions: mentions() }),
        End::Submitted => Command::Submit(Submit { task: task(), note: note(), no_code, mentions: mentions() }),
        End::Released => Command::Release(Release { task: task(), note: note(), mentions: mentions() }),
        End::Cancelled => Command::Cancel(Cancel { task: task(), note: note(), with_children: false }),
    }));
    Ok(commands)
}

fn unblock(task: TaskId, place: usize, id: &str) -> Result<Unblock, Problem> {
    let none = Unblock { task, on: None, blocker: None, note: Note::default() };
    match (TaskId::parse(id), BlockerId::parse(id)) {
        (Ok(on), _) => Ok(Unblock { on: Some(on), ..none }),
        (_, Ok(blocker)) => Ok(Unblock { blocker: Some(blocker), ..none }),
        _ => Err(Problem::bad_request(format!("unblock[{place}]"), format!("{id:?} is neither a task (tk-000000) nor a blocker (bl-00000000)"))),
    }
}

/// A key for one part of a keyed call: `<key>.<part>`, a long key shortened to its beginning and a digest.
pub(super) fn derived(key: &Key, part: &str) -> Key {
    let whole = format!("{}.{part}", key.as_str());
    if let Ok(key) = Key::parse(&whole) {
        return key;
    }
    // FNV-1a: an actor's own keys only need to be told apart, and the beginning stays readable.
    let digest = key.as_str().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    Key::parse(&format!("{}~{digest:016x}.{part}", &key.as_str()[..40])).unwrap_or_else(|_| key.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use contracts::command::parse_args;
    use serde_json::{Value, json};

    fn named(args: Value) -> Result<Vec<&'static str>, String> {
        let args: Args = parse_args(args).map_err(|problem| problem.to_string())?;
        requests(&args).map(|requests| requests.iter().map(|request| request.command.name()).collect()).map_err(|problem| problem.title)
    }

    #[test]
    fn commands_come_in_one_order() {
        let all = json!({"task": "tk-4f2a9c", "comment": "done it all", "status": "submitted", "verdict": "changes", "question": "3 or 9?",
            "unblock": ["tk-000001", "bl-00000001"], "blocker": "a key", "blocked_on": ["tk-000002"], "criteria": [{"i": 1, "met": true}], "files": ["a.rs"]});
        assert_eq!(named(all).unwrap(), ["edit", "block", "block", "unblock", "unblock", "question", "review", "submit"]);
        assert_eq!(named(json!({"task": "tk-4f2a9c", "comment": "x", "question": "y"})).unwrap(), ["comment", "question"]);
    }

    #[test]
    fn what_would_be_ignored_is_refused() {
        for (args, said) in [
            (json!({}), "Nothing to do"),
            (json!({"blocked_on": []}), "Nothing to do"),
            (json!({"comment": "x", "no_code": true}), "no_code: goes with"),
            (json!({"comment": "x", "next": true}), "next: goes with"),
            (json!({"status": "cancelled", "comment": "x", "next": true}), "next: goes with"),
            (json!({"mentions": ["dev:ana"], "files": ["a"]}), "mentions: go with"),
            (json!({"comment": "x", "choices": ["yes"]}), "choices: go with a question"),
            (json!({"unblock": ["x"]}), "unblock[0]"),
            (json!({"status": "closed"}), "status: unknown variant"),
            (json!({"unblock": vec!["tk-000001"; 101]}), "The update makes 101 changes"),
        ] {
            let Value::Object(mut args) = args else { panic!() };
            args.insert("task".into(), "tk-4f2a9c".into());
            let refused = named(Value::Object(args)).unwrap_err();
            assert!(refused.starts_with(said), "{refused}");
        }
    }

    #[test]
    fn keys_stay_within_their_limit_and_apart() {
        let key = Key::parse("k1").unwrap();
        assert_eq!(derived(&key, "2").as_str(), "k1.2");
        let (one, two) = (Key::parse(&"a".repeat(80)).unwrap(), Key::parse(&format!("{}b", "a".repeat(79))).unwrap());
        assert_ne!(derived(&one, "1"), derived(&two, "1"));
        assert_ne!(derived(&one, "1"), derived(&one, "2"));
        assert_eq!(derived(&one, "1"), derived(&one, "1"));
    }
}
