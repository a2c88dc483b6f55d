//! The live line of a running server, over real sockets.

mod events;
mod page;
mod restart;
mod socket;
