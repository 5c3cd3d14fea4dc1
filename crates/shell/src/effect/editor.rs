//! What the scripts of sed and of editors write.

use super::Effects;
use crate::code::{editor, sed};

impl Effects<'_> {
    pub(super) fn sed_output(&mut self) {
        for file in sed::Script::of(self.run).writes {
            self.code_writes(&file);
        }
    }

    pub(super) fn editor(&mut self) {
        let Some(script) = editor::Script::of(self.run) else { return };
        if script.saves {
            script.files.iter().for_each(|word| self.write(word));
        }
        script.writes.iter().for_each(|path| self.code_writes(path));
        script.deletes.iter().for_each(|path| self.code_deletes(path, true));
    }
}
