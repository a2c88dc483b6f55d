//! The table of tools. One file a tool; adding one is a file, a row, and its size in the tests.

mod ask;
mod dispatch;
mod next;
mod plan;
mod recover;
mod report;
mod update;

use crate::call::{Call, Done};
use contracts::Problem;
use futures::future::BoxFuture;
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value};

/// Which tools a server offers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Set {
    /// The board's alone.
    Board,
    /// Every tool there is.
    #[default]
    All,
}

/// The work of a tool.
pub(crate) type Run = for<'a> fn(&'a Call, Map<String, Value>) -> BoxFuture<'a, Result<Done, Problem>>;

/// One tool.
pub(crate) struct Row {
    /// What clients call.
    pub name: &'static str,
    /// What it is for, as short as it can be said.
    pub description: &'static str,
    /// Arguments of a call in form, for refusals of one that is not.
    pub example: &'static str,
    /// Whether it changes nothing (leases and delivery marks aside).
    pub read_only: bool,
    /// Whether it is in [`Set::Board`].
    pub board: bool,
    /// The schema of its arguments.
    pub schema: fn() -> Map<String, Value>,
    /// Parses, calls the board, and says how to render what came back.
    pub run: Run,
}

/// Sorted by name.
const ROWS: &[Row] = &[ask::ROW, dispatch::ROW, next::ROW, plan::ROW, recover::ROW, report::ROW, update::ROW];

/// The rows of a set.
pub(crate) fn rows(set: Set) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(move |row| set == Set::All || row.board)
}

/// The tools of a set as clients list them, sorted by name.
pub fn schemas(set: Set) -> Vec<Tool> {
    let tool = |row: &Row| {
        let tool = Tool::new(row.name, row.description, (row.schema)());
        if row.read_only { tool.with_annotations(ToolAnnotations::new().read_only(true)) } else { tool }
    };
    rows(set).map(tool).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_schema_is_within_its_budget() {
        let budgets = [("ask", 600), ("dispatch", 600), ("next", 650), ("plan", 1_740), ("recover", 500), ("report", 650), ("update", 1_536)];
        let mut total = 0;
        for (tool, (name, most)) in schemas(Set::Board).iter().zip(budgets) {
            let sent = serde_json::to_string(tool).unwrap();
            assert_eq!(tool.name, name);
            assert!(sent.len() < most, "{name} has {} bytes of {most}: {sent}", sent.len());
            total += sent.len();
        }
        assert!(total <= 6 << 10, "{total}");
    }

    #[test]
    fn schemas_are_closed_sorted_and_free_of_noise() {
        let tools = schemas(Set::All);
        assert!(tools.is_sorted_by_key(|tool| &tool.name));
        fn walk(value: &Value) {
            if let Value::Object(object) = value {
                for noise in ["$schema", "$ref", "$defs", "format", "default"] {
                    assert!(!object.contains_key(noise), "{noise} in {value}");
                }
                if object.get("type") == Some(&json!("object")) {
                    assert_eq!(object.get("additionalProperties"), Some(&json!(false)), "{value}");
                }
                object.values().for_each(walk);
            }
        }
        for tool in tools {
            let schema = tool.schema_as_json_value();
            walk(&schema);
            assert_eq!(schema["type"], "object");
            assert_eq!(schema["properties"]["actor"]["type"], "string", "{}", tool.name);
        }
    }

    #[test]
    fn the_schemas_as_sent() {
        let lines: Vec<String> = schemas(Set::All).iter().map(|tool| serde_json::to_string(tool).unwrap()).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }
}
