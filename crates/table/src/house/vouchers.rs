//! Vouchers: issued, confirmed, issued anew, redeemed once, expired, void. It decides which is good and who has tried too many wrong numbers.
//! It never sees a full number (F42).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use taisai_rules::Money;

use super::claims::{ClaimId, ClaimOrigin};
use super::ledger::Account;
use super::{ExpiredVoucher, House, HouseDecision, HouseEvent};
use crate::identity::{Actor, ClusterId, Person, PersonId, Seat, SessionId, Time};
use crate::profile::Act;
use crate::refusal::Refusal;
use crate::text::{MAX_REASON_LENGTH, check_text};
use crate::transfer::{VoucherHash, VoucherNumber, VoucherSerial};

/// How many vouchers one tick closes at most.
const BATCH: usize = 1_000;

const DAY: u64 = 24 * 60 * 60 * 1_000;

/// Who tries a voucher's number: wrong ones are counted for each (F45).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Redeemer {
    /// A person at the cage.
    Person(PersonId),
    /// The terminal at a seat.
    Seat { cluster: ClusterId, seat: Seat },
}

/// Where a voucher came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum VoucherOrigin {
    /// Sold at the cage by this person, or handed out in the place of another.
    Cage(PersonId),
    /// Cashed out at a seat.
    Seat {
        cluster: ClusterId,
        seat: Seat,
        /// The session that ended.
        session: SessionId,
    },
}

/// Where a voucher was paid (F41).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PaidAt {
    Cage(PersonId),
    /// As credits at a seat.
    Seat {
        cluster: ClusterId,
        seat: Seat,
    },
    /// As a claim, by ruling after its expiry.
    Ruling(ClaimId),
}

/// How a voucher stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum VoucherState {
    /// Good until it expires.
    Good,
    /// Expired, its money moved: paid only by ruling.
    Expired,
    Paid {
        time: Time,
        at: PaidAt,
    },
    /// Void; its amount became a claim.
    Void {
        time: Time,
        claim: ClaimId,
    },
    /// For training: it never redeems (F44).
    Play,
    /// Issued anew: this number is dead.
    Replaced {
        time: Time,
        /// The voucher in its place.
        by: VoucherSerial,
    },
}

/// A voucher on file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Voucher {
    /// Its serial number.
    pub serial: VoucherSerial,
    /// The last four digits of its number.
    pub digits: u16,
    pub amount: Money,
    pub issued: Time,
    /// From when it is no longer good.
    pub expires: Time,
    /// Where it came from.
    pub origin: VoucherOrigin,
    /// How it stands.
    pub state: VoucherState,
    /// Whether it was printed, or its holder said to have it.
    pub is_confirmed: bool,
    /// When a tick looks at it next.
    due: Time,
}

impl Voucher {
    /// The account that a new one's money lies in.
    pub(super) const fn account(is_play: bool) -> Account {
        if is_play { Account::Play } else { Account::Vouchers }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Vouchers {
    pub(super) on_file: BTreeMap<VoucherHash, Voucher>,
    due: BTreeSet<(Time, VoucherHash)>,
    /// Wrong numbers tried since the last right one.
    pub(super) tries: BTreeMap<Redeemer, u8>,
    pub(super) serials: BTreeMap<VoucherSerial, VoucherHash>,
    count: u64,
    /// The newest voucher that was cashed out at each seat, until it is confirmed.
    unconfirmed: BTreeMap<(ClusterId, Seat), VoucherSerial>,
}

impl Vouchers {
    pub(super) fn get(&self, hash: VoucherHash) -> Voucher {
        *self.on_file.get(&hash).expect("the voucher is on file")
    }

    /// Issues a voucher. One for training is only kept to be known again.
    pub(super) fn issue(
        &mut self,
        (serial, number): (VoucherSerial, VoucherNumber),
        amount: Money,
        (issued, expires): (Time, Time),
        origin: VoucherOrigin,
        is_play: bool,
    ) {
        let state = if is_play { VoucherState::Play } else { VoucherState::Good };
        let digits = number.digits;
        let is_confirmed = false;
        let voucher = Voucher { serial, digits, amount, issued, expires, origin, state, is_confirmed, due: expires };
        self.on_file.insert(number.hash, voucher);
        self.due.insert((expires, number.hash));
        self.serials.insert(serial, number.hash);
        self.count = serial.0;
        if let VoucherOrigin::Seat { cluster, seat, .. } = origin {
            self.unconfirmed.insert((cluster, seat), serial);
        }
    }

    pub(super) fn with_serial(&self, serial: VoucherSerial) -> Option<(VoucherHash, &Voucher)> {
        let hash = self.serials.get(&serial)?;
        Some((*hash, self.on_file.get(hash)?))
    }

    /// The newest voucher of a seat that nobody has confirmed; it may have been paid meanwhile.
    pub(super) fn unconfirmed_at(&self, cluster: ClusterId, seat: Seat) -> Option<&Voucher> {
        let serial = self.unconfirmed.get(&(cluster, seat))?;
        self.with_serial(*serial).map(|(_, voucher)| voucher)
    }

    pub(super) fn unconfirmed_seats(&self) -> impl Iterator<Item = (ClusterId, Seat)> {
        self.unconfirmed.keys().copied()
    }

    pub(super) fn confirm(&mut self, serial: VoucherSerial) {
        let hash = self.serials.get(&serial).expect("the voucher is on file");
        let voucher = self.on_file.get_mut(hash).expect("the voucher is on file");
        voucher.is_confirmed = true;
        let voucher = *voucher;
        self.no_longer_offered(&voucher);
    }

    /// Issues a voucher in the place of another, with the same amount and the same end. What is dead is known until it is due.
    pub(super) fn reissue(
        &mut self,
        replaced: VoucherSerial,
        (serial, number): (VoucherSerial, VoucherNumber),
        time: Time,
        by: Option<VoucherOrigin>,
        due: Time,
    ) {
        let hash = *self.serials.get(&replaced).expect("the voucher is on file");
        let voucher = self.get(hash);
        let Voucher { amount, expires, origin, state, .. } = voucher;
        self.no_longer_offered(&voucher);
        self.close(hash, VoucherState::Replaced { time, by: serial }, due);
        let is_play = state == VoucherState::Play;
        self.issue((serial, number), amount, (time, expires), by.unwrap_or(origin), is_play);
    }

    fn no_longer_offered(&mut self, voucher: &Voucher) {
        if let VoucherOrigin::Seat { cluster, seat, .. } = voucher.origin
            && self.is_offered(voucher)
        {
            self.unconfirmed.remove(&(cluster, seat));
        }
    }

    /// Whether the terminal that cashed it out offers it: nobody has confirmed it, and it is the newest there.
    fn is_offered(&self, voucher: &Voucher) -> bool {
        match voucher.origin {
            VoucherOrigin::Seat { cluster, seat, .. } => {
                self.unconfirmed.get(&(cluster, seat)) == Some(&voucher.serial)
            }
            VoucherOrigin::Cage(_) => false,
        }
    }

    /// Closes a voucher, to be forgotten later; its number is known until then.
    pub(super) fn close(&mut self, hash: VoucherHash, state: VoucherState, due: Time) {
        let voucher = self.on_file.get_mut(&hash).expect("the voucher is on file");
        self.due.remove(&(voucher.due, hash));
        (voucher.state, voucher.due) = (state, due);
        self.due.insert((due, hash));
    }

    pub(super) fn expire(&mut self, hash: VoucherHash) {
        let voucher = self.on_file.get_mut(&hash).expect("the voucher is on file");
        voucher.state = VoucherState::Expired;
        self.due.remove(&(voucher.due, hash));
    }

    pub(super) fn forget(&mut self, hash: VoucherHash) {
        let voucher = self.on_file.remove(&hash).expect("the voucher is on file");
        self.due.remove(&(voucher.due, hash));
        self.serials.remove(&voucher.serial);
        self.no_longer_offered(&voucher);
    }

    /// What is due at a time: vouchers to expire, and vouchers to forget.
    pub(super) fn due(&self, time: Time) -> (Vec<ExpiredVoucher>, Vec<VoucherHash>) {
        let (mut expired, mut forgotten) = (Vec::new(), Vec::new());
        for (_, hash) in self.due.iter().take_while(|(due, _)| *due <= time).take(BATCH) {
            let Voucher { amount, state, .. } = self.get(*hash);
            match state {
                VoucherState::Good => expired.push(ExpiredVoucher { hash: *hash, amount }),
                VoucherState::Paid { .. }
                | VoucherState::Void { .. }
                | VoucherState::Play
                | VoucherState::Replaced { .. } => forgotten.push(*hash),
                VoucherState::Expired => unreachable!("an expired voucher is not due"),
            }
        }
        (expired, forgotten)
    }

    /// A voucher that can be paid or voided at this time. Reasons against it in the order of F41.
    fn good(&self, hash: VoucherHash, time: Time) -> Result<&Voucher, Refusal> {
        let voucher = self.on_file.get(&hash).ok_or(Refusal::VoucherNotOnFile)?;
        match voucher.state {
            VoucherState::Play => Err(Refusal::TrainingMixed),
            VoucherState::Paid { .. } => Err(Refusal::VoucherPaid),
            VoucherState::Void { .. } => Err(Refusal::VoucherVoid),
            VoucherState::Replaced { .. } => Err(Refusal::VoucherReplaced),
            VoucherState::Expired => Err(Refusal::VoucherExpired),
            VoucherState::Good if time >= voucher.expires => Err(Refusal::VoucherExpired),
            VoucherState::Good => Ok(voucher),
        }
    }

    fn not_play(&self, hash: VoucherHash) -> Result<(), Refusal> {
        match self.on_file.get(&hash).map(|voucher| voucher.state) {
            Some(VoucherState::Play) => Err(Refusal::TrainingMixed),
            Some(
                VoucherState::Good
                | VoucherState::Expired
                | VoucherState::Paid { .. }
                | VoucherState::Void { .. }
                | VoucherState::Replaced { .. },
            )
            | None => Ok(()),
        }
    }
}

impl House {
    /// How long a voucher is good for, and how long it is known after it was paid: then it would have expired anyway.
    pub(super) fn voucher_time(&self, from: Time) -> Time {
        let days = u64::from(self.profile.voucher_days);
        Time(from.0.saturating_add(days.saturating_mul(DAY)))
    }

    /// Whether wrong numbers have locked someone's redemption (F45).
    pub fn is_redemption_locked(&self, redeemer: Redeemer) -> bool {
        self.vouchers.tries.get(&redeemer).is_some_and(|tries| *tries >= self.profile.attempts)
    }

    fn may_redeem(&self, redeemer: Redeemer) -> Result<(), Refusal> {
        if self.is_redemption_locked(redeemer) { Err(Refusal::LockedOut) } else { Ok(()) }
    }

    pub(super) fn decide_sell_voucher(
        &self,
        actor: Actor,
        time: Time,
        number: VoucherNumber,
        amount: Money,
        second: Option<Person>,
    ) -> HouseDecision {
        // No approval is requested for an amount that the casino does not sell.
        let is_large = amount > self.profile.sale_limit && amount <= self.profile.voucher_limit;
        self.right(if is_large { Act::LargeSale } else { Act::Cage }, actor, second)?;
        self.check_entering(amount)?;
        if self.vouchers.on_file.contains_key(&number.hash) {
            return Err(Refusal::VoucherNumberUsed);
        }
        if amount > self.profile.voucher_limit {
            return Err(Refusal::OverHouseLimit);
        }
        Ok(self.voucher_issued(time))
    }

    /// The event that issues the next voucher.
    pub(super) fn voucher_issued(&self, time: Time) -> HouseEvent {
        HouseEvent::VoucherIssued { serial: self.next_serial(), expires: self.voucher_time(time) }
    }

    fn next_serial(&self) -> VoucherSerial {
        VoucherSerial(self.vouchers.count.checked_add(1).expect("vouchers can be counted"))
    }

    /// By the terminal that offers it, or by the person who handed it out.
    pub(super) fn decide_confirm_voucher(&self, actor: Actor, serial: VoucherSerial) -> HouseDecision {
        let found = self.vouchers.with_serial(serial).map(|(_, voucher)| voucher);
        if actor.person().is_some() {
            self.active_actor(actor)?;
        }
        let is_own = found.is_some_and(|voucher| match voucher.origin {
            VoucherOrigin::Cage(person) => actor.person().is_some_and(|own| own.id == person),
            VoucherOrigin::Seat { cluster, seat, .. } => self.is_terminal_at(actor, cluster, seat),
        });
        if !is_own {
            return Err(Refusal::NotAllowed);
        }
        match found {
            // One that other people have replaced is confirmed as read.
            Some(voucher @ Voucher { state: VoucherState::Replaced { .. }, .. })
                if !self.vouchers.is_offered(voucher) =>
            {
                Err(Refusal::VoucherReplaced)
            }
            Some(Voucher { is_confirmed: false, .. }) => Ok(HouseEvent::Done),
            Some(_) | None => Err(Refusal::VoucherConfirmed),
        }
    }

    /// The terminal shows its own newest voucher under another number until somebody has confirmed it or has begun to play there:
    /// the next player must not get the last one's. Two people can always: a cashier alone could take the holder's money.
    pub(super) fn decide_reissue_voucher(
        &self,
        (actor, second): (Actor, Option<Person>),
        time: Time,
        serial: VoucherSerial,
        (number, ended): (VoucherNumber, Option<SessionId>),
    ) -> HouseDecision {
        let found = self.vouchers.with_serial(serial);
        let is_terminal = match (actor, found.map(|(_, voucher)| voucher.origin)) {
            (Actor::Terminal { .. }, Some(VoucherOrigin::Seat { cluster, seat, session, .. }))
                if self.is_terminal_at(actor, cluster, seat) =>
            {
                if ended != Some(session) {
                    return Err(Refusal::NotAllowed);
                }
                true
            }
            _ => {
                self.right(Act::ReissueVoucher, actor, second)?;
                false
            }
        };
        let (hash, voucher) = found.ok_or(Refusal::VoucherNotOnFile)?;
        match self.vouchers.good(hash, time) {
            Ok(_) | Err(Refusal::TrainingMixed) => {}
            Err(refusal) => return Err(refusal),
        }
        if is_terminal && !self.vouchers.is_offered(voucher) {
            return Err(Refusal::VoucherConfirmed);
        }
        if self.vouchers.on_file.contains_key(&number.hash) {
            return Err(Refusal::VoucherNumberUsed);
        }
        Ok(HouseEvent::VoucherReissued { serial: self.next_serial(), amount: voucher.amount, expires: voucher.expires })
    }

    /// F41: a voucher is paid at most once; the first redemption in the record wins.
    pub(super) fn decide_redeem_at_cage(&self, actor: Actor, time: Time, hash: VoucherHash) -> HouseDecision {
        let person = self.right(Act::Cage, actor, None)?;
        self.vouchers.not_play(hash)?;
        self.may_redeem(Redeemer::Person(person.id))?;
        Ok(HouseEvent::CashPaid { amount: self.vouchers.good(hash, time)?.amount })
    }

    /// The voucher is claimed here before the credits are on their way. A terminal redeems at its own seat only.
    pub(super) fn decide_redeem_at_seat(
        &self,
        actor: Actor,
        time: Time,
        hash: VoucherHash,
        (cluster, seat): (ClusterId, Seat),
    ) -> HouseDecision {
        if actor != Actor::System && !self.is_terminal_at(actor, cluster, seat) {
            return Err(Refusal::NotAllowed);
        }
        if self.is_play(cluster) {
            return Err(Refusal::TrainingMixed);
        }
        self.vouchers.not_play(hash)?;
        self.may_redeem(Redeemer::Seat { cluster, seat })?;
        self.table_of(cluster)?;
        let amount = self.vouchers.good(hash, time)?.amount;
        Ok(HouseEvent::CreditsSent { number: self.next_out(cluster), amount })
    }

    /// Its holder is not left without: the amount becomes a claim.
    pub(super) fn decide_void_voucher(
        &self,
        actor: Actor,
        time: Time,
        hash: VoucherHash,
        why: &str,
        second: Option<Person>,
    ) -> HouseDecision {
        self.right(Act::VoidVoucher, actor, second)?;
        self.vouchers.not_play(hash)?;
        check_text(why, MAX_REASON_LENGTH)?;
        Ok(self.claim_opened(self.vouchers.good(hash, time)?.amount, ClaimOrigin::VoidVoucher(hash), time))
    }

    /// It opens a claim, which somebody else pays: that is the second person.
    pub(super) fn decide_rule_expired(&self, actor: Actor, time: Time, hash: VoucherHash, why: &str) -> HouseDecision {
        if !self.active_actor(actor)?.roles.meets(self.profile.right(Act::Rule).first) {
            return Err(Refusal::NotAllowed);
        }
        self.vouchers.not_play(hash)?;
        check_text(why, MAX_REASON_LENGTH)?;
        match self.vouchers.good(hash, time) {
            Ok(_) => Err(Refusal::VoucherGood),
            Err(Refusal::VoucherExpired) => {
                Ok(self.claim_opened(self.vouchers.get(hash).amount, ClaimOrigin::ExpiredVoucher(hash), time))
            }
            Err(other) => Err(other),
        }
    }

    /// By someone else than the one who is locked.
    pub(super) fn decide_clear_redemption_lock(&self, actor: Actor, redeemer: Redeemer) -> HouseDecision {
        let person = self.right(Act::ClearLock, actor, None)?;
        if redeemer == Redeemer::Person(person.id) { Err(Refusal::NotAllowed) } else { Ok(HouseEvent::Done) }
    }

    pub(super) fn decide_tick(&self, actor: Actor, time: Time) -> HouseDecision {
        actor.is_system()?;
        let (expired, forgotten) = self.vouchers.due(time);
        Ok(HouseEvent::Ticked { expired, forgotten, approvals: self.approvals.over(time).collect() })
    }
}
