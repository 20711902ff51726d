//! The language of `taisai play`: scripts of rounds that a dealer can read and write.
//!
//! [`Script::parse`] reads a script, or gives every fault with its line and column. A [`Playthrough`] plays it line by line
//! on an installation in memory, the same engine as that of the server, and says in plain sentences what happened. A
//! [`ScriptRecorder`] writes what was played to a store that `taisai audit` can check. The crate prints nothing.
//!
//! ```
//! use taisai_rules::Games;
//! use taisai_script::{LineOutcome, Playthrough, Profiles, Script};
//!
//! let text = "table tai-sai layout C seats 7
//! dealer 3
//! limits unit 1, rest 1..1000, differential 2000
//! open
//! place your bets
//! seat 3 bets 50 on big
//! no more bets
//! dice 6 6 5
//! expect result of seat 3 50";
//! let script = Script::parse(text, Games::embedded(), &Profiles::default()).expect("no faults");
//! let mut playthrough = Playthrough::new(&script)?;
//! for line in script.lines() {
//!     if let LineOutcome::Expected(difference) = playthrough.play(line)? {
//!         assert_eq!(difference, None);
//!     }
//! }
//! # Ok::<(), taisai_script::PlayError>(())
//! ```

mod balances;
pub mod describe;
mod error;
mod expect;
mod installation;
mod language;
mod line_reader;
mod narrate;
mod parse;
mod playthrough;
mod profile;
mod recording;
mod script;
mod suggest;

pub use balances::{AccountBalance, Balances, SeatBalance};
pub use error::PlayError;
pub use installation::{BEGIN, CommandResult};
pub use language::help;
pub use line_reader::parse_amount;
pub use narrate::{Narration, clock};
pub use playthrough::{LineOutcome, Playthrough};
pub use profile::{ProfileError, Profiles, read_profile};
pub use recording::{RecordingError, ScriptRecord, ScriptRecorder};
pub use script::{Script, ScriptFault, ScriptLine};
