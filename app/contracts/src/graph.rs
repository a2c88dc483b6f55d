//! What a task waits for and what waits for it, some steps far.
//!
//! Invariant: the walk goes away from its task only. What another task waits for beside the one it leads to is no part of the picture.

use crate::id::{Actor, TaskId};
use crate::limits;
use crate::standing::Standing;
use crate::view::Relation;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One task of the picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphNode {
    /// Which.
    pub id: TaskId,
    /// Its title; empty while the task is not known here.
    pub title: String,
    /// Where it stands; absent while it is not known here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<Standing>,
    /// Who is on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<Actor>,
    /// Steps from the task asked about: below zero it is waited for, above zero it waits.
    pub step: i32,
    /// Whether it has neighbours further away that are not in the picture.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

/// One task waits for another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphEdge {
    /// Who waits.
    pub task: TaskId,
    /// For whom.
    pub on: TaskId,
    /// Whether the edge is inert because it would have closed a loop.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inert: bool,
}

/// What a task waits for and what waits for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphView {
    /// The task asked about.
    pub task: TaskId,
    /// How many steps were gone either way.
    pub steps: u8,
    /// The tasks, nearest first.
    pub nodes: Vec<GraphNode>,
    /// Between those tasks.
    pub edges: Vec<GraphEdge>,
    /// Tasks within reach that were left out because there were too many.
    #[serde(default)]
    pub dropped: u32,
    /// The picture and its list as safe HTML, on surfaces that show it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub html: String,
}

/// A walk from a task along its edges. Whoever can read tasks drives it: [`Walk::wanted`], then [`Walk::found`] for each, until nothing is
/// wanted any more.
#[derive(Debug)]
pub struct Walk {
    task: TaskId,
    steps: u8,
    nodes: BTreeMap<TaskId, GraphNode>,
    edges: BTreeMap<(TaskId, TaskId), bool>,
    wanted: Vec<TaskId>,
    dropped: u32,
}

impl Walk {
    /// A walk from a task, so many steps either way (at least one).
    pub fn from(task: TaskId, steps: u8) -> Walk {
        let steps = steps.clamp(1, limits::GRAPH_STEPS_MAX);
        Walk { wanted: vec![task.clone()], task, steps, nodes: BTreeMap::new(), edges: BTreeMap::new(), dropped: 0 }
    }

    /// The tasks to read next; none at the end.
    pub fn wanted(&mut self) -> Vec<TaskId> {
        std::mem::take(&mut self.wanted)
    }

    /// A task that was read: itself, what it waits for, what waits for it.
    pub fn found(&mut self, itself: &Relation, waits_on: &[Relation], blocking: &[Relation]) {
        let step = self.nodes.get(&itself.id).map_or(0, |node| node.step);
        self.nodes.insert(itself.id.clone(), node(itself, step));
        if step <= 0 {
            for other in waits_on {
                self.edges.insert((itself.id.clone(), other.id.clone()), other.inert);
                self.reach(&itself.id, other, step - 1);
            }
        }
        if step >= 0 {
            for other in blocking {
                self.edges.insert((other.id.clone(), itself.id.clone()), other.inert);
                self.reach(&itself.id, other, step + 1);
            }
        }
    }

    fn reach(&mut self, from: &TaskId, other: &Relation, step: i32) {
        if self.nodes.contains_key(&other.id) {
            return;
        }
        if step.unsigned_abs() > u32::from(self.steps) {
            if let Some(node) = self.nodes.get_mut(from) {
                node.more = true;
            }
        } else if self.nodes.len() >= limits::GRAPH_NODES_MAX {
            self.dropped += 1;
        } else {
            self.nodes.insert(other.id.clone(), node(other, step));
            self.wanted.push(other.id.clone());
        }
    }

    /// The picture of what was found.
    pub fn finish(self) -> GraphView {
        let shown = &self.nodes;
        let edges = self.edges.into_iter().filter(|((task, on), _)| shown.contains_key(task) && shown.contains_key(on));
        let edges = edges.map(|((task, on), inert)| GraphEdge { task, on, inert }).collect();
        let mut nodes: Vec<GraphNode> = self.nodes.into_values().collect();
        nodes.sort_by_key(|node| (node.step.abs(), node.step));
        GraphView { task: self.task, steps: self.steps, nodes, edges, dropped: self.dropped, html: String::new() }
    }
}

fn node(relation: &Relation, step: i32) -> GraphNode {
    GraphNode { id: relation.id.clone(), title: relation.title.clone(), standing: relation.standing, holder: relation.holder.clone(), step, more: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u32) -> TaskId {
        TaskId::from_bits(n.into())
    }

    fn relation(n: u32) -> Relation {
        Relation { id: id(n), title: n.to_string(), standing: Some(Standing::Ready), holder: None, via: None, note: String::new(), inert: false }
    }

    /// Walks over edges `(task, on)` and says each node as `id@step`, with a plus where more lies beyond.
    fn walked(from: u32, steps: u8, edges: &[(u32, u32)]) -> (String, usize, u32) {
        let mut walk = Walk::from(id(from), steps);
        loop {
            let wanted = walk.wanted();
            if wanted.is_empty() {
                break;
            }
            for task in wanted {
                let all = || edges.iter().copied();
                let waits: Vec<Relation> = all().filter(|(own, _)| id(*own) == task).map(|(_, on)| relation(on)).collect();
                let blocks: Vec<Relation> = all().filter(|(_, on)| id(*on) == task).map(|(own, _)| relation(own)).collect();
                let own = all().flat_map(|(a, b)| [a, b]).find(|n| id(*n) == task).unwrap_or(from);
                walk.found(&relation(own), &waits, &blocks);
            }
        }
        let view = walk.finish();
        let words: Vec<String> = view.nodes.iter().map(|node| format!("{}@{}{}", node.title, node.step, if node.more { "+" } else { "" })).collect();
        (words.join(" "), view.edges.len(), view.dropped)
    }

    #[test]
    fn a_walk_goes_two_ways_and_says_where_more_lies() {
        let chain = [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6)];
        assert_eq!(walked(3, 2, &chain), ("3@0 4@-1 2@1 5@-2+ 1@2".to_owned(), 4, 0));
        assert_eq!(walked(3, 1, &chain), ("3@0 4@-1+ 2@1+".to_owned(), 2, 0));
        assert_eq!(walked(9, 2, &[]), ("9@0".to_owned(), 0, 0));
    }

    #[test]
    fn what_a_neighbour_waits_for_beside_is_not_in_the_picture() {
        assert_eq!(walked(1, 2, &[(2, 1), (2, 7)]), ("1@0 2@1".to_owned(), 1, 0));
        assert_eq!(walked(1, 3, &[(1, 2), (1, 3), (2, 3)]), ("1@0 2@-1 3@-1".to_owned(), 3, 0), "an edge between two that are shown is");
    }

    #[test]
    fn a_loop_ends_and_a_crowd_is_counted() {
        assert_eq!(walked(1, 3, &[(1, 2), (2, 1)]).0, "1@0 2@-1");
        let crowd: Vec<(u32, u32)> = (0..100).map(|n| (1, 100 + n)).collect();
        let (_, edges, dropped) = walked(1, 1, &crowd);
        assert_eq!((edges, dropped as usize), (limits::GRAPH_NODES_MAX - 1, 101 - limits::GRAPH_NODES_MAX));
    }
}
