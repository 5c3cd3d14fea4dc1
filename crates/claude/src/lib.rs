//! Claude Code. Its contract was established by experiment with the version below; other versions are used as
//! if they were this one, and `engine doctor` says so.

pub mod agents;
pub mod author;
pub mod capability;
mod decode;
mod dialect;
mod documents;
mod encode;
pub mod entry;
mod event_name;
pub mod headless;
pub mod install;
pub mod json_edit;
pub mod launch;
pub mod memory;
mod question;
mod raw_fields;
pub mod reach;
pub mod replay;
mod report;
mod runners;
pub mod settings;
pub mod skills;
pub mod sources;
pub mod standby;
mod tool;
pub mod transcript;
mod unguarded;
pub mod wiring;

pub use decode::{NotAnEvent, decode};
pub use dialect::DIALECT;
pub use encode::{Answer, encode, fit};
pub use event_name::{EventName, event_names};
pub use report::Report;
pub use tool::with_input;

/// The version that the adapter was made and tested with.
pub const KNOWN_VERSION: &str = "2.1.325";
