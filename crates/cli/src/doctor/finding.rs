//! What was looked at, how it is, and what to do about it.

use serde::Serialize;

/// How something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum State {
    Well,
    /// It works, and somebody should know.
    Note,
    /// The house loses something, stops, or does not start.
    Wrong,
}

impl State {
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Well => "ok",
            Self::Note => "note",
            Self::Wrong => "WRONG",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) check: &'static str,
    pub(super) state: State,
    pub(super) found: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mend: Option<String>,
}

impl Finding {
    pub(super) fn well(check: &'static str, found: impl Into<String>) -> Self {
        Self { check, state: State::Well, found: found.into(), mend: None }
    }

    pub(super) fn note(check: &'static str, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { check, state: State::Note, found: found.into(), mend: Some(mend.into()) }
    }

    pub(super) fn wrong(check: &'static str, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { check, state: State::Wrong, found: found.into(), mend: Some(mend.into()) }
    }
}
