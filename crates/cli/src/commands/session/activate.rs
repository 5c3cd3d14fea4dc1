//! `engine session activate`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::session::CommandContext;
use engine_app::session::activate::{Request, activate};
use engine_app::stdin;

use super::begun;
use crate::ui::Ui;

/// Start a skill in a work session, and bind this agent session to it
///
/// Made if need be. Parameters come from options, or as a JSON object on stdin with taskSummary, scope, directoriesOfInterest,
/// contextPaths, requestFiles and extraInfo.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  engine session activate sessions/2026_02_07_AUTH implement --proof mode=direct\n  engine session activate sessions/2026_02_07_AUTH fix --small 'add() returns the sum'\n  engine session activate sessions/2026_02_07_AUTH implement --param taskSummary='Log in with a key'"
)]
pub(crate) struct ActivateArgs {
    /// The folder, as `sessions/2026_02_07_AUTH`
    pub(crate) path: String,
    /// The skill that works in it
    pub(crate) skill: String,
    /// The skill's mode
    #[arg(long)]
    pub(crate) mode: Option<String>,
    /// A parameter, as NAME=VALUE
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) param: Vec<String>,
    /// Proof of the first phase, as NAME=VALUE: it is left at once
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) proof: Vec<String>,
    /// A small run, with the phases that the skill names for it; the goal takes the place of a plan
    #[arg(long, value_name = "GOAL", num_args = 0..=1)]
    #[expect(clippy::option_option, reason = "an option that may have a value")]
    pub(crate) small: Option<Option<String>>,
    /// Start a skill again that is done here
    #[arg(long)]
    pub(crate) fast_track: bool,
    /// For an agent: asks the person for it, with this reason; the reason approves nothing
    #[arg(long, value_name = "REASON")]
    pub(crate) user_approved: Option<String>,
}

pub(super) fn run(args: &ActivateArgs, context: &CommandContext, ui: &Ui) -> Outcome {
    let request = Request {
        path: &args.path,
        skill: &args.skill,
        mode: args.mode.as_deref(),
        params: &args.param,
        proof: &args.proof,
        small: args.small.as_ref().map(|goal| goal.as_deref()),
        fast_track: args.fast_track,
        approved: args.user_approved.as_deref(),
    };
    let mut notes = Vec::new();
    let begun = activate(context, &request, &stdin::piped, &mut notes);
    begun::show(begun, &notes, ui)
}
