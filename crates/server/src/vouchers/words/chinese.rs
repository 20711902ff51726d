//! Chinese financial numerals: 壹仟贰佰零伍元壹角整. A run of zeros inside a number is written once; 整 ends an amount of whole dimes.

use taisai_rules::Money;

use super::{Currency, split};

pub(super) struct ChineseScript {
    digits: [&'static str; 10],
    ten_thousand: &'static str,
    hundred_million: &'static str,
    minus: &'static str,
}

/// As in mainland China and Singapore.
pub(super) const SIMPLIFIED: ChineseScript = ChineseScript {
    digits: ["零", "壹", "贰", "叁", "肆", "伍", "陆", "柒", "捌", "玖"],
    ten_thousand: "万",
    hundred_million: "亿",
    minus: "负",
};

/// As in Hong Kong, Macao and Taiwan.
pub(super) const TRADITIONAL: ChineseScript = ChineseScript {
    digits: ["零", "壹", "貳", "參", "肆", "伍", "陸", "柒", "捌", "玖"],
    ten_thousand: "萬",
    hundred_million: "億",
    minus: "負",
};

/// The units within four digits, the highest first.
const WITHIN: [(u64, &str); 4] = [(1_000, "仟"), (100, "佰"), (10, "拾"), (1, "")];

pub(super) fn words(amount: Money, currency: Currency, script: &ChineseScript) -> String {
    let (whole, cents) = split(amount);
    let mut text = String::new();
    if amount < Money::ZERO {
        text.push_str(script.minus);
    }
    if whole > 0 || cents == 0 {
        number(whole, script, &mut text);
        text.push_str(currency.chinese);
    }
    let (tenths, hundredths) = (cents / 10, cents % 10);
    if tenths > 0 {
        digit(tenths, script, &mut text);
        text.push('角');
    } else if whole > 0 && hundredths > 0 {
        text.push_str(script.digits[0]);
    }
    if hundredths > 0 {
        digit(hundredths, script, &mut text);
        text.push('分');
    } else {
        text.push('整');
    }
    text
}

/// A number, split at its highest unit.
fn number(number: u64, script: &ChineseScript, text: &mut String) {
    if number == 0 {
        text.push_str(script.digits[0]);
    } else if number >= 100_000_000 {
        split_at(number, 100_000_000, script.hundred_million, script, text);
    } else if number >= 10_000 {
        split_at(number, 10_000, script.ten_thousand, script, text);
    } else {
        below_ten_thousand(number, script, text);
    }
}

fn split_at(whole: u64, unit: u64, name: &str, script: &ChineseScript, text: &mut String) {
    let (above, below) = (whole / unit, whole % unit);
    number(above, script, text);
    text.push_str(name);
    if below > 0 {
        if below < unit / 10 {
            text.push_str(script.digits[0]);
        }
        number(below, script, text);
    }
}

fn below_ten_thousand(number: u64, script: &ChineseScript, text: &mut String) {
    let (mut left, mut has_begun, mut is_gap) = (number, false, false);
    for (unit, name) in WITHIN {
        let here = left / unit;
        left %= unit;
        if here == 0 {
            is_gap = has_begun;
            continue;
        }
        if is_gap {
            text.push_str(script.digits[0]);
        }
        digit(here, script, text);
        text.push_str(name);
        (has_begun, is_gap) = (true, false);
    }
}

fn digit(digit: u64, script: &ChineseScript, text: &mut String) {
    text.push_str(script.digits[usize::try_from(digit).expect("a digit fits")]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn write(cents: i64, script: &ChineseScript) -> String {
        words(Money::from_cents(cents), Currency::DOLLARS, script)
    }

    #[test]
    fn known_amounts() {
        for (cents, simplified, traditional) in [
            (0, "零元整", "零元整"),
            (5, "伍分", "伍分"),
            (50, "伍角整", "伍角整"),
            (55, "伍角伍分", "伍角伍分"),
            (100, "壹元整", "壹元整"),
            (105, "壹元零伍分", "壹元零伍分"),
            (150, "壹元伍角整", "壹元伍角整"),
            (1_000, "壹拾元整", "壹拾元整"),
            (1_005, "壹拾元零伍分", "壹拾元零伍分"),
            (10_100, "壹佰零壹元整", "壹佰零壹元整"),
            (11_000, "壹佰壹拾元整", "壹佰壹拾元整"),
            (123_456, "壹仟贰佰叁拾肆元伍角陆分", "壹仟貳佰參拾肆元伍角陸分"),
            (120_510, "壹仟贰佰零伍元壹角整", "壹仟貳佰零伍元壹角整"),
            (100_100, "壹仟零壹元整", "壹仟零壹元整"),
            (1_000_000, "壹万元整", "壹萬元整"),
            (1_000_100, "壹万零壹元整", "壹萬零壹元整"),
            (1_010_000, "壹万零壹佰元整", "壹萬零壹佰元整"),
            (10_000_000, "壹拾万元整", "壹拾萬元整"),
            (10_750_053, "壹拾万柒仟伍佰元伍角叁分", "壹拾萬柒仟伍佰元伍角參分"),
            (10_000_000_000, "壹亿元整", "壹億元整"),
            (10_000_000_100, "壹亿零壹元整", "壹億零壹元整"),
            (10_001_000_000, "壹亿零壹万元整", "壹億零壹萬元整"),
            (-987, "负玖元捌角柒分", "負玖元捌角柒分"),
            (
                i64::MAX,
                "玖亿贰仟贰佰叁拾叁万柒仟贰佰零叁亿陆仟捌佰伍拾肆万柒仟柒佰伍拾捌元零柒分",
                "玖億貳仟貳佰參拾參萬柒仟貳佰零參億陸仟捌佰伍拾肆萬柒仟柒佰伍拾捌元零柒分",
            ),
        ] {
            assert_eq!(write(cents, &SIMPLIFIED), simplified);
            assert_eq!(write(cents, &TRADITIONAL), traditional);
        }
    }

    #[test]
    fn the_money_has_the_name_that_is_given() {
        let named = Currency { chinese: "坡元", ..Currency::DOLLARS };
        assert_eq!(words(Money::from_cents(2_000), named, &SIMPLIFIED), "贰拾坡元整");
    }

    /// A reader, who knows the signs and not how they were put together.
    fn read(text: &str, script: &ChineseScript) -> i128 {
        let (minus, text) = text.strip_prefix(script.minus).map_or((1, text), |text| (-1, text));
        let text = text.trim_end_matches('整');
        let (whole, rest) = text.split_once('元').map_or((0, text), |(whole, rest)| (read_number(whole, script), rest));
        let (tenths, rest) =
            rest.split_once('角').map_or((0, rest), |(tenths, rest)| (read_number(tenths, script), rest));
        let hundredths = rest.strip_suffix('分').map_or(0, |hundredths| read_number(hundredths, script));
        minus * (whole * 100 + tenths * 10 + hundredths)
    }

    fn read_number(text: &str, script: &ChineseScript) -> i128 {
        for (name, unit) in [(script.hundred_million, 100_000_000), (script.ten_thousand, 10_000)] {
            if let Some((above, below)) = text.rsplit_once(name) {
                return read_number(above, script) * unit + read_number(below, script);
            }
        }
        let (mut total, mut last) = (0, 0);
        for sign in text.chars() {
            match sign {
                '仟' => total += std::mem::take(&mut last) * 1_000,
                '佰' => total += std::mem::take(&mut last) * 100,
                '拾' => total += std::mem::take(&mut last) * 10,
                sign => {
                    let digit = script.digits.iter().position(|digit| digit.starts_with(sign));
                    last = i128::try_from(digit.unwrap_or_else(|| panic!("{sign}"))).unwrap();
                }
            }
        }
        total + last
    }

    proptest! {
        #[test]
        fn numerals_read_back_as_the_amount(cents in any::<i64>(), shift in 0..63_u32) {
            let cents = cents >> shift;
            for script in [&SIMPLIFIED, &TRADITIONAL] {
                let text = write(cents, script);
                prop_assert_eq!(read(&text, script), i128::from(cents), "{}", text);
                prop_assert!(!text.contains("零零"), "{}", text);
            }
        }

        /// Amounts with many zeros, which are where numerals go wrong.
        #[test]
        fn zeros_are_read(digits in prop::collection::vec(prop_oneof![4 => Just(0_i64), 1 => 1..10_i64], 1..18)) {
            let cents = digits.iter().fold(0, |cents, digit| cents * 10 + digit);
            let text = write(cents, &SIMPLIFIED);
            prop_assert_eq!(read(&text, &SIMPLIFIED), i128::from(cents), "{}", text);
            prop_assert!(!text.contains("零零"), "{}", text);
        }
    }
}
