//! What the front matter of a skill, a command or an agent has the client run: `hooks`, and the servers and skills that an agent starts
//! with.
//!
//! Every command below `hooks` counts, however it is nested there: what the client makes of an odd form is not guessed.

use engine_text::line::shell_line;
use engine_text::yaml::{self, Node, Value};

use super::{LONGEST, front_matter};

/// What a front matter has the client run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrontRuns {
    pub hooks: Vec<FrontHook>,
    /// Skills that an agent starts with.
    pub skills: Vec<String>,
    /// The agent that a skill runs in.
    pub agent: Option<String>,
    /// Why it is not known, where the text speaks of hooks and cannot be read.
    pub unread: Option<String>,
}

/// A command that the client runs at an event, or as a server that an agent brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontHook {
    pub event: String,
    /// From 1, in the whole text.
    pub line: usize,
    pub command: String,
}

impl FrontRuns {
    /// Reads the text of a file.
    pub fn read(text: &str) -> Self {
        let Ok(Some((block, _))) = front_matter(text) else { return Self::default() };
        // Most have none of it. In quotes a key may be written in escapes.
        if !["hooks", "skills", "agent", "mcpServers", "\\"].iter().any(|word| block.contains(word)) {
            return Self::default();
        }
        let read = if block.len() > LONGEST {
            Err("the front matter is longer than 64 KB".to_owned())
        } else {
            let read = yaml::read(block).or_else(|error| yaml::read(&yaml::quoted(block)).map_err(|_| error));
            read.map_err(|problem| problem.text)
        };
        match read {
            Ok(fields) => Self::of(&fields),
            Err(why) => {
                let speaks = block.contains("hooks") || block.contains('\\');
                Self { unread: speaks.then_some(why), ..Self::default() }
            }
        }
    }

    fn of(fields: &[(String, Node)]) -> Self {
        let mut found = Self::default();
        for (key, node) in fields {
            match key.as_str() {
                "hooks" => found.take_hooks(node),
                "skills" => found.skills.extend(texts(node)),
                "agent" => found.agent = texts(node).into_iter().next(),
                "mcpServers" => found.take_servers(node),
                _ => {}
            }
        }
        found
    }

    fn take_hooks(&mut self, node: &Node) {
        match &node.value {
            Value::Map(events) => {
                for (event, node) in events {
                    commands(event, node, &mut self.hooks);
                }
            }
            _ => commands("", node, &mut self.hooks),
        }
    }

    /// By name, or as a list of names and of such mappings. A name alone is a server that is declared elsewhere.
    fn take_servers(&mut self, node: &Node) {
        match &node.value {
            Value::Map(servers) => {
                for (name, node) in servers {
                    let server =
                        |command| FrontHook { event: format!("server {name}"), line: node.line + 1, command };
                    self.hooks.extend(command_of(node).map(server));
                }
            }
            Value::List(items) => items.iter().for_each(|item| self.take_servers(item)),
            _ => {}
        }
    }
}

fn commands(event: &str, node: &Node, found: &mut Vec<FrontHook>) {
    if let Some(command) = command_of(node) {
        // The opening line is not part of the block.
        found.push(FrontHook { event: event.to_owned(), line: node.line + 1, command });
    }
    match &node.value {
        Value::Map(fields) => fields.iter().for_each(|(_, node)| commands(event, node, found)),
        Value::List(items) => items.iter().for_each(|node| commands(event, node, found)),
        _ => {}
    }
}

/// The command of a mapping, with its arguments.
fn command_of(node: &Node) -> Option<String> {
    let command = text_of(node, "command")?;
    let Value::Map(fields) = &node.value else { return None };
    let args = fields.iter().filter(|(key, _)| key == "args").flat_map(|(_, args)| match &args.value {
        Value::List(items) => items.as_slice(),
        _ => &[],
    });
    let args: Vec<String> = args.filter_map(plain).collect();
    if args.is_empty() {
        return Some(command);
    }
    Some(shell_line(&std::iter::once(command).chain(args).collect::<Vec<_>>()))
}

fn text_of(node: &Node, wanted: &str) -> Option<String> {
    let Value::Map(fields) = &node.value else { return None };
    fields.iter().find(|(key, _)| key == wanted).and_then(|(_, node)| plain(node))
}

fn plain(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text { text } => Some(text.clone()),
        _ => None,
    }
}

/// Names as a list, or as one text.
fn texts(node: &Node) -> Vec<String> {
    let all: Vec<String> = match &node.value {
        Value::List(items) => items.iter().filter_map(plain).collect(),
        _ => plain(node).into_iter().collect(),
    };
    let parts = all.iter().flat_map(|text| text.split([',', ' ']));
    parts.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let FrontRuns { hooks, skills, agent, unread } = FrontRuns::read(text);
        let mut parts: Vec<String> =
            hooks.iter().map(|hook| format!("{}:{} {}", hook.event, hook.line, hook.command)).collect();
        parts.extend(skills.iter().map(|skill| format!("skill {skill}")));
        parts.extend(agent.map(|agent| format!("agent {agent}")));
        parts.extend(unread.map(|why| format!("unread: {why}")));
        parts.join("; ")
    }

    #[test]
    fn every_command_below_hooks_counts() {
        let cases = [
            ("no front matter\nhooks: x", ""),
            ("---\nname: a\n---\nhooks:\n  command: x\n", ""),
            (
                "---\nname: a\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: git reset --hard\n---\n",
                "PreToolUse:7 git reset --hard",
            ),
            (
                "---\nhooks: {Stop: [{hooks: [{type: command, command: a, args: [b c, d]}, {type: prompt, prompt: x}]}]}\n---\n",
                "Stop:2 a 'b c' d",
            ),
            ("---\n\"ho\\x6fks\":\n  Stop: [{command: x}]\n---\n", "Stop:3 x"),
            (
                "---\ndescription: Use it: now\nhooks:\n  Stop:\n    - hooks:\n        - command: x\n---\n",
                "Stop:6 x",
            ),
            ("---\nskills: [k, l]\nagent: helper\n---\n", "skill k; skill l; agent helper"),
            ("---\nskills: k, l\n---\n", "skill k; skill l"),
            (
                "---\nmcpServers:\n  - known\n  - db:\n      command: npx\n      args: [db]\n---\n",
                "server db:4 npx db",
            ),
            ("---\na: &x {command: y}\nhooks: {Stop: [*x]}\n---\n", "unread: aliases are not read"),
            ("---\na: &x y\nb: *x\n---\n", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
