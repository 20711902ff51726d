//! A second, plain book of the players' side and of all money, kept from the record alone: who has what, what lies where, and
//! what a round must come to by `Layout::settle`. The machines are compared with it. It refuses nothing.

mod compare;
mod given;
mod past;

pub(super) use compare::money_is_conserved;
pub(super) use past::KEPT;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use taisai::replay::failure::{CheckResult, RunFailure, ensure};
use taisai_rules::{Bet, BetBox, Dice, Limits, Money, Station};
use taisai_table::{
    Actor, Betting, CashOut, Chips, Cluster, ClusterCommand, ClusterEntry, ClusterEvent, DeviceId, HouseCommand,
    HouseEntry, HouseEvent, Notice, Receipt, ReceivableId, ReceivableRuling, Registration, RejectedStake, RoundNumber,
    Seat, SessionId, Slip, SlipTotals, Stake, TableRules, Transfer, TransferPurpose, VoucherHash, VoucherSerial,
};

use given::GivenMoney;
use past::PastRoundsModel;

/// Whose bet it is, as a settlement distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ModelPlayer {
    pub(super) seat: Seat,
    pub(super) chips: Chips,
}

/// What one seat has, in cents.
#[derive(Clone, Debug, Default)]
struct ModelPurse {
    /// What the session was sent to the House as a debt, and what the House bears of each round.
    owed: i64,
    waived: BTreeMap<RoundNumber, i64>,
    credits: i64,
    /// Colour Chips: the value of one, and what all are worth.
    set: Option<(i64, i64)>,
    on_layout: i64,
    is_locked: bool,
    has_walked_away: bool,
    /// What came from outside less what went out. What the seat has less this is what it has won.
    flows: i64,
    /// What it had won when the round was opened.
    mark: i64,
    /// The last buy-in of the session that can be reversed: the number on its receipt, and how much.
    bought: Option<(Receipt, i64)>,
    /// How many messages the session was sent, and up to which they were read.
    notices: u32,
    read: u32,
    /// The session that was cashed out here, until other money comes.
    cashed_out: Option<SessionId>,
}

impl ModelPurse {
    fn won(&self) -> i64 {
        self.credits + self.set.map_or(0, |(_, worth)| worth) + self.on_layout - self.flows
    }
}

/// Money at the cage and in the office, in cents.
#[derive(Default)]
pub(super) struct OutsideMoney {
    /// Cash taken in less paid out.
    cash: i64,
    /// What the House has given up.
    result: i64,
    /// The receivables that the House bears.
    waived: BTreeSet<ReceivableId>,
    /// Every voucher by its serial number.
    serials: BTreeMap<VoucherSerial, VoucherHash>,
    /// The vouchers in whose place others were issued.
    dead: BTreeSet<VoucherHash>,
}

impl OutsideMoney {
    /// What an entry of the House does to the money outside.
    pub(super) fn house(&mut self, entry: &HouseEntry) -> CheckResult {
        self.vouchers(entry)?;
        match (&entry.request.command, &entry.outcome) {
            (HouseCommand::SellVoucher { amount, .. }, Ok(_)) => self.cash += amount.cents(),
            (_, Ok(HouseEvent::CashPaid { amount })) => self.cash -= amount.cents(),
            (
                HouseCommand::RuleReceivable { receivable, ruling, .. },
                Ok(HouseEvent::ReceivableRuled { amount, .. }),
            ) => match ruling {
                ReceivableRuling::Collected { .. } => self.cash += amount.cents(),
                ReceivableRuling::WrittenOff => {
                    self.result -= amount.cents();
                    self.waived.insert(*receivable);
                }
            },
            // What the House bears, until a later correction of the session gives it back.
            (HouseCommand::Receive { transfer, .. }, Ok(HouseEvent::ReceivableOpened { receivable, .. })) => {
                if matches!(transfer.purpose, TransferPurpose::Receivable { is_waived: true, .. }) {
                    self.result -= transfer.amount.cents();
                    self.waived.insert(*receivable);
                }
            }
            (_, Ok(HouseEvent::ClaimOpened { set_off, .. })) => {
                let waived = set_off.iter().filter(|set_off| self.waived.contains(&set_off.receivable));
                self.result += waived.map(|set_off| set_off.amount.cents()).sum::<i64>();
            }
            (_, Ok(_) | Err(_)) => {}
        }
        Ok(())
    }

    /// A number that has died is never paid, and dies once.
    fn vouchers(&mut self, entry: &HouseEntry) -> CheckResult {
        let Ok(event) = &entry.outcome else { return Ok(()) };
        match (&entry.request.command, event) {
            (HouseCommand::SellVoucher { number, .. }, HouseEvent::VoucherIssued { serial, .. }) => {
                self.issued(*serial, number.hash)?;
            }
            (HouseCommand::Receive { transfer, .. }, HouseEvent::VoucherIssued { serial, .. }) => {
                if let TransferPurpose::Voucher { number, .. } = transfer.purpose {
                    self.issued(*serial, number.hash)?;
                }
            }
            (HouseCommand::ReissueVoucher { serial, number, .. }, HouseEvent::VoucherReissued { serial: new, .. }) => {
                let is_first = self.serials.get(serial).is_some_and(|hash| self.dead.insert(*hash));
                ensure("a voucher is issued anew once", is_first, || format!("{serial:?}"))?;
                self.issued(*new, number.hash)?;
            }
            (
                HouseCommand::RedeemAtCage { hash }
                | HouseCommand::RedeemAtSeat { hash, .. }
                | HouseCommand::VoidVoucher { hash, .. }
                | HouseCommand::RuleExpired { hash, .. },
                _,
            ) => ensure("a dead number is never paid", !self.dead.contains(hash), || format!("{hash:?}"))?,
            _ => {}
        }
        Ok(())
    }

    fn issued(&mut self, serial: VoucherSerial, hash: VoucherHash) -> CheckResult {
        let is_new = self.serials.insert(serial, hash).is_none();
        ensure("every voucher has a serial number of its own", is_new, || format!("{serial:?}"))?;
        self.dead.remove(&hash);
        Ok(())
    }
}

const fn session_of(purpose: TransferPurpose) -> Option<SessionId> {
    match purpose {
        TransferPurpose::Voucher { session, .. } | TransferPurpose::Claim { session, .. } => Some(session),
        TransferPurpose::Receivable { .. } | TransferPurpose::Credits { .. } | TransferPurpose::Returned { .. } => None,
    }
}

/// The book of one players' side.
pub(super) struct ClusterModel {
    rules: TableRules,
    large_win: i64,
    limits: Rc<Limits>,
    purses: Vec<ModelPurse>,
    /// What lies on the layout, in order of first placement.
    bets: Vec<Bet<ModelPlayer>>,
    /// What lay on boxes in all, as announced at a table that registers winners.
    announced: BTreeMap<BetBox, Money>,
    /// Whether winners are being registered.
    is_thrown: bool,
    /// What lay there in the round before.
    last: Vec<Bet<ModelPlayer>>,
    past: VecDeque<PastRoundsModel>,
    given: GivenMoney,
    /// Cash and notes taken in at seats.
    cash: i64,
    /// How many receipts were given for cash.
    receipts: u32,
    /// How many notes each acceptor has taken since its stacker was emptied, and what they are worth.
    stackers: BTreeMap<DeviceId, (u32, i64)>,
    /// What was counted in stackers beyond that.
    variance: i64,
    /// Cash chips brought to the layout less taken away.
    chips: i64,
    /// What the House has won from players.
    result: i64,
    /// The last transfer that the players' side has sent.
    sent: u64,
    is_open: bool,
    is_held: bool,
}

impl ClusterModel {
    pub(super) fn new(rules: TableRules, seats: u32, large_win: Money) -> Self {
        Self {
            rules,
            large_win: large_win.cents(),
            limits: Rc::new(Limits::none()),
            purses: (0..seats).map(|_| ModelPurse::default()).collect(),
            bets: Vec::new(),
            announced: BTreeMap::new(),
            is_thrown: false,
            last: Vec::new(),
            past: VecDeque::new(),
            given: GivenMoney::default(),
            cash: 0,
            receipts: 0,
            stackers: BTreeMap::new(),
            variance: 0,
            chips: 0,
            result: 0,
            sent: 0,
            is_open: false,
            is_held: false,
        }
    }

    /// The limits on display at the players' side.
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    fn is_live(&self) -> bool {
        self.rules.game().station() == Station::LiveTable
    }

    /// The place of a bet in the order of first placement; behind all others where it does not lie there.
    pub(super) fn place_of(&self, bet: &Bet<ModelPlayer>) -> usize {
        let same = |other: &Bet<ModelPlayer>| (other.player, other.bet_box) == (bet.player, bet.bet_box);
        self.bets.iter().position(same).unwrap_or(usize::MAX)
    }

    fn purse(&mut self, seat: Seat) -> &mut ModelPurse {
        let place = usize::try_from(seat.0).expect("a seat's number");
        &mut self.purses[place]
    }

    /// What an entry of the players' side does; `cluster` has applied it.
    pub(super) fn cluster(&mut self, entry: &ClusterEntry, cluster: &Cluster, slip: Option<&Slip>) -> CheckResult {
        let Ok(event) = &entry.outcome else { return Ok(()) };
        self.may_bet(&entry.request.command, cluster)?;
        self.is_of_reader(entry)?;
        match &entry.request.command {
            ClusterCommand::Place { seat, chips, stakes }
            | ClusterCommand::PlaceFor { seat, chips, stakes }
            | ClusterCommand::PlaceExcess { seat, chips, stakes } => {
                for Stake { bet_box, amount } in stakes {
                    let player = ModelPlayer { seat: *seat, chips: *chips };
                    self.put(Bet { player, bet_box: *bet_box, amount: *amount });
                }
            }
            ClusterCommand::Register { seat, stakes, .. } => {
                for Stake { bet_box, amount } in stakes {
                    let player = ModelPlayer { seat: *seat, chips: Chips::Own };
                    self.put(Bet { player, bet_box: *bet_box, amount: *amount });
                }
            }
            ClusterCommand::TellTotal { bet_box, amount } => {
                self.announced.insert(*bet_box, *amount);
            }
            ClusterCommand::AllRegistered => self.is_thrown = false,
            ClusterCommand::RegisterFromFilm { round, seat, stake, .. } => {
                let player = ModelPlayer { seat: *seat, chips: Chips::Own };
                self.film(*round, Bet { player, bet_box: stake.bet_box, amount: stake.amount })?;
            }
            ClusterCommand::WithdrawFromFilm { round, line, .. } => self.withdraw_from_film(*round, *line)?,
            ClusterCommand::CloseReturns { round, .. } => {
                let ClusterEvent::Compensated { adjustments } = event else {
                    return Err(RunFailure::new("returns were closed without what they give"));
                };
                self.close_returns(*round, adjustments, cluster)?;
            }
            ClusterCommand::Withdraw { seat, chips, stakes } => {
                for stake in stakes {
                    self.withdraw(ModelPlayer { seat: *seat, chips: *chips }, *stake)?;
                }
                self.end_session_that_was_left(*seat);
            }
            ClusterCommand::Clear { seat } => {
                for bet in of_seat(&self.bets, *seat) {
                    self.withdraw(bet.player, Stake { bet_box: bet.bet_box, amount: bet.amount })?;
                }
                self.end_session_that_was_left(*seat);
            }
            ClusterCommand::Repeat { seat } => of_seat(&self.last, *seat).into_iter().for_each(|bet| self.put(bet)),
            ClusterCommand::Double { seat } => of_seat(&self.bets, *seat).into_iter().for_each(|bet| self.put(bet)),
            ClusterCommand::RejectExcess => {
                let ClusterEvent::Rejected { cuts } = event else {
                    return Err(RunFailure::new("rejected without cuts"));
                };
                self.reject_excess(cuts)?;
            }
            ClusterCommand::AcceptNote { seat, amount } => {
                self.take_note(entry.request.actor, *seat, *amount, cluster)?;
            }
            ClusterCommand::EmptyStacker { acceptor, amount: counted, .. } => {
                let (notes, stacked) = self.stackers.insert(*acceptor, (0, 0)).unwrap_or_default();
                let expected = ClusterEvent::StackerEmptied { accepted: notes, amount: Money::from_cents(stacked) };
                ensure("a stacker held what was accepted", *event == expected, || {
                    format!("{event:?} and {expected:?}")
                })?;
                self.variance += counted.cents() - stacked;
            }
            ClusterCommand::BuyIn { seat, amount, .. } => self.buy_in(*seat, amount.cents(), event)?,
            ClusterCommand::ReverseBuyIn { seat, receipt, .. } => self.reverse_buy_in(*seat, *receipt, event)?,
            ClusterCommand::Read { seat, message } => self.read(*seat, *message)?,
            ClusterCommand::IssueColour { seat, value, chips, .. } => self.issue_colour(*seat, *value, *chips),
            ClusterCommand::RedeemColour { seat } => self.redeem_colour(*seat),
            ClusterCommand::CashOut { seat, to: CashOut::Voucher(_) | CashOut::HandPay } => {
                let purse = self.purse(*seat);
                purse.flows -= std::mem::take(&mut purse.credits);
                purse.cashed_out = cluster.outbox().last().and_then(|newest| session_of(newest.purpose));
                self.end_session(*seat);
            }
            ClusterCommand::TickOff { seat, is_paid } => self.tick_off(*seat, *is_paid, cluster)?,
            ClusterCommand::Leave { seat } => {
                self.give_chips(*seat)?;
                self.end_session(*seat);
            }
            ClusterCommand::WalkAway { seat } => {
                self.give_chips(*seat)?;
                self.walk_away(*seat);
            }
            ClusterCommand::ClearLock { seat } => self.purse(*seat).is_locked = false,
            ClusterCommand::Follow { notice, .. } => self.follow(notice, event, cluster, slip)?,
            ClusterCommand::Receive { transfer } => self.receive(transfer, cluster)?,
            ClusterCommand::Advise { .. }
            | ClusterCommand::Lost { .. }
            | ClusterCommand::Back { .. }
            | ClusterCommand::CountStacker { .. }
            | ClusterCommand::Delivered { .. }
            | ClusterCommand::RaiseEvent { .. }
            | ClusterCommand::EventsHeld { .. } => {}
        }
        if let ClusterCommand::CashOut { seat, .. } | ClusterCommand::Leave { seat } = entry.request.command {
            // A lock may end with the session or outlive it; it never begins there.
            self.purse(seat).is_locked &= cluster.is_locked(seat);
        }
        self.sent = cluster.outbox().last().map_or(self.sent, |newest| newest.number);
        Ok(())
    }

    fn issue_colour(&mut self, seat: Seat, value: Money, chips: u32) {
        let worth = value.cents() * i64::from(chips);
        self.cash += worth;
        let purse = self.purse(seat);
        purse.set = Some((value.cents(), purse.set.map_or(0, |(_, worth)| worth) + worth));
        purse.flows += worth;
    }

    fn redeem_colour(&mut self, seat: Seat) {
        let worth = self.purse(seat).set.take().map_or(0, |(_, worth)| worth);
        self.purse(seat).flows -= worth;
        self.chips -= worth;
    }

    fn reject_excess(&mut self, cuts: &[RejectedStake]) -> CheckResult {
        for cut in cuts {
            self.reject(ModelPlayer { seat: cut.seat, chips: cut.chips }, cut.stake)?;
        }
        let over = self.bets.iter().find(|bet| self.total(bet.bet_box) > self.cap(bet.bet_box));
        ensure("no excess is left after it was rejected", over.is_none(), || format!("{over:?}"))
    }

    fn walk_away(&mut self, seat: Seat) {
        let purse = self.purse(seat);
        purse.has_walked_away = true;
        if let Some((_, worth)) = &mut purse.set {
            purse.flows -= std::mem::take(worth);
        }
        self.end_session_that_was_left(seat);
    }

    /// 5.3: without a bet the session of a player who has walked away is over.
    fn end_session_that_was_left(&mut self, seat: Seat) {
        if self.purse(seat).has_walked_away && self.purse(seat).on_layout == 0 {
            self.purse(seat).set = None;
            self.end_session(seat);
        }
    }

    fn receive(&mut self, transfer: &Transfer, cluster: &Cluster) -> CheckResult {
        let newest = cluster.outbox().last();
        // A seat that cannot take credits sends them back; then they are on their way to a claim.
        let is_returned = newest
            .is_some_and(|sent| sent.number > self.sent && matches!(sent.purpose, TransferPurpose::Returned { .. }));
        let (TransferPurpose::Credits { seat, session }, false) = (transfer.purpose, is_returned) else {
            return Ok(());
        };
        let is_theirs = session.is_none_or(|session| self.purse(seat).cashed_out == Some(session));
        ensure("what is taken back goes to its own session", is_theirs, || format!("{transfer:?}"))?;
        self.credit(seat, transfer.amount.cents());
        Ok(())
    }

    fn follow(&mut self, notice: &Notice, event: &ClusterEvent, cluster: &Cluster, slip: Option<&Slip>) -> CheckResult {
        match (notice, event) {
            (Notice::Limits { limits }, _) => {
                let limits =
                    limits.check(self.rules.layout()).map_err(|_| RunFailure::new("bad limits were displayed"))?;
                self.limits = Rc::new(limits);
                Ok(())
            }
            (Notice::Opened { .. }, _) => {
                ensure("a round begins with an empty layout", self.bets.is_empty(), || format!("{:?}", self.bets))?;
                self.purses.iter_mut().for_each(|purse| purse.mark = purse.won());
                self.empty_terminals_are_left();
                (self.is_open, self.is_held) = (true, false);
                self.given = GivenMoney::default();
                Ok(())
            }
            (Notice::Result { dice, .. }, ClusterEvent::Settled { totals, .. }) => {
                self.settle(Some(*dice), totals, cluster, slip)
            }
            (Notice::Voided { .. }, ClusterEvent::Settled { totals, .. }) => {
                self.settle(None, totals, cluster, slip)?;
                let changed = self.purses.iter().position(|purse| purse.won() != purse.mark);
                ensure("a voided round leaves every player as before it", changed.is_none(), || {
                    format!("seat {changed:?}")
                })
            }
            (Notice::Voided { round, reason }, ClusterEvent::Compensated { adjustments }) => {
                self.compensate(*round, Err(*reason), adjustments, cluster)
            }
            (Notice::Corrected { round, dice }, ClusterEvent::Compensated { adjustments }) => {
                self.compensate(*round, Ok(*dice), adjustments, cluster)
            }
            (Notice::Closed { .. }, _) => {
                self.is_open = false;
                self.bets_are_the_same(cluster)
            }
            (Notice::Thrown { .. }, _) => {
                self.is_thrown = true;
                Ok(())
            }
            (Notice::Held, _) => {
                self.is_held = true;
                Ok(())
            }
            (Notice::Resumed, _) => {
                self.is_held = false;
                Ok(())
            }
            (Notice::TableClosed, _) => self.give_all_chips(),
            (Notice::TableOpened | Notice::ClosureAnnounced | Notice::Relieved { .. }, _) => Ok(()),
            (Notice::Result { .. } | Notice::Voided { .. } | Notice::Corrected { .. }, other) => {
                Err(RunFailure::new(&format!("{notice:?} brought {other:?}")))
            }
        }
    }

    fn buy_in(&mut self, seat: Seat, cents: i64, event: &ClusterEvent) -> CheckResult {
        self.receipts += 1;
        let receipt = Receipt(self.receipts);
        let expected = ClusterEvent::BoughtIn { receipt };
        ensure("every buy-in has the next receipt", *event == expected, || format!("{event:?} and {expected:?}"))?;
        self.cash += cents;
        self.credit(seat, cents);
        self.purse(seat).bought = Some((receipt, cents));
        Ok(())
    }

    fn reverse_buy_in(&mut self, seat: Seat, receipt: Receipt, event: &ClusterEvent) -> CheckResult {
        let ClusterEvent::BuyInReversed { amount } = event else { return Err(RunFailure::new("reversed nothing")) };
        let (cents, purse) = (amount.cents(), self.purse(seat));
        let is_covered = purse.bought.take() == Some((receipt, cents)) && purse.credits >= cents;
        ensure("the last buy-in is reversed once, with free credits", is_covered, || format!("{purse:?}"))?;
        purse.credits -= cents;
        purse.flows -= cents;
        purse.notices += 1;
        self.cash -= cents;
        Ok(())
    }

    fn read(&mut self, seat: Seat, message: u32) -> CheckResult {
        let purse = self.purse(seat);
        let is_unread = purse.read < message && message <= purse.notices;
        ensure("a message is read once", is_unread, || format!("message {message}: {purse:?}"))?;
        purse.read = message;
        Ok(())
    }

    /// A terminal without credits has lost its player when the next round opens.
    fn empty_terminals_are_left(&mut self) {
        for seat in (0..).map(Seat).take(self.purses.len()) {
            if !self.is_live() && self.purse(seat).credits == 0 {
                self.end_session(seat);
            }
        }
    }

    /// F86: from the acceptor of the seat, and a note that is taken.
    fn take_note(&mut self, actor: Actor, seat: Seat, amount: Money, cluster: &Cluster) -> CheckResult {
        let acceptor = match actor {
            Actor::NoteAcceptor { device, seat: own } if own == seat && cluster.notes().contains(&amount) => device,
            Actor::NoteAcceptor { .. }
            | Actor::Terminal { .. }
            | Actor::Person(_)
            | Actor::Tumbler(_)
            | Actor::ChipReader(_)
            | Actor::System => return Err(RunFailure(format!("{actor:?} made {amount} at seat {}", seat.0))),
        };
        let (notes, stacked) = self.stackers.entry(acceptor).or_default();
        (*notes, *stacked) = (*notes + 1, *stacked + amount.cents());
        self.cash += amount.cents();
        self.credit(seat, amount.cents());
        Ok(())
    }

    /// Whoever buys in where nothing was left may be another player.
    fn credit(&mut self, seat: Seat, cents: i64) {
        if self.purse(seat).credits == 0 && self.purse(seat).on_layout == 0 {
            self.end_session(seat);
            // Another session begins: notices to the last player are not for this one.
            (self.purse(seat).notices, self.purse(seat).read) = (0, 0);
        }
        let purse = self.purse(seat);
        purse.credits += cents;
        purse.flows += cents;
        purse.cashed_out = None;
    }

    fn end_session(&mut self, seat: Seat) {
        self.purse(seat).has_walked_away = false;
        self.purse(seat).owed = 0;
        self.purse(seat).waived.clear();
        self.purse(seat).bought = None;
        self.last.retain(|bet| bet.player.seat != seat);
    }

    fn put(&mut self, bet: Bet<ModelPlayer>) {
        let cents = bet.amount.cents();
        let same = |other: &&mut Bet<ModelPlayer>| other.player == bet.player && other.bet_box == bet.bet_box;
        match self.bets.iter_mut().find(same) {
            Some(lying) => lying.amount = Money::from_cents(lying.amount.cents() + cents),
            None => self.bets.push(bet),
        }
        self.purse(bet.player.seat).on_layout += cents;
        self.pay(bet.player, -cents);
    }

    /// A rejected bet goes back to its player; of one who has walked away it becomes a claim (5.3).
    fn reject(&mut self, player: ModelPlayer, stake: Stake) -> CheckResult {
        self.withdraw(player, stake)?;
        let cents = stake.amount.cents();
        if self.purse(player.seat).has_walked_away {
            self.chips += cents;
            self.end_session_that_was_left(player.seat);
        }
        Ok(())
    }

    fn withdraw(&mut self, player: ModelPlayer, stake: Stake) -> CheckResult {
        let place = self.bets.iter().position(|bet| bet.player == player && bet.bet_box == stake.bet_box);
        let place = place.ok_or_else(|| RunFailure::new("a bet was taken that does not lie there"))?;
        let left = self.bets[place].amount.cents() - stake.amount.cents();
        ensure("no more is taken than lies there", left >= 0, || format!("{player:?} {stake:?}"))?;
        if left == 0 {
            self.bets.remove(place);
        } else {
            self.bets[place].amount = Money::from_cents(left);
        }
        self.purse(player.seat).on_layout -= stake.amount.cents();
        self.pay(player, stake.amount.cents());
        Ok(())
    }

    /// Gives a player money in what the player bets with. Cash chips come from and go to the player's pocket.
    fn pay(&mut self, player: ModelPlayer, cents: i64) {
        let is_live = self.is_live();
        let purse = self.purse(player.seat);
        let in_chips = match (player.chips, &mut purse.set) {
            (Chips::Colour, Some((value, worth))) => {
                *worth += cents - cents % *value;
                cents % *value
            }
            (Chips::Own | Chips::Colour, _) if is_live => cents,
            (Chips::Own | Chips::Colour, _) => {
                purse.credits += cents;
                0
            }
        };
        purse.flows -= in_chips;
        self.chips -= in_chips;
    }

    fn total(&self, bet_box: BetBox) -> Money {
        let cents = self.bets.iter().filter(|bet| bet.bet_box == bet_box).map(|bet| bet.amount.cents());
        Money::from_cents(cents.sum())
    }

    fn cap(&self, bet_box: BetBox) -> Money {
        self.limits.cap(bet_box, bet_box.opposite().map_or(Money::ZERO, |opposite| self.total(opposite)))
    }

    fn settle(
        &mut self,
        dice: Option<Dice>,
        totals: &SlipTotals,
        cluster: &Cluster,
        slip: Option<&Slip>,
    ) -> CheckResult {
        (self.is_open, self.is_thrown) = (false, false);
        self.remember(dice, cluster);
        self.list(cluster);
        self.lines_are_the_same(dice, slip)?;
        let mut expected = SlipTotals::default();
        let mut given = vec![[0, 0]; self.purses.len()];
        for (player, stake, counted, paid) in
            past::lines(&self.rules, &self.limits, dice, (&self.bets, &self.announced))?
        {
            let returned = stake - counted;
            expected.lines += 1;
            for (total, more) in [
                (&mut expected.staked, stake),
                (&mut expected.counted, counted),
                (&mut expected.returned, returned),
                (&mut expected.paid, paid),
            ] {
                *total = Money::from_cents(total.cents() + more);
            }
            let seat = usize::try_from(player.seat.0).expect("a seat's number");
            given[seat][usize::from(player.chips == Chips::Colour)] += paid + returned;
        }
        ensure("totals of a settlement equal its lines", expected == *totals, || {
            format!("the lines make {expected:?}, the round {totals:?}")
        })?;
        self.result += totals.staked.cents() - totals.paid.cents() - totals.returned.cents();
        self.last = std::mem::take(&mut self.bets);
        self.announced.clear();
        for (seat, [own, colour]) in cluster.seats().zip(given) {
            self.give(seat, own, colour);
        }
        if self.rules.registration() == Registration::Winners && dice.is_none() {
            // They are handed back on the layout.
            self.give_all_chips()?;
        }
        self.pay_list_is_the_same(cluster)?;
        ensure("a settled layout is empty", cluster.betting() == Betting::Idle, || "bets lie there".to_owned())
    }

    /// What a seat gets at settlement, for bets with own chips and with Colour Chips.
    fn give(&mut self, seat: Seat, own: i64, colour: i64) {
        let (is_live, large_win) = (self.is_live(), self.large_win);
        let purse = self.purse(seat);
        let staked = std::mem::take(&mut purse.on_layout);
        if staked == 0 {
            return;
        }
        if purse.has_walked_away {
            purse.flows -= own + colour;
            purse.set = None;
            self.end_session(seat);
        } else if is_live {
            self.pay(ModelPlayer { seat, chips: Chips::Own }, own);
            self.pay(ModelPlayer { seat, chips: Chips::Colour }, colour);
        } else {
            purse.credits += own;
            purse.is_locked |= own - staked >= large_win;
        }
    }
}

/// The bets of a seat: own chips first, as the machine takes them.
fn of_seat(bets: &[Bet<ModelPlayer>], seat: Seat) -> Vec<Bet<ModelPlayer>> {
    let mut own: Vec<_> = bets.iter().filter(|bet| bet.player.seat == seat).copied().collect();
    own.sort_by_key(|bet| bet.player.chips);
    own
}
