//! The House in the reporting tables: vouchers, claims, receivables, people, significant events, and its ledger, read off the
//! machine.

use std::collections::BTreeMap;
use std::sync::Arc;

use taisai_journal::Hash;
use taisai_rules::Money;
use taisai_table::{
    Account, ClaimId, ClusterId, Entry, Founder, Happening, House, HouseCommand, HouseEvent, Person, PersonId, Purpose,
    ReceivableRuling, Redeemer, Report, Significant, Time, Transfer, VoucherHash, VoucherNumber,
};

use super::batch::{Batch, Belongs, Event, When};
use super::scribe::{Desk, Scribe, Trouble, event_by, opening_event};
use super::tables::{CLAIMS, RECEIVABLES, VOUCHERS};
use super::value::Value;
use super::words::word;
use crate::opening::Opening;

/// The books as they were last posted, and the entry that was not applied yet.
pub(super) struct Books {
    accounts: BTreeMap<Account, i64>,
    /// The number of the newest significant event.
    newest: u64,
    waiting: Option<Waiting>,
}

/// An entry to be looked at again when it is applied.
struct Waiting {
    when: When,
    /// What the transaction is called; none if no money moves.
    kind: Option<&'static str>,
    of: Belongs,
    people: Vec<PersonId>,
    /// An event of the command's own, without its kind and place.
    event: Event,
    own: Option<Arc<str>>,
}

/// A voucher as the tables name it.
pub(super) fn voucher(hash: VoucherHash) -> Arc<str> {
    Hash::from_bytes(hash.0).to_string().into()
}

impl Scribe for House {
    type Notes = Books;

    fn notes(&self, _: &Desk) -> Books {
        Books { accounts: accounts(self), newest: newest(self), waiting: None }
    }

    fn opened(_: &mut Desk, when: &When, opening: &Opening, batch: &mut Batch) {
        batch.events(when, [opening_event(opening, Belongs::default())]);
    }

    fn entry(
        &self,
        _: &mut Desk,
        books: &mut Books,
        when: When,
        entry: &Entry<HouseCommand, HouseEvent>,
        batch: &mut Batch,
    ) -> Result<(), Trouble> {
        use HouseCommand as C;
        let (asked, command) = (&entry.asked, word(&entry.asked.command));
        let (why, second) = reason(&asked.command);
        let second_id = second.map(|second| second.id.0);
        let event = Event { why: why.map(Into::into), second: second_id, ..event_by("", asked.actor) };
        let mut waiting = Waiting { when, kind: None, of: Belongs::default(), people: Vec::new(), event, own: None };
        let happened = match &entry.outcome {
            Ok(event) => event,
            Err(refusal) => {
                batch.refusal(&waiting.when, asked.actor, &command, refusal.code());
                books.waiting = Some(waiting);
                return Ok(());
            }
        };
        batch.act(&waiting.when, asked.actor, second, &command);
        match &asked.command {
            C::Found { people } => {
                waiting.people = people.iter().map(|Founder { person, .. }| *person).collect();
                waiting.own = Some(command);
            }
            C::AddPerson { person, .. }
            | C::SetRoles { person, .. }
            | C::Suspend { person, .. }
            | C::Reinstate { person, .. } => {
                waiting.people = vec![*person];
                waiting.event.subject = Some(person.0);
                waiting.own = Some(command);
            }
            C::LoginFailed { person } | C::Unlock { person, .. } => waiting.people = vec![*person],
            C::Enrol { device, kind, .. } => {
                waiting.event.device = Some(device.0);
                waiting.event.detail = Some(word(kind).to_string());
                waiting.own = Some(command);
            }
            C::RequestApproval { act, what } => {
                waiting.event.detail = Some(format!("{}: {what}", act.text()));
                waiting.own = Some(command);
            }
            C::AnswerApproval { approval, approve } => {
                let answer = if *approve { "approved" } else { "refused" };
                waiting.event.detail = Some(format!("{} {answer}", approval.0));
                waiting.own = Some(command);
            }
            C::WithdrawApproval { .. }
            | C::LoginSucceeded { .. }
            | C::Revoke { .. }
            | C::CopiedToken { .. }
            | C::ClearRedemptionLock { .. }
            | C::Delivered { .. }
            | C::Report { .. } => {}
            C::AddTable { table, .. } => {
                waiting.of.table = Some(table.0);
                waiting.own = Some(command);
            }
            C::Configure { key, value, .. } => waiting.event.detail = Some(format!("{key} = {value}")),
            C::SellVoucher { number, amount } => {
                let sold_by = asked.actor.person().map(|person| person.id);
                let origin = Origin { word: "cage", sold_by, of: Belongs::default(), state: "good" };
                issue(happened, *number, *amount, origin, &mut waiting, batch);
                waiting.kind = Some("voucher-sold");
            }
            C::RedeemAtCage { hash } => {
                waiting.close_voucher(*hash, ("paid", "cage"), None, batch);
                waiting.kind = Some("voucher-paid");
            }
            C::RedeemAtSeat { hash, cluster, seat } => {
                waiting.close_voucher(*hash, ("paid", "seat"), None, batch);
                waiting.of = Belongs { seat: Some(seat.0), ..in_cluster(*cluster, waiting.of) };
                waiting.kind = Some("voucher-to-seat");
            }
            C::VoidVoucher { hash, .. } => {
                voucher_to_claim(happened, *hash, ("void", "void-voucher"), &mut waiting, batch);
                waiting.own = Some(command);
                waiting.kind = Some("voucher-voided");
            }
            C::RuleExpired { hash, .. } => {
                voucher_to_claim(happened, *hash, ("paid", "expired-voucher"), &mut waiting, batch);
                waiting.kind = Some("voucher-ruled");
            }
            C::Receive { cluster, transfer } => receive(self, happened, *cluster, transfer, &mut waiting, batch),
            C::PayClaim { claim, .. } => {
                let person = asked.actor.person().map(|person| person.id);
                batch.execute(
                    "UPDATE claims SET paid_at = $1, paid_by = $2, second = $3 WHERE claim = $4",
                    [waiting.when.time.into(), person.into(), second_id.into(), claim.0.into()],
                );
                waiting.of.claim = Some(claim.0);
                waiting.kind = Some("claim-paid");
            }
            C::RuleReceivable { receivable, ruling, .. } => {
                waiting.of.receivable = Some(receivable.0);
                waiting.kind = Some(rule(happened, *ruling, &waiting, batch));
            }
            C::Tick => expire(happened, &waiting.when, books, batch),
        }
        books.waiting = Some(waiting);
        Ok(())
    }

    fn applied(&self, _: &mut Desk, books: &mut Books, batch: &mut Batch) {
        let Some(waiting) = books.waiting.take() else { return };
        let Waiting { when, kind, of, people, event, own } = waiting;
        if let Some(kind) = kind {
            let after = accounts(self);
            let mut legs = Vec::new();
            for (account, amount) in &after {
                let before = books.accounts.get(account).copied().unwrap_or(0);
                if *amount != before {
                    let (name, of) = named(*account, &of);
                    legs.push((name, of, amount - before));
                }
            }
            books.accounts = after;
            batch.post(&when, kind, legs);
        }
        for person in people {
            put_person(self, &when, person, batch);
        }
        let own = own.map(|kind| Event { kind: Some(kind), at: of, ..event.clone() });
        let before = std::mem::replace(&mut books.newest, newest(self));
        let new = self.significant().filter(|significant| significant.number > before);
        let events: Vec<_> = own.into_iter().chain(new.map(|what| significant(what, &event))).collect();
        batch.events(&when, events);
    }
}

fn accounts(house: &House) -> BTreeMap<Account, i64> {
    house.ledger().map(|(account, balance)| (account, balance.cents())).collect()
}

fn newest(house: &House) -> u64 {
    house.significant().next_back().map_or(0, |significant| significant.number)
}

fn in_cluster(cluster: ClusterId, of: Belongs) -> Belongs {
    Belongs { table: Some(cluster.table.0), cluster: Some(cluster.number), ..of }
}

fn named(account: Account, of: &Belongs) -> (&'static str, Belongs) {
    let of = of.clone();
    match account {
        Account::Cash => ("cash", of),
        Account::Vouchers => ("vouchers", of),
        Account::Expired => ("expired", of),
        Account::Claims => ("claims", of),
        Account::Receivables => ("receivables", of),
        Account::Result => ("result", of),
        Account::Play => ("play", of),
        Account::Transit(cluster) => ("transit", in_cluster(cluster, of)),
    }
}

fn put_person(house: &House, when: &When, person: PersonId, batch: &mut Batch) {
    let Some(employee) = house.person(person) else { return };
    let roles: Vec<_> = employee.roles.iter().map(taisai_table::Role::text).collect();
    batch.execute(
        "INSERT INTO people (person, name, roles, is_suspended, is_locked, changed_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (person) DO UPDATE SET name = excluded.name, roles = excluded.roles,
             is_suspended = excluded.is_suspended, is_locked = excluded.is_locked, changed_at = excluded.changed_at",
        [
            person.into(),
            employee.name.clone().into(),
            roles.join(", ").into(),
            employee.is_suspended.into(),
            employee.is_locked.into(),
            when.time.into(),
        ],
    );
}

/// Where a voucher comes from.
struct Origin {
    word: &'static str,
    sold_by: Option<PersonId>,
    of: Belongs,
    state: &'static str,
}

fn issue(
    event: &HouseEvent,
    number: VoucherNumber,
    amount: Money,
    origin: Origin,
    waiting: &mut Waiting,
    batch: &mut Batch,
) {
    let HouseEvent::VoucherIssued { expires } = event else { return };
    let Origin { word, sold_by, of, state } = origin;
    let hash = voucher(number.hash);
    let empty = || Value::Empty;
    batch.insert(
        &VOUCHERS,
        [
            Arc::clone(&hash).into(),
            waiting.when.time.into(),
            number.digits.into(),
            amount.into(),
            state.into(),
            (*expires).into(),
            word.into(),
            sold_by.into(),
            of.table.into(),
            of.cluster.into(),
            of.seat.into(),
            of.session.into(),
            empty(),
            empty(),
            empty(),
            empty(),
            empty(),
            empty(),
        ],
    );
    waiting.of = Belongs { voucher: Some(hash), ..of };
}

impl Waiting {
    /// A voucher is paid or void: its state, and where.
    fn close_voucher(
        &mut self,
        hash: VoucherHash,
        (state, place): (&'static str, &'static str),
        claim: Option<ClaimId>,
        batch: &mut Batch,
    ) {
        let hash = voucher(hash);
        batch.execute(
            "UPDATE vouchers SET state = $1, closed_at = $2, closed_where = $3, closed_by = $4, second = $5, claim = $6,
                 why = $7 WHERE voucher = $8 AND state IN ('good', 'expired')",
            [
                state.into(),
                self.when.time.into(),
                place.into(),
                self.event.person.into(),
                self.event.second.into(),
                claim.into(),
                self.event.why.clone().into(),
                Arc::clone(&hash).into(),
            ],
        );
        self.of.voucher = Some(hash);
    }
}

/// A voucher's money is owed by hand from now on.
fn voucher_to_claim(
    event: &HouseEvent,
    hash: VoucherHash,
    (state, reason): (&'static str, &'static str),
    waiting: &mut Waiting,
    batch: &mut Batch,
) {
    let HouseEvent::ClaimOpened { claim, amount } = event else { return };
    waiting.close_voucher(hash, (state, "claim"), Some(*claim), batch);
    waiting.event.amount = Some(amount.cents());
    open_claim(*claim, *amount, reason.into(), waiting, batch);
}

fn open_claim(claim: ClaimId, amount: Money, reason: Arc<str>, waiting: &mut Waiting, batch: &mut Batch) {
    waiting.of.claim = Some(claim.0);
    let of = waiting.of.clone();
    let empty = || Value::Empty;
    batch.insert(
        &CLAIMS,
        [
            claim.into(),
            waiting.when.time.into(),
            amount.into(),
            reason.into(),
            of.table.into(),
            of.cluster.into(),
            of.seat.into(),
            of.session.into(),
            of.round.into(),
            of.voucher.into(),
            empty(),
            empty(),
            empty(),
        ],
    );
}

/// A transfer of a cluster has arrived and become something.
fn receive(
    house: &House,
    event: &HouseEvent,
    cluster: ClusterId,
    transfer: &Transfer,
    waiting: &mut Waiting,
    batch: &mut Batch,
) {
    let of = in_cluster(cluster, Belongs::default());
    let (seat, session, round) = match transfer.purpose {
        Purpose::Voucher { seat, session, .. } => (seat, Some(session), None),
        Purpose::Claim { seat, session, reason } => (seat, Some(session), round_of(reason)),
        Purpose::Receivable { seat, session, round } => (seat, Some(session), Some(round.0)),
        Purpose::Credits { seat } | Purpose::Returned { seat } => (seat, None, None),
    };
    let of = Belongs { seat: Some(seat.0), session: session.map(|session| session.0), round, ..of };
    waiting.of = of.clone();
    waiting.kind = Some("play-money");
    if let (HouseEvent::VoucherIssued { .. }, Purpose::Voucher { number, .. }) = (event, transfer.purpose) {
        let is_play =
            house.is_training() || house.tables().any(|(table, set_up)| table == cluster.table && set_up.is_training);
        let origin = Origin { word: "seat", sold_by: None, of, state: if is_play { "play" } else { "good" } };
        issue(event, number, transfer.amount, origin, waiting, batch);
        waiting.kind = Some("voucher-issued");
    }
    if let HouseEvent::ClaimOpened { claim, amount } = event {
        let reason = match transfer.purpose {
            Purpose::Claim { reason, .. } => word(&reason),
            Purpose::Voucher { .. } => "voucher-failed".into(),
            Purpose::Receivable { .. } | Purpose::Credits { .. } | Purpose::Returned { .. } => "returned".into(),
        };
        open_claim(*claim, *amount, reason, waiting, batch);
        waiting.kind = Some("claim-opened");
    }
    if let HouseEvent::ReceivableOpened { receivable } = event {
        waiting.of.receivable = Some(receivable.0);
        let of = &waiting.of;
        batch.insert(
            &RECEIVABLES,
            [
                (*receivable).into(),
                waiting.when.time.into(),
                transfer.amount.into(),
                of.table.into(),
                of.cluster.into(),
                of.seat.into(),
                of.session.into(),
                of.round.into(),
                0_i64.into(),
                0_i64.into(),
                transfer.amount.into(),
                Value::Empty,
                Value::Empty,
                Value::Empty,
            ],
        );
        waiting.kind = Some("receivable-opened");
    }
}

const fn round_of(reason: taisai_table::ClaimReason) -> Option<u64> {
    use taisai_table::ClaimReason as R;
    match reason {
        R::Correction(round) | R::Void(round) => Some(round.0),
        R::CashOut | R::WalkedAway | R::VoucherFailed => None,
    }
}

fn rule(event: &HouseEvent, ruling: ReceivableRuling, waiting: &Waiting, batch: &mut Batch) -> &'static str {
    let (kind, is_collected) = match ruling {
        ReceivableRuling::Collected { .. } => ("receivable-collected", true),
        ReceivableRuling::WrittenOff => ("receivable-written-off", false),
    };
    let HouseEvent::ReceivableRuled { amount, left } = event else { return kind };
    let (collected, written_off) = if is_collected { (*amount, Money::ZERO) } else { (Money::ZERO, *amount) };
    batch.execute(
        "UPDATE receivables SET collected = collected + $1, written_off = written_off + $2, still_open = $3,
             ruled_at = $4, ruled_by = $5, why = $6 WHERE receivable = $7",
        [
            collected.into(),
            written_off.into(),
            (*left).into(),
            waiting.when.time.into(),
            waiting.event.person.into(),
            waiting.event.why.clone().into(),
            waiting.of.receivable.into(),
        ],
    );
    kind
}

/// Vouchers that are no longer good: each has its own two legs.
fn expire(event: &HouseEvent, when: &When, books: &mut Books, batch: &mut Batch) {
    let HouseEvent::Ticked { expired, .. } = event else { return };
    let mut legs = Vec::new();
    for expired in expired {
        let hash = voucher(expired.hash);
        let amount = expired.amount.cents();
        batch.execute(
            "UPDATE vouchers SET state = 'expired' WHERE voucher = $1 AND state = 'good'",
            [Arc::clone(&hash).into()],
        );
        let of = Belongs { voucher: Some(hash), ..Belongs::default() };
        *books.accounts.entry(Account::Vouchers).or_default() -= amount;
        *books.accounts.entry(Account::Expired).or_default() += amount;
        legs.push(("vouchers", of.clone(), -amount));
        legs.push(("expired", of, amount));
    }
    batch.post(when, "voucher-expired", legs);
}

/// A significant event, with what the command says of it.
fn significant(what: &Significant, by: &Event) -> Event {
    let Significant { what, time: Time(_), number: _, who: _ } = what;
    let mut event = Event { kind: Some(word(what)), ..by.clone() };
    match what {
        Happening::Reported(report) => {
            event.kind = Some(format!("reported-{}", word(report)).into());
            reported(report, &mut event);
        }
        Happening::CommandIdReused { source } => event.detail = Some(format!("source {source}")),
        Happening::LoginFailed(person) | Happening::LoginLocked(person) | Happening::LoginUnlocked(person) => {
            event.subject = Some(person.0);
        }
        Happening::DeviceRevoked(device) | Happening::TokenCopied(device) => event.device = Some(device.0),
        Happening::RedemptionLocked(redeemer) | Happening::RedemptionUnlocked(redeemer) => match redeemer {
            Redeemer::Person(person) => event.subject = Some(person.0),
            Redeemer::Seat { cluster, seat } => {
                event.at = Belongs { seat: Some(seat.0), ..in_cluster(*cluster, Belongs::default()) };
            }
        },
        Happening::VoucherFailed { cluster, seat } => {
            event.at = Belongs { seat: Some(seat.0), ..in_cluster(*cluster, Belongs::default()) };
        }
        Happening::Configured | Happening::MoneyRuled => {}
    }
    event
}

fn reported(report: &Report, event: &mut Event) {
    match report {
        Report::ClockStepped { millis } => event.detail = Some(format!("{millis} milliseconds")),
        Report::StoreProblem => {}
        Report::TerminalLost { cluster, seat } | Report::TerminalBack { cluster, seat } => {
            event.at = Belongs { seat: Some(seat.0), ..in_cluster(*cluster, Belongs::default()) };
        }
        Report::LargeWin { cluster, seat, amount } => {
            event.at = Belongs { seat: Some(seat.0), ..in_cluster(*cluster, Belongs::default()) };
            event.amount = Some(amount.cents());
        }
        Report::LimitChange { table } | Report::Ruling { table } => event.at.table = Some(table.0),
        Report::Void { table, round } | Report::Correction { table, round } => {
            event.at = Belongs { table: Some(table.0), round: Some(round.0), ..Belongs::default() };
        }
    }
}

/// Why a command was given, and with whom.
fn reason(command: &HouseCommand) -> (Option<&str>, Option<Person>) {
    use HouseCommand as C;
    match command {
        C::Configure { why, second, .. } | C::VoidVoucher { why, second, .. } => (Some(why), *second),
        C::RuleExpired { why, .. } | C::RuleReceivable { why, .. } => (Some(why), None),
        C::AddPerson { second, .. }
        | C::SetRoles { second, .. }
        | C::Suspend { second, .. }
        | C::Reinstate { second, .. }
        | C::Unlock { second, .. }
        | C::Enrol { second, .. }
        | C::AddTable { second, .. }
        | C::PayClaim { second, .. } => (None, *second),
        C::Found { .. }
        | C::LoginFailed { .. }
        | C::LoginSucceeded { .. }
        | C::Revoke { .. }
        | C::CopiedToken { .. }
        | C::RequestApproval { .. }
        | C::AnswerApproval { .. }
        | C::WithdrawApproval { .. }
        | C::SellVoucher { .. }
        | C::RedeemAtCage { .. }
        | C::RedeemAtSeat { .. }
        | C::ClearRedemptionLock { .. }
        | C::Receive { .. }
        | C::Delivered { .. }
        | C::Report { .. }
        | C::Tick => (None, None),
    }
}
