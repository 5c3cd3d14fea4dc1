//! What is known of a command before it runs.

use std::rc::Rc;

/// Where and as whom a command runs, as far as it is known before it does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The current folder, absolute.
    pub cwd: String,
    pub home: Option<String>,
    pub temporary: Option<String>,
    /// The folder that holds the project; nothing if that is not known.
    pub root: Option<String>,
    /// The system's programs read options behind operands too, as those of GNU do. So `rm x --help` deletes nothing.
    pub is_gnu: bool,
    pub host: Host,
    /// Wrappers that a project has beside those of the table.
    pub wrappers: Rc<[ExtraWrapper]>,
}

/// A program of a project that runs its arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtraWrapper {
    pub programs: Vec<String>,
    /// Options that take a value.
    pub valued: Vec<String>,
    /// Options whose value is a line of shell.
    pub code: Vec<String>,
    /// Operands before the command.
    pub skip: usize,
    /// Only behind this word.
    pub subcommand: Option<String>,
}

/// The programs and variables of whoever asks. By default nothing is known of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Host {
    /// Variables that are exported already, so that a plain assignment changes them for every program behind it. A name that ends
    /// in `*` stands for all names that begin so.
    pub exported: &'static [&'static str],
    pub runners: &'static [Runner],
    pub writers: &'static [Writer],
    /// Variables whose expansion is noted in the analysis.
    pub watched: &'static [&'static str],
}

/// A program with a subcommand that runs the command behind `--`, and ends with its exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Runner {
    pub program: &'static str,
    pub subcommand: &'static str,
    /// Options before `--` that take a value.
    pub valued: &'static [&'static str],
    /// Those of them that name the folder of the command.
    pub folder: &'static [&'static str],
}

impl Runner {
    /// The name that it goes by among wrappers.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.program, self.subcommand)
    }
}

/// A program with a subcommand that writes a file which one of its operands names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writer {
    pub program: &'static str,
    pub subcommand: &'static str,
    /// Which operand of the subcommand names the file; the first one is 0.
    pub operand: usize,
    /// Operands there that are no files.
    pub except: &'static [&'static str],
}

impl Host {
    pub(crate) fn exports(&self, name: &str) -> bool {
        self.exported.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == *pattern,
        })
    }

    pub(crate) fn runner(&self, program: &str, subcommand: &str) -> Option<&'static Runner> {
        self.runners.iter().find(|runner| (runner.program, runner.subcommand) == (program, subcommand))
    }

    /// Whether a wrapper is one of the runners.
    pub(crate) fn is_runner(&self, wrapper: &str) -> bool {
        wrapper
            .split_once(' ')
            .is_some_and(|(program, subcommand)| self.runner(program, subcommand).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_knows_what_it_is_told() {
        const TRY: Runner = Runner { program: "tool", subcommand: "try", valued: &[], folder: &[] };
        let host = Host { exported: &["TOOL", "TOOL_*"], runners: &[TRY], ..Host::default() };
        for (name, expected) in [("TOOL", true), ("TOOL_X", true), ("TOOLS", false), ("X", false)] {
            assert_eq!(host.exports(name), expected, "{name}");
            assert!(!Host::default().exports(name));
        }
        assert_eq!(host.runner("tool", "try").map(Runner::name).as_deref(), Some("tool try"));
        assert_eq!(host.runner("tool", "tries"), None);
        assert!(host.is_runner("tool try"));
        assert!(!host.is_runner("tool"));
        assert!(!Host::default().is_runner("tool try"));
    }
}
