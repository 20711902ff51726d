//! `docs/reporting.md` shows every table with every column, and every query, as the program has them.

use std::fmt::Write as _;
use std::path::Path;

use taisai_reports::{ColumnKind, QUERIES, REPORT_TABLES};

fn tables() -> String {
    let mut text = String::new();
    for table in REPORT_TABLES {
        writeln!(text, "\n### `{}`\n\n{}\n\n| column | | what it says |\n|---|---|---|", table.name, table.description)
            .unwrap();
        for (place, column) in table.columns.iter().enumerate() {
            let kind = match column.kind {
                ColumnKind::Number => "number",
                ColumnKind::Text => "text",
            };
            let key = if place < table.key { ", key" } else { "" };
            let empty = if column.is_optional { ", may be empty" } else { "" };
            writeln!(text, "| `{}` | {kind}{key}{empty} | {} |", column.name, column.description).unwrap();
        }
    }
    text
}

fn queries() -> String {
    let mut text = String::new();
    for query in QUERIES {
        let parameters: Vec<_> =
            query.parameters().map(|(name, description)| format!("`{name}`: {description}")).collect();
        let parameters =
            if parameters.is_empty() { String::new() } else { format!(" It asks for {}.", parameters.join(", ")) };
        let sql: Vec<_> = query.sql.lines().skip_while(|line| line.starts_with("--")).collect();
        let (name, description, sql) = (query.name, query.description(), sql.join("\n"));
        writeln!(text, "\n### `{name}`\n\n{description}{parameters}\n\n```sql\n{sql}\n```").unwrap();
    }
    text
}

/// The text with what stands between two marks put in place.
fn with(document: &str, mark: &str, between: &str) -> String {
    let (begin, end) = (format!("<!-- {mark} -->\n"), format!("\n<!-- end of {mark} -->"));
    let (before, rest) = document.split_once(&begin).expect("the mark is there");
    let (_, after) = rest.split_once(&end).expect("the mark's end is there");
    format!("{before}{begin}{between}{end}{after}")
}

#[test]
fn the_document_shows_every_table_and_query() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reporting.md");
    let document = std::fs::read_to_string(&path).unwrap();
    let expected = with(&with(&document, "tables", &tables()), "queries", &queries());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected, "make bless writes it anew");
}
