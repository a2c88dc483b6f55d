//! The parts of an open card that take turns, as its address names them, and what each of them has to read.

use crate::port::Port;
use contracts::graph::GraphView;
use contracts::view::{CommitDetail, HistoryRow, Page};
use contracts::{CommitSha, Problem, TaskId, limits};
use serde::{Deserialize, Serialize};

/// One of the parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tab {
    /// What was said, and what happened to the work.
    #[default]
    Thread,
    /// What was committed for it.
    Commits,
    /// What it waits for and what waits for it.
    Graph,
    /// Every event.
    History,
}

impl Tab {
    /// In the order of their links.
    pub const ALL: [Tab; 4] = [Tab::Thread, Tab::Commits, Tab::Graph, Tab::History];

    /// The word in the address.
    pub fn as_str(self) -> &'static str {
        match self {
            Tab::Thread => "thread",
            Tab::Commits => "commits",
            Tab::Graph => "graph",
            Tab::History => "history",
        }
    }

    /// What people read.
    pub fn words(self) -> &'static str {
        match self {
            Tab::Thread => "Thread",
            Tab::Commits => "Commits",
            Tab::Graph => "Graph",
            Tab::History => "History",
        }
    }
}

/// Where on an open card the reader is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spot {
    /// Which part.
    pub tab: Tab,
    /// The page before this place, of a thread or a history; empty for the newest.
    pub before: String,
    /// How many steps of dependencies are shown either way.
    pub steps: u8,
    /// The commit whose change is shown; empty for the list.
    pub commit: String,
    /// Whether what goes and what comes stand side by side.
    pub split: bool,
}

/// Steps a picture of dependencies goes when the address does not say.
const STEPS: u8 = 2;

impl Default for Spot {
    fn default() -> Spot {
        Spot { tab: Tab::Thread, before: String::new(), steps: STEPS, commit: String::new(), split: false }
    }
}

impl Spot {
    /// Reads an address; what it does not name, or names wrongly, is the first part as it is by itself.
    pub fn of(param: impl Fn(&str) -> Option<String>) -> Spot {
        let word = param("tab").unwrap_or_default();
        let steps = param("steps").and_then(|steps| steps.parse().ok()).filter(|steps| (1..=limits::GRAPH_STEPS_MAX).contains(steps));
        Spot {
            tab: Tab::ALL.into_iter().find(|tab| tab.as_str() == word).unwrap_or_default(),
            before: param("before").unwrap_or_default(),
            steps: steps.unwrap_or(STEPS),
            commit: param("commit").unwrap_or_default(),
            split: param("view").is_some_and(|view| view == "split"),
        }
    }
}

/// What the chosen part shows beyond the task itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Shown {
    /// Nothing, or nothing yet.
    #[default]
    Nothing,
    /// A history.
    History(Page<HistoryRow>),
    /// A picture of dependencies.
    Graph(Box<GraphView>),
    /// A commit and its change.
    Commit(Box<CommitDetail>),
    /// It could not be read.
    Failed(Problem),
}

/// Reads what a part needs.
pub async fn read(port: Port, task: TaskId, spot: &Spot) -> Shown {
    let read = match spot.tab {
        Tab::Commits if !spot.commit.is_empty() => change(&port, &spot.commit).await,
        Tab::Thread | Tab::Commits => Ok(Shown::Nothing),
        Tab::Graph => port.0.graph(task, spot.steps).await.map(|graph| Shown::Graph(Box::new(graph))),
        Tab::History => port.0.history(task, Some(spot.before.clone()).filter(|cursor| !cursor.is_empty())).await.map(Shown::History),
    };
    read.unwrap_or_else(Shown::Failed)
}

/// A commit with its change as HTML alone: the lines it was made of would travel with the page for nothing.
async fn change(port: &Port, sha: &str) -> Result<Shown, Problem> {
    let sha = CommitSha::parse(sha).map_err(|fault| Problem::bad_request("commit", fault))?;
    let commit = port.0.commit(sha).await?;
    Ok(Shown::Commit(Box::new(CommitDetail { diff: None, ..commit })))
}

/// A newest page that was read again keeps the older rows that were loaded before, if it meets them.
pub fn keep_older(page: &mut Page<HistoryRow>, old: &Page<HistoryRow>) {
    let last = page.items.last().map(|row| row.entry.event.clone());
    let meets = last.and_then(|last| old.items.iter().position(|row| row.entry.event == last));
    if let Some(at) = meets.filter(|at| at + 1 < old.items.len()) {
        page.items.extend(old.items[at + 1..].iter().cloned());
        page.next = old.next.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str) -> Spot {
        let pairs: Vec<(&str, &str)> = address.split('&').filter_map(|pair| pair.split_once('=')).collect();
        Spot::of(|name| pairs.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn an_address_names_a_part_and_a_place_in_it() {
        assert_eq!(at(""), Spot::default());
        assert_eq!(at("tab=history&before=c1"), Spot { tab: Tab::History, before: "c1".to_owned(), ..Spot::default() });
        assert_eq!((at("tab=commits&commit=ab&view=split").commit.as_str(), at("tab=commits&commit=ab&view=split").split), ("ab", true));
        assert_eq!((at("tab=graph&steps=4").steps, at("tab=graph&steps=0").steps, at("tab=graph&steps=99").steps), (4, 2, 2));
        assert_eq!(at("tab=log").tab, Tab::Thread, "what is not there yet is not an empty page");
    }
}
