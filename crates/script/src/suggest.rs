//! Suggests the word that a misspelled word probably stands for.

/// No word of the language is longer; the rest of a longer word is ignored.
const MAX_WORD_CHARS: usize = 40;

/// The candidate closest to `word`, if at most one letter in three is wrong, missing, extra or swapped.
pub(crate) fn suggest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let word: String = word.to_ascii_lowercase().chars().take(MAX_WORD_CHARS).collect();
    let close = candidates.into_iter().filter_map(|candidate| {
        let (distance, letters) = (strsim::osa_distance(&word, candidate), candidate.chars().count());
        (distance <= (letters / 3).max(1) && distance < letters).then_some((distance, candidate))
    });
    close.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_close_words_only() {
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
            assert_eq!(suggest(word, words), expected, "{word}");
        }
    }
}
