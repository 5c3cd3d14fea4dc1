//! The tables of words by which a person forbids an exit, puts it off, or keeps it for themselves.
//!
//! They have no apostrophes, as those are often not typed: "dont", "ill".

/// After these, what sounds like a prohibition is none: "don't forget to commit", "do not skip the commit".
pub(super) const HARMLESS: [&str; 12] = [
    "forget",
    "hesitate",
    "fail",
    "miss",
    "only",
    "just",
    "worry",
    "mind",
    "forgetting",
    "afraid",
    "matter",
    "doubt",
];

/// Verbs that forbid an exit, and do not forbid it after another prohibition: "never omit the commit".
pub(super) const UNDONE: [&str; 42] = [
    "forget",
    "forgetting",
    "skip",
    "skipping",
    "omit",
    "omitting",
    "avoid",
    "avoiding",
    "hold",
    "holding",
    "wait",
    "refrain",
    "abstain",
    "postpone",
    "postponing",
    "delay",
    "defer",
    "drop",
    "cancel",
    "exclude",
    "excluding",
    "forgo",
    "quit",
    "prevent",
    "block",
    "disable",
    "suppress",
    "resist",
    "remove",
    "minus",
    "leave",
    "keep",
    "stop",
    "stopping",
    "before",
    "without",
    "ban",
    "decline",
    "reject",
    "veto",
    "suspend",
    "pause",
];

/// Words that forbid an exit, and would not forbid a name: "nothing gets committed", "hold off on committing".
pub(super) const PUTS_OFF: [&str; 52] = [
    "whether",
    "pas",
    "ne",
    "nothing",
    "nobody",
    "noone",
    "none",
    "hardly",
    "hold",
    "holding",
    "wait",
    "refrain",
    "abstain",
    "postpone",
    "postponing",
    "delay",
    "defer",
    "drop",
    "cancel",
    "exclude",
    "excluding",
    "forget",
    "forgo",
    "quit",
    "prevent",
    "block",
    "disable",
    "suppress",
    "resist",
    "remove",
    "minus",
    "omitting",
    "avoiding",
    "forbidden",
    "prohibited",
    "donot",
    "dnt",
    "dontt",
    "dosnt",
    "w/o",
    "wo",
    "sans",
    "ohne",
    "kein",
    "keine",
    "keinen",
    "nicht",
    "sin",
    "ban",
    "veto",
    "suspend",
    "aint",
];

/// Pairs that do so.
pub(super) const PUTS_OFF_BY_TWO: [(&str, &str); 9] = [
    ("everything", "but"),
    ("all", "but"),
    ("anything", "but"),
    ("too", "early"),
    ("no", "one"),
    ("other", "than"),
    ("apart", "from"),
    ("up", "to"),
    ("can", "wait"),
];

/// Verbs before a prohibition that are quoted with it: "do not".
pub(super) const AUXILIARIES: [&str; 10] =
    ["do", "does", "did", "must", "should", "can", "could", "will", "would", "please"];

/// Verbs of a fact: "you did not commit" forbids nothing.
pub(super) const PAST: [&str; 6] = ["did", "has", "have", "had", "was", "were"];

/// "leave it uncommitted", "leave the commit to me".
pub(super) const LEAVES: [&str; 11] =
    ["leave", "leaves", "leaving", "keep", "keeps", "stay", "stays", "save", "take", "reserve", "let"];

/// Where somebody asks to be asked, words before `before`: "show me the diff before committing", "ask before committing".
pub(super) const PERSON: [&str; 6] = ["me", "i", "ill", "ive", "we", "my"];

/// The same as an order.
pub(super) const ASKS: [&str; 12] =
    ["ask", "check", "confirm", "wait", "stop", "pause", "show", "tell", "consult", "approval", "ok", "halt"];

/// Before `before`, words that end the work there: "stop before the commit".
pub(super) const STOPS: [&str; 7] = ["stop", "stops", "pause", "halt", "end", "ends", "finish"];

/// After a name, how the person does it: "commit by hand", "I commit it myself".
pub(super) const BY_PERSON: [&str; 4] = ["myself", "ourselves", "manually", "tomorrow"];

/// Words from `I` to a name: "I'll do the commit", "I'd rather commit".
pub(super) const PERSON_DOES: [&str; 39] = [
    "do",
    "make",
    "handle",
    "run",
    "be",
    "then",
    "just",
    "also",
    "a",
    "any",
    "the",
    "my",
    "own",
    "git",
    "all",
    "will",
    "shall",
    "can",
    "must",
    "should",
    "would",
    "rather",
    "prefer",
    "to",
    "going",
    "gonna",
    "wanna",
    "decide",
    "about",
    "take",
    "care",
    "of",
    "myself",
    "later",
    "afterwards",
    "manually",
    "only",
    "always",
    "first",
];

/// Words before a name that begin a request: "please only commit when I say so".
pub(super) const BEGINS: [&str; 8] = ["and", "or", "please", "only", "just", "you", "may", "can"];

/// "commit after I approve".
pub(super) const AWAITS: [&str; 5] = ["after", "when", "once", "until", "if"];

/// Prefixes of a name: "no auto-commit".
pub(super) const PREFIXES: [&str; 2] = ["auto", "git"];

/// Beginnings of a word that forbid the rest of it: `--no-commit`, `nocommit`.
pub(super) const GLUED: [&str; 5] = ["no", "non", "not", "without", "skip"];

/// Right after a name, or after a form of be, words that take it back: "commit is not needed", "commit: no".
pub(super) const AFTER: [&str; 28] = [
    "not",
    "never",
    "no",
    "nope",
    "isnt",
    "arent",
    "nothing",
    "forbidden",
    "prohibited",
    "unnecessary",
    "unneeded",
    "unwanted",
    "needless",
    "off",
    "disabled",
    "banned",
    "false",
    "mine",
    "excluded",
    "cancelled",
    "canceled",
    "undesired",
    "wont",
    "cant",
    "cannot",
    "mustnt",
    "shouldnt",
    "wouldnt",
];

/// Between a name and one of those.
pub(super) const FORMS: [&str; 22] = [
    "is",
    "are",
    "be",
    "was",
    "must",
    "should",
    "shall",
    "may",
    "can",
    "will",
    "would",
    "do",
    "does",
    "stays",
    "remains",
    "please",
    "it",
    "them",
    "this",
    "stay",
    "remain",
    "currently",
];

/// "the commit is on me", "commit is my job".
pub(super) const OWNERS: [&str; 7] = ["me", "mine", "my", "us", "ours", "our", "myself"];

/// After a name, words that are nothing which it would be done to: "do not commit yet".
pub(super) const NO_OBJECT: [&str; 24] = [
    "yet",
    "now",
    "anything",
    "it",
    "this",
    "that",
    "them",
    "everything",
    "until",
    "till",
    "before",
    "please",
    "today",
    "ever",
    "again",
    "because",
    "so",
    "unless",
    "either",
    "here",
    "at",
    "on",
    "while",
    "first",
];

/// Words that a prohibition's reach does not count.
pub(super) const SMALL: [&str; 8] = ["a", "an", "any", "the", "to", "you", "me", "make"];

/// Words between a prohibition and the act that it forbids.
pub(super) const TO_ACT: [&str; 11] =
    ["run", "call", "use", "do", "doing", "with", "before", "for", "off", "on", "until"];

/// Words with which a question about what happened begins.
pub(super) const QUESTIONS: [&str; 8] = ["did", "didnt", "has", "hasnt", "have", "havent", "was", "were"];

/// Words that end the work: "and stop there", "then stop, please".
pub(super) const ENDS: [&str; 11] = [
    "there",
    "here",
    "after",
    "that",
    "afterwards",
    "please",
    "now",
    "then",
    "thanks",
    "immediately",
    "right",
];

/// Words of politeness alone.
pub(super) const POLITE: [&str; 5] = ["please", "thanks", "thank", "you", "thx"];

/// Before `and stop` these make a pair of verbs of the task.
pub(super) const PAIRED: [&str; 8] = ["start", "play", "run", "pause", "go", "starts", "resume", "begin"];

/// Words by which an order begins or is wrapped: "ok, you may commit now".
pub(super) const ORDERS: [&str; 23] = [
    "ok", "okay", "yes", "now", "please", "you", "may", "can", "should", "go", "ahead", "and", "then",
    "just", "do", "run", "make", "a", "the", "also", "to", "finally", "again",
];

/// After a name that an order has, words that are nothing else than its object: "commit it now".
pub(super) const OBJECTS: [&str; 12] =
    ["now", "it", "this", "that", "everything", "all", "please", "them", "too", "again", "anyway", "then"];

/// Of those that undo each other, words that a prohibition may have beside it: "do not stage before I say so".
pub(super) const KEEPING: [&str; 9] =
    ["before", "wait", "leave", "keep", "stop", "stopping", "without", "remove", "drop"];
