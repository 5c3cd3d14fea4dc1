//! The domain of `engine`: what an agent's event is, what the rules say about it, and what follows.
//!
//! This crate never touches the world. Files, clock, environment and processes are behind [`view::View`], and
//! what should change is returned as data ([`change::Change`]). That is what makes the live hook, `engine
//! explain` and a test table the same code. `clippy.toml` forbids the calls, and `xtask/tests/architecture` checks that.

pub mod approval;
pub mod chain;
pub mod change;
pub mod client;
pub mod config;
pub mod dialect;
pub mod dialogue;
pub mod directive;
pub mod enrich;
pub mod event;
pub mod evidence;
pub mod file_link;
pub mod fragment;
mod front_matter;
pub mod handoff;
pub mod host;
pub mod journal;
pub mod learning;
pub mod log;
pub mod note;
pub mod plan;
pub mod policy;
pub mod queue;
pub mod ran;
pub mod restored;
pub mod runbook;
pub mod runner;
pub mod search;
pub mod session;
pub mod shortcut;
pub mod sigil;
pub mod skill;
pub mod stage;
pub mod standard;
pub mod status;
pub mod statusline;
pub mod step_id;
pub mod tag;
pub mod task;
pub mod todo;
pub mod trust;
pub mod verdict;
pub mod versioned;
pub mod view;
pub mod work;
