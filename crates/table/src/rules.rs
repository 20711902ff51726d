//! What a table is played by: a game's layout, and the limits on display. It knows boxes and amounts, never who bets.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use taisai_rules::{BoxKey, BoxLimit, Game, Layout, LimitScope, Limits, Money, Station, UnknownLayout};

use crate::refusal::Refusal;

/// Which bets of a live table are registered. The chips lie on the layout either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Registration {
    /// All that lies there, before the close.
    #[default]
    EveryBet,
    /// After the dice, what lay at the close on boxes that win, and on boxes that lose and are over their maximum or Differential.
    Winners,
}

impl Registration {
    /// Both, by their names.
    pub const ALL: [(&str, Self); 2] = [("every-bet", Self::EveryBet), ("winners", Self::Winners)];

    /// Its name.
    pub const fn text(self) -> &'static str {
        match self {
            Self::EveryBet => "every-bet",
            Self::Winners => "winners",
        }
    }
}

/// A game whose bets are registered by the players themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("only a live table registers winners: at Player Terminals every bet is registered when it is placed")]
pub struct NotALiveTable;

/// A layout of a game, as a table is set up with.
#[derive(Clone, Debug)]
pub struct TableRules {
    game: Arc<Game>,
    layout: usize,
    registration: Registration,
}

impl TableRules {
    /// The layout of that letter.
    ///
    /// # Panics
    /// Never: a layout that was found stands among the game's.
    pub fn new(game: Arc<Game>, layout: &str) -> Result<Self, UnknownLayout> {
        let id = game.layout(layout)?.id();
        let place = game.layouts().iter().position(|layout| layout.id() == id).expect("it was found");
        Ok(Self { layout: place, game, registration: Registration::EveryBet })
    }

    /// The same table, registering so.
    pub fn registering(mut self, registration: Registration) -> Result<Self, NotALiveTable> {
        if registration == Registration::Winners && self.game.station() != Station::LiveTable {
            return Err(NotALiveTable);
        }
        self.registration = registration;
        Ok(self)
    }

    /// Which bets are registered.
    pub const fn registration(&self) -> Registration {
        self.registration
    }

    pub fn game(&self) -> &Game {
        &self.game
    }

    pub fn layout(&self) -> &Layout {
        &self.game.layouts()[self.layout]
    }
}

/// A limit for a kind or a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LimitEntry {
    pub boxes: BoxKey,
    /// The minimum, if there is one.
    pub min: Option<Money>,
    /// The maximum, if there is one.
    pub max: Option<Money>,
}

/// A minimum and a maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct LimitRange {
    /// The minimum.
    pub min: Money,
    /// The maximum.
    pub max: Money,
}

/// The limits on display, as they are set and recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TableLimits {
    /// The unit of stakes.
    pub unit: Money,
    /// Minimum and maximum of kinds and boxes.
    pub boxes: Vec<LimitEntry>,
    /// Minimum and maximum of every box that is not named.
    #[serde(default)]
    pub rest: Option<LimitRange>,
    /// The largest Differential.
    pub differential: Option<Money>,
}

impl TableLimits {
    /// The same with limits that no bet reaches wherever there is none, where the game has limits at all: a round opens only with a
    /// minimum and a maximum for every box, and a Differential where the game has one (3.3).
    #[must_use]
    pub fn widest(mut self, layout: &Layout) -> Self {
        /// A thousand million units.
        const MOST: i64 = 1_000_000_000;
        let Some(scope) = layout.limit_scope() else { return self };
        let unit = self.unit.cents();
        let (min, max) = (self.unit, Money::from_cents(unit.checked_mul(MOST).unwrap_or(unit)));
        for entry in &mut self.boxes {
            (entry.min, entry.max) = (entry.min.or(Some(min)), entry.max.or(Some(max)));
        }
        self.rest = self.rest.or(Some(LimitRange { min, max }));
        if scope == LimitScope::Box {
            self.differential = self.differential.or(Some(max));
        }
        self
    }

    /// The limits in use, if the layout can be played with them: they do not contradict, the game has them, and the
    /// unit pays whole cents on every box.
    pub fn check(&self, layout: &Layout) -> Result<Limits, Refusal> {
        let entry = |entry: &LimitEntry| (entry.boxes, BoxLimit { min: entry.min, max: entry.max });
        let mut boxes: Vec<_> = self.boxes.iter().map(entry).collect();
        if let Some(LimitRange { min, max }) = self.rest {
            let limit = BoxLimit { min: Some(min), max: Some(max) };
            for kind in layout.boxes().iter().map(|bet_box| BoxKey::Kind(bet_box.kind())) {
                if !boxes.iter().any(|(named, _)| *named == kind) {
                    boxes.push((kind, limit));
                }
            }
        }
        let limits = Limits::new(layout, self.unit, &boxes, self.differential).map_err(|_| Refusal::BadLimits)?;
        layout.check_unit(limits.unit()).map_err(|_| Refusal::BadLimits)?;
        Ok(limits)
    }
}
