//! The plans of the project, as tasks name them.

use engine_core::stage::{Stages, Standing};

use super::LiveView;
use crate::stage_file::StageFiles;

impl Stages for LiveView<'_> {
    fn standing(&self, plan: &str) -> Option<Standing> {
        StageFiles::new(self.project, &self.config).standing(plan)
    }

    fn unfinished(&self) -> Vec<String> {
        StageFiles::new(self.project, &self.config).unfinished()
    }
}
