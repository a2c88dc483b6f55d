//! The 21 kinds of text, each as a table: text on the left, the commits it would make on the right.

use std::path::Path;

use proptest::prelude::*;

mod rows_12_to_21;
mod rows_8_to_11;

use super::{Directory, Reading, TEXT_BYTES_MAX, Unreadable, World, read};

fn reading(text: &str) -> Reading {
    let alias = |directory: &Directory, name: &str| {
        let elsewhere = directory.path().is_some_and(|path| path.starts_with("/other"));
        let value = match name {
            "ci" => "commit",
            "cv" => "-c user.name=x commit -v",
            "up" => "!git add -A && git commit",
            "quoted" => "commit -m 'a  b'",
            "loop" => "loop",
            "st" => "status",
            "odd" if elsewhere => "commit",
            _ => return None,
        };
        Some(value.to_owned())
    };
    let file = |path: &Path| match path.to_str() {
        Some("/tree/msg") => Some(String::from("from file\n\nTask: tk-4f2a9c\n")),
        Some("/tree/sub/msg") => Some(String::from("from sub\n")),
        Some("/tree/huge") => Some("x".repeat(TEXT_BYTES_MAX + 1)),
        _ => None,
    };
    read(text, &World { directory: Path::new("/tree"), alias: &alias, file: &file })
}

fn place(directory: &Directory) -> &str {
    directory.path().map_or("?", |path| path.to_str().unwrap())
}

/// The commits of a text, one a line: where, message, and what else is to be known of it.
fn commits(text: &str) -> String {
    let reading = reading(text);
    if let Some(Unreadable { mentions_commit }) = reading.unreadable {
        assert!(reading.commits.is_empty());
        return format!("unreadable, {}", if mentions_commit { "mentions commit" } else { "no commit" });
    }
    let lines = reading.commits.iter().map(|commit| {
        let mut line = place(&commit.directory).to_owned();
        line.push_str(&commit.message.as_ref().map_or(String::from(" -"), |message| format!(" {message:?}")));
        for (on, name) in [
            (commit.amend, "amend"),
            (commit.fixup, "fixup"),
            (commit.reuses, "reuses"),
            (commit.editor, "editor"),
            (commit.hooks_off, "hooks-off"),
            (commit.no_verify, "no-verify"),
        ] {
            if on {
                line.push(' ');
                line.push_str(name);
            }
        }
        commit.trailers.iter().for_each(|trailer| line.push_str(&format!(" +{trailer:?}")));
        line
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(table: &[(&str, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter(|(text, expected)| commits(text) != *expected)
        .map(|(text, expected)| format!("{text}\n  expected: {expected}\n  seen:     {}", commits(text)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[track_caller]
fn none(texts: &[&str]) {
    check(&texts.iter().map(|text| (*text, "")).collect::<Vec<_>>());
}

#[test]
fn row_1_messages_in_every_spelling() {
    check(&[
        ("git commit -m x", r#"/tree "x""#),
        ("git commit -m a -m b", r#"/tree "a\n\nb""#),
        ("git commit --message=x", r#"/tree "x""#),
        ("git commit --message x", r#"/tree "x""#),
        ("git commit --mess=x", r#"/tree "x""#),
        ("git commit -m 'one two'", r#"/tree "one two""#),
        ("git commit -m\"one two\"", r#"/tree "one two""#),
        ("git  commit\t-m   x  ", r#"/tree "x""#),
        ("git commit \\\n  -m x \\\n  --quiet", r#"/tree "x""#),
        ("git commit -m ''", r#"/tree """#),
        ("git commit -m $'one\\n\\nTask: tk-4f2a9c'", r#"/tree "one\n\nTask: tk-4f2a9c""#),
        ("git commit -m x -- -m", r#"/tree "x""#),
        ("git commit file -m x", r#"/tree "x""#),
        ("git commit --author='A <a@b>' --date now -m x", r#"/tree "x""#),
    ]);
}

#[test]
fn row_2_clusters() {
    check(&[
        ("git commit -am x", r#"/tree "x""#),
        ("git commit -qam x", r#"/tree "x""#),
        ("git commit -a -m x", r#"/tree "x""#),
        ("git commit -mx", r#"/tree "x""#),
        ("git commit -amx", r#"/tree "x""#),
        ("git commit -Skey -uno -sm x", r#"/tree "x""#),
        ("git commit -m -n", r#"/tree "-n""#),
        ("git commit -amfix\" $x\"", "/tree -"),
    ]);
}

#[test]
fn row_3_messages_from_files() {
    let file = r#"/tree "from file\n\nTask: tk-4f2a9c\n""#;
    check(&[
        ("git commit -F msg", file),
        ("git commit -Fmsg", file),
        ("git commit --file=msg", file),
        ("git commit --file ./sub/../msg", file),
        ("git commit -F /tree/msg", file),
        ("cd sub; git commit -F msg", r#"/tree/sub "from sub\n""#),
        ("git commit -F missing", "/tree -"),
        ("git commit -F huge", "/tree -"),
        ("git commit -F $f", "/tree -"),
        ("git commit -F -", "/tree -"),
        ("echo new > msg && git commit -F msg", r#"/tree "new\n""#),
        ("date > msg && git commit -F msg", "/tree -"),
        ("echo new | tee msg; git commit -F msg", "/tree -"),
        ("cat > note <<'EOF'\nwritten\nEOF\ngit commit -F note", r#"/tree "written\n""#),
        ("cat >> msg <<'EOF'\nwritten\nEOF\ngit commit -F msg", "/tree -"),
    ]);
}

#[test]
fn row_4_here_documents_as_messages() {
    let message = r#"/tree "first\n\nit's $5 \"now\"""#;
    check(&[
        ("git commit -m \"$(cat <<'EOF'\nfirst\n\nit's $5 \"now\"\nEOF\n)\"", message),
        ("git commit -m \"$(cat <<\"EOF\"\nfirst\n\nit's $5 \"now\"\nEOF\n)\"", message),
        ("git commit -m \"$(cat <<\\EOF\nfirst\n\nit's $5 \"now\"\nEOF\n)\"", message),
        ("git commit -m \"$(cat <<-'EOF'\n\tfirst\n\n\tit's $5 \"now\"\n\tEOF\n)\"", message),
        ("git commit -m \"$(cat <<EOF\nplain (text)\nEOF\n)\" && git push", r#"/tree "plain (text)""#),
        ("git commit -m \"$(cat <<EOF\nby $USER\nEOF\n)\"", "/tree -"),
        ("git commit -m \"$(cat <<EOF\nby \\$USER\nEOF\n)\"", r#"/tree "by $USER""#),
        ("git commit -m \"$(cat <<EOF\nat `date`\nEOF\n)\"", "/tree -"),
        ("git commit -F - <<EOF\nbody\nEOF", r#"/tree "body\n""#),
        ("git commit -F - <<EOF && git push\nbody\nEOF\n", r#"/tree "body\n""#),
        ("git commit -F- <<'EOF' 2>&1 | tail -1\nbody $x\nEOF\n", r#"/tree "body $x\n""#),
        ("git commit -F - <<EOF\n$x\nEOF", "/tree -"),
        ("git commit -F - <<<'body'", r#"/tree "body\n""#),
        ("git commit -F - < msg", "/tree -"),
        ("cat <<'EOF' | git commit -F -\nbody\nEOF", r#"/tree "body\n""#),
        ("echo \"a  b\" c | git commit -F -", r#"/tree "a  b c\n""#),
        ("printf '%s\\n' a b | git commit -F -", r#"/tree "a\nb\n""#),
        ("echo a | tr a b | git commit -F -", "/tree -"),
        ("echo a; git commit -F -", "/tree -"),
        ("echo a > f | git commit -F -", "/tree -"),
        ("echo -n a | git commit -F -", "/tree -"),
        ("echo a | { read x; git commit -F -; }", "/tree -"),
        ("echo a | git commit -F - <<<b", r#"/tree "b\n""#),
        ("git commit -m \"$(echo a)\" -m \"$(printf '%s' 'b c')\"", r#"/tree "a\n\nb c""#),
        ("git commit -F - <<A <<B\na\nA\nb\nB\n", r#"/tree "b\n""#),
        ("git commit -m \"$(cat msg)\"", "/tree -"),
        ("git commit -m \"pre $(cat <<'E'\nx\nE\n) post\"", r#"/tree "pre x post""#),
        ("git commit -F - <<EOF\nnever ended", r#"/tree "never ended\n""#),
    ]);
}

#[test]
fn row_5_an_editor_opens() {
    check(&[
        ("git commit", "/tree - editor"),
        ("git commit -v", "/tree - editor"),
        ("git commit -a -t f", "/tree - editor"),
        ("git commit --template=f", "/tree - editor"),
        ("git commit -em x", r#"/tree "x" editor"#),
        ("git commit --no-edit", "/tree -"),
        ("git commit .", "/tree - editor"),
    ]);
}

#[test]
fn row_6_several_commands() {
    check(&[
        ("git add -A && git commit -m x", r#"/tree "x""#),
        ("git add -A; git commit -m x", r#"/tree "x""#),
        ("git diff --quiet || git commit -m x", r#"/tree "x""#),
        ("git add .\ngit commit -m x\n", r#"/tree "x""#),
        ("sleep 1 & git commit -m x &", r#"/tree "x""#),
        ("git commit -m a&&git commit -m b", "/tree \"a\"\n/tree \"b\""),
        ("git commit -m a;git commit -m b", "/tree \"a\"\n/tree \"b\""),
        ("git commit -m a\r\ngit commit -m b", "/tree \"a\"\n/tree \"b\""),
        ("git add -A && # then\n git commit -m x # done", r#"/tree "x""#),
    ]);
}

#[test]
fn row_7_what_follows_does_not_matter() {
    check(&[
        ("git commit -m x && git push", r#"/tree "x""#),
        ("git commit -m x | tee log", r#"/tree "x""#),
        ("git commit -m x > out", r#"/tree "x""#),
        ("git commit -m x >out 2>&1", r#"/tree "x""#),
        ("git commit -m x &> out", r#"/tree "x""#),
        ("git commit >/dev/null -m x", r#"/tree "x""#),
        (">log git commit -m x", r#"/tree "x""#),
        ("git commit -m x 2> >(tee err)", r#"/tree "x""#),
        ("git commit -m x |& cat", r#"/tree "x""#),
        ("git commit -m 2 2>x", r#"/tree "2""#),
    ]);
}

#[test]
fn every_simple_command_is_listed_with_its_place() {
    let list = |text: &str| -> Vec<String> {
        let show = |arg: &Option<String>| arg.clone().unwrap_or_else(|| String::from("?"));
        let calls = reading(text).calls;
        calls
            .iter()
            .map(|call| {
                let variables = call.variables.iter().map(|(name, value)| format!("{name}={} ", show(value))).collect::<String>();
                format!("{}: {variables}{}", place(&call.directory), call.argv.iter().map(show).collect::<Vec<_>>().join(" "))
            })
            .collect()
    };
    assert_eq!(list("cd d && callboard close tk-4f2a9c --note \"$n\""), ["/tree: cd d", "/tree/d: callboard close tk-4f2a9c --note ?"]);
    assert_eq!(list("CALLBOARD_ACTOR=dev:ada timeout 5 ./callboard gate pass"), ["/tree: CALLBOARD_ACTOR=dev:ada ./callboard gate pass"]);
    assert_eq!(list("bash -c 'callboard review pass'"), ["/tree: bash -c callboard review pass", "/tree: callboard review pass"]);
    assert_eq!(list("echo \"$(callboard next)\""), ["/tree: callboard next", "/tree: echo ?"]);
    assert_eq!(list("callboard next; echo '"), Vec::<String>::new());
}

#[test]
fn hostile_text_is_read_in_bounded_time() {
    let fill = |unit: &str| unit.repeat(TEXT_BYTES_MAX / unit.len());
    let units = [
        "(",
        "((",
        "$((",
        "$(",
        "${",
        "\"${",
        "`",
        "\\",
        "'",
        "a=(",
        "<(",
        "{ ",
        "((a) ",
        "(((a) )",
        "cd a;",
        "pushd a;",
        "if ",
        "case a in ",
        "<<E ",
        "<<E\n",
        "f() ",
        "git up;",
        "git loop;",
        "git -c alias.a='!git a' a;",
        "eval ",
        "$x",
        "eval $x;",
        "[[ ",
        "$'",
        "git x1;",
        "> >",
        "()",
        "a&",
        "\n",
        "cd aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;git commit -m x;",
    ];
    let begun = std::time::Instant::now();
    for unit in units {
        let one = std::time::Instant::now();
        let _ = commits(&fill(unit));
        assert!(one.elapsed().as_secs() < 5, "{unit:?}: {:?}", one.elapsed());
    }
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

/// Pieces that mean something to a shell, so that chance finds its way into the reader.
fn shell_like() -> impl Strategy<Value = String> {
    let pieces = [
        "git",
        "commit",
        " ",
        "\n",
        ";",
        "&&",
        "||",
        "|",
        "&",
        "(",
        ")",
        "{",
        "}",
        "'",
        "\"",
        "`",
        "$(",
        "${",
        "$((",
        "))",
        "<<EOF\n",
        "EOF\n",
        "<<'E'",
        "\\",
        "#",
        "if ",
        "then ",
        "fi",
        "case ",
        " in ",
        "esac",
        ";;",
        "for ",
        "do ",
        "done",
        "[[ ",
        " ]]",
        "a=(",
        "$'",
        "-m",
        "-F",
        "-c",
        "-C",
        "eval ",
        "sh -c ",
        "cd ",
        "x",
        "é",
        "<(",
        ">",
        "2>",
        "env -S ",
        "xargs -I{} ",
        "function ",
        "time ",
        "!",
        "~",
        "*",
        "ci ",
        "up ",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_is_too_strange(text in any::<String>()) {
        let _ = commits(&text);
    }

    #[test]
    fn no_shell_is_too_strange(text in shell_like()) {
        let _ = commits(&text);
    }

    #[test]
    fn quoting_keeps_a_message_whole(message in "[ -~\n]{0,80}") {
        let text = format!("git commit -m '{}'", message.replace('\'', r"'\''"));
        let reading = reading(&text);
        prop_assert_eq!(reading.commits.len(), 1);
        prop_assert_eq!(reading.commits[0].message.as_deref(), Some(message.as_str()));
    }
}
