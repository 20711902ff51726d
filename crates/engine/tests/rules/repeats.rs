//! Commands sent again: the same content gets the same verdict and changes nothing; other content under a used id, and
//! ids older than those remembered, are refused before anything else is looked at.

use taisai_rules::BetBox;
use taisai_table::{
    CashOut, Chips, ClusterCommand, CommandRequest, Decision, Entry, Machine, MachineEntry, Profile, RecentCommands,
    Refusal, RoundCommand, Seat, Stake, Time, Verdict, VoucherHash, VoucherNumber,
};

use crate::installation::{CLUSTER, ETG, GAMES, NOON, TABLE, TestInstallation, cents, id};

/// A source of commands: who asks which machine, something that is accepted every time, and something that is refused.
struct Source {
    who: &'static str,
    accepted: fn(i64) -> Either,
    refused: Either,
}

#[derive(Clone, Debug)]
enum Either {
    Round(RoundCommand),
    Cluster(ClusterCommand),
}

fn buy(amount: i64) -> Either {
    Either::Cluster(ClusterCommand::BuyIn { seat: Seat(0), amount: cents(amount), second: None })
}

fn note(amount: i64) -> Either {
    Either::Cluster(ClusterCommand::AcceptNote { seat: Seat(0), amount: cents(amount) })
}

fn bet(amount: i64) -> Either {
    let stakes = [Stake { bet_box: BetBox::BIG, amount: cents(amount * 100) }].into_iter().collect();
    Either::Cluster(ClusterCommand::Place { seat: Seat(0), chips: Chips::Own, stakes })
}

fn dice_set(number: i64) -> Either {
    Either::Round(RoundCommand::UseDice { dice_set: u32::try_from(number).expect("a dice set") })
}

fn sources() -> Vec<Source> {
    let placed = Source { who: "t0", accepted: bet, refused: bet(0) };
    let noted = Source { who: "n0", accepted: note, refused: note(0) };
    let cash = Source { who: "cashier", accepted: buy, refused: buy(0) };
    let lost = Source {
        who: "system",
        accepted: |_| Either::Cluster(ClusterCommand::Lost { seat: Seat(1) }),
        refused: buy(1),
    };
    let dice = Source { who: "supervisor", accepted: dice_set, refused: Either::Round(RoundCommand::CloseTable) };
    vec![placed, noted, cash, lost, dice]
}

/// How it was answered: accepted or not, and whether it was a repeat.
fn send(installation: &mut TestInstallation, who: &str, number: (u64, u64), command: &Either) -> (Verdict, bool) {
    fn verdict<E>(decision: &Decision<E>) -> (Verdict, bool) {
        match decision {
            Decision::Accepted(_) => (Verdict::Accepted, false),
            Decision::Refused(refusal) => (Verdict::Refused(*refusal), false),
            Decision::Repeated(verdict) => (*verdict, true),
        }
    }
    let (actor, id) = (installation.actor(who, None), id(number.0, number.1));
    let time = Time(installation.now);
    match command.clone() {
        Either::Round(command) => verdict(
            &installation.house.ask_round(TABLE, CommandRequest { time, actor, id, command }).expect("the table"),
        ),
        Either::Cluster(command) => verdict(
            &installation.house.ask_cluster(CLUSTER, CommandRequest { time, actor, id, command }).expect("the table"),
        ),
    }
}

#[test]
fn a_command_sent_again_gets_the_same_answer() {
    for Source { who, accepted, refused } in sources() {
        let notes = (1..=40).map(cents).collect();
        let mut installation = TestInstallation::ready(ETG, "A", &Profile { notes, ..Profile::singapore() });
        // Bets are open for the players; the table's own commands come before.
        installation.run(if who == "supervisor" { "fund 0 100000" } else { "fund 0 100000; dealer open" });
        let source = 77;
        let mut refusal = None;
        for sequence in 10..20_u64 {
            let number = (source, sequence);
            let amount = i64::try_from(sequence).expect("a small number");
            let (command, other) = if sequence.is_multiple_of(3) {
                (refused.clone(), accepted(1))
            } else {
                (accepted(amount), refused.clone())
            };
            let (first, is_repeat) = send(&mut installation, who, number, &command);
            assert!(!is_repeat, "{who} {sequence}");
            assert_eq!(first == Verdict::Accepted, !sequence.is_multiple_of(3), "{who} {sequence}: {first:?}");
            refusal = refusal.max(match first {
                Verdict::Accepted => None,
                Verdict::Refused(refusal) => Some(refusal),
            });
            let (hashes, recorded) = (installation.hashes(), installation.house.record.len());
            installation.now += 1_000;
            // Again, later, by whoever has the source: the same answer, nothing recorded, nothing changed.
            assert_eq!(send(&mut installation, who, number, &command), (first, true), "{who} {sequence}");
            assert_eq!(
                (installation.hashes(), installation.house.record.len()),
                (hashes, recorded),
                "{who} {sequence}"
            );
            // Other content under the same id is refused and recorded, and the id stays with what had it first.
            let reused = (Verdict::Refused(Refusal::CommandIdReused), false);
            assert_eq!(send(&mut installation, who, number, &other), reused, "{who} {sequence}");
            // The first time it is a significant event too.
            let is_event = |entry: &&MachineEntry| match entry {
                MachineEntry::Round(_, entry) => matches!(entry.request.command, RoundCommand::RaiseEvent { .. }),
                MachineEntry::Cluster(_, entry) => matches!(entry.request.command, ClusterCommand::RaiseEvent { .. }),
                MachineEntry::House(_) => false,
            };
            let added = &installation.house.record[recorded..];
            assert_eq!(added.len(), 1 + added.iter().filter(is_event).count(), "{who} {sequence}: {added:?}");
            assert_eq!(send(&mut installation, who, number, &command), (first, true), "{who} {sequence}");
            installation.house.check().expect("invariants");
        }
        assert!(refusal.is_some(), "{who}");
        let too_old = (Verdict::Refused(Refusal::CommandTooOld), false);
        let kept = u64::try_from(RecentCommands::KEPT).expect("a small number");
        let command = |sequence: u64| {
            if sequence.is_multiple_of(3) { refused.clone() } else { accepted(i64::try_from(sequence).expect("small")) }
        };
        for sequence in [0, 1, 10, 11, 19 - kept] {
            assert_eq!(
                send(&mut installation, who, (source, sequence), &command(sequence)),
                too_old,
                "{who} {sequence}"
            );
        }
        for sequence in 20 - kept..20 {
            assert!(
                send(&mut installation, who, (source, sequence), &command(sequence)).1,
                "{who} {sequence} is remembered"
            );
        }
        // Numbers rise, with gaps: one that was skipped is too old.
        assert_eq!(send(&mut installation, who, (source, 30), &command(31)), (Verdict::Accepted, false), "{who}");
        assert_eq!(send(&mut installation, who, (source, 25), &command(25)), too_old, "{who}");
    }
}

/// The id comes first: before the right to ask, the phase and everything else.
#[test]
fn the_id_is_looked_at_first() {
    for game in GAMES {
        let mut installation = TestInstallation::new(game);
        let first = Either::Round(RoundCommand::UseDice { dice_set: 3 });
        assert_eq!(send(&mut installation, "supervisor", (5, 1), &first), (Verdict::Accepted, false));
        let other = Either::Round(RoundCommand::CloseBets);
        let reused = (Verdict::Refused(Refusal::CommandIdReused), false);
        assert_eq!(send(&mut installation, "auditor", (5, 1), &other), reused, "{game}");
        let cleared = Either::Cluster(ClusterCommand::ClearLock { seat: Seat(0) });
        let not_held = Verdict::Refused(Refusal::NotHeld);
        assert_eq!(
            send(&mut installation, "attendant", (5, 1), &cleared),
            (not_held, false),
            "{game}: each machine has its own"
        );
        assert_eq!(
            send(&mut installation, "auditor", (5, 1), &Either::Cluster(ClusterCommand::RejectExcess)),
            reused,
            "{game}"
        );
        assert_eq!(send(&mut installation, "attendant", (5, 1), &cleared), (not_held, true), "{game}");
        // Another source has numbers of its own.
        assert_eq!(send(&mut installation, "attendant", (6, 1), &cleared), (not_held, false), "{game}");
        let too_old = (Verdict::Refused(Refusal::CommandTooOld), false);
        assert_eq!(send(&mut installation, "auditor", (9, 0), &other), too_old, "{game}: no command has number zero");
    }
}

/// Asks a machine without a driver; whether that is recorded.
fn is_recorded<M: Machine>(machine: &mut M, request: CommandRequest<M::Command>) -> bool {
    let request = machine.conceal(request);
    let outcome = match machine.decide(&request) {
        Decision::Accepted(event) => Ok(event),
        Decision::Refused(refusal) => Err(refusal),
        Decision::Repeated(_) => return false,
    };
    machine.apply(&Entry { request, outcome });
    true
}

/// A command twice in a row is carried out once, however it is sent: bets, money and rounds are what they were.
#[test]
fn every_entry_sent_again_changes_nothing() {
    for game in GAMES {
        let mut installation = TestInstallation::new(game);
        installation
            .run("fund 0 5000; fund 1 5000; dealer open; player bet 0 big 500; player bet 1 small 700; deal 456");
        installation.run(
            "dealer open; player repeat 0; player double 0; dealer interrupt; shift rule settle 1 123 with manager",
        );
        let mut again = installation.house.machines().empty();
        for recorded in &installation.house.record {
            let mut times = 0;
            for time in [NOON, NOON + 5] {
                let later = |before: Time| Time(before.0.max(time));
                times += u32::from(match recorded {
                    MachineEntry::Round(table, Entry { request, .. }) => {
                        let request = CommandRequest { time: later(request.time), ..request.clone() };
                        is_recorded(&mut again.tables.get_mut(table).expect("the table").round, request)
                    }
                    MachineEntry::Cluster(cluster, Entry { request, .. }) => {
                        let clusters = &mut again.tables.get_mut(&cluster.table).expect("the table").clusters;
                        let request = CommandRequest { time: later(request.time), ..request.clone() };
                        is_recorded(&mut clusters[usize::from(cluster.number)], request)
                    }
                    MachineEntry::House(Entry { request, .. }) => {
                        let request = CommandRequest { time: later(request.time), ..request.clone() };
                        is_recorded(&mut again.house, request)
                    }
                });
            }
            assert!(times <= 1, "{game}: {recorded:?}");
        }
        assert_eq!(again.state_hash(), installation.house.machines().state_hash(), "{game}");
    }
}

/// An amount and its negative are other content.
#[test]
fn the_sign_of_an_amount_is_content() {
    let mut installation = TestInstallation::new(ETG);
    installation.run("fund 0 5000; dealer open");
    let reused = Verdict::Refused(Refusal::CommandIdReused);
    assert_eq!(send(&mut installation, "t0", (7, 7), &bet(-5)), (Verdict::Refused(Refusal::BadAmount), false));
    assert_eq!(send(&mut installation, "t0", (7, 7), &bet(5)), (reused, false));
}

/// F42: a voucher's number is drawn each time that the cash-out is sent. The first one counts, and the command is the same.
#[test]
fn a_cash_out_sent_again_under_another_number_is_the_same() {
    let cash_out = |byte: u8| {
        let number = VoucherNumber { hash: VoucherHash([byte; 32]), digits: byte.into() };
        Either::Cluster(ClusterCommand::CashOut { seat: Seat(0), to: CashOut::Voucher(number) })
    };
    let mut installation = TestInstallation::new(ETG);
    installation.run("fund 0 500");
    assert_eq!(send(&mut installation, "t0", (7, 1), &cash_out(1)), (Verdict::Accepted, false));
    let before = installation.hashes();
    assert_eq!(send(&mut installation, "t0", (7, 1), &cash_out(2)), (Verdict::Accepted, true));
    assert_eq!(installation.hashes(), before);
    let by_hand = Either::Cluster(ClusterCommand::CashOut { seat: Seat(0), to: CashOut::HandPay });
    let reused = Verdict::Refused(Refusal::CommandIdReused);
    assert_eq!(send(&mut installation, "t0", (7, 1), &by_hand), (reused, false));
}
