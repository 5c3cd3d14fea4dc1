//! What the model was asked in one run, in the order of arrival.

use crate::{Kind, Request, message};

#[derive(Debug, Clone, Default)]
pub struct Record {
    pub requests: Vec<Request>,
}

/// One place where a text reached the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// Index into [`Record::requests`].
    pub request: usize,
    pub kind: Kind,
    /// `system`, or `messages[3].content[0]`.
    pub place: String,
    /// The role of the message; `system` for the system prompt too.
    pub role: String,
    /// The type of the block: `text`, `tool_result`, `tool_use`, …
    pub block: String,
}

impl Record {
    pub fn of(&self, kind: Kind) -> Vec<&Request> {
        self.requests.iter().filter(|request| request.kind == kind).collect()
    }

    /// Which turn answered what, in order.
    pub fn turns(&self) -> Vec<(Kind, &str)> {
        self.requests.iter().map(|request| (request.kind, request.turn.as_str())).collect()
    }

    /// Everywhere `needle` was in a request. A text stays in the conversation, so it is sighted again
    /// in every later request.
    pub fn model_saw(&self, needle: &str) -> Vec<Sighting> {
        let mut sightings = Vec::new();
        for (index, request) in self.requests.iter().enumerate() {
            let mut sighted = |place: String, role: &str, block: &str| {
                let (role, block) = (role.to_owned(), block.to_owned());
                sightings.push(Sighting { request: index, kind: request.kind, place, role, block });
            };
            if request.system_text().contains(needle) {
                sighted("system".to_owned(), "system", "text");
            }
            for (m, message) in message::messages(&request.body).iter().enumerate() {
                for (b, block) in message::blocks(&message["content"]).iter().enumerate() {
                    if message::block_text(block).contains(needle) {
                        let role = message["role"].as_str().unwrap_or_default();
                        sighted(format!("messages[{m}].content[{b}]"), role, message::block_type(block));
                    }
                }
            }
        }
        sightings
    }
}
