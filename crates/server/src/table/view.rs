//! What screens are shown of a table: a snapshot of each part first, then what has changed of it. A part is numbered, and each
//! change has the next number, so that a screen knows when it has missed one. The names are those of the game; amounts are
//! whole cents.

use serde::Serialize;
use serde_json::{Map, Value};
use taisai_record::Recorder;
use taisai_rules::{BetBox, Dice, Face, Layout, Money, Outcome, Station};
use taisai_table::{
    AskedFor, Chips, Cluster, ColourSet, Cut, FilmLine, Meters, PayList, PersonId, Phase, PlayerMessage, Position,
    Receipt, Registration, Round, RoundNumber, RoundStanding, Seat, SessionId, SlipLine, Stake, TableId, TableLimits,
    Time, Told, Unwitnessed, VoidReason,
};

use super::health::{AtCluster, SeatHealth, SeatPlace};
use super::places;
use crate::house::SeatMoney;
use crate::leaving::Answered;

/// So many results are shown (F63).
const RESULTS: u64 = 100;

/// What anyone at the table sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[expect(clippy::struct_excessive_bools, reason = "each is a lamp of its own on the screens")]
pub(crate) struct PublicView {
    table: TableId,
    game: String,
    layout: String,
    is_training: bool,
    round: RoundNumber,
    phase: Phase,
    closes_at: Option<Time>,
    closure_announced: bool,
    is_held: bool,
    is_interrupted: bool,
    /// Which bets the table registers. Where only winners are, nothing that needs every bet is known: totals, meters, and the boxes
    /// below their minimum.
    registration: Registration,
    /// Whether the dice are committed and what wins is being registered: the phase is `result`, and nothing is paid yet.
    is_registering: bool,
    tumbles: Option<u8>,
    dealer: Option<PersonId>,
    limits: Option<TableLimits>,
    /// The result that came or changed last.
    latest: Option<ResultView>,
    /// The newest first. Only in a snapshot: afterwards `latest` tells what is added or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<ResultView>>,
}

/// A round that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct ResultView {
    round: RoundNumber,
    dice: Option<Dice>,
    void: Option<VoidReason>,
    /// The boxes that win by the dice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    winners: Vec<BetBox>,
}

impl ResultView {
    fn of(round: &Round, number: RoundNumber, with_winners: bool) -> Option<Self> {
        let past = round.past(number)?;
        // 1.9: a round that is void has no result, also where it was voided late.
        let dice = past.dice.filter(|_| past.void.is_none());
        let winners = dice.filter(|_| with_winners).map_or_else(Vec::new, |dice| winners(round.rules().layout(), dice));
        Some(Self { round: number, dice, void: past.void, winners })
    }
}

/// Whether a box is lit when the dice are committed (F11).
pub(crate) fn is_lit(layout: &Layout, bet_box: BetBox, dice: Dice) -> bool {
    matches!(layout.outcome(bet_box, dice), Some(Outcome::Won(_)))
}

fn winners(layout: &Layout, dice: Dice) -> Vec<BetBox> {
    layout.boxes().iter().copied().filter(|bet_box| is_lit(layout, *bet_box, dice)).collect()
}

impl PublicView {
    /// The table as it stands; `latest` is the round whose result came or changed last.
    pub(crate) fn of(round: &Round, latest: Option<RoundNumber>) -> Self {
        Self {
            table: round.table(),
            game: round.rules().game().id().to_owned(),
            layout: round.rules().layout().id().to_owned(),
            is_training: round.is_training(),
            round: round.number(),
            phase: round.phase(),
            closes_at: round.closes_at(),
            closure_announced: round.is_closure_announced(),
            is_held: round.is_held(),
            is_interrupted: round.is_interrupted(),
            registration: round.rules().registration(),
            is_registering: round.is_registering(),
            tumbles: round.tumbles(),
            dealer: round.holder(Position::Dealer),
            limits: round.limits().cloned(),
            latest: latest.and_then(|latest| ResultView::of(round, latest, true)),
            results: None,
        }
    }

    /// With the last results, for a snapshot.
    pub(crate) fn with_results(mut self, round: &Round) -> Self {
        let last = round.number().0;
        let numbers = (last.saturating_sub(RESULTS - 1)..=last).rev().map(RoundNumber);
        self.results = Some(numbers.filter_map(|number| ResultView::of(round, number, false)).collect());
        self
    }
}

/// What a terminal, or the player at a seat, sees of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct SeatView {
    number: u64,
    seat: Seat,
    session: Option<SessionId>,
    credits: Money,
    on_layout: Money,
    bets: Vec<BetView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    colour: Option<ColourSet>,
    is_locked: bool,
    meters: Meters,
    /// How the last round with bets of this seat came out: in a snapshot, and when it has come or changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<LastGame>,
    /// What the player of this session was told, the latest last: in a snapshot, and when one has come or was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Vec<MessageView>>,
    /// What the House has of the player: nothing where it is absent.
    #[serde(skip_serializing_if = "SeatMoney::is_empty")]
    money: SeatMoney,
}

/// A message to the player, who must read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct MessageView {
    /// What it is read by.
    number: u32,
    is_read: bool,
    /// The free credits after it.
    credits: Money,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<ChangeView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reversed: Option<ReversedView>,
}

impl MessageView {
    pub(crate) fn all(cluster: &Cluster, seat: Seat) -> Vec<Self> {
        let view = |(message, is_read): (&PlayerMessage, bool)| {
            let PlayerMessage { number, what, credits } = *message;
            let (changed, reversed) = match what {
                Told::Changed { round, stands, amount, at_once, is_waived } => {
                    let (dice, void) = match stands {
                        RoundStanding::Settled(dice) => (Some(dice), None),
                        RoundStanding::Void(reason) => (None, Some(reason)),
                        RoundStanding::InPlay => (None, None),
                    };
                    (Some(ChangeView { round, dice, void, amount, at_once, is_waived }), None)
                }
                Told::BuyInReversed { receipt, amount } => (None, Some(ReversedView { receipt, amount })),
            };
            Self { number, is_read, credits, changed, reversed }
        };
        cluster.messages(seat).map(view).collect()
    }
}

/// A buy-in that was reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct ReversedView {
    /// The number on its receipt.
    receipt: Receipt,
    amount: Money,
}

/// A settled round that was settled again or voided, and what that came to for a session. What is given beyond `at_once` is set off
/// against what the session owes for earlier rounds; what is taken beyond it is owed, unless the House bears it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct ChangeView {
    round: RoundNumber,
    dice: Option<Dice>,
    void: Option<VoidReason>,
    /// What the session gets, or gives if negative.
    amount: Money,
    /// How much of it was put to the credits, or taken from them if negative.
    at_once: Money,
    /// Whether the House bears what the session would give (F81).
    is_waived: bool,
}

/// What lies on a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct BetView {
    chips: Chips,
    #[serde(rename = "box")]
    bet_box: BetBox,
    amount: Money,
}

impl BetView {
    fn all(cluster: &Cluster, seat: Seat) -> impl Iterator<Item = Self> {
        cluster.bets(seat).map(|(chips, Stake { bet_box, amount })| Self { chips, bet_box, amount })
    }
}

/// A round as it came out for a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct LastGame {
    round: RoundNumber,
    dice: Option<Dice>,
    void: Option<VoidReason>,
    lines: Vec<LineView>,
    paid: Money,
}

/// A bet as it came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct LineView {
    #[serde(rename = "box")]
    bet_box: BetBox,
    staked: Money,
    counted: Money,
    /// With the stake, where it won; nothing where it lost.
    paid: Money,
}

impl LastGame {
    /// How lines of a seat come out. `pays` tells what a line is paid.
    pub(crate) fn of(
        round: RoundNumber,
        stands: Result<Dice, VoidReason>,
        lines: &[SlipLine],
        unit: Money,
        pays: impl Fn(&SlipLine) -> Money,
    ) -> Self {
        let cents = |units: u32| Money::from_cents(unit.cents() * i64::from(units));
        let line = |line: &SlipLine| LineView {
            bet_box: line.bet_box,
            staked: cents(line.units),
            counted: cents(line.counted),
            paid: pays(line),
        };
        let lines: Vec<_> = lines.iter().map(line).collect();
        let paid = Money::from_cents(lines.iter().map(|line| line.paid.cents()).sum());
        Self { round, dice: stands.ok(), void: stands.err(), lines, paid }
    }
}

impl LastGame {
    /// Which round it was.
    pub(crate) const fn round(&self) -> RoundNumber {
        self.round
    }

    /// What it was paid, stakes included.
    pub(crate) const fn paid(&self) -> Money {
        self.paid
    }
}

impl SeatView {
    pub(crate) fn of(
        cluster: &Cluster,
        seat: Seat,
        number: u64,
        (last, messages): (Option<&LastGame>, Option<Vec<MessageView>>),
        money: &SeatMoney,
    ) -> Self {
        Self {
            number,
            seat,
            session: cluster.session(seat),
            credits: cluster.credits(seat),
            on_layout: cluster.on_layout(seat),
            bets: BetView::all(cluster, seat).collect(),
            colour: cluster.colour(seat),
            is_locked: cluster.is_locked(seat),
            meters: cluster.session_meters(seat),
            last: last.cloned(),
            messages,
            money: money.of_player(cluster.latest_session(seat), cluster.session(seat).is_some()),
        }
    }
}

/// What the staff of the table see beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct StaffView {
    supervisor: Option<PersonId>,
    manager: Option<PersonId>,
    dice_set: u32,
    /// The rulings whose money waits for a second person to witness them (5.14).
    unwitnessed: Vec<Unwitnessed>,
    /// The tumbler in use, by its device number.
    tumbler: u32,
    /// The dice sets that were found damaged and not inspected since (5.6).
    damaged_sets: Vec<u32>,
    /// The rounds of damaged dice that an earlier ruling decided, and that must be ruled on (5.6).
    to_be_ruled: Vec<RoundNumber>,
    /// Whether the dice are said to be covered.
    is_covered: bool,
    /// The dice known at an interruption: they bind (5.4.1).
    known: Vec<Face>,
    /// The faces that the tumbler or the Dealer has read, before they are committed.
    #[cfg_attr(test, schema(min_items = 3, max_items = 3))]
    faces: Option<[Option<Face>; 3]>,
    /// What lies on each box, over all seats.
    totals: Vec<TotalView>,
    /// What lies there of each seat of a live table, as it is registered.
    bets: Vec<SeatBet>,
    /// What the Dealer's `reject-excess` would take back now, in order (5.1).
    excess: Vec<Cut>,
    /// While bets are open, the boxes whose total is below the minimum (5.2).
    below: Vec<BelowView>,
    /// Of each cluster; none where only winners are registered.
    meters: Vec<Meters>,
    /// While winners are registered, what is asked for on each box and what is registered there.
    registering: Option<RegisteringView>,
    /// Whom to pay at a live table: while winners are registered, and after each round until the next one opens.
    pay_list: Option<PayList>,
    /// Rounds that were corrected or voided late at a table that registers winners: what lost is registered from the film.
    returns: Vec<ReturnsView>,
    /// Every seat of clusters that run here, and those that are not free elsewhere; of a change, those that have changed.
    pub(crate) seats: Vec<SeatHealth>,
    /// Of a change, the seats that are told of no more.
    pub(crate) gone: Vec<SeatPlace>,
    /// How many seats elsewhere are not free and not among these: there are too many.
    unlisted: u32,
}

/// Winners being registered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct RegisteringView {
    dice: Dice,
    /// Whether the Dealer has said that all is registered.
    is_registered: bool,
    /// The boxes that win, that are asked for, or on which something is registered or told.
    boxes: Vec<RegisteringBox>,
    /// Above this a stake takes a second person.
    limit: Money,
}

/// A box while winners are registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct RegisteringBox {
    #[serde(rename = "box")]
    bet_box: BetBox,
    wins: bool,
    /// What is asked for: what each seat has there, or what lay there in all.
    asked_for: Option<AskedFor>,
    registered: Money,
    /// What lay there in all, as it was told.
    told: Option<Money>,
    /// The most that counts there, where the game has limits.
    cap: Option<Money>,
}

impl RegisteringView {
    fn of(cluster: &Cluster) -> Option<Self> {
        let dice = cluster.thrown()?;
        let layout = cluster.rules().layout();
        let boxes = layout.boxes().iter().map(|bet_box| RegisteringBox {
            bet_box: *bet_box,
            wins: is_lit(layout, *bet_box, dice),
            asked_for: cluster.asked_for(*bet_box),
            registered: cluster.total(*bet_box),
            told: cluster.told(*bet_box),
            cap: layout.limit_scope().map(|_| cluster.cap_of(*bet_box)),
        });
        let is_shown =
            |of: &RegisteringBox| of.wins || of.asked_for.is_some() || of.told.is_some() || of.registered > Money::ZERO;
        let boxes = boxes.filter(is_shown).collect();
        Some(Self { dice, is_registered: cluster.is_registered(), boxes, limit: cluster.registration_limit() })
    }
}

/// A round whose bets are registered from the film.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct ReturnsView {
    round: RoundNumber,
    /// The unit that the stakes of the lines are counted in.
    unit: Money,
    lines: Vec<FilmLine>,
    /// What each seat gets when the returns are closed with these lines, or gives where it is negative.
    owed: Vec<FilmOwed>,
}

/// What a seat gets for what the film shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct FilmOwed {
    seat: Seat,
    amount: Money,
}

impl ReturnsView {
    fn all(cluster: &Cluster) -> impl Iterator<Item = Self> {
        let owed = |round| {
            let owed = cluster.owed_from_film(round).unwrap_or_default().into_iter();
            let owed = owed.map(|of| FilmOwed { seat: of.seat, amount: of.amount() });
            owed.filter(|owed| owed.amount != Money::ZERO).collect()
        };
        cluster.returns().filter(|(_, returns)| returns.is_open).map(move |(round, returns)| Self {
            round,
            unit: cluster.unit_of(round).unwrap_or(Money::ZERO),
            lines: returns.lines.clone(),
            owed: owed(round),
        })
    }
}

/// What lies on a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct TotalView {
    #[serde(rename = "box")]
    bet_box: BetBox,
    amount: Money,
}

/// What lies of a seat on a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct SeatBet {
    cluster: u16,
    seat: Seat,
    #[serde(flatten)]
    bet: BetView,
}

impl SeatBet {
    fn all(cluster: &Cluster) -> impl Iterator<Item = Self> {
        let of = move |seat| BetView::all(cluster, seat).map(move |bet| (seat, bet));
        cluster.seats().flat_map(of).map(|(seat, bet)| Self { cluster: cluster.id().number, seat, bet })
    }
}

/// A box whose total is below its minimum, and whose bets lie there (5.2): the Dealer advises them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct BelowView {
    #[serde(rename = "box")]
    bet_box: BetBox,
    total: Money,
    minimum: Money,
    bets: Vec<BelowBet>,
}

/// A bet on such a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct BelowBet {
    seat: Seat,
    chips: Chips,
    amount: Money,
}

impl BelowView {
    fn all(cluster: &Cluster) -> impl Iterator<Item = Self> {
        cluster.below_minimum().map(|(bet_box, total, minimum)| {
            let bets =
                cluster.seats().flat_map(|seat| cluster.bets(seat).map(move |(chips, stake)| (seat, chips, stake)));
            let bets = bets.filter(|(_, _, stake)| stake.bet_box == bet_box);
            let bets = bets.map(|(seat, chips, stake)| BelowBet { seat, chips, amount: stake.amount });
            Self { bet_box, total, minimum, bets: bets.collect() }
        })
    }
}

impl StaffView {
    /// With the clusters that run here, and what is known of those that run elsewhere.
    pub(crate) fn of(
        round: &Round,
        clusters: &[Recorder<Cluster>],
        elsewhere: &[&AtCluster],
        is_connected: impl Fn(u16, Seat) -> bool,
    ) -> Self {
        let clusters = || clusters.iter().map(Recorder::machine);
        let amount = |bet_box: BetBox| {
            let here = clusters().map(|cluster| cluster.total(bet_box).cents()).sum::<i64>();
            here + elsewhere.iter().map(|of| of.total(bet_box).cents()).sum::<i64>()
        };
        let totals = round.rules().layout().boxes().iter().map(|bet_box| (*bet_box, amount(*bet_box)));
        let totals = totals.filter(|(_, cents)| *cents > 0);
        let is_live = round.rules().game().station() == Station::LiveTable;
        let seats = clusters().flat_map(|cluster| places(cluster).map(move |seat| (cluster, seat)));
        Self {
            supervisor: round.holder(Position::Supervisor),
            manager: round.holder(Position::Manager),
            dice_set: round.dice_set(),
            unwitnessed: round.unwitnessed_rulings().to_vec(),
            tumbler: round.tumbler(),
            damaged_sets: round.damaged_sets().to_vec(),
            to_be_ruled: round.to_be_ruled().to_vec(),
            is_covered: round.is_covered(),
            known: round.known().to_vec(),
            faces: round.faces(),
            totals: totals.map(|(bet_box, cents)| TotalView { bet_box, amount: Money::from_cents(cents) }).collect(),
            bets: clusters().filter(|_| is_live).flat_map(SeatBet::all).collect(),
            excess: clusters().flat_map(Cluster::rejections).collect(),
            below: clusters().filter(|_| round.phase() == Phase::Open).flat_map(BelowView::all).collect(),
            meters: clusters()
                .filter(|cluster| cluster.rules().registration() == Registration::EveryBet)
                .map(Cluster::meters)
                .chain(elsewhere.iter().map(|of| of.meters))
                .collect(),
            registering: clusters().find_map(RegisteringView::of),
            pay_list: clusters().find_map(Cluster::pay_list),
            returns: clusters().flat_map(ReturnsView::all).collect(),
            seats: seats
                .map(|(cluster, seat)| SeatHealth::of(cluster, seat, &is_connected))
                .chain(elsewhere.iter().flat_map(|of| of.seats.iter().copied()))
                .collect(),
            gone: Vec::new(),
            unlisted: elsewhere.iter().map(|of| of.unlisted).fold(0, u32::saturating_add),
        }
    }
}

/// A part as it was last shown, with its number.
#[derive(Debug)]
pub(crate) struct Shown<V> {
    pub(crate) number: u64,
    pub(crate) view: V,
}

impl<V: Serialize + PartialEq> Shown<V> {
    pub(crate) const fn new(view: V) -> Self {
        Self { number: 0, view }
    }

    /// The whole part with its number, for a snapshot.
    pub(crate) fn whole(&self, view: &V) -> Value {
        let mut fields = fields(view);
        fields.insert("number".to_owned(), self.number.into());
        Value::Object(fields)
    }

    /// What has changed, with the next number; nothing where nothing has.
    pub(crate) fn change(&mut self, view: V) -> Option<Value> {
        if view == self.view {
            return None;
        }
        self.number += 1;
        let before = fields(&self.view);
        let mut changed: Map<String, Value> =
            fields(&view).into_iter().filter(|(name, value)| before.get(name) != Some(value)).collect();
        changed.insert("number".to_owned(), self.number.into());
        self.view = view;
        Some(Value::Object(changed))
    }
}

fn fields(view: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(view).expect("a view can be written down") {
        Value::Object(fields) => fields,
        other => unreachable!("a view has fields: {other}"),
    }
}

/// The first message to a screen.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct Snapshot {
    pub(crate) time: Time,
    /// The source of the screen's commands; none for one that sends nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<u64>,
    /// The newest number of that source that is known: a screen that has lost count goes on from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sequence: Option<u64>,
    #[cfg_attr(test, schema(value_type = crate::api::WholePublic))]
    pub(crate) public: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seat: Option<SeatView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schema(value_type = Option<crate::api::WholeStaff>))]
    pub(crate) staff: Option<Value>,
}

/// A message to a screen.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Message {
    /// Everything, once.
    Snapshot(Box<Snapshot>),
    /// What has changed of the table as everyone sees it.
    Public(Value),
    /// What has changed of the table as its staff see it.
    Staff(Value),
}

/// What a terminal is told: answers, and its seat as it stands after them.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct SeatChange {
    pub(crate) answers: Vec<Answered>,
    pub(crate) seat: SeatView,
}
