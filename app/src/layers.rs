//! What waits for what, laid out: tasks in layers from left to right, each right of everything it waits for; the longest chain is the
//! critical path. Pure: the same tasks and edges give the same picture on the server and in the browser.

use contracts::TaskId;
use std::collections::{BTreeMap, BTreeSet};

/// Most tasks that are drawn.
pub const DRAWN: usize = 200;

/// A task in the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Which.
    pub id: TaskId,
    /// Its layer, from the left.
    pub layer: usize,
    /// Its place in the layer, from above.
    pub row: usize,
    /// On the critical path.
    pub critical: bool,
    /// What it waits for, in the picture.
    pub waits_for: Vec<TaskId>,
}

/// The picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Tasks, layer by layer and from above.
    pub spots: Vec<Spot>,
    /// How many layers.
    pub layers: usize,
    /// The most tasks in a layer.
    pub rows: usize,
    /// Tasks that wait for nothing here and for which nothing waits: they are not drawn.
    pub alone: usize,
    /// Tasks beyond what is drawn.
    pub more: usize,
}

/// Lays out tasks (in the order of the board) and edges (who waits, for whom). An edge to a task that is not there is left out, and so is
/// one that would close a loop.
pub fn laid_out(ids: &[TaskId], edges: &[(TaskId, TaskId)]) -> Graph {
    let known: BTreeSet<&TaskId> = ids.iter().collect();
    let inside: Vec<(&TaskId, &TaskId)> =
        edges.iter().filter(|(waits, on)| waits != on && known.contains(waits) && known.contains(on)).map(|(waits, on)| (waits, on)).collect();
    let linked: Vec<&TaskId> = ids.iter().filter(|id| inside.iter().any(|(waits, on)| waits == id || on == id)).collect();
    let drawn: Vec<&TaskId> = linked.iter().take(DRAWN).copied().collect();
    let at: BTreeMap<&TaskId, usize> = drawn.iter().enumerate().map(|(place, id)| (*id, place)).collect();
    let mut waits_for: Vec<Vec<usize>> = vec![Vec::new(); drawn.len()];
    for (waits, on) in inside {
        if let (Some(&waits), Some(&on)) = (at.get(waits), at.get(on))
            && !waits_for[waits].contains(&on)
        {
            waits_for[waits].push(on);
        }
    }
    let layers = layers(&mut waits_for);
    let critical = critical(&waits_for, &layers);
    let rows = ordered(&waits_for, &layers);
    let mut spots: Vec<Spot> = (0..drawn.len())
        .map(|place| Spot {
            id: drawn[place].clone(),
            layer: layers[place],
            row: rows[place],
            critical: critical.contains(&place),
            waits_for: waits_for[place].iter().map(|on| drawn[*on].clone()).collect(),
        })
        .collect();
    spots.sort_by_key(|spot| (spot.layer, spot.row));
    Graph {
        layers: layers.iter().max().map_or(0, |last| last + 1),
        rows: rows.iter().max().map_or(0, |last| last + 1),
        alone: ids.len() - linked.len(),
        more: linked.len() - drawn.len(),
        spots,
    }
}

/// The layer of each: one right of the last it waits for. Edges left over in a loop are taken out.
fn layers(waits_for: &mut [Vec<usize>]) -> Vec<usize> {
    let count = waits_for.len();
    let mut layer: Vec<Option<usize>> = vec![None; count];
    loop {
        let mut moved = false;
        for place in 0..count {
            if layer[place].is_some() {
                continue;
            }
            let before: Option<Vec<usize>> = waits_for[place].iter().map(|on| layer[*on]).collect();
            if let Some(before) = before {
                layer[place] = Some(before.into_iter().max().map_or(0, |last| last + 1));
                moved = true;
            }
        }
        if !moved {
            let Some(stuck) = (0..count).find(|place| layer[*place].is_none()) else { break };
            waits_for[stuck].retain(|on| layer[*on].is_some());
        }
    }
    layer.into_iter().map(Option::unwrap_or_default).collect()
}

/// The places on the longest chain; the first one in the board's order when several are as long.
fn critical(waits_for: &[Vec<usize>], layers: &[usize]) -> BTreeSet<usize> {
    let mut path = BTreeSet::new();
    let deepest = layers.iter().max().copied().unwrap_or(0);
    let mut here = (0..layers.len()).find(|place| layers[*place] == deepest);
    while let Some(place) = here {
        path.insert(place);
        here = waits_for[place].iter().copied().filter(|on| layers[*on] + 1 == layers[place]).min();
    }
    if path.len() > 1 { path } else { BTreeSet::new() }
}

/// The row of each in its layer: near what it waits for, so that lines cross little.
fn ordered(waits_for: &[Vec<usize>], layers: &[usize]) -> Vec<usize> {
    let mut row = vec![0; layers.len()];
    for layer in 0..=layers.iter().max().copied().unwrap_or(0) {
        let mut here: Vec<usize> = (0..layers.len()).filter(|place| layers[*place] == layer).collect();
        let middle = |place: usize| {
            let rows = &waits_for[place];
            // In halves of a thousandth, so that it orders without floating numbers.
            if rows.is_empty() { place * 1_000 } else { rows.iter().map(|on| row[*on] * 1_000).sum::<usize>() / rows.len() }
        };
        here.sort_by_key(|place| (middle(*place), *place));
        for (at, place) in here.into_iter().enumerate() {
            row[place] = at;
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: usize) -> TaskId {
        TaskId::parse(&format!("tk-{n:06x}")).unwrap()
    }

    /// `layer.row` of each task, with a star on the critical path.
    fn drawn(count: usize, edges: &[(usize, usize)]) -> (String, Graph) {
        let ids: Vec<TaskId> = (0..count).map(id).collect();
        let edges: Vec<(TaskId, TaskId)> = edges.iter().map(|(waits, on)| (id(*waits), id(*on))).collect();
        let graph = laid_out(&ids, &edges);
        let mut spots: Vec<&Spot> = graph.spots.iter().collect();
        spots.sort_by(|a, b| a.id.cmp(&b.id));
        let text = spots.iter().map(|spot| format!("{}.{}{}", spot.layer, spot.row, if spot.critical { "*" } else { "" })).collect::<Vec<_>>().join(" ");
        (text, graph)
    }

    #[test]
    fn each_task_lies_right_of_all_it_waits_for() {
        let (text, graph) = drawn(5, &[(1, 0), (2, 1), (2, 0), (3, 0)]);
        assert_eq!(text, "0.0* 1.0* 2.0* 1.1");
        assert_eq!((graph.layers, graph.rows, graph.alone, graph.more), (3, 2, 1, 0));
    }

    #[test]
    fn a_loop_is_cut_and_strangers_are_left_out() {
        let (text, graph) = drawn(3, &[(0, 1), (1, 2), (2, 0), (0, 9)]);
        assert_eq!(graph.spots.len(), 3);
        assert_eq!(text, "0.0* 2.0* 1.0*");
        assert_eq!(drawn(2, &[(0, 0)]).1.alone, 2);
    }

    #[test]
    fn a_picture_has_an_end() {
        let edges: Vec<(usize, usize)> = (1..1_000).map(|n| (n, n - 1)).collect();
        let graph = drawn(1_000, &edges).1;
        assert_eq!((graph.spots.len(), graph.more, graph.layers), (DRAWN, 800, DRAWN));
    }
}
