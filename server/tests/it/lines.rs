//! The live line of a running server, over real sockets.

mod events;
mod page;
mod pages;
mod restart;
mod socket;
