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
        Some("/work/msg") => Some(String::from("from file\n\nTask: tk-4f2a9c\n")),
        Some("/work/sub/msg") => Some(String::from("from sub\n")),
        Some("/work/huge") => Some("x".repeat(TEXT_BYTES_MAX + 1)),
        _ => None,
    };
    read(text, &World { directory: Path::new("/work"), alias: &alias, file: &file })
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
        ("git commit -m x", r#"/work "x""#),
        ("git commit -m a -m b", r#"/work "a\n\nb""#),
        ("git commit --message=x", r#"/work "x""#),
        ("git commit --message x", r#"/work "x""#),
        ("git commit --mess=x", r#"/work "x""#),
        ("git commit -m 'one two'", r#"/work "one two""#),
        ("git commit -m\"one two\"", r#"/work "one two""#),
        ("git  commit\t-m   x  ", r#"/work "x""#),
        ("git commit \\\n  -m x \\\n  --quiet", r#"/work "x""#),
        ("git commit -m ''", r#"/work """#),
        ("git commit -m $'one\\n\\nTask: tk-4f2a9c'", r#"/work "one\n\nTask: tk-4f2a9c""#),
        ("git commit -m x -- -m", r#"/work "x""#),
        ("git commit file -m x", r#"/work "x""#),
        ("git commit --author='A <a@b>' --date now -m x", r#"/work "x""#),
    ]);
}

#[test]
fn row_2_clusters() {
    check(&[
        ("git commit -am x", r#"/work "x""#),
        ("git commit -qam x", r#"/work "x""#),
        ("git commit -a -m x", r#"/work "x""#),
        ("git commit -mx", r#"/work "x""#),
        ("git commit -amx", r#"/work "x""#),
        ("git commit -Skey -uno -sm x", r#"/work "x""#),
        ("git commit -m -n", r#"/work "-n""#),
        ("git commit -amfix\" $x\"", "/work -"),
    ]);
}

#[test]
fn row_3_messages_from_files() {
    let file = r#"/work "from file\n\nTask: tk-4f2a9c\n""#;
    check(&[
        ("git commit -F msg", file),
        ("git commit -Fmsg", file),
        ("git commit --file=msg", file),
        ("git commit --file ./sub/../msg", file),
        ("git commit -F /work/msg", file),
        ("cd sub; git commit -F msg", r#"/work/sub "from sub\n""#),
        ("git commit -F missing", "/work -"),
        ("git commit -F huge", "/work -"),
        ("git commit -F $f", "/work -"),
        ("git commit -F -", "/work -"),
        ("echo new > msg && git commit -F msg", r#"/work "new\n""#),
        ("date > msg && git commit -F msg", "/work -"),
        ("echo new | tee msg; git commit -F msg", "/work -"),
        ("cat > note <<'EOF'\nwritten\nEOF\ngit commit -F note", r#"/work "written\n""#),
        ("cat >> msg <<'EOF'\nwritten\nEOF\ngit commit -F msg", "/work -"),
    ]);
}

#[test]
fn row_4_here_documents_as_messages() {
    let message = r#"/work "first\n\nit's $5 \"now\"""#;
    check(&[
        ("git commit -m \"$(cat <<'EOF'\nfirst\n\nit's $5 \"now\"\nEOF\n)\"", message),
        ("git commit -m \"$(cat <<\"EOF\"\nfirst\n\nit's $5 \"now\"\nEOF\n)\"", message),
        ("git commit -m \"$(cat <<\\EOF\nfirst\n\nit's $5 \"now\"\nEOF\n)\"", message),
        ("git commit -m \"$(cat <<-'EOF'\n\tfirst\n\n\tit's $5 \"now\"\n\tEOF\n)\"", message),
        ("git commit -m \"$(cat <<EOF\nplain (text)\nEOF\n)\" && git push", r#"/work "plain (text)""#),
        ("git commit -m \"$(cat <<EOF\nby $USER\nEOF\n)\"", "/work -"),
        ("git commit -m \"$(cat <<EOF\nby \\$USER\nEOF\n)\"", r#"/work "by $USER""#),
        ("git commit -m \"$(cat <<EOF\nat `date`\nEOF\n)\"", "/work -"),
        ("git commit -F - <<EOF\nbody\nEOF", r#"/work "body\n""#),
        ("git commit -F - <<EOF && git push\nbody\nEOF\n", r#"/work "body\n""#),
        ("git commit -F- <<'EOF' 2>&1 | tail -1\nbody $x\nEOF\n", r#"/work "body $x\n""#),
        ("git commit -F - <<EOF\n$x\nEOF", "/work -"),
        ("git commit -F - <<<'body'", r#"/work "body\n""#),
        ("git commit -F - < msg", "/work -"),
        ("cat <<'EOF' | git commit -F -\nbody\nEOF", r#"/work "body\n""#),
        ("echo \"a  b\" c | git commit -F -", r#"/work "a  b c\n""#),
        ("printf '%s\\n' a b | git commit -F -", r#"/work "a\nb\n""#),
        ("echo a | tr a b | git commit -F -", "/work -"),
        ("echo a; git commit -F -", "/work -"),
        ("echo a > f | git commit -F -", "/work -"),
        ("echo -n a | git commit -F -", "/work -"),
        ("echo a | { read x; git commit -F -; }", "/work -"),
        ("echo a | git commit -F - <<<b", r#"/work "b\n""#),
        ("git commit -m \"$(echo a)\" -m \"$(printf '%s' 'b c')\"", r#"/work "a\n\nb c""#),
        ("git commit -F - <<A <<B\na\nA\nb\nB\n", r#"/work "b\n""#),
        ("git commit -m \"$(cat msg)\"", "/work -"),
        ("git commit -m \"pre $(cat <<'E'\nx\nE\n) post\"", r#"/work "pre x post""#),
        ("git commit -F - <<EOF\nnever ended", r#"/work "never ended\n""#),
    ]);
}

#[test]
fn row_5_an_editor_opens() {
    check(&[
        ("git commit", "/work - editor"),
        ("git commit -v", "/work - editor"),
        ("git commit -a -t f", "/work - editor"),
        ("git commit --template=f", "/work - editor"),
        ("git commit -em x", r#"/work "x" editor"#),
        ("git commit --no-edit", "/work -"),
        ("git commit .", "/work - editor"),
    ]);
}

#[test]
fn row_6_several_commands() {
    check(&[
        ("git add -A && git commit -m x", r#"/work "x""#),
        ("git add -A; git commit -m x", r#"/work "x""#),
        ("git diff --quiet || git commit -m x", r#"/work "x""#),
        ("git add .\ngit commit -m x\n", r#"/work "x""#),
        ("sleep 1 & git commit -m x &", r#"/work "x""#),
        ("git commit -m a&&git commit -m b", "/work \"a\"\n/work \"b\""),
        ("git commit -m a;git commit -m b", "/work \"a\"\n/work \"b\""),
        ("git commit -m a\r\ngit commit -m b", "/work \"a\"\n/work \"b\""),
        ("git add -A && # then\n git commit -m x # done", r#"/work "x""#),
    ]);
}

#[test]
fn row_7_what_follows_does_not_matter() {
    check(&[
        ("git commit -m x && git push", r#"/work "x""#),
        ("git commit -m x | tee log", r#"/work "x""#),
        ("git commit -m x > out", r#"/work "x""#),
        ("git commit -m x >out 2>&1", r#"/work "x""#),
        ("git commit -m x &> out", r#"/work "x""#),
        ("git commit >/dev/null -m x", r#"/work "x""#),
        (">log git commit -m x", r#"/work "x""#),
        ("git commit -m x 2> >(tee err)", r#"/work "x""#),
        ("git commit -m x |& cat", r#"/work "x""#),
        ("git commit -m 2 2>x", r#"/work "2""#),
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
    assert_eq!(list("cd d && callboard close tk-4f2a9c --note \"$n\""), ["/work: cd d", "/work/d: callboard close tk-4f2a9c --note ?"]);
    assert_eq!(list("CALLBOARD_ACTOR=dev:ada timeout 5 ./callboard gate pass"), ["/work: CALLBOARD_ACTOR=dev:ada ./callboard gate pass"]);
    assert_eq!(list("bash -c 'callboard review pass'"), ["/work: bash -c callboard review pass", "/work: callboard review pass"]);
    assert_eq!(list("echo \"$(callboard next)\""), ["/work: callboard next", "/work: echo ?"]);
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
