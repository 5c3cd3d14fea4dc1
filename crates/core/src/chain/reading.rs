//! What a prompt was read as: the chain, and what became of every name.

use super::Entry;

/// What is known of a skill when its name is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Entry,
    /// It takes everything after its name as its argument. `callable`: it can be a later entry, too.
    FreeText {
        callable: bool,
    },
    /// Cooperative, but the model cannot call it: it can be typed first, and nothing else.
    OnlyTyped,
    /// A skill that does not know chains.
    NotCooperative,
    Unknown,
}

impl Standing {
    /// Whether it can be any entry of a chain.
    pub fn is_entry(self) -> bool {
        matches!(self, Self::Entry | Self::FreeText { callable: true })
    }

    pub(super) fn is_free_text(self) -> bool {
        matches!(self, Self::FreeText { .. })
    }

    /// Whether a person can start it, and nobody else.
    pub(super) fn is_only_typed(self) -> bool {
        matches!(self, Self::OnlyTyped | Self::FreeText { callable: false })
    }
}

/// How a prompt was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    pub chain: Option<Typed>,
    /// Every name that was looked at, and what became of it.
    pub notes: Vec<Note>,
}

/// A chain as it was typed, without exits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    pub form: Form,
    /// At least one. In the leading form the first is the skill that the client runs.
    pub entries: Vec<Entry>,
    /// The text above the lines of a chain that is typed as lines. What it forbids counts, too.
    pub above: String,
    /// The chain names its own end: no exits.
    pub closed: bool,
    /// Names after a delimiter that no skill has.
    pub unknown: Vec<String>,
}

impl Typed {
    /// All that the person wrote around the names of the skills, clause by clause.
    pub fn words(&self) -> String {
        let args = self.entries.iter().map(|entry| entry.args.as_str());
        std::iter::once(self.above.as_str()).chain(args).collect::<Vec<_>>().join("\n")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The prompt starts with a skill, and the client runs it.
    Leading,
    /// Lines after prose: the client runs none of them.
    Lines,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub at: usize,
    pub name: String,
    pub why: Why,
}

/// What became of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    First,
    Joined,
    OnItsLine,
    Unknown,
    NotCooperative,
    OnlyTyped,
    Talk,
    Mention,
    JoinedToMention,
    Forbidden,
    JoinedToForbidden,
    Path,
    Glued,
    NoChainList,
    OneLine,
    Introduced,
    Unfinished,
    Listing,
    TextAfter,
    TooMany,
    CodeLine,
    NotAtStart,
    FreeText,
    InCode,
    Quoted,
}

impl Why {
    pub fn text(self) -> &'static str {
        match self {
            Self::First => "entry: the prompt starts with it",
            Self::Joined => "entry: after a delimiter",
            Self::OnItsLine => "entry: at the start of its line",
            Self::Unknown => "text: no skill has this name",
            Self::NotCooperative => "text: the skill is not cooperative",
            Self::OnlyTyped => "text: the model cannot call this skill",
            Self::Talk => "text: the words after it talk about the skill",
            Self::Mention => "text: no delimiter before it",
            Self::JoinedToMention => "text: in a sentence that talks about skills",
            Self::Forbidden => "text: the words before it forbid it",
            Self::JoinedToForbidden => "text: joined to a name that is forbidden",
            Self::Path => "text: in a list of paths",
            Self::Glued => "text: a mark is glued to the name",
            Self::NoChainList => "text: in an item of a list that is not a chain",
            Self::OneLine => "text: one line alone after other text",
            Self::Introduced => "text: the line above talks about the lines",
            Self::Unfinished => "text: the line above is no finished sentence",
            Self::Listing => "text: part of a listing",
            Self::TextAfter => "text: other text follows the lines",
            Self::TooMany => "text: 50 entries come before it, and a chain has no more",
            Self::CodeLine => "text: the line is indented like code",
            Self::NotAtStart => "text: the prompt does not start with a skill",
            Self::FreeText => "text: the skill before it takes all that follows",
            Self::InCode => "text: in code",
            Self::Quoted => "text: in a quotation",
        }
    }

    pub fn is_entry(self) -> bool {
        matches!(self, Self::First | Self::Joined | Self::OnItsLine)
    }

    /// Whether somebody might have meant an entry: neither an entry, nor in code, a quotation or free text.
    pub fn is_read_as_text(self) -> bool {
        match self {
            Self::First | Self::Joined | Self::OnItsLine | Self::FreeText | Self::InCode | Self::Quoted
            // These are reported by themselves.
            | Self::Unknown | Self::NotCooperative | Self::OnlyTyped => false,
            Self::Talk
            | Self::Mention
            | Self::JoinedToMention
            | Self::Forbidden
            | Self::JoinedToForbidden
            | Self::Path
            | Self::Glued
            | Self::NoChainList
            | Self::OneLine
            | Self::Introduced
            | Self::Unfinished
            | Self::Listing
            | Self::TextAfter
            | Self::TooMany
            | Self::CodeLine
            | Self::NotAtStart => true,
        }
    }

    /// Whether a person might have meant a chain here, by this name alone.
    pub fn is_doubtful(self) -> bool {
        self.is_read_as_text()
            && !matches!(self, Self::Mention | Self::Listing | Self::Path | Self::NotAtStart)
            || matches!(self, Self::Unknown | Self::NotCooperative | Self::OnlyTyped)
    }
}
