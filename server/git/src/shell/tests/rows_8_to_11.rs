//! Where a commit is made, and what may stand around it.

use super::{check, none};

#[test]
fn row_8_elsewhere() {
    check(&[
        ("cd d && git commit -m x", r#"/tree/d "x""#),
        ("cd ../other && git commit -m x", r#"/other "x""#),
        ("(cd d; git commit -m x)", r#"/tree/d "x""#),
        ("(cd d; ls); git commit -m x", r#"/tree "x""#),
        ("{ cd d; }; git commit -m x", r#"/tree/d "x""#),
        ("git -C d commit -m x", r#"/tree/d "x""#),
        ("git -C /a -C b commit -m x", r#"/a/b "x""#),
        ("git --git-dir=/r/.git --work-tree=/r commit -m x", r#"/r "x""#),
        ("git --git-dir /r/.git/worktrees/one --work-tree /t commit -m x", r#"/r/.git/worktrees/one "x""#),
        ("GIT_DIR=/r/.git git commit -m x", r#"/r "x""#),
        ("export GIT_DIR=/r/.git; git commit -m x", r#"/r "x""#),
        ("env -C d git commit -m x", r#"/tree/d "x""#),
        ("env --chdir=d git commit -m x; git commit -m y", "/tree/d \"x\"\n/tree \"y\""),
        ("pushd d && git commit -m x; popd; git commit -m y", "/tree/d \"x\"\n/tree \"y\""),
        ("cd d; cd -; git commit -m x", r#"/tree "x""#),
        ("cd $d && git commit -m x", r#"? "x""#),
        ("cd $d; cd /abs; git commit -m x", r#"/abs "x""#),
        ("cd; git commit -m x", r#"? "x""#),
        ("cd ~/p; git commit -m x", r#"? "x""#),
        ("cd d | cat; git commit -m x", r#"/tree "x""#),
        ("cd d & git commit -m x", r#"/tree "x""#),
        ("cd d && make & git commit -m x", r#"/tree "x""#),
        ("cd d || exit 1; git commit -m x", r#"/tree/d "x""#),
        ("test -d d || cd e; git commit -m x", r#"? "x""#),
        ("if test -d d; then cd d; fi; git commit -m x", r#"? "x""#),
        ("if test -d d; then cd d; git commit -m x; fi", r#"/tree/d "x""#),
        ("for d in a b; do (cd $d && git commit -m x); done", r#"? "x""#),
        ("f() { cd d; }; git commit -m x", r#"/tree "x""#),
        ("bash -c 'cd d && git commit -m x'; git commit -m y", "/tree/d \"x\"\n/tree \"y\""),
        ("eval 'cd d'; git commit -m x", r#"/tree/d "x""#),
        ("cd \"my dir\" && git commit -m x", r#"/tree/my dir "x""#),
        ("cd -P -- d && git commit -m x", r#"/tree/d "x""#),
        ("cd d 2>/dev/null && git commit -m x", r#"/tree/d "x""#),
    ]);
}

#[test]
fn row_9_assignments_and_wrappers() {
    let texts = [
        "A=1 git commit -m x",
        "A=1 B=\"$c\" git commit -m x",
        "A=(1 2) B+=3 git commit -m x",
        "env A=1 git commit -m x",
        "env -i -u B A=1 git commit -m x",
        "env -S 'git commit -m x'",
        "env -S 'git commit' -m x",
        "command git commit -m x",
        "exec git commit -m x",
        "exec -a name git commit -m x",
        "nohup git commit -m x",
        "time git commit -m x",
        "time -p git commit -m x",
        "/usr/bin/time -f %e git commit -m x",
        "nice git commit -m x",
        "nice -n 5 git commit -m x",
        "nice -5 git commit -m x",
        "timeout 60 git commit -m x",
        "timeout -k 5 --signal=KILL 1m git commit -m x",
        "sudo git commit -m x",
        "sudo -u ada -E HOME=/x git commit -m x",
        "stdbuf -oL -e 0 git commit -m x",
        "setsid -w git commit -m x",
        "xargs git commit -m x < list",
        "ls | xargs -0 -n 1 git commit -m x",
        "xargs -I {} git commit -m x {}",
        "nohup nice timeout 9 env A=1 git commit -m x",
    ];
    check(&texts.map(|text| (text, r#"/tree "x""#)));
    check(&[("echo x | xargs git commit -m", "/tree -"), ("xargs -I% git commit -m 'fix %'", "/tree -")]);
    none(&["command -v git commit", "env", "timeout 60", "A=1"]);
}

#[test]
fn row_10_scripts_in_scripts() {
    let texts = [
        "bash -lc \"git commit -m x\"",
        "sh -c 'git commit -m x'",
        "zsh -c 'git add . && git commit -m x'",
        "dash -ec 'git commit -m x'",
        "bash -euo pipefail -c 'git commit -m x' name arg",
        "/bin/bash --norc -c 'git commit -m x'",
        "eval \"git commit -m x\"",
        "eval git commit -m x",
        "echo $(git commit -m x)",
        "out=$(git commit -m x 2>&1)",
        "out=\"$(git commit -m x)\"",
        "echo `git commit -m x`",
        "echo \"`git commit -m \\\"x\\\"`\"",
        "diff <(git commit -m x) f",
        "echo ${a:-$(git commit -m x)}",
        "echo $(( $(git commit -m x) + 1 ))",
        "a=(1 $(git commit -m x))",
        "for f in $(git commit -m x); do :; done",
        "cat <<EOF\n$(git commit -m x)\nEOF",
        "bash -c \"bash -c \\\"git commit -m x\\\"\"",
        "$((git commit -m x) )",
        "((git commit -m x) )",
    ];
    check(&texts.map(|text| (text, r#"/tree "x""#)));
    check(&[
        ("bash -c \"cd $d && git commit -m x\"", r#"? "x""#),
        ("bash -c \"git commit -m '$x'\"", "/tree -"),
        ("bash -c 'git commit -m \"$1\"' _ x", "/tree -"),
        ("bash script.sh git commit", ""),
        ("eval \"eval \\\"eval 'eval git commit -m x'\\\"\"", r#"/tree "x""#),
    ]);
}

#[test]
fn row_11_keywords() {
    let texts = [
        "if true; then git commit -m x; fi",
        "if git commit -m x; then :; else :; fi",
        "if a; then b; elif c; then git commit -m x; fi",
        "for f in a b; do git commit -m x; done",
        "for f; do git commit -m x; done",
        "for f in a b\ndo\ngit commit -m x\ndone",
        "for ((i=0; i<3; i++)); do git commit -m x; done",
        "while read -r f; do git commit -m x; done < list",
        "until git commit -m x; do sleep 1; done",
        "{ git commit -m x; }",
        "! git commit -m x",
        "case $a in x) git commit -m x;; *) ;; esac",
        "case $a in\n (x|y) echo;;\n z) git commit -m x\nesac",
        "echo $(case a in a) git commit -m x;; esac)",
        "f() { git commit -m x; }",
        "function f { git commit -m x; }; f",
        "f () ( git commit -m x )",
        "time { git commit -m x; }",
        "[[ -n $a && ( $b < c ) ]] && git commit -m x",
        "[[ $a =~ ^(x|y)$ ]] && git commit -m x",
        "[ -d .git ] && git commit -m x",
        "((n++)); git commit -m x",
        "select a in b; do git commit -m x; done",
        "if (true) then (git commit -m x) fi",
    ];
    check(&texts.map(|text| (text, r#"/tree "x""#)));
}
