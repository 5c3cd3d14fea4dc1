//! A throw-away home and project, and the engine started in them with a cleared environment.

use std::ffi::OsStr;
use std::fs;
use std::io::{PipeReader, PipeWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use engine_store::project::Project;
use engine_store::trust;
use serde_json::{Value, json};

pub(crate) struct Stage {
    folder: tempfile::TempDir,
    program: PathBuf,
    variables: Vec<(String, String)>,
}

pub(crate) struct Output {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Output {
    /// Stdout as one JSON object.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {:?} {:?}", self.stdout, self.stderr))
    }

    pub(crate) fn context(&self) -> String {
        self.json()["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn is_refused_a_lock(&self) -> bool {
        let refusal = "another process holds the lock";
        self.stdout.contains(refusal) || self.stderr.contains(refusal)
    }

    /// Exit 0, nothing on stdout.
    pub(crate) fn assert_silent(&self) {
        assert_eq!((self.code, self.stdout.as_str()), (Some(0), ""), "stderr: {}", self.stderr);
    }
}

impl Stage {
    /// A project with an `.engine/` and nothing else; hooks are not wired.
    pub(crate) fn new() -> Self {
        let stage = Self::bare();
        stage.write(".engine/config.toml", "");
        stage
    }

    /// The same with an entry that a client would run.
    pub(crate) fn wired() -> Self {
        let stage = Self::new();
        let hook = serde_json::json!({"type": "command", "command": "engine", "args": ["hook"]});
        let settings = serde_json::json!({"hooks": {"Stop": [{"hooks": [hook]}]}});
        stage.write_from_elsewhere(".claude/settings.local.json", &settings.to_string());
        stage
    }

    /// A folder that is no project.
    pub(crate) fn bare() -> Self {
        // Not in TMPDIR: columns and cuts follow the length of a path, and some commands have it without quotes.
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let stage =
            Self { folder, program: PathBuf::from(env!("CARGO_BIN_EXE_engine")), variables: Vec::new() };
        fs::create_dir_all(stage.home()).unwrap();
        fs::create_dir_all(stage.root()).unwrap();
        stage
    }

    /// The engine with rules that speak on command (`examples/engine_with_test_rules.rs`).
    pub(crate) fn with_test_rules() -> Self {
        let program =
            Path::new(env!("CARGO_BIN_EXE_engine")).with_file_name("examples/engine_with_test_rules");
        assert!(program.exists(), "build it first: cargo build --workspace --examples");
        Self { program, ..Self::new() }
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    fn top(&self) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.top().join("home")
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.top().join("project")
    }

    /// Writes a file of the project, or beside it. A configuration is written as the person wants it: it is accepted.
    pub(crate) fn write(&self, path: &str, text: &str) {
        self.write_from_elsewhere(path, text);
        let files = [".engine/config.toml", ".engine/policy.toml"];
        if let Some(folder) = files.iter().find_map(|file| path.strip_suffix(file)) {
            self.accept_in(&self.root().join(folder));
        }
    }

    /// The same as something else than the engine and the person does it.
    pub(crate) fn write_from_elsewhere(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Trusts the project with all that is in it, as a person does.
    pub(crate) fn accept_in(&self, folder: &Path) {
        let Some(project) = Project::open(None, folder) else { return };
        let project = project.with_user_state(&self.home().join(".local/state/engine"));
        trust::trust_project(&project, &trust::AcceptableFiles::read(&project)).unwrap();
    }

    /// Writes the state of a work session as an earlier release left it: without a seal.
    pub(crate) fn write_state(&self, work: &str, text: &str) {
        for entry in fs::read_dir(self.root().join(".engine/state/work")).into_iter().flatten().flatten() {
            if entry.path().extension().is_some_and(|end| end == "seal") {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        self.write(&format!("{work}/state.json"), text);
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.root().join(path).exists()
    }

    /// Every file below the home and the project with its size.
    pub(crate) fn tree(&self) -> Vec<String> {
        fn walk(folder: &Path, top: &Path, out: &mut Vec<String>) {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                let name = path.strip_prefix(top).unwrap().display().to_string();
                if path.is_dir() {
                    walk(&path, top, out);
                } else {
                    out.push(format!("{name} {}", fs::metadata(&path).unwrap().len()));
                }
            }
        }
        let mut out = Vec::new();
        walk(&self.top(), &self.top(), &mut out);
        out.sort();
        out
    }

    /// A program in a folder, with nothing of the caller's environment.
    pub(crate) fn program_in(&self, folder: &Path, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        let path = format!(
            "{}:{}",
            Path::new(env!("CARGO_BIN_EXE_engine")).parent().unwrap().display(),
            "/usr/bin:/bin"
        );
        command.current_dir(folder).env_clear();
        command.env("HOME", self.home()).env("PATH", path).env("TZ", "UTC").env("TMPDIR", self.top());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn command_in(&self, folder: &Path, args: &[&str]) -> Command {
        let mut command = self.program_in(folder, &self.program);
        command.args(args).envs(self.variables.iter().cloned());
        command
    }

    /// Runs git in the project as Ada, and gives both its outputs.
    pub(crate) fn try_git(&self, args: &[&str]) -> Output {
        let mut command = self.program_in(&self.root(), "git");
        command.args(args);
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "Ada").env(format!("GIT_{role}_EMAIL"), "a@example.org");
        }
        run(command, None)
    }

    /// Runs git in the project. It must end well; its stdout is returned.
    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let done = self.try_git(args);
        assert_eq!(done.code, Some(0), "git {args:?}: {}", done.stderr);
        done.stdout
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.command_in(&self.root(), args)
    }

    /// The engine as the agent starts it, if its variables are set; else as a person does, who has a terminal where one is needed.
    pub(crate) fn engine(&self, args: &[&str]) -> Output {
        let is_agents = self.variables.iter().any(|(name, _)| name == "CLAUDECODE");
        if needs_a_person(args) && !is_agents {
            return self.at_terminal(args);
        }
        run(self.command(args), None)
    }

    /// Runs a command that must end well, and gives its stdout.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let output = self.engine(args);
        assert_eq!(output.code, Some(0), "engine {args:?}: {} {}", output.stdout, output.stderr);
        output.stdout
    }

    /// `engine hook` as the client starts it.
    pub(crate) fn hook(&self, event: &Value) -> Output {
        self.hook_bytes(event.to_string().as_bytes())
    }

    pub(crate) fn hook_bytes(&self, bytes: &[u8]) -> Output {
        let mut command = self.command(&["hook"]);
        command.env("CLAUDE_PROJECT_DIR", self.root());
        run(command, Some(bytes))
    }

    /// `engine hook` as the client starts it, by a socket, where no coding agent is above the client.
    pub(crate) fn send(&self, event: &Value) -> Output {
        apart(Above::Nothing, "client", &self.client_hook(), event.to_string().as_bytes())
    }

    /// The same where the hook is wired as a line for a shell that ends in `exec`.
    pub(crate) fn send_by_shell(&self, event: &Value) -> Output {
        let hook = self.client_hook();
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "true; exec \"$0\" hook"]).arg(hook.get_program()).env_clear();
        shell.envs(hook.get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell.current_dir(self.root());
        apart(Above::Nothing, "client", &shell, event.to_string().as_bytes())
    }

    /// The same by a program that is no client.
    pub(crate) fn send_by_program(&self, event: &Value) -> Output {
        apart(Above::Nothing, "socket", &self.client_hook(), event.to_string().as_bytes())
    }

    /// The same where one is.
    pub(crate) fn send_below_agent(&self, event: &Value) -> Output {
        apart(Above::Agent, "client", &self.client_hook(), event.to_string().as_bytes())
    }

    /// A command in a terminal of its own, as a person has it.
    pub(crate) fn at_terminal(&self, args: &[&str]) -> Output {
        at_terminal(&self.command(args))
    }

    pub(crate) fn at_terminal_below_agent(&self, args: &[&str]) -> Output {
        apart(Above::Agent, "terminal", &self.command(args), b"")
    }

    /// A command as a timer starts it.
    pub(crate) fn without_terminal(&self, args: &[&str]) -> Output {
        apart(Above::Nothing, "socket", &self.command(args), b"")
    }

    fn client_hook(&self) -> Command {
        let mut command = self.command(&["hook"]);
        command.env("CLAUDE_PROJECT_DIR", self.root());
        command
    }

    /// A person types an answer to a request for approval, and the client sends it.
    pub(crate) fn answer(&self, words: &str) -> Output {
        self.answer_in(SESSION, words)
    }

    pub(crate) fn answer_in(&self, session: &str, words: &str) -> Output {
        let human = json!({"origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"});
        self.written_in(session, words, &human);
        self.send(&self.message(session, words))
    }

    /// The client's transcript of an agent session.
    pub(crate) fn transcript(&self, session: &str) -> PathBuf {
        self.home().join(format!(".claude/projects/p/{session}.jsonl"))
    }

    /// A message stands in the transcript, with what the client says of its sender.
    pub(crate) fn written_in(&self, session: &str, words: &str, sender: &Value) {
        let mut line = json!({
            "parentUuid": null,
            "isSidechain": false,
            "promptId": "6d1f6f0e-7f0c-4d0f-9a49-3f6f8a1c2b11",
            "type": "user",
            "message": {"role": "user", "content": words},
            "uuid": "0b7d9f52-40a5-4f0e-8d2b-0c9f3e7a5d21",
            "timestamp": engine_store::clock::now().rfc3339(),
            "permissionMode": "default",
            "sessionId": session,
        });
        for (key, value) in sender.as_object().unwrap() {
            line[key] = value.clone();
        }
        let path = self.transcript(session);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// The event of a prompt in an agent session, with its transcript.
    pub(crate) fn message(&self, session: &str, words: &str) -> Value {
        let fields =
            json!({"prompt": words, "session_id": session, "transcript_path": self.transcript(session)});
        self.event_with("UserPromptSubmit", &fields)
    }

    /// A recorded event, moved to this project.
    pub(crate) fn event(&self, name: &str) -> Value {
        let text = engine_testkit::event(name).to_string();
        serde_json::from_str(&text.replace("/home/dev/project", &self.root().display().to_string())).unwrap()
    }

    /// A recorded event with some fields changed.
    pub(crate) fn event_with(&self, name: &str, fields: &Value) -> Value {
        let mut event = self.event(name);
        for (key, value) in fields.as_object().unwrap() {
            event[key] = value.clone();
        }
        event
    }

    pub(crate) fn prompt(&self, text: &str) -> Value {
        self.event_with("UserPromptSubmit", &json!({"prompt": text}))
    }

    pub(crate) fn bash(&self, command: &str) -> Value {
        self.event_with("PreToolUse", &json!({"tool_input": {"command": command}}))
    }

    pub(crate) fn write_tool(&self, path: &str, content: &str) -> Value {
        let input = json!({"file_path": self.root().join(path), "content": content});
        self.event_with("PreToolUse.Write", &json!({"tool_input": input}))
    }

    /// All entries of the journal, in order.
    pub(crate) fn journal(&self) -> Vec<Value> {
        let Ok(days) = fs::read_dir(self.root().join(".engine/journal")) else { return Vec::new() };
        let mut files: Vec<PathBuf> = days
            .flatten()
            .map(|day| day.path())
            .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
            .collect();
        files.sort();
        let text: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect()
    }

    /// The state of the recorded session that most events belong to.
    pub(crate) fn state(&self) -> Value {
        serde_json::from_str(&self.read(&format!(".engine/state/sessions/{SESSION}.json"))).unwrap()
    }

    /// Text with everything that differs from run to run taken out.
    pub(crate) fn masked(&self, text: &str) -> String {
        let text = text.replace(&self.top().display().to_string(), "[TOP]");
        let text = text.replace(&Path::new(env!("CARGO_BIN_EXE_engine")).display().to_string(), "[ENGINE]");
        let mut out = String::new();
        for line in text.split_inclusive('\n') {
            let mut words = Vec::new();
            for word in line.split(' ') {
                words.push(mask_word(word));
            }
            out.push_str(&words.join(" "));
        }
        out
    }
}

/// Whether a command does what only a person may do.
pub(crate) fn needs_a_person(args: &[&str]) -> bool {
    match args {
        ["trust", rest @ ..] => !rest.contains(&"--show"),
        ["uninstall", ..] | ["config", "set" | "accept", ..] | ["evidence", "learn", "--set", ..] => true,
        ["plan", verb, ..] => matches!(*verb, "resume" | "criteria" | "close"),
        ["tag", verb, ..] => matches!(*verb, "add" | "swap"),
        ["directives", "new", rest @ ..] => rest.contains(&"--user"),
        _ => args.contains(&"--user-approved"),
    }
}

/// A command in a terminal of its own, with nothing but the first process above it.
pub(crate) fn at_terminal(command: &Command) -> Output {
    apart(Above::Nothing, "terminal", command, b"")
}

/// Runs a command below a process of our own making; see `apart.rs` of the testkit.
fn apart(above: Above, how: &str, command: &Command, input: &[u8]) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_engine")).with_file_name("examples/apart");
    assert!(program.exists(), "build it first: cargo build --workspace --examples");
    let folder = tempfile::tempdir().unwrap();
    let (given, out) = (folder.path().join("in"), folder.path().join("out"));
    fs::write(&given, input).unwrap();
    let agent = folder.path().join("claude");
    std::os::unix::fs::symlink("/bin/sh", &agent).unwrap();
    // A client is known by its name.
    let client = folder.path().join("client/claude");
    fs::create_dir(folder.path().join("client")).unwrap();
    std::os::unix::fs::symlink(&program, &client).unwrap();
    let (program, how) = if how == "client" { (client, "socket") } else { (program, how) };
    let (shell, script) = match above {
        // The shell ends at once, and what it started has lost its parent.
        Above::Nothing => (Path::new("/bin/sh"), "setsid \"$0\" $$ \"$@\" &"),
        // It waits for it, under the name of an agent.
        Above::Agent => (agent.as_path(), "setsid \"$0\" 0 \"$@\" & wait"),
    };
    let mut shell = Command::new(shell);
    shell.args(["-c", script]).arg(program).arg(how).args([&given, &out]);
    shell.arg(command.get_program()).args(command.get_args()).env_clear();
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.current_dir(command.get_current_dir().unwrap());
    shell.stdin(Stdio::null()).stdout(Stdio::null());
    assert!(shell.status().unwrap().success());
    until("it has ended", || out.exists());
    let done: Value = serde_json::from_str(&fs::read_to_string(out).unwrap()).unwrap();
    let text = |name: &str| done[name].as_str().unwrap_or_default().to_owned();
    let code = done["code"].as_i64().and_then(|code| i32::try_from(code).ok());
    Output { code, stdout: text("stdout"), stderr: text("stderr") }
}

/// What is above a process.
#[derive(Clone, Copy)]
enum Above {
    /// Nothing but the first process, whatever is above this test.
    Nothing,
    /// A coding agent.
    Agent,
}

/// The session of the recorded events of one conversation.
pub(crate) const SESSION: &str = "bd48f8aa-611e-4e64-b1f5-2e515a790906";

fn mask_word(word: &str) -> String {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    let core = word.trim_end();
    // A moment may stand in brackets or before a comma.
    let (before, core) = core.strip_prefix('(').map_or(("", core), |core| ("(", core));
    let bare = core.trim_end_matches([',', ')', ';', ':']);
    let (core, behind) = (bare, &core[bare.len()..]);
    let masked = if core.len() == 12
        && core.starts_with('1')
        && core.bytes().all(|c| c.is_ascii_digit() || c.is_ascii_lowercase())
    {
        "[ID]"
    } else if core.len() == 10 && core.split('-').count() == 3 && core.split('-').all(digits) {
        "[DAY]"
    } else if core.len() == 8 && core.split(':').count() == 3 && core.split(':').all(digits) {
        "[TIME]"
    } else if core.len() == 24 && core.ends_with('Z') && core.as_bytes()[10] == b'T' {
        "[MOMENT]"
    } else if core.len() == 17 && core.ends_with('Z') && core.as_bytes()[10] == b'T' {
        "[MINUTE]"
    } else {
        core
    };
    format!("{before}{masked}{behind}{}", &word[word.trim_end().len()..])
}

/// Runs a command. Its whole input is there before it starts: it waits for its writer only for a while, and nobody
/// knows when this process gets its turn.
pub(crate) fn run(mut command: Command, stdin: Option<&[u8]>) -> Output {
    if let Some(bytes) = stdin {
        command.stdin(input(bytes));
    }
    output_of(command.spawn().unwrap())
}

/// What any pipe holds.
const PIPE: usize = 4096;

pub(crate) fn input(bytes: &[u8]) -> Stdio {
    if bytes.len() <= PIPE {
        return filled_pipe(bytes).0.into();
    }
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    file.into()
}

/// A pipe with this input in it. It stays open for as long as its writer is kept.
pub(crate) fn filled_pipe(bytes: &[u8]) -> (PipeReader, PipeWriter) {
    assert!(bytes.len() <= PIPE, "a writer would block");
    let (reader, mut writer) = std::io::pipe().unwrap();
    writer.write_all(bytes).unwrap();
    (reader, writer)
}

/// Bounds a hang, and nothing else: no test depends on how fast the machine is.
const HANG: Duration = Duration::from_mins(5);

/// Waits for a fact.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + HANG;
    while !is_so() {
        assert!(Instant::now() < end, "not within {} s: {what}", HANG.as_secs());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits for the end of a process that could hang.
pub(crate) fn ended(child: &mut Child) -> ExitStatus {
    let mut status = None;
    let end = Instant::now() + HANG;
    while status.is_none() {
        if Instant::now() > end {
            let _ = child.kill();
            panic!("it did not end within {} s", HANG.as_secs());
        }
        std::thread::sleep(Duration::from_millis(5));
        status = child.try_wait().unwrap();
    }
    status.unwrap()
}

/// Starts so many at once, and waits for all. One that was refused a lock said so: it is started again, as whoever
/// started it would do. What must not happen is that something is lost without a word.
pub(crate) fn at_once(number: usize, command: impl Fn(usize) -> Command) -> Vec<Output> {
    let children: Vec<Child> = (0..number).map(|n| command(n).spawn().unwrap()).collect();
    let mut outputs: Vec<Output> = children.into_iter().map(output_of).collect();
    for (n, output) in outputs.iter_mut().enumerate() {
        until("it gets the lock", || {
            let is_refused = output.is_refused_a_lock();
            if is_refused {
                *output = run(command(n), None);
            }
            !is_refused
        });
    }
    outputs
}

/// Kills processes later and later, up to their end, and then from the start again. How long they take is found out by
/// the way, since it depends on what else the machine does.
pub(crate) struct Kills {
    pub(crate) killed: usize,
    delay: Duration,
    step: Duration,
    in_a_row: u32,
}

impl Kills {
    pub(crate) fn new() -> Self {
        Self { killed: 0, delay: Duration::ZERO, step: Duration::from_micros(250), in_a_row: 0 }
    }

    /// Kills it at the next moment; what it had said by then.
    pub(crate) fn kill(&mut self, mut child: Child) -> Output {
        std::thread::sleep(self.delay);
        let _ = child.kill();
        let output = output_of(child);
        if output.code.is_none() {
            self.killed += 1;
            self.in_a_row += 1;
            self.delay += self.step;
            if self.in_a_row.is_multiple_of(60) {
                self.step *= 2;
            }
        } else {
            if self.in_a_row < 20 {
                self.step = (self.step / 2).max(Duration::from_micros(10));
            }
            (self.delay, self.in_a_row) = (Duration::ZERO, 0);
        }
        output
    }
}

pub(crate) fn output_of(child: Child) -> Output {
    let output = child.wait_with_output().unwrap();
    Output {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
