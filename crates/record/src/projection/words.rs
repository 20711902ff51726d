//! Names of the program's own words, as its JSON spells them.

use std::fmt::{self, Debug, Write};
use std::sync::Arc;

/// The first word of what `Debug` writes; it stops there.
struct FirstWord(String);

impl Write for FirstWord {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for letter in text.chars() {
            if !letter.is_ascii_alphanumeric() {
                return Err(fmt::Error);
            }
            if letter.is_ascii_uppercase() && !self.0.is_empty() {
                self.0.push('-');
            }
            self.0.push(letter.to_ascii_lowercase());
        }
        Ok(())
    }
}

/// The name of a variant, in kebab case: `SellVoucher { … }` is `sell-voucher`.
pub(super) fn word(variant: &impl Debug) -> Arc<str> {
    let mut first = FirstWord(String::new());
    // It fails where the name ends.
    write!(first, "{variant:?}").unwrap_or_default();
    first.0.into()
}

#[cfg(test)]
mod tests {
    use taisai_table::{ClaimReason, HouseCommand, RoundNumber, VoidReason};

    use super::*;

    #[test]
    fn variants_have_the_names_of_their_json() {
        assert_eq!(&*word(&HouseCommand::Tick), "tick");
        assert_eq!(&*word(&VoidReason::FewTumbles), "few-tumbles");
        assert_eq!(&*word(&ClaimReason::Correction(RoundNumber(7))), "correction");
        assert_eq!(&*word(&HouseCommand::Delivered { cluster: super::tests::cluster(), number: 1 }), "delivered");
    }

    fn cluster() -> taisai_table::ClusterId {
        taisai_table::ClusterId { table: taisai_table::TableId(1), number: 0 }
    }
}
