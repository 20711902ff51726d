//! The dealer's side when a round is over: damaged dice, corrections, late voids, rulings, and the two people they
//! need.

use taisai_rules::Face;
use taisai_table::{Act, Profile};

use crate::cluster::LIVE;
use crate::installation::{ETG, GAMES, TestInstallation};
use crate::round::{COVERED, OPEN, check};

/// 5.6, 5.4, 5.1.1: damaged dice void all affected rounds, settled ones and the one in play; void ones stay as they
/// are.
#[test]
fn damaged_dice_void_every_affected_round() {
    let three = "round 111; round 222; round 333";
    check(&[
        (
            &GAMES,
            &format!(
                "{three}; supervisor void-damaged 1 2 with manager = rounds-voided damaged-dice
                 ? past 1 = 111 111 damaged-dice 7 9 1; ? past 2 = 222 222 damaged-dice 7 9 1
                 ? past 3 = 333 333 - 7 9 1; ? damaged = 7
                 dealer open = !dice-damaged; supervisor use-dice 7 = !dice-damaged; supervisor use-dice 8; dealer open"
            ),
        ),
        (
            &GAMES,
            &format!(
                "{three}; dealer open; supervisor void-damaged 2 4 with shift; ? phase = void
                 ? past 1 = 111 111 - 7 9 1
                 ? past 3 = 333 333 damaged-dice 7 9 1; ? past 4 = - - damaged-dice 7 9 1; ? betting = idle
                 supervisor inspect 7 = !second-person-missing; dealer inspect 7 with manager = !not-allowed
                 supervisor inspect 8 with manager = !not-held; supervisor inspect 7 with manager = set-inspected
                 ? damaged = -; dealer open; ? round = 5"
            ),
        ),
        (
            &GAMES,
            "dealer open; dealer close; supervisor void-damaged 1 1 with manager; ? phase = void
             ? past 1 = - - damaged-dice 7 9 1",
        ),
        (
            &GAMES,
            "dealer open; system restarted; supervisor void-damaged 1 1 with manager; ? phase = void; ? held = no
             supervisor use-dice 8; round 123",
        ),
        // Found damaged at another table.
        (
            &GAMES,
            "supervisor damaged 7 = !not-allowed; system damaged 7 = set-damaged; dealer open = !dice-damaged
             supervisor use-dice 8; round 123; ? past 1 = 123 123 - 8 9 1",
        ),
        // Those void before stay as they are, for their own reason.
        (
            &GAMES,
            "round 111; dealer open; dealer interrupt; round 333; supervisor void-damaged 1 3 with manager
             ? past 1 = 111 111 damaged-dice 7 9 1; ? past 2 = - - not-established 7 9 1
             ? past 3 = 333 333 damaged-dice 7 9 1
             supervisor void-damaged 1 3 with manager = rounds-voided damaged-dice
             ? past 2 = - - not-established 7 9 1",
        ),
        (
            &GAMES,
            &format!(
                "{three}; supervisor void-damaged 0 2 with manager = !unknown-round
                 supervisor void-damaged 3 2 with manager = !unknown-round
                 supervisor void-damaged 3 4 with manager = !unknown-round
                 supervisor void-damaged 1 2 = !second-person-missing
                 dealer void-damaged 1 2 with manager = !not-allowed
                 supervisor void-damaged 1 2 with supervisor2 = !second-person-not-allowed
                 manager void-damaged 1 1 with manager2"
            ),
        ),
        (
            &GAMES,
            "quiet; dealer open; carry-one; dealer close; carry-one; carry-one; throw 123
             supervisor void-damaged 1 1 with manager = !round-not-settled; carry
             supervisor void-damaged 1 1 with manager",
        ),
    ]);
}

/// 3.9, 5.10, 5.5 of the terminals, F12: settled again by the dice, as often as needed; the first result stays on
/// record.
#[test]
fn a_wrong_result_is_corrected() {
    check(&[
        (
            &GAMES,
            "round 123; supervisor correct 1 124 with manager = corrected; ? past 1 = 124 123 - 7 9 1
             ? phase = settled
             supervisor correct 1 125 with manager; ? past 1 = 125 123 - 7 9 1
             supervisor correct 1 123 with manager; ? past 1 = 123 123 - 7 9 1",
        ),
        (
            &GAMES,
            "round 123; supervisor correct 1 321 with manager = !same-dice; supervisor correct 1 122 with manager",
        ),
        (
            &GAMES,
            "round 123; supervisor correct 1 123 with manager = !same-dice; supervisor correct 1 124 with manager
             supervisor correct 1 124 with manager = !same-dice",
        ),
        (
            &GAMES,
            "supervisor correct 1 123 with manager = !unknown-round
             supervisor correct 0 123 with manager = !unknown-round
             dealer open; supervisor correct 1 123 with manager = !round-not-settled; dealer close
             supervisor correct 1 123 with manager = !round-not-settled",
        ),
        (
            &GAMES,
            "quiet; dealer open; carry-one; dealer close; carry-one; carry-one; throw 123
             supervisor correct 1 124 with manager = !round-not-settled; carry
             supervisor correct 1 124 with manager",
        ),
        // A void round is corrected only by ruling.
        (
            &GAMES,
            "dealer open; dealer interrupt; supervisor correct 1 123 with manager = !round-void
             shift rule settle 1 123 with manager = ruled; ? past 1 = 123 123 - 7 9 1
             supervisor correct 1 124 with manager = !ruled-on; shift rule settle 1 123 with manager = !same-dice
             shift rule settle 1 125 with manager; ? past 1 = 125 123 - 7 9 1",
        ),
        // A corrected round may be voided; 5.8: later rounds stay as they are.
        (
            &GAMES,
            "round 123; supervisor correct 1 124 with manager; round 456
             manager void-by-law 1 malfunction with shift
             ? past 1 = 124 123 malfunction 7 9 1; ? past 2 = 456 456 - 7 9 1
             supervisor correct 1 125 with manager = !round-void
             manager void-by-law 1 force-majeure with shift = rounds-voided force-majeure
             ? past 1 = 124 123 malfunction 7 9 1; shift rule settle 1 125 with manager; ? past 1 = 125 123 - 7 9 1",
        ),
        // 5.5 of the terminals: at any time, while a later round is open, and while it is closing.
        (
            &[ETG],
            "round 123; dealer open; supervisor correct 1 124 with manager; ? phase = open; deal 456
             ? phase = settled",
        ),
        (
            &[ETG],
            "round 123; quiet; dealer open; carry-one; dealer close; supervisor correct 1 124 with manager
             ? phase = closing
             carry-one; ? phase = closing; carry; ? phase = closed; throw 456; ? phase = settled",
        ),
        // At a live table until the next round opens or the table is shut, also where it is open again; then by a ruling.
        (
            &LIVE,
            "round 123; supervisor announce; round 124; supervisor close-table; supervisor open-table
             supervisor correct 2 125 with manager = !correction-too-late",
        ),
        (
            &LIVE,
            "round 123; dealer open; supervisor correct 1 124 with manager = !correction-too-late
             shift rule settle 1 124 with manager = ruled; ? past 1 = 124 123 - 7 9 1; ? phase = open; deal 456
             supervisor correct 2 455 with manager; ? past 2 = 455 456 - 7 9 1",
        ),
        (
            &LIVE,
            "round 123; supervisor announce; round 124; supervisor close-table
             supervisor correct 2 125 with manager = !correction-too-late; shift rule settle 2 125 with manager",
        ),
    ]);
}

/// F12, F50: two people, with two identities and the right roles. After commit only they, or a ruling, void.
#[test]
fn two_people_change_what_is_over() {
    let acts = ["correct 1 456", "void-damaged 1 1"];
    for act in acts {
        for (who, second, answer) in [
            ("supervisor", "", " = !second-person-missing"),
            ("supervisor", " with nobody", " = !second-person-missing"),
            ("supervisor", " with supervisor", " = !second-person-not-allowed"),
            ("supervisor", " with supervisor2", " = !second-person-not-allowed"),
            ("supervisor", " with dealer", " = !second-person-not-allowed"),
            ("manager", " with manager", " = !second-person-not-allowed"),
            ("all", " with all", " = !second-person-not-allowed"),
            ("dealer", " with manager", " = !not-allowed"),
            ("dealer", "", " = !not-allowed"),
            ("attendant", " with manager", " = !not-allowed"),
            ("system", " with manager", " = !not-allowed"),
            ("supervisor", " with manager", ""),
            ("manager", " with shift", ""),
            ("manager", " with manager2", ""),
            ("shift", " with casino", ""),
            ("all", " with manager", ""),
        ] {
            check(&[(&GAMES, &format!("round 123; {who} {act}{second}{answer}"))]);
        }
    }
}

/// 5.5, ETG 5.3: an irregularity voids the current round, and previous rounds stand. What is over is void by damaged dice, a ruling,
/// or the law.
#[test]
fn previous_rounds_stand() {
    check(&[
        (
            &GAMES,
            "round 123; dealer void few-tumbles = !no-round-open; dealer void not-flat = !no-round-open
             shift rule void 1 not-flat with manager = ruled; ? past 1 = 123 123 not-flat 7 9 1",
        ),
        (
            &GAMES,
            "round 123; dealer open; shift rule void 1 not-flat with manager = !round-stands; shift rule void 1 few-tumbles with manager = !round-stands
             ? past 1 = 123 123 - 7 9 1; shift rule void 1 with manager; ? past 1 = 123 123 ruling 7 9 1",
        ),
        (&COVERED, "round 123; shift rule void 1 activated-early with manager = !not-in-game; shift rule void 1 exposed with manager"),
        (&OPEN, "round 123; shift rule void 1 exposed with manager = !not-in-game; shift rule void 1 activated-early with manager"),
        (&GAMES, "round 123; shift rule void 1 damaged-dice with manager = !not-in-game; shift rule void 1 malfunction with manager = !not-in-game"),
    ]);
}

/// F80: the law has reasons of its own, in play and afterwards, by the people whom the profile names.
#[test]
fn the_law_voids() {
    for reason in ["malfunction", "force-majeure", "suspected-offence"] {
        check(&[
            (
                &GAMES,
                &format!(
                    "round 123; dealer void-by-law 1 {reason} with manager = !not-allowed
                     manager void-by-law 1 {reason} = !second-person-missing
                     manager void-by-law 1 {reason} with supervisor = !second-person-not-allowed
                     manager void-by-law 1 {reason} with shift = rounds-voided {reason}
                     ? past 1 = 123 123 {reason} 7 9 1; ? phase = settled; round 124"
                ),
            ),
            (
                &GAMES,
                &format!(
                    "dealer open; shift void-by-law 1 {reason} with casino; ? phase = void; ? past 1 = - - {reason} 7 9 1
                     manager void-by-law 2 {reason} with shift = !unknown-round"
                ),
            ),
            (&GAMES, &format!("round 123; shift rule void 1 with manager; manager void-by-law 1 {reason} with shift = !ruled-on")),
        ]);
    }
    check(&[(
        &GAMES,
        "round 123; manager void-by-law 1 few-tumbles with shift = !round-stands
         manager void-by-law 1 ruling with shift = !round-stands; dealer open; dealer void malfunction = !not-allowed",
    )]);
}

/// 5.14, ETG 5.10: what a ruling has decided only another ruling changes; damaged dice leave it out, and list it.
#[test]
fn a_ruling_is_changed_by_a_ruling() {
    check(&[
        (
            &GAMES,
            "round 123; round 124; round 125; shift rule settle 2 126 with manager; supervisor correct 3 111 with manager
             supervisor void-damaged 1 3 with manager = rounds-voided damaged-dice
             ? past 1 = 123 123 damaged-dice 7 9 1; ? past 2 = 126 124 - 7 9 1; ? past 3 = 111 125 damaged-dice 7 9 1
             ? to-be-ruled = 2; shift rule void 2 with manager; ? to-be-ruled = -; ? past 2 = 126 124 ruling 7 9 1",
        ),
        (
            &GAMES,
            "dealer open; dealer close; dealer activate; dealer tumbled 3; dealer interrupt 4; shift rule conclude 456 with manager
             supervisor correct 1 455 with manager = !ruled-on",
        ),
    ]);
}

/// 5.14, F12: a ruling stands at once; where it moves money, that waits for a second person to witness it.
#[test]
fn the_money_of_a_ruling_waits_for_a_witness() {
    let won = "fund 0 5000; dealer open; player bet 0 big 500; deal 456; ? credits 0 = 5500";
    check(&[
        (
            &[ETG],
            &format!(
                "{won}; shift rule void 1 = ruled waits; ? past 1 = 456 456 ruling 7 9 1; ? credits 0 = 5500
                 ? unwitnessed = 1; dealer witness 1 void = !not-allowed; shift witness 1 void = !second-person-not-allowed
                 attendant witness 1 void = !not-allowed; system witness 1 void = !not-allowed
                 supervisor witness 1 456 = !nothing-to-witness; supervisor witness 1 void = witnessed; ? credits 0 = 5000; ? unwitnessed = -
                 manager witness 1 void = !nothing-to-witness; ? claims = -; ? owed = -"
            ),
        ),
        // With other dice, and with other dice again before anybody has seen it: only what stands in the end is paid.
        (
            &[ETG],
            &format!(
                "{won}; shift rule settle 1 123 = ruled waits; ? past 1 = 123 456 - 7 9 1; round 111; ? credits 0 = 5500
                 casino rule settle 1 124 = ruled waits; ? unwitnessed = 1; casino witness 1 124 = !second-person-not-allowed
                 shift witness 1 123 = !nothing-to-witness; shift witness 1 124; ? credits 0 = 4500; ? past 1 = 124 456 - 7 9 1"
            ),
        ),
        // What is taken back before it was witnessed moves nothing.
        (
            &[ETG],
            &format!(
                "{won}; shift rule void 1 = ruled waits; shift rule settle 1 456 = ruled; ? unwitnessed = -
                 ? credits 0 = 5500; ? past 1 = 456 456 - 7 9 1; manager witness 1 456 = !nothing-to-witness"
            ),
        ),
        (&[ETG], &format!("{won}; shift rule void 1 with manager = ruled; ? credits 0 = 5000; shift rule void 1 = ruled")),
        // A round in play whose bets are closed: they lie there until somebody has witnessed it, and no round opens.
        (
            &[ETG],
            "fund 0 5000; dealer open; player bet 0 big 500; dealer close; shift rule void 1 = ruled waits
             ? phase = void; ? layout 0 = 500; dealer open = !not-witnessed; supervisor use-dice 8 = !not-witnessed
             manager witness 1 void; ? layout 0 = 0; ? credits 0 = 5000; round 123",
        ),
        (
            &[ETG],
            "fund 0 5000; dealer open; player bet 0 big 500; dealer close; dealer activate; dealer tumbled 3
             dealer interrupt 4; shift rule conclude 456 = ruled waits; ? phase = result; ? layout 0 = 500
             dealer open = !round-in-play; shift rule void 1 = ruled waits; ? phase = void
             shift rule settle 1 455 = ruled waits; ? phase = result; manager witness 1 455; ? phase = settled
             ? credits 0 = 5500; ? past 1 = 455 456 - 7 9 1; round 123",
        ),
        // Bets that are still open are given back at once.
        (
            &[ETG],
            "fund 0 5000; dealer open; player bet 0 big 500; shift rule void 1 = ruled; ? credits 0 = 5000; round 123",
        ),
        // Neither damaged dice nor the law take away what was ruled and not witnessed yet.
        (
            &GAMES,
            "round 123; shift rule settle 1 124 = ruled waits; supervisor void-damaged 1 1 with manager
             manager void-by-law 1 malfunction with shift = !ruled-on; ? to-be-ruled = 1; ? past 1 = 124 123 - 7 9 1
             shift rule void 1 = ruled waits; ? to-be-ruled = -; supervisor witness 1 void; ? past 1 = 124 123 ruling 7 9 1",
        ),
        (
            &GAMES,
            "dealer open; dealer close; dealer activate; dealer tumbled 3; dealer interrupt 4; shift rule conclude 456
             supervisor void-damaged 1 1 with manager; ? to-be-ruled = 1; ? damaged = 7",
        ),
    ]);
    // A hundred wait at most.
    for game in GAMES {
        let mut installation = TestInstallation::new(game);
        for round in 1..=100 {
            installation.run(&format!("round 123; shift rule void {round} = ruled waits"));
        }
        installation.run("round 123; shift rule void 101 = !not-witnessed; shift rule void 101 with manager = ruled");
        installation.run(
            "shift rule settle 7 124 = ruled waits; manager witness 7 124; shift rule settle 101 124 = ruled waits",
        );
    }
}

/// F81: what the House bears after force majeure is not taken from what another round gives; the round itself given back is.
#[test]
fn what_is_kept_of_one_round_is_not_taken_from_another() {
    let kept =
        "fund 0 100000; dealer open; player bet 0 big 10000; deal 456; dealer open; player bet 0 big 10000; deal 123
                ? credits 0 = 100000; manager void-by-law 1 force-majeure with shift; ? credits 0 = 100000";
    check(&[
        (&[ETG], &format!("{kept}; supervisor correct 2 456 with manager; ? credits 0 = 120000; ? claims = -")),
        // The same round settled after all leaves what the dice say.
        (&[ETG], &format!("{kept}; shift rule settle 1 456 with manager; ? credits 0 = 100000; ? claims = -")),
    ]);
}

/// The tumbler's reading is its record: what the Dealer says otherwise is a commit that differs, or a call that is flagged.
#[test]
fn the_tumblers_record_stays() {
    let read = "dealer open; dealer close; dealer activate; dealer tumbled 3; tumbler9 rest 654";
    check(&[
        (
            &GAMES,
            &format!(
                "{read}; dealer rest 123 = !read-by-tumbler; dealer rest 65- = !read-by-tumbler; dealer rest 654
                 ? faces = 654; dealer commit 123 = committed differs"
            ),
        ),
        (&GAMES, &format!("{read}; dealer void not-flat = voided not-flat differs")),
        // What the Dealer has entered the tumbler may still read.
        (
            &GAMES,
            "dealer open; dealer close; dealer activate; dealer tumbled 3; dealer rest 123; tumbler9 rest 654; ? faces = 654",
        ),
    ]);
}

/// 3.7, 5.5.3: faces of concealed dice are in no entry, whatever they are said in.
#[test]
fn decisions_conceal_what_they_say() {
    for game in COVERED {
        let mut installation = TestInstallation::new(game);
        installation.run(
            "dealer open; dealer activate; dealer tumbled 3; supervisor correct 1 654 with manager = !round-not-settled
             supervisor correct-known 654 with manager = !not-held; shift rule conclude 654 = !not-held
             shift rule settle 1 654 = !round-not-settled; dealer correct 1 654 = !not-allowed",
        );
        let six = format!("{:?}", Face::try_from(6).expect("a face"));
        let with_face = installation.house.record.iter().filter(|entry| format!("{entry:?}").contains(&six));
        assert_eq!(with_face.count(), 0, "{game}");
    }
}

/// A profile may do without the witness.
#[test]
fn a_profile_without_witnesses_pays_at_once() {
    let mut profile = Profile::singapore();
    let rule = Act::ALL.iter().position(|act| *act == Act::Rule).expect("an act");
    profile.rights[rule].second = None;
    TestInstallation::ready(ETG, "A", &profile).run(
        "fund 0 5000; dealer open; player bet 0 big 500; deal 456; shift rule void 1 = ruled; ? credits 0 = 5000
         manager witness 1 void = !not-allowed",
    );
}

/// 5.14, 5.10 of the terminals: rulings by the Table Games Shift Manager or above.
#[test]
fn the_shift_manager_rules() {
    check(&[
        (
            &GAMES,
            "shift rule note = noted; casino rule note; dealer rule note = !not-allowed
             manager rule note = !not-allowed
             supervisor rule note = !not-allowed; auditor rule note = !not-allowed",
        ),
        (&GAMES, "dealer open; shift rule void 1 with manager = ruled; ? phase = void; ? past 1 = - - ruling 7 9 1"),
        (&GAMES, "dealer open; dealer close; shift rule void 1 with manager; ? phase = void; round 123"),
        (
            &GAMES,
            "round 123; shift rule void 1 with manager; ? past 1 = 123 123 ruling 7 9 1
             shift rule void 1 with manager = ruled",
        ),
        (
            &GAMES,
            "shift rule void 1 with manager = !unknown-round; shift rule settle 1 123 with manager = !unknown-round; dealer open
             shift rule settle 1 123 with manager = !round-not-settled; shift rule void 2 with manager = !unknown-round",
        ),
        (&GAMES, "shift rule conclude 123 with manager = !; dealer open; shift rule conclude 123 with manager = !; ? phase = open"),
        (
            &GAMES,
            "quiet; dealer open; carry-one; dealer close; carry-one; carry-one; throw 123
             shift rule void 1 with manager = !round-not-settled; shift rule conclude 123 with manager = !; carry; shift rule void 1 with manager",
        ),
    ]);
}
