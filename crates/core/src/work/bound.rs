//! What an agent session keeps of the work session that it is bound to.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Run;
use crate::evidence::standing::Standing;
use engine_text::line::one_line;
use engine_text::stamp::Stamp;

/// Of the line for the person, and of the names in it, in characters.
const LONGEST: usize = 200;
const NAME: usize = 40;
const PHASE: usize = 30;

/// What rules ask of the work session that an agent session is bound to. Its own file has the truth; this saves reading it with
/// every event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BoundWork {
    pub name: String,
    pub skill: String,
    /// `3: Build`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// So many more calls are taken for the reading of the skill, and are not counted. The first change ends it.
    #[serde(skip_serializing_if = "is_none")]
    pub reading: u32,
    /// The directives that the skill wants besides the core ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub directives: Vec<String>,
    /// Checklists of what was changed since they last passed.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub armed: BTreeSet<String>,
    /// Calls since the last log entry, by agent; the main one has no name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: BTreeMap<String, Calls>,
    /// The person was told that the context is nearly full.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub overflow_told: bool,
    /// What the next session needs is saved.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub saved: bool,
    /// How its checks stand.
    #[serde(skip_serializing_if = "Standing::is_empty")]
    pub standing: Standing,
}

/// How many calls the reading of a skill may take.
const READING: u32 = 5;

fn is_none<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl BoundWork {
    /// The same at the start of a skill, which is read first.
    pub fn beginning(self) -> Self {
        Self { reading: READING, ..self }
    }

    /// The copy of a work session's run, with nothing counted yet.
    pub fn of(name: &str, run: &Run) -> Self {
        Self {
            name: name.to_owned(),
            skill: run.skill.clone(),
            phase: run.current_phase.as_ref().map(ToString::to_string),
            directives: run.directives.clone(),
            ..Self::default()
        }
    }

    /// `session 2026_02_07_AUTH in 3: Build: last check: pytest -q failed 2 min ago`. Nothing where all is in order.
    pub fn told(&self, now: Stamp) -> Option<String> {
        let standing = self.standing.told(now)?;
        let phase = self.phase.as_ref().map(|phase| format!(" in {}", one_line(phase, PHASE)));
        let place = format!("session {}{}", one_line(&self.name, NAME), phase.unwrap_or_default());
        Some(one_line(&format!("{place}: {standing}"), LONGEST))
    }
}

/// The calls of one agent since its last log entry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Calls {
    pub count: u32,
    /// The file of the last call, if that was an edit: edits of one file in a row are one call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
    /// How often engine log had succeeded before the call that is under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logs_before: Option<u64>,
}
