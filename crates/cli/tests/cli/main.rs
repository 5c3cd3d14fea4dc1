//! Tests through the front door: the built binary, started the way the agent or a person starts it.
//!
//! One binary for all of them. `real_*` modules run the real Claude Code against a scripted model. A test that needs
//! it, or anything else that a machine may not have, is ignored by default: `cargo xtask test` runs it if it can run,
//! and else reports it as skipped, by name. Run without what it needs, it fails.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::format_collect,
    reason = "a test may stop and talk"
)]

mod approval;
mod approval_attacks;
mod autocommit;
mod bounded;
mod captures;
mod chain_doors;
mod chain_ends;
mod chain_gaps;
mod chain_life;
mod chain_parse;
mod chains;
mod check;
mod check_matrix;
mod clone;
mod clone_words;
mod commands;
mod delegation;
mod directives;
mod directives_apart;
mod directives_review;
mod docs;
mod doors;
mod doors_skills;
mod faults;
mod glob;
mod handoffs;
mod heartbeat;
mod init_nested;
mod install;
mod layers;
mod learn;
mod links;
mod liveness;
mod log;
mod memory;
mod noticed;
mod own_files;
mod plan;
mod plan_agreement;
mod plan_armed;
mod plan_doors;
mod plan_keeping;
mod plan_lost;
mod plan_proofs;
mod plan_review;
mod plan_review_attacks;
mod plan_rules;
mod plan_theirs;
mod plugin;
mod policy;
mod policy_git;
mod policy_machine;
mod private_files;
mod protect;
mod queue;
mod reach;
mod real_approval;
mod real_armed;
mod real_chain_ends;
mod real_chain_gates;
mod real_chains;
mod real_client;
mod real_dialog;
mod real_directives;
mod real_do;
mod real_doors;
mod real_ends;
mod real_evidence;
mod real_forgery;
mod real_heartbeat;
mod real_links;
mod real_memory;
mod real_own;
mod real_plan;
mod real_policy;
mod real_proofs;
mod real_queue;
mod real_ran;
mod real_reach;
mod real_replay;
mod real_review;
mod real_run;
mod real_sessions;
mod real_shortcuts;
mod real_skills;
mod real_statusline;
mod real_task_guard;
mod real_tasks;
mod real_time;
mod real_told;
mod real_trust;
mod refresh;
mod replay;
mod router;
mod run;
mod senders;
mod session_check;
mod session_claims;
mod session_doors;
mod session_ends;
mod session_races;
mod session_rules;
mod sessions;
mod shortcuts;
mod sigil;
mod skills;
mod stage;
mod standards;
mod standing;
mod statusline;
mod tags;
mod task_bytes;
mod task_conflicts;
mod task_guard;
mod task_guard_doors;
mod task_merge;
mod tasks;
mod tasks_apart;
mod told_again;
mod trust;
mod trust_attacks;
mod uninstall_clone;
mod uninstall_purge;
mod version;
mod workflow;
