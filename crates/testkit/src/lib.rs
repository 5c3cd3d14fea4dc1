//! A bench for the real Claude Code: the client, its permission system, its hook runner and its
//! transcript are the real ones; only the model is scripted.
//!
//! A test writes a [`Scenario`] (what the model answers), runs the client in a [`Bench`] (a
//! throw-away HOME and git project) and reads the [`Record`] (what the model was asked).
//!
//! Such a test is ignored by default, with this reason: `cargo xtask test` runs it where there is a client, and
//! reports it as skipped, by name, where there is none. Without a client it fails.
//!
//! ```no_run
//! use engine_testkit::{Bench, STREAM, Scenario, Turn};
//!
//! #[test]
//! #[ignore = "needs the real client: cargo xtask test"]
//! fn a_tool_call() -> anyhow::Result<()> {
//!     let scenario = Scenario::new()
//!         .turn(Turn::new("ask").prompt_contains("go").tool_use("Bash", serde_json::json!({"command": "echo hi"})))
//!         .turn(Turn::new("report").tool_result_of("Bash").text("it says ${tool_result}"));
//!     let run = Bench::new()?.run(scenario, &[&["-p", "go"], STREAM].concat())?;
//!     assert_eq!(run.result_text().as_deref(), Some("it says hi"));
//!     Ok(())
//! }
//! # fn main() {}
//! ```
//!
//! Nothing here reaches beyond loopback except [`client::install`], no credentials are used, and the
//! client is given no folder outside the bench.

mod bench;
pub mod client;
mod constructs;
mod contexts;
pub mod embeddings;
mod fixtures;
pub mod forms;
mod http;
mod kind;
mod live;
mod message;
mod model;
mod output;
mod process;
mod record;
mod request;
mod run;
mod scenario;
mod stream;
mod terminal;

pub use bench::Bench;
pub use constructs::{Construct, constructs};
pub use fixtures::{event, event_fixtures};
pub use kind::Kind;
pub use live::Live;
pub use model::ScriptedModel;
pub use record::{Record, Sighting};
pub use request::{Request, ToolResult};
pub use run::{HookResponse, Run, STREAM};
pub use scenario::{Scenario, Turn};
pub use terminal::Terminal;
