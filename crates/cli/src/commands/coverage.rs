//! `engine coverage`: whether every tool call of the recorded sessions passed the hook.

use std::path::PathBuf;

use clap::Args;
use engine_app::coverage::{Gap, Measured, Share, Who, measure};
use engine_app::error::{CommandError, Outcome};
use engine_app::here::project;
use engine_app::since::Since;
use engine_app::time;
use engine_app::transcripts::{self, FoundTranscripts};
use engine_app::wording::counted;
use engine_store::clock;
use engine_text::line::one_line;
use serde_json::json;

use crate::progress::Progress;
use crate::table::aligned;
use crate::ui::{Tone, Ui, toned};

#[derive(Debug, Args)]
pub(crate) struct CoverageArgs {
    /// Transcripts, or folders of them; nothing: those that the client keeps of this project
    pub(crate) paths: Vec<PathBuf>,
    /// Only tool calls from then on: 2h, 30d, a day
    #[arg(long)]
    pub(crate) since: Option<Since>,
    /// Fail below this percentage
    #[arg(long, default_value_t = 0)]
    pub(crate) min: u8,
}

/// How many gaps a person is shown.
const SHOWN: usize = 20;
/// How much of a command a gap shows.
const WHAT: usize = 60;

pub(super) fn run(args: &CoverageArgs, ui: &Ui) -> Outcome {
    let project = project()?;
    let since = args.since.map(|since| since.stamp(clock::now()));
    let found = transcripts::find(&args.paths, &project, since)?;
    let progress = Progress::new(found.sessions.len());
    let measured = measure(&found, &project, since, &|| progress.step())?;
    drop(progress);
    let shown = Shown { measured: &measured, found: &found, min: args.min };
    for problem in &measured.coverage.unread {
        ui.talk(format!("{} {problem}", toned(Tone::Careful, "not read:")));
    }
    if ui.is_json() {
        ui.object(&shown.json());
    } else {
        ui.text(&shown.text());
    }
    if measured.coverage.reaches(args.min) { Ok(()) } else { Err(CommandError::already_told()) }
}

struct Shown<'a> {
    measured: &'a Measured,
    found: &'a FoundTranscripts,
    min: u8,
}

impl Shown<'_> {
    fn json(&self) -> serde_json::Value {
        let Self { measured, found, min } = self;
        let coverage = &measured.coverage;
        let all = coverage.all();
        let row = |((session, agent), share): (&Who, &Share)| {
            let (agent, kind) = agent.clone().unzip();
            json!({"session": session, "agent": agent, "agentType": kind, "calls": share.calls, "covered": share.covered})
        };
        json!({"version": 1, "transcripts": found.transcripts(), "calls": all.calls, "covered": all.covered, "min": min,
            "enough": coverage.reaches(*min), "refusedByClient": coverage.refused, "by": coverage.by.iter().map(row).collect::<Vec<_>>(),
            "gaps": coverage.gaps, "unreadable": coverage.damaged_lines, "unread": coverage.unread})
    }

    fn text(&self) -> String {
        let Self { measured, found, min } = self;
        let coverage = &measured.coverage;
        let all = coverage.all();
        if all.calls == 0 {
            return format!("no tool calls in {}\n", found.shown_places());
        }
        let tone = if coverage.gaps.is_empty() { Tone::Good } else { Tone::Careful };
        let mut out = format!(
            "{} covered: {} of {} in {}\n",
            toned(tone, &all.shown()),
            all.covered,
            counted(all.calls, "tool call"),
            counted(found.transcripts() as u64, "transcript")
        );
        if coverage.refused > 0 {
            let calls = counted(coverage.refused, "call");
            out.push_str(&format!("not counted: {calls} that the client refused before any hook\n"));
        }
        if coverage.damaged_lines > 0 {
            out.push_str(&format!("{} passed over\n", counted(coverage.damaged_lines, "unreadable line")));
        }
        out.push_str(&self.shown_sessions());
        out.push_str(&self.shown_gaps());
        if !coverage.reaches(*min) {
            out.push_str(&format!("{} --min {min}\n", toned(Tone::Bad, "below")));
        }
        out
    }

    /// All of them while they are few; of many those with gaps.
    fn shown_sessions(&self) -> String {
        let few = self.measured.coverage.by.len() <= SHOWN;
        let matters = |(_, share): &(&Who, &Share)| few || share.covered < share.calls;
        let row = |((session, agent), share): (&Who, &Share)| {
            let agent = agent.as_ref().map_or_else(|| "main".to_owned(), |(id, kind)| format!("{kind} {id}"));
            let count = format!("{} of {}", share.covered, share.calls);
            vec![short(session), agent.trim().to_owned(), count, share.shown()]
        };
        let rows: Vec<Vec<String>> =
            self.measured.coverage.by.iter().filter(matters).take(SHOWN).map(row).collect();
        let mut out = aligned(&rows, "  ");
        if rows.len() < self.measured.coverage.by.len() {
            out.push_str(&format!("  … {} more with --json\n", self.measured.coverage.by.len() - rows.len()));
        }
        out
    }

    fn shown_gaps(&self) -> String {
        if self.measured.coverage.gaps.is_empty() {
            return String::new();
        }
        let hidden = self.measured.coverage.gaps.len().saturating_sub(SHOWN);
        let more = match hidden {
            0 => String::new(),
            hidden => format!(", the last {SHOWN} of them; {hidden} more with --json"),
        };
        let row = |gap: &Gap| {
            let at = time::parse(&gap.at).map_or_else(|| gap.at.clone(), time::local);
            let agent = gap.agent.clone().unwrap_or_else(|| "main".to_owned());
            vec![at, short(&gap.session), agent, gap.tool.clone(), one_line(&gap.what, WHAT)]
        };
        let rows: Vec<Vec<String>> = self.measured.coverage.gaps[hidden..].iter().map(row).collect();
        let gaps = counted(self.measured.coverage.gaps.len() as u64, "gap");
        let mut out = format!("{gaps}{more}\n{}", aligned(&rows, "  "));
        let first = self.measured.first.as_deref();
        let older = self
            .measured
            .coverage
            .gaps
            .iter()
            .filter(|gap| first.is_some_and(|first| gap.at.as_str() < first))
            .count();
        match first {
            None => out.push_str("the journal is empty\n"),
            Some(first) if older > 0 => {
                let first = time::parse(first).map_or_else(|| first.to_owned(), time::local);
                out.push_str(&format!("{older} of them before the journal begins ({first})\n"));
            }
            Some(_) => {}
        }
        out
    }
}

fn short(session: &str) -> String {
    session.chars().take(8).collect()
}
