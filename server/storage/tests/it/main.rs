//! The store against real files: one binary, so that it links once.

mod board;
mod processes;
mod recovery;
mod replay;
mod smoke;
