//! All that was measured, as tables for people or as one JSON object.

use std::fmt;

use serde_json::{Value, json};

use super::budgets::{self, Check};
use super::chains::Chains;
use super::constructs::Worst;
use super::content::ContentTimes;
use super::enrich::EnrichTimes;
use super::instructions::Instructions;
use super::large::Large;
use super::machine::Machine;
use super::parallel::Parallel;
use super::queue::QueueTimes;
use super::recorder::RecorderTimes;
use super::samples::Samples;
use super::search::SearchTimes;
use super::status::StatusTimes;
use super::statusline::StatuslineTimes;
use super::tags::Tags;
use super::timings::Timings;

pub(super) struct Report {
    pub(super) machine: Machine,
    pub(super) runs: usize,
    pub(super) timings: Timings,
    /// With a thousand skills.
    pub(super) chains: Chains,
    /// With a thousand tasks.
    pub(super) status: StatusTimes,
    pub(super) queue: QueueTimes,
    /// Nothing where there is no bash.
    pub(super) recorder: Option<RecorderTimes>,
    pub(super) statusline: StatuslineTimes,
    /// In ten thousand files.
    pub(super) tags: Tags,
    /// In 16,000 and in 100,000 chunks.
    pub(super) search: Vec<SearchTimes>,
    pub(super) content: Vec<ContentTimes>,
    pub(super) enrich: EnrichTimes,
    pub(super) large: Vec<Large>,
    pub(super) constructs: Worst,
    pub(super) parallel: Parallel,
    /// Nothing where valgrind is not installed.
    pub(super) instructions: Option<Instructions>,
    pub(super) binary_bytes: u64,
}

impl Report {
    pub(super) fn json(&self, checks: &[Check]) -> Value {
        let Self { machine, timings, parallel, .. } = self;
        let empty = &timings.empty;
        let references: Vec<Value> = timings
            .references
            .iter()
            .map(|(name, samples)| json!({"program": name, "time": time(samples), "timesEmpty": samples.times(empty)}))
            .collect();
        let events: Vec<Value> = timings
            .events
            .iter()
            .map(|event| {
                json!({"event": event.event.name, "class": event.event.class.as_str(),
                    "time": time(&event.in_small), "timesEmpty": event.in_small.times(empty),
                    "again": event.again.as_ref().map(time),
                    "bigProject": {"time": time(&event.in_big), "timesSmall": event.in_big.times(&event.in_small)}})
            })
            .collect();
        let chains: Vec<Value> = self
            .chains
            .all
            .iter()
            .map(|chain| {
                json!({"event": chain.name, "class": chain.class.as_str(), "time": time(&chain.samples),
                    "timesEmpty": chain.samples.times(&self.chains.empty), "again": chain.again.as_ref().map(time)})
            })
            .collect();
        let large: Vec<Value> = self
            .large
            .iter()
            .map(|large| {
                json!({"event": large.name, "bytes": large.bytes, "time": time(&large.samples), "peakBytes": large.peak})
            })
            .collect();
        let content: Vec<Value> = self
            .content
            .iter()
            .map(|content| {
                json!({"name": content.name, "time": time(&content.take), "status": time(&content.status),
                    "timesStatus": content.take.times(&content.status)})
            })
            .collect();
        let instructions = self
            .instructions
            .as_ref()
            .map(|counted| json!({"empty": counted.empty, "hook": counted.hook, "more": counted.more()}));
        let checked: Vec<Value> = checks
            .iter()
            .map(|check| json!({"name": check.name, "budget": check.budget, "measured": check.measured, "ok": check.ok}))
            .collect();
        json!({
            "version": 1,
            "machine": {"cpu": machine.cpu, "cores": machine.cores, "kernel": machine.kernel, "rustc": machine.rustc,
                "linkage": machine.linkage.to_string()},
            "runs": self.runs,
            "empty": time(empty),
            "references": references,
            "events": events,
            "chains": chains,
            "status": {"time": time(&self.status.status), "timesEmpty": self.status.status.times(&self.status.empty)},
            "capture": {"time": time(&self.queue.add), "timesEmpty": self.queue.add.times(&self.queue.empty)},
            "recorder": self.recorder.as_ref().map(|times| {
                json!({"time": time(&times.unnamed), "timesBash": times.unnamed.times(&times.bash),
                    "named": {"time": time(&times.named), "timesBash": times.named.times(&times.bash)}})
            }),
            "statusline": {"time": time(&self.statusline.in_small),
                "timesEmpty": self.statusline.in_small.times(&self.statusline.empty),
                "bigProject": {"time": time(&self.statusline.in_big),
                    "timesSmall": self.statusline.in_big.times(&self.statusline.in_small)}},
            "tags": {"find": time(&self.tags.find), "rg": self.tags.rg.as_ref().map(time),
                "timesRg": self.tags.rg.as_ref().map(|rg| self.tags.find.times(rg)), "oneWinner": self.tags.one_winner},
            "search": self.search.iter().map(search).collect::<Vec<_>>(),
            "content": content,
            "enrich": {"off": time(&self.enrich.off), "on": time(&self.enrich.on),
                "moreAtP95Us": self.enrich.on.p95().saturating_sub(self.enrich.off.p95()), "indexBytes": self.enrich.index_bytes},
            "large": large,
            "constructs": {"worst": self.constructs.name, "us": self.constructs.us, "all": self.constructs.all},
            "parallel": {"counted": parallel.counted, "journaled": parallel.journaled, "damaged": parallel.damaged},
            "instructions": instructions,
            "binaryBytes": self.binary_bytes,
            "notes": timings.notes,
            "checks": checked,
            "ok": checks.iter().all(|check| check.ok),
        })
    }

    /// The same for a person.
    pub(super) fn tables<'a>(&'a self, checks: &'a [Check]) -> Tables<'a> {
        Tables { report: self, checks }
    }
}

fn search(times: &SearchTimes) -> Value {
    let reference =
        times.reference.as_ref().map(|(program, samples)| json!({"program": program, "time": time(samples)}));
    json!({"chunks": times.chunks, "query": {"medianUs": times.query.median(), "p95Us": times.query.p95()},
        "empty": time(&times.empty), "reference": reference, "update": time(&times.update),
        "indexUs": times.index_us, "chunksASecond": times.chunks_a_second(), "peakBytes": times.peak})
}

fn time(samples: &Samples) -> Value {
    json!({"medianUs": samples.median(), "p99Us": samples.p99()})
}

pub(super) struct Tables<'a> {
    report: &'a Report,
    checks: &'a [Check],
}

impl fmt::Display for Tables<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { machine, runs, timings, instructions, .. } = self.report;
        let empty = &timings.empty;
        writeln!(f, "{machine}")?;
        writeln!(f, "{runs} interleaved runs, spawn to exit, µs\n")?;
        writeln!(
            f,
            "{:<32} {:>7} {:>7} {:>8}  {:<16} {:>11} {:>8}",
            "event", "median", "p99", "× empty", "budget", "big project", "× small"
        )?;
        let line = |f: &mut fmt::Formatter<'_>, name: &str, samples: &Samples, empty: &Samples| {
            write!(f, "{name:<32} {:>7} {:>7} {:>8.2}", samples.median(), samples.p99(), samples.times(empty))
        };
        line(f, "empty process", empty, empty)?;
        writeln!(f)?;
        for event in &timings.events {
            line(f, event.event.name, &event.in_small, empty)?;
            let budget = budgets::words(event.event.class, machine.linkage.kind);
            let times = event.in_big.times(&event.in_small);
            writeln!(f, "  {budget:<16} {:>11} {times:>8.2}", event.in_big.median())?;
        }
        for (name, samples) in &timings.references {
            line(f, name, samples, empty)?;
            writeln!(f)?;
        }
        writeln!(f, "\nwith 1,000 skills")?;
        line(f, "empty process", &self.report.chains.empty, &self.report.chains.empty)?;
        writeln!(f)?;
        for chain in &self.report.chains.all {
            line(f, chain.name, &chain.samples, &self.report.chains.empty)?;
            writeln!(f, "  {}", budgets::words(chain.class, machine.linkage.kind))?;
        }
        writeln!(f, "\nengine search, 200 queries, median and p95")?;
        for times in &self.report.search {
            let (median, p95, empty) = (times.query.median(), times.query.p95(), times.empty.median());
            write!(f, "{:<32} {median:>7} {p95:>7}  empty {empty}", format!("{} chunks", times.chunks))?;
            if let Some((program, samples)) = &times.reference {
                write!(f, ", {program} {}", samples.median())?;
            }
            let memory = times
                .peak
                .map_or(String::new(), |peak| format!(", {}.{} MB", peak / 1_000_000, peak / 100_000 % 10));
            writeln!(
                f,
                ", after a change {}, indexed {}/s{memory}",
                times.update.median(),
                times.chunks_a_second()
            )?;
        }
        writeln!(f)?;
        for check in self.checks {
            let Check { name, budget, measured, ok } = check;
            let word = if *ok { "ok" } else { "FAILED" };
            writeln!(f, "{word:<6}  {name:<36} {measured}  (budget: {budget})")?;
        }
        for note in &timings.notes {
            writeln!(f, "note: {note}")?;
        }
        if instructions.is_none() {
            writeln!(f, "note: valgrind is not installed: instructions were not counted")?;
        }
        if self.report.tags.rg.is_none() {
            writeln!(
                f,
                "note: rg is not installed: engine tag find was not compared with it; cargo install ripgrep gets it"
            )?;
        }
        if self.report.large.iter().any(|large| large.peak.is_none()) {
            writeln!(f, "note: memory was not measured: this system does not tell the peak of a process")?;
        }
        let failed = self.checks.iter().filter(|check| !check.ok).count();
        writeln!(f, "\n{} checks, {failed} failed", self.checks.len())
    }
}
