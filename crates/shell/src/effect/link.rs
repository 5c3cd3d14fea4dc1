//! Links that a command line makes and then uses: `ln -s a b && echo x > b` writes `a`.

use crate::option::{Given, Options};
use crate::run::Run;
use crate::word::Word;
use engine_text::path::join;

/// Options of `ln` and `cp` with a value, and among them the folder that the links are made in.
const VALUED: &[&str] = &["-t", "--target-directory", "-S", "--suffix"];
const FOLDER: &[&str] = &["-t", "--target-directory"];

/// Options with which `cp` makes links, and those of them that make symbolic ones.
const CP_LINKS: &[&str] = &["-l", "--link", "-s", "--symbolic-link"];
const SYMBOLIC: &[&str] = &["-s", "--symbolic", "--symbolic-link"];

/// Links that are followed; a loop of links leads nowhere.
const MOST_STEPS: usize = 8;
/// Links of one command line that are remembered.
const MOST_LINKS: usize = 64;

/// Links, each with the path that it leads to.
#[derive(Debug, Default)]
pub(super) struct Links(Vec<(String, String)>);

impl Links {
    /// Adds the links that a run makes.
    pub(super) fn note(&mut self, run: &Run) {
        let options = Options::read(&run.args, VALUED, false);
        let makes = run.is(&["ln", "gln", "link"]) || (run.is(&["cp", "gcp"]) && options.has(CP_LINKS));
        let Some(cwd) = run.cwd.as_deref().filter(|_| makes && self.0.len() < MOST_LINKS) else { return };
        let folder = options.all(FOLDER).next_back().and_then(Given::word);
        let words = options.operands.as_slice();
        let here = Word::known(".");
        let (sources, target): (&[&Word], &Word) = match (&folder, words.split_last()) {
            (Some(folder), _) => (words, folder),
            (None, Some((last, sources))) if !sources.is_empty() => (sources, last),
            _ => (words, &here),
        };
        let Some(target) = target.literal().map(|target| join(cwd, target)) else { return };
        for source in sources.iter().filter_map(|word| word.literal()) {
            let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            // Whether the target is a folder that is there already, the words do not tell.
            for link in [target.clone(), join(&target, name)] {
                let beside = link.rsplit_once('/').map_or("/", |(folder, _)| folder);
                let from = if options.has(SYMBOLIC) { beside } else { cwd };
                let leads_to = join(from, source);
                if leads_to != link {
                    self.0.push((link, leads_to));
                }
            }
        }
    }

    /// Where a path leads through the links.
    pub(super) fn follow(&self, mut path: String) -> String {
        for _ in 0..MOST_STEPS {
            let next = self.0.iter().rev().find_map(|(link, leads_to)| {
                let rest = path.strip_prefix(link.as_str())?;
                (rest.is_empty() || rest.starts_with('/')).then(|| format!("{leads_to}{rest}"))
            });
            match next {
                Some(next) => path = next,
                None => break,
            }
        }
        path
    }

    /// The same for the folders of a path, while its last name stays.
    pub(super) fn follow_folders(&self, path: String) -> String {
        if self.0.is_empty() {
            return path;
        }
        match path.rsplit_once('/') {
            Some((folder, name)) if !folder.is_empty() => join(&self.follow(folder.to_owned()), name),
            _ => path,
        }
    }
}
