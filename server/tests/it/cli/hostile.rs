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
