//! File patterns and their overlap: a hint for order and warnings, never a lock.
//!
//! Three forms: a path `a/b.rs`, a tree `a/b/`, a glob with `*`, `?`, `[…]` inside a segment or `**` across segments.

use crate::task::Task;
use std::collections::BTreeSet;

const WILD: [char; 3] = ['*', '?', '['];

fn is_glob(pattern: &str) -> bool {
    pattern.contains(WILD)
}

/// What stands before the first wildcard.
fn literal(pattern: &str) -> &str {
    pattern.split(WILD).next().unwrap_or("")
}

/// Whether a change to one may touch the other. Between a glob and a tree or glob it is deliberately wide.
pub fn overlap(a: &str, b: &str) -> bool {
    let tree = |pattern: &str| pattern.ends_with('/');
    match (is_glob(a), is_glob(b)) {
        (false, false) if tree(a) || tree(b) => (tree(a) && b.starts_with(a)) || (tree(b) && a.starts_with(b)),
        (false, false) => a == b,
        (true, false) if !tree(b) => matches(a, b),
        (false, true) if !tree(a) => matches(b, a),
        _ => {
            let (a, b) = (literal(a), literal(b));
            a.starts_with(b) || b.starts_with(a)
        }
    }
}

/// Whether a glob matches a path.
fn matches(glob: &str, path: &str) -> bool {
    let glob: Vec<&str> = glob.trim_end_matches('/').split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    // `reach[i]`: the part of the glob read so far matches the first i segments of the path.
    let mut reach = vec![false; path.len() + 1];
    reach[0] = true;
    for segment in glob {
        let mut next = vec![false; path.len() + 1];
        if segment == "**" {
            let mut any = false;
            for place in 0..=path.len() {
                any |= reach[place];
                next[place] = any;
            }
        } else {
            for place in 0..path.len() {
                next[place + 1] = reach[place] && segment_matches(segment, path[place]);
            }
        }
        reach = next;
    }
    reach[path.len()]
}

/// One segment against one name, in time proportional to the product of their lengths.
fn segment_matches(glob: &str, name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let mut reach = vec![false; name.len() + 1];
    reach[0] = true;
    let mut rest: Vec<char> = glob.chars().collect();
    rest.reverse();
    while let Some(character) = rest.pop() {
        let mut next = vec![false; name.len() + 1];
        if character == '*' {
            let mut any = false;
            for place in 0..=name.len() {
                any |= reach[place];
                next[place] = any;
            }
        } else {
            let class = if character == '[' { class(&mut rest) } else { None };
            for place in 0..name.len() {
                let fits = match (&class, character) {
                    (Some((not, ranges)), _) => ranges.iter().any(|(from, to)| (*from..=*to).contains(&name[place])) != *not,
                    (None, '?') => true,
                    (None, plain) => plain == name[place],
                };
                next[place + 1] = reach[place] && fits;
            }
        }
        reach = next;
    }
    reach[name.len()]
}

type Class = (bool, Vec<(char, char)>);

/// Reads `…]` after a `[`; without a closing bracket the `[` is a plain character.
fn class(rest: &mut Vec<char>) -> Option<Class> {
    let end = rest.iter().rposition(|character| *character == ']')?;
    let inside: Vec<char> = rest.drain(end..).skip(1).rev().collect();
    let (not, inside) = match inside.split_first() {
        Some(('!' | '^', inside)) => (true, inside),
        _ => (false, inside.as_slice()),
    };
    let mut ranges = Vec::new();
    let mut place = 0;
    while place < inside.len() {
        if place + 2 < inside.len() && inside[place + 1] == '-' {
            ranges.push((inside[place], inside[place + 2]));
            place += 3;
        } else {
            ranges.push((inside[place], inside[place]));
            place += 1;
        }
    }
    Some((not, ranges))
}

/// What a task touches: its declared patterns, and every path in the commits bound to it.
pub fn surface(task: &Task) -> Vec<String> {
    let declared = task.files.iter().cloned();
    let touched = task.commits.iter().filter(|commit| commit.superseded.is_none()).flat_map(|commit| commit.files.iter().map(|file| file.0.clone()));
    declared.chain(touched).collect::<BTreeSet<_>>().into_iter().collect()
}

/// What two surfaces share: for each overlap the narrower of the two patterns, sorted.
pub fn shared(a: &[String], b: &[String]) -> Vec<String> {
    let mut found = BTreeSet::new();
    for left in a {
        for right in b.iter().filter(|right| overlap(left, right)) {
            found.insert(if literal(left).len() >= literal(right).len() { left.clone() } else { right.clone() });
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_overlap_as_the_three_forms_say() {
        for (a, b) in [
            ("a/b.rs", "a/b.rs"),
            ("a/", "a/b.rs"),
            ("a/b/", "a/"),
            ("src/*.rs", "src/a.rs"),
            ("src/**/*.rs", "src/a/b/c.rs"),
            ("src/**/*.rs", "src/c.rs"),
            ("**", "any/thing"),
            ("src/[a-c]?.rs", "src/b1.rs"),
            ("src/[!x]*", "src/ab"),
            ("src/*.rs", "src/"),
            ("src/*/x", "src/a/*"),
            ("a[b", "a[b"),
        ] {
            assert!(overlap(a, b) && overlap(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("a/b.rs", "a/b"),
            ("a/", "ab/c"),
            ("a/", "a"),
            ("src/*.rs", "src/a/b.rs"),
            ("src/*.rs", "src/a.rsx"),
            ("src/[!x]*", "src/xb"),
            ("src/?.rs", "src/ab.rs"),
            ("src/*.rs", "doc/"),
            ("A.rs", "a.rs"),
        ] {
            assert!(!overlap(a, b) && !overlap(b, a), "{a} {b}");
        }
    }

    #[test]
    fn a_hostile_glob_ends_soon() {
        let glob = "*a".repeat(140);
        assert!(!overlap(&glob, &format!("{}b", "a".repeat(298))));
        assert!(overlap(&format!("{}b", "**/".repeat(90)), &format!("{}b", "a/".repeat(140))));
    }
}
