//! Programs whose first operand is a pattern or a program, and which may write what they read.

use super::{Effects, Options, Word};

/// They print what they read, behind a pattern or program.
pub(super) const SEARCHERS: &[&str] =
    &["grep", "egrep", "fgrep", "rg", "ag", "ack", "awk", "gawk", "mawk", "sed", "gsed", "jq", "yq", "zgrep"];

/// Options of jq that take a name and a value.
const JQ_PAIRS: &[&str] = &["--arg", "--argjson", "--slurpfile", "--rawfile"];

impl Effects<'_> {
    pub(super) fn search(&mut self, program: &str) {
        let args = without_pairs(program, &self.run.args);
        let options = Options::read(&args, values(program), false);
        let in_place = match program {
            "sed" | "gsed" => options.has(&["-i"]) || options.has_long("--in-place", 1),
            "perl" | "ruby" => options.has(&["-i"]),
            "awk" | "gawk" => options.value(&["-i", "--include"]) == Some("inplace"),
            "yq" => options.has(&["-i", "--inplace", "--in-place"]),
            _ => false,
        };
        // The operands of a script are its own business.
        if program == "ruby" && !in_place && !options.has(&["-n", "-p"]) {
            return;
        }
        let scripts: &[&str] = match program {
            "perl" | "ruby" => &["-e", "-E"],
            "sed" | "gsed" => &["-e", "-f", "--expression", "--file"],
            "awk" | "gawk" | "mawk" => &["-f", "--file"],
            "jq" | "yq" => &["-f", "--from-file"],
            _ => &["-e", "-f", "--regexp", "--file"],
        };
        let scripted = options.has(scripts);
        for word in options.operands.iter().skip(usize::from(!scripted)) {
            if in_place {
                self.write(word);
                self.write_listed(word);
            } else {
                self.read(word);
            }
        }
    }
}

/// Options that take a value. `-i.bak`: the letters behind it are a suffix.
fn values(program: &str) -> &'static [&'static str] {
    match program {
        "sed" | "gsed" => &["-e", "-f", "--expression", "--file", "-l", "-i?"],
        "awk" | "gawk" | "mawk" => &["-f", "-F", "-v", "--file", "--assign", "-i", "--include"],
        "perl" => &["-e", "-E", "-I", "-M?", "-m?", "-i?"],
        "ruby" => &["-e", "-I", "-r", "-C", "-i?"],
        "jq" | "yq" => &["-f", "--from-file", "--indent"],
        _ => &[
            "-e",
            "-f",
            "-A",
            "-B",
            "-C",
            "-m",
            "--regexp",
            "--file",
            "-g",
            "--glob",
            "-t",
            "--type",
            "-d",
            "--include",
            "--exclude",
        ],
    }
}

/// jq names variables with two words each.
fn without_pairs(program: &str, args: &[Word]) -> Vec<Word> {
    let is_name = |at: Option<usize>| {
        at.and_then(|at| args.get(at)).is_some_and(|arg| JQ_PAIRS.contains(&arg.text.as_str()))
    };
    let named = |at: usize| {
        matches!(program, "jq" | "yq")
            && (is_name(Some(at)) || is_name(at.checked_sub(1)) || is_name(at.checked_sub(2)))
    };
    args.iter().enumerate().filter(|(at, _)| !named(*at)).map(|(_, arg)| arg.clone()).collect()
}
