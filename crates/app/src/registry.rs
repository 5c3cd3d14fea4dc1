//! The skills around the current folder, for commands.

use std::path::Path;

use engine_claude::skills::Claude;
use engine_core::chain::{Exits, Standing, Typed};
use engine_core::client::Client;
use engine_core::config::Config;
use engine_core::skill::{Known, exits_of, is_wrapped, standing};
use engine_store::config_file;
use engine_store::project::Project;

use crate::error::CommandError;
use crate::here;

pub struct Skills {
    client: Claude,
    config: Config,
}

impl Skills {
    pub fn here() -> Result<Self, CommandError> {
        Ok(Self::around(&here::folder()?))
    }

    /// Those of the project that a folder is in; outside of any, those of the folder.
    pub fn around(folder: &Path) -> Self {
        match Project::open(None, folder) {
            Some(project) => Self { client: Claude::new(&project), config: config_file::load(&project) },
            None => Self { client: Claude::around(folder), config: Config::default() },
        }
    }

    pub fn find(&self, name: &str) -> Option<Known> {
        self.client.skill(name)
    }

    pub fn is_wrapped(&self, name: &str) -> bool {
        is_wrapped(&self.config, name)
    }

    pub fn standing(&self, name: &str) -> Standing {
        standing(self.find(name).as_ref(), self.is_wrapped(name))
    }

    /// What follows a chain here.
    pub fn exits_of(&self, typed: &Typed) -> Exits {
        exits_of(typed, &self.config, &|name| self.find(name), &|name| self.standing(name)).0
    }
}
