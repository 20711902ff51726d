//! `taisai settle`: reads slips as JSON lines and writes settlements as JSON lines. This file has the JSON and the error codes;
//! `taisai_rules` settles.

use std::borrow::Cow;
use std::fmt;
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use std::marker::PhantomData;

use anyhow::Context as _;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use taisai_rules::{
    BadDice, Bet, BetBox, BetError, BoxKey, BoxLimit, Dice, Games, Layout, LimitError, Limits, Moment, Money,
    Settlement, SlipError, UnknownBox,
};

/// A longer line is an error.
pub const MAX_LINE_BYTES: usize = 1 << 20;

/// Tells a person at a terminal what to type.
pub(crate) fn hint_if_terminal(input: &impl IsTerminal) {
    if input.is_terminal() {
        eprintln!(
            "Reading slips from the terminal, one JSON object a line; end with Ctrl-D. See: taisai settle --help"
        );
    }
}

/// Settles every line of the input. `false` if a line has an error.
///
/// # Errors
/// If the input cannot be read or the output cannot be written. A line that cannot be settled gets an error object in its
/// place instead.
pub fn run(games: &Games, now: Option<Moment>, input: impl Read, mut output: impl Write) -> anyhow::Result<bool> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let (mut line, mut answers) = (Vec::new(), Vec::new());
    let mut well = true;
    loop {
        let whole = memchr::memchr(b'\n', input.buffer());
        // Everything so far is written before waiting for the rest of a line: another program may wait for it.
        if whole.is_none() || answers.len() >= 1 << 16 {
            output.write_all(&answers)?;
            output.flush()?;
            answers.clear();
        }
        if let Some(end) = whole {
            well &= settle_line(games, now, &input.buffer()[..end], &mut answers);
            input.consume(end + 1);
        } else if read_line(&mut input, &mut line).context("cannot read the slips")? {
            well &= settle_line(games, now, &line, &mut answers);
        } else {
            return Ok(well);
        }
        answers.push(b'\n');
    }
}

/// Reads a line that continues beyond the buffer, without its line break, and not much more than the longest line. `false` at
/// the end of the input.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    line.clear();
    let most = u64::try_from(MAX_LINE_BYTES).unwrap_or(u64::MAX) + 1;
    if input.by_ref().take(most).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > MAX_LINE_BYTES {
        input.skip_until(b'\n')?;
    }
    Ok(true)
}

/// Settles one line and appends the result. `false` if it is an error.
pub fn settle_line(games: &Games, now: Option<Moment>, line: &[u8], answers: &mut Vec<u8>) -> bool {
    match try_settle_line(games, now, line, answers) {
        Ok(()) => true,
        Err(LineError { code, message }) => {
            write_text(answers, r#"{"error":{"code":"#, code);
            write_text(answers, r#","message":"#, &message);
            answers.extend_from_slice(b"}}");
            false
        }
    }
}

fn try_settle_line(games: &Games, now: Option<Moment>, line: &[u8], answers: &mut Vec<u8>) -> Result<(), LineError> {
    if line.len() > MAX_LINE_BYTES {
        let message = format!("a line has at most {MAX_LINE_BYTES} bytes: split the slip");
        return Err(LineError::new("line-too-long", message));
    }
    let slip = parse(line)?;
    let layout = find_layout(games, now, &slip)?;
    write_settlement(answers, layout, &settle(layout, &slip)?);
    Ok(())
}

fn parse(line: &[u8]) -> Result<SlipObject<'_>, LineError> {
    let not_json = |error: &dyn fmt::Display| LineError::new("not-json", format!("this line is not JSON: {error}"));
    let line = str::from_utf8(line).map_err(|error| not_json(&error))?;
    serde_json::from_str(line).map(|JsonObject(slip)| slip).map_err(|error| {
        if error.is_data() {
            LineError::new("wrong-shape", format!("this is not a slip: {error}"))
        } else if error.to_string().starts_with("number out of range") {
            BetError::TooLarge.into()
        } else {
            not_json(&error)
        }
    })
}

fn find_layout<'g>(games: &'g Games, now: Option<Moment>, slip: &SlipObject<'_>) -> Result<&'g Layout, LineError> {
    let game = games.find(&slip.game, now).map_err(|error| LineError::new(error.code(), error.to_string()))?;
    game.layout(&slip.layout).map_err(|error| LineError::new("unknown-layout", error.to_string()))
}

fn settle<'s>(layout: &Layout, slip: &'s SlipObject<'_>) -> Result<Settlement<&'s str>, LineError> {
    let dice = dice(&slip.dice)?;
    let limits = match &slip.limits {
        Some(JsonObject(limits)) => limits.check(layout)?,
        None => Limits::none(),
    };
    for (place, JsonObject(bet)) in slip.bets.iter().enumerate() {
        if let Some(error) = bet.error() {
            // An earlier bet may be at fault as well, and its error comes first.
            layout.settle(&limits, dice, slip.bets[..place].iter().map(|JsonObject(bet)| bet.placed()))?;
            return Err(error.in_bet(place));
        }
    }
    Ok(layout.settle(&limits, dice, slip.bets.iter().map(|JsonObject(bet)| bet.placed()))?)
}

fn dice(faces: &[WholeNumber]) -> Result<Dice, LineError> {
    let [a, b, c] = faces else { return Err(BadDice::Count.into()) };
    let face = |whole: &WholeNumber| match whole {
        WholeNumber::Number(face) => u8::try_from(*face).map_err(|_| BadDice::Face),
        WholeNumber::TooLarge | WholeNumber::Other => Err(BadDice::Face),
    };
    Ok(Dice::try_from([face(a)?, face(b)?, face(c)?])?)
}

/// A stable code, and a sentence that says what to do.
struct LineError {
    code: &'static str,
    message: String,
}

impl LineError {
    const fn new(code: &'static str, message: String) -> Self {
        Self { code, message }
    }

    fn in_bet(self, place: usize) -> Self {
        Self::new(self.code, format!("bet {}: {}", place + 1, self.message))
    }
}

impl From<BadDice> for LineError {
    fn from(error: BadDice) -> Self {
        Self::new("bad-dice", format!("{error}, like [6,6,5]"))
    }
}

impl From<BetError> for LineError {
    fn from(error: BetError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<LimitError> for LineError {
    fn from(error: LimitError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<SlipError> for LineError {
    fn from(error: SlipError) -> Self {
        Self::new(error.why.code(), error.to_string())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SlipObject<'a> {
    #[serde(borrow)]
    game: Cow<'a, str>,
    #[serde(borrow)]
    layout: Cow<'a, str>,
    dice: Vec<WholeNumber>,
    #[serde(borrow, default)]
    limits: Option<JsonObject<LimitsObject<'a>>>,
    #[serde(borrow)]
    bets: Vec<JsonObject<BetObject<'a>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BetObject<'a> {
    #[serde(borrow)]
    player: Cow<'a, str>,
    #[serde(borrow, rename = "box")]
    bet_box: BoxName<'a>,
    amount: WholeNumber,
}

impl BetObject<'_> {
    fn error(&self) -> Option<LineError> {
        match (&self.bet_box, &self.amount) {
            (BoxName::Unknown(text), _) => {
                let message = format!("there is no box {:?}; {UnknownBox}", shortened(text));
                Some(LineError::new("unknown-box", message))
            }
            (BoxName::Known(_), WholeNumber::TooLarge) => Some(BetError::TooLarge.into()),
            (BoxName::Known(_), WholeNumber::Other) => {
                let message = "the amount must be a whole number of cents, like 2500";
                Some(LineError::new("bad-amount", message.to_owned()))
            }
            (BoxName::Known(_), WholeNumber::Number(_)) => None,
        }
    }

    fn placed(&self) -> Bet<&str> {
        let (BoxName::Known(bet_box), WholeNumber::Number(cents)) = (&self.bet_box, &self.amount) else {
            unreachable!("a bet with an error is not placed");
        };
        Bet { player: &self.player, bet_box: *bet_box, amount: Money::from_cents(*cents) }
    }
}

enum BoxName<'a> {
    Known(BetBox),
    Unknown(Cow<'a, str>),
}

impl<'de: 'a, 'a> Deserialize<'de> for BoxName<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let BoxKeyText(text) = BoxKeyText::deserialize(deserializer)?;
        Ok(text.parse().map_or(Self::Unknown(text), Self::Known))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsObject<'a> {
    unit: Option<WholeNumber>,
    #[serde(borrow, default)]
    boxes: BoxLimits<'a>,
    differential: Option<WholeNumber>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoxLimitObject {
    min: Option<WholeNumber>,
    max: Option<WholeNumber>,
}

impl LimitsObject<'_> {
    fn check(&self, layout: &Layout) -> Result<Limits, LineError> {
        let unit = self.unit.as_ref().map_or(Ok(Money::from_cents(1)), |unit| unit.limit("unit", "bad-unit"))?;
        let limit =
            |whole: &Option<WholeNumber>, name| whole.as_ref().map(|whole| whole.limit(name, "bad-limit")).transpose();
        let mut boxes = Vec::with_capacity(self.boxes.0.len());
        for (key, BoxLimitObject { min, max }) in &self.boxes.0 {
            let key: BoxKey = key.parse().map_err(|error: UnknownBox| {
                let message = format!("limits: there is no kind or box {:?}; {error}", shortened(key));
                LineError::new("unknown-box", message)
            })?;
            boxes.push((key, BoxLimit { min: limit(min, "min")?, max: limit(max, "max")? }));
        }
        Ok(Limits::new(layout, unit, &boxes, limit(&self.differential, "differential")?)?)
    }
}

/// The entries of `boxes` in their order, so that a duplicate is detected.
#[derive(Default)]
struct BoxLimits<'a>(Vec<(Cow<'a, str>, BoxLimitObject)>);

impl<'de: 'a, 'a> Deserialize<'de> for BoxLimits<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BoxLimitsVisitor;
        impl<'de> Visitor<'de> for BoxLimitsVisitor {
            type Value = BoxLimits<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of kinds or boxes")
            }

            fn visit_unit<E>(self) -> Result<BoxLimits<'de>, E> {
                Ok(BoxLimits::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<BoxLimits<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some((BoxKeyText(key), JsonObject(limit))) = map.next_entry()? {
                    entries.push((key, limit));
                }
                Ok(BoxLimits(entries))
            }
        }
        deserializer.deserialize_any(BoxLimitsVisitor)
    }
}

#[derive(Deserialize)]
struct BoxKeyText<'a>(#[serde(borrow)] Cow<'a, str>);

/// The beginning of a text, long enough to find it by.
fn shortened(text: &str) -> &str {
    text.char_indices().nth(60).map_or(text, |(end, _)| &text[..end])
}

/// A value that must be a JSON object: serde would also accept a list of its fields.
struct JsonObject<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for JsonObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Map<T> {
            type Value = JsonObject<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<JsonObject<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(JsonObject)
            }
        }
        deserializer.deserialize_map(Map(PhantomData))
    }
}

/// A number that should be whole. Other values are kept, because each has its own error code.
enum WholeNumber {
    Number(i64),
    TooLarge,
    Other,
}

impl WholeNumber {
    fn limit(&self, name: &str, code: &'static str) -> Result<Money, LineError> {
        match self {
            Self::Number(cents) => Ok(Money::from_cents(*cents)),
            Self::TooLarge | Self::Other => Err(LineError::new(
                code,
                format!("limits: {name} must be a whole number of cents that fits in 64 bits"),
            )),
        }
    }
}

impl<'de> Deserialize<'de> for WholeNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = WholeNumber;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number")
            }

            fn visit_i64<E>(self, number: i64) -> Result<WholeNumber, E> {
                Ok(WholeNumber::Number(number))
            }

            fn visit_u64<E>(self, number: u64) -> Result<WholeNumber, E> {
                Ok(i64::try_from(number).map_or(WholeNumber::TooLarge, WholeNumber::Number))
            }

            fn visit_f64<E>(self, number: f64) -> Result<WholeNumber, E> {
                // serde_json gives integers beyond 64 bits as floats; 2^63 is exact as a float.
                Ok(if number >= 9_223_372_036_854_775_808.0 { WholeNumber::TooLarge } else { WholeNumber::Other })
            }

            fn visit_str<E>(self, _: &str) -> Result<WholeNumber, E> {
                Ok(WholeNumber::Other)
            }
        }
        deserializer.deserialize_any(Number)
    }
}

/// Writes a settlement. Only the player's name may need escaping.
///
/// # Panics
/// If the settlement is not of this layout.
pub fn write_settlement(out: &mut Vec<u8>, layout: &Layout, settlement: &Settlement<&str>) {
    out.extend_from_slice(br#"{"lines":["#);
    for (place, line) in settlement.lines.iter().enumerate() {
        write_text(out, if place == 0 { r#"{"player":"# } else { r#",{"player":"# }, line.player);
        out.extend_from_slice(br#","box":""#);
        out.extend_from_slice(line.bet_box.text().as_bytes());
        write_cents(out, r#"","stake":"#, line.stake);
        write_cents(out, r#","counted":"#, line.counted);
        write_cents(out, r#","returned":"#, line.returned());
        match line.odds {
            Some(odds) => write!(out, r#","outcome":"won","odds":"{odds}""#).expect("a Vec takes every text"),
            None => out.extend_from_slice(br#","outcome":"lost","odds":null"#),
        }
        write_cents(out, r#","profit":"#, line.profit);
        write_cents(out, r#","paid":"#, line.paid());
        let mut before = r#","paragraphs":["#;
        for citation in line.citations() {
            let paragraph = layout.paragraph(citation).expect("a rule that applied has its paragraph");
            out.extend_from_slice(before.as_bytes());
            out.push(b'"');
            out.extend_from_slice(paragraph.text().as_bytes());
            out.push(b'"');
            before = ",";
        }
        out.extend_from_slice(b"]}");
    }
    write_cents(out, r#"],"house":{"collected":"#, settlement.house.collected);
    write_cents(out, r#","paid_out":"#, settlement.house.paid_out);
    write_cents(out, r#","net":"#, settlement.house.net());
    out.extend_from_slice(b"}}");
}

/// Writes `before`, then a quoted and escaped text.
fn write_text(out: &mut Vec<u8>, before: &str, text: &str) {
    out.extend_from_slice(before.as_bytes());
    serde_json::to_writer(out, text).expect("a Vec takes every text");
}

fn write_cents(out: &mut Vec<u8>, before: &str, money: Money) {
    out.extend_from_slice(before.as_bytes());
    out.extend_from_slice(itoa::Buffer::new().format(money.cents()).as_bytes());
}
