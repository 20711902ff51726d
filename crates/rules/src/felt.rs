//! The felt: where each betting area lies on the table. It knows places, never colours or fonts.

use crate::bet_box::{BetBox, Kind};
use crate::text::Language;

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

/// Where the odds of a kind are printed once for all its boxes.
///
/// ```
/// let games = taisai_rules::Games::embedded();
/// let felt = games.find("tai-sai@6", None).unwrap().layout("C").unwrap().felt();
/// assert!(felt.captions().iter().any(|caption| caption.of == taisai_rules::Kind::Pair));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caption {
    /// The kind whose odds it tells.
    pub of: Kind,
    /// Where it lies.
    pub at: Rect,
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
    pub(crate) chinese: Language,
    pub(crate) reading: Vec<String>,
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

    /// The Chinese characters that the drawing prints.
    ///
    /// ```
    /// use taisai_rules::{Games, Language};
    /// let game = Games::embedded().find("tai-sai@6", None).unwrap();
    /// assert_eq!(game.layout("A").unwrap().felt().chinese(), Language::Traditional);
    /// assert_eq!(game.layout("C").unwrap().felt().chinese(), Language::Simplified);
    /// ```
    pub const fn chinese(&self) -> Language {
        self.chinese
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
