//! `doctor` in a setup that is broken on purpose: it names the fault, and the command it gives mends it.

use super::scene::{Scene, gits};
use serde_json::Value;

/// One way to break things.
struct Broken {
    /// What breaks it, in a shell at the root.
    by: &'static str,
    /// The line of doctor that names it, and words in it.
    named: (&'static str, &'static str),
    /// What the mending command begins with.
    mend: &'static str,
    /// What puts things back that a mended setup may keep.
    after: &'static str,
}

const fn broken(by: &'static str, what: &'static str, words: &'static str, mend: &'static str) -> Broken {
    Broken { by, named: (what, words), mend, after: "" }
}

const INIT: &str = "callboard init";
const CLIENT: &str = "Claude Code, 7 events";
const SETTINGS: &str = ".claude/settings.local.json";

#[rustfmt::skip]
const TABLE: &[Broken] = &[
    broken("rm .git/hooks/post-commit", "git hooks", "post-commit not installed", INIT),
    broken("rm .git/hooks/p*-commit*", "git hooks", "prepare-commit-msg, post-commit not installed", INIT),
    broken("chmod -x .git/hooks/commit-msg", "git hooks", "commit-msg calls nothing", INIT),
    broken("sed -i \"s|^bin=.*|bin='/nowhere/callboard'|\" .git/hooks/post-merge", "git hooks", "post-merge calls nothing", INIT),
    broken("sed -i \"s|^bin=.*|bin='/bin/true'|\" .git/hooks/post-rewrite", "git hooks", "post-rewrite calls another program", INIT),
    broken("sed -i 's|timeout 5|timeout 4|' .git/hooks/post-checkout", "git hooks", "post-checkout older than this binary", INIT),
    Broken { after: "rm .git/hooks/post-commit.chained", ..broken("printf '#!/bin/sh\n' >.git/hooks/post-commit; chmod +x .git/hooks/post-commit", "git hooks", "post-commit not installed", INIT) },
    Broken { after: "rm .git/hooks/post-commit*; callboard init", ..broken("for f in '' .chained; do printf '#!/bin/sh\n' >.git/hooks/post-commit$f; chmod +x .git/hooks/post-commit$f; done", "git hooks", "both it and its .chained", "callboard init --hooks=tracked") },
    Broken { after: "git config --unset core.hooksPath; git rm -rqf .githooks; git commit -qm Back; callboard init", ..broken("git config core.hooksPath .githooks", "git hooks", "hooks are in the tree", "callboard init --hooks=tracked") },
    broken("git config core.hooksPath ../shared", "git hooks", "leads outside of this repository", "git config --local --unset-all core.hooksPath"),
    Broken { after: "git config --global --unset core.hooksPath; git config --unset core.hooksPath", ..broken("git config --global core.hooksPath ~/shared", "git hooks", "leads outside of this repository", "git config core.hooksPath") },
    broken("rm .callboard/.gitignore", "ignore rules", ".gitignore in .callboard/", INIT),
    broken("echo '!/state.db' >.callboard/.gitignore", "ignore rules", ".gitignore in .callboard/", INIT),
    broken("rm .callboard/.gitattributes", "ignore rules", ".gitattributes in .callboard/", INIT),
    Broken { after: "rm .gitignore", ..broken("echo .callboard/ >.gitignore", "the log in git", ".gitignore:1:.callboard/ hides it", "printf") },
    Broken { after: "rm .gitignore; sed -i '/jsonl/d' .git/info/exclude", ..broken("echo '*.jsonl' >>.git/info/exclude", "the log in git", "*.jsonl hides it", "printf") },
    broken("rm .claude/settings.local.json", CLIENT, "not installed", INIT),
    broken("sed -i 's|hook client Stop\"|hook client Stopped\"|' .claude/settings.local.json", CLIENT, "older than this binary", INIT),
    broken("sed -i 's|\"matcher\": \"\\*\"|\"matcher\": \"Bash\"|' .claude/settings.local.json", CLIENT, "older than this binary", INIT),
    broken("sed -i 's|\"[^\"]*callboard hook client|\"/nowhere/callboard hook client|' .claude/settings.local.json", CLIENT, "calls nothing", INIT),
    broken("cp \"$(command -v callboard)\" ~/callboard; sed -i \"s|\\\"[^\\\"]*callboard hook client|\\\"$HOME/callboard hook client|\" .claude/settings.local.json", CLIENT, "calls another program", INIT),
    Broken { after: "rm .claude/settings.local.json.broken", ..broken("echo '// mine' >>.claude/settings.local.json", CLIENT, "not plain JSON", "mv .claude/settings.local.json") },
    broken("sed -i '/settings.local.json/d' .git/info/exclude", CLIENT, "would commit a path of this machine", INIT),
    broken("rm .mcp.json", "Tools over MCP", "not installed", INIT),
    broken("echo '{\"mcpServers\": {}}' >.mcp.json", "Tools over MCP", "has no entry callboard", INIT),
    Broken { after: "rm .mcp.json.broken", ..broken("echo nonsense >.mcp.json", "Tools over MCP", "not plain JSON", "mv .mcp.json") },
    broken("echo old >.callboard/GUIDE.md", "Guide for agents", "older than this binary", INIT),
    broken("rm -r .claude/skills/callboard-plan", "Skills", "older than this binary", INIT),
    broken("sed -i 's/Before you change anything/Sometimes/' AGENTS.md", "Section for agents", "older than this binary", INIT),
    broken("git worktree add -q ../tk-0a1b2c; rm ../tk-0a1b2c/.claude/settings.local.json", "worktrees", "does not call us in tk-0a1b2c", INIT),
    broken("touch .callboard/local-token; chmod 644 .callboard/local-token", "file modes", "local-token can be read by others", "chmod 600 .callboard/local-token"),
    broken("chmod 640 .callboard/state.db", "file modes", "state.db can be read by others", "chmod 600 .callboard/state.db"),
    Broken { after: "rm .callboard/config.toml.broken", ..broken("echo 'colour = \"red\"' >.callboard/config.toml", "configuration", "colour", "mv .callboard/config.toml") },
    broken("callboard tasks add One && git add -A && git commit -qm Log && callboard tasks add Two && sed -i 's/One/Own/' $(grep -l One .callboard/log/*.jsonl | head -1)", "log", "the line can't be used", "git checkout HEAD -- .callboard/log/"),
];

/// What doctor says: each fault with what mends it.
fn faults(scene: &Scene) -> Vec<(String, String, String)> {
    let said = scene.shell("callboard doctor --json", &scene.dir(), &[], "");
    let read: Value = serde_json::from_str(&said.stdout).unwrap_or_else(|fault| panic!("{fault}: {said:?}"));
    let findings = read["findings"].as_array().unwrap();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let bad: Vec<_> =
        findings.iter().filter(|found| found["good"] == false).map(|found| (text(found, "what"), text(found, "said"), text(found, "mend"))).collect();
    assert_eq!((said.ok, read["well"] == true), (bad.is_empty(), bad.is_empty()), "{said:?}");
    bad
}

#[test]
fn each_fault_is_named_and_its_command_mends_it() {
    let newer =
        |scene: &Scene| scene.person("git version").split(['.', ' ']).filter_map(|part| part.parse::<u32>().ok()).take(2).collect::<Vec<_>>() >= vec![2, 54];
    for git in gits() {
        let scene = Scene::with(&git);
        assert_eq!(faults(&scene), [], "nothing is wrong to begin with");
        // Such a git has its hooks in the configuration, and the cases about files are none.
        let cases = TABLE.iter().filter(|case| case.named.0 != "git hooks" || !newer(&scene));
        for Broken { by, named: (what, words), mend, after } in cases {
            scene.person(by);
            let found = faults(&scene);
            let named = found.iter().find(|(line, said, _)| line == what && said.contains(words));
            let Some((_, _, command)) = named else { panic!("{by}: {what} … {words} is not in {found:#?}") };
            assert!(command.starts_with(mend), "{by}: {command}");
            // One command may show the next fault: a line in a tracked hook is in no worktree until it is committed.
            let mut left = found;
            for _ in 0..2 {
                left.iter().for_each(|(_, _, command)| drop(scene.person(command)));
                left = faults(&scene);
            }
            assert!(left.is_empty(), "{by}: {left:#?}");
            scene.person(if after.is_empty() { "true" } else { after });
            assert_eq!(faults(&scene), [], "{by}: put back");
        }
    }
    assert!(TABLE.len() >= 30 && TABLE.iter().any(|case| case.by.contains(SETTINGS)));
}

#[test]
fn a_program_that_clients_would_not_find_is_named_with_what_mends_it() {
    let scene = Scene::new();
    let doctor = |before: &str| scene.shell(&format!("{before}\n\"$CB\" doctor"), &scene.dir(), &[], "");
    let hidden =
        "export PATH=\"$(printf %s \"$PATH\" | tr : '\\n' | while read -r folder; do [ -e \"$folder/callboard\" ] || printf '%s:' \"$folder\"; done)\"";
    let other = "mkdir -p ~/bin && cp /bin/true ~/bin/callboard && export PATH=~/bin:\"$PATH\"";
    for (before, words) in [(hidden, "callboard is not on PATH"), (other, "another program than this one")] {
        let said = doctor(before);
        let line = said.stdout.lines().find(|line| line.starts_with("fault")).unwrap_or_else(|| panic!("{said:?}"));
        assert!(!said.ok && line.contains(words), "{said:?}");
        let (_, mend) = line.split_once("mend: ").unwrap();
        let mended = doctor(&format!("{before}\n{mend}"));
        assert!(mended.ok, "{mend}: {mended:?}");
    }
}
