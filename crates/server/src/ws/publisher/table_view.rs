//! A table as JSON: first a snapshot of each view, then its changes. Each change has the next number of its view, so that a screen
//! notices when it has missed one.

use std::collections::BTreeMap;

use axum::extract::ws::Utf8Bytes;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use taisai_engine::{
    BelowView, ClusterView, NewestCommand, PublicView, RegisteringView, Reply, ResultView, ReturnsView, RoundStaffView,
    SeatBet, SeatChange, SeatHealth, SeatPlace, SeatView,
};
use taisai_rules::{BetBox, Face, Game, Money};
use taisai_table::{Meters, PayList, PersonId, RejectedStake, RoundNumber, TableRules, Time, Unwitnessed};

use crate::http::reply::{CommandReply, NumberedReply, json};
use crate::ws::connection::Connection;

/// The views of a table as last published.
pub(super) struct TableOnDisplay {
    rules: TableRules,
    public: Option<PublishedView<PublicView>>,
    results: Vec<ResultView>,
    /// Terminals that connected before the first public view: their cluster has only begun to follow the round.
    early: Vec<Connection>,
    round: Option<RoundStaffView>,
    clusters: BTreeMap<u16, Box<ClusterView>>,
    staff: Option<PublishedView<StaffView>>,
    is_staff_changed: bool,
}

impl TableOnDisplay {
    pub(super) const fn new(rules: TableRules) -> Self {
        Self {
            rules,
            public: None,
            results: Vec::new(),
            early: Vec::new(),
            round: None,
            clusters: BTreeMap::new(),
            staff: None,
            is_staff_changed: false,
        }
    }

    /// Keeps the last results, unless they are the known ones and the latest.
    pub(super) fn set_results(&mut self, results: Vec<ResultView>) {
        self.results = results;
    }

    /// Keeps the public view and returns its change.
    pub(super) fn set_public(&mut self, view: PublicView) -> Option<Utf8Bytes> {
        view.add_to(&mut self.results);
        let Some(published) = &mut self.public else {
            self.public = Some(PublishedView::new(view));
            // They reconnect and get a new snapshot.
            self.early.drain(..).for_each(|connection| connection.close());
            return None;
        };
        published.change(view).map(|change| json(&ToScreen::Public(change)))
    }

    /// The public view with its number and the last results.
    pub(super) fn whole_public(&self) -> Option<Value> {
        let published = self.public.as_ref()?;
        Some(published.whole(&published.view.with_results(&self.results)))
    }

    pub(super) fn set_round_staff(&mut self, view: RoundStaffView) {
        self.round = Some(view);
        self.is_staff_changed = true;
    }

    pub(super) fn set_cluster_staff(&mut self, number: u16, view: Option<Box<ClusterView>>) {
        match view {
            Some(view) => drop(self.clusters.insert(number, view)),
            None => drop(self.clusters.remove(&number)),
        }
        self.is_staff_changed = true;
    }

    /// The change for staff, with only the seats that have changed.
    pub(super) fn staff_change(&mut self) -> Option<Utf8Bytes> {
        if !std::mem::take(&mut self.is_staff_changed) {
            return None;
        }
        self.update_staff()
    }

    fn update_staff(&mut self) -> Option<Utf8Bytes> {
        let mut view = StaffView::of(&self.rules, self.round.as_ref()?, &self.clusters);
        let Some(published) = &mut self.staff else {
            self.staff = Some(PublishedView::new(view));
            return None;
        };
        let seats = std::mem::take(&mut view.seats);
        let before = std::mem::take(&mut published.view.seats);
        (view.seats, view.gone) = changed_seats(&before, &seats);
        let change = published.change(view);
        published.view.seats = seats;
        published.view.gone.clear();
        change.map(|change| json(&ToScreen::Staff(change)))
    }

    /// The snapshot for a terminal; none if there is no public view yet, in which case the terminal gets it later.
    pub(super) fn seat_snapshot(
        &mut self,
        time: Time,
        counted: NewestCommand,
        seat: Box<SeatView>,
        connection: &Connection,
    ) -> Option<Utf8Bytes> {
        let Some(public) = self.whole_public() else {
            self.early.retain(|connection| !connection.is_closed());
            self.early.push(connection.clone());
            return None;
        };
        let NewestCommand { source, sequence } = counted;
        let snapshot =
            Snapshot { time, source: Some(source), sequence: Some(sequence), public, seat: Some(*seat), staff: None };
        Some(json(&ToScreen::Snapshot(Box::new(snapshot))))
    }

    /// The snapshot for a new follower.
    pub(super) fn snapshot(&self, time: Time, counted: Option<NewestCommand>, with_staff: bool) -> Option<Utf8Bytes> {
        let staff = self.staff.as_ref().filter(|_| with_staff).map(|published| published.whole(&published.view));
        let snapshot = Snapshot {
            time,
            source: counted.map(|counted| counted.source),
            sequence: counted.map(|counted| counted.sequence),
            public: self.whole_public()?,
            seat: None,
            staff,
        };
        Some(json(&ToScreen::Snapshot(Box::new(snapshot))))
    }
}

/// What the staff of the table see beside what everyone does.
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
    excess: Vec<RejectedStake>,
    /// While bets are open, the boxes whose total is below the minimum (5.2).
    below: Vec<BelowView>,
    /// Of each cluster; none where only winners are registered.
    meters: Vec<Meters>,
    /// While winners are registered, what is required on each box and what is registered there.
    registering: Option<RegisteringView>,
    /// Whom to pay at a live table: while winners are registered, and after each round until the next one opens.
    pay_list: Option<PayList>,
    /// Rounds that were corrected or voided late at a table that registers winners: what lost is registered from the film.
    returns: Vec<ReturnsView>,
    /// Every seat of clusters that run here, and those that are not free elsewhere; of a change, those that have changed.
    seats: Vec<SeatHealth>,
    /// Of a change, the seats that are no longer shown.
    gone: Vec<SeatPlace>,
    /// How many seats elsewhere are not free and not among these: there are too many.
    unlisted: u32,
}

/// What lies on a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
struct TotalView {
    #[serde(rename = "box")]
    bet_box: BetBox,
    amount: Money,
}

impl StaffView {
    fn of(rules: &TableRules, round: &RoundStaffView, clusters: &BTreeMap<u16, Box<ClusterView>>) -> Self {
        let amount = |bet_box: BetBox| clusters.values().map(|of| of.total(bet_box).cents()).sum::<i64>();
        let totals = rules.layout().boxes().iter().map(|bet_box| (*bet_box, amount(*bet_box)));
        let totals = totals.filter(|(_, cents)| *cents > 0);
        let live = || clusters.values().map(|of| &of.live);
        let RoundStaffView {
            supervisor,
            manager,
            dice_set,
            unwitnessed,
            tumbler,
            damaged_sets,
            to_be_ruled,
            is_covered,
            known,
            faces,
        } = round.clone();
        Self {
            supervisor,
            manager,
            dice_set,
            unwitnessed,
            tumbler,
            damaged_sets,
            to_be_ruled,
            is_covered,
            known,
            faces,
            totals: totals.map(|(bet_box, cents)| TotalView { bet_box, amount: Money::from_cents(cents) }).collect(),
            bets: live().flat_map(|live| live.bets.iter().copied()).collect(),
            excess: live().flat_map(|live| live.excess.iter().copied()).collect(),
            below: live().flat_map(|live| live.below.iter().cloned()).collect(),
            meters: clusters.values().filter_map(|of| of.meters).collect(),
            registering: live().find_map(|live| live.registering.clone()),
            pay_list: live().find_map(|live| live.pay_list.clone()),
            returns: live().flat_map(|live| live.returns.iter().cloned()).collect(),
            seats: clusters.values().flat_map(|of| of.seats.iter().copied()).collect(),
            gone: Vec::new(),
            unlisted: clusters.values().map(|of| of.unlisted).fold(0, u32::saturating_add),
        }
    }
}

/// The seats that have changed, and those that are left out from now on. Both lists are sorted.
fn changed_seats(before: &[SeatHealth], now: &[SeatHealth]) -> (Vec<SeatHealth>, Vec<SeatPlace>) {
    let mut before = before.iter().peekable();
    let (mut changed, mut gone) = (Vec::new(), Vec::new());
    for seat in now {
        while let Some(one) = before.next_if(|one| one.place() < seat.place()) {
            gone.push(one.place());
        }
        if before.next_if(|one| one.place() == seat.place()) != Some(seat) {
            changed.push(*seat);
        }
    }
    gone.extend(before.map(SeatHealth::place));
    (changed, gone)
}

/// A view as last published, with the number of its last change.
#[derive(Debug)]
struct PublishedView<V> {
    number: u64,
    view: V,
}

impl<V: Serialize + PartialEq> PublishedView<V> {
    const fn new(view: V) -> Self {
        Self { number: 0, view }
    }

    /// The whole view with its number, for a snapshot.
    fn whole(&self, view: &V) -> Value {
        let mut fields = fields(view);
        fields.insert("number".to_owned(), self.number.into());
        Value::Object(fields)
    }

    /// The changed fields under the next number; none if nothing has changed.
    fn change(&mut self, view: V) -> Option<Value> {
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
    time: Time,
    /// The source of the screen's commands; none for one that sends nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<u64>,
    /// The newest number of that source that is known: a screen that has lost count goes on from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<u64>,
    #[cfg_attr(test, schema(value_type = crate::http::api::WholePublic))]
    public: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    seat: Option<SeatView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schema(value_type = Option<crate::http::api::WholeStaff>))]
    staff: Option<Value>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum ToScreen {
    /// The first message.
    Snapshot(Box<Snapshot>),
    /// A change of the public view.
    Public(Value),
    /// A change of the staff view.
    Staff(Value),
}

/// What a terminal is sent: answers, and its seat as it stands after them.
#[derive(Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[cfg_attr(test, schema(as = SeatChange))]
pub(crate) struct SeatMessage<'a> {
    #[cfg_attr(test, schema(value_type = Vec<NumberedReply>))]
    answers: SeatReplies<'a>,
    seat: &'a SeatView,
}

impl<'a> SeatMessage<'a> {
    pub(super) fn of(change: &'a SeatChange, game: Option<&'a Game>) -> Self {
        Self { answers: SeatReplies(&change.replies, game), seat: &change.view }
    }
}

/// Serializes replies as a terminal reads them.
struct SeatReplies<'a>(&'a [(u64, Reply)], Option<&'a Game>);

impl Serialize for SeatReplies<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(replies, game) = self;
        serializer.collect_seq(
            replies
                .iter()
                .map(|(sequence, reply)| NumberedReply { sequence: *sequence, answer: CommandReply::of(reply, *game) }),
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn seat(cluster: u16, seat: u32, credits: i64) -> SeatHealth {
        let seat = json!({
            "cluster": cluster, "seat": seat, "session": 1, "credits": credits, "on_layout": 0,
            "is_connected": true, "is_lost": false, "is_locked": false, "buy_in": null
        });
        serde_json::from_value(seat).unwrap()
    }

    #[test]
    fn only_seats_that_have_changed_are_shown() {
        let before = [seat(0, 1, 5), seat(0, 2, 5), seat(1, 1, 5)];
        let [one, two, three] = before.map(|seat| seat.place());
        for (now, changed, gone) in [
            (vec![seat(0, 1, 5), seat(0, 2, 5), seat(1, 1, 5)], vec![], vec![]),
            (vec![seat(0, 1, 5), seat(0, 2, 6), seat(1, 1, 5)], vec![seat(0, 2, 6)], vec![]),
            (vec![seat(0, 1, 5), seat(0, 2, 5), seat(0, 9, 1), seat(1, 1, 5)], vec![seat(0, 9, 1)], vec![]),
            (vec![seat(0, 2, 5), seat(1, 2, 7)], vec![seat(1, 2, 7)], vec![one, three]),
            (vec![], vec![], vec![one, two, three]),
        ] {
            assert_eq!(changed_seats(&before, &now), (changed, gone));
        }
    }
}
