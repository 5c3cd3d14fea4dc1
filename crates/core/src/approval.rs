//! What an agent may do only after a person has said so.
//!
//! An agent that types `--user-approved "they agreed"` proves nothing. So the first try is refused and the
//! refusal is remembered; the flag counts when a person has typed or answered something *after* it, and those
//! words are kept with the waiver.

use crate::session::{SessionState, UserInput};

/// Whether the refusal named `what` has been lifted by a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Not refused yet in this session: refuse now.
    NotAsked,
    /// Refused, and no one has spoken since.
    Waiting,
    /// A person spoke after the refusal.
    Lifted(UserInput),
}

pub fn standing(state: &SessionState, what: &str) -> Standing {
    let Some(&refused) = state.refused.get(what) else { return Standing::NotAsked };
    match &state.user_input {
        Some(input) if input.at > refused => Standing::Lifted(input.clone()),
        _ => Standing::Waiting,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine_text::stamp::Stamp;

    #[test]
    fn only_words_after_the_refusal_count() {
        let mut state = SessionState::default();
        let said = |at| Some(UserInput { at: Stamp(at), text: "yes".into() });
        assert_eq!(standing(&state, "uninstall"), Standing::NotAsked);
        state.user_input = said(10);
        state.refused.insert("uninstall".into(), Stamp(20));
        assert_eq!(standing(&state, "uninstall"), Standing::Waiting);
        assert_eq!(standing(&state, "config set"), Standing::NotAsked);
        state.user_input = said(20);
        assert_eq!(standing(&state, "uninstall"), Standing::Waiting, "at the same moment is not after");
        state.user_input = said(21);
        assert_eq!(
            standing(&state, "uninstall"),
            Standing::Lifted(UserInput { at: Stamp(21), text: "yes".into() })
        );
    }
}
