//! The languages whose code is read, and where their interpreters take it from.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    JavaScript,
    Ruby,
    Perl,
    Php,
    Lua,
    Awk,
    AppleScript,
}

impl Language {
    pub(crate) fn of(program: &str) -> Option<Self> {
        let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        Some(match name {
            "python" | "pypy" | "ipython" => Self::Python,
            "node" | "nodejs" | "bun" | "deno" | "tsx" | "ts-node" => Self::JavaScript,
            "ruby" | "jruby" => Self::Ruby,
            "perl" => Self::Perl,
            "php" => Self::Php,
            "lua" | "luajit" => Self::Lua,
            "awk" | "gawk" | "mawk" | "nawk" => Self::Awk,
            "osascript" => Self::AppleScript,
            _ => return None,
        })
    }

    /// Options with a value, and those among them that hold code.
    pub(crate) fn options(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Python => (&["-c", "-W", "-X", "-m"], &["-c"]),
            Self::JavaScript => (
                &["-e", "--eval", "-p", "--print", "-r", "--require", "--import", "-C", "--conditions"],
                &["-e", "--eval", "-p", "--print"],
            ),
            Self::Ruby => (&["-e", "-I", "-r", "-C", "-i?", "-F?"], &["-e"]),
            Self::Perl => (&["-e", "-E", "-I", "-M?", "-m?", "-i?", "-F?"], &["-e", "-E"]),
            Self::Php => (&["-r", "-d", "-B", "-R", "-E"], &["-r", "-B", "-R", "-E"]),
            Self::Lua => (&["-e", "-l"], &["-e"]),
            Self::Awk => (
                &["-f", "-F", "-v", "--file", "--assign", "-i", "--include", "-e", "--source"],
                &["-e", "--source"],
            ),
            Self::AppleScript => (&["-e", "-l", "-s"], &["-e"]),
        }
    }

    /// The arguments of a program, as its code names them, and the number of the first.
    pub(crate) fn arguments(self) -> (&'static str, usize) {
        match self {
            Self::Python => ("sys.argv", 1),
            Self::JavaScript => ("process.argv", 1),
            Self::Ruby => ("ARGV", 0),
            Self::Perl => ("$ARGV", 0),
            Self::Php => ("$argv", 1),
            Self::Lua => ("arg", 1),
            Self::Awk => ("ARGV", 1),
            Self::AppleScript => ("argv", 1),
        }
    }

    /// A function is also called without parentheses.
    pub(crate) fn calls_bare(self) -> bool {
        matches!(self, Self::Ruby | Self::Perl)
    }

    /// A point joins texts, and does not lead to a member.
    pub(crate) fn joins_by_point(self) -> bool {
        matches!(self, Self::Perl | Self::Php)
    }
}
