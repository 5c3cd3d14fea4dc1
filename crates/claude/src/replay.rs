//! The events of a recorded session, rebuilt from its transcripts.
//!
//! Each event becomes the JSON that the client would have sent and is read by [`crate::decode`] like any other, so that nothing
//! is judged by a second path. What a transcript tells: prompts, tool calls and their results, the end of a turn, compactions.
//! What it does not tell is not made up: no resume, no end of the session, no notification. Lines that cannot matter are told
//! by their beginning and not parsed; files are streamed, so a session may be larger than the memory.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::io::{self, BufRead, BufReader};
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fs_err as fs;
use fs_err::File;
use serde::Serialize;
use serde_json::value::RawValue;

use engine_core::journal::Entry;
use engine_store::read::{open, read_string};
use engine_store::reason::reason;
use engine_text::field;

use crate::transcript::{self, Prompt};

mod line;

use line::{Block, Content, Line};

/// One event as the client would have sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilt {
    /// When, as the transcript writes it: RFC 3339 in UTC, so that moments compare as texts.
    pub at: String,
    pub json: String,
    /// The branch that was checked out then.
    pub branch: Option<String>,
    /// The client itself refused the call: it had no such tool, or the input did not fit.
    pub refused_by_client: bool,
    /// The tool call that it belongs to.
    call: Option<(Moment, String)>,
}

/// Where in a tool call an event stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Moment {
    Before,
    After,
}

/// The transcripts of one session: its own, and those of its subagents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The name of its files.
    pub name: String,
    pub files: Vec<PathBuf>,
}

/// What could not be read of a session.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Lines that are no JSON.
    pub lines: u64,
    /// Files, with the reason.
    pub files: Vec<String>,
}

/// Where the client keeps the transcripts of a project.
pub fn folder_of(root: &Path) -> Option<PathBuf> {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = root.to_string_lossy().chars().map(letter).collect();
    Some(transcript::folder()?.join(name))
}

/// The sessions of a transcript, or of a folder and everything below it, in the order of their paths.
pub fn sessions(path: &Path) -> io::Result<Vec<Session>> {
    let mut files = Vec::new();
    if fs::metadata(path)?.is_dir() {
        search(path, &mut files)?;
    } else {
        files.push(path.to_owned());
        let _ = search(&path.with_extension("").join(SUBAGENTS), &mut files);
    }
    files.sort();
    let mut sessions: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for file in files {
        let session = session_of(&file);
        let own = file.with_extension("") == session;
        let files = sessions.entry(session).or_default();
        // Its own transcript comes before its subagents'.
        files.insert(if own { 0 } else { files.len() }, file);
    }
    let named = |(path, files): (PathBuf, Vec<PathBuf>)| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Session { name, files }
    };
    Ok(sessions.into_iter().map(named).collect())
}

const SUBAGENTS: &str = "subagents";

fn search(folder: &Path, out: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            // A folder that may not be entered costs its own transcripts, not the others.
            let _ = search(&entry.path(), out);
        } else if kind.is_file() && entry.path().extension().is_some_and(|end| end == "jsonl") {
            out.push(entry.path());
        }
    }
    Ok(())
}

/// The session that a transcript belongs to, as the path of its own transcript without the ending.
fn session_of(file: &Path) -> PathBuf {
    let below = file.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == SUBAGENTS));
    match below.and_then(Path::parent) {
        Some(session) if agent_of(file).is_some() => session.to_owned(),
        _ => file.with_extension(""),
    }
}

/// The subagent whose transcript it is: `agent-<id>.jsonl`.
fn agent_of(file: &Path) -> Option<String> {
    let inside =
        file.parent()?.ancestors().any(|folder| folder.file_name().is_some_and(|it| it == SUBAGENTS));
    let id = file.file_stem()?.to_str()?.strip_prefix("agent-")?;
    inside.then(|| id.to_owned())
}

impl Session {
    /// Whether one of its files was written since then.
    pub fn is_newer(&self, than: SystemTime) -> bool {
        let changed = |file: &PathBuf| fs::metadata(file).and_then(|data| data.modified());
        self.files.iter().any(|file| changed(file).map_or(true, |at| at >= than))
    }

    /// Gives the events of all its transcripts, in the order of their time.
    pub fn events(&self, mut each: impl FnMut(Rebuilt)) -> Damage {
        let mut damage = Damage::default();
        let mut readers = Vec::new();
        let mut seen = HashSet::new();
        for (index, file) in self.files.iter().enumerate() {
            match Reader::open(file, self, index == 0) {
                Ok(reader) => readers.push(reader),
                Err(error) => damage.files.push(format!("{}: {}", file.display(), reason(&error))),
            }
        }
        let mut heads: Vec<Option<Rebuilt>> =
            readers.iter_mut().map(|reader| reader.next(&mut damage)).collect();
        loop {
            let waiting = heads.iter().enumerate().filter_map(|(index, head)| Some((head.as_ref()?, index)));
            let Some((_, first)) = waiting.min_by(|(a, i), (b, j)| a.at.cmp(&b.at).then(i.cmp(j))) else {
                break;
            };
            let next = readers[first].next(&mut damage);
            let event = std::mem::replace(&mut heads[first], next);
            // One message of the model is written on several lines, and a subagent that is a fork begins with a copy of them.
            let is_news = |event: &Rebuilt| event.call.as_ref().is_none_or(|call| seen.insert(call.clone()));
            if let Some(event) = event.filter(is_news) {
                each(event);
            }
        }
        damage
    }
}

impl Rebuilt {
    /// The call that a line of the journal tells of, where no transcript does any more: shell commands are kept whole there. The
    /// folder is not.
    pub fn of_journal(entry: &Entry, root: &Path) -> Option<Self> {
        let command = entry.command.as_deref().filter(|_| entry.event == "PreToolUse")?;
        let input = serde_json::value::to_raw_value(&serde_json::json!({"command": command})).ok()?;
        let wire = Wire {
            hook_event_name: &entry.event,
            session_id: &entry.session,
            cwd: root.to_str()?,
            agent_id: entry.agent.as_deref(),
            agent_type: entry.agent_type.as_deref(),
            tool_name: Some("Bash"),
            tool_input: Some(&input),
            tool_use_id: entry.tool_use.as_deref(),
            ..Wire::default()
        };
        let json = serde_json::to_string(&wire).ok()?;
        Some(Self { at: entry.at.clone(), json, branch: None, refused_by_client: false, call: None })
    }
}

/// An event in the client's words. Fields that an event does not have are left out.
#[derive(Default, Serialize)]
struct Wire<'a> {
    hook_event_name: &'a str,
    session_id: &'a str,
    transcript_path: &'a str,
    cwd: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_mode: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_input: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_use_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_response: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_hook_active: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_assistant_message: Option<&'a str>,
}

/// A tool call whose result has not been seen.
struct Call {
    tool: String,
    input: Option<Box<RawValue>>,
}

/// A subagent, as the events name it.
#[derive(Clone)]
struct Agent {
    id: String,
    kind: String,
}

/// What the lines say of the circumstances; it holds until another line says otherwise.
#[derive(Default)]
struct Circumstances {
    session: String,
    transcript: String,
    cwd: String,
    at: String,
    branch: Option<String>,
    mode: Option<String>,
    prompt_id: Option<String>,
    agent: Option<Agent>,
}

impl Circumstances {
    fn follow(&mut self, line: &Line<'_>, file_agent: Option<&Agent>) {
        let keep = |old: &mut String, new: &Option<String>| {
            if let Some(new) = new {
                old.clone_from(new);
            }
        };
        keep(&mut self.session, &line.session_id);
        keep(&mut self.cwd, &line.cwd);
        // A clock that was set back must not change the order of the lines.
        if line.timestamp.as_ref().is_some_and(|at| *at > self.at) {
            keep(&mut self.at, &line.timestamp);
        }
        self.branch = line.git_branch.clone().or_else(|| self.branch.take());
        self.mode = line.permission_mode.clone().or_else(|| self.mode.take());
        self.prompt_id = line.prompt_id.clone().or_else(|| self.prompt_id.take());
        self.agent = match file_agent {
            Some(agent) => Some(agent.clone()),
            // Earlier clients wrote subagents into the session's own transcript.
            None if line.is_sidechain == Some(true) => {
                Some(Agent { id: line.agent_id.clone().unwrap_or_default(), kind: String::new() })
            }
            None => None,
        };
    }

    fn event(&self, name: &str, own: &Wire<'_>) -> Rebuilt {
        let wire = Wire {
            hook_event_name: name,
            session_id: &self.session,
            transcript_path: &self.transcript,
            cwd: &self.cwd,
            prompt_id: self.prompt_id.as_deref(),
            permission_mode: self.mode.as_deref(),
            agent_id: self.agent.as_ref().map(|agent| agent.id.as_str()),
            agent_type: self.agent.as_ref().map(|agent| agent.kind.as_str()),
            ..*own
        };
        Rebuilt {
            at: self.at.clone(),
            json: serde_json::to_string(&wire).unwrap_or_default(),
            branch: self.branch.clone(),
            refused_by_client: false,
            call: None,
        }
    }
}

/// Reads one transcript, event by event.
struct Reader {
    file: BufReader<File>,
    bytes: Vec<u8>,
    number: usize,
    prompts: Peekable<std::vec::IntoIter<Prompt>>,
    agent: Option<Agent>,
    scene: Circumstances,
    /// The session's start is still to be told.
    starts: bool,
    open: HashMap<String, Call>,
    /// When the model last spoke in this turn, and what it said.
    answer: Option<(String, String)>,
    ready: VecDeque<Rebuilt>,
    /// When the last event was that is ready or was given.
    told: String,
    ended: bool,
}

impl Reader {
    fn open(path: &Path, session: &Session, starts: bool) -> io::Result<Self> {
        let agent = agent_of(path).map(|id| Agent { id, kind: kind_beside(path).unwrap_or_default() });
        let prompts = if agent.is_none() { transcript::prompts(path)? } else { Vec::new() };
        let own = path.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == SUBAGENTS));
        let own = own.and_then(Path::parent).map_or_else(|| path.to_owned(), |it| it.with_extension("jsonl"));
        let scene = Circumstances {
            session: session.name.clone(),
            transcript: own.display().to_string(),
            ..Circumstances::default()
        };
        Ok(Self {
            file: BufReader::with_capacity(1 << 17, open(path)?),
            bytes: Vec::new(),
            number: 0,
            prompts: prompts.into_iter().peekable(),
            agent,
            scene,
            starts,
            open: HashMap::new(),
            answer: None,
            ready: VecDeque::new(),
            told: String::new(),
            ended: false,
        })
    }

    fn next(&mut self, damage: &mut Damage) -> Option<Rebuilt> {
        while self.ready.is_empty() && !self.ended {
            let mut bytes = std::mem::take(&mut self.bytes);
            bytes.clear();
            match self.file.read_until(b'\n', &mut bytes) {
                Ok(0) => {
                    self.ended = true;
                    self.end_turn();
                }
                Ok(_) => {
                    self.number += 1;
                    if !self.take(&bytes) {
                        damage.lines += 1;
                    }
                }
                Err(error) => {
                    damage.files.push(format!("{}: {}", self.scene.transcript, reason(&error)));
                    self.ended = true;
                }
            }
            self.bytes = bytes;
        }
        self.ready.pop_front()
    }

    /// Makes the events of one line. `false`: it is no JSON.
    fn take(&mut self, bytes: &[u8]) -> bool {
        let bytes = bytes.trim_ascii();
        match line::worth(bytes) {
            line::Worth::Nothing => return true,
            line::Worth::Unreadable => return false,
            line::Worth::Reading => {}
        }
        let Some(line) = std::str::from_utf8(bytes).ok().and_then(Line::parse) else { return false };
        self.scene.follow(&line, self.agent.as_ref());
        if std::mem::take(&mut self.starts) {
            self.session_start("startup");
        }
        match &*line.kind {
            "assistant" => self.assistant(&line),
            "user" => self.user(&line),
            "attachment" => {
                if let Some(prompt) = self.typed_here() {
                    self.prompt(&prompt);
                }
            }
            "system" if line.subtype.as_deref() == Some("compact_boundary") && self.agent.is_none() => {
                self.session_start("compact");
            }
            _ => {}
        }
        true
    }

    fn session_start(&mut self, source: &str) {
        // Sessions are started by the main agent, whoever's line is the first.
        let agent = self.scene.agent.take();
        let own = Wire { source: Some(source), ..Wire::default() };
        self.push(self.scene.event("SessionStart", &own));
        self.scene.agent = agent;
    }

    fn push(&mut self, event: Rebuilt) {
        self.told.clone_from(&event.at);
        self.ready.push_back(event);
    }

    /// What a person typed in the line that was just read.
    fn typed_here(&mut self) -> Option<String> {
        let number = self.number;
        self.prompts.next_if(|prompt| prompt.line == number).map(|prompt| prompt.text)
    }

    fn prompt(&mut self, text: &str) {
        let own = Wire { prompt: Some(text), ..Wire::default() };
        self.push(self.scene.event("UserPromptSubmit", &own));
    }

    fn assistant(&mut self, line: &Line<'_>) {
        let Content::Blocks(blocks) = line.content() else { return };
        if self.scene.agent.is_none() && line.is_api_error_message != Some(true) {
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block.text.as_deref()).collect();
            let before = self.answer.take().map(|(_, text)| text).unwrap_or_default();
            let text = if texts.is_empty() { before } else { texts.join("\n") };
            self.answer = Some((self.scene.at.clone(), text));
        }
        for block in blocks.iter().filter(|block| block.kind == "tool_use") {
            let (Some(id), Some(name)) = (&block.id, &block.name) else { continue };
            let own = Wire {
                tool_name: Some(name),
                tool_input: block.input,
                tool_use_id: Some(id),
                ..Wire::default()
            };
            let call = Some((Moment::Before, id.to_owned()));
            self.push(Rebuilt { call, ..self.scene.event("PreToolUse", &own) });
            let call = Call { tool: name.clone(), input: block.input.map(ToOwned::to_owned) };
            self.open.insert(id.clone(), call);
        }
    }

    fn user(&mut self, line: &Line<'_>) {
        let typed = self.typed_here();
        match line.content() {
            // A command of the client itself, such as /clear: no hook hears of it.
            Content::Text(text) if text.trim_start().starts_with("<command-name>") => {}
            Content::Text(text) if typed.is_none() && text.starts_with("<task-notification>") => {
                if self.scene.agent.is_none() {
                    self.prompt(&text);
                }
            }
            Content::Blocks(blocks) if typed.is_none() => {
                if blocks.iter().any(Block::is_interruption) {
                    self.answer = None;
                }
                for block in blocks.iter().filter(|block| block.kind == "tool_result") {
                    self.result(line, block);
                }
            }
            _ => {
                if let Some(prompt) = typed {
                    self.end_turn();
                    self.prompt(&prompt);
                }
            }
        }
    }

    fn result(&mut self, line: &Line<'_>, block: &Block<'_>) {
        let Some(id) = &block.tool_use_id else { return };
        let Some(call) = self.open.remove(&**id) else { return };
        let error = (block.is_error == Some(true)).then(|| block.result_text());
        let refused_by_client = error.as_ref().is_some_and(|error| error.starts_with("<tool_use_error>"));
        let rejected = line.permission_decision.and_then(|raw| field::string(raw.get(), "decision"));
        // A call that was refused did not run, and nothing follows it.
        if rejected.as_deref() == Some("reject") || error.as_ref().is_some_and(|error| is_denial(error)) {
            return;
        }
        let own = Wire {
            tool_name: Some(&call.tool),
            tool_input: call.input.as_deref(),
            tool_use_id: Some(id),
            tool_response: line.tool_use_result.filter(|_| error.is_none()),
            error: error.as_deref(),
            ..Wire::default()
        };
        let name = if error.is_some() { "PostToolUseFailure" } else { "PostToolUse" };
        let moment = Some((Moment::After, id.to_owned()));
        let event = Rebuilt { refused_by_client, call: moment, ..self.scene.event(name, &own) };
        self.push(event);
    }

    /// The turn ended with the model's last words.
    fn end_turn(&mut self) {
        let Some((at, text)) = self.answer.take() else { return };
        // The last line may be a subagent's; turns are the main agent's.
        self.scene.agent = None;
        let own =
            Wire { stop_hook_active: Some(false), last_assistant_message: Some(&text), ..Wire::default() };
        // Nothing comes before what was told already, such as a compaction between the answer and the next prompt.
        let at = at.max(self.told.clone());
        let event = Rebuilt { at, ..self.scene.event("Stop", &own) };
        self.push(event);
    }
}

fn is_denial(error: &str) -> bool {
    error.starts_with("PreToolUse:") && error.contains(" hook error")
}

/// What kind of subagent it was: in a file beside its transcript.
fn kind_beside(transcript: &Path) -> Option<String> {
    let text = read_string(&transcript.with_extension("meta.json")).ok()?;
    field::string(&text, "agentType").map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests;
