//! The dealer's side when something goes wrong while a round is in play: voids with the paragraphs they cite,
//! interruptions and restarts.

use crate::installation::GAMES;
use crate::round::{COVERED, OPEN, check};

const TUMBLING: &str = "dealer open; dealer close; dealer activate; dealer tumbled 3";

/// 5.5, 5.3 of the terminals, 5.1 of the early edition: void before commit, by the Dealer or by itself. The paragraphs
/// are those of the game's own document.
#[test]
fn irregularities_void_the_round_and_cite_why() {
    check(&[
        (
            &GAMES,
            "dealer open; dealer close; dealer activate; dealer tumbled 2; dealer void few-tumbles = voided few-tumbles
             ? phase = void; ? past 1 = - - few-tumbles 7 9 1; dealer open; ? round = 2",
        ),
        (&GAMES, "dealer open; dealer close; dealer activate; dealer void few-tumbles = voided few-tumbles"),
        (
            &GAMES,
            "dealer open; dealer close; dealer void few-tumbles = !not-tumbled; dealer void not-flat = !not-tumbled",
        ),
        (
            &GAMES,
            "dealer open; dealer close; dealer activate; dealer tumbled 3; dealer void few-tumbles = !already-tumbled
             tumbler9 rest 1-3; dealer void not-flat = voided not-flat; ? phase = void",
        ),
        (
            &COVERED,
            "dealer open; dealer activate; dealer tumbled 1; dealer void few-tumbles; ? phase = void; ? betting = idle",
        ),
        (&COVERED, "dealer open; dealer void exposed = voided exposed; ? phase = void"),
        // Noticed only after the close it is for a ruling: whoever says so then may have seen the dice.
        (
            &COVERED,
            "dealer open; dealer close; dealer void exposed = !bets-closed; ? phase = closed
             shift rule void 1 with manager = ruled; ? phase = void",
        ),
        (&OPEN, "dealer open; dealer void exposed = !not-in-game; ? phase = open"),
        (
            &OPEN,
            "dealer open; tumbler9 activate = voided activated-early; ? phase = void; ? betting = idle; ? closes = -",
        ),
        (&OPEN, "dealer open; dealer activate = voided activated-early; dealer tumbled 3 = !no-round-open; round 123"),
        (
            &GAMES,
            "dealer open; dealer void damaged-dice = !not-allowed; dealer void ruling = !not-allowed
             dealer void not-established = !not-allowed; ? phase = open",
        ),
        (&GAMES, "dealer open; dealer void activated-early = !not-allowed"),
        (
            &GAMES,
            "dealer void not-flat = !no-round-open; round 123; dealer void not-flat = !no-round-open
             ? past 1 = 123 123 - 7 9 1",
        ),
        (
            &GAMES,
            "dealer open; dealer close; dealer activate; supervisor void few-tumbles = !not-allowed
             dealer2 void few-tumbles = !not-acting; tumbler9 void few-tumbles = !not-allowed",
        ),
        // Previous rounds stand.
        (
            &GAMES,
            "round 123; dealer open; dealer close; dealer activate; dealer void few-tumbles
             ? past 1 = 123 123 - 7 9 1",
        ),
    ]);
    let few = format!("{TUMBLING}; dealer void not-flat");
    let [flat, early, none] = [few.as_str(), "dealer open; dealer activate", "dealer open; dealer interrupt"];
    let tumbled_once = "dealer open; dealer close; dealer activate; dealer void few-tumbles";
    let damaged = "round 123; supervisor void-damaged 1 1 with manager";
    let ruled = "round 123; shift rule void 1 with manager";
    let exposed = "dealer open; dealer void exposed";
    for (script, cited) in [
        (tumbled_once, ["5.1.2", "5.5.1", "5.5.1", "5.3.1"]),
        (flat, ["5.1.3", "5.5.2", "5.5.2", "5.3.2"]),
        (exposed, ["5.1.4", "5.5.3", "", ""]),
        (early, ["", "", "5.5.3", "5.3.3"]),
        (none, ["003:5.4.2", "5.4.2", "5.4.2", "5.1.2"]),
        (damaged, ["5.1.1 003:5.6", "5.6", "5.6", "5.4"]),
        (ruled, ["003:5.14", "5.14", "5.14", "5.10"]),
    ] {
        for (game, cited) in GAMES.into_iter().zip(cited).filter(|(_, cited)| !cited.is_empty()) {
            check(&[(&[game], &format!("{script}; ? cited 1 = {cited}"))]);
        }
    }
}

/// 5.4, 5.1 of the terminals: established concludes, not established voids; a die counts after a valid tumble only.
#[test]
fn an_interruption_concludes_or_voids() {
    let waiting = format!("{TUMBLING}; dealer interrupt 4 = established; ? phase = closed; ? interrupted = yes");
    let before = "dealer interrupt 4 = !; dealer interrupt = voided not-established; ? phase = void";
    check(&[
        (&GAMES, &format!("dealer open; {before}")),
        (&COVERED, &format!("dealer open; dealer activate; dealer tumbled 3; {before}")),
        (
            &GAMES,
            &format!(
                "quiet; dealer open; carry-one; dealer close; ? phase = closing; {before}; carry
                 ? betting = idle"
            ),
        ),
        (&GAMES, "dealer interrupt = !no-round-open; round 123; dealer interrupt = !no-round-open"),
        (&GAMES, "dealer open; dealer close; dealer interrupt = voided not-established"),
        (
            &GAMES,
            "dealer open; dealer close; dealer interrupt 4 = !not-tumbled; dealer activate; dealer tumbled 3
             dealer interrupt 4561 = !dice-not-known
             dealer interrupt 456 = established; ? phase = closed; dealer commit 456; ? phase = settled",
        ),
        // 5.5.1 voids first: without a valid tumble no die counts.
        (
            &GAMES,
            "dealer open; dealer close; dealer activate; dealer interrupt = voided few-tumbles; dealer open
             dealer close; dealer activate; dealer tumbled 2; dealer interrupt 456 = voided few-tumbles; ? phase = void",
        ),
        (&GAMES, &format!("{TUMBLING}; dealer interrupt = voided not-established")),
        // What is known binds the Dealer and the tumbler; a face that was reported wrongly is corrected by two people.
        (
            &GAMES,
            &format!(
                "{waiting}; dealer commit 123 = !known-dice-differ; tumbler9 rest 123 = !known-dice-differ
                 dealer void not-flat = !outcome-established; shift rule conclude 123 with manager = !known-dice-differ
                 tumbler9 rest 456 = at-rest; ? known = 456; tumbler9 rest 455 = !known-dice-differ
                 dealer commit 455 = !known-dice-differ; dealer commit 654 = committed"
            ),
        ),
        (
            &GAMES,
            &format!(
                "{waiting}; supervisor correct-known 5 = !second-person-missing; dealer correct-known 5 with manager = !not-allowed
                 supervisor correct-known 4 with manager = !same-dice; supervisor correct-known 5 with manager = known-corrected
                 ? known = 5; tumbler9 rest 466 = !known-dice-differ; tumbler9 rest 566; dealer commit 566"
            ),
        ),
        (&GAMES, "supervisor correct-known 5 with manager = !not-held"),
        // A die not known yet that does not lie flat: 5.4.1 and 5.5.2 collide, and a ruling decides.
        (
            &GAMES,
            &format!("{waiting}; tumbler9 rest 4-5; dealer commit 455 = !dice-not-known; dealer void not-flat = !outcome-established; shift rule void 1 with manager"),
        ),
        (&GAMES, &format!("{waiting}; tumbler9 rest 4-5; shift rule conclude 455 with manager = ruled")),
        (&GAMES, &format!("{waiting}; supervisor void-damaged 1 1 with manager; ? phase = void")),
        (&GAMES, &format!("{waiting}; manager void-by-law 1 malfunction with shift; ? phase = void")),
        // A die called not flat against three flat faces on the tumbler's record is possible, and flagged.
        (&GAMES, &format!("{TUMBLING}; tumbler9 rest 456; dealer void not-flat = voided not-flat differs")),
        // Established but the rest unreadable: Closed until a ruling.
        (
            &GAMES,
            &format!(
                "{waiting}; dealer commit 456 = !dice-not-known; dealer open = !round-in-play
                 shift rule conclude 455 with manager = ruled; ? phase = settled; ? past 1 = 455 455 - 7 9 1
                 ? interrupted = no"
            ),
        ),
        (
            &GAMES,
            &format!(
                "{TUMBLING}; dealer interrupt 46 = established; dealer commit 465 = !dice-not-known
                 tumbler9 rest 465; dealer commit 465 = committed; ? phase = settled"
            ),
        ),
        (&GAMES, &format!("{waiting}; casino rule void 1 with manager = ruled; ? phase = void; ? interrupted = no")),
        (
            &GAMES,
            &format!(
                "{waiting}; dealer rule conclude 455 = !not-allowed
                 manager rule conclude 455 = !not-allowed"
            ),
        ),
        (&GAMES, &format!("{TUMBLING}; shift rule conclude 455 with manager = !not-held")),
        (&GAMES, &format!("{TUMBLING}; supervisor interrupt 4 = !not-allowed; dealer2 interrupt 4 = !not-acting")),
        // A new round begins without what was left of the last.
        (
            &GAMES,
            &format!(
                "{waiting}; shift rule conclude 455 with manager; dealer open; ? interrupted = no; ? tumbles = -
                 deal 111"
            ),
        ),
    ]);
}

/// An established outcome stays so, whatever is reported then. Where the tumbler saw a die not to lie flat, 5.5.2 voids first.
#[test]
fn an_established_outcome_stays_established() {
    let rest = |faces| format!("{TUMBLING}; tumbler9 rest {faces}");
    check(&[
        (
            &GAMES,
            &format!(
                "{TUMBLING}; dealer interrupt 4; dealer interrupt = !outcome-established
                 dealer interrupt 5 = !outcome-established
                 ? phase = closed; ? interrupted = yes"
            ),
        ),
        (&GAMES, &format!("{}; dealer interrupt 4 = !dice-not-known; dealer void not-flat", rest("---"))),
        (
            &GAMES,
            &format!("{}; dealer interrupt 6 = !dice-not-known; dealer interrupt 4 = voided not-flat", rest("45-")),
        ),
        (&GAMES, &format!("{}; dealer interrupt = voided not-flat", rest("---"))),
        (&GAMES, &format!("{}; dealer interrupt 44 = !dice-not-known; dealer interrupt 54 = established", rest("456"))),
        (&GAMES, &format!("{}; dealer interrupt 44 = established", rest("424"))),
    ]);
}

/// "Restart in mid-round": held until the Dealer continues or reports an interruption; never void by itself.
#[test]
fn a_restart_holds_play() {
    check(&[
        (&GAMES, "system restarted = !not-held; round 123; system restarted = !not-held; dealer continue = !not-held"),
        (
            &GAMES,
            "dealer open; dealer restarted = !not-allowed; system restarted = held; ? held = yes; ? phase = open
             dealer close = !held; dealer open = !round-in-play; dealer2 continue = !not-acting
             supervisor continue = !not-allowed; system continue = !not-allowed
             wait 10; dealer continue = resumed; ? held = no; ? closes = 46; deal 123; ? phase = settled",
        ),
        (
            &GAMES,
            "dealer open; system restarted; dealer interrupt = voided not-established; ? held = no; ? phase = void
             round 123",
        ),
        (
            &GAMES,
            "dealer open; dealer close; dealer activate; dealer tumbled 3; system restarted
             dealer commit 123 = !held
             dealer void not-flat = !held; ? tumbles = 3; dealer continue; ? closes = -; dealer commit 123
             ? phase = settled",
        ),
        (
            &GAMES,
            "dealer open; dealer close; dealer activate; dealer tumbled 3; system restarted
             dealer interrupt 12 = established; ? held = no; shift rule conclude 124 with manager; ? phase = settled",
        ),
        (
            &GAMES,
            "quiet; dealer open; carry-one; dealer close; system restarted; ? phase = closing; carry
             ? phase = closed
             ? held = yes; dealer continue; throw 123",
        ),
        (
            &COVERED,
            "dealer open; dealer activate; dealer tumbled 2; system restarted; dealer void exposed = !held
             dealer continue; dealer void few-tumbles; ? phase = void",
        ),
        (
            &GAMES,
            "dealer open; system restarted; system restarted = held; dealer continue
             dealer continue = !not-held",
        ),
        // The players' side is held with it.
        (
            &GAMES,
            "fund 0 500; dealer open; system restarted; ? cluster-held = yes; player bet 0 big 500 = !held
             dealer continue; ? cluster-held = no; player bet 0 big 500",
        ),
        (&GAMES, "dealer open; system restarted; dealer interrupt; ? cluster-held = no; ? betting = idle"),
        (
            &GAMES,
            "dealer open; system restarted; shift rule void 1 with manager = ruled; ? held = no; ? cluster-held = no
             ? phase = void; round 123",
        ),
    ]);
}
