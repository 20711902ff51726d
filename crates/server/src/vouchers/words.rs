//! An amount in words, as a voucher shows it beside its figures (F40): in English, and in Chinese financial numerals, which a pen
//! cannot change into others.

mod chinese;
mod english;

use serde::Serialize;
use taisai_rules::Money;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Currency {
    /// The sign before the figures.
    pub(crate) sign: &'static str,
    /// Singular and plural of the whole unit.
    pub(crate) english: [&'static str; 2],
    /// The whole unit.
    pub(crate) chinese: &'static str,
}

impl Currency {
    pub(crate) const DOLLARS: Self = Self { sign: "$", english: ["dollar", "dollars"], chinese: "元" };
}

/// An amount in words.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct Words {
    /// English.
    pub(crate) english: String,
    /// Chinese, simplified.
    pub(crate) simplified: String,
    /// Chinese, traditional.
    pub(crate) traditional: String,
}

impl Words {
    pub(crate) fn of(amount: Money, currency: Currency) -> Self {
        Self {
            english: english::words(amount, currency),
            simplified: chinese::words(amount, currency, &chinese::SIMPLIFIED),
            traditional: chinese::words(amount, currency, &chinese::TRADITIONAL),
        }
    }
}

/// Whole units and cents, without their sign.
fn split(amount: Money) -> (u64, u64) {
    let cents = amount.cents().unsigned_abs();
    (cents / 100, cents % 100)
}
