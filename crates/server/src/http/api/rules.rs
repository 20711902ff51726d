//! The approved rules of a game, paragraph by paragraph, with the pay tables (F84).

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use taisai_endpoint::endpoint;
use taisai_rules::{Citation, Game, Games, Layout, Passage, RulesText};

use crate::http::api::Routes;
use crate::http::denied::Denied;
use crate::http::request::PathParams;
use crate::server::SharedServer;

/// A text changes only with the program, so browsers may cache it for an hour.
const CACHE_CONTROL: &str = "public, max-age=3600";

pub(super) fn routes() -> Routes {
    Routes::of([rules::add_to])
}

/// The rules of a game.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct RulesView<'g> {
    /// The game with its version, as `tai-sai@6`.
    game: String,
    /// The text of the game's own document, then those of the documents that it follows where its own is silent.
    texts: Vec<TextView<'g>>,
}

/// The text of an approved document, in English as it was approved.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct TextView<'g> {
    /// A citation `003:5.3` is of document `003`; one without a document is of the game's own.
    document: &'g str,
    /// The name under which it was approved.
    approved: Option<&'g str>,
    /// The title page and the approval.
    opening: &'g [String],
    /// Repaired and doubtful readings of the scan.
    reading: &'g [String],
    /// In the order of reading.
    passages: Vec<PassageView<'g>>,
}

/// A part of a text.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct PassageView<'g> {
    /// The paragraph that it belongs to.
    number: &'g str,
    /// Whether it closes the paragraph, after the paragraph's own paragraphs.
    is_closing: bool,
    heading: Option<&'g str>,
    text: Option<&'g str>,
    pay_table: Option<PayTableView<'g>>,
}

/// A pay table as the document prints it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct PayTableView<'g> {
    title: &'g str,
    rows: Vec<PayTableRowView<'g>>,
}

/// A row of a pay table.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct PayTableRowView<'g> {
    #[serde(rename = "type")]
    name: &'g str,
    rules: &'g str,
    pays: &'g str,
}

impl<'g> RulesView<'g> {
    fn of(games: &'g Games, game: &'g Game) -> Self {
        let texts = games.texts_of(game).into_iter().map(|text| {
            // Two versions may share a document: take the pay tables of the requested game.
            let is_played = |known: &&Game| known.document() == text.document();
            TextView::of(text, std::iter::once(game).chain(games.iter()).find(is_played))
        });
        Self { game: format!("{}@{}", game.id(), game.version()), texts: texts.collect() }
    }
}

impl<'g> TextView<'g> {
    fn of(text: &'g RulesText, game: Option<&'g Game>) -> Self {
        let layouts = game.map(Game::layouts).unwrap_or_default();
        Self {
            document: text.document(),
            approved: game.map(Game::approved),
            opening: text.opening(),
            reading: text.reading(),
            passages: text.passages().into_iter().map(|passage| PassageView::of(passage, layouts)).collect(),
        }
    }
}

impl<'g> PassageView<'g> {
    fn of(Passage { number, is_closing, heading, text }: Passage<'g>, layouts: &'g [Layout]) -> Self {
        let is_here = |layout: &&Layout| layout.paragraph(Citation::PayTable).is_some_and(|at| at.text() == number);
        let layout = layouts.iter().find(is_here).filter(|_| !is_closing);
        let pay_table = layout.map(|layout| {
            let rows = layout.rows().iter();
            let rows = rows.map(|row| PayTableRowView { name: &row.name, rules: &row.rules, pays: &row.pays });
            PayTableView { title: layout.title(), rows: rows.collect() }
        });
        Self { number, is_closing, heading, text, pay_table }
    }
}

/// The approved rules of a game, and of the documents that it follows.
#[endpoint(
    get,
    "/games/{game}/rules",
    params(("game" = String, Path, description = "The game, like `tai-sai` or `tai-sai@6`")),
    responses((status = 200, body = RulesView), (status = 404, description = "There is no such game"))
)]
async fn rules(State(server): State<SharedServer>, PathParams(game): PathParams<String>) -> Result<Response, Denied> {
    let games = server.reports.known_games();
    let game = games.find(&game, None).map_err(|_| Denied::Unknown)?;
    Ok(([(header::CACHE_CONTROL, CACHE_CONTROL)], Json(RulesView::of(games, game))).into_response())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::{env, fs};

    use axum::http::StatusCode;

    use super::*;
    use crate::tests::running::RunningServer;

    #[tokio::test(flavor = "multi_thread")]
    async fn anyone_may_read_the_rules() {
        let house = RunningServer::start().await;
        let response = house.send("GET", "/games/tai-sai-classic/rules", None, 1, None).await;
        assert_eq!((response.status, &response.body["game"]), (StatusCode::OK, &"tai-sai-classic@1".into()));
        let documents: Vec<_> =
            response.body["texts"].as_array().unwrap().iter().map(|text| &text["document"]).collect();
        assert_eq!(documents, ["001", "003"]);
        let unknown = house.send("GET", "/games/craps/rules", None, 1, None).await;
        assert_eq!(unknown.status, StatusCode::NOT_FOUND);
        house.close().await;
    }

    #[test]
    fn every_pay_table_stands_with_its_paragraph() {
        for game in Games::embedded().iter() {
            let view = RulesView::of(Games::embedded(), game);
            let pay_tables = view.texts[0].passages.iter().filter_map(|passage| passage.pay_table.as_ref());
            let titles: Vec<_> = pay_tables.map(|table| table.title).collect();
            assert_eq!(titles, game.layouts().iter().map(Layout::title).collect::<Vec<_>>(), "{}", game.id());
        }
    }

    /// The mock of the screens uses the rules that this server sends.
    #[test]
    fn the_stand_in_house_of_the_screens_has_these_rules() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/mock/rules");
        for game in Games::embedded().iter() {
            let view = RulesView::of(Games::embedded(), game);
            let file = folder.join(format!("{}.json", view.game));
            let text = serde_json::to_string(&view).unwrap() + "\n";
            if env::var_os("BLESS").is_some() {
                fs::write(&file, &text).unwrap();
            }
            let is_the_same = fs::read_to_string(&file).is_ok_and(|known| known == text);
            assert!(is_the_same, "{} is not as the server sends it: run make bless", file.display());
        }
    }
}
