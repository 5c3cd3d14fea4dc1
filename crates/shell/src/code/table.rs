//! The calls that are known, for each language: the full name of a function, and what it does with its arguments.
//!
//! A name that begins with a point is one of a function whatever it is called on: `.execSync` is also `x.execSync`.

use super::language::Language;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// The first argument is a line of shell, or a list of words.
    Line,
    /// A line of shell, if it is a template.
    Template,
    /// A list of words, or a text: a line of shell if `shell` says so, else a program.
    Words,
    /// A program, and a list of its arguments behind it.
    Program,
    /// One text is a line of shell, several are words.
    LineOrWords,
    /// Like that, behind so many other arguments.
    LineOrWordsBehind(usize),
    /// A program behind so many arguments, then the name that it runs under, then its arguments: as a list or one by one.
    Named(usize),
    /// The words are in a field of the argument.
    WordsIn(&'static str),
    /// A program, and its arguments in a field.
    ProgramAnd(&'static str),
    /// The first argument is code of the same language.
    Code,
    /// A mode behind the path tells.
    Open,
    /// `open` of Perl: the mode comes first, or is glued to the path, or runs a command.
    OpenPerl,
    Read,
    Write,
    /// The arguments from this one on are files that are deleted.
    Remove,
    RemoveTree,
    /// A tree, if a field says so.
    RemoveMaybeTree,
    /// The first path goes, the second comes.
    Move,
    /// The first path is read, the second is written.
    Copy,
    /// The first path gets a second name, by which it can be changed.
    Link,
    /// Owner or mode: of the argument with this number.
    Attributes(usize),
    Folder,
    /// What follows happens in this folder.
    Enter,
    /// A variable of the environment is set, by `NAME=value` or by two arguments.
    SetVariable,
    UnsetVariable,
    /// The module that the argument names.
    Import,
    /// A member of the first argument, named by the second.
    Member,
    /// The parts of a path; a later part may begin anew.
    Join,
    /// The parts of a path, one behind the other.
    Glue,
    /// The first argument as it is.
    Same,
    /// The same, with `~` in it.
    Expand,
    Home,
    Here,
    Variable,
    /// The words of a line.
    Split,
    /// The text before all others stands between them.
    JoinWords,
    /// The arguments in the place of `%s`.
    Format,
    /// The first argument is called with the elements of the second.
    Map,
    /// The first argument, or `target`, is called with the others, or with `args`.
    Hand,
    /// Files by a pattern.
    Glob,
    /// The files of a folder.
    List,
}

pub(super) type Row = (&'static str, Does);

const PYTHON: &[Row] = &[
    ("os.system", Does::Line),
    ("os.popen", Does::Line),
    ("commands.getoutput", Does::Line),
    ("commands.getstatusoutput", Does::Line),
    ("subprocess.getoutput", Does::Line),
    ("subprocess.getstatusoutput", Does::Line),
    ("asyncio.create_subprocess_shell", Does::Line),
    ("subprocess.run", Does::Words),
    ("subprocess.call", Does::Words),
    ("subprocess.check_call", Does::Words),
    ("subprocess.check_output", Does::Words),
    ("subprocess.Popen", Does::Words),
    ("pty.spawn", Does::Words),
    ("asyncio.create_subprocess_exec", Does::LineOrWords),
    ("os.execv", Does::Named(0)),
    ("os.execve", Does::Named(0)),
    ("os.execvp", Does::Named(0)),
    ("os.execvpe", Does::Named(0)),
    ("os.execl", Does::Named(0)),
    ("os.execle", Does::Named(0)),
    ("os.execlp", Does::Named(0)),
    ("os.execlpe", Does::Named(0)),
    ("os.posix_spawn", Does::Named(0)),
    ("os.posix_spawnp", Does::Named(0)),
    ("os.spawnv", Does::Named(1)),
    ("os.spawnve", Does::Named(1)),
    ("os.spawnvp", Does::Named(1)),
    ("os.spawnvpe", Does::Named(1)),
    ("os.spawnl", Does::Named(1)),
    ("os.spawnle", Does::Named(1)),
    ("os.spawnlp", Does::Named(1)),
    ("os.spawnlpe", Does::Named(1)),
    ("exec", Does::Code),
    ("eval", Does::Code),
    ("compile", Does::Same),
    ("open", Does::Open),
    ("io.open", Does::Open),
    ("codecs.open", Does::Open),
    ("os.open", Does::Open),
    ("os.remove", Does::Remove),
    ("os.unlink", Does::Remove),
    ("os.rmdir", Does::Remove),
    ("os.removedirs", Does::Remove),
    ("shutil.rmtree", Does::RemoveTree),
    ("os.truncate", Does::Write),
    ("os.mkfifo", Does::Write),
    ("os.mknod", Does::Write),
    ("os.mkdir", Does::Folder),
    ("os.makedirs", Does::Folder),
    ("os.link", Does::Link),
    ("os.symlink", Does::Link),
    ("os.chmod", Does::Attributes(0)),
    ("os.chown", Does::Attributes(0)),
    ("shutil.chown", Does::Attributes(0)),
    ("os.rename", Does::Move),
    ("os.renames", Does::Move),
    ("os.replace", Does::Move),
    ("shutil.move", Does::Move),
    ("shutil.copy", Does::Copy),
    ("shutil.copy2", Does::Copy),
    ("shutil.copyfile", Does::Copy),
    ("shutil.copytree", Does::Copy),
    ("os.chdir", Does::Enter),
    ("os.putenv", Does::SetVariable),
    ("os.unsetenv", Does::UnsetVariable),
    ("os.environ.pop", Does::UnsetVariable),
    ("__import__", Does::Import),
    ("importlib.import_module", Does::Import),
    ("getattr", Does::Member),
    ("os.path.join", Does::Join),
    ("pathlib.Path", Does::Join),
    ("pathlib.PurePath", Does::Join),
    ("pathlib.PosixPath", Does::Join),
    ("str", Does::Same),
    ("os.fspath", Does::Same),
    ("os.fsencode", Does::Same),
    ("os.path.abspath", Does::Same),
    ("os.path.realpath", Does::Same),
    ("os.path.normpath", Does::Same),
    ("bytes", Does::Same),
    ("list", Does::Same),
    ("sorted", Does::Same),
    ("os.path.expanduser", Does::Expand),
    ("os.path.expandvars", Does::Expand),
    ("pathlib.Path.home", Does::Home),
    ("pathlib.Path.cwd", Does::Here),
    ("os.getcwd", Does::Here),
    ("os.getenv", Does::Variable),
    ("os.environ.get", Does::Variable),
    ("shlex.split", Does::Split),
    ("shlex.quote", Does::Same),
    ("map", Does::Map),
    ("atexit.register", Does::Hand),
    ("functools.partial", Does::Hand),
    ("threading.Thread", Does::Hand),
    ("multiprocessing.Process", Does::Hand),
    ("asyncio.to_thread", Does::Hand),
    ("glob.glob", Does::Glob),
    ("glob.iglob", Does::Glob),
    ("os.listdir", Does::List),
];

const JAVASCRIPT: &[Row] = &[
    (".execSync", Does::Line),
    ("child_process.exec", Does::Line),
    (".execaCommand", Does::Line),
    (".execaCommandSync", Does::Line),
    ("shelljs.exec", Does::Line),
    ("$", Does::Template),
    ("Bun.$", Does::Template),
    ("zx.$", Does::Template),
    (".execFileSync", Does::Program),
    (".spawnSync", Does::Program),
    ("child_process.execFile", Does::Program),
    ("child_process.spawn", Does::Program),
    ("child_process.fork", Does::Program),
    ("execa", Does::Program),
    (".execa", Does::Program),
    (".execaSync", Does::Program),
    ("Bun.spawn", Does::WordsIn("cmd")),
    ("Bun.spawnSync", Does::WordsIn("cmd")),
    ("Deno.run", Does::WordsIn("cmd")),
    ("Deno.Command", Does::ProgramAnd("args")),
    ("eval", Does::Code),
    ("Function", Does::Code),
    (".runInThisContext", Does::Code),
    (".runInNewContext", Does::Code),
    (".openSync", Does::Open),
    ("fs.open", Does::Open),
    (".readFileSync", Does::Read),
    (".readFile", Does::Read),
    (".createReadStream", Does::Read),
    ("Deno.readTextFile", Does::Read),
    ("Deno.readTextFileSync", Does::Read),
    ("Deno.readFile", Does::Read),
    ("Deno.readFileSync", Does::Read),
    (".writeFileSync", Does::Write),
    (".writeFile", Does::Write),
    (".appendFileSync", Does::Write),
    (".appendFile", Does::Write),
    (".createWriteStream", Does::Write),
    (".outputFileSync", Does::Write),
    ("Bun.write", Does::Write),
    ("Deno.writeTextFile", Does::Write),
    ("Deno.writeTextFileSync", Does::Write),
    ("Deno.writeFile", Does::Write),
    ("Deno.writeFileSync", Does::Write),
    ("Deno.truncate", Does::Write),
    ("Deno.remove", Does::RemoveTree),
    ("Deno.removeSync", Does::RemoveTree),
    ("Deno.rename", Does::Move),
    ("Deno.renameSync", Does::Move),
    ("Deno.copyFile", Does::Copy),
    ("Deno.copyFileSync", Does::Copy),
    (".mkdirSync", Does::Folder),
    ("fs.mkdir", Does::Folder),
    (".linkSync", Does::Link),
    (".symlinkSync", Does::Link),
    ("fs.link", Does::Link),
    ("fs.symlink", Does::Link),
    (".chmodSync", Does::Attributes(0)),
    (".chownSync", Does::Attributes(0)),
    ("fs.chmod", Does::Attributes(0)),
    ("fs.chown", Does::Attributes(0)),
    (".cpSync", Does::Copy),
    ("fs.cp", Does::Copy),
    (".truncateSync", Does::Write),
    ("fs.truncate", Does::Write),
    (".unlinkSync", Does::Remove),
    ("fs.unlink", Does::Remove),
    (".rmSync", Does::RemoveMaybeTree),
    ("fs.rm", Does::RemoveMaybeTree),
    (".rmdirSync", Does::RemoveMaybeTree),
    ("fs.rmdir", Does::RemoveMaybeTree),
    (".removeSync", Does::RemoveTree),
    (".emptyDirSync", Does::RemoveTree),
    ("fs.remove", Does::RemoveTree),
    ("fs.emptyDir", Does::RemoveTree),
    ("rimraf", Does::RemoveTree),
    (".rimrafSync", Does::RemoveTree),
    ("rimraf.sync", Does::RemoveTree),
    (".renameSync", Does::Move),
    ("fs.rename", Does::Move),
    (".copyFileSync", Does::Copy),
    ("fs.copyFile", Does::Copy),
    ("process.chdir", Does::Enter),
    (".require", Does::Import),
    ("import", Does::Import),
    (".getBuiltinModule", Does::Import),
    ("._load", Does::Import),
    ("path.join", Does::Glue),
    ("path.resolve", Does::Join),
    ("path.normalize", Does::Same),
    ("String", Does::Same),
    ("util.promisify", Does::Same),
    ("promisify", Does::Same),
    ("fs.realpathSync", Does::Same),
    ("Bun.file", Does::Same),
    (".homedir", Does::Home),
    ("process.cwd", Does::Here),
    ("Deno.cwd", Does::Here),
    ("Deno.env.get", Does::Variable),
    (".readdirSync", Does::List),
    ("fs.readdir", Does::List),
    (".globSync", Does::Glob),
];

const RUBY: &[Row] = &[
    ("system", Does::LineOrWords),
    ("exec", Does::LineOrWords),
    ("spawn", Does::LineOrWords),
    ("Kernel.system", Does::LineOrWords),
    ("Kernel.exec", Does::LineOrWords),
    ("Kernel.spawn", Does::LineOrWords),
    ("Process.spawn", Does::LineOrWords),
    ("Process.exec", Does::LineOrWords),
    ("IO.popen", Does::LineOrWords),
    ("PTY.spawn", Does::LineOrWords),
    ("Open3.capture2", Does::LineOrWords),
    ("Open3.capture2e", Does::LineOrWords),
    ("Open3.capture3", Does::LineOrWords),
    ("Open3.popen2", Does::LineOrWords),
    ("Open3.popen2e", Does::LineOrWords),
    ("Open3.popen3", Does::LineOrWords),
    ("eval", Does::Code),
    ("instance_eval", Does::Code),
    ("open", Does::Open),
    ("File.open", Does::Open),
    ("File.new", Does::Open),
    ("IO.open", Does::Open),
    ("File.read", Does::Read),
    ("File.readlines", Does::Read),
    ("File.foreach", Does::Read),
    ("File.binread", Does::Read),
    ("IO.read", Does::Read),
    ("IO.readlines", Does::Read),
    ("File.write", Does::Write),
    ("File.binwrite", Does::Write),
    ("IO.write", Does::Write),
    ("IO.binwrite", Does::Write),
    ("File.truncate", Does::Write),
    ("FileUtils.touch", Does::Write),
    ("File.link", Does::Link),
    ("File.symlink", Does::Link),
    ("FileUtils.ln", Does::Link),
    ("FileUtils.ln_s", Does::Link),
    ("FileUtils.ln_sf", Does::Link),
    ("File.delete", Does::Remove),
    ("File.unlink", Does::Remove),
    ("Dir.rmdir", Does::Remove),
    ("Dir.delete", Does::Remove),
    ("Dir.unlink", Does::Remove),
    ("FileUtils.rm", Does::Remove),
    ("FileUtils.rm_f", Does::Remove),
    ("FileUtils.remove", Does::Remove),
    ("FileUtils.rmdir", Does::Remove),
    ("FileUtils.rm_r", Does::RemoveTree),
    ("FileUtils.rm_rf", Does::RemoveTree),
    ("FileUtils.rmtree", Does::RemoveTree),
    ("FileUtils.remove_dir", Does::RemoveTree),
    ("FileUtils.remove_entry", Does::RemoveTree),
    ("FileUtils.remove_entry_secure", Does::RemoveTree),
    ("FileUtils.mkdir", Does::Folder),
    ("FileUtils.mkdir_p", Does::Folder),
    ("Dir.mkdir", Does::Folder),
    ("File.rename", Does::Move),
    ("FileUtils.mv", Does::Move),
    ("FileUtils.move", Does::Move),
    ("FileUtils.cp", Does::Copy),
    ("FileUtils.cp_r", Does::Copy),
    ("FileUtils.copy", Does::Copy),
    ("FileUtils.install", Does::Copy),
    ("IO.copy_stream", Does::Copy),
    ("File.chmod", Does::Attributes(1)),
    ("File.chown", Does::Attributes(2)),
    ("FileUtils.chmod", Does::Attributes(1)),
    ("FileUtils.chmod_R", Does::Attributes(1)),
    ("FileUtils.chown", Does::Attributes(2)),
    ("FileUtils.chown_R", Does::Attributes(2)),
    ("Dir.chdir", Does::Enter),
    ("FileUtils.cd", Does::Enter),
    ("File.join", Does::Glue),
    ("Pathname.new", Does::Same),
    ("Pathname", Does::Same),
    ("File.absolute_path", Does::Same),
    ("File.expand_path", Does::Expand),
    ("Dir.home", Does::Home),
    ("Dir.pwd", Does::Here),
    ("ENV.fetch", Does::Variable),
    ("ENV.delete", Does::UnsetVariable),
    ("Shellwords.split", Does::Split),
    ("Shellwords.escape", Does::Same),
    ("format", Does::Format),
    ("sprintf", Does::Format),
    ("Dir.glob", Does::Glob),
    ("Dir.children", Does::List),
    ("Dir.entries", Does::List),
    ("Dir.each_child", Does::List),
];

const PERL: &[Row] = &[
    ("system", Does::LineOrWords),
    ("exec", Does::LineOrWords),
    ("CORE.system", Does::LineOrWords),
    ("CORE.exec", Does::LineOrWords),
    ("POSIX.system", Does::LineOrWords),
    ("open3", Does::LineOrWordsBehind(3)),
    ("open2", Does::LineOrWordsBehind(2)),
    ("eval", Does::Code),
    ("open", Does::OpenPerl),
    ("unlink", Does::Remove),
    ("rmdir", Does::Remove),
    ("POSIX.unlink", Does::Remove),
    (".rmtree", Does::RemoveTree),
    (".remove_tree", Does::RemoveTree),
    (".mkpath", Does::Folder),
    (".make_path", Does::Folder),
    ("mkdir", Does::Folder),
    ("rename", Does::Move),
    ("move", Does::Move),
    ("File.Copy.move", Does::Move),
    ("copy", Does::Copy),
    ("File.Copy.copy", Does::Copy),
    ("truncate", Does::Write),
    ("link", Does::Link),
    ("symlink", Does::Link),
    ("chmod", Does::Attributes(1)),
    ("chown", Does::Attributes(2)),
    ("chdir", Does::Enter),
    ("join", Does::JoinWords),
    ("sprintf", Does::Format),
    (".catfile", Does::Glue),
    (".catdir", Does::Glue),
    (".cwd", Does::Here),
    (".getcwd", Does::Here),
    ("glob", Does::Glob),
];

const PHP: &[Row] = &[
    ("system", Does::Line),
    ("exec", Does::Line),
    ("shell_exec", Does::Line),
    ("passthru", Does::Line),
    ("popen", Does::Line),
    ("proc_open", Does::Line),
    ("pcntl_exec", Does::Program),
    ("eval", Does::Code),
    ("assert", Does::Code),
    ("fopen", Does::Open),
    ("file_get_contents", Does::Read),
    ("readfile", Does::Read),
    ("file", Does::Read),
    ("highlight_file", Does::Read),
    ("file_put_contents", Does::Write),
    ("touch", Does::Write),
    ("unlink", Does::Remove),
    ("rmdir", Does::Remove),
    ("mkdir", Does::Folder),
    ("rename", Does::Move),
    ("copy", Does::Copy),
    ("link", Does::Link),
    ("symlink", Does::Link),
    ("chmod", Does::Attributes(0)),
    ("chown", Does::Attributes(0)),
    ("chdir", Does::Enter),
    ("putenv", Does::SetVariable),
    ("realpath", Does::Same),
    ("array_map", Does::Map),
    ("implode", Does::JoinWords),
    ("join", Does::JoinWords),
    ("sprintf", Does::Format),
    ("escapeshellarg", Does::Same),
    ("escapeshellcmd", Does::Same),
    ("getcwd", Does::Here),
    ("getenv", Does::Variable),
    ("glob", Does::Glob),
    ("scandir", Does::List),
];

const LUA: &[Row] = &[
    ("os.execute", Does::Line),
    ("io.popen", Does::Line),
    ("load", Does::Code),
    ("loadstring", Does::Code),
    ("io.open", Does::Open),
    ("io.lines", Does::Read),
    ("io.input", Does::Read),
    ("io.output", Does::Write),
    ("os.remove", Does::Remove),
    ("os.rename", Does::Move),
    ("lfs.rmdir", Does::Remove),
    ("lfs.mkdir", Does::Folder),
    ("lfs.chdir", Does::Enter),
    ("os.getenv", Does::Variable),
    ("string.format", Does::Format),
    ("assert", Does::Same),
];

const AWK: &[Row] = &[("system", Does::Line)];

const APPLE_SCRIPT: &[Row] = &[];

pub(super) fn rows(language: Language) -> &'static [Row] {
    match language {
        Language::Python => PYTHON,
        Language::JavaScript => JAVASCRIPT,
        Language::Ruby => RUBY,
        Language::Perl => PERL,
        Language::Php => PHP,
        Language::Lua => LUA,
        Language::Awk => AWK,
        Language::AppleScript => APPLE_SCRIPT,
    }
}

/// What a function does: by its full name, or by its last one.
pub(super) fn does(language: Language, name: &str) -> Option<Does> {
    let last = name.rsplit('.').next().unwrap_or(name);
    let by_name = rows(language).iter().find(|row| row.0 == name);
    let by_last = || rows(language).iter().find(|row| row.0.strip_prefix('.') == Some(last));
    by_name.or_else(by_last).map(|(_, does)| *does)
}

/// Modules under another name.
const MODULES: &[(Language, &str, &str)] = &[
    (Language::JavaScript, "fs/promises", "fs"),
    (Language::JavaScript, "fs.promises", "fs"),
    (Language::JavaScript, "fs-extra", "fs"),
    (Language::JavaScript, "fs.default", "fs"),
    (Language::JavaScript, "child_process.default", "child_process"),
    (Language::JavaScript, "bun", "Bun"),
    (Language::JavaScript, "globalThis", ""),
    (Language::JavaScript, "shell", "shelljs"),
    (Language::Python, "Path", "pathlib.Path"),
    (Language::Python, "builtins", ""),
    (Language::Python, "__builtins__", ""),
    (Language::Python, "posix", "os"),
];

/// The name that the table has for a name.
pub(super) fn canonical(language: Language, name: &str) -> Option<&'static str> {
    MODULES.iter().find(|row| row.0 == language && row.1 == name).map(|row| row.2)
}

/// What a function of a path does: `Path('x').unlink()`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Read,
    Write,
    Remove,
    RemoveTree,
    /// The path goes, the argument comes.
    Move,
    /// Both are names of one file.
    Link,
    Attributes,
    Folder,
    Open,
    /// The path, as it is.
    Same,
    Join,
    Glob,
    GlobBelow,
    /// The words of the text.
    Split,
    /// A list as one text, with the text between its elements, or the other way round.
    Joined,
    Expand,
    /// The arguments in the place of marks.
    Format,
    Replace,
    /// The files of the folder.
    List,
}

const PYTHON_METHODS: &[(&str, Of)] = &[
    ("write_text", Of::Write),
    ("write_bytes", Of::Write),
    ("touch", Of::Write),
    ("open", Of::Open),
    ("unlink", Of::Remove),
    ("rmdir", Of::Remove),
    ("rmtree", Of::RemoveTree),
    ("rename", Of::Move),
    ("replace", Of::Replace),
    ("hardlink_to", Of::Link),
    ("symlink_to", Of::Link),
    ("chmod", Of::Attributes),
    ("mkdir", Of::Folder),
    ("read_text", Of::Read),
    ("read_bytes", Of::Read),
    ("resolve", Of::Same),
    ("absolute", Of::Same),
    ("as_posix", Of::Same),
    ("strip", Of::Same),
    ("encode", Of::Same),
    ("decode", Of::Same),
    ("splitlines", Of::Split),
    ("expanduser", Of::Expand),
    ("joinpath", Of::Join),
    ("glob", Of::Glob),
    ("rglob", Of::GlobBelow),
    ("iterdir", Of::List),
    ("split", Of::Split),
    ("join", Of::Joined),
    ("format", Of::Format),
];
const JAVASCRIPT_METHODS: &[(&str, Of)] = &[
    ("split", Of::Split),
    ("join", Of::Joined),
    ("trim", Of::Same),
    ("toString", Of::Same),
    ("delete", Of::Remove),
    ("unlink", Of::Remove),
    ("write", Of::Write),
    ("text", Of::Read),
    ("replace", Of::Replace),
    ("filter", Of::Same),
];
const RUBY_METHODS: &[(&str, Of)] = &[
    ("split", Of::Split),
    ("join", Of::Joined),
    ("strip", Of::Same),
    ("chomp", Of::Same),
    ("freeze", Of::Same),
    ("to_s", Of::Same),
    ("expand_path", Of::Expand),
    ("delete", Of::Remove),
    ("unlink", Of::Remove),
    ("rmtree", Of::RemoveTree),
    ("rename", Of::Move),
    ("write", Of::Write),
    ("read", Of::Read),
];

pub(super) fn method(language: Language, name: &str) -> Option<Of> {
    let rows = match language {
        Language::Python => PYTHON_METHODS,
        Language::JavaScript => JAVASCRIPT_METHODS,
        Language::Ruby => RUBY_METHODS,
        _ => &[],
    };
    rows.iter().find(|row| row.0 == name).map(|row| row.1)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_call_has_two_rows() {
        use Language::{AppleScript, Awk, JavaScript, Lua, Perl, Php, Python, Ruby};
        for language in [Python, JavaScript, Ruby, Perl, Php, Lua, Awk, AppleScript] {
            let mut seen = HashSet::new();
            for (name, does) in rows(language) {
                assert!(seen.insert(name), "{language:?} {name}");
                assert_eq!(
                    super::does(language, name.trim_start_matches('.')),
                    Some(*does),
                    "{language:?} {name}"
                );
            }
        }
    }
}
