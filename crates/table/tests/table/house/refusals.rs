//! Each command with its refusals, as a ladder of rows: each row mends the first reason of the one before and keeps the
//! rest. So a row with several reasons gets the first, and the last row is carried out.

use std::collections::BTreeSet;

use taisai_rules::Money;
use taisai_table::Refusal::{self, *};
use taisai_table::{
    Act, Actor, ApprovalId, ClaimId, ClusterId, DeviceId, DeviceKind, Founder, HouseCommand, MAX_OPEN_APPROVALS,
    Person, PersonId, ReceivableId, ReceivableRuling, Redeemer, ReportedEvent, Role, Roles, RoundNumber, Seat,
    SecretOwner, SessionId, TableId, TransferPurpose,
};

use super::examples::missing;
use super::floor::*;

// Vouchers of the casino below.
const GOOD: u8 = 1;
const PAID: u8 = 2;
const VOID: u8 = 3;
const EXPIRED: u8 = 4;
const OVERDUE: u8 = 5;
const PLAY: u8 = 6;
const SENT: u8 = 7;
const FREE: u8 = 8;
const CASHED_OUT: u8 = 9;
const ANEW: u8 = 10;
const CONFIRMED: u8 = 11;

// The serial numbers of some of them.
const GOOD_SERIAL: u64 = 3;
const CONFIRMED_SERIAL: u64 = 8;
const REPLACED_SERIAL: u64 = 9;
const ANEW_SERIAL: u64 = 10;

// Its people, seats, claims and approvals besides those of every floor.
const SUSPENDED: u32 = 20;
const LOCKED: u32 = 21;
const LOCKED_SEAT: Seat = Seat(5);
const LARGE_CLAIM: u64 = 2;
const SMALL_CLAIM: u64 = 3;
const CASH_OUT_CLAIM: u64 = 4;
const TAKEN_CLAIM: u64 = 5;
const PAID_CLAIM: u64 = 6;
const OVER: u64 = 1;
const ANSWERED: u64 = 2;
const WAITING: u64 = 3;
const OWN: u64 = 4;
const APPROVED: u64 = 5;
const USED: u64 = 6;

type Row = (Actor, HouseCommand, Option<Refusal>);

/// A House in which something of everything has happened.
fn standing() -> Floor {
    let mut floor = Floor::new();
    let (system, cashier, administrator) = (Actor::System, by(CASHIER), by(ADMINISTRATOR));
    floor.accept(cashier, sell(EXPIRED, 100));
    floor.pass(1_000);
    floor.accept(cashier, sell(OVERDUE, 100));
    floor.pass(30 * DAY - 1_000);
    floor.accept(system, HouseCommand::Tick);
    floor.accept(by(ATTENDANT), request(Act::LargeHandPay, "over"));
    floor.pass(11 * 60 * 1_000);
    for byte in [GOOD, PAID, VOID, SENT] {
        floor.accept(cashier, sell(byte, 100));
    }
    floor.accept(cashier, at_cage(PAID));
    floor.accept(cashier, void(VOID, "torn", second(SUPERVISOR)));
    floor.accept(terminal(TERMINAL, SEAT), at_seat(SENT, CLUSTER, SEAT));
    floor.accept(system, receive(TRAINING, 1, 100, voucher(PLAY)));
    floor.accept(system, receive(CLUSTER, 1, 6_000_000, CLAIM));
    floor.accept(system, receive(CLUSTER, 2, 500, CLAIM));
    let owed =
        TransferPurpose::Receivable { seat: SEAT, session: SessionId(2), round: RoundNumber(4), is_waived: false };
    floor.accept(system, receive(CLUSTER, 3, 900, owed));
    for (id, roles) in [(SUSPENDED, &Role::ALL[..7]), (LOCKED, &[Role::Dealer])] {
        let (person, roles) = (PersonId(id), Roles::of(roles));
        let name = "Ann".to_owned();
        floor.accept(administrator, HouseCommand::AddPerson { person, name, roles, second: second(SUPERVISOR) });
    }
    let suspended = PersonId(SUSPENDED);
    floor.accept(administrator, HouseCommand::Suspend { person: suspended, second: second(SUPERVISOR) });
    for _ in 0..5 {
        floor.accept(system, HouseCommand::LoginFailed { person: PersonId(LOCKED) });
        floor.refuse(by(OTHER_CASHIER), at_cage(99), VoucherNotOnFile);
        floor.refuse(system, at_seat(99, CLUSTER, LOCKED_SEAT), VoucherNotOnFile);
    }
    for (id, what) in
        [(CASHIER, "answered"), (CASHIER, "waiting"), (DOUBLE, "own"), (CASHIER, "approved"), (CASHIER, "used")]
    {
        floor.accept(by(id), request(Act::LargeHandPay, what));
    }
    floor.accept(by(SUPERVISOR), answer(ANSWERED, false));
    for approval in [APPROVED, USED] {
        floor.accept(by(SUPERVISOR), answer(approval, true));
    }
    floor.accept(system, use_approval(USED, 1));
    let own = terminal(TERMINAL, SEAT);
    floor.accept(system, receive(CLUSTER, 4, 100, voucher(CONFIRMED)));
    floor.accept(own, confirm(CONFIRMED_SERIAL));
    floor.accept(system, receive(CLUSTER, 5, 100, voucher(CASHED_OUT)));
    floor.accept(own, reissue(REPLACED_SERIAL, ANEW, None));
    for number in 6..9 {
        floor.accept(system, receive(CLUSTER, number, 100, CASH_OUT));
    }
    floor.accept(by(CASHIER), HouseCommand::TakeClaim { claim: ClaimId(TAKEN_CLAIM) });
    floor.accept(by(ATTENDANT), HouseCommand::PayClaim { claim: ClaimId(PAID_CLAIM), second: None });
    floor
}

fn ladders() -> Vec<Vec<Row>> {
    [people(), machines(), approvals(), cage(), anew(), transfers()].concat()
}

/// The second people that do not do, each with the refusal.
fn seconds(first: u32) -> [(Option<Person>, Refusal); 5] {
    [
        (None, SecondPersonMissing),
        (second(DEALER), SecondPersonNotAllowed),
        (Some(claimed(DEALER, &[Role::PitSupervisor])), SecondPersonNotAllowed),
        (second(SUSPENDED), SecondPersonNotAllowed),
        (second(first), SecondPersonNotAllowed),
    ]
}

/// The rows of an act that takes two: by those who may not do it, with the seconds that do not do, and then by a person who
/// may, with a supervisor. At the cage `DOUBLE` could be the second person too.
fn for_two(first: u32, command: impl Fn(Option<Person>, usize) -> HouseCommand, refusals: &[Refusal]) -> Vec<Row> {
    let mut rows = nobodies(&command(None, 0));
    let alone = if first == ADMINISTRATOR { first } else { DOUBLE };
    rows.extend(seconds(alone).map(|(second, refusal)| (by(alone), command(second, 0), Some(refusal))));
    let fixes = refusals.iter().copied().map(Some).chain([None]).enumerate();
    rows.extend(fixes.map(|(mended, refusal)| (by(first), command(second(SUPERVISOR), mended), refusal)));
    rows
}

/// The rows of an act that takes one person.
fn for_one(first: u32, command: impl Fn(usize) -> HouseCommand, refusals: &[Refusal]) -> Vec<Row> {
    let mut rows = nobodies(&command(0));
    let fixes = refusals.iter().copied().map(Some).chain([None]).enumerate();
    rows.extend(fixes.map(|(mended, refusal)| (by(first), command(mended), refusal)));
    rows
}

/// The rows of what only the server itself asks.
fn for_system(command: impl Fn(usize) -> HouseCommand, refusals: &[Refusal]) -> Vec<Row> {
    let mut rows = nobodies(&command(0));
    rows.retain(|(actor, _, _)| *actor != Actor::System);
    rows.push((by(DOUBLE), command(0), Some(NotAllowed)));
    let fixes = refusals.iter().copied().map(Some).chain([None]).enumerate();
    rows.extend(fixes.map(|(mended, refusal)| (Actor::System, command(mended), refusal)));
    rows
}

/// Those who may do none of it: without the role, with a role that is not on file, not on file, suspended, no person.
fn nobodies(command: &HouseCommand) -> Vec<Row> {
    [
        by(AUDITOR),
        by(DEALER),
        Actor::Person(claimed(AUDITOR, &Role::ALL)),
        by(STRANGER),
        by(SUSPENDED),
        terminal(TERMINAL, Seat(2)),
        Actor::Tumbler(TUMBLER),
        Actor::ChipReader(TUMBLER),
        Actor::System,
    ]
    .map(|actor| (actor, command.clone(), Some(NotAllowed)))
    .to_vec()
}

fn pick<T: Copy>(values: &[T], place: usize) -> T {
    *values.get(place).unwrap_or(&values[values.len() - 1])
}

fn people() -> Vec<Vec<Row>> {
    use HouseCommand as C;
    // F50: an Auditor only reads.
    let both = Roles::of(&[Role::Auditor, Role::Dealer]);
    let changes: [fn(PersonId, Option<Person>) -> C; 3] = [
        |person, second| C::SetRoles { person, roles: Roles::default(), second },
        |person, second| C::Suspend { person, second },
        |person, second| C::Unlock { person, second },
    ];
    let mut ladders = vec![
        for_two(
            ADMINISTRATOR,
            |second, mended| C::AddPerson {
                person: PersonId(pick(&[DEALER, DEALER, STRANGER], mended)),
                name: pick(&[" ", "Ann"], mended).to_owned(),
                roles: pick(&[both, both, both, Roles::of(&[Role::Dealer])], mended),
                second,
            },
            &[BadText, PersonExists, RolesConflict],
        ),
        for_two(
            ADMINISTRATOR,
            |second, mended| C::SetRoles {
                person: PersonId(pick(&[STRANGER, LOCKED], mended)),
                roles: pick(&[both, both, Roles::of(&[Role::Administrator, Role::Auditor])], mended),
                second,
            },
            &[UnknownPerson, RolesConflict],
        ),
        for_two(
            ADMINISTRATOR,
            |second, mended| C::Reinstate { person: PersonId(pick(&[STRANGER, DEALER, SUSPENDED], mended)), second },
            &[UnknownPerson, PersonExists],
        ),
        for_system(
            |mended| C::LoginFailed { person: PersonId(pick(&[STRANGER, SUSPENDED, LOCKED, DEALER], mended)) },
            &[UnknownPerson, UnknownPerson, LockedOut],
        ),
        for_system(
            |mended| C::LoginSucceeded { person: PersonId(pick(&[STRANGER, SUSPENDED, LOCKED, DEALER], mended)) },
            &[UnknownPerson, UnknownPerson, LockedOut],
        ),
    ];
    for change in changes {
        let person = |mended| PersonId(pick(&[STRANGER, SUSPENDED, LOCKED], mended));
        ladders.push(for_two(
            ADMINISTRATOR,
            |second, mended| change(person(mended), second),
            &[UnknownPerson, UnknownPerson],
        ));
        // Nobody changes what they may do themselves, nor approves it.
        let own = change(PersonId(ADMINISTRATOR), None);
        let approved = change(PersonId(SUPERVISOR), second(SUPERVISOR));
        ladders.push(vec![
            (by(ADMINISTRATOR), own, Some(NotAllowed)),
            (by(ADMINISTRATOR), approved, Some(SecondPersonNotAllowed)),
            (by(ADMINISTRATOR), change(PersonId(SUPERVISOR), second(SHIFT_MANAGER)), None),
        ]);
    }
    ladders
}

fn machines() -> Vec<Vec<Row>> {
    use HouseCommand as C;
    let screen = |device, second| C::Enrol { device: DeviceId(device), kind: DeviceKind::Screen, second };
    let at = |cluster: ClusterId, seat| DeviceKind::Terminal { cluster, seat: Seat(seat) };
    let device = |mended| DeviceId(pick(&[99, TERMINAL.0], mended));
    let long = "x".repeat(10_001);
    vec![
        for_two(
            ADMINISTRATOR,
            |second, mended| match mended {
                0 => C::Enrol { device: TERMINAL, kind: at(NOWHERE, 1), second },
                1 => C::Enrol { device: DeviceId(50), kind: at(CLUSTER, SEAT.0), second },
                2 => C::Enrol { device: DeviceId(50), kind: at(NOWHERE, 2), second },
                _ => C::Enrol { device: DeviceId(50), kind: at(CLUSTER, 2), second },
            },
            &[DeviceExists, DeviceExists, UnknownTable],
        ),
        for_two(ADMINISTRATOR, |second, mended| screen(pick(&[TUMBLER.0, 50], mended), second), &[DeviceExists]),
        for_two(
            ADMINISTRATOR,
            |second, mended| C::Enrol {
                device: DeviceId(pick(&[TERMINAL.0, 50], mended)),
                kind: DeviceKind::ChipReader { cluster: pick(&[NOWHERE, NOWHERE, CLUSTER], mended) },
                second,
            },
            &[DeviceExists, UnknownTable],
        ),
        // F86: the casino of these rows takes no notes.
        for_two(
            ADMINISTRATOR,
            |second, mended| match mended {
                0 => C::Enrol {
                    device: TERMINAL,
                    kind: DeviceKind::NoteAcceptor { cluster: NOWHERE, seat: SEAT },
                    second,
                },
                _ => screen(50, second),
            },
            &[NoteNotTaken],
        ),
        for_two(ADMINISTRATOR, |second, mended| C::GiveCode { device: device(mended), second }, &[UnknownDevice])
            .into_iter()
            .filter(|(actor, _, _)| *actor != Actor::System)
            .chain([(Actor::System, C::GiveCode { device: TERMINAL, second: None }, None)])
            .collect(),
        for_one(SUPERVISOR, |mended| C::Revoke { device: device(mended) }, &[UnknownDevice]),
        for_one(ADMINISTRATOR, |mended| C::Revoke { device: device(mended) }, &[UnknownDevice]),
        for_system(|mended| C::CopiedToken { device: device(mended) }, &[UnknownDevice]),
        for_system(|_| C::UseKeys { keys: keys(1) }, &[]),
        for_system(
            |mended| C::ChangeSecret { owner: SecretOwner::Device(device(mended)), version: 1 },
            &[UnknownDevice],
        ),
        for_system(
            |mended| C::ChangeSecret {
                owner: SecretOwner::Person(PersonId(pick(&[STRANGER, DEALER], mended))),
                version: 1,
            },
            &[UnknownPerson],
        ),
        for_two(ADMINISTRATOR, |second, mended| table(pick(&[1, 3], mended), 1, false, second), &[TableExists]),
        for_two(
            ADMINISTRATOR,
            |second, mended| C::Configure {
                key: pick(&["", "key"], mended).to_owned(),
                value: pick(&[&long, &long, "value\nof two lines"], mended).to_owned(),
                why: pick(&["\u{7}", "\u{7}", "\u{7}", "why"], mended).to_owned(),
                second,
            },
            &[BadText, BadText, BadText],
        ),
        for_system(|_| C::Report { what: ReportedEvent::LimitChange { table: TableId(1) } }, &[]),
        for_system(|_| C::Tick, &[]),
    ]
}

fn approvals() -> Vec<Vec<Row>> {
    let mut ask = for_one(
        CASHIER,
        |mended| request(pick(&[Act::Cage, Act::Correct, Act::LargeHandPay], mended), pick(&["", "", "", "x"], mended)),
        &[NotAllowed, NotAllowed, BadText],
    );
    ask.insert(0, (by(SUPERVISOR), request(Act::LargeHandPay, ""), Some(NotAllowed)));
    let nobody = [by(STRANGER), by(SUSPENDED), terminal(TERMINAL, SEAT), Actor::Tumbler(TUMBLER)];
    let mut reply: Vec<Row> =
        nobody.iter().chain([&Actor::System]).map(|actor| (*actor, answer(OVER, true), Some(NotAllowed))).collect();
    for (id, approval) in [(DEALER, OVER), (CASHIER, WAITING), (ATTENDANT, ANSWERED), (DOUBLE, OWN)] {
        reply.push((by(id), answer(approval, true), Some(SecondPersonNotAllowed)));
    }
    for approval in [OVER, ANSWERED, 77] {
        reply.push((by(SUPERVISOR), answer(approval, true), Some(UnknownApproval)));
    }
    reply.push((by(SUPERVISOR), answer(WAITING, true), None));
    let withdraw = |approval| HouseCommand::WithdrawApproval { approval: ApprovalId(approval) };
    let mut back: Vec<Row> = nobody.iter().map(|actor| (*actor, withdraw(77), Some(NotAllowed))).collect();
    back.push((by(SUPERVISOR), withdraw(WAITING), Some(NotAllowed)));
    back.push((by(CASHIER), withdraw(77), Some(UnknownApproval)));
    back.push((Actor::System, withdraw(77), Some(UnknownApproval)));
    back.push((by(CASHIER), withdraw(WAITING), None));
    let used = [77, OVER, ANSWERED, WAITING, USED, APPROVED];
    let unusable = [UnknownApproval; 5];
    let used = for_system(|mended| use_approval(pick(&used, mended), 2), &unusable);
    vec![ask, reply, back, used]
}

fn cage() -> Vec<Vec<Row>> {
    use HouseCommand as C;
    let redeemed = [FREE, PAID, VOID, CASHED_OUT, EXPIRED, OVERDUE, GOOD];
    let unredeemable = [VoucherNotOnFile, VoucherPaid, VoucherVoid, VoucherReplaced, VoucherExpired, VoucherExpired];
    let mut at_the_cage = for_one(CASHIER, |mended| at_cage(pick(&redeemed, mended)), &unredeemable);
    let place = at_the_cage.iter().position(|(_, _, refusal)| *refusal == Some(VoucherNotOnFile)).expect("a row");
    at_the_cage.insert(place, (by(OTHER_CASHIER), at_cage(GOOD), Some(LockedOut)));
    at_the_cage.insert(place, (by(OTHER_CASHIER), at_cage(PLAY), Some(TrainingMixed)));

    let other = terminal(DeviceId(13), SEAT);
    let mut at_the_seat: Vec<Row> = vec![
        (by(DOUBLE), at_seat(PLAY, TRAINING, SEAT), Some(NotAllowed)),
        (other, at_seat(PLAY, TRAINING, SEAT), Some(NotAllowed)),
        (terminal(TERMINAL, SEAT), at_seat(GOOD, CLUSTER, Seat(2)), Some(NotAllowed)),
        (terminal(TERMINAL, Seat(2)), at_seat(GOOD, CLUSTER, SEAT), Some(NotAllowed)),
        (terminal(TERMINAL, SEAT), at_seat(GOOD, OTHER_CLUSTER, SEAT), Some(NotAllowed)),
        (Actor::System, at_seat(GOOD, TRAINING, SEAT), Some(TrainingMixed)),
        (Actor::System, at_seat(PLAY, CLUSTER, LOCKED_SEAT), Some(TrainingMixed)),
        (Actor::System, at_seat(GOOD, CLUSTER, LOCKED_SEAT), Some(LockedOut)),
        (Actor::System, at_seat(FREE, NOWHERE, SEAT), Some(UnknownTable)),
    ];
    let fixes = redeemed.iter().zip(unredeemable.map(Some).into_iter().chain([None]));
    at_the_seat.extend(fixes.map(|(byte, refusal)| (terminal(TERMINAL, SEAT), at_seat(*byte, CLUSTER, SEAT), refusal)));

    let collected = |amount| ReceivableRuling::Collected { amount: cents(amount) };
    let rulings = [collected(0), collected(-1), collected(i64::MAX), collected(901), collected(901), collected(901)];
    vec![
        for_one(
            CASHIER,
            |mended| C::SellVoucher {
                number: number(pick(&[GOOD, GOOD, GOOD, GOOD, FREE], mended)),
                amount: cents(pick(&[0, -1, i64::MAX, 1_000_001, 1_000_001, 500_000], mended)),
                second: None,
            },
            &[BadAmount, BadAmount, AmountTooLarge, VoucherNumberUsed, OverHouseLimit],
        ),
        for_two(
            CASHIER,
            |second, mended| C::SellVoucher {
                number: number(pick(&[GOOD, FREE], mended)),
                amount: cents(pick(&[500_001, 1_000_000], mended)),
                second,
            },
            &[VoucherNumberUsed],
        ),
        at_the_cage,
        at_the_seat,
        for_two(
            CASHIER,
            |second, mended| {
                let byte = pick(&[PLAY, FREE, FREE, PAID, VOID, EXPIRED, OVERDUE, GOOD], mended);
                void(byte, pick(&["", "", "torn"], mended), second)
            },
            &[TrainingMixed, BadText, VoucherNotOnFile, VoucherPaid, VoucherVoid, VoucherExpired, VoucherExpired],
        ),
        for_one(
            SHIFT_MANAGER,
            |mended| {
                let byte = pick(&[PLAY, FREE, FREE, PAID, VOID, GOOD, EXPIRED], mended);
                rule_expired(byte, pick(&["", "", "hospital"], mended))
            },
            &[TrainingMixed, BadText, VoucherNotOnFile, VoucherPaid, VoucherVoid, VoucherGood],
        ),
        vec![(by(SHIFT_MANAGER), rule_expired(OVERDUE, "hospital"), None)],
        for_one(ATTENDANT, |_| C::ClearRedemptionLock { redeemer: Redeemer::Person(PersonId(OTHER_CASHIER)) }, &[]),
        vec![
            (by(CASHIER), C::ClearRedemptionLock { redeemer: Redeemer::Person(PersonId(5)) }, Some(NotAllowed)),
            (by(DOUBLE), C::ClearRedemptionLock { redeemer: Redeemer::Person(PersonId(DOUBLE)) }, Some(NotAllowed)),
            (by(DOUBLE), C::ClearRedemptionLock { redeemer: Redeemer::Seat { cluster: CLUSTER, seat: SEAT } }, None),
        ],
        vec![
            (by(CASHIER), C::PayClaim { claim: ClaimId(1), second: None }, Some(OwnClaim)),
            (by(ATTENDANT), C::PayClaim { claim: ClaimId(1), second: None }, None),
        ],
        for_two(ATTENDANT, |second, _| C::PayClaim { claim: ClaimId(LARGE_CLAIM), second }, &[]),
        for_one(
            CASHIER,
            |mended| C::PayClaim { claim: ClaimId(pick(&[77, SMALL_CLAIM], mended)), second: None },
            &[UnknownClaim],
        ),
        for_one(
            SHIFT_MANAGER,
            |mended| C::RuleReceivable {
                receivable: ReceivableId(pick(&[77, 77, 77, 77, 77, 1], mended)),
                ruling: pick(&[&rulings[..], &[collected(900)]].concat(), mended),
                why: pick(&["", "", "", "", "why"], mended).to_owned(),
            },
            &[BadAmount, BadAmount, AmountTooLarge, BadText, UnknownReceivable, MoreThanOwed],
        ),
        for_one(
            SHIFT_MANAGER,
            |mended| C::RuleReceivable {
                receivable: ReceivableId(pick(&[77, 77, 1], mended)),
                ruling: ReceivableRuling::WrittenOff,
                why: pick(&["", "why"], mended).to_owned(),
            },
            &[BadText, UnknownReceivable],
        ),
        for_one(SUPERVISOR, |mended| C::Acknowledge { event: pick(&[77_777, 1], mended) }, &[UnknownEvent]),
    ]
}

/// Vouchers that are confirmed and issued anew; claims that are taken, taken back and read.
fn anew() -> Vec<Vec<Row>> {
    use HouseCommand as C;
    let own = terminal(TERMINAL, SEAT);
    let [take, take_back, read] = [
        |claim| C::TakeClaim { claim: ClaimId(claim) },
        |claim| C::TakeBackClaim { claim: ClaimId(claim) },
        |claim| C::ReadClaim { claim: ClaimId(claim) },
    ];
    let strangers = |command: C, own_person: u32| {
        let mut rows = nobodies(&command);
        rows.push((by(own_person), command.clone(), Some(NotAllowed)));
        rows.push((terminal(DeviceId(13), SEAT), command, Some(NotAllowed)));
        rows
    };
    let by_terminal = |command: fn(u64) -> C, rows: &[(u64, Option<Refusal>)], whose: u64| {
        let rows = rows.iter().map(|(of, refusal)| (own, command(*of), *refusal));
        strangers(command(whose), ATTENDANT).into_iter().chain(rows).collect::<Vec<_>>()
    };
    let serials = [77, 4, 5, REPLACED_SERIAL, 1, 2, GOOD_SERIAL, GOOD_SERIAL];
    let not_good = [VoucherNotOnFile, VoucherPaid, VoucherVoid, VoucherReplaced, VoucherExpired, VoucherExpired];
    vec![
        for_two(
            ATTENDANT,
            |second, mended| reissue(pick(&serials, mended), if mended < 7 { GOOD } else { FREE }, second),
            &[&not_good[..], &[VoucherNumberUsed]].concat(),
        ),
        // One for training is shown again like any other, and is as void.
        vec![(by(CASHIER), reissue(7, FREE, second(SUPERVISOR)), None)],
        vec![
            (terminal(DeviceId(13), SEAT), reissue(ANEW_SERIAL, GOOD, None), Some(NotAllowed)),
            (own, reissue(GOOD_SERIAL, GOOD, None), Some(NotAllowed)),
            (own, reissue(77, GOOD, None), Some(NotAllowed)),
            (
                own,
                C::ReissueVoucher {
                    serial: taisai_table::VoucherSerial(ANEW_SERIAL),
                    number: number(FREE),
                    ended: None,
                    second: None,
                },
                Some(NotAllowed),
            ),
            (
                own,
                C::ReissueVoucher {
                    serial: taisai_table::VoucherSerial(ANEW_SERIAL),
                    number: number(FREE),
                    ended: Some(SessionId(2)),
                    second: None,
                },
                Some(NotAllowed),
            ),
            (own, reissue(REPLACED_SERIAL, GOOD, None), Some(VoucherReplaced)),
            (own, reissue(CONFIRMED_SERIAL, GOOD, None), Some(VoucherConfirmed)),
            (own, reissue(ANEW_SERIAL, GOOD, None), Some(VoucherNumberUsed)),
            (own, reissue(ANEW_SERIAL, FREE, None), None),
        ],
        [
            strangers(confirm(ANEW_SERIAL), CASHIER),
            vec![
                (by(OTHER_CASHIER), confirm(GOOD_SERIAL), Some(NotAllowed)),
                (own, confirm(REPLACED_SERIAL), Some(VoucherReplaced)),
                (own, confirm(CONFIRMED_SERIAL), Some(VoucherConfirmed)),
                (own, confirm(ANEW_SERIAL), None),
            ],
        ]
        .concat(),
        vec![(by(CASHIER), confirm(77), Some(NotAllowed)), (by(CASHIER), confirm(GOOD_SERIAL), None)],
        for_one(
            CASHIER,
            |mended| take(pick(&[77, TAKEN_CLAIM, 1, SMALL_CLAIM], mended)),
            &[UnknownClaim, ClaimTaken, OwnClaim],
        ),
        by_terminal(
            take_back,
            &[
                (SMALL_CLAIM, Some(NotAllowed)),
                (1, Some(NotAllowed)),
                (77, Some(UnknownClaim)),
                (TAKEN_CLAIM, Some(ClaimTaken)),
                (CASH_OUT_CLAIM, None),
            ],
            CASH_OUT_CLAIM,
        ),
        by_terminal(read, &[(CASH_OUT_CLAIM, Some(UnknownClaim)), (PAID_CLAIM, None)], PAID_CLAIM),
    ]
}

fn transfers() -> Vec<Vec<Row>> {
    let most = Money::MAX.cents();
    vec![
        for_system(
            |mended| match mended {
                0 => receive(NOWHERE, 2, 0, CREDITS),
                1 => receive(NOWHERE, 2, 0, CLAIM),
                2 => receive(NOWHERE, 0, 0, CLAIM),
                3 => receive(NOWHERE, 1, 0, CLAIM),
                4 => receive(NOWHERE, 1, -1, CLAIM),
                5 => receive(NOWHERE, 1, most, CLAIM),
                6 => receive(NOWHERE, 1, 5, CLAIM),
                _ => receive(CLUSTER, 9, 5, CLAIM),
            },
            &[NotAllowed, OutOfOrder, OutOfOrder, BadAmount, BadAmount, AmountTooLarge, UnknownTable],
        ),
        for_system(
            |mended| HouseCommand::Delivered {
                cluster: pick(&[NOWHERE, OTHER_CLUSTER, CLUSTER], mended),
                number: pick(&[1, 1, 0, 2, 1], mended),
            },
            &[OutOfOrder, OutOfOrder, OutOfOrder, OutOfOrder],
        ),
    ]
}

#[track_caller]
fn climb(floor: &Floor, ladder: &[Row]) {
    let refusals: Vec<_> = ladder.iter().filter_map(|(_, _, refusal)| *refusal).collect();
    assert!(refusals.is_sorted(), "the rows are not in the order of precedence: {refusals:?}");
    for (actor, command, refusal) in ladder {
        let mut floor = floor.clone();
        let answer = floor.ask(*actor, command.clone());
        assert_eq!(answer.err(), *refusal, "{actor:?} {command:?}");
    }
    assert_eq!(ladder.last().map(|(_, _, refusal)| *refusal), Some(None), "the last row is carried out");
}

#[test]
fn every_command_is_refused_for_its_first_reason() {
    let floor = standing();
    for ladder in ladders() {
        climb(&floor, &ladder);
    }
}

#[test]
fn a_house_is_founded_once() {
    let found = |people| HouseCommand::Found { people };
    let bad = || Founder { name: String::new(), ..founders().remove(0) };
    let twice = || [founders(), founders()].concat();
    climb(
        &Floor::empty(false),
        &[
            (by(ADMINISTRATOR), found(vec![bad(), bad()]), Some(NotAllowed)),
            (Actor::System, found(vec![bad(), bad()]), Some(BadText)),
            (Actor::System, found([&twice()[..1], &twice()[..1]].concat()), Some(PersonExists)),
            (Actor::System, found(vec![]), Some(NobodyToManage)),
            (Actor::System, found(founders()[..1].to_vec()), Some(NobodyToManage)),
            (Actor::System, found(founders()[1..3].to_vec()), Some(NobodyToManage)),
            (Actor::System, found(vec![founders().remove(7)]), Some(NobodyToManage)),
            (Actor::System, found(founders()[..2].to_vec()), None),
        ],
    );
    standing().refuse(Actor::System, found(vec![]), PersonExists);
    // The seeding is over: from now on people set up tables and devices.
    standing().refuse(Actor::System, table(3, 1, false, None), NotAllowed);
}

/// F54.
#[test]
fn training_casino_has_training_tables_only() {
    let floor = Floor::empty(true);
    climb(
        &floor,
        &[
            (Actor::System, table(1, 1, false, None), Some(TrainingMixed)),
            (Actor::System, table(1, 1, true, None), None),
        ],
    );
}

#[test]
fn a_person_has_so_many_approvals_open() {
    let mut floor = Floor::new();
    for _ in 0..MAX_OPEN_APPROVALS {
        floor.accept(by(CASHIER), request(Act::VoidVoucher, "voucher 0001"));
    }
    floor.refuse(by(CASHIER), request(Act::VoidVoucher, ""), BadText);
    floor.refuse(by(CASHIER), request(Act::VoidVoucher, "voucher 0001"), TooManyApprovals);
    floor.accept(by(OTHER_CASHIER), request(Act::VoidVoucher, "voucher 0001"));
}

#[test]
fn the_ladders_have_every_command_and_every_refusal_of_the_house() {
    let ladders = ladders().concat();
    let commands: Vec<_> = ladders.iter().map(|(_, command, _)| command.clone()).collect();
    let found = HouseCommand::Found { people: founders() };
    assert_eq!(missing(commands.iter().chain([&found])), Vec::<usize>::new());
    let met: BTreeSet<_> = ladders.iter().filter_map(|(_, _, refusal)| *refusal).collect();
    let elsewhere = [NobodyToManage, TooManyApprovals];
    for refusal in Refusal::ALL.iter().skip_while(|refusal| **refusal != BadText) {
        assert!(met.contains(refusal) || elsewhere.contains(refusal), "{refusal:?} is never met");
    }
}

#[test]
fn refusals_are_counted() {
    let mut floor = Floor::new();
    for _ in 0..3 {
        floor.refuse(by(DEALER), HouseCommand::Tick, NotAllowed);
    }
    floor.refuse(by(CASHIER), sell(1, 0), BadAmount);
    assert_eq!(floor.house.refused().collect::<Vec<_>>(), [(NotAllowed, 3), (BadAmount, 1)]);
}
