//! Prints what every seat has at the end of a script, and the books.

use std::io::Write;

use taisai_rules::Money;
use taisai_script::{AccountBalance, Balances, SeatBalance};

use crate::print::{self, Column};
use crate::sheet::signed;

/// A column of what a seat holds, with its title.
type SeatColumn = (&'static str, fn(&SeatBalance) -> Money);

pub(super) fn print(balances: &Balances, out: &mut impl Write) -> std::io::Result<()> {
    print::heading(out, "Balances")?;
    let has_colours = balances.seats.iter().any(|seat| seat.colour_chips != Money::ZERO);
    let held: Option<SeatColumn> = if balances.has_terminals {
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
    let rows: Vec<_> = balances.seats.iter().map(row).collect();
    if rows.is_empty() {
        writeln!(out, "  Nobody has played.")?;
    } else {
        print::table(out, &columns, &rows)?;
    }
    print_books(out, "Books of the table", &balances.table)?;
    print_books(out, "Books of the House", &balances.house)
}

/// Prints accounts and their total, which is zero where nothing is lost.
fn print_books(out: &mut impl Write, title: &str, balances: &[AccountBalance]) -> std::io::Result<()> {
    writeln!(out)?;
    let mut rows: Vec<_> =
        balances.iter().map(|line| vec![line.account.to_owned(), line.balance.to_string()]).collect();
    let total = balances.iter().map(|line| line.balance.cents()).sum();
    rows.push(vec!["together".to_owned(), Money::from_cents(total).to_string()]);
    print::table(out, &[Column::left(title), Column::right("Balance")], &rows)
}
