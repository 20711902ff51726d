//! The players' side in the reporting tables: settlements and their wagers, sessions, and the ledger. A leg of the
//! ledger is the balance of an account after an entry less its balance before.

mod settle;

use taisai_rules::{Money, Rule, Station};
use taisai_table::{
    Adjustment, CashOut, Chips, Cluster, ClusterCommand, ClusterEvent, ClusterLedger, CommandRequest, Entry, Meters,
    OverDifferential, RejectedStake, RoundNumber, Seat, Sensitive as _, SessionId, TransferPurpose,
};

use super::batch::{Attribution, EntryTime, ReportEvent, SqlBatch};
use super::house::over_differential;
use super::machine::{ChainContext, EntryError, ProjectedMachine, event_by, opening_event};
use super::tables::SESSIONS;
use super::value::SqlValue;
use crate::value::variant_name;
use settle::follow;
use taisai_record::{ChainOpening, MachineSetup};

/// The accounts beside the seats.
const ACCOUNTS: [&str; 6] = ["house", "cash", "chips", "transit", "notes", "variance"];

/// The balances as last posted, and the entry that is not applied yet.
pub(super) struct ClusterBalances {
    seats: Vec<SeatSnapshot>,
    accounts: [i64; ACCOUNTS.len()],
    waiting: Option<PendingClusterEntry>,
}

#[derive(Clone, Copy)]
struct SeatSnapshot {
    money: i64,
    session: Option<SessionId>,
    is_locked: bool,
}

/// Which seats an entry may change.
#[derive(Clone, Copy)]
enum Seats {
    None,
    One(Seat),
    All,
}

/// An entry that is projected further once it is applied.
struct PendingClusterEntry {
    when: EntryTime,
    seats: Seats,
    /// What the transaction is called; none if no money moves.
    kind: Option<&'static str>,
    of: Attribution,
    /// The session's meters at that seat before the entry.
    before: Meters,
    events: Vec<ReportEvent>,
}

impl ProjectedMachine for Cluster {
    type Notes = ClusterBalances;

    fn notes(&self, _: &ChainContext) -> ClusterBalances {
        let seats = self.seats().map(|seat| seat_snapshot(self, seat)).collect();
        ClusterBalances { seats, accounts: accounts(self), waiting: None }
    }

    fn opened(_: &mut ChainContext, when: &EntryTime, opening: &ChainOpening, batch: &mut SqlBatch) {
        let MachineSetup::Cluster { cluster, .. } = &opening.setup else { return };
        let (table, cluster) = (Some(cluster.table.0), Some(cluster.number));
        batch.events(when, [opening_event(opening, Attribution { table, cluster, ..Attribution::default() })]);
    }

    fn entry(
        &self,
        _: &mut ChainContext,
        balances: &mut ClusterBalances,
        when: EntryTime,
        entry: &Entry<ClusterCommand, ClusterEvent>,
        batch: &mut SqlBatch,
    ) -> Result<(), EntryError> {
        let request = &entry.request;
        let event = match &entry.outcome {
            Ok(event) => event,
            Err(refusal) => {
                batch.refusal(&when, request.actor, variant_name(&request.command), refusal.code());
                return Ok(());
            }
        };
        if request.actor.person().is_some() {
            batch.act(&when, request.actor, request.command.second(), variant_name(&request.command));
        }
        let mut of = here(self);
        let mut events = events_of(self, request, event, &mut of);
        let (seats, kind) = match &request.command {
            ClusterCommand::Place { seat, .. }
            | ClusterCommand::PlaceFor { seat, .. }
            | ClusterCommand::PlaceExcess { seat, .. }
            | ClusterCommand::Withdraw { seat, .. }
            | ClusterCommand::Clear { seat }
            | ClusterCommand::Repeat { seat }
            | ClusterCommand::Double { seat } => {
                // A bet begins a session at a live table; its money is posted when the round is over.
                if self.rules().game().station() == Station::PlayerTerminals {
                    return Ok(());
                }
                (Seats::One(*seat), None)
            }
            ClusterCommand::Register { seat, .. }
            | ClusterCommand::Leave { seat }
            | ClusterCommand::ClearLock { seat } => (Seats::One(*seat), None),
            ClusterCommand::CloseReturns { .. } => (Seats::None, Some("film")),
            ClusterCommand::RejectExcess => (Seats::All, Some("excess")),
            ClusterCommand::BuyIn { seat, .. } => (Seats::One(*seat), Some("buy-in")),
            ClusterCommand::ReverseBuyIn { seat, .. } => (Seats::One(*seat), Some("buy-in-reversed")),
            ClusterCommand::IssueColour { seat, .. } => (Seats::One(*seat), Some("colour-issued")),
            ClusterCommand::RedeemColour { seat } => (Seats::One(*seat), Some("colour-redeemed")),
            ClusterCommand::CashOut { seat, to } => {
                of.voucher = match to {
                    CashOut::Voucher(number) => Some(super::house::voucher(number.hash)),
                    CashOut::HandPay => None,
                };
                (Seats::One(*seat), Some("cash-out"))
            }
            ClusterCommand::WalkAway { seat } => (Seats::One(*seat), Some("walk-away")),
            ClusterCommand::Follow { notice, slip, .. } => {
                let Some((round, kind)) = follow(self, &when, notice, slip.as_ref(), event, batch)? else {
                    return Ok(());
                };
                of.round = Some(round.0);
                events = of_round(self, round, event);
                (Seats::All, Some(kind))
            }
            ClusterCommand::Receive { transfer } => match transfer.purpose {
                TransferPurpose::Credits { seat, .. } => (Seats::One(seat), Some("credits-received")),
                TransferPurpose::Voucher { .. }
                | TransferPurpose::Claim { .. }
                | TransferPurpose::Receivable { .. }
                | TransferPurpose::Returned { .. } => (Seats::None, None),
            },
            ClusterCommand::AcceptNote { seat, .. } => (Seats::One(*seat), Some("note")),
            ClusterCommand::EmptyStacker { .. } => (Seats::None, Some("stacker-emptied")),
            ClusterCommand::TellTotal { .. }
            | ClusterCommand::AllRegistered
            | ClusterCommand::RegisterFromFilm { .. }
            | ClusterCommand::WithdrawFromFilm { .. }
            | ClusterCommand::Advise { .. }
            | ClusterCommand::Lost { .. }
            | ClusterCommand::Back { .. }
            | ClusterCommand::CountStacker { .. } => (Seats::None, None),
            ClusterCommand::Read { .. }
            | ClusterCommand::TickOff { .. }
            | ClusterCommand::Delivered { .. }
            | ClusterCommand::RaiseEvent { .. }
            | ClusterCommand::EventsHeld { .. } => return Ok(()),
        };
        let before = match seats {
            Seats::One(seat) => self.session_meters(seat),
            Seats::None | Seats::All => Meters::default(),
        };
        balances.waiting = Some(PendingClusterEntry { when, seats, kind, of, before, events });
        Ok(())
    }

    fn applied(&self, _: &mut ChainContext, balances: &mut ClusterBalances, batch: &mut SqlBatch) {
        let Some(waiting) = balances.waiting.take() else { return };
        let PendingClusterEntry { when, seats, kind, of, before, mut events } = waiting;
        let (first, most) = match seats {
            Seats::None => (0, 0),
            Seats::One(Seat(seat)) => (seat, 1),
            Seats::All => (0, balances.seats.len()),
        };
        let mut legs = Vec::new();
        let skipped = usize::try_from(first).unwrap_or(usize::MAX);
        for (number, known) in (first..).zip(balances.seats.iter_mut().skip(skipped).take(most)) {
            let after = seat_snapshot(self, Seat(number));
            if after.session != known.session {
                session(self, &when, Seat(number), *known, before, batch);
            }
            let session = after.session.or(known.session).map(|session| session.0);
            if kind.is_some() && after.money != known.money {
                let of = Attribution { seat: Some(number), session, ..of.clone() };
                legs.push(("seat", of, after.money - known.money));
            }
            if after.is_locked && !known.is_locked {
                let at = Attribution { seat: Some(number), session, ..of.clone() };
                let amount = Some(after.money - known.money);
                events.push(ReportEvent { kind: Some("large-win".into()), at, amount, ..ReportEvent::default() });
            }
            // Bets in play leave a seat's money where it is.
            *known = after;
        }
        if let Some(kind) = kind {
            let after = accounts(self);
            for ((name, before), after) in ACCOUNTS.into_iter().zip(balances.accounts).zip(after) {
                if before != after {
                    legs.push((name, of.clone(), after - before));
                }
            }
            balances.accounts = after;
            batch.post(&when, kind, legs);
        }
        batch.events(&when, events);
    }
}

/// The accounts, with bets of chips that lie on a live table counted as chips still.
fn accounts(cluster: &Cluster) -> [i64; ACCOUNTS.len()] {
    let ClusterLedger { house, cash, chips, transit, notes, variance } = cluster.ledger();
    let lying = match cluster.rules().game().station() {
        Station::PlayerTerminals => 0,
        Station::LiveTable => cluster.seats().map(|seat| lying(cluster, seat, Chips::Own)).sum(),
    };
    let [house, cash, chips, transit, notes, variance] =
        [house, cash, chips, transit, notes, variance].map(Money::cents);
    [house, cash, chips + lying, transit, notes, variance]
}

/// What a seat has on the layout in such chips.
fn lying(cluster: &Cluster, seat: Seat, chips: Chips) -> i64 {
    cluster.bets(seat).filter(|(with, _)| *with == chips).map(|(_, stake)| stake.amount.cents()).sum()
}

fn seat_snapshot(cluster: &Cluster, seat: Seat) -> SeatSnapshot {
    let colour = cluster.colour(seat).map_or(0, |set| set.credits.cents());
    let on_layout = match cluster.rules().game().station() {
        Station::PlayerTerminals => cluster.on_layout(seat).cents(),
        Station::LiveTable => lying(cluster, seat, Chips::Colour),
    };
    let money = cluster.credits(seat).cents() + colour + on_layout;
    SeatSnapshot { money, session: cluster.session(seat), is_locked: cluster.is_locked(seat) }
}

/// The event of a command beside the money that it moves, with its own round or seat.
fn events_of(
    cluster: &Cluster,
    request: &CommandRequest<ClusterCommand>,
    event: &ClusterEvent,
    of: &mut Attribution,
) -> Vec<ReportEvent> {
    let by = |kind| event_by(kind, request.actor);
    match &request.command {
        ClusterCommand::TellTotal { bet_box, amount } => {
            of.round = Some(cluster.round().0);
            let (amount, detail) = (Some(amount.cents()), Some(bet_box.text().to_owned()));
            vec![ReportEvent { at: of.clone(), amount, detail, ..by("total-told") }]
        }
        ClusterCommand::AllRegistered => {
            of.round = Some(cluster.round().0);
            vec![ReportEvent { at: of.clone(), ..by("all-registered") }]
        }
        ClusterCommand::RegisterFromFilm { round, seat, player, stake, second } => {
            of.round = Some(round.0);
            let at = Attribution { seat: Some(seat.0), ..of.clone() };
            let (second, why) = (second.map(|second| second.id.0), Some(player.as_str().into()));
            let detail = Some(format!("{} {}", stake.amount.cents(), stake.bet_box));
            vec![ReportEvent { at, second, why, detail, ..by("registered-from-film") }]
        }
        ClusterCommand::WithdrawFromFilm { round, line, second } => {
            of.round = Some(round.0);
            let second = second.map(|second| second.id.0);
            vec![withdrawn(cluster, *round, *line, ReportEvent { at: of.clone(), second, ..by("withdrawn-from-film") })]
        }
        ClusterCommand::CloseReturns { round, second } => {
            of.round = Some(round.0);
            let second = second.map(|second| second.id.0);
            let closed = ReportEvent { at: of.clone(), second, ..by("returns-closed") };
            [closed].into_iter().chain(of_round(cluster, *round, event)).collect()
        }
        ClusterCommand::RejectExcess => rejected(cluster, event, request.actor),
        ClusterCommand::Advise { bet_box } => {
            vec![ReportEvent { at: of.clone(), detail: Some(bet_box.text().to_owned()), ..by("advised") }]
        }
        ClusterCommand::ReverseBuyIn { seat, receipt, why, .. } => {
            let at = at_seat(cluster, by("buy-in-reversed"), *seat);
            vec![reversed(event, at, format!("receipt {}: {why}", receipt.0))]
        }
        ClusterCommand::WalkAway { seat } => vec![at_seat(cluster, by("walked-away"), *seat)],
        ClusterCommand::Lost { seat } => vec![at_seat(cluster, by("terminal-lost"), *seat)],
        ClusterCommand::Back { seat } => vec![at_seat(cluster, by("terminal-back"), *seat)],
        ClusterCommand::ClearLock { seat } => vec![at_seat(cluster, by("lock-cleared"), *seat)],
        ClusterCommand::CountStacker { seat, notes } => {
            stacker_differs(cluster, event, *notes, by("stacker-differs"), *seat).into_iter().collect()
        }
        ClusterCommand::EmptyStacker { acceptor, notes, amount } => {
            of.seat = cluster.stackers().find(|(device, _)| device == acceptor).map(|(_, stacker)| stacker.seat.0);
            let (amount, detail) = (Some(amount.cents()), Some(format!("{notes} notes counted")));
            vec![ReportEvent { at: of.clone(), amount, detail, device: Some(acceptor.0), ..by("stacker-emptied") }]
        }
        _ => Vec::new(),
    }
}

fn here(cluster: &Cluster) -> Attribution {
    let id = cluster.id();
    Attribution { table: Some(id.table.0), cluster: Some(id.number), ..Attribution::default() }
}

/// A line that was withdrawn from the film's registration: whose it was, and what it contained.
fn withdrawn(cluster: &Cluster, round: RoundNumber, line: u32, event: ReportEvent) -> ReportEvent {
    let lines = cluster.returns().filter(|(of, _)| *of == round).flat_map(|(_, returns)| &returns.lines);
    let Some(film) = lines.into_iter().find(|film| film.number == line) else { return event };
    let unit = cluster.unit_of(round).map_or(0, Money::cents);
    let detail = Some(format!("{} {}", i64::from(film.units) * unit, film.bet_box));
    let at = Attribution { seat: Some(film.seat.0), ..event.at };
    ReportEvent { at, why: Some(film.player.as_str().into()), detail, ..event }
}

/// The event of a round that is settled, void or settled again.
fn of_round(cluster: &Cluster, round: RoundNumber, event: &ClusterEvent) -> Vec<ReportEvent> {
    match event {
        ClusterEvent::Compensated { adjustments } => adjusted(cluster, round, adjustments),
        ClusterEvent::Settled { over_differential, .. } => {
            over_differential.iter().map(|over| over_by(cluster, round, over)).collect()
        }
        ClusterEvent::Done
        | ClusterEvent::Rejected { .. }
        | ClusterEvent::BoughtIn { .. }
        | ClusterEvent::BuyInReversed { .. }
        | ClusterEvent::StackerDiffers { .. }
        | ClusterEvent::StackerEmptied { .. } => Vec::new(),
    }
}

fn at_seat(cluster: &Cluster, event: ReportEvent, seat: Seat) -> ReportEvent {
    ReportEvent { at: Attribution { seat: Some(seat.0), ..here(cluster) }, ..event }
}

/// A buy-in that two people reversed, with its amount.
fn reversed(event: &ClusterEvent, by: ReportEvent, detail: String) -> ReportEvent {
    let amount = if let ClusterEvent::BuyInReversed { amount } = event { Some(amount.cents()) } else { None };
    ReportEvent { amount, detail: Some(detail), ..by }
}

/// The notes in a stacker are not those that were accepted.
fn stacker_differs(
    cluster: &Cluster,
    event: &ClusterEvent,
    notes: u32,
    by: ReportEvent,
    seat: Seat,
) -> Option<ReportEvent> {
    let ClusterEvent::StackerDiffers { accepted } = event else { return None };
    let detail = Some(format!("{notes} notes, {accepted} accepted"));
    Some(ReportEvent { detail, ..at_seat(cluster, by, seat) })
}

fn rejected(cluster: &Cluster, event: &ClusterEvent, actor: taisai_table::Actor) -> Vec<ReportEvent> {
    let ClusterEvent::Rejected { cuts } = event else { return Vec::new() };
    let cut = |RejectedStake { seat, stake, .. }: &RejectedStake| {
        let mut event = at_seat(cluster, event_by("excess-rejected", actor), *seat);
        event.at.round = Some(cluster.round().0);
        ReportEvent { amount: Some(stake.amount.cents()), detail: Some(stake.bet_box.text().to_owned()), ..event }
    };
    cuts.iter().map(cut).collect()
}

fn adjusted(cluster: &Cluster, round: RoundNumber, adjustments: &[Adjustment]) -> Vec<ReportEvent> {
    let event = |adjustment: &Adjustment| {
        let session = Some(adjustment.session.0);
        let at = Attribution { seat: Some(adjustment.seat.0), session, round: Some(round.0), ..here(cluster) };
        let detail = Some(format!("{} at once", adjustment.at_once.cents()));
        let amount = Some(adjustment.amount().cents());
        ReportEvent { kind: Some("adjustment".into()), at, amount, detail, ..ReportEvent::default() }
    };
    adjustments.iter().map(event).collect()
}

/// What counts differs by more than the Differential, with the paragraph that says what the Differential is.
fn over_by(cluster: &Cluster, round: RoundNumber, over: &OverDifferential) -> ReportEvent {
    let at = Attribution { round: Some(round.0), ..here(cluster) };
    let mut event = ReportEvent { kind: Some("over-differential".into()), at, ..ReportEvent::default() };
    over_differential(over, &mut event);
    let cited = cluster.rules().game().paragraphs(Rule::Differential).iter().map(|cited| format!(", {cited}"));
    event.detail = event.detail.map(|detail| cited.fold(detail, |detail, cited| detail + &cited));
    event
}

/// A session ends at a seat, or begins there, or one follows the other.
fn session(cluster: &Cluster, when: &EntryTime, seat: Seat, known: SeatSnapshot, before: Meters, batch: &mut SqlBatch) {
    let (id, now) = (cluster.id(), cluster.session(seat));
    if let Some(ended) = known.session {
        // They stay at the seat until the next session begins there.
        let meters = if now.is_none() { cluster.session_meters(seat) } else { before };
        batch.execute(
            "UPDATE sessions SET ended_at = $1, bought_in = $2, bet = $3, won = $4, returned = $5, dispensed = $6,
                 rounds = $7, voids = $8 WHERE table_number = $9 AND cluster = $10 AND session = $11",
            [
                when.time.into(),
                meters.bought_in.into(),
                meters.bet.into(),
                meters.won.into(),
                meters.returned.into(),
                meters.dispensed.into(),
                meters.rounds.into(),
                meters.voids.into(),
                id.table.0.into(),
                id.number.into(),
                ended.into(),
            ],
        );
    }
    if let Some(begun) = now {
        let empty = || SqlValue::Empty;
        batch.insert(
            &SESSIONS,
            [
                id.table.0.into(),
                id.number.into(),
                begun.into(),
                seat.into(),
                when.day.date.clone().into(),
                when.time.into(),
                empty(),
                empty(),
                empty(),
                empty(),
                empty(),
                empty(),
                empty(),
                empty(),
            ],
        );
    }
}
