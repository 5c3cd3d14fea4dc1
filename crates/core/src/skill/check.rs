//! What can be wrong with a skill, and what a new one looks like.

use std::collections::BTreeSet;

use super::protocol::Evidence;
use super::{Declared, protocol};
use crate::chain::{PROTOCOL, is_name};
use crate::sigil::{REFERS, references};
use engine_text::line::units;

/// The client cuts longer descriptions off in its listing.
const LONGEST_DESCRIPTION: usize = 1500;
/// The whole body goes into the context each time the skill runs.
const LARGEST: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    pub severity: Severity,
    pub line: usize,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
}

/// What the check needs to know of the world.
pub struct World<'a> {
    /// The name of the folder that the skill is in.
    pub folder: &'a str,
    /// The client's tool that runs skills.
    pub skill_tool: &'a str,
    /// Whether a name is a command of the client itself.
    pub is_built_in: &'a dyn Fn(&str) -> bool,
    pub is_skill: &'a dyn Fn(&str) -> bool,
    /// Whether a file that the text links to is there, from the skill's folder.
    pub exists: &'a dyn Fn(&str) -> bool,
    /// Whether the skill sees a definition of a name.
    pub is_defined: &'a dyn Fn(&str) -> bool,
}

/// Everything that is wrong with a skill's file.
pub fn check(text: &str, world: &World<'_>) -> Vec<Checked> {
    let declared = Declared::read(text);
    let mut found: Vec<Checked> = Vec::new();
    for problem in &declared.problems {
        found.push(Checked { severity: Severity::Error, line: problem.line, text: problem.text.clone() });
    }
    let line_of = |key: &str| {
        let at_key = |line: &str| line.trim_start().starts_with(key);
        text[..declared.body].lines().position(at_key).map_or(1, |index| index + 1)
    };
    let mut add = |severity, line, text: String| found.push(Checked { severity, line, text });
    let error = Severity::Error;
    let warning = Severity::Warning;
    match declared.name.as_deref() {
        Some(name) if name != world.folder => {
            add(error, line_of("name:"), format!("name is {name}, the folder is {}", world.folder));
        }
        None if declared.body > 0 => add(warning, 1, "no name; the folder's counts".to_owned()),
        _ => {}
    }
    if !is_name(world.folder) {
        add(
            error,
            1,
            format!(
                "{} cannot be in a chain: a letter or digit, then letters, digits, - and _",
                world.folder
            ),
        );
    } else if (world.is_built_in)(world.folder) {
        add(error, 1, format!("/{} is a command of the client; the skill takes its place", world.folder));
    }
    match declared.description.as_deref() {
        None => add(error, 1, "no description: the model cannot know when to use it".to_owned()),
        Some(description) if units(description) > LONGEST_DESCRIPTION => add(
            warning,
            line_of("description:"),
            format!("the description has {} characters, the client shows 1500", units(description)),
        ),
        _ => {}
    }
    if declared.cooperative {
        let tools = declared.allowed_tools.as_deref();
        if tools.is_some_and(|tools| !may_call(tools, world.skill_tool)) {
            let text = format!("cooperative, but {} is not among the allowed tools", world.skill_tool);
            add(error, line_of("allowed-tools:"), text);
        }
        if !text.contains("[CONTINUATION") {
            let text = "cooperative, but the text does not tell what to do with a continuation";
            add(error, 1, format!("{text}; engine skill new shows the lines"));
        }
        if text[declared.body..].contains("$ARGUMENTS") {
            let line = text[..text.find("$ARGUMENTS").unwrap_or_default()].lines().count().max(1);
            let text = "$ARGUMENTS holds the whole typed chain, not this skill's arguments";
            add(warning, line, text.to_owned());
        }
    }
    for exit in declared.exits.entries().filter(|exit| !(world.is_skill)(&exit.skill)) {
        add(error, line_of("default-exit"), format!("the exit /{} is no skill here", exit.skill));
    }
    if !declared.cooperative && declared.exits.entries().next().is_some() {
        add(warning, line_of("continuation:"), "exits without cooperative: true have no effect".to_owned());
    }
    for (line, link) in links(text).filter(|(_, link)| !(world.exists)(link)) {
        add(error, line, format!("{link} is not there"));
    }
    // Names that the front matter tells as steps.
    let mut told: BTreeSet<String> = BTreeSet::new();
    if let Some(read) = protocol::read(text) {
        for problem in read.problems.iter().chain(&read.remarks) {
            add(error, problem.line, problem.text.clone());
        }
        let line_of = |named: &str| text.lines().position(|line| line.contains(named)).map_or(1, |at| at + 1);
        for (key, file) in read.protocol.files().filter(|(_, file)| !(world.exists)(file)) {
            add(error, line_of(file), format!("{key}: {file} is not there"));
        }
        let steps = read.protocol.phases.iter().flat_map(|phase| &phase.steps);
        let steps: BTreeSet<&str> = steps.map(|step| step.trim_start_matches(REFERS)).collect();
        for step in steps.iter().filter(|step| !(world.is_defined)(step)) {
            add(error, line_of(step), format!("steps: {}", undefined(step)));
        }
        told.extend(steps.into_iter().map(str::to_owned));
        for field in fixed_before_failed(&read.protocol) {
            let text =
                format!("proof: {field} is evidence: fixed, but no earlier phase asks for evidence: failed");
            add(error, line_of(field), text);
        }
        for next in &read.protocol.next_skills {
            if !(world.is_skill)(next.trim_start_matches('/')) {
                add(error, line_of(next), format!("nextSkills: {next} is no skill here"));
            }
        }
    }
    let above = text[..declared.body].lines().count();
    let open: BTreeSet<(usize, &str)> = references(text)
        .into_iter()
        .filter(|found| found.line > above || !told.contains(found.name))
        .filter(|found| !(world.is_defined)(found.name))
        .map(|found| (found.line, found.name))
        .collect();
    for (line, name) in open {
        add(error, line, undefined(name));
    }
    if text.len() > LARGEST {
        let text = format!("{} bytes; all of it goes into the context at each call", text.len());
        add(warning, 1, format!("{text}. Long parts belong into files beside it"));
    }
    found.sort_by_key(|checked| checked.line);
    found
}

fn undefined(name: &str) -> String {
    format!("{REFERS}{name} is not defined; engine sigil list shows what is")
}

/// Fields that ask for the fix of something that nothing has shown to fail.
fn fixed_before_failed(protocol: &protocol::Protocol) -> Vec<&str> {
    let asks = |evidence| move |field: &&protocol::ProofField| field.evidence == Some(evidence);
    let (fixed, failed) = (asks(Evidence::Fixed), asks(Evidence::Failed));
    let before = protocol.phases.iter().take_while(|phase| !phase.proof.iter().any(|field| failed(&field)));
    before.flat_map(|phase| phase.proof.iter().filter(fixed)).map(|field| field.name.as_str()).collect()
}

/// Targets of Markdown links that are files beside the skill, with their lines.
fn links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = engine_text::markdown::Lines::new(text).all.into_iter().enumerate();
    lines.filter(|(_, line)| !line.fenced).flat_map(|(index, line)| {
        let targets = line.text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let is_file = |target: &&str| {
            let path = target.split('#').next().unwrap_or_default();
            !path.is_empty()
                && !path.contains("://")
                && !path.starts_with(['/', '$', '<'])
                && !path.contains(' ')
        };
        let targets: Vec<&str> = targets.filter(is_file).collect();
        targets.into_iter().map(move |target| (index + 1, target.split('#').next().unwrap_or(target)))
    })
}

/// What the matrix looks for, in the order of its columns.
pub const FEATURES: [&str; 9] = [
    "description",
    "allowed-tools",
    "cooperative",
    "exits",
    "exits by flag",
    "Skill tool",
    "protocol",
    "phases",
    "modes",
];

/// Which of [`FEATURES`] a skill has.
pub fn features(text: &str, skill_tool: &str) -> [bool; FEATURES.len()] {
    let declared = Declared::read(text);
    let tools = declared.allowed_tools.clone().unwrap_or_default();
    let work = protocol::read(text).map(|read| read.protocol).unwrap_or_default();
    [
        declared.description.is_some(),
        declared.allowed_tools.is_some(),
        declared.cooperative,
        !declared.exits.always.is_empty(),
        !declared.exits.when.is_empty(),
        may_call(&tools, skill_tool),
        text.contains(PROTOCOL.trim()),
        !work.phases.is_empty(),
        !work.modes.is_empty(),
    ]
}

/// Whether a skill that lists its tools may run another skill: by the tool's name, or by its name with a pattern.
fn may_call(tools: &[String], skill_tool: &str) -> bool {
    tools.iter().any(|tool| {
        tool.strip_prefix(skill_tool).is_some_and(|rest| rest.is_empty() || rest.starts_with('('))
    })
}

/// The file of a new skill.
pub fn template(name: &str) -> String {
    format!(
        "---\n\
         name: {name}\n\
         description: What it does, and when to use it.\n\
         allowed-tools: Read, Skill\n\
         continuation:\n\
         \x20 cooperative: true\n\
         \x20 default-exit: []\n\
         ---\n\
         \n\
         1. The first step.\n\
         \n\
         {PROTOCOL}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(folder: &str, text: &str) -> Vec<String> {
        let world = World {
            folder,
            skill_tool: "Skill",
            is_built_in: &|name| name == "help",
            is_skill: &|name| name == "commit",
            exists: &|path| path == "notes.md",
            is_defined: &|name| name == "CMD_LOG",
        };
        let shown = |checked: Checked| {
            let severity = if checked.severity == Severity::Error { "error" } else { "warning" };
            format!("{}: {severity}: {}", checked.line, checked.text)
        };
        check(text, &world).into_iter().map(shown).collect()
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let text = "---\nname: other\nallowed-tools: Read\ncontinuation:\n  cooperative: true\n  default-exit: [/commit, /gone]\n---\n\
                    Use $ARGUMENTS, [notes](notes.md#a), [lost](lost.md) and [web](https://x.y).\n";
        assert_eq!(
            checked("help", text),
            [
                "1: error: /help is a command of the client; the skill takes its place",
                "1: error: no description: the model cannot know when to use it",
                "1: error: cooperative, but the text does not tell what to do with a continuation; engine skill new shows the lines",
                "2: error: name is other, the folder is help",
                "3: error: cooperative, but Skill is not among the allowed tools",
                "6: error: the exit /gone is no skill here",
                "8: warning: $ARGUMENTS holds the whole typed chain, not this skill's arguments",
                "8: error: lost.md is not there",
            ]
        );
    }

    #[test]
    fn a_protocol_is_checked_too() {
        let text = "---\nname: x\ndescription: X.\n---\n```json\n{\n\
                    \"phases\": [{\"label\": \"2\", \"name\": \"B\", \"proof\": [{\"name\": \"fixedBy\", \"evidence\": \"fixed\"}]},\n{\"label\": \"1\", \"name\": \"A\", \"steps\": [\"§CMD_LOG\", \"§CMD_GONE\"]}],\n\
                    \"nextSkills\": [\"/commit\",\n\"/gone\"],\n\"logTemplate\": \"notes.md\",\n\"planTemplate\": \"plan.md\",\n\
                    \"modes\": {\"custom\": {\"label\": \"C\", \"description\": \"D\", \"file\": \"lost.md\"}},\n\
                    \"x\": 1\n}\n```\n";
        insta::assert_snapshot!(checked("x", text).join("\n"), @"
        7: error: proof: fixedBy is evidence: fixed, but no earlier phase asks for evidence: failed
        8: error: phase 1 stands behind 2
        8: error: steps: §CMD_GONE is not defined; engine sigil list shows what is
        10: error: nextSkills: /gone is no skill here
        12: error: planTemplate: plan.md is not there
        13: error: modes are three with a name, and custom; here: custom
        13: error: modes: lost.md is not there
        14: error: engine: x is not known; known: taskType, phases, nextSkills, directives, logTemplate, planTemplate, debriefTemplate, requestTemplate, responseTemplate, modes, small
        ");
    }

    #[test]
    fn a_new_skill_has_nothing_wrong() {
        assert_eq!(checked("deploy-docs", &template("deploy-docs")), Vec::<String>::new());
        assert_eq!(
            features(&template("x"), "Skill"),
            [true, true, true, false, false, true, true, false, false]
        );
    }
}
