//! Tai Sai and Sic Bo, the three-dice casino games, as the regulator approved them: dice, boxes and their text form,
//! layouts with their pay tables and felts, exact odds, money, limits, pro rata, and the settlement of a round with the
//! paragraph behind every line; and the approved text of every paragraph.
//!
//! Rules are data: [`Games::embedded`] has the four approved games, [`Game::from_toml`] reads another and names every
//! fault in it. There is no clock, no chance, no I/O and no float in this crate, and it does not know who bets.
//!
//! ```
//! use taisai_rules::{Bet, BetBox, Dice, Games, Limits, Money};
//!
//! let layout = Games::embedded().find("tai-sai@6", None)?.layout("A")?;
//! let bets = [
//!     Bet { player: "ann", bet_box: BetBox::SMALL, amount: Money::from_cents(5_000) },
//!     Bet { player: "bo", bet_box: "triple:2".parse()?, amount: Money::from_cents(100) },
//! ];
//! let settled = layout.settle(&Limits::none(), Dice::try_from([2, 2, 2])?, bets)?;
//!
//! // 3.10: Small loses on a triple, though its sum is 6. The Specific Straight Triple pays 180 to 1.
//! assert_eq!(settled.lines[0].paid(), Money::ZERO);
//! assert_eq!(settled.lines[1].paid(), Money::from_cents(18_100));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod approved;
mod bet_box;
mod dice;
mod felt;
mod game;
mod game_file;
mod layout;
mod layout_file;
mod limits;
mod moment;
mod money;
mod odds;
#[cfg(feature = "openapi")]
mod openapi;
mod paragraph;
mod print_file;
mod pro_rata;
mod rule;
mod rules_text;
mod rules_text_file;
#[cfg(feature = "serde")]
mod serde;
mod slip;
mod text;

pub use bet_box::{BetBox, BoxKind, UnknownBox, UnknownBoxKind};
pub use dice::{BadDice, Dice, Face};
pub use felt::{Area, BlankKinds, Caption, DoubtfulReading, Felt, PrintRole, PrintedLine, Rect};
pub use game::{Cover, Game, GameTwice, Games, Station, TripleRule, UnknownGame, UnknownLayout};
pub use layout::{BoxStanding, BrokenUnit, Chances, Layout, Outcome, PayTableRow, Payouts};
pub use limits::{BoxKey, BoxLimit, LimitError, LimitScope, Limits};
pub use moment::Moment;
pub use money::{BadUnit, Money, Unit};
pub use odds::{BadOdds, Fraction, Odds, PayoutError};
pub use paragraph::{BadParagraph, Citation, Paragraph};
pub use pro_rata::pro_rata;
pub use rule::Rule;
pub use rules_text::{Passage, RulesParagraph, RulesText, UnknownParagraph};
pub use slip::{Bet, BetError, HouseResult, SettledLine, Settlement, SlipError};
pub use taisai_datafile::{FileFault, FileFaultKind};
pub use text::{Language, Text};
