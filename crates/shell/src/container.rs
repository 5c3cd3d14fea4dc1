//! Commands for a container, as the words of `docker run`, `docker compose exec`, `kubectl exec` and their like give them.
//!
//! Options end at the name of the container or image. Which of them take a value is told by a list of those that take none: the others
//! are far more.

use crate::option::Options;
use crate::run::Run;
use crate::word::Word;

/// What a program for containers does with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// A new container is made, and started or not.
    Make,
    /// A program is started in one that is there.
    Enter,
}

/// A call that runs something in a container.
#[derive(Debug)]
pub struct Container<'r> {
    pub verb: Verb,
    /// Options by their names, with their values: `-v`, `--volume`.
    pub options: Vec<(String, Option<Word>)>,
    /// What is run in it; nothing if the image says that.
    pub command: Vec<&'r Word>,
}

const ENGINES: &[&str] = &["docker", "podman", "nerdctl"];
const COMPOSERS: &[&str] = &["docker-compose", "podman-compose"];
const CLUSTERS: &[&str] = &["kubectl", "oc"];

/// Options before the subcommand that take a value.
const ENGINE_VALUED: &[&str] = &[
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
    "--url",
    "--connection",
    "--root",
    "--runroot",
    "-n",
    "--namespace",
    "-a",
    "--address",
];
const COMPOSER_VALUED: &[&str] = &[
    "-f",
    "--file",
    "-p",
    "--project-name",
    "--profile",
    "--env-file",
    "--project-directory",
    "--ansi",
    "--parallel",
    "--progress",
    "-H",
    "--host",
    "--context",
];
const CLUSTER_VALUED: &[&str] = &[
    "-n",
    "--namespace",
    "--context",
    "--cluster",
    "--kubeconfig",
    "--user",
    "--as",
    "-s",
    "--server",
    "--token",
    "--request-timeout",
    "-c",
    "--container",
    "-f",
    "--filename",
    "--pod-running-timeout",
    "--image",
    "--target",
    "--env",
    "--labels",
    "-l",
    "--overrides",
    "--restart",
    "-v",
];

/// Options behind `run`, `create` and `exec` that take no value.
const FLAGS: &[&str] = &[
    "--build",
    "--detach",
    "--disable-content-trust",
    "--env-host",
    "--help",
    "--http-proxy",
    "--init",
    "--interactive",
    "--latest",
    "--no-TTY",
    "--no-deps",
    "--no-healthcheck",
    "--no-hostname",
    "--no-hosts",
    "--no-tty",
    "--oom-kill-disable",
    "--passwd",
    "--privileged",
    "--publish-all",
    "--quiet",
    "--quiet-build",
    "--quiet-pull",
    "--read-only",
    "--remove-orphans",
    "--replace",
    "--rm",
    "--rmi",
    "--service-ports",
    "--sig-proxy",
    "--tls-verify",
    "--tty",
    "--use-aliases",
];
const FLAG_LETTERS: &str = "ditTPq";

impl<'r> Container<'r> {
    /// The call of a run, if it is one.
    pub fn of(run: &'r Run) -> Option<Self> {
        let program = run.program.as_deref()?;
        if CLUSTERS.contains(&program) {
            return Self::in_cluster(&run.args);
        }
        let args = if ENGINES.contains(&program) {
            match subcommand(&run.args, ENGINE_VALUED)? {
                ("compose", rest) => behind(rest, COMPOSER_VALUED)?,
                ("container", rest) => rest,
                (_, _) => behind(&run.args, ENGINE_VALUED)?,
            }
        } else if COMPOSERS.contains(&program) {
            behind(&run.args, COMPOSER_VALUED)?
        } else {
            return None;
        };
        let (first, args) = args.split_first()?;
        let verb = match first.literal()? {
            "run" | "create" => Verb::Make,
            "exec" => Verb::Enter,
            _ => return None,
        };
        let (options, rest) = options(args);
        let entry =
            options.iter().find(|(name, _)| name == "--entrypoint").and_then(|(_, value)| value.as_ref());
        // In place of what the image runs; only known for a word of the line.
        let entry =
            entry.and_then(|value| args.iter().find(|arg| arg.text == value.text && !arg.text.is_empty()));
        let command = entry.into_iter().chain(rest.iter().skip(1)).collect();
        Some(Self { verb, options, command })
    }

    /// `kubectl exec POD -- PROGRAM …`.
    fn in_cluster(args: &'r [Word]) -> Option<Self> {
        let read = Options::read(args, CLUSTER_VALUED, false);
        let verb = match read.operands.first()?.text.as_str() {
            "run" | "debug" => Verb::Make,
            "exec" => Verb::Enter,
            _ => return None,
        };
        let command = read.operands.get(read.separator?..)?.to_vec();
        Some(Self { verb, options: Vec::new(), command })
    }

    /// The values of options of these names.
    pub fn values<'c>(&'c self, names: &'c [&str]) -> impl Iterator<Item = &'c Word> {
        self.options
            .iter()
            .filter(|(name, _)| names.contains(&name.as_str()))
            .filter_map(|(_, value)| value.as_ref())
    }

    pub fn has(&self, name: &str) -> bool {
        let is_on = |value: &Option<Word>| value.as_ref().is_none_or(|value| value.text != "false");
        self.options.iter().any(|(given, value)| given == name && is_on(value))
    }
}

/// The arguments from the first operand on.
fn behind<'r>(args: &'r [Word], valued: &[&str]) -> Option<&'r [Word]> {
    args.get(Options::read(args, valued, true).first_operand?..)
}

fn subcommand<'r>(args: &'r [Word], valued: &[&str]) -> Option<(&'r str, &'r [Word])> {
    let (first, rest) = behind(args, valued)?.split_first()?;
    Some((first.literal()?, rest))
}

/// The options in front, and the rest from the first operand on.
fn options(args: &[Word]) -> (Vec<(String, Option<Word>)>, &[Word]) {
    let mut options = Vec::new();
    let mut rest = args;
    while let [arg, behind @ ..] = rest {
        let text = arg.text.as_str();
        if text == "--" {
            return (options, behind);
        }
        if text.len() < 2 || !text.starts_with('-') {
            break;
        }
        rest = behind;
        let glued = |text: &str| Some(Word { text: text.to_owned(), ..arg.clone() });
        let mut next = || {
            let (value, behind) = rest.split_first()?;
            rest = behind;
            Some(value.clone())
        };
        if text.starts_with("--") {
            match text.split_once('=') {
                Some((name, value)) => options.push((name.to_owned(), glued(value))),
                None if FLAGS.contains(&text) => options.push((text.to_owned(), None)),
                None => options.push((text.to_owned(), next())),
            }
            continue;
        }
        // The first letter that takes a value ends the word.
        let letter = text.char_indices().skip(1).find(|(_, letter)| !FLAG_LETTERS.contains(*letter));
        if let Some((at, letter)) = letter {
            let value = text[at + letter.len_utf8()..].trim_start_matches('=');
            let value = if value.is_empty() { next() } else { glued(value) };
            options.push((format!("-{letter}"), value));
        }
    }
    (options, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(line: &str) -> String {
        let mut words = line.split(' ').map(Word::known);
        let program = words.next().map(|word| word.text);
        let run = Run { program, args: words.collect(), ..Run::default() };
        let Some(found) = Container::of(&run) else { return "none".to_owned() };
        let shown = |(name, value): &(String, Option<Word>)| {
            value.as_ref().map_or_else(|| name.clone(), |value| format!("{name}={}", value.text))
        };
        let options: Vec<String> = found.options.iter().map(shown).collect();
        let command: Vec<&str> = found.command.iter().map(|word| word.text.as_str()).collect();
        format!("{:?} [{}] {}", found.verb, options.join(" "), command.join(" "))
    }

    #[test]
    fn the_command_stands_behind_the_name() {
        for (line, expected) in [
            ("docker exec db psql -c x", "Enter [] psql -c x"),
            ("docker exec -it -u root -e A=b db psql -v", "Enter [-u=root -e=A=b] psql -v"),
            ("docker --context c container exec db ls", "Enter [] ls"),
            ("docker compose -f x.yml exec -T db mysql -e y", "Enter [] mysql -e y"),
            ("docker-compose -p web exec --index 1 db ls", "Enter [--index=1] ls"),
            ("docker run --rm -v /:/host alpine cp -v a b", "Make [--rm -v=/:/host] cp -v a b"),
            ("podman run -itv /:/host:ro alpine", "Make [-v=/:/host:ro] "),
            (
                "nerdctl create --mount=type=bind,src=/,dst=/h alpine",
                "Make [--mount=type=bind,src=/,dst=/h] ",
            ),
            ("docker run --entrypoint psql postgres -c x", "Make [--entrypoint=psql] psql -c x"),
            ("kubectl -n web exec -it pod -c app -- psql -c x", "Enter [] psql -c x"),
            ("kubectl exec pod", "none"),
            ("kubectl run tmp --rm -i --image postgres -- psql", "Make [] psql"),
            ("docker ps -a", "none"),
            ("docker build -t exec .", "none"),
            ("docker", "none"),
            ("docker compose", "none"),
            ("docker exec", "Enter [] "),
            ("docker run -", "Make [] "),
            ("docker run -v", "Make [-v] "),
            ("psql exec x", "none"),
        ] {
            assert_eq!(call(line), expected, "{line}");
        }
    }
}
