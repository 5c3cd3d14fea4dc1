//! `engine coverage`: whether every tool call of the recorded sessions passed the hook.
//!
//! The calls come from the transcripts, subagents' included; a call passed if the journal has a `PreToolUse` with its id. Calls
//! that the client refused itself, before any hook, are not counted: there was nothing to pass.

use std::collections::{BTreeMap, HashSet};

use engine_claude::decode;
use engine_claude::replay::Session;
use engine_core::event::{Actor, Event, Kind};
use engine_core::verdict::Verdict;
use engine_store::project::Project;
use engine_store::{clock, journal_file};
use engine_text::line::one_line;
use engine_text::stamp::{DecisionId, Stamp};
use serde::Serialize;
use serde_json::json;

use super::project;
use super::replay::transcripts::{self, Found};
use crate::args::CoverageArgs;
use crate::error::{CommandError, Outcome};
use crate::table::aligned;
use crate::time;
use crate::ui::{Tone, Ui, counted, toned};

/// How many gaps a person is shown.
const SHOWN: usize = 20;
/// How much of a command a gap shows.
const WHAT: usize = 60;

pub(super) fn run(args: &CoverageArgs, ui: &Ui) -> Outcome {
    let project = project()?;
    let since = args.since.map(|since| since.stamp(clock::now()));
    let found = transcripts::find(&args.paths, &project, since)?;
    let journal = Journal::read(&project)?;
    let since = since.map_or_else(String::new, Stamp::rfc3339);
    let parts = transcripts::spread(&found.sessions, |queue| {
        let mut coverage = Coverage::default();
        for session in queue {
            coverage.add(session, &journal, &since);
        }
        coverage
    });
    let coverage = Coverage::merged(parts);
    for problem in &coverage.unread {
        ui.talk(format!("{} {problem}", toned(Tone::Careful, "not read:")));
    }
    let enough = coverage.reaches(args.min);
    if ui.is_json() {
        ui.object(&coverage.json(&found, args.min));
    } else {
        ui.text(&coverage.text(&found, &journal, args.min));
    }
    if enough { Ok(()) } else { Err(CommandError::already_told()) }
}

/// What the hook has seen.
struct Journal {
    /// The ids of all tool calls.
    calls: HashSet<String>,
    /// When it begins.
    first: Option<String>,
}

impl Journal {
    fn read(project: &Project) -> std::io::Result<Self> {
        let mut journal = Self { calls: HashSet::new(), first: None };
        for (_, path) in journal_file::days(&project.journal_folder()) {
            journal_file::read_day(&path, |entry| {
                journal.first.get_or_insert(entry.at);
                if entry.event == "PreToolUse" {
                    journal.calls.extend(entry.tool_use);
                }
            })?;
        }
        Ok(journal)
    }
}

/// A tool call that the journal does not know.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Gap {
    at: String,
    session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    tool: String,
    tool_use: String,
    what: String,
}

/// Who made the calls: a session, and the subagent in it with its kind.
type Who = (String, Option<(String, String)>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Share {
    calls: u64,
    covered: u64,
}

impl Share {
    /// In tenths of a percent, rounded down: 100 % means all.
    fn shown(self) -> String {
        match (self.covered * 1000).checked_div(self.calls) {
            None => "–".to_owned(),
            Some(tenths) if tenths % 10 == 0 => format!("{} %", tenths / 10),
            Some(tenths) => format!("{}.{} %", tenths / 10, tenths % 10),
        }
    }
}

#[derive(Debug, Default)]
struct Coverage {
    by: BTreeMap<Who, Share>,
    gaps: Vec<Gap>,
    /// Calls that the client refused before any hook.
    refused: u64,
    damaged_lines: u64,
    unread: Vec<String>,
}

impl Coverage {
    fn add(&mut self, session: &Session, journal: &Journal, since: &str) {
        // A call is known to be refused by the client only when its result is there.
        let mut gaps: BTreeMap<String, (Gap, Who)> = BTreeMap::new();
        let damage = session.events(|rebuilt| {
            let Ok(event) = decode(&rebuilt.json) else { return };
            let Some(call) = event.tool_call().filter(|_| rebuilt.at.as_str() >= since) else { return };
            let known = journal.calls.contains(&*call.id);
            match event.kind {
                Kind::PreTool(_) if known => {
                    let share = self.by.entry(who(&event)).or_default();
                    share.calls += 1;
                    share.covered += 1;
                }
                Kind::PreTool(_) => {
                    gaps.insert(call.id.to_string(), (gap(rebuilt.at, &event), who(&event)));
                }
                _ if rebuilt.refused_by_client => {
                    self.refused += u64::from(gaps.remove(&*call.id).is_some());
                }
                _ => {}
            }
        });
        for (gap, who) in gaps.into_values() {
            self.by.entry(who).or_default().calls += 1;
            self.gaps.push(gap);
        }
        self.damaged_lines += damage.lines;
        self.unread.extend(damage.files);
    }

    fn merged(parts: Vec<Self>) -> Self {
        let mut whole = Self::default();
        for part in parts {
            for (who, share) in part.by {
                let mine = whole.by.entry(who).or_default();
                mine.calls += share.calls;
                mine.covered += share.covered;
            }
            whole.gaps.extend(part.gaps);
            whole.refused += part.refused;
            whole.damaged_lines += part.damaged_lines;
            whole.unread.extend(part.unread);
        }
        whole.gaps.sort_by(|a, b| (&a.at, &a.session).cmp(&(&b.at, &b.session)));
        whole.unread.sort();
        whole
    }

    fn all(&self) -> Share {
        self.by.values().fold(Share::default(), |sum, share| Share {
            calls: sum.calls + share.calls,
            covered: sum.covered + share.covered,
        })
    }

    fn reaches(&self, min: u8) -> bool {
        let all = self.all();
        all.covered * 100 >= all.calls * u64::from(min)
    }

    fn json(&self, found: &Found, min: u8) -> serde_json::Value {
        let all = self.all();
        let row = |((session, agent), share): (&Who, &Share)| {
            let (agent, kind) = agent.clone().unzip();
            json!({"session": session, "agent": agent, "agentType": kind, "calls": share.calls, "covered": share.covered})
        };
        json!({"version": 1, "transcripts": found.transcripts(), "calls": all.calls, "covered": all.covered, "min": min,
            "enough": self.reaches(min), "refusedByClient": self.refused, "by": self.by.iter().map(row).collect::<Vec<_>>(),
            "gaps": self.gaps, "unreadable": self.damaged_lines, "unread": self.unread})
    }

    fn text(&self, found: &Found, journal: &Journal, min: u8) -> String {
        let all = self.all();
        if all.calls == 0 {
            return format!("no tool calls in {}\n", found.shown_places());
        }
        let tone = if self.gaps.is_empty() { Tone::Good } else { Tone::Careful };
        let mut out = format!(
            "{} covered: {} of {} in {}\n",
            toned(tone, &all.shown()),
            all.covered,
            counted(all.calls, "tool call"),
            counted(found.transcripts() as u64, "transcript")
        );
        if self.refused > 0 {
            let calls = counted(self.refused, "call");
            out.push_str(&format!("not counted: {calls} that the client refused before any hook\n"));
        }
        if self.damaged_lines > 0 {
            out.push_str(&format!("{} passed over\n", counted(self.damaged_lines, "unreadable line")));
        }
        out.push_str(&self.shown_sessions());
        out.push_str(&self.shown_gaps(journal));
        if !self.reaches(min) {
            out.push_str(&format!("{} --min {min}\n", toned(Tone::Bad, "below")));
        }
        out
    }

    /// All of them while they are few; of many those with gaps.
    fn shown_sessions(&self) -> String {
        let few = self.by.len() <= SHOWN;
        let matters = |(_, share): &(&Who, &Share)| few || share.covered < share.calls;
        let row = |((session, agent), share): (&Who, &Share)| {
            let agent = agent.as_ref().map_or_else(|| "main".to_owned(), |(id, kind)| format!("{kind} {id}"));
            let count = format!("{} of {}", share.covered, share.calls);
            vec![short(session), agent.trim().to_owned(), count, share.shown()]
        };
        let rows: Vec<Vec<String>> = self.by.iter().filter(matters).take(SHOWN).map(row).collect();
        let mut out = aligned(&rows, "  ");
        if rows.len() < self.by.len() {
            out.push_str(&format!("  … {} more with --json\n", self.by.len() - rows.len()));
        }
        out
    }

    fn shown_gaps(&self, journal: &Journal) -> String {
        if self.gaps.is_empty() {
            return String::new();
        }
        let hidden = self.gaps.len().saturating_sub(SHOWN);
        let more = match hidden {
            0 => String::new(),
            hidden => format!(", the last {SHOWN} of them; {hidden} more with --json"),
        };
        let row = |gap: &Gap| {
            let at = time::parse(&gap.at).map_or_else(|| gap.at.clone(), time::local);
            let agent = gap.agent.clone().unwrap_or_else(|| "main".to_owned());
            vec![at, short(&gap.session), agent, gap.tool.clone(), one_line(&gap.what, WHAT)]
        };
        let rows: Vec<Vec<String>> = self.gaps[hidden..].iter().map(row).collect();
        let gaps = counted(self.gaps.len() as u64, "gap");
        let mut out = format!("{gaps}{more}\n{}", aligned(&rows, "  "));
        let first = journal.first.as_deref();
        let older = self.gaps.iter().filter(|gap| first.is_some_and(|first| gap.at.as_str() < first)).count();
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

fn who(event: &Event<'_>) -> Who {
    let agent = match &event.actor {
        Actor::Subagent { id, agent_type } => Some((id.to_string(), agent_type.to_string())),
        Actor::Main => None,
    };
    (event.session.to_string(), agent)
}

/// The journal's words for an event, so that secrets are taken out in one place.
fn gap(at: String, event: &Event<'_>) -> Gap {
    let no_id = DecisionId::new(Stamp::default(), 0);
    let entry = Verdict::default().entry(&no_id, Stamp::default(), event, &[]);
    Gap {
        at,
        session: entry.session,
        agent: entry.agent,
        tool: entry.tool.unwrap_or_default(),
        tool_use: entry.tool_use.unwrap_or_default(),
        what: one_line(entry.command.or(entry.input).as_deref().unwrap_or_default(), 5 * WHAT),
    }
}

fn short(session: &str) -> String {
    session.chars().take(8).collect()
}
