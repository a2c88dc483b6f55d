//! Many processes on one board: races, kills, and what is there afterwards.

mod kill;
mod race;
mod stopped;
