//! Definitions and references of many documents: which reference means which definition, and what is wrong among them.
//!
//! A reference in a directive sees the definitions of its folder and those above it, then the person's, then the standards. One in a
//! skill sees its own folder, then the root. So the same name in two branches is no trouble; twice within sight of one reference it is,
//! and twice in one place.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::{definitions, references};

/// Where a document stands, which decides what its references see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Home {
    /// It holds for this folder of the project and all below: a directive, a context file.
    Folder(PathBuf),
    /// A skill, or any other text: what it defines is seen by what shares its `folder`; it sees, besides, what holds in `from`.
    Own {
        folder: PathBuf,
        from: PathBuf,
    },
    /// The person's own directives.
    Person,
    Standard,
}

impl Home {
    /// Whether definitions in a document of another home are seen from here.
    fn sees(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::Standard) => true,
            (_, Self::Person) => *self != Self::Standard,
            (Self::Folder(from) | Self::Own { from, .. }, Self::Folder(above)) => from.starts_with(above),
            (Self::Own { folder, .. }, Self::Own { folder: other, .. }) => folder == other,
            _ => false,
        }
    }

    /// Whether two documents stand in one place.
    fn is_beside(&self, other: &Self) -> bool {
        self.sees(other) && other.sees(self)
    }
}

/// A text that may define and refer.
#[derive(Debug, Clone)]
pub struct Document {
    /// As it is shown.
    pub path: String,
    pub text: String,
    /// One, or more if links bring it to several places.
    pub homes: Vec<Home>,
    /// Whether it is told what is wrong with it.
    pub asked: bool,
}

impl Document {
    /// Whether its references see what another one defines.
    fn sees(&self, other: &Self) -> bool {
        self.homes.iter().any(|home| other.homes.iter().any(|other| home.sees(other)))
    }

    fn is_beside(&self, other: &Self) -> bool {
        self.homes.iter().any(|home| other.homes.iter().any(|other| home.is_beside(other)))
    }
}

/// A definition among others.
#[derive(Debug, Clone)]
pub struct Defined<'d> {
    pub name: &'d str,
    pub document: &'d Document,
    pub line: usize,
    pub body: &'d str,
    /// How many references see it.
    pub references: usize,
}

impl Defined<'_> {
    pub fn place(&self) -> String {
        format!("{}:{}", self.document.path, self.line)
    }
}

/// A reference among others.
#[derive(Debug, Clone, Copy)]
pub struct Referred<'d> {
    pub name: &'d str,
    pub document: &'d Document,
    pub line: usize,
}

/// A name that is defined more than once in one place, or within sight of one reference.
#[derive(Debug, Clone)]
pub struct Duplicate<'i, 'd> {
    pub name: &'d str,
    pub definitions: Vec<&'i Defined<'d>>,
}

/// What some documents define and refer to.
#[derive(Debug)]
pub struct Index<'d> {
    /// By name, then in the order of the documents.
    definitions: BTreeMap<&'d str, Vec<Defined<'d>>>,
    /// In the order of the documents.
    references: Vec<Referred<'d>>,
}

impl<'d> Index<'d> {
    pub fn new(documents: &'d [Document]) -> Self {
        let mut all: BTreeMap<&'d str, Vec<Defined<'d>>> = BTreeMap::new();
        let mut referred = Vec::new();
        for document in documents {
            for found in definitions(&document.text) {
                let defined =
                    Defined { name: found.name, document, line: found.line, body: found.body, references: 0 };
                all.entry(found.name).or_default().push(defined);
            }
            let here = references(&document.text);
            referred.extend(here.iter().map(|found| Referred {
                name: found.name,
                document,
                line: found.line,
            }));
        }
        for reference in &referred {
            for defined in all.get_mut(reference.name).into_iter().flatten() {
                defined.references += usize::from(reference.document.sees(defined.document));
            }
        }
        Self { definitions: all, references: referred }
    }

    /// All definitions, by name.
    pub fn definitions(&self) -> impl Iterator<Item = &Defined<'d>> {
        self.definitions.values().flatten()
    }

    /// The definitions of a name.
    pub fn named(&self, name: &str) -> &[Defined<'d>] {
        self.definitions.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether a name has a definition that is seen from there.
    pub fn is_defined(&self, name: &str, from: &Home) -> bool {
        self.named(name).iter().any(|defined| defined.document.homes.iter().any(|home| from.sees(home)))
    }

    /// References that see no definition.
    pub fn unresolved(&self) -> impl Iterator<Item = &Referred<'d>> {
        let is_open = |reference: &&Referred<'_>| {
            !self.named(reference.name).iter().any(|defined| reference.document.sees(defined.document))
        };
        self.references.iter().filter(|reference| reference.document.asked).filter(is_open)
    }

    pub fn duplicates(&self) -> Vec<Duplicate<'_, 'd>> {
        let several = self.definitions.values().filter(|defined| defined.len() > 1);
        several.flat_map(|defined| self.duplicates_among(defined)).collect()
    }

    fn duplicates_among<'i>(&'i self, defined: &'i [Defined<'d>]) -> Vec<Duplicate<'i, 'd>> {
        let name = defined[0].name;
        let those = |wanted: &dyn Fn(&Defined<'d>) -> bool| -> BTreeSet<usize> {
            (0..defined.len()).filter(|index| wanted(&defined[*index])).collect()
        };
        let asked = |document: &&Document| document.asked;
        let viewers = self.references.iter().filter(|reference| reference.name == name);
        let seen = viewers
            .map(|reference| reference.document)
            .filter(asked)
            .map(|viewer| those(&|defined| viewer.sees(defined.document)));
        let beside = defined
            .iter()
            .map(|defined| defined.document)
            .filter(asked)
            .map(|here| those(&|defined| here.is_beside(defined.document)));
        // Groups that share a definition are one.
        let mut groups: Vec<BTreeSet<usize>> = Vec::new();
        for mut group in seen.chain(beside).filter(|group| group.len() > 1) {
            groups.retain(|other| {
                let is_apart = other.is_disjoint(&group);
                if !is_apart {
                    group.extend(other);
                }
                is_apart
            });
            groups.push(group);
        }
        let shown = |group: &BTreeSet<usize>| Duplicate {
            name,
            definitions: group.iter().map(|index| &defined[*index]).collect(),
        };
        groups.iter().map(shown).collect()
    }

    /// Definitions that nothing refers to. Those of the standards are rules also without.
    pub fn orphans(&self) -> impl Iterator<Item = &Defined<'d>> {
        let is_own = |defined: &&Defined<'_>| {
            defined.document.asked && !defined.document.homes.contains(&Home::Standard)
        };
        self.definitions().filter(is_own).filter(|defined| defined.references == 0)
    }

    /// The defined names most like this one, the best first.
    pub fn nearest(&self, name: &str) -> Vec<&'d str> {
        let scored = self
            .definitions
            .keys()
            .map(|known| (strsim::normalized_damerau_levenshtein(name, known), *known));
        let mut near: Vec<(f64, &str)> = scored.filter(|(score, _)| *score > ALIKE).collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        near.into_iter().map(|(_, known)| known).take(NEAREST).collect()
    }
}

/// Less is alike by its kind alone.
const ALIKE: f64 = 0.6;
const NEAREST: usize = 3;
