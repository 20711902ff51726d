//! The machines compared with the plain book.

use taisai::replay::failure::{CheckResult, ensure};
use taisai_rules::Dice;
use taisai_table::{
    Account, Actor, Cluster, ClusterCommand, ClusterEntry, DeviceId, Machines, Registration, Slip, Stake,
    cents_in_transit,
};

use super::{ClusterModel, OutsideMoney, of_seat, past};

/// How many messages a session keeps.
const MOST_UNREAD: usize = 100;

impl ClusterModel {
    /// A chip reader reports the chips on the layout of a live table that registers every bet, and nothing else.
    pub(super) fn is_of_reader(&self, entry: &ClusterEntry) -> CheckResult {
        let is_laid = matches!(
            entry.request.command,
            ClusterCommand::Place { .. }
                | ClusterCommand::PlaceExcess { .. }
                | ClusterCommand::Withdraw { .. }
                | ClusterCommand::Clear { .. }
        );
        let registers_all = self.is_live() && self.rules.registration() == Registration::EveryBet;
        let is_other = !matches!(entry.request.actor, Actor::ChipReader(_));
        ensure("a chip reader only tells what lies there", is_other || is_laid && registers_all, || {
            format!("{:?}", entry.request)
        })
    }

    /// 3.6, 5.7: after "No more Bets" nothing is placed, increased or withdrawn; nor while play is held, nor at a seat that is
    /// lost or locked, nor for a player who has walked away.
    pub(super) fn may_bet(&self, command: &ClusterCommand, cluster: &Cluster) -> CheckResult {
        let seat = match command {
            ClusterCommand::Place { seat, .. }
            | ClusterCommand::PlaceFor { seat, .. }
            | ClusterCommand::PlaceExcess { seat, .. }
            | ClusterCommand::Withdraw { seat, .. }
            | ClusterCommand::Clear { seat }
            | ClusterCommand::Repeat { seat }
            | ClusterCommand::Double { seat } => *seat,
            ClusterCommand::Register { .. } | ClusterCommand::TellTotal { .. } | ClusterCommand::AllRegistered => {
                return ensure("winners are registered after the dice", self.is_thrown, || format!("{command:?}"));
            }
            ClusterCommand::RejectExcess => {
                return ensure("excess is rejected before the close", self.is_open, || "bets are closed".to_owned());
            }
            ClusterCommand::Advise { .. }
            | ClusterCommand::BuyIn { .. }
            | ClusterCommand::ReverseBuyIn { .. }
            | ClusterCommand::Read { .. }
            | ClusterCommand::AcceptNote { .. }
            | ClusterCommand::CountStacker { .. }
            | ClusterCommand::EmptyStacker { .. }
            | ClusterCommand::IssueColour { .. }
            | ClusterCommand::RedeemColour { .. }
            | ClusterCommand::CashOut { .. }
            | ClusterCommand::Leave { .. }
            | ClusterCommand::WalkAway { .. }
            | ClusterCommand::Lost { .. }
            | ClusterCommand::Back { .. }
            | ClusterCommand::ClearLock { .. }
            | ClusterCommand::RegisterFromFilm { .. }
            | ClusterCommand::WithdrawFromFilm { .. }
            | ClusterCommand::CloseReturns { .. }
            | ClusterCommand::RaiseEvent { .. }
            | ClusterCommand::EventsHeld { .. }
            | ClusterCommand::TickOff { .. }
            | ClusterCommand::Follow { .. }
            | ClusterCommand::Receive { .. }
            | ClusterCommand::Delivered { .. } => return Ok(()),
        };
        if self.rules.registration() == Registration::Winners {
            return ensure("winners are taken off the register after the dice", self.is_thrown, || {
                format!("{command:?}")
            });
        }
        let place = usize::try_from(seat.0).expect("a seat's number");
        let purse = &self.purses[place];
        let barred = cluster.is_lost(seat) || purse.is_locked || purse.has_walked_away;
        ensure("bets change only while they are open", self.is_open && !self.is_held && !barred, || {
            format!("open {}, held {}, seat {purse:?}", self.is_open, self.is_held)
        })
    }

    /// Whether the slip of the round has the lines of the book: the same bets, and by the dice the same of each counts.
    pub(super) fn lines_are_the_same(&self, dice: Option<Dice>, slip: Option<&Slip>) -> CheckResult {
        let Some(slip) = slip else { return ensure("a settled round has a slip", false, String::new) };
        let unit = self.limits.unit().cents();
        let mut own: Vec<_> = self
            .bets
            .iter()
            .zip(past::lines(&self.rules, &self.limits, dice, (&self.bets, &self.announced))?)
            .collect();
        own.sort_by_key(|(bet, _)| bet.player.seat);
        let same = own.len() == slip.lines.len()
            && own.iter().zip(&slip.lines).all(|((bet, (player, stake, counted, _)), line)| {
                (player.seat, player.chips, bet.bet_box) == (line.seat, line.chips, line.bet_box)
                    && *stake == i64::from(line.units) * unit
                    && (dice.is_none() || *counted == i64::from(line.counted) * unit)
            });
        ensure("the slip has the lines of the layout", same, || format!("{own:?} and {:?}", slip.lines))
    }

    /// Whether the players' side has what the book says; cheap enough for every step.
    pub(in crate::torture) fn seats_are_the_same(&self, cluster: &Cluster) -> CheckResult {
        for (seat, purse) in cluster.seats().zip(&self.purses) {
            let set = cluster.colour(seat).map(|set| (set.value.cents(), set.credits.cents()));
            let same = cluster.credits(seat).cents() == purse.credits
                && cluster.on_layout(seat).cents() == purse.on_layout
                && cluster.is_locked(seat) == purse.is_locked
                && set == purse.set;
            ensure("every seat has what the record gives it", same, || {
                let (credits, on_layout) = (cluster.credits(seat), cluster.on_layout(seat));
                format!("seat {} has {credits}, {on_layout} on the layout and {set:?}; the book {purse:?}", seat.0)
            })?;
            let unread = cluster.messages(seat).filter(|(_, is_read)| !is_read).count();
            let expected = usize::try_from(purse.notices - purse.read).unwrap_or(usize::MAX).min(MOST_UNREAD);
            ensure("a player has to read the notices of the latest session", unread == expected, || {
                format!("seat {}: {unread} unread; the book {purse:?}", seat.0)
            })?;
            let is_nobodys = cluster.session(seat).is_none() && (purse.credits, purse.on_layout, set) != (0, 0, None);
            ensure("no money lies at a seat without a session", !is_nobodys, || format!("seat {}: {purse:?}", seat.0))?;
        }
        let ledger = cluster.ledger();
        let stacked = |acceptor: DeviceId| self.stackers.get(&acceptor).copied().unwrap_or_default();
        let same = cluster.stackers().all(|(id, held)| (held.notes, held.amount.cents()) == stacked(id));
        let notes: i64 = self.stackers.values().map(|(_, amount)| amount).sum();
        let same = same && (ledger.notes.cents(), ledger.variance.cents()) == (-notes, self.variance);
        ensure("every stacker holds what was accepted", same, || format!("{ledger:?}; {:?} in the book", self.stackers))
    }

    /// Whether the bets that lie there are those of the book, in the same order.
    pub(super) fn bets_are_the_same(&self, cluster: &Cluster) -> CheckResult {
        for seat in cluster.seats() {
            let own = of_seat(&self.bets, seat);
            let mut lying: Vec<_> = cluster.bets(seat).collect();
            lying.sort_by_key(|(chips, _)| *chips);
            let same = own.iter().map(|bet| (bet.player.chips, Stake { bet_box: bet.bet_box, amount: bet.amount }));
            let holds = same.eq(lying.iter().copied());
            ensure("every accepted bet lies on the layout once", holds, || format!("{own:?} and {lying:?}"))?;
        }
        Ok(())
    }
}

/// All money of players, wherever it is, is what came in less what the House has won.
pub(in crate::torture) fn money_is_conserved(
    models: &[ClusterModel],
    outside: &OutsideMoney,
    machines: &Machines,
) -> CheckResult {
    let purses = models.iter().flat_map(|model| &model.purses).map(|purse| purse.won() + purse.flows);
    let accounts = [Account::Vouchers, Account::Expired, Account::Claims, Account::Receivables];
    let accounts = accounts.into_iter().map(|account| machines.house.balance(account).cents());
    let cents_in_transit = machines.clusters().map(|cluster| cents_in_transit(&machines.house, cluster));
    let held: i128 = purses.chain(accounts).map(i128::from).chain(cents_in_transit).sum();
    let [cash, chips, result] =
        models.iter().fold([outside.cash, 0, outside.result], |[cash, chips, result], model| {
            [cash + model.cash, chips + model.chips, result + model.result]
        });
    ensure(
        "credits, bets, vouchers, claims and receivables equal what came in and the result",
        held == i128::from(cash + chips - result),
        || format!("{held} held; {cash} cash, {chips} chips, {result} won by the House"),
    )
}
