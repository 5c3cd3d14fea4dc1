//! Looks up what a proof claims of the run that is under way.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use engine_core::evidence::claim::{checks_that_failed, checks_that_ran};
use engine_core::evidence::known::{self, CHECKS, TESTS};
use engine_core::evidence::ledger::{Check, Line, Outcome, Red};
use engine_core::evidence::proof::{Command, Proof};
use engine_core::plan::Start;
use engine_core::skill::protocol::{CUSTOM, Evidence, Phase};
use engine_core::work::draft;
use engine_core::work::proof::{Claim, last_proved};
use engine_core::work::step::{NO_BOX, Stands, steps, undone};
use engine_core::work::template::lacks;
use engine_core::work::{Checklist, Passed, Run};
use engine_store::content::{self, Changed, ChangedKind};
use engine_store::links::resolve;
use engine_store::read::read_string;
use engine_store::work_file::WorkFile;
use engine_text::line::{one_line, seal, shell_word};
use serde_json::{Map, Value};

use super::{CommandContext, SkillFile, check, phase};
use crate::evidence::{EvidenceQuery, Lookup, Redefined, edited};
use crate::wording::counted;

/// Checks that are tried as proof, the last ones.
const MOST_TRIED: usize = 5;
/// Of a line of a draft, in characters.
const SHOWN_OF_DRAFT: usize = 80;
/// Where the records of work are, which are not the work.
const OWN: [&str; 2] = ["sessions/", ".engine/"];

/// What claims are looked up in.
pub(super) struct ProofQuery<'a> {
    pub(super) run: &'a Run,
    /// Those that the work session has armed.
    pub(super) checklists: &'a [Checklist],
    pub(super) skill: &'a SkillFile,
    pub(super) work: &'a WorkFile,
    pub(super) context: &'a CommandContext,
    /// Checks that do something else than they did when the run began; a person may accept it.
    pub(super) redefined: RefCell<Vec<Redefined>>,
}

impl ProofQuery<'_> {
    /// What is wrong with a claim.
    pub(super) fn wrong(&self, claim: &Claim) -> Vec<String> {
        let Claim { field, evidence, values } = claim;
        let wrong: Vec<String> = match evidence {
            Evidence::Checklists => self.checklists(),
            Evidence::Steps => self.steps(),
            Evidence::Fixed => self.fixed(values),
            _ if values.is_empty() => return vec![format!("{field} names no {}", evidence.names())],
            Evidence::Command | Evidence::Tests => self.commands(values, *evidence == Evidence::Tests),
            _ => values.iter().filter_map(|value| self.value(*evidence, value)).collect(),
        };
        wrong.into_iter().map(|why| format!("{field}: {why}")).collect()
    }

    fn value(&self, evidence: Evidence, value: &str) -> Option<String> {
        match evidence {
            Evidence::Failed => self.failed(value),
            Evidence::File => self.query().file(value),
            Evidence::Commit => self.query().commit(value),
            Evidence::Push => self.query().push(value),
            Evidence::Plan => self.plan(value),
            Evidence::Debrief => self.debrief(value),
            Evidence::Mode => self.mode(value),
            Evidence::Command
            | Evidence::Tests
            | Evidence::Checklists
            | Evidence::Steps
            | Evidence::Fixed => None,
        }
    }

    /// Of an agent, its own session counts and those that held the run before; of a person, all.
    fn query(&self) -> EvidenceQuery<'_> {
        let before = |agent: &&str| self.run.holders.iter().any(|holder| holder != agent);
        let is_shared = self.context.agent().as_ref().is_some_and(before);
        let sessions = |agent| {
            let holders = self.run.holders.iter().map(String::as_str);
            std::iter::once(agent).chain(holders.filter(|holder| *holder != agent)).collect()
        };
        EvidenceQuery {
            what: format!("this run of {}", self.run.skill),
            within: if is_shared { "in the sessions of this run" } else { "in this session" },
            folder: Some(self.work.folder()),
            ..EvidenceQuery::new(
                &self.context.project,
                &self.run.started_at,
                self.context.agent().map(sessions),
            )
        }
    }

    /// What is wrong with commands that are to have passed: each is a check, its content is that of now, and together they cover what
    /// was changed.
    fn commands(&self, values: &[String], needs_tests: bool) -> Vec<String> {
        let query = self.query();
        let lookup = match query.look() {
            Ok(lookup) => lookup,
            Err(error) => return vec![format!("the journal cannot be read: {error}")],
        };
        let start = self.start(&query);
        let commands: Vec<Command> = values.iter().map(|value| Command::new(value, "")).collect();
        let wrong = commands.iter().filter_map(|command| self.passed(command, needs_tests, &lookup, &start));
        let mut wrong: Vec<String> = wrong.collect();
        if wrong.is_empty() {
            wrong.extend(lookup.uncovered(&commands, &start));
        }
        wrong
    }

    fn passed(
        &self,
        command: &Command,
        needs_tests: bool,
        lookup: &Lookup<'_>,
        start: &Start,
    ) -> Option<String> {
        let Some(checks) = lookup.checks(command) else {
            return Some(self.no_check(command, "is not a known check"));
        };
        // A check that only the project counts may run anything, and a person vouches for it.
        let is_test = |check: &known::Check| check.family == TESTS || lookup.is_configured(check);
        if needs_tests && (!checks.iter().any(is_test) || known::skips_tests(&command.line)) {
            return Some(self.no_check(command, "runs no tests"));
        }
        if let Err(why) = lookup.prove(&Proof::Passes(command.clone()), start) {
            return Some(why);
        }
        let then = lookup.definition(command, &|path| {
            let project = &self.context.project;
            let text = start.content.as_ref().and_then(|then| content::text_at(project, then, path));
            // The content has no folders.
            text.or_else(|| project.root().join(path).is_dir().then(String::new))
        });
        let redefined = lookup
            .redefined(command, &then, &self.run.accepted, |_| false)
            .filter(|_| start.content.is_some());
        self.redefined.borrow_mut().extend(redefined);
        None
    }

    /// The checks that are red since the run began.
    pub(super) fn reds(&self) -> Vec<Red> {
        let query = self.query();
        query.look().map(|lookup| lookup.reds(&self.start(&query))).unwrap_or_default()
    }

    /// How things were when the run began.
    fn start(&self, query: &EvidenceQuery<'_>) -> Start {
        let red = query.red_before().unwrap_or_default();
        Start { content: self.run.content.clone(), red, ..Start::default() }
    }

    fn no_check(&self, command: &Command, why: &str) -> String {
        let query = self.query();
        let ran = query.ledger().ok().and_then(|lines| checks_that_ran(&lines));
        let ran = ran.unwrap_or_else(|| "none".to_owned());
        format!(
            "`{}` {why}; known checks that ran {}: {ran}; a person adds others with engine config set {}",
            command.line, query.within, CHECKS.name
        )
    }

    fn failed(&self, line: &str) -> Option<String> {
        let (query, command) = (self.query(), Command::new(line, ""));
        let lookup = match query.look() {
            Ok(lookup) => lookup,
            Err(error) => return Some(format!("the journal cannot be read: {error}")),
        };
        if lookup.checks(&command).is_none() {
            return Some(self.no_check(&command, "is not a known check"));
        }
        let why = lookup.prove(&Proof::Fails(command), &Start::default()).err()?;
        Some(match checks_that_failed(&lookup.ledger()) {
            Some(failed) => format!("{why}; failed {}: {failed}", query.within),
            None => format!("{why}; no check failed {}", query.within),
        })
    }

    /// What failed before passes now; another command proves nothing about it.
    fn fixed(&self, values: &[String]) -> Vec<String> {
        let failed = self.proved(Evidence::Failed);
        if failed.is_empty() {
            return vec!["no command was proved as failed in this run".to_owned()];
        }
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let is_other = |value: &&String| !failed.iter().any(|line| words(line) == words(value));
        let others = values.iter().filter(is_other);
        let shown = failed.iter().map(|command| format!("`{command}`")).collect::<Vec<_>>().join(", ");
        let mut wrong: Vec<String> =
            others.map(|other| format!("`{other}` is not the command that failed: {shown}")).collect();
        let query = self.query();
        match query.look() {
            Ok(lookup) => {
                let start = self.start(&query);
                let commands = failed.iter().map(|line| Command::new(line, ""));
                wrong.extend(commands.filter_map(|command| self.passed(&command, false, &lookup, &start)));
            }
            Err(error) => wrong.push(format!("the journal cannot be read: {error}")),
        }
        wrong
    }

    /// What was last proved of a kind in this run: the values that a phase was left with.
    fn proved(&self, evidence: Evidence) -> Vec<String> {
        last_proved(self.run, evidence, |phase| phase::demand_of(phase, self.skill.folder.as_deref()))
    }

    /// What phases were passed with and does not hold any more, by phase. What a later phase shows again on the content as it is now is not
    /// asked for twice. `given`: the proof of the current phase.
    pub(super) fn lapsed(&self, given: Option<&Map<String, Value>>) -> Vec<(String, Vec<String>)> {
        let mut shown: Vec<Evidence> = Vec::new();
        let mut lapsed = Vec::new();
        for (phase, proof) in self.passed_with(given).into_iter().rev() {
            let demand = phase::demand_of(phase, self.skill.folder.as_deref());
            let claims = demand.claims(&proof).into_iter().filter(|claim| is_of_content(claim.evidence));
            let mut wrong = Vec::new();
            let mut holding = Vec::new();
            for claim in claims.filter(|claim| !shown.iter().any(|other| shows(*other, claim.evidence))) {
                match self.lapse(&claim) {
                    Some(why) if why.is_empty() => holding.push(claim.evidence),
                    why => wrong.extend(why.into_iter().flatten()),
                }
            }
            shown.extend(holding);
            if !wrong.is_empty() && self.run.current_phase.as_ref().is_none_or(|now| now.label != phase.label)
            {
                lapsed.push((phase.to_string(), wrong));
            }
        }
        lapsed.reverse();
        lapsed
    }

    /// The declared phases that were passed and the current one, in order, each with its last proof.
    fn passed_with(&self, given: Option<&Map<String, Value>>) -> Vec<(&Phase, Map<String, Value>)> {
        let passed = self.run.passed();
        let of_phase = |phase: &&Phase| {
            let is_left = |left: &&Passed| left.phase == phase.to_string() && left.proof.is_some();
            let left = self.run.history.iter().rev().find(is_left);
            left.and_then(|left| left.proof.as_ref()?.as_object().cloned()).unwrap_or_default()
        };
        let phases = self.run.phases.iter().filter(|phase| passed.contains(&phase.label));
        let mut found: Vec<_> = phases.map(|phase| (phase, of_phase(&phase))).collect();
        found.extend(self.run.declared().map(|phase| (phase, given.cloned().unwrap_or_default())));
        found
    }

    /// Why checks that passed do not count any more. Nothing is known of those that the journal does not have: it is not kept for ever.
    fn lapse(&self, claim: &Claim) -> Option<Vec<String>> {
        let is_fixed = claim.evidence == Evidence::Fixed;
        let lines = if is_fixed { self.proved(Evidence::Failed) } else { claim.values.clone() };
        let query = self.query();
        let lookup = query.look().ok()?;
        let start = self.start(&query);
        let mut commands: Vec<Command> = lines.iter().map(|line| Command::new(line, "")).collect();
        commands.retain(|command| lookup.has_run(command));
        let wrong = commands.iter().filter_map(|command| self.passed(command, false, &lookup, &start));
        let mut wrong: Vec<String> = wrong.collect();
        wrong.extend(self.redefined.take().into_iter().map(|one| one.text));
        (!commands.is_empty()).then_some(wrong)
    }

    fn mode(&self, mode: &str) -> Option<String> {
        let modes = &self.skill.protocol.modes;
        if mode == CUSTOM || modes.contains_key(mode) {
            return None;
        }
        let mut known: Vec<&str> = modes.keys().map(String::as_str).filter(|mode| *mode != CUSTOM).collect();
        known.push(CUSTOM);
        Some(format!("{} has no mode {mode}; its modes: {}", self.run.skill, known.join(", ")))
    }

    fn plan(&self, path: &str) -> Option<String> {
        let protocol = &self.skill.protocol;
        match self.filled(path, protocol.plan_template.as_deref(), "PLAN") {
            Err(why) => Some(why),
            Ok(text) => steps(&text).is_empty().then(|| format!("{path}: {NO_BOX}")),
        }
    }

    /// What is wrong with a debrief. Of one that the engine drafted in this run, each marked line is decided.
    pub(super) fn debrief(&self, path: &str) -> Option<String> {
        let text = match self.filled(path, self.skill.protocol.debrief_template.as_deref(), "") {
            Ok(text) => text,
            Err(why) => return Some(why),
        };
        if !self.run.small && self.run.draft == Some(seal(text.as_bytes())) {
            return Some(format!(
                "{path}: it is the engine's draft as it was written; correct it, and take its first comment out"
            ));
        }
        let left = draft::undecided(&text);
        let (line, first) = left.first().filter(|_| self.run.draft.is_some())?;
        let lines = counted(left.len() as u64, "line");
        let first = one_line(first, SHOWN_OF_DRAFT);
        Some(format!("{path}: {lines} of the draft are not decided; the first is line {line}: {first}"))
    }

    /// The last run of tests, or of any check, that is a proof as things are now.
    pub(super) fn last_proof(&self, needs_tests: bool) -> Option<String> {
        let mut tried: Vec<String> = Vec::new();
        let ran = self.checks().into_iter().rev().filter(|check| check.outcome == Outcome::Passed);
        for check in ran.take(MOST_TRIED) {
            let Check { command, folder, .. } = check;
            tried.push(match folder.filter(|folder| !folder.is_empty()) {
                Some(folder) => format!("cd {} && {command}", shell_word(&folder)),
                None => command,
            });
        }
        let aside = Self { redefined: RefCell::default(), ..*self };
        tried
            .into_iter()
            .find(|command| aside.commands(std::slice::from_ref(command), needs_tests).is_empty())
    }

    /// The known checks that ran in this run, each as it ended last, the last one at the end.
    pub(super) fn checks(&self) -> Vec<Check> {
        let mut found: Vec<Check> = Vec::new();
        for line in self.query().ledger().unwrap_or_default() {
            let Line::Check(check) = line else { continue };
            if check.known {
                found.retain(|other| (&other.command, &other.folder) != (&check.command, &check.folder));
                found.push(check);
            }
        }
        found
    }

    /// What the run changed, by the journal and by the content: what others changed meanwhile is not named.
    pub(super) fn changed(&self) -> Vec<Changed> {
        let query = self.query();
        let lines = query.ledger().unwrap_or_default();
        let edits: Vec<String> = lines.into_iter().filter_map(edited).collect();
        let project = &self.context.project;
        let now = content::take(project, content::PATIENCE).ok();
        let then = self.run.content.as_ref();
        let is_ours = |path: &str| !OWN.iter().any(|folder| path.starts_with(folder));
        let mut changed = match then.zip(now).and_then(|(then, now)| content::changed(project, then, &now)) {
            Some(changed) => {
                // A command may not name what it changes.
                let is_file = |edit: &String| changed.iter().any(|one| one.path == *edit);
                let unnamed = edits.iter().any(|edit| !is_file(edit) && edit.contains(' '));
                changed.into_iter().filter(|one| unnamed || edits.contains(&one.path)).collect()
            }
            None => {
                let unknown = |path| Changed { path, kind: ChangedKind::Modified, lines: None };
                edits.into_iter().map(unknown).collect::<Vec<_>>()
            }
        };
        changed.retain(|one| is_ours(&one.path));
        changed.sort();
        changed.dedup();
        changed
    }

    /// The boxes of the plan, as it is now.
    pub(super) fn plan_steps(&self) -> Vec<(Stands, String)> {
        let files = self.plans().into_iter().filter_map(|path| read_string(&self.file(&path)?).ok());
        let of_file = |text: String| -> Vec<(Stands, String)> {
            steps(&text).iter().map(|step| (step.stands, step.text.to_owned())).collect()
        };
        files.flat_map(of_file).collect()
    }

    /// The text of a file that was written from a template of the skill, or what is wrong with it.
    fn filled(&self, path: &str, template: Option<&str>, kind: &str) -> Result<String, String> {
        let template = template.and_then(|file| Some(self.skill.folder.as_ref()?.join(file)));
        let from = template.as_ref().map(|file| format!(" from {}", file.display())).unwrap_or_default();
        let how = format!("write {}/{}{from}", self.work.shown(), self.run.file(kind));
        if let Some(why) = self.query().file(path) {
            return Err(format!("{why}; {how}"));
        }
        if Path::new(path).extension().is_none_or(|end| end != "md") {
            return Err(format!("{path} is not a Markdown file; {how}"));
        }
        let unread = |path: &str, error: std::io::Error| format!("{path} cannot be read: {error}");
        let file = self.file(path).unwrap_or_default();
        let text = read_string(&file).map_err(|error| unread(path, error))?;
        let form = match &template {
            Some(file) => read_string(file).map_err(|error| unread(&file.display().to_string(), error))?,
            None => String::new(),
        };
        match lacks(&form, &text) {
            Some(why) => Err(format!("{path}: {why}; {how}")),
            None => Ok(text),
        }
    }

    /// A file that is named from the project's root or from the work session's folder, and is in one of them.
    pub(super) fn file(&self, path: &str) -> Option<PathBuf> {
        let folders = [self.context.project.root(), self.work.folder()];
        let inside = folders.map(resolve);
        let is_inside = |place: &PathBuf| inside.iter().any(|folder| resolve(place).starts_with(folder));
        folders.iter().map(|folder| folder.join(path)).filter(is_inside).find(|place| place.exists())
    }

    /// The plan that was proved; else the file that the skill's plan is kept in.
    fn plans(&self) -> Vec<String> {
        let plans = self.proved(Evidence::Plan);
        if plans.is_empty() {
            vec![format!("{}/{}", self.work.shown(), self.run.file("PLAN"))]
        } else {
            plans
        }
    }

    /// How many steps of the plan are open, as it is now.
    pub(super) fn open_steps(&self) -> usize {
        let files = self.plans().into_iter().filter_map(|path| read_string(&self.file(&path)?).ok());
        files.map(|text| steps(&text).iter().filter(|step| step.stands.is_open()).count()).sum()
    }

    /// The check that ran last in this run, and what it came to: `pytest -q failed`.
    pub(super) fn last_check(&self) -> Option<String> {
        let lines = self.query().ledger().ok()?;
        lines.iter().rev().find_map(|line| match line {
            Line::Check(Check { command, outcome, known: true, .. }) => {
                let outcome = match outcome {
                    Outcome::Passed => "passed",
                    Outcome::Failed { .. } => "failed",
                    Outcome::Unknown { .. } => "ended with an unknown status",
                };
                Some(format!("{command} {outcome}"))
            }
            _ => None,
        })
    }

    /// Of the plan as it is now.
    fn steps(&self) -> Vec<String> {
        let wrong = |path: &String| match self.file(path).map(|file| read_string(&file)) {
            None => Some(format!("there is no plan {path}")),
            Some(Err(error)) => Some(format!("{path} cannot be read: {error}")),
            Some(Ok(text)) => undone(&text).map(|why| format!("{path}: {why}")),
        };
        self.plans().iter().filter_map(wrong).collect()
    }

    fn checklists(&self) -> Vec<String> {
        let open = self.checklists.iter().filter(|list| check::is_open(list));
        open.map(|list| format!("{} has not passed: engine session check {}", list.path, self.work.shown()))
            .collect()
    }
}

/// Evidence that a check passed on the content.
fn is_of_content(evidence: Evidence) -> bool {
    matches!(evidence, Evidence::Command | Evidence::Tests | Evidence::Fixed)
}

/// Whether what one kind shows makes up for the other: a linter that passed says nothing about tests.
fn shows(one: Evidence, other: Evidence) -> bool {
    one != Evidence::Command || other == Evidence::Command
}

#[cfg(test)]
mod tests;
