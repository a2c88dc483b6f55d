//! The MCP server on its two transports: one handler, written by hand, for stdio and streamable HTTP.

use crate::call::{Call, answer};
use crate::caller::{Known, Session, caller};
use crate::handed::{Handed, Telling};
use crate::instructions::INSTRUCTIONS;
use crate::lines::Lines;
use crate::text::refusal;
use crate::tools::{self, Row, Set};
use contracts::{Board, Caller, Code, Hint, Problem};
use futures::FutureExt;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult, DiscoverResult, ErrorCode, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService, stdio_pipes};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncRead, AsyncWrite};

/// How long a client may keep the list of tools, milliseconds.
const LIST_TTL_MS: u64 = 3_600_000;

/// The tools, and the way to get somebody's board.
pub struct Tools<F> {
    boards: Arc<F>,
    set: Set,
}

impl<F> Clone for Tools<F> {
    fn clone(&self) -> Self {
        Tools { boards: self.boards.clone(), set: self.set }
    }
}

impl<F: Fn(Caller) -> Arc<dyn Board> + Send + Sync + 'static> Tools<F> {
    /// The tools of `set` on the boards that `boards` gives.
    pub fn new(set: Set, boards: F) -> Tools<F> {
        Tools { boards: Arc::new(boards), set }
    }
}

/// The handler of one connection or request.
pub struct Server<F> {
    tools: Tools<F>,
    /// Of a stdio session; over HTTP each request brings its own.
    known: Option<Known>,
    /// What its answers hand over; over HTTP nobody hears whether an answer arrived.
    handed: Handed,
}

impl<F: Fn(Caller) -> Arc<dyn Board> + Send + Sync + 'static> Server<F> {
    async fn run(&self, row: &'static Row, request: CallToolRequestParams, context: &RequestContext<RoleServer>) -> Result<String, Problem> {
        let args = request.arguments.unwrap_or_default();
        crate::args::within_body(&args)?;
        let known = match (&self.known, context.extensions.get::<http::request::Parts>()) {
            (Some(known), _) => known.clone(),
            (None, Some(parts)) => Known::of_request(parts)?,
            (None, None) => return Err(Problem::new(Code::Unauthorized, "This transport says nothing of who calls")),
        };
        // A request that says nothing of its client comes with the library's own name.
        let named = context.client_info().filter(|client| client.name != Implementation::default().name);
        let client = named.map(|client| client.name.chars().take(80).collect());
        let caller = caller(known, &args, client)?;
        let actor = caller.actor.clone();
        let work = async {
            let call = Call { row, board: (self.tools.boards)(caller), actor, handed: self.handed.clone() };
            answer(&call, args).await
        };
        AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|panic| Err(internal(row.name, panic.as_ref())))
    }
}

/// A panic as a problem: what it said is logged, the agent gets an incident to quote.
fn internal(tool: &str, panic: &(dyn std::any::Any + Send)) -> Problem {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    let incident = format!("mcp-{:x}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let said = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without words");
    tracing::error!(incident, tool, said, "a tool panicked");
    let mut problem = Problem::new(Code::Internal, "Callboard failed at this call").hint(Hint::text("report it with the incident; the server goes on"));
    problem.incident = Some(incident);
    problem
}

impl<F: Fn(Caller) -> Arc<dyn Board> + Send + Sync + 'static> ServerHandler for Server<F> {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("callboard", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut found = DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), self.get_info());
        found.ttl_ms = LIST_TTL_MS;
        found.cache_scope = CacheScope::Private;
        Ok(found)
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: RequestContext<RoleServer>) -> Result<ListToolsResult, ErrorData> {
        let mut list = ListToolsResult::with_all_items(tools::schemas(self.tools.set));
        list.ttl_ms = Some(LIST_TTL_MS);
        list.cache_scope = Some(CacheScope::Private);
        Ok(list)
    }

    /// What can't be read as a request the library knows comes here: a method of ours whose parameters are out of form is known all the same.
    async fn on_custom_request(&self, request: CustomRequest, _: RequestContext<RoleServer>) -> Result<CustomResult, ErrorData> {
        Err(match request.method.as_str() {
            "tools/call" => ErrorData::invalid_params("tools/call takes {\"name\": \"<tool>\", \"arguments\": {…}}, arguments being an object", None),
            "initialize" | "ping" | "tools/list" | "server/discover" => {
                ErrorData::invalid_params(format!("the params of {} are not in form", request.method), None)
            }
            _ => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method.clone(), None),
        })
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
        let Some(row) = tools::rows(self.tools.set).find(|row| row.name == request.name) else {
            let names: Vec<&str> = tools::rows(self.tools.set).map(|row| row.name).collect();
            return Err(ErrorData::invalid_params(format!("no tool {:?}; there are {}", request.name, names.join(", ")), None));
        };
        let result = match self.run(row, request, &context).await {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(problem) => CallToolResult::error(vec![ContentBlock::text(refusal::text(&problem))]),
        };
        Ok(result.into())
    }
}

/// Serves one client on standard input and output until it closes them.
pub async fn serve_stdio<F: Fn(Caller) -> Arc<dyn Board> + Send + Sync + 'static>(tools: Tools<F>, session: Session) -> io::Result<()> {
    let (read, write) = stdio_pipes();
    serve(tools, session, read, write).await
}

/// Serves one client on any pair of streams, one JSON message a line. A line that can't be read is answered with an error.
pub async fn serve<F, R, W>(tools: Tools<F>, session: Session, read: R, write: W) -> io::Result<()>
where
    F: Fn(Caller) -> Arc<dyn Board> + Send + Sync + 'static,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let handed = Handed::default();
    let write = Telling::new(write, handed.clone());
    let transport = Lines::new(read, write);
    let server = Server { tools, known: Some(Known::of_session(&session)), handed: handed.clone() };
    let ended = match rmcp::serve_server(server, transport).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(fault) => Err(io::Error::other(fault.to_string())),
    };
    handed.take_back().await;
    ended
}

/// The service of `POST <base>/mcp`. Host, Origin and credential were checked by the server's doors, which put an
/// [`McpPrincipal`](crate::McpPrincipal) into the request's extensions.
pub fn http_service<F: Fn(Caller) -> Arc<dyn Board> + Send + Sync + 'static>(tools: Tools<F>) -> StreamableHttpService<Server<F>, NeverSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(contracts::limits::BODY_BYTES_MAX)
        .disable_allowed_hosts();
    StreamableHttpService::new(
        move || Ok(Server { tools: tools.clone(), known: None, handed: Handed::default() }),
        Arc::new(NeverSessionManager::default()),
        config,
    )
}
