//! The registry: every rule and every knob of the engine, each listed once.
//!
//! A rule's file defines the rule and its knobs; this list makes them exist. Defaults, checks, `engine config show`, the commented
//! `config.toml` and the reference pages are made from it.

use engine_core::config::{Commands, Knob, Number, Text};

use crate::Rule;

/// How long journal files and the state of ended sessions are kept.
pub const KEEP_DAYS: Number = Number {
    name: "journal.keep_days",
    default: 30,
    range: (1, 3650),
    about: "Days that journal files and the state of old sessions are kept. Applied by init and doctor.",
};

/// What must pass before a commit.
pub const COMMIT_CHECKS: Commands = Commands {
    name: "commit.checks",
    about: "Shell commands that engine commit-check runs in the project's root; all must end well.",
};

/// What `engine run` starts.
pub const RUN_AGENT: Text =
    Text { name: "run.agent", default: "claude", about: "The program that engine run starts." };

/// Every knob but the rules' modes, in the order of the reference page.
pub static KNOBS: &[&dyn Knob] = &[
    &crate::inject::FILES,
    &crate::inject::BUDGET,
    &crate::inject::STRICT,
    &crate::inject::STANDARDS,
    &engine_core::file_link::PROTOCOL,
    &crate::reminder::TEXT,
    &crate::reminder::FOR,
    &crate::heartbeat::WARN,
    &crate::heartbeat::BLOCK,
    &crate::overflow::NOTE,
    &crate::overflow::GATE,
    &engine_core::task::FILE,
    &engine_core::shortcut::STATUS,
    &engine_core::shortcut::CAPTURE,
    &engine_core::skill::WRAPPED,
    &engine_core::skill::EXITS,
    &engine_core::policy::FAIL,
    &engine_core::policy::PROTECTED,
    &engine_core::policy::BRANCHES,
    &engine_core::statusline::PARTS,
    &engine_core::tag::TRANSITIONS,
    &engine_core::work::mode::MODES,
    &crate::directives::BUDGET,
    &crate::directives::WARN,
    &crate::directives::BLOCK,
    &engine_core::directive::BARE,
    &engine_core::directive::SKIP,
    &crate::memory::MEMORY,
    &engine_core::search::DOCS,
    &engine_core::search::SKIP,
    &crate::autocommit::PATHS,
    &engine_core::plan::COMMIT,
    &engine_core::plan::TIERS,
    &engine_core::plan::RUN_ATTEMPTS,
    &engine_core::plan::RUN_TOKENS,
    &engine_core::plan::RUN_MINUTES,
    &engine_core::evidence::known::CHECKS,
    &RUN_AGENT,
    &crate::restart::RESTART,
    &COMMIT_CHECKS,
    &KEEP_DAYS,
];

/// All rules, in the order in which they speak.
pub static RULES: &[Rule] = &[
    crate::session::RULE,
    crate::approval::RULE,
    crate::trust::RULE,
    crate::shortcuts::RULE,
    crate::chain::RULE,
    crate::inject::RULE,
    crate::handoff::RULE,
    crate::restore::RULE,
    crate::open_plans::RULE,
    crate::enrich::RULE,
    crate::precompact::RULE,
    crate::policy::RULE,
    crate::protect::RULE,
    crate::noticed::RULE,
    crate::memory::RULE,
    crate::tasks::RULE,
    crate::isolation::RULE,
    crate::roles::RULE,
    crate::ran::RULE,
    crate::require_session::RULE,
    crate::directives::RULE,
    crate::evidence::RULE,
    crate::plan::RULE,
    crate::standing::RULE,
    crate::heartbeat::RULE,
    crate::overflow::RULE,
    crate::dialogue::RULE,
    crate::autocommit::RULE,
    crate::reminder::RULE,
    crate::tail::RULE,
    crate::title::RULE,
    crate::restart::RULE,
    crate::size::RULE,
    crate::journal::RULE,
];
