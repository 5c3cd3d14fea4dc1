//! The sections of a cycle: whether they are there, in order, and say something.

use super::super::Kind;
use super::super::body::{Body, Role};
use super::super::outline::{At, RawStep};
use super::super::read::Problems;
use super::word;

/// Whether a step has a text, and a cycle the sections that it is made of. `without`: lines that are no text.
pub(super) fn check(
    raw: &RawStep,
    body: &Body<'_>,
    kind: Kind,
    without: &[At],
    path: &str,
    problems: &mut Problems,
) {
    let id = raw.id;
    if kind == Kind::Cycle {
        let mut missing = |role: Role, name: &str, holds: &str| {
            let text = match body.bold(role) {
                Some((_, line)) => format!("line {} is no heading: write `### {name}` there", line + 1),
                None => format!("add `### {name}` with {holds}"),
            };
            problems.error(path, raw.at.1, format!("cycle {id} has no {name} heading: {text}"));
        };
        if !body.has(Role::Red) {
            missing(Role::Red, "RED", "the test and the failure it shows");
        }
        if !body.has(Role::Green) && !raw.regression {
            missing(Role::Green, "GREEN", "the least code that passes");
        }
    }
    if kind == Kind::Cycle {
        divided(raw, body, path, problems);
    } else if !body.has_text(0, body.lines.len(), without) {
        let text = match kind {
            Kind::Inline => format!("{id} is inline and has no text: write what is to be done"),
            _ => format!(
                "{} {id} has no text: write what its agent has to do, which else knows the title alone",
                word(raw)
            ),
        };
        problems.warning(path, raw.at.1, text);
    }
    let section = body.place(Role::Red).or_else(|| body.place(Role::Green));
    if let Some((_, line)) = section.filter(|_| !raw.cycle && kind == Kind::Work) {
        let text = format!(
            "step {id} has a section of a cycle, and is none: write Cycle {id} in its heading to have the test fail first"
        );
        problems.warning(path, line, text);
    }
}

/// Sections that are empty, that are there twice, or in the wrong order.
fn divided(raw: &RawStep, body: &Body<'_>, path: &str, problems: &mut Problems) {
    let id = raw.id;
    let first = |role: Role| body.sections.iter().find(|(found, _)| *found == role).map(|(_, place)| *place);
    for (role, holds) in
        [(Role::Red, "the test and the failure it shows"), (Role::Green, "the least code that passes")]
    {
        let name = role.name();
        let Some(begun) = first(role) else { continue };
        if !body.has_text(begun + 1, body.end_of(begun), &[]) {
            let text = format!("{name} of cycle {id} is empty: write {holds}");
            problems.warning(path, body.lines[begun].1, text);
        }
        for (_, place) in body.sections.iter().filter(|(found, place)| *found == role && *place > begun) {
            let text = format!("{name} is there twice in cycle {id}: write one section, or a cycle for each");
            problems.warning(path, body.lines[*place].1, text);
        }
    }
    if let (Some(red), Some(green)) = (first(Role::Red), first(Role::Green))
        && green < red
    {
        let text =
            format!("GREEN of cycle {id} stands before RED: the test comes first, so put RED above it");
        problems.warning(path, body.lines[green].1, text);
    }
}
