//! What the 216 throws say about a pay table, and about what happened at a table: exact figures of every box and par sheets
//! ([`BoxFigures`], [`LayoutFigures`], [`par`]), the distribution of a slip in one round and over many ([`PlayerSlip`],
//! [`Distribution`]), risk of ruin ([`Ruin`]), simulated sessions ([`simulate`]), dice watch ([`DiceWatch`]), and the
//! operator's theoretical win ([`Theory`]).
//!
//! What can be exact is exact: whole numbers over 216 ways. Floats appear only where something is displayed, or where a
//! chance is computed with a stated bound on its error; never for money that is paid. The crate reads no file and no clock.

mod chance;
pub mod chart;
mod figures;
mod fourier;
mod layout_figures;
pub mod page;
mod pairs;
pub mod par;
mod real;
mod rounds;
mod ruin;
pub mod simulate;
mod slip;
mod tails;
mod theory;
pub mod watch;

pub use chance::{SplitMix64, ThrowCounts, Throws};
pub use figures::{BoxFigures, ForOne, ToOne, Win};
pub use layout_figures::{Band, Confidence, EXACT_ROUNDS, Family, LayoutFigures};
pub use pairs::{BetPair, Relation};
pub use real::{count, decimals, percent, real, root_decimals, rounded, thousands, whole};
pub use rounds::{Distribution, MAX_ROUNDS, TooWide, scientific, shown_chance};
pub use ruin::{NoRuin, Ruin};
pub use slip::{BadSlip, MAX_RESULT, PlayerSlip, Spread};
pub use tails::chi_square_tail;
pub use theory::{BadRound, EXACT_ROUNDS as EXACT_THEORY_ROUNDS, Theory, WinBand};
pub use watch::DiceWatch;
