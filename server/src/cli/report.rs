//! `callboard report`: what happened, told from the log; written as a file, and narrated, when that is asked for.

use super::Exit;
use super::desk::Desk;
use super::out::{Row, Tone};
use crate::reports::{self, Limits, Reports};
use clap::Args;
use contracts::report::{Freshness, Narrate, NarrationNews, ReportKind, ReportQuery, ReportView, Telling};
use contracts::text::count;
use contracts::{Caller, Code, Hint, Problem, Surface};
use tokio::sync::{mpsc, watch};

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Which: how everything stands, since a while ago, one day, several days, everything
    #[arg(value_name = "board|standup|day|range|all", default_value = "board", hide_default_value = true, value_parser = ReportKind::parse)]
    kind: ReportKind,
    /// standup: begin so long ago: 90m, 24h, 3d, 1w
    #[arg(long, value_name = "24h")]
    since: Option<String>,
    /// day: 2026-11-28, today or yesterday
    #[arg(long, value_name = "D")]
    date: Option<String>,
    /// range: so many calendar days, weeks or months that end today: 7d, 2w, 1m
    #[arg(long, value_name = "7d")]
    last: Option<String>,
    /// range: the first day
    #[arg(long, value_name = "D")]
    from: Option<String>,
    /// range: the last day; today when left out
    #[arg(long, value_name = "D")]
    to: Option<String>,
    /// standup: of one actor
    #[arg(long, value_name = "A")]
    by: Option<String>,
    /// Write the facts to .callboard/reports, and leave what is narrated there
    #[arg(long)]
    write: bool,
    /// Write the facts, and have them narrated below by the agent program that is signed in here
    #[arg(long, conflicts_with = "write")]
    digest: bool,
    /// End the narration of this report, wherever it runs
    #[arg(long, conflicts_with_all = ["write", "digest"])]
    cancel: bool,
    /// Let this model narrate
    #[arg(long, value_name = "M", requires = "digest")]
    model: Option<String>,
    /// Let the narrator spend on the API key in this environment instead of its own login
    #[arg(long, requires = "digest")]
    use_api_key: bool,
    /// Narrate anew what was narrated already
    #[arg(long, requires = "digest")]
    replace_narration: bool,
    /// Narrate anew what a person wrote, and keep their words as a file beside it
    #[arg(long, requires = "digest")]
    replace_hand: bool,
    /// Replace facts that a person changed, and keep theirs as a file beside it
    #[arg(long)]
    replace_facts: bool,
}

/// Runs it.
pub async fn run(desk: &mut Desk, args: ReportArgs) -> Result<Exit, Problem> {
    let ReportArgs { kind, since, date, last, from, to, by, write, digest, cancel, .. } = args;
    if args.replace_facts && !write && !digest {
        return Err(Problem::bad_request("--replace-facts", "goes with --write or --digest"));
    }
    let query = ReportQuery { kind, since, date, last, from, to, by, full: desk.out.manner.json };
    let view = desk.board.report(query).await?;
    if !(write || digest || cancel) {
        return shown(desk, &view).map(|()| Exit::Done);
    }
    let label = view
        .label
        .ok_or_else(|| Problem::bad_request("", format!("{} has no file", kind.as_str())).hint(Hint::text("callboard report day --write, or range, or all")))?;
    let (model, use_api_key, replace_facts) = (args.model, args.use_api_key, args.replace_facts);
    let how = Narrate { model, use_api_key, replace_narration: args.replace_narration, replace_hand: args.replace_hand, replace_facts };
    if cancel {
        desk.board.cancel_narration(label.clone()).await?;
        desk.out.row(Row::new().strong(label).plain(" is told to end"));
        return Ok(Exit::Done);
    }
    if digest {
        return narrated(desk, &label, how).await;
    }
    let written = desk.board.write_report(label.clone(), how).await?;
    if desk.out.manner.json {
        return desk.out.document(&written).map(|()| Exit::Done);
    }
    said(desk, &written, &label);
    Ok(Exit::Done)
}

fn shown(desk: &mut Desk, view: &ReportView) -> Result<(), Problem> {
    if desk.out.manner.json {
        return desk.out.document(view);
    }
    for line in view.markdown.lines() {
        desk.out.row(line_of(line));
    }
    Ok(())
}

/// Headings stand out; everything else is as it is.
fn line_of(line: &str) -> Row {
    match line.trim_start_matches('#') {
        heading if heading.len() < line.len() && heading.starts_with(' ') => Row::new().strong(line),
        _ => Row::from(line),
    }
}

/// Where it is, and how its narration stands.
fn said(desk: &mut Desk, view: &ReportView, label: &str) {
    let mut row = Row::new().strong(format!(".callboard/reports/{label}.md"));
    row = row.dim(format!(" · {}", view.stale.words()));
    if view.narration.by != "none" {
        row = row.dim(format!(" · narrated by {}", view.narration.by));
    }
    desk.out.row(row);
    let made_for = view.narration.events.zip(view.stamp.as_ref()).filter(|(events, stamp)| *events != stamp.events);
    if let (Some((events, stamp)), Freshness::Current) = (made_for, view.stale) {
        desk.out.notice(&format!("the narration was written for {events} events, the facts are made of {}", stamp.events));
    }
}

/// Narrates, with the text on the terminal as it comes. Ctrl-C ends it, and what was written stays.
async fn narrated(desk: &mut Desk, label: &str, how: Narrate) -> Result<Exit, Problem> {
    let caller = Caller { actor: desk.actor.clone(), principal: desk.boot.identity.principal.clone(), surface: Surface::Cli, session: None, client: None };
    let narrator = reports::narrate(&Reports::of(&desk.boot.port), &caller, label, how, Limits::default()).await?;
    let (stop, stopped) = watch::channel(false);
    let (tell, mut news) = mpsc::unbounded_channel::<NarrationNews>();
    let mut running = tokio::spawn(narrator.run(stopped, move |news| {
        let _ = tell.send(news.clone()); // nobody listens: the file has it
    }));
    let (mut interrupted, mut mid_line) = (false, false);
    let ended = loop {
        tokio::select! {
            biased;
            Some(news) = news.recv() => told(desk, &news, &mut mid_line)?,
            ended = &mut running => break ended,
            () = super::end_of_process(), if !interrupted => {
                interrupted = true;
                let _ = stop.send(true); // it has ended by itself
            }
        }
    };
    let ended = ended.map_err(|_| Problem::new(Code::Internal, "the narration broke off"))?;
    end_line(desk, &mut mid_line);
    match ended {
        Err(_) if interrupted => Ok(Exit::Interrupted),
        Err(problem) => Err(problem),
        Ok(last) => {
            let view = desk.board.report_named(label.to_owned()).await?;
            if desk.out.manner.json {
                return desk.out.document(&view).map(|()| Exit::Done);
            }
            said(desk, &view, label);
            desk.out.notice(&spent(&last));
            Ok(Exit::Done)
        }
    }
}

/// Ends the line the prose stands on, with an empty one after it.
fn end_line(desk: &mut Desk, mid_line: &mut bool) {
    if std::mem::take(mid_line) {
        desk.out.raw("\n\n");
    }
}

fn told(desk: &mut Desk, news: &NarrationNews, mid_line: &mut bool) -> Result<(), Problem> {
    if desk.out.manner.json {
        return Ok(());
    }
    match (news.state, &news.text) {
        (Telling::Delta, Some(text)) => {
            desk.out.flowing(text);
            *mid_line = true;
        }
        (Telling::Pass, _) => {
            if let (Some(i), Some(n)) = (news.i, news.n.filter(|n| *n > 1)) {
                end_line(desk, mid_line);
                desk.out.row(Row::new().add(Tone::Dim, format!("pass {i}/{n}")));
            }
        }
        _ => return Ok(()),
    }
    desk.out.flush()
}

/// What it cost, as far as the provider says.
fn spent(news: &NarrationNews) -> String {
    let tokens = news.tokens.map_or("tokens unknown".to_owned(), |tokens| count(tokens, "token"));
    let cost = news.cost_micros.map_or("cost unknown".to_owned(), |micros| format!("${:.4}", micros as f64 / 1e6));
    format!("{tokens} written, {cost}")
}
