use super::*;

/// What a call does, in one line: `$` runs, `<` reads, `>` writes, `-` deletes.
fn told(tool: &str, input: &str) -> String {
    let (Doings { commands, reads, writes, deletes }, _) = doings(tool, input);
    let edit = |edit: &Edit<'_>| match edit {
        Edit::Whole { .. } => " (whole)",
        Edit::Replace { .. } => " (replace)",
        Edit::Several(_) => " (several)",
        Edit::Unknown => "",
    };
    let writes = writes.iter().map(|file| format!(">{}{}", file.path, edit(&file.edit)));
    commands
        .iter()
        .map(|line| format!("${line}"))
        .chain(reads.iter().map(|path| format!("<{path}")))
        .chain(writes)
        .chain(deletes.iter().map(|path| format!("-{path}")))
        .collect::<Vec<_>>()
        .join(" | ")
}

#[test]
fn command_lines() {
    for (tool, input, expected) in [
        ("mcp__shell__run", r#"{"command":"rm -rf / --no-preserve-root"}"#, "$rm -rf / --no-preserve-root"),
        ("mcp__x__y", r#"{"cmd":"ls"}"#, "$ls"),
        ("mcp__x__y", r#"{"script":"a\nb"}"#, "$a\nb"),
        ("mcp__x__y", r#"{"shell_command":"ls"}"#, "$ls"),
        ("mcp__x__y", r#"{"commandLine":"ls"}"#, "$ls"),
        ("mcp__x__y", r#"{"command":["bash","-c","rm -rf '/'"]}"#, r"$bash -c 'rm -rf '\''/'\'''"),
        ("mcp__x__y", r#"{"command":"git","args":["reset","--hard"]}"#, "$git reset --hard"),
        ("mcp__x__y", r#"{"command":"git","arguments":"reset --hard"}"#, "$git reset --hard"),
        ("mcp__x__y", r#"{"command":"bash","args":["-c","a; b"]}"#, "$bash -c 'a; b'"),
        ("mcp__x__y", r#"{"commands":["a b","c"]}"#, "$a b | $c"),
        ("mcp__x__y", r#"{"command":"rm x","cwd":"/p/a b"}"#, "$cd '/p/a b'\nrm x"),
        ("mcp__x__y", r#"{"command":"ls","workdir":"~/a b"}"#, "$cd ~/'a b'\nls"),
        ("mcp__x__y", r#"{"code":"import os","language":"Python"}"#, "$python3 -c 'import os'"),
        ("mcp__x__y", r#"{"code":"ls","language":"bash"}"#, "$ls"),
        ("mcp__x__call", r#"{"name":"run","arguments":{"command":"ls"}}"#, "$ls"),
        ("mcp__x__batch", r#"{"steps":[{"command":"a"},{"cmd":"b"}]}"#, "$a | $b"),
        ("mcp__x__y", r#"{"command":7}"#, ""),
        ("mcp__x__y", r#"{"command":" "}"#, ""),
        ("mcp__x__y", r#"{"command":null}"#, ""),
        ("mcp__x__y", r#"{"command":["a",7]}"#, ""),
        ("NewShell", r#"{"command":"ls"}"#, "$ls"),
    ] {
        assert_eq!(told(tool, input), expected, "{tool} {input}");
    }
}

#[test]
fn files() {
    for (tool, input, expected) in [
        (
            "mcp__fs__write_file",
            r#"{"path":".engine/config.toml","content":"x"}"#,
            ">.engine/config.toml (whole)",
        ),
        ("mcp__fs__put", r#"{"filePath":"a","contents":""}"#, ">a (whole)"),
        ("mcp__ide__create_text_file", r#"{"relative_path":"a/b","content":""}"#, ">a/b (whole)"),
        ("mcp__ide__create_new_file", r#"{"pathInProject":"a/b","text":""}"#, ">a/b (whole)"),
        ("mcp__ide__read_file", r#"{"relative_path":".env"}"#, "<.env"),
        ("mcp__x__str_replace_edit_tool", r#"{"command":"view","path":"a"}"#, "$view | <a | >a"),
        ("mcp__x__inspect", r#"{"profile":"default"}"#, ""),
        ("mcp__fs__x", r#"{"file_path":"a","content":"x"}"#, ">a (whole)"),
        ("mcp__fs__append_file", r#"{"path":"a","content":"x"}"#, ">a"),
        ("mcp__fs__edit_file", r#"{"path":"a","edits":[{"oldText":"x","newText":"y"}]}"#, ">a (several)"),
        ("mcp__fs__edit_file", r#"{"path":"a","edits":[{"oldText":"x"}]}"#, ">a"),
        ("mcp__x__replace", r#"{"path":"a","old_str":"x","new_str":"y"}"#, ">a (replace)"),
        ("mcp__fs__read_text_file", r#"{"path":"a","head":3}"#, "<a"),
        ("mcp__fs__read_multiple_files", r#"{"paths":["a","b"]}"#, "<a | <b"),
        (
            "mcp__fs__write_files",
            r#"{"files":[{"path":"a","content":"x"},{"path":"b","content":"y"}]}"#,
            ">a (whole) | >b (whole)",
        ),
        ("mcp__fs__create_directory", r#"{"path":"a"}"#, ">a"),
        ("mcp__fs__list_directory", r#"{"path":"."}"#, "<."),
        ("mcp__fs__delete_file", r#"{"path":"a"}"#, "-a"),
        ("mcp__fs__removeDirectory", r#"{"directory":"./a"}"#, "-./a"),
        ("mcp__fs__move_file", r#"{"source":"a.md","destination":"b.md"}"#, ">b.md | -a.md"),
        ("mcp__fs__rename", r#"{"old_path":"a","new_path":"b"}"#, ">b | -a"),
        ("mcp__fs__rename", r#"{"path":"a","new_path":"b"}"#, ">b | -a"),
        ("mcp__fs__rename", r#"{"path":"a","new_name":"b"}"#, "-a"),
        ("mcp__fs__transfer", r#"{"from":"a/x","to":"b/x"}"#, ">b/x | -a/x"),
        ("mcp__fs__copy_file", r#"{"source":"a.md","destination":"b"}"#, "<a.md | >b"),
        ("mcp__fs__compare", r#"{"source":"a.md","target":"b.md"}"#, "<a.md | <b.md"),
        ("mcp__fs__manage", r#"{"action":"delete","path":"a"}"#, "-a"),
        (
            "mcp__ed__text_editor",
            r#"{"command":"create","path":"a","file_text":"x"}"#,
            "$create | >a (whole)",
        ),
        ("mcp__doc__render", r#"{"file":"a.md","output_path":"b.pdf"}"#, "<a.md | >b.pdf"),
        ("mcp__web__download", r#"{"url":"https://x.example/a","path":"a"}"#, ">a"),
        ("mcp__x__open", r#"{"uri":"file:///p/a%20b"}"#, "</p/a b"),
        ("mcp__x__open", r#"{"uri":"file://host/p/a"}"#, "</p/a"),
        ("mcp__x__open", r#"{"uri":"https://x.example/a"}"#, ""),
        ("mcp__x__write", r#"{"path":"a","content":"x","cwd":"/p/.engine"}"#, ">/p/.engine/a (whole)"),
        ("mcp__x__write", r#"{"path":"/a","content":"x","cwd":"/p/.engine"}"#, ">/a (whole)"),
        ("apply", r#"{"target_file":"a","diff":"@@"}"#, ">a"),
        ("mcp__x__get", r#"{"path":"a","diff":true}"#, "<a"),
    ] {
        assert_eq!(told(tool, input), expected, "{tool} {input}");
    }
}

#[test]
fn what_is_neither() {
    for (tool, input, expected) in [
        ("mcp__playwright__browser_evaluate", r#"{"function":"() => document.title"}"#, ""),
        ("mcp__playwright__browser_click", r##"{"element":"Save","target":"#main .submit"}"##, ""),
        ("mcp__github__create_issue", r#"{"title":"t","body":"rm -rf /"}"#, ""),
        ("mcp__github__add_comment", r#"{"path":"src/a.rs","body":"nit","line":3}"#, "<src/a.rs"),
        ("mcp__postgres__query", r#"{"sql":"DROP TABLE x"}"#, ""),
        ("mcp__memory__create_entities", r#"{"entities":[{"name":"a","observations":["b"]}]}"#, ""),
        ("mcp__slack__post_message", r#"{"channel":"C1","text":"see a.md"}"#, ""),
        ("mcp__mail__search", r#"{"from":"a@b.example","to":"2026/01/01"}"#, "<2026/01/01"),
        ("mcp__linear__create_comment", r#"{"issueId":"A-1","body":"done"}"#, ""),
        ("mcp__notion__search", r#"{"query":"x","filter":{"value":"page"}}"#, ""),
        ("mcp__api__get", r#"{"path":"/repos/x/y"}"#, "</repos/x/y"),
        ("mcp__x__y", "[]", ""),
        ("mcp__x__y", "", ""),
        ("mcp__x__y", r#"{"path":""}"#, ""),
        ("mcp__x__y", r#"{"file":"a\nb"}"#, ""),
        ("mcp__x__y", r#"{"to":"Done","from":"Doing"}"#, ""),
        ("mcp__x__y", r#"{"a":{"b":{"command":"ls"}}}"#, ""),
    ] {
        assert_eq!(told(tool, input), expected, "{tool} {input}");
    }
}

#[test]
fn names_are_words() {
    for (name, expected) in [
        ("write_file", "write file"),
        ("writeFile", "write file"),
        ("browser-pdf.save", "browser pdf save"),
        ("", ""),
    ] {
        assert_eq!(words(name).join(" "), expected);
    }
}
