//! Which plugins are loaded, and from which folders.
//!
//! A plugin is loaded if the settings enable it. From a marketplace that is a folder it is read where it lies; from any
//! other, where it was installed, by an entry for everybody or for this project. Plugins that the client was started with
//! (`--plugin-dir`) come before installed ones of the same name.

use std::path::{Path, PathBuf};

use engine_text::field;
use fs_err as fs;
use serde::Deserialize;
use serde_json::Value;

use super::scan::{Scan, Stamp};
use super::{Origin, Place, Settings};

/// Plugin folders that the client was started with: its command line and environment are all that tells of them.
pub(super) fn named(started_in: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    if let Some(listed) = std::env::var_os("CLAUDE_CODE_PLUGIN_DIRS") {
        folders.extend(std::env::split_paths(&listed).filter(|path| !path.as_os_str().is_empty()));
    }
    if let Some(own) = std::env::var_os("CLAUDE_PLUGIN_ROOT") {
        folders.push(PathBuf::from(own));
    }
    folders.extend(started_with("--plugin-dir").into_iter().map(|value| started_in.join(value)));
    folders
}

/// The folders that the client was started with besides its own. The option takes all words up to the next one.
pub(super) fn added() -> Vec<String> {
    let words = command_line();
    let mut values = Vec::new();
    let mut is_value = false;
    for word in words {
        match word.strip_prefix("--add-dir") {
            Some("") => is_value = true,
            Some(rest) => values.extend(rest.strip_prefix('=').map(str::to_owned)),
            None if word.starts_with('-') => is_value = false,
            None if is_value => values.push(word),
            None => {}
        }
    }
    values
}

/// The words that the client was started with. Linux only; elsewhere they are not known.
fn command_line() -> Vec<String> {
    let command_line = std::env::var("CLAUDE_PID")
        .ok()
        .filter(|pid| pid.bytes().all(|byte| byte.is_ascii_digit()))
        .and_then(|pid| fs::read(format!("/proc/{pid}/cmdline")).ok())
        .unwrap_or_default();
    command_line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// The values of an option that the client was started with.
pub(super) fn started_with(option: &str) -> Vec<String> {
    let mut words = command_line().into_iter();
    let mut values = Vec::new();
    while let Some(word) = words.next() {
        match word.strip_prefix(option) {
            Some("") => values.extend(words.next()),
            Some(rest) => values.extend(rest.strip_prefix('=').map(str::to_owned)),
            None => {}
        }
    }
    values
}

#[derive(Deserialize)]
struct Marketplace {
    source: Value,
    #[serde(rename = "installLocation")]
    location: PathBuf,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Installed {
    scope: String,
    project_path: Option<PathBuf>,
    install_path: PathBuf,
}

pub(super) fn look(place: &Place, settings: &Settings, scan: &mut Scan<'_>) {
    let mut loaded: Vec<String> = Vec::new();
    for named in &place.plugin_folders {
        // A folder of plugins may be named too.
        let folders = if named.join(".claude-plugin").exists() || named.join("skills").exists() {
            vec![named.clone()]
        } else {
            below(named)
        };
        for folder in folders {
            let manifest = Manifest::read(&folder, scan);
            if settings.enables(&format!("{}@inline", manifest.name)) != Some(false) {
                read(&folder, &manifest, scan);
                loaded.push(manifest.name);
            }
        }
    }
    let Some(home) = &place.home else { return };
    let wanted: Vec<String> =
        settings.plugins().into_iter().filter(|plugin| settings.enables(plugin) == Some(true)).collect();
    if wanted.is_empty() {
        return;
    }
    let markets = scan.text(&home.join("plugins/known_marketplaces.json")).unwrap_or_default();
    let installed = scan.text(&home.join("plugins/installed_plugins.json")).unwrap_or_default();
    for plugin in wanted {
        let Some((name, market)) = plugin.rsplit_once('@') else { continue };
        let market: Option<Marketplace> =
            field::raw(&markets, market).and_then(|market| serde_json::from_str(market.get()).ok());
        let (folder, entry) = match &market {
            Some(market) if market.source["source"] == "directory" => {
                let entry = entry_in_market(&market.location, name, scan);
                let folder = entry
                    .as_ref()
                    .and_then(|entry| entry["source"].as_str())
                    .map(|path| market.location.join(path));
                (folder, entry)
            }
            _ => (installed_folder(&installed, &plugin, &place.folder), None),
        };
        if let Some(folder) = folder {
            // A marketplace may describe a plugin itself.
            let manifest = match entry.filter(|entry| entry["strict"] == false) {
                Some(entry) => Manifest::of(&entry, name.to_owned()),
                None => Manifest::read(&folder, scan),
            };
            if !loaded.contains(&manifest.name) {
                read(&folder, &manifest, scan);
            }
        }
    }
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.retain(|folder| folder.join(".claude-plugin").exists());
    folders.sort();
    folders
}

fn entry_in_market(location: &Path, name: &str, scan: &mut Scan<'_>) -> Option<Value> {
    let text = scan.text(&location.join(".claude-plugin/marketplace.json"))?;
    let market: Value = serde_json::from_str(&text).ok()?;
    market["plugins"].as_array()?.iter().find(|plugin| plugin["name"] == name).cloned()
}

fn installed_folder(installed: &str, plugin: &str, project: &Path) -> Option<PathBuf> {
    let plugins = field::raw(installed, "plugins")?;
    let entries: Vec<Installed> = serde_json::from_str(field::raw(plugins.get(), plugin)?.get()).ok()?;
    let fits = |entry: &Installed| entry.scope == "user" || entry.project_path.as_deref() == Some(project);
    entries.into_iter().find(fits).map(|entry| entry.install_path)
}

/// What a plugin's manifest says of its skills.
struct Manifest {
    name: String,
    skills: Vec<String>,
    /// In place of the folder `commands`, if there are any; some with a name.
    commands: Option<Vec<(Option<String>, String)>>,
}

impl Manifest {
    fn read(folder: &Path, scan: &mut Scan<'_>) -> Self {
        let text = scan.text(&folder.join(".claude-plugin/plugin.json")).unwrap_or_default();
        let manifest: Value = serde_json::from_str(&text).unwrap_or_default();
        let folder_name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self::of(&manifest, folder_name)
    }

    fn of(manifest: &Value, fallback: String) -> Self {
        Self {
            name: manifest["name"].as_str().map_or(fallback, str::to_owned),
            skills: paths(&manifest["skills"])
                .unwrap_or_default()
                .into_iter()
                .map(|(_, path)| path)
                .collect(),
            commands: paths(&manifest["commands"]),
        }
    }
}

/// Paths as a manifest lists them: one, several, or by name.
fn paths(value: &Value) -> Option<Vec<(Option<String>, String)>> {
    match value {
        Value::String(path) => Some(vec![(None, path.clone())]),
        Value::Array(paths) => {
            Some(paths.iter().filter_map(|path| Some((None, path.as_str()?.to_owned()))).collect())
        }
        Value::Object(commands) => {
            let path = |command: &Value| command["source"].as_str().or(command.as_str()).map(str::to_owned);
            Some(
                commands
                    .iter()
                    .filter_map(|(name, command)| Some((Some(name.clone()), path(command)?)))
                    .collect(),
            )
        }
        _ => None,
    }
}

/// A folder among the skills that holds a plugin's manifest is a plugin, on unless it is switched off.
pub(super) fn in_skill_folders(settings: &Settings, scan: &mut Scan<'_>) {
    let folders: Vec<PathBuf> = scan
        .watched
        .iter()
        .filter(|(path, stamp)| stamp.is_some() && path.ends_with("skills"))
        .map(|(path, _)| path.clone())
        .collect();
    for folder in folders.iter().flat_map(|folder| below(folder)) {
        let manifest = Manifest::read(&folder, scan);
        if settings.enables(&format!("{}@skills-dir", manifest.name)) != Some(false) {
            read(&folder, &manifest, scan);
        }
    }
}

fn read(folder: &Path, manifest: &Manifest, scan: &mut Scan<'_>) {
    scan.plugins.push(folder.to_owned());
    let origin = Origin::Plugin(manifest.name.clone());
    let skills = folder.join("skills");
    scan.skills(&skills, &origin);
    let at_root = folder.join("SKILL.md");
    if let Some(stamp) = Stamp::at(&at_root).filter(|_| !skills.exists()) {
        scan.file(&origin, manifest.name.clone(), at_root, stamp, false);
        // Here the name that the file declares is the name.
        if let Some(file) = scan.files.last_mut()
            && let Some(name) = file.content.alias().map(str::to_owned)
        {
            file.name = name;
        }
    }
    for path in manifest.skills.iter().map(|path| folder.join(path)) {
        let file = path.join("SKILL.md");
        match (Stamp::at(&file), path.file_name()) {
            (Some(stamp), Some(name)) => {
                scan.file(&origin, name.to_string_lossy().into_owned(), file, stamp, false);
            }
            _ => scan.skills(&path, &origin),
        }
    }
    match &manifest.commands {
        None => scan.commands(&folder.join("commands"), &origin),
        Some(paths) => {
            for (name, path) in paths.iter().map(|(name, path)| (name, folder.join(path))) {
                match Stamp::at(&path).filter(|_| path.is_file()) {
                    Some(stamp) => {
                        let stem = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                        let name = name.clone().unwrap_or_else(stem);
                        scan.file(&origin, name, path, stamp, true);
                    }
                    None => scan.commands(&path, &origin),
                }
            }
        }
    }
}
