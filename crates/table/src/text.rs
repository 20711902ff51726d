//! Texts that people write into commands: names and reasons. They are kept for ever and shown to others.

use crate::refusal::Refusal;

/// The longest reason, in characters.
pub(crate) const MAX_REASON_LENGTH: usize = 1_000;

/// Whether a text can be kept and shown: not empty, not too long, no control characters but the end of a line.
pub(crate) fn check_text(text: &str, most: usize) -> Result<(), Refusal> {
    let is_bad = |c: char| c.is_control() && c != '\n';
    if text.trim().is_empty() || text.chars().count() > most || text.contains(is_bad) {
        return Err(Refusal::BadText);
    }
    Ok(())
}
