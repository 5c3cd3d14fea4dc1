//! Prints the id of a project's content, for `cargo xtask bench` and for trying it out:
//!
//! ```text
//! content ROOT            git:9bc0d8f1…
//! content ROOT --since ID Modified src/lib.rs Some((1, 1))
//! ```

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;
use std::{env, process};

use engine_store::content;
use engine_store::project::Project;

/// The first id of a large project takes longer than anybody should wait for a check.
const PATIENCE: Duration = Duration::from_mins(5);

fn main() -> io::Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let mut out = io::stdout().lock();
    let (root, since) = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [root] => (root, None),
        [root, "--since", id] => (root, Some(id)),
        _ => return Err(io::Error::other("usage: content ROOT [--since ID]")),
    };
    let project = Project::at(&PathBuf::from(root));
    let now = content::take(&project, PATIENCE).unwrap_or_else(|unknown| {
        let _ = writeln!(io::stderr(), "{unknown}");
        process::exit(1)
    });
    let Some(since) = since else { return writeln!(out, "{now}") };
    match content::changed(&project, since, &now) {
        None => writeln!(out, "not known any more"),
        Some(all) => {
            all.iter().try_for_each(|file| writeln!(out, "{:?} {} {:?}", file.kind, file.path, file.lines))
        }
    }
}
