//! What the shell crate has to know of this product: its commands, and the variables by which it knows whose call it is.

use engine_shell::{Host, Runner, Surroundings, Writer};

use crate::dialect::Dialect;

/// Without the variables, of which the client has some.
const HOST: Host = Host {
    exported: &[],
    runners: &[Runner {
        program: "engine",
        subcommand: "check",
        valued: &["--tail", "--in"],
        folder: &["--in"],
    }],
    writers: &[
        Writer { program: "engine", subcommand: "log", operand: 0, except: &["show"] },
        Writer { program: "engine", subcommand: "merge-driver", operand: 1, except: &[] },
    ],
    watched: &[],
};

/// What is around a command line of the agent.
pub fn surroundings(
    cwd: impl Into<String>,
    home: Option<String>,
    temporary: Option<String>,
    dialect: &Dialect,
) -> Surroundings {
    let host = Host { exported: dialect.variables, watched: dialect.message_variables, ..HOST };
    Surroundings { cwd: cwd.into(), home, temporary, host, ..Surroundings::default() }
}

#[cfg(test)]
mod tests {
    use engine_shell::{analyse, statuses};

    use super::*;
    use crate::dialect::TEST;

    #[test]
    fn own_commands_are_seen_through() {
        let around = surroundings("/p", None, None, &TEST);
        let check = analyse("engine check -- rm x", &around);
        let deleted: Vec<&str> = check.effects.iter().map(engine_shell::Effect::path).collect();
        assert_eq!(deleted, ["/p/x"]);
        for (line, expected) in [
            ("engine check --tail 5 -- rm x", "/p/x"),
            ("engine check --tail=5 -- rm x", "/p/x"),
            ("engine check --in web -- rm x", "/p/web/x"),
            ("engine check --in=web --tail 5 -- rm x", "/p/web/x"),
            ("engine check --in /q -- rm x", "/q/x"),
            ("cd a && engine check --in ../b -- rm x", "/p/b/x"),
        ] {
            let analysis = analyse(line, &around);
            let deleted: Vec<&str> = analysis.effects.iter().map(engine_shell::Effect::path).collect();
            assert_eq!(deleted, [expected], "{line}");
            assert_eq!(statuses(line, &around).last().map(|status| status.runs.len()), Some(2), "{line}");
        }
        assert_eq!(statuses("engine check -- t", &around)[0].runs.len(), 2);
        let written = |line: &str| {
            let analysis = analyse(line, &around);
            analysis.effects.iter().map(|effect| effect.path().to_owned()).collect::<Vec<_>>()
        };
        for (line, expected) in [
            ("engine log notes.md", &["/p/notes.md"][..]),
            ("engine --json log notes.md", &["/p/notes.md"]),
            ("engine log show", &[]),
            ("engine merge-driver base ours theirs", &["/p/ours"]),
            ("engine --json merge-driver base /q/ours theirs 7 x", &["/q/ours"]),
            ("engine merge-driver -- base ours theirs", &["/p/ours"]),
            ("engine merge-driver --help", &[]),
        ] {
            assert_eq!(written(line), expected, "{line}");
        }
        for line in ["CLAUDE_X=1; t", "unset CLAUDECODE; t", "export ENGINE_A=1; t"] {
            let analysis = analyse(line, &around);
            assert_eq!(analysis.runs.last().map(|run| run.env.len()), Some(1), "{line}");
        }
        assert_eq!(analyse("OTHER=1; t", &around).runs[0].env, []);
    }
}
