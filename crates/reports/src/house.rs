//! The House in the reporting tables: vouchers, claims, receivables, people, significant events, and its ledger.

mod money;
mod significant;

use std::collections::BTreeMap;
use std::sync::Arc;

use taisai_journal::Hash;
use taisai_rules::Money;
use taisai_table::{
    Account, ClaimId, ClusterId, CommandRequest, Entry, Founder, House, HouseCommand, HouseEvent, Person, PersonId,
    Sensitive as _, VoucherHash, VoucherNumber,
};

use super::batch::{Attribution, EntryTime, ReportEvent, SqlBatch};
use super::machine::{ChainContext, EntryError, ProjectedMachine, event_by, opening_event};
use crate::value::variant_name;
use money::{Origin, expire, issue, receive, reissue, rule, take_back, voucher_to_claim};
use significant::significant;
use taisai_record::ChainOpening;

pub(super) use significant::over_differential;

/// The balances as last posted, and the entry that is not applied yet.
pub(super) struct HouseBalances {
    accounts: BTreeMap<Account, i64>,
    /// The number of the newest significant event.
    newest: u64,
    waiting: Option<PendingHouseEntry>,
}

/// An entry that is projected further once it is applied.
struct PendingHouseEntry {
    when: EntryTime,
    /// What the transaction is called; none if no money moves.
    kind: Option<&'static str>,
    of: Attribution,
    people: Vec<PersonId>,
    /// The kind of the command's own event.
    event: ReportEvent,
    own: Option<&'static str>,
}

/// A voucher as the tables name it.
pub(super) fn voucher(hash: VoucherHash) -> Arc<str> {
    Hash::from_bytes(hash.0).to_string().into()
}

impl ProjectedMachine for House {
    type Notes = HouseBalances;

    fn notes(&self, _: &ChainContext) -> HouseBalances {
        HouseBalances { accounts: accounts(self), newest: newest(self), waiting: None }
    }

    fn opened(_: &mut ChainContext, when: &EntryTime, opening: &ChainOpening, batch: &mut SqlBatch) {
        batch.events(when, [opening_event(opening, Attribution::default())]);
    }

    fn entry(
        &self,
        _: &mut ChainContext,
        balances: &mut HouseBalances,
        when: EntryTime,
        entry: &Entry<HouseCommand, HouseEvent>,
        batch: &mut SqlBatch,
    ) -> Result<(), EntryError> {
        use HouseCommand as C;
        let (request, command) = (&entry.request, variant_name(&entry.request.command));
        let second = request.command.second();
        let with = second.map(|second| second.id.0);
        let event =
            ReportEvent { why: why(&request.command).map(Into::into), second: with, ..event_by("", request.actor) };
        let mut waiting =
            PendingHouseEntry { when, kind: None, of: Attribution::default(), people: Vec::new(), event, own: None };
        let happened = match &entry.outcome {
            Ok(event) => event,
            Err(refusal) => {
                batch.refusal(&waiting.when, request.actor, command, refusal.code());
                balances.waiting = Some(waiting);
                return Ok(());
            }
        };
        batch.act(&waiting.when, request.actor, second, command);
        match &request.command {
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
                waiting.event.detail = Some(variant_name(kind).to_owned());
                waiting.own = Some(command);
            }
            C::RequestApproval { act, what } => {
                waiting.event.detail = Some(format!("{}: {what}", act.text()));
                waiting.own = Some(command);
            }
            C::AnswerApproval { approval, approve } => {
                waiting.event.detail =
                    Some(format!("{} {}", approval.0, if *approve { "approved" } else { "refused" }));
                waiting.own = Some(command);
            }
            C::Acknowledge { event } => waiting.acknowledge(self, *event, command),
            C::UseKeys { .. } => waiting.own = Some(command),
            C::ChangeSecret { owner, .. } => waiting.change_secret(*owner, command),
            C::WithdrawApproval { .. }
            | C::UseApproval { .. }
            | C::LoginSucceeded { .. }
            | C::GiveCode { .. }
            | C::Revoke { .. }
            | C::CopiedToken { .. }
            | C::ClearRedemptionLock { .. }
            | C::Delivered { .. }
            | C::ConfirmVoucher { .. }
            | C::ReadClaim { .. }
            | C::Report { .. } => {}
            C::AddTable { table, .. } => {
                waiting.of.table = Some(table.0);
                waiting.own = Some(command);
            }
            C::Configure { key, value, .. } => waiting.event.detail = Some(format!("{key} = {value}")),
            C::SellVoucher { number, amount, .. } => {
                let sold_by = request.actor.person().map(|person| person.id);
                sell(self, happened, (*number, *amount), sold_by, &mut waiting, batch);
            }
            C::RedeemAtCage { hash } => {
                waiting.close_voucher(*hash, ("paid", "cage"), None, batch);
                waiting.kind = Some("voucher-paid");
            }
            C::RedeemAtSeat { hash, cluster, seat } => {
                waiting.close_voucher(*hash, ("paid", "seat"), None, batch);
                waiting.of = Attribution { seat: Some(seat.0), ..in_cluster(*cluster, waiting.of) };
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
            C::PayClaim { claim, .. } => pay(*claim, request.actor.person(), &mut waiting, batch),
            C::ReissueVoucher { .. } | C::TakeClaim { .. } | C::TakeBackClaim { .. } => {
                beside(self, request, happened, &mut waiting, batch);
            }
            C::RuleReceivable { receivable, ruling, .. } => {
                waiting.of.receivable = Some(receivable.0);
                waiting.kind = Some(rule(happened, *ruling, &waiting, batch));
            }
            C::Tick => expire(happened, &waiting.when, balances, batch),
        }
        balances.waiting = Some(waiting);
        Ok(())
    }

    fn applied(&self, _: &mut ChainContext, balances: &mut HouseBalances, batch: &mut SqlBatch) {
        let Some(waiting) = balances.waiting.take() else { return };
        let PendingHouseEntry { when, kind, of, people, event, own } = waiting;
        if let Some(kind) = kind {
            let after = accounts(self);
            let mut legs = Vec::new();
            for (account, amount) in &after {
                let before = balances.accounts.get(account).copied().unwrap_or(0);
                if *amount != before {
                    let (name, of) = named(*account, &of);
                    legs.push((name, of, amount - before));
                }
            }
            balances.accounts = after;
            batch.post(&when, kind, legs);
        }
        for person in people {
            put_person(self, &when, person, batch);
        }
        let own = own.map(|kind| ReportEvent { kind: Some(kind.into()), at: of, ..event.clone() });
        let before = std::mem::replace(&mut balances.newest, newest(self));
        let new = self.significant().filter(|significant| significant.number > before);
        let events: Vec<_> = own.into_iter().chain(new.map(|what| significant(what, &event))).collect();
        batch.events(&when, events);
    }
}

/// Money that moves without cash: a voucher reissued, a claim taken or taken back.
fn beside(
    house: &House,
    request: &CommandRequest<HouseCommand>,
    happened: &HouseEvent,
    waiting: &mut PendingHouseEntry,
    batch: &mut SqlBatch,
) {
    if let HouseCommand::ReissueVoucher { serial, number, .. } = &request.command {
        return reissue(house, happened, *serial, *number, waiting, batch);
    }
    waiting.own = Some(variant_name(&request.command));
    if let HouseCommand::TakeClaim { claim } = request.command {
        waiting.of.claim = Some(claim.0);
    } else if let HouseCommand::TakeBackClaim { claim } = request.command {
        take_back(house, claim, waiting, batch);
        waiting.kind = Some("claim-taken-back");
    }
}

fn pay(claim: ClaimId, by: Option<Person>, waiting: &mut PendingHouseEntry, batch: &mut SqlBatch) {
    batch.execute(
        "UPDATE claims SET paid_at = $1, paid_by = $2, second = $3 WHERE claim = $4",
        [waiting.when.time.into(), by.map(|person| person.id).into(), waiting.event.second.into(), claim.0.into()],
    );
    waiting.of.claim = Some(claim.0);
    waiting.kind = Some("claim-paid");
}

fn sell(
    house: &House,
    happened: &HouseEvent,
    (number, amount): (VoucherNumber, Money),
    sold_by: Option<PersonId>,
    waiting: &mut PendingHouseEntry,
    batch: &mut SqlBatch,
) {
    let state = if house.is_training() { "play" } else { "good" };
    let origin = Origin { word: "cage", sold_by, of: Attribution::default(), state };
    issue(happened, number, amount, origin, waiting, batch);
    waiting.kind = Some("voucher-sold");
}

fn accounts(house: &House) -> BTreeMap<Account, i64> {
    house.ledger().map(|(account, balance)| (account, balance.cents())).collect()
}

fn newest(house: &House) -> u64 {
    house.significant().next_back().map_or(0, |significant| significant.number)
}

fn in_cluster(cluster: ClusterId, of: Attribution) -> Attribution {
    Attribution { table: Some(cluster.table.0), cluster: Some(cluster.number), ..of }
}

fn named(account: Account, of: &Attribution) -> (&'static str, Attribution) {
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

fn put_person(house: &House, when: &EntryTime, person: PersonId, batch: &mut SqlBatch) {
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

/// Why a command was given.
fn why(command: &HouseCommand) -> Option<&str> {
    if let HouseCommand::Configure { why, .. }
    | HouseCommand::VoidVoucher { why, .. }
    | HouseCommand::RuleExpired { why, .. }
    | HouseCommand::RuleReceivable { why, .. } = command
    {
        Some(why)
    } else {
        None
    }
}
