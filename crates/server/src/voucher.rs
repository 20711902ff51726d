//! Vouchers at the edge: their numbers, how they look, and how they are printed. The machines never see a full number (F42);
//! here it is drawn from a secret key and the place of the command that issues it, and shown once, in the answer to it.

mod act;
mod barcode;
#[cfg(test)]
mod described;
mod number;
mod on_file;
mod page;
mod printer;
mod ticket;
mod words;

pub(crate) use act::{About, HouseAct, TerminalAct, TerminalAsk, ToHouse};
pub(crate) use number::{Validation, VoucherKey};
pub(crate) use on_file::Became;
pub(crate) use page::STYLE;
pub(crate) use printer::{Printer, issued, presented};

#[cfg(test)]
mod tests;
