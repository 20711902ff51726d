//! One-time passwords and codes: 128 random bits that people can read and type. They cannot be guessed, so a fast hash of them is
//! enough.

use std::fmt;

use super::{SecretsError, random};

/// Crockford's base 32: no digit is mistaken for another.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

const BITS_PER_DIGIT: u32 = 5;

/// 128 bits in digits of five bits; the first digit holds three.
const LENGTH: usize = 26;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct OneTimeCode(u128);

impl OneTimeCode {
    pub(crate) fn random() -> Result<Self, SecretsError> {
        random().map(|bytes| Self(u128::from_be_bytes(bytes)))
    }

    /// Reads what was typed, in either case, with or without dashes, O for 0, I and L for 1.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut bits: u128 = 0;
        let mut length = 0;
        for character in text.chars().filter(|c| *c != '-' && *c != ' ') {
            let digit = match character.to_ascii_uppercase() {
                'O' => '0',
                'I' | 'L' => '1',
                other => other,
            };
            let value = DIGITS.iter().position(|known| char::from(*known) == digit)?;
            let fits = bits.leading_zeros() >= BITS_PER_DIGIT;
            length += 1;
            if !fits || length > LENGTH {
                return None;
            }
            bits = (bits << BITS_PER_DIGIT) | u128::try_from(value).ok()?;
        }
        (length == LENGTH).then_some(Self(bits))
    }

    /// The hash that is stored.
    pub(crate) fn hash(self) -> [u8; 32] {
        blake3::hash(&self.0.to_be_bytes()).into()
    }
}

/// In groups of four, the most significant digit first.
impl fmt::Display for OneTimeCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        let mut left = self.0;
        let mut digits = [0; LENGTH];
        for digit in digits.iter_mut().rev() {
            *digit = usize::try_from(left & 31).unwrap_or_default();
            left >>= BITS_PER_DIGIT;
        }
        for (place, digit) in digits.into_iter().enumerate() {
            if place > 0 && place % 4 == 0 {
                f.write_char('-')?;
            }
            f.write_char(char::from(DIGITS[digit]))?;
        }
        Ok(())
    }
}

impl fmt::Debug for OneTimeCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Readable(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_however_it_is_typed() {
        for bits in [0, 1, u128::MAX, 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef] {
            let shown = OneTimeCode(bits).to_string();
            let groups: Vec<_> = shown.split('-').map(str::len).collect();
            assert_eq!(groups, [4, 4, 4, 4, 4, 4, 2], "{shown}");
            for typed in [shown.clone(), shown.to_lowercase(), shown.replace('-', " "), shown.replace('0', "o")] {
                assert_eq!(OneTimeCode::read(&typed), Some(OneTimeCode(bits)), "{typed}");
            }
        }
        assert_ne!(OneTimeCode::random().unwrap(), OneTimeCode::random().unwrap());
    }

    #[test]
    fn other_texts_are_no_codes() {
        let largest = OneTimeCode(u128::MAX).to_string();
        let above = largest.replacen('7', "8", 1);
        for typed in ["", "-", "0000", &largest[1..], &format!("{largest}0"), &above, &largest.replace('Z', "U"), "é"]
        {
            assert_eq!(OneTimeCode::read(typed), None, "{typed}");
        }
    }
}
