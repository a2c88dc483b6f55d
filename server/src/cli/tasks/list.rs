//! `callboard tasks list`: one line a task, cut to the terminal, then how many there are.

use crate::cli::desk::Desk;
use crate::cli::marks::{mark, tone};
use crate::cli::out::{Out, Row, Tone};
use crate::cli::text;
use crate::cli::words::Whom;
use contracts::standing::{Column, Standing};
use contracts::view::{BoardQuery, Counts, Page, TaskCard, TaskQuery};
use contracts::{Actor, Label, MilestoneId, Problem, limits};

/// Which tasks.
#[derive(Debug, Default, clap::Args)]
pub struct ListArgs {
    /// List closed tasks too
    #[arg(long)]
    all: bool,
    /// List tasks that stand so: needs_you, in_review, ready, assigned, changes, stalled, working, waiting, blocked, held, done,
    /// cancelled; may be given several times
    #[arg(long, value_name = "S", value_parser = Standing::parse, value_delimiter = ',')]
    standing: Vec<Standing>,
    /// List tasks with this label; may be given several times
    #[arg(long, value_name = "L", value_parser = Label::parse, value_delimiter = ',')]
    label: Vec<Label>,
    /// List tasks of this type
    #[arg(long = "type", value_name = "T")]
    kind: Option<String>,
    /// List tasks of this milestone
    #[arg(long, value_name = "M", value_parser = crate::cli::words::milestone)]
    milestone: Option<MilestoneId>,
    /// List tasks for this actor; me is you
    #[arg(long, value_name = "A", value_parser = Whom::parse)]
    assignee: Option<Whom>,
    /// List tasks that pass a filter: 'type = bug and stale_days >= 3'
    #[arg(long, value_name = "F")]
    filter: Option<String>,
    /// Print at most N tasks; 20 on a terminal, all in a pipe
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
}

/// Tasks on a terminal when nobody said how many.
const SHOWN_ON_TERMINAL: u32 = 20;

impl ListArgs {
    fn query(&self, me: &Actor) -> TaskQuery {
        TaskQuery {
            all: self.all,
            standing: self.standing.clone(),
            label: self.label.iter().map(|label| label.as_str().to_owned()).collect(),
            kind: self.kind.clone(),
            milestone: self.milestone.clone(),
            assignee: self.assignee.as_ref().map(|whom| whom.of(me)),
            filter: self.filter.clone().unwrap_or_default(),
            ..TaskQuery::default()
        }
    }

    fn is_narrowed(&self) -> bool {
        self.all
            || !self.standing.is_empty()
            || !self.label.is_empty()
            || self.kind.is_some()
            || self.milestone.is_some()
            || self.assignee.is_some()
            || self.filter.is_some()
    }
}

/// Prints the list. When nothing is open and nothing was asked for in particular, the closed ones.
pub async fn run(desk: &mut Desk, args: ListArgs) -> Result<(), Problem> {
    let manner = desk.out.manner;
    let limit = args.limit.or((manner.terminal && !manner.json).then_some(SHOWN_ON_TERMINAL));
    let mut page = pages(desk, args.query(&desk.actor), limit).await?;
    if page.total == 0 && !args.is_narrowed() {
        page = pages(desk, TaskQuery { closed: true, ..TaskQuery::default() }, limit).await?;
    }
    if manner.json {
        return desk.out.document(&page);
    }
    table(&mut desk.out, &page.items);
    let more = page.total - i64::try_from(page.items.len()).unwrap_or(page.total);
    if more > 0 {
        desk.out.row(Row::new().dim(format!("+{more} more")));
    }
    // The counts are of all columns, whichever is read.
    let counts = desk.board.board(BoardQuery { column: Some(Column::Ready), limit: Some(1), ..BoardQuery::default() }).await?.counts;
    if counts.all() == 0 {
        desk.out.notice("no tasks yet: callboard tasks add 'What is to be done'");
    } else {
        if page.items.is_empty() {
            desk.out.notice("no task is of this kind");
        }
        let line = summary(&counts, desk.out.dot());
        if !manner.quiet {
            desk.out.row(Row::new().dim(line));
        }
    }
    Ok(())
}

/// `12 open · 3 ready · 40 closed`.
pub fn summary(counts: &Counts, dot: &str) -> String {
    let closed = counts.at(Standing::Done) + counts.at(Standing::Cancelled);
    format!("{} open {dot} {} ready {dot} {closed} closed", counts.all() - closed, counts.at(Standing::Ready))
}

/// The list page by page, up to a limit.
async fn pages(desk: &Desk, query: TaskQuery, limit: Option<u32>) -> Result<Page<TaskCard>, Problem> {
    let most = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let mut list: Page<TaskCard> = Page::default();
    let mut cursor = None;
    loop {
        let room = (most - list.items.len()).min(limits::PAGE_ROWS_MAX);
        let page = desk.board.tasks(TaskQuery { cursor, limit: u32::try_from(room).ok(), ..query.clone() }).await?;
        let came = page.items.len();
        list = Page { items: list.items, total: page.total, next: page.next.clone(), seq: page.seq };
        list.items.extend(page.items);
        if page.next.is_none() || came == 0 || list.items.len() >= most {
            return Ok(list);
        }
        cursor = page.next;
    }
}

/// `○ tk-4f2a9c P1 ready    <title>  holder`, each column as wide as its widest, the title taking what is left.
pub fn table(out: &mut Out, cards: &[TaskCard]) {
    let standings = cards.iter().map(|card| text::width(card.standing.words())).max().unwrap_or(0);
    let terminal = out.manner.terminal;
    for card in cards {
        let who = who(card);
        let head = 2 + card.id.as_str().len() + 4 + standings + 2;
        let (title, who) = if terminal {
            let room = out.manner.columns.saturating_sub(head + if who.is_empty() { 0 } else { text::width(&who) + 2 }).max(10);
            (text::cut(&card.title, room, out.ellipsis()), if who.is_empty() { who } else { format!("  {who}") })
        } else {
            (card.title.clone(), if who.is_empty() { who } else { format!("  {who}") })
        };
        let urgent = if card.priority == 0 { Tone::Bad } else { Tone::Dim };
        let row = Row::new()
            .add(tone(card.standing), format!("{} ", mark(card.standing, out.manner.ascii)))
            .strong(card.id.as_str())
            .add(urgent, format!(" P{} ", card.priority))
            .add(tone(card.standing), text::pad(card.standing.words(), standings, ""))
            .plain(format!("  {title}"))
            .dim(who);
        out.row(row);
    }
}

fn who(card: &TaskCard) -> String {
    match (&card.lease, &card.assignee) {
        (Some(lease), _) => lease.actor.to_string(),
        (None, Some(assignee)) => format!("for {assignee}"),
        (None, None) => String::new(),
    }
}
