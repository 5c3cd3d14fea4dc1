//! The requirements of a design, and the steps that are for them.

use std::collections::BTreeMap;

use engine_text::markdown::Lines;

use super::read::{Facts, Problems};
use super::{Kind, Runbook};
use crate::plan::StepId;

/// What the design asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requirement {
    /// `R1`.
    pub id: String,
    pub text: String,
    /// Its line in design.md, counted from 1.
    pub line: usize,
    /// The steps that are for it.
    pub steps: Vec<StepId>,
}

/// The requirements that a design defines: lines that begin with `R1`, in a list, a table or a heading. The first line of each counts.
pub(super) fn defined(design: &str) -> Vec<Requirement> {
    let lines = Lines::new(design);
    let mut found: BTreeMap<u32, Requirement> = BTreeMap::new();
    for (index, line) in lines.all.iter().enumerate().filter(|(_, line)| !line.fenced) {
        let text = line.text.trim_start_matches(|c: char| !c.is_alphanumeric());
        let counted = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let text = counted
            .strip_prefix(['.', ')'])
            .filter(|behind| counted.len() < text.len() && behind.starts_with([' ', '\t']))
            .map_or(text, |behind| behind.trim_start_matches(|c: char| !c.is_alphanumeric()));
        let Some((number, length)) = number(text) else { continue };
        let rest = text[length..]
            .trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | '`' | '"' | '<'));
        let rest = rest.trim_end().trim_end_matches('|').trim_end();
        let id = text[..length].to_owned();
        let text = engine_text::line::one_line(rest, 400);
        found.entry(number).or_insert(Requirement { id, text, line: index + 1, steps: Vec::new() });
    }
    found.into_values().collect()
}

/// The number of the requirement that a text begins with, and how long its name is.
fn number(text: &str) -> Option<(u32, usize)> {
    let rest = text.strip_prefix('R')?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let is_word = rest[digits..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let number = rest[..digits].parse().ok().filter(|_| !is_word)?;
    Some((number, 1 + digits))
}

/// The requirements that a text names, each where it stands as a word.
pub(super) fn named(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| number(word).is_some_and(|(_, length)| length == word.len()))
}

/// Notes the steps of each requirement; one without any is an error.
pub(super) fn check(runbook: &mut Runbook, facts: &Facts<'_>, problems: &mut Problems) {
    let mut steps: BTreeMap<&str, Vec<StepId>> = BTreeMap::new();
    for step in runbook.steps.iter().filter(|step| step.kind != Kind::Review) {
        for name in &step.requirements {
            steps.entry(name).or_default().push(step.id);
        }
    }
    for requirement in &mut runbook.requirements {
        match steps.get(requirement.id.as_str()) {
            Some(steps) => requirement.steps.clone_from(steps),
            None if runbook.steps.is_empty() => {}
            None => {
                let id = &requirement.id;
                let text = format!(
                    "no step is for {id}: write `Requirements: {id}` below the step that is, or add one"
                );
                problems.error(&facts.beside("design.md"), requirement.line - 1, text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_read_where_they_are_defined() {
        let design = "# Design\nR0 is not `R7`, see R8\n- R1: an empty file\n- **R2**: two lines\n| R3 | a table |\n### R4 – a heading\n```\nR5: in a fence\n```\n* R2: again\nR2D2: no\nR10. ten\n1. R11 eleven\n2) **R12**: twelve\n3.R13 no\n";
        let found: Vec<String> =
            defined(design).iter().map(|one| format!("{} {} {}", one.line, one.id, one.text)).collect();
        assert_eq!(
            found,
            [
                "2 R0 is not `R7`, see R8",
                "3 R1 an empty file",
                "4 R2 two lines",
                "5 R3 a table",
                "6 R4 a heading",
                "12 R10 ten",
                "13 R11 eleven",
                "14 R12 twelve"
            ]
        );
        let words: Vec<&str> = named("R1, (R2) R2D2 xR3 R_4 `R5`. R").collect();
        assert_eq!(words, ["R1", "R2", "R5"]);
    }
}
