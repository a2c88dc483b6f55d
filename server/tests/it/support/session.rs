//! A real MCP client, on a process's pipes or on a port.

use super::hints;
use super::server::Server;
use crate::cli::stage::Stage;
use axum::http::{HeaderName, HeaderValue};
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::RunningService;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::Value;
use std::collections::HashMap;
use std::process::Command;

/// A client's session.
pub struct Session {
    running: RunningService<RoleClient, ()>,
    pub pid: Option<u32>,
}

/// How a client begins: with a handshake, or, since 2026-07-28, without.
pub fn handshake() -> ClientLifecycleMode {
    ClientLifecycleMode::Initialize
}

pub fn stateless() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

impl Session {
    /// A `callboard mcp` of its own.
    pub async fn stdio(stage: &Stage) -> Session {
        Session::of(stage.callboard(&["mcp"]), handshake()).await
    }

    /// The same as an agent with a name.
    pub async fn named(stage: &Stage, actor: &str) -> Session {
        let mut command = stage.callboard(&["mcp"]);
        command.env("CALLBOARD_ACTOR", actor);
        Session::of(command, handshake()).await
    }

    pub async fn of(command: Command, lifecycle: ClientLifecycleMode) -> Session {
        let (transport, _) = TokioChildProcess::builder(tokio::process::Command::from(command)).stderr(std::process::Stdio::null()).spawn().unwrap();
        let pid = transport.id();
        Session { running: ().serve_with_lifecycle(transport, lifecycle).await.unwrap(), pid }
    }

    /// Over HTTP, with a bearer and, when given, a `Callboard-Actor`.
    pub async fn http(server: &Server, path: &str, actor: Option<&str>, lifecycle: ClientLifecycleMode) -> Session {
        Session::try_http(server.port, path, &server.mcp, actor, lifecycle).await.unwrap()
    }

    pub async fn try_http(port: u16, path: &str, bearer: &str, actor: Option<&str>, lifecycle: ClientLifecycleMode) -> Result<Session, String> {
        let headers: HashMap<HeaderName, HeaderValue> =
            actor.map(|actor| (HeaderName::from_static("callboard-actor"), actor.parse().unwrap())).into_iter().collect();
        let config = StreamableHttpClientTransportConfig::with_uri(format!("http://127.0.0.1:{port}{path}")).auth_header(bearer).custom_headers(headers);
        let transport = StreamableHttpClientTransport::from_config(config);
        let running = ().serve_with_lifecycle(transport, lifecycle).await.map_err(|fault| format!("{fault:?}"))?;
        Ok(Session { running, pid: None })
    }

    /// The text of one call; a refusal begins with `refused`.
    pub async fn call(&self, tool: &'static str, args: Value) -> String {
        self.try_call(tool, args).await.unwrap()
    }

    /// The text, or what went wrong on the way (the server is gone, say).
    pub async fn try_call(&self, tool: &'static str, args: Value) -> Result<String, String> {
        let Value::Object(args) = args else { panic!("arguments are an object") };
        let result = self.running.call_tool(CallToolRequestParams::new(tool).with_arguments(args)).await.map_err(|fault| fault.to_string())?;
        let [content] = result.content.as_slice() else { panic!("one text item") };
        let text = content.as_text().unwrap().text.clone();
        assert_eq!(result.is_error == Some(true), text.starts_with("refused ("), "{text}");
        assert!(result.structured_content.is_none());
        if text.starts_with("refused (") {
            hints::calls_hold(&text);
        }
        Ok(text)
    }

    /// A call that is not refused.
    pub async fn ok(&self, tool: &'static str, args: Value) -> String {
        let text = self.call(tool, args).await;
        assert!(!text.starts_with("refused ("), "{text}");
        text
    }

    pub fn peer(&self) -> &RunningService<RoleClient, ()> {
        &self.running
    }

    /// Closes the client's end and waits.
    pub async fn end(self) {
        self.running.cancel().await.unwrap();
    }
}

/// The first task id of a text.
#[track_caller]
pub fn task_in(text: &str) -> String {
    let at = text.find("tk-").unwrap_or_else(|| panic!("no task in {text}"));
    text[at..at + 9].to_owned()
}
