//! English: "One thousand two hundred and five dollars and ten cents".

use taisai_rules::Money;

use super::{Currency, split};

const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 10] = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const THOUSANDS: [(u64, &str); 5] = [
    (1_000_000_000_000_000, "quadrillion"),
    (1_000_000_000_000, "trillion"),
    (1_000_000_000, "billion"),
    (1_000_000, "million"),
    (1_000, "thousand"),
];

/// Cents are always written, so that nothing can be added.
pub(super) fn words(amount: Money, currency: Currency) -> String {
    let (whole, cents) = split(amount);
    let [one, many] = currency.english;
    let whole = format!("{} {}", number(whole), if whole == 1 { one } else { many });
    let cents = match cents {
        0 => "no cents".to_owned(),
        1 => "one cent".to_owned(),
        cents => format!("{} cents", number(cents)),
    };
    let minus = if amount < Money::ZERO { "minus " } else { "" };
    let mut text = format!("{minus}{whole} and {cents}");
    // The words above are all ASCII letters.
    text[..1].make_ascii_uppercase();
    text
}

fn number(number: u64) -> String {
    let mut parts = Vec::new();
    let mut left = number;
    for (value, name) in THOUSANDS {
        if left >= value {
            parts.push(format!("{} {name}", below_thousand(left / value)));
            left %= value;
        }
    }
    // "One thousand and five": what is below a hundred is joined by "and".
    match (parts.is_empty(), left) {
        (false, 0) => {}
        (false, 1..100) => parts.push(format!("and {}", below_thousand(left))),
        (_, left) => parts.push(below_thousand(left)),
    }
    parts.join(" ")
}

fn below_thousand(number: u64) -> String {
    match (number / 100, number % 100) {
        (0, rest) => below_hundred(rest),
        (hundreds, 0) => format!("{} hundred", small(hundreds)),
        (hundreds, rest) => format!("{} hundred and {}", small(hundreds), below_hundred(rest)),
    }
}

fn below_hundred(number: u64) -> String {
    match (number / 10, number % 10) {
        (0 | 1, _) => small(number).to_owned(),
        (tens, 0) => of(&TENS, tens).to_owned(),
        (tens, ones) => format!("{}-{}", of(&TENS, tens), small(ones)),
    }
}

fn small(number: u64) -> &'static str {
    of(&SMALL, number)
}

fn of(names: &[&'static str], number: u64) -> &'static str {
    names[usize::try_from(number).expect("a small number fits")]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn in_words(cents: i64) -> String {
        words(Money::from_cents(cents), Currency::DOLLARS)
    }

    #[test]
    fn known_amounts() {
        for (cents, words) in [
            (0, "Zero dollars and no cents"),
            (1, "Zero dollars and one cent"),
            (99, "Zero dollars and ninety-nine cents"),
            (100, "One dollar and no cents"),
            (101, "One dollar and one cent"),
            (1_512, "Fifteen dollars and twelve cents"),
            (2_000, "Twenty dollars and no cents"),
            (10_000, "One hundred dollars and no cents"),
            (11_910, "One hundred and nineteen dollars and ten cents"),
            (100_500, "One thousand and five dollars and no cents"),
            (123_456, "One thousand two hundred and thirty-four dollars and fifty-six cents"),
            (100_000_000, "One million dollars and no cents"),
            (100_000_100, "One million and one dollars and no cents"),
            (
                999_999_999,
                "Nine million nine hundred and ninety-nine thousand nine hundred and ninety-nine dollars and ninety-nine cents",
            ),
            (-250, "Minus two dollars and fifty cents"),
            (
                i64::MAX,
                "Ninety-two quadrillion two hundred and thirty-three trillion seven hundred and twenty billion three hundred \
                 and sixty-eight million five hundred and forty-seven thousand seven hundred and fifty-eight dollars and \
                 seven cents",
            ),
        ] {
            assert_eq!(in_words(cents), words);
        }
    }

    #[test]
    fn the_money_has_the_name_that_is_given() {
        let pounds = Currency { english: ["pound", "pounds"], ..Currency::DOLLARS };
        assert_eq!(words(Money::from_cents(100), pounds), "One pound and no cents");
        assert_eq!(words(Money::from_cents(250), pounds), "Two pounds and fifty cents");
    }

    /// A listener, who knows the words and not how they were put together.
    fn parse_words(text: &str) -> i128 {
        let text = text.to_lowercase();
        let (minus, text) = text.strip_prefix("minus ").map_or((1, &*text), |text| (-1, text));
        let (whole, cents) = text.split_once(" dollar").unwrap();
        let cents = cents.trim_start_matches('s').strip_prefix(" and ").unwrap();
        let cents = cents.trim_end_matches('s').strip_suffix(" cent").unwrap();
        minus * (read_number(whole) * 100 + read_number(cents))
    }

    fn read_number(text: &str) -> i128 {
        let (mut total, mut group) = (0, 0);
        for word in text.split([' ', '-']) {
            match word {
                "and" | "no" => {}
                "hundred" => group *= 100,
                "thousand" | "million" | "billion" | "trillion" | "quadrillion" => {
                    let power = ["thousand", "million", "billion", "trillion", "quadrillion"];
                    let power = u32::try_from(power.iter().position(|name| *name == word).unwrap()).unwrap();
                    total += group * 1_000_i128.pow(power + 1);
                    group = 0;
                }
                word => {
                    let small = SMALL.iter().position(|name| *name == word);
                    let number = small.or_else(|| Some(10 * TENS.iter().position(|name| *name == word)?));
                    group += i128::try_from(number.unwrap_or_else(|| panic!("{word}"))).unwrap();
                }
            }
        }
        total + group
    }

    proptest! {
        #[test]
        fn words_read_back_as_the_amount(cents in any::<i64>(), shift in 0..63_u32) {
            let cents = cents >> shift;
            prop_assert_eq!(parse_words(&in_words(cents)), i128::from(cents), "{}", in_words(cents));
        }
    }
}
