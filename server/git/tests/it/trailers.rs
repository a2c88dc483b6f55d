//! Trailers, as git's parser sees them.

use std::fs;

use crate::support::folder;

#[test]
fn a_trailer_joins_the_block_or_gets_its_own_paragraph_and_is_there_once() {
    let t = folder!();
    let repo = t.repo("app");
    let ours = repo.ours();
    let cases = [
        ("subject", "subject\n\nTask: tk-4f2a9c\n"),
        ("subject\n", "subject\n\nTask: tk-4f2a9c\n"),
        ("fix: subject\n", "fix: subject\n\nTask: tk-4f2a9c\n"),
        ("subject\n\nbody: of prose\nthat goes on\n", "subject\n\nbody: of prose\nthat goes on\n\nTask: tk-4f2a9c\n"),
        ("subject\n\nSigned-off-by: A <a@b>\n", "subject\n\nSigned-off-by: A <a@b>\nTask: tk-4f2a9c\n"),
        ("subject\n\nTask: tk-4f2a9c\n", "subject\n\nTask: tk-4f2a9c\n"),
        ("subject\n\nTask: tk-000001\n", "subject\n\nTask: tk-000001\nTask: tk-4f2a9c\n"),
        ("subject\n\n---\nnot a patch\n", "subject\n\n---\nnot a patch\n\nTask: tk-4f2a9c\n"),
        ("subject\n\n# comment\n", "subject\n\nTask: tk-4f2a9c\n\n# comment\n"),
    ];
    for (before, after) in cases {
        let file = repo.write("a message", before);
        for _ in 0..2 {
            ours.add_trailer(&file, "Task", "tk-4f2a9c").unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), after, "{before:?}");
        }
        let found = ours.trailers_of(after).unwrap();
        assert_eq!(found.iter().filter(|trailer| trailer.key == "Task" && trailer.value == "tk-4f2a9c").count(), 1, "{after:?}");
    }
    ours.add_trailer("a message".as_ref(), "Task", "tk-000002").unwrap();
    assert!(fs::read_to_string(repo.at("a message")).unwrap().contains("tk-000002"), "from the top of the worktree");
}

#[test]
fn prose_is_no_trailer() {
    let t = folder!();
    let ours = t.repo("app").ours();
    for text in ["Task: tk-4f2a9c", "subject\nTask: tk-4f2a9c\n", "subject\n\nprose\nmore prose\nand more\nTask: tk-4f2a9c\n", ""] {
        assert!(ours.trailers_of(text).unwrap().is_empty(), "{text:?}");
    }
    let folded = ours.trailers_of("subject\n\nTASK: tk-4f2a9c\nNote: one\n two\n").unwrap();
    let folded: Vec<_> = folded.iter().map(|trailer| (trailer.key.as_str(), trailer.value.as_str())).collect();
    assert_eq!(folded, [("TASK", "tk-4f2a9c"), ("Note", "one two")]);
}

#[test]
fn comments_and_what_is_below_the_scissors_are_no_message() {
    let t = folder!();
    let repo = t.repo("app");
    let scissors = "# ------------------------ >8 ------------------------\n";
    let ours = repo.ours();
    assert_eq!(ours.without_comments(&format!("\n# Please enter\n{scissors}# Do not\ndiff --git a b\n")).unwrap(), "");
    assert_eq!(ours.without_comments(&format!("subject  \n\n\nbody\n# c\n{scissors}diff\n")).unwrap(), "subject\n\nbody\n");
    repo.git(&["config", "core.commentChar", ";"]);
    assert_eq!(ours.without_comments(&format!("; c\n# kept\n;{}diff\n", &scissors[1..])).unwrap(), "# kept\n");
}
