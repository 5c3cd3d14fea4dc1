//! Who runs this process: the processes above it, the sender of its stdin, and whether a terminal is there.
//!
//! Variables say what anybody wants them to say. These are facts of the kernel.

use engine_core::client::{ClientProcess, Process};
use fs_err as fs;

/// Nobody nests deeper, and a table of processes that changes while it is read must not hold us up.
const DEEPEST: usize = 64;
/// Arguments behind these say nothing about what a process is.
const ARGUMENTS: usize = 4;

/// A process, if it is there and the system tells.
#[cfg(not(target_os = "linux"))]
pub fn process(pid: u32) -> Option<Process> {
    let mut ps = std::process::Command::new("/bin/ps");
    ps.args(["-o", "ppid=,lstart=,args=", "-p", &pid.to_string()]).env("LC_ALL", "C");
    of_ps(pid, &String::from_utf8_lossy(&ps.output().ok()?.stdout))
}

/// `PPID Mon Nov 16 08:44:24 2026 /usr/bin/node x.js`: the parent, when it began, and its words.
#[cfg(any(test, not(target_os = "linux")))]
fn of_ps(pid: u32, line: &str) -> Option<Process> {
    let mut words = line.split_ascii_whitespace();
    let parent = words.next()?.parse().ok()?;
    let began: Vec<&str> = words.by_ref().take(5).collect();
    let started = u64::from_str_radix(&engine_text::line::fingerprint(&began.join(" ")), 16).ok()?;
    let arguments: Vec<String> = words.take(ARGUMENTS).map(str::to_owned).collect();
    let name = arguments.first()?.rsplit('/').next()?.to_owned();
    Some(Process { pid, parent, started, name, arguments })
}

/// A process, if it is there and the system tells.
#[cfg(target_os = "linux")]
pub fn process(pid: u32) -> Option<Process> {
    let folder = std::path::Path::new("/proc").join(pid.to_string());
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    // `PID (name) state parent …`: the name may hold blanks and brackets.
    let (head, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    // One that has ended and waits for its parent to notice does not run.
    if fields.next()? == "Z" {
        return None;
    }
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    let line = fs::read(folder.join("cmdline")).unwrap_or_default();
    let arguments = line.split(|&byte| byte == 0).take(ARGUMENTS).filter(|argument| !argument.is_empty());
    Some(Process {
        pid,
        parent,
        started,
        name: head.split_once('(')?.1.to_owned(),
        arguments: arguments.map(|argument| String::from_utf8_lossy(argument).into_owned()).collect(),
    })
}

/// All words with which a process was started, where the system tells.
#[cfg(target_os = "linux")]
pub fn words(pid: u32) -> Vec<String> {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = line.split(|&byte| byte == 0);
    words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// All words with which a process was started, where the system tells; one with blanks comes as several.
#[cfg(not(target_os = "linux"))]
pub fn words(pid: u32) -> Vec<String> {
    let mut ps = std::process::Command::new("/bin/ps");
    ps.args(["-ww", "-o", "args=", "-p", &pid.to_string()]).env("LC_ALL", "C");
    let line = ps.output().map(|done| done.stdout).unwrap_or_default();
    String::from_utf8_lossy(&line).split_ascii_whitespace().map(str::to_owned).collect()
}

/// The processes above one, the nearest first.
pub fn above(pid: u32) -> Vec<Process> {
    let mut found: Vec<Process> = Vec::new();
    let mut next = process(pid).map_or(0, |process| process.parent);
    while next != 0 && found.len() < DEEPEST {
        let Some(process) = process(next) else { break };
        next = process.parent;
        found.push(process);
    }
    found
}

/// What is known of a process that was seen earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    Runs,
    /// It is not there, or its pid belongs to a later one.
    Gone,
    /// It was seen on another machine, before a restart of this one or in a container, or the system does not tell.
    Unknown,
}

/// Whether a process still runs, and is not a later one with its pid.
pub fn life(known: ClientProcess) -> Life {
    if known.table.is_none() || known.table != table() {
        return Life::Unknown;
    }
    match process(known.pid) {
        Some(process) if process.started == known.started => Life::Runs,
        None if is_hidden(known.pid) => Life::Unknown,
        _ => Life::Gone,
    }
}

/// The same where a process that nobody can look up counts as gone; and one of an earlier release, of which the table is not known, is
/// looked up in this one.
pub fn runs(known: ClientProcess) -> bool {
    let table = known.table.or_else(table);
    life(ClientProcess { table, ..known }) == Life::Runs
}

/// A process that was found, as the state of a session keeps it.
pub fn kept(process: &Process) -> ClientProcess {
    ClientProcess { pid: process.pid, started: process.started, table: table() }
}

/// A name for this table of processes: the machine since it was started, and the namespace.
#[cfg(target_os = "linux")]
fn table() -> Option<u64> {
    if !knows_itself() {
        return None;
    }
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
    let name = engine_text::line::fingerprint(&format!("{} {}", boot.trim_end(), namespace.display()));
    u64::from_str_radix(&name, 16).ok()
}

#[cfg(not(target_os = "linux"))]
fn table() -> Option<u64> {
    None
}

/// Whether a process is there that the system shows to its own user only.
fn is_hidden(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::PERM))
}

/// Whether it is above this one.
pub fn is_above(known: ClientProcess) -> bool {
    let is_it = |process: &Process| (process.pid, process.started) == (known.pid, known.started);
    above(std::process::id()).iter().any(is_it)
}

/// The process that started this one.
pub fn parent() -> Option<u32> {
    rustix::process::getppid().and_then(|pid| u32::try_from(pid.as_raw_nonzero().get()).ok())
}

/// The process at the other end of stdin; nothing where stdin is no socket between processes.
#[cfg(target_os = "linux")]
pub fn sender() -> Option<u32> {
    let credentials = rustix::net::sockopt::socket_peercred(rustix::stdio::stdin()).ok()?;
    u32::try_from(credentials.pid.as_raw_nonzero().get()).ok()
}

#[cfg(not(target_os = "linux"))]
pub fn sender() -> Option<u32> {
    None
}

/// Whether the system's table of processes is the one in which this process runs. In a namespace of its own it may not be, and then nobody
/// knows what is above it.
pub fn knows_itself() -> bool {
    let own = fs::read_link("/proc/self").ok();
    own.is_none_or(|own| own.as_os_str().to_string_lossy() == std::process::id().to_string())
}

/// Whether a person could have typed this: the process has a terminal.
pub fn has_terminal() -> bool {
    fs::File::open("/dev/tty").is_ok()
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn where_there_is_no_proc_ps_tells() {
        let line = "  501 Mon Nov 16 08:44:24 2026     /usr/local/bin/node /opt/claude/cli.js -p a b\n";
        let node = of_ps(77, line).unwrap();
        assert_eq!((node.pid, node.parent, node.name.as_str()), (77, 501, "node"));
        assert_eq!(node.arguments, ["/usr/local/bin/node", "/opt/claude/cli.js", "-p", "a"]);
        let later = of_ps(77, &line.replace(":24 ", ":25 ")).unwrap();
        assert_ne!(node.started, later.started);
        assert_eq!((of_ps(77, ""), of_ps(77, "501 Mon Nov 16")), (None, None));
    }

    #[test]
    fn a_process_runs_until_it_is_killed_and_elsewhere_nobody_knows() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let known = kept(&process(child.id()).unwrap());
        let later = ClientProcess { started: known.started + 1, ..known };
        let elsewhere = ClientProcess { table: known.table.map(|table| table ^ 1), ..known };
        let earlier = ClientProcess { table: None, ..known };
        let all = || [known, later, elsewhere, earlier].map(|process| (life(process), runs(process)));
        let before = all();
        child.kill().unwrap();
        let end = std::time::Instant::now() + std::time::Duration::from_mins(1);
        while life(known) == Life::Runs && std::time::Instant::now() < end {
            std::thread::yield_now();
        }
        let unreaped = life(known);
        child.wait().unwrap();
        let unknown = (Life::Unknown, false);
        assert_eq!(before, [(Life::Runs, true), (Life::Gone, false), unknown, (Life::Unknown, true)]);
        assert_eq!(unreaped, Life::Gone, "its parent has not noticed yet");
        assert_eq!(all(), [(Life::Gone, false), (Life::Gone, false), unknown, unknown]);
    }

    #[test]
    fn a_process_is_read_whatever_its_name() {
        let own = process(std::process::id()).unwrap();
        assert_eq!((own.pid, Some(own.parent)), (std::process::id(), parent()));
        let mut odd = std::process::Command::new("sh");
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("a) b (c");
        std::os::unix::fs::symlink("/bin/sleep", &link).unwrap();
        let mut child = odd.args(["-c", "exec \"$0\" 60"]).arg(&link).spawn().unwrap();
        let is_it = |process: &Process| process.name == "a) b (c" && process.arguments.len() == 2;
        let is_renamed = || process(child.id()).filter(is_it);
        let end = std::time::Instant::now() + std::time::Duration::from_mins(1);
        while is_renamed().is_none() && std::time::Instant::now() < end {
            std::thread::yield_now();
        }
        let found = is_renamed();
        let parents = above(child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        let found = found.unwrap();
        assert_eq!((found.parent, found.arguments[1].as_str()), (own.pid, "60"));
        assert!(found.started >= own.started);
        assert_eq!(parents[0], own);
        assert_eq!(parents.last().map(|first| first.parent), Some(0), "up to the first process");
        assert_eq!(process(u32::MAX), None);
    }
}
