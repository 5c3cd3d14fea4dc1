//! Which paths a call of a tool touches: what it reads, what it changes, and where it looks.

use std::rc::Rc;

use super::context::Shown;
use crate::event::{LineSpan, Tool, ToolCall};
use engine_shell::{Analysis, Effect, Options, Run};
use engine_text::path::join;

/// No honest call works in more places; beyond it the first ones speak for the rest.
const MOST: usize = 50;

/// A path, absolute as it is written; it may be a file or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    pub path: String,
    pub changes: bool,
    /// What of its text was shown to the agent.
    pub shows: Shown,
}

/// Programs that print a file, or a part that the agent chose, as it is.
const SHOWERS: &[&str] = &["cat", "head", "tail", "sed", "less", "more", "bat", "nl"];

/// Programs that look at files or folders without showing what is in them.
const LOOKERS: &[&str] = &["ls", "tree", "wc", "find", "fd", "stat", "file", "du"];

/// What a call touches, as far as its input tells.
pub fn touches(
    call: &ToolCall<'_>,
    cwd: &str,
    home: Option<&str>,
    analysis: &dyn Fn(&str) -> Rc<Analysis>,
) -> Vec<Touch> {
    let place = |path: &str| in_home(path, home).unwrap_or_else(|| join(cwd, path));
    let seen = |path: String| Touch { path, changes: false, shows: Shown::Nothing };
    if let Tool::Search { folder, pattern, .. } = &call.tool {
        let folder = folder.as_deref().map_or_else(|| cwd.to_owned(), place);
        return vec![seen(match pattern {
            Some(pattern) => join(&folder, fixed_part(pattern)),
            None => folder,
        })];
    }
    let lines = if let Tool::Read { lines, .. } = call.tool { lines } else { LineSpan::ALL };
    let read = call.reads().map(|path| Touch { shows: Shown::Lines(lines), ..seen(place(path)) });
    let changed =
        call.writes().chain(call.deletes()).map(|path| Touch { changes: true, ..seen(place(path)) });
    read.chain(changed)
        .chain(call.commands().flat_map(|command| of_command(&analysis(command), cwd)))
        .collect()
}

/// `~/x` as the file tools understand it.
fn in_home(path: &str, home: Option<&str>) -> Option<String> {
    let below = path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    home.map(|home| join("/", &format!("{home}{below}")))
}

fn of_command(analysis: &Analysis, cwd: &str) -> Vec<Touch> {
    let Analysis { runs, effects, .. } = analysis;
    let mut found: Vec<Touch> = Vec::new();
    let mut add = |touch: Touch| {
        if found.len() < MOST && !found.contains(&touch) {
            found.push(touch);
        }
    };
    for effect in effects.iter().filter(|effect| effect.path().starts_with('/')) {
        let path = if effect.is_pattern() { fixed_part(effect.path()) } else { effect.path() };
        let is_read = matches!(effect, Effect::Read { .. });
        let shows = if is_read { shown_by(effect.run(), runs) } else { Shown::Nothing };
        add(Touch { path: path.to_owned(), changes: !is_read, shows });
    }
    let seen = |path: String| Touch { path, changes: false, shows: Shown::Nothing };
    for run in runs.iter().filter(|run| !run.remote) {
        let Some(folder) = &run.cwd else { continue };
        // Whoever goes into a folder works there.
        if folder != cwd {
            add(seen(folder.clone()));
        }
        if run.is(LOOKERS) {
            looked_at(run, folder).map(seen).for_each(&mut add);
        }
    }
    found
}

/// What of a file comes out at the end of the pipeline of a run that reads it.
fn shown_by(at: usize, runs: &[Run]) -> Shown {
    let Some(run) = runs.get(at).filter(|run| run.is(SHOWERS)) else { return Shown::Nothing };
    let behind = runs.iter().filter(|next| next.fed_by.contains(&at));
    behind.fold(
        part(run),
        |shown, next| if next.is(SHOWERS) { shown.through(part(next)) } else { Shown::Nothing },
    )
}

/// The part that a run shows of what it reads.
fn part(run: &Run) -> Shown {
    let span = |first: u64, count: u64| Shown::Lines(LineSpan { first, count });
    let unknown = Shown::Lines(LineSpan::UNKNOWN);
    match run.program.as_deref() {
        Some("head") => match counted(run) {
            Some((None, _)) => unknown,
            // All but the last ones.
            Some((Some(_), true)) => Shown::ALL,
            Some((Some(count), false)) => span(1, count),
            None => span(1, 10),
        },
        Some("tail") => match counted(run) {
            Some((Some(first), _)) if starts_at(run) => span(first.max(1), u64::MAX),
            Some((Some(count), _)) => Shown::Last(count),
            Some((None, _)) => unknown,
            None => Shown::Last(10),
        },
        Some("sed") => of_sed(run).unwrap_or(unknown),
        Some("bat") if run.args.iter().any(|word| is_range(&word.text)) => unknown,
        _ => Shown::ALL,
    }
}

fn is_range(word: &str) -> bool {
    word.starts_with("-r") || word.starts_with("--line-range")
}

/// The number that `head` or `tail` is given, if any, and whether it has a minus before it.
fn counted(run: &Run) -> Option<(Option<u64>, bool)> {
    let word = number_word(run)?;
    let is_minus = word.starts_with('-');
    Some((word.trim_start_matches(['-', '+']).parse().ok(), is_minus))
}

fn starts_at(run: &Run) -> bool {
    number_word(run).is_some_and(|word| word.starts_with('+'))
}

/// `-5`, `-n 5`, `-n5`, `--lines=5`; an empty word where bytes are counted.
fn number_word(run: &Run) -> Option<String> {
    let old = run.args.first().map(|word| word.text.as_str()).and_then(|word| word.strip_prefix('-'));
    if let Some(digits) =
        old.filter(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return Some(digits.to_owned());
    }
    let options = Options::read(&run.args, &["-n", "--lines", "-c", "--bytes"], false);
    if options.has(&["-c", "--bytes"]) {
        return Some(String::new());
    }
    options.value(&["-n", "--lines"]).map(str::to_owned)
}

/// The lines of one `A,Bp` with `-n`; without it all that it reads, where its script only replaces, or the first ones of `Nq`.
fn of_sed(run: &Run) -> Option<Shown> {
    let options = Options::read(&run.args, &["-e", "--expression"], false);
    let script = options.value(&["-e", "--expression"]).map(str::to_owned);
    let script = script.or_else(|| options.operands.first()?.literal().map(str::to_owned))?;
    let script = script.trim();
    let span = |first: u64, last: u64| {
        let first = first.max(1);
        Shown::Lines(LineSpan { first, count: last.saturating_sub(first).saturating_add(1) })
    };
    if !options.has(&["-n", "--quiet", "--silent"]) {
        let first_ones = script.strip_suffix('q').and_then(|last| last.parse().ok());
        return first_ones
            .map(|last| span(1, last))
            .or_else(|| script.starts_with('s').then_some(Shown::ALL));
    }
    let range = script.strip_suffix('p')?;
    if range.is_empty() {
        return Some(Shown::ALL);
    }
    let (from, to) = range.split_once(',').unwrap_or((range, range));
    let last = if to.trim() == "$" { u64::MAX } else { to.trim().parse().ok()? };
    Some(span(from.trim().parse().ok()?, last))
}

fn looked_at<'r>(run: &'r Run, folder: &'r str) -> impl Iterator<Item = String> + 'r {
    let words = run
        .args
        .iter()
        .filter_map(|word| word.literal().filter(|text| !text.is_empty() && !text.starts_with('-')));
    words.map(move |text| join(folder, fixed_part(text)))
}

/// The folders of a pattern before its first wildcard.
fn fixed_part(pattern: &str) -> &str {
    match pattern.find(['*', '?', '[', '{']) {
        Some(wild) => &pattern[..pattern[..wild].rfind('/').map_or(0, |slash| slash + 1)],
        None => pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine_shell::analyse;

    use crate::dialect::TEST;
    use crate::event::Edit;
    use crate::host::surroundings;

    fn touched(tool: Tool<'_>) -> String {
        let call = ToolCall { name: "".into(), id: "".into(), input: "".into(), tool };
        let shown = |touch: Touch| {
            let marks = [("!", touch.changes), ("=", touch.shows != Shown::Nothing)];
            let marks: String = marks.iter().filter(|(_, holds)| *holds).map(|(mark, _)| *mark).collect();
            format!("{marks}{}", touch.path)
        };
        let around = surroundings("/p", Some("/home/dev".into()), None, &TEST);
        touches(&call, "/p", Some("/home/dev"), &|command| analyse(command, &around))
            .into_iter()
            .map(shown)
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn by_shell(command: &str) -> String {
        touched(Tool::Shell { command: command.into(), background: false })
    }

    #[test]
    fn tools() {
        let read = |path: &'static str| Tool::Read { path: path.into(), lines: LineSpan::ALL };
        let edit = |path: &'static str| Tool::Edit { path: path.into(), edit: Edit::Unknown };
        let search = |folder: Option<&'static str>, pattern: Option<&'static str>| Tool::Search {
            folder: folder.map(Into::into),
            pattern: pattern.map(Into::into),
            reads: Vec::new(),
        };
        let cases = [
            (read("/p/a/x.rs"), "=/p/a/x.rs"),
            (read("a/../b/x.rs"), "=/p/b/x.rs"),
            (edit("/p/a/x.rs"), "!/p/a/x.rs"),
            (search(None, None), "/p"),
            (search(Some("a"), None), "/p/a"),
            (search(None, Some("a/b/**/*.ts")), "/p/a/b"),
            (search(Some("/p/c"), Some("*.ts")), "/p/c"),
            (search(None, Some("/p/{a,b}/*")), "/p"),
            (Tool::Web, ""),
            (read("~/x/../y"), "=/home/dev/y"),
            (search(Some("~"), None), "/home/dev"),
            (read("~dev/x"), "=/p/~dev/x"),
        ];
        for (tool, expected) in cases {
            assert_eq!(touched(tool.clone()), expected, "{tool:?}");
        }
    }

    #[test]
    fn commands() {
        let cases = [
            ("cat src/x", "=/p/src/x"),
            ("sed -n 1,20p src/x", "=/p/src/x"),
            ("sed -i s/a/b/ a/b", "!/p/a/b"),
            ("grep -rn foo a", "/p/a"),
            ("cd a && cargo test", "/p/a"),
            ("cd a && cat x", "=/p/a/x /p/a"),
            ("ls -la a b/c", "/p/a /p/b/c"),
            ("find a -name '*.rs'", "/p/a /p"),
            ("cat a/*.md", "=/p/a/"),
            ("echo hi > a/out; rm b/y", "!/p/a/out !/p/b/y"),
            ("cat $X/y", ""),
            ("cat ~/x; cat $HOME/y", "=/home/dev/x =/home/dev/y"),
            ("cargo test", ""),
        ];
        for (command, expected) in cases {
            assert_eq!(by_shell(command), expected, "{command}");
        }
        let many: Vec<String> = (0..20_000).map(|file| format!("a/{file}")).collect();
        assert_eq!(by_shell(&format!("cat {}", many.join(" "))).split(' ').count(), MOST);
    }

    #[test]
    fn what_commands_show_of_a_file() {
        let lines = |first, count| Shown::Lines(LineSpan { first, count });
        let cases = [
            ("cat x", Shown::ALL),
            ("less x", Shown::ALL),
            ("head x", lines(1, 10)),
            ("head -50 x", lines(1, 50)),
            ("head -n 50 x", lines(1, 50)),
            ("head -n50 x", lines(1, 50)),
            ("head --lines=50 x", lines(1, 50)),
            ("head -n -3 x", Shown::ALL),
            ("head -c 100 x", Shown::Lines(LineSpan::UNKNOWN)),
            ("tail x", Shown::Last(10)),
            ("tail -n 5 x", Shown::Last(5)),
            ("tail -n +5 x", lines(5, u64::MAX)),
            ("sed s/a/b/ x", Shown::ALL),
            ("sed 3q x", lines(1, 3)),
            ("sed '4,$d' x", Shown::Lines(LineSpan::UNKNOWN)),
            ("sed -n 1,20p x", lines(1, 20)),
            ("sed -n '7p' x", lines(7, 1)),
            ("sed -n '5,$p' x", lines(5, u64::MAX - 4)),
            ("sed -n '/a/p' x", Shown::Lines(LineSpan::UNKNOWN)),
            ("sed -n 1,20p x | less", lines(1, 20)),
            ("cat x | head -3", lines(1, 3)),
            ("cat x | wc -l", Shown::Nothing),
            ("cat x | head -3 | wc", Shown::Nothing),
            ("bat -r 1:3 x", Shown::Lines(LineSpan::UNKNOWN)),
        ];
        let around = surroundings("/p", None, None, &TEST);
        for (command, expected) in cases {
            let call = ToolCall {
                name: "".into(),
                id: "".into(),
                input: "".into(),
                tool: Tool::Shell { command: command.into(), background: false },
            };
            let touched = touches(&call, "/p", None, &|command| analyse(command, &around));
            let shown = touched.iter().find(|touch| touch.path == "/p/x").map(|touch| touch.shows);
            assert_eq!(shown, Some(expected), "{command}");
        }
    }
}
