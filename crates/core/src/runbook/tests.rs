use super::*;

mod cases;
mod fields;
mod files;
mod mutations;
mod nearly;
mod whole;

/// Files that are there in every test.
const PRESENT: &[&str] = &["src/a.rs", "src/b.rs", "README.md", "plans/dep/design.md"];

fn tiers() -> Vec<String> {
    ["haiku", "sonnet", "opus"].map(str::to_owned).to_vec()
}

/// Reads files of `plans/foo`, by their names.
fn reading(files: &[(&str, &str)]) -> Reading {
    let of = |name: &str| files.iter().find(|(file, _)| *file == name).map(|(_, text)| *text);
    let paths: Vec<(String, &str)> = files
        .iter()
        .filter(|(name, _)| name.starts_with("runbook"))
        .map(|(name, text)| (format!("plans/foo/{name}"), *text))
        .collect();
    let sources: Vec<Source<'_>> = paths.iter().map(|(path, text)| Source { path, text }).collect();
    let facts = Facts {
        folder: "plans/foo",
        tiers: &tiers(),
        exists: &|path| PRESENT.contains(&path),
        design: of("design.md"),
        recall: of("recall-artifact.md"),
    };
    read(&sources, &facts)
}

fn one(text: &str) -> Reading {
    reading(&[("runbook.md", text)])
}

/// What is wrong, but for steps and sections without a text: most cases are about something else.
fn shown(reading: &Reading) -> String {
    let name = |problem: &Problem| problem.to_string().replace("plans/foo/", "");
    let is_bare = |problem: &&Problem| {
        let (text, severity) = (&problem.text, problem.severity);
        severity == Severity::Warning && (text.contains(" has no text: ") || text.contains(" is empty: "))
    };
    reading.problems.iter().filter(|problem| !is_bare(problem)).map(name).collect::<Vec<_>>().join("\n")
}

/// What is wrong with a runbook, without the paths.
fn problems(text: &str) -> String {
    shown(&one(text)).replace("runbook.md:", "")
}

/// What was found for each case, below its name.
fn listed(found: Vec<(&str, String)>) -> String {
    let parts = found.into_iter().flat_map(|(name, found)| [name.to_owned(), found]);
    parts.collect::<Vec<_>>().join("\n")
}

/// The steps in a line each.
fn steps(runbook: &Runbook) -> String {
    let line = |step: &Step| {
        let needs = step.needs.iter().map(ToString::to_string).collect::<Vec<_>>().join("+");
        let files = step.files.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let mut line = format!(
            "{} {:?} {:?} phase {} {}",
            step.id,
            step.kind,
            step.title,
            step.phase,
            step.model.as_deref().unwrap_or("–")
        );
        let mut add = |key: &str, value: String| {
            if !value.is_empty() {
                line.push_str(&format!(" | {key} {value}"));
            }
        };
        add("needs", needs);
        add("files", files);
        add("turns", step.turns.map(|turns| turns.to_string()).unwrap_or_default());
        add("proof", step.proof().map(|proof| proof.shown()).unwrap_or_default());
        add("for", step.requirements.join(", "));
        add("as", step.stem.clone());
        if step.regression {
            add("is", "regression".to_owned());
        }
        line
    };
    runbook.steps.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn baselines() -> Baselines<'static> {
    Baselines {
        task: "---\nname: quiet-task\ndescription: A task.\nmodel: haiku\ntools: Look, Change\n---\n\nCarry it out.\n",
        tdd: "---\nname: tdd-task\ndescription: A cycle.\nmodel: haiku\ntools: Look, Change, Run\n---\n\nTest first.\n",
        folder: "agents",
    }
}

fn rendered(runbook: &Runbook) -> String {
    let files = files(runbook, &baselines());
    let parts = files.iter().flat_map(|file| ["==> ", &file.path, "\n", &file.text]);
    parts.collect()
}
