//! The web's part of Callboard as a library, so that tests can stand a fake board behind the real doors.

pub mod assets;
pub mod http;
pub mod live;
