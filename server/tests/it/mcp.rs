//! The tools of an agent, through a real client: over a process's pipes, over a port, and beside the other surfaces.

mod http;
mod scenario;
mod stdio;
