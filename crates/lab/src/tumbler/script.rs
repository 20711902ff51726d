//! What a simulated tumbler says in a round: what it should, or the fault that its arguments name.

use std::collections::VecDeque;

use serde_json::{Value, json};

/// A way to misbehave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Misbehaviour {
    /// It is activated while bets are open
    Early,
    /// It tumbles twice only
    FewTumbles,
    /// A die does not lie flat
    NotFlat,
    /// It reads other faces after the first
    OtherFaces,
    /// It says everything twice, under the same number
    Repeats,
    /// It says nothing more once it is activated, and answers no ping
    Silent,
    /// It says the same five hundred times without a pause
    Floods,
    /// It says what cannot be read
    Garbage,
    /// It says that it is out of order
    Fault,
}

/// What cannot be read, or means nothing.
const GARBAGE: [&str; 6] = [
    "",
    "\u{0}\u{1}\u{7f}",
    "{\"sequence\":",
    "{\"sequence\":-1,\"activated\":{}}",
    "{\"sequence\":18446744073709551615,\"commit\":{\"dice\":[6,6,6]}}",
    "{\"sequence\":1,\"at-rest\":{\"faces\":[0,7,9]}}",
];

/// How often a tumbler that floods repeats a message.
const FLOOD: u64 = 500;

/// What it says, with its numbers.
pub(super) struct TumblerScript {
    sequence: u64,
    bad: Vec<Misbehaviour>,
    is_active: bool,
}

impl TumblerScript {
    pub(super) fn new(first: u64, bad: &[Misbehaviour]) -> Self {
        Self { sequence: first, bad: bad.to_vec(), is_active: false }
    }

    fn is(&self, bad: Misbehaviour) -> bool {
        self.bad.contains(&bad)
    }

    /// Whether it has fallen silent.
    pub(super) fn is_silent(&self) -> bool {
        self.is_active && self.is(Misbehaviour::Silent)
    }

    /// What it says when bets are opened.
    pub(super) fn bets_open(&mut self) -> Vec<String> {
        if self.is(Misbehaviour::Early) { self.numbered([json!({"activated": {}})]) } else { Vec::new() }
    }

    /// What it says when bets are closed.
    pub(super) fn bets_closed(&mut self, faces: [u8; 3]) -> Vec<String> {
        let mut words = vec![json!({"activated": {}})];
        self.is_active = true;
        if self.is(Misbehaviour::Silent) {
            return self.numbered(words);
        }
        let tumbles = if self.is(Misbehaviour::FewTumbles) { 2 } else { 3 };
        words.extend((0..tumbles).map(|_| json!({"tumbled": {"times": 1}})));
        if self.is(Misbehaviour::Fault) {
            words.push(json!({"fault": {"what": "the lid is open"}}));
        }
        let at_rest = |faces: [Value; 3]| json!({"at-rest": {"faces": faces}});
        let mut rest = faces.map(Value::from);
        if self.is(Misbehaviour::NotFlat) {
            rest[1] = Value::Null;
        }
        words.push(at_rest(rest));
        if self.is(Misbehaviour::OtherFaces) {
            words.push(at_rest(faces.map(|face| Value::from(7 - face))));
        }
        if self.is(Misbehaviour::Floods) {
            words.extend((0..FLOOD).map(|_| at_rest(faces.map(Value::from))));
        }
        let mut messages = self.numbered(words);
        if self.is(Misbehaviour::Garbage) {
            messages.extend(GARBAGE.map(str::to_owned));
        }
        messages
    }

    /// Takes the next message, or all of a flood.
    pub(super) fn at_once(&self, waiting: &mut VecDeque<String>) -> Vec<String> {
        let count = if self.is(Misbehaviour::Floods) { waiting.len() } else { waiting.len().min(1) };
        waiting.drain(..count).collect()
    }

    fn numbered(&mut self, words: impl IntoIterator<Item = Value>) -> Vec<String> {
        let mut messages = Vec::new();
        for mut word in words {
            self.sequence += 1;
            word["sequence"] = self.sequence.into();
            let text = word.to_string();
            if self.is(Misbehaviour::Repeats) {
                messages.push(text.clone());
            }
            messages.push(text);
        }
        messages
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    fn closed(bad: &[Misbehaviour]) -> Vec<Value> {
        let messages = TumblerScript::new(100, bad).bets_closed([1, 4, 6]);
        messages.iter().filter_map(|text| serde_json::from_str(text).ok()).collect()
    }

    #[test]
    fn good_tumbler_reports_each_step() {
        let mut script = TumblerScript::new(100, &[]);
        assert!(script.bets_open().is_empty());
        assert_eq!(
            closed(&[]),
            [
                json!({"sequence": 101, "activated": {}}),
                json!({"sequence": 102, "tumbled": {"times": 1}}),
                json!({"sequence": 103, "tumbled": {"times": 1}}),
                json!({"sequence": 104, "tumbled": {"times": 1}}),
                json!({"sequence": 105, "at-rest": {"faces": [1, 4, 6]}}),
            ]
        );
        script.bets_closed([1, 1, 1]);
        assert_eq!(serde_json::from_str::<Value>(&script.bets_closed([1, 1, 1])[0]).unwrap()["sequence"], 106);
    }

    #[test]
    fn each_misbehaviour_is_another() {
        use Misbehaviour as M;
        let early = TumblerScript::new(0, &[M::Early]).bets_open();
        assert_eq!(early, [r#"{"activated":{},"sequence":1}"#]);
        assert_eq!(closed(&[M::FewTumbles]).len(), 4);
        assert_eq!(closed(&[M::NotFlat]).last().unwrap()["at-rest"]["faces"], json!([1, null, 6]));
        assert_eq!(closed(&[M::OtherFaces]).last().unwrap()["at-rest"]["faces"], json!([6, 3, 1]));
        let repeats = closed(&[M::Repeats]);
        assert!(repeats.len() == 10 && repeats.chunks(2).all(|pair| pair[0] == pair[1]), "{repeats:?}");
        assert_eq!(closed(&[M::Silent]).len(), 1);
        assert_eq!(closed(&[M::Floods]).len(), 505);
        assert!(TumblerScript::new(0, &[M::Garbage]).bets_closed([1, 1, 1]).contains(&"{\"sequence\":".to_owned()));
        assert!(closed(&[M::Fault]).iter().any(|word| word["fault"]["what"].is_string()));
        let good = closed(&[]);
        for bad in M::value_variants() {
            let differs = closed(&[*bad]) != good || TumblerScript::new(0, &[*bad]).bets_open() != Vec::<String>::new();
            assert!(differs || *bad == M::Garbage, "{bad:?}");
        }
    }

    #[test]
    fn only_a_flood_comes_at_once() {
        let waiting = || (0..5).map(|number: u8| number.to_string()).collect::<VecDeque<_>>();
        let mut one = waiting();
        assert_eq!(TumblerScript::new(0, &[]).at_once(&mut one), ["0"]);
        assert_eq!(one.len(), 4);
        assert_eq!(TumblerScript::new(0, &[Misbehaviour::Floods]).at_once(&mut waiting()).len(), 5);
    }
}
