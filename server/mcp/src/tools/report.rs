//! `report`: what happened, from the log: the board, a standup, a day, several days, everything. Brief; long ones go on page by page.

use super::Row;
use super::ask::paged;
use crate::call::{Call, Done};
use crate::text::fit::Cursor;
use crate::{args, schema};
use contracts::Problem;
use contracts::limits::MCP_PAGE_BYTES;
use contracts::report::{ReportKind, ReportQuery};
use futures::FutureExt;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

pub(super) const ROW: Row = Row {
    name: "report",
    description: "What happened, from the log.",
    example: r#"{"kind":"standup","since":"24h"}"#,
    read_only: true,
    board: true,
    schema: || schema::of::<Args>(SAYS),
    run: |call, args| run(call, args).boxed(),
};

const SAYS: &[(&str, &str)] =
    &[("since", "standup: 24h"), ("date", "day: 2026-11-28"), ("last", "range: 7d, 2w, 1m"), ("from", "range: day"), ("by", "standup: actor")];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    kind: Kind,
    since: Option<String>,
    date: Option<String>,
    last: Option<String>,
    from: Option<String>,
    to: Option<String>,
    by: Option<String>,
    cursor: Option<String>,
    #[serde(rename = "actor")]
    _actor: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Board,
    Standup,
    Day,
    Range,
    All,
}

impl Kind {
    fn wire(self) -> ReportKind {
        match self {
            Kind::Board => ReportKind::Board,
            Kind::Standup => ReportKind::Standup,
            Kind::Day => ReportKind::Day,
            Kind::Range => ReportKind::Range,
            Kind::All => ReportKind::All,
        }
    }
}

async fn run(call: &Call, args: Map<String, Value>) -> Result<Done, Problem> {
    let mut again = args.clone();
    again.retain(|name, _| name != "cursor" && name != "actor");
    let Args { kind, since, date, last, from, to, by, cursor, .. } = args::read(call.row, args, &[])?;
    let cursor = cursor.as_deref().map(Cursor::parse).transpose()?;
    let query = ReportQuery { kind: kind.wire(), since, date, last, from, to, by, full: false };
    let text = call.board.report(query).await?.markdown;
    let (title, body) = text.split_once('\n').unwrap_or((&text, ""));
    // The first answer has the usual size; what is asked for after it comes in large pages.
    let bytes = if cursor.is_some() { MCP_PAGE_BYTES } else { contracts::limits::MCP_ANSWER_BYTES };
    Ok(paged("report", title.to_owned(), body.trim_start().to_owned(), cursor.unwrap_or_default(), None, Value::Object(again), bytes, true))
}
