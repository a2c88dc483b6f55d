//! The fields of a milestone as flags: add and edit.

use super::write;
use crate::cli::desk::Desk;
use crate::cli::tasks::{AnswerArgs, yes_or_no};
use contracts::command::{MilestoneCreate, MilestoneEdit};
use contracts::text::{CriterionText, Goal, MilestoneTitle};
use contracts::{Command, MilestoneId, Moment, Problem};

/// What `add` and `edit` have in common.
#[derive(Debug, clap::Args)]
struct FieldArgs {
    /// Say what is reached when it is closed, in markdown
    #[arg(long, value_name = "TEXT", value_parser = Goal::parse)]
    goal: Option<Goal>,
    /// Give a rule that travels with every task; may be given several times
    #[arg(long, value_name = "TEXT", value_parser = CriterionText::parse)]
    rule: Vec<CriterionText>,
    /// Add an item to the checklist; may be given several times
    #[arg(long, value_name = "TEXT", value_parser = CriterionText::parse)]
    criteria: Vec<CriterionText>,
    /// Say whether its tasks need a review
    #[arg(long, value_name = "yes|no", value_parser = yes_or_no, num_args = 0..=1, default_missing_value = "yes", require_equals = true)]
    reviews: Option<bool>,
    /// Give the day (its end, in the project's zone) or the instant it is due
    #[arg(long, value_name = "DATE")]
    due: Option<String>,
}

impl FieldArgs {
    async fn due_at(&self, desk: &mut Desk) -> Result<Option<Moment>, Problem> {
        match &self.due {
            Some(raw) => desk.when().await?.due(raw).map(Some).map_err(|fault| Problem::bad_request("--due", fault)),
            None => Ok(None),
        }
    }
}

/// Arguments of `milestone add`.
#[derive(Debug, clap::Args)]
pub struct AddArgs {
    /// Say in one line what is to be reached
    #[arg(value_name = "TITLE", value_parser = MilestoneTitle::parse)]
    title: MilestoneTitle,
    #[command(flatten)]
    fields: FieldArgs,
}

/// Creates it.
pub async fn add(desk: &mut Desk, args: AddArgs) -> Result<(), Problem> {
    let due_at = args.fields.due_at(desk).await?;
    let FieldArgs { goal, rule, criteria, reviews, .. } = args.fields;
    let create =
        MilestoneCreate { title: args.title.clone(), goal: goal.unwrap_or_default(), rules: rule, criteria, reviews: reviews.unwrap_or_default(), due_at };
    write(desk, Command::MilestoneCreate(create), args.title.as_str()).await
}

/// Arguments of `milestone edit`.
#[derive(Debug, clap::Args)]
pub struct EditArgs {
    /// Which milestone
    #[arg(value_name = "ID", value_parser = crate::cli::words::milestone)]
    id: MilestoneId,
    /// Give another title
    #[arg(long, value_name = "TITLE", value_parser = MilestoneTitle::parse)]
    title: Option<MilestoneTitle>,
    #[command(flatten)]
    fields: FieldArgs,
    /// Take all rules away
    #[arg(long, conflicts_with = "rule")]
    no_rules: bool,
    /// Empty the checklist
    #[arg(long, conflicts_with = "criteria")]
    no_criteria: bool,
    /// Take the due date away
    #[arg(long, conflicts_with = "due")]
    no_due: bool,
    #[command(flatten)]
    answers: AnswerArgs,
}

/// Changes what was named.
pub async fn edit(desk: &mut Desk, args: EditArgs) -> Result<(), Problem> {
    let due_at = args.fields.due_at(desk).await?.map(Some).or(args.no_due.then_some(None));
    let FieldArgs { goal, rule, criteria, reviews, .. } = args.fields;
    let edit = MilestoneEdit {
        milestone: args.id,
        title: args.title,
        goal,
        rules: (args.no_rules || !rule.is_empty()).then_some(rule),
        criteria: (args.no_criteria || !criteria.is_empty()).then_some(criteria),
        answers: args.answers.answers(),
        reviews,
        due_at,
    };
    let named = edit.title.is_some()
        || edit.goal.is_some()
        || edit.rules.is_some()
        || edit.criteria.is_some()
        || !edit.answers.is_empty()
        || edit.reviews.is_some()
        || edit.due_at.is_some();
    if !named {
        return Err(Problem::bad_request("", "an edit names at least one field"));
    }
    write(desk, Command::MilestoneEdit(edit), "changed").await
}
