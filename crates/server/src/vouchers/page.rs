//! A voucher as an HTML page for ticket printers 80 mm wide. The page has no script, and all text on it is escaped.

use super::ticket::Voucher;

pub(crate) const STYLE: &str = "\
@page{size:80mm auto;margin:4mm}\
body{margin:0 auto;width:72mm;font:3.2mm/1.4 sans-serif;color:#000;background:#fff;text-align:center}\
h1{font-size:5mm;margin:0 0 1mm}\
p{margin:0 0 1.5mm}\
svg{display:block;width:72mm;margin:2mm 0}\
.figures{font-size:8mm;font-weight:bold}\
dl{display:grid;grid-template-columns:auto auto;gap:.5mm 2mm;margin:0;text-align:left}\
dd{margin:0;text-align:right}\
.unapproved{border:.8mm solid;padding:1mm;font-size:5mm;font-weight:bold}\
main{position:relative;overflow:hidden}\
.void{position:absolute;inset:0;display:flex;align-items:center;justify-content:center;\
font-size:13mm;line-height:1.2;font-weight:bold;transform:rotate(-30deg);color:#000;opacity:.55;\
border-block:1.5mm solid}";

/// Across a training voucher (F44).
const VOID: &str = "<div class=\"void\">VOID 作廢 作废<br>TRAINING</div>";

/// Above a voucher of a casino with a game that is not approved. It is money all the same.
const UNAPPROVED: &str = "<p class=\"unapproved\">Game NOT APPROVED<br>遊戲未經核准 游戏未经核准</p>";

pub(crate) fn page(voucher: &Voucher) -> String {
    let Voucher { property, issued_at, date, time, good_until, figures, words, sequence, validation, .. } = voucher;
    let void = if voucher.is_training { VOID } else { "" };
    let unapproved = if voucher.is_game_approved { "" } else { UNAPPROVED };
    let title = if voucher.is_training { "VOID – training voucher" } else { "Voucher 票券" };
    let row = |name: &str, value: &str| format!("<dt>{name}</dt><dd>{}</dd>", escaped(value));
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title><link rel=\"stylesheet\" href=\"/voucher.css\"></head>\
         <body><main>{unapproved}<h1>{}</h1><p>{title}</p>{}<p>{}</p><p class=\"figures\">{}</p>\
         <p>{}</p><p lang=\"zh-Hans\">{}</p><p lang=\"zh-Hant\">{}</p><dl>{}{}{}{}</dl>{void}</main></body></html>\n",
        escaped(property),
        // Drawn from digits: no outside text is in it.
        voucher.barcode,
        escaped(&format!("Validation 验证号 {validation}")),
        escaped(figures),
        escaped(&words.english),
        escaped(&words.simplified),
        escaped(&words.traditional),
        row("Issued at 地点", issued_at),
        row("Date 日期", &format!("{date} {time}")),
        row("Number 序号", sequence),
        row("Good until 有效期至", good_until),
    )
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::ticket::tests::{place, test_voucher};
    use super::*;
    use crate::server::Property;

    #[test]
    fn everything_of_the_voucher_is_on_the_page() {
        let voucher = test_voucher(&place("Marina", false));
        let page = page(&voucher);
        for text in [
            &voucher.property,
            &voucher.issued_at,
            &voucher.date,
            &voucher.time,
            &voucher.good_until,
            &voucher.figures,
            &voucher.words.english,
            &voucher.words.simplified,
            &voucher.words.traditional,
            &voucher.sequence,
            &voucher.validation,
            &voucher.barcode,
        ] {
            assert!(page.contains(text.as_str()), "{text} is missing: {page}");
        }
        assert!(!page.contains("VOID") && !page.contains("APPROVED"));
    }

    #[test]
    fn a_training_voucher_is_void_across_it() {
        let page = page(&test_voucher(&place("Marina", true)));
        assert!(page.contains("VOID 作廢") && page.contains("class=\"void\""), "{page}");
    }

    #[test]
    fn a_voucher_of_a_casino_with_a_changed_game_is_marked_and_good() {
        let property = Property { is_game_approved: false, ..place("Marina", false) };
        let page = page(&test_voucher(&property));
        assert!(page.contains("<p class=\"unapproved\">Game NOT APPROVED"), "{page}");
        assert!(!page.contains("VOID"), "{page}");
    }

    #[test]
    fn names_are_escaped_and_only_this_server_is_contacted() {
        let page = page(&test_voucher(&place("<script>alert('x')</script>\"&", false)));
        assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;"), "{page}");
        assert_eq!(page.matches("href=").count(), page.matches("href=\"/voucher.css\"").count(), "{page}");
        for forbidden in ["<script", "src=", "url(", "@import", "http-equiv"] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        assert_eq!(page.matches("http").count(), 1, "only the name of the SVG language: {page}");
    }
}
