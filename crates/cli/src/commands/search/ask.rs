//! The query of `engine search`, and what narrows it.

use clap::Args;
use engine_app::error::{CommandError, Failure, Outcome};
use engine_app::search::{Branches, Corpus, Question, Until, ask};
use engine_app::since::Since;
use engine_core::search::Kind;
use engine_store::clock;

use super::index_progress::IndexProgress;
use super::{filter, hits, object, standing};
use crate::ui::{Tone, Ui, toned};

/// What narrows a query.
#[derive(Debug, Args)]
pub(crate) struct FilterArgs {
    /// Only entries of this type: decision, pitfall, debrief, halt …
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = filter::what)]
    pub(crate) types: Vec<String>,
    /// Only what was written at this skill
    #[arg(long, value_name = "SKILL", value_delimiter = ',', value_parser = filter::name)]
    pub(crate) skill: Vec<String>,
    /// Only what carries this tag, with or without #
    #[arg(long, value_name = "TAG", value_delimiter = ',', value_parser = filter::name)]
    pub(crate) tag: Vec<String>,
    /// From when on: 3d, 2w, a day, a moment
    #[arg(long, value_name = "TIME", value_parser = filter::since)]
    pub(crate) since: Option<Since>,
    /// Up to when: 3d, 2w, a day as a whole, a moment
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<Until>,
    /// Only files with this in their path
    #[arg(long, value_name = "PART")]
    pub(crate) file: Option<String>,
    /// How many hits
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = filter::limit)]
    pub(crate) limit: usize,
    /// Show by which words a hit was found, and its ranks
    #[arg(long)]
    pub(crate) explain: bool,
    /// Only by words, also where a model is installed
    #[arg(long)]
    pub(crate) lexical: bool,
}

impl FilterArgs {
    pub(super) fn question(&self, words: &[String], kinds: Vec<Kind>, branches: Branches) -> Question {
        Question {
            words: words.join(" "),
            kinds,
            types: self.types.clone(),
            skills: self.skill.clone(),
            tags: self.tag.clone(),
            since: self.since,
            until: self.until,
            file: self.file.clone(),
            limit: self.limit,
            branches,
            lexical: self.lexical,
            is_aside: false,
        }
    }
}

pub(super) fn run(question: &Question, explain: bool, corpus: &Corpus, ui: &Ui) -> Outcome {
    let answer = {
        let mut progress = IndexProgress::new();
        ask(corpus, question, clock::now(), &mut |done, total| progress.at(done, total))?
    };
    if let Some(note) = &answer.note {
        ui.talk(format!("{} {note}", toned(Tone::Careful, "note:")));
    }
    if ui.is_json() {
        ui.object(&object::object(&answer, explain));
    } else {
        ui.text(&hits::text(&answer, corpus, explain));
    }
    if let Some(behind) = standing::behind(&answer.behind).filter(|_| !ui.is_json()) {
        ui.talk(behind);
    }
    if let Some(line) = standing::unembedded(answer.unembedded).filter(|_| !ui.is_json()) {
        ui.talk(line);
    }
    match (answer.hits.is_empty(), ui.is_json()) {
        (false, _) => Ok(()),
        (true, true) => Err(CommandError::already_told().of(Failure::Nothing)),
        (true, false) => Err(CommandError::nothing(standing::nothing(&answer, question))),
    }
}
