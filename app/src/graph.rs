//! The picture of what a task waits for and what waits for it, drawn on the server: links over lines, in layers from left (what comes
//! first) to right (what comes after), and the same as a list. Links are relative to the page of a task, wherever that lies.

use crate::components::icon::Shape;
use crate::words::{self, escaped};
use contracts::TaskId;
use contracts::graph::{GraphNode, GraphView};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A node's size and what is between two, in pixels at 16 a rem.
const NODE: (i32, i32) = (176, 56);
const GAP: (i32, i32) = (40, 14);
const MARGIN: i32 = 16;

/// Where every task stands: its layer, counted from the left, and its place in it, from the top.
#[derive(Debug, PartialEq)]
struct Layout {
    places: BTreeMap<TaskId, (usize, usize)>,
    layers: Vec<Vec<TaskId>>,
}

/// Layers by the longest way to the task in the middle, each ordered so that a task stands beside what it is tied to.
fn layout(graph: &GraphView) -> Layout {
    let mut layer: BTreeMap<&TaskId, i32> = graph.nodes.iter().map(|node| (&node.id, node.step)).collect();
    let tied: Vec<_> = graph.edges.iter().filter(|edge| !edge.inert).collect();
    // Each pass moves something outwards or is the last; a picture has no loops, but the count holds even if one slipped in.
    for _ in 0..graph.nodes.len() {
        let mut moved = false;
        for edge in &tied {
            let (Some(&waits), Some(&first)) = (layer.get(&edge.task), layer.get(&edge.on)) else { continue };
            if first < 0 && first >= waits {
                layer.insert(&edge.on, waits - 1);
                moved = true;
            } else if first >= 0 && waits <= first && edge.task != graph.task {
                layer.insert(&edge.task, first + 1);
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    let leftmost = layer.values().copied().min().unwrap_or(0);
    let mut layers: Vec<Vec<TaskId>> = Vec::new();
    for node in &graph.nodes {
        let at = usize::try_from(layer.get(&node.id).copied().unwrap_or(0) - leftmost).unwrap_or(0);
        layers.resize_with(layers.len().max(at + 1), Vec::new);
        layers[at].push(node.id.clone());
    }
    layers.retain(|tasks| !tasks.is_empty());
    let middle = layers.iter().position(|tasks| tasks.contains(&graph.task)).unwrap_or(0);
    let order: Vec<usize> = (0..middle).rev().chain(middle + 1..layers.len()).collect();
    for at in order {
        let beside = if at < middle { &layers[at + 1] } else { &layers[at - 1] };
        let mean = |task: &TaskId| {
            let ends = tied.iter().filter_map(|edge| if edge.task == *task { Some(&edge.on) } else { (edge.on == *task).then_some(&edge.task) });
            let places: Vec<usize> = ends.filter_map(|other| beside.iter().position(|each| each == other)).collect();
            if places.is_empty() { usize::MAX } else { places.iter().sum::<usize>() * 1_000 / places.len() }
        };
        let mut sorted: Vec<(usize, TaskId)> = layers[at].iter().map(|task| (mean(task), task.clone())).collect();
        sorted.sort();
        layers[at] = sorted.into_iter().map(|(_, task)| task).collect();
    }
    let places = layers.iter().enumerate().flat_map(|(at, tasks)| tasks.iter().enumerate().map(move |(place, task)| (task.clone(), (at, place)))).collect();
    Layout { places, layers }
}

/// The picture and its list.
pub fn draw(graph: &GraphView) -> String {
    let mut html = String::new();
    if graph.nodes.len() > 1 {
        picture(graph, &mut html);
    }
    lists(graph, &mut html);
    html
}

/// Writing to a `String` can't fail, so what `write!` says is dropped here alone.
macro_rules! put {
    ($out:expr, $($rest:tt)*) => { let _ = write!($out, $($rest)*); };
}

fn picture(graph: &GraphView, out: &mut String) {
    let Layout { places, layers } = layout(graph);
    let tallest = layers.iter().map(Vec::len).max().unwrap_or(1);
    let across = |n: usize, size: i32, gap: i32| i32::try_from(n).unwrap_or(1) * (size + gap) - gap;
    let (width, height) = (across(layers.len(), NODE.0, GAP.0) + 2 * MARGIN, across(tallest, NODE.1, GAP.1) + 2 * MARGIN);
    let corner = |task: &TaskId| {
        let (layer, place) = *places.get(task)?;
        let own = across(layers[layer].len(), NODE.1, GAP.1);
        let x = MARGIN + across(layer + 1, NODE.0, GAP.0) - NODE.0;
        let y = (height - own) / 2 + across(place + 1, NODE.1, GAP.1) - NODE.1;
        Some((x, y))
    };
    put!(
        out,
        "<div class=\"graph\" data-part=\"waits\" role=\"group\" aria-label=\"Picture of what waits for what\" tabindex=\"0\"><div class=\"sheet\" style=\"--w: {width}px; --h: {height}px\">"
    );
    put!(out, "<svg class=\"edges\" viewBox=\"0 0 {width} {height}\" aria-hidden=\"true\">");
    for edge in &graph.edges {
        let (Some((x1, y1)), Some((x2, y2))) = (corner(&edge.on), corner(&edge.task)) else { continue };
        let (from, to) = ((x1 + NODE.0, y1 + NODE.1 / 2), (x2 - 5, y2 + NODE.1 / 2));
        let bend = (to.0 - from.0).abs().max(24) / 2;
        let kind = if edge.inert { " data-untaken=\"\"" } else { "" };
        put!(out, "<path{kind} d=\"M{} {}C{} {} {} {} {} {}\"></path>", from.0, from.1, from.0 + bend, from.1, to.0 - bend, to.1, to.0, to.1);
        put!(out, "<path class=\"arrow\" data-thin=\"\" d=\"M{} {}l-6-3.5v7z\"></path>", to.0 + 5, to.1);
    }
    out.push_str("</svg>");
    for node in layers.iter().flatten().filter_map(|task| graph.nodes.iter().find(|node| node.id == *task)) {
        let Some((x, y)) = corner(&node.id) else { continue };
        let state = node.standing.map_or(Shape::PENDING.state, |standing| Shape::of(standing).state);
        let here = if node.id == graph.task { " aria-current=\"true\"" } else { "" };
        put!(
            out,
            "<a class=\"node\" href=\"{id}?tab=graph\" data-state=\"{state}\"{here} style=\"--x: {x}px; --y: {y}px\" title=\"{title}\"><span><code class=\"id\">{id}</code><em>{word}</em></span><b dir=\"auto\">{title}</b></a>",
            id = node.id,
            title = escaped(title(node)),
            word = escaped(standing(node)),
        );
    }
    out.push_str("</div></div>");
}

fn title(node: &GraphNode) -> &str {
    if node.title.is_empty() { "not known here yet" } else { &node.title }
}

fn standing(node: &GraphNode) -> &'static str {
    node.standing.map_or("unknown", |standing| standing.words())
}

/// The same for ears, thumbs and paper: two lists, the nearest first.
fn lists(graph: &GraphView, out: &mut String) {
    for (heading, nothing, sign) in [("Waits for", "It waits for no other task.", -1), ("Waits for this", "No other task waits for it.", 1)] {
        let mut nodes: Vec<&GraphNode> = graph.nodes.iter().filter(|node| node.step.signum() == sign).collect();
        nodes.sort_by_key(|node| node.step.abs());
        put!(out, "<section><h3>{heading}</h3>");
        if nodes.is_empty() {
            put!(out, "<p class=\"quiet\">{nothing}</p>");
        } else {
            out.push_str("<ul class=\"steps\">");
            for node in nodes {
                item(node, out);
            }
            out.push_str("</ul>");
        }
        out.push_str("</section>");
    }
    if graph.dropped > 0 {
        put!(out, "<p class=\"quiet\">{} within reach left out: there are too many to show.</p>", words::count(graph.dropped.into(), "task", "tasks"));
    }
    more_or_fewer(graph, out);
}

fn item(node: &GraphNode, out: &mut String) {
    let holder = node.holder.as_ref().map(|actor| format!(" · {}", escaped(actor.short()))).unwrap_or_default();
    let far = match node.step.abs() {
        1 => String::new(),
        steps => format!("{steps} steps away · "),
    };
    let more = if node.more { " · more beyond it" } else { "" };
    put!(
        out,
        "<li data-step=\"{step}\"><a href=\"{id}?tab=graph\"><code class=\"id\">{id}</code> <span dir=\"auto\">{title}</span></a> <span class=\"quiet t-12\">{far}{word}{holder}{more}</span></li>",
        step = node.step.abs(),
        id = node.id,
        title = escaped(title(node)),
        word = standing(node),
    );
}

fn more_or_fewer(graph: &GraphView, out: &mut String) {
    let link = |steps: u8, text: &str| format!("<a class=\"button\" href=\"{}?tab=graph&amp;steps={steps}\" rel=\"nofollow\">{text}</a>", graph.task);
    let deeper = graph.nodes.iter().any(|node| node.more) && graph.steps < contracts::limits::GRAPH_STEPS_MAX;
    let (more, fewer) = (deeper.then(|| link(graph.steps + 1, "One step further")), (graph.steps > 2).then(|| link(2, "Two steps only")));
    if more.is_some() || fewer.is_some() {
        put!(out, "<p class=\"row\">{}{}</p>", more.unwrap_or_default(), fewer.unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contracts::Standing;
    use contracts::graph::GraphEdge;

    fn id(n: u32) -> TaskId {
        TaskId::from_bits(n.into())
    }

    /// A picture of task 1 with these others at their steps, and who waits for whom.
    fn graph(others: &[(u32, i32)], edges: &[(u32, u32)]) -> GraphView {
        let node = |(n, step): (u32, i32)| GraphNode {
            id: id(n),
            title: format!("Task <{n}>"),
            standing: Some(Standing::Ready),
            holder: None,
            step,
            more: step.abs() == 2,
        };
        GraphView {
            task: id(1),
            steps: 2,
            nodes: std::iter::once((1, 0)).chain(others.iter().copied()).map(node).collect(),
            edges: edges.iter().map(|(task, on)| GraphEdge { task: id(*task), on: id(*on), inert: false }).collect(),
            dropped: 0,
            html: String::new(),
        }
    }

    fn drawn(graph: &GraphView) -> String {
        let number = |task: &TaskId| task.as_str().trim_start_matches("tk-").trim_start_matches('0').to_owned();
        layout(graph).layers.iter().map(|tasks| tasks.iter().map(number).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn what_comes_first_stands_further_left() {
        assert_eq!(drawn(&graph(&[(2, -1), (3, -1), (4, 1)], &[(1, 2), (1, 3), (4, 1)])), "2 3 | 1 | 4");
        assert_eq!(drawn(&graph(&[(2, -1), (3, -1)], &[(1, 2), (1, 3), (2, 3)])), "3 | 2 | 1", "the longest way counts");
        assert_eq!(drawn(&graph(&[(4, 1), (5, 1)], &[(4, 1), (5, 1), (5, 4)])), "1 | 4 | 5");
        assert_eq!(drawn(&graph(&[], &[])), "1");
    }

    #[test]
    fn lines_cross_no_more_than_they_must() {
        let crossed = graph(&[(2, -1), (3, -1), (4, -2), (5, -2)], &[(1, 2), (1, 3), (3, 4), (2, 5)]);
        assert_eq!(drawn(&crossed), "5 4 | 2 3 | 1");
    }

    #[test]
    fn a_loop_that_slipped_in_ends() {
        assert!(drawn(&graph(&[(2, -1), (3, -1)], &[(1, 2), (2, 3), (3, 2)])).contains('1'));
    }

    #[test]
    fn the_picture_and_the_list_say_the_same_and_text_stays_text() {
        let html = draw(&graph(&[(2, -1), (3, -2), (4, 1)], &[(1, 2), (2, 3), (4, 1)]));
        for n in 1..=4 {
            assert_eq!(html.matches(&format!("title=\"Task &lt;{n}&gt;\"")).count(), 1, "{html}");
        }
        assert_eq!(html.matches("<li ").count(), 3);
        assert!(html.contains("2 steps away · ready · more beyond it") && html.contains("?tab=graph&amp;steps=3") && !html.contains("Task <"));
        let alone = draw(&graph(&[], &[]));
        assert!(alone.contains("It waits for no other task.") && !alone.contains("<svg"));
    }
}
