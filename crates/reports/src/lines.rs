//! The lines of a round by its dice, or void: what each is paid and returned, and by which paragraph. The rules decide
//! what a unit pays, as they do for the players.

use std::sync::Arc;

use taisai_rules::{BetBox, Citation, Dice, Outcome, Payouts, Unit};
use taisai_table::{Chips, Cluster, SlipLine, VoidReason};

/// By what a round stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum LineBasis {
    Dice(Dice),
    Void(VoidReason),
}

/// How a box stands.
#[derive(Clone)]
struct BoxLine {
    outcome: &'static str,
    odds: Option<Arc<str>>,
    paragraph: Option<Arc<str>>,
}

/// Calculates lines.
pub(super) struct Lines<'a> {
    cluster: &'a Cluster,
    by: LineBasis,
    unit: i64,
    payouts: Option<Payouts>,
    known: Vec<Option<BoxLine>>,
}

/// A line as it stands.
pub(super) struct ReportLine {
    pub(super) stake: i64,
    pub(super) counted: i64,
    pub(super) returned: i64,
    pub(super) paid: i64,
    pub(super) outcome: &'static str,
    pub(super) odds: Option<Arc<str>>,
    pub(super) paragraph: Option<Arc<str>>,
}

impl<'a> Lines<'a> {
    /// `None` if the layout cannot pay in this unit; no displayed unit is like that.
    pub(super) fn new(cluster: &'a Cluster, by: LineBasis, unit: Unit) -> Option<Self> {
        let payouts = match by {
            LineBasis::Dice(dice) => Some(cluster.rules().layout().payouts(dice, unit).ok()?),
            LineBasis::Void(_) => None,
        };
        Some(Self { cluster, by, unit: unit.cents(), payouts, known: vec![None; BetBox::COUNT] })
    }

    /// `None` if an amount overflows; no line of a settled round does.
    pub(super) fn line(&mut self, line: &SlipLine) -> Option<ReportLine> {
        let stake = i64::from(line.units).checked_mul(self.unit)?;
        let (counted, paid) = match &self.payouts {
            Some(payouts) => {
                let counted = i64::from(line.counted).checked_mul(self.unit)?;
                (counted, payouts.paid(line.bet_box, line.counted.into())?.cents())
            }
            None => (0, 0),
        };
        let BoxLine { outcome, odds, paragraph } = self.standing(line.bet_box);
        Some(ReportLine { stake, counted, returned: stake.checked_sub(counted)?, paid, outcome, odds, paragraph })
    }

    fn standing(&mut self, bet_box: BetBox) -> BoxLine {
        if let Some(known) = &self.known[bet_box.index()] {
            return known.clone();
        }
        let standing = self.reckon(bet_box);
        self.known[bet_box.index()] = Some(standing.clone());
        standing
    }

    fn reckon(&self, bet_box: BetBox) -> BoxLine {
        let (game, layout) = (self.cluster.rules().game(), self.cluster.rules().layout());
        let cited = |citation| layout.paragraph(citation).map(|paragraph| paragraph.text().into());
        match self.by {
            LineBasis::Void(reason) => {
                let cited = reason.cites(game, self.cluster.law());
                let paragraph = (!cited.is_empty()).then(|| cited.join(", ").into());
                BoxLine { outcome: "void", odds: None, paragraph }
            }
            LineBasis::Dice(dice) => match layout.outcome(bet_box, dice) {
                Some(Outcome::Won(odds)) => BoxLine {
                    outcome: "won",
                    odds: Some(odds.to_string().into()),
                    paragraph: cited(Citation::PayTable),
                },
                Some(Outcome::LostToTriple) => {
                    BoxLine { outcome: "lost-to-triple", odds: None, paragraph: cited(Citation::Triple) }
                }
                Some(Outcome::Lost) | None => {
                    BoxLine { outcome: "lost", odds: None, paragraph: cited(Citation::PayTable) }
                }
            },
        }
    }
}

/// With what a bet was placed.
pub(super) const fn chips(chips: Chips) -> &'static str {
    match chips {
        Chips::Own => "own",
        Chips::Colour => "colour",
    }
}
