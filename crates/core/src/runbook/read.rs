//! From the files of a runbook to the runbook and all that is wrong with it.

use engine_text::line::fingerprint;

use super::body;
use super::front::Front;
use super::outline::{Document, Outline, phase_of};
use super::resolve::Resolver;
use super::{Problem, Runbook, Severity, requirement, unfilled};

/// A file of the runbook. The path is from the project's root.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub path: &'a str,
    pub text: &'a str,
}

/// What the runbook is compared with.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    /// The runbook's folder, from the project's root: `plans/foo`.
    pub folder: &'a str,
    /// The models, from the least to the most able.
    pub tiers: &'a [String],
    /// Whether a file of the project is there, or one that fits a pattern. The path is from the root.
    pub exists: &'a dyn Fn(&str) -> bool,
    /// The text of `design.md` in the folder.
    pub design: Option<&'a str>,
    /// The text of `recall-artifact.md` in the folder.
    pub recall: Option<&'a str>,
}

/// A runbook as far as it could be read, and what is wrong with it, by files and lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    pub runbook: Runbook,
    pub problems: Vec<Problem>,
}

impl Reading {
    /// Whether it can be prepared. Warnings do not keep it from that.
    pub fn is_sound(&self) -> bool {
        self.problems.iter().all(|problem| problem.severity == Severity::Warning)
    }
}

impl Facts<'_> {
    /// The tier that a text names, as the configuration writes it.
    pub(super) fn tier(&self, text: &str) -> Option<String> {
        let text = super::field::bare(text);
        self.tiers.iter().find(|tier| tier.eq_ignore_ascii_case(text)).cloned()
    }

    /// The models, for a text.
    pub(super) fn known(&self) -> String {
        self.tiers.join(", ")
    }

    /// The model that reviews.
    pub(super) fn reviewing(&self) -> Option<String> {
        self.tiers.get(1).or(self.tiers.first()).cloned()
    }

    pub(super) fn name(&self) -> &str {
        let folder = self.folder.trim_end_matches('/');
        folder.rsplit('/').next().unwrap_or(folder)
    }

    pub(super) fn beside(&self, file: &str) -> String {
        format!("{}/{file}", self.folder.trim_end_matches('/'))
    }
}

/// What is wrong so far.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<Problem>);

impl Problems {
    /// Adds an error. `line` counts from 0.
    pub(super) fn error(&mut self, path: &str, line: usize, text: impl Into<String>) {
        self.add(Severity::Error, path, line, &text.into());
    }

    pub(super) fn warning(&mut self, path: &str, line: usize, text: impl Into<String>) {
        self.add(Severity::Warning, path, line, &text.into());
    }

    fn add(&mut self, severity: Severity, path: &str, line: usize, text: &str) {
        let text = engine_text::line::printable(text);
        self.0.push(Problem { path: path.to_owned(), line: line + 1, severity, text });
    }

    fn done(mut self) -> Vec<Problem> {
        self.0.sort_by(|one, other| (&one.path, one.line).cmp(&(&other.path, other.line)));
        self.0
    }
}

/// Reads a runbook: one `runbook.md`, or the files `runbook-phase-1.md`, `runbook-phase-2.md` … of its phases, in any order.
pub fn read(sources: &[Source<'_>], facts: &Facts<'_>) -> Reading {
    let mut problems = Problems::default();
    let sources = sorted(sources, facts, &mut problems);
    let documents: Vec<Document<'_>> = sources.iter().map(Document::new).collect();
    let fronts = fronts(&documents, facts, &mut problems);
    for document in &documents {
        encoding(document, &mut problems);
        if let Some(at) = document.lines.open_fence {
            let line = document.lines.all.partition_point(|line| line.start < at);
            problems.error(
                document.path,
                line,
                "this fence or comment is never closed, and all below it is part of it: close it",
            );
        }
        unfilled::check(document, &mut problems);
    }
    let outline = Outline::of(&documents, &mut problems);
    let first = fronts.first().cloned().unwrap_or_default();
    let whole: String = sources.iter().flat_map(|source| [source.text, "\n"]).collect();
    let mut runbook = Runbook {
        name: facts.name().to_owned(),
        folder: facts.folder.trim_end_matches('/').to_owned(),
        fingerprint: fingerprint(&whole)[..12].to_owned(),
        common: body::text(&documents, &outline.common),
        instructions: outline.instructions.as_ref().map(|lines| body::text(&documents, lines)),
        check: first.check.clone(),
        requirements: facts.design.map(requirement::defined).unwrap_or_default(),
        ..Runbook::default()
    };
    name(&runbook.name, &first, documents.first(), &mut problems);
    let is_empty = !documents.is_empty() && outline.phases.is_empty();
    let is_read = |document: &&Document<'_>| is_empty && !document.is_empty() && !is_one_line(document);
    if let Some(document) = documents.first().filter(is_read) {
        let text = "nothing to run: a step begins with `## Step 1.1: TITLE`, a test-first one with `## Cycle 1.1: TITLE`";
        problems.error(document.path, 0, text);
    }
    let design = runbook.requirements.clone();
    let resolver =
        Resolver { documents: &documents, fronts: &fronts, facts, outline: &outline, design: &design };
    resolver.resolve(&mut runbook, &mut problems);
    requirement::check(&mut runbook, facts, &mut problems);
    Reading { runbook, problems: problems.done() }
}

/// The sources in the order of their phases, and what is wrong with there being these.
fn sorted<'a>(sources: &[Source<'a>], facts: &Facts<'_>, problems: &mut Problems) -> Vec<Source<'a>> {
    let (mut phases, whole): (Vec<(u32, Source<'a>)>, Vec<Source<'a>>) = {
        let mut phases = Vec::new();
        let mut whole = Vec::new();
        for source in sources {
            match phase_of(source.path) {
                Some(number) => phases.push((number, *source)),
                None => whole.push(*source),
            }
        }
        (phases, whole)
    };
    phases.sort_by_key(|(number, _)| *number);
    let main = facts.beside("runbook.md");
    if let (Some(one), Some((_, phase))) = (whole.first(), phases.first()) {
        let text = format!("there are {} and {} too: keep one of both forms", one.path, phase.path);
        problems.error(one.path, 0, text);
        return vec![*one];
    }
    if phases.is_empty() {
        match whole.first() {
            None => {
                let text = format!(
                    "the runbook is not there: `engine runbook new {}` writes a template",
                    facts.name()
                );
                problems.error(&main, 0, text);
            }
            Some(one) if Document::new(one).is_empty() => {
                problems.error(
                    one.path,
                    0,
                    format!(
                        "the file is empty: delete it, and `engine runbook new {}` writes a template",
                        facts.name()
                    ),
                );
            }
            Some(_) => {}
        }
        return whole.into_iter().take(1).collect();
    }
    let mut expected = u32::from(phases[0].0 != 0);
    for (number, source) in &phases {
        if *number > expected {
            let missing: Vec<String> =
                (expected..*number).take(10).map(|number| format!("runbook-phase-{number}.md")).collect();
            let text = format!(
                "{} missing before it: phase files count without gaps from 1",
                missing.join(", ") + if missing.len() == 1 { " is" } else { " are" }
            );
            problems.error(source.path, 0, text);
        } else if *number < expected {
            problems.error(source.path, 0, format!("phase {number} has two files: keep one"));
        }
        if Document::new(source).is_empty() {
            problems.error(source.path, 0, "the file is empty: write the steps of the phase, or delete it");
        }
        expected = number.saturating_add(1);
    }
    phases.into_iter().map(|(_, source)| source).collect()
}

/// The defaults of each file; those of the first count in all.
fn fronts(documents: &[Document<'_>], facts: &Facts<'_>, problems: &mut Problems) -> Vec<Front> {
    let mut fronts: Vec<Front> = Vec::with_capacity(documents.len());
    for document in documents {
        let front = Front::read(document, facts, problems);
        let front = match fronts.first() {
            Some(first) => front.or(first),
            None => front,
        };
        fronts.push(front);
    }
    fronts
}

/// Whether the bytes of a file are read as what they mean.
fn encoding(document: &Document<'_>, problems: &mut Problems) {
    let is_kept = |line: &engine_text::markdown::Line<'_>| engine_text::undecoded::has_kept(line.text);
    if let Some(line) = document.lines.all.iter().position(is_kept) {
        problems.error(document.path, line, "this line is not UTF-8: save the file as UTF-8");
    }
    if is_one_line(document) {
        problems.error(document.path, 0, "the lines end with CR, so all is one line: save the file with LF");
    }
}

/// Whether the lines of a file end as no system ends them any more.
fn is_one_line(document: &Document<'_>) -> bool {
    let text = document.lines.text;
    text.trim_end().contains('\r') && !text.contains('\n')
}

/// The folder is the name: it is what commands take.
fn name(folder: &str, front: &Front, document: Option<&Document<'_>>, problems: &mut Problems) {
    let Some(document) = document else { return };
    if !crate::plan::is_name(folder) {
        let text = format!(
            "{folder:?} cannot be the name of a plan: rename the folder to small letters, digits and -"
        );
        problems.error(document.path, 0, text);
    }
    if let Some((name, line)) = front.name.as_ref().filter(|(name, _)| name != folder) {
        let text = format!("name is {name:?}, and the folder {folder:?}, which counts: write name: {folder}");
        problems.warning(document.path, *line, text);
    }
}
