//! The bytes of a settled slip. Their hash is the digest of the round, so that whoever keeps a slip beside the chain can show that it
//! is the one that was settled. `docs/record.md` has them one by one.

use taisai_rules::{BetBox, Dice, Face, Money};

use crate::cluster::command::{Chips, Stake};
use crate::cluster::settle::{Slip, SlipLine};
use crate::codec::{self, BadBytes};
use crate::identity::{RoundNumber, Seat, SessionId};
use crate::rules::TableLimits;

/// The slip of a round that an entry settles, to be kept beside the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledSlip {
    pub round: RoundNumber,
    pub bytes: Vec<u8>,
}

/// Why bytes are not the slip of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadKeptSlip {
    #[error("form {0} of a slip is newer than this program")]
    Newer(u8),
    #[error("it is not the slip that the digest in the chain stands for")]
    Digest,
    /// The digest fits, and the lengths do not.
    #[error("its bytes are damaged")]
    Damaged,
    #[error(transparent)]
    Rest(#[from] BadBytes),
}

/// The form that this program writes.
const FORM: u8 = 1;

/// The form, and how many bytes behind the lines are not lines.
const HEADER: usize = 5;

/// Before a seat and session; no box has this number.
const SEAT: u8 = u8::MAX;

/// Where the bytes of a slip go.
pub(super) trait SlipSink {
    fn put<const N: usize>(&mut self, bytes: [u8; N]);
    fn end_line(&mut self);
    /// What stands behind the lines.
    fn rest(&mut self, bytes: &[u8]);
}

/// Writes a slip line by line. It covers every wager, so each line is written in as few bytes as possible: the seat and session
/// once for all of their lines; then for each line the box, its flags, its units, what counted if that is less, and what was paid if
/// anything was.
pub(super) struct SlipWriter<S> {
    sink: S,
    of: Option<(Seat, SessionId)>,
}

impl<S: SlipSink> SlipWriter<S> {
    pub(super) fn new(mut sink: S, round: RoundNumber, dice: Option<Dice>) -> Self {
        sink.put(round.0.to_le_bytes());
        sink.put(dice.map_or([0; 3], |dice| dice.faces().map(Face::number)));
        Self { sink, of: None }
    }

    pub(super) fn line(&mut self, line: &SlipLine, paid: Money) {
        if self.of != Some((line.seat, line.session)) {
            self.of = Some((line.seat, line.session));
            self.sink.put([SEAT]);
            self.sink.put(line.seat.0.to_le_bytes());
            self.sink.put(line.session.0.to_le_bytes());
        }
        let (is_less, is_paid) = (line.counted != line.units, paid != Money::ZERO);
        let is_colour = line.chips == Chips::Colour;
        let flags = u8::from(is_colour) | u8::from(is_less) << 1 | u8::from(is_paid) << 2;
        self.sink.put([line.bet_box.place(), flags]);
        self.sink.put(line.units.to_le_bytes());
        if is_less {
            self.sink.put(line.counted.to_le_bytes());
        }
        if is_paid {
            self.sink.put(paid.cents().to_le_bytes());
        }
        self.sink.end_line();
    }

    /// Adds what lines from the film depend on: the announced totals and the limits.
    pub(super) fn rest(&mut self, announced: &[Stake], limits: Option<&TableLimits>) {
        let mut bytes = Vec::new();
        codec::write(&(announced, limits), &mut bytes);
        self.sink.rest(&bytes);
    }

    pub(super) fn finish(self) -> S {
        self.sink
    }
}

/// The digest of a slip.
pub(super) struct SlipDigest {
    hasher: blake3::Hasher,
    buffer: Vec<u8>,
    /// How much of the buffer is written.
    length: usize,
}

impl SlipDigest {
    const BUFFER: usize = 65_536;
    /// No seat and its first line are longer.
    const LONGEST: usize = 32;

    /// The buffer fits the number of lines: a small round needs little memory.
    pub(super) fn new(lines: usize) -> Self {
        let buffer = vec![0; (lines * Self::LONGEST).min(Self::BUFFER) + Self::LONGEST];
        Self { hasher: blake3::Hasher::new(), buffer, length: 0 }
    }

    pub(super) fn finish(mut self) -> [u8; 32] {
        self.flush();
        self.hasher.finalize().into()
    }

    fn flush(&mut self) {
        self.hasher.update(&self.buffer[..self.length]);
        self.length = 0;
    }
}

impl SlipSink for SlipDigest {
    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.buffer[self.length..self.length + N].copy_from_slice(&bytes);
        self.length += N;
    }

    fn end_line(&mut self) {
        if self.length >= Self::BUFFER {
            self.flush();
        }
    }

    fn rest(&mut self, bytes: &[u8]) {
        self.flush();
        self.hasher.update(bytes);
    }
}

/// The bytes of a slip, as they are kept.
pub(super) struct SlipBytes(Vec<u8>);

impl SlipBytes {
    pub(super) fn new() -> Self {
        Self(vec![FORM, 0, 0, 0, 0])
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

impl SlipSink for SlipBytes {
    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.0.extend_from_slice(&bytes);
    }

    fn end_line(&mut self) {}

    fn rest(&mut self, bytes: &[u8]) {
        let length = u32::try_from(bytes.len()).expect("limits and totals are short");
        self.0[1..HEADER].copy_from_slice(&length.to_le_bytes());
        self.0.extend_from_slice(bytes);
    }
}

impl Slip {
    /// Reads a slip that was kept, if it is the one that the digest stands for.
    pub fn from_kept(bytes: &[u8], digest: [u8; 32]) -> Result<Self, BadKeptSlip> {
        let (rest, hashed) = match bytes {
            [FORM, rest @ ..] => rest.split_first_chunk().ok_or(BadKeptSlip::Damaged)?,
            [form, ..] if *form > FORM => return Err(BadKeptSlip::Newer(*form)),
            [] | [_, ..] => return Err(BadKeptSlip::Damaged),
        };
        if *blake3::hash(hashed).as_bytes() != digest {
            return Err(BadKeptSlip::Digest);
        }
        let rest = usize::try_from(u32::from_le_bytes(*rest)).map_err(|_| BadKeptSlip::Damaged)?;
        let lines = hashed.len().checked_sub(rest).ok_or(BadKeptSlip::Damaged)?;
        let (lines, rest) = hashed.split_at(lines);
        let lines = SlipLineReader(lines).lines().ok_or(BadKeptSlip::Damaged)?;
        let (told, limits) = if rest.is_empty() { (Vec::new(), None) } else { codec::read(rest)? };
        Ok(Self { lines, told, limits })
    }
}

struct SlipLineReader<'a>(&'a [u8]);

impl SlipLineReader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn number(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    /// All lines, behind the round and the dice.
    fn lines(mut self) -> Option<Vec<SlipLine>> {
        self.take::<11>()?;
        let (mut lines, mut of) = (Vec::new(), None);
        while !self.0.is_empty() {
            let [mut place] = self.take()?;
            if place == SEAT {
                of = Some((Seat(self.number()?), SessionId(self.number()?)));
                [place] = self.take()?;
            }
            let ((seat, session), bet_box, [flags]) = (of?, BetBox::at(place)?, self.take()?);
            let units = self.number()?;
            let counted = if flags & 2 == 0 { units } else { self.number()? };
            if flags & 4 != 0 {
                self.take::<8>()?;
            }
            let chips = if flags & 1 == 0 { Chips::Own } else { Chips::Colour };
            lines.push(SlipLine { seat, session, bet_box, chips, units, counted });
        }
        Some(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(seat: u32, place: u8, units: u32, counted: u32, chips: Chips) -> SlipLine {
        let bet_box = BetBox::at(place).expect("a box");
        SlipLine { seat: Seat(seat), session: SessionId(seat + 7), bet_box, chips, units, counted }
    }

    fn kept(slip: &Slip, paid: &[i64]) -> (Vec<u8>, [u8; 32]) {
        fn write<S: SlipSink>(sink: S, slip: &Slip, paid: &[i64]) -> S {
            let mut writer = SlipWriter::new(sink, RoundNumber(9), None);
            for (line, paid) in slip.lines.iter().zip(paid) {
                writer.line(line, Money::from_cents(*paid));
            }
            if slip.limits.is_some() {
                writer.rest(&slip.told, slip.limits.as_ref());
            }
            writer.finish()
        }
        (write(SlipBytes::new(), slip, paid).finish(), write(SlipDigest::new(slip.lines.len()), slip, paid).finish())
    }

    fn slips() -> [(Slip, Vec<i64>); 3] {
        let lines = vec![
            line(1, 0, 5, 5, Chips::Own),
            line(1, 3, 7, 2, Chips::Own),
            line(2, 0, 1, 1, Chips::Colour),
            line(2, 1, 4_000_000_000, 0, Chips::Colour),
        ];
        let unit = Money::from_cents(100);
        let limits = Some(TableLimits { unit, boxes: Vec::new(), rest: None, differential: Some(unit) });
        let told = vec![Stake { bet_box: BetBox::EVEN, amount: unit }];
        let paid = vec![0, 900, 1, i64::MAX];
        [
            (Slip::default(), Vec::new()),
            (Slip { lines: lines.clone(), ..Slip::default() }, paid.clone()),
            (Slip { lines, told, limits }, paid),
        ]
    }

    #[test]
    fn slips_come_back_by_their_digest() {
        for (slip, paid) in slips() {
            let (bytes, digest) = kept(&slip, &paid);
            assert_eq!(Slip::from_kept(&bytes, digest), Ok(slip));
            assert_eq!(digest, *blake3::hash(&bytes[HEADER..]).as_bytes());
        }
    }

    #[test]
    fn a_slip_is_no_other_and_no_part_of_itself() {
        for (slip, paid) in slips() {
            let (bytes, digest) = kept(&slip, &paid);
            for length in 0..bytes.len() {
                assert!(Slip::from_kept(&bytes[..length], digest).is_err(), "cut at {length}");
            }
            for at in 0..bytes.len() {
                for bit in 0..8 {
                    let mut changed = bytes.clone();
                    changed[at] ^= 1 << bit;
                    assert!(Slip::from_kept(&changed, digest).is_err(), "byte {at}, bit {bit}");
                }
            }
            assert_eq!(Slip::from_kept(&[2, 0], digest), Err(BadKeptSlip::Newer(2)));
            assert_eq!(Slip::from_kept(&bytes, [0; 32]), Err(BadKeptSlip::Digest));
        }
    }

    #[test]
    fn a_large_slip_has_the_digest_of_its_bytes() {
        let lines: Vec<_> = (0..9_000).map(|seat| line(seat, 1, seat + 1, seat, Chips::Own)).collect();
        let (slip, paid) = (Slip { lines, ..Slip::default() }, vec![5; 9_000]);
        let (bytes, digest) = kept(&slip, &paid);
        assert_eq!(Slip::from_kept(&bytes, digest), Ok(slip));
    }
}
