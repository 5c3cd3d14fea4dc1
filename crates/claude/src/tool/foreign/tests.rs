use super::*;

/// What a call does, in one line: `$` runs, `<` reads, `>` writes, `-` deletes.
fn told(tool: &str, input: &str) -> String {
    let (Doings { commands, reads, writes, deletes, .. }, _) = doings(tool, input);
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
        ("mcp__x__y", r#"{"a":{"b":{"command":"ls"}}}"#, "$ls"),
        ("mcp__x__y", r#"{"a":[[{"b":{"c":[{"command":"ls"}]}}]]}"#, "$ls"),
        ("mcp__x__y", r#"{"program":"git","args":["reset","--hard"]}"#, "$git reset --hard"),
        ("mcp__x__y", r#"{"executable":"git","argv":["reset"]}"#, "$git reset"),
        ("mcp__x__y", r#"{"binary":"x"}"#, ""),
        ("mcp__x__y", r#"{"argv":["git","reset","--hard"]}"#, "$git reset --hard"),
        ("mcp__x__run_it", r#"{"input":"git reset --hard"}"#, "$git reset --hard"),
        ("mcp__terminal__send", r#"{"exec":"rm x"}"#, "$rm x"),
        ("mcp__x__ask", r#"{"input":"git reset --hard"}"#, ""),
        ("mcp__x__y", r#"{"bash_command":"a b","shell_script":"c d"}"#, "$a b | $c d"),
        ("mcp__x__run", r#"{"command":"a b","shell":"zsh"}"#, "$a b"),
        ("mcp__x__y", r#"{"command":"rm -rf x","dir":"/p"}"#, "$rm -rf x | $cd '/p'\nrm -rf x | </p"),
        ("mcp__x__run_python", r#"{"code":"import os"}"#, "$python3 -c 'import os'"),
        (
            "mcp__ide__executeCode",
            r#"{"code":"!git reset --hard\nx"}"#,
            "$git reset --hard | $python3 -c 'x'",
        ),
        ("mcp__jupyter__run_cell", r#"{"code":"%%bash\nrm x"}"#, "$rm x"),
        ("mcp__x__run_js", r#"{"code":"a()"}"#, "$node -e 'a()'"),
        ("mcp__git__git_reset", r#"{"repo_path":"/p","mode":"hard"}"#, "$git reset --hard | </p"),
        ("mcp__git__git_push", r#"{"force":true,"remote":"o","branch":"m"}"#, "$git push --force o m"),
        ("mcp__git__git_clean", r#"{"force":true}"#, "$git clean --force"),
        ("mcp__git__delete_branch", r#"{"name":"x","force":true}"#, "$git branch --delete --force x"),
        ("mcp__git__git_checkout", r#"{"paths":["."]}"#, "$git checkout -- . | <."),
        ("mcp__git__git_status", r#"{"repo_path":"/p"}"#, "</p"),
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
        ("mcp__fs__manage", r#"{"op":"wipe","path":"a"}"#, "-a"),
        ("mcp__fs__destroy", r#"{"path":"a"}"#, "-a"),
        ("mcp__fs__chmod", r#"{"path":"a","mode":"000"}"#, ">a"),
        ("mcp__fs__create_symlink", r#"{"target":"./a","path":"b"}"#, ">b | >./a"),
        ("mcp__fs__unzip", r#"{"file":"a.zip","destination":"b"}"#, "<a.zip | >b"),
        (
            "mcp__fs__write_many",
            r#"{"files":{"a/b":"x","c.md":"y","note":"z"}}"#,
            ">a/b (whole) | >c.md (whole)",
        ),
        (
            "apply_patch",
            r#"{"input":"*** Begin Patch\n*** Update File: a\n*** Delete File: b\n"}"#,
            ">a | -b",
        ),
        ("mcp__x__apply", r#"{"patch":"--- a/x\n+++ b/x\n@@"}"#, ">x"),
        ("mcp__x__review_code", r#"{"diff":"--- a/x\n+++ b/x\n@@"}"#, ""),
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
        ("mcp__x__y", r#"{"1":{"2":{"3":{"4":{"5":{"6":{"7":{"8":{"9":{"command":"ls"}}}}}}}}}}"#, ""),
    ] {
        assert_eq!(told(tool, input), expected, "{tool} {input}");
    }
}

/// What agents call daily, and no rule has anything to say to.
#[test]
fn daily_calls_are_read_as_they_are_meant() {
    for (tool, input, expected) in [
        ("mcp__github__get_file_contents", r#"{"owner":"o","repo":"r","path":"src/a.rs"}"#, "<src/a.rs"),
        ("mcp__github__list_commits", r#"{"owner":"o","repo":"r","sha":"main"}"#, ""),
        (
            "mcp__github__create_pull_request",
            r#"{"title":"t","head":"x","base":"main","body":"rm -rf /"}"#,
            "",
        ),
        ("mcp__github__search_code", r#"{"q":"git reset --hard"}"#, ""),
        ("mcp__github__merge_pull_request", r#"{"pullNumber":3,"merge_method":"squash"}"#, ""),
        ("mcp__github__create_branch", r#"{"branch":"x","from_branch":"main"}"#, ""),
        ("mcp__github__add_issue_comment", r#"{"issue_number":3,"body":"see `git push --force`"}"#, ""),
        ("mcp__github__delete_label", r#"{"name":"bug"}"#, ""),
        (
            "mcp__slack__post_message",
            r#"{"channel":"C1","text":"deploy: make run","blocks":[{"type":"section","text":{"type":"mrkdwn","text":"x"}}]}"#,
            "",
        ),
        ("mcp__slack__get_thread", r#"{"channel":"C1","ts":"1.2"}"#, ""),
        ("mcp__linear__create_issue", r#"{"title":"t","description":"rm -rf /","kind":"bug"}"#, ""),
        ("mcp__linear__update_issue", r#"{"id":"A-1","state":"Done"}"#, ""),
        ("mcp__jira__transition_issue", r#"{"issueKey":"A-1","transition":{"id":"3"}}"#, ""),
        ("mcp__jira__search", r#"{"jql":"project = A and status != Done"}"#, ""),
        (
            "mcp__jira__add_comment",
            r#"{"issueKey":"A-1","body":{"type":"doc","content":[{"type":"text","text":"x"}]}}"#,
            "",
        ),
        ("mcp__playwright__browser_navigate", r#"{"url":"https://x.example/a/b"}"#, ""),
        ("mcp__playwright__browser_type", r##"{"selector":"#a","text":"rm -rf /"}"##, ""),
        ("mcp__playwright__browser_click", r#"{"element":"Run","ref":"e3"}"#, ""),
        ("mcp__playwright__browser_press_key", r#"{"key":"Enter"}"#, ""),
        ("mcp__puppeteer__evaluate", r#"{"script":"document.title"}"#, "$node -e 'document.title'"),
        ("mcp__postgres__query", r#"{"sql":"TRUNCATE TABLE a"}"#, ""),
        ("mcp__postgres__execute_sql", r#"{"query":"DROP TABLE a"}"#, ""),
        ("mcp__sqlite__read_query", r#"{"query":"SELECT * FROM a"}"#, ""),
        ("mcp__mongo__find", r#"{"collection":"a","filter":{"x":{"$gt":3}}}"#, ""),
        ("mcp__redis__get", r#"{"key":"a"}"#, ""),
        ("mcp__fetch__fetch", r#"{"url":"https://x.example","max_length":5000}"#, ""),
        ("mcp__search__web", r#"{"query":"git clean -fdx","count":5}"#, ""),
        (
            "mcp__memory__create_entities",
            r#"{"entities":[{"name":"a","entityType":"person","observations":["b"]}]}"#,
            "",
        ),
        ("mcp__memory__delete_entities", r#"{"entityNames":["a"]}"#, ""),
        ("mcp__memory__search_nodes", r#"{"query":"a"}"#, ""),
        ("mcp__time__get_current_time", r#"{"timezone":"Europe/Berlin"}"#, ""),
        (
            "mcp__time__convert_time",
            r#"{"source_timezone":"Europe/Berlin","time":"12:00","target_timezone":"Asia/Tokyo"}"#,
            "",
        ),
        ("mcp__thinking__sequentialthinking", r#"{"thought":"run git reset --hard?","thoughtNumber":1}"#, ""),
        ("mcp__context7__get-library-docs", r#"{"context7CompatibleLibraryID":"/a/b","topic":"x"}"#, ""),
        (
            "mcp__notion__create_page",
            r#"{"parent":{"page_id":"x"},"properties":{"title":[{"text":{"content":"t"}}]}}"#,
            "",
        ),
        ("mcp__sentry__get_issue", r#"{"issue_id":"3"}"#, ""),
        ("mcp__figma__get_file", r#"{"fileKey":"x","depth":2}"#, ""),
        ("mcp__calendar__create_event", r#"{"summary":"s","start":{"dateTime":"2026-01-01T10:00:00Z"}}"#, ""),
        ("mcp__mail__send", r#"{"to":"a@b.example","subject":"s","body":"rm -rf /"}"#, ""),
        ("mcp__kubernetes__list_pods", r#"{"namespace":"default"}"#, ""),
        ("mcp__stripe__create_refund", r#"{"charge":"ch_1","reason":"requested"}"#, ""),
        ("mcp__ide__getDiagnostics", r#"{"uri":"file:///p/a.rs"}"#, "</p/a.rs"),
        ("mcp__gitlab__push_files", r#"{"branch":"x","commit_message":"m","files":[]}"#, ""),
    ] {
        assert_eq!(told(tool, input), expected, "{tool} {input}");
    }
}

#[test]
fn what_is_not_read_is_known() {
    let unread = |input: &str| doings("mcp__x__run", input).0.unread;
    let many = |item: &str, count: usize| vec![item; count].join(",");
    for (input, expected) in [
        (format!("{{\"commands\":[{}]}}", many("\"ls\"", 400)), None),
        (format!("{{\"commands\":[{}]}}", many("\"ls\"", 402)), Some(Unread::TooMany)),
        (format!("{{\"paths\":[{}]}}", many("\"a\"", 1001)), Some(Unread::TooMany)),
        (format!("{{\"a\":[{}]}}", many("{}", 2000)), Some(Unread::TooMany)),
        ("[]".to_owned(), Some(Unread::NoObject)),
        ("7".to_owned(), Some(Unread::NoObject)),
        ("null".to_owned(), None),
        (String::new(), None),
        ("{}".to_owned(), None),
    ] {
        assert_eq!(unread(&input), expected, "{input:.60}");
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
