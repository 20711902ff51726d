//! A jurisdiction's profile: times, limits of the casino, and who may do what. It decides rights; it knows no game.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use taisai_rules::Money;

use crate::identity::{Actor, Person, PersonId, Roles};
use crate::refusal::Refusal;

/// What a person may do, as far as roles decide it. Some acts need a second person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// Open and close the table, announce its closing, change dice and tumbler; acknowledge significant events.
    RunTable,
    /// Take or relieve a position at the table.
    Relieve,
    /// Deal: open and close bets, tumble, commit the dice, report irregularities before the result is committed.
    Deal,
    /// Change the limits on display.
    ChangeLimits,
    /// Settle a round again by the dice.
    Correct,
    /// Void the rounds played with damaged dice, and let a damaged set be used again.
    VoidDamaged,
    /// Void a round as the law requires it (F80).
    VoidByLaw,
    /// Rule on what the Game Rules leave open; the second person witnesses a ruling that moves money.
    Rule,
    /// Take money in at a seat, empty the stackers of note acceptors, and issue Colour Chips.
    BuyIn,
    /// Take money in above the casino's limit.
    LargeBuyIn,
    ReverseBuyIn,
    /// Register bets after the dice above the casino's limit.
    LargeRegistration,
    /// Clear a lock, and free a seat.
    ClearLock,
    /// Sell and redeem vouchers at the cage.
    Cage,
    /// Sell a voucher above the casino's limit.
    LargeSale,
    VoidVoucher,
    /// Have a voucher issued anew under another number.
    ReissueVoucher,
    /// Pay a claim by hand.
    HandPay,
    /// Pay a claim by hand above the casino's limit.
    LargeHandPay,
    RuleReceivable,
    /// Add people, change their roles, lock and unlock them.
    ManagePeople,
    /// Enrol and revoke devices.
    ManageDevices,
    /// Change the casino's configuration.
    Configure,
}

impl Act {
    /// Every act.
    pub const ALL: [Self; 23] = [
        Self::RunTable,
        Self::Relieve,
        Self::Deal,
        Self::ChangeLimits,
        Self::Correct,
        Self::VoidDamaged,
        Self::VoidByLaw,
        Self::Rule,
        Self::BuyIn,
        Self::LargeBuyIn,
        Self::ReverseBuyIn,
        Self::LargeRegistration,
        Self::ClearLock,
        Self::Cage,
        Self::LargeSale,
        Self::VoidVoucher,
        Self::ReissueVoucher,
        Self::HandPay,
        Self::LargeHandPay,
        Self::RuleReceivable,
        Self::ManagePeople,
        Self::ManageDevices,
        Self::Configure,
    ];

    /// The act's name in a profile.
    pub const fn text(self) -> &'static str {
        match self {
            Self::RunTable => "run-table",
            Self::Relieve => "relieve",
            Self::Deal => "deal",
            Self::ChangeLimits => "change-limits",
            Self::Correct => "correct",
            Self::VoidDamaged => "void-damaged",
            Self::VoidByLaw => "void-by-law",
            Self::Rule => "rule",
            Self::BuyIn => "buy-in",
            Self::LargeBuyIn => "large-buy-in",
            Self::ReverseBuyIn => "reverse-buy-in",
            Self::LargeRegistration => "large-registration",
            Self::ClearLock => "clear-lock",
            Self::Cage => "cage",
            Self::LargeSale => "large-sale",
            Self::VoidVoucher => "void-voucher",
            Self::ReissueVoucher => "reissue-voucher",
            Self::HandPay => "hand-pay",
            Self::LargeHandPay => "large-hand-pay",
            Self::RuleReceivable => "rule-receivable",
            Self::ManagePeople => "manage-people",
            Self::ManageDevices => "manage-devices",
            Self::Configure => "configure",
        }
    }
}

/// Who may do an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Right {
    /// The roles, of which the person who acts holds one.
    pub first: Roles,
    /// The roles, of which a second person holds one, where the act needs two.
    pub second: Option<Roles>,
}

/// Who ends betting when the time is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BetsCloser {
    /// The Dealer announces it.
    Dealer,
    /// A recorded tick of the system.
    Tick,
}

/// What is done with bets over a box's maximum or Differential before the close (5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ExcessPolicy {
    /// It is refused when placed.
    Refuse,
    /// It is shown as it stands, and the Dealer rejects it.
    Show,
}

/// A shift of the gaming day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Shift {
    pub name: String,
    /// When it begins: minutes after midnight, local time.
    pub begins: u16,
}

/// What the law says beside the game rules (F80–F82).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Law {
    /// Whether winnings are taken back after a correction or a void; then the notice is displayed before play (F81).
    pub takes_back: bool,
    /// The notice to players.
    pub notice: String,
    /// What a void cites after an equipment malfunction.
    pub malfunction: String,
    /// What a void cites after force majeure.
    pub force_majeure: String,
    /// What a void cites where an offence is suspected.
    pub suspected_offence: String,
}

/// A jurisdiction as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Profile {
    pub name: String,
    /// How long bets are open, in seconds (F02).
    pub betting_seconds: u32,
    /// Who ends betting then.
    pub closes: BetsCloser,
    /// What is done with excess.
    pub excess: ExcessPolicy,
    /// A win of one round at one seat from which the seat is locked (F33).
    pub large_win: Money,
    /// The largest voucher.
    pub voucher_limit: Money,
    /// How long a voucher is good for, in days.
    pub voucher_days: u32,
    /// The largest buy-in without a large buy-in's right.
    pub buy_in_limit: Money,
    /// The largest stake that is registered after the dice without a large registration's right.
    pub registration_limit: Money,
    /// The largest voucher that is sold without a large sale's right.
    pub sale_limit: Money,
    /// The largest claim that is paid by hand without a large hand-pay's right.
    pub hand_pay_limit: Money,
    /// The notes that note acceptors take, by what they are worth, the least first. Without any there are no note acceptors (F86).
    pub notes: Vec<Money>,
    /// How many failed logins or voucher numbers lock (F45, F51).
    pub attempts: u8,
    /// How often a terminal reminds its player of the time and the result of the session.
    pub reality_check_minutes: u32,
    /// How long a cluster may lag behind its round before another node takes it over.
    pub silent_seconds: u32,
    pub law: Law,
    /// The time zone, by its name.
    pub time_zone: String,
    /// When the gaming day begins: minutes after midnight, local time.
    pub gaming_day: u16,
    /// The shifts, in order.
    pub shifts: Vec<Shift>,
    /// Who may do what, in the order of [`Act::ALL`].
    #[cfg_attr(feature = "openapi", schema(min_items = 21, max_items = 21))]
    pub rights: [Right; Act::ALL.len()],
}

impl Profile {
    /// The file of the default profile.
    pub const SINGAPORE: &str = include_str!("../profiles/singapore.toml");

    /// Who may do the act.
    ///
    /// # Panics
    /// Never: every act stands among all of them.
    pub fn right(&self, act: Act) -> Right {
        let place = Act::ALL.iter().position(|known| *known == act).expect("every act is in the list");
        self.rights[place]
    }

    /// Whether the person may do the act, with the second person where one is needed. One identity is one person, whatever
    /// roles it holds.
    pub fn check(&self, act: Act, actor: Actor, second: Option<Person>) -> Result<Person, Refusal> {
        let right = self.right(act);
        let person = actor.person().filter(|person| person.roles.meets(right.first)).ok_or(Refusal::NotAllowed)?;
        match (right.second, second) {
            (None, _) => Ok(person),
            (Some(_), None) => Err(Refusal::SecondPersonMissing),
            (Some(roles), Some(second)) if second.id != person.id && second.roles.meets(roles) => Ok(person),
            (Some(_), Some(_)) => Err(Refusal::SecondPersonNotAllowed),
        }
    }

    /// Whether somebody deals: the one who is assigned to it (1.5), whatever roles they hold.
    pub(crate) fn deals(&self, dealer: Option<PersonId>, actor: Actor) -> Result<(), Refusal> {
        let person = actor.person().filter(|person| person.roles.touch_money()).ok_or(Refusal::NotAllowed)?;
        if dealer == Some(person.id) {
            return Ok(());
        }
        self.check(Act::Deal, actor, None)?;
        Err(Refusal::NotActing)
    }

    /// The default profile, `profiles/singapore.toml`.
    ///
    /// # Panics
    /// If the file that is part of this crate has faults, which the tests rule out.
    pub fn singapore() -> Self {
        static READ: LazyLock<Profile> = LazyLock::new(|| {
            Profile::from_toml(Profile::SINGAPORE).expect("the embedded profile is checked by the tests")
        });
        READ.clone()
    }

    /// The default profile for training and demonstration, where note acceptors are simulated.
    pub fn training() -> Self {
        let notes = [200, 500, 1_000, 5_000, 10_000].map(Money::from_cents).to_vec();
        Self { name: "training".to_owned(), notes, ..Self::singapore() }
    }

    /// The profiles in the program.
    pub fn embedded() -> [Self; 2] {
        [Self::singapore(), Self::training()]
    }
}
