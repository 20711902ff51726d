//! What screens are shown of the dealer's side of a table. The names are those of the game; amounts are whole cents.

use serde::{Deserialize, Serialize};
use taisai_rules::{BetBox, Dice, Face, Layout, Outcome};
use taisai_table::{
    PersonId, Phase, Position, Registration, Round, RoundNumber, TableId, TableLimits, Time, Unwitnessed, VoidReason,
};

/// How many results are shown (F63).
const RESULTS: u64 = 100;

/// What anyone at the table sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[expect(clippy::struct_excessive_bools, reason = "each is a lamp of its own on the screens")]
pub struct PublicView {
    table: TableId,
    game: String,
    layout: String,
    is_training: bool,
    /// Whether the game is the approved one of its name, unchanged.
    is_game_approved: bool,
    round: RoundNumber,
    phase: Phase,
    closes_at: Option<Time>,
    closure_announced: bool,
    is_held: bool,
    is_interrupted: bool,
    /// Which bets the table registers. Where only winners are, nothing that needs every bet is known: totals, meters, and the boxes
    /// below their minimum.
    registration: Registration,
    /// Whether the dice are committed and what wins is being registered: the phase is `result`, and nothing is paid yet.
    is_registering: bool,
    tumbles: Option<u8>,
    dealer: Option<PersonId>,
    limits: Option<TableLimits>,
    /// The result that came or changed last.
    latest: Option<ResultView>,
    /// The newest first. Only in a snapshot: afterwards `latest` tells what is added or changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    results: Option<Vec<ResultView>>,
}

/// A round that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ResultView {
    round: RoundNumber,
    dice: Option<Dice>,
    void: Option<VoidReason>,
    /// The boxes that win by the dice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    winners: Vec<BetBox>,
}

impl ResultView {
    fn of(round: &Round, number: RoundNumber, with_winners: bool) -> Option<Self> {
        let past = round.past(number)?;
        // 1.9: a round that is void has no result, also where it was voided late.
        let dice = past.dice.filter(|_| past.void.is_none());
        let winners = dice.filter(|_| with_winners).map_or_else(Vec::new, |dice| winners(round.rules().layout(), dice));
        Some(Self { round: number, dice, void: past.void, winners })
    }

    /// The last results, the newest first.
    pub(crate) fn last(round: &Round) -> Vec<Self> {
        // The round in play has none yet.
        let has_result = round.past(round.number()).is_some();
        let last = round.number().0.saturating_sub(u64::from(!has_result));
        let numbers = (last.saturating_sub(RESULTS - 1)..=last).rev().map(RoundNumber);
        numbers.filter_map(|number| Self::of(round, number, false)).collect()
    }
}

/// Whether a round is among the last results.
pub(super) fn is_shown(result: RoundNumber, round: &Round) -> bool {
    result.0 + RESULTS > round.number().0
}

/// Whether a box is lit when the dice are committed (F11).
pub fn is_lit(layout: &Layout, bet_box: BetBox, dice: Dice) -> bool {
    matches!(layout.outcome(bet_box, dice), Some(Outcome::Won(_)))
}

fn winners(layout: &Layout, dice: Dice) -> Vec<BetBox> {
    layout.boxes().iter().copied().filter(|bet_box| is_lit(layout, *bet_box, dice)).collect()
}

impl PublicView {
    /// The table as it stands; `latest` is the round whose result came or changed last.
    pub(crate) fn of(round: &Round, latest: Option<RoundNumber>) -> Self {
        Self {
            table: round.table(),
            game: round.rules().game().id().to_owned(),
            layout: round.rules().layout().id().to_owned(),
            is_training: round.is_training(),
            is_game_approved: round.rules().game().is_approved(),
            round: round.number(),
            phase: round.phase(),
            closes_at: round.closes_at(),
            closure_announced: round.is_closure_announced(),
            is_held: round.is_held(),
            is_interrupted: round.is_interrupted(),
            registration: round.rules().registration(),
            is_registering: round.is_registering(),
            tumbles: round.tumbles(),
            dealer: round.holder(Position::Dealer),
            limits: round.limits().cloned(),
            latest: latest.and_then(|latest| ResultView::of(round, latest, true)),
            results: None,
        }
    }

    /// With the last results, for a snapshot.
    #[must_use]
    pub fn with_results(&self, results: &[ResultView]) -> Self {
        Self { results: Some(results.to_vec()), ..self.clone() }
    }

    /// Adds the result that came or changed last to the last results.
    pub fn add_to(&self, results: &mut Vec<ResultView>) {
        let Some(latest) = &self.latest else { return };
        let latest = ResultView { winners: Vec::new(), ..latest.clone() };
        match results.binary_search_by(|result| latest.round.cmp(&result.round)) {
            Ok(found) => results[found] = latest,
            Err(place) => results.insert(place, latest),
        }
        // Rounds are shown by their numbers, so that a change of an old one does not push a newer one out.
        let newest = results.first().map_or(0, |result| result.round.0);
        results.retain(|result| result.round.0 + RESULTS > newest);
    }

    /// The phase of its round.
    pub const fn phase(&self) -> Phase {
        self.phase
    }
}

/// What the staff of the table see of the dealer's side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundStaffView {
    /// Who supervises.
    pub supervisor: Option<PersonId>,
    /// Who manages the pit.
    pub manager: Option<PersonId>,
    /// The dice set in use.
    pub dice_set: u32,
    /// The rulings whose money waits for a second person to witness them (5.14).
    pub unwitnessed: Vec<Unwitnessed>,
    /// The tumbler in use, by its device number.
    pub tumbler: u32,
    /// The dice sets that were found damaged and not inspected since (5.6).
    pub damaged_sets: Vec<u32>,
    /// The rounds of damaged dice that an earlier ruling decided, and that must be ruled on (5.6).
    pub to_be_ruled: Vec<RoundNumber>,
    /// Whether the dice are said to be covered.
    pub is_covered: bool,
    /// The dice known at an interruption: they bind (5.4.1).
    pub known: Vec<Face>,
    /// The faces that the tumbler or the Dealer has read, before they are committed.
    pub faces: Option<[Option<Face>; 3]>,
}

impl RoundStaffView {
    pub(crate) fn of(round: &Round) -> Self {
        Self {
            supervisor: round.holder(Position::Supervisor),
            manager: round.holder(Position::Manager),
            dice_set: round.dice_set(),
            unwitnessed: round.unwitnessed_rulings().to_vec(),
            tumbler: round.tumbler(),
            damaged_sets: round.damaged_sets().to_vec(),
            to_be_ruled: round.to_be_ruled().to_vec(),
            is_covered: round.is_covered(),
            known: round.known().to_vec(),
            faces: round.faces(),
        }
    }
}
