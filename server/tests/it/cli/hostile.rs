//! What the board holds never acts on the terminal that shows it.

use super::stage::Stage;

#[test]
fn overrides_are_spelled_out_and_controls_are_not_let_in() {
    let stage = Stage::new();
    let id = stage.add("abc \u{202e}txt.exe", &["--spec", "tab\there \u{2066}isolated\u{2069}", "--criteria", "\u{202d}x"]);
    stage.ok(&["tasks", "comment", &id, "-m", "\u{202e}gpj.\nsecond line"]);
    for args in [vec!["tasks"], vec!["tasks", "show", &id], vec!["tasks", "log", &id], vec!["tasks", "search", "abc"], vec!["next", "--peek"]] {
        let said = stage.ok(&args);
        let harmful = |character: char| (character.is_control() && character != '\n') || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        assert!(!said.contains(harmful), "{args:?}: {said:?}");
    }
    assert!(stage.ok(&["tasks"]).contains("abc \\u{202e}txt.exe"));
    let document = stage.run(&["tasks", "--json"]);
    assert!(!document.stdout.contains('\u{202e}'));
    assert_eq!(document.json()["items"][0]["title"], "abc \u{202e}txt.exe");
    let refused = stage.run(&["tasks", "add", "bell\u{7}\u{1b}[2J"]);
    assert_eq!(refused.exit, 2);
    assert!(!refused.stderr.contains('\u{1b}') && !refused.stderr.contains('\u{7}'), "{:?}", refused.stderr);
}

#[cfg(unix)]
#[test]
fn a_repository_that_brings_links_gets_nothing_written_through_them() {
    let stage = Stage::bare();
    let outside = stage.home().join("mine.txt");
    let untouched = || std::fs::read_to_string(&outside).unwrap() == "{}\n";
    for link in
        [".callboard/run/wake", ".callboard/run/write.lock", ".callboard/GUIDE.md", ".callboard/config.toml", ".callboard/quarantine", "AGENTS.md", ".mcp.json"]
    {
        std::fs::write(&outside, "{}\n").unwrap();
        let path = stage.dir().join(link);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::create_dir_all(stage.board().join("log")).unwrap();
        let _ = std::fs::remove_file(&path);
        std::os::unix::fs::symlink(&outside, &path).unwrap();
        let ended = stage.run(&["init"]);
        assert!(ended.stderr.contains("link") || ended.stdout.contains("link"), "{link}: {}{}", ended.stdout, ended.stderr);
        let added = stage.run(&["tasks", "add", "One"]);
        assert!(untouched(), "{link}");
        assert_eq!(added.exit == 0, !link.starts_with(".callboard"), "{link}: {}", added.stderr);
        std::fs::remove_file(&path).unwrap();
        stage.ok(&["init"]);
        stage.ok(&["tasks", "add", "Once it is gone"]);
    }
    // A link from one file of the project to another is the project's business.
    std::fs::remove_file(stage.dir().join("AGENTS.md")).unwrap();
    std::fs::write(stage.dir().join("CLAUDE.md"), "# Ours\n").unwrap();
    std::os::unix::fs::symlink("CLAUDE.md", stage.dir().join("AGENTS.md")).unwrap();
    stage.ok(&["init"]);
    assert!(std::fs::symlink_metadata(stage.dir().join("AGENTS.md")).unwrap().is_symlink());
    assert!(std::fs::read_to_string(stage.dir().join("CLAUDE.md")).unwrap().contains("callboard"));
}

#[test]
fn a_repository_does_not_say_who_may_reach_the_board() {
    let stage = Stage::new();
    std::fs::write(stage.board().join("config.toml"), "[http]\nhosts = [\"evil.example\"]\nprivate = false\n").unwrap();
    assert!(stage.ok(&["config", "explain", "http.hosts"]).contains("[]  default"));
    assert!(stage.ok(&["config", "check"]).contains("http.hosts in .callboard/config.toml has no effect"));
    let refused = stage.run(&["config", "set", "http.hosts", "evil.example"]);
    assert!(refused.exit == 2 && refused.stderr.contains("callboard ui --allow-host evil.example"), "{}", refused.stderr);
    let own = stage.home().join(".config/callboard");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("config.toml"), "[http]\nhosts = [\"box.lan\"]\nprivate = true\n").unwrap();
    assert!(stage.ok(&["config", "explain", "http.hosts"]).contains("box.lan"));
    assert!(stage.ok(&["config", "explain", "http.private"]).contains("true  ~/.config"));
}
