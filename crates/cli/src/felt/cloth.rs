//! The cloth, the rail around it and the dice printed on it: everything of the picture that is the same for all boxes.
//! It knows no game, only where it is played: a live table is burgundy, player terminals are green.

use taisai_rules::{Rect, Station};

const FONTS: &str = "'Noto Serif',Georgia,'Noto Serif CJK TC','Songti TC','Noto Sans CJK TC','PingFang TC',\
                     'Microsoft JhengHei',serif";

/// The picture: what is drawn lies on the cloth, and the frame goes around the areas.
pub(super) fn lay(station: Station, name: &str, frame: Rect, (width, height): (u32, u32), drawn: &[String]) -> String {
    let (light, middle, dark) = match station {
        Station::LiveTable => ("#7d2038", "#5f1428", "#300813"),
        Station::PlayerTerminals => ("#19694a", "#0e4a33", "#052418"),
    };
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" aria-label="{name}">
<title>{name}</title>
<defs>
<radialGradient id="cloth" cx=".5" cy=".42" r=".78"><stop offset="0" stop-color="{light}"/><stop offset=".5" stop-color="{middle}"/><stop offset="1" stop-color="{dark}"/></radialGradient>
<linearGradient id="rail" x2="0" y2="1"><stop offset="0" stop-color="#4a3226"/><stop offset=".12" stop-color="#2c1c14"/><stop offset="1" stop-color="#150c08"/></linearGradient>
<linearGradient id="ivory" x2=".6" y2="1"><stop offset="0" stop-color="#fff"/><stop offset="1" stop-color="#e6dfd0"/></linearGradient>
<pattern id="weave" width="6" height="6" patternUnits="userSpaceOnUse"><path d="M0 6 6 0M-1 1 1-1M5 7 7 5" stroke="#fff" stroke-opacity=".035"/><path d="M0 0 6 6" stroke="#000" stroke-opacity=".06"/></pattern>
{}</defs>
{}<g font-family="{FONTS}" style="font-variant-numeric:lining-nums tabular-nums" text-anchor="middle" fill="#f8f2e2">
{}
</g>
</svg>
"##,
        faces(),
        ground(frame, width, height),
        drawn.join("\n"),
    )
}

#[derive(Clone, Copy)]
pub(super) enum Shade {
    Light,
    Plain,
    Deep,
    Caption,
}

/// The lines around an area, and its ground.
pub(super) fn cell(at: Rect, shade: Shade) -> String {
    let Rect { x, y, width, height } = at;
    let (fill, opacity) = match shade {
        Shade::Light => ("#fff", ".035"),
        Shade::Plain => ("#000", "0"),
        Shade::Deep => ("#000", ".14"),
        Shade::Caption => ("#000", ".3"),
    };
    format!(
        r##"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}" fill-opacity="{opacity}" stroke="#f3ead6" stroke-opacity=".8" stroke-width="2"/>"##
    )
}

fn ground(frame: Rect, width: u32, height: u32) -> String {
    let around = |by: u32, of: (u32, u32, u32, u32)| {
        let (x, y, width, height) = of;
        format!(r#"x="{}" y="{}" width="{}" height="{}""#, x - by, y - by, width + 2 * by, height + 2 * by)
    };
    let table = (32, 32, width - 64, height - 64);
    let areas = (frame.x, frame.y, frame.width, frame.height);
    format!(
        r##"<rect width="{width}" height="{height}" rx="64" fill="url(#rail)"/>
<rect {} rx="62" fill="none" stroke="#fff" stroke-opacity=".1" stroke-width="2"/>
<rect {} rx="40" fill="#000" fill-opacity=".55"/>
<rect {} rx="36" fill="url(#cloth)"/>
<rect {} rx="36" fill="url(#weave)"/>
<rect {} rx="26" fill="none" stroke="#f3ead6" stroke-opacity=".35" stroke-width="1.5"/>
<rect {} rx="6" fill="#000" fill-opacity=".1" stroke="#f3ead6" stroke-width="4"/>
"##,
        around(30, table),
        around(4, table),
        around(0, table),
        around(0, table),
        around(0, (46, 46, width - 92, height - 92)),
        around(5, areas),
    )
}

/// The six faces, with a large red pip for the one and red pips for the four.
fn faces() -> String {
    const PIPS: [&[(u32, u32)]; 6] = [
        &[(50, 50)],
        &[(28, 28), (72, 72)],
        &[(26, 26), (50, 50), (74, 74)],
        &[(29, 29), (71, 29), (29, 71), (71, 71)],
        &[(28, 28), (72, 28), (50, 50), (28, 72), (72, 72)],
        &[(30, 25), (70, 25), (30, 50), (70, 50), (30, 75), (70, 75)],
    ];
    let faces = (1..).zip(PIPS).map(|(number, pips)| {
        let (colour, radius) = match number {
            1 => ("#c4121f", 16),
            4 => ("#c4121f", 10),
            _ => ("#1c1a1a", 10),
        };
        let pips = pips.iter().map(|(x, y)| format!(r#"<circle cx="{x}" cy="{}" r="{radius}"/>"#, y - 1));
        format!(
            r##"<symbol id="die-{number}" viewBox="0 0 100 100"><rect x="3" y="6" width="94" height="94" rx="20" fill="#000" fill-opacity=".45"/><rect x="3" y="2" width="94" height="94" rx="20" fill="url(#ivory)"/><g fill="{colour}">{}</g></symbol>
"##,
            pips.collect::<Vec<_>>().concat()
        )
    });
    faces.collect::<Vec<_>>().concat()
}
