//! Reads throws from a file, or from the reporting tables of a store. A bad line is reported with its number and the reason.

use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::Context as _;
use taisai_record::Address;
use taisai_reports::Projection;
use taisai_rules::{BadDice, Dice};

const MAX_LINE_BYTES: usize = 65_536;

pub(super) struct ThrowFile {
    pub(super) throws: Vec<Dice>,
    pub(super) bad: Vec<BadLine>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadLine {
    line: usize,
    why: String,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.why)
    }
}

pub(super) fn throws(source: &str, table: Option<u16>) -> anyhow::Result<ThrowFile> {
    let path = Path::new(source);
    if source.starts_with("postgres://") || source.starts_with("postgresql://") || path.is_dir() {
        return store(source, table);
    }
    if table.is_some() {
        anyhow::bail!("--table is for a store; {source} is a file");
    }
    if source == "-" {
        return lines(std::io::stdin().lock());
    }
    let file = std::fs::File::open(path).with_context(|| format!("cannot read {source}"))?;
    lines(BufReader::new(file))
}

fn store(source: &str, table: Option<u16>) -> anyhow::Result<ThrowFile> {
    let address: Address = source.parse().map_err(|error| anyhow::anyhow!("{source}: {error}"))?;
    let chosen = table.map_or(String::new(), |table| format!(" AND table_number = {table}"));
    let sql =
        format!("SELECT dice FROM rounds WHERE dice IS NOT NULL AND void IS NULL{chosen} ORDER BY table_number, round");
    let answer = Projection::open(&address)?.query(&sql, &[])?;
    let texts = answer.rows.iter().filter_map(|row| row[0].text());
    let throws = texts.map(|text| throw(text).map_err(|why| anyhow::anyhow!("{text}: {why}")));
    Ok(ThrowFile { throws: throws.collect::<Result<_, _>>()?, bad: Vec::new() })
}

/// Reads one throw a line. A first line of titles may say which column has the dice.
fn lines(mut input: impl BufRead) -> anyhow::Result<ThrowFile> {
    let mut read = ThrowFile { throws: Vec::new(), bad: Vec::new() };
    let (mut column, mut is_first) = (None, true);
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        let is_cut_short = bytes.last() != Some(&b'\n');
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) if bytes.len() <= MAX_LINE_BYTES => text.trim().trim_start_matches('\u{feff}'),
            Ok(_) => {
                read.bad.push(BadLine { line, why: format!("longer than {MAX_LINE_BYTES} bytes") });
                continue;
            }
            Err(_) => {
                read.bad.push(BadLine { line, why: "not UTF-8 text".to_owned() });
                continue;
            }
        };
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if std::mem::take(&mut is_first) && are_titles(text) {
            column = cells(text).iter().position(|title| title.eq_ignore_ascii_case("dice"));
            continue;
        }
        let dice = match column {
            None => throw(text),
            Some(column) => cells(text).get(column).map_or(Err(BadDice::Count), throw),
        };
        match dice {
            Ok(dice) => read.throws.push(dice),
            Err(why) => {
                let cut_short = if is_cut_short { "; the last line has no end and may be cut short" } else { "" };
                read.bad.push(BadLine { line, why: format!("{}: {why}{cut_short}", printable(text)) });
            }
        }
    }
    Ok(read)
}

/// The beginning of a line with control characters escaped, which would steer a terminal.
fn printable(text: &str) -> String {
    let character = |character: char| {
        if character.is_control() { character.escape_default().to_string() } else { character.to_string() }
    };
    text.chars().take(60).map(character).collect()
}

/// The cells of one line of CSV. A line that is not CSV has none.
fn cells(line: &str) -> csv::StringRecord {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).trim(csv::Trim::All).from_reader(line.as_bytes());
    reader.records().next().and_then(Result::ok).unwrap_or_default()
}

/// Words, and no number among them: with a number it is a throw, or meant to be one.
fn are_titles(text: &str) -> bool {
    text.contains(|character: char| character.is_ascii_alphabetic())
        && cells(text).iter().all(|title| title.parse::<i64>().is_err())
}

/// Three faces with something between them.
fn throw(text: &str) -> Result<Dice, BadDice> {
    let parts = text.trim_matches('"').split([',', '-', ' ', ';', '\t']).map(str::trim).filter(|part| !part.is_empty());
    let faces = parts.map(|part| part.parse::<u8>().map_err(|_| BadDice::Face)).collect::<Vec<_>>();
    match faces[..] {
        [Ok(a), Ok(b), Ok(c)] => Dice::try_from([a, b, c]),
        [_, _, _] => Err(BadDice::Face),
        _ => Err(BadDice::Count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let ThrowFile { throws, bad } = lines(text.as_bytes()).unwrap();
        (throws.iter().map(ToString::to_string).collect(), bad.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn throws_are_read_as_people_write_them() {
        let (throws, bad) = read("1,2,3\n4-5-6\n\n# a note\n6 6 5\r\n\"1-1-1\"\n");
        assert_eq!((throws, bad), (["1 2 3", "4 5 6", "6 6 5", "1 1 1"].map(str::to_owned).to_vec(), vec![]));
        let (throws, _) = read("round,dice,total_sum\n1,2-4-6,12\n2,1-1-3,5\n");
        assert_eq!(throws, ["2 4 6", "1 1 3"]);
        let (throws, _) = read("note,dice\n\"late, spilled\",\"2,4,6\"\n");
        assert_eq!(throws, ["2 4 6"], "commas in quotes do not separate cells");
        assert_eq!(read("die 1,die 2,die 3\n3,3,3\n").0, ["3 3 3"]);
    }

    #[test]
    fn a_bad_first_throw_is_not_taken_for_titles() {
        for text in ["\u{feff}round,dice\n1,1-2-3\n", "# a note\n\nround,dice\n1,1-2-3\n", "\"Dice\"\r\n\"1-2-3\"\r\n"]
        {
            assert_eq!(read(text), (vec!["1 2 3".to_owned()], vec![]), "{text:?}");
        }
        let (throws, bad) = read("1,2,a\n4,5,6\nround,dice\n");
        assert_eq!(throws, ["4 5 6"]);
        assert_eq!(bad.len(), 2, "{bad:?}");
        assert!(bad[0].starts_with("1: 1,2,a: a die shows"), "{bad:?}");
    }

    #[test]
    fn a_table_is_only_for_a_store() {
        for source in ["-", "postgres.csv"] {
            let error = super::throws(source, Some(1)).err().unwrap().to_string();
            assert!(error.starts_with("--table is for a store"), "{error}");
        }
    }

    #[test]
    fn bad_lines_are_reported_and_the_rest_is_read() {
        let (throws, bad) = read("1,2,3\n1,2,7\n1,2\n4,4,4,4\nx,1,1\n5,5,5\n6,");
        assert_eq!(throws, ["1 2 3", "5 5 5"]);
        assert_eq!(
            bad,
            [
                "2: 1,2,7: a die shows a whole number from 1 to 6",
                "3: 1,2: a throw is exactly three dice",
                "4: 4,4,4,4: a throw is exactly three dice",
                "5: x,1,1: a die shows a whole number from 1 to 6",
                "7: 6,: a throw is exactly three dice; the last line has no end and may be cut short",
            ]
        );
        assert_eq!(read("1,2,\u{1b}[2J3\n").1, ["1: 1,2,\\u{1b}[2J3: a die shows a whole number from 1 to 6"]);
        assert!(lines(&b"1,2,3\n\xff\xfe\n"[..]).unwrap().bad[0].to_string().starts_with("2: not UTF-8"));
    }
}
