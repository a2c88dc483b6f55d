//! `callboard tasks edit`: fields by their flags, at least one.

use super::fields::FieldArgs;
use crate::cli::desk::Desk;
use contracts::command::{CriterionAnswer, Edit};
use contracts::text::CriterionNote;
use contracts::{Actor, Call, Command, Hint, Problem, TaskId, Title};

/// Arguments of `tasks edit`.
#[derive(Debug, clap::Args)]
pub struct EditArgs {
    /// Which task
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    id: TaskId,
    /// Give another title
    #[arg(long, value_name = "TITLE", value_parser = Title::parse)]
    title: Option<Title>,
    #[command(flatten)]
    fields: FieldArgs,
    /// Take all labels off
    #[arg(long, conflicts_with = "label")]
    no_labels: bool,
    /// Name no files
    #[arg(long, conflicts_with = "files")]
    no_files: bool,
    /// Empty the checklist
    #[arg(long, conflicts_with = "criteria")]
    no_criteria: bool,
    /// Name no area
    #[arg(long, conflicts_with = "vertical")]
    no_vertical: bool,
    /// Give no size
    #[arg(long, conflicts_with = "complexity")]
    no_complexity: bool,
    /// Take it out of its milestone
    #[arg(long, conflicts_with = "milestone")]
    no_milestone: bool,
    /// Make it a part of nothing
    #[arg(long, conflicts_with = "parent")]
    no_parent: bool,
    /// Take the due date away
    #[arg(long, conflicts_with = "due")]
    no_due: bool,
    /// Inherit whether it needs a review
    #[arg(long, conflicts_with = "review")]
    no_review: bool,
    #[command(flatten)]
    answers: AnswerArgs,
    /// Refuse when the task's version is no longer N
    #[arg(long, value_name = "N")]
    expect: Option<i64>,
    #[arg(long, hide = true, value_parser = crate::cli::words::task, value_delimiter = ',')]
    after: Vec<TaskId>,
    #[arg(long, hide = true, value_parser = crate::cli::words::task, value_delimiter = ',')]
    blocks: Vec<TaskId>,
    #[arg(long, hide = true, value_parser = Actor::parse)]
    assignee: Option<Actor>,
}

/// Answers to a checklist.
#[derive(Debug, Default, clap::Args)]
pub struct AnswerArgs {
    /// Answer item N of the checklist with yes, N=NOTE to say where to see it
    #[arg(long, value_name = "N[=NOTE]", value_parser = numbered)]
    met: Vec<(u32, Option<CriterionNote>)>,
    /// Answer item N with no, N=NOTE to say why
    #[arg(long, value_name = "N[=NOTE]", value_parser = numbered)]
    unmet: Vec<(u32, Option<CriterionNote>)>,
    /// Take the answer to item N back
    #[arg(long, value_name = "N")]
    unanswer: Vec<u32>,
}

impl AnswerArgs {
    /// In the order of the items.
    pub fn answers(self) -> Vec<CriterionAnswer> {
        let answer = |met| move |(i, note)| CriterionAnswer { i, met, note };
        let taken_back = self.unanswer.into_iter().map(|i| CriterionAnswer { i, met: None, note: None });
        let mut answers: Vec<CriterionAnswer> =
            self.met.into_iter().map(answer(Some(true))).chain(self.unmet.into_iter().map(answer(Some(false)))).chain(taken_back).collect();
        answers.sort_by_key(|answer| answer.i);
        answers
    }
}

fn numbered(raw: &str) -> Result<(u32, Option<CriterionNote>), String> {
    let (number, note) = raw.split_once('=').map_or((raw, None), |(number, note)| (number, Some(note)));
    let number = number.trim().parse().map_err(|_| format!("{raw:?} does not begin with the number of an item"))?;
    Ok((number, note.map(CriterionNote::parse).transpose()?))
}

/// Changes what was named.
pub async fn run(desk: &mut Desk, args: EditArgs) -> Result<(), Problem> {
    elsewhere(&args)?;
    let spec = args.fields.spec()?;
    let due_at = match (&args.fields.due, args.no_due) {
        (Some(raw), _) => Some(Some(desk.when().await?.due(raw).map_err(|fault| Problem::bad_request("--due", fault))?)),
        (None, no_due) => no_due.then_some(None),
    };
    let fields = args.fields;
    let edit = Edit {
        title: args.title,
        spec,
        kind: fields.kind,
        priority: fields.priority,
        vertical: clearable(fields.vertical, args.no_vertical),
        complexity: clearable(fields.complexity, args.no_complexity),
        labels: list(fields.label, args.no_labels),
        milestone: clearable(fields.milestone, args.no_milestone),
        parent: clearable(fields.parent, args.no_parent),
        files: list(fields.files, args.no_files),
        criteria: list(fields.criteria, args.no_criteria),
        answers: args.answers.answers(),
        due_at,
        review: clearable(fields.review, args.no_review),
        ..Edit::of(args.id.clone())
    };
    if edit == Edit::of(args.id.clone()) {
        let example = Call::new("edit").with("task", args.id.as_str()).with("priority", 1);
        return Err(Problem::bad_request("", "an edit names at least one field").hint(Hint::call(example)));
    }
    let request = contracts::CommandRequest { expect: args.expect, ..contracts::CommandRequest::of(Command::Edit(edit)) };
    let receipt = desk.board.execute(request).await?;
    let row = desk.outcome(&receipt);
    let row = match receipt.events.len() {
        0 => row.dim("  nothing changed: it is so already"),
        changed => row.dim(format!("  {} changed", crate::cli::text::count(i64::try_from(changed).unwrap_or(0), "field"))),
    };
    desk.say(&receipt, row).await
}

/// Three fields have commands of their own.
fn elsewhere(args: &EditArgs) -> Result<(), Problem> {
    let task = args.id.as_str();
    let (flag, call) = if !args.after.is_empty() {
        ("--after", Call::new("block").with("task", task).with("on", "<id>"))
    } else if !args.blocks.is_empty() {
        ("--blocks", Call::new("block").with("task", "<id>").with("on", task))
    } else if let Some(assignee) = &args.assignee {
        ("--assignee", Call::new("assign").with("task", task).with("to", assignee.as_str()))
    } else {
        return Ok(());
    };
    Err(Problem::bad_request(flag, "has a command of its own").hint(Hint::call(call)))
}

fn clearable<T>(value: Option<T>, cleared: bool) -> Option<Option<T>> {
    value.map(Some).or(cleared.then_some(None))
}

fn list<T>(values: Vec<T>, emptied: bool) -> Option<Vec<T>> {
    (emptied || !values.is_empty()).then_some(values)
}
