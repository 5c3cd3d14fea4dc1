//! A command made of pieces of the shell, each as often as the input says, is analysed within the budget: in steps and in time.
#![no_main]

use std::time::{Duration, Instant};

use engine_core::dialect::Dialect;
use engine_core::host::surroundings;
use engine_core::policy::{CallFacts, Places, ProjectPolicy, judge};
use engine_shell::{Analysis, MOST_STEPS, Problem, Run, analyse, statuses};
use libfuzzer_sys::fuzz_target;

/// An input of a few bytes stands for a command of many.
const LONGEST: usize = 256 << 10;
/// The build of the fuzzer is many times slower than what is shipped, and the machine may be busy.
const MOST_TIME: Duration = Duration::from_secs(5);

/// What later readers have to go through.
fn size(analysis: &Analysis) -> usize {
    let of_run = |run: &Run| 1 + run.args.len() + run.files.len() + run.env.len() + run.fed_by.len() / 8;
    analysis.runs.iter().map(of_run).sum::<usize>() + analysis.effects.len()
}

/// Each line of the input is a piece, repeated by the power of two that its first digit tells: `9find . -exec `.
fn command(text: &str) -> String {
    let mut out = String::new();
    for line in text.split('\n') {
        let digit = line.chars().next().and_then(|first| first.to_digit(10));
        let (piece, times) = match digit {
            Some(digit) => (&line[1..], 1 << (digit + 1)),
            None => (line, 1),
        };
        if out.len() + piece.len() * times > LONGEST {
            break;
        }
        out.push_str(&piece.repeat(times));
    }
    out
}

fuzz_target!(|text: &str| {
    let command = command(text);
    let places = Places {
        root: "/home/dev/project".into(),
        cwd: "/home/dev/project".into(),
        home: Some("/home/dev".into()),
        temporary: None,
    };
    let around = surroundings(&places.cwd, places.home.clone(), None, &Dialect::NONE);
    let started = Instant::now();
    let analysis = analyse(&command, &around);
    let is_too_large = matches!(analysis.problem, Some(Problem::TooLarge(_)));
    assert!(is_too_large || analysis.steps <= MOST_STEPS, "{} steps", analysis.steps);
    assert!(size(&analysis) <= 4 * (analysis.steps + 1), "{} in {} steps", size(&analysis), analysis.steps);
    let facts = CallFacts::of_command("Bash", &command, analysis, places);
    let _ = judge(&facts, &ProjectPolicy::default(), &|rule| rule.verdict);
    let _ = statuses(&command, &around);
    let took = started.elapsed();
    assert!(took <= MOST_TIME, "{took:?} for {} bytes", command.len());
});
