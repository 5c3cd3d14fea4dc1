//! Packs docs and python, which are off until somebody wants them, and the one rule that is always there.

use super::{Built, Level};
use engine_shell::{Effect, Options, Run};
use engine_text::markdown::Lines;

/// How long a Markdown file may be.
const MOST_LINES: usize = 200;

pub(super) const DOCS: &[Built] = &[
    Built {
        id: "docs.no-guides",
        since: "0.1.0",
        verdict: Level::Off,
        about: "a new file named *-GUIDE.md",
        reason: "guides beside the documentation go stale",
        instead: "the section of the README or docs that it belongs to",
        matches: |facts| {
            let is_guide = |path: &str| path.to_ascii_uppercase().ends_with("-GUIDE.MD");
            facts
                .effects
                .iter()
                .find(|effect| matches!(effect, Effect::Write { path, .. } if is_guide(path)))
                .map(Effect::run)
        },
    },
    Built {
        id: "docs.long-file",
        since: "0.1.0",
        verdict: Level::Off,
        about: "a Markdown file of more than 200 lines, code not counted",
        reason: "nobody reads a page of more than 200 lines",
        instead: "two pages, or less text",
        matches: |facts| facts.over_long,
    },
];

pub(super) const PYTHON: &[Built] = &[Built {
    id: "python.use-uv",
    since: "0.1.0",
    verdict: Level::Off,
    about: "python, python3 or pip install outside of uv",
    reason: "the project's environment is managed by uv",
    instead: "uv run, uv pip install, uv add",
    matches: |facts| {
        let by_uv = |run: &Run| run.via.iter().any(|wrapper| wrapper == "uv");
        let bare = |run: &Run| {
            let asks = Options::read(&run.args, &[], false).has(&["--version", "-V", "--help"]);
            run.is(&["python", "python3"]) && !asks
                || run.is(&["pip", "pip3"]) && run.args.first().is_some_and(|arg| arg.text == "install")
        };
        facts.runs().find(|(_, run)| bare(run) && !by_uv(run)).map(|(index, _)| index)
    },
}];

pub(super) const SKILLS: &[Built] = &[Built {
    id: "skill.not-a-program",
    since: "0.1.0",
    verdict: Level::Block,
    about: "a skill run as a program: /commit",
    reason: "a skill is no program; the shell cannot run it",
    instead: "the Skill tool with the skill's name",
    matches: |facts| {
        let is_skill = |run: &Run| {
            let name = run.path.literal().and_then(|path| path.strip_prefix('/'));
            name.is_some_and(|name| !name.contains('/') && facts.skills.iter().any(|skill| skill == name))
        };
        facts.runs().find(|(_, run)| is_skill(run)).map(|(index, _)| index)
    },
}];

/// Whether a Markdown text is longer than the rule allows: a last line end and lines in closed code fences do not count.
pub fn over_long(text: &str) -> bool {
    let lines = Lines::new(text);
    let is_code = |line: &engine_text::markdown::Line<'_>| {
        line.fenced && lines.open_fence.is_none_or(|open| line.start < open)
    };
    lines.all.iter().filter(|line| !is_code(line)).count() > MOST_LINES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_count() {
        let text = |lines: usize| "x\n".repeat(lines);
        assert!(!over_long(&text(200)));
        assert!(over_long(&text(201)));
        assert!(!over_long(text(200).trim_end()));
        assert!(!over_long(&format!("{}```\n{}```\n", text(200), text(50))));
        assert!(over_long(&format!("{}```\n{}", text(200), text(1))));
    }
}
