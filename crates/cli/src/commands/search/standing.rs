//! What is said of the index beside the hits: by what it searches, how far behind it is, that nothing was found.

use engine_app::search::{Answer, Behind, Mode, Question};
use engine_app::wording::counted;

/// By what is searched, and how more is got.
pub(super) fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Lexical => "lexical; engine search model install adds meaning",
        Mode::Hybrid => "hybrid: by words and by meaning",
    }
}

/// The chunks that rank by words alone, in one line.
pub(super) fn unembedded(count: Option<usize>) -> Option<String> {
    let what = match count? {
        0 => return None,
        1 => "1 chunk has no vector yet and ranks".to_owned(),
        count => format!("{} have no vector yet and rank", counted(count as u64, "chunk")),
    };
    Some(format!("{what} by words alone: engine search index"))
}

/// What the index does not have yet, in one line.
pub(super) fn behind(behind: &Behind) -> Option<String> {
    let Behind { files, uncompared, busy } = behind;
    let files = match files {
        0 => None,
        1 => Some("1 file is newer than the index".to_owned()),
        files => Some(format!("{} are newer than the index", counted(*files as u64, "file"))),
    };
    let kinds = uncompared.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", ");
    let kinds = (!kinds.is_empty()).then(|| format!("{kinds} were not compared with the index within 50 ms"));
    let what = [files, kinds].into_iter().flatten().collect::<Vec<_>>().join("; ");
    match (what.is_empty(), busy) {
        (true, true) => Some("another process is writing the index".to_owned()),
        (true, false) => None,
        (false, true) => Some(format!("{what}: another process is writing it")),
        (false, false) => Some(format!("{what}: engine search index")),
    }
}

/// That nothing was found, where, and what to try.
pub(super) fn nothing(answer: &Answer, question: &Question) -> String {
    let searched = answer.searched.iter().filter(|(_, files)| **files > 0);
    let searched =
        searched.map(|(kind, files)| format!("{} {files}", kind.as_str())).collect::<Vec<_>>().join(", ");
    if searched.is_empty() {
        let kinds = question.kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", ");
        let what = if kinds.is_empty() { "to search".to_owned() } else { format!("in {kinds}") };
        return format!("there is no file {what}: engine search status");
    }
    let lists = [question.kinds.len(), question.types.len(), question.skills.len(), question.tags.len()];
    let times = question.since.is_some() || question.until.is_some();
    let is_narrow = lists.iter().any(|count| *count > 0) || times || question.file.is_some();
    let advice = if is_narrow { "other words, or fewer options" } else { "other words" };
    format!("nothing found in the files of {searched}; try {advice}")
}

/// A size in millions of bytes, with one digit behind the point.
pub(super) fn megabytes(bytes: u64) -> String {
    format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10)
}
