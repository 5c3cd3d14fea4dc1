//! What programs list that list files: `ls`, `git ls-files`, `rg --files`, `fd`.

use super::{Options, Run, Word};

/// What a program lists that lists files, as words from its folder: `.` is everything, `*` all but hidden files.
pub(super) fn listed(lister: &Run) -> Vec<Word> {
    let all = || vec![Word::known(".")];
    let visible = || vec![Word { glob: true, ..Word::known("*") }];
    let is_here = |word: &&Word| matches!(word.text.as_str(), "." | "./");
    match lister.program.as_deref() {
        Some("ls") => {
            let options = Options::read(&lister.args, &[], false);
            let shows_hidden = options.has(&["-a", "-A", "--all", "--almost-all"]);
            match options.operands.iter().all(is_here) {
                true if shows_hidden => all(),
                true => visible(),
                // A file is listed by its name; of a folder, what is in it, from there.
                false => {
                    options.operands.into_iter().filter(|word| word.glob && !word.unknown).cloned().collect()
                }
            }
        }
        Some("git") => {
            let [command, rest @ ..] = lister.args.as_slice() else { return Vec::new() };
            let options = Options::read(rest, &["-x", "--exclude", "-X", "--exclude-from"], false);
            // Those lists are not of the files that git keeps.
            let of_others =
                ["-o", "--others", "-d", "--deleted", "-m", "--modified", "-u", "--unmerged", "-k", "-i"];
            let lists = match command.text.as_str() {
                "ls-files" => options.operands.iter().all(is_here) && !options.has(&of_others),
                "ls-tree" => options.operands.len() == 1 && options.has(&["-r", "--name-only"]),
                _ => false,
            };
            if lists { visible() } else { Vec::new() }
        }
        Some("rg") => {
            let narrows =
                ["-g", "--glob", "--iglob", "-t", "--type", "-T", "--type-not", "-d", "--max-depth"];
            let options = Options::read(&lister.args, &narrows, false);
            let lists = options.has(&["--files"]) && options.operands.iter().all(is_here);
            if lists && !options.has(&narrows) { visible() } else { Vec::new() }
        }
        Some("fd" | "fdfind") => listed_by_fd(&lister.args),
        // The shell puts the names in.
        Some("echo" | "printf") => {
            lister.args.iter().filter(|word| word.glob && !word.unknown).cloned().collect()
        }
        _ => Vec::new(),
    }
}

pub(super) fn listed_by_fd(args: &[Word]) -> Vec<Word> {
    let narrows = [
        "-e",
        "--extension",
        "-E",
        "--exclude",
        "-S",
        "--size",
        "-o",
        "--owner",
        "--changed-within",
        "--changed-before",
        "-g",
        "--glob",
        "-F",
    ];
    let valued =
        [&narrows[..10], &["-t", "--type", "-d", "--max-depth", "-j", "--threads", "-c", "--color"]].concat();
    let options = Options::read(args, &valued, false);
    if options.has(&narrows) {
        return Vec::new();
    }
    match options.operands.as_slice() {
        [] => vec![Word { glob: true, ..Word::known("*") }],
        [pattern, places @ ..] if matches!(pattern.text.as_str(), "." | "" | ".*") => match places {
            [] => vec![Word { glob: true, ..Word::known("*") }],
            places => places.iter().map(|place| (*place).clone()).collect(),
        },
        _ => Vec::new(),
    }
}
