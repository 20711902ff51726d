//! Decides the commands of the players' side: an event, or the first refusal that holds, in the order of [`Refusal`].

use taisai_rules::{BetBox, Money, Rule, Station};

use crate::cluster::{
    Betting, CashOut, Chips, Cluster, ClusterCommand, ClusterEvent, ClusterSeat, Slip, Stake, Stakes, Wager, less,
};
use crate::entry::{CommandRequest, Decision};
use crate::identity::{Actor, CommandId, Person, Receipt, Role, Seat};
use crate::profile::{Act, ExcessPolicy};
use crate::recent::{CommandHash, CommandIdStatus};
use crate::refusal::Refusal;
use crate::round::Notice;
use crate::rules::Registration;
use crate::transfer::{Transfer, TransferPurpose, VoucherNumber};

pub(super) type ClusterDecision = Result<ClusterEvent, Refusal>;

/// The most on one box over all seats, ten billion dollars: no sum can then exceed 64 bits.
pub(super) const MAX_ON_A_BOX: Money = Money::from_cents(1_000_000_000_000);

impl Cluster {
    pub fn decide(&self, request: &CommandRequest<ClusterCommand>) -> Decision<ClusterEvent> {
        let content = content(&request.command);
        let known = match request.actor {
            Actor::Terminal { seat, .. } => {
                self.seat(seat).map_or(CommandIdStatus::New, |state| state.recent.known(request.id, content))
            }
            Actor::NoteAcceptor { device, .. } => self.known_of_acceptor(device, request.id, content),
            Actor::ChipReader(_) => self.state.reader.known(request.id, content),
            Actor::Person(_) | Actor::Tumbler(_) | Actor::System => self.state.recent.known(request.id, content),
        };
        match known {
            CommandIdStatus::Answered(verdict) => return Decision::Repeated(verdict),
            CommandIdStatus::Unusable(refusal) => return Decision::Refused(refusal),
            CommandIdStatus::New => {}
        }
        match self.answer(request.actor, &request.command) {
            Ok(event) => Decision::Accepted(event),
            Err(refusal) => Decision::Refused(refusal),
        }
    }

    fn answer(&self, actor: Actor, command: &ClusterCommand) -> ClusterDecision {
        match command {
            ClusterCommand::Place { seat, chips, stakes } => {
                self.may_lay(actor, *seat)?;
                self.registers(Registration::EveryBet)?;
                self.place(*seat, *chips, stakes)
            }
            ClusterCommand::PlaceFor { seat, chips, stakes } => {
                self.acts_here(actor)?;
                self.registers(Registration::EveryBet)?;
                self.table_is_open()?;
                self.is_in_game(Rule::PlacedByStaff)?;
                self.place(*seat, *chips, stakes)
            }
            ClusterCommand::PlaceExcess { seat, chips, stakes } => {
                if !self.is_reader(actor) {
                    self.deals(actor)?;
                }
                self.registers(Registration::EveryBet)?;
                self.is_in_game(Rule::Excess)?;
                self.place_over(*seat, *chips, stakes)
            }
            ClusterCommand::Withdraw { seat, chips, stakes } => {
                self.may_lay(actor, *seat)?;
                self.withdraw(*seat, *chips, stakes)
            }
            ClusterCommand::Clear { seat } => {
                self.may_lay(actor, *seat)?;
                let state = self.betting_seat(*seat)?;
                if state.bets.is_empty() { Err(Refusal::NoSuchBet) } else { Ok(ClusterEvent::Done) }
            }
            ClusterCommand::Repeat { seat } => self.repeat(actor, *seat),
            ClusterCommand::Double { seat } => self.double(actor, *seat),
            ClusterCommand::RejectExcess => self.reject_excess(actor),
            ClusterCommand::Advise { bet_box } => self.advise(actor, *bet_box),
            ClusterCommand::BuyIn { seat, amount, second } => self.buy_in((actor, *second), *seat, *amount),
            ClusterCommand::ReverseBuyIn { seat, receipt, why, second } => {
                self.reverse_buy_in((actor, *second), *seat, *receipt, why)
            }
            ClusterCommand::Read { seat, message } => self.read(actor, *seat, *message),
            ClusterCommand::AcceptNote { seat, amount } => self.accept_note(actor, *seat, *amount),
            ClusterCommand::CountStacker { seat, notes } => self.count_stacker(actor, *seat, *notes),
            ClusterCommand::EmptyStacker { acceptor, notes, amount } => {
                self.empty_stacker(actor, *acceptor, *notes, *amount)
            }
            ClusterCommand::IssueColour { seat, colour, value, chips, second } => {
                self.issue_colour((actor, *second), *seat, *colour, *value, *chips)
            }
            ClusterCommand::RedeemColour { seat } => self.redeem_colour(actor, *seat),
            ClusterCommand::CashOut { seat, to } => self.cash_out(actor, *seat, *to),
            ClusterCommand::Leave { seat } => {
                self.may_act_for(actor, *seat, Act::BuyIn)?;
                let state = self.seat_in_session(*seat)?;
                if state.credits > Money::ZERO || state.colour.is_some() || !state.bets.is_empty() {
                    return Err(Refusal::NotCleared);
                }
                Ok(ClusterEvent::Done)
            }
            ClusterCommand::WalkAway { seat } => {
                self.deals(actor)?;
                self.is_in_game(Rule::WalkAway)?;
                self.seat_in_session(*seat)?;
                Ok(ClusterEvent::Done)
            }
            ClusterCommand::Lost { seat } | ClusterCommand::Back { seat } => {
                actor.is_system()?;
                self.is_in_game(Rule::TerminalDown)?;
                self.known_seat(*seat)?;
                Ok(ClusterEvent::Done)
            }
            ClusterCommand::ClearLock { seat } => {
                self.profile.check(Act::ClearLock, actor, None)?;
                if self.known_seat(*seat)?.is_locked { Ok(ClusterEvent::Done) } else { Err(Refusal::NotHeld) }
            }
            ClusterCommand::Register { seat, stakes, second } => self.register((actor, *second), *seat, stakes),
            ClusterCommand::TellTotal { bet_box, amount } => self.tell_total(actor, *bet_box, *amount),
            ClusterCommand::AllRegistered => self.all_registered(actor),
            ClusterCommand::TickOff { seat, is_paid } => self.tick_off(actor, *seat, *is_paid),
            ClusterCommand::RegisterFromFilm { round, seat, player, stake, second } => {
                self.register_from_film((actor, *second), (*round, *seat), player, *stake)
            }
            ClusterCommand::WithdrawFromFilm { round, line, second } => {
                self.withdraw_from_film((actor, *second), *round, *line)
            }
            ClusterCommand::CloseReturns { round, second } => self.close_returns((actor, *second), *round),
            ClusterCommand::Follow { number, notice, slip } => {
                actor.is_system()?;
                self.follow(*number, notice, slip.as_ref())
            }
            ClusterCommand::Receive { transfer } => {
                actor.is_system()?;
                self.may_receive(transfer)
            }
            ClusterCommand::Delivered { number } => self.delivered(actor, *number),
            ClusterCommand::RaiseEvent { .. } => actor.is_system().map(|()| ClusterEvent::Done),
            ClusterCommand::EventsHeld { last } => self.events_held(actor, *last),
        }
    }

    fn delivered(&self, actor: Actor, number: u64) -> ClusterDecision {
        actor.is_system()?;
        match self.state.outbox.front() {
            Some(transfer) if transfer.number == number => Ok(ClusterEvent::Done),
            Some(_) | None => Err(Refusal::OutOfOrder),
        }
    }

    fn events_held(&self, actor: Actor, last: CommandId) -> ClusterDecision {
        actor.is_system()?;
        self.state.events.may_hold(last).map(|()| ClusterEvent::Done)
    }

    fn repeat(&self, actor: Actor, seat: Seat) -> ClusterDecision {
        self.may_bet(actor, seat)?;
        self.registers(Registration::EveryBet)?;
        let state = self.betting_seat(seat)?;
        if state.last_bets.is_empty() {
            return Err(Refusal::NothingToRepeat);
        }
        self.place_all(seat, &state.last_bets)
    }

    fn double(&self, actor: Actor, seat: Seat) -> ClusterDecision {
        self.may_bet(actor, seat)?;
        self.registers(Registration::EveryBet)?;
        let state = self.betting_seat(seat)?;
        if state.bets.is_empty() {
            return Err(Refusal::NoSuchBet);
        }
        self.place_all(seat, &state.bets)
    }

    /// A terminal bets for its own seat; at a live table the Dealer registers what the player has placed.
    fn may_bet(&self, actor: Actor, seat: Seat) -> Result<(), Refusal> {
        self.may_act_for(actor, seat, Act::Deal)
    }

    /// The same for single bets on the layout, which a chip reader may register too. It never registers winners.
    fn may_lay(&self, actor: Actor, seat: Seat) -> Result<(), Refusal> {
        if self.is_reader(actor) { self.registers(Registration::EveryBet) } else { self.may_bet(actor, seat) }
    }

    /// Whether the actor is the chip reader of a live table. Terminals need none.
    fn is_reader(&self, actor: Actor) -> bool {
        matches!(actor, Actor::ChipReader(_)) && self.rules.game().station() == Station::LiveTable
    }

    fn may_act_for(&self, actor: Actor, seat: Seat, act: Act) -> Result<(), Refusal> {
        match self.rules.game().station() {
            Station::PlayerTerminals if actor.is_terminal_of(seat) => Ok(()),
            Station::PlayerTerminals => Err(Refusal::NotAllowed),
            Station::LiveTable if act == Act::Deal => self.deals(actor),
            Station::LiveTable => self.profile.check(act, actor, None).map(|_| ()),
        }
    }

    /// The person who deals at this table now (1.5).
    pub(super) fn deals(&self, actor: Actor) -> Result<(), Refusal> {
        self.profile.deals(self.state.dealer, actor)
    }

    /// A Pit Employee who is assigned to this table and acts at it now (1.5, 5.13).
    fn acts_here(&self, actor: Actor) -> Result<(), Refusal> {
        let person = actor.person().filter(|person| person.roles.touch_money()).ok_or(Refusal::NotAllowed)?;
        let acting = [self.state.dealer, self.state.supervisor, self.state.manager];
        let is_pit_employee = person.roles.any(&[Role::Dealer, Role::PitSupervisor, Role::PitManager]);
        match acting.contains(&Some(person.id)) {
            true => Ok(()),
            false if is_pit_employee => Err(Refusal::NotActing),
            false => Err(Refusal::NotAllowed),
        }
    }

    pub(super) fn is_in_game(&self, rule: Rule) -> Result<(), Refusal> {
        if self.rules.game().paragraphs(rule).is_empty() { Err(Refusal::NotInGame) } else { Ok(()) }
    }

    pub(super) fn known_seat(&self, seat: Seat) -> Result<&ClusterSeat, Refusal> {
        self.seat(seat).ok_or(Refusal::UnknownSeat)
    }

    pub(super) fn seat_in_session(&self, seat: Seat) -> Result<&ClusterSeat, Refusal> {
        let state = self.known_seat(seat)?;
        if state.session.is_some() { Ok(state) } else { Err(Refusal::NoSession) }
    }

    fn bets_are_open(&self) -> Result<(), Refusal> {
        self.table_is_open()?;
        match self.state.betting {
            Betting::Open if self.state.is_held => Err(Refusal::Held),
            Betting::Open => Ok(()),
            Betting::Idle => Err(Refusal::NoRoundOpen),
            // 5.7, 3.6: nothing is placed, increased or withdrawn.
            Betting::Closed => Err(Refusal::BetsClosed),
        }
    }

    fn table_is_open(&self) -> Result<(), Refusal> {
        if self.state.is_table_open { Ok(()) } else { Err(Refusal::TableNotOpen) }
    }

    /// A seat that may bet now: bets are open, and the seat is neither lost nor locked. Where winners are registered it is one whose
    /// bets can be taken off the register.
    fn betting_seat(&self, seat: Seat) -> Result<&ClusterSeat, Refusal> {
        if self.rules.registration() == Registration::Winners {
            return self.registering_seat(seat);
        }
        self.bets_are_open()?;
        let state = self.known_seat(seat)?;
        if state.is_lost {
            return Err(Refusal::TerminalLost);
        }
        if state.is_locked {
            return Err(Refusal::SeatLocked);
        }
        // At a live table a session begins with the first chip; a terminal needs credits first.
        if state.session.is_none() && self.rules.game().station() == Station::PlayerTerminals {
            return Err(Refusal::NoSession);
        }
        if state.has_walked_away() { Err(Refusal::NoSession) } else { Ok(state) }
    }

    fn place(&self, seat: Seat, chips: Chips, stakes: &[Stake]) -> ClusterDecision {
        self.place_over(seat, chips, stakes)?;
        if self.binds_boxes() && self.profile.excess == ExcessPolicy::Refuse {
            first(stakes.iter().map(|stake| self.check_excess(stakes, *stake)))?;
        }
        Ok(ClusterEvent::Done)
    }

    /// Places bets. What is over a box's maximum or Differential lies there and is apportioned (5.1.1).
    fn place_over(&self, seat: Seat, chips: Chips, stakes: &[Stake]) -> ClusterDecision {
        if chips == Chips::Colour {
            self.bets_are_open()?;
            self.is_in_game(Rule::ColourChips)?;
        }
        let state = self.betting_seat(seat)?;
        if stakes.is_empty() {
            return Err(Refusal::NoBets);
        }
        self.check_boxes(stakes)?;
        let mut total = 0i64;
        first(stakes.iter().map(|stake| {
            let units = self.units(stake.amount)?;
            self.check_limits(state, chips, *stake, units)?;
            total = total.checked_add(stake.amount.cents()).ok_or(Refusal::AmountTooLarge)?;
            Ok(())
        }))?;
        self.check_credits(state, chips, stakes, Money::from_cents(total))?;
        Ok(ClusterEvent::Done)
    }

    /// Each box once, and all of them on the layout.
    pub(super) fn check_boxes(&self, stakes: &[Stake]) -> Result<(), Refusal> {
        let (mut boxes, mut on_layout) = (0u128, true);
        for stake in stakes {
            let bit = 1 << stake.bet_box.index();
            if boxes & bit != 0 {
                return Err(Refusal::BoxTwice);
            }
            boxes |= bit;
            on_layout &= self.rules.layout().has(stake.bet_box);
        }
        if on_layout { Ok(()) } else { Err(Refusal::BoxNotOnLayout) }
    }

    /// Places wagers once more: those of the last round, or those that lie there.
    fn place_all(&self, seat: Seat, wagers: &[Wager]) -> ClusterDecision {
        for chips in [Chips::Own, Chips::Colour] {
            let stakes = self.stakes(wagers, chips);
            if !stakes.is_empty() {
                self.place(seat, chips, &stakes)?;
            }
        }
        Ok(ClusterEvent::Done)
    }

    /// The stakes that wagers are made of.
    pub(super) fn stakes(&self, wagers: &[Wager], chips: Chips) -> Stakes {
        let wagers = wagers.iter().filter(|wager| wager.chips == chips);
        wagers.map(|wager| Stake { bet_box: wager.bet_box, amount: self.cents(wager.units.into()) }).collect()
    }

    /// An amount in units.
    pub(super) fn units(&self, amount: Money) -> Result<u32, Refusal> {
        if amount <= Money::ZERO {
            return Err(Refusal::BadAmount);
        }
        let unit = self.limits.unit().cents();
        let units = u32::try_from(amount.cents() / unit).map_err(|_| Refusal::AmountTooLarge)?;
        if amount.cents() % unit == 0 { Ok(units) } else { Err(Refusal::AmountOffUnit) }
    }

    pub(super) fn check_limits(
        &self,
        state: &ClusterSeat,
        chips: Chips,
        stake: Stake,
        units: u32,
    ) -> Result<(), Refusal> {
        let bet_box = stake.bet_box;
        let own = wager(state, chips, bet_box).map_or(0, |wager| wager.units);
        let own = own.checked_add(units).ok_or(Refusal::AmountTooLarge)?;
        let own_total = self.cents(own.into());
        let box_total = self.total(bet_box).checked_add(stake.amount);
        if box_total.is_none_or(|total| total > MAX_ON_A_BOX) {
            return Err(Refusal::AmountTooLarge);
        }
        self.rules.layout().check_stake(bet_box, own_total).map_err(|_| Refusal::AmountTooLarge)?;
        if self.binds_boxes() {
            return Ok(());
        }
        if own_total > self.limits.maximum(bet_box) {
            return Err(Refusal::OverLimit);
        }
        if own_total < self.limits.minimum(bet_box) { Err(Refusal::BelowMinimum) } else { Ok(()) }
    }

    /// Whether a stake, with all that is placed along with it, keeps its box within its maximum and Differential (5.1).
    fn check_excess(&self, stakes: &[Stake], stake: Stake) -> Result<(), Refusal> {
        let placed = |bet_box: BetBox| {
            let more = stakes.iter().find(|stake| stake.bet_box == bet_box).map_or(0, |stake| stake.amount.cents());
            self.total(bet_box).cents().checked_add(more).map(Money::from_cents).ok_or(Refusal::AmountTooLarge)
        };
        let bet_box = stake.bet_box;
        let total = placed(bet_box)?;
        if total > self.limits.maximum(bet_box) {
            return Err(Refusal::OverLimit);
        }
        let opposite = bet_box.opposite().map_or(Ok(Money::ZERO), placed)?;
        if total > self.limits.cap(bet_box, opposite) { Err(Refusal::OverDifferential) } else { Ok(()) }
    }

    fn check_credits(&self, state: &ClusterSeat, chips: Chips, stakes: &[Stake], total: Money) -> Result<(), Refusal> {
        match (chips, self.rules.game().station()) {
            (Chips::Own, Station::PlayerTerminals) if total > state.credits => Err(Refusal::NotEnoughCredits),
            (Chips::Own, Station::PlayerTerminals | Station::LiveTable) => Ok(()),
            (Chips::Colour, _) => {
                let set = state.colour.ok_or(Refusal::ColourInUse)?;
                if stakes.iter().any(|stake| stake.amount.cents() % set.value.cents() != 0) {
                    return Err(Refusal::AmountOffUnit);
                }
                if total > set.credits { Err(Refusal::NotEnoughCredits) } else { Ok(()) }
            }
        }
    }

    fn withdraw(&self, seat: Seat, chips: Chips, stakes: &[Stake]) -> ClusterDecision {
        let state = self.betting_seat(seat)?;
        if stakes.is_empty() {
            return Err(Refusal::NoBets);
        }
        self.check_boxes(stakes)?;
        first(stakes.iter().map(|stake| {
            let own = wager(state, chips, stake.bet_box).ok_or(Refusal::NoSuchBet)?;
            if stake.amount > self.cents(own.units.into()) {
                return Err(Refusal::NoSuchBet);
            }
            let left = own.units.checked_sub(self.units(stake.amount)?).ok_or(Refusal::NoSuchBet)?;
            if let (Chips::Colour, Some(set)) = (chips, state.colour)
                && stake.amount.cents() % set.value.cents() != 0
            {
                return Err(Refusal::AmountOffUnit);
            }
            let is_below = left > 0 && self.cents(left.into()) < self.limits.minimum(stake.bet_box);
            if !self.binds_boxes() && is_below { Err(Refusal::BelowMinimum) } else { Ok(()) }
        }))?;
        Ok(ClusterEvent::Done)
    }

    /// 5.1: the House rejects the excess, before the close.
    fn reject_excess(&self, actor: Actor) -> ClusterDecision {
        self.deals(actor)?;
        self.registers(Registration::EveryBet)?;
        self.bets_are_open()?;
        self.is_in_game(Rule::Excess)?;
        let cuts = self.rejections();
        if cuts.is_empty() { Err(Refusal::NoExcess) } else { Ok(ClusterEvent::Rejected { cuts }) }
    }

    /// 5.2: the players on a box whose total is below its minimum may increase or withdraw.
    fn advise(&self, actor: Actor, bet_box: BetBox) -> ClusterDecision {
        self.deals(actor)?;
        self.registers(Registration::EveryBet)?;
        self.bets_are_open()?;
        self.is_in_game(Rule::Advice)?;
        let is_below = self.below_minimum().any(|(below, _, _)| below == bet_box);
        if is_below { Ok(ClusterEvent::Done) } else { Err(Refusal::NotBelowMinimum) }
    }

    /// Taking in more than the casino's limit needs two people (F50).
    fn may_take_in(&self, (actor, second): (Actor, Option<Person>), amount: Money) -> Result<(), Refusal> {
        let act = if amount > self.profile.buy_in_limit { Act::LargeBuyIn } else { Act::BuyIn };
        self.profile.check(act, actor, second).map(|_| ())
    }

    fn buy_in(&self, by: (Actor, Option<Person>), seat: Seat, amount: Money) -> ClusterDecision {
        self.may_take_in(by, amount)?;
        self.can_take_money(seat)?;
        if amount <= Money::ZERO {
            return Err(Refusal::BadAmount);
        }
        self.check_money(amount)?;
        let receipt = self.state.receipts.checked_add(1).ok_or(Refusal::AmountTooLarge)?;
        Ok(ClusterEvent::BoughtIn { receipt: Receipt(receipt) })
    }

    /// Whether an amount can come in without any sum exceeding 64 bits, however it is won and paid.
    pub(super) fn check_money(&self, amount: Money) -> Result<(), Refusal> {
        fits(self.state.meters.bought_in, amount)
    }

    /// Whether notes of that worth can be counted, however often stackers are emptied.
    pub(super) fn check_counted(&self, amount: Money) -> Result<(), Refusal> {
        // Cash taken in is negative on the books.
        fits(less(Money::ZERO, self.state.ledger.cash), amount)
    }

    fn issue_colour(
        &self,
        by: (Actor, Option<Person>),
        seat: Seat,
        colour: u8,
        value: Money,
        chips: u32,
    ) -> ClusterDecision {
        // An amount that is too large is refused below.
        let worth = value.cents().saturating_mul(chips.into());
        self.may_take_in(by, Money::from_cents(worth))?;
        // What is lost of a set is not known where only winners are registered.
        self.registers(Registration::EveryBet)?;
        self.table_is_open()?;
        if self.state.is_closing {
            return Err(Refusal::TableClosing);
        }
        self.is_in_game(Rule::ColourChips)?;
        let state = self.known_seat(seat)?;
        if state.has_walked_away() {
            return Err(Refusal::NoSession);
        }
        if chips == 0 {
            return Err(Refusal::BadAmount);
        }
        let units = self.units(value)?;
        let worth = u64::from(units).checked_mul(chips.into()).ok_or(Refusal::AmountTooLarge)?;
        let worth = i64::try_from(worth).ok().and_then(|worth| worth.checked_mul(self.limits.unit().cents()));
        let worth = worth.map(Money::from_cents).ok_or(Refusal::AmountTooLarge)?;
        self.check_money(worth)?;
        // A set is with one player at one value; more of it may be bought.
        let with_another = self
            .seats()
            .zip(&self.state.seats)
            .any(|(other, state)| other != seat && state.colour.is_some_and(|set| set.colour == colour));
        let other_set = state.colour.is_some_and(|set| set.colour != colour || set.value != value);
        if with_another || other_set { Err(Refusal::ColourInUse) } else { Ok(ClusterEvent::Done) }
    }

    fn redeem_colour(&self, actor: Actor, seat: Seat) -> ClusterDecision {
        self.profile.check(Act::BuyIn, actor, None)?;
        self.is_in_game(Rule::ColourChips)?;
        let state = self.known_seat(seat)?;
        if has_colour_bets(state) {
            return Err(Refusal::RoundInPlay);
        }
        state.colour.map(|_| ClusterEvent::Done).ok_or(Refusal::ColourInUse)
    }

    fn cash_out(&self, actor: Actor, seat: Seat, to: CashOut) -> ClusterDecision {
        match to {
            CashOut::HandPay | CashOut::Voucher(_) if actor.is_terminal_of(seat) => {}
            // A person may only cash out by hand: this recovers the credits of a stolen or broken terminal.
            CashOut::HandPay => {
                self.profile.check(Act::ClearLock, actor, None)?;
            }
            CashOut::Voucher(_) => return Err(Refusal::NotAllowed),
        }
        let state = self.known_seat(seat)?;
        if !state.bets.is_empty() {
            return Err(Refusal::RoundInPlay);
        }
        if state.is_lost && matches!(actor, Actor::Terminal { .. }) {
            return Err(Refusal::TerminalLost);
        }
        if state.is_locked && matches!(to, CashOut::Voucher(_)) {
            return Err(Refusal::SeatLocked);
        }
        self.seat_in_session(seat)?;
        match to {
            CashOut::Voucher(_) if state.credits > self.profile.voucher_limit => return Err(Refusal::OverHouseLimit),
            CashOut::Voucher(_) | CashOut::HandPay => {}
        }
        if state.credits == Money::ZERO { Err(Refusal::NotEnoughCredits) } else { Ok(ClusterEvent::Done) }
    }

    fn may_receive(&self, transfer: &Transfer) -> ClusterDecision {
        match transfer.purpose {
            TransferPurpose::Credits { .. } => {}
            TransferPurpose::Voucher { .. }
            | TransferPurpose::Claim { .. }
            | TransferPurpose::Receivable { .. }
            | TransferPurpose::Returned { .. } => {
                return Err(Refusal::NotAllowed);
            }
        }
        if transfer.number != self.state.received + 1 {
            return Err(Refusal::OutOfOrder);
        }
        if transfer.amount <= Money::ZERO {
            return Err(Refusal::BadAmount);
        }
        self.check_money(transfer.amount).map(|()| ClusterEvent::Done)
    }

    fn follow(&self, number: u64, notice: &Notice, slip: Option<&Slip>) -> ClusterDecision {
        if number != self.state.followed + 1 {
            return Err(Refusal::OutOfOrder);
        }
        let slip = slip.ok_or(Refusal::SlipDiffers);
        match notice {
            Notice::Limits { limits } => limits.check(self.rules.layout()).map(|_| ClusterEvent::Done),
            Notice::TableOpened
            | Notice::TableClosed
            | Notice::ClosureAnnounced
            | Notice::Relieved { .. }
            | Notice::Opened { .. }
            | Notice::Closed { .. }
            | Notice::Thrown { .. }
            | Notice::Held
            | Notice::Resumed => Ok(ClusterEvent::Done),
            Notice::Result { dice, .. } => {
                let (totals, digest) = self.reckon(Some(*dice));
                Ok(ClusterEvent::Settled { totals, digest, over_differential: self.over_differential() })
            }
            Notice::Voided { round, .. } if *round == self.state.round && self.state.betting != Betting::Idle => {
                let (totals, digest) = self.reckon(None);
                Ok(ClusterEvent::Settled { totals, digest, over_differential: Vec::new() })
            }
            Notice::Voided { round, reason } => {
                Ok(ClusterEvent::Compensated { adjustments: self.compensate(*round, slip?, Err(*reason))? })
            }
            Notice::Corrected { round, dice } => {
                Ok(ClusterEvent::Compensated { adjustments: self.compensate(*round, slip?, Ok(*dice))? })
            }
        }
    }
}

/// Whether an amount can be added to another without any sum exceeding 64 bits, however it is won and paid.
fn fits(so_far: Money, amount: Money) -> Result<(), Refusal> {
    /// Ten trillion dollars: no casino holds more.
    const MOST: Money = Money::from_cents(1_000_000_000_000_000);
    let fits = amount <= MOST && so_far.checked_add(amount).is_some_and(|total| total <= MOST);
    if fits { Ok(()) } else { Err(Refusal::AmountTooLarge) }
}

/// The first refusal in the order of precedence, of all that hold.
pub(super) fn first(answers: impl Iterator<Item = Result<(), Refusal>>) -> Result<(), Refusal> {
    answers.filter_map(Result::err).min().map_or(Ok(()), Err)
}

pub(super) fn wager(state: &ClusterSeat, chips: Chips, bet_box: BetBox) -> Option<&Wager> {
    if chips == Chips::Own && state.boxes & (1 << bet_box.index()) == 0 {
        return None;
    }
    state.bets.iter().find(|wager| wager.bet_box == bet_box && wager.chips == chips)
}

fn has_colour_bets(state: &ClusterSeat) -> bool {
    state.bets.iter().any(|wager| wager.chips == Chips::Colour)
}

/// A hash of a command's content. Bets are hashed without encoding them first.
pub(super) fn content(command: &ClusterCommand) -> u64 {
    let stakes = |kind, seat: &Seat, chips: &Chips, stakes: &[Stake]| {
        let begin = CommandHash::of(kind).with(seat.0.into()).with(u64::from(*chips == Chips::Colour));
        let mix = |hash: CommandHash, stake: &Stake| {
            let cents = u64::from_le_bytes(stake.amount.cents().to_le_bytes());
            hash.with(u64::from(stake.bet_box.place())).with(cents)
        };
        stakes.iter().fold(begin, mix).finish()
    };
    match command {
        ClusterCommand::Place { seat, chips, stakes: list } => stakes(2, seat, chips, list),
        ClusterCommand::PlaceFor { seat, chips, stakes: list } => stakes(3, seat, chips, list),
        ClusterCommand::Withdraw { seat, chips, stakes: list } => stakes(4, seat, chips, list),
        ClusterCommand::PlaceExcess { seat, chips, stakes: list } => stakes(5, seat, chips, list),
        // A new voucher number is drawn each time the command is sent, so the number is not part of the content.
        ClusterCommand::CashOut { seat, to: CashOut::Voucher(_) } => {
            let to = CashOut::Voucher(VoucherNumber::ANY);
            CommandHash::of_bytes(1, &ClusterCommand::CashOut { seat: *seat, to }).finish()
        }
        ClusterCommand::Clear { .. }
        | ClusterCommand::Repeat { .. }
        | ClusterCommand::Double { .. }
        | ClusterCommand::RejectExcess
        | ClusterCommand::Advise { .. }
        | ClusterCommand::BuyIn { .. }
        | ClusterCommand::ReverseBuyIn { .. }
        | ClusterCommand::Read { .. }
        | ClusterCommand::IssueColour { .. }
        | ClusterCommand::RedeemColour { .. }
        | ClusterCommand::CashOut { to: CashOut::HandPay, .. }
        | ClusterCommand::Leave { .. }
        | ClusterCommand::WalkAway { .. }
        | ClusterCommand::Lost { .. }
        | ClusterCommand::Back { .. }
        | ClusterCommand::ClearLock { .. }
        | ClusterCommand::Follow { .. }
        | ClusterCommand::Receive { .. }
        | ClusterCommand::Delivered { .. }
        | ClusterCommand::AcceptNote { .. }
        | ClusterCommand::CountStacker { .. }
        | ClusterCommand::EmptyStacker { .. }
        | ClusterCommand::Register { .. }
        | ClusterCommand::TellTotal { .. }
        | ClusterCommand::AllRegistered
        | ClusterCommand::TickOff { .. }
        | ClusterCommand::RegisterFromFilm { .. }
        | ClusterCommand::WithdrawFromFilm { .. }
        | ClusterCommand::CloseReturns { .. }
        | ClusterCommand::RaiseEvent { .. }
        | ClusterCommand::EventsHeld { .. } => CommandHash::of_bytes(1, command).finish(),
    }
}
