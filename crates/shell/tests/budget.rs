//! No construct costs more than the budget, however often it is repeated, and all that comes out of an analysis is paid for.

use engine_shell::{Analyser, Analysis, MOST_STEPS, Problem, Run, Surroundings, analyse};
use engine_testkit::constructs;

const TIMES: usize = 1000;

fn around() -> Surroundings {
    Surroundings { cwd: "/p".into(), home: Some("/home/dev".into()), ..Surroundings::default() }
}

/// What later readers have to go through: words, redirections, paths.
fn size(analysis: &Analysis) -> usize {
    let of_run = |run: &Run| {
        let words = run.args.iter().chain(run.files.iter().map(|file| &file.target));
        let words: usize = words.map(|word| 1 + (word.text.len() + word.from.len() * 8) / 64).sum();
        1 + words + run.env.len() + run.fed_by.len() / 8 + run.via.len()
    };
    let runs: usize = analysis.runs.iter().map(of_run).sum();
    let effects: usize = analysis.effects.iter().map(|effect| 1 + effect.path().len() / 64).sum();
    runs + effects
}

#[test]
fn every_construct_keeps_the_budget() {
    let mut seen = 0;
    for construct in constructs() {
        let line = construct.line(TIMES);
        let analysis = analyse(&line, &around());
        let is_too_large = matches!(analysis.problem, Some(Problem::TooLarge(_)));
        let name = construct.name;
        assert!(is_too_large || analysis.steps <= MOST_STEPS, "{name}: {} steps", analysis.steps);
        let size = size(&analysis);
        assert!(size <= 3 * (analysis.steps + 1), "{name}: {size} in {} steps", analysis.steps);
        seen += 1;
    }
    assert!(seen >= 80, "{seen}");
}

/// What is spent ends the analysis wherever it is.
#[test]
fn time_ends_an_analysis_too() {
    let line = "rm a; ".repeat(500);
    let analyser = Analyser::new(|| true);
    let analysis = analyser.analyse(&line, &around());
    assert_eq!(analysis.problem, Some(Problem::TooLarge("it takes too long to analyse")));
    assert_eq!(analyser.too_large(), Some("it takes too long to analyse"));
    assert!(analyser.statuses(&line, &around()).is_empty());
    let analyser = Analyser::new(|| false);
    assert_eq!(analyser.analyse(&line, &around()).runs.len(), 500);
    assert_eq!(analyser.too_large(), None);
}
