//! Operations of programs with subcommands, as data: which words make `kubectl`, `aws` or `dropdb` destroy something. The packs `cloud`
//! and `database` are tables of this form.
//!
//! ```text
//! Client { names: &["kubectl"], operations: &[Operation { rule: "cloud.cluster", words: "delete", .. }], .. }
//! ```
//!
//! The first operation of a client whose words fit decides.

use super::facts::CallFacts;
use engine_shell::{Options, Run, Word};
use engine_text::glob;

/// A program that changes something elsewhere.
pub(super) struct Client {
    pub(super) names: &'static [&'static str],
    /// Options that take a value and may stand before the subcommand.
    pub(super) valued: &'static [&'static str],
    /// Long options have one dash: `-auto-approve`. In this table they have two.
    pub(super) single_dash: bool,
    /// Options with which nothing happens.
    pub(super) trial: &'static [&'static str],
    /// Options and variables that name what it happens to, and what that is called.
    pub(super) places: &'static [(&'static str, &'static str)],
    pub(super) operations: &'static [Operation],
}

/// What every row says unless it says otherwise.
pub(super) const CLIENT: Client =
    Client { names: &[], valued: &[], single_dash: false, trial: &[], places: &[], operations: &[] };

/// Words that destroy something.
pub(super) struct Operation {
    pub(super) rule: &'static str,
    /// The first operands: alternatives with `|`, patterns with `*`, `…` for any words between, and `.` for none behind.
    pub(super) words: &'static str,
    /// One of these options must be given, unless there are none; also with its value: `--replicas=0`, `-o=jsonpath*`.
    pub(super) with: &'static [&'static str],
}

/// An operation that needs no option.
pub(super) const fn plain(rule: &'static str, words: &'static str) -> Operation {
    Operation { rule, words, with: &[] }
}

/// An operation that one of some options makes destructive.
pub(super) const fn with(
    rule: &'static str,
    words: &'static str,
    with: &'static [&'static str],
) -> Operation {
    Operation { rule, words, with }
}

/// Options with which every program only speaks of itself, or only says what it would do.
const IDLE: &[&str] = &["--help", "--version", "--dry-run", "--dryrun", "--what-if"];
/// Words that may stand before the one that is looked for, groups of subcommands.
const MOST_GROUPS: usize = 6;
/// Variables that name the surroundings of a test run. What is in its database is made for the test.
const TESTING: &[&str] = &["RAILS_ENV", "RACK_ENV", "MIX_ENV", "NODE_ENV", "APP_ENV"];

fn is_test(run: &Run) -> bool {
    let testing = |name: &str, value: &str| TESTING.contains(&name) && matches!(value, "test" | "testing");
    // `rake db:reset RAILS_ENV=test`.
    let by_word = run.args.iter().filter_map(|arg| arg.text.split_once('='));
    run.env.iter().any(|(name, value)| value.as_ref().is_some_and(|value| testing(name, &value.text)))
        || by_word.into_iter().any(|(name, value)| testing(name, value))
}

/// The first run that does what a rule names.
pub(super) fn find(facts: &CallFacts, rule: &str) -> Option<usize> {
    // Every rule asks, and most programs are in no table: the tables are gone through once.
    let known = facts.operations.get_or_init(|| {
        let mut found = Vec::new();
        for (index, run) in facts.runs_anywhere() {
            let Some(call) = Call::of(run) else { continue };
            let tables = super::cloud::CLIENTS.iter().chain(super::database::CLIENTS);
            for client in tables.filter(|client| client.names.contains(&call.name)) {
                found.extend(operation(client, &call).map(|operation| (index, operation.rule)));
            }
        }
        found
    });
    let is_free = |index: usize| rule == super::database::MIGRATION && is_test(&facts.analysis.runs[index]);
    known.iter().find(|(index, known)| *known == rule && !is_free(*index)).map(|(index, _)| *index)
}

/// Every run that does what one of the rows names.
pub(super) fn all(facts: &CallFacts, clients: &'static [Client]) -> impl Iterator<Item = usize> {
    let is_one = |run: &Run| {
        Call::of(run).is_some_and(|call| {
            let client = clients.iter().find(|client| client.names.contains(&call.name));
            client.is_some_and(|client| operation(client, &call).is_some())
        })
    };
    facts.runs().filter(move |(_, run)| is_one(run)).map(|(index, _)| index)
}

fn operation(client: &'static Client, call: &Call<'_>) -> Option<&'static Operation> {
    let args = client.spelled(call.args);
    // An option that is wanted with a value takes one.
    let wanted = client.operations.iter().flat_map(|operation| operation.with);
    let wanted = wanted.filter_map(|wanted| Some(wanted.split_once('=')?.0));
    let valued: Vec<&str> = client.valued.iter().copied().chain(wanted).collect();
    let options = Options::read(&args, &valued, false);
    let is_real = |value: Option<&str>| matches!(value, Some("none" | "false"));
    let tries = options
        .given
        .iter()
        .filter(|given| IDLE.contains(&given.name.as_str()) || client.trial.contains(&given.name.as_str()))
        // `cargo yank --version 1.0.0` names one.
        .filter(|given| given.name != "--version" || given.value.is_none())
        .any(|given| !is_real(given.value.as_deref()));
    // For some programs it is a host.
    let takes_host = client.valued.contains(&"-h") || client.places.iter().any(|(name, _)| *name == "-h");
    if tries || (options.has(&["-h"]) && !takes_host) {
        return None;
    }
    // What stands behind `--` is another program's. An unknown word in front may be an option.
    let own = &options.operands[..options.separator.unwrap_or(options.operands.len())];
    let unknown = own.iter().take_while(|word| word.unknown).count();
    let own = &own[unknown..];
    if own.last().is_some_and(|word| word.text == "help") {
        return None;
    }
    client.operations.iter().find(|operation| fits(operation.words, own) && operation.is_given(&options))
}

impl Client {
    fn spelled(&self, args: &[Word]) -> Vec<Word> {
        if self.single_dash { two_dashes(args) } else { args.to_vec() }
    }
}

/// The arguments with two dashes before every long option.
pub(super) fn two_dashes(args: &[Word]) -> Vec<Word> {
    let is_long = |text: &str| text.len() > 2 && text.starts_with('-') && !text.starts_with("--");
    let spelled = |word: &Word| {
        let dash = if is_long(&word.text) { "-" } else { "" };
        Word { text: format!("{dash}{}", word.text), ..word.clone() }
    };
    args.iter().map(spelled).collect()
}

impl Operation {
    fn is_given(&self, options: &Options<'_>) -> bool {
        let is_it = |wanted: &str| match wanted.split_once('=') {
            // Some programs take `-o=json` too.
            Some((name, wanted)) => options.all(&[name]).any(|given| {
                given.value.as_deref().is_some_and(|value| is_like(wanted, value.trim_start_matches('=')))
            }),
            None => options.all(&[wanted]).any(|given| given.value.as_deref() != Some("false")),
        };
        self.with.is_empty() || self.with.iter().any(|wanted| is_it(wanted))
    }
}

/// Whether a value is the wanted one, or has its parts in their order: `jsonpath*.data*`.
fn is_like(wanted: &str, value: &str) -> bool {
    let Some((begin, rest)) = wanted.split_once('*') else { return value.eq_ignore_ascii_case(wanted) };
    let Some(behind) = value.strip_prefix(begin) else { return false };
    let next = |behind: &'_ str, part: &str| behind.find(part).map(|at| at + part.len());
    let mut at = 0;
    rest.split('*').all(|part| match next(&behind[at..], part) {
        Some(length) => {
            at += length;
            true
        }
        None => false,
    })
}

/// Whether operands begin with the words of a pattern.
fn fits(pattern: &str, words: &[&Word]) -> bool {
    let is_one = |part: &str, word: &Word| {
        part.split('|')
            .any(|part| part == word.text || (part.contains('*') && glob::matches(part, &word.text)))
    };
    let mut rest = words;
    let mut skips = false;
    for part in pattern.split(' ').filter(|part| !part.is_empty()) {
        match part {
            "…" => {
                skips = true;
                continue;
            }
            "." => return rest.is_empty(),
            _ => {}
        }
        let reach = if skips { MOST_GROUPS } else { 1 };
        let Some(at) = rest.iter().take(reach).position(|word| is_one(part, word)) else { return false };
        rest = &rest[at + 1..];
        skips = false;
    }
    true
}

/// A program by the name it goes by in a table, and its arguments: behind what only starts it.
pub(super) struct Call<'r> {
    pub(super) name: &'r str,
    pub(super) args: &'r [Word],
}

/// Scripts that are named to their interpreter.
const SCRIPTS: &[&str] = &["manage.py", "artisan", "rails", "rake", "jenkins-cli.jar"];

impl<'r> Call<'r> {
    pub(super) fn of(run: &'r Run) -> Option<Self> {
        let program = run.program.as_deref()?;
        let name = program.strip_suffix(".sh").unwrap_or(program);
        let args = run.args.as_slice();
        let words = || args.iter().map(|arg| arg.text.as_str());
        let behind = |at: usize| {
            let name = args.get(at)?.literal()?;
            Some(Self { name: name.rsplit('/').next().unwrap_or(name), args: &args[at + 1..] })
        };
        match name {
            "java" | "php" | "ruby" => {
                let is_script = |word: &str| SCRIPTS.contains(&word.rsplit('/').next().unwrap_or(word));
                behind(words().position(is_script)?)
            }
            "bundle" | "bundler" if words().next() == Some("exec") => behind(1),
            // `yarn prisma …` runs a program of the project.
            "yarn" | "pnpm" | "bun" => behind(usize::from(words().next() == Some("run"))),
            "docker" | "podman" | "nerdctl" => {
                let own = Options::read(args, CONTAINER_VALUED, true);
                let first = own.first_operand.filter(|at| args[*at].text == "compose");
                Some(
                    first.map_or(Self { name, args }, |at| Self {
                        name: "docker-compose",
                        args: &args[at + 1..],
                    }),
                )
            }
            _ if name.starts_with("python") => match words().position(|word| word == "-m") {
                Some(at) => behind(at + 1),
                None => behind(words().position(|word| word.rsplit('/').next() == Some("manage.py"))?),
            },
            _ => Some(Self { name, args }),
        }
    }
}

/// Options of `docker` that take a value and stand before its subcommand.
pub(super) const CONTAINER_VALUED: &[&str] = &[
    "--context",
    "-c",
    "-H",
    "--host",
    "--config",
    "-l",
    "--log-level",
    "--tlscacert",
    "--tlscert",
    "--tlskey",
];

/// What a run works on, by its words: `context prod, namespace web`.
pub(super) fn place(clients: &[Client], run: &Run) -> Option<String> {
    let call = Call::of(run)?;
    let client = clients.iter().find(|client| client.names.contains(&call.name))?;
    // An option that is named may stand behind the subcommand and take a value too.
    let named = client.places.iter().map(|(name, _)| *name).filter(|name| name.starts_with('-'));
    let valued: Vec<&str> = client.valued.iter().copied().chain(named).collect();
    // Options of `docker` stand before its subcommand `compose`.
    let own = client.spelled(call.args);
    let all = client.spelled(&run.args);
    let [options, outer] = [&own, &all].map(|args| Options::read(args, &valued, false));
    let variable = |name: &str| {
        let set = run.env.iter().rev().find(|(set, _)| set == name)?;
        Some(set.1.as_ref()?.text.clone())
    };
    let of = |name: &str| {
        if !name.starts_with('-') {
            return variable(name);
        }
        options.value(&[name]).or_else(|| outer.value(&[name])).map(str::to_owned)
    };
    let mut found: Vec<String> = Vec::new();
    for (name, noun) in client.places {
        let begins = format!("{noun} ");
        if let Some(value) = of(name).filter(|_| !found.iter().any(|known| known.starts_with(&begins))) {
            found.push(format!("{noun} {value}"));
        }
    }
    let bucket = options.operands.iter().find_map(|word| {
        let name = ["s3://", "gs://"].iter().find_map(|start| word.text.strip_prefix(start))?;
        Some(format!("bucket {}", name.split('/').next().unwrap_or(name)))
    });
    found.extend(bucket);
    (!found.is_empty()).then(|| found.join(", "))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::rc::Rc;

    use super::*;
    use crate::policy::{Places, ProjectPolicy, built_in, cloud, database, judge};
    use engine_shell::{Surroundings, analyse};

    fn words(words: &str) -> Vec<Word> {
        words.split_whitespace().map(Word::known).collect()
    }

    #[test]
    fn words_fit_a_pattern_from_the_front() {
        for (pattern, operands, expected) in [
            ("delete", "delete pod x", true),
            ("delete", "get delete", false),
            ("delete|drain", "drain n", true),
            ("state rm", "state rm x", true),
            ("state rm", "state list rm", false),
            ("… delete", "compute instances delete x", true),
            ("… delete", "delete", true),
            ("… delete", "a b c d e f delete", false),
            ("* delete-*", "ec2 delete-vpc", true),
            ("* delete-*", "delete-vpc", false),
            ("*:destroy", "apps:destroy", true),
            ("", "", true),
            ("", "x", true),
            ("token .", "token", true),
            ("token .", "token x", false),
        ] {
            let operands = words(operands);
            let operands: Vec<&Word> = operands.iter().collect();
            assert_eq!(fits(pattern, &operands), expected, "{pattern} {operands:?}");
        }
    }

    #[test]
    fn a_value_is_like_a_pattern() {
        for (wanted, value, expected) in [
            ("json", "JSON", true),
            ("json", "jsonpath=x", false),
            ("jsonpath*.data*", "jsonpath={.data.a}", true),
            ("jsonpath*.data*", "jsonpath={.metadata.name}", false),
            ("jsonpath*.data*", "json", false),
            ("jsonpath*", "jsonpath", true),
        ] {
            assert_eq!(is_like(wanted, value), expected, "{wanted} {value}");
        }
    }

    #[test]
    fn rows_are_sound() {
        let ids: HashSet<&str> = built_in().map(|rule| rule.id).collect();
        for clients in [cloud::CLIENTS, database::CLIENTS] {
            let mut names = HashSet::new();
            for client in clients {
                assert!(
                    client.names.iter().all(|name| names.insert(*name)),
                    "{:?} has two rows",
                    client.names
                );
                assert!(!client.operations.is_empty(), "{:?}", client.names);
                for Operation { rule, with, .. } in client.operations {
                    assert!(ids.contains(rule), "{rule}");
                    assert!(with.iter().all(|option| option.starts_with('-')), "{with:?}");
                }
            }
        }
    }

    fn messages(command: &str) -> Vec<String> {
        let analysis = analyse(command, &Surroundings { cwd: "/p".into(), ..Surroundings::default() });
        let facts = CallFacts::of_command("shell", command, Rc::clone(&analysis), Places::default());
        let found = judge(&facts, &ProjectPolicy::default(), &|rule| rule.verdict);
        found.iter().map(|found| format!("{}: {}", found.rule, found.what)).collect()
    }

    #[test]
    fn the_question_names_what_it_is_about() {
        for (command, expected) in [
            (
                "kubectl --context prod -n web delete pod x",
                "cloud.cluster: `kubectl --context prod -n web delete pod x` (context prod, namespace web)",
            ),
            ("kubectl delete pod x", "cloud.cluster: `kubectl delete pod x`"),
            (
                "AWS_PROFILE=p aws s3 rb s3://b/x",
                "cloud.provider: `aws s3 rb s3://b/x` (profile p, bucket b)",
            ),
            (
                "terraform -chdir=live destroy",
                "cloud.infrastructure: `terraform -chdir=live destroy` (folder live)",
            ),
            (
                "docker --context c compose -p web down -v",
                "cloud.container: `docker --context c compose -p web down -v` (context c, project web)",
            ),
            (
                "gcloud --project=p sql instances delete x",
                "cloud.provider: `gcloud --project=p sql instances delete x` (project p)",
            ),
            (
                "psql -h db -d app -c 'DROP TABLE x'",
                "database.sql: `psql -h db -d app -c 'DROP TABLE x'` (host db, database app)",
            ),
            (
                "docker exec db psql -d app -c 'DROP TABLE x'",
                "database.sql: `docker exec db psql -d app -c 'DROP TABLE x'` (database app)",
            ),
            ("ssh prod 'a; dropdb x'", "database.drop: `dropdb x, by ssh prod 'a; dropdb x'`"),
            ("RAILS_ENV=prod rails db:drop", "database.migration: `rails db:drop` (environment prod)"),
        ] {
            assert_eq!(messages(command), [expected], "{command}");
        }
    }
}
