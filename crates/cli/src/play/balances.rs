//! How a script ends: what every seat has, and the books of the table and of the House with their sums.

use std::io::Write;

use serde::Serialize;
use taisai_rules::{Money, Station};
use taisai_table::{Account, Seat};

use super::stage::Stage;
use crate::print::{self, Column};
use crate::sheet::signed;

/// A seat at the end.
#[derive(Serialize)]
struct SeatBalance {
    seat: Seat,
    /// Free credits of a terminal.
    credits: Money,
    /// Colour Chips in front of the player.
    colour_chips: Money,
    on_layout: Money,
    /// Won, or lost if negative, over all rounds.
    result: Money,
}

/// What a seat holds, and what it is called.
type Held = (&'static str, fn(&SeatBalance) -> Money);

/// An account and its balance.
#[derive(Serialize)]
struct Balance {
    account: &'static str,
    balance: Money,
}

/// The end of a script.
#[derive(Serialize)]
pub(super) struct Balances {
    seats: Vec<SeatBalance>,
    table: Vec<Balance>,
    house: Vec<Balance>,
    #[serde(skip)]
    has_terminals: bool,
}

impl Balances {
    pub(super) fn of(stage: &Stage) -> Self {
        let cluster = stage.cluster();
        let has_played = |seat: &Seat| {
            stage.results.contains_key(seat)
                || cluster.session(*seat).is_some()
                || cluster.seat_meters(*seat) != taisai_table::Meters::default()
        };
        let seat = |seat: Seat| SeatBalance {
            seat,
            credits: cluster.credits(seat),
            colour_chips: cluster.colour(seat).map_or(Money::ZERO, |set| set.credits),
            on_layout: cluster.on_layout(seat),
            result: stage.results.get(&seat).copied().unwrap_or_default(),
        };
        let seats: Vec<_> = stage.seats().filter(has_played).map(seat).collect();
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
        let table = table.map(|(account, balance)| Balance { account, balance });
        let house = stage.house().ledger().map(|(account, balance)| Balance { account: name(account), balance });
        Self {
            table: table.into_iter().filter(|balance| balance.balance != Money::ZERO).collect(),
            house: house.filter(|balance| balance.balance != Money::ZERO).collect(),
            seats,
            has_terminals: stage.game().station() == Station::PlayerTerminals,
        }
    }

    /// Prints seats and books.
    pub(super) fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        print::heading(out, "Balances")?;
        let has_colours = self.seats.iter().any(|seat| seat.colour_chips != Money::ZERO);
        let held: Option<Held> = if self.has_terminals {
            Some(("Credits", |seat| seat.credits))
        } else if has_colours {
            Some(("Colour Chips", |seat| seat.colour_chips))
        } else {
            None
        };
        let mut columns = vec![Column::right("Seat"), Column::right("Won or lost"), Column::right("On the layout")];
        columns.extend(held.map(|(title, _)| Column::right(title)));
        let row = |seat: &SeatBalance| {
            let mut row = vec![seat.seat.0.to_string(), signed(seat.result), seat.on_layout.to_string()];
            row.extend(held.map(|(_, of)| of(seat).to_string()));
            row
        };
        let rows: Vec<_> = self.seats.iter().map(row).collect();
        if rows.is_empty() {
            writeln!(out, "  Nobody has played.")?;
        } else {
            print::table(out, &columns, &rows)?;
        }
        books(out, "Books of the table", &self.table)?;
        books(out, "Books of the House", &self.house)
    }
}

/// Accounts, and that they sum to zero.
fn books(out: &mut impl Write, title: &'static str, balances: &[Balance]) -> std::io::Result<()> {
    writeln!(out)?;
    let mut rows: Vec<_> =
        balances.iter().map(|line| vec![line.account.to_owned(), line.balance.to_string()]).collect();
    let total = balances.iter().map(|line| line.balance.cents()).sum();
    rows.push(vec!["together".to_owned(), Money::from_cents(total).to_string()]);
    print::table(out, &[Column::left(title), Column::right("Balance")], &rows)
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
