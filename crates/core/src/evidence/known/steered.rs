//! Options and variables with which make ends well whatever fails: `-i`, `SHELL=true`, `MAKEFLAGS=-n`.

use engine_shell::{Run, Word};

/// Variables that say how make runs, on its line and around it.
const ON_LINE: &[&str] = &["SHELL", ".SHELLFLAGS", "MAKEFLAGS", "GNUMAKEFLAGS", "MAKE"];
const AROUND: &[&str] = &["MAKEFLAGS", "GNUMAKEFLAGS", "MFLAGS", "MAKEFILES"];

/// Short options whose value may follow in the same word.
const VALUED: &str = "CfIjloOWE";

/// Whether a pass of this run says nothing, since it may pass whatever fails.
pub fn is_steered(run: &Run) -> bool {
    let is_around = |(name, value): &(String, Option<Word>)| {
        AROUND.contains(&name.as_str())
            && value.as_ref().is_some_and(|value| value.unknown || !is_plain(&value.text))
    };
    run.is(&["make", "gmake"])
        && (run.args.iter().any(|arg| ignores(&arg.text) || sets(&arg.text)) || run.env.iter().any(is_around))
}

/// `-i`, `-ki`, `--ignore-errors` and what it may be cut to.
fn ignores(arg: &str) -> bool {
    if arg.starts_with("--ig") {
        return true;
    }
    let letters = arg.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
    letters.chars().take_while(|letter| !VALUED.contains(*letter)).any(|letter| letter == 'i')
}

fn sets(arg: &str) -> bool {
    arg.split_once('=').is_some_and(|(name, value)| {
        let name = name.trim_end_matches([':', '+', '?', '!']);
        ON_LINE.contains(&name) && !(name.ends_with("MAKEFLAGS") && is_plain(value))
    })
}

/// Flags that change output and speed at most.
fn is_plain(flags: &str) -> bool {
    let is_jobs = |flag: &str| {
        flag.strip_prefix("-j")
            .or_else(|| flag.strip_prefix("--jobs="))
            .is_some_and(|count| count.chars().all(|c| c.is_ascii_digit()))
    };
    flags.split_whitespace().all(|flag| is_jobs(flag) || matches!(flag, "-k" | "-s" | "--no-print-directory"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::host::surroundings;

    #[test]
    fn what_lets_make_pass() {
        for (command, expected) in [
            ("make test", false),
            ("make -k -j4 test", false),
            ("make -Cinner test", false),
            ("MAKEFLAGS=-j4 make test", false),
            ("make test NAME=i", false),
            ("pytest -i", false),
            ("make test -i", true),
            ("make -ki test", true),
            ("make --ignore-errors test", true),
            ("make test SHELL=/bin/true", true),
            ("make test SHELL:=/bin/true", true),
            ("make test MAKEFLAGS=-n", true),
            ("make test .SHELLFLAGS=-nc", true),
            ("MAKEFLAGS=n make test", true),
            ("env GNUMAKEFLAGS=-i make test", true),
        ] {
            let runs = engine_shell::analyse(command, &surroundings("/p", None, None, &Dialect::NONE));
            assert_eq!(runs.runs.iter().any(is_steered), expected, "{command}");
        }
    }
}
