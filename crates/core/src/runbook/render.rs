//! The files that a runbook is cut into: a file for each step, the order of steps, and the agents that carry them out.
//!
//! Everything is rendered from the resolved steps, so no two files can disagree. The same runbook gives the same bytes.

use engine_text::line::{fingerprint, one_line, printable};

use super::{Kind, REVIEWER, Runbook, Step};
use crate::plan::Part;

/// The agents that carry out steps, as they are shipped, and where the client looks for a project's agents.
#[derive(Debug, Clone, Copy)]
pub struct Baselines<'a> {
    pub task: &'a str,
    pub tdd: &'a str,
    /// The folder, from the project's root.
    pub folder: &'a str,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    /// From the project's root.
    pub path: String,
    pub text: String,
}

/// An agent of a runbook: its name changes with its text, because clients keep agents by their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agents {
    /// For general steps, if there are any.
    pub task: Option<Agent>,
    /// For cycles, if there are any.
    pub tdd: Option<Agent>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agent {
    pub name: String,
    pub text: String,
}

/// Longer descriptions cost every session of the project.
const LONGEST_DESCRIPTION: usize = 60;

const SCOPE: &str = "## Scope\n\
    \n\
    The step file that the prompt names is all there is to do: no other step and, where it has a `Files:` line, no other file.\n\
    Its `Check:` line is the check that shows the step done. No commits.\n\
    The report goes to the path in its `Report:` line. The answer is one line: `done: <path of the report>`, or\n\
    `error: <what, where>; <path of the report>`.\n";

/// All files of a runbook: steps, their order, agents.
pub fn files(runbook: &Runbook, baselines: &Baselines<'_>) -> Vec<Rendered> {
    let agents = agents(runbook, baselines);
    let mut files = Vec::new();
    for step in &runbook.steps {
        if let Some(path) = runbook.step_file(step) {
            files.push(Rendered { path, text: step_file(runbook, step, &agents) });
        }
    }
    let path = format!("{}/orchestrator-plan.md", runbook.folder);
    files.push(Rendered { path, text: order(runbook, &agents) });
    for agent in agents.all() {
        let path = format!("{}/{}.md", baselines.folder.trim_end_matches('/'), agent.name);
        files.push(Rendered { path, text: agent.text.clone() });
    }
    files
}

/// The name of the agent that carries out a step; nothing for an inline one.
pub fn agent_of<'a>(step: &Step, agents: &'a Agents) -> Option<&'a str> {
    match step.kind {
        Kind::Work => agents.task.as_ref().map(|agent| agent.name.as_str()),
        Kind::Cycle => agents.tdd.as_ref().map(|agent| agent.name.as_str()),
        Kind::Review => Some(REVIEWER),
        Kind::Inline => None,
    }
}

/// The agents that the steps of a runbook need.
pub fn agents(runbook: &Runbook, baselines: &Baselines<'_>) -> Agents {
    let has = |kind: Kind| runbook.steps.iter().any(|step| step.kind == kind);
    let agent = |word: &str, what: &str, baseline: &str| {
        let name = &runbook.name;
        let start = format!("Carries out a {what} of plans/");
        let shown = one_line(name, LONGEST_DESCRIPTION - start.chars().count() - 2);
        let description = format!("{start}{shown}.");
        let (tools, body) = baseline_parts(baseline);
        let mut rest = format!("description: {}\n", scalar(&description));
        if let Some(tools) = tools {
            rest.push_str(&format!("{tools}\n"));
        }
        rest.push_str(&format!("---\n\n{}\n", body.trim()));
        if !runbook.common.is_empty() {
            rest.push_str(&format!("\n## Common context\n\n{}\n", runbook.common));
        }
        rest.push_str(&format!("\n{SCOPE}"));
        let name = format!("{name}-{}-{word}", &fingerprint(&format!("---\n{rest}"))[..6]);
        Agent { text: format!("---\nname: {name}\n{rest}"), name }
    };
    Agents {
        task: has(Kind::Work).then(|| agent("task", "step", baselines.task)),
        tdd: has(Kind::Cycle).then(|| agent("tdd", "cycle", baselines.tdd)),
    }
}

impl Agents {
    pub fn all(&self) -> impl Iterator<Item = &Agent> {
        self.task.iter().chain(&self.tdd)
    }
}

/// The line with the tools of a shipped agent, and its text.
fn baseline_parts(baseline: &str) -> (Option<&str>, &str) {
    let lines = engine_text::markdown::Lines::new(baseline);
    let front = lines.front_matter();
    let body = front.checked_sub(1).map_or(0, |last| lines.all[last].end);
    let tools = lines.all[..front].iter().map(|line| line.text).find(|line| line.starts_with("tools:"));
    (tools, &baseline[body..])
}

/// A name for what a step file holds of its own, as 12 digits: another one means that the file is to be written again.
pub fn sum(runbook: &Runbook, step: &Step) -> String {
    fingerprint(&format!("{}{}", front(runbook, step, None), text(runbook, step)))[..12].to_owned()
}

fn step_file(runbook: &Runbook, step: &Step, agents: &Agents) -> String {
    let source = step.path.rsplit('/').next().unwrap_or(&step.path);
    let source = scalar(&format!("{source}@{}", sum(runbook, step)));
    let front = front(runbook, step, agent_of(step, agents));
    format!("---\n{front}Source: {source}\n---\n{}", text(runbook, step))
}

/// The lines of its front matter, but for the one that names its source.
fn front(runbook: &Runbook, step: &Step, agent: Option<&str>) -> String {
    let mut out = String::new();
    if let Some(model) = &step.model {
        out.push_str(&format!("Execution Model: {}\n", &scalar(model)));
    }
    out.push_str(&format!("Title: {}\n", &scalar(&step.title)));
    out.push_str(&format!("Phase: {}\n", &step.phase.to_string()));
    if let Some(agent) = agent {
        out.push_str(&format!("Agent: {agent}\n"));
    }
    if !step.files.is_empty() {
        let files: Vec<String> = step.files.iter().map(ToString::to_string).collect();
        out.push_str(&format!("Files: {}\n", &scalar(&files.join(", "))));
    }
    if !step.requirements.is_empty() {
        out.push_str(&format!("Requirements: {}\n", &scalar(&step.requirements.join(", "))));
    }
    if let Some(check) = &step.check {
        out.push_str(&format!("Check: {}\n", &scalar(check)));
    }
    if let Some(turns) = step.turns {
        out.push_str(&format!("Max Turns: {}\n", &turns.to_string()));
    }
    out.push_str(&format!("Report: {}\n", &scalar(&runbook.report(step))));
    out
}

/// What stands below the front matter.
fn text(runbook: &Runbook, step: &Step) -> String {
    let mut out = String::new();
    let word = if step.stem.starts_with("cycle") || step.id.part.is_some() { "Cycle" } else { "Step" };
    let mark = if step.regression { " [REGRESSION]" } else { "" };
    out.push_str(&format!("# {word} {}: {}{mark}\n", step.id, step.title));
    let preamble = runbook.phase(step.phase).map(|phase| phase.preamble.as_str()).unwrap_or_default();
    if !preamble.is_empty() {
        out.push_str(&format!("\n## Phase Context\n\n{preamble}\n\n## This {}\n", word.to_lowercase()));
    }
    if let Some(part) = step.id.part.and_then(about) {
        out.push_str(&format!("\n{part}\n"));
    }
    if !step.body.is_empty() {
        out.push_str(&format!("\n{}\n", step.body));
    }
    out
}

/// What a part of a cycle is, for an agent that knows only this part.
fn about(part: Part) -> Option<&'static str> {
    match part {
        Part::Bootstrap => Some(
            "Part 1 of 3 of the cycle: only what its test needs to compile and run. The test and the behaviour are parts 2 and 3.",
        ),
        Part::Test => Some(
            "Part 2 of 3 of the cycle: only RED. Here the check has to fail, as the text says; the code that lets it pass is part 3.",
        ),
        Part::Impl => Some(
            "Part 3 of 3 of the cycle: GREEN, then REFACTOR. The test is there and fails; it stays as it is.",
        ),
        Part::Refactor | Part::Vet | Part::Mend => None,
    }
}

/// The order of the steps, for those who hand them out.
fn order(runbook: &Runbook, agents: &Agents) -> String {
    if let Some(instructions) = &runbook.instructions {
        return format!("{instructions}\n");
    }
    let names: Vec<&str> = agents.all().map(|agent| agent.name.as_str()).collect();
    let names = if names.is_empty() { "–".to_owned() } else { names.join(", ") };
    let mut out = format!(
        "# Orchestrator plan: {}\nType: {}\nAgents: {names}\nRun: engine runbook next\nSource: {}@{}\n\n",
        runbook.name,
        kind(runbook),
        source(runbook),
        runbook.fingerprint
    );
    let mut inline = None;
    for step in &runbook.steps {
        let phase = step.phase;
        let model = step.model.as_deref().unwrap_or("–");
        match step.kind {
            Kind::Work | Kind::Cycle => {
                let turns = step.turns.map_or("–".to_owned(), |turns| turns.to_string());
                out.push_str(&format!("- {}.md | phase {phase} | {model} | {turns}\n", step.stem));
            }
            Kind::Review => {
                out.push_str(&format!("- PHASE_BOUNDARY {phase} | {REVIEWER} | reports/{}.md\n", step.stem));
            }
            Kind::Inline if inline == Some(phase) => {}
            Kind::Inline => {
                inline = Some(phase);
                let title = runbook.phase(phase).map_or(step.title.as_str(), |phase| phase.title.as_str());
                out.push_str(&format!("- INLINE | phase {phase} | – | {}\n", title.replace('|', "\\|")));
            }
        }
    }
    out
}

/// The file of the runbook, or those of its phases.
fn source(runbook: &Runbook) -> &'static str {
    let is_whole = runbook.steps.iter().all(|step| step.path.ends_with("/runbook.md"));
    if is_whole { "runbook.md" } else { "runbook-phase-*.md" }
}

/// What kinds of steps there are, in a word. The parts of a cycle are one.
fn kind(runbook: &Runbook) -> &'static str {
    let is_cycle = |step: &&Step| step.kind == Kind::Cycle;
    let has_cycles = runbook.steps.iter().any(|step| is_cycle(&step));
    let has_steps = runbook.steps.iter().any(|step| step.kind == Kind::Work && step.id.part.is_none());
    let has_inline = runbook.steps.iter().any(|step| step.kind == Kind::Inline);
    match (has_steps, has_cycles, has_inline) {
        (true, false, false) => "general",
        (false, true, false) => "tdd",
        (false, false, true) => "inline",
        _ => "mixed",
    }
}

/// A text as a value in front matter: in quotes where YAML would read something else.
fn scalar(text: &str) -> String {
    let is_word = |text: &str| {
        let word = text.to_lowercase();
        matches!(&*word, "" | "~" | "null" | "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n")
            || word.parse::<f64>().is_ok()
            || word.starts_with(|c: char| c.is_ascii_digit())
                && word.chars().all(|c| c.is_ascii_hexdigit() || "_xo:.+-t".contains(c))
    };
    let is_plain = !text.starts_with(|c: char| c.is_whitespace() || "-?:,[]{}#&*!|>'\"%@`=<".contains(c))
        && !text.ends_with(|c: char| c.is_whitespace() || c == ':')
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains(['\t', '\u{feff}'])
        && printable(text) == text
        && !is_word(text);
    if is_plain {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if engine_text::line::is_unprintable(c) || c == '\u{feff}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine_text::yaml::{self, Value};

    #[test]
    fn a_value_survives_the_front_matter() {
        let cases = [
            ("reads an empty file", "reads an empty file"),
            ("src/a.rs, tests/a.rs (new)", "src/a.rs, tests/a.rs (new)"),
            ("a: b # c", r#""a: b # c""#),
            ("a:", r#""a:""#),
            ("# a", r##""# a""##),
            ("- a", r#""- a""#),
            ("[a]", r#""[a]""#),
            ("\"a\" \\ b", r#""\"a\" \\ b""#),
            ("say \"a\"", "say \"a\""),
            ("yes", r#""yes""#),
            ("null", r#""null""#),
            ("12", r#""12""#),
            ("1e3", r#""1e3""#),
            ("2026-11-19", r#""2026-11-19""#),
            ("3 files", "3 files"),
            ("a\u{85}b\u{2028}c\td\u{feff}", "\"a\\u0085b\\u2028c\\u0009d\\ufeff\""),
            ("", "\"\""),
            ("ünïcode 漢字 🎉", "ünïcode 漢字 🎉"),
            ("| a", r#""| a""#),
            ("---", r#""---""#),
        ];
        for (text, written) in cases {
            assert_eq!(scalar(text), written);
            let read = yaml::read(&format!("Title: {written}\nPhase: 1\n")).unwrap();
            assert_eq!(read[0].1.value, Value::Text { text: text.to_owned() });
            assert_eq!(read.len(), 2);
        }
    }
}
