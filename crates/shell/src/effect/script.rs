//! What the code of other languages does to files.

use super::{Effect, Effects, Word};
use crate::calls::FileAct;

impl Effects<'_> {
    pub(super) fn script(&mut self) {
        let Some(calls) = &self.run.calls else { return };
        for file in &calls.files {
            match file.does {
                FileAct::Read => self.read(&file.path),
                FileAct::Write => {
                    if let Some(path) = self.of(&file.path) {
                        self.note(Effect::Write { run: self.index, path, pattern: file.path.glob });
                    }
                }
                FileAct::Delete => self.delete(&file.path, false),
                FileAct::DeleteTree => self.delete(&file.path, true),
                FileAct::Attributes => self.attributes_of(&file.path, false),
                FileAct::Folder => self.make_folder(&file.path),
            }
        }
    }

    pub(super) fn code_writes(&mut self, path: &str) {
        if let Some(path) = self.of(&code_word(path)) {
            self.write_at(path);
        }
    }

    pub(super) fn code_deletes(&mut self, path: &str, recursive: bool) {
        self.delete(&code_word(path), recursive);
    }
}

/// A path in code. Where the home folder is, only the running program knows.
fn code_word(path: &str) -> Word {
    Word { unknown: path.starts_with("~/"), ..Word::known(path) }
}
