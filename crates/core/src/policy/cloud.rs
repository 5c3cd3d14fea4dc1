//! Pack cloud: what destroys something that others use, or that cannot be undone. The programs and their words are a table,
//! [`CLIENTS`]; a request of `curl` and a copy of `rsync` are read by functions.

use super::facts::CallFacts;
use super::operation::{self, CLIENT, CONTAINER_VALUED, Client, plain, with};
use super::request::Request;
use super::{Built, Level};
use engine_shell::{Options, Run, Word};

const INFRASTRUCTURE: &str = "cloud.infrastructure";
const CLUSTER: &str = "cloud.cluster";
const PROVIDER: &str = "cloud.provider";
const CONTAINER: &str = "cloud.container";
const FORGE: &str = "cloud.forge";
const BACKUP: &str = "cloud.backup";
const VAULT: &str = "cloud.vault";
const MESSAGING: &str = "cloud.messaging";
const PUBLISH: &str = "cloud.publish";

pub(super) const CLOUD: &[Built] = &[
    Built {
        id: INFRASTRUCTURE,
        since: "0.1.0",
        verdict: Level::Ask,
        about: "destroying infrastructure: terraform destroy, pulumi destroy",
        reason: "what it manages would be destroyed or changed without a look at the plan",
        instead: "terraform plan, and the person's word on it",
        matches: |facts| operation::find(facts, INFRASTRUCTURE),
    },
    Built {
        id: CLUSTER,
        since: "0.1.0",
        verdict: Level::Ask,
        about: "deleting from a cluster: kubectl delete, helm uninstall",
        reason: "what others use would be gone from the cluster",
        instead: "the same with --dry-run, and the person's word on it",
        matches: |facts| operation::find(facts, CLUSTER),
    },
    Built {
        id: PROVIDER,
        since: "0.1.0",
        verdict: Level::Ask,
        about: "deleting at a cloud provider: aws, gcloud, az, heroku",
        reason: "what is deleted there cannot be brought back",
        instead: "listing what is there, and the person's word on it",
        matches: |facts| operation::find(facts, PROVIDER),
    },
    Built {
        id: CONTAINER,
        since: "0.1.0",
        verdict: Level::Ask,
        about: "deleting volumes, or all containers or images",
        reason: "data in volumes, or everything of all projects, would be lost",
        instead: "naming the container or image that is meant",
        matches: |facts| operation::find(facts, CONTAINER).or_else(|| removes_all(facts)),
    },
    Built {
        id: FORGE,
        since: "0.1.0",
        verdict: Level::Ask,
        about: "deleting at a forge or CI server: gh repo delete, gh api -X DELETE",
        reason: "others would lose it too",
        instead: "leaving it to the person",
        matches: |facts| {
            let deletes = |request: &Request| {
                (request.is("DELETE")
                    && (request.host == "api.github.com" || request.path.contains("/api/v4/")))
                    || (request.is("POST") && request.path.ends_with("/doDelete"))
            };
            operation::find(facts, FORGE).or_else(|| Request::find(facts, deletes))
        },
    },
    Built {
        id: BACKUP,
        since: "0.1.0",
        verdict: Level::Ask,
        about: "deleting backups, or mirroring with deletes to another machine",
        reason: "a backup or a copy elsewhere would be lost",
        instead: "the same with --dry-run, and the person's word on it",
        matches: |facts| {
            let mirrored = || facts.runs().find(|(_, run)| mirrors(facts, run)).map(|(index, _)| index);
            operation::find(facts, BACKUP).or_else(mirrored)
        },
    },
    Built {
        id: VAULT,
        since: "0.1.0",
        verdict: Level::Ask,
        about: "deleting from a store of secrets: vault, op, doppler",
        reason: "programs that use the secret would stop",
        instead: "leaving it to the person",
        matches: |facts| operation::find(facts, VAULT),
    },
    Built {
        id: MESSAGING,
        since: "0.1.0",
        verdict: Level::Ask,
        about: "deleting topics, queues and streams: kafka-topics --delete, rabbitmqctl, nats",
        reason: "messages in it would be lost",
        instead: "leaving it to the person",
        matches: |facts| operation::find(facts, MESSAGING),
    },
    Built {
        id: PUBLISH,
        since: "0.1.0",
        verdict: Level::Ask,
        about: "taking back a published package: npm unpublish, cargo yank",
        reason: "projects that use the package would break",
        instead: "leaving it to the person",
        matches: |facts| operation::find(facts, PUBLISH),
    },
];

const DELETING: &str = "… delete";

/// Every program of the pack.
pub(super) const CLIENTS: &[Client] = &[
    Client {
        names: &["terraform", "tofu", "terragrunt"],
        valued: &["--terragrunt-working-dir", "--working-dir"],
        single_dash: true,
        places: &[("--chdir", "folder"), ("TF_WORKSPACE", "workspace")],
        operations: &[
            plain(INFRASTRUCTURE, "destroy"),
            plain(INFRASTRUCTURE, "run|run-all|stack … destroy"),
            with(INFRASTRUCTURE, "apply", &["--destroy", "--auto-approve"]),
            with(INFRASTRUCTURE, "run|run-all … apply", &["--destroy", "--auto-approve"]),
            plain(INFRASTRUCTURE, "state rm"),
            plain(INFRASTRUCTURE, "workspace delete"),
            plain(INFRASTRUCTURE, "force-unlock"),
        ],
        ..CLIENT
    },
    Client {
        names: &["pulumi"],
        valued: &["-s", "--stack", "-C", "--cwd"],
        trial: &["--preview-only"],
        places: &[("-s", "stack"), ("--stack", "stack")],
        operations: &[plain(INFRASTRUCTURE, "destroy"), plain(INFRASTRUCTURE, "stack rm")],
        ..CLIENT
    },
    Client {
        names: &["cdk"],
        valued: &["-a", "--app", "-c", "--context", "--profile"],
        places: &[("--profile", "profile"), ("AWS_PROFILE", "profile")],
        operations: &[plain(INFRASTRUCTURE, "destroy")],
        ..CLIENT
    },
    Client {
        names: &["serverless", "sls"],
        valued: &["-s", "--stage", "-r", "--region", "--aws-profile"],
        places: &[("-s", "stage"), ("--stage", "stage"), ("--aws-profile", "profile")],
        operations: &[plain(INFRASTRUCTURE, "remove")],
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
            "--request-timeout",
            "-v",
        ],
        places: &[
            ("--context", "context"),
            ("--cluster", "cluster"),
            ("-n", "namespace"),
            ("--namespace", "namespace"),
            ("KUBECONFIG", "configuration"),
        ],
        operations: &[
            plain(CLUSTER, "delete|drain"),
            plain(CLUSTER, "adm drain"),
            with(CLUSTER, "replace", &["--force"]),
            with(CLUSTER, "scale", &["--replicas=0"]),
        ],
        ..CLIENT
    },
    Client {
        names: &["helm"],
        valued: &["-n", "--namespace", "--kube-context", "--kubeconfig"],
        places: &[("--kube-context", "context"), ("-n", "namespace"), ("--namespace", "namespace")],
        operations: &[plain(CLUSTER, "uninstall|un|delete|del|rollback")],
        ..CLIENT
    },
    Client {
        names: &["argocd"],
        valued: &["--server", "--auth-token", "--argocd-context", "--config"],
        places: &[("--argocd-context", "context"), ("--server", "server")],
        operations: &[plain(CLUSTER, "app delete")],
        ..CLIENT
    },
    Client {
        names: &["flux"],
        valued: &["-n", "--namespace", "--context", "--kubeconfig"],
        places: &[("--context", "context"), ("-n", "namespace"), ("--namespace", "namespace")],
        operations: &[plain(CLUSTER, "uninstall")],
        ..CLIENT
    },
    Client {
        names: &["aws"],
        valued: &["--profile", "--region", "--output", "--query", "--endpoint-url", "--ca-bundle", "--color"],
        places: &[
            ("--profile", "profile"),
            ("AWS_PROFILE", "profile"),
            ("--region", "region"),
            ("AWS_REGION", "region"),
            ("--bucket", "bucket"),
            ("--cluster", "cluster"),
            ("--stack-name", "stack"),
        ],
        operations: &[
            plain(INFRASTRUCTURE, "cloudformation delete-stack"),
            with(PROVIDER, "s3 rm", &["--recursive"]),
            plain(PROVIDER, "s3 rb"),
            with(PROVIDER, "s3 sync", &["--delete"]),
            plain(PROVIDER, "secretsmanager put-secret-value|update-secret"),
            plain(PROVIDER, "kms schedule-key-deletion"),
            plain(PROVIDER, "* delete-*|batch-delete-*|terminate-*|deregister-*|purge-*|unsubscribe"),
        ],
        ..CLIENT
    },
    Client {
        names: &["gcloud"],
        valued: &[
            "--project",
            "--account",
            "--configuration",
            "--zone",
            "--region",
            "--cluster",
            "--format",
            "--filter",
            "--impersonate-service-account",
            "--verbosity",
            "--command",
        ],
        places: &[
            ("--project", "project"),
            ("--configuration", "configuration"),
            ("--cluster", "cluster"),
            ("CLOUDSDK_CORE_PROJECT", "project"),
        ],
        operations: &[
            plain(PROVIDER, "… delete|destroy|purge"),
            with(PROVIDER, "storage rm", &["-r", "-R", "--recursive"]),
            with(PROVIDER, "storage rsync", &["--delete-unmatched-destination-objects"]),
        ],
        ..CLIENT
    },
    Client {
        names: &["gsutil"],
        valued: &["-o", "-h", "-u"],
        operations: &[
            with(PROVIDER, "rm", &["-r", "-R", "-a"]),
            plain(PROVIDER, "rb"),
            with(PROVIDER, "rsync", &["-d"]),
        ],
        ..CLIENT
    },
    Client {
        names: &["az"],
        valued: &[
            "--subscription",
            "-g",
            "--resource-group",
            "-n",
            "--name",
            "-o",
            "--output",
            "--query",
            "--account-name",
        ],
        places: &[
            ("--subscription", "subscription"),
            ("-g", "resource group"),
            ("--resource-group", "resource group"),
        ],
        operations: &[plain(PROVIDER, "… delete|delete-batch|purge")],
        ..CLIENT
    },
    Client {
        names: &["doctl"],
        valued: &["-t", "--access-token", "-c", "--config", "--context", "-o", "--output"],
        places: &[("--context", "context")],
        operations: &[plain(PROVIDER, "… delete|rm")],
        ..CLIENT
    },
    Client {
        names: &["heroku"],
        valued: &["-a", "--app", "-r", "--remote"],
        places: &[("-a", "app"), ("--app", "app"), ("-r", "remote"), ("--remote", "remote")],
        operations: &[plain(PROVIDER, "*:destroy|*:delete|destroy|pg:reset|domains:clear|keys:clear")],
        ..CLIENT
    },
    Client {
        names: &["fly", "flyctl"],
        valued: &["-a", "--app", "-c", "--config", "-o", "--org", "-t", "--access-token"],
        places: &[("-a", "app"), ("--app", "app"), ("-o", "organisation"), ("--org", "organisation")],
        operations: &[plain(PROVIDER, "… destroy|delete")],
        ..CLIENT
    },
    Client {
        names: &["vercel", "vc"],
        valued: &["-S", "--scope", "-t", "--token", "--cwd"],
        places: &[("-S", "scope"), ("--scope", "scope")],
        operations: &[plain(PROVIDER, "… remove|rm")],
        ..CLIENT
    },
    Client {
        names: &["netlify", "ntl"],
        valued: &["--auth", "--filter"],
        operations: &[plain(PROVIDER, "*:delete|*:remove")],
        ..CLIENT
    },
    Client {
        names: &["wrangler"],
        valued: &["-e", "--env", "-c", "--config", "--name"],
        places: &[("-e", "environment"), ("--env", "environment"), ("--name", "worker")],
        operations: &[plain(PROVIDER, DELETING)],
        ..CLIENT
    },
    Client {
        names: &["firebase"],
        valued: &["-P", "--project", "--token", "--account", "-c", "--config"],
        places: &[("-P", "project"), ("--project", "project")],
        operations: &[plain(PROVIDER, "*:delete|*:remove|*:destroy|hosting:disable")],
        ..CLIENT
    },
    Client {
        names: &["supabase"],
        valued: &["--workdir", "--profile", "--project-ref"],
        places: &[("--project-ref", "project")],
        operations: &[plain(PROVIDER, DELETING), plain(PROVIDER, "secrets unset")],
        ..CLIENT
    },
    Client {
        names: &["docker", "podman", "nerdctl"],
        valued: CONTAINER_VALUED,
        places: &[("--context", "context"), ("-H", "host"), ("--host", "host"), ("DOCKER_HOST", "host")],
        operations: &[
            with(CONTAINER, "system prune", &["-a", "--all", "--volumes"]),
            plain(CONTAINER, "system reset"),
            plain(CONTAINER, "volume rm|remove|prune"),
        ],
        ..CLIENT
    },
    Client {
        names: &["docker-compose", "podman-compose"],
        valued: &[
            "-f",
            "--file",
            "-p",
            "--project-name",
            "--profile",
            "--env-file",
            "--project-directory",
            "--ansi",
            "--context",
            "-H",
            "--host",
        ],
        places: &[
            ("--context", "context"),
            ("-H", "host"),
            ("--host", "host"),
            ("DOCKER_HOST", "host"),
            ("-p", "project"),
            ("--project-name", "project"),
        ],
        operations: &[with(CONTAINER, "down", &["-v", "--volumes", "--rmi"])],
        ..CLIENT
    },
    Client {
        names: &["gh"],
        valued: &["-R", "--repo", "--hostname", "-X", "--method", "-H", "--header", "-q", "--jq"],
        places: &[("-R", "repository"), ("--repo", "repository"), ("GH_REPO", "repository")],
        operations: &[
            plain(FORGE, "repo delete|archive"),
            plain(FORGE, "release|issue|gist|secret|variable|ssh-key|gpg-key|run|cache delete"),
            with(FORGE, "api", &["-X=DELETE", "--method=DELETE"]),
        ],
        ..CLIENT
    },
    Client {
        names: &["glab"],
        valued: &["-R", "--repo", "--hostname", "-X", "--method", "-H", "--header"],
        places: &[("-R", "repository"), ("--repo", "repository")],
        operations: &[
            plain(FORGE, "repo|project delete"),
            with(FORGE, "api", &["-X=DELETE", "--method=DELETE"]),
        ],
        ..CLIENT
    },
    Client {
        names: &["gitlab-runner"],
        valued: &["-c", "--config", "-l", "--log-level"],
        operations: &[plain(FORGE, "unregister")],
        ..CLIENT
    },
    Client {
        names: &["circleci"],
        valued: &["--token", "--host"],
        operations: &[plain(FORGE, "… delete|remove-secret")],
        ..CLIENT
    },
    Client {
        names: &["jenkins-cli", "jenkins-cli.jar"],
        valued: &["--auth", "-s", "-i"],
        single_dash: true,
        places: &[("-s", "server"), ("JENKINS_URL", "server")],
        operations: &[plain(FORGE, "delete-*")],
        ..CLIENT
    },
    Client {
        names: &["restic"],
        valued: &["-r", "--repo", "--repository-file", "-p", "--password-file", "--password-command", "-o"],
        trial: &["-n"],
        places: &[("-r", "repository"), ("--repo", "repository"), ("RESTIC_REPOSITORY", "repository")],
        operations: &[plain(BACKUP, "forget|prune")],
        ..CLIENT
    },
    Client {
        names: &["borg"],
        valued: &["-r", "--repo", "--rsh", "--remote-path", "--lock-wait"],
        trial: &["-n"],
        places: &[("-r", "repository"), ("--repo", "repository"), ("BORG_REPO", "repository")],
        operations: &[plain(BACKUP, "delete|prune|compact|repo-delete|rdelete")],
        ..CLIENT
    },
    Client {
        names: &["rclone"],
        valued: &["--config", "--log-level", "--log-file", "--transfers", "--checkers"],
        trial: &["-n"],
        operations: &[plain(BACKUP, "sync|delete|deletefile|purge|rmdir|rmdirs|move")],
        ..CLIENT
    },
    Client {
        names: &["velero"],
        valued: &["-n", "--namespace", "--kubeconfig", "--kubecontext"],
        places: &[("--kubecontext", "context"), ("-n", "namespace"), ("--namespace", "namespace")],
        operations: &[plain(BACKUP, DELETING)],
        ..CLIENT
    },
    Client {
        names: &["vault"],
        valued: &["--address", "--namespace", "--mount", "--versions"],
        single_dash: true,
        places: &[("--address", "server"), ("VAULT_ADDR", "server"), ("--namespace", "namespace")],
        operations: &[plain(VAULT, "… delete|destroy|disable|revoke")],
        ..CLIENT
    },
    Client {
        names: &["op"],
        valued: &["--account", "--vault", "--config", "--session", "--format"],
        places: &[("--account", "account"), ("--vault", "vault")],
        operations: &[plain(VAULT, DELETING)],
        ..CLIENT
    },
    Client {
        names: &["doppler"],
        valued: &["-p", "--project", "-c", "--config", "-t", "--token", "--scope"],
        places: &[
            ("-p", "project"),
            ("--project", "project"),
            ("-c", "configuration"),
            ("--config", "configuration"),
        ],
        operations: &[plain(VAULT, DELETING)],
        ..CLIENT
    },
    Client {
        names: &["kafka-topics", "kafka-consumer-groups"],
        places: KAFKA,
        operations: &[with(MESSAGING, "", &["--delete"])],
        ..CLIENT
    },
    Client { names: &["kafka-delete-records"], places: KAFKA, operations: &[plain(MESSAGING, "")], ..CLIENT },
    Client {
        names: &["kafka-acls"],
        places: KAFKA,
        operations: &[with(MESSAGING, "", &["--remove"])],
        ..CLIENT
    },
    Client {
        names: &["kafka-configs"],
        places: KAFKA,
        operations: &[with(MESSAGING, "", &["--delete-config"])],
        ..CLIENT
    },
    Client {
        names: &["rabbitmqctl"],
        valued: &["-n", "--node", "-p", "--vhost", "-t", "--timeout"],
        places: &[("-n", "node"), ("--node", "node"), ("-p", "virtual host"), ("--vhost", "virtual host")],
        operations: &[plain(MESSAGING, "delete_*|clear_*|purge_queue|reset|force_reset")],
        ..CLIENT
    },
    Client {
        names: &["rabbitmqadmin"],
        valued: &[
            "-c",
            "--config",
            "-H",
            "--host",
            "-P",
            "--port",
            "-u",
            "--username",
            "-p",
            "--password",
            "-V",
        ],
        places: &[("-H", "host"), ("--host", "host"), ("-V", "virtual host")],
        operations: &[plain(MESSAGING, "… delete|purge")],
        ..CLIENT
    },
    Client {
        names: &["nats"],
        valued: &["-s", "--server", "--context", "--user", "--password", "--creds"],
        places: &[("--context", "context"), ("-s", "server"), ("--server", "server")],
        operations: &[plain(MESSAGING, "stream|str|consumer|con|bucket|kv|object|obj … delete|del|rm|purge")],
        ..CLIENT
    },
    Client {
        names: &["npm"],
        valued: &["--registry", "-C", "--prefix", "--otp"],
        places: &[("--registry", "registry")],
        operations: &[plain(PUBLISH, "unpublish|deprecate")],
        ..CLIENT
    },
    Client {
        names: &["cargo"],
        valued: &["--config", "--color", "-Z", "-C", "--version", "--vers"],
        trial: &["--undo"],
        places: &[("--registry", "registry")],
        operations: &[plain(PUBLISH, "yank"), plain(PUBLISH, "+* yank")],
        ..CLIENT
    },
    Client {
        names: &["gem"],
        trial: &["--undo"],
        places: &[("--host", "host")],
        operations: &[plain(PUBLISH, "yank")],
        ..CLIENT
    },
];

const KAFKA: &[(&str, &str)] = &[("--bootstrap-server", "server"), ("--topic", "topic")];

/// `docker rm -f $(docker ps -aq)`: everything that a list holds, unless a filter narrows it.
fn removes_all(facts: &CallFacts) -> Option<usize> {
    const PROGRAMS: &[&str] = &["docker", "podman", "nerdctl"];
    let lists_all = |run: &Run| {
        let options = Options::read(&run.args, &["--format"], false);
        let lists = ["ps", "images", "ls", "list"];
        run.is(PROGRAMS)
            && options.operands.iter().take(2).any(|word| lists.contains(&word.text.as_str()))
            && !options.has(&["-f", "--filter", "-l", "--latest", "-n", "--last"])
    };
    let is_all = |word: &&Word| {
        let listed = word.from.iter().filter_map(|index| facts.analysis.runs.get(*index)).collect::<Vec<_>>();
        // A list that goes through `grep` is narrowed. Wrappers and what prints the program's name stand beside it.
        let narrows = |run: &&&Run| run.is(&["grep", "egrep", "rg", "head", "tail", "awk", "sed"]);
        listed.iter().any(|run| lists_all(run)) && !listed.iter().any(|run| narrows(&run))
    };
    let found = facts.runs_anywhere().find(|(_, run)| {
        if !run.is(PROGRAMS) {
            return false;
        }
        let options = Options::read(&run.args, CONTAINER_VALUED, false);
        let mut words = options.operands.iter().map(|word| word.text.as_str());
        let first = words.find(|word| !matches!(*word, "container" | "image"));
        matches!(first, Some("rm" | "rmi"))
            && options.has(&["-f", "--force"])
            && options.operands.iter().filter(|word| word.unknown).any(is_all)
    });
    found.map(|(index, _)| index)
}

/// `rsync` that deletes on another machine, or takes away what it has copied from outside of the project. A delete in a local folder is
/// an effect on files, which the pack files judges.
fn mirrors(facts: &CallFacts, run: &Run) -> bool {
    if !run.is(&["rsync"]) {
        return false;
    }
    let valued = &[
        "-e",
        "--rsh",
        "--exclude",
        "--include",
        "--filter",
        "-f",
        "--files-from",
        "--exclude-from",
        "--password-file",
    ];
    let options = Options::read(&run.args, valued, false);
    if options.has(&["-n", "--dry-run", "--list-only", "--help", "--version"]) {
        return false;
    }
    let Some((target, sources)) = options.operands.split_last() else { return false };
    let is_remote = |word: &Word| word.text.split('/').next().is_some_and(|host| host.contains(':'));
    let is_outside = |word: &Word| {
        let placed = word.literal().zip(run.cwd.as_deref());
        let path = placed.map(|(text, cwd)| engine_text::path::join(cwd, text));
        is_remote(word)
            || path.is_some_and(|path| !facts.places.is_inside(&path) && !facts.places.is_temporary(&path))
    };
    let deletes = options.given.iter().any(|given| given.name.starts_with("--del"));
    (deletes && is_remote(target))
        || (options.has(&["--remove-source-files"]) && sources.iter().any(|word| is_outside(word)))
}
