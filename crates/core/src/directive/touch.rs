//! Which paths a call of a tool touches: what it reads, what it changes, and where it looks.

use crate::event::ToolCall;
use engine_shell::{Analysis, Effect, Run, Surroundings, analyse};
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
pub fn touches(call: &ToolCall<'_>, around: &Surroundings) -> Vec<Touch> {
    let cwd = &around.cwd;
    let place = |path: &str| in_home(path, around).unwrap_or_else(|| join(cwd, path));
    let seen = |path: String| Touch { path, changes: false, shows: false };
    match &*call.tool {
        "Read" => call.path().map(|path| Touch { shows: true, ..seen(place(&path)) }).into_iter().collect(),
        "Grep" => vec![seen(call.string("path").map_or_else(|| cwd.to_owned(), |path| place(&path)))],
        "Glob" => {
            let folder = call.string("path").map_or_else(|| cwd.to_owned(), |path| place(&path));
            vec![seen(join(&folder, fixed_part(&call.string("pattern").unwrap_or_default())))]
        }
        "Bash" => call.string("command").map(|command| of_command(&command, around)).unwrap_or_default(),
        _ if call.is_edit() => {
            call.path().map(|path| Touch { changes: true, ..seen(place(&path)) }).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// `~/x` as the file tools understand it.
fn in_home(path: &str, around: &Surroundings) -> Option<String> {
    let below = path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
    around.home.as_ref().map(|home| join("/", &format!("{home}{below}")))
}

fn of_command(command: &str, around: &Surroundings) -> Vec<Touch> {
    let Analysis { runs, effects, .. } = &*analyse(command, around);
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
        if *folder != around.cwd {
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
    use crate::host::surroundings;

    fn touched(tool: &str, input: &str) -> String {
        let call = ToolCall { tool: tool.into(), id: "".into(), input: input.into() };
        let shown = |touch: Touch| {
            let marks = [("!", touch.changes), ("=", touch.shows)];
            let marks: String = marks.iter().filter(|(_, holds)| *holds).map(|(mark, _)| *mark).collect();
            format!("{marks}{}", touch.path)
        };
        let around = surroundings("/p", Some("/home/dev".into()), None);
        touches(&call, &around).into_iter().map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tools() {
        let cases = [
            ("Read", r#"{"file_path":"/p/a/x.rs"}"#, "=/p/a/x.rs"),
            ("Read", r#"{"file_path":"a/../b/x.rs"}"#, "=/p/b/x.rs"),
            ("Edit", r#"{"file_path":"/p/a/x.rs"}"#, "!/p/a/x.rs"),
            ("NotebookEdit", r#"{"notebook_path":"/p/n.ipynb"}"#, "!/p/n.ipynb"),
            ("Grep", r#"{"pattern":"x"}"#, "/p"),
            ("Grep", r#"{"pattern":"x","path":"a"}"#, "/p/a"),
            ("Glob", r#"{"pattern":"a/b/**/*.ts"}"#, "/p/a/b"),
            ("Glob", r#"{"pattern":"*.ts","path":"/p/c"}"#, "/p/c"),
            ("Glob", r#"{"pattern":"/p/{a,b}/*"}"#, "/p"),
            ("WebFetch", r#"{"url":"https://x"}"#, ""),
            ("Read", "{}", ""),
            ("Read", r#"{"file_path":"~/x/../y"}"#, "=/home/dev/y"),
            ("Grep", r#"{"pattern":"x","path":"~"}"#, "/home/dev"),
            ("Read", r#"{"file_path":"~dev/x"}"#, "=/p/~dev/x"),
        ];
        for (tool, input, expected) in cases {
            assert_eq!(touched(tool, input), expected, "{tool} {input}");
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
            let input = serde_json::json!({"command": command}).to_string();
            assert_eq!(touched("Bash", &input), expected, "{command}");
        }
        let many: Vec<String> = (0..20_000).map(|file| format!("a/{file}")).collect();
        let input = serde_json::json!({"command": format!("cat {}", many.join(" "))}).to_string();
        assert_eq!(touched("Bash", &input).split(' ').count(), MOST);
    }
}
