//! Bytes as hexadecimal digits.

use std::fmt::Write as _;

pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(text, "{byte:02x}").expect("a string takes everything");
    }
    text
}

pub(crate) fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let mut bytes = [0; N];
    if text.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_bytes_and_nothing_else_is() {
        assert_eq!(hex(&[0, 0x1f, 0xff]), "001fff");
        assert_eq!(bytes("001FfF"), Some([0, 0x1f, 0xff]));
        for bad in ["", "00", "001ff", "001ffff", "+01fff", "001ffg", "00é0f"] {
            assert_eq!(bytes::<3>(bad), None, "{bad}");
        }
    }
}
