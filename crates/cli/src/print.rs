//! Output for people: aligned tables, with colour only on a terminal. Knows widths, never the game.

use std::fmt::Write as _;
use std::io::{BufWriter, Write};

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use taisai_rules::Moment;
use taisai_table::Time;
use unicode_width::UnicodeWidthStr as _;

pub(crate) const HEADING: Style = Style::new().bold();
/// Success or a win.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// An error or a loss.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// Secondary text.
pub const QUIET: Style = Style::new().dimmed();

/// Prints a heading between empty lines.
pub fn heading(out: &mut impl Write, text: &str) -> std::io::Result<()> {
    writeln!(out, "\n{HEADING}{text}{HEADING:#}\n")
}

/// A count with its noun in the right number.
pub(crate) fn counted(count: u64, (one, several): (&str, &str)) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// Prints a JSON array, one element a line.
pub(crate) fn json_array<T: Serialize>(elements: impl IntoIterator<Item = T>) -> anyhow::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut before = "[\n";
    for element in elements {
        out.write_all(before.as_bytes())?;
        serde_json::to_writer(&mut out, &element)?;
        before = ",\n";
    }
    out.write_all(if before == "[\n" { b"[]\n" } else { b"\n]\n" })?;
    out.flush()?;
    Ok(())
}

/// A column of a table.
pub struct Column<'a> {
    title: &'a str,
    align: Align,
    /// Longer cells are broken at spaces.
    max_width: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Align {
    Left,
    Right,
}

impl<'a> Column<'a> {
    /// A left-aligned column.
    pub const fn left(title: &'a str) -> Self {
        Self { title, align: Align::Left, max_width: 64 }
    }

    /// A right-aligned column, for numbers.
    pub const fn right(title: &'a str) -> Self {
        Self { title, align: Align::Right, max_width: 64 }
    }
}

/// Prints a table with aligned cells; long cells are broken.
pub fn table(out: &mut impl Write, columns: &[Column], rows: &[Vec<String>]) -> std::io::Result<()> {
    let cells: Vec<Vec<Vec<&str>>> = rows
        .iter()
        .map(|row| row.iter().zip(columns).map(|(cell, column)| break_lines(cell, column.max_width)).collect())
        .collect();
    let widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(place, column)| {
            let cells = cells.iter().filter_map(|row| row.get(place)).flatten().map(|line| line.width());
            cells.chain([column.title.width()]).max().unwrap_or(0)
        })
        .collect();
    let titles = columns.iter().map(|column| column.title);
    print_row(out, columns, &widths, titles, HEADING)?;
    let rule: Vec<_> = widths.iter().map(|width| "─".repeat(*width)).collect();
    print_row(out, columns, &widths, rule.iter().map(String::as_str), QUIET)?;
    for row in &cells {
        let height = row.iter().map(Vec::len).max().unwrap_or(0);
        for part in 0..height {
            print_row(
                out,
                columns,
                &widths,
                row.iter().map(|cell| cell.get(part).copied().unwrap_or("")),
                Style::new(),
            )?;
        }
    }
    Ok(())
}

fn print_row<'a>(
    out: &mut impl Write,
    columns: &[Column],
    widths: &[usize],
    cells: impl Iterator<Item = &'a str>,
    style: Style,
) -> std::io::Result<()> {
    let mut text = String::new();
    for ((cell, column), width) in cells.zip(columns).zip(widths) {
        let padding = " ".repeat(width.saturating_sub(cell.width()));
        let (before, after) = if column.align == Align::Right { (&padding[..], "") } else { ("", &padding[..]) };
        write!(text, "  {before}{style}{cell}{style:#}{after}").expect("a String takes every text");
    }
    writeln!(out, "{}", text.trim_end())
}

/// Breaks a text at spaces into lines of at most `max_width`, where possible; rather after a comma than between commas.
fn break_lines(text: &str, max_width: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while rest.width() > max_width {
        let spaces = rest.match_indices(' ').map(|(place, _)| place);
        let ends: Vec<_> = spaces.take_while(|place| rest[..*place].width() <= max_width).collect();
        let after_comma = ends.iter().rfind(|end| rest[..**end].ends_with(',') && **end > max_width / 2);
        let Some(end) = after_comma.or(ends.last()).copied() else { break };
        lines.push(&rest[..end]);
        rest = &rest[end + 1..];
    }
    lines.push(rest);
    lines
}

const PROSE_WIDTH: usize = 92;

/// Prints prose with a hanging indent; the mark is in the first line.
pub(crate) fn wrapped(out: &mut impl Write, indent: usize, mark: &str, text: &str) -> std::io::Result<()> {
    let mut line = format!("{mark:indent$}");
    let mut is_empty = true;
    for word in text.split(' ') {
        if !is_empty && line.width() + 1 + word.width() > PROSE_WIDTH {
            writeln!(out, "{line}")?;
            line = " ".repeat(indent);
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    writeln!(out, "{line}")
}

/// A time in UTC, to the second.
pub(crate) fn moment(time: Time) -> String {
    let seconds = time.0 / 1_000;
    let minute = Moment::from_unix_seconds(i64::try_from(seconds).unwrap_or(i64::MAX)).to_string();
    let minute = minute.strip_suffix(" +00:00").unwrap_or(&minute);
    format!("{minute}:{:02} UTC", seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_align_by_their_width_on_the_screen() {
        let mut out = Vec::new();
        let rows = [vec!["大 big".to_owned(), "1".to_owned()], vec!["x".to_owned(), "180".to_owned()]];
        table(&mut out, &[Column::left("Box"), Column::right("Pays")], &rows).unwrap();
        let plain = anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string();
        assert_eq!(plain, "  Box     Pays\n  ──────  ────\n  大 big     1\n  x        180\n");
    }

    #[test]
    fn long_cells_break_at_spaces() {
        assert_eq!(break_lines("one two three", 7), ["one two", "three"]);
        assert_eq!(break_lines("1 2, 3 4, 5 6", 10), ["1 2, 3 4,", "5 6"]);
        assert_eq!(break_lines("unbreakable", 3), ["unbreakable"]);
        assert_eq!(break_lines("", 3), [""]);
    }
}
