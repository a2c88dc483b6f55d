//! What a commit changes, as HTML made on the server: a fold for each file, lines in one column or two, coloured by their language. A
//! large file is folded, a binary one only named.

use crate::syntax::Colours;
use crate::words::{self, escaped};
use contracts::view::{DiffView, FileChanged, FileDiff, Hunk};
use std::fmt::Write;

/// Lines of a file above which it is folded.
const FOLDED_ABOVE: usize = 400;
/// Lines of all files above which each is folded.
const ALL_FOLDED_ABOVE: usize = 3_000;
/// Lines of a file above which it is not coloured.
const PLAIN_ABOVE: usize = 4_000;

/// Writing to a `String` can't fail, so what `write!` says is dropped here alone.
macro_rules! put {
    ($out:expr, $($rest:tt)*) => { let _ = write!($out, $($rest)*); };
}

/// The whole change.
pub fn draw(diff: &DiffView) -> String {
    let all: usize = diff.files.iter().map(lines_in).sum();
    let mut html = String::new();
    for file in &diff.files {
        one(file, all > ALL_FOLDED_ABOVE || lines_in(file) > FOLDED_ABOVE, &mut html);
    }
    if diff.truncated {
        html.push_str("<p class=\"quiet\">There is more than is shown here: the change is larger than 512\u{a0}KiB.</p>");
    }
    if diff.files.is_empty() {
        html.push_str("<p class=\"quiet\">It changes no file.</p>");
    }
    html
}

fn lines_in(file: &FileDiff) -> usize {
    file.hunks.iter().map(|hunk| hunk.lines.len()).sum()
}

fn one(file: &FileDiff, folded: bool, out: &mut String) {
    let marked = |mark: char| file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.starts_with(mark)).count();
    let (added, deleted) = (marked('+'), marked('-'));
    let open = if folded { "" } else { " open" };
    let from = file.from.as_ref().map(|from| format!(" from <code>{}</code>", escaped(from))).unwrap_or_default();
    let what = if file.what == FileChanged::Modified { String::new() } else { format!("{}{from}", file.what.words()) };
    let lines =
        if file.binary { "binary".to_owned() } else { words::lines(u32::try_from(added).unwrap_or(u32::MAX), u32::try_from(deleted).unwrap_or(u32::MAX)) };
    put!(
        out,
        "<details class=\"filediff\"{open}><summary><code dir=\"ltr\">{path}</code> <span>{what}</span> <span class=\"push\">{lines}{large}</span></summary>",
        path = escaped(&file.path),
        large = if folded { " · folded" } else { "" },
    );
    if let Some((before, after)) = &file.modes {
        put!(out, "<p class=\"quiet t-12\">mode {} → {}</p>", escaped(before), escaped(after));
    }
    if file.binary {
        out.push_str("<p class=\"quiet t-12\">A binary file: it has no lines to show.</p>");
    } else if !file.hunks.is_empty() {
        let name = escaped(&file.path);
        put!(out, "<div class=\"difflines\" role=\"group\" aria-label=\"Changes of {name}\" tabindex=\"0\">");
        let coloured = lines_in(file) <= PLAIN_ABOVE;
        for hunk in &file.hunks {
            changed_place(hunk, if coloured { &file.path } else { "" }, out);
        }
        out.push_str("</div>");
    }
    out.push_str("</details>");
}

/// One changed place. What goes and what comes each have their own state of colours; a line of both moves both on.
fn changed_place(hunk: &Hunk, path: &str, out: &mut String) {
    let (mut old, mut new) = (hunk.old.0, hunk.new.0);
    let (mut before, mut after) = (Colours::of(path), Colours::of(path));
    put!(out, "<p class=\"at\">Line {} {}</p>", hunk.new.0, escaped(&hunk.heading));
    let mut in_run = false;
    for line in &hunk.lines {
        let (mark, text) = line.split_at_checked(1).unwrap_or((line, ""));
        let changes = mark == "+" || mark == "-";
        if changes != in_run {
            out.push_str(if changes { "<div class=\"run\">" } else { "</div>" });
            in_run = changes;
        }
        match mark {
            "-" => {
                put!(out, "<del><i>{old}</i><i></i><b>−</b><code>{}</code></del>", before.line(text));
                old += 1;
            }
            "+" => {
                put!(out, "<ins><i></i><i>{new}</i><b>+</b><code>{}</code></ins>", after.line(text));
                new += 1;
            }
            " " => {
                let _ = before.line(text); // only to move its state on
                let code = after.line(text);
                put!(out, "<div class=\"same\"><span><i>{old}</i><i>{new}</i><b> </b><code>{code}</code></span>");
                put!(out, "<span aria-hidden=\"true\"><i></i><i>{new}</i><b> </b><code>{code}</code></span></div>");
                (old, new) = (old + 1, new + 1);
            }
            _ => {
                put!(out, "<p class=\"at\">{}</p>", escaped(line.trim_start_matches(['\\', ' '])));
            }
        }
    }
    if in_run {
        out.push_str("</div>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, lines: &[&str]) -> FileDiff {
        let hunk = Hunk { old: (10, 3), new: (12, 3), heading: "fn <main>".to_owned(), lines: lines.iter().map(|line| (*line).to_owned()).collect() };
        FileDiff { path: path.to_owned(), hunks: vec![hunk], ..FileDiff::default() }
    }

    fn drawn(files: Vec<FileDiff>) -> String {
        draw(&DiffView { files, truncated: false })
    }

    #[test]
    fn each_line_has_its_numbers_and_its_mark() {
        let html = drawn(vec![file("notes", &[" same", "-old <b>", "+new", "+more", " end", "\\ No newline at end of file"])]);
        for part in [
            "<p class=\"at\">Line 12 fn &lt;main&gt;</p>",
            "<span><i>10</i><i>12</i><b> </b><code>same</code></span>",
            "<div class=\"run\"><del><i>11</i><i></i><b>−</b><code>old &lt;b&gt;</code></del><ins><i></i><i>13</i><b>+</b><code>new</code></ins>",
            "<ins><i></i><i>14</i><b>+</b><code>more</code></ins></div>",
            "<span><i>12</i><i>15</i><b> </b><code>end</code></span>",
            "<p class=\"at\">No newline at end of file</p>",
            "+2 −1",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
        assert!(!html.contains("<b>\"") && !html.contains("fn <main>"));
    }

    #[test]
    fn a_large_file_is_folded_and_a_binary_one_named() {
        let many: Vec<&str> = vec!["+x"; FOLDED_ABOVE + 1];
        let html = drawn(vec![file("big", &many), file("small", &["+x"])]);
        assert!(html.contains("<details class=\"filediff\"><summary><code dir=\"ltr\">big</code>") && html.contains("+401 −0 · folded"));
        assert!(html.contains("<details class=\"filediff\" open><summary><code dir=\"ltr\">small</code>"));
        let moved = FileDiff { path: "b".to_owned(), from: Some("a".to_owned()), what: FileChanged::Renamed, binary: true, ..FileDiff::default() };
        let html = drawn(vec![moved]);
        assert!(html.contains("moved from <code>a</code>") && html.contains("A binary file") && html.contains(">binary</span>"));
        assert!(drawn(Vec::new()).contains("It changes no file."));
    }

    #[test]
    fn a_change_is_coloured_and_stays_text() {
        let html = drawn(vec![file("a.rs", &["-let a = \"<script>\";", "+let a = 1; // <script>"])]);
        assert!(html.contains("<span class=\"k\">let</span>") && html.contains("&lt;script&gt;") && !html.contains("<script>"), "{html}");
    }
}
