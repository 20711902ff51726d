//! Shows the line of a file that a fault is in, with a mark under the faulty word, as compilers do.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// Longer files have one fault, that they are too long, and it is on line 1.
const MAX_SOURCE_BYTES: u64 = 1 << 20;

/// The text of a file with faults. A file that cannot be read any more has no text, and its faults no excerpt.
pub(crate) fn source(file: &Path) -> String {
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|file| file.take(MAX_SOURCE_BYTES).read_to_end(&mut bytes));
    if read.is_err() {
        return String::new();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The excerpt for a fault, each line ended. Empty if the text has no such line, or nothing on it.
///
/// Line and column are counted from one, the column in characters.
pub(crate) fn excerpt(source: &str, line: usize, column: usize) -> String {
    let text = line.checked_sub(1).and_then(|index| source.lines().nth(index)).unwrap_or_default();
    if text.trim().is_empty() {
        return String::new();
    }
    let start = text.char_indices().nth(column.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    let word = text[start..].find(char::is_whitespace).unwrap_or(text.len() - start);
    let mark = AnnotationKind::Primary.span(start..start + word);
    let snippet = Snippet::source(text).line_start(line).annotation(mark);
    let rendered = Renderer::styled().render(&[Group::with_level(Level::ERROR).element(snippet)]);
    format!("{rendered}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_marks_the_word_at_the_column() {
        let source = "open\nseat 3 bets 五十 on big\n\nclose";
        for (line, column, expected) in [
            (2, 8, "  |\n2 | seat 3 bets 五十 on big\n  |        ^^^^\n"),
            (2, 13, "  |\n2 | seat 3 bets 五十 on big\n  |             ^^^^\n"),
            (4, 6, "  |\n4 | close\n  |      ^\n"),
            (3, 1, ""),
            (9, 1, ""),
            (0, 0, ""),
        ] {
            let plain = anstream::adapter::strip_str(&excerpt(source, line, column)).to_string();
            assert_eq!(plain, expected, "{line}:{column}");
        }
    }
}
