//! The use cases of `engine`, without a terminal: values in, values out.
//!
//! Each module is named after what it works on. A function takes what the caller typed (or what an event says) as values,
//! reads and writes through `engine-store` and `engine-claude`, and returns a value or a [`error::CommandError`]. Nothing
//! here prints, parses arguments or ends the process: `engine-cli` does, and a second front end could.

pub mod agent_session;
pub mod approval;
pub mod chain;
pub mod check;
pub mod commit_check;
pub mod coverage;
pub mod directives;
pub mod doctor;
pub mod enrich;
pub mod error;
pub mod evidence;
pub mod glob;
pub mod handoff;
pub mod here;
pub mod hook;
pub mod install;
pub mod journal;
pub mod judging;
pub mod learn;
pub mod ledger;
pub mod log;
pub mod merge;
pub mod note;
mod open_call;
pub mod plan;
pub mod plans;
pub mod plugin;
pub mod policy;
pub mod queue;
pub mod registry;
pub mod replay;
pub mod runbook;
pub mod search;
pub mod session;
pub mod settings;
pub mod sigil;
pub mod since;
pub mod skill;
pub mod statusline;
pub mod stdin;
pub mod supervisor;
pub mod tag;
pub mod task;
pub mod time;
pub mod transcripts;
pub mod trust;
pub mod unfinished;
pub mod wording;

#[cfg(test)]
mod stage;
