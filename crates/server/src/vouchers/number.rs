//! Validation numbers: 18 random digits, drawn each time that a voucher is issued. A number is shown once; a repeated command draws
//! another, which is never used (F42).
//!
//! A number cannot be guessed: the system's generator draws it, and all 10^18 numbers are equally likely. With a million valid
//! vouchers one attempt in 10^12 succeeds, and five wrong ones lock (F45). The serial number says nothing about it, and nothing in
//! the record can reproduce it: the store has a keyed hash.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use taisai_table::{VoucherHash, VoucherNumber};

use crate::auth::secrets::{SecretsError, random};

pub(super) const DIGITS: usize = 18;

const NUMBERS: u64 = 1_000_000_000_000_000_000;

const HASH_CONTEXT: &str = "taisai 2025 voucher: hash of a validation number";

/// The key for hashes of voucher numbers.
#[derive(Clone)]
pub(crate) struct VoucherKey(pub(crate) [u8; 32]);

/// The validation number of a voucher.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(value_type = String, pattern = "^([ -]*[0-9]){18}[ -]*$"))]
pub(crate) struct Validation(u64);

/// The error does not repeat the text: it may be a number with a typing error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a validation number has 18 digits, with spaces or dashes between them or none")]
pub(crate) struct NoValidation;

impl fmt::Debug for VoucherKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VoucherKey")
    }
}

impl Validation {
    pub(crate) fn draw() -> Result<Self, SecretsError> {
        // 64 bits hold the numbers 18 times: draw again above that, so that each is equally likely.
        loop {
            let number = u64::from_le_bytes(random()?);
            if number < NUMBERS * (u64::MAX / NUMBERS) {
                return Ok(Self(number % NUMBERS));
            }
        }
    }

    /// Reads a number as people type it and scanners send it.
    pub(crate) fn parse(text: &str) -> Result<Self, NoValidation> {
        let (mut number, mut digits) = (0_u64, 0);
        for character in text.chars().filter(|character| !matches!(character, ' ' | '-')) {
            let digit = character.to_digit(10).ok_or(NoValidation)?;
            digits += 1;
            if digits > DIGITS {
                return Err(NoValidation);
            }
            number = number * 10 + u64::from(digit);
        }
        if digits == DIGITS { Ok(Self(number)) } else { Err(NoValidation) }
    }

    /// What the machines know of the number.
    pub(crate) fn voucher_number(self, key: &VoucherKey) -> VoucherNumber {
        let hash = blake3::keyed_hash(&blake3::derive_key(HASH_CONTEXT, &key.0), &self.0.to_le_bytes());
        let digits = u16::try_from(self.0 % 10_000).expect("four digits fit");
        VoucherNumber { hash: VoucherHash(hash.into()), digits }
    }

    /// The digits, for printing.
    pub(super) fn digits(self) -> [u8; DIGITS] {
        let mut digits = [0; DIGITS];
        let mut left = self.0;
        for digit in digits.iter_mut().rev() {
            *digit = u8::try_from(left % 10).expect("a digit fits");
            left /= 10;
        }
        digits
    }

    /// The digits in readable groups, for printing.
    pub(super) fn grouped(self) -> String {
        let mut text = String::with_capacity(DIGITS + 4);
        for (place, digit) in self.digits().into_iter().enumerate() {
            if place % 4 == 2 {
                text.push(' ');
            }
            text.push(char::from(b'0' + digit));
        }
        text
    }
}

impl fmt::Debug for Validation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Validation")
    }
}

impl<'de> Deserialize<'de> for Validation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits;

        /// Accepts only text, and never repeats it in the error: it may be a number.
        impl Visitor<'_> for Digits {
            type Value = Validation;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("18 digits as a text")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Validation, E> {
                Validation::parse(text).map_err(E::custom)
            }

            fn visit_u64<E: de::Error>(self, _: u64) -> Result<Validation, E> {
                Err(E::custom("a validation number is a text of 18 digits"))
            }

            fn visit_i64<E: de::Error>(self, _: i64) -> Result<Validation, E> {
                self.visit_u64(0)
            }

            fn visit_f64<E: de::Error>(self, _: f64) -> Result<Validation, E> {
                self.visit_u64(0)
            }
        }

        deserializer.deserialize_any(Digits)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const KEY: VoucherKey = VoucherKey([7; 32]);

    fn text(validation: Validation) -> String {
        validation.grouped()
    }

    #[test]
    fn no_number_is_drawn_twice() {
        let mut seen = BTreeSet::new();
        for _ in 0..10_000 {
            assert!(seen.insert(Validation::draw().unwrap().0));
        }
    }

    /// Every digit comes up about as often in every place: 2,000 times in 20,000 numbers, within 10 σ (σ is just under 43). Chance alone
    /// breaks that in fewer than one run of 10^20.
    #[test]
    fn numbers_are_spread_over_all_digits() {
        let mut counts = [[0_i32; 10]; DIGITS];
        for _ in 0..20_000 {
            for (place, digit) in Validation::draw().unwrap().digits().into_iter().enumerate() {
                counts[place][usize::from(digit)] += 1;
            }
        }
        for (place, count) in counts.iter().enumerate() {
            for (digit, count) in count.iter().enumerate() {
                assert!((count - 2_000).abs() < 10 * 43, "place {place}, digit {digit}: {count}");
            }
        }
    }

    #[test]
    fn what_is_printed_reads_back() {
        let number = Validation::draw().unwrap();
        let printed = text(number);
        assert_eq!(printed.split(' ').map(str::len).collect::<Vec<_>>(), [2, 4, 4, 4, 4]);
        for spelled in [printed.clone(), printed.replace(' ', ""), printed.replace(' ', "-"), format!(" {printed} ")] {
            assert_eq!(Validation::parse(&spelled), Ok(number));
        }
        assert_eq!(Validation::parse("000000000000000042").map(text), Ok("00 0000 0000 0000 0042".to_owned()));
        assert_eq!(Validation::parse("999999999999999999").map(text), Ok("99 9999 9999 9999 9999".to_owned()));
    }

    #[test]
    fn an_invalid_number_is_not_repeated_in_the_error() {
        for bad in [
            "",
            "12345678901234567",
            "1234567890123456789",
            "12345678901234567x",
            "1234567890_12345678",
            "١٢٣٤٥٦٧٨٩٠١٢٣٤٥٦٧٨",
            "+12345678901234567",
            "12345678901234567\u{0}",
        ] {
            assert_eq!(Validation::parse(bad), Err(NoValidation), "{bad}");
        }
        for json in ["123456789012345678", "-123456789012345678", "1.23456789012345678", "\"12345678901234567x\""] {
            let error = serde_json::from_str::<Validation>(json).unwrap_err().to_string();
            assert!(!error.contains("1234"), "{error}");
        }
        assert!(serde_json::from_str::<Validation>("null").is_err());
    }

    #[test]
    fn the_machines_see_a_hash_and_four_digits() {
        let number = Validation::parse("123456789012340678").unwrap();
        let known = number.voucher_number(&KEY);
        assert_eq!(known.digits, 678);
        assert_eq!(known, number.voucher_number(&KEY));
        assert_ne!(known.hash, Validation::parse("123456789012340679").unwrap().voucher_number(&KEY).hash);
        assert_ne!(known.hash, number.voucher_number(&VoucherKey([8; 32])).hash);
    }

    #[test]
    fn neither_number_nor_secret_is_in_a_log() {
        let number = Validation::parse("123456789012340678").unwrap();
        assert_eq!(format!("{number:?} {KEY:?}"), "Validation VoucherKey");
    }
}
