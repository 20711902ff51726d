//! Draws the felt of a layout as a picture (SVG): what stands in each area, and the cloth around it. It decides how a
//! felt looks; every box, place, odds and text comes from the game, and it knows neither bets nor results.

mod cloth;
mod fit;

use cloth::Shade;
use fit::{Item, Side, Voice, Words};
use taisai_rules::{Area, BetBox, Caption, Citation, Game, Kind, Language, Layout, Odds, Rect};

/// Parts of the picture to a unit of the felt.
const UNIT: u32 = 10;
const SIDE: u32 = 84;
const TOP: u32 = 148;
const BOTTOM: u32 = 104;

/// The felt of a layout as a standalone SVG.
pub(crate) fn draw(game: &Game, layout: &Layout) -> String {
    let print = Print { game, layout };
    let felt = layout.felt();
    let frame = Rect { x: SIDE, y: TOP, width: felt.width() * UNIT, height: felt.height() * UNIT };
    let captions = felt.captions().iter().map(|caption| print.caption(*caption));
    let areas = felt.areas().iter().map(|area| print.area(*area));
    let drawn: Vec<_> = print.margins(frame).into_iter().chain(captions).chain(areas).collect();
    let name = format!("{}, layout {}: {}", print.title().join(" "), layout.id(), layout.title());
    cloth::lay(
        game.station(),
        &fit::escape(&name),
        frame,
        (frame.width + 2 * SIDE, TOP + frame.height + BOTTOM),
        &drawn,
    )
}

struct Print<'a> {
    game: &'a Game,
    layout: &'a Layout,
}

impl Print<'_> {
    /// What the felt is printed in.
    fn printed(&self) -> [Language; 2] {
        [Language::English, self.layout.felt().chinese()]
    }

    fn margins(&self, frame: Rect) -> [String; 3] {
        let (game, layout) = (self.game, self.layout);
        let left = Rect { y: TOP - 92, width: frame.width * 11 / 20, height: 72, ..frame };
        let right = Rect { x: frame.x + frame.width * 12 / 20, width: frame.width * 8 / 20, ..left };
        let below = Rect { y: frame.y + frame.height + 20, height: 34, ..frame };
        let pay_table = [format!("Layout {}", layout.id()), layout.title().to_owned()];
        let paragraph = layout.paragraph(Citation::PayTable).map(|paragraph| format!(", paragraph {paragraph}"));
        let paragraph = paragraph.unwrap_or_default();
        let source = format!("Document {}{paragraph} · Felt: {}", game.document(), layout.felt().source());
        [
            fit::words(left, &Words::alone(self.title(), Voice::Label, 58), Side::Start),
            fit::words(right, &Words::alone(pay_table, Voice::Note, 30), Side::End),
            fit::words(below, &Words::alone([source, String::new()], Voice::Note, 20), Side::Middle),
        ]
    }

    fn area(&self, area: Area) -> String {
        let (bet_box, at) = (area.bet_box, placed(area.at));
        let title = [self.label(bet_box), self.pays(bet_box)].concat();
        let title: Vec<_> = title.into_iter().filter(|text| !text.is_empty()).collect();
        let drawn = self.contents(bet_box, inset(at), area.at.x * 2 >= self.layout.felt().width());
        format!(
            r#"<g class="area" data-box="{bet_box}"><title>{}</title>{}{drawn}</g>"#,
            fit::escape(&title.join(" · ")),
            cloth::cell(at, shade(bet_box.kind()))
        )
    }

    /// What stands in an area: its sign, label or dice from the top down, then the notes.
    fn contents(&self, bet_box: BetBox, at: Rect, is_right: bool) -> String {
        let mut notes = self.notes(bet_box);
        let label = |largest| self.words(bet_box, Voice::Label, largest, |b| self.label(b));
        let sign = |largest| self.words(bet_box, Voice::Sign, largest, |b| self.label(b));
        let dice = |largest, groups| Item::Dice(groups, largest);
        let each = bet_box.numbers().iter().map(|number| vec![*number]);
        let mut items = match bet_box.kind() {
            Kind::Small | Kind::Big | Kind::Odd | Kind::Even => {
                let only = |language| move |b| [self.game.label(b, language), String::new()];
                let sign = self.words(bet_box, Voice::Sign, 180, only(self.layout.felt().chinese()));
                notes.insert(0, (22, self.words(bet_box, Voice::Label, 54, only(Language::English))));
                if at.width > at.height {
                    return beside(at, 38, sign, &notes, is_right);
                }
                for (share, _) in &mut notes {
                    *share = *share * 7 / 10;
                }
                vec![(0, sign)]
            }
            Kind::Single => {
                notes.insert(0, (0, label(42)));
                return beside(at, 44, dice(92, each.collect()), &notes, false);
            }
            Kind::Sum => vec![(0, sign(76))],
            Kind::Four => vec![(0, sign(54))],
            Kind::Domino | Kind::Three | Kind::Pair => vec![(0, dice(60, each.collect()))],
            Kind::Double => vec![(30, label(25)), (0, dice(76, each.clone().chain(each).collect()))],
            Kind::Triple => vec![(28, label(30)), (0, dice(60, vec![bet_box.numbers().repeat(3)]))],
            Kind::AnyTriple => {
                vec![(24, label(38)), (0, dice(60, (1..=6).map(|number| vec![number; 3]).collect()))]
            }
        };
        items.append(&mut notes);
        fit::stack(at, &items)
    }

    /// What is printed below or beside the label: sums, odds, and that a triple loses.
    fn notes(&self, bet_box: BetBox) -> Vec<(u32, Item)> {
        let note = |share, voice, text: &dyn Fn(BetBox) -> [String; 2]| (share, self.words(bet_box, voice, 28, text));
        let mut notes = Vec::new();
        if self.range(bet_box).is_some() {
            notes.push(note(23, Voice::Note, &|b| self.range(b).unwrap_or_default()));
        }
        if !self.is_told_by_caption(bet_box.kind()) {
            let share = match bet_box.kind() {
                Kind::Sum => 40,
                Kind::Four => 32,
                Kind::Small | Kind::Big | Kind::Odd | Kind::Even | Kind::Single => 20,
                Kind::Domino | Kind::Double | Kind::AnyTriple | Kind::Triple | Kind::Three | Kind::Pair => 22,
            };
            notes.push(note(share, Voice::Odds, &|b| self.pays(b)));
        }
        if self.layout.loses_to_triple(bet_box) {
            let phrase = self.printed().map(|language| self.game.phrases().triple_loses.get(language).to_owned());
            notes.push(note(34, Voice::Note, &|_| phrase.clone()));
        }
        notes
    }

    fn caption(&self, caption: Caption) -> String {
        let at = placed(caption.at);
        let told = self.boxes_of(caption.of).map(|b| self.pays(b)).collect::<Vec<_>>();
        let texts = [0, 1].map(|language| {
            let mut told: Vec<_> = told.iter().map(|texts| texts[language].as_str()).collect();
            told.dedup();
            told.join(" · ")
        });
        let words = Words::alone(texts, Voice::Odds, if at.height > at.width { 38 } else { 32 });
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

    fn words(&self, bet_box: BetBox, voice: Voice, largest: u32, text: impl Fn(BetBox) -> [String; 2]) -> Item {
        let opposite = bet_box.opposite().into_iter().filter(|b| self.layout.has(*b));
        let family = self.boxes_of(bet_box.kind()).chain(opposite).map(&text).collect();
        Item::Words(Words { texts: text(bet_box), family, voice, largest })
    }

    fn boxes_of(&self, kind: Kind) -> impl Iterator<Item = BetBox> {
        self.layout.boxes().iter().copied().filter(move |bet_box| bet_box.kind() == kind)
    }

    fn title(&self) -> [String; 2] {
        self.printed().map(|language| self.game.title().get(language).to_owned())
    }

    /// The label in English and Chinese; once where they are the same.
    fn label(&self, bet_box: BetBox) -> [String; 2] {
        let [english, chinese] = self.printed().map(|language| self.game.label(bet_box, language));
        let chinese = if chinese == english { String::new() } else { chinese };
        [english, chinese]
    }

    fn pays(&self, bet_box: BetBox) -> [String; 2] {
        let odds: Vec<_> = self.layout.pays(bet_box).map(shown).collect();
        let phrases = self.game.phrases();
        self.printed().map(|language| {
            let wins = odds.iter().map(|odds| phrases.wins.fill(language, &[("odds", odds)]));
            if odds.len() == 1 {
                return wins.collect();
            }
            let on_dice = (1..).map(|count: u8| phrases.on_dice.fill(language, &[("count", &count.to_string())]));
            let each = wins.zip(on_dice).map(|(wins, on_dice)| match language {
                Language::English => format!("{wins} {on_dice}"),
                Language::Simplified | Language::Traditional => format!("{on_dice}{wins}"),
            });
            each.collect::<Vec<_>>().join(" · ")
        })
    }

    /// The sums with which a box wins, if they follow each other and are not its label already.
    fn range(&self, bet_box: BetBox) -> Option<[String; 2]> {
        let (from, to) = self.layout.range(bet_box)?;
        let values = [("from", &*from.to_string()), ("to", &*to.to_string())];
        Some(self.printed().map(|language| self.game.phrases().range.fill(language, &values)))
    }

    /// Whether the kind's odds are printed once for all its boxes, and are the same for all.
    fn is_told_by_caption(&self, kind: Kind) -> bool {
        let mut pays = self.boxes_of(kind).map(|b| self.layout.pays(b).collect::<Vec<_>>());
        let first = pays.next();
        self.layout.felt().captions().iter().any(|caption| caption.of == kind) && pays.all(|odds| Some(odds) == first)
    }
}

/// Odds as printed: `8½`, or decimals where there is no such sign.
fn shown(odds: Odds) -> String {
    let hundredths = odds.numerator() * 100 / odds.denominator();
    let whole = match hundredths / 100 {
        0 => String::new(),
        whole => whole.to_string(),
    };
    match hundredths % 100 {
        0 => whole,
        25 => whole + "¼",
        50 => whole + "½",
        75 => whole + "¾",
        rest => format!("{}.{rest:02}", hundredths / 100).trim_end_matches('0').to_owned(),
    }
}

/// A sign or die with its words beside it: on the outer side of the felt, so that its two halves mirror each other.
fn beside(at: Rect, share: u32, sign: Item, words: &[(u32, Item)], is_right: bool) -> String {
    let width = at.width * share / 100;
    let (sign_x, words_x) = if is_right { (at.x + at.width - width, at.x) } else { (at.x, at.x + width) };
    fit::stack(Rect { x: sign_x, width, ..at }, &[(0, sign)])
        + &fit::stack(Rect { x: words_x, width: at.width - width, ..at }, words)
}

const fn shade(kind: Kind) -> Shade {
    match kind {
        Kind::Small | Kind::Big | Kind::Odd | Kind::Even => Shade::Light,
        Kind::Sum | Kind::Four | Kind::AnyTriple => Shade::Deep,
        Kind::Single | Kind::Domino | Kind::Double | Kind::Triple | Kind::Three | Kind::Pair => Shade::Plain,
    }
}

const fn placed(at: Rect) -> Rect {
    Rect { x: SIDE + at.x * UNIT, y: TOP + at.y * UNIT, width: at.width * UNIT, height: at.height * UNIT }
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
            .replacen(r#"en = "Double {word}""#, r#"en = 'Doubles & "the like", all <{word}>s of the whole table'"#, 1);
        let game = Game::from_toml(&file).unwrap();
        for layout in game.layouts() {
            let svg = draw(&game, layout);
            tags(&svg);
            check_nothing_spills(&svg);
            assert!(svg.contains("R&amp;D &lt;Sai&gt; &quot;1&quot; \u{fffd}"));
            let doubles =
                svg.matches("Doubles &amp; &quot;the like&quot;, all &lt;Six&gt;s of the whole table").count();
            assert_eq!(doubles > 0, layout.has("double:6".parse().unwrap()));
        }
    }

    /// The longest texts, odds and felts that the loader lets pass.
    #[test]
    fn the_longest_texts_are_drawn() {
        let long = |text: &str| text.repeat(200 / text.chars().count());
        let mut file = include_str!("../../../games/tai-sai.toml").to_owned();
        for (from, to) in [
            ("1 wins {odds}", long("{odds}")),
            ("一赢{odds}", long("赢{odds}")),
            ("on {count} dice", long("{count}")),
            ("Numbers {from} to {to}", long("{from}-{to} ")),
            ("Lose if any triple appears", long("W")),
            ("Double {word}", long("{word}")),
            ("{and}", long("{and}")),
            ("Tai Sai Pay Table 2", long("骰")),
        ] {
            file = file.replace(&format!("\"{from}\""), &format!("\"{to}\""));
        }
        let game = Game::from_toml(&file).unwrap();
        for layout in game.layouts() {
            let svg = draw(&game, layout);
            tags(&svg);
            check_nothing_spills(&svg);
            assert!(svg.len() < 4_000_000, "{}", svg.len());
        }
    }

    #[test]
    fn texts_say_what_the_boxes_do() {
        let print = |name: &str| {
            let game = Games::embedded().find(name, None).unwrap();
            Print { game, layout: &game.layouts()[0] }
        };
        let (live, terminals) = (print("tai-sai@6"), print("sic-bo-etg@2"));
        assert_eq!(live.range(BetBox::BIG).unwrap(), ["Numbers 11 to 17", "11點至17點"]);
        assert_eq!(live.range(BetBox::SMALL).unwrap(), ["Numbers 4 to 10", "4點至10點"]);
        assert_eq!(terminals.range(BetBox::ODD), None);
        assert!(
            terminals.layout.loses_to_triple(BetBox::ODD)
                && !terminals.layout.loses_to_triple("sum:6".parse().unwrap())
        );
        assert_eq!(terminals.pays("sum:8".parse().unwrap()), ["1 wins 8½", "一赢8½"]);
        let single = "1 wins 1 on 1 dice · 1 wins 2 on 2 dice · 1 wins 12 on 3 dice";
        assert_eq!(live.pays("single:1".parse().unwrap()), [single, "1骰一贏1 · 2骰一贏2 · 3骰一贏12"]);
        assert!(live.is_told_by_caption(Kind::Double) && !live.is_told_by_caption(Kind::Sum));
        for (odds, text) in
            [("12 to 1", "12"), ("0.5 to 1", "½"), ("7.25 to 1", "7¼"), ("0.95 to 1", "0.95"), ("1.1 to 1", "1.1")]
        {
            assert_eq!(shown(odds.parse().unwrap()), text);
        }
    }
}
