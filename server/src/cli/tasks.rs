//! `callboard tasks`: one file a group of subcommands; without one it lists.

mod add;
mod assign;
mod commits;
mod edges;
mod edit;
mod fields;
mod history;
mod list;
mod moves;
mod plan;
mod search;
mod talk;

pub use edit::AnswerArgs;
pub use fields::yes_or_no;
pub use list::table;
pub use moves::seconds;

use list::ListArgs;

use super::Exit;
use super::desk::Desk;
use clap::{Args, Subcommand};
use contracts::{Problem, TaskId};

/// Arguments of `tasks`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct TasksArgs {
    #[command(subcommand)]
    command: Option<TasksCommand>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Debug, Subcommand)]
enum TasksCommand {
    /// List tasks, the open ones unless told otherwise
    #[command(alias = "ls")]
    List(ListArgs),
    /// Show all of one task
    #[command(alias = "view")]
    Show(One),
    /// Create a task
    #[command(alias = "new", alias = "create")]
    Add(Box<add::AddArgs>),
    /// Change fields of a task
    Edit(Box<edit::EditArgs>),
    /// Create tasks from a JSON file, all or none
    Plan(plan::PlanArgs),
    /// Take a task
    #[command(alias = "start", alias = "take")]
    Claim(moves::ClaimArgs),
    /// Extend the lease on a task, or on all you hold
    Renew(moves::RenewArgs),
    /// Give a task back
    Release(moves::NoteArgs),
    /// Hand a task in for review
    Submit(moves::EvidenceArgs),
    /// Close a task as done
    #[command(visible_alias = "close")]
    Done(moves::DoneArgs),
    /// Close a task without delivery
    Cancel(moves::CancelArgs),
    /// Open a closed task again
    Reopen(moves::NoteArgs),
    /// Hold a task back
    Hold(moves::NoteArgs),
    /// Lift a hold
    Unhold(moves::NoteArgs),
    /// Say whom a task is for
    Assign(assign::AssignArgs),
    /// Judge a submission
    Review(moves::ReviewArgs),
    /// Ask what only a person settles
    Question(talk::QuestionArgs),
    /// Answer a question
    Answer(talk::AnswerArgs),
    /// Say something in a task's thread
    Comment(talk::CommentArgs),
    /// Make a task wait for others, or for something outside the board
    Block(edges::BlockArgs),
    /// Take a dependency away, or resolve a blocker
    Unblock(edges::UnblockArgs),
    /// Find tasks by words in ids, titles, specs, threads and commits
    Search(search::SearchArgs),
    /// Show a task's commits with their files, and what they change
    Commits(commits::CommitsArgs),
    /// Show everything that happened to a task
    Log(history::HistoryArgs),
}

/// A task by its id.
#[derive(Debug, Args)]
pub struct One {
    /// Which task
    #[arg(value_name = "ID", value_parser = crate::cli::words::task)]
    id: TaskId,
}

/// Runs one of them.
pub async fn run(desk: &mut Desk, args: TasksArgs) -> Result<Exit, Problem> {
    match args.command.unwrap_or(TasksCommand::List(args.list)) {
        TasksCommand::List(args) => list::run(desk, args).await?,
        TasksCommand::Show(One { id }) => super::show::task(desk, id).await?,
        TasksCommand::Add(args) => add::run(desk, *args).await?,
        TasksCommand::Edit(args) => edit::run(desk, *args).await?,
        TasksCommand::Plan(args) => plan::run(desk, args).await?,
        TasksCommand::Claim(args) => moves::claim(desk, args).await?,
        TasksCommand::Renew(args) => moves::renew(desk, args).await?,
        TasksCommand::Release(args) => desk.write(args.release()).await?,
        TasksCommand::Submit(args) => desk.write(args.submit()).await?,
        TasksCommand::Done(args) => desk.write(args.close()).await?,
        TasksCommand::Cancel(args) => desk.write(args.cancel()).await?,
        TasksCommand::Reopen(args) => desk.write(args.reopen()).await?,
        TasksCommand::Hold(args) => desk.write(args.hold()).await?,
        TasksCommand::Unhold(args) => desk.write(args.unhold()).await?,
        TasksCommand::Assign(args) => assign::run(desk, args).await?,
        TasksCommand::Review(args) => desk.write(args.review()).await?,
        TasksCommand::Question(args) => talk::question(desk, args).await?,
        TasksCommand::Answer(args) => talk::answer(desk, args).await?,
        TasksCommand::Comment(args) => talk::comment(desk, args).await?,
        TasksCommand::Block(args) => edges::block(desk, args).await?,
        TasksCommand::Unblock(args) => edges::unblock(desk, args).await?,
        TasksCommand::Search(args) => search::run(desk, args).await?,
        TasksCommand::Commits(args) => commits::run(desk, args).await?,
        TasksCommand::Log(args) => history::run(desk, args).await?,
    }
    Ok(Exit::Done)
}
