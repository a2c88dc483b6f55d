//! The store: the log in the database and in its files, the projections beside it, leases and other live rows. The only crate with sqlx.
//!
//! Invariants: append and project are one transaction; what was answered for is in a synced log file; every projection equals a fold of
//! all events from nothing. What stands where on disk: [`Place`].
//!
//! Whatever reads or writes fails with [`StoreError`], whose variants say when.

mod adopt;
mod append;
mod commands;
mod damage;
pub mod encoding;
mod error;
mod head;
mod import;
mod inbox;
mod lease;
mod lock;
mod log_file;
mod marks;
mod next;
mod offered;
mod open;
mod pack;
mod projection;
mod read;
mod rebuild;
mod schema;
mod script;
pub mod sessions;
mod sql;
mod store;
mod verify;
mod watch;
mod write;

pub use adopt::{Adopted, AdoptedTask, Adoption, Fact, Refers};
pub use error::StoreError;
pub use log_file::{Disk, Fault, Place, Step};
pub use marks::Mark;
pub use offered::Offer;
pub use open::link;
pub use pack::{Packed, Restored};
pub use read::{Asking, CardPage, CardRow, ColumnPage, EventPage, Head, Hit, InboxPage, InboxRow, LiveRow, Read, TallyRow};
pub use rebuild::Rebuilt;
pub use sql::EventRow;
pub use store::{Opened, Options, Reader, Reconciled, Store, Stranger};
pub use verify::{Finding, Quarantined, VerifyReport};
pub use watch::{Changed, Watch};
pub use write::{NextOutcome, Outcome, Request, Work};
