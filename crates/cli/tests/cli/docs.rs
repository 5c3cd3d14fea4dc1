//! The reference pages in `docs/` are made from the tables of the code. `cargo xtask docs` writes them; without
//! it, a page that differs fails here.

use std::fs;
use std::path::PathBuf;

use engine_claude::EventName;
use engine_claude::capability::{self, Context, Refusal};
use engine_rules::RULES;
use engine_rules::config::{about, default_of, names, variable_of};

fn path(page: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page)
}

fn page(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_default()
}

fn check(page: &str, text: &str) {
    let path = path(page);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "docs/{page} is not what the code says: run cargo xtask docs");
}

#[test]
fn config_page() {
    let mut text = String::from(
        "# Configuration\n\nMade from the code by `cargo xtask docs`.\n\n\
         Layers, the later wins: built in, `$XDG_CONFIG_HOME/engine/config.toml`, `.engine/config.toml`, environment.\n\
         `engine config show` tells what is in force and where it comes from; `engine config set KEY VALUE` keeps\n\
         comments and layout. A slip (unknown key, wrong type) is told once per session, and the default counts.\n\n\
         | key | default | environment | what it does |\n| --- | --- | --- | --- |\n",
    );
    for name in names() {
        let default = default_of(&name).unwrap();
        text.push_str(&format!(
            "| `{name}` | `{default}` | `{}` | {} |\n",
            variable_of(&name),
            about(&name).unwrap()
        ));
    }
    text.push_str("\nOther variables: `ENGINE_OFF=1` makes every hook silent. The engine sets `ENGINE_SESSION_ID` and `ENGINE_PROJECT` for the agent's shell, `engine run` sets `ENGINE_RUN`, `engine runbook run` sets `ENGINE_STEP`.\n");
    check("config.md", &text);
}

#[test]
fn rules_page() {
    let mut text = String::from(
        "# Rules\n\nMade from the code by `cargo xtask docs`.\n\nIn the order in which they speak. `engine rules` shows the table as it runs here, with counts.\n\n\
         | rule | default | events | what it does |\n| --- | --- | --- | --- |\n",
    );
    for rule in RULES {
        let events: Vec<&str> = rule.events.iter().map(|&event| EventName::from(event).as_str()).collect();
        let mode = if rule.fixed { "always" } else { rule.default.as_str() };
        text.push_str(&format!("| `{}` | {mode} | {} | {} |\n", rule.id, events.join(", "), rule.about));
    }
    text.push_str("\n## What each event can carry back\n\nClaude Code, by experiment. `-`: nothing.\n\n| event | text for the model | refusal | lines for the person |\n| --- | --- | --- | --- |\n");
    for &event in EventName::ALL {
        let can = capability::of(event);
        let context = match can.context {
            Context::No => "-",
            Context::Json => "additionalContext",
            Context::Plain => "plain text",
        };
        let refusal = match can.refusal {
            Refusal::No => "-",
            Refusal::Permission => "deny or ask",
            Refusal::Block => "block",
        };
        text.push_str(&format!(
            "| {} | {context} | {refusal} | {} |\n",
            event.as_str(),
            if can.lines { "yes" } else { "-" }
        ));
    }
    check("rules.md", &text);
}

/// A command and those below it, in their order.
fn collect(name: &str, command: &clap::Command, pages: &mut Vec<(String, clap::Command)>) {
    pages.push((name.to_owned(), command.clone()));
    for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
        collect(&format!("{name} {}", below.get_name()), below, pages);
    }
}

#[test]
fn command_page() {
    let mut text = String::from("# Commands\n\nMade from the code by `cargo xtask docs`.\n");
    let mut top = engine_cli::command();
    top.build();
    let mut pages = Vec::new();
    collect("engine", &top, &mut pages);
    for (name, mut command) in pages {
        let help = command.render_long_help().to_string();
        let help: String = help.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        text.push_str(&format!("\n## {name}\n\n```text\n{}```\n", help.trim_start()));
    }
    check("commands.md", &text);
}

#[test]
fn shortcuts_page() {
    let mut text = String::from(
        "# Shortcuts\n\nThe table is made from the code by `cargo xtask docs`. `engine help shortcuts` shows those in force, your own included.\n\n\
         A command matches only if it is the whole message; a prefix only if the message starts with it, the colon and a blank. Blanks around \
         the message do not count.\n\n\
         | message | stands for | what happens |\n| --- | --- | --- |\n",
    );
    for command in engine_core::shortcut::COMMANDS {
        text.push_str(&format!("| `{}` | {} | {} |\n", command.key, command.expansion, command.about));
    }
    for directive in engine_core::shortcut::PREFIXES {
        let keys: Vec<String> = directive.keys.iter().map(|key| format!("`{key}: …`")).collect();
        let keys = keys.join(", ");
        text.push_str(&format!("| {keys} | {} | {} |\n", directive.name, directive.about));
    }
    text.push_str("\n`next?` and `what's next?`, as the whole message, are answered with STATUS.\n");
    // The rest of the page is written by hand.
    let by_hand = "\n## How they are answered\n";
    let written = page("shortcuts.md");
    let rest = written.split_once(by_hand).map_or("", |(_, rest)| rest);
    check("shortcuts.md", &format!("{text}{by_hand}{rest}"));
}

/// The rules that give a model something when a session starts.
const TELL: [&str; 6] = ["chain", "inject", "handoff", "restore", "open-plans", "approval"];

/// What is told when, in the order of the rules and with the budgets of the knobs.
#[test]
fn context_page() {
    let mut text = String::from(
        "# Context\n\nWhat the engine injects into a model's context, when, and how much. The tables are made from the code by `cargo xtask docs`.\n\n\
         ## When a session starts\n\nIn this order. All rules together: 10,000 UTF-16 units, which is what the client takes; what is beyond is cut, and `engine why` has the whole.\n\n\
         | rule | what it gives |\n| --- | --- |\n",
    );
    let starts = |rule: &&engine_rules::Rule| {
        rule.events.contains(&engine_core::event::EventName::SessionStart) && TELL.contains(&rule.id)
    };
    for rule in RULES.iter().filter(starts) {
        text.push_str(&format!("| `{}` | {} |\n", rule.id, rule.about));
    }
    text.push_str("\n## How much\n\n| setting | default | what it does |\n| --- | --- | --- |\n");
    for name in [
        "inject.files",
        "inject.budget",
        "inject.standards",
        "links.protocol",
        "directives.budget",
        "reminder.text",
        "reminder.for",
    ] {
        text.push_str(&format!(
            "| `{name}` | `{}` | {} |\n",
            default_of(name).unwrap(),
            about(name).unwrap()
        ));
    }
    let by_hand = "\n## Context files\n";
    let written = page("context.md");
    let rest = written.split_once(by_hand).map_or("", |(_, rest)| rest);
    check("context.md", &format!("{text}{by_hand}{rest}"));
}

/// What `engine init --with` brings, in the words of each file's own front matter.
#[test]
fn skills_page() {
    use engine_app::plugin::{AGENTS, SESSION_SKILLS, SKILLS};
    let mut text = String::from(
        "# Skills and agents\n\nMade from the code by `cargo xtask docs`.\n\n\
         Claude Code reads a skill when you type its name, as in `/design plans/lexer`, or when the model calls it.\n\
         You can edit an installed file; engine then leaves it as it is.\n",
    );
    let mut table = |title: &str, shipped: &[engine_claude::install::Shipped], mark: &str| {
        text.push_str(&format!("\n## {title}\n\n| name | what it does |\n| --- | --- |\n"));
        for one in shipped {
            let about = engine_core::skill::Declared::read(one.text).description.unwrap();
            text.push_str(&format!("| `{mark}{}` | {} |\n", one.name, about.trim()));
        }
    };
    table("With `engine init --with skills`", SKILLS, "/");
    table("Besides with `engine init --with skills=all`: work in sessions", SESSION_SKILLS, "/");
    table("Agents that these skills call", AGENTS, "");
    check("skills.md", &text);
}

/// The page of the policy is written by hand; every rule stands in it, with its verdict.
#[test]
fn policy_page() {
    let page =
        fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/policy.md")).unwrap();
    for rule in engine_core::policy::built_in() {
        let row = format!("| `{}` | {} |", rule.id, rule.verdict.as_str());
        assert!(page.contains(&row), "docs/policy.md has no row {row}");
    }
}

/// The page of work sessions is written by hand; every kind of evidence stands in it, with what counts.
#[test]
fn sessions_page() {
    use engine_core::skill::protocol::Evidence;
    let page =
        fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/sessions.md")).unwrap();
    for evidence in Evidence::ALL {
        let value = if evidence.needs_no_value() { "none" } else { evidence.names() };
        let row = format!("| `{}` | {value} | {} |\n", evidence.as_str(), evidence.about());
        assert!(page.contains(&row), "docs/sessions.md has no row {row}");
    }
}

#[test]
fn fragments() {
    check("../plugin/fragments/execute-rule.md", &engine_core::fragment::execute_rule());
    check("../plugin/fragments/continuation-passing.md", &engine_core::fragment::continuation_passing());
}

/// The last section of every cooperative skill has one source.
#[test]
fn skills_end_with_the_protocol() {
    use engine_core::chain::PROTOCOL;
    let mark = PROTOCOL.lines().next().unwrap();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../plugin/skills");
    for skill in fs::read_dir(folder).unwrap().flatten() {
        let text = fs::read_to_string(skill.path().join("SKILL.md")).unwrap();
        if !engine_core::skill::Declared::read(&text).cooperative {
            continue;
        }
        let body = text.split(mark).next().unwrap();
        let page = format!("../plugin/skills/{}/SKILL.md", skill.file_name().display());
        check(&page, &format!("{body}{PROTOCOL}"));
    }
}

/// An argument that its command's help does not describe is found by nobody.
#[test]
fn every_argument_is_described() {
    fn undescribed(command: &clap::Command, path: &str, found: &mut Vec<String>) {
        for below in command.get_subcommands().filter(|below| below.get_name() != "help") {
            let path = format!("{path} {}", below.get_name());
            let bare = below.get_arguments().filter(|arg| arg.get_help().is_none() && !arg.is_hide_set());
            found.extend(bare.map(|arg| format!("{path}: {}", arg.get_id())));
            undescribed(below, &path, found);
        }
    }
    let mut found = Vec::new();
    undescribed(&engine_cli::command(), "engine", &mut found);
    assert_eq!(found, Vec::<String>::new());
}
