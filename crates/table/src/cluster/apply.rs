//! Applies entries to the players' side. Nothing is decided here: an impossible entry is a bug, and stops the table.

use taisai_rules::{Money, Station};

use crate::cluster::conclude::put_into_set;
use crate::cluster::decide::{content, wager};
use crate::cluster::{
    Betting, CashOut, Chips, Cluster, ClusterCommand, ClusterEvent, ClusterSeat, Meters, PlacedStake, RejectedStake,
    Slip, Stacker, Stake, ThrownDice, Wager, less, sum,
};
use crate::entry::{CommandRequest, Entry};
use crate::identity::{Actor, PersonId, Seat, SessionId};
use crate::round::{Notice, Position};
use crate::sources::CommandsBySource;
use crate::transfer::{ClaimReason, Transfer, TransferPurpose};

impl Cluster {
    /// Applies an entry: remembers its command, and changes the state as command and event say.
    ///
    /// # Panics
    /// If the entry was not decided in this state.
    pub fn apply(&mut self, entry: &Entry<ClusterCommand, ClusterEvent>) {
        let (id, verdict) = (entry.request.id, entry.verdict());
        let content = content(&entry.request.command);
        match entry.request.actor {
            Actor::Terminal { seat, .. } => {
                if !verdict.is_of_id() && self.seat(seat).is_some() {
                    self.seat_mut(seat).recent.remember(id, content, verdict);
                }
            }
            Actor::NoteAcceptor { device, seat } => {
                let stacker = self.state.stackers.entry(device).or_insert_with(|| Stacker::new(seat));
                if !verdict.is_of_id() {
                    stacker.recent.remember(id, content, verdict);
                }
            }
            Actor::ChipReader(_) => {
                if !verdict.is_of_id() {
                    self.state.reader.remember(id, content, verdict);
                }
            }
            Actor::Person(_) | Actor::Tumbler(_) | Actor::System => {
                self.state.recent.remember(id, content, verdict, CommandsBySource::MANY);
            }
        }
        if let Ok(event) = &entry.outcome {
            self.apply_event(&entry.request, event);
            return;
        }
        self.state.refusals += 1;
        if let Actor::Terminal { seat, .. } = entry.request.actor
            && self.seat(seat).is_some()
        {
            self.seat_mut(seat).refusals += 1;
        }
    }

    fn apply_event(&mut self, request: &CommandRequest<ClusterCommand>, event: &ClusterEvent) {
        let CommandRequest { time, actor, command, .. } = request;
        match command {
            ClusterCommand::Place { seat, chips, stakes }
            | ClusterCommand::PlaceFor { seat, chips, stakes }
            | ClusterCommand::PlaceExcess { seat, chips, stakes } => self.put(*seat, *chips, stakes),
            ClusterCommand::Withdraw { seat, chips, stakes } => {
                for stake in stakes {
                    self.remove_stake(*seat, *chips, *stake);
                }
                self.end_session_that_was_left(*seat);
            }
            ClusterCommand::Clear { seat } => {
                for chips in [Chips::Own, Chips::Colour] {
                    for stake in self.stakes(&self.seat_ref(*seat).bets, chips) {
                        self.remove_stake(*seat, chips, stake);
                    }
                }
                self.end_session_that_was_left(*seat);
            }
            ClusterCommand::Repeat { seat } => {
                for chips in [Chips::Own, Chips::Colour] {
                    self.put(*seat, chips, &self.stakes(&self.seat_ref(*seat).last_bets, chips));
                }
            }
            ClusterCommand::Double { seat } => {
                for chips in [Chips::Own, Chips::Colour] {
                    self.put(*seat, chips, &self.stakes(&self.seat_ref(*seat).bets, chips));
                }
            }
            ClusterCommand::RejectExcess => {
                let ClusterEvent::Rejected { cuts } = event else { unreachable!("excess is rejected with its cuts") };
                for RejectedStake { seat, chips, stake } in cuts {
                    self.remove_stake(*seat, *chips, *stake);
                    self.keep_for_one_who_walked_away(*seat, stake.amount);
                }
            }
            ClusterCommand::BuyIn { seat, amount, .. } => {
                let ClusterEvent::BoughtIn { receipt } = event else { unreachable!("a buy-in has a receipt") };
                self.bought_in(*actor, *time, *seat, *amount, *receipt);
            }
            ClusterCommand::ReverseBuyIn { seat, receipt, .. } => {
                let ClusterEvent::BuyInReversed { amount } = event else { unreachable!("a reversal gives the amount") };
                self.buy_in_reversed(*seat, *receipt, *amount);
            }
            ClusterCommand::Read { seat, message } => self.was_read(*seat, *message),
            ClusterCommand::IssueColour { seat, colour, value, chips, .. } => {
                let worth = Money::from_cents(value.cents() * i64::from(*chips));
                self.begin_session(*seat);
                self.state.ledger.cash = less(self.state.ledger.cash, worth);
                self.meter(*seat, |meters| meters.bought_in = sum(meters.bought_in, worth));
                let state = self.seat_mut(*seat);
                let before = state.colour.map_or(Money::ZERO, |set| set.credits);
                let credits = sum(before, worth);
                state.colour = Some(crate::cluster::ColourSet { colour: *colour, value: *value, credits });
            }
            ClusterCommand::RedeemColour { seat } => {
                let set = self.seat_mut(*seat).colour.take().expect("a set is with the player");
                self.state.ledger.chips = sum(self.state.ledger.chips, set.credits);
                self.meter(*seat, |meters| meters.dispensed = sum(meters.dispensed, set.credits));
            }
            ClusterCommand::CashOut { seat, to } => self.cash_out_credits(*actor, *seat, *to),
            ClusterCommand::Leave { seat } => {
                self.chips_given(*seat);
                self.end_session(*seat);
            }
            ClusterCommand::WalkAway { seat } => self.walk_away(*actor, *seat),
            ClusterCommand::Advise { .. } | ClusterCommand::CountStacker { .. } => {}
            ClusterCommand::AcceptNote { seat, amount } => self.note_accepted(*actor, *seat, *amount),
            ClusterCommand::EmptyStacker { acceptor, amount, .. } => self.stacker_emptied(*acceptor, *amount, event),
            ClusterCommand::Lost { seat } => self.seat_mut(*seat).is_lost = true,
            ClusterCommand::Back { seat } => self.seat_mut(*seat).is_lost = false,
            ClusterCommand::ClearLock { seat } => self.seat_mut(*seat).is_locked = false,
            ClusterCommand::Register { seat, stakes, .. } => self.put(*seat, Chips::Own, stakes),
            ClusterCommand::TellTotal { bet_box, amount } => self.total_announced(*bet_box, *amount),
            ClusterCommand::AllRegistered => {
                self.state.thrown = self.state.thrown.map(|thrown| ThrownDice { is_registered: true, ..thrown });
            }
            ClusterCommand::TickOff { seat, is_paid: true } => self.chips_given(*seat),
            ClusterCommand::TickOff { seat, is_paid: false } => {
                self.state.ticked_off.remove(seat);
            }
            ClusterCommand::RegisterFromFilm { round, seat, player, stake, .. } => {
                self.registered_from_film(*round, *seat, player, *stake);
            }
            ClusterCommand::WithdrawFromFilm { round, line, .. } => self.withdrawn_from_film(*round, *line),
            ClusterCommand::CloseReturns { round, .. } => self.returns_closed(*actor, *round, event),
            ClusterCommand::Follow { number, notice, slip } => {
                self.state.followed = *number;
                self.notice(notice, slip.as_ref(), event);
            }
            ClusterCommand::Receive { transfer } => self.receive(transfer),
            ClusterCommand::Delivered { .. } => {
                self.state.outbox.pop_front();
            }
            ClusterCommand::RaiseEvent { what } => self.state.events.raise(request.id.source, *what),
            ClusterCommand::EventsHeld { last } => self.state.events.held(*last),
        }
    }

    fn seat_ref(&self, seat: Seat) -> &ClusterSeat {
        self.seat(seat).expect("a command names a seat that there is")
    }

    pub(super) fn seat_mut(&mut self, seat: Seat) -> &mut ClusterSeat {
        let place = usize::try_from(seat.0).expect("seats are counted in memory");
        &mut self.state.seats[place]
    }

    pub(super) fn meter(&mut self, seat: Seat, change: impl Fn(&mut Meters)) {
        change(&mut self.state.meters);
        let state = self.seat_mut(seat);
        change(&mut state.meters);
        change(&mut state.session_meters);
    }

    fn begin_session(&mut self, seat: Seat) {
        if self.seat_ref(seat).session.is_none() {
            self.state.sessions += 1;
            let session = SessionId(self.state.sessions);
            let state = self.seat_mut(seat);
            state.session = Some(session);
            state.latest_session = Some(session);
            state.owed = Money::ZERO;
            state.session_meters = Meters::default();
            self.state.waived.retain(|(of, _), _| *of != seat);
            self.state.buy_ins.remove(&seat);
            self.state.messages.remove(&seat);
        }
    }

    pub(super) fn end_session(&mut self, seat: Seat) {
        self.seat_mut(seat).end_session();
    }

    /// A player at a terminal who has neither credits nor a bet when the next round opens has left: what a correction owes them is
    /// paid by hand, never put on an empty terminal.
    fn end_empty_sessions(&mut self) {
        if self.rules.game().station() != Station::PlayerTerminals {
            return;
        }
        for state in &mut self.state.seats {
            if state.session.is_some() && state.credits == Money::ZERO && state.bets.is_empty() {
                state.end_session();
            }
        }
    }

    /// Adds credits to a seat. If nothing was left of the last session, it is over: the next buy-in may be another player's,
    /// whose credits no correction of earlier rounds may touch.
    pub(super) fn credit(&mut self, seat: Seat, amount: Money) {
        let state = self.seat_ref(seat);
        if state.credits == Money::ZERO && state.bets.is_empty() {
            self.end_session(seat);
        }
        self.begin_session(seat);
        self.meter(seat, |meters| meters.bought_in = sum(meters.bought_in, amount));
        let state = self.seat_mut(seat);
        state.credits = sum(state.credits, amount);
    }

    /// Puts stakes on the layout: from credits, from the player's cash chips, or from the set of Colour Chips.
    fn put(&mut self, seat: Seat, chips: Chips, stakes: &[Stake]) {
        if stakes.is_empty() {
            return;
        }
        if self.rules.game().station() == Station::LiveTable {
            self.begin_session(seat);
        }
        let mut total = Money::ZERO;
        for stake in stakes {
            let units = self.units(stake.amount).expect("a placed stake is whole units");
            total = sum(total, stake.amount);
            self.state.totals[stake.bet_box.index()] += u64::from(units);
            let place = self.state.next_place;
            if self.binds_boxes() {
                self.state.placements.push(PlacedStake { seat, bet_box: stake.bet_box, chips, units });
            }
            let state = self.seat_mut(seat);
            if wager(state, chips, stake.bet_box).is_some() {
                let wager = state.bets.iter_mut().find(|w| w.bet_box == stake.bet_box && w.chips == chips);
                wager.expect("it was found").units += units;
            } else {
                if chips == Chips::Own {
                    state.boxes |= 1 << stake.bet_box.index();
                }
                state.bets.push(Wager { place, units, bet_box: stake.bet_box, chips });
                self.state.next_place += 1;
            }
        }
        self.pay(seat, chips, less(Money::ZERO, total));
        let state = self.seat_mut(seat);
        state.on_layout = sum(state.on_layout, total);
    }

    /// Takes a stake off the layout and gives it back.
    fn remove_stake(&mut self, seat: Seat, chips: Chips, stake: Stake) {
        let units = self.units(stake.amount).expect("a withdrawn stake is whole units");
        let total = &mut self.state.totals[stake.bet_box.index()];
        *total = total.checked_sub(units.into()).expect("no more is withdrawn than lies there");
        let mut left = units;
        let same = |p: &&mut PlacedStake| p.seat == seat && p.bet_box == stake.bet_box && p.chips == chips;
        for placement in self.state.placements.iter_mut().rev().filter(same) {
            let cut = placement.units.min(left);
            placement.units -= cut;
            left -= cut;
        }
        self.state.placements.retain(|placement| placement.units > 0);
        let state = self.seat_mut(seat);
        let place = state.bets.iter().position(|w| w.bet_box == stake.bet_box && w.chips == chips);
        let place = place.expect("a withdrawn bet lies there");
        let wager = &mut state.bets[place];
        wager.units = wager.units.checked_sub(units).expect("no more is withdrawn than lies there");
        if wager.units == 0 {
            state.bets.remove(place);
            if chips == Chips::Own {
                state.boxes &= !(1 << stake.bet_box.index());
            }
        }
        state.on_layout = less(state.on_layout, stake.amount);
        self.pay(seat, chips, stake.amount);
    }

    /// Gives a seat money in the chips it bets with, or takes it if negative.
    pub(super) fn pay(&mut self, seat: Seat, chips: Chips, amount: Money) {
        let is_live = self.rules.game().station() == Station::LiveTable;
        match chips {
            Chips::Own if is_live => self.state.ledger.chips = sum(self.state.ledger.chips, amount),
            Chips::Own => {
                let state = self.seat_mut(seat);
                state.credits = sum(state.credits, amount);
                assert!(state.credits >= Money::ZERO, "a seat never has less than no credits");
            }
            Chips::Colour => {
                let state = self.seat_mut(seat);
                let rest = less(amount, put_into_set(state, amount));
                let is_whole = state.colour.is_some_and(|set| set.credits >= Money::ZERO);
                assert!(is_whole, "a player never has less than no chips of a set");
                self.state.ledger.chips = sum(self.state.ledger.chips, rest);
            }
        }
    }

    fn cash_out_credits(&mut self, actor: Actor, seat: Seat, to: CashOut) {
        let state = self.seat_mut(seat);
        let session = state.session.expect("a session is cashed out");
        let amount = std::mem::take(&mut state.credits);
        self.meter(seat, |meters| meters.dispensed = sum(meters.dispensed, amount));
        let purpose = match to {
            CashOut::Voucher(number) => TransferPurpose::Voucher { seat, session, number },
            CashOut::HandPay => {
                let by = actor.person().map(|person| person.id);
                TransferPurpose::Claim { seat, session, reason: ClaimReason::CashOut, by }
            }
        };
        self.send(amount, purpose);
        self.state.ledger.transit = sum(self.state.ledger.transit, amount);
        self.end_session(seat);
    }

    /// 5.3: the bets stay and are settled; what the player does not hold becomes a claim.
    fn walk_away(&mut self, actor: Actor, seat: Seat) {
        let state = self.seat_mut(seat);
        state.walked_away_by = actor.person().map(|person| person.id);
        let session = state.session.expect("the player was there");
        if let Some(set) = state.colour.as_mut() {
            let left = std::mem::take(&mut set.credits);
            if left > Money::ZERO {
                self.claim(seat, session, left, ClaimReason::LeftBehind);
            }
        }
        self.chips_given(seat);
        self.end_session_that_was_left(seat);
    }

    /// The session of a player who has walked away is over when no bet is left.
    fn end_session_that_was_left(&mut self, seat: Seat) {
        let state = self.seat_mut(seat);
        if state.has_walked_away() && state.bets.is_empty() {
            state.colour = None;
            state.end_session();
        }
    }

    /// A rejected bet of a player who is not there becomes a claim (5.3); without a bet the session is over.
    fn keep_for_one_who_walked_away(&mut self, seat: Seat, amount: Money) {
        let state = self.seat_ref(seat);
        let (true, Some(session)) = (state.has_walked_away(), state.session) else { return };
        self.state.ledger.chips = less(self.state.ledger.chips, amount);
        self.claim(seat, session, amount, ClaimReason::LeftBehind);
        self.end_session_that_was_left(seat);
    }

    pub(super) fn claim(&mut self, seat: Seat, session: SessionId, amount: Money, reason: ClaimReason) {
        let state = self.seat_ref(seat);
        // The person who reported that the player walked away had the claim opened.
        let by = state.walked_away_by.filter(|_| state.session == Some(session));
        self.claim_by((seat, session), amount, reason, by);
    }

    pub(super) fn claim_by(
        &mut self,
        (seat, session): (Seat, SessionId),
        amount: Money,
        reason: ClaimReason,
        by: Option<PersonId>,
    ) {
        self.state.ledger.transit = sum(self.state.ledger.transit, amount);
        self.send(amount, TransferPurpose::Claim { seat, session, reason, by });
    }

    pub(super) fn send(&mut self, amount: Money, purpose: TransferPurpose) {
        self.state.sent += 1;
        self.state.outbox.push_back(Transfer { number: self.state.sent, amount, purpose });
    }

    /// Credits from the House. They go back as a claim if the seat does not exist, is lost or plays with chips, or if another
    /// session has begun since a player cashed them out: it may be another player's.
    fn receive(&mut self, transfer: &Transfer) {
        self.state.received = transfer.number;
        let TransferPurpose::Credits { seat, session } = transfer.purpose else {
            unreachable!("only credits are received")
        };
        self.state.ledger.transit = less(self.state.ledger.transit, transfer.amount);
        let takes_credits = self.rules.game().station() == Station::PlayerTerminals;
        let is_theirs = |state: &ClusterSeat| match session {
            Some(_) => state.session.is_none() && state.latest_session == session,
            None => true,
        };
        if takes_credits && self.seat(seat).is_some_and(|state| !state.is_lost && is_theirs(state)) {
            self.credit(seat, transfer.amount);
        } else {
            self.state.ledger.transit = sum(self.state.ledger.transit, transfer.amount);
            self.send(transfer.amount, TransferPurpose::Returned { seat });
        }
    }

    fn notice(&mut self, notice: &Notice, slip: Option<&Slip>, event: &ClusterEvent) {
        match (notice, event) {
            (Notice::Limits { limits }, _) => {
                let before = self.limits.unit();
                self.limits = limits.check(self.rules.layout()).expect("limits on display were checked");
                self.state.limits = Some(limits.clone());
                if self.limits.unit() != before {
                    self.recount_last_bets(before.cents());
                }
            }
            (Notice::Opened { round }, _) => {
                self.state.round = *round;
                self.state.betting = Betting::Open;
                self.state.next_place = 0;
                self.state.placements.clear();
                self.state.last_slip.clear();
                self.state.claimed.clear();
                self.state.ticked_off.clear();
                for state in &mut self.state.seats {
                    state.refusals = 0;
                }
                self.end_empty_sessions();
            }
            (Notice::Closed { .. }, _) => self.state.betting = Betting::Closed,
            (Notice::Thrown { dice, .. }, _) => {
                self.state.thrown = Some(ThrownDice { dice: *dice, is_registered: false });
            }
            (Notice::TableOpened, _) => self.state.is_table_open = true,
            (Notice::ClosureAnnounced, _) => self.state.is_closing = true,
            (Notice::TableClosed, _) => {
                (self.state.is_table_open, self.state.is_closing) = (false, false);
                self.all_chips_given();
            }
            (Notice::Relieved { position, person }, _) => match position {
                Position::Dealer => self.state.dealer = *person,
                Position::Supervisor => self.state.supervisor = *person,
                Position::Manager => self.state.manager = *person,
            },
            (Notice::Held, _) => self.state.is_held = true,
            (Notice::Resumed, _) => self.state.is_held = false,
            (Notice::Result { dice, .. }, ClusterEvent::Settled { totals, digest, .. }) => {
                self.settle(Some(*dice), totals, *digest);
            }
            (Notice::Voided { .. }, ClusterEvent::Settled { totals, digest, .. }) => self.settle(None, totals, *digest),
            (Notice::Voided { round, reason }, ClusterEvent::Compensated { adjustments }) => {
                self.compensated(*round, Err(*reason), slip, adjustments);
            }
            (Notice::Corrected { round, dice }, ClusterEvent::Compensated { adjustments }) => {
                self.compensated(*round, Ok(*dice), slip, adjustments);
            }
            (Notice::Result { .. } | Notice::Voided { .. } | Notice::Corrected { .. }, _) => {
                unreachable!("a result comes with what it brings")
            }
        }
    }

    /// Converts the bets of the last round to the new unit. A seat whose bets are not whole units cannot repeat them.
    fn recount_last_bets(&mut self, before: i64) {
        let unit = self.limits.unit().cents();
        for state in &mut self.state.seats {
            let recounted = state.last_bets.iter().map(|wager| {
                let cents = i64::from(wager.units).checked_mul(before).filter(|cents| cents % unit == 0)?;
                Some(Wager { units: u32::try_from(cents / unit).ok()?, ..*wager })
            });
            let recounted: Option<Vec<_>> = recounted.collect();
            state.last_bets.clear();
            state.last_bets.extend(recounted.unwrap_or_default());
        }
    }
}
