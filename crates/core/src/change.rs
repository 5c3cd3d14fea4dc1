//! What a rule wants done. Rules never write: they return these, and the store carries them out.

use crate::approval::By;
use crate::chain::{Began, Forbidden, Outcome, Stored};
use crate::client::{ClientProcess, Snapshot};
use crate::dialogue::Question;
use crate::directive::context::Queued;
use crate::enrich::Key;
use crate::evidence::ledger::Line;
use crate::evidence::output::Said;
use crate::evidence::recorder::Ran;
use crate::note::Kind;
use crate::plan::{AgentNews, Armed, HaltKind, Observation, Review, Reviewer};
use crate::runner::Seen;
use crate::task::{NewTask, State};

/// One thing to write down or to do after all rules have spoken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The agent session began, or went on after a resume or compaction.
    SessionStarted {
        source: &'static str,
        /// The model that it begins with, if the client tells.
        model: Option<String>,
        client: Option<ClientProcess>,
        wiring: Vec<(String, Snapshot)>,
    },
    /// Another client goes on with the session, whose own runs no more.
    ClientChanged {
        client: ClientProcess,
    },
    /// A person typed a prompt: a new turn. Only the beginning of it is kept.
    TurnStarted {
        prompt: String,
        /// By which the client's later events name it.
        id: Option<String>,
    },
    /// What a person typed, as DIALOGUE.md keeps it: a work session may begin in this turn.
    RequestKept {
        text: String,
    },
    /// A person answered a question that the agent asked.
    UserAnswered {
        answer: String,
    },
    /// A person, so it seems, answered a request for approval.
    Answered {
        number: u32,
        yes: bool,
        words: String,
        by: By,
    },
    /// A turn is over, and with it the answers to these requests for approval. What was used in it has been shown.
    ApprovalsEnded {
        numbers: Vec<u32>,
    },
    /// The agent knows what another session took from it.
    LossTold,
    /// The client was kept from taking up a settings file: what it has loaded stands in no file.
    SettingsHeld,
    /// The person knows what of the project's files does not count, in every session.
    NewsTold {
        news: String,
    },
    /// The context files were told, or named, as they are now.
    ContextSeen,
    SessionEnded {
        reason: String,
    },
    /// The rule has spoken in this turn and stays silent until the next.
    SpokeThisTurn {
        rule: &'static str,
    },
    /// STATUS is to be shown at the end of this turn. `before`: only if a commit was made since this one; an empty name stands for
    /// none.
    TailDue {
        before: Option<String>,
    },
    /// It was.
    TailShown,
    /// A chain begins, in place of an earlier one.
    ChainStarted {
        chain: Box<Stored>,
    },
    /// Its next entry was called.
    ChainCalled {
        skill: String,
        args: String,
        /// How it is to end, if its skill declares that.
        began: Option<Began>,
        /// What became of the entry before it.
        outcome: Outcome,
    },
    /// Its next entry could not be called.
    ChainFailed {
        skill: String,
        why: String,
        began: Option<Began>,
    },
    /// A turn ends with entries left: the person has the word.
    ChainWaits,
    /// The person's words forbid exits, or what follows a failure.
    ChainForbidden {
        forbidden: Forbidden,
    },
    /// What the person has forbidden that counts for the exits of what follows.
    ExitsForbidden {
        forbidden: Forbidden,
    },
    /// The chain of another session, whose client is gone, goes on in this one.
    ChainTaken {
        from: String,
        chain: Box<Stored>,
    },
    /// What the session remembers is written anew: it could not be read, or holds lines that the person was not shown.
    StateRenewed,
    /// The person goes on without the entry that failed.
    ChainSkipped,
    /// The person has answered: the end of this turn may name the next entry.
    ChainArmed,
    /// The person takes it up again.
    ChainResumed,
    /// A new session was told of the chains of these sessions, whose clients are gone.
    OrphansTold {
        sessions: Vec<String>,
    },
    /// The end of a turn named its next entry.
    ChainNamed,
    ChainDropped,
    /// The model was told that the user dropped it.
    ChainDropTold,
    /// Record tasks, and what was typed for them, which must not be lost if that fails.
    AddTasks {
        tasks: Vec<NewTask>,
        typed: String,
    },
    /// Items of the project's notes came into the main agent's context.
    Enriched {
        items: Vec<Key>,
    },
    /// Keep a fragment in the queue, verbatim.
    Capture {
        fragment: String,
    },
    /// Keep a note, without a scope.
    Remember {
        kind: Kind,
        text: String,
    },
    /// Mark a task as in progress, for this session.
    StartTask {
        name: String,
        /// The state that the rule saw, which tells apart tasks of one name.
        from: State,
    },
    /// Mark the task that this session works on as done: the last entry of its command is.
    TaskDone {
        name: String,
    },
    /// A call passed by that is taken for the reading of the skill.
    SkillRead,
    /// A call of an agent counts towards its next log entry. `seen`: the count that the rule saw; if another call was quicker the
    /// event is judged anew.
    CallCounted {
        agent: String,
        seen: u32,
        /// The file that it edits.
        edited: Option<String>,
    },
    /// A call that logs begins; how often logging had succeeded before it.
    LogBegan {
        agent: String,
        logs: u64,
    },
    /// It ended without an entry.
    LogFailed {
        agent: String,
    },
    /// An agent has logged.
    CallsReset {
        agent: String,
    },
    /// Directives came into an agent's context, or were named to it. `seen`: how many the rule took for told; it is told by one event
    /// only, so if another was quicker the event is judged anew.
    DirectivesTold {
        agent: String,
        seen: usize,
        delivered: Vec<String>,
        pending: Vec<String>,
        /// What did not fit: it comes with the next events.
        queued: Vec<Queued>,
        /// What was queued and is not there any more.
        gone: Vec<String>,
    },
    /// Lines were shown of a directive that was named: from one to another, of so many. Who has seen most of them has read it.
    DirectiveShown {
        agent: String,
        path: String,
        lines: (u64, u64),
        of: u64,
    },
    /// A call went by without the agent reading what was named to it. `seen`: the count that the rule saw; if another call was
    /// quicker the event is judged anew.
    DirectiveAwaited {
        agent: String,
        seen: u32,
    },
    /// A checklist is to be handed in before the work may rest, also if it was before.
    ChecklistArmed {
        work: String,
        path: String,
    },
    /// A subagent's context is gone.
    AgentEnded {
        agent: String,
    },
    /// The model was told that its context is nearly full.
    OverflowTold,
    /// A new context was told of the work.
    Restored {
        work: String,
    },
    /// The work session of the session before a clear is this session's now.
    WorkInherited {
        name: String,
        from: String,
    },
    /// A turn has ended with nothing left to run: `engine run` may start the client again, if it was asked to.
    RestartReady {
        transcript: Option<String>,
    },
    /// The work that was bound before a clear was told to its successor.
    ClearedTold,
    /// The plan of the session before a clear is this session's now.
    PlanInherited {
        name: String,
        from: String,
    },
    /// Something to keep in a file of a work session, with its time.
    Recorded {
        work: String,
        record: Record,
    },
    /// A command ran while a plan or a work session is open: what the journal keeps of it besides.
    Ran {
        ran: Vec<Ran>,
        said: Option<Said>,
        /// A check passed: the content that it passed on is to be kept.
        passed: bool,
        /// Something else than the session's client sent the event.
        forged: bool,
    },
    /// Another hook changed the call after it was judged; what was judged, in one line.
    Rewritten {
        judged: String,
    },
    /// What the client runs by itself was looked at.
    RunnersSeen {
        seen: Box<Seen>,
    },
    /// Edits, checks and skills that concern the open plan.
    PlanSaw {
        observations: Vec<Observation>,
    },
    /// Edits and checks, for the line that tells the person how the work stands.
    ChecksSeen {
        lines: Vec<Line>,
    },
    /// The plan is to stop until a person has spoken.
    PlanHalted {
        name: String,
        kind: HaltKind,
        reason: String,
    },
    /// What an event tells of the agents of a delegated plan's steps.
    StepAgent {
        name: String,
        news: AgentNews,
    },
    /// The agent of a step wanted to end without having done anything, and was sent on.
    StepAgentSentOn {
        agent: String,
    },
    /// An agent that judges is about to start with a brief of the plan.
    ReviewBriefed {
        by: Reviewer,
        /// The call that starts it.
        call: String,
    },
    /// What such a call came to: the agent, or none.
    ReviewerStarted {
        call: String,
        agent: Option<String>,
    },
    /// A turn has ended: briefs of calls that named no agent are void.
    BriefsForgotten,
    /// A name or an id by which messages reach an agent that judges.
    ReviewerKnown {
        name: String,
    },
    /// An agent that judges is about to call its first tool.
    ReviewBegan {
        agent: String,
        by: Reviewer,
    },
    /// A call of a tool of such an agent has ended.
    ReviewerLooked {
        agent: String,
    },
    /// It has answered.
    Reviewed {
        name: String,
        agent: String,
        review: Box<Review>,
    },
    /// The agent was told where decisions go.
    PlanReminded,
    /// A person typed `/do`, or a chain called it: nothing is changed until a plan is locked.
    Armed(Armed),
    /// A person said something else.
    Disarmed,
    /// What the intent router answered.
    RouterAnswered {
        text: String,
    },
    /// Something was changed while no step is active: the first work step that is not done begins.
    PlanBegins {
        name: String,
    },
    /// Something was changed in a quick plan, or a run may end steps: looked up once the event is recorded.
    PlanMoves {
        name: String,
        /// A proof that ends steps has run.
        ran: bool,
    },
    /// The turn is over and a quick plan seems to be shown: it is closed if the look-up confirms that.
    PlanCloses {
        name: String,
        /// The agent is told what is missing if it is not.
        reminds: bool,
    },
    /// The agent was told of the skills that the plan names.
    PlanSkillsTold,
    /// A plan that only answers has done so.
    PlanAnswered {
        name: String,
    },
    /// A call of a tool begins: how the files stand that these pathspecs of git name is to be kept.
    AutoCommitBegan {
        call: String,
        paths: Vec<String>,
    },
    /// It ended: commit what it has changed of them.
    AutoCommit {
        call: String,
        paths: Vec<String>,
        /// The file that the tool itself names, from the root.
        file: Option<String>,
        message: String,
    },
    /// Variables for the agent's shell, through the file that the client names for them.
    Export {
        variables: Vec<(&'static str, String)>,
    },
}

/// What is kept beside the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// What a person typed.
    Prompt(String),
    /// What the agent asked, and what was answered.
    Asked { preamble: String, questions: Vec<Question> },
    /// An entry of a log.
    Log { file: String, title: String, body: String },
}
