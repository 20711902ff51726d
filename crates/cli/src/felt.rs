//! Draws the felt of a layout as SVG. It decides how a felt looks; boxes, places, odds and texts come from the game.

mod cloth;
mod fit;

use cloth::Shade;
use fit::{FeltItem, FittedText, Side, TextStyle};
use taisai_rules::{Area, BetBox, BoxKind, Caption, Citation, Game, Language, Layout, PrintRole, PrintedLine, Rect};

/// Pixels of the picture for one unit of the felt.
const PIXELS_PER_UNIT: u32 = 10;
const SIDE_MARGIN: u32 = 84;
const TOP_MARGIN: u32 = 148;
const BOTTOM_MARGIN: u32 = 104;

/// The felt of a layout as a standalone SVG.
pub(crate) fn draw(game: &Game, layout: &Layout) -> String {
    let print = Print { game, layout };
    let felt = layout.felt();
    let frame = Rect {
        x: SIDE_MARGIN,
        y: TOP_MARGIN,
        width: felt.width() * PIXELS_PER_UNIT,
        height: felt.height() * PIXELS_PER_UNIT,
    };
    let captions = felt.captions().iter().map(|caption| print.caption(caption));
    let areas = felt.areas().iter().map(|area| print.area(*area));
    let drawn: Vec<_> = print.margins(frame).into_iter().chain(captions).chain(areas).collect();
    let name = format!("{}, layout {}: {}", print.title(), layout.id(), layout.title());
    cloth::lay(
        game.station(),
        &fit::escape(&name),
        frame,
        (frame.width + 2 * SIDE_MARGIN, TOP_MARGIN + frame.height + BOTTOM_MARGIN),
        &drawn,
    )
}

struct Print<'a> {
    game: &'a Game,
    layout: &'a Layout,
}

impl Print<'_> {
    fn margins(&self, frame: Rect) -> [String; 3] {
        let (game, layout) = (self.game, self.layout);
        let left = Rect { y: TOP_MARGIN - 92, width: frame.width * 11 / 20, height: 72, ..frame };
        let right = Rect { x: frame.x + frame.width * 12 / 20, width: frame.width * 8 / 20, ..left };
        let below = Rect { y: frame.y + frame.height + 20, height: 34, ..frame };
        let pay_table = format!("Layout {}\u{2002}{}", layout.id(), layout.title());
        let paragraph = layout.paragraph(Citation::PayTable).map(|paragraph| format!(", paragraph {paragraph}"));
        let paragraph = paragraph.unwrap_or_default();
        let source = format!("Document {}{paragraph} · Felt: {}", game.document(), layout.felt().source());
        [
            fit::words(left, &FittedText::alone(self.title(), TextStyle::Label, 58), Side::Start),
            fit::words(right, &FittedText::alone(pay_table, TextStyle::Note, 30), Side::End),
            fit::words(below, &FittedText::alone(source, TextStyle::Note, 20), Side::Middle),
        ]
    }

    fn area(&self, area: Area) -> String {
        let (bet_box, at) = (area.bet_box, placed(area.at));
        let label = self.game.label(bet_box, Language::English);
        let printed = self.layout.printed(bet_box).into_iter().map(|line| line.text);
        let title: Vec<_> = std::iter::once(label).chain(printed).collect();
        let drawn = self.contents(bet_box, inset(at), area.at.x * 2 >= self.layout.felt().width());
        format!(
            r#"<g class="area" data-box="{bet_box}"><title>{}</title>{}{drawn}</g>"#,
            fit::escape(&title.join(" · ")),
            cloth::cell(at, shade(bet_box.kind()))
        )
    }

    /// What stands in an area: its name and dice from the top down, then odds and notes.
    fn contents(&self, bet_box: BetBox, at: Rect, is_right: bool) -> String {
        let groups: Vec<_> = bet_box.numbers().iter().map(|number| vec![*number]).collect();
        match bet_box.kind() {
            BoxKind::Small | BoxKind::Big | BoxKind::Odd | BoxKind::Even => self.even_chance(bet_box, at, is_right),
            BoxKind::Single => {
                let words = self.lines(bet_box, [42, 28, 28]);
                if words.is_empty() {
                    return fit::stack(at, &[(0, FeltItem::Dice(groups, 92))]);
                }
                beside(at, 44, FeltItem::Dice(groups, 92), &words, false)
            }
            BoxKind::Sum => fit::stack(at, &self.with_name(bet_box, 76, 40)),
            BoxKind::Four => fit::stack(at, &self.with_name(bet_box, 54, 32)),
            BoxKind::Domino | BoxKind::Three | BoxKind::Pair => self.with_dice(bet_box, at, 30, (60, groups)),
            BoxKind::Double => self.with_dice(bet_box, at, 25, (76, [groups.clone(), groups].concat())),
            BoxKind::Triple => self.with_dice(bet_box, at, 30, (60, vec![bet_box.numbers().repeat(3)])),
            BoxKind::AnyTriple => self.with_dice(bet_box, at, 38, (60, (1..=6).map(|n| vec![n; 3]).collect())),
        }
    }

    /// The character with its words beside it, or above them where the area is high.
    fn even_chance(&self, bet_box: BetBox, at: Rect, is_right: bool) -> String {
        let sizes = |line: &PrintedLine| line.role == PrintRole::Character;
        let printed = self.layout.printed(bet_box);
        let words = self.lines(bet_box, [54, 28, 28]);
        let Some(place) = printed.iter().position(sizes) else { return fit::stack(at, &words) };
        let character = self.line(bet_box, place, TextStyle::Sign, 180);
        if at.width > at.height {
            return beside(at, 38, character, &words, is_right);
        }
        let shrunk = words.into_iter().map(|(share, item)| (share * 7 / 10, item));
        fit::stack(at, &std::iter::once((0, character)).chain(shrunk).collect::<Vec<_>>())
    }

    /// The name as large as there is room, then the other lines, which share what is given to them.
    fn with_name(&self, bet_box: BetBox, largest: u32, share: u32) -> Vec<(u32, FeltItem)> {
        let mut lines = self.lines(bet_box, [largest, 28, 28]);
        let others = u32::try_from(lines.len()).unwrap_or(1).saturating_sub(1).max(1);
        for (place, (given, item)) in lines.iter_mut().enumerate() {
            *given = if place == 0 { 0 } else { share / others };
            if let (0, FeltItem::Text(words)) = (place, item) {
                words.style = TextStyle::Sign;
            }
        }
        lines
    }

    /// Name, dice, and the other lines below them.
    fn with_dice(&self, bet_box: BetBox, at: Rect, name: u32, (largest, groups): (u32, Vec<Vec<u8>>)) -> String {
        let printed = self.layout.printed(bet_box);
        let named = printed.iter().take_while(|line| line.role == PrintRole::Name).count();
        let mut items = self.lines(bet_box, [name, 28, 28]);
        for (place, (share, _)) in items.iter_mut().enumerate() {
            *share = if place < named { 28 } else { 22 };
        }
        items.insert(named, (0, FeltItem::Dice(groups, largest)));
        fit::stack(at, &items)
    }

    /// The lines of a box but for its character, each with its share of the height. The sizes are the largest of names,
    /// odds and notes.
    fn lines(&self, bet_box: BetBox, [name, odds, note]: [u32; 3]) -> Vec<(u32, FeltItem)> {
        let printed = self.layout.printed(bet_box).into_iter().enumerate();
        let items = printed.filter_map(|(place, line)| match line.role {
            PrintRole::Character => None,
            PrintRole::Name => Some((26, self.line(bet_box, place, TextStyle::Label, name))),
            PrintRole::Odds => Some((20, self.line(bet_box, place, TextStyle::Odds, odds))),
            PrintRole::Note => Some((24, self.line(bet_box, place, TextStyle::Note, note))),
        });
        let items: Vec<_> = items.collect();
        let given: u32 = items.iter().map(|(share, _)| share).sum();
        items.into_iter().map(|(share, item)| (share * 100 / given.max(100), item)).collect()
    }

    /// A line of a box, as large as that of its whole kind and of its opposite can be.
    fn line(&self, bet_box: BetBox, place: usize, style: TextStyle, largest: u32) -> FeltItem {
        let text = |b: BetBox| self.layout.printed(b).into_iter().nth(place).map_or(String::new(), |line| line.text);
        let opposite = bet_box.opposite().into_iter().filter(|b| self.layout.has(*b));
        let family = self.layout.boxes_of(bet_box.kind()).chain(opposite).map(text).collect();
        FeltItem::Text(FittedText { text: text(bet_box), family, style, largest })
    }

    fn caption(&self, caption: &Caption) -> String {
        let at = placed(caption.at);
        let largest = if at.height > at.width { 38 } else { 32 };
        let words = FittedText::alone(self.layout.caption(caption).join("\u{2003}"), TextStyle::Odds, largest);
        let inner = inset(at);
        let drawn = if at.height > at.width {
            let left = caption.at.x * 2 < self.layout.felt().width();
            let turned = Rect { x: 0, y: 0, width: inner.height, height: inner.width };
            let (x, y, turn) =
                if left { (inner.x, inner.y + inner.height, 270) } else { (inner.x + inner.width, inner.y, 90) };
            let words = fit::words(turned, &words, Side::Middle);
            format!(r#"<g transform="translate({x} {y}) rotate({turn})">{words}</g>"#)
        } else {
            fit::words(inner, &words, Side::Middle)
        };
        format!(r#"<g class="caption" data-kind="{}">{}{drawn}</g>"#, caption.of, cloth::cell(at, Shade::Caption))
    }

    fn title(&self) -> String {
        [Language::English, Language::Traditional].map(|language| self.game.title().get(language)).join("\u{2002}")
    }
}

/// A sign or die with its words beside it: on the outer side of the felt, so that its two halves mirror each other.
fn beside(at: Rect, share: u32, sign: FeltItem, words: &[(u32, FeltItem)], is_right: bool) -> String {
    let width = at.width * share / 100;
    let (sign_x, words_x) = if is_right { (at.x + at.width - width, at.x) } else { (at.x, at.x + width) };
    fit::stack(Rect { x: sign_x, width, ..at }, &[(0, sign)])
        + &fit::stack(Rect { x: words_x, width: at.width - width, ..at }, words)
}

const fn shade(kind: BoxKind) -> Shade {
    match kind {
        BoxKind::Small | BoxKind::Big | BoxKind::Odd | BoxKind::Even => Shade::Light,
        BoxKind::Sum | BoxKind::Four | BoxKind::AnyTriple => Shade::Deep,
        BoxKind::Single | BoxKind::Domino | BoxKind::Double | BoxKind::Triple | BoxKind::Three | BoxKind::Pair => {
            Shade::Plain
        }
    }
}

const fn placed(at: Rect) -> Rect {
    Rect {
        x: SIDE_MARGIN + at.x * PIXELS_PER_UNIT,
        y: TOP_MARGIN + at.y * PIXELS_PER_UNIT,
        width: at.width * PIXELS_PER_UNIT,
        height: at.height * PIXELS_PER_UNIT,
    }
}

fn inset(at: Rect) -> Rect {
    let down = at.width.min(at.height) / 14;
    let across = down.max(at.width / 28);
    Rect { x: at.x + across, y: at.y + down, width: at.width - 2 * across, height: at.height - 2 * down }
}

#[cfg(test)]
mod tests {
    use taisai_rules::Games;

    use super::*;

    fn felts() -> Vec<(&'static Game, &'static Layout)> {
        Games::embedded().iter().flat_map(|game| game.layouts().iter().map(move |layout| (game, layout))).collect()
    }

    /// The tags of a picture with the text after each, their nesting and entities checked.
    fn tags(svg: &str) -> Vec<(&str, &str)> {
        let mut open = Vec::new();
        let tags: Vec<_> = svg.split('<').skip(1).map(|tag| tag.split_once('>').unwrap()).collect();
        for (tag, text) in &tags {
            assert!(!text.contains(['>', '"']) && tag.matches('"').count() % 2 == 0, "{tag} {text}");
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name)),
                None if tag.ends_with('/') => {}
                None => open.push(tag.split(' ').next().unwrap()),
            }
        }
        let entities = ["amp;", "lt;", "gt;", "quot;", "#39;"];
        assert!(svg.split('&').skip(1).all(|after| entities.iter().any(|entity| after.starts_with(entity))));
        assert!(open.is_empty() && !svg.contains(|c: char| c.is_control() && c != '\n'));
        tags
    }

    fn number(tag: &str, name: &str) -> u32 {
        let (_, after) = tag.split_once(&format!(" {name}=\"")).unwrap();
        after.split('"').next().unwrap().parse().unwrap()
    }

    /// Checks that words and dice of every area lie within its lines.
    fn check_nothing_spills(svg: &str) {
        for area in svg.lines().filter(|line| line.starts_with("<g class=\"area\"")) {
            let tags = tags(area);
            let extent = |tag: &str| {
                let (x, y) = (number(tag, "x"), number(tag, "y"));
                (x, y, x + number(tag, "width"), y + number(tag, "height"))
            };
            let (x, y, end, foot) = extent(tags.iter().find(|(tag, _)| tag.starts_with("rect ")).unwrap().0);
            for (tag, text) in tags {
                let (left, top, right, bottom) = match tag.split(' ').next() {
                    Some("use") => extent(tag),
                    Some("text") => {
                        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
                        let (size, half) =
                            (number(tag, "font-size"), fit::ems(&text) * number(tag, "font-size") / 2000);
                        let (x, y) = (number(tag, "x"), number(tag, "y"));
                        (x - half, y - size * 4 / 5, x + half, y + size / 5)
                    }
                    _ => continue,
                };
                assert!(x <= left && y <= top && right <= end && bottom <= foot, "{tag} {text} in {area}");
            }
        }
    }

    #[test]
    fn every_place_for_chips_is_drawn() {
        assert_eq!(felts().len(), 10);
        for (game, layout) in felts() {
            let svg = draw(game, layout);
            let areas = layout.felt().areas();
            for bet_box in layout.boxes() {
                let drawn = svg.matches(&format!("<g class=\"area\" data-box=\"{bet_box}\"><title>")).count();
                assert_eq!(drawn, areas.iter().filter(|area| area.bet_box == *bet_box).count(), "{bet_box}");
            }
            assert_eq!(svg.matches("data-box").count(), areas.len());
            assert!(svg.len() < 200_000);
            tags(&svg);
            check_nothing_spills(&svg);
        }
    }

    #[test]
    fn texts_of_a_game_shrink_and_are_escaped() {
        let file = include_str!("../../../games/tai-sai.toml")
            .replacen(r#"en = "Tai Sai""#, r#"en = "R&D <Sai> \"1\" \uffff""#, 1)
            .replacen(r#""DOUBLE {word}""#, r#"'Doubles & "the like", all <{word}>s of the whole table'"#, 1);
        let game = Game::from_toml(&file).unwrap();
        for layout in game.layouts() {
            let svg = draw(&game, layout);
            tags(&svg);
            check_nothing_spills(&svg);
            assert!(svg.contains("R&amp;D &lt;Sai&gt; &quot;1&quot; \u{fffd}"));
            let doubles =
                svg.matches("Doubles &amp; &quot;the like&quot;, all &lt;SIX&gt;s of the whole table").count();
            assert_eq!(doubles > 0, layout.id() == "A");
        }
    }

    /// The longest texts, odds and felts that the loader lets pass.
    #[test]
    fn the_longest_texts_are_drawn() {
        let long = |text: &str| text.repeat(200 / text.chars().count());
        let mut file = include_str!("../../../games/tai-sai.toml").to_owned();
        for (from, to) in [
            ("1 WINS {odds}", long("{odds}")),
            ("NUMBERS 11 TO 17", long("17 ")),
            ("LOSE IF ANY TRIPLE APPEARS", long("W")),
            ("圍骰通吃", long("骰")),
            ("DOUBLE {word}", long("{word}")),
            ("{and}", long("{and}")),
            ("Tai Sai Pay Table 2", long("骰")),
        ] {
            file = file.replace(&format!("\"{from}\""), &format!("\"{}\"", to.trim()));
        }
        // What is printed no more is no doubtful reading of it.
        let file: Vec<_> = file.lines().filter(|line| !line.contains(", scan = ")).collect();
        let file = file.join("\n");
        let game = Game::from_toml(&file).unwrap();
        for layout in game.layouts() {
            let svg = draw(&game, layout);
            tags(&svg);
            check_nothing_spills(&svg);
            assert!(svg.len() < 4_000_000, "{}", svg.len());
        }
    }
}
