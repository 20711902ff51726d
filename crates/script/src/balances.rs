//! What every seat has at the end of a script, and the books of the table and of the House.

use serde::Serialize;
use taisai_rules::{Money, Station};
use taisai_table::{Account, Seat};

use crate::installation::ScriptInstallation;

#[derive(Serialize)]
pub struct SeatBalance {
    pub seat: Seat,
    /// Free credits of a terminal.
    pub credits: Money,
    /// Colour Chips in front of the player.
    pub colour_chips: Money,
    pub on_layout: Money,
    /// Over all rounds; negative if the seat lost.
    pub result: Money,
}

#[derive(Serialize)]
pub struct AccountBalance {
    pub account: &'static str,
    pub balance: Money,
}

/// Every seat that played, and the books of the table and of the House.
#[derive(Serialize)]
pub struct Balances {
    pub seats: Vec<SeatBalance>,
    pub table: Vec<AccountBalance>,
    pub house: Vec<AccountBalance>,
    #[serde(skip)]
    pub has_terminals: bool,
}

impl Balances {
    pub(crate) fn of(installation: &ScriptInstallation) -> Self {
        let cluster = installation.cluster();
        let has_played = |seat: &Seat| {
            installation.results.contains_key(seat)
                || cluster.session(*seat).is_some()
                || cluster.seat_meters(*seat) != taisai_table::Meters::default()
        };
        let seat = |seat: Seat| SeatBalance {
            seat,
            credits: cluster.credits(seat),
            colour_chips: cluster.colour(seat).map_or(Money::ZERO, |set| set.credits),
            on_layout: cluster.on_layout(seat),
            result: installation.results.get(&seat).copied().unwrap_or_default(),
        };
        let seats: Vec<_> = installation.seats().filter(has_played).map(seat).collect();
        let total = |of: fn(&SeatBalance) -> Money| Money::from_cents(seats.iter().map(|seat| of(seat).cents()).sum());
        let ledger = cluster.ledger();
        let table = [
            ("the House's result", ledger.house),
            ("cash taken in", ledger.cash),
            ("notes in stackers", ledger.notes),
            ("variance of stackers", ledger.variance),
            ("cash chips with players", ledger.chips),
            ("passed to the House", ledger.transit),
            ("credits of seats", total(|seat| seat.credits)),
            ("Colour Chips with players", total(|seat| seat.colour_chips)),
            ("bets on the layout", total(|seat| seat.on_layout)),
        ];
        let table = table.map(|(account, balance)| AccountBalance { account, balance });
        let house =
            installation.house().ledger().map(|(account, balance)| AccountBalance { account: name(account), balance });
        Self {
            table: table.into_iter().filter(|balance| balance.balance != Money::ZERO).collect(),
            house: house.filter(|balance| balance.balance != Money::ZERO).collect(),
            seats,
            has_terminals: installation.game().station() == Station::PlayerTerminals,
        }
    }
}

const fn name(account: Account) -> &'static str {
    match account {
        Account::Cash => "cash of the cage",
        Account::Vouchers => "vouchers",
        Account::Expired => "expired vouchers",
        Account::Claims => "claims",
        Account::Receivables => "receivables",
        Account::Result => "result",
        Account::Play => "play money",
        Account::Transit(_) => "passed on by the table",
    }
}
