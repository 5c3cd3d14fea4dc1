//! A quick plan: one step and one criterion with the same proof, locked at once, for work that is small. It closes itself when the proof
//! holds, and halts when more was changed than [`QUICK_FILES`] files or [`QUICK_LINES`] lines.

use super::{
    Conduct, Criterion, Guardrails, HaltKind, Kind, Plan, QUICK, Refusal, Start, Step, TASK, VERSION,
};
use crate::evidence::proof::{Command, Proof};

/// What it changes at most.
pub const QUICK_FILES: usize = 3;
pub const QUICK_LINES: u64 = 60;

/// How much was changed since the lock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    pub files: usize,
    pub added: u64,
    pub removed: u64,
    /// A line that is replaced counts once.
    lines: u64,
}

impl Extent {
    /// By the lines that were added to each file and removed from it; nothing where that is not known.
    pub fn of(files: impl IntoIterator<Item = Option<(u64, u64)>>) -> Self {
        let mut all = Self::default();
        for lines in files {
            let (added, removed) = lines.unwrap_or_default();
            all.files += 1;
            all.added += added;
            all.removed += removed;
            all.lines += added.max(removed);
        }
        all
    }

    pub fn is_nothing(&self) -> bool {
        self.files == 0
    }

    /// `2 files, +3 −1`.
    pub fn shown(&self) -> String {
        let files = if self.files == 1 { "file" } else { "files" };
        let lines = match (self.added, self.removed) {
            (0, 0) => String::new(),
            (added, removed) => format!(", +{added} −{removed}"),
        };
        format!("{} {files}{lines}", self.files)
    }

    /// Why that is more than a quick plan is for.
    pub fn is_too_much(&self) -> Option<String> {
        (self.files > QUICK_FILES || self.lines > QUICK_LINES).then(|| {
            format!(
                "{} changed, and a quick plan takes {QUICK_FILES} files, {QUICK_LINES} lines",
                self.shown()
            )
        })
    }
}

impl Plan {
    /// A quick plan, not locked yet.
    pub fn small(text: String, command: Command) -> Self {
        let proof = Proof::Passes(command);
        let step = Step {
            number: 1.into(),
            text: text.clone(),
            proof: Some(proof.clone()),
            kind: Kind::Work,
            ..Step::default()
        };
        Self {
            version: QUICK,
            task_type: "simple".to_owned(),
            workflow: "quick".to_owned(),
            guardrails: Guardrails { verify_before_complete: true, ..Guardrails::default() },
            steps: vec![step],
            criteria: vec![Criterion::new(text.clone(), proof)],
            original_fragment: text,
            quick: true,
            ..Self::default()
        }
    }

    /// Has an agent do the one step of it. It closes by `engine runbook done`, and its size is the agent's affair.
    pub fn delegate(&mut self, folder: &str, model: &str, files: &[String], tiers: Vec<String>) {
        self.version = VERSION;
        "delegate".clone_into(&mut self.workflow);
        self.quick = false;
        self.conduct = Conduct::Delegate;
        self.tiers = tiers;
        for step in &mut self.steps {
            step.model = Some(model.to_owned());
            step.agent = Some(TASK.to_owned());
            step.files = files.to_vec();
            step.prompt = Some(format!("{folder}/steps/step-1.md"));
            step.report = Some(format!("{folder}/reports/step-1.md"));
        }
    }

    /// The file of its one step, for the agent.
    pub fn step_file(&self, details: &str) -> String {
        let Some(step) = self.steps.first() else { return String::new() };
        let check = step.proof.as_ref().and_then(Proof::command).map(Command::shown).unwrap_or_default();
        let files =
            if step.files.is_empty() { String::new() } else { format!("Files: {}\n", step.files.join(", ")) };
        let details =
            if details.trim().is_empty() { String::new() } else { format!("\n{}\n", details.trim()) };
        format!(
            "---\nExecution Model: {}\n{files}Check: {}\nReport: {}\n---\n# Step 1: {}\n{details}",
            step.model.as_deref().unwrap_or_default(),
            check.trim_matches('`'),
            step.report.as_deref().unwrap_or_default(),
            step.text
        )
    }

    /// Whether it is a quick plan that was halted because it grew. It is one until a person lets it go on.
    pub fn is_outgrown(&self) -> bool {
        self.quick && self.halted().is_some_and(|halt| halt.kind == HaltKind::Size)
    }

    /// Takes up a full plan in place of this one, which grew too large. What the user asked for stays, and so does what counts as
    /// before the work.
    pub(super) fn give_way(&mut self, new: Self, now: &str) -> Result<(), Refusal> {
        self.resume("a full plan takes its place", now)?;
        let start = self.lock.take().map(|lock| Box::new(lock.start));
        *self = Self {
            task_type: new.task_type,
            workflow: new.workflow,
            skills_to_invoke: new.skills_to_invoke,
            guardrails: new.guardrails,
            supervise: new.supervise,
            enriched_context: new.enriched_context,
            steps: new.steps,
            criteria: new.criteria,
            scope: new.scope,
            warnings: new.warnings,
            outgrown: start,
            ..std::mem::take(self)
        };
        Ok(())
    }

    /// How things were before the work: before the quick plan, where this one took its place. What defined a check then still does, and a
    /// check that has become red meanwhile is red.
    pub(super) fn since_the_first_lock(&mut self, now: Start) -> Start {
        let Some(first) = self.outgrown.take() else { return now };
        let mut start = *first;
        for (command, definition) in now.definitions {
            start.definitions.entry(command).or_insert(definition);
        }
        for (file, seal) in now.files {
            start.files.entry(file).or_insert(seal);
        }
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much() {
        let lines = |all: &[(u64, u64)]| Extent::of(all.iter().copied().map(Some));
        for (extent, shown, is_too_much) in [
            (Extent::default(), "0 files", false),
            (lines(&[(1, 1)]), "1 file, +1 −1", false),
            (lines(&[(60, 60), (0, 0), (0, 0)]), "3 files, +60 −60", false),
            (lines(&[(61, 0)]), "1 file, +61 −0", true),
            (lines(&[(31, 0), (0, 30)]), "2 files, +31 −30", true),
            (lines(&[(1, 0); 4]), "4 files, +4 −0", true),
            (Extent::of([None, None, None]), "3 files", false),
            (Extent::of([None; 4]), "4 files", true),
        ] {
            assert_eq!((extent.shown().as_str(), extent.is_too_much().is_some()), (shown, is_too_much));
        }
        assert_eq!(
            lines(&[(1, 0); 4]).is_too_much().as_deref(),
            Some("4 files, +4 −0 changed, and a quick plan takes 3 files, 60 lines")
        );
    }

    fn locked() -> Plan {
        let mut plan =
            Plan { name: "fix".to_owned(), ..Plan::small("fix add".to_owned(), Command::new("pytest", "")) };
        let definitions =
            [("`pytest`".to_owned(), [("conftest.py".to_owned(), "1".to_owned())].into())].into();
        let start = Start { content: Some("c1".to_owned()), definitions, ..Start::default() };
        plan.lock(start, "T1").unwrap();
        plan
    }

    #[test]
    fn one_that_grew_goes_on_as_an_ordinary_plan() {
        let mut plan = locked();
        plan.halt(HaltKind::Manual, "a key", "T2").unwrap();
        assert!(!plan.is_outgrown());
        plan.resume("ok", "T3").unwrap();
        assert!(plan.quick, "another halt changes nothing about it");
        plan.halt(HaltKind::Size, "4 files", "T4").unwrap();
        assert!(plan.is_outgrown());
        plan.resume("ok", "T5").unwrap();
        assert!(!plan.quick && !plan.is_outgrown() && plan.lock.is_some());
        assert_eq!(Plan::parse(&serde_json::to_string(&plan).unwrap()), Ok(plan));
    }

    /// Else a definition that was softened under the quick plan would be that of the full one.
    #[test]
    fn a_full_plan_in_its_place_keeps_the_words_and_what_was_before() {
        let mut plan = locked();
        plan.original_fragment = "the user's words".to_owned();
        plan.halt(HaltKind::Size, "4 files", "T2").unwrap();
        let full = Plan {
            task_type: "feature".to_owned(),
            original_fragment: "other words".to_owned(),
            criteria: vec![Criterion::new("docs".to_owned(), Proof::File("README.md".to_owned()))],
            ..Plan::default()
        };
        plan.revise(full, "T3").unwrap();
        assert!(plan.lock.is_none() && !plan.quick && plan.halted().is_none());
        assert_eq!((plan.name.as_str(), plan.original_fragment.as_str()), ("fix", "the user's words"));
        let definitions = [
            ("`pytest`".to_owned(), [("conftest.py".to_owned(), "2".to_owned())].into()),
            ("`make`".to_owned(), [("Makefile".to_owned(), "2".to_owned())].into()),
        ];
        let start =
            Start { content: Some("c2".to_owned()), definitions: definitions.into(), ..Start::default() };
        plan.lock(start, "T4").unwrap();
        let start = &plan.lock.as_ref().unwrap().start;
        assert_eq!(start.content.as_deref(), Some("c1"));
        assert_eq!(start.definitions["`pytest`"]["conftest.py"], "1");
        assert_eq!(start.definitions["`make`"]["Makefile"], "2");
    }
}
