//! Runs that change nothing: they show a help text or a version, or only say what they would do.
//!
//! One table for all rules. A program that is not in it is taken to act. `--help` counts where the program itself would read it as an
//! option: not behind `--`, not as the value of another option, not among the words of a program that it runs.

use crate::option::Options;
use crate::run::Run;
use crate::word::Word;

/// How programs are asked to show or to try.
struct Row {
    /// Names; one that ends in `.` stands for all that begin so.
    names: &'static [&'static str],
    /// Options that take the next word, which is then no option.
    valued: &'static [&'static str],
    /// Options that only show, besides `--help`, and `--version` as the first word: `cargo yank --version 1.0 x` has a version to yank.
    shows: &'static [&'static str],
    /// Options with which nothing is done.
    tries: &'static [&'static str],
    /// Where they must stand.
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Anywhere before `--`.
    Anywhere,
    /// As the first word: what follows is for another program, or may be the value of an option.
    First,
}

const ROW: Row = Row { names: &[], valued: &[], shows: &[], tries: &[], place: Place::Anywhere };

/// Options of git's commands that take a value. Too many is safe: their values are not read as options.
const GIT_VALUES: &[&str] = &[
    "-C",
    "-F",
    "-S",
    "-X",
    "-b",
    "-B",
    "-c",
    "-e",
    "-m",
    "-o",
    "-s",
    "-t",
    "-u",
    "-x",
    "--author",
    "--cleanup",
    "--conflict",
    "--date",
    "--exclude",
    "--exec",
    "--expire",
    "--expire-unreachable",
    "--file",
    "--fixup",
    "--format",
    "--message",
    "--onto",
    "--orphan",
    "--path",
    "--pathspec-from-file",
    "--push-option",
    "--receive-pack",
    "--reedit-message",
    "--repo",
    "--reuse-message",
    "--sort",
    "--source",
    "--squash",
    "--strategy",
    "--template",
    "--trailer",
];

/// The commands of git that can be tried, and how. `git commit -n` is another thing.
const GIT_TRIES: &[(&[&str], &[&str])] = &[
    (&["push", "clean", "rm", "mv", "add", "prune", "reflog"], &["-n", "--dry-run"]),
    (&["commit", "filter-repo", "fetch"], &["--dry-run"]),
];

const TABLE: &[Row] = &[
    // Files.
    Row { names: &["rm", "grm", "rmdir", "unlink", "chmod", "chown", "chgrp", "tee"], ..ROW },
    Row {
        names: &["mv", "gmv", "cp", "gcp", "ln"],
        valued: &["-t", "--target-directory", "-S", "--suffix"],
        ..ROW
    },
    Row {
        names: &["install"],
        valued: &[
            "-t",
            "--target-directory",
            "-S",
            "--suffix",
            "-m",
            "--mode",
            "-o",
            "--owner",
            "-g",
            "--group",
        ],
        ..ROW
    },
    Row { names: &["shred"], valued: &["-n", "--iterations", "-s", "--size", "--random-source"], ..ROW },
    Row { names: &["truncate"], valued: &["-s", "--size", "-r", "--reference"], ..ROW },
    Row { names: &["dd"], ..ROW },
    Row {
        names: &["find", "gfind", "fd", "fdfind"],
        shows: &["-help", "-version"],
        place: Place::First,
        ..ROW
    },
    Row {
        names: &["rsync"],
        valued: &[
            "-e",
            "--rsh",
            "-f",
            "--filter",
            "-B",
            "-T",
            "-M",
            "-@",
            "--backup-dir",
            "--bwlimit",
            "--chmod",
            "--chown",
            "--compare-dest",
            "--copy-dest",
            "--exclude",
            "--exclude-from",
            "--files-from",
            "--include",
            "--include-from",
            "--link-dest",
            "--log-file",
            "--max-delete",
            "--out-format",
            "--partial-dir",
            "--password-file",
            "--port",
            "--rsync-path",
            "--suffix",
            "--temp-dir",
            "--timeout",
        ],
        tries: &["-n", "--dry-run", "--list-only"],
        ..ROW
    },
    // Disks.
    Row {
        names: &["mke2fs", "mkfs.ext2", "mkfs.ext3", "mkfs.ext4"],
        valued: &[
            "-b", "-C", "-d", "-D", "-E", "-e", "-g", "-G", "-i", "-I", "-J", "-l", "-L", "-m", "-M", "-N",
            "-o", "-O", "-r", "-t", "-T", "-U", "-z",
        ],
        tries: &["-n"],
        ..ROW
    },
    Row {
        names: &["mkfs.xfs"],
        valued: &["-b", "-c", "-d", "-i", "-l", "-L", "-m", "-n", "-p", "-r", "-s"],
        tries: &["-N"],
        ..ROW
    },
    Row {
        names: &["mkfs.ntfs", "mkntfs"],
        valued: &["-c", "-H", "-L", "-p", "-s", "-S", "-z"],
        tries: &["-n", "--no-action"],
        ..ROW
    },
    // `-n` of the others is a label.
    Row { names: &["mkfs."], place: Place::First, ..ROW },
    Row { names: &["mkfs", "mkswap"], place: Place::First, ..ROW },
    Row { names: &["sfdisk"], valued: SFDISK, tries: &["-n", "--no-act"], ..ROW },
    Row {
        names: &["wipefs"],
        valued: &["-o", "--offset", "-t", "--types", "-O", "--output"],
        tries: &["-n", "--no-act"],
        ..ROW
    },
    Row { names: &["sgdisk"], tries: &["-P", "--pretend"], place: Place::First, ..ROW },
    Row {
        names: &["pvremove", "vgremove", "lvremove"],
        valued: &["-S", "--select", "--config", "--reportformat"],
        tries: &["-t", "--test"],
        ..ROW
    },
    Row {
        names: &[
            "fdisk",
            "parted",
            "blkdiscard",
            "cryptsetup",
            "nvme",
            "mdadm",
            "badblocks",
            "hdparm",
            "zpool",
        ],
        place: Place::First,
        ..ROW
    },
    // Behind `destroy` the letters are those of one command.
    Row { names: &["zfs"], tries: &["-n", "--dryrun"], ..ROW },
    // What others use.
    Row {
        names: &["kubectl", "oc", "helm", "velero", "argocd", "flux", "kind", "k3d", "minikube"],
        valued: &[
            "-n",
            "--namespace",
            "-f",
            "--filename",
            "-l",
            "--selector",
            "-o",
            "--output",
            "-c",
            "--container",
            "-k",
            "--kustomize",
            "-s",
            "--server",
            "--as",
            "--cluster",
            "--context",
            "--field-selector",
            "--kube-context",
            "--kubeconfig",
            "--replicas",
            "--set",
            "--token",
            "--user",
            "--values",
        ],
        shows: &["-h"],
        tries: &["--dry-run"],
        place: Place::Anywhere,
    },
    Row {
        names: &["terraform", "tofu", "terragrunt", "pulumi", "cdk", "serverless", "vault"],
        valued: &["-target", "--target", "-var", "--var", "-s", "--stack", "-C", "--cwd", "--mount"],
        shows: &["-h", "-help"],
        ..ROW
    },
    Row {
        names: &["aws", "gcloud", "gsutil", "az", "doctl", "bq"],
        valued: &[
            "--profile",
            "--region",
            "--project",
            "--query",
            "--output",
            "-o",
            "--name",
            "-n",
            "--resource-group",
            "-g",
            "--filters",
            "--include",
            "--exclude",
            "--format",
            "--zone",
        ],
        tries: &["--dryrun", "--dry-run", "--what-if"],
        ..ROW
    },
    // Behind an image or a container the words are another program's.
    Row {
        names: &["docker", "podman", "nerdctl"],
        valued: &["--filter", "-H", "--host", "-c", "--context", "-f", "--file", "-p", "--project-name"],
        tries: &["--dry-run"],
        ..ROW
    },
    Row {
        names: &[
            "gh", "glab", "heroku", "flyctl", "fly", "vercel", "netlify", "wrangler", "firebase", "supabase",
        ],
        valued: &["-R", "--repo", "-a", "--app", "-X", "--method", "-f", "-F", "-H", "--field", "--input"],
        tries: &["--dry-run"],
        ..ROW
    },
    Row {
        names: &["restic", "borg", "rclone"],
        valued: &["-r", "--repo", "-p", "--password-file", "--tag", "--host", "--config", "--exclude", "-a"],
        tries: &["-n", "--dry-run"],
        ..ROW
    },
    Row {
        names: &["npm", "cargo", "gem"],
        valued: &["--otp", "--registry", "--version"],
        tries: &["--dry-run"],
        ..ROW
    },
    // Databases: a value may follow almost any of their options.
    Row {
        names: &[
            "psql",
            "mysql",
            "mariadb",
            "sqlite3",
            "duckdb",
            "dropdb",
            "dropuser",
            "mysqladmin",
            "pg_restore",
            "mongorestore",
            "mongosh",
            "mongo",
            "redis-cli",
            "valkey-cli",
            "prisma",
            "alembic",
            "flyway",
        ],
        place: Place::First,
        ..ROW
    },
    // The machine.
    Row {
        names: &["shutdown", "reboot", "halt", "poweroff", "crontab", "pkill"],
        place: Place::First,
        ..ROW
    },
    Row { names: &["systemctl"], tries: &["--dry-run"], place: Place::First, ..ROW },
];

const SFDISK: &[&str] =
    &["-N", "-b", "-O", "-o", "-w", "-W", "-X", "-Y", "--output", "--backup-file", "--label"];

/// Programs that take the words behind their first operand for another program, with the commands that do.
const HANDS_ON: &[&str] = &["exec", "run", "debug", "attach", "cp", "rsh"];

/// Whether options of one letter may stand in one word. Where `-chdir` is an option, it holds no `-h`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letters {
    Together,
    Apart,
}

/// Whether a line has programs read their options as POSIX says: none behind an operand.
pub(crate) fn is_posix(runs: &[Run]) -> bool {
    let exports = |run: &&Run| run.is(&["export", "declare", "typeset", "readonly"]);
    runs.iter().filter(exports).any(|run| run.args.iter().any(|arg| arg.text.starts_with("POSIXLY_CORRECT")))
}

/// Whether a run only shows something or says what it would do.
pub(crate) fn changes_nothing(run: &Run, is_posix: bool) -> bool {
    let Some(program) = run.program.as_deref() else { return false };
    match program {
        "git" | "hub" => git_changes_nothing(&run.args),
        "git-filter-repo" => says(
            &run.args,
            GIT_VALUES,
            &["--help", "-h", "--version", "--dry-run"],
            Place::Anywhere,
            Letters::Apart,
        ),
        _ => {
            let fits = |name: &&str| *name == program || (name.ends_with('.') && program.starts_with(*name));
            let Some(row) = TABLE.iter().find(|row| row.names.iter().any(fits)) else {
                return false;
            };
            // By POSIX no option stands behind an operand, and other systems than Linux keep to that.
            let is_strict = is_posix || run.env.iter().any(|(name, _)| name == "POSIXLY_CORRECT");
            let hands_on = run.args.iter().any(|arg| HANDS_ON.contains(&arg.text.as_str()))
                && ["docker", "podman", "nerdctl", "kubectl", "oc"].contains(&program);
            let place =
                if hands_on || (is_strict && is_of_the_system(program)) { Place::First } else { row.place };
            let says = |names: &[&str], place, letters| says(&run.args, row.valued, names, place, letters);
            says(&["--version"], Place::First, Letters::Apart)
                || says(&["--help"], place, Letters::Apart)
                || says(row.shows, place, Letters::Apart)
                || says(row.tries, place, Letters::Together)
        }
    }
}

/// Programs whose options are read by the system's own function.
fn is_of_the_system(program: &str) -> bool {
    let own = ["kubectl", "oc", "helm", "terraform", "tofu", "aws", "gcloud", "az", "docker", "podman", "gh"];
    !own.contains(&program)
}

/// `git --help`, `git reset --hard --help`, `git push -n`.
fn git_changes_nothing(args: &[Word]) -> bool {
    let own = [
        "-C",
        "-c",
        "--git-dir",
        "--work-tree",
        "--namespace",
        "--exec-path",
        "--config-env",
        "--attr-source",
    ];
    let options = Options::read(args, &own, true);
    if options.has(&["--help", "-h", "--version", "-v"]) {
        return true;
    }
    let Some((command, rest)) = options.first_operand.and_then(|at| args.get(at..)?.split_first()) else {
        return options.operands.is_empty();
    };
    // They run what follows, or read it as they like.
    if matches!(command.text.as_str(), "bisect" | "submodule" | "filter-branch") {
        return rest.first().is_some_and(|first| matches!(first.text.as_str(), "--help" | "-h"));
    }
    let tries = GIT_TRIES.iter().filter(|(commands, _)| commands.contains(&command.text.as_str()));
    let tries: Vec<&str> = tries.flat_map(|(_, options)| *options).copied().collect();
    // `-u` of push takes no value.
    let takes_value = |option: &&str| match command.text.as_str() {
        "push" => !matches!(*option, "-u" | "-s" | "-c" | "-b" | "-m" | "-x" | "-t"),
        "clean" => matches!(*option, "-e" | "--exclude"),
        _ => true,
    };
    let valued: Vec<&str> = GIT_VALUES.iter().copied().filter(takes_value).collect();
    let is_alone = rest.len() == 1 && rest[0].text == "-h";
    is_alone
        || says(rest, &valued, &["--help"], Place::Anywhere, Letters::Apart)
        || says(rest, &valued, &tries, Place::Anywhere, Letters::Together)
}

/// Whether one of the options is given, and not taken back.
fn says(args: &[Word], valued: &[&str], names: &[&str], place: Place, letters: Letters) -> bool {
    let args = if place == Place::First { &args[..args.len().min(1)] } else { args };
    let mut found = false;
    let mut index = 0;
    while let Some(arg) = args.get(index) {
        index += 1;
        let text = arg.text.as_str();
        if text == "--" {
            break;
        }
        if !text.starts_with('-') || text.len() < 2 {
            continue;
        }
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        if value.is_none() && valued.contains(&text) {
            index += 1;
            continue;
        }
        if is_one(name, names) {
            found = !matches!(value, Some("false" | "none" | "0"));
            continue;
        }
        if let Some(undone) = name.strip_prefix("--no-").filter(|_| found)
            && names.iter().any(|name| name.trim_start_matches('-').starts_with(undone))
        {
            return false;
        }
        // Letters in one word, unless the program writes long options with one dash.
        let is_long = names.iter().any(|name| name.len() > 2 && !name.starts_with("--"));
        if !text.starts_with("--") && !is_long {
            for (at, letter) in text.char_indices().skip(1) {
                let option = format!("-{letter}");
                if valued.contains(&option.as_str()) {
                    index += usize::from(at + letter.len_utf8() == text.len());
                    break;
                }
                found |= letters == Letters::Together && names.contains(&option.as_str());
            }
        }
    }
    found
}

/// A long option may be cut short where it stays clear: `--dry`.
fn is_one(given: &str, names: &[&str]) -> bool {
    names.iter().any(|name| {
        given == *name || (*name == "--dry-run" && given.len() >= "--dr".len() && name.starts_with(given))
    })
}

#[cfg(test)]
mod tests {
    use crate::surroundings::Surroundings;
    use crate::walk::analyse;

    #[test]
    fn what_only_shows_or_tries_is_known() {
        for (line, expected) in [
            ("rm -rf / --help", true),
            ("rm --help", true),
            ("git clean -fdxn", true),
            ("git clean -fdx --dry-run", true),
            ("git clean -fdx", false),
            ("git clean -fdx -e -n", false),
            ("terraform -chdir=live destroy", false),
            ("terraform destroy -help", true),
            ("cargo yank --version 1.0.0 x", false),
            ("rm -rf -- --help /", false),
            ("rm -rf /", false),
            ("POSIXLY_CORRECT=1 rm -rf / --help", false),
            ("export POSIXLY_CORRECT=1; rm -rf / --help", false),
            ("sudo rm -rf / --help", true),
            ("terraform -chdir=prod destroy -refresh=false", false),
            ("terraform destroy -h", true),
            ("cargo yank --version 1.0.0 x", false),
            ("cargo yank --help", true),
            ("gem yank x --version 1", false),
            ("aws --version", true),
            ("mv -t --help a b", false),
            ("cp --version", true),
            ("shred -n --help x", false),
            ("find --help", true),
            ("find . -name --help -delete", false),
            ("unknown --help", false),
            ("git --help", true),
            ("git -h", true),
            ("git --version", true),
            ("git", true),
            ("git reset --hard --help", true),
            ("git reset -h", true),
            ("git reset --hard -- --help", false),
            ("git reset --hard", false),
            ("git commit -m --help --no-verify", false),
            ("git commit -n -m x", false),
            ("git commit --dry-run --no-verify", true),
            ("git push -n --force", true),
            ("git push --dry --force", true),
            ("git push --dry-run --no-dry-run --force", false),
            ("git push -o --dry-run --force", false),
            ("git push -u origin -n +x", true),
            ("git clean -fdn", true),
            ("git clean -fe -n", false),
            ("git reflog expire --dry-run --expire=now --all", true),
            ("git filter-repo --dry-run --path x", true),
            ("git filter-branch --help", true),
            ("git filter-branch --msg-filter --help", false),
            ("git bisect run rm -rf x", false),
            ("git-filter-repo --dry-run", true),
            ("rsync -an --delete a/ /", true),
            ("rsync --list-only --delete a/ /", true),
            ("rsync -a --delete -e -n a/ /", false),
            ("mkfs.ext4 -n /dev/sda", true),
            ("mkfs.ext4 -L -n /dev/sda", false),
            ("mkfs.vfat -n NAME /dev/sda", false),
            ("mkfs.xfs -N /dev/sda", true),
            ("sfdisk --no-act /dev/sda", true),
            ("wipefs -an /dev/sda", true),
            ("lvremove -t vg/x", true),
            ("zfs destroy -nv tank/x", true),
            ("kubectl delete pod x --dry-run=client", true),
            ("kubectl delete pod x --dry-run=none", false),
            ("kubectl delete -n --help pod", false),
            ("kubectl delete --help", true),
            ("kubectl delete --help=false pod x", false),
            ("kubectl exec p -- rm --help", false),
            ("terraform destroy -help", true),
            ("docker system prune -a --help", true),
            ("docker run x prune --help", false),
            ("aws s3 rm --recursive s3://b --dryrun", true),
            ("restic forget -n --prune", true),
            ("psql -c --help", false),
            ("psql --help", true),
        ] {
            let analysis =
                analyse(line, &Surroundings { cwd: "/p".into(), is_gnu: true, ..Surroundings::default() });
            let run = analysis.runs.iter().find(|run| !run.is(&["export", "sudo"])).expect("something runs");
            assert_eq!(run.changes_nothing, expected, "{line}");
        }
        let elsewhere = Surroundings { cwd: "/p".into(), ..Surroundings::default() };
        assert!(
            !analyse("rm -rf x --help", &elsewhere).runs[0].changes_nothing,
            "x is an operand, and so is the rest"
        );
        assert!(analyse("rm --help", &elsewhere).runs[0].changes_nothing);
    }
}
