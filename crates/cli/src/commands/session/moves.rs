//! Which commands of `engine session` change what the main agent answers for.

use super::SessionCommand;

impl SessionCommand {
    /// The word of a command that changes what the main agent answers for.
    pub(super) fn moves(&self) -> Option<&'static str> {
        match self {
            Self::Activate(_) => Some("activate"),
            Self::Phase(_) => Some("phase"),
            Self::Continue(_) => Some("continue"),
            Self::Idle(_) => Some("idle"),
            Self::Deactivate(_) => Some("deactivate"),
            Self::Finish(_) => Some("finish"),
            Self::Check(_) => Some("check"),
            Self::Debrief(args) if args.write => Some("debrief"),
            Self::Dehydrate(_) => Some("dehydrate"),
            Self::Restart(_) => Some("restart"),
            Self::Clear(_) => Some("clear"),
            Self::Target(_) => Some("target"),
            Self::Update(_) => Some("update"),
            Self::Init(_)
            | Self::Debrief(_)
            | Self::Find
            | Self::List(_)
            | Self::Show(_)
            | Self::RequestTemplate(_) => None,
        }
    }
}
