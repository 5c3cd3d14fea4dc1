//! A runbook that runs by itself: each step is given to a client of its own, one after the other, and no model hands them out.
//!
//! What a step's client says of itself counts as little as what an agent says: the same looks decide. Everything that must outlive this
//! process is in the plan before the client starts, so a kill at any moment leaves a step that is looked at again.

use std::ffi::OsString;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{Read, Seek};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use engine_claude::headless::{self, Answer, End, Headless};
use engine_core::config::Config;
use engine_core::evidence::known::CHECKS;
use engine_core::evidence::proof::Proof;
use engine_core::plan::{AgentNews, Came, Claim, HaltKind, Plan, Run, State, Step, StepId, Turn};
use engine_rules::config::variable_of;
use engine_rules::{RUN_AGENT, STEP};
use engine_store::approve::{self, Caller};
use engine_store::{clock, config_file, plan_file};
use engine_text::line::one_line;
use serde::Serialize;

use super::{drive, left_behind, name_of};
use crate::error::{CommandError, Failure, Outcome};
use crate::evidence::again;
use crate::plan::close::{self, Closed};
use crate::plan::{self, CommandContext, MEANWHILE};
use crate::plugin;
use crate::supervisor::Supervisor;

/// Of what a client printed before it ended without an answer.
const LONGEST: usize = 200;
/// Of an agent's definition in the client's arguments: the system takes 128 KB.
const LONGEST_AGENT: usize = 100_000;
/// So often an end is looked at anew, if something else has changed the plan meanwhile.
const LOOKS: usize = 3;

/// What is told while it runs.
#[derive(Debug)]
pub enum News<'a> {
    Note(&'a str),
    Began(Began),
    Ended(StepEnd),
}

/// A step is given to a client.
#[derive(Debug)]
pub struct Began {
    pub step: StepId,
    pub text: String,
    pub model: String,
    pub done: usize,
    pub of: usize,
}

/// A try at a step is over.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepEnd {
    pub step: StepId,
    /// `done`, `failed`, `lost`; `findings` of a review that found something to mend.
    pub came: &'static str,
    /// The tier that was asked for, and the model that the client used.
    pub model: String,
    pub used: Option<String>,
    pub tokens: Option<u64>,
    pub seconds: u64,
    pub why: Option<String>,
    /// Steps that are done, and all of them.
    pub done: usize,
    pub of: usize,
}

/// Runs plans/NAME to its end, or until a person is needed. `args`: what the clients are given besides.
pub fn run(
    context: &mut CommandContext,
    written: &str,
    args: &[OsString],
    tell: &mut dyn FnMut(News<'_>),
) -> Result<Closed, CommandError> {
    let name = name_of(written)?;
    may_run(context, &name)?;
    if let Some(option) = headless::is_set_here(args) {
        return Err(CommandError::usage(format!("{option} is set for each step by the runbook")));
    }
    context.named = Some(name.clone());
    drive::opened(context, &name)?;
    let held = plan_file::hold_run(&context.project, &name)?;
    let _held = held.ok_or_else(|| plan::is_run(&name))?;
    take_over(context)?;
    for note in drive::lock(context)? {
        tell(News::Note(&note));
    }
    let supervisor = Supervisor::new()?;
    let config = config_file::load(&context.project);
    Runner { context, config, args, supervisor, tell }.run()
}

/// It starts clients with what its caller adds to them, so an agent does not start it.
fn may_run(context: &CommandContext, name: &str) -> Outcome {
    let project = &context.project;
    let why = match &context.caller {
        Caller::Person if !approve::is_below_client(project) => return Ok(()),
        Caller::Program if !approve::is_anybody_here(project) => return Ok(()),
        Caller::Program => "has no terminal, and an agent session is open here that may have started it",
        Caller::Person | Caller::Agent { .. } => "runs below a coding agent",
    };
    Err(CommandError::refused(format!("engine runbook run needs a person, and this command {why}"))
        .hint("the person runs it in a terminal of their own")
        .hint(format!("an agent delegates the steps itself: engine runbook next {name}")))
}

/// Takes a plan that nobody works on any more. What was at work is looked at again.
fn take_over(context: &CommandContext) -> Outcome {
    let (_, plan) = context.found()?;
    if let Some(owner) = plan.owner.as_deref().filter(|owner| context.session(owner).is_alive()) {
        let name = &plan.name;
        return Err(CommandError::refused(format!("plan {name} belongs to the agent session {owner}"))
            .hint("it is free when that session ends")
            .hint(format!("how it stands: engine runbook status {name}")));
    }
    left_behind::end(context, &plan)?;
    context.change(|plan, now| {
        plan.owner = None;
        plan.heard(&AgentNews::Lost, "", now);
        Ok(())
    })?;
    Ok(())
}

struct Runner<'a> {
    context: &'a CommandContext,
    config: Config,
    args: &'a [OsString],
    supervisor: Supervisor,
    tell: &'a mut dyn FnMut(News<'_>),
}

impl Runner<'_> {
    fn run(&mut self) -> Result<Closed, CommandError> {
        loop {
            if self.supervisor.is_told_to_end() {
                return Err(stopped(&self.context.found()?.1));
            }
            self.recheck()?;
            let (_, plan) = self.context.found()?;
            let closed = match plan.turn(&clock::now().rfc3339()) {
                Turn::Halted => return Err(halted(&plan)),
                Turn::Inline(step) => return self.by_hand(&plan, step),
                Turn::Built => return close::close(self.context, None),
                Turn::Reports(step) => self.look(step.number, Instant::now(), &[])?,
                Turn::Starts(steps) => match steps.first() {
                    Some(step) => self.start(&plan, step)?,
                    None => return Err(CommandError::refused("no step can begin")),
                },
                Turn::Waits(steps) => {
                    let step = steps.first().map(|step| step.number.to_string()).unwrap_or_default();
                    return Err(CommandError::refused(format!("step {step} is at work elsewhere")));
                }
            };
            if let Some(closed) = closed {
                return Ok(closed);
            }
        }
    }

    fn recheck(&mut self) -> Outcome {
        let mut notes = Vec::new();
        drive::recheck(self.context, &mut notes)?;
        for note in &notes {
            (self.tell)(News::Note(note));
        }
        Ok(())
    }

    /// What the main agent would do is a person's here.
    fn by_hand(&self, plan: &Plan, step: &Step) -> Result<Closed, CommandError> {
        let (number, name) = (step.number, &plan.name);
        let (head, content) = (self.context.head(), self.context.content());
        self.context.change(|plan, now| plan.begin_inline(number, head, content, now))?;
        let folder = plan.runbook.as_ref().map_or_else(String::new, |source| source.folder.clone());
        let files = if step.files.is_empty() { "any".to_owned() } else { step.files.join(", ") };
        let error = CommandError::refused(format!("step {number} is done by hand: {}", step.text))
            .hint(format!("what to do: {folder}/runbook*.md; files: {files}"));
        let error = match &step.proof {
            Some(Proof::Passes(check)) => error.hint(format!("its check: {}", again(check))),
            _ => error,
        };
        Err(error
            .hint(format!("when it is done: engine runbook done {number} --plan {name}"))
            .hint(format!("then: engine runbook run {name}")))
    }

    /// Has a client do a step, and looks at what it left.
    fn start(&mut self, plan: &Plan, step: &Step) -> Result<Option<Closed>, CommandError> {
        let number = step.number;
        if let Some(reason) = plan.over_budget(&self.config, clock::now()) {
            self.context.change(|plan, now| plan.halt(HaltKind::Budget, &reason, now))?;
            return Ok(None);
        }
        let call = plan.call(step, false);
        let call =
            call.ok_or_else(|| CommandError::refused(format!("step {number} is for no tier of models")))?;
        let claim = Claim {
            step: number,
            session: fresh_id(),
            agent_type: call.agent_type,
            model: call.model,
            call: String::new(),
        };
        let (head, content) = (self.context.head(), self.context.content());
        self.context.change(|plan, now| plan.claim(&claim, head, content, now))?;
        (self.tell)(News::Began(Began {
            step: number,
            text: step.text.clone(),
            model: claim.model.clone(),
            done: done(plan),
            of: plan.steps.len(),
        }));
        let began = Instant::now();
        let ran = match self.client(plan, step, &claim, &call.prompt) {
            Ok(ran) => ran,
            Err(error) => {
                self.context.change(|plan, now| {
                    plan.fail_run(number, Came::Lost, Some("its client did not start"), now)
                })?;
                return Err(error);
            }
        };
        let cut = self.cut(plan, &claim, &ran)?;
        let Answer { model, tokens, end, denied } = ran.answer.unwrap_or_default();
        let news = AgentNews::Returned { session: claim.session, model, tokens, cut: cut.clone() };
        self.context.change(|plan, now| Ok(plan.heard(&news, "", now)))?;
        let Some(cut) = cut else {
            let mut beside = Vec::new();
            if let End::Stopped(reason) = end {
                beside.push(stopped_by(&reason, step.turns));
            }
            if !denied.is_empty() {
                beside.push(format!("calls of these tools were denied: {}", denied.join(", ")));
            }
            return self.look(number, began, &beside);
        };
        if self.supervisor.is_told_to_end() {
            // Whoever goes on looks at it.
            return Ok(None);
        }
        // The end says what the notes would.
        drive::recheck(self.context, &mut Vec::new())?;
        self.tell_end(number, began)?;
        if ran.was_ended {
            self.context.change(|plan, now| plan.halt(HaltKind::Budget, &cut, now))?;
        } else if self.context.found()?.1.step(number)?.state != State::Done {
            return Err(CommandError::refused(format!("step {number}: {cut}"))
                .hint(format!("to go on with it: engine runbook run {}", plan.name)));
        }
        Ok(None)
    }

    /// Runs the client of a step to its end.
    fn client(
        &self,
        plan: &Plan,
        step: &Step,
        claim: &Claim,
        prompt: &str,
    ) -> Result<RanClient, CommandError> {
        let program = self.config.text(&RUN_AGENT);
        let definition = self.definition(plan, step, &claim.agent_type);
        let headless = Headless {
            prompt,
            model: &claim.model,
            session: &claim.session,
            turns: step.turns,
            agent: &claim.agent_type,
            agent_file: definition.as_deref(),
            args: self.args,
        };
        let (mut out, mut err) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut command = Command::new(program);
        command.args(headless.args()).current_dir(self.context.project.root());
        command.envs(self.variables(plan));
        command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(err.try_clone()?);
        engine_alarm::end_with_parent(&mut command);
        let config = &self.config;
        let is_over = || plan.over_budget(config, clock::now()).is_some();
        let (status, was_ended) = self.supervisor.run(&mut command, is_over).map_err(|error| {
            CommandError::refused(format!("{program} cannot be started: {error}"))
                .hint("is it on PATH? Another program: engine config set run.agent PROGRAM")
        })?;
        let (said, complained) = (all_of(&mut out)?, all_of(&mut err)?);
        let answer = headless::answer(&said);
        let last = [complained, said].iter().find_map(|text| {
            text.lines().rev().find(|line| !line.trim().is_empty()).map(|line| one_line(line, LONGEST))
        });
        Ok(RanClient { answer, status, was_ended, last })
    }

    /// What the hooks of a step's client go by: its checks are evidence though no plan is its own, and what a person's new session is told
    /// is nothing to it.
    fn variables(&self, plan: &Plan) -> Vec<(String, String)> {
        let configured = self.config.commands(&CHECKS).into_iter().map(str::to_owned);
        let checks: Vec<String> = configured.chain(plan.check_lines()).collect();
        let mut variables = vec![
            (STEP.to_owned(), plan.name.clone()),
            (variable_of("rules.handoff"), "off".to_owned()),
            (variable_of("rules.open-plans"), "off".to_owned()),
        ];
        if !checks.is_empty() {
            variables.push((variable_of(CHECKS.name), serde_json::json!(checks).to_string()));
        }
        variables
    }

    /// The text of an agent that the client would not find by its name: a shipped one that is not installed, or one whose file is gone.
    fn definition(&self, plan: &Plan, step: &Step, agent: &str) -> Option<String> {
        let file = format!("{}/{agent}.md", plugin::AGENT_FOLDER);
        if self.context.project.root().join(file).is_file() {
            return None;
        }
        let shipped = step.shipped_agent()?;
        let mut text = plugin::AGENTS.iter().find(|one| one.name == shipped)?.text.to_owned();
        if agent != shipped && text.len() + plan.enriched_context.len() < LONGEST_AGENT {
            text.push_str(&format!("\n# Common context\n\n{}\n", plan.enriched_context));
        }
        Some(text)
    }

    /// Why a client has not come to the end of its work, if that is not the model's doing.
    fn cut(&self, plan: &Plan, claim: &Claim, ran: &RanClient) -> Result<Option<String>, CommandError> {
        if self.supervisor.is_told_to_end() {
            return Ok(Some("it was stopped by the user".to_owned()));
        }
        if ran.was_ended {
            return Ok(plan.over_budget(&self.config, clock::now()));
        }
        Ok(match &ran.answer {
            None => Some(match (ran.status.signal(), &ran.last) {
                (Some(signal), _) => format!("the client was ended by signal {signal}"),
                (None, Some(last)) => format!("the client ended without an answer: {last}"),
                (None, None) => "the client ended without an answer".to_owned(),
            }),
            Some(Answer { end: End::Broken(why), .. }) => {
                Some(format!("the client ended: {}", one_line(why, LONGEST)))
            }
            Some(_) => {
                let is_heard = self.context.trail(plan).is_heard(&claim.session)?;
                (!is_heard).then(|| {
                    "its client called no hook of engine, so nothing of its work can be seen: engine doctor"
                        .to_owned()
                })
            }
        })
    }

    /// Ends a step whose client has ended, well or badly. `beside`: what the client says of a bad end.
    fn look(
        &mut self,
        number: StepId,
        began: Instant,
        beside: &[String],
    ) -> Result<Option<Closed>, CommandError> {
        let mut looks = 0;
        let ended = loop {
            looks += 1;
            match drive::done(self.context, Some(number), None) {
                Err(error) if error.message.ends_with(MEANWHILE) && looks < LOOKS => {}
                ended => break ended,
            }
        };
        let ended = match ended {
            Ok(ended) => Some(ended),
            Err(error) if is_lacking(&error, number) => {
                let lacks = error.message.lines().skip(1);
                let why = beside.iter().map(String::as_str).chain(lacks).collect::<Vec<_>>().join("; ");
                drive::fail(self.context, number, Came::Failed, Some(&why))?;
                None
            }
            Err(error) => return Err(error),
        };
        self.tell_end(number, began)?;
        let Some(ended) = ended else { return Ok(None) };
        for note in &ended.kept.notes {
            (self.tell)(News::Note(note));
        }
        match ended.open {
            Some(open) => Err(open.hint("engine plan close, when it is put right")),
            None => Ok(ended.closed),
        }
    }

    fn tell_end(&mut self, number: StepId, began: Instant) -> Outcome {
        let (_, plan) = self.context.found()?;
        let step = plan.step(number)?;
        let Some(run) = step.runs.last() else { return Ok(()) };
        (self.tell)(News::Ended(StepEnd {
            step: number,
            came: came(step, run),
            model: run.model.clone(),
            used: run.resolved.clone(),
            tokens: run.tokens,
            seconds: began.elapsed().as_secs(),
            why: run.why.clone(),
            done: done(&plan),
            of: plan.steps.len(),
        }));
        Ok(())
    }
}

/// What a client left when it ended.
struct RanClient {
    answer: Option<Answer>,
    status: ExitStatus,
    /// It was ended here.
    was_ended: bool,
    /// The last line that it printed.
    last: Option<String>,
}

fn all_of(file: &mut File) -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether something is missing at a step, and the look at it did not fail itself.
fn is_lacking(error: &CommandError, number: StepId) -> bool {
    error.failure == Failure::Refused && error.message.starts_with(&format!("step {number} is not done\n"))
}

fn came(step: &Step, run: &Run) -> &'static str {
    match run.came {
        Some(Came::Failed | Came::Escalated) => "failed",
        Some(Came::Done) if step.state != State::Done => "findings",
        Some(Came::Done) => "done",
        Some(Came::Lost) | None => "lost",
    }
}

fn stopped_by(reason: &str, turns: Option<u32>) -> String {
    match (reason, turns) {
        ("error_max_turns", Some(turns)) => format!("it used all of its {turns} turns"),
        _ => format!("its client stopped: {reason}"),
    }
}

fn done(plan: &Plan) -> usize {
    plan.steps.iter().filter(|step| step.state == State::Done).count()
}

fn halted(plan: &Plan) -> CommandError {
    let reason = plan.halted().map(|halt| halt.reason.clone()).unwrap_or_default();
    let name = &plan.name;
    CommandError::refused(format!("plan {name} is halted: {reason}"))
        .hint(format!("to answer: engine runbook resume {name} --user-approved \"…\""))
        .hint(format!("then: engine runbook run {name}"))
}

fn stopped(plan: &Plan) -> CommandError {
    let cut_off = plan.steps.iter().find(|step| step.run().is_some_and(Run::is_cut_off));
    let what = cut_off
        .map(|step| format!("; step {} is looked at again when it goes on", step.number))
        .unwrap_or_default();
    CommandError::refused(format!("stopped by the user{what}"))
        .hint(format!("to go on: engine runbook run {}", plan.name))
}

/// An id for the session of a client: a random UUID.
fn fresh_id() -> String {
    let random = || RandomState::new().build_hasher().finish();
    let (high, low) = (random(), random());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        0x8000 | ((low >> 48) & 0x3fff),
        low & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_random_uuid() {
        let id = fresh_id();
        let parts: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert!(id[14..].starts_with('4') && "89ab".contains(&id[19..20]), "{id}");
        assert_ne!(id, fresh_id());
    }
}
