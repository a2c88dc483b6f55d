//! What one commit changes, as git's text and taken apart into files, hunks and lines.
//!
//! Invariant: taking apart never fails. Text that has another form than git's gives fewer files, never wrong ones.

use crate::command::Git;
use crate::remote::NO_NETWORK;
use crate::{GitError, Repository};

/// How much of a change is shown.
pub const DIFF_BYTES_MAX: u64 = 512 * 1024;

/// A change as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    /// In git's unified form, whole lines.
    pub text: String,
    /// Whether there is more than [`DIFF_BYTES_MAX`].
    pub truncated: bool,
}

/// What happens to one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// From the top of the repository; where it was, when it is deleted.
    pub path: String,
    /// Where it was before, when it was moved or copied.
    pub from: Option<String>,
    /// In one word.
    pub what: FileChanged,
    /// Whether git has no lines to show.
    pub binary: bool,
    /// The modes before and after, when these differ and both are there.
    pub modes: Option<(String, String)>,
    /// The changed places, in order.
    pub hunks: Vec<Hunk>,
}

/// What happens to a file, in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileChanged {
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// It has another path.
    Renamed,
    /// It is a copy of another one.
    Copied,
    /// It has other lines, or another mode.
    #[default]
    Modified,
}

/// One changed place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// First line and count before; of a merge, in its first parent.
    pub old: (u64, u64),
    /// First line and count after.
    pub new: (u64, u64),
    /// What git found above it: the function it stands in.
    pub heading: String,
    /// Each with its mark first: `+`, `-`, a space, or `\` for a note of git's own.
    pub lines: Vec<String>,
}

impl Repository {
    /// What a commit changes, against its parent; a merge shows what it changed itself.
    pub fn diff(&self, rev: &str) -> Result<Diff, GitError> {
        let sha = self.tip(rev)?.ok_or_else(|| GitError::failed("git diff-tree", format!("there is no commit {rev}")))?;
        let form = ["diff-tree", "-p", "--cc", "--root", "-M", "--no-commit-id", "--no-color", "--no-ext-diff", "--no-textconv"];
        let args = [&form[..], &["--src-prefix=a/", "--dst-prefix=b/", &sha]].concat();
        let git = Git::new(self.directory(), &args).envs(&[NO_NETWORK]);
        let mut output = git.stdout_at_most(DIFF_BYTES_MAX).output()?;
        if output.code != Some(0) && !output.cut {
            return Err(GitError::failed("git diff-tree", output.stderr));
        }
        if output.cut {
            let end = output.stdout.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            output.stdout.truncate(end);
        }
        Ok(Diff { text: String::from_utf8_lossy(&output.stdout).into_owned(), truncated: output.cut })
    }
}

impl Diff {
    /// The files of it, in git's order.
    pub fn files(&self) -> Vec<FileDiff> {
        let mut reader = Reader::default();
        // Not `lines`: a carriage return before the newline belongs to the file.
        for line in self.text.split_terminator('\n') {
            reader.line(line);
        }
        reader.end()
    }
}

#[derive(Default)]
struct Reader {
    done: Vec<FileDiff>,
    file: Option<FileDiff>,
    /// Lines that the current hunk still has: before (for each parent) and after.
    left: (Vec<u64>, u64),
}

impl Reader {
    fn line(&mut self, line: &str) {
        if self.left.1 > 0 || self.left.0.iter().any(|left| *left > 0) || line.starts_with('\\') {
            return self.content(line);
        }
        if let Some(rest) = line.strip_prefix("diff --git ").or_else(|| line.strip_prefix("diff --cc ")).or_else(|| line.strip_prefix("diff --combined ")) {
            self.done.extend(self.file.take());
            self.file = Some(FileDiff { path: path_of_header(rest), ..FileDiff::default() });
        } else if let Some(file) = &mut self.file {
            if let Some((hunk, left)) = hunk(line) {
                file.hunks.push(hunk);
                self.left = left;
            } else {
                file.header(line);
            }
        }
    }

    fn content(&mut self, line: &str) {
        let Some(hunk) = self.file.as_mut().and_then(|file| file.hunks.last_mut()) else { return };
        let columns = self.left.0.len();
        if line.starts_with('\\') {
            hunk.lines.push(line.to_owned());
            return;
        }
        let marks = line.get(..columns).unwrap_or(line);
        let (removed, added) = (marks.contains('-'), marks.contains('+'));
        let mark = match (removed, added) {
            (true, _) => '-',
            (false, true) => '+',
            (false, false) => ' ',
        };
        for (left, column) in self.left.0.iter_mut().zip(marks.chars()) {
            // A column of a line that went away counts only where the line was.
            let was_there = if removed { column == '-' } else { column == ' ' };
            *left = left.saturating_sub(u64::from(was_there));
        }
        self.left.1 = self.left.1.saturating_sub(u64::from(!removed));
        hunk.lines.push(format!("{mark}{}", line.get(columns..).unwrap_or_default()));
    }

    fn end(mut self) -> Vec<FileDiff> {
        self.done.extend(self.file.take());
        self.done
    }
}

impl FileDiff {
    fn header(&mut self, line: &str) {
        let starts = |word: &str| line.strip_prefix(word);
        if starts("new file mode ").is_some() {
            self.what = FileChanged::Added;
        } else if starts("deleted file mode ").is_some() {
            self.what = FileChanged::Deleted;
        } else if let Some(path) = starts("rename from ") {
            (self.what, self.from) = (FileChanged::Renamed, Some(unquoted(path)));
        } else if let Some(path) = starts("copy from ") {
            (self.what, self.from) = (FileChanged::Copied, Some(unquoted(path)));
        } else if let Some(path) = starts("rename to ").or_else(|| starts("copy to ")) {
            self.path = unquoted(path);
        } else if let Some(mode) = starts("old mode ") {
            self.modes = Some((mode.to_owned(), String::new()));
        } else if let (Some(mode), Some((_, new))) = (starts("new mode "), &mut self.modes) {
            mode.clone_into(new);
        } else if starts("Binary files ").is_some() || starts("GIT binary patch").is_some() {
            self.binary = true;
        } else if let Some(path) = starts("+++ ").or_else(|| starts("--- ")).map(unquoted).and_then(|path| path.get(2..).map(str::to_owned))
            && line != "+++ /dev/null"
            && line != "--- /dev/null"
        {
            self.path = path;
        }
    }
}

/// The path in `a/… b/…`, where both are the same; of a merge, the one that stands there. What is not the same comes again below it.
fn path_of_header(rest: &str) -> String {
    if let Some(quoted) = rest.strip_suffix('"').and_then(|rest| rest.rsplit_once(" \"b/")) {
        return unquoted(&format!("\"{}\"", quoted.1));
    }
    let rest = rest.trim_end_matches('\t');
    let half = rest.len() / 2;
    match (rest.get(..half), rest.get(half..)) {
        (Some(before), Some(after)) if before.strip_prefix("a/").is_some() && before.strip_prefix("a/") == after.strip_prefix(" b/") => before[2..].to_owned(),
        _ => unquoted(rest),
    }
}

/// A path as git writes it: as it is, or in quotes with escapes when it holds something that could be misread.
fn unquoted(written: &str) -> String {
    // Git ends a path that has a space with a tab.
    let written = written.trim_end_matches('\t');
    let Some(inner) = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return written.to_owned() };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(digit @ b'0'..=b'3') => {
                let mut value = digit - b'0';
                for _ in 0..2 {
                    if let Some(digit) = rest.next_if(|byte| (b'0'..=b'7').contains(byte)) {
                        value = value * 8 + (digit - b'0');
                    }
                }
                bytes.push(value);
            }
            Some(letter) => bytes.push(match letter {
                b'a' => 7,
                b'b' => 8,
                b't' => b'\t',
                b'n' => b'\n',
                b'v' => 11,
                b'f' => 12,
                b'r' => b'\r',
                other => other,
            }),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `@@ -1,2 +1,3 @@ heading`, with one `@` and one range more for each further parent.
fn hunk(line: &str) -> Option<(Hunk, (Vec<u64>, u64))> {
    let marks = line.bytes().take_while(|byte| *byte == b'@').count();
    if marks < 2 {
        return None;
    }
    let (ranges, heading) = line[marks..].split_once(&line[..marks])?;
    let mut old = Vec::new();
    let mut new = None;
    for range in ranges.split_whitespace() {
        match (range.strip_prefix('-'), range.strip_prefix('+')) {
            (Some(range), _) => old.push(numbers(range)?),
            (_, Some(range)) => new = Some(numbers(range)?),
            _ => return None,
        }
    }
    let (first, new) = (*old.first()?, new?);
    let left = (old.iter().map(|range| range.1).collect(), new.1);
    let hunk = Hunk { old: first, new, heading: heading.trim_start().to_owned(), lines: Vec::new() };
    (old.len() == marks - 1).then_some((hunk, left))
}

/// `3,4`, or `3` for one line.
fn numbers(range: &str) -> Option<(u64, u64)> {
    match range.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((range.parse().ok()?, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(text: &str) -> Vec<FileDiff> {
        Diff { text: text.to_owned(), truncated: false }.files()
    }

    #[test]
    fn lines_that_look_like_headers_stay_lines() {
        let found = files("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ fn a()\n--- a/y\n+++ b/y\n diff --git a/z b/z\n");
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].path.as_str(), found[0].hunks[0].heading.as_str()), ("x", "fn a()"));
        assert_eq!(found[0].hunks[0].lines, ["--- a/y", "+++ b/y", " diff --git a/z b/z"]);
    }

    #[test]
    fn what_is_no_diff_gives_nothing() {
        for text in ["", "\n", "hello\n@@ -1 +1 @@\n-a\n", "@@@@@\n", "diff --git", "\\ No newline"] {
            assert!(files(text).iter().all(|file| file.hunks.is_empty()), "{text:?}");
        }
    }

    #[test]
    fn a_quoted_path_is_what_it_was() {
        assert_eq!(unquoted(r#""a/caf\303\251 \"x\"\t\\y""#), "a/café \"x\"\t\\y");
        assert_eq!(path_of_header(r#""a/\303\251" "b/\303\251""#), "é");
        assert_eq!(path_of_header("a/with b/in it b/with b/in it"), "with b/in it");
    }
}
