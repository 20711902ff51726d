//! The order of refusals: one row a request, with every reason that holds against it. The first in the order of
//! `Refusal` is the answer. And every refusal that the two machines can give is met somewhere.

use std::collections::BTreeSet;

use taisai_rules::Paragraph;
use taisai_table::{ExcessPolicy, Profile, Refusal};

use crate::cluster::{BOXED, LIVE};
use crate::installation::{CLASSIC, ETG, GAMES, TestInstallation, rules};
use crate::round::{COVERED, LIMITED, OPEN};

/// Games, what went before on a table that is ready (or, first, `shut`, `refuse`, `notes` or `winners`), the request, and what holds
/// against it.
type RefusalRow = (&'static [&'static str], &'static str, &'static str, &'static str);

/// A round that was interrupted with one die known.
const INTERRUPTED: &str = "dealer open; dealer close; dealer activate; dealer tumbled 3; dealer interrupt 4";

const ROUND: &[RefusalRow] = &[
    (&GAMES, "", "dealer void damaged-dice", "not-allowed no-round-open"),
    (&GAMES, "", "dealer void ruling", "not-allowed no-round-open"),
    (&[CLASSIC], "dealer issue 0 1 500 1", "manager close-table", "not-cleared closure-not-announced"),
    (&GAMES, "dealer open", "dealer interrupt 4", "not-tumbled dice-not-known"),
    (&GAMES, "dealer open; dealer close", "dealer interrupt 1234", "not-tumbled dice-not-known"),
    (&GAMES, "dealer open", "shift rule conclude 123 with manager", "not-held bets-not-closed"),
    (
        &GAMES,
        "dealer open; dealer close; dealer activate; dealer tumbled 3; dealer interrupt 4",
        "dealer interrupt",
        "outcome-established",
    ),
    (
        &GAMES,
        "dealer open; dealer close; dealer activate; dealer tumbled 3; dealer interrupt 4",
        "dealer interrupt 1234",
        "dice-not-known outcome-established",
    ),
    (&GAMES, "", "dealer correct 1 123", "not-allowed second-person-missing unknown-round"),
    (&GAMES, "", "supervisor correct 1 123", "second-person-missing unknown-round"),
    (&GAMES, "", "manager void-by-law 1 malfunction with supervisor2", "second-person-not-allowed unknown-round"),
    (&GAMES, "", "dealer void-damaged 1 0", "not-allowed second-person-missing unknown-round"),
    (&COVERED, "dealer open; dealer activate; dealer tumbled 3", "tumbler9 rest 123", "dice-concealed"),
    (&COVERED, "dealer open", "tumbler9 rest 123", "not-tumbled dice-concealed"),
    (
        &GAMES,
        "dealer open; dealer close; dealer activate; dealer tumbled 3; tumbler9 rest 654",
        "dealer rest 123",
        "read-by-tumbler",
    ),
    (&COVERED, "dealer open; dealer activate; dealer tumbled 3", "dealer interrupt 4", "dice-concealed"),
    (
        &GAMES,
        "round 123; shift rule settle 1 124 with manager",
        "supervisor correct 1 124 with manager",
        "ruled-on same-dice",
    ),
    (&LIVE, "round 123; dealer open", "supervisor correct 1 123 with manager", "correction-too-late same-dice"),
    (&GAMES, "round 123", "dealer witness 1 void", "not-allowed nothing-to-witness"),
    (&GAMES, "round 123", "manager witness 1 void", "nothing-to-witness"),
    (&GAMES, "round 123; shift rule void 1", "shift witness 1 void", "second-person-not-allowed"),
    (&GAMES, "round 123", "shift rule void 1 with shift", "second-person-not-allowed"),
    (&GAMES, "", "shift rule void 1 with dealer", "second-person-not-allowed unknown-round"),
    (
        &GAMES,
        "dealer open; dealer close; shift rule void 1; system damaged 7",
        "dealer open",
        "not-witnessed dice-damaged",
    ),
    (&GAMES, "round 123; dealer open", "shift rule void 1 not-flat with manager", "round-stands"),
    (&GAMES, INTERRUPTED, "dealer commit 123", "known-dice-differ dice-not-known"),
    (&GAMES, INTERRUPTED, "tumbler9 rest 123", "known-dice-differ"),
    (&GAMES, INTERRUPTED, "dealer void few-tumbles", "already-tumbled outcome-established"),
    (&GAMES, INTERRUPTED, "dealer void not-flat", "outcome-established"),
    (&GAMES, "system damaged 7", "dealer open", "dice-damaged"),
    (&GAMES, "dealer open; system damaged 7", "dealer open", "round-in-play dice-damaged"),
    (&LIMITED, "shut", "supervisor open", "not-allowed not-acting table-not-open limits-not-shown"),
    (&LIMITED, "shut", "dealer open", "not-acting table-not-open limits-not-shown"),
    (&LIMITED, "shut; supervisor relieve dealer dealer", "dealer open", "table-not-open limits-not-shown"),
    (&LIMITED, "shut; supervisor open-table; supervisor relieve dealer dealer", "dealer open", "limits-not-shown"),
    (&GAMES, "", "dealer open-table", "not-allowed table-open"),
    (&GAMES, "", "supervisor open-table", "table-open"),
    (&GAMES, "dealer open; system restarted", "dealer commit 123", "held bets-not-closed not-tumbled"),
    (&GAMES, "dealer open; dealer close; system restarted", "dealer close", "held bets-closed"),
    (&GAMES, "dealer open; dealer close; system restarted", "dealer commit 123", "held not-tumbled"),
    (&GAMES, "dealer open; system restarted", "dealer2 close", "not-acting held"),
    (&GAMES, "dealer open", "dealer commit 123", "bets-not-closed not-tumbled"),
    (&GAMES, "dealer open; dealer close", "dealer close", "bets-closed"),
    (
        &GAMES,
        "dealer open; dealer close; dealer activate; dealer tumbled 2; dealer rest 12-",
        "dealer commit 123",
        "not-tumbled dice-not-known",
    ),
    (
        &GAMES,
        "dealer open; dealer close; dealer activate; dealer tumbled 3; dealer rest 12-",
        "dealer commit 123",
        "dice-not-known",
    ),
    (
        &GAMES,
        "dealer open; dealer close; dealer activate; dealer tumbled 3",
        "dealer void few-tumbles",
        "already-tumbled",
    ),
    (&GAMES, "", "dealer tick", "not-allowed no-round-open"),
    (&GAMES, "dealer open", "system tick", "not-due"),
    (
        &[CLASSIC],
        "dealer issue 0 1 500 1; dealer open",
        "manager close-table",
        "round-in-play not-cleared closure-not-announced",
    ),
    (&GAMES, "shut", "manager close-table", "table-not-open closure-not-announced"),
    (&GAMES, "", "manager close-table", "closure-not-announced"),
    (
        &GAMES,
        "round 123; shift rule void 1 with manager",
        "supervisor correct 1 123 with manager",
        "round-void same-dice",
    ),
    (
        &GAMES,
        "round 123; shift rule void 1 with manager",
        "supervisor correct 1 123 with dealer",
        "second-person-not-allowed round-void same-dice",
    ),
    (&GAMES, "round 123", "supervisor correct 1 123 with manager", "same-dice"),
    (&GAMES, "dealer open", "supervisor correct 1 123 with manager", "round-not-settled"),
    (&GAMES, "", "dealer rule void 1", "not-allowed unknown-round"),
    (&GAMES, "", "shift rule void 1 with manager", "unknown-round"),
    (&LIMITED, "", "supervisor limits unit=100 big=2..1", "bad-limits"),
    (&OPEN, "dealer open; dealer close", "dealer void exposed", "bets-closed not-in-game"),
    (&OPEN, "", "dealer void exposed", "no-round-open not-in-game"),
    (&OPEN, "dealer open; system restarted", "dealer void exposed", "held not-in-game"),
    (&OPEN, "", "dealer2 void exposed", "not-acting no-round-open not-in-game"),
    (&LIMITED, "dealer open", "supervisor limits unit=100 big=2..1", "round-in-play bad-limits"),
    (&LIMITED, "dealer open", "dealer limits unit=0", "not-allowed round-in-play bad-limits"),
    (&GAMES, "", "dealer interrupt 1234", "no-round-open dice-not-known"),
    (&GAMES, "dealer open; dealer close", "dealer tumbled 0", "not-tumbled bad-amount"),
    (&GAMES, "dealer open; dealer close", "tumbler8 tumbled 0", "not-allowed not-tumbled bad-amount"),
    (&GAMES, "", "dealer report 99 0", "not-allowed out-of-order"),
    (&GAMES, "", "system report 99 0", "out-of-order"),
    (&GAMES, "", "dealer2 continue", "not-acting not-held"),
    (&GAMES, "", "dealer continue", "not-held"),
    (
        &GAMES,
        "quiet; dealer open; carry-one; dealer close; carry-one; carry-one; dealer activate; dealer tumbled 3
         dealer commit 123",
        "dealer void not-flat",
        "result-committed",
    ),
];

const CLUSTER: &[RefusalRow] = &[
    (&BOXED, "dealer open; player bet 0 big 500", "dealer advise big", "not-below-minimum"),
    (&BOXED, "dealer open; player bet 0 big 300; dealer close", "dealer advise big", "bets-closed"),
    (&GAMES, "fund 0 5000; dealer open", "player bet 0 three:126 100 big 100 big 100", "box-twice box-not-on-layout"),
    (&GAMES, "fund 0 5000; dealer open", "player bet 0 big 99999999999950", "amount-too-large amount-off-unit"),
    (&[ETG], "fund 0 5000; dealer open", "player bet 0 big 200000 small 0", "bad-amount over-limit"),
    (&[CLASSIC], "", "dealer issue 0 1 550 0", "bad-amount amount-off-unit"),
    (&GAMES, "fund 0 5000; dealer open", "player take 0 big 100 big 100", "box-twice no-such-bet"),
    (&GAMES, "fund 0 5000; dealer open", "player take 0 three:126 100", "box-not-on-layout no-such-bet"),
    (&[ETG], "", "t9 bet 9 big 500", "no-round-open unknown-seat"),
    (
        &[ETG],
        "fund 0 5000; dealer open; dealer close",
        "t1 bet 0 three:126 0",
        "not-allowed bets-closed box-not-on-layout bad-amount",
    ),
    (&LIVE, "", "cashier bet 9 big 500", "not-allowed no-round-open unknown-seat"),
    (&LIVE, "", "dealer bet 9 big 500", "no-round-open unknown-seat"),
    (
        &LIVE,
        "dealer open; dealer close",
        "dealer bet 9 three:126 0",
        "bets-closed unknown-seat box-not-on-layout bad-amount",
    ),
    (&LIVE, "dealer open; system restarted", "dealer bet 9", "held unknown-seat no-bets"),
    (&LIVE, "dealer open", "dealer bet 9", "unknown-seat no-bets"),
    (&[ETG], "dealer open; system lost 0", "player bet 0", "terminal-lost no-session no-bets"),
    (&[ETG], "dealer open", "player bet 0 three:126 0", "no-session box-not-on-layout bad-amount"),
    (
        &[ETG],
        "fund 0 9000000; supervisor limits unit=100; dealer open; player bet 0 big 1000000; deal 456; dealer open
         system lost 0",
        "player bet 0",
        "terminal-lost seat-locked no-bets",
    ),
    (
        &[ETG],
        "fund 0 9000000; supervisor limits unit=100; dealer open; player bet 0 big 1000000; deal 456; round 111
         dealer open",
        "player repeat 0",
        "seat-locked nothing-to-repeat",
    ),
    (
        &[ETG],
        "fund 0 1000000; supervisor limits unit=100; dealer open; player bet 0 big 1000000; deal 456",
        "player voucher 0 7",
        "seat-locked over-house-limit",
    ),
    (&[ETG], "fund 0 1000001", "player voucher 0 7", "over-house-limit"),
    (
        &[ETG],
        "fund 0 2000000; dealer open; player bet 0 big 100",
        "player voucher 0 7",
        "round-in-play over-house-limit",
    ),
    (&[ETG], "", "t1 voucher 0 7", "not-allowed no-session not-enough-credits"),
    (&GAMES, "fund 0 5000; dealer open", "player bet 0 big 550 big 550", "box-twice amount-off-unit"),
    (&GAMES, "fund 0 5000; dealer open", "player bet 0", "no-bets"),
    (&GAMES, "fund 0 5000; dealer open", "player bet 0 three:126 0", "box-not-on-layout bad-amount"),
    (&[ETG], "fund 0 50; dealer open", "player bet 0 big -50", "bad-amount amount-off-unit below-minimum"),
    (&[ETG], "fund 0 50; dealer open", "player bet 0 big 99999950", "amount-off-unit over-limit not-enough-credits"),
    (&[ETG], "fund 0 50; dealer open", "player bet 0 big 200000", "over-limit not-enough-credits"),
    (&[ETG], "fund 0 50; dealer open", "player bet 0 sum:4 100", "below-minimum not-enough-credits"),
    (
        &[ETG],
        "fund 0 50; dealer open",
        "player bet 0 big 99999999999900",
        "amount-too-large over-limit not-enough-credits",
    ),
    (&[ETG], "fund 0 50; dealer open", "player bet 0 big 100", "not-enough-credits"),
    (
        &BOXED,
        "refuse; supervisor limits unit=100 big=..1000 diff=500; dealer open",
        "player bet 0 big 1100",
        "over-limit over-differential",
    ),
    (
        &BOXED,
        "refuse; supervisor limits unit=100 big=..1000 diff=500; dealer open",
        "player bet 0 big 1000",
        "over-differential",
    ),
    (
        &[CLASSIC],
        "dealer issue 0 1 500 1; dealer open",
        "player bet-colour 0 big 99900",
        "amount-off-unit not-enough-credits",
    ),
    (
        &[CLASSIC],
        "dealer issue 1 1 500 1; supervisor announce",
        "dealer issue 0 1 0 1",
        "table-closing bad-amount colour-in-use",
    ),
    (&[CLASSIC], "dealer open", "player bet-colour 0 big 550", "amount-off-unit colour-in-use"),
    (&[CLASSIC], "dealer issue 1 1 500 1", "dealer issue 0 1 0 1", "bad-amount colour-in-use"),
    (&[CLASSIC], "dealer issue 1 1 500 1", "dealer issue 0 1 500 1", "colour-in-use"),
    (&[CLASSIC], "", "dealer issue 9 1 0 1", "unknown-seat bad-amount"),
    (&LIMITED, "", "auditor issue 9 1 0 1", "not-allowed not-in-game unknown-seat bad-amount"),
    (&LIMITED, "", "dealer issue 9 1 0 1", "not-in-game unknown-seat bad-amount"),
    (&LIVE, "", "manager cash 9 0", "not-allowed not-in-game unknown-seat bad-amount"),
    (&LIVE, "", "cashier cash 9 0", "not-in-game unknown-seat bad-amount"),
    (&[ETG], "", "cashier cash 9 0", "unknown-seat bad-amount"),
    (&[ETG], "system lost 0", "cashier cash 0 0", "terminal-lost bad-amount"),
    (&[ETG], "fund 0 500", "auditor reverse 9 7", "not-allowed unknown-seat unknown-buy-in"),
    (&[ETG], "fund 0 500", "player reverse 0 1", "not-allowed second-person-missing bad-text"),
    (&[ETG], "fund 0 500", "cashier reverse 9 7", "second-person-missing unknown-seat unknown-buy-in"),
    (&[ETG], "fund 0 500", "cashier reverse 9 7 with cashier", "second-person-not-allowed unknown-seat unknown-buy-in"),
    (&[ETG], "fund 0 500", "cashier reverse 9 7 with manager", "unknown-seat unknown-buy-in"),
    (&GAMES, "", "cashier reverse 0 7 with manager", "no-session unknown-buy-in"),
    (&[ETG], "fund 0 500", "cashier reverse 0 7 with manager", "unknown-buy-in bad-text"),
    (
        &[ETG],
        "fund 0 500; dealer open; player bet 0 big 100",
        "cashier reverse 0 1 with manager",
        "not-enough-credits bad-text",
    ),
    (&[ETG], "fund 0 500", "t1 read 0 1", "not-allowed nothing-to-read"),
    (&[ETG], "fund 0 500", "dealer read 0 1", "not-allowed nothing-to-read"),
    (&[ETG], "", "t9 read 9 1", "unknown-seat nothing-to-read"),
    (&[ETG], "fund 0 500", "player read 0 1", "nothing-to-read"),
    (&[ETG], "notes", "t0 note 0 7", "not-allowed note-not-taken"),
    (&[ETG], "notes", "n1 note 0 7", "not-allowed note-not-taken"),
    (&[ETG], "", "n0 note 0 1000", "not-allowed note-not-taken"),
    (&LIVE, "notes", "n9 note 9 7", "not-in-game unknown-seat note-not-taken"),
    (&[ETG], "notes", "n9 note 9 7", "unknown-seat note-not-taken"),
    (&[ETG], "notes; system lost 0", "n0 note 0 7", "terminal-lost note-not-taken"),
    (&[ETG], "notes; cashier cash 0 1000000000000000 with manager", "n0 note 0 7", "note-not-taken"),
    (&[ETG], "notes; cashier cash 0 1000000000000000 with manager", "n0 note 0 1000", "amount-too-large"),
    (&[ETG], "notes", "t9 count 9 1", "not-allowed unknown-seat"),
    (&[ETG], "notes", "n9 count 9 1", "unknown-seat"),
    (&[ETG], "notes", "n0 empty 0 1 0", "not-allowed bad-amount unknown-device"),
    (&[ETG], "notes", "cashier empty 0 1 0", "bad-amount unknown-device"),
    (&[ETG], "notes", "cashier empty 0 1 1000000000000001", "amount-too-large unknown-device"),
    (&[ETG], "notes", "cashier empty 0 1 1000", "unknown-device"),
    (&[ETG], "", "manager walk 9", "not-allowed not-in-game unknown-seat"),
    (&[ETG], "", "dealer walk 9", "not-in-game unknown-seat"),
    (&LIVE, "", "dealer lost 9", "not-allowed not-in-game unknown-seat"),
    (&[CLASSIC, ETG], "", "supervisor reject", "not-allowed no-round-open not-in-game"),
    (&[CLASSIC, ETG], "", "dealer reject", "no-round-open not-in-game"),
    (&BOXED, "dealer open; dealer close", "dealer reject", "bets-closed no-excess"),
    (&BOXED, "dealer open", "dealer reject", "no-excess"),
    (
        &GAMES,
        "fund 0 5000; dealer open; dealer close",
        "player take 0 big 50",
        "bets-closed no-such-bet amount-off-unit",
    ),
    (&GAMES, "fund 0 5000; dealer open", "player take 0 big 50", "no-such-bet amount-off-unit"),
    (&GAMES, "fund 0 5000; dealer open", "player repeat 0", "nothing-to-repeat"),
    (&GAMES, "fund 0 5000", "player clear 0", "no-round-open no-such-bet"),
    (&[ETG], "fund 0 5000", "t1 leave 0", "not-allowed not-cleared"),
    (&[ETG], "fund 0 5000", "player leave 0", "not-cleared"),
    (
        &[CLASSIC],
        "dealer issue 0 1 500 1; dealer open; player bet-colour 0 big 500",
        "cashier redeem 0",
        "round-in-play",
    ),
    (&GAMES, "", "dealer delivered 5", "not-allowed out-of-order"),
    (&[ETG], "fund 0 500; quiet; player voucher 0 7", "system delivered 2", "out-of-order"),
    (&GAMES, "", "dealer receive 0 2 100", "not-allowed out-of-order"),
    (&GAMES, "", "system receive 0 2 100", "out-of-order"),
    (&GAMES, "", "system receive 0 0 100", "out-of-order"),
    (&GAMES, "", "dealer unlock 9", "not-allowed unknown-seat"),
    (&GAMES, "", "attendant unlock 0", "not-held"),
    // A table that registers winners, and one that does not.
    (&LIVE, "winners", "dealer bet 0 big 500", "other-registration no-round-open"),
    (&LIVE, "winners", "dealer2 bet 0 big 500", "not-acting other-registration no-round-open"),
    (&LIVE, "winners; dealer open", "dealer bet-for 0 big 500", "other-registration"),
    (&BOXED, "winners; dealer open", "dealer bet-over 0 big 500", "other-registration"),
    (&LIVE, "winners; dealer open", "dealer repeat 0", "other-registration nothing-to-repeat"),
    (&LIVE, "winners; dealer open", "dealer double 0", "other-registration no-such-bet"),
    (&BOXED, "winners; dealer open", "dealer reject", "other-registration no-excess"),
    (&BOXED, "winners; dealer open", "dealer advise big", "other-registration not-below-minimum"),
    (&[CLASSIC], "winners", "dealer issue 0 1 500 1", "other-registration"),
    (&GAMES, "", "dealer register 0 big 500", "other-registration not-thrown"),
    (&GAMES, "", "dealer register 0 big 1100000", "other-registration not-thrown"),
    (&GAMES, "", "dealer total big 500", "other-registration not-thrown"),
    (&GAMES, "", "dealer registered", "other-registration not-thrown"),
    (&GAMES, "round 456", "supervisor film 1 0 big 500 with manager", "other-registration not-held"),
    (&GAMES, "round 456", "supervisor close-returns 1 with manager", "other-registration not-held"),
    (&LIVE, "winners", "dealer register 0 big 500", "not-thrown"),
    (&LIVE, "winners; round 456; dealer registered", "dealer register 0 small 500", "all-registered losing-box"),
    (&LIVE, VOID_LATE, "dealer register 0 small 500", "round-void losing-box"),
    (&LIVE, "winners; dealer open", "dealer register 0 big 500", "not-thrown"),
    (&LIVE, "winners; dealer open; dealer close", "dealer register 9 big 500", "not-thrown unknown-seat"),
    (&LIVE, "winners; dealer open", "dealer take 0 big 500", "not-thrown no-such-bet"),
    (&LIVE, "winners; dealer open", "dealer clear 0", "not-thrown no-such-bet"),
    (&LIVE, "winners; dealer open", "dealer registered", "not-thrown"),
    (&BOXED, "winners; dealer open", "dealer total big 500", "not-thrown"),
    (&LIVE, "winners; round 456", "auditor register 0 big 500", "not-allowed"),
    (&LIVE, "winners; round 456", "dealer2 register 0 small 500", "not-acting losing-box"),
    (&LIVE, "winners; round 456", "dealer register 0 big 1100000", "second-person-missing"),
    (
        &LIVE,
        "winners; round 456; dealer register 0 big 600000",
        "dealer register 0 big 500000",
        "second-person-missing",
    ),
    (&LIVE, "winners; round 456", "dealer register 0 big 1100000 with dealer2", "second-person-not-allowed"),
    (&LIVE, "winners; round 456", "dealer register 0 small 1100000", "second-person-missing losing-box"),
    (&LIVE, "winners; round 456", "dealer register 9 small 500", "unknown-seat losing-box"),
    (&LIVE, "winners; round 456", "dealer register 0", "no-bets"),
    (&LIVE, "winners; round 456", "dealer register 0 big 500 big 500", "box-twice"),
    (&LIVE, "winners; round 456", "dealer register 0 pair:113 50", "box-not-on-layout losing-box amount-off-unit"),
    (&LIVE, "winners; round 456", "dealer register 0 small 50", "losing-box amount-off-unit"),
    (&LIVE, "winners; round 456", "dealer register 0 big 0", "bad-amount"),
    (&LIVE, "winners; round 456", "dealer register 0 big 550", "amount-off-unit"),
    (&LIVE, "winners; round 456", "dealer take 0 big 500", "no-such-bet"),
    (&LIVE, "winners; round 456; quiet; dealer registered", "dealer register 0 small 500", "all-registered losing-box"),
    (&LIVE, "winners; round 456; quiet; dealer registered", "dealer registered", "all-registered"),
    (&LIVE, "winners; round 456; quiet; dealer registered", "dealer clear 0", "all-registered no-such-bet"),
    (&[CLASSIC], "winners; round 456", "dealer total big 500", "not-in-game"),
    (&BOXED, "winners; round 456", "dealer2 total big 500", "not-acting"),
    (&BOXED, "winners; round 456", "dealer total pair:113 50", "box-not-on-layout amount-off-unit"),
    (&BOXED, "winners; round 456", "dealer total big -100", "bad-amount"),
    (&BOXED, "winners; round 456", "dealer total big 1100000000000", "amount-too-large"),
    (&BOXED, "winners; round 456", "dealer total big 50", "amount-off-unit"),
    (&BOXED, "winners; round 456; dealer total small 50000", "dealer register 0 small 500", "losing-box"),
    (&BOXED, "winners; round 555; dealer total small 50100", "dealer register 0 small 500", "opposite-not-told"),
    (&BOXED, "winners; round 456; dealer register 0 big 50100", "dealer registered", "opposite-not-told"),
    (&BOXED, "winners; round 456; dealer total big 1000", "dealer registered", "total-differs"),
    (
        &BOXED,
        "winners; round 456; dealer total small 100100; dealer register 0 small 100000",
        "dealer registered",
        "total-differs",
    ),
    (&LIVE, "winners; round 456; dealer registered", "dealer film 1 0 small 500", "not-allowed not-held"),
    (&LIVE, "winners; round 456; dealer registered", "supervisor film 1 0 small 500", "second-person-missing not-held"),
    (&LIVE, "winners; round 456; dealer registered", "supervisor film 1 0 small 500 with manager", "not-held"),
    (&LIVE, "winners; round 456; dealer registered", "supervisor close-returns 1", "second-person-missing not-held"),
    (&LIVE, "winners; round 456; dealer registered", "supervisor close-returns 1 with manager", "not-held"),
    (&[ETG], "", "dealer tick 0", "not-in-game"),
    (&LIVE, "round 456", "dealer2 tick 9", "not-acting unknown-seat"),
    (&LIVE, "round 456", "dealer tick 9", "unknown-seat"),
    (&LIVE, "round 456", "dealer tick 0", "not-on-pay-list"),
    (&LIVE, "round 456", "dealer untick 0", "not-on-pay-list"),
    (&LIVE, "dealer open; player bet 0 big 500", "dealer tick 0", "round-in-play not-on-pay-list"),
    (&LIVE, "dealer open; player bet 0 big 500; deal 456; dealer leave 0", "dealer untick 0", "given-stands"),
    (&LIVE, VOID_LATE, "supervisor film 1 9 small 500 with manager", "unknown-seat"),
    (&LIVE, VOID_LATE, "supervisor film 1 0 pair:113 500 with manager", "box-not-on-layout"),
    (&LIVE, VOID_LATE, "supervisor film 1 0 small 0 with manager", "bad-amount"),
    (&LIVE, VOID_LATE, "supervisor film 1 0 small 1100000000000 with manager", "amount-too-large"),
    (&LIVE, VOID_LATE, "supervisor film 1 0 small 550 with manager", "amount-off-unit"),
    (
        &LIVE,
        "winners; round 456; dealer registered; supervisor correct 1 123 with manager",
        "supervisor film 1 0 sum:9 550 with manager",
        "losing-box amount-off-unit",
    ),
    (
        &LIVE,
        "winners; round 456; dealer registered; supervisor correct 1 123 with manager",
        "supervisor film 1 0 big 550 with manager",
        "already-registered losing-box amount-off-unit",
    ),
    (&LIVE, "winners; round 456; dealer registered", "supervisor unfilm 1 1", "second-person-missing not-held"),
    (&LIVE, "winners; round 456; dealer registered", "supervisor unfilm 1 1 with manager", "not-held no-such-bet"),
    (&GAMES, "round 456", "supervisor unfilm 1 1 with manager", "other-registration not-held"),
    (&LIVE, VOID_LATE, "dealer unfilm 1 1 with manager", "not-allowed no-such-bet"),
    (&LIVE, VOID_LATE, "supervisor unfilm 1 1 with manager", "no-such-bet"),
];

/// A round that was settled, with nothing registered, and then void.
const VOID_LATE: &str = "winners; round 456; dealer registered; supervisor void-by-law 1 malfunction with manager";

/// Met where a row of words is not enough.
const ELSEWHERE: &[(Refusal, &str)] = &[
    (Refusal::CommandIdReused, "repeats"),
    (Refusal::CommandTooOld, "repeats"),
    (Refusal::RulesNotInForce, "table: a_table_opens_when_its_game_is_in_force"),
    (Refusal::SlipDiffers, "compensation::another_slip_is_refused"),
    (Refusal::TooManyRounds, "table: damaged_dice_void_ten_thousand_rounds_at_once"),
    (Refusal::UnknownTable, "table: every_cluster_is_waited_for"),
];

/// Before those that only the House gives, and never given by a round or a cluster.
const NEVER: &[Refusal] = &[Refusal::TrainingMixed];

fn refusal(code: &str) -> Refusal {
    *Refusal::ALL.iter().find(|refusal| refusal.code() == code).unwrap_or_else(|| panic!("a code: {code}"))
}

/// The answer to a row's request, on each of its games.
fn answers((games, before, request, _): &RefusalRow) -> impl Iterator<Item = (&'static str, Option<Refusal>)> {
    games.iter().map(move |game| {
        let (kind, rest) = before.split_once(';').unwrap_or((before, ""));
        let mut installation = match kind {
            "shut" => TestInstallation::shut(game, "A", &Profile::singapore()),
            "winners" if before.contains("quiet") => TestInstallation::winners_apart(game),
            "winners" => TestInstallation::winners(game),
            "notes" => TestInstallation::ready(game, "A", &Profile::training()),
            "refuse" => {
                TestInstallation::ready(game, "A", &Profile { excess: ExcessPolicy::Refuse, ..Profile::singapore() })
            }
            _ => TestInstallation::for_script(game, before),
        };
        installation.run(if ["shut", "notes", "refuse", "winners"].contains(&kind) { rest } else { before });
        let words: Vec<_> = request.split_whitespace().collect();
        let answer = installation.ask(words[0], &words[1..]).refusal();
        installation.house.check().expect("invariants");
        (*game, answer)
    })
}

#[test]
fn the_first_reason_in_order_is_the_answer() {
    let mut with_several = 0;
    for row in ROUND.iter().chain(CLUSTER) {
        let holds: Vec<_> = row.3.split_whitespace().map(refusal).collect();
        assert!(holds.is_sorted(), "{row:?}: in the order of precedence");
        with_several += usize::from(holds.len() > 1);
        for (game, answer) in answers(row) {
            assert_eq!(answer, Some(holds[0]), "{game}: {row:?}");
        }
    }
    assert!(with_several >= 50, "{with_several} rows with several reasons");
}

#[test]
fn every_refusal_is_met() {
    let rows = ROUND.iter().chain(CLUSTER).map(|row| refusal(row.3.split(' ').next().expect("a code")));
    let met: BTreeSet<_> = rows.chain(ELSEWHERE.iter().map(|(refusal, _)| *refusal)).collect();
    let of_tables = Refusal::ALL.iter().copied().filter(|refusal| *refusal <= Refusal::ColourInUse);
    let expected: BTreeSet<_> = of_tables
        .filter(|refusal| !NEVER.contains(refusal))
        .chain([Refusal::OverHouseLimit, Refusal::UnknownTable, Refusal::UnknownDevice])
        .collect();
    let missing: Vec<_> = expected.difference(&met).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert_eq!(met.len(), expected.len(), "{:?}", met.difference(&expected).collect::<Vec<_>>());
}

/// 3.6 and 5.7 of Tai Sai, 3.2 and 5.2 of the early edition, 3.5 of the terminals: each by its own document.
#[test]
fn a_refusal_cites_the_paragraphs_of_the_game() {
    for (game, cited) in GAMES.into_iter().zip(["3.2 5.2", "3.6 5.7", "3.6 5.7", "3.5"]) {
        let rules = rules(game, "A");
        let cite = |refusal: Refusal| {
            refusal.paragraphs(rules.game()).iter().map(Paragraph::text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(cite(Refusal::BetsClosed), cited, "{game}");
        assert_eq!(cite(Refusal::NotAllowed), "", "{game}: of no paragraph");
    }
}
