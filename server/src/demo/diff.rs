//! How many lines a change adds and takes away, for the facts of the demonstration's own commits.

/// Added and deleted lines, when what differs is one stretch in the middle.
pub fn changed(old: &str, new: &str) -> (u32, u32) {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let left = |lines: &[&str]| u32::try_from(lines.len() - head - tail).unwrap_or(u32::MAX);
    (left(&new), left(&old))
}

#[cfg(test)]
mod tests {
    use super::changed;

    #[test]
    fn equal_ends_do_not_count() {
        assert_eq!(changed("", "a\nb\n"), (2, 0));
        assert_eq!(changed("a\nb\n", "a\nx\ny\nb\n"), (2, 0));
        assert_eq!(changed("a\nb\nc\n", "a\nx\nc\n"), (1, 1));
        assert_eq!(changed("a\na\n", "a\n"), (0, 1));
        assert_eq!(changed("a\n", "a\n"), (0, 0));
    }
}
