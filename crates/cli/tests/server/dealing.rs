//! A table run by its staff: opened with a Dealer and limits, dealt round by round.

use serde_json::{Value, json};
use taisai_journal::suite::wait_until;
use taisai_rules::LimitScope;

use crate::house::{TestCasino, first};
use crate::person::{Person, accepted};

/// An open table and its Dealer.
pub(crate) struct Dealing {
    pub(crate) table: u16,
    pub(crate) dealer: Person,
    pub(crate) supervisor: Person,
}

impl Dealing {
    /// Opens a table with a Dealer and, where the game has limits, a unit of one dollar.
    pub(crate) fn open(house: &TestCasino, table: u16) -> Self {
        let (_, layout) = house.person("dealer").get(&format!("/api/v1/tables/{table}/layout"));
        let is_live = layout["has_terminals"] == false;
        Self::with(house, table, Some(&wide_limits(if is_live { LimitScope::Box } else { LimitScope::Terminal })))
    }

    /// Opens a table with these limits, if any.
    pub(crate) fn with(house: &TestCasino, table: u16, limits: Option<&Value>) -> Self {
        Self::of(table, (house.person("dealer"), house.person("pit-supervisor")), limits)
    }

    /// The same by these people.
    pub(crate) fn of(table: u16, (dealer, supervisor): (Person, Person), limits: Option<&Value>) -> Self {
        accepted(&supervisor.round(table, "open-table"));
        accepted(&supervisor.round(table, json!({"relieve": {"position": "dealer", "person": first("dealer")}})));
        if let Some(limits) = limits {
            accepted(&supervisor.round(table, json!({"show-limits": {"limits": limits, "why": "the first"}})));
        }
        Self { table, dealer, supervisor }
    }

    /// The Dealer's next command.
    #[track_caller]
    pub(crate) fn deals(&self, command: impl Into<Value>) {
        accepted(&self.dealer.round(self.table, command));
    }

    /// "Place your Bets, please".
    #[track_caller]
    pub(crate) fn open_bets(&self) {
        self.deals("open-bets");
    }

    /// "No more Bets", three tumbles and these dice.
    #[track_caller]
    pub(crate) fn conclude(&self, dice: [u8; 3]) {
        self.deals("close-bets");
        self.throw(dice);
    }

    /// Three tumbles and these dice, once every partition of the table holds the close.
    #[track_caller]
    pub(crate) fn throw(&self, dice: [u8; 3]) {
        loop {
            let answer = self.dealer.round(self.table, "activate");
            if answer["refused"]["code"] != "bets-not-closed" {
                break accepted(&answer);
            }
        }
        self.deals(json!({"tumbled": {"times": 3}}));
        self.deals(json!({"commit": {"dice": dice}}));
    }
}

/// Limits (3.3) that no bet of these tests reaches, in units of one dollar.
pub(crate) fn wide_limits(scope: LimitScope) -> Value {
    let most = 100_000_000;
    let differential = (scope == LimitScope::Box).then_some(most);
    json!({"unit": 100, "boxes": [], "rest": {"min": 100, "max": most}, "differential": differential})
}

/// Takes cash for credits at a seat, with a second person above the casino's limit.
#[track_caller]
pub(crate) fn buy_in(house: &TestCasino, table: u16, seat: u32, amount: i64) {
    let cashier = house.person("cashier");
    let command = json!({"number": 0, "command": {"buy-in": {"seat": seat, "amount": amount}}});
    let approval = (amount > 1_000_000).then(|| {
        let mut what = command.clone();
        what["table"] = table.into();
        cashier.approved_by(&house.person("pit-supervisor"), "large-buy-in", &json!({"cluster": what}))
    });
    accepted(&cashier.table(table, approval, &json!({"cluster": command})));
}

/// The newest significant events, as the pit sees them.
pub(crate) fn events(house: &TestCasino) -> Vec<Value> {
    let (status, events) = house.person("pit-manager").get("/api/v1/house/lists/events");
    assert_eq!(status, 200, "{events}");
    events.as_array().unwrap().clone()
}

/// Whether an event of that kind has happened. It may take a moment to reach the House.
#[track_caller]
pub(crate) fn has_happened(house: &TestCasino, what: impl Fn(&Value) -> bool) {
    wait_until("it has happened", || events(house).iter().any(|event| what(&event["what"])));
}
