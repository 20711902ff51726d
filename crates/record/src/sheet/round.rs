//! One round on paper: its sheets then and now, who acted, and what was moved. Programs read it as it is; people are shown it
//! in words elsewhere.

use data_encoding::HEXLOWER;
use serde::Serialize;
use taisai_journal::{ChainPurpose, Genesis};
use taisai_rules::{BetBox, Dice, Game, Money, Paragraph, Rule};
use taisai_table::{
    Actor, ClusterCommand, ClusterEvent, PastRound, Registration, RoundEntry, RoundNumber, RoundStanding, Seat,
    SlipLine, SlipTotals, TableId, TableRules, Time, Unwitnessed, VoidReason,
};

use super::movements::{self, Movement};
use super::{BadSheet, SettlementSheet};
use crate::opening::{BadChainOpening, MachineSetup};
use crate::settlement::{ClusterSettlement, RegisteredWinner, RoundSettlement, SettlementChange};

/// Whose a record is, and whether its money is real: no sheet of a training record can be taken for a real one (F54).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Mark))]
pub struct RecordLabel {
    /// The casino's id.
    pub house: String,
    /// Whether no money in it is real.
    #[serde(rename = "training")]
    pub is_training: bool,
}

impl RecordLabel {
    /// The mark of a chain.
    pub fn new(genesis: &Genesis) -> Self {
        Self { house: HEXLOWER.encode(&genesis.house), is_training: genesis.purpose == ChainPurpose::Training }
    }

    /// A table may be for training in a casino that is not.
    #[must_use]
    pub fn of_table(mut self, setup: &MachineSetup) -> Self {
        self.is_training |= setup.is_training_table();
        self
    }
}

/// A round on paper.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RoundSheet {
    /// Whose it is.
    #[serde(flatten)]
    pub mark: RecordLabel,
    /// The table.
    #[cfg_attr(feature = "openapi", schema(value_type = u16))]
    pub table: TableId,
    /// The round.
    #[cfg_attr(feature = "openapi", schema(value_type = u64))]
    pub round: RoundNumber,
    /// The game, with its version.
    pub game: String,
    /// Whether it is the approved game of that name, unchanged.
    pub is_game_approved: bool,
    /// The layout.
    pub layout: String,
    /// Which bets are registered: where only winners are, the sheet has no others, and handle and result are not known.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub registration: Registration,
    /// The hash of the game's file.
    pub rules: String,
    /// The hash of the profile.
    pub profile: String,
    /// The version of the program that opened the table.
    pub program: String,
    /// How it stands; none while it is in play.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub past: Option<PastRound>,
    /// The paragraphs by which it stands so.
    pub cited: Vec<String>,
    /// The ruling on it whose money waits for a second person to witness it: until then it is paid as it was before (5.14).
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub unwitnessed: Option<Unwitnessed>,
    /// The clusters whose money has not followed how the round stands, by number.
    pub behind: Vec<u16>,
    /// The commands at the dealer's side: the block, and the entry.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Vec<Value>>))]
    pub acts: Vec<(u64, RoundEntry)>,
    /// What each cluster settled.
    pub clusters: Vec<ClusterSheet>,
    #[serde(skip)]
    #[cfg_attr(feature = "openapi", schema(ignore))]
    table_rules: TableRules,
}

/// What one cluster settled.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClusterSheet {
    /// The cluster's number.
    pub cluster: u16,
    /// The block in which it was settled.
    pub block: u64,
    /// The entry in it.
    pub entry: u32,
    /// When.
    #[cfg_attr(feature = "openapi", schema(value_type = u64))]
    pub time: Time,
    /// The dice it was settled by; none if it was void.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<u8>>))]
    pub dice: Option<Dice>,
    /// All that lay on the layout.
    pub stakes: Vec<StakeLine>,
    /// As it was settled; none if it was void.
    pub sheet: Option<SettlementSheet>,
    /// What it came to.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub totals: SlipTotals,
    /// What it moved.
    pub movements: Vec<Movement>,
    /// Settled again or voided since, in order.
    pub changes: Vec<ChangeSheet>,
    /// The dice by which it stands; none if it is void.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<u8>>))]
    pub latest: Option<Dice>,
    /// As it stands; none if it is void.
    pub now: Option<SettlementSheet>,
    /// Whether it was void before its chips were collected at a table that registers winners: they were handed back on the layout.
    pub returned_on_layout: bool,
    /// What was registered after the dice, and from the film, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub registered: Vec<RegisteredLine>,
}

/// What was registered at a table that registers winners, and when.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RegisteredLine {
    /// The block.
    pub block: u64,
    /// The entry in it.
    pub entry: u32,
    /// When.
    #[cfg_attr(feature = "openapi", schema(value_type = u64))]
    pub time: Time,
    /// By whom.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub by: Actor,
    /// What: with which second person, and from the film if it says so.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub what: ClusterCommand,
    /// What moved, where the returns were closed.
    pub movements: Vec<Movement>,
}

/// What a seat had on a box.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StakeLine {
    /// Whose bet it is.
    #[cfg_attr(feature = "openapi", schema(value_type = u32))]
    pub seat: Seat,
    /// The box.
    #[serde(rename = "box")]
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub bet_box: BetBox,
    /// How much.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub amount: Money,
}

/// What a correction or a late void brought.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeSheet {
    /// The block.
    pub block: u64,
    /// The entry in it.
    pub entry: u32,
    /// When.
    #[cfg_attr(feature = "openapi", schema(value_type = u64))]
    pub time: Time,
    /// The dice; none if it is void.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<u8>>))]
    pub dice: Option<Dice>,
    /// Why it is void, if it is.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub void: Option<VoidReason>,
    /// What it moved.
    pub movements: Vec<Movement>,
}

impl RoundSheet {
    /// Writes the sheets, and sees to it that they come to what was settled.
    pub fn new(settlement: &RoundSettlement) -> Result<Self, BadSheet> {
        let RoundSettlement { table, round, genesis, opening, past, unwitnessed, acts, clusters } = settlement;
        let table_rules = opening.rules()?;
        let game = table_rules.game();
        Ok(Self {
            mark: RecordLabel::new(genesis).of_table(&opening.setup),
            table: *table,
            round: *round,
            game: format!("{}@{}", game.id(), game.version()),
            is_game_approved: game.is_approved(),
            layout: table_rules.layout().id().to_owned(),
            registration: table_rules.registration(),
            rules: opening.rules_hash().ok_or(BadChainOpening::OtherMachine)?.to_string(),
            profile: opening.profile_hash().to_string(),
            program: opening.program.version.clone(),
            past: *past,
            cited: past.map(|past| cited(&past, settlement, game)).unwrap_or_default(),
            unwitnessed: unwitnessed.clone(),
            behind: past.map(|past| behind(&past, settlement)).unwrap_or_default(),
            acts: acts.iter().map(|act| (act.at.position, act.entry.clone())).collect(),
            clusters: clusters.iter().map(|settled| cluster(&table_rules, settled)).collect::<Result<_, _>>()?,
            table_rules,
        })
    }

    /// What the table is played by.
    pub const fn table_rules(&self) -> &TableRules {
        &self.table_rules
    }

    /// Whether it stands otherwise than it was first settled, or was changed in between.
    pub fn is_changed(&self) -> bool {
        self.unwitnessed.is_some() || self.clusters.iter().any(|cluster| !cluster.changes.is_empty())
    }
}

/// The paragraphs by which a round stands as it does.
fn cited(past: &PastRound, settlement: &RoundSettlement, game: &Game) -> Vec<String> {
    let is_changed = settlement.unwitnessed.is_some()
        || past.dice != past.first_dice
        || settlement.clusters.iter().any(|settled| !settled.changes.is_empty());
    let mut rules = Vec::new();
    rules.extend(past.is_ruled.then_some(Rule::Ruling));
    match (past.standing(), is_changed) {
        (RoundStanding::Settled(_), true) => rules.extend([Rule::WrongResult, Rule::LateError]),
        (RoundStanding::Settled(_), false) => rules.push(Rule::Result),
        (RoundStanding::Void(_), true) => rules.push(Rule::LateError),
        (RoundStanding::Void(_), false) | (RoundStanding::InPlay, _) => {}
    }
    let of_void = past.void.map(|reason| reason.cites(game, &settlement.opening.profile.law)).unwrap_or_default();
    let of_rules = rules.iter().flat_map(|rule| game.paragraphs(*rule)).map(Paragraph::text);
    let mut cited: Vec<String> = Vec::new();
    for paragraph in of_void.into_iter().chain(of_rules) {
        if !cited.iter().any(|known| known == paragraph) {
            cited.push(paragraph.to_owned());
        }
    }
    cited
}

/// The clusters that have settled the round otherwise than it stands, where no ruling waits for its witness.
fn behind(past: &PastRound, settlement: &RoundSettlement) -> Vec<u16> {
    let stands = match settlement.unwitnessed.as_ref().map_or_else(|| past.standing(), |ruling| ruling.paid) {
        RoundStanding::Settled(dice) => Some(dice),
        RoundStanding::Void(_) => None,
        RoundStanding::InPlay => return Vec::new(),
    };
    let others = settlement.clusters.iter().filter(|settled| settled.latest() != stands);
    others.map(|settled| settled.cluster.number).collect()
}

fn cluster(rules: &TableRules, settled: &ClusterSettlement) -> Result<ClusterSheet, BadSheet> {
    let sheet = |dice| SettlementSheet::new(rules.game(), rules.layout(), &settled.limits, &settled.slip, dice);
    let first = settled.dice.map(sheet).transpose()?;
    first.as_ref().map_or(Ok(()), |sheet| sheet.check(&settled.totals))?;
    let change = |change: &SettlementChange| ChangeSheet {
        block: change.at.position,
        entry: change.at.entry,
        time: change.time,
        dice: change.dice,
        void: change.void,
        movements: movements::adjusted(settled.cluster, &change.adjustments),
    };
    let unit = settled.limits.unit().cents();
    let stake = |line: &SlipLine| {
        let amount = i64::from(line.units).checked_mul(unit).ok_or(BadSheet::TooLarge)?;
        Ok::<_, BadSheet>(StakeLine { seat: line.seat, bet_box: line.bet_box, amount: Money::from_cents(amount) })
    };
    let registered = |registered: &RegisteredWinner| RegisteredLine {
        block: registered.at.position,
        entry: registered.at.entry,
        time: registered.request.time,
        by: registered.request.actor,
        what: registered.request.command.clone(),
        movements: if let ClusterEvent::Compensated { adjustments } = &registered.event {
            movements::adjusted(settled.cluster, adjustments)
        } else {
            Vec::new()
        },
    };
    Ok(ClusterSheet {
        returned_on_layout: settled.dice.is_none() && rules.registration() == Registration::Winners,
        registered: settled.registered.iter().map(registered).collect(),
        stakes: settled.slip.lines.iter().map(stake).collect::<Result<_, _>>()?,
        cluster: settled.cluster.number,
        block: settled.at.position,
        entry: settled.at.entry,
        time: settled.time,
        dice: settled.dice,
        totals: settled.totals,
        movements: movements::settled(settled, first.as_ref())?,
        sheet: first,
        changes: settled.changes.iter().map(change).collect(),
        latest: settled.latest(),
        now: settled.latest().map(sheet).transpose()?,
    })
}
