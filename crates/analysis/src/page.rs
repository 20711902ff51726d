//! A self-contained HTML page: no script, no external resources, for screen and paper.

use crate::chart::escape;

/// A page with a title and a body.
pub fn page(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{STYLE}</style>
</head>
<body>
{body}</body>
</html>
"#
    )
}

/// A table: titles, and rows of cells that are already markup. The first columns are words, the others numbers.
pub fn table(words: usize, titles: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let class = |place: usize| if place < words { " class=\"word\"" } else { "" };
    let titles = titles.iter().enumerate().map(|(place, title)| format!("<th{}>{title}</th>", class(place)));
    let rows = rows.into_iter().map(|row| {
        let cells = row.into_iter().enumerate().map(|(place, cell)| format!("<td{}>{cell}</td>", class(place)));
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    });
    let (titles, rows) = (titles.collect::<String>(), rows.collect::<String>());
    format!("<table>\n<thead><tr>{titles}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n")
}

/// A few figures side by side, each with what it is and a note.
pub fn cards(cards: &[(&str, String, String)]) -> String {
    let card = |(name, figure, note): &(&str, String, String)| {
        format!("<div class=\"card\"><span>{name}</span><strong>{figure}</strong><em>{note}</em></div>\n")
    };
    format!("<div class=\"cards\">\n{}</div>\n", cards.iter().map(card).collect::<String>())
}

/// A picture with what it shows below it.
pub fn picture(svg: &str, caption: &str) -> String {
    format!("<figure>\n{svg}<figcaption>{caption}</figcaption>\n</figure>\n")
}

const STYLE: &str = "\
:root { --ink: #2b2a28; --quiet: #77716a; --line: #dcd5c9; --paper: #fffdf9; --wine: #7d2038; --gold: #b58a2b }
* { box-sizing: border-box }
html { background: #ece6db }
body { max-width: 76rem; margin: 2rem auto; padding: 2.6rem 3rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 'Source Sans 3', 'Noto Sans', 'Segoe UI', Helvetica, Arial, 'Noto Sans CJK TC', 'PingFang TC', sans-serif;
  box-shadow: 0 1px 12px rgba(60, 40, 20, .14) }
h1, h2 { font-family: Georgia, 'Noto Serif', 'Noto Serif CJK TC', 'Songti TC', serif; font-weight: 600; line-height: 1.2 }
h1 { font-size: 2.1rem; margin: 0 0 .3rem }
h2 { font-size: 1.3rem; margin: 2.4rem 0 .7rem; padding-top: .5rem; border-top: 1px solid var(--line); color: var(--wine) }
header { border-bottom: 3px double var(--wine); padding-bottom: 1rem; margin-bottom: 1.4rem }
header p { margin: .15rem 0; color: var(--quiet) }
header .kind { letter-spacing: .14em; text-transform: uppercase; font-size: .78rem; color: var(--wine); margin-bottom: .5rem }
p { max-width: 62rem }
a { color: var(--wine) }
table { border-collapse: collapse; width: 100%; font-size: .84rem; font-variant-numeric: tabular-nums lining-nums; margin: .6rem 0 1rem }
th { text-align: right; vertical-align: bottom; font-weight: 600; border-bottom: 1.5px solid var(--ink); padding: .3rem .5rem;
  background: var(--paper) }
@media screen { thead th { position: sticky; top: 0 } }
td { text-align: right; padding: .2rem .5rem; border-bottom: 1px solid #efe9de; white-space: nowrap }
th.word, td.word { text-align: left }
tbody tr:hover { background: #f7f1e6 }
tr.kind td { background: #f5efe4; font-weight: 600; text-align: left; color: var(--wine) }
small, .quiet { color: var(--quiet) }
.wrap { display: inline-block; white-space: normal; max-width: 12rem }
.best { color: #19694a; font-weight: 600 }
.worst { color: var(--wine); font-weight: 600 }
.good { color: #19694a }
.bad { color: #a3122b; font-weight: 600 }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .9rem; margin: 1rem 0 1.4rem }
.card { border: 1px solid var(--line); border-top: 3px solid var(--gold); padding: .6rem .8rem; background: #fff }
.card span, .card em { display: block; font-style: normal; font-size: .8rem; color: var(--quiet) }
.card strong { display: block; font-size: 1.35rem; line-height: 1.35; font-variant-numeric: tabular-nums lining-nums }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem 2rem; align-items: flex-start }
figure { margin: .5rem 0; flex: 1 1 26rem; break-inside: avoid }
figure svg { width: 100%; max-width: 54rem; height: auto }
figcaption { font-size: .84rem; color: var(--quiet); max-width: 44rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.2rem; font-size: .9rem }
dt { font-weight: 600 }
dd { margin: 0 }
code { font: .82em/1.4 ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; overflow-wrap: anywhere }
@page { size: A4 landscape; margin: 13mm 12mm 14mm }
@media print {
  html { background: none }
  body { max-width: none; margin: 0; padding: 0; box-shadow: none; background: none; font-size: 9.6pt }
  table { font-size: 7.7pt }
  td { padding: .9pt 4pt }
  th { padding: 2pt 4pt; background: none }
  thead { display: table-header-group }
  tr, .card { break-inside: avoid }
  h2 { break-after: avoid; margin-top: 14pt }
  .pictures { display: block }
  .pictures figure { display: inline-block; width: 48%; vertical-align: top; margin-right: 1.5% }
  a { color: inherit; text-decoration: none }
}
";
