//! Bytes from hexadecimal digits.

use data_encoding::HEXLOWER_PERMISSIVE;

/// Reads digits of either case; none if they are not exactly `N` bytes.
pub(crate) fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_bytes_and_nothing_else_is() {
        assert_eq!(bytes("001FfF"), Some([0, 0x1f, 0xff]));
        for bad in ["", "00", "001ff", "001ffff", "+01fff", "001ffg", "00é0f"] {
            assert_eq!(bytes::<3>(bad), None, "{bad}");
        }
    }
}
