//! The log as it stands in the files: what was acknowledged must be there, whatever a database says.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Every line of every log file, in total order.
pub fn events(board: &Path) -> Vec<Value> {
    let mut events: Vec<Value> = files(board)
        .into_values()
        .flat_map(|text| text.lines().map(|line| serde_json::from_str(line).expect("a line of the log is JSON")).collect::<Vec<_>>())
        .collect();
    let key = |event: &Value| (event["at"].as_str().unwrap().to_owned(), event["writer"].as_str().unwrap().to_owned(), event["n"].as_i64());
    events.sort_by_key(key);
    events
}

/// Each file's name and text.
pub fn files(board: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(board.join("log")).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read_to_string(entry.path()).unwrap())).collect()
}
