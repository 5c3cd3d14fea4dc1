//! `engine search index`.

use clap::Args;
use engine_app::error::Outcome;
use engine_app::search::{Corpus, Indexed, index};
use engine_app::wording::counted;
use engine_core::search::Kind;
use serde_json::json;

use super::index_progress::IndexProgress;
use crate::ui::{Tone, Ui, toned};

/// Bring the index up to date, to the end
///
/// A query does this itself as far as 50 ms go. What was left of other branches and worktrees that are gone is removed.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  engine search index\n  engine search index --rebuild")]
pub(crate) struct SearchIndexArgs {
    /// Make the index anew
    #[arg(long)]
    pub(crate) rebuild: bool,
}

pub(in crate::commands) fn run(args: &SearchIndexArgs, corpus: &Corpus, kinds: &[Kind], ui: &Ui) -> Outcome {
    let indexed = {
        let mut progress = IndexProgress::new();
        let mut embedding = None;
        index(
            corpus,
            kinds,
            args.rebuild,
            &mut |done, total| progress.at(done, total),
            &mut |done, total| {
                embedding.get_or_insert_with(|| IndexProgress::of("chunks, embedded")).at(done, total);
            },
        )?
    };
    let Indexed { files, chunks, refreshed, embedded, skipped, took, note } = indexed;
    if let Some(note) = note {
        ui.talk(format!("{} {note}", toned(Tone::Careful, "note:")));
    }
    if ui.is_json() {
        ui.object(&json!({"version": 1, "files": files, "chunks": chunks, "changed": refreshed.changed,
            "removed": refreshed.removed, "embedded": embedded, "skipped": skipped, "ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX)}));
        return Ok(());
    }
    let skipped = match skipped {
        0 => String::new(),
        skipped => format!(", {skipped} left out (engine search status)"),
    };
    let embedded = match embedded {
        None | Some(0) => String::new(),
        Some(embedded) => format!(", {} embedded", counted(embedded as u64, "chunk")),
    };
    ui.line(format!(
        "{} in {}: {} changed, {} removed{embedded}{skipped}, {:.1} s",
        counted(chunks, "chunk"),
        counted(files, "file"),
        refreshed.changed,
        refreshed.removed,
        took.as_secs_f64()
    ));
    Ok(())
}
