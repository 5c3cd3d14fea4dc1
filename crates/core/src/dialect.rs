//! A client's names as data. The client's adapter fills it in; here it is only looked up.

use engine_shell::{Run, Word};
use serde::Serialize;

/// The call by which a piece of work is given to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentCall {
    pub agent_type: String,
    pub model: String,
    pub description: String,
    pub prompt: String,
}

/// A client's own names, where the domain meets them in text: in lines of the journal, in variables, in folders, and in calls that
/// the model is told to make.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// Events of tools, as the journal has them.
    pub pre_tool: &'static str,
    pub post_tool: &'static str,
    pub post_tool_failure: &'static str,
    /// Tools that run command lines, and tools that change one file, as the journal has them.
    pub shell_tools: &'static [&'static str],
    pub edit_tools: &'static [&'static str],
    /// The fields of a response that hold what a command printed.
    pub outputs: &'static [&'static str],
    /// The field of a response that is true where the person changed the call in a dialog.
    pub changed_by_person: &'static str,
    /// The tool that runs a skill, as skills list it among their allowed tools.
    pub skill_tool: &'static str,
    /// The tool that asks the person.
    pub ask_tool: &'static str,
    /// Variables by which the engine knows whose call it is, its own among them; a star at the end stands for any rest.
    pub variables: &'static [&'static str],
    /// The variable that holds the client's process id.
    pub pid_variable: &'static str,
    /// The variable that is `1` where a person sits at the client.
    pub attended_variable: &'static str,
    /// The variable that says how the client was started, and its value where a person types into it.
    pub entrypoint_variable: &'static str,
    pub interactive: &'static str,
    /// Variables of the agent's shell by which a program sends messages into the session.
    pub message_variables: &'static [&'static str],
    /// The ends of paths at which the client's program is; a star at the end stands for any rest.
    pub programs: &'static [&'static str],
    /// Its options with a value, those that take up an earlier session, and its subcommands that do. Its other subcommands have
    /// options of their own.
    pub valued: &'static [&'static str],
    pub resuming: &'static [&'static str],
    pub attaching: &'static [&'static str],
    pub subcommands: &'static [&'static str],
    /// The folder of the client in a person's home, and the variable that names another.
    pub home: &'static str,
    pub home_variable: &'static str,
    /// Folders in it that hold what the client keeps for the agent. Who writes there does no work on the project.
    pub kept: &'static [&'static str],
    /// The folder in it with one folder per project, and the one in each of those that holds the agent's memory.
    pub projects: &'static str,
    pub memory: &'static str,
    /// What the names of transcripts end in, and the file in the client's folder with everything that the person typed.
    pub transcript_end: &'static str,
    pub history: &'static str,
    /// Folders in the client's own that every shell of the agent reads first.
    pub shells: &'static [&'static str],
    /// Where in a project the client puts the worktrees that it makes for agents.
    pub worktrees: &'static str,
    /// The folder of agent files, wherever the client looks for them below a folder of its own.
    pub agents: &'static str,
    /// Its settings files in a project, and what all their names begin with.
    pub settings: &'static [&'static str],
    pub settings_prefix: &'static str,
    /// Settings files of the machine, which count before all others; absolute.
    pub managed_settings: &'static [&'static str],
    /// Whether a run starts an agent that nobody judges, and the settings file that a start of the client takes over, whose text is
    /// given to the first.
    pub is_unguarded: fn(&Self, &Run, settings: Option<&str>) -> bool,
    pub settings_file: for<'r> fn(&Self, &'r Run) -> Option<&'r str>,
    /// Words for the model: the tools that edit files, the tool that starts an agent, the tool that shows a file.
    pub edit_words: &'static str,
    pub agent_words: &'static str,
    pub read_words: &'static str,
    /// The call that runs a skill, as the model writes it.
    pub skill_call: fn(skill: &str, args: Option<&str>) -> String,
    /// Kinds of agents that take the whole conversation along, and tools that start agents which no call names.
    pub forks: &'static [&'static str],
    pub swarms: &'static [&'static str],
    /// Tools that end the agent whose id their input names.
    pub stops: &'static [&'static str],
    /// Whether a message of the client's own says that an agent has ended without an answer.
    pub is_cut_off: fn(message: &str) -> bool,
    /// The call that starts an agent, as the model writes it.
    pub agent_call: fn(&AgentCall) -> String,
    /// Whether a path, as it is written, is that of a skill or a command.
    pub is_skill_file: fn(path: &str) -> bool,
    /// The variable in the text of a skill that stands for its folder.
    pub skill_folder_variable: &'static str,
    /// The name of a tool in words: `create task (tracker)` for a tool of a server that the person connected.
    pub tool_words: fn(tool: &str) -> String,
}

impl Dialect {
    /// Whether a variable tells the engine whose call it is.
    pub fn steers(&self, variable: &str) -> bool {
        let is = |name: &&str| match name.strip_suffix('*') {
            Some(start) => variable.starts_with(start),
            None => variable == *name,
        };
        self.variables.iter().any(is)
    }

    /// Whether a path, as it is written, is that of an agent.
    pub fn is_agent_file(&self, path: &str) -> bool {
        let Some((folders, name)) = path.rsplit_once('/') else { return false };
        let is_markdown = name.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case("md"));
        let is_folder = |part: &str| !part.is_empty() && part.eq_ignore_ascii_case(self.agents);
        is_markdown && folders.split('/').any(is_folder)
    }

    /// Whether a path is that of the client's program.
    pub fn is_program(&self, path: &str) -> bool {
        let is_part = |pattern: &str, part: &str| match pattern.strip_suffix('*') {
            Some(start) => part.starts_with(start),
            None => part == pattern,
        };
        // Most programs are named without a folder.
        if !path.contains('/') {
            return self.programs.iter().any(|end| !end.contains('/') && is_part(end, path));
        }
        self.programs.iter().any(|end| {
            let mut parts = path.rsplit('/');
            end.rsplit('/').all(|pattern| parts.next().is_some_and(|part| is_part(pattern, part)))
        })
    }

    /// The arguments of the client, if that is what is run: by its program, or as a script of an interpreter.
    pub fn arguments<'r>(&self, run: &'r Run) -> Option<&'r [Word]> {
        if run.path.literal().is_some_and(|path| self.is_program(path)) {
            return Some(&run.args);
        }
        if !run.is(&["node", "nodejs", "bun", "deno"]) {
            return None;
        }
        let at = run.args.iter().position(|arg| !arg.text.starts_with('-') && arg.text != "run")?;
        let script = run.args[at].literal().filter(|path| self.is_program(path))?;
        (!script.is_empty()).then_some(&run.args[at + 1..])
    }

    /// Whether a run begins another conversation with an agent.
    pub fn starts_agent(&self, run: &Run) -> bool {
        let looks = |arg: &Word| matches!(arg.text.as_str(), "--help" | "-h" | "--version" | "-v");
        self.arguments(run).is_some_and(|args| {
            let first = args.iter().find(|arg| !arg.text.starts_with('-'));
            let is_about = first.is_some_and(|arg| self.subcommands.contains(&arg.text.as_str()));
            !is_about && !args.iter().any(looks)
        })
    }

    /// No client: nothing is recognised.
    pub const NONE: Self = Self {
        pre_tool: "",
        post_tool: "",
        post_tool_failure: "",
        shell_tools: &[],
        edit_tools: &[],
        outputs: &[],
        changed_by_person: "",
        skill_tool: "",
        ask_tool: "",
        variables: &[],
        pid_variable: "",
        attended_variable: "",
        entrypoint_variable: "",
        interactive: "",
        message_variables: &[],
        programs: &[],
        valued: &[],
        resuming: &[],
        attaching: &[],
        subcommands: &[],
        home: "",
        home_variable: "",
        kept: &[],
        projects: "",
        memory: "",
        transcript_end: "",
        history: "",
        shells: &[],
        worktrees: "",
        agents: "",
        settings: &[],
        settings_prefix: "",
        managed_settings: &[],
        is_unguarded: |_, _, _| false,
        settings_file: |_, _| None,
        edit_words: "",
        agent_words: "",
        read_words: "",
        skill_call: |skill, args| format!("/{skill} {}", args.unwrap_or_default()),
        forks: &[],
        swarms: &[],
        stops: &[],
        is_cut_off: |_| false,
        agent_call: |call| format!("{} {}: {}", call.agent_type, call.model, call.prompt),
        is_skill_file: |_| false,
        skill_folder_variable: "",
        tool_words: str::to_owned,
    };
}

/// A client for tests of the domain.
#[cfg(test)]
pub(crate) static TEST: Dialect = Dialect {
    pre_tool: "PreToolUse",
    post_tool: "PostToolUse",
    post_tool_failure: "PostToolUseFailure",
    shell_tools: &["Bash"],
    edit_tools: &["Edit", "Write"],
    skill_tool: "Skill",
    variables: &["CLAUDECODE", "CLAUDE_*", "ENGINE_*"],
    home: "~/.claude",
    kept: &["plans", "projects"],
    worktrees: ".claude/worktrees",
    skill_call: |skill, args| format!("Skill(skill: {skill:?}, args: {:?})", args.unwrap_or_default()),
    ..Dialect::NONE
};
