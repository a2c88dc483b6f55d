//! What is said about a task: comment, question, answer.

use crate::cli::desk::Desk;
use crate::cli::out::Row;
use contracts::command::{AnswerQuestion, Comment, Question};
use contracts::text::CriterionText;
use contracts::{Actor, Command, EventId, Note, Problem, QuestionId, TaskId};
use serde_json::Value;

/// Arguments of `tasks comment`.
#[derive(Debug, clap::Args)]
#[command(override_usage = "callboard tasks comment <ID> <TEXT>")]
#[command(group(clap::ArgGroup::new("what").required(true).args(["text", "message"])))]
pub struct CommentArgs {
    /// Which task
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    id: TaskId,
    /// Say this, in markdown
    #[arg(value_name = "TEXT", value_parser = Note::parse)]
    text: Option<Note>,
    /// The same, behind a flag
    #[arg(short = 'm', long, value_name = "TEXT", value_parser = Note::parse)]
    message: Option<Note>,
    /// Tell this actor, who reads it with its next call; may be given several times
    #[arg(long, value_name = "ACTOR", value_parser = Actor::parse, value_delimiter = ',')]
    to: Vec<Actor>,
    /// Answer this entry of the thread
    #[arg(long, value_name = "EVENT", value_parser = EventId::parse)]
    reply_to: Option<EventId>,
}

/// Says it.
pub async fn comment(desk: &mut Desk, args: CommentArgs) -> Result<(), Problem> {
    let CommentArgs { id, text, message, to, reply_to } = args;
    let text = text.or(message).unwrap_or_default(); // the parser sees to it that there is one
    let receipt = desk.execute(Command::Comment(Comment { task: id, text, mentions: to, reply_to })).await?;
    let row = Row::new().strong(receipt.subject.clone()).plain(" commented");
    desk.say(&receipt, row).await
}

/// Arguments of `tasks question`.
#[derive(Debug, clap::Args)]
pub struct QuestionArgs {
    /// Which task
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    id: TaskId,
    /// Ask this, in markdown
    #[arg(short = 'm', long = "message", value_name = "TEXT", value_parser = Note::parse)]
    text: Note,
    /// Offer this answer; may be given up to six times
    #[arg(long, value_name = "ANSWER", value_parser = CriterionText::parse)]
    choice: Vec<CriterionText>,
}

/// Asks it.
pub async fn question(desk: &mut Desk, args: QuestionArgs) -> Result<(), Problem> {
    let receipt = desk.execute(Command::Question(Question { task: args.id, text: args.text, choices: args.choice })).await?;
    let asked = receipt.data.get("question").and_then(Value::as_str).unwrap_or_default();
    let row = desk.outcome(&receipt).dim(format!("  asked {asked}"));
    desk.say(&receipt, row).await
}

/// Arguments of `tasks answer`.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("how").required(true).multiple(true).args(["text", "choice"])))]
pub struct AnswerArgs {
    /// Which question
    #[arg(value_name = "QUESTION", value_parser = QuestionId::parse)]
    question: QuestionId,
    /// Answer in words
    #[arg(short = 'm', long = "message", value_name = "TEXT", value_parser = Note::parse)]
    text: Option<Note>,
    /// Take one of the answers it offers, word for word
    #[arg(long, value_name = "ANSWER")]
    choice: Option<String>,
}

/// Answers it.
pub async fn answer(desk: &mut Desk, args: AnswerArgs) -> Result<(), Problem> {
    let AnswerArgs { question, text, choice } = args;
    desk.write(Command::Answer(AnswerQuestion { question, text: text.unwrap_or_default(), choice })).await
}
