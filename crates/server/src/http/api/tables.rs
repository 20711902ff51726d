//! The tables over HTTP: their list, their public views and their layouts.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use serde_json::Value;
use taisai_endpoint::endpoint;
use taisai_engine::is_lit;
use taisai_rules::{
    BetBox, Chances, Cover, Dice, Game, Language, Layout, LimitScope, PrintRole, PrintedLine, Rect, Rule, Station,
};
use taisai_table::{House, Phase, Registration, Round, TableId};

use crate::config::{name_key, table_name};
use crate::http::api::Routes;
use crate::http::denied::Denied;
use crate::http::request::PathParams;
use crate::node::TablePlan;
use crate::server::{Server, SharedServer};

pub(super) fn routes() -> Routes {
    Routes::of([tables::add_to, table::add_to, layout::add_to])
}

/// A text in the languages of the casino.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct InLanguages {
    en: String,
    #[serde(rename = "zh-Hans")]
    simplified: String,
    #[serde(rename = "zh-Hant")]
    traditional: String,
}

impl InLanguages {
    fn of(text: impl Fn(Language) -> String) -> Self {
        Self {
            en: text(Language::English),
            simplified: text(Language::Simplified),
            traditional: text(Language::Traditional),
        }
    }
}

/// A table of the casino.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct TableView {
    table: u16,
    /// What the casino calls it.
    name: String,
    /// The game with its version, as `tai-sai@6`.
    game: String,
    title: InLanguages,
    layout: String,
    phase: Phase,
    is_training: bool,
    /// Whether the game is the approved one of its name, unchanged.
    is_game_approved: bool,
    /// How many seats or terminals each of its clusters has.
    seats: Vec<u32>,
    /// Whether bets are placed at terminals, or with chips on the layout.
    has_terminals: bool,
    /// Which bets are registered.
    registration: Registration,
    /// Why the table stays closed: its record, or a part of it, cannot be read. Its game may not be known then.
    not_open: Option<String>,
}

fn view(round: &Round, name: String, seats: Vec<u32>, not_open: Option<String>) -> TableView {
    let game = round.rules().game();
    TableView {
        table: round.table().0,
        name,
        game: game_name(game),
        title: InLanguages::of(|language| game.title().get(language).to_owned()),
        layout: round.rules().layout().id().to_owned(),
        phase: round.phase(),
        is_training: round.is_training(),
        is_game_approved: game.is_approved(),
        seats,
        has_terminals: game.station() == Station::PlayerTerminals,
        registration: round.rules().registration(),
        not_open,
    }
}

/// A table that does not run, as far as it is known.
fn closed_view(table: TableId, is_training: bool, plan: Option<&TablePlan>, name: String, why: String) -> TableView {
    let game = plan.and_then(|plan| Game::from_toml(&plan.game).ok());
    let title = |language| game.as_ref().map_or_else(String::new, |game| game.title().get(language).to_owned());
    TableView {
        table: table.0,
        name,
        game: game.as_ref().map_or_else(String::new, game_name),
        title: InLanguages::of(title),
        layout: plan.map_or_else(String::new, |plan| plan.layout.clone()),
        phase: Phase::Shut,
        is_training,
        is_game_approved: game.as_ref().is_none_or(Game::is_approved),
        seats: plan.map_or_else(Vec::new, |plan| plan.seats.iter().map(|seats| seats.saturating_sub(1)).collect()),
        has_terminals: game.as_ref().is_some_and(|game| game.station() == Station::PlayerTerminals),
        registration: plan.map_or(Registration::EveryBet, |plan| plan.registration),
        not_open: Some(why),
    }
}

fn game_name(game: &Game) -> String {
    format!("{}@{}", game.id(), game.version())
}

/// The tables of the casino.
#[endpoint(get, "/tables", responses((status = 200, body = Vec<TableView>)))]
async fn tables(State(server): State<SharedServer>) -> Result<Json<Vec<Value>>, Denied> {
    let mut tables = tables_here(&server).await?;
    if let Some(peers) = &server.peers {
        tables.extend(peers.gather("/api/v1/node/tables").await);
        tables = each_once(tables);
    }
    Ok(Json(tables))
}

/// Each table once, in order: as it runs, where it runs, with what any node says of why it is not open.
fn each_once(mut tables: Vec<Value>) -> Vec<Value> {
    let mut once: Vec<Value> = Vec::new();
    tables.sort_by_key(|table| (table["table"].as_u64(), table["not_open"].is_string()));
    for mut table in tables {
        match once.last_mut().filter(|last| last["table"] == table["table"]) {
            Some(last) if last["not_open"].is_null() => last["not_open"] = table["not_open"].take(),
            Some(_) => {}
            None => once.push(table),
        }
    }
    once
}

/// The tables that run here, and those that this node cannot open, in order.
pub(crate) async fn tables_here(server: &Server) -> Result<Vec<Value>, Denied> {
    let recorded = |house: &House| {
        let configuration = house.configuration().map(|(key, value)| (key.to_owned(), value.to_owned()));
        let training = house.tables().map(|(table, on_file)| (table, on_file.is_training));
        (configuration.collect::<BTreeMap<_, _>>(), training.collect::<BTreeMap<_, _>>())
    };
    let (recorded, training) = server.node.house().read(recorded).await?;
    let name = |table: TableId| table_name(&server.seed, table, recorded.get(&name_key(table.0)));
    let mut closed = server.node.unopened().closed_tables();
    let mut tables = Vec::new();
    for (table, handle) in server.node.tables() {
        let (name, seats, not_open) = (name(table), server.node.places(table), closed.remove(&table));
        tables.push(handle.read_round(move |round| view(round, name, seats, not_open)).await?);
    }
    for (table, why) in closed {
        let is_training = training.get(&table).copied().unwrap_or(server.place.is_training);
        tables.push(closed_view(table, is_training, server.node.plan(table), name(table), why));
    }
    tables.sort_by_key(|view| view.table);
    Ok(tables.into_iter().map(|view| serde_json::to_value(view).expect("a view can be written down")).collect())
}

/// A table as anyone at it sees it: what its display shows.
#[endpoint(
    get,
    "/tables/{table}",
    params(("table" = u16, Path, description = "The table")),
    responses((status = 200, body = crate::http::api::WholePublic), (status = 404, description = "There is no such table"))
)]
async fn table(State(server): State<SharedServer>, PathParams(table): PathParams<u16>) -> Result<Json<Value>, Denied> {
    let (table, handle) = (TableId(table), server.table(TableId(table))?);
    if !server.lease.holds() {
        return Err(Denied::Elsewhere);
    }
    if server.node.public(table).is_none() {
        // The table has only started: its first batch publishes the view.
        handle.read(|_| ()).await?;
    }
    server.node.public(table).map(Json).ok_or(Denied::Unknown)
}

/// A layout, as it is drawn and as it pays.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of the game")]
pub(crate) struct LayoutView {
    game: String,
    title: InLanguages,
    /// The document that approved it.
    approved: String,
    layout: String,
    pay_table: String,
    /// Whether bets are placed at terminals, or with chips on the layout.
    has_terminals: bool,
    /// Whether the dice are shaken under a cover before bets are placed.
    is_covered: bool,
    /// Whether limits are on display.
    has_limits: bool,
    /// Whether a Differential is among them (1.3).
    has_differential: bool,
    /// The paragraphs behind each rule of the round that the game has, by the rule's key in the game's file.
    paragraphs: BTreeMap<&'static str, Vec<String>>,
    width: u32,
    height: u32,
    areas: Vec<AreaView>,
    captions: Vec<CaptionView>,
    boxes: Vec<BoxView>,
}

/// A place for chips.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct AreaView {
    #[serde(rename = "box")]
    bet_box: BetBox,
    x: u32,
    y: u32,
    width: u32,
    height: u32,
}

/// What is printed once for all boxes of a kind, mostly their odds.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct CaptionView {
    /// Boxes of the kind.
    of: Vec<BetBox>,
    /// What it says, from left to right.
    words: Vec<String>,
    x: u32,
    y: u32,
    width: u32,
    height: u32,
}

/// A box: what it is called and what it pays (F61).
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct BoxView {
    #[serde(rename = "box")]
    bet_box: BetBox,
    label: InLanguages,
    /// What it pays to one: one entry, or three for one, two and three dice.
    pays: Vec<String>,
    /// How many of the 216 throws win.
    ways: u8,
    /// The casino's exact edge, as a fraction.
    edge: String,
    /// What the felt prints on it, line by line.
    printed: Vec<PrintedView>,
    /// The throws that light it, with their faces in rising order: `113`.
    lit_by: Vec<String>,
}

/// A line of print.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct PrintedView {
    role: RoleView,
    text: String,
}

/// What a line of print is: the box's name or numbers, one large Chinese character, what it pays, or anything else.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(utoipa::ToSchema))]
enum RoleView {
    Name,
    Character,
    Odds,
    Note,
}

impl From<PrintRole> for RoleView {
    fn from(role: PrintRole) -> Self {
        match role {
            PrintRole::Name => Self::Name,
            PrintRole::Character => Self::Character,
            PrintRole::Odds => Self::Odds,
            PrintRole::Note => Self::Note,
        }
    }
}

impl LayoutView {
    fn of(game: &Game, layout: &Layout) -> Self {
        let felt = layout.felt();
        let area = |bet_box, Rect { x, y, width, height }| AreaView { bet_box, x, y, width, height };
        let boxes = layout.boxes().iter().filter_map(|bet_box| {
            let Chances { ways, edge, .. } = layout.chances(*bet_box)?;
            Some(BoxView {
                bet_box: *bet_box,
                label: InLanguages::of(|language| game.label(*bet_box, language)),
                pays: layout.pays(*bet_box).map(|odds| odds.to_string()).collect(),
                ways,
                edge: edge.to_string(),
                printed: layout.printed(*bet_box).into_iter().map(printed_view).collect(),
                lit_by: lit_by(layout, *bet_box),
            })
        });
        let paragraphs = Rule::ALL.into_iter().filter_map(|rule| {
            let cited: Vec<String> = game.paragraphs(rule).iter().map(ToString::to_string).collect();
            (!cited.is_empty()).then_some((rule.key(), cited))
        });
        let captions = felt.captions().iter().map(|caption| {
            let Rect { x, y, width, height } = caption.at;
            CaptionView {
                of: layout.boxes_of(caption.of).collect(),
                words: layout.caption(caption),
                x,
                y,
                width,
                height,
            }
        });
        Self {
            game: game_name(game),
            title: InLanguages::of(|language| game.title().get(language).to_owned()),
            approved: game.approved().to_string(),
            layout: layout.id().to_owned(),
            pay_table: layout.title().to_owned(),
            has_terminals: game.station() == Station::PlayerTerminals,
            is_covered: game.cover() == Cover::Covered,
            has_limits: layout.limit_scope().is_some(),
            has_differential: layout.limit_scope() == Some(LimitScope::Box),
            paragraphs: paragraphs.collect(),
            width: felt.width(),
            height: felt.height(),
            areas: felt.areas().iter().map(|of| area(of.bet_box, of.at)).collect(),
            captions: captions.collect(),
            boxes: boxes.collect(),
        }
    }
}

fn printed_view(line: PrintedLine) -> PrintedView {
    PrintedView { role: line.role.into(), text: line.text }
}

fn lit_by(layout: &Layout, bet_box: BetBox) -> Vec<String> {
    let is_in_order = |dice: &Dice| dice.faces().is_sorted();
    let is_lit = |dice: &Dice| is_lit(layout, bet_box, *dice);
    let throws = Dice::all().filter(is_in_order).filter(is_lit);
    throws.map(|dice| dice.to_string().replace(' ', "")).collect()
}

/// How a table is laid out, and what each box pays.
#[endpoint(
    get,
    "/tables/{table}/layout",
    params(("table" = u16, Path, description = "The table")),
    responses((status = 200, body = LayoutView), (status = 404, description = "There is no such table"))
)]
async fn layout(
    State(server): State<SharedServer>,
    PathParams(table): PathParams<u16>,
) -> Result<Json<LayoutView>, Denied> {
    let handle = server.table(TableId(table))?;
    let view = |round: &Round| LayoutView::of(round.rules().game(), round.rules().layout());
    Ok(Json(handle.read_round(view).await?))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::{env, fs};

    use taisai_rules::Games;

    use super::*;
    use crate::auth::TimeOuts;
    use crate::tests::running::RunningServer;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_table_whose_record_is_damaged_is_listed_as_closed_with_the_reason() {
        let house = RunningServer::start().await;
        assert_eq!(house.get("/tables", "").await.body[0]["not_open"], Value::Null);
        let folder = house.close().await;
        let store = rusqlite::Connection::open(folder.path().join("data/journal.db")).unwrap();
        let damage = "update blocks set block = zeroblob(length(block)) where position = 2 \
                      and chain = (select id from chains where name = 'table-1-0')";
        assert_eq!(store.execute(damage, []).unwrap(), 1);
        drop(store);
        let house = RunningServer::open(folder, TimeOuts::default()).await;
        let listed = house.get("/tables", "").await.body;
        let why = listed[0]["not_open"].as_str().unwrap_or_default();
        assert!(why.starts_with("chain table-1-0, block 2: "), "{listed}");
        assert_eq!((&listed[0]["game"], &listed[0]["phase"]), (&"sic-bo-etg@2".into(), &"shut".into()), "{listed}");
        for path in ["/tables/1", "/tables/1/layout"] {
            let denied = house.get(path, "").await;
            assert_eq!((denied.status.as_u16(), denied.code()), (503, "record-unreadable"), "{path}");
        }
        house.close().await;
    }

    #[test]
    fn a_table_is_listed_once_with_what_any_node_says_of_it() {
        let of = |table: u16, not_open: Option<&str>| serde_json::json!({ "table": table, "not_open": not_open });
        let listed =
            each_once(vec![of(2, None), of(1, Some("block 7")), of(1, None), of(3, Some("a")), of(3, Some("a"))]);
        assert_eq!(listed, [of(1, Some("block 7")), of(2, None), of(3, Some("a"))]);
    }

    /// The mock of the screens uses the layouts that this server sends.
    #[test]
    fn the_stand_in_house_of_the_screens_has_these_layouts() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/mock/layouts");
        let mut written = 0;
        for game in Games::embedded().iter() {
            for layout in game.layouts() {
                let file = folder.join(format!("{}-{}.json", game.id(), layout.id()));
                let text = serde_json::to_string(&LayoutView::of(game, layout)).unwrap() + "\n";
                if env::var_os("BLESS").is_some() {
                    fs::write(&file, &text).unwrap();
                }
                let is_the_same = fs::read_to_string(&file).is_ok_and(|known| known == text);
                assert!(is_the_same, "{} is not as the server sends it: run make bless", file.display());
                written += 1;
            }
        }
        assert_eq!(written, 10);
    }
}
