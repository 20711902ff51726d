//! What a terminal receives, read as fast as it can be: answers by their numbers, and whether the dice are known. The load
//! generator must cost less than the casino, so that nothing is parsed that is not needed.

use memchr::memmem;

/// The answers in a message, in order: the number of the command, and whether it was accepted.
pub(super) fn answers(message: &str) -> impl Iterator<Item = (u64, bool)> {
    let from = memmem::find(message.as_bytes(), b"\"answers\":[").map_or("", |at| &message[at..]);
    // What follows the answers has no part in them.
    let answers = memmem::find(from.as_bytes(), b"\"seat\":{").map_or(from, |end| &from[..end]);
    answers.split("\"sequence\":").skip(1).filter_map(|answer| {
        let end = answer.find(|digit: char| !digit.is_ascii_digit())?;
        Some((answer[..end].parse().ok()?, memmem::find(answer.as_bytes(), b"\"accepted\"").is_some()))
    })
}

/// Whether a message shows dice.
pub(super) fn shows_dice(message: &str) -> bool {
    memmem::find(message.as_bytes(), b"\"dice\":[").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: &str) -> Vec<(u64, bool)> {
        answers(message).collect()
    }

    #[test]
    fn answers_are_found_in_what_terminals_receive() {
        let accepted = r#"{"sequence":7,"answer":{"accepted":null}}"#;
        let refused =
            r#"{"sequence":8,"answer":{"refused":{"code":"bets-closed","paragraphs":["3.3"],"sentence":"No."}}}"#;
        let seat = r#""seat":{"seat":3,"credits":10,"sequence":99}"#;
        assert_eq!(
            read(&format!(r#"{{"number":2,"answers":[{accepted},{refused}],{seat}}}"#)),
            [(7, true), (8, false)]
        );
        assert_eq!(read(&format!(r#"{{"number":2,"answers":[],{seat}}}"#)), []);
        assert_eq!(read(&format!(r#"{{"number":2,{seat}}}"#)), []);
        assert_eq!(read(r#"{"number":3,"public":{"phase":"closed"}}"#), []);
        assert_eq!(read(&format!(r#"{{"number":2,"answers":[{accepted}],"pad":"xx"}}"#)), [(7, true)]);
    }

    #[test]
    fn dice_are_seen() {
        assert!(shows_dice(r#"{"number":3,"public":{"phase":"settled","latest":{"round":1,"dice":[1,2,3]}}}"#));
        assert!(!shows_dice(r#"{"number":3,"public":{"phase":"closed"}}"#));
    }
}
