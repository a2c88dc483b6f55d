//! MCP, the surface for agents: tools and their schemas, and answers as text. Given a way to get somebody's `Board`, it is a
//! service for any transport.
//!
//! Invariant: no rule of the board is here. A tool parses its arguments, calls the port, and renders what came back; a
//! refusal of the board is a tool result, and only a request that is no well-formed call is a protocol error.

mod args;
mod call;
mod caller;
mod handed;
mod instructions;
mod lines;
mod schema;
mod service;
mod text;
mod tools;

pub use caller::{ACTOR_HEADER, McpPrincipal, Session, UNNAMED};
pub use instructions::INSTRUCTIONS;
pub use service::{Server, Tools, http_service, serve, serve_stdio};
pub use tools::{Set, schemas};
