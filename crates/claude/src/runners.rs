//! What the client runs by itself, by its files: settings (the person's, the project's, the administrator's), `.mcp.json`, and its own
//! `.claude.json`.
//!
//! Of the project's skills, commands and agents, the front matter counts. What is in plugins is not looked at, only that one is enabled.

use std::path::{Path, PathBuf};

use engine_core::runner::{Declared, Runner, RunnerKind};
use engine_store::places;
use engine_text::field;
use engine_text::line::shell_line;
use fs_err as fs;
use serde_json::Value;

use crate::dialect::DIALECT;
use crate::entry::{is_ours, our_line};
use crate::sources::client_home;
use crate::wiring::Settings;

/// Files that hold nothing but servers.
const SERVER_FILES: [&str; 2] = [".mcp.json", "managed-mcp.json"];
/// The client's own file.
const OWN: &str = ".claude.json";
/// Keys of settings that hold a command, or an object with one.
const HELPERS: [&str; 9] = [
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "fileSuggestion",
    "gcpAuthRefresh",
    "otelHeadersHelper",
    "policyHelper",
    "proxyAuthHelper",
    "subagentStatusLine",
];

/// The settings that an administrator makes: the main file and those in the folder beside it.
pub(crate) fn managed_settings() -> Vec<PathBuf> {
    DIALECT.managed_settings.iter().flat_map(|file| with_drop_ins(Path::new(file))).collect()
}

fn with_drop_ins(main: &Path) -> Vec<PathBuf> {
    let mut files = vec![main.to_owned()];
    let more = fs::read_dir(main.with_extension("d")).into_iter().flatten().flatten();
    files.extend(
        more.map(|file| file.path()).filter(|file| file.extension().is_some_and(|end| end == "json")),
    );
    files
}

/// The files that declare something, beside the settings files of the project. `whole`: with the client's own.
pub(crate) fn files(root: &Path, mut files: Vec<PathBuf>, whole: bool) -> Vec<PathBuf> {
    files.extend(managed_settings());
    // What the administrator sends over the network.
    files.extend(client_home().map(|home| home.join("remote-settings.json")));
    files.extend(
        DIALECT.managed_settings.iter().map(|file| Path::new(file).with_file_name("managed-mcp.json")),
    );
    files.extend(roots(root).into_iter().map(|root| root.join(".mcp.json")));
    if whole {
        // It is beside the client's folder, unless that was moved.
        let moved = std::env::var_os("CLAUDE_CONFIG_DIR").filter(|value| !value.is_empty());
        files.extend(moved.map(PathBuf::from).or_else(places::home).map(|folder| folder.join(OWN)));
    }
    files
}

/// The project's root, and the folder in which the client was started.
fn roots(root: &Path) -> Vec<PathBuf> {
    let started = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let elsewhere = started.filter(|folder| folder.is_absolute() && folder != root);
    std::iter::once(root.to_owned()).chain(elsewhere).collect()
}

/// What the text of one of these files declares. A text that is no JSON object declares nothing, as for the client.
pub(crate) fn declared(root: &Path, file: &Path, text: &str) -> Declared {
    let name = file.file_name().unwrap_or_default();
    if name == OWN {
        return Declared { runners: of_own_file(&roots(root), text), ours: 0 };
    }
    if SERVER_FILES.iter().any(|known| name == *known) {
        return Declared {
            runners: servers(field::raw(text, "mcpServers").map_or("", |raw| raw.get())),
            ours: 0,
        };
    }
    Settings::read(text).map(|settings| of_settings(&settings)).unwrap_or_default()
}

/// The servers of the person, and those that they added for this project.
fn of_own_file(roots: &[PathBuf], text: &str) -> Vec<Runner> {
    let mut found = servers(field::raw(text, "mcpServers").map_or("", |raw| raw.get()));
    let projects = field::raw(text, "projects").map_or("", |raw| raw.get());
    for root in roots {
        let project = field::raw(projects, &root.to_string_lossy()).map_or("", |raw| raw.get());
        found.extend(servers(field::raw(project, "mcpServers").map_or("", |raw| raw.get())));
    }
    found
}

fn servers(object: &str) -> Vec<Runner> {
    let servers = field::all(object).unwrap_or_default();
    servers.into_iter().map(|(name, raw)| server(&name, raw.get())).collect()
}

fn server(name: &str, declared: &str) -> Runner {
    let value: Value = serde_json::from_str(declared).unwrap_or_default();
    let text = |key: &str| value[key].as_str().unwrap_or_default();
    let mut command = match text("url") {
        "" => line(&value),
        url => url.to_owned(),
    };
    // A command that makes the headers of its requests.
    if !text("headersHelper").is_empty() {
        command.push_str(&format!(" with headersHelper {}", text("headersHelper")));
    }
    Runner::new(RunnerKind::Server, name, &command, declared)
}

/// A command with its arguments.
fn line(value: &Value) -> String {
    let command = value["command"].as_str().unwrap_or_default();
    let Some(args) = value["args"].as_array().filter(|args| !args.is_empty()) else {
        return command.to_owned();
    };
    let args = args.iter().map(|arg| arg.as_str().map_or_else(|| arg.to_string(), str::to_owned));
    shell_line(&std::iter::once(command.to_owned()).chain(args).collect::<Vec<_>>())
}

fn of_settings(settings: &Settings<'_>) -> Declared {
    let mut runners = hooks(&settings.hooks());
    let ours = settings.snapshot().entries.len();
    let add =
        |kind, name: &str, command: &str, value: &Value| Runner::new(kind, name, command, &value.to_string());
    if let Some(status) = settings.value("statusLine").filter(|line| our_line(line).is_none()) {
        runners.push(add(RunnerKind::StatusLine, "statusLine", &line(&status), &status));
    }
    for key in HELPERS {
        let Some(value) = settings.value(key).filter(|value| !value.is_null()) else { continue };
        let command = match &value {
            Value::String(command) => command.clone(),
            value if value["path"].is_string() => value["path"].as_str().unwrap_or_default().to_owned(),
            value => line(value),
        };
        runners.push(add(RunnerKind::Helper, key, &command, &value));
    }
    for key in ["mcpServers", "managedMcpServers"] {
        runners.extend(servers(&settings.value(key).map(|value| value.to_string()).unwrap_or_default()));
    }
    let our_plugin = settings.plugin();
    let plugins = settings.value("enabledPlugins").unwrap_or_default();
    let enabled = |(name, value): &(&String, &Value)| **value == true && Some(*name) != our_plugin.as_ref();
    for (name, value) in plugins.as_object().into_iter().flatten().filter(enabled) {
        runners.push(add(RunnerKind::Plugin, name, "", value));
    }
    for (name, value) in settings.steering() {
        runners.push(Runner::new(RunnerKind::Variable, &name, &value_shown(&name, &value), &value));
    }
    for (name, value) in settings.loading() {
        let shown = value_shown(&name, &value);
        runners.push(Runner::new(RunnerKind::Setting, &format!("env.{name}"), &shown, &value));
    }
    runners.extend(loosened(settings));
    if settings.disables_hooks() {
        runners.push(Runner::new(RunnerKind::HooksOff, "disableAllHooks", "", ""));
    }
    Declared { runners, ours }
}

/// The value of a variable, for a person.
fn value_shown(name: &str, value: &str) -> String {
    let shown = field::text_of(value).map_or_else(|| value.to_owned(), std::borrow::Cow::into_owned);
    // Alone, a value says nothing of its kind, by which a secret is known.
    engine_text::redact::redact(&format!("{name}={shown}"))[name.len() + 1..].to_owned()
}

/// Settings by which more runs, or less is asked.
fn loosened(settings: &Settings<'_>) -> Vec<Runner> {
    let add = |name: &str, shown: &str, value: &Value| {
        Runner::new(RunnerKind::Setting, name, shown, &value.to_string())
    };
    let mut found = Vec::new();
    let markets = settings.value("extraKnownMarketplaces").unwrap_or_default();
    for (name, market) in markets.as_object().into_iter().flatten() {
        let source = &market["source"];
        let place = ["repo", "url", "path", "package"].iter().find_map(|key| source[*key].as_str());
        let shown = place.map_or_else(|| source.to_string(), str::to_owned);
        found.push(add(&format!("extraKnownMarketplaces {name}"), &shown, market));
    }
    if let Some(all) = settings.value("enableAllProjectMcpServers").filter(|all| *all == true) {
        found.push(add("enableAllProjectMcpServers", "true", &all));
    }
    let permissions = settings.value("permissions").unwrap_or_default();
    let mode = &permissions["defaultMode"];
    if let Some(shown) = mode.as_str().filter(|mode| !matches!(*mode, "default" | "plan")) {
        found.push(add("permissions.defaultMode", shown, mode));
    }
    found
}

/// The hooks of others.
fn hooks(hooks: &Value) -> Vec<Runner> {
    let mut found = Vec::new();
    for (event, groups) in hooks.as_object().into_iter().flatten() {
        for group in groups.as_array().into_iter().flatten() {
            let matcher = group["matcher"].as_str().filter(|matcher| !matcher.is_empty());
            let name = matcher.map_or_else(|| event.clone(), |matcher| format!("{event} ({matcher})"));
            let list = group["hooks"].as_array().into_iter().flatten();
            found.extend(list.filter(|hook| !is_ours(hook)).map(|hook| {
                Runner::new(RunnerKind::Hook, &name, &hook_line(hook), &format!("{name} {hook}"))
            }));
        }
    }
    found
}

/// What a hook runs: a command, a request, a prompt to a model, a tool of a server.
fn hook_line(hook: &Value) -> String {
    let text = |key: &str| hook[key].as_str().filter(|text| !text.is_empty());
    let tool = || Some(format!("{} {}", text("server")?, text("tool")?));
    let other = || text("url").or_else(|| text("prompt")).map(str::to_owned);
    Some(line(hook)).filter(|line| !line.is_empty()).or_else(other).or_else(tool).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(file: &str, text: &str) -> Vec<String> {
        let declared = declared(Path::new("/p"), Path::new(file), text);
        declared.runners.iter().map(Runner::words).collect()
    }

    #[test]
    fn settings_declare_what_is_not_ours() {
        let ours = json!({"type": "command", "command": "engine", "args": ["hook"]});
        let settings = json!({
            "hooks": {
                "PreToolUse": [{"matcher": "Bash", "hooks": [ours, {"type": "command", "command": "fmt.sh --token=abcdefgh1234"}]}],
                "Stop": [{"hooks": [
                    {"type": "http", "url": "http://localhost:1/x"},
                    {"type": "prompt", "prompt": "is it done?"},
                    {"type": "mcp_tool", "server": "s", "tool": "t"},
                    {"type": "command", "command": "a b", "args": ["c d"]},
                ]}],
            },
            "statusLine": {"type": "command", "command": "line.sh"},
            "apiKeyHelper": "key.sh",
            "policyHelper": {"path": "/opt/policy"},
            "fileSuggestion": {"type": "command", "command": "files.sh"},
            "managedMcpServers": {"m": {"command": "m"}},
            "enabledPlugins": {"engine@m": true, "other@m": true, "off@m": false},
            "env": {"PATH": "/evil:/bin", "ENGINE_TOKEN": "abcdefgh12345678", "FREE": "1", "NODE_OPTIONS": "-r x", "BASH_ENV": "/x"},
            "subagentStatusLine": {"type": "command", "command": "sub.sh"},
            "extraKnownMarketplaces": {"m": {"source": {"source": "github", "repo": "a/b"}}},
            "enableAllProjectMcpServers": true,
            "permissions": {"defaultMode": "bypassPermissions", "allow": []},
            "disableAllHooks": true,
            "model": "x",
        });
        let text = settings.to_string();
        assert_eq!(
            words("/p/.claude/settings.json", &text),
            [
                "hook PreToolUse (Bash) `fmt.sh --token=[redacted]`",
                "hook Stop `http://localhost:1/x`",
                "hook Stop `is it done?`",
                "hook Stop `s t`",
                "hook Stop `'a b' 'c d'`",
                "status line `line.sh`",
                "helper apiKeyHelper `key.sh`",
                "helper fileSuggestion `files.sh`",
                "helper policyHelper `/opt/policy`",
                "helper subagentStatusLine `sub.sh`",
                "MCP server m (m)",
                "plugin other@m",
                "variable ENGINE_TOKEN ([redacted])",
                "variable PATH (/evil:/bin)",
                "setting env.BASH_ENV (/x)",
                "setting env.NODE_OPTIONS (-r x)",
                "setting extraKnownMarketplaces m (a/b)",
                "setting enableAllProjectMcpServers (true)",
                "setting permissions.defaultMode (bypassPermissions)",
                "disableAllHooks",
            ]
        );
        assert_eq!(declared(Path::new("/p"), Path::new("/s.json"), &text).ours, 2);
        let line = json!({"statusLine": {"type": "command", "command": "engine statusline"}}).to_string();
        for empty in ["", "{", "[]", "{}", r#"{"hooks":7}"#, line.as_str()] {
            assert_eq!(
                declared(Path::new("/p"), Path::new("/s.json"), empty),
                Declared::default(),
                "{empty}"
            );
        }
    }

    #[test]
    fn servers_come_from_three_kinds_of_files() {
        let text = json!({"mcpServers": {
            "db": {"command": "npx", "args": ["db-server", "--port", 5]},
            "web": {"type": "http", "url": "https://u:secret@h/x", "headersHelper": "h.sh"},
            "odd": 7,
        }})
        .to_string();
        let expected = [
            "MCP server db (npx db-server --port 5)",
            "MCP server odd ()",
            "MCP server web (https://u:[redacted]@h/x with headersHelper h.sh)",
        ];
        assert_eq!(words("/p/.mcp.json", &text), expected);
        assert_eq!(words("/etc/claude-code/managed-mcp.json", &text), expected);
        let own = json!({
            "numStartups": 5,
            "mcpServers": {"mine": {"command": "a"}},
            "projects": {"/p": {"mcpServers": {"here": {"command": "b"}}}, "/q": {"mcpServers": {"there": {"command": "c"}}}},
        });
        assert_eq!(
            words("/h/.claude.json", &own.to_string()),
            ["MCP server mine (a)", "MCP server here (b)"]
        );
        let sum =
            |text: &str| declared(Path::new("/p"), Path::new("/p/.mcp.json"), text).runners[0].sum.clone();
        let with = |env: &str| json!({"mcpServers": {"db": {"command": "a", "env": {"A": env}}}}).to_string();
        assert_ne!(sum(&with("1")), sum(&with("2")), "its variables count too");
    }

    #[test]
    fn an_administrator_may_have_many_files() {
        let folder = tempfile::tempdir().unwrap();
        let more = folder.path().join("managed-settings.d");
        let main = folder.path().join("managed-settings.json");
        assert_eq!(with_drop_ins(&main), std::slice::from_ref(&main));
        fs::create_dir(&more).unwrap();
        for name in ["10.json", "notes.txt"] {
            fs::write(more.join(name), "{}").unwrap();
        }
        assert_eq!(with_drop_ins(&main), [main, more.join("10.json")]);
    }
}
