//! A debrief as the engine drafts it: what it knows of the work, under the headings of the skill's template.
//!
//! What only the agent can say is a line with [`MARK`], and no debrief counts while one is left. A small run is told by its goal and its
//! description, so that there may be nothing left to say.

use engine_text::markdown::Lines;

use super::step::Stands;

/// What leads a line that the agent writes, or takes out.
pub const MARK: &str = "DRAFT:";
/// The first line of a draft.
const LEAD: &str = "<!-- Drafted by engine from the log, the plan, the checks and the changes of this work. Each line with DRAFT: is to be written or taken out. -->";

/// What is known of the work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// `AUTH_TOKENS`.
    pub topic: String,
    /// Its run is a small one.
    pub small: bool,
    pub goal: Option<String>,
    /// What was done, in the agent's words.
    pub description: Option<String>,
    /// The boxes of the plan.
    pub steps: Vec<(Stands, String)>,
    /// Files that the work changed, each with its lines: `src/a.rs (+3 −1)`.
    pub changed: Vec<String>,
    /// `pytest -q: passed, 2026-02-07 10:00`.
    pub checks: Vec<String>,
    /// From the log.
    pub decisions: Vec<String>,
    /// What is to be decided: `debt Copy of the parser`.
    pub open: Vec<String>,
}

/// What a section of a template is about, by the words of its heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    Checks,
    Changes,
    Decisions,
    Open,
    Steps,
    /// What was achieved, or what the fault was.
    Result,
    /// What only the agent can say.
    Words,
}

const WORDS: &[(&str, About)] = &[
    ("evidence", About::Checks),
    ("check", About::Checks),
    ("change", About::Changes),
    ("mend", About::Changes),
    ("decision", About::Decisions),
    ("open", About::Open),
    ("follows", About::Open),
    ("steps", About::Steps),
    ("result", About::Result),
    ("fault", About::Result),
];

impl About {
    fn of(heading: &str) -> Self {
        let heading = heading.to_lowercase();
        WORDS.iter().find(|(word, _)| heading.contains(word)).map_or(Self::Words, |(_, about)| *about)
    }
}

/// The draft of a debrief.
pub fn draft(template: &str, facts: &Facts) -> String {
    let lines = Lines::new(template);
    let mut text = String::new();
    let mut titled = false;
    let mut index = 0;
    while let Some(line) = lines.all.get(index) {
        match lines.heading(index) {
            Some((1, title)) if !titled => {
                titled = true;
                let lead = title.split_once(':').map_or(title, |(lead, _)| lead);
                text.push_str(&format!("# {lead}: {}\n{LEAD}\n", facts.topic));
                text.extend(facts.goal.iter().map(|goal| format!("\nGoal: {goal}\n")));
                index += 1;
            }
            Some((level, heading)) if level > 1 => {
                let below = next_heading(&lines, index);
                let asked: Vec<&str> = (index + 1..below)
                    .map(|at| lines.all[at].text.trim())
                    .filter(|line| !line.is_empty())
                    .collect();
                let section = section(About::of(heading), &asked.join(" "), facts);
                text.push_str(&format!("{} {heading}\n{}\n\n", "#".repeat(level), section.join("\n")));
                index = below;
            }
            _ => {
                text.push_str(line.text.trim_end());
                text.push('\n');
                index += 1;
            }
        }
    }
    if !titled && text.trim().is_empty() {
        text = format!("# {}\n{LEAD}\n", facts.topic);
    }
    if !(0..lines.all.len()).any(|at| lines.heading(at).is_some_and(|(level, _)| level > 1)) {
        let result = section(About::Result, "what was done", facts);
        text.push_str(&format!("\n{}\n", result.join("\n")));
    }
    format!("{}\n", text.trim_end())
}

fn next_heading(lines: &Lines<'_>, index: usize) -> usize {
    (index + 1..lines.all.len()).find(|at| lines.heading(*at).is_some()).unwrap_or(lines.all.len())
}

/// The lines of a section. `asked`: what the template wants there.
fn section(about: About, asked: &str, facts: &Facts) -> Vec<String> {
    let items = |all: &[String]| all.iter().map(|one| format!("- {one}")).collect::<Vec<_>>();
    let or_none = |found: Vec<String>| if found.is_empty() { vec!["none".to_owned()] } else { found };
    let asked = asked.trim_start_matches("- ");
    let words = || vec![format!("{MARK} {asked}")];
    match about {
        About::Checks => or_none(items(&facts.checks)),
        About::Changes => {
            let mut found = items(&facts.changed);
            if !facts.small && !found.is_empty() {
                found.push(format!("- {MARK} what of it, and why"));
            }
            or_none(found)
        }
        About::Decisions => {
            let dropped = facts.steps.iter().filter(|(stands, _)| *stands == Stands::Dropped);
            let mut found = items(&facts.decisions);
            found.extend(dropped.map(|(_, step)| format!("- dropped: {step}")));
            or_none(found)
        }
        About::Open => {
            let open = facts.steps.iter().filter(|(stands, _)| stands.is_open());
            let open = open.map(|(_, step)| format!("step {step}"));
            let decide = |what: String| {
                format!("- {what} ({MARK} done, tagged for later, or dropped with the reason)")
            };
            or_none(facts.open.iter().cloned().chain(open).map(decide).collect())
        }
        About::Steps => or_none(facts.steps.iter().map(|(_, step)| format!("- {step}")).collect()),
        About::Result => match (&facts.description, &facts.goal) {
            (Some(description), _) => vec![description.clone()],
            (None, Some(goal)) if facts.small => vec![goal.clone()],
            _ => words(),
        },
        About::Words if facts.small => vec!["none".to_owned()],
        About::Words => words(),
    }
}

/// Lines of a draft that the agent has not decided, each with its number.
pub fn undecided(text: &str) -> Vec<(usize, &str)> {
    let lines = Lines::new(text);
    let open = lines.all.into_iter().enumerate().filter(|(_, line)| !line.fenced && line.text.contains(MARK));
    open.map(|(index, line)| (index + 1, line.text.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::template::lacks;

    const TEMPLATE: &str = "# Debrief: TOPIC\n\n**Tags**:\n\n## Result\nWhat works now.\n\n## Evidence\n- `COMMAND`: what it showed\n\n## Changes\n- `PATH`: what and why\n\n## Decisions\n- what was chosen\n\n## Open\n- each debt\n\n## For the next one\nWhat would have saved time.\n";

    fn facts() -> Facts {
        let texts = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
        Facts {
            topic: "AUTH".to_owned(),
            goal: Some("log in with a key".to_owned()),
            steps: vec![
                (Stands::Done, "1. write".to_owned()),
                (Stands::Dropped, "~~2. cache~~: not needed".to_owned()),
                (Stands::Open, "3. tell".to_owned()),
            ],
            changed: texts(&["`a.py` (+1 −1)"]),
            checks: texts(&["`pytest -q`: passed, 10:00"]),
            decisions: texts(&["one parser"]),
            open: texts(&["debt a copy"]),
            ..Facts::default()
        }
    }

    #[test]
    fn what_is_known_comes_under_its_heading_and_the_rest_is_marked() {
        let drafted = draft(TEMPLATE, &facts());
        let expected = format!(
            "# Debrief: AUTH\n{LEAD}\n\nGoal: log in with a key\n\n**Tags**:\n\n## Result\nDRAFT: What works now.\n\n\
             ## Evidence\n- `pytest -q`: passed, 10:00\n\n## Changes\n- `a.py` (+1 −1)\n- DRAFT: what of it, and why\n\n\
             ## Decisions\n- one parser\n- dropped: ~~2. cache~~: not needed\n\n\
             ## Open\n- debt a copy (DRAFT: done, tagged for later, or dropped with the reason)\n\
             - step 3. tell (DRAFT: done, tagged for later, or dropped with the reason)\n\n\
             ## For the next one\nDRAFT: What would have saved time.\n"
        );
        assert_eq!(drafted, expected);
        assert_eq!(
            undecided(&drafted).into_iter().map(|(line, _)| line).collect::<Vec<_>>(),
            [9, 16, 23, 24, 27],
            "the lead is a comment"
        );
        // Who takes the marked lines out has not written anything.
        let bare = drafted.lines().filter(|line| !line.contains(MARK)).collect::<Vec<_>>().join("\n");
        assert_eq!(
            lacks(TEMPLATE, &bare).as_deref(),
            Some("it has no text of its own under \"Result\", \"Open\", \"For the next one\"")
        );
    }

    #[test]
    fn of_a_small_run_with_nothing_open_nothing_is_left_to_say() {
        let small = Facts { small: true, steps: Vec::new(), open: Vec::new(), ..facts() };
        let drafted = draft(TEMPLATE, &small);
        assert_eq!(undecided(&drafted), [], "{drafted}");
        assert_eq!(lacks(TEMPLATE, &drafted), None);
        assert!(drafted.contains("## Result\nlog in with a key\n"), "{drafted}");
        let open = draft(TEMPLATE, &Facts { open: vec!["block no key".to_owned()], ..small });
        assert_eq!(undecided(&open).len(), 1);
    }

    #[test]
    fn a_template_without_headings_is_filled_in_too() {
        for (template, small, left) in [("# Debrief\n", true, 0), ("# Debrief\n", false, 1), ("", true, 0)] {
            let drafted = draft(template, &Facts { small, ..facts() });
            assert_eq!(undecided(&drafted).len(), left, "{drafted}");
            assert_eq!(lacks(template, &drafted), None, "{drafted}");
        }
    }
}
