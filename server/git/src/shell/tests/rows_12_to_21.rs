//! The second half of the tables.

use super::super::TEXT_BYTES_MAX;
use super::{check, none};

#[test]
fn row_12_other_spellings_of_git() {
    let texts = [
        "/usr/bin/git commit -m x",
        "\"git\" commit -m x",
        "\\git commit -m x",
        "g'i't com\"mit\" -m x",
        "git.exe commit -m x",
        "git --no-pager -c k=v commit -m x",
        "git -p --literal-pathspecs commit -m x",
        "git --namespace n --attr-source=HEAD commit -m x",
        "git $FLAGS commit -m x",
        "git ci -m x",
        "git up -m x",
        "git -c alias.save=commit save -m x",
        "git -c alias.save='!git commit' save -m x",
    ];
    check(&texts.map(|text| (text, r#"/tree "x""#)));
    check(&[
        ("git cv", "/tree - editor"),
        ("git quoted", r#"/tree "a  b""#),
        ("git odd -m x; cd /other; git odd -m y", r#"/other "y""#),
        ("git loop", "unreadable, no commit"),
    ]);
    none(&["git st", "git unknown", "git -c alias.status=commit status"]);
}

#[test]
fn row_13_other_commits_messages() {
    check(&[
        ("git commit --amend", "/tree - amend reuses editor"),
        ("git commit --amend --no-edit", "/tree - amend reuses"),
        ("git commit --amen -m x", r#"/tree "x" amend"#),
        ("git commit --fixup HEAD", "/tree - fixup reuses"),
        ("git commit --fixup=amend:HEAD", "/tree - fixup reuses editor"),
        ("git commit --squash HEAD -m x", r#"/tree "x" fixup reuses"#),
        ("git commit -C HEAD", "/tree - reuses"),
        ("git commit -c HEAD", "/tree - reuses editor"),
        ("git commit --reuse-message=HEAD", "/tree - reuses"),
    ]);
}

#[test]
fn row_14_without_verifying() {
    check(&[
        ("git commit -n -m x", r#"/tree "x" no-verify"#),
        ("git commit -anm x", r#"/tree "x" no-verify"#),
        ("git commit --no-verify", "/tree - editor no-verify"),
        ("git commit --no-verify --verify -m x", r#"/tree "x""#),
    ]);
}

#[test]
fn row_15_trailers() {
    check(&[
        ("git commit -m x --trailer 'Task: tk-4f2a9c'", r#"/tree "x" +"Task: tk-4f2a9c""#),
        ("git commit --trailer=Task=tk-4f2a9c --trailer \"Task: tk-000000\" -m x", r#"/tree "x" +"Task=tk-4f2a9c" +"Task: tk-000000""#),
        ("git commit --trailer \"Task: $t\" -m x", r#"/tree "x""#),
    ]);
}

#[test]
fn row_16_messages_full_of_signs() {
    check(&[
        ("git commit -m 'a && b | c -> d; e'", r#"/tree "a && b | c -> d; e""#),
        ("git commit -m \"say \\\"git commit\\\" & 'go'\"", r#"/tree "say \"git commit\" & 'go'""#),
        ("git commit -m 'one\ntwo # three'", r#"/tree "one\ntwo # three""#),
        ("git commit -m a\\ b\\&c", r#"/tree "a b&c""#),
        ("git commit -m 'it'\\''s'", r#"/tree "it's""#),
        ("git commit -m \"price \\$5 at 100%\"", r#"/tree "price $5 at 100%""#),
        ("git commit -m ünï→", "/tree \"ünï→\""),
        ("git commit -m fix(x)", "unreadable, mentions commit"),
        ("git commit -m a#b", r#"/tree "a#b""#),
        ("git commit -m \"$x\"", "/tree -"),
        ("git commit -m {a,b}", "/tree -"),
        ("git commit -m fix*", "/tree -"),
        ("git commit -m HEAD@{1}", r#"/tree "HEAD@{1}""#),
    ]);
}

#[test]
fn row_17_hooks_switched_off() {
    let texts = [
        "git -c core.hooksPath=/dev/null commit -m x",
        "git -c CORE.HOOKSPATH= commit -m x",
        "git --config-env=core.hooksPath=X commit -m x",
        "git -c hook.callboard-post-commit.enabled=false commit -m x",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/x git commit -m x",
        "env GIT_CONFIG_GLOBAL=/x git commit -m x",
        "export GIT_CONFIG_PARAMETERS=\"'core.hooksPath=/x'\"; git commit -m x",
        "GIT_CONFIG_COUNT=1 bash -c 'git commit -m x'",
        "git config core.hooksPath /dev/null && git commit -m x",
    ];
    check(&texts.map(|text| (text, r#"/tree "x" hooks-off"#)));
    check(&[("GIT_CONFIG_COUNT=0 true; git commit -m x", r#"/tree "x""#), ("git config core.hooksPath; git commit -m x", r#"/tree "x""#)]);
}

#[test]
fn row_18_not_seen() {
    none(&["$GIT commit -m x", "make release", "./commit.sh", "${GIT:-git} commit", "`which git` commit -m x", "ssh host git commit", "gitk commit"]);
}

#[test]
fn row_19_not_judged() {
    none(&["git merge main", "git pull", "git revert HEAD", "git cherry-pick x", "git rebase -i HEAD~3", "git am < p", "git commit-tree x"]);
}

#[test]
fn row_20_no_commits() {
    none(&[
        "git commit --dry-run -m x",
        "git commit --short",
        "git commit --porcelain -m x",
        "git commit -h",
        "git commit --help",
        "git help commit",
        "git --help commit",
        "git --version commit",
        "git log --grep commit",
        "git log --grep 'git commit'",
        "echo \"git commit\"",
        "echo git commit -m x",
        "grep 'git commit' f",
        "# git commit -m x",
        "ls # && git commit -m x",
        "cat <<EOF\ngit commit -m x\nEOF",
        "cat > f <<'EOF'\n$(git commit -m x)\nit's\nEOF\nls",
        "cat <<-EOF\n\tgit commit\n\tEOF\nls",
        "echo 'a\ngit commit -m x\nb'",
        "git",
        "git -C",
        "git status; commit -m x",
        "",
        "\n\n ; ",
    ]);
    check(&[("git commit --dry-run && git commit -m x", r#"/tree "x""#)]);
}

#[test]
fn row_21_unreadable() {
    let long = format!("git commit -m '{}'", "x".repeat(TEXT_BYTES_MAX));
    check(&[
        ("git commit -m 'x", "unreadable, mentions commit"),
        ("git commit -m \"x", "unreadable, mentions commit"),
        ("echo $(git commit -m x", "unreadable, mentions commit"),
        ("echo `git commit", "unreadable, mentions commit"),
        ("(git commit -m x", "unreadable, mentions commit"),
        ("git commit -m x)", "unreadable, mentions commit"),
        ("if true; then git commit", "unreadable, mentions commit"),
        ("\"/usr/bin/git\" -C d commit \"", "unreadable, mentions commit"),
        ("git \\\ncommit \"", "unreadable, mentions commit"),
        ("echo 'git status", "unreadable, no commit"),
        ("git status; echo commit '", "unreadable, no commit"),
        (&long, "unreadable, mentions commit"),
        ("eval eval eval eval eval git commit -m x", "unreadable, mentions commit"),
        ("echo $(echo $(echo $(echo $(echo $(git commit -m x)))))", "unreadable, mentions commit"),
        ("eval eval eval eval git commit -m x", r#"/tree "x""#),
        ("echo $(echo $(echo $(echo $(git commit -m x))))", r#"/tree "x""#),
    ]);
}
