//! Clients that go on though the process that started them is gone. Two must not work at one step.

use std::thread;
use std::time::{Duration, Instant};

use engine_core::client::ClientProcess;
use engine_core::plan::{Plan, Run};
use engine_store::process::{self, Life};
use rustix::process::{Pid, Signal, kill_process};

use crate::error::{CommandError, Outcome};
use crate::plan::CommandContext;

/// How long a client that was asked to end may take.
const GRACE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(50);

/// Ends the clients of a plan's steps that still run. Nobody runs the plan by itself meanwhile.
pub(super) fn end(context: &CommandContext, plan: &Plan) -> Outcome {
    for (step, run) in plan.live().filter(|(_, run)| run.is_client()) {
        let Some(client) = client_of(run, context) else { continue };
        for signal in [Signal::TERM, Signal::KILL] {
            signal_to(client, signal);
            let until = Instant::now() + GRACE;
            while runs(client) && Instant::now() < until {
                thread::sleep(LOOK);
            }
        }
        if runs(client) {
            let text = format!("the client of step {} still runs (process {})", step.number, client.pid);
            return Err(CommandError::refused(text).hint("end it first"));
        }
    }
    Ok(())
}

/// The client of a try, as its own hooks told.
fn client_of(run: &Run, context: &CommandContext) -> Option<ClientProcess> {
    context.session(&run.session).peek().client
}

/// Whether it is there, and no later process has its number.
fn runs(client: ClientProcess) -> bool {
    let is_it = |found: engine_core::client::Process| found.started == client.started;
    process::life(client) != Life::Gone && process::process(client.pid).is_some_and(is_it)
}

fn signal_to(client: ClientProcess, signal: Signal) {
    let pid = i32::try_from(client.pid).ok().and_then(Pid::from_raw);
    if let Some(pid) = pid.filter(|_| runs(client)) {
        let _ = kill_process(pid, signal);
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use engine_core::plan::{State, Step};
    use engine_store::approve::Caller;

    use super::*;
    use crate::stage::Stage;

    /// A process that is nobody's child here.
    fn adrift() -> u32 {
        let out = Command::new("sh").args(["-c", "sleep 300 > /dev/null 2>&1 & echo $!"]).output().unwrap();
        String::from_utf8(out.stdout).unwrap().trim().parse().unwrap()
    }

    #[test]
    fn a_client_that_still_runs_is_ended_and_no_other() {
        let stage = Stage::new();
        let context = CommandContext::of(stage.project(), Caller::Person, None);
        // One that an agent session delegated runs in that session's own client; the third is another process by now.
        let cases = [("s1", "", 0, false), ("s2", "toolu_1", 0, true), ("s3", "", 1, true)];
        let mut pids = Vec::new();
        let mut steps = Vec::new();
        for (session, call, later, _) in cases {
            let pid = adrift();
            let mut client = process::kept(&process::process(pid).unwrap());
            client.started += later;
            context.session(session).update(|state| state.client = Some(client)).unwrap();
            let run = Run { session: session.into(), call: call.into(), ..Run::default() };
            steps.push(Step { state: State::Active, runs: vec![run], ..Step::default() });
            pids.push(pid);
        }
        end(&context, &Plan { steps, ..Plan::default() }).unwrap();
        for (pid, (session, .., runs)) in pids.into_iter().zip(cases) {
            assert_eq!(process::process(pid).is_some(), runs, "{session}");
            let _ = Command::new("kill").arg(pid.to_string()).stderr(std::process::Stdio::null()).status();
        }
    }
}
