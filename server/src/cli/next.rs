//! `callboard next`: the next thing to do, claimed unless it is only a peek. Having none is an answer, not a failure.

use super::desk::Desk;
use super::out::Row;
use super::{Exit, inbox, show};
use contracts::text::Slug;
use contracts::view::{NextAnswer, NextRequest, Queue};
use contracts::{Label, Problem, TaskId};

/// Arguments of `next`.
#[derive(Debug, clap::Args)]
pub struct NextArgs {
    /// Take this task and no other
    #[arg(long, value_name = "ID", value_parser = crate::cli::words::task)]
    task: Option<TaskId>,
    /// Take one with this label; may be given several times
    #[arg(long, value_name = "L", value_parser = Label::parse, value_delimiter = ',')]
    label: Vec<Label>,
    /// Take one of this type
    #[arg(long = "type", value_name = "T", value_parser = Slug::parse)]
    kind: Option<Slug>,
    /// Take one of this milestone, by its id or exact title
    #[arg(long, value_name = "M")]
    milestone: Option<String>,
    /// Look without taking
    #[arg(long)]
    peek: bool,
    /// Hold it this long without a renewal: seconds, or 15m, 2h, 1d
    #[arg(long, value_name = "TIME", value_parser = super::tasks::seconds)]
    ttl: Option<i64>,
    /// End with 3 when there is nothing
    #[arg(long)]
    exit_code: bool,
}

/// Asks, and prints what came.
pub async fn run(desk: &mut Desk, args: NextArgs) -> Result<Exit, Problem> {
    let exit_code = args.exit_code;
    let NextArgs { task, label, kind, milestone, peek, ttl, .. } = args;
    let answer = desk.board.next(NextRequest { task, labels: label, kind, milestone, peek, key: None, ttl_s: ttl }).await?;
    let nothing = answer.task.is_none() && exit_code;
    if desk.out.manner.json {
        desk.out.document(&answer)?;
    } else {
        text(desk, &answer, peek).await?;
    }
    Ok(if nothing { Exit::Nothing } else { Exit::Done })
}

async fn text(desk: &mut Desk, answer: &NextAnswer, peek: bool) -> Result<(), Problem> {
    let when = desk.when().await?;
    if let Some(view) = &answer.task {
        show::answer(&mut desk.out, when, view, answer, peek);
        if peek {
            desk.out.notice("only a peek: nothing was taken or marked as read");
        }
    } else {
        if let Some(why) = &answer.why {
            desk.out.row(Row::new().strong("Nothing for you: ").plain(why.text.clone()));
            let next = why.next.for_cli();
            if !next.is_empty() {
                desk.out.row(Row::new().dim("next: ").plain(next));
            }
        }
        if !answer.inbox.is_empty() {
            desk.out.gap();
            inbox::rows(&mut desk.out, &when, &answer.inbox);
        }
    }
    for warning in &answer.warnings {
        desk.out.notice(&format!("note: {}", super::text::flat(&warning.text)));
    }
    let line = queue(&answer.queue, desk.out.dot());
    desk.out.gap();
    desk.out.row(Row::new().dim(line));
    Ok(())
}

/// The counts in one line.
fn queue(queue: &Queue, dot: &str) -> String {
    let Queue { ready, yours, working, waiting, blocked, needs_people, held, stalled, open } = queue;
    let counts = [
        (ready, "ready"),
        (yours, "yours"),
        (working, "working"),
        (waiting, "waiting"),
        (blocked, "blocked"),
        (needs_people, "for people"),
        (held, "held"),
        (stalled, "stalled"),
        (open, "open"),
    ];
    counts.iter().map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(&format!(" {dot} "))
}
