//! `engine plan criteria set | add | remove` and `engine plan verify`.

use clap::{Args, Subcommand};
use engine_app::approval;
use engine_app::error::{CommandError, Outcome};
use engine_app::time;
use engine_core::plan::{Approval, CriteriaChange, Verdict, text_of, told};
use engine_core::session::kept_words;
use engine_store::clock;

use super::{Desk, step, tell, tell_notes};
use crate::ui::Ui;

#[derive(Debug, Subcommand)]
pub(crate) enum CriteriaCommand {
    /// Change a criterion
    #[command(after_long_help = "Example:\n  engine plan criteria set 2 \"the login works with a key\"")]
    Set {
        number: usize,
        text: String,
        /// Of a locked plan: why the person wants it; from an agent it counts after they have spoken
        #[arg(long, value_name = "REASON")]
        user_approved: Option<String>,
    },
    /// Add a criterion
    #[command(after_long_help = "Example:\n  engine plan criteria add \"the docs say so\"")]
    Add {
        text: String,
        /// Of a locked plan: why the person wants it; from an agent it counts after they have spoken
        #[arg(long, value_name = "REASON")]
        user_approved: Option<String>,
    },
    /// Remove a criterion
    #[command(after_long_help = "Example:\n  engine plan criteria remove 2")]
    Remove {
        number: usize,
        /// Of a locked plan: why the person wants it; from an agent it counts after they have spoken
        #[arg(long, value_name = "REASON")]
        user_approved: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct PlanVerifyArgs {
    /// The criterion
    pub(crate) number: usize,
    /// What shows it; again for more
    #[arg(long, required_unless_present = "rejected")]
    pub(crate) evidence: Vec<String>,
    /// It is not met
    #[arg(long, requires = "why")]
    pub(crate) rejected: bool,
    /// Why, or what was looked at
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,
}

pub(super) fn change(command: &CriteriaCommand, desk: &Desk, ui: &Ui) -> Outcome {
    let text_of = |text: &str| text_of("a criterion", text).map_err(CommandError::usage);
    let (change, reason) = match command {
        CriteriaCommand::Set { number, text, user_approved } => {
            (CriteriaChange::Set { number: *number, text: text_of(text)? }, user_approved)
        }
        CriteriaCommand::Add { text, user_approved } => {
            (CriteriaChange::Add { text: text_of(text)? }, user_approved)
        }
        CriteriaCommand::Remove { number, user_approved } => {
            (CriteriaChange::Remove { number: *number }, user_approved)
        }
    };
    let (file, plan) = desk.own()?;
    plan.moves()?;
    let difference = plan.difference(&change)?;
    let now = clock::now().rfc3339();
    let mut approval = None;
    if plan.lock.is_some() {
        let what = format!("changing the locked criteria of plan {}: {}", plan.name, difference.join(" "));
        let refused = || {
            let locked = plan.clone().change_criteria(change.clone(), None);
            CommandError::from(locked.err().unwrap_or_else(|| engine_core::plan::Refusal::new(what.clone())))
        };
        // Remembered also without a reason, so that a person's word counts from now on.
        let waived = approval::require(&desk.project, &desk.caller, &what, reason.as_deref());
        match (reason, waived) {
            (None, _) => {
                return Err(refused()
                    .hint("ask the user; after their answer the same command counts with --user-approved \"what they said\""));
            }
            (Some(_), Err(why)) => {
                return Err(why.hints.into_iter().fold(refused().hint(why.message), CommandError::hint));
            }
            (Some(reason), Ok(())) => {
                approval = Some(Approval { what: difference.join(" "), reason: kept_words(reason), at: now });
            }
        }
    }
    let kept = file.update(|plan| plan.change_criteria(change, approval).map_err(CommandError::from))?;
    tell_notes(&kept.notes, ui);
    tell(&kept.plan, &difference.join("\n"), ui);
    Ok(())
}

pub(super) fn verify(args: &PlanVerifyArgs, desk: &Desk, ui: &Ui) -> Outcome {
    let (_, plan) = desk.own()?;
    let why = args.why.as_deref().map(|why| text_of("why", why)).transpose().map_err(CommandError::usage)?;
    let verdict = Verdict {
        met: !args.rejected,
        evidence: step::kept(&args.evidence),
        why,
        by: desk.agent().unwrap_or("person").to_owned(),
        at: clock::now().rfc3339(),
    };
    // What the plan itself refuses comes first.
    plan.clone().verify(args.number, verdict.clone())?;
    let wrong = if args.rejected { Vec::new() } else { step::unproven(&args.evidence, &plan, desk) };
    if !wrong.is_empty() {
        let lines: Vec<String> =
            wrong.iter().map(|problem| format!("criterion {}: {problem}", args.number)).collect();
        return Err(CommandError::refused(lines.join("\n")).hint("engine evidence lists what ran"));
    }
    let kept = desk.change(ui, |plan, _| plan.verify(args.number, verdict))?;
    let criterion = kept.plan.criterion(args.number)?;
    let verdict = criterion.verdict.as_ref().map(|verdict| told(verdict, time::shown)).unwrap_or_default();
    tell(&kept.plan, &format!("{}. {}\n   {verdict}", args.number, criterion.text), ui);
    Ok(())
}
