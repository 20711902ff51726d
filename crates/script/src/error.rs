//! What can stop a script, beside its faults.

use taisai_record::BadSheet;
use taisai_table::{BadBytes, BadTableSpec, BrokenInvariant, Refusal};

/// Why a script without faults cannot be played to its end. Only [`PlayError::TooLarge`] is the script's doing; the others
/// are mistakes of the program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    #[error("the script's table cannot be set up")]
    Plan(#[from] BadTableSpec),
    #[error("the script's table cannot be set up: {}", .0.sentence())]
    SetUpRefused(Refusal),
    #[error("the script's table was set up twice")]
    SetUpTwice,
    #[error("line {number}: {text}")]
    Line { number: usize, text: String, source: Box<PlayError> },
    #[error("after this line the books do not balance")]
    Unbalanced(#[from] BrokenInvariant),
    #[error("money was lost between the table and the House")]
    MoneyLost,
    #[error("no command has been sent yet")]
    NothingSent,
    #[error("a message between the machines was refused: {}", .0.sentence())]
    MessageRefused(Refusal),
    #[error("a settled round has no slip")]
    SlipMissing,
    #[error(transparent)]
    Sheet(#[from] BadSheet),
    #[error("a sum is beyond 64 bits")]
    TooLarge,
    #[error("an entry cannot be decoded from its own bytes")]
    Undecodable(#[from] BadBytes),
    #[error("{0} is not what it was before the restart")]
    RestartDiffers(&'static str),
}
