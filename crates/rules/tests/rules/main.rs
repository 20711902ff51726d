//! The rules from outside: every throw on every box of every pay table, each paragraph that decides money, limits and
//! their refusals, game files and their faults. One program, so that a change is linked once.

mod every_throw;
mod felts;
mod game_files;
mod games;
mod limits;
mod paragraphs;
mod partial;
mod pro_rata;
mod slips;
mod texts;
mod type_names;
#[cfg(feature = "serde")]
mod written;
