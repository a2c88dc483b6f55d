//! `callboard ui` on a free port, and its tokens.

use crate::cli::stage::Stage;
use crate::routes::wire::{Call, Reply, call};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout};

/// A page server as a process of its own; it ends with this value.
pub struct Server {
    child: Child,
    /// Kept open: what it prints must not break it.
    _said: BufReader<ChildStdout>,
    pub port: u16,
    /// The person's bearer, for `/api` and `/live`.
    pub local: String,
    /// The agents' bearer, for `/mcp`.
    pub mcp: String,
}

impl Server {
    pub fn of(stage: &Stage) -> Server {
        Server::with(stage, &["ui", "--port", "0"])
    }

    /// On this port, as a restart wants it.
    pub fn at(stage: &Stage, port: u16) -> Server {
        Server::with(stage, &["ui", "--port", &port.to_string()])
    }

    pub fn with(stage: &Stage, args: &[&str]) -> Server {
        let mut child = stage.callboard(args).stderr(std::process::Stdio::null()).spawn().unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let port = loop {
            let mut line = String::new();
            assert!(said.read_line(&mut line).unwrap() > 0, "the server ended before it listened");
            if let Some((_, rest)) = line.split_once("http://127.0.0.1:") {
                break rest.split('/').next().unwrap().trim().parse().unwrap();
            }
        };
        let token = |name: &str| std::fs::read_to_string(stage.board().join(name)).unwrap().trim().to_owned();
        Server { child, _said: said, port, local: token("local-token"), mcp: token("mcp-token") }
    }

    /// A call with the person's bearer.
    pub async fn api(&self, call: Call) -> Reply {
        call.with("authorization", &format!("Bearer {}", self.local)).send(self.port).await
    }

    pub async fn get(&self, path: &str) -> Value {
        let reply = self.api(call("GET", path)).await;
        assert_eq!(reply.status, 200, "{path}: {reply:?}");
        reply.json()
    }

    /// One command, which must succeed.
    pub async fn does(&self, command: &str, args: Value) -> Value {
        let reply = self.api(call("POST", "/api/commands").json(&json!({"command": command, "args": args}))).await;
        assert_eq!(reply.status, 200, "{command}: {reply:?}");
        reply.json()
    }

    /// Ends it as a terminal would, and waits until it is gone.
    pub fn end(mut self) {
        super::terminate(self.child.id());
        assert!(self.child.wait().unwrap().success());
    }

    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended
        let _ = self.child.wait();
    }
}
