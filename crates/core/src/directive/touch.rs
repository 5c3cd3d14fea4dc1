//! Which paths a call of a tool touches: what it reads, what it changes, and where it looks.

use std::rc::Rc;

use crate::event::{Tool, ToolCall};
use engine_shell::{Analysis, Effect, Run};
use engine_text::path::join;

/// No honest call works in more places; beyond it the first ones speak for the rest.
const MOST: usize = 50;

/// A path, absolute as it is written; it may be a file or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    pub path: String,
    pub changes: bool,
    /// Its text was shown to the agent.
    pub shows: bool,
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
    let seen = |path: String| Touch { path, changes: false, shows: false };
    if let Tool::Search { folder, pattern, .. } = &call.tool {
        let folder = folder.as_deref().map_or_else(|| cwd.to_owned(), place);
        return vec![seen(match pattern {
            Some(pattern) => join(&folder, fixed_part(pattern)),
            None => folder,
        })];
    }
    let read = call.reads().map(|path| Touch { shows: true, ..seen(place(path)) });
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
        let shows = is_read && runs.get(effect.run()).is_some_and(|run| run.is(SHOWERS));
        add(Touch { path: path.to_owned(), changes: !is_read, shows });
    }
    let seen = |path: String| Touch { path, changes: false, shows: false };
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
            let marks = [("!", touch.changes), ("=", touch.shows)];
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
        let read = |path: &'static str| Tool::Read { path: path.into() };
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
}
