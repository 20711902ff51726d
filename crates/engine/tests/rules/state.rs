//! What a script sees of the table: `? what … = value`.

use taisai_rules::{BetBox, Dice, Face, Money};
use taisai_table::{Chips, ClaimOrigin, ClaimReason, Meters, PlayerNotice, Profile, RoundNumber, Seat};

use crate::installation::{NOON, TestInstallation};

impl TestInstallation {
    pub(crate) fn look(&self, what: &[&str]) -> String {
        let (round, cluster) = (self.round(), self.cluster());
        let seat = what.get(1).and_then(|seat| seat.parse().ok()).map_or(Seat(0), Seat);
        let ledger = cluster.ledger();
        match *what {
            ["phase"] => name(&round.phase()),
            ["round"] => round.number().0.to_string(),
            ["held"] => yes(round.is_held()),
            ["cluster-held"] => yes(cluster.is_held()),
            ["interrupted"] => yes(round.is_interrupted()),
            ["betting"] => name(&cluster.betting()),
            ["faces"] => {
                let face = |face: Option<Face>| face.map_or("-".to_owned(), |face| face.number().to_string());
                round.faces().map_or("-".to_owned(), |faces| faces.map(face).concat())
            }
            ["unit"] => round.limits().map_or("-".to_owned(), |limits| amount(limits.unit)),
            ["tumbles"] => round.tumbles().map_or("-".to_owned(), |tumbles| tumbles.to_string()),
            // Seconds after noon.
            ["closes"] => round.closes_at().map_or("-".to_owned(), |time| ((time.0 - NOON) / 1_000).to_string()),
            ["holder", position] => {
                let position = serde_json::from_value(position.into()).expect("a position");
                round.holder(position).map_or("-".to_owned(), |person| person.0.to_string())
            }
            ["to-be-ruled"] => listed(round.to_be_ruled().iter().map(|round| round.0.to_string())),
            ["unwitnessed"] => listed(round.unwitnessed_rulings().iter().map(|ruling| ruling.round.0.to_string())),
            ["damaged"] => listed(round.damaged_sets().iter().map(u32::to_string)),
            ["known"] => round.known().iter().map(|face| face.number().to_string()).collect(),
            ["past", number] => self.past(number.parse().expect("a round")),
            ["cited", number] => self.cited(number.parse().expect("a round")),
            ["credits", _] => amount(cluster.credits(seat)),
            ["layout", _] => amount(cluster.on_layout(seat)),
            ["bets", _] => self.bets(seat),
            // What a seat gets, what it was given, and what is with the House.
            ["pay", _] => cluster.pay_list().map_or("-".to_owned(), |list| {
                if list.lines.iter().any(|line| line.seat == seat && line.is_claim) {
                    return "claim".to_owned();
                }
                let given = list.ticked_off.iter().find(|ticked_off| ticked_off.seat == seat);
                let given = given
                    .map_or(String::new(), |of| format!(" given {} house {}", of.given.cents(), of.at_house.cents()));
                format!("{}{given}", list.due(seat).cents())
            }),
            ["total", bet_box] => amount(cluster.total(bet_box.parse::<BetBox>().expect("a box"))),
            ["session", _] => cluster.session(seat).map_or("-".to_owned(), |session| session.0.to_string()),
            ["locked", _] => yes(cluster.is_locked(seat)),
            ["lost", _] => yes(cluster.is_lost(seat)),
            ["colour", _] => cluster
                .colour(seat)
                .map_or("-".to_owned(), |set| format!("{} {} {}", set.colour, set.value.cents(), set.credits.cents())),
            ["excess"] => listed(cluster.excess().map(over_or_below)),
            ["below"] => listed(cluster.below_minimum().map(over_or_below)),
            ["house"] => amount(ledger.house),
            ["chips"] => amount(ledger.chips),
            ["cash"] => amount(ledger.cash),
            ["transit"] => amount(ledger.transit),
            ["notes"] => amount(ledger.notes),
            ["variance"] => amount(ledger.variance),
            ["buy-in", _] => cluster.last_buy_in(seat).map_or("-".to_owned(), |buy_in| {
                let reversed = if buy_in.is_reversed { " reversed" } else { "" };
                format!("{} {} by {}{reversed}", buy_in.receipt.0, buy_in.amount.cents(), buy_in.by.0)
            }),
            ["notices", _] => listed(cluster.messages(seat).map(|(message, is_read)| {
                let what = match message.what {
                    PlayerNotice::Changed { round, amount, at_once, .. } => {
                        format!("round {} {} {}", round.0, amount.cents(), at_once.cents())
                    }
                    PlayerNotice::BuyInReversed { receipt, amount } => {
                        format!("receipt {} {}", receipt.0, amount.cents())
                    }
                };
                let read = if is_read { " read" } else { "" };
                format!("{}: {what}, {} left{read}", message.number, message.credits.cents())
            })),
            ["stackers"] => listed(
                cluster
                    .stackers()
                    .map(|(acceptor, stacker)| format!("{}: {} {}", acceptor.0, stacker.notes, stacker.amount.cents())),
            ),
            ["meters"] => meters(cluster.meters()),
            ["meters", _] => meters(cluster.seat_meters(seat)),
            ["session-meters", _] => meters(cluster.session_meters(seat)),
            ["voids", _] => cluster.seat_meters(seat).voids.to_string(),
            ["refusals"] => cluster.refusals().to_string(),
            ["refusals", _] => cluster.seat_refusals(seat).to_string(),
            ["round-refusals"] => round.refusals().to_string(),
            ["claims"] => self.claims(),
            ["owed"] => self.owed(),
            ["vouchers"] => {
                listed(self.house.house().vouchers().map(|(_, voucher)| voucher.amount.cents().to_string()))
            }
            _ => panic!("what is {what:?}?"),
        }
    }

    /// The dice, those first committed, why it is void, dice set, tumbler and dealer.
    fn past(&self, number: u64) -> String {
        let Some(past) = self.round().past(RoundNumber(number)) else { return "-".to_owned() };
        let throw = |dice: Option<Dice>| dice.map_or("-".to_owned(), |dice| dice.to_string().replace(' ', ""));
        let void = past.void.map_or("-".to_owned(), |reason| name(&reason));
        let dealer = past.dealer.map_or(0, |dealer| dealer.0);
        let gear = format!("{} {} {dealer}", past.dice_set, past.tumbler);
        format!("{} {} {void} {gear}", throw(past.dice), throw(past.first_dice))
    }

    /// The paragraphs that void a round.
    fn cited(&self, number: u64) -> String {
        let past = self.round().past(RoundNumber(number)).expect("a round");
        let reason = past.void.expect("a void round");
        reason.cites(self.round().rules().game(), &Profile::singapore().law).join(" ")
    }

    fn bets(&self, seat: Seat) -> String {
        listed(self.cluster().bets(seat).map(|(chips, stake)| {
            let mark = if chips == Chips::Colour { "colour " } else { "" };
            format!("{mark}{} {}", stake.bet_box.text(), stake.amount.cents())
        }))
    }

    /// Open claims: seat, session, amount and why.
    fn claims(&self) -> String {
        listed(self.house.house().claims().map(|(_, claim)| {
            let (seat, session, reason) = match claim.origin {
                ClaimOrigin::Session { seat, session, reason, .. } => (seat, session, reason),
                ClaimOrigin::Returned { seat, .. } => return format!("{} {} returned", seat.0, claim.amount.cents()),
                ClaimOrigin::VoidVoucher(_) | ClaimOrigin::ExpiredVoucher(_) => panic!("of no table: {claim:?}"),
            };
            let why = match reason {
                ClaimReason::CashOut => "cash-out".to_owned(),
                ClaimReason::WalkedAway(round) => format!("walked-away {}", round.0),
                ClaimReason::LeftBehind => "left-behind".to_owned(),
                ClaimReason::Correction(round) => format!("correction {}", round.0),
                ClaimReason::Void(round) => format!("void {}", round.0),
                ClaimReason::VoucherFailed => "voucher-failed".to_owned(),
                ClaimReason::FromFilm(round) => format!("from-film {}", round.0),
            };
            format!("{}/{} {} {why}", seat.0, session.0, claim.amount.cents())
        }))
    }

    /// Open receivables: seat, session, amount and round.
    fn owed(&self) -> String {
        listed(self.house.house().receivables().map(|(_, receivable)| {
            let (seat, session) = (receivable.seat.0, receivable.session.0);
            format!("{seat}/{session} {} round {}", receivable.left.cents(), receivable.round.0)
        }))
    }
}

fn over_or_below((bet_box, total, bound): (BetBox, Money, Money)) -> String {
    format!("{} {}/{}", bet_box.text(), total.cents(), bound.cents())
}

/// Bought in, bet, won, returned, dispensed, rounds, voids.
fn meters(meters: Meters) -> String {
    let money = [meters.bought_in, meters.bet, meters.won, meters.returned, meters.dispensed].map(amount);
    format!("{} {} {}", money.join(" "), meters.rounds, meters.voids)
}

fn listed(items: impl Iterator<Item = String>) -> String {
    let items = items.collect::<Vec<_>>().join(", ");
    if items.is_empty() { "-".to_owned() } else { items }
}

fn amount(money: Money) -> String {
    money.cents().to_string()
}

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

fn name(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).expect("it has JSON").as_str().expect("it has a name").to_owned()
}
