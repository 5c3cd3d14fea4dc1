//! `engine coverage`: whether every tool call of the recorded sessions passed the hook.
//!
//! The calls come from the transcripts, subagents' included; a call passed if the journal has a `PreToolUse` with its id, and no other
//! hook changed it after that. It is covered if the engine also knows what it does. Calls that the client refused itself, before any
//! hook, are not counted: there was nothing to pass.

use std::collections::{BTreeMap, HashMap, HashSet};

use engine_claude::decode;
use engine_claude::replay::Session;
use engine_core::event::{Actor, Event, Kind};
use engine_core::verdict::Verdict;
use engine_store::journal_file;
use engine_store::project::Project;
use engine_text::line::{one_line, printable};
use engine_text::stamp::{DecisionId, Stamp};
use serde::Serialize;

use crate::transcripts::{self, FoundTranscripts};

/// How much of a command a gap keeps.
const WHAT: usize = 300;

/// Compares the tool calls of the sessions with the journal. `taken` hears of each session that a worker takes.
pub fn measure(
    found: &FoundTranscripts,
    project: &Project,
    since: Option<Stamp>,
    taken: &(dyn Fn() + Sync),
) -> std::io::Result<Measured> {
    let journal = Journal::read(project)?;
    let since = since.map_or_else(String::new, Stamp::rfc3339);
    let parts = transcripts::spread(&found.sessions, taken, |queue| {
        let mut coverage = Coverage::default();
        for session in queue {
            coverage.add(session, &journal, &since);
        }
        coverage
    });
    Ok(Measured { coverage: Coverage::merged(parts), first: journal.first })
}

/// The coverage, and when the journal begins.
#[derive(Debug)]
pub struct Measured {
    pub coverage: Coverage,
    pub first: Option<String>,
}

impl Measured {
    pub fn gaps_before_the_journal(&self) -> usize {
        let Some(first) = self.first.as_deref() else { return 0 };
        self.coverage.gaps.iter().filter(|gap| gap.at.as_str() < first).count()
    }
}

/// What the hook has seen.
struct Journal {
    /// The ids of all tool calls.
    calls: HashSet<String>,
    /// What ran in the place of calls that another hook changed, by their ids.
    rewritten: HashMap<String, String>,
    /// When it begins.
    first: Option<String>,
}

impl Journal {
    fn read(project: &Project) -> std::io::Result<Self> {
        let mut journal = Self { calls: HashSet::new(), rewritten: HashMap::new(), first: None };
        for (_, path) in journal_file::days(&project.journal_folder()) {
            journal_file::read_day(&path, |entry| {
                if let (Some(_), Some(id)) = (&entry.rewritten, &entry.tool_use) {
                    journal.rewritten.insert(id.clone(), entry.shown_call());
                }
                journal.first.get_or_insert(entry.at);
                if entry.event == "PreToolUse" {
                    journal.calls.extend(entry.tool_use);
                }
            })?;
        }
        Ok(journal)
    }
}

/// A tool call that the journal does not know, or that ran otherwise than it was judged.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    pub at: String,
    pub session: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    pub tool: String,
    pub tool_use: String,
    pub what: String,
    /// What ran in its place, because another hook changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ran: Option<String>,
}

/// Who made the calls: a session, and the subagent in it with its kind.
pub type Who = (String, Option<(String, String)>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    pub calls: u64,
    pub covered: u64,
}

impl Share {
    /// In tenths of a percent, rounded down: 100 % means all.
    pub fn shown(self) -> String {
        match (self.covered * 1000).checked_div(self.calls) {
            None => "–".to_owned(),
            Some(tenths) if tenths % 10 == 0 => format!("{} %", tenths / 10),
            Some(tenths) => format!("{}.{} %", tenths / 10, tenths % 10),
        }
    }
}

#[derive(Debug, Default)]
pub struct Coverage {
    pub by: BTreeMap<Who, Share>,
    pub gaps: Vec<Gap>,
    /// Calls that passed the hook, by tools of which the engine does not know what they do.
    pub opaque: BTreeMap<String, u64>,
    /// Calls that the client refused before any hook.
    pub refused: u64,
    pub damaged_lines: u64,
    pub unread: Vec<String>,
}

impl Coverage {
    fn add(&mut self, session: &Session, journal: &Journal, since: &str) {
        // A call is known to be refused by the client only when its result is there.
        let mut gaps: BTreeMap<String, (Gap, Who)> = BTreeMap::new();
        let damage = session.events(|rebuilt| {
            let Ok(event) = decode(&rebuilt.json) else { return };
            let Some(call) = event.tool_call().filter(|_| rebuilt.at.as_str() >= since) else { return };
            let ran = journal.rewritten.get(&*call.id);
            let known = ran.is_none() && journal.calls.contains(&*call.id);
            match event.kind {
                Kind::PreTool(_) if known => {
                    let share = self.by.entry(who(&event)).or_default();
                    share.calls += 1;
                    if call.is_understood() {
                        share.covered += 1;
                    } else {
                        *self.opaque.entry(call.name.to_string()).or_default() += 1;
                    }
                }
                Kind::PreTool(_) => {
                    let gap = Gap { ran: ran.cloned(), ..gap(rebuilt.at, &event) };
                    gaps.insert(call.id.to_string(), (gap, who(&event)));
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
            for (tool, calls) in part.opaque {
                *whole.opaque.entry(tool).or_default() += calls;
            }
            whole.refused += part.refused;
            whole.damaged_lines += part.damaged_lines;
            whole.unread.extend(part.unread);
        }
        whole.gaps.sort_by(|a, b| (&a.at, &a.session).cmp(&(&b.at, &b.session)));
        whole.unread.sort();
        whole
    }

    pub fn all(&self) -> Share {
        self.by.values().fold(Share::default(), |sum, share| Share {
            calls: sum.calls + share.calls,
            covered: sum.covered + share.covered,
        })
    }

    pub fn reaches(&self, min: u8) -> bool {
        let all = self.all();
        all.covered * 100 >= all.calls * u64::from(min)
    }
}

/// The tools of which the engine does not know what they do, with the number of their calls.
pub fn not_understood(tools: &BTreeMap<String, u64>) -> String {
    let one = |(tool, calls): (&String, &u64)| format!("{} ({calls})", printable(tool));
    let list: Vec<String> = tools.iter().map(one).collect();
    format!("passed the hook, but engine does not know what they do: {}", list.join(", "))
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
        what: one_line(entry.command.or(entry.input).as_deref().unwrap_or_default(), WHAT),
        ran: None,
    }
}

#[cfg(test)]
mod tests;
