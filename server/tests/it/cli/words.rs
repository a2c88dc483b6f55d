//! What is said: comments, questions, messages, and who has been handed what.

use super::stage::Stage;

const AGENT: &str = "agent:ada/w1";

#[test]
fn an_agent_is_handed_what_is_for_it_once() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    stage.run_as(AGENT, &["tasks", "claim", &id]);
    stage.ok(&["tasks", "comment", &id, "-m", "Red is on the shelf, @agent:ada/w1."]);
    let written = stage.run_as(AGENT, &["tasks", "comment", &id, "-m", "Beginning with the north."]);
    assert!(written.stdout.contains("For you: 1 message") && written.stdout.contains("Red is on the shelf"), "{}", written.stdout);
    let inbox = stage.run_as(AGENT, &["inbox"]);
    assert_eq!((inbox.exit, inbox.stdout.as_str()), (0, ""));
    assert!(stage.run_as(AGENT, &["inbox", "--all"]).stdout.contains("Red is on the shelf"));
}

#[test]
fn a_persons_inbox_stays_unread_on_the_command_line() {
    let stage = Stage::new();
    stage.run_as(AGENT, &["message", "--to", "dev:ada", "-m", "Which red?"]);
    for _ in 0..2 {
        assert!(stage.ok(&["inbox"]).contains("Which red?"));
    }
}

#[test]
fn a_question_is_answered_by_a_person() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    stage.run_as(AGENT, &["tasks", "claim", &id]);
    let asked = stage.run_as(AGENT, &["tasks", "question", &id, "-m", "Which red?", "--choice", "RAL 3001", "--choice", "RAL 3020"]);
    assert_eq!(stage.shown(&asked), "tk-1 → needs you  asked qu-2\n");
    let question = asked.stdout.rsplit(' ').next().unwrap().trim().to_owned();
    let by_agent = stage.run_as(AGENT, &["tasks", "answer", &question, "--choice", "RAL 3001"]);
    assert!(by_agent.exit == 1 && by_agent.stderr.contains("(forbidden)"), "{}", by_agent.stderr);
    assert!(stage.ok(&["tasks", "show", &id]).contains("callboard tasks answer qu-"));
    assert!(stage.said(&["tasks", "answer", &question, "--choice", "RAL 3020"]).starts_with("tk-1 → working"));
    assert!(stage.run_as(AGENT, &["inbox"]).stdout.contains("RAL 3020"));
    assert_eq!(stage.run(&["tasks", "answer", &question]).exit, 2, "an answer has words or a choice");
}

#[test]
fn who_acts_is_the_first_that_is_given() {
    let stage = Stage::new();
    let id = stage.add("Paint the buoys", &[]);
    let by = |args: &[&str]| {
        stage.ok(&[&["tasks", "comment", &id, "-m", "x"], args].concat());
        let log = stage.run(&["tasks", "log", &id, "--json"]).json();
        log["items"][0]["entry"]["actor"].as_str().unwrap().to_owned()
    };
    assert_eq!(by(&[]), "dev:ada");
    assert_eq!(by(&["--actor", "dev:bo"]), "dev:bo");
    assert_eq!(by(&["--actor", "agent:bo/w1"]), "agent:bo/w1");
    let ended = stage.run_as(AGENT, &["tasks", "--actor", "dev:ada"]);
    assert!(ended.exit == 1 && ended.stderr.contains("(forbidden)"), "{}", ended.stderr);
    let ended = stage.run_as("Ada", &["tasks"]);
    assert!(ended.exit == 2 && ended.stderr.contains("CALLBOARD_ACTOR"), "{}", ended.stderr);
}
