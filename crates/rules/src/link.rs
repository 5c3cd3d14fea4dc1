//! Links that a command makes: what gets another name by `ln`, `link` and `cp -l`.
//!
//! What is written by that name later on the same line cannot be seen: the link is not there yet, and a hard link never tells.

use std::path::PathBuf;

use engine_core::view::Files;
use engine_shell::{Given, Options, Run};
use engine_text::path::join;

/// Options of `ln` with a value, and among them the folder that the links are made in.
const LN_VALUED: &[&str] = &["-t", "--target-directory", "-S", "--suffix"];
const LN_FOLDER: &[&str] = &["-t", "--target-directory"];

/// Options with which `cp` makes links.
const CP_LINKS: &[&str] = &["-l", "--link", "-s", "--symbolic-link"];

pub(crate) struct Link {
    /// The link, or the folder that it is made in; nothing where only the shell knows it.
    pub made: Option<String>,
    /// What it may lead to.
    pub sources: Vec<PathBuf>,
}

/// The links that a run makes.
pub(crate) fn of_run(run: &Run, view: &(impl Files + ?Sized)) -> Option<Link> {
    let links = || run.is(&["cp", "gcp"]) && Options::read(&run.args, LN_VALUED, false).has(CP_LINKS);
    if run.remote || !(run.is(&["ln", "link"]) || links()) {
        return None;
    }
    let cwd = run.cwd.as_deref()?;
    let options = Options::read(&run.args, LN_VALUED, false);
    let folder = options.all(LN_FOLDER).next_back().and_then(Given::word);
    let (sources, target) = match (&folder, options.operands.split_last()) {
        (Some(folder), _) => (options.operands.as_slice(), folder.literal()),
        (None, Some((last, sources))) if !sources.is_empty() => (sources, last.literal()),
        // One operand is made under its own name here.
        _ => (options.operands.as_slice(), Some(".")),
    };
    // What a symbolic link holds counts from where the link is.
    let link = join(cwd, target.unwrap_or("."));
    let beside = link.rsplit_once('/').map_or("/", |(folder, _)| folder);
    let folders = [cwd, beside, &link];
    let sources = sources.iter().filter_map(|word| word.literal());
    let sources = sources.flat_map(|text| folders.map(|folder| view.resolve(folder, text))).collect();
    Some(Link { made: target.map(|_| link), sources })
}
