//! Pack database: statements, commands and migrations that throw data away. SQL is read by [`super::sql`], programs with subcommands are
//! the table [`CLIENTS`].

use std::rc::Rc;

use super::facts::CallFacts;
use super::operation::{self, CLIENT, Call, Client, plain, two_dashes, with};
use super::request::Request;
use super::{Built, Level, sql};
use engine_shell::{Options, Run, Word};
use engine_text::path::join;

const DROP: &str = "database.drop";
const KEYS: &str = "database.keys";
pub(super) const MIGRATION: &str = "database.migration";

pub(super) const DATABASE: &[Built] = &[
    Built {
        id: "database.sql",
        since: "0.1.0",
        verdict: Level::Ask,
        about: "SQL that drops, truncates, or changes all rows of a table",
        reason: "data would be lost",
        instead: "a WHERE, a transaction that is rolled back, or a copy of the database",
        matches: |facts| {
            // Several programs may share one input, which is read once.
            let mut last = None;
            let mut is_new = |run: &Run| {
                let is_same = last.as_ref().zip(run.input.as_ref()).is_some_and(|(a, b)| Rc::ptr_eq(a, b));
                last.clone_from(&run.input);
                !is_same
            };
            facts.runs_anywhere().find(|(_, run)| runs_sql(facts, run, &mut is_new)).map(|(index, _)| index)
        },
    },
    Built {
        id: DROP,
        since: "0.1.0",
        verdict: Level::Ask,
        about: "dropping a database: dropdb, mysqladmin drop, pg_restore --clean",
        reason: "data would be lost",
        instead: "a copy of the database first",
        matches: |facts| operation::find(facts, DROP),
    },
    Built {
        id: KEYS,
        since: "0.1.0",
        verdict: Level::Ask,
        about: "emptying a key store: redis-cli FLUSHALL, etcdctl del --prefix",
        reason: "all keys would be lost",
        instead: "deleting the keys that are meant",
        matches: |facts| {
            let flushed = || facts.runs_anywhere().find(|(_, run)| flushes(run)).map(|(index, _)| index);
            operation::find(facts, KEYS).or_else(flushed)
        },
    },
    Built {
        id: "database.documents",
        since: "0.1.0",
        verdict: Level::Ask,
        about: "dropping collections or indices: mongosh dropDatabase, curl -X DELETE to a search server",
        reason: "data would be lost",
        instead: "deleting the documents that are meant",
        matches: |facts| {
            let dropped =
                facts.runs_anywhere().find(|(_, run)| drops_collection(run)).map(|(index, _)| index);
            dropped.or_else(|| Request::find(facts, drops_index))
        },
    },
    Built {
        id: MIGRATION,
        since: "0.1.0",
        verdict: Level::Ask,
        about: "migrations that empty the database: prisma migrate reset, rails db:drop",
        reason: "data would be lost",
        instead: "a new migration, or the same on a database of tests",
        matches: |facts| operation::find(facts, MIGRATION),
    },
];

/// Programs of the pack with subcommands.
pub(super) const CLIENTS: &[Client] = &[
    Client {
        names: &["dropdb", "dropuser"],
        places: &[("-h", "host"), ("--host", "host"), ("PGHOST", "host")],
        operations: &[plain(DROP, "")],
        ..CLIENT
    },
    Client {
        names: &["mysqladmin", "mariadb-admin"],
        valued: &["-u", "--user", "-h", "--host", "-P", "--port", "-p?", "-S", "--socket"],
        places: &[("-h", "host"), ("--host", "host")],
        operations: &[plain(DROP, "drop")],
        ..CLIENT
    },
    Client {
        names: &["pg_restore"],
        valued: &["-d", "--dbname", "-h", "--host", "-U", "--username", "-p", "--port", "-j", "--jobs"],
        // It only lists, or writes the statements to a file.
        trial: &["-l", "--list", "-f", "--file"],
        places: &[("-d", "database"), ("--dbname", "database"), ("-h", "host"), ("--host", "host")],
        operations: &[with(DROP, "", &["-c", "--clean"])],
        ..CLIENT
    },
    Client {
        names: &["mongorestore"],
        trial: &["--dryRun"],
        places: &[("--uri", "server"), ("-d", "database"), ("--db", "database")],
        operations: &[with(DROP, "", &["--drop"])],
        ..CLIENT
    },
    Client {
        names: &["etcdctl"],
        valued: &["--endpoints", "--user", "--password", "--cacert", "--cert", "--key"],
        places: &[("--endpoints", "server"), ("ETCDCTL_ENDPOINTS", "server")],
        operations: &[with(KEYS, "del", &["--prefix", "--from-key"])],
        ..CLIENT
    },
    Client {
        names: &["consul"],
        valued: &["--http-addr", "--token", "--datacenter"],
        single_dash: true,
        places: &[("--http-addr", "server"), ("--datacenter", "datacenter")],
        operations: &[with(KEYS, "kv delete", &["--recurse"])],
        ..CLIENT
    },
    Client {
        names: &["prisma"],
        places: &[("--schema", "schema")],
        operations: &[
            plain(MIGRATION, "migrate reset"),
            with(MIGRATION, "db push", &["--force-reset", "--accept-data-loss"]),
        ],
        ..CLIENT
    },
    Client {
        names: &["rails", "rake"],
        valued: &["-f", "-e"],
        places: &[("RAILS_ENV", "environment")],
        operations: &[plain(
            MIGRATION,
            "… db:drop|db:drop:*|db:reset|db:purge|db:purge:*|db:schema:load|db:migrate:reset",
        )],
        ..CLIENT
    },
    Client {
        names: &["manage.py", "django-admin"],
        places: &[("--settings", "settings"), ("--database", "database")],
        operations: &[plain(MIGRATION, "flush|reset_db")],
        ..CLIENT
    },
    Client {
        names: &["sequelize", "sequelize-cli"],
        places: &[("--env", "environment")],
        operations: &[plain(MIGRATION, "db:drop|db:migrate:undo:all")],
        ..CLIENT
    },
    Client {
        names: &["typeorm", "typeorm-ts-node-commonjs", "typeorm-ts-node-esm"],
        operations: &[plain(MIGRATION, "schema:drop")],
        ..CLIENT
    },
    Client {
        names: &["knex"],
        valued: &["--knexfile", "--env", "--cwd"],
        places: &[("--env", "environment")],
        operations: &[with(MIGRATION, "migrate:rollback", &["--all"])],
        ..CLIENT
    },
    Client {
        names: &["artisan"],
        trial: &["--pretend"],
        places: &[("--env", "environment"), ("--database", "database")],
        operations: &[plain(MIGRATION, "migrate:fresh|migrate:reset|migrate:refresh|db:wipe")],
        ..CLIENT
    },
    Client {
        names: &["mix"],
        places: &[("MIX_ENV", "environment")],
        operations: &[plain(MIGRATION, "ecto.drop|ecto.reset")],
        ..CLIENT
    },
    Client {
        names: &["alembic"],
        valued: &["-c", "--config", "-n", "--name", "-x"],
        trial: &["--sql"],
        operations: &[plain(MIGRATION, "downgrade base")],
        ..CLIENT
    },
    Client {
        names: &["flyway"],
        single_dash: true,
        places: &[("--url", "server"), ("--environment", "environment")],
        operations: &[plain(MIGRATION, "… clean")],
        ..CLIENT
    },
    Client {
        names: &["liquibase"],
        places: &[("--url", "server")],
        operations: &[plain(MIGRATION, "… drop-all|dropAll")],
        ..CLIENT
    },
    Client { names: &["supabase"], operations: &[with(MIGRATION, "db reset", &["--linked"])], ..CLIENT },
];

/// A program that takes SQL.
struct Console {
    names: &'static [&'static str],
    /// The subcommand that must be given.
    subcommand: Option<&'static str>,
    valued: &'static [&'static str],
    /// Options whose value is SQL.
    code: &'static [&'static str],
    /// From which operand on they are SQL.
    operands: Option<usize>,
    /// The first operand is a file, and its long options have one dash.
    is_file: bool,
}

const CONSOLES: &[Console] = &[
    Console {
        names: &["psql"],
        subcommand: None,
        valued: &["-c", "--command", "-d", "-h", "-p", "-U", "-f", "-v", "-o", "-P", "-F", "-R", "-T", "-L"],
        code: &["-c", "--command"],
        operands: None,
        is_file: false,
    },
    Console {
        names: &["mysql", "mariadb"],
        subcommand: None,
        valued: &[
            "-e",
            "--execute",
            "-u",
            "--user",
            "-h",
            "--host",
            "-P",
            "--port",
            "-p?",
            "-D",
            "--database",
            "-S",
        ],
        code: &["-e", "--execute"],
        operands: None,
        is_file: false,
    },
    Console {
        names: &["sqlite3", "duckdb"],
        subcommand: None,
        valued: &["-c", "-s", "--cmd", "--init", "--separator", "--newline", "--nullvalue"],
        code: &["-c", "-s", "--cmd"],
        operands: Some(1),
        is_file: true,
    },
    Console {
        names: &["sqlcmd"],
        subcommand: None,
        valued: &["-Q", "-q", "-S", "-U", "-P", "-d", "-i", "-o"],
        code: &["-Q", "-q"],
        operands: None,
        is_file: false,
    },
    Console {
        names: &["clickhouse-client"],
        subcommand: None,
        valued: &["-q", "--query", "-h", "--host", "-u", "--user", "-d", "--database", "--port"],
        code: &["-q", "--query"],
        operands: None,
        is_file: false,
    },
    Console {
        names: &["cockroach"],
        subcommand: Some("sql"),
        valued: &["-e", "--execute", "--url", "--host", "-d", "--database", "--certs-dir"],
        code: &["-e", "--execute"],
        operands: None,
        is_file: false,
    },
    Console {
        names: &["bq"],
        subcommand: Some("query"),
        valued: &["--project_id", "--location", "--format", "--dataset_id"],
        code: &[],
        operands: Some(1),
        is_file: false,
    },
    Console {
        names: &["snowsql"],
        subcommand: None,
        valued: &["-q", "--query", "-a", "-u", "-d", "-s", "-c", "-f", "-o"],
        code: &["-q", "--query"],
        operands: None,
        is_file: false,
    },
];

fn runs_sql(facts: &CallFacts, run: &Run, is_new: &mut dyn FnMut(&Run) -> bool) -> bool {
    let Some(program) = run.program.as_deref() else { return false };
    let Some(console) = CONSOLES.iter().find(|console| console.names.contains(&program)) else {
        return false;
    };
    // `-header` has one dash, `-c` is a letter.
    let args = if console.is_file { two_dashes(&run.args) } else { run.args.clone() };
    let options = Options::read(&args, console.valued, false);
    let is_called = |name: &str| options.operands.first().is_some_and(|word| word.text == name);
    if options.has(&["--help", "--version", "--dry_run"]) || !console.subcommand.is_none_or(is_called) {
        return false;
    }
    if console.is_file && options.operands.first().is_none_or(|file| is_passing(facts, run, file)) {
        return false;
    }
    let by_option = options.all(console.code).filter_map(|given| given.value.as_deref());
    let from = console.operands.unwrap_or(options.operands.len());
    let by_operand = options.operands.iter().skip(from).map(|word| word.text.as_str());
    let input = run.input.as_deref().filter(|_| is_new(run));
    by_option.chain(by_operand).chain(input).any(sql::destroys)
}

/// A database in memory, or in a temporary folder.
fn is_passing(facts: &CallFacts, run: &Run, file: &Word) -> bool {
    let text = file.text.strip_prefix("file:").unwrap_or(&file.text);
    // Where a program starts elsewhere nobody knows.
    let cwd = if run.remote { Some("/") } else { run.cwd.as_deref() };
    let path = cwd.filter(|_| !file.unknown).map(|cwd| join(cwd, text));
    text.is_empty() || text == ":memory:" || path.is_some_and(|path| facts.places.is_temporary(&path))
}

/// Commands of Redis that take everything, by their first words.
const FLUSHING: &[&[&str]] = &[
    &["FLUSHALL"],
    &["FLUSHDB"],
    &["DEBUG", "RELOAD"],
    &["SHUTDOWN"],
    &["SCRIPT", "FLUSH"],
    &["CONFIG", "SET"],
];

fn flushes(run: &Run) -> bool {
    let takes_all = |words: &[&str]| {
        let begins = |command: &&&[&str]| {
            words.len() >= command.len()
                && command.iter().zip(words).all(|(wanted, word)| wanted.eq_ignore_ascii_case(word))
        };
        FLUSHING.iter().any(|command| begins(&command))
    };
    let lines = || run.input.as_deref().unwrap_or_default().lines().map(str::trim);
    match run.program.as_deref() {
        Some("redis-cli" | "valkey-cli" | "keydb-cli") => {
            let valued = [
                "-h", "-p", "-s", "-a", "-u", "-r", "-i", "-n", "-d", "-D", "-t", "--user", "--pass",
                "--cacert",
            ];
            let options = Options::read(&run.args, &valued, true);
            let words: Vec<&str> = options.operands.iter().map(|word| word.text.as_str()).collect();
            let of_line = |line: &str| takes_all(&line.split_whitespace().collect::<Vec<_>>());
            !options.has(&["--help", "--version"]) && (takes_all(&words) || lines().any(of_line))
        }
        // `echo flush_all | nc localhost 11211`
        Some("nc" | "ncat" | "netcat" | "telnet") => lines().any(|line| {
            line.split(['\\', ' ']).next().is_some_and(|word| word.eq_ignore_ascii_case("flush_all"))
        }),
        _ => false,
    }
}

/// What drops or empties a collection, as it stands in code without blanks.
const DROPPING: &[&str] = &[".dropDatabase(", ".drop()", ".deleteMany({})", ".remove({})"];

fn drops_collection(run: &Run) -> bool {
    if !run.is(&["mongosh", "mongo"]) {
        return false;
    }
    let options = Options::read(&run.args, &["--eval", "-u", "-p", "--host", "--port", "--username"], false);
    let drops = |code: &str| {
        let code: String = code.chars().filter(|c| !c.is_whitespace()).take(4096).collect();
        DROPPING.iter().any(|call| code.contains(call))
    };
    let given = options.all(&["--eval"]).filter_map(|given| given.value.as_deref());
    given.chain(run.input.as_deref()).any(drops)
}

fn drops_index(request: &Request) -> bool {
    let is_search_server = matches!(request.port, Some("9200" | "7700"))
        || request.host.ends_with(".algolia.net")
        || ["/_all", "/_data_stream/", "/_snapshot/"].iter().any(|start| request.path.starts_with(start));
    let by_query = !request.is("GET") && request.path.ends_with("/_delete_by_query");
    (request.is("DELETE") && is_search_server) || by_query
}

/// What a database program works on, by its words; for the question.
pub(super) fn place(run: &Run) -> Option<String> {
    let call = Call::of(run)?;
    let console = CONSOLES.iter().find(|console| console.names.contains(&call.name))?;
    let options = Options::read(call.args, console.valued, false);
    let named = |names: &[&str], noun: &str| Some(format!("{noun} {}", options.value(names)?));
    let host = named(&["-h", "--host", "-S"], "host").filter(|_| !console.is_file);
    let database = named(&["-d", "-D", "--dbname", "--database"], "database").filter(|_| !console.is_file);
    let places: Vec<String> = host.into_iter().chain(database).collect();
    (!places.is_empty()).then(|| places.join(", "))
}
