//! The invariants of ARCHITECTURE.md, held by reading manifests and sources. When one of these fails, the code moves, not the test.

use std::fs;
use std::path::{Path, PathBuf};

/// A crate's manifest.
struct Manifest {
    /// The folder from the root, with `/`.
    folder: String,
    name: String,
    table: toml::Table,
}

impl Manifest {
    /// Names of what the product of this crate is made of; what only its tests use does not count.
    fn dependencies(&self) -> Vec<String> {
        self.sections(&["dependencies", "build-dependencies"]).map(|(name, _)| name).collect()
    }

    fn sections(&self, kinds: &'static [&'static str]) -> impl Iterator<Item = (String, toml::Value)> {
        let targets = self.table.get("target").and_then(toml::Value::as_table).cloned().unwrap_or_default();
        let tables = std::iter::once(self.table.clone()).chain(targets.into_iter().filter_map(|(_, t)| t.as_table().cloned()));
        tables.flat_map(move |table| {
            let of = |kind: &&str| table.get(*kind).and_then(toml::Value::as_table).cloned().unwrap_or_default();
            kinds.iter().flat_map(of).collect::<Vec<_>>()
        })
    }
}

/// A source file of the product or its tests.
struct Source {
    /// From the root, with `/`.
    path: String,
    text: String,
}

impl Source {
    /// The text that runs in the product: without comments, and without the tests at the end of the file.
    fn product(&self) -> String {
        let code = match self.text.find("#[cfg(test)]\nmod ") {
            Some(tests) => &self.text[..tests],
            None => &self.text,
        };
        code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
    }

    fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        ["tests/", "benches/"].iter().any(|folder| self.path.contains(folder)) || name == "tests.rs" || name.ends_with("_tests.rs")
    }

    fn is_in(&self, folder: &str) -> bool {
        self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/') || rest.is_empty())
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn workspace() -> toml::Table {
    fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap()
}

fn manifests() -> Vec<Manifest> {
    let workspace = workspace();
    let members = workspace["workspace"]["members"].as_array().unwrap().clone();
    let read = |folder: &str| -> Manifest {
        let table: toml::Table = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap().parse().unwrap();
        Manifest { folder: folder.to_owned(), name: table["package"]["name"].as_str().unwrap().to_owned(), table }
    };
    members.iter().map(|member| read(member.as_str().unwrap())).collect()
}

/// Every Rust source under `app/` and `server/`.
fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    for folder in ["app", "server"] {
        collect(&root().join(folder), &mut found);
    }
    assert!(found.len() > 20, "the walk lost its way: {} files", found.len());
    found
}

fn collect(folder: &Path, found: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                collect(&path, found);
            }
        } else if name.ends_with(".rs") {
            let relative = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
            found.push(Source { path: relative, text: fs::read_to_string(&path).unwrap() });
        }
    }
}

/// The product's sources that are not tests.
fn product() -> impl Iterator<Item = Source> {
    sources().into_iter().filter(|source| !source.is_test())
}

#[track_caller]
fn none(strays: Vec<String>, what_to_do: &str) {
    assert!(strays.is_empty(), "{what_to_do}:\n  {}", strays.join("\n  "));
}

/// The lines of these sources in which one of the words stands, as `path:line: text`.
fn lines_with(sources: impl Iterator<Item = Source>, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources {
        for (at, line) in source.product().lines().enumerate() {
            if words.iter().any(|word| has_word(line, word)) {
                found.push(format!("{}:{}: {}", source.path, at + 1, line.trim()));
            }
        }
    }
    found
}

/// Whether `word` stands in the line and is not the end or the beginning of a longer name.
fn has_word(line: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back().is_some_and(joins) && word.starts_with(joins);
        let after = line[at + word.len()..].chars().next().is_some_and(joins) && word.ends_with(joins);
        !before && !after
    })
}

// 1

#[test]
fn nothing_under_app_names_a_path_under_server() {
    let workspace = workspace();
    let shared = workspace["workspace"]["dependencies"].as_table().unwrap();
    let mut strays = Vec::new();
    for manifest in manifests().into_iter().filter(|manifest| manifest.folder.starts_with("app")) {
        for (name, given) in manifest.sections(&["dependencies", "dev-dependencies", "build-dependencies"]) {
            let inherited = given.get("workspace").is_some().then(|| shared.get(&name)).flatten();
            let path = inherited.unwrap_or(&given).get("path").and_then(toml::Value::as_str);
            if path.is_some_and(|path| path.contains("server")) {
                strays.push(format!("{}: {name}", manifest.folder));
            }
        }
    }
    none(strays, "the UI builds without the server; move what both need into app/contracts");
}

// 2

#[test]
fn the_rules_are_pure() {
    let ambient = [
        "async",
        ".await",
        "tokio",
        "std::time::SystemTime",
        "SystemTime",
        "Instant",
        "std::env",
        "env::var",
        "std::fs",
        "std::io",
        "std::net",
        "std::process",
        "std::thread",
        "rand",
        "getrandom",
        "Uuid::new_v4",
        "Timestamp::now",
        "Zoned::now",
        "println!",
        "eprintln!",
    ];
    let pure = product().filter(|source| source.is_in("server/engine") || source.is_in("server/workflow") || source.is_in("app/filter"));
    none(lines_with(pure, &ambient), "engine, workflow and filter take time, ids and the world as arguments");

    let impure = ["tokio", "futures", "getrandom", "rand", "sqlx", "axum", "hyper", "rmcp", "notify", "tracing", "git"];
    let mut strays = Vec::new();
    for manifest in manifests().into_iter().filter(|manifest| ["engine", "workflow", "filter"].contains(&manifest.name.as_str())) {
        let names = manifest.dependencies().into_iter().filter(|name| impure.contains(&name.as_str()));
        strays.extend(names.map(|name| format!("{} depends on {name}", manifest.name)));
    }
    none(strays, "engine, workflow and filter do no IO");
}

// 3

#[test]
fn only_storage_speaks_sql_and_only_mcp_knows_its_library() {
    for (library, home) in [("sqlx", "storage"), ("rmcp", "mcp")] {
        let depends = |manifest: &Manifest| manifest.dependencies().iter().any(|name| name == library);
        let strays = manifests().into_iter().filter(depends).map(|manifest| manifest.name).filter(|name| name != home).collect();
        none(strays, &format!("put it in server/{home} and call it from here"));
        let elsewhere = product().filter(|source| !source.is_in(&format!("server/{home}")));
        none(lines_with(elsewhere, &[&format!("{library}::")]), &format!("only server/{home} uses {library}"));
    }
}

#[test]
fn git_is_started_in_one_crate() {
    let mut strays = Vec::new();
    for source in product().filter(|source| !source.is_in("server/git")) {
        let code = source.product();
        if has_word(&code, "Command::new") && code.contains("\"git\"") {
            strays.push(source.path);
        }
    }
    none(strays, "go through the `git` crate: it fixes directory, environment and time limit");

    let starts = |source: &Source| source.is_in("server/git") && has_word(&source.product(), "Command::new");
    let files: Vec<String> = product().filter(starts).map(|source| source.path).collect();
    assert_eq!(files, ["server/git/src/command.rs"], "one way to start git");
}

// 4

#[test]
fn each_central_thing_stands_in_one_file() {
    for (definition, home) in [
        ("pub fn decide", "server/engine/src/lifecycle.rs"),
        ("pub fn standing", "server/engine/src/standing.rs"),
        ("pub fn kinds", "server/engine/src/event.rs"),
        ("pub enum Code", "app/contracts/src/problem.rs"),
    ] {
        let strays = product()
            .filter(|source| source.path != home && (source.is_in("server/engine") || source.is_in("app/contracts")))
            .filter(|source| has_word(&source.product(), definition))
            .map(|source| source.path)
            .collect();
        none(strays, &format!("`{definition}` belongs in {home} alone"));
        let text = fs::read_to_string(root().join(home)).unwrap_or_default();
        assert!(has_word(&text, definition), "{home} holds `{definition}`");
    }
}

#[test]
fn limits_stand_in_one_file() {
    // Not a limit of the board: how many digits the log's clock has for its counter.
    let form_of_a_stamp = "pub const COUNTER_MAX";
    let mut strays = Vec::new();
    let elsewhere = |source: &Source| {
        ["server/engine", "server/workflow", "app/contracts"].iter().any(|folder| source.is_in(folder)) && source.path != "app/contracts/src/limits.rs"
    };
    for source in product().filter(elsewhere) {
        for line in source.product().lines().filter(|line| !line.trim_start().starts_with(form_of_a_stamp)) {
            let name = line.trim_start().trim_start_matches("pub ").strip_prefix("const ").and_then(|rest| rest.split(':').next());
            if name.is_some_and(|name| name.ends_with("_MAX") || name.contains("_MAX_")) {
                strays.push(format!("{}: {}", source.path, line.trim()));
            }
        }
    }
    none(strays, "a limit of the board belongs in contracts::limits, where it is stated once");
}

#[test]
fn the_branch_work_is_cut_from_is_asked_for_in_one_way() {
    let allowed = ["server/src/boot.rs", "server/src/board.rs"];
    let strays = lines_with(product().filter(|source| !allowed.contains(&source.path.as_str())), &["of_git(", "default_base()"]);
    let strays = strays.into_iter().filter(|stray| !stray.starts_with("server/git/") && !stray.starts_with("server/src/evidence.rs")).collect();
    none(strays, "the project may say otherwise than git: ask `Base::chosen`");
}

// 5

#[test]
fn transports_know_the_port_and_not_each_other() {
    // `mcp` is a crate and `pages` are in `app`: their manifests keep them apart; the others are modules of one crate.
    let transports = ["http", "live", "hooks", "cli"];
    let mut strays = Vec::new();
    for own in transports {
        let files = || {
            let own_file = format!("server/src/{own}.rs");
            let own_folder = format!("server/src/{own}");
            product().filter(move |source| source.path == own_file || source.is_in(&own_folder))
        };
        let mut words: Vec<String> = vec!["storage::".into(), "sqlx::".into(), "rusqlite::".into()];
        words.extend(transports.iter().filter(|other| **other != own).map(|other| format!("crate::{other}")));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        strays.extend(lines_with(files(), &words));
    }
    none(strays, "a transport parses, calls the Board port and renders; boot.rs puts transports together");

    for manifest in manifests().into_iter().filter(|manifest| ["mcp", "app"].contains(&manifest.name.as_str())) {
        for forbidden in ["storage", "engine", "workflow", "callboard"] {
            assert!(!manifest.dependencies().iter().any(|name| name == forbidden), "{} depends on {forbidden}", manifest.name);
        }
    }
}

// 8

#[test]
fn unsafe_is_forbidden_in_every_crate() {
    let workspace = workspace();
    assert_eq!(workspace["workspace"]["lints"]["rust"]["unsafe_code"].as_str(), Some("forbid"));
    let inherits = |manifest: &Manifest| {
        let lints = manifest.table.get("lints").and_then(|lints| lints.get("workspace"));
        lints.and_then(toml::Value::as_bool) == Some(true)
    };
    let strays = manifests().into_iter().filter(|manifest| !inherits(manifest)).map(|manifest| manifest.folder).collect();
    none(strays, "add `[lints] workspace = true`");
}

#[test]
fn a_lint_is_silenced_with_a_written_reason() {
    let mut strays = Vec::new();
    for source in sources() {
        for marker in ["allow(", "expect("] {
            for attribute in ["#[", "#![", "cfg_attr("] {
                for (at, _) in source.text.match_indices(&format!("{attribute}{marker}")) {
                    let end = source.text[at..].find(")]").map_or(source.text.len(), |end| at + end);
                    let line = source.text[..at].lines().count();
                    if !source.text[at..end].contains("reason") && !source.path.ends_with("it/tidy.rs") {
                        strays.push(format!("{}:{line}", source.path));
                    }
                }
            }
        }
    }
    none(strays, "write `reason = \"…\"` into the attribute");
}

#[test]
fn nothing_unfinished_or_chatty_is_left_behind() {
    let unfinished = lines_with(product(), &["todo!", "unimplemented!", "dbg!"]);
    none(unfinished, "finish it, or take it out");
    let chatty = product().filter(|source| !source.is_in("server/src/cli") && !["server/src/cli.rs", "server/build.rs"].contains(&source.path.as_str()));
    none(lines_with(chatty, &["println!", "print!"]), "stdout belongs to cli; others return what they have to say");
}

// Habits of the house that a reader relies on.

#[test]
fn every_file_says_what_it_is_for() {
    let strays = sources().into_iter().filter(|source| !source.text.starts_with("//!")).map(|source| source.path).collect();
    none(strays, "begin the file with a `//!` that says what it is for and what must stay true");
}

#[test]
fn a_comment_stands_on_its_own() {
    let section = '\u{a7}';
    let strays = sources().into_iter().filter(|source| source.text.contains(section)).map(|source| source.path).collect();
    none(strays, "say the rule itself: the section of another document means nothing to who reads the code");
}

#[test]
fn modules_are_files_named_after_themselves() {
    let strays = sources().into_iter().filter(|source| source.path.ends_with("/mod.rs")).map(|source| source.path).collect();
    none(strays, "`foo.rs` beside `foo/`, never `mod.rs`");
}

#[test]
fn the_list_of_licences_is_of_the_crates_that_are_locked() {
    let locked: toml::Table = fs::read_to_string(root().join("Cargo.lock")).unwrap().parse().unwrap();
    let text = |package: &toml::Value, key: &str| package.get(key).and_then(toml::Value::as_str).unwrap_or_default().to_owned();
    let locked: Vec<String> =
        locked["package"].as_array().unwrap().iter().map(|package| format!("{} {}", text(package, "name"), text(package, "version"))).collect();
    let list = fs::read_to_string(root().join("server/licences.txt")).unwrap();
    let listed: Vec<&str> =
        list.lines().filter_map(|line| line.split_once(": ")).map(|(package, _)| package).filter(|package| !package.starts_with("Callboard")).collect();
    assert!(listed.len() > 200, "{}", listed.len());
    let strays = listed.into_iter().filter(|package| !locked.iter().any(|own| own == package)).map(str::to_owned).collect();
    none(strays, "run `npm run licences` in end2end: the list is of other versions than those that are linked");
}

#[test]
fn no_file_of_this_folder_is_forgotten() {
    let mut strays = Vec::new();
    for source in sources().into_iter().filter(|source| source.is_in("server/tests/it") && !source.path.ends_with("it/main.rs")) {
        let (folder, name) = source.path.rsplit_once('/').unwrap();
        let parent = if folder == "server/tests/it" { format!("{folder}/main.rs") } else { format!("{folder}.rs") };
        let declared = fs::read_to_string(root().join(&parent)).unwrap_or_default();
        let declaration = format!("mod {};", name.trim_end_matches(".rs"));
        if !declared.lines().any(|line| line.trim_start_matches("pub ").trim() == declaration) {
            strays.push(format!("{} wants `{declaration}` in {parent}", source.path));
        }
    }
    none(strays, "a test nobody compiles passes for ever");
}
