//! Who waits for whom, over the whole project. An edge that would close a loop with earlier ones stays inert.
//!
//! Loops are found with an incremental topological order (Pearce and Kelly): an edge that agrees with the order costs nothing, another
//! one a search among the nodes between its ends.

use crate::event::Order;
use crate::task::EdgeChange;
use contracts::standing::Via;
use contracts::{Actor, TaskId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One waits-for edge that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Who waits.
    pub task: TaskId,
    /// For whom.
    pub on: TaskId,
    /// What made it.
    pub via: Via,
    /// Who did.
    pub by: Actor,
    /// Whether it would close a loop, and so counts for nothing.
    pub inert: bool,
    /// When it came, in the total order.
    pub order: Order,
}

/// The fold of every edge change of the project, pushed in total order.
#[derive(Clone, Debug, Default)]
pub struct Edges {
    rows: BTreeMap<(TaskId, TaskId, Via), Edge>,
    index: HashMap<TaskId, usize>,
    /// Place of each node in the order; who waits stands before whom it waits for.
    place: Vec<usize>,
    /// Active edges: how many rows say so, by node and target.
    out: Vec<BTreeMap<usize, u32>>,
    into: Vec<BTreeMap<usize, u32>>,
}

impl Edges {
    /// No edges.
    pub fn new() -> Edges {
        Edges::default()
    }

    /// Adds or removes one, in total order.
    pub fn push(&mut self, change: &EdgeChange) {
        if change.add {
            self.add(change);
        } else {
            self.remove(change);
        }
    }

    /// Every edge that is there, inert ones too, by task and target.
    pub fn rows(&self) -> impl Iterator<Item = &Edge> {
        self.rows.values()
    }

    /// Adds an edge nobody made yet; whether it closes no loop.
    pub(crate) fn try_edge(&mut self, task: &TaskId, on: &TaskId) -> bool {
        let (from, to) = (self.node(task), self.node(on));
        self.connect(from, to)
    }

    fn add(&mut self, change: &EdgeChange) {
        let key = (change.task.clone(), change.on.clone(), change.via);
        if self.rows.contains_key(&key) {
            return;
        }
        let (from, to) = (self.node(&change.task), self.node(&change.on));
        let inert = !self.connect(from, to);
        let edge = Edge { task: change.task.clone(), on: change.on.clone(), via: change.via, by: change.by.clone(), inert, order: change.order.clone() };
        self.rows.insert(key, edge);
    }

    /// Removing a parent's edge removes that; anything else removes what `after` and `block` made.
    fn remove(&mut self, change: &EdgeChange) {
        let vias: &[Via] = if change.via == Via::Parent { &[Via::Parent] } else { &[Via::After, Via::Block] };
        for via in vias {
            let Some(edge) = self.rows.remove(&(change.task.clone(), change.on.clone(), *via)) else { continue };
            if edge.inert {
                continue;
            }
            let (from, to) = (self.node(&edge.task), self.node(&edge.on));
            drop_one(&mut self.out[from], to);
            drop_one(&mut self.into[to], from);
        }
    }

    fn node(&mut self, id: &TaskId) -> usize {
        if let Some(node) = self.index.get(id) {
            return *node;
        }
        let node = self.place.len();
        self.index.insert(id.clone(), node);
        self.place.push(node);
        self.out.push(BTreeMap::new());
        self.into.push(BTreeMap::new());
        node
    }

    /// Makes the edge unless it closes a loop; keeps `place` a topological order.
    fn connect(&mut self, from: usize, to: usize) -> bool {
        if from == to {
            return false;
        }
        let (low, high) = (self.place[to], self.place[from]);
        if low < high {
            let mut ahead = BTreeSet::from([to]);
            let mut stack = vec![to];
            while let Some(node) = stack.pop() {
                for next in self.out[node].keys().copied() {
                    if next == from {
                        return false;
                    }
                    if self.place[next] < high && ahead.insert(next) {
                        stack.push(next);
                    }
                }
            }
            let mut behind = BTreeSet::from([from]);
            stack.push(from);
            while let Some(node) = stack.pop() {
                for previous in self.into[node].keys().copied() {
                    if self.place[previous] > low && behind.insert(previous) {
                        stack.push(previous);
                    }
                }
            }
            let by_place = |nodes: BTreeSet<usize>, place: &[usize]| {
                let mut nodes: Vec<usize> = nodes.into_iter().collect();
                nodes.sort_by_key(|node| place[*node]);
                nodes
            };
            let moved: Vec<usize> = by_place(behind, &self.place).into_iter().chain(by_place(ahead, &self.place)).collect();
            let mut places: Vec<usize> = moved.iter().map(|node| self.place[*node]).collect();
            places.sort_unstable();
            for (node, place) in moved.into_iter().zip(places) {
                self.place[node] = place;
            }
        }
        *self.out[from].entry(to).or_default() += 1;
        *self.into[to].entry(from).or_default() += 1;
        true
    }
}

fn drop_one(edges: &mut BTreeMap<usize, u32>, node: usize) {
    if let Some(count) = edges.get_mut(&node) {
        *count -= 1;
        if *count == 0 {
            edges.remove(&node);
        }
    }
}

/// The loop that the new edge `from` → `to` would close over these edges: `from`, `to`, …, `from`; `None` when it closes none.
pub fn closes_a_loop(edges: &BTreeMap<TaskId, BTreeSet<TaskId>>, from: &TaskId, to: &TaskId) -> Option<Vec<TaskId>> {
    let mut came: BTreeMap<&TaskId, &TaskId> = BTreeMap::new();
    let mut queue = std::collections::VecDeque::from([to]);
    let mut seen = BTreeSet::from([to]);
    while let Some(node) = queue.pop_front() {
        if node == from {
            let mut path = vec![from.clone()];
            let mut at = from;
            while let Some(previous) = came.get(at).copied().filter(|_| at != to) {
                path.push(previous.clone());
                at = previous;
            }
            path.reverse();
            path.insert(0, from.clone());
            return Some(path);
        }
        for next in edges.get(node).into_iter().flatten() {
            if seen.insert(next) {
                came.insert(next, node);
                queue.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u128) -> TaskId {
        TaskId::from_bits(number)
    }

    fn edges(pairs: &[(u128, u128)]) -> BTreeMap<TaskId, BTreeSet<TaskId>> {
        let mut edges: BTreeMap<TaskId, BTreeSet<TaskId>> = BTreeMap::new();
        for (from, to) in pairs {
            edges.entry(id(*from)).or_default().insert(id(*to));
        }
        edges
    }

    #[test]
    fn a_loop_is_shown_as_a_path() {
        let path = |pairs: &[(u128, u128)], from, to| closes_a_loop(&edges(pairs), &id(from), &id(to));
        assert_eq!(path(&[(1, 2)], 2, 1), Some(vec![id(2), id(1), id(2)]));
        assert_eq!(path(&[], 1, 1), Some(vec![id(1), id(1)]));
        assert_eq!(path(&[(1, 2), (2, 3)], 3, 1), Some(vec![id(3), id(1), id(2), id(3)]));
        assert_eq!(path(&[(1, 2), (2, 3)], 1, 3), None);
    }
}
