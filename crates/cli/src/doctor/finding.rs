//! The result of one check, and what to do about it.

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum CheckState {
    #[serde(rename = "well")]
    Ok,
    /// It works, but someone should know.
    Note,
    /// The casino may lose data, stop, or not start.
    Wrong,
}

impl CheckState {
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Wrong => "WRONG",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct DoctorFinding {
    pub(super) check: &'static str,
    pub(super) state: CheckState,
    pub(super) found: String,
    /// What to do about it.
    #[serde(rename = "mend", skip_serializing_if = "Option::is_none")]
    pub(super) fix: Option<String>,
}

impl DoctorFinding {
    pub(super) fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self { check, state: CheckState::Ok, found: found.into(), fix: None }
    }

    pub(super) fn note(check: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { check, state: CheckState::Note, found: found.into(), fix: Some(fix.into()) }
    }

    pub(super) fn wrong(check: &'static str, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { check, state: CheckState::Wrong, found: found.into(), fix: Some(fix.into()) }
    }
}
