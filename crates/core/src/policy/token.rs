//! Programs that print a credential, as a table, and whether another program takes what they print. A credential that is used reaches
//! neither the model nor the transcript: `curl -H "Authorization: Bearer $(gh auth token)"`.

use super::facts::CallFacts;
use super::operation::{self, CLIENT, Client, plain, with};
use engine_shell::Run;

pub(super) const TOKEN: &str = "secrets.print-token";

/// How a secret of a cluster is printed with what is in it.
const SHOWN: &[&str] = &[
    "-o=yaml",
    "-o=json",
    "-o=jsonpath*.data*",
    "-o=jsonpath-as-json*.data*",
    "-o=go-template*.data*",
    "-o=custom-columns*.data*",
    "--output=yaml",
    "--output=json",
    "--output=jsonpath*.data*",
    "--output=go-template*.data*",
    "--template=*.data*",
];

const TOKENS: &[Client] = &[
    Client {
        names: &["gh"],
        valued: &["-h", "--hostname"],
        operations: &[plain(TOKEN, "auth token"), with(TOKEN, "auth status", &["--show-token", "-t"])],
        ..CLIENT
    },
    Client {
        names: &["gcloud"],
        valued: &["--project", "--account", "--configuration", "--secret"],
        operations: &[
            plain(TOKEN, "auth … print-access-token|print-identity-token"),
            plain(TOKEN, "secrets versions access"),
        ],
        ..CLIENT
    },
    Client {
        names: &["aws"],
        valued: &["--profile", "--region", "--output", "--query", "--endpoint-url"],
        operations: &[
            plain(TOKEN, "configure get aws_secret_access_key|aws_session_token"),
            plain(TOKEN, "configure get *.aws_secret_access_key|*.aws_session_token"),
            plain(TOKEN, "configure export-credentials"),
            plain(TOKEN, "secretsmanager get-secret-value|batch-get-secret-value"),
            with(TOKEN, "ssm get-parameter|get-parameters|get-parameters-by-path", &["--with-decryption"]),
            plain(TOKEN, "sts assume-role|assume-role-with-*|get-session-token|get-federation-token"),
            plain(TOKEN, "ecr get-login-password"),
        ],
        ..CLIENT
    },
    Client {
        names: &["az"],
        valued: &["--subscription", "-o", "--output", "--query"],
        operations: &[plain(TOKEN, "account get-access-token"), plain(TOKEN, "keyvault secret show")],
        ..CLIENT
    },
    Client {
        names: &["kubectl", "oc"],
        valued: &[
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
            "-l",
            "--selector",
            "--field-selector",
        ],
        operations: &[
            with(TOKEN, "get secret|secrets|secret/*|secrets/*|secret,*|secrets,*|*,secret|*,secrets", SHOWN),
            plain(TOKEN, "create token"),
            with(TOKEN, "config view", &["--raw"]),
            with(TOKEN, "whoami", &["-t", "--show-token"]),
        ],
        ..CLIENT
    },
    Client {
        names: &["vault"],
        valued: &["--address", "--namespace", "--mount", "--version", "--format"],
        single_dash: true,
        operations: &[plain(TOKEN, "kv get"), plain(TOKEN, "token create"), plain(TOKEN, "print token")],
        ..CLIENT
    },
    Client {
        names: &["gpg", "gpg2"],
        operations: &[with(
            TOKEN,
            "",
            &["--export-secret-keys", "--export-secret-key", "--export-secret-subkeys"],
        )],
        ..CLIENT
    },
    Client {
        names: &["security"],
        valued: &["-a", "-s", "-l"],
        operations: &[with(TOKEN, "find-generic-password|find-internet-password", &["-w", "-g"])],
        ..CLIENT
    },
    Client { names: &["pass"], trial: &["-c", "--clip"], operations: &[plain(TOKEN, "show")], ..CLIENT },
    Client {
        names: &["op"],
        valued: &["--account", "--vault", "--format", "--fields", "--session"],
        operations: &[plain(TOKEN, "read"), with(TOKEN, "item get", &["--reveal"])],
        ..CLIENT
    },
    Client {
        names: &["doppler"],
        valued: &["-p", "--project", "-c", "--config", "-t", "--token", "--scope"],
        operations: &[with(TOKEN, "secrets get", &["--plain"])],
        ..CLIENT
    },
    Client {
        names: &["git"],
        valued: &["-C", "-c", "--git-dir", "--work-tree"],
        operations: &[plain(TOKEN, "credential fill")],
        ..CLIENT
    },
    Client {
        names: &["heroku"],
        valued: &["-a", "--app", "-r", "--remote"],
        operations: &[plain(TOKEN, "auth:token"), plain(TOKEN, "config|config:get")],
        ..CLIENT
    },
    Client {
        names: &["fly", "flyctl"],
        operations: &[plain(TOKEN, "auth token"), plain(TOKEN, "tokens create")],
        ..CLIENT
    },
    Client {
        names: &["npm"],
        operations: &[plain(TOKEN, "token ."), plain(TOKEN, "token list|ls|create")],
        ..CLIENT
    },
];

/// Programs that show what they get.
const SHOWING: &[&str] = &[
    "echo", "printf", "cat", "tee", "head", "tail", "grep", "sed", "awk", "cut", "tr", "jq", "base64", "xxd",
    "less", "rev", "fold", "sort", "wc",
];

/// A token that another program takes as a word or by its input is used, and not shown.
pub(super) fn prints_token(facts: &CallFacts) -> Option<usize> {
    let takes = |run: &Run, index: usize| run.args.iter().any(|word| word.from.contains(&index));
    let is_used = |index: usize| {
        // `sudo echo $(…)` shows it, whatever the wrapper takes.
        if facts.runs().any(|(at, run)| at > index && run.is(SHOWING) && takes(run, index)) {
            return false;
        }
        // Who takes it comes after it.
        facts.runs().filter(|(at, run)| *at > index && !run.is(SHOWING)).any(|(_, run)| {
            let words = run.args.iter().chain(run.env.iter().filter_map(|(_, value)| value.as_ref()));
            let by_word = words.into_iter().any(|word| word.from.contains(&index));
            by_word || (run.fed_by.contains(&index) && takes_input(run))
        })
    };
    operation::all(facts, TOKENS).find(|index| !is_used(*index))
}

/// Programs that take a credential, or an object with one in it, by their input and show nothing of it.
fn takes_input(run: &Run) -> bool {
    let has = |words: &[&str]| run.args.iter().any(|arg| words.contains(&arg.text.as_str()));
    has(&["--password-stdin", "--with-token", "login"])
        || (run.is(&["kubectl", "oc"]) && has(&["apply", "create", "replace"]) && has(&["-", "-f-"]))
        || (run.is(&["gh"]) && has(&["secret"]) && has(&["set"]))
}
