//! The felt: where each betting area lies on the table, and what is printed there. It knows places and words, never
//! colours or fonts.

use crate::bet_box::{BetBox, BoxKind};
use crate::odds::Odds;

/// A rectangle in whole units of the felt, its origin at the top left as the player looks at the layout.
///
/// ```
/// use taisai_rules::Rect;
/// let a = Rect { x: 0, y: 0, width: 10, height: 5 };
/// assert!(a.overlaps(Rect { x: 9, y: 4, width: 3, height: 3 }));
/// assert!(!a.overlaps(Rect { x: 10, y: 0, width: 3, height: 3 }), "areas may touch");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rect {
    /// Units from the left.
    pub x: u32,
    /// Units from the top.
    pub y: u32,
    /// Units across.
    pub width: u32,
    /// Units down.
    pub height: u32,
}

impl Rect {
    /// Whether the two have a part in common.
    ///
    /// ```
    /// use taisai_rules::Rect;
    /// let a = Rect { x: 0, y: 0, width: 1, height: 1 };
    /// assert!(a.overlaps(a));
    /// ```
    pub fn overlaps(self, other: Self) -> bool {
        let (self_end, self_foot) = self.end();
        let (other_end, other_foot) = other.end();
        u64::from(self.x) < other_end
            && u64::from(other.x) < self_end
            && u64::from(self.y) < other_foot
            && u64::from(other.y) < self_foot
    }

    /// Whether the whole of this lies within a felt of the given width and height.
    ///
    /// ```
    /// use taisai_rules::Rect;
    /// assert!(!Rect { x: 8, y: 0, width: 3, height: 3 }.is_inside(10, 10));
    /// ```
    pub fn is_inside(self, width: u32, height: u32) -> bool {
        let (end, foot) = self.end();
        end <= u64::from(width) && foot <= u64::from(height)
    }

    /// Where it ends to the right and below, wide enough for any rectangle.
    fn end(self) -> (u64, u64) {
        (u64::from(self.x) + u64::from(self.width), u64::from(self.y) + u64::from(self.height))
    }
}

/// A place for chips of one box.
///
/// ```
/// let games = taisai_rules::Games::embedded();
/// let felt = games.find("tai-sai@6", None).unwrap().layout("E").unwrap().felt();
/// let big = felt.areas().iter().filter(|area| area.bet_box == taisai_rules::BetBox::BIG);
/// assert_eq!(big.count(), 2, "layout E prints Big twice");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// The box that a chip here bets on.
    pub bet_box: BetBox,
    /// Where it lies.
    pub at: Rect,
}

/// Where words are printed once for all boxes of a kind, mostly its odds.
///
/// ```
/// let games = taisai_rules::Games::embedded();
/// let felt = games.find("tai-sai@6", None).unwrap().layout("C").unwrap().felt();
/// assert!(felt.captions().iter().any(|caption| caption.of == taisai_rules::BoxKind::Pair));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caption {
    /// The kind that it is printed for.
    pub of: BoxKind,
    /// Where it lies.
    pub at: Rect,
    /// What it says, from left to right, as the game's file has it: [`crate::Layout::caption`] fills in the odds.
    pub words: Vec<String>,
}

/// What a line of print is.
///
/// ```
/// use taisai_rules::{BetBox, Games, PrintRole};
/// let layout = Games::embedded().find("tai-sai@6", None).unwrap().layout("C").unwrap();
/// let roles: Vec<_> = layout.printed(BetBox::EVEN).into_iter().map(|line| line.role).collect();
/// assert_eq!(roles, [PrintRole::Name, PrintRole::Character, PrintRole::Odds, PrintRole::Note]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrintRole {
    /// The box's name, or its numbers.
    Name,
    /// One Chinese character, the largest on the box.
    Character,
    /// What it pays.
    Odds,
    /// Anything else.
    Note,
}

/// A line of print on a box.
///
/// ```
/// use taisai_rules::Games;
/// let layout = Games::embedded().find("sic-bo-etg@2", None).unwrap().layout("C").unwrap();
/// let printed = layout.printed("sum:17".parse().unwrap());
/// assert_eq!(printed.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), ["17", "1:62"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedLine {
    /// What it is.
    pub role: PrintRole,
    /// What it says.
    pub text: String,
}

/// Kinds that the drawing leaves blank, and where their order or words come from.
///
/// ```
/// let games = taisai_rules::Games::embedded();
/// let felt = games.find("sic-bo-etg@2", None).unwrap().layout("A").unwrap().felt();
/// assert!(felt.blank()[0].of.contains(&taisai_rules::BoxKind::Triple));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlankKinds {
    /// The kinds.
    pub of: Vec<BoxKind>,
    /// What stands there, and by which drawing or paragraph.
    pub taken: String,
}

/// A reading of the drawing that may be wrong.
///
/// ```
/// let games = taisai_rules::Games::embedded();
/// let felt = games.find("tai-sai@6", None).unwrap().layout("C").unwrap().felt();
/// let doubt = felt.doubtful().iter().find(|doubt| doubt.scan == "ANY TRIPLE 1 WINS 180").unwrap();
/// assert_eq!(doubt.read, "ANY TRIPLE 1 WINS 31");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoubtfulReading {
    /// The kinds that it is printed on.
    pub of: Vec<BoxKind>,
    /// What the machine read in the scan.
    pub scan: String,
    /// What this felt prints.
    pub read: String,
    /// Why it is read so.
    pub why: String,
}

/// What is printed on the boxes of a kind, line by line, with places to fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KindWords {
    pub(crate) of: BoxKind,
    pub(crate) lines: Vec<String>,
}

/// Fills the places of a line printed on a box: its numbers, and what it pays.
pub(crate) fn fill(text: &str, bet_box: BetBox, pays: &[Odds]) -> String {
    const WORDS: [&str; 6] = ["ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX"];
    let numbers: Vec<_> = bet_box.numbers().iter().map(u8::to_string).collect();
    let word = bet_box.numbers().first().and_then(|number| WORDS.get(usize::from(*number) - 1)).unwrap_or(&"");
    let filled = fill_odds(text, pays).replace("{word}", word).replace("{numbers}", &numbers.join(" "));
    filled.replace("{digits}", &numbers.concat()).replace("{and}", &numbers.join(" AND "))
}

/// Fills in odds: `{odds}`, or `{odds1}`, `{odds2}` and `{odds3}` where a kind pays by the number of dice.
pub(crate) fn fill_odds(text: &str, pays: &[Odds]) -> String {
    match pays {
        [odds] => text.replace("{odds}", &printed_odds(*odds)),
        several => (1..).zip(several).fold(text.to_owned(), |text, (dice, odds): (u8, _)| {
            text.replace(&format!("{{odds{dice}}}"), &printed_odds(*odds))
        }),
    }
}

/// Odds as the drawings print them: `62`, `8 1/2`, and decimals where there is no such fraction.
fn printed_odds(odds: Odds) -> String {
    let hundredths = odds.numerator() * 100 / odds.denominator();
    let (whole, rest) = (hundredths / 100, hundredths % 100);
    let fraction = match rest {
        0 => return whole.to_string(),
        25 => "1/4",
        50 => "1/2",
        75 => "3/4",
        rest => return format!("{whole}.{rest:02}").trim_end_matches('0').to_owned(),
    };
    if whole == 0 { fraction.to_owned() } else { format!("{whole} {fraction}") }
}

/// The felt of one layout: areas and captions, none overlapping another.
///
/// ```
/// let games = taisai_rules::Games::embedded();
/// let felt = games.find("tai-sai@6", None).unwrap().layout("A").unwrap().felt();
/// assert_eq!(felt.areas().len(), 50);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Felt {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) source: String,
    pub(crate) reading: Vec<String>,
    pub(crate) blank: Vec<BlankKinds>,
    pub(crate) doubtful: Vec<DoubtfulReading>,
    pub(crate) words: Vec<KindWords>,
    pub(crate) areas: Vec<Area>,
    pub(crate) captions: Vec<Caption>,
}

impl Felt {
    /// Units across.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// let felt = games.find("tai-sai@6", None).unwrap().layout("A").unwrap().felt();
    /// assert!(felt.areas().iter().all(|area| area.at.is_inside(felt.width(), felt.height())));
    /// ```
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Units down.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// let felt = games.find("tai-sai@6", None).unwrap().layout("A").unwrap().felt();
    /// assert!(felt.height() < felt.width());
    /// ```
    pub const fn height(&self) -> u32 {
        self.height
    }

    /// The drawing it was read from.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// let felt = games.find("tai-sai@6", None).unwrap().layout("A").unwrap().felt();
    /// assert_eq!(felt.source(), "004 Appendix A");
    /// ```
    pub fn source(&self) -> &str {
        &self.source
    }

    /// How the drawing was read where it leaves something open.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// let felt = games.find("tai-sai@6", None).unwrap().layout("E").unwrap().felt();
    /// assert!(!felt.reading().is_empty());
    /// ```
    pub fn reading(&self) -> &[String] {
        &self.reading
    }

    /// What is printed on the boxes of a kind, line by line, as the game's file has it: [`crate::Layout::printed`] fills in
    /// numbers and odds.
    ///
    /// ```
    /// use taisai_rules::{Games, BoxKind};
    /// let felt = Games::embedded().find("tai-sai@6", None).unwrap().layout("C").unwrap().felt();
    /// assert_eq!(felt.words(BoxKind::Sum), ["{numbers}", "1 WINS {odds}"]);
    /// ```
    pub fn words(&self, kind: BoxKind) -> &[String] {
        self.words.iter().find(|words| words.of == kind).map_or(&[], |words| &words.lines)
    }

    /// What the drawing leaves blank, and what stands there instead.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// let felt = games.find("tai-sai@6", None).unwrap().layout("A").unwrap().felt();
    /// assert!(felt.blank().is_empty(), "Appendix A of 004 shows everything");
    /// ```
    pub fn blank(&self) -> &[BlankKinds] {
        &self.blank
    }

    /// Doubtful readings of the drawing.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// let felt = games.find("tai-sai@6", None).unwrap().layout("A").unwrap().felt();
    /// assert!(felt.doubtful().iter().any(|doubt| doubt.read == "圍骰通吃"));
    /// ```
    pub fn doubtful(&self) -> &[DoubtfulReading] {
        &self.doubtful
    }

    /// The places for chips, in the order of the game's file.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// let felt = games.find("sic-bo-etg@2", None).unwrap().layout("B").unwrap().felt();
    /// assert_eq!(felt.areas().len(), 104);
    /// ```
    pub fn areas(&self) -> &[Area] {
        &self.areas
    }

    /// The captions, in the order of the game's file.
    ///
    /// ```
    /// let games = taisai_rules::Games::embedded();
    /// let felt = games.find("sic-bo-etg@2", None).unwrap().layout("B").unwrap().felt();
    /// assert!(!felt.captions().is_empty());
    /// ```
    pub fn captions(&self) -> &[Caption] {
        &self.captions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_of_any_size_are_compared() {
        const MOST: u32 = u32::MAX;
        let all = Rect { x: 0, y: 0, width: MOST, height: MOST };
        let corner = Rect { x: MOST, y: MOST, width: MOST, height: MOST };
        assert!(corner.overlaps(corner) && all.overlaps(all));
        assert!(!all.overlaps(corner) && !corner.overlaps(all), "they touch");
        assert!(all.is_inside(MOST, MOST) && !corner.is_inside(MOST, MOST));
        assert!(!all.is_inside(MOST, MOST - 1) && !all.is_inside(MOST - 1, MOST));
    }
}
