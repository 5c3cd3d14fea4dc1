//! Pack secrets: what would show a key, a credential or the environment to the model and the transcript.

use super::facts::{CallFacts, below_other_home};
use super::files::effect;
use super::token::{TOKEN, prints_token};
use super::{Built, Level};
use engine_shell::{Effect, Options, Run};

pub(super) const SECRETS: &[Built] = &[
    Built {
        id: "secrets.read-keys",
        since: "0.1.0",
        verdict: Level::Ask,
        about: "reading, copying, packing or sending a private key or a credential file",
        reason: "its content would reach the model and the transcript",
        instead: "the program that uses the key, without showing it",
        matches: |facts| {
            effect(facts, |effect| matches!(effect, Effect::Read { .. }) && is_key(facts, effect))
        },
    },
    Built {
        id: "secrets.read-env-file",
        since: "0.1.0",
        verdict: Level::Ask,
        about: "reading, packing or sending .env or .env.*",
        reason: "its content would reach the model and the transcript",
        instead: "the names alone: .env.example, or asking the person",
        matches: |facts| {
            // A shell that takes the variables over shows nothing of them.
            let shows = |effect: &Effect| {
                facts.analysis.runs.get(effect.run()).is_none_or(|run| !run.is(&["source", "."]))
            };
            effect(facts, |effect| {
                matches!(effect, Effect::Read { .. }) && is_env_file(effect) && shows(effect)
            })
        },
    },
    Built {
        id: "secrets.print-env",
        since: "0.1.0",
        verdict: Level::Ask,
        about: "printing the whole environment",
        reason: "keys in it would reach the model and the transcript",
        instead: "printenv NAME",
        matches: |facts| {
            let run = facts.runs().find(|(_, run)| prints_environment(run)).map(|(index, _)| index);
            run.or_else(|| {
                effect(facts, |effect| {
                    matches!(effect, Effect::Read { path, .. } if path.starts_with("/proc/") && path.ends_with("/environ"))
                })
            })
        },
    },
    Built {
        id: TOKEN,
        since: "0.1.0",
        verdict: Level::Ask,
        about: "printing a credential: gh auth token, kubectl get secret -o yaml, vault kv get",
        reason: "the credential would reach the model and the transcript",
        instead: "the program that needs it, with the credential in a substitution or a pipe",
        matches: prints_token,
    },
];

/// Credential files of a home folder.
const CREDENTIALS: &[&str] = &[
    ".aws/credentials",
    ".netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".docker/config.json",
    ".kube/config",
    ".config/gh/hosts.yml",
    ".git-credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
];

/// Folders of a home folder in which everything is a secret.
const SECRET_FOLDERS: &[&str] = &[".gnupg", ".aws/sso/cache", ".config/gcloud", ".azure"];

/// Folders of a home folder that hold a secret beside other files: who takes the whole folder takes the secret.
const HOLDING: &[&str] = &[".ssh", ".aws", ".aws/sso", ".config/gh", ".kube", ".docker"];

/// Keys as they are called most often, for patterns.
const KEYS: &[&str] = &[".ssh/id_rsa", ".ssh/id_ed25519", ".ssh/id_ecdsa", ".ssh/id_dsa"];

/// Files that are a secret wherever they are.
const NAMES: &[&str] = &[
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_ecdsa_sk",
    "id_ed25519_sk",
    ".pgpass",
    ".pypirc",
    ".netrc",
];

/// Files with variables as they are called most often, for patterns and hard links.
pub const ENV_FILES: &[&str] = &[".env", ".env.local", ".env.production", ".env.development", ".env.test"];

/// Whether a real path is one of those that [`SECRETS`] names: a key, a credential file, a file with variables.
pub fn is_secret(path: &str, home: Option<&str>) -> bool {
    let in_home =
        home.and_then(|home| path.strip_prefix(home)?.strip_prefix('/')).is_some_and(is_key_in_home);
    let name = path.rsplit('/').next().unwrap_or_default();
    is_key_by_name(name) || path == SHADOW || in_home || is_env_name(name)
}

/// The secrets of a home folder that have a fixed name, from there.
pub fn secrets_of_home() -> impl Iterator<Item = &'static str> {
    KEYS.iter().chain(CREDENTIALS).copied()
}

pub const SHADOW: &str = "/etc/shadow";

/// How much of a file tells whether it holds a private key; nothing for files that are not looked at. A certificate may stand before
/// its key in a `.pem`. Of others the first line tells, and only names that speak of a key are looked at: a file that is read is not
/// opened for its name alone otherwise.
pub fn telling_bytes(path: &str) -> Option<usize> {
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let speaks = ["key", "secret"].iter().any(|word| name.contains(word))
        || name.starts_with("id_")
        || [".p8", ".ppk"].iter().any(|end| name.ends_with(end));
    if is_bundle(&name) { Some(1 << 20) } else { speaks.then_some(100) }
}

/// A file that may hold a certificate, a key, or both.
fn is_bundle(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|end| end.eq_ignore_ascii_case("pem"))
}

/// What the text of a file says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    PrivateKey,
    /// A certificate or a public key, and no private one.
    Public,
    Other,
}

impl Holds {
    pub fn of(text: &str) -> Self {
        let begins = |text: &str| text.starts_with("-----BEGIN ") || text.starts_with("---- BEGIN ");
        let is_private = |line: &str| begins(line) && line.contains("PRIVATE KEY");
        if text.starts_with("PuTTY-User-Key-File") || text.lines().any(is_private) {
            Self::PrivateKey
        } else if text.lines().any(begins) {
            Self::Public
        } else {
            Self::Other
        }
    }
}

fn is_key(facts: &CallFacts, effect: &Effect) -> bool {
    let path = effect.path();
    let name = path.rsplit('/').next().unwrap_or_default();
    let looked = facts.held.iter().find(|(known, _)| known == path).map(|(_, held)| *held);
    match looked {
        Some(Holds::PrivateKey) => return true,
        Some(Holds::Public) if is_bundle(name) => return false,
        _ => {}
    }
    let home = facts.places.home.as_deref().unwrap_or("~");
    let expands =
        || secrets_of_home().any(|known| engine_text::glob::expands_to(path, &format!("{home}/{known}")));
    let of_home = facts.places.below_home(path).or_else(|| below_other_home(path));
    let in_home = of_home.is_some_and(|path| is_key_in_home(path) || is_holding(path));
    // Who searches a whole home folder seldom means its keys; who packs it takes them along.
    let takes_home = || {
        let of_home = facts.places.home.as_deref().and_then(|home| path.strip_prefix(home));
        matches!(of_home, Some("" | "/.config")) && packs(&facts.analysis.runs[effect.run()])
    };
    // Whose home it is does not matter, but a project has an .npmrc too.
    let in_some_home = effect.tail().is_some_and(|tail| {
        let starts = tail.match_indices('/').map(|(at, _)| at + 1);
        std::iter::once(0).chain(starts).any(|at| is_key_in_home(&tail[at..])) && name != ".npmrc"
    });
    is_key_by_name(name)
        || path == SHADOW
        || in_home
        || in_some_home
        || takes_home()
        || (effect.is_pattern() && expands())
}

/// Programs that take a folder with all that is in it.
fn packs(run: &Run) -> bool {
    run.is(&["tar", "gtar", "bsdtar", "zip", "7z", "7za", "7zr", "rar", "cp", "gcp", "rsync", "scp"])
}

fn is_key_by_name(name: &str) -> bool {
    let ends = [".pem", ".key", ".p12", ".pfx"];
    NAMES.contains(&name) || ends.iter().any(|end| name.len() > end.len() && name.ends_with(end))
}

fn is_key_in_home(path: &str) -> bool {
    (path.starts_with(".ssh/id_") && path.rsplit('.').next() != Some("pub"))
        || SECRET_FOLDERS.iter().any(|folder| {
            path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
        || CREDENTIALS.contains(&path)
}

fn is_holding(path: &str) -> bool {
    HOLDING.contains(&path.trim_end_matches("/*"))
}

fn is_env_file(effect: &Effect) -> bool {
    let name = effect.path().rsplit('/').next().unwrap_or_default();
    if effect.is_pattern() {
        let begins = name.strip_prefix(".env").is_some_and(|rest| rest.starts_with(['*', '?', '[']));
        let expands = || ENV_FILES.iter().any(|usual| engine_text::glob::expands_to(name, usual));
        return (begins && !is_sample(name)) || expands();
    }
    is_env_name(name)
}

fn is_env_name(name: &str) -> bool {
    name == ".env" || (name.starts_with(".env.") && !is_sample(name))
}

fn is_sample(name: &str) -> bool {
    [".example", ".sample", ".template", ".dist"].iter().any(|end| name.ends_with(end))
}

fn prints_environment(run: &Run) -> bool {
    let bare = |flags: &[&str]| run.args.iter().all(|arg| flags.contains(&arg.text.as_str()));
    match run.program.as_deref() {
        Some("printenv") => bare(&["-0", "--null"]),
        Some("env") => {
            let options =
                Options::read(&run.args, &["-u", "--unset", "-C", "--chdir", "-S", "--split-string"], true);
            let clean = options.has(&["-i", "--ignore-environment", "-"])
                || options.has(&["-S", "--split-string", "--help", "--version"]);
            !clean && options.operands.iter().all(|word| word.text.contains('='))
        }
        Some("export") => bare(&["-p"]),
        Some("declare" | "typeset") => !run.args.is_empty() && bare(&["-x", "-p", "-px", "-xp"]),
        Some("set") => run.args.is_empty(),
        Some("compgen") => {
            run.args.iter().any(|arg| matches!(arg.text.as_str(), "-v" | "-e")) && run.args.len() == 1
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_real_path() {
        for (path, expected) in [
            ("/home/ann/.ssh/id_rsa", true),
            ("/home/ann/.ssh/id_work", true),
            ("/home/ann/.ssh/id_rsa.pub", false),
            ("/home/ann/.ssh/config", false),
            ("/home/ann/.gnupg/trustdb.gpg", true),
            ("/home/ann/.npmrc", true),
            ("/p/.npmrc", false),
            ("/home/annabel/.npmrc", false),
            ("/p/server.key", true),
            ("/p/.key", false),
            ("/p/.env", true),
            ("/p/a/.env.local", true),
            ("/p/.env.example", false),
            ("/etc/shadow", true),
            ("/p/session.md", false),
            ("/p/id_ed25519", true),
            ("/p/id_ed25519.pub", false),
            ("/p/.pgpass", true),
            ("/home/ann/.config/gcloud/credentials.db", true),
            ("/home/ann/.cargo/credentials.toml", true),
            ("/home/ann/.cargo/config.toml", false),
            ("/home/ann/.aws/sso/cache/a.json", true),
            ("/home/ann/.aws/config", false),
        ] {
            assert_eq!(is_secret(path, Some("/home/ann")), expected, "{path}");
        }
        assert!(!is_secret("/home/ann/.npmrc", None), "whose home it is must be known");
    }

    #[test]
    fn a_file_says_what_it_holds() {
        for (text, expected) in [
            ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n", Holds::PrivateKey),
            ("-----BEGIN PRIVATE KEY-----", Holds::PrivateKey),
            ("PuTTY-User-Key-File-3: ssh-ed25519", Holds::PrivateKey),
            ("-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n", Holds::Public),
            ("-----BEGIN PUBLIC KEY-----", Holds::Public),
            ("-----BEGIN CERTIFICATE-----\nMII\n-----BEGIN RSA PRIVATE KEY-----\n", Holds::PrivateKey),
            ("pub const KEY: &str = \"-----BEGIN PRIVATE KEY-----\";", Holds::Other),
            ("", Holds::Other),
        ] {
            assert_eq!(Holds::of(text), expected, "{text}");
        }
    }

    #[test]
    fn only_names_that_speak_of_a_key_are_looked_at() {
        for (path, expected) in [
            ("/p/cert.pem", Some(1 << 20)),
            ("/p/deploy_key", Some(100)),
            ("/p/AuthKey_X.p8", Some(100)),
            ("/p/id_work", Some(100)),
            ("/p/client-secret.txt", Some(100)),
            ("/p/src/main.rs", None),
            ("/p/keys/readme.md", None),
        ] {
            assert_eq!(telling_bytes(path), expected, "{path}");
        }
    }
}
