//! Vouchers outside the machines: numbers, barcodes, pages. The machines never see a full number (F42): it is drawn at random here,
//! and shown once, in the reply to the command that issues the voucher.

mod act;
mod barcode;
mod number;
mod on_file;
#[cfg(test)]
mod openapi;
mod page;
mod printer;
mod ticket;
mod words;

pub(crate) use act::{HouseAct, HouseRequest, TerminalAct, TerminalRequest, VoucherUse};
pub(crate) use number::{Validation, VoucherKey};
pub(crate) use on_file::EarlierVoucher;
pub(crate) use page::STYLE;
pub(crate) use printer::{Printer, issued, issued_before, presented, reissued};

#[cfg(test)]
mod tests;
