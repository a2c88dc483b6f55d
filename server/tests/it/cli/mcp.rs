//! `callboard mcp`: a session before and after `init`, and two sessions at once.

use super::stage::Stage;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout};

struct Session {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    last: i64,
}

impl Session {
    fn start(stage: &Stage) -> Session {
        let mut child = stage.callboard(&["mcp"]).stdin(std::process::Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut session = Session { child, to, from, last: 0 };
        session.ask("initialize", json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}));
        writeln!(session.to, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).unwrap();
        session
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        writeln!(self.to, "{}", json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})).unwrap();
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the session ended");
            let answer: Value = serde_json::from_str(&line).expect("stdout is the protocol's alone");
            if answer["id"] == self.last {
                return answer;
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    fn end(mut self) {
        drop(self.to);
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn a_session_that_began_before_the_board_works_once_it_is_there() {
    let stage = Stage::bare();
    let mut session = Session::start(&stage);
    let refused = session.call("next", json!({}));
    assert!(refused.contains("refused (not_initialized)") && refused.contains("callboard init"), "{refused}");
    stage.ok(&["init", "--no-client"]);
    let id = stage.add("Paint the buoys", &[]);
    assert!(session.call("next", json!({})).contains(&id));
    session.end();
}

#[test]
fn two_sessions_are_two_agents_and_a_name_comes_back() {
    let stage = Stage::new();
    let (first, second) = (stage.add("Paint the buoys", &["-p", "1"]), stage.add("Set them out", &[]));
    let (mut one, mut two) = (Session::start(&stage), Session::start(&stage));
    assert!(one.call("next", json!({})).contains(&first));
    assert!(two.call("next", json!({})).contains(&second));
    let holders = stage.ok(&["actors"]);
    assert!(holders.contains("agent:ada/main ") && holders.contains("agent:ada/main-2"), "{holders}");
    one.end();
    let mut again = Session::start(&stage);
    let resumed = again.call("next", json!({}));
    assert!(resumed.contains(&first), "{resumed}");
    again.end();
    two.end();
}
