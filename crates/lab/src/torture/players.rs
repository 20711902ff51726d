//! Players: they buy in, place, increase, withdraw, clear, repeat, double, cash out, redeem, walk away and leave, at terminals or
//! at the seats of a live table. Sometimes they ask for what cannot be.

use taisai::replay::failure::CheckResult;
use taisai_rules::{BetBox, LimitScope, Money, Rule, Station};
use taisai_table::{
    Actor, Betting, CashOut, Chips, ClaimOrigin, ClusterCommand, HouseCommand, Seat, Stake, Stakes, VoucherHash,
    VoucherNumber, VoucherState,
};

use super::casino::{ATTENDANT, CASHIER, CHIP_READER, DEALER, OTHER_DEALER, SUPERVISOR, SimulatedCasino, by, person};
use super::coverage::PlayFault;

/// How many vouchers players carry about; the others are lost and expire.
const POCKET: usize = 40;

#[derive(Clone, Copy)]
enum TerminalAction {
    Place,
    Repeat,
    Double,
    Withdraw,
    Clear,
    Money,
    Go,
}

impl SimulatedCasino<'_> {
    pub(super) fn is_live(&self) -> bool {
        self.rules.game().station() == Station::LiveTable
    }

    /// The actor who places a seat's bets: its terminal, or the Dealer who registers them.
    pub(super) fn bettor(&mut self, seat: Seat) -> Actor {
        match (self.is_live(), self.random.one_in(40)) {
            (false, _) => self.terminal(seat),
            (true, false) => self.dealer(),
            (true, true) => by(OTHER_DEALER),
        }
    }

    pub(super) fn player(&mut self) -> CheckResult {
        let seat = self.seat();
        let wishes = match self.cluster().betting() {
            Betting::Open => &[
                (70, TerminalAction::Place),
                (8, TerminalAction::Repeat),
                (4, TerminalAction::Double),
                (7, TerminalAction::Withdraw),
                (3, TerminalAction::Clear),
                (6, TerminalAction::Money),
                (2, TerminalAction::Go),
            ][..],
            Betting::Closed => &[
                (3, TerminalAction::Place),
                (1, TerminalAction::Withdraw),
                (1, TerminalAction::Clear),
                (2, TerminalAction::Money),
                (1, TerminalAction::Go),
            ],
            Betting::Idle => &[(1, TerminalAction::Place), (6, TerminalAction::Money), (4, TerminalAction::Go)],
        };
        if !self.is_live() {
            if !self.installation.is_connected(self.at, seat) && self.random.percent(60) {
                return self.connect(seat);
            }
            if self.cluster().is_locked(seat) && self.random.percent(40) {
                self.ask_cluster(by(ATTENDANT), ClusterCommand::ClearLock { seat })?.ok();
                return Ok(());
            }
            let unread = self.cluster().messages(seat).find(|(_, is_read)| !is_read).map(|(message, _)| message.number);
            if let Some(message) = unread
                && self.random.percent(30)
            {
                let actor = self.terminal(seat);
                self.ask_cluster(actor, ClusterCommand::Read { seat, message })?.ok();
                return Ok(());
            }
            let cluster = self.cluster();
            let is_poor = cluster.credits(seat) < Money::from_cents(2_000) && cluster.on_layout(seat) == Money::ZERO;
            let has_left = cluster.session(seat).is_some()
                && cluster.credits(seat) == Money::ZERO
                && cluster.on_layout(seat) == Money::ZERO;
            if has_left && self.random.percent(20) {
                let actor = self.terminal(seat);
                self.ask_cluster(actor, ClusterCommand::Leave { seat })?.ok();
                return Ok(());
            }
            if self.cluster().session(seat).is_none() && self.random.percent(40) {
                self.see_to_cards(seat)?;
            }
            if is_poor && self.random.percent(85) {
                return self.bring_money(seat);
            }
        }
        if self.registers_winners() && self.cluster().betting() == Betting::Open && self.random.percent(95) {
            self.lay(seat);
            return Ok(());
        }
        match self.random.weighted(wishes) {
            TerminalAction::Place => self.place(seat),
            TerminalAction::Repeat => self.bet(seat, ClusterCommand::Repeat { seat }),
            TerminalAction::Double => self.bet(seat, ClusterCommand::Double { seat }),
            TerminalAction::Withdraw => self.withdraw(seat),
            TerminalAction::Clear => self.bet(seat, ClusterCommand::Clear { seat }),
            TerminalAction::Money => self.bring_money(seat),
            TerminalAction::Go => self.go(seat),
        }
    }

    fn bet(&mut self, seat: Seat, command: ClusterCommand) -> CheckResult {
        let actor =
            if self.is_live() && self.random.percent(30) { Actor::ChipReader(CHIP_READER) } else { self.bettor(seat) };
        self.ask_cluster(actor, command)?.ok();
        Ok(())
    }

    fn place(&mut self, seat: Seat) -> CheckResult {
        let has_colour = self.cluster().colour(seat).is_some();
        let chips = if has_colour && self.random.percent(70) { Chips::Colour } else { Chips::Own };
        let stakes = self.stakes(seat, chips);
        let is_by_staff = !self.rules.game().paragraphs(Rule::PlacedByStaff).is_empty() && self.random.one_in(12);
        if is_by_staff {
            self.ask_cluster(by(SUPERVISOR), ClusterCommand::PlaceFor { seat, chips, stakes })?.ok();
            return Ok(());
        }
        if self.has_excess() && self.random.one_in(20) {
            let actor = if self.random.percent(50) { Actor::ChipReader(CHIP_READER) } else { self.dealer() };
            self.ask_cluster(actor, ClusterCommand::PlaceExcess { seat, chips, stakes })?.ok();
            return Ok(());
        }
        if self.random.one_in(40) {
            let any = self.random.pick(self.rules.clone().layout().boxes());
            let bet_box = self.cluster().below_minimum().next().map_or(any, |(bet_box, _, _)| bet_box);
            self.ask_cluster(self.dealer(), ClusterCommand::Advise { bet_box })?.ok();
        }
        self.bet(seat, ClusterCommand::Place { seat, chips, stakes })
    }

    /// Stakes that mostly can be placed.
    pub(super) fn stakes(&mut self, seat: Seat, chips: Chips) -> Stakes {
        let rules = self.rules.clone();
        let boxes = rules.layout().boxes();
        let count = self.random.weighted(&[(50, 1), (25, 2), (15, 3), (8, 5), (2, 9)]);
        let mut stakes = Stakes::new();
        for _ in 0..count {
            let is_even = self.random.percent(35);
            let bet_box = if is_even { boxes[self.random.index(2)] } else { boxes[self.random.index(boxes.len())] };
            if stakes.iter().all(|stake: &Stake| stake.bet_box != bet_box) {
                stakes.push(Stake { bet_box, amount: self.amount(seat, chips, bet_box) });
            }
        }
        stakes
    }

    fn amount(&mut self, seat: Seat, chips: Chips, bet_box: BetBox) -> Money {
        let limits = self.model().limits();
        let (unit, min, max) = (limits.unit().cents(), limits.minimum(bet_box), limits.maximum(bet_box));
        if let (Chips::Colour, Some(set)) = (chips, self.cluster().colour(seat)) {
            return Money::from_cents(set.value.cents() * self.random.signed(1, 4));
        }
        let credits = self.cluster().credits(seat).cents();
        if credits >= unit && self.random.one_in(40) {
            // All that is left.
            return Money::from_cents(credits - credits % unit);
        }
        let least = (min.cents() + unit - 1) / unit;
        let most = (max.cents() / unit).min(least + 400).max(least);
        let units = match self.random.below(20) {
            0 => self.random.signed(1, least.max(1)),
            1 => most + self.random.signed(0, 50),
            2..=4 => self.random.signed(least.max(1), most.max(1)),
            _ => self.random.signed(least.max(1), (least + 12).min(most).max(least.max(1))),
        };
        Money::from_cents(units * unit)
    }

    fn withdraw(&mut self, seat: Seat) -> CheckResult {
        let bets: Vec<_> = self.cluster().bets(seat).collect();
        if bets.is_empty() {
            return Ok(());
        }
        let (chips, mut stake) = self.random.pick(&bets);
        let unit = self.model().limits().unit().cents();
        if self.random.percent(60) {
            let units = stake.amount.cents() / unit;
            stake.amount = Money::from_cents(self.random.signed(1, units.max(1)) * unit);
        }
        self.bet(seat, ClusterCommand::Withdraw { seat, chips, stakes: Stakes::from_slice(&[stake]) })
    }

    fn bring_money(&mut self, seat: Seat) -> CheckResult {
        if self.is_live() {
            return self.bring_to_a_live_table(seat);
        }
        let rich = self.random.one_in(60);
        let amount = if rich { self.random.signed(1, 90) * 100_000 } else { self.random.signed(1, 40) * 1_000 };
        let amount = Money::from_cents(amount);
        match self.random.below(10) {
            0..=2 => self.insert_note(seat)?,
            3..=6 => {
                let second = self.random.percent(70).then(|| person(SUPERVISOR));
                self.ask_cluster(by(CASHIER), ClusterCommand::BuyIn { seat, amount, second })?.ok();
            }
            7 => self.reverse_buy_in(seat)?,
            _ => self.redeem_at(seat)?,
        }
        Ok(())
    }

    /// The cash was for another seat.
    fn reverse_buy_in(&mut self, seat: Seat) -> CheckResult {
        let Some(receipt) = self.cluster().last_buy_in(seat).map(|buy_in| buy_in.receipt) else { return Ok(()) };
        let (why, second) = ("it was for another seat".to_owned(), Some(person(SUPERVISOR)));
        self.ask_cluster(by(CASHIER), ClusterCommand::ReverseBuyIn { seat, receipt, why, second })?.ok();
        Ok(())
    }

    /// Colour Chips where the game has them. A voucher turned into credits at a live seat can only be paid by hand again.
    fn bring_to_a_live_table(&mut self, seat: Seat) -> CheckResult {
        if self.random.one_in(12) {
            return self.redeem_at(seat);
        }
        if self.rules.game().paragraphs(Rule::ColourChips).is_empty() {
            return Ok(());
        }
        let unit = self.model().limits().unit().cents();
        let value = Money::from_cents(unit * self.random.pick(&[1, 2, 5, 7]));
        let set = self.cluster().colour(seat);
        let value = set.filter(|_| self.random.percent(80)).map_or(value, |set| set.value);
        let own = u8::try_from(seat.0 % 200).unwrap_or(0);
        let colour = if self.random.one_in(12) { own + 1 } else { own };
        let chips = 1 + self.random.small(60);
        self.ask_cluster(by(DEALER), ClusterCommand::IssueColour { seat, colour, value, chips, second: None })?.ok();
        Ok(())
    }

    fn redeem_at(&mut self, seat: Seat) -> CheckResult {
        let Some(hash) = self.some_voucher() else { return Ok(()) };
        let actor = if self.is_live() { Actor::System } else { self.terminal(seat) };
        self.ask_house(actor, HouseCommand::RedeemAtSeat { hash, cluster: self.at, seat })?.ok();
        Ok(())
    }

    fn go(&mut self, seat: Seat) -> CheckResult {
        let actor = self.terminal(seat);
        match (self.is_live(), self.random.below(10)) {
            (false, 0..=5) => {
                let to = CashOut::Voucher(self.new_voucher());
                self.ask_cluster(actor, ClusterCommand::CashOut { seat, to })?.ok();
            }
            (false, 6) => {
                self.ask_cluster(actor, ClusterCommand::CashOut { seat, to: CashOut::HandPay })?.ok();
            }
            (false, 7) => self.terminal_is_lost(seat)?,
            (false, _) => {
                self.ask_cluster(actor, ClusterCommand::Leave { seat })?.ok();
            }
            (true, 0..=2) => {
                self.ask_cluster(by(DEALER), ClusterCommand::RedeemColour { seat })?.ok();
            }
            (true, 3) => {
                let to = CashOut::HandPay;
                self.ask_cluster(by(ATTENDANT), ClusterCommand::CashOut { seat, to })?.ok();
            }
            (true, 4..=5) => {
                self.ask_cluster(self.dealer(), ClusterCommand::WalkAway { seat })?.ok();
            }
            (true, _) => {
                self.ask_cluster(self.dealer(), ClusterCommand::Leave { seat })?.ok();
            }
        }
        Ok(())
    }

    /// What a player without credits does with the cards on the terminal.
    fn see_to_cards(&mut self, seat: Seat) -> CheckResult {
        let actor = self.terminal(seat);
        let is_here = |origin: &ClaimOrigin| origin.seat().is_some_and(|(at, of, _)| (at, of) == (self.at, seat));
        let unconfirmed = self.house().unconfirmed_at(self.at, seat).map(|voucher| voucher.serial);
        let claim = self.house().claims().find(|(_, claim)| is_here(&claim.origin)).map(|(claim, _)| claim);
        let paid = self.house().paid_claims().find(|(_, claim)| is_here(&claim.origin)).map(|(claim, _)| claim);
        match (self.random.below(6), unconfirmed, claim, paid) {
            (0..=1, Some(serial), _, _) => self.try_house(actor, HouseCommand::ConfirmVoucher { serial }),
            (2..=3, Some(serial), _, _) => {
                let number = self.new_voucher();
                let ended = self.cluster().ended_session(seat);
                let anew = HouseCommand::ReissueVoucher { serial, number, ended, second: None };
                if self.ask_house(actor, anew)?.is_ok() {
                    self.keep_voucher(number.hash);
                }
                Ok(())
            }
            (_, _, Some(claim), _) => self.try_house(actor, HouseCommand::TakeBackClaim { claim }),
            (_, _, _, Some(claim)) => self.try_house(actor, HouseCommand::ReadClaim { claim }),
            _ => Ok(()),
        }
    }

    pub(super) fn terminal_is_lost(&mut self, seat: Seat) -> CheckResult {
        self.coverage.fault(PlayFault::TerminalLost);
        let (at, time) = (self.at, self.time);
        self.watched(&"a connection ends", |installation| installation.disconnect(at, seat, time))
    }

    pub(super) fn connect(&mut self, seat: Seat) -> CheckResult {
        let (at, time) = (self.at, self.time);
        self.watched(&"a terminal connects", |installation| installation.connect(at, seat, time))
    }

    pub(super) fn new_voucher(&mut self) -> VoucherNumber {
        let digits = u16::try_from(self.random.below(10_000)).unwrap_or(0);
        VoucherNumber { hash: VoucherHash(self.random.bytes()), digits }
    }

    /// A voucher from someone's pocket; now and then one that was forgotten there until it expired.
    pub(super) fn some_voucher(&mut self) -> Option<VoucherHash> {
        if self.random.one_in(12) {
            let mut vouchers = self.house().vouchers();
            let expired = vouchers.find(|(_, voucher)| voucher.state == VoucherState::Expired);
            if let Some((hash, _)) = expired {
                return Some(hash);
            }
        }
        if self.vouchers.is_empty() {
            return None;
        }
        let place = self.random.index(self.vouchers.len());
        Some(self.vouchers[place])
    }

    pub(super) fn keep_voucher(&mut self, hash: VoucherHash) {
        if self.vouchers.len() < POCKET {
            self.vouchers.push(hash);
        } else {
            let place = self.random.index(POCKET);
            self.vouchers[place] = hash;
        }
    }

    /// Whether excess is shown and rejected in this game.
    pub(super) fn has_excess(&self) -> bool {
        self.rules.layout().limit_scope() == Some(LimitScope::Box)
    }
}
