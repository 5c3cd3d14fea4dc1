//! Everything of `engine` that touches the disk.
//!
//! What lies where is in [`project`]; how a file is written so that a crash, a second process or a full disk
//! loses nothing is in [`atomic`], [`lock`] and [`record`]. Nothing here decides anything: the rules do (`engine-rules`).

// Locks, permissions, links and signals are those of Unix, here and in the crates above.
#[cfg(not(unix))]
compile_error!("engine runs on Linux and macOS");

pub mod accepted;
pub mod approve;
pub mod atomic;
pub mod auto_commit;
pub mod binding;
pub mod chain_end;
pub mod claim;
pub mod cleared_file;
pub mod clock;
pub mod commit;
pub mod config_file;
pub mod content;
mod deeds;
pub mod directive_file;
pub mod enrich_file;
pub mod env_file;
pub mod git;
mod inside;
pub mod journal_file;
pub mod links;
pub mod live_view;
pub mod lock;
pub mod log_file;
mod mark;
pub mod memory_view;
pub mod merge_driver;
pub mod note_file;
pub mod note_reads;
pub mod own_program;
pub mod places;
pub mod plan_file;
pub mod plan_review;
pub mod policy_file;
pub mod process;
pub mod project;
pub mod queue_file;
pub mod read;
pub mod reason;
pub mod record;
pub mod recorder;
mod regular;
pub mod restart_file;
pub mod retention;
pub mod seen_file;
pub mod session_file;
pub mod settings_variables;
pub mod stage_file;
pub mod step_agent;
pub mod tag_file;
pub mod tail;
pub mod task_file;
pub mod task_keep;
pub mod task_owners;
pub mod told;
pub mod trust;
pub mod unsaved;
pub mod walk;
pub mod wiring;
pub mod work_file;
pub mod work_seal;
pub mod worktree;
