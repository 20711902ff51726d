//! What a word was likely meant to be.

/// The candidate nearest to a word, if one is near: a letter in three may be wrong, missing, too many or in another's place.
pub(super) fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let word: Vec<char> = word.to_ascii_lowercase().chars().take(MOST_LETTERS).collect();
    let near = candidates.into_iter().filter_map(|candidate| {
        let letters: Vec<char> = candidate.chars().collect();
        let faults = distance(&word, &letters);
        (faults <= (letters.len() / 3).max(1) && faults < letters.len()).then_some((faults, candidate))
    });
    near.min_by_key(|(faults, _)| *faults).map(|(_, candidate)| candidate)
}

/// Longer words are compared by their beginning: no word of the language is as long.
const MOST_LETTERS: usize = 40;

/// How many letters have to be changed, added, left out or swapped with their neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let changed = last[j] + usize::from(x != y);
            let mut least = changed.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == *y && *x == b[j - 1] {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_miss_is_named_and_a_far_one_is_not() {
        let words = ["big", "small", "withdraws", "cashes"];
        for (word, expected) in [
            ("bgi", Some("big")),
            ("BIGG", Some("big")),
            ("smal", Some("small")),
            ("withdrawels", Some("withdraws")),
            ("cahses", Some("cashes")),
            ("bets", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(word, words), expected, "{word}");
        }
    }

    #[test]
    fn letters_that_differ_are_counted() {
        for (a, b, expected) in [("", "", 0), ("", "abc", 3), ("abc", "abd", 1), ("abc", "acb", 1), ("abcd", "bcd", 1)]
        {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            assert_eq!(distance(&letters(a), &letters(b)), expected, "{a} {b}");
        }
    }
}
