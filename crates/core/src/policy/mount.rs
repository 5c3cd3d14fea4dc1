//! Containers that may change the machine: `docker run -v /:/host`. What runs in a container is not judged, so what it is given is.
//!
//! The project's folder, a folder below the home folder, named volumes and what is mounted to be read only are free.

use super::facts::CallFacts;
use engine_shell::{Container, Run, Verb, Word};
use engine_text::path::join;

/// Folders with which a container has the machine.
const WHOLE: &[&str] = &[
    "/",
    "/bin",
    "/boot",
    "/etc",
    "/home",
    "/lib",
    "/lib64",
    "/root",
    "/sbin",
    "/usr",
    "/var",
    "/Users",
    "/System",
    "/Library",
    "/private",
    "/private/etc",
    "/private/var",
];

/// Folders that count if the container may use devices and the kernel as it likes.
const OF_THE_KERNEL: &[&str] = &["/dev", "/proc", "/sys"];

pub(super) fn mounts_machine(facts: &CallFacts, run: &Run) -> bool {
    let Some(call) = Container::of(run).filter(|call| call.verb == Verb::Make) else { return false };
    let is_privileged = call.has("--privileged");
    let is_given = |source: &str| {
        let home = facts.places.home.as_deref();
        let path = match (source, run.cwd.as_deref()) {
            // The shell leaves `~:/h` as it is.
            ("~", _) => return true,
            (source, Some(cwd)) if source.starts_with(['/', '.']) => join(cwd, source),
            (source, None) if source.starts_with('/') => join("/", source),
            _ => return false,
        };
        let holds_home = || home.is_some_and(|home| home == path || home.starts_with(&format!("{path}/")));
        WHOLE.contains(&path.as_str())
            || holds_home()
            || (is_privileged && OF_THE_KERNEL.contains(&path.as_str()))
    };
    let by_volume = call.values(&["-v", "--volume"]).filter_map(of_volume);
    let by_mount = call.values(&["--mount"]).filter_map(of_mount);
    by_volume.chain(by_mount).any(is_given)
}

/// The source of `SOURCE:TARGET[:OPTION,…]`; nothing if it is mounted to be read only, or only the running shell knows it.
fn of_volume(value: &Word) -> Option<&str> {
    let mut parts = value.text.split(':');
    let source = parts.next()?;
    let _target = parts.next()?;
    let is_read_only = parts.flat_map(|part| part.split(',')).any(|option| option == "ro");
    (!is_read_only && is_known(value, source)).then_some(source)
}

/// The source of `type=bind,source=…,target=…`.
fn of_mount(value: &Word) -> Option<&str> {
    let fields = || value.text.split(',').map(|field| field.split_once('=').unwrap_or((field, "true")));
    let of = |names: &[&str]| fields().find(|(name, _)| names.contains(name)).map(|(_, value)| value);
    let is_read_only = of(&["readonly", "ro"]).is_some_and(|value| !matches!(value, "false" | "0"));
    let source = of(&["source", "src"]).filter(|_| of(&["type"]) == Some("bind"))?;
    (!is_read_only && is_known(value, source)).then_some(source)
}

fn is_known(value: &Word, source: &str) -> bool {
    !value.unknown || !source.contains(['$', '`', '…', '{'])
}
