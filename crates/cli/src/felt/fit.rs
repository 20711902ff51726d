//! Lays out texts and dice in a rectangle. Everything shrinks to fit. It knows texts, faces and space, but no game.

use taisai_rules::Rect;
use unicode_width::UnicodeWidthChar;

/// Height of a line of text, in hundredths of its type size.
const LINE_HEIGHT: u32 = 118;
/// The same for a single figure or character.
const SIGN_HEIGHT: u32 = 102;

const MAX_LINES: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Start,
    Middle,
    End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TextStyle {
    Sign,
    Label,
    Odds,
    Note,
}

/// A text with those it must look alike: all of a family get the same size and number of lines.
pub(super) struct FittedText {
    pub(super) text: String,
    pub(super) family: Vec<String>,
    pub(super) style: TextStyle,
    pub(super) largest: u32,
}

pub(super) enum FeltItem {
    Text(FittedText),
    /// Groups of dice, each group in one row, and how large a die may be.
    Dice(Vec<Vec<u8>>, u32),
}

/// Items one below the other. Each has its share of the height; one with none gets what the others leave of it.
pub(super) fn stack(at: Rect, items: &[(u32, FeltItem)]) -> String {
    let gaps = count(items).saturating_sub(1);
    let room = at.height - gaps * (at.height / 20);
    let shares: u32 = items.iter().map(|(share, _)| share).sum();
    let shares = if items.iter().any(|(share, _)| *share == 0) { 100 } else { shares.max(1) };
    let mut left = room;
    let mut fitted: Vec<_> = items.iter().map(|(share, item)| item.fit(at.width, room * share / shares)).collect();
    for fit in &fitted {
        left = left.saturating_sub(fit.height());
    }
    for ((_, item), fit) in items.iter().zip(&mut fitted).filter(|((share, _), _)| *share == 0) {
        *fit = item.fit(at.width, left);
    }
    let used: u32 = fitted.iter().map(Fitted::height).sum();
    let gap = (at.height.saturating_sub(used) / (gaps + 1)).min(at.height / 11);
    let mut y = at.y + at.height.saturating_sub(used + gaps * gap) / 2;
    let mut drawn = String::new();
    for fit in fitted {
        drawn += &fit.draw(at.x, y, at.width, Side::Middle);
        y += fit.height() + gap;
    }
    drawn
}

/// Text alone, in the middle of the height, at a side of the width.
pub(super) fn words(at: Rect, words: &FittedText, side: Side) -> String {
    let fit = words.fit(at.width, at.height);
    fit.draw(at.x, at.y + (at.height - fit.height()) / 2, at.width, side)
}

enum Fitted {
    Lines { lines: Vec<String>, size: u32, style: TextStyle },
    Dice { rows: Vec<Vec<Vec<u8>>>, side: u32 },
}

impl FeltItem {
    fn fit(&self, width: u32, height: u32) -> Fitted {
        match self {
            Self::Text(words) => words.fit(width, height),
            Self::Dice(groups, largest) => pack(groups, width, height, *largest),
        }
    }
}

impl Fitted {
    fn height(&self) -> u32 {
        match self {
            Self::Lines { lines, size, style } => count(lines) * size * style.line() / 100,
            Self::Dice { rows, side } => count(rows) * side + count(rows).saturating_sub(1) * spacing(*side),
        }
    }

    fn draw(&self, x: u32, y: u32, width: u32, side: Side) -> String {
        match self {
            Self::Lines { lines, size, style } => {
                let (x, anchor) = match side {
                    Side::Start => (x, r#" text-anchor="start""#),
                    Side::Middle => (x + width / 2, ""),
                    Side::End => (x + width, r#" text-anchor="end""#),
                };
                let (step, tone) = (size * style.line() / 100, style.tone());
                let baselines = (0..).map(|line| y + line * step + step / 2 + size * 36 / 100);
                let lines = lines.iter().zip(baselines).map(|(line, y)| {
                    format!(r#"<text x="{x}" y="{y}" font-size="{size}"{tone}{anchor}>{}</text>"#, escape(line))
                });
                lines.collect::<Vec<_>>().concat()
            }
            Self::Dice { rows, side } => {
                let tops = (0..).map(|row| y + row * (side + spacing(*side)));
                let rows = rows.iter().zip(tops).map(|(row, y)| draw_row(row, x, y, width, *side));
                rows.collect::<Vec<_>>().concat()
            }
        }
    }
}

fn draw_row(row: &[Vec<u8>], x: u32, y: u32, width: u32, side: u32) -> String {
    let mut x = x + (width - row_width(row, side)) / 2;
    let mut dice = Vec::new();
    for group in row {
        for number in group {
            dice.push(format!(r##"<use href="#die-{number}" x="{x}" y="{y}" width="{side}" height="{side}"/>"##));
            x += side + spacing(side);
        }
        x += apart(group, side);
    }
    dice.concat()
}

impl TextStyle {
    const fn line(self) -> u32 {
        match self {
            Self::Sign => SIGN_HEIGHT,
            Self::Label | Self::Odds | Self::Note => LINE_HEIGHT,
        }
    }

    const fn tone(self) -> &'static str {
        match self {
            Self::Sign | Self::Label => r#" font-weight="700""#,
            Self::Odds => r#" font-weight="600""#,
            Self::Note => r#" fill-opacity=".9""#,
        }
    }
}

impl FittedText {
    pub(super) const fn alone(text: String, style: TextStyle, largest: u32) -> Self {
        Self { text, family: Vec::new(), style, largest }
    }

    fn fit(&self, width: u32, height: u32) -> Fitted {
        let size = |lines: usize| {
            let family = self.family.iter().chain([&self.text]);
            let widths = family.flat_map(|text| broken(text, lines)).map(ems);
            let across = width * 950 / widths.max().unwrap_or_default().max(1);
            let down = height * 100 / (self.style.line() * count(&broken(&self.text, lines)).max(1));
            across.min(down).min(self.largest)
        };
        let most = if self.style == TextStyle::Sign { 1 } else { MAX_LINES };
        // One more line must be worth it: the type grows by a fifth.
        let best = (2..=most).fold(1, |best, next| if size(next) * 5 > size(best) * 6 { next } else { best });
        let lines = broken(&self.text, best).into_iter().map(str::to_owned).collect();
        Fitted::Lines { lines, size: size(best), style: self.style }
    }
}

/// The text in lines of about the same width: fewer where it has fewer words.
fn broken(text: &str, lines: usize) -> Vec<&str> {
    let mut rest = text;
    let mut broken = Vec::new();
    for left in (2..=u32::try_from(lines).unwrap_or(1)).rev() {
        let share = ems(rest) / left;
        let spaces = rest.match_indices(' ').map(|(at, _)| at);
        let Some(at) = spaces.min_by_key(|at| ems(&rest[..*at]).abs_diff(share)) else { break };
        broken.push(&rest[..at]);
        rest = &rest[at + 1..];
    }
    broken.push(rest);
    broken
}

/// The groups in so many rows that the dice are largest.
fn pack(groups: &[Vec<u8>], width: u32, height: u32, largest: u32) -> Fitted {
    let fitted = (1..=groups.len()).map(|across| {
        let rows: Vec<Vec<Vec<u8>>> = groups.chunks(across).map(<[_]>::to_vec).collect();
        let lines = count(&rows);
        let side = (0..=largest).rev().find(|side| {
            lines * side + (lines - 1) * spacing(*side) <= height
                && rows.iter().all(|row| row_width(row, *side) <= width)
        });
        (rows, side.unwrap_or_default())
    });
    let (rows, side) = fitted.max_by_key(|(_, side)| *side).unwrap_or_default();
    Fitted::Dice { rows, side }
}

fn row_width(row: &[Vec<u8>], side: u32) -> u32 {
    let groups = row.iter().map(|group| count(group) * (side + spacing(side)) + apart(group, side));
    groups.sum::<u32>() - row.last().map_or(0, |last| spacing(side) + apart(last, side))
}

const fn spacing(side: u32) -> u32 {
    side / 9
}

const fn apart(group: &[u8], side: u32) -> u32 {
    if group.len() > 1 { side / 3 } else { 0 }
}

fn count<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

/// About how wide a text is in a wide serif type, in thousandths of its size.
pub(super) fn ems(text: &str) -> u32 {
    text.chars()
        .map(|character| match character {
            ' ' => 300,
            '\u{2002}' => 500,
            'i' | 'j' | 'l' | 't' | 'f' | 'r' | '(' | ')' | '.' | ',' | ':' | ';' | '\'' | '·' | '-' => 400,
            'm' | 'w' | 'M' | 'W' => 900,
            '0'..='9' => 570,
            'A'..='Z' => 720,
            _ if character.is_ascii() => 570,
            _ => 1000 * u32::try_from(character.width().unwrap_or_default().min(1)).unwrap_or_default(),
        })
        .sum()
}

/// Text for XML, with characters that XML cannot hold replaced.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ if character.is_control() => escaped.push('\u{fffd}'),
            _ => escaped.push(character),
        }
    }
    escaped
}
