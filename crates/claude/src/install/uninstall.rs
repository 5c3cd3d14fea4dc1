//! Taking engine out again.

use std::path::PathBuf;

use engine_store::places;
use engine_store::project::Project;
use fs_err as fs;

use super::manifest::{Manifest, user_manifest, without_us};
use super::{FileChange, InstallError, Scope, failed, read, settings_file, write_all};

/// What `engine uninstall` did, and what there is to say about it.
pub struct Uninstalled {
    pub changes: Vec<FileChange>,
    pub notes: Vec<String>,
}

/// Takes engine out of every settings file and removes what it installed and nobody changed. A settings file that
/// cannot be read stops it before anything is changed.
pub fn uninstall(project: &Project) -> Result<Uninstalled, InstallError> {
    let root = project.root();
    let of_project = Manifest::of_project(project);
    let mut done = Uninstalled { changes: Vec::new(), notes: of_project.notes };
    let paths = [of_project.path, user_manifest()];
    let mut manifests = [of_project.manifest, Manifest::load(user_manifest())];
    let scopes = Scope::ALL.iter().filter_map(|scope| Some((*scope, settings_file(root, *scope)?)));
    let settings: Vec<(Scope, PathBuf)> = scopes.collect();
    for (scope, path) in &settings {
        let broken = |error| InstallError::Settings { path: path.clone(), error };
        let Some(text) = read(path)? else { continue };
        let touched = manifests.iter().find_map(|manifest| manifest.files.get(path)).cloned();
        // A file that says nothing of us may be as broken as its owner likes.
        if touched.is_none() && !text.contains("engine") {
            continue;
        }
        let after = without_us(&text, touched.as_ref()).map_err(broken)?;
        if after.as_ref() == Some(&text) {
            continue;
        }
        if *scope == Scope::User {
            done.notes.push(format!("{}: engine is off in every project now", path.display()));
        }
        done.changes.push(FileChange { path: path.clone(), before: Some(text), after });
    }
    for manifest in &manifests {
        for (path, touched) in
            manifest.files.iter().filter(|(path, _)| settings.iter().all(|(_, file)| file != *path))
        {
            match read(path)? {
                None => {}
                Some(text) if text == touched.after => {
                    let after = touched.before.clone();
                    done.changes.push(FileChange { path: path.clone(), before: Some(text), after });
                }
                Some(text) if touched.line.is_some() => {
                    let after = without_line(&text, touched.line.as_deref().unwrap_or_default());
                    done.changes.push(FileChange {
                        path: path.clone(),
                        before: Some(text),
                        after: Some(after),
                    });
                }
                Some(_) => done
                    .notes
                    .push(format!("{} was changed since engine wrote it, and was kept", path.display())),
            }
        }
    }
    write_all(project, &done.changes)?;
    for (manifest, path) in manifests.iter_mut().zip(paths) {
        for folder in manifest.folders.iter().rev() {
            // Only an empty one can be removed this way.
            let _ = fs::remove_dir(folder);
        }
        *manifest = Manifest::default();
        if let Some(path) = path {
            manifest.save(&path).map_err(failed(&path))?;
        }
    }
    let _ = places::user_state().map(fs::remove_dir);
    Ok(done)
}

fn without_line(text: &str, line: &str) -> String {
    text.split_inclusive('\n').filter(|old| old.trim_end() != line).collect()
}
