//! Voucher acts of people and terminals. They contain a number where the machine's command has its hash. All other commands are
//! read as they are, except those with a number or hash, which only this module creates.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::{CowStrDeserializer, MapAccessDeserializer, StrDeserializer};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};
use taisai_rules::Money;
use taisai_table::{CashOut, ClaimId, ClusterCommand, ClusterId, HouseCommand, Seat, VoucherHash, VoucherSerial};

use super::number::{Validation, VoucherKey};
use crate::auth::secrets::SecretsError;

pub(crate) type HouseAct = ActOrCommand<HouseVoucherAct, HouseCommand>;

pub(crate) type TerminalAct = ActOrCommand<TerminalVoucherAct, ClusterCommand>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ActOrCommand<W, C> {
    Act(W),
    Command(C),
}

/// What the cage does with vouchers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum HouseVoucherAct {
    /// Sell a voucher for cash.
    Sell { amount: Money },
    /// Pay a voucher out in cash.
    Redeem { number: Validation },
    /// Void a voucher.
    Void { number: Validation, why: String },
    /// Rule that an expired voucher is paid after all.
    PayExpired { number: Validation, why: String },
    /// Issue a voucher anew, by its serial number.
    Reissue { serial: VoucherSerial },
}

/// What a terminal does at its own seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum TerminalVoucherAct {
    /// All credits become a voucher.
    CashOutToVoucher {},
    /// A voucher becomes credits.
    Redeem { number: Validation },
    /// The player has the voucher, or has read what became of it.
    ConfirmVoucher { serial: VoucherSerial },
    /// Show the voucher of the last cash-out under a new number: the one before dies.
    ReissueVoucher { serial: VoucherSerial },
    /// A cash-out by hand becomes credits again.
    TakeBackClaim { claim: ClaimId },
    /// The player has read that a claim was paid.
    ReadClaim { claim: ClaimId },
    /// Only in a training installation: the simulated note acceptor of the seat is given a note (F86).
    InsertNote { amount: Money },
}

/// A command for the House, and how it uses a voucher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HouseRequest {
    pub(crate) command: HouseCommand,
    pub(crate) about: VoucherUse,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VoucherUse {
    Nothing,
    /// If accepted, it issues a voucher with this number and amount.
    Issues(Validation, Money),
    /// It presents a voucher: if refused, the House may have that voucher on file.
    Presents(VoucherHash),
    /// If accepted, it replaces a voucher by one with this number.
    Replaces(VoucherSerial, Validation),
}

/// The request of a terminal, by its receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TerminalRequest {
    /// If accepted with a number, a voucher with it is on its way to the House.
    Cluster(ClusterCommand, Option<Validation>),
    House(HouseRequest),
    /// The simulated note acceptor of the seat, which sends it to its cluster.
    Acceptor(ClusterCommand),
}

impl HouseAct {
    pub(crate) fn into_request(self, key: &VoucherKey) -> Result<HouseRequest, SecretsError> {
        let hash = |number: Validation| number.voucher_number(key).hash;
        let presents = |hash, command| HouseRequest { command, about: VoucherUse::Presents(hash) };
        Ok(match self {
            Self::Command(command) => HouseRequest { command, about: VoucherUse::Nothing },
            Self::Act(HouseVoucherAct::Sell { amount }) => {
                let number = Validation::draw()?;
                let command = HouseCommand::SellVoucher { number: number.voucher_number(key), amount, second: None };
                HouseRequest { command, about: VoucherUse::Issues(number, amount) }
            }
            Self::Act(HouseVoucherAct::Redeem { number }) => {
                presents(hash(number), HouseCommand::RedeemAtCage { hash: hash(number) })
            }
            Self::Act(HouseVoucherAct::Void { number, why }) => {
                presents(hash(number), HouseCommand::VoidVoucher { hash: hash(number), why, second: None })
            }
            Self::Act(HouseVoucherAct::PayExpired { number, why }) => {
                presents(hash(number), HouseCommand::RuleExpired { hash: hash(number), why })
            }
            Self::Act(HouseVoucherAct::Reissue { serial }) => reissue(key, serial)?,
        })
    }
}

fn reissue(key: &VoucherKey, serial: VoucherSerial) -> Result<HouseRequest, SecretsError> {
    let number = Validation::draw()?;
    let command =
        HouseCommand::ReissueVoucher { serial, number: number.voucher_number(key), ended: None, second: None };
    Ok(HouseRequest { command, about: VoucherUse::Replaces(serial, number) })
}

impl TerminalAct {
    pub(crate) fn into_request(
        self,
        key: &VoucherKey,
        (cluster, seat): (ClusterId, Seat),
    ) -> Result<TerminalRequest, SecretsError> {
        let ask_house = |command| TerminalRequest::House(HouseRequest { command, about: VoucherUse::Nothing });
        Ok(match self {
            Self::Command(command) => TerminalRequest::Cluster(command, None),
            Self::Act(TerminalVoucherAct::CashOutToVoucher {}) => {
                let number = Validation::draw()?;
                let to = CashOut::Voucher(number.voucher_number(key));
                TerminalRequest::Cluster(ClusterCommand::CashOut { seat, to }, Some(number))
            }
            Self::Act(TerminalVoucherAct::Redeem { number }) => {
                let hash = number.voucher_number(key).hash;
                let command = HouseCommand::RedeemAtSeat { hash, cluster, seat };
                TerminalRequest::House(HouseRequest { command, about: VoucherUse::Presents(hash) })
            }
            Self::Act(TerminalVoucherAct::ConfirmVoucher { serial }) => {
                ask_house(HouseCommand::ConfirmVoucher { serial })
            }
            Self::Act(TerminalVoucherAct::ReissueVoucher { serial }) => TerminalRequest::House(reissue(key, serial)?),
            Self::Act(TerminalVoucherAct::TakeBackClaim { claim }) => ask_house(HouseCommand::TakeBackClaim { claim }),
            Self::Act(TerminalVoucherAct::ReadClaim { claim }) => ask_house(HouseCommand::ReadClaim { claim }),
            Self::Act(TerminalVoucherAct::InsertNote { amount }) => {
                TerminalRequest::Acceptor(ClusterCommand::AcceptNote { seat, amount })
            }
        })
    }
}

/// The acts that clients may use beside a machine's commands.
pub(crate) trait ClientActs<C> {
    /// Their names in JSON.
    const SPELLED: &'static [&'static str];

    /// The act to use instead, if clients may not send the command.
    fn instead_of(command: &C) -> Option<&'static str>;

    /// Whether this kind of client has the command at all.
    fn has(_: &C) -> bool {
        true
    }
}

impl ClientActs<HouseCommand> for HouseVoucherAct {
    const SPELLED: &'static [&'static str] = &["sell", "redeem", "void", "pay-expired", "reissue"];

    fn instead_of(command: &HouseCommand) -> Option<&'static str> {
        use HouseCommand as C;
        match command {
            C::SellVoucher { .. } => Some("sell"),
            C::RedeemAtCage { .. } | C::RedeemAtSeat { .. } => Some("redeem"),
            C::VoidVoucher { .. } => Some("void"),
            C::RuleExpired { .. } => Some("pay-expired"),
            C::ReissueVoucher { .. } => Some("reissue"),
            C::GiveCode { .. } => Some("/devices/{device}/code"),
            C::Found { .. }
            | C::AddPerson { .. }
            | C::SetRoles { .. }
            | C::Suspend { .. }
            | C::Reinstate { .. }
            | C::LoginFailed { .. }
            | C::LoginSucceeded { .. }
            | C::Unlock { .. }
            | C::Enrol { .. }
            | C::Revoke { .. }
            | C::CopiedToken { .. }
            | C::UseKeys { .. }
            | C::ChangeSecret { .. }
            | C::RequestApproval { .. }
            | C::AnswerApproval { .. }
            | C::WithdrawApproval { .. }
            | C::UseApproval { .. }
            | C::Acknowledge { .. }
            | C::AddTable { .. }
            | C::Configure { .. }
            | C::ClearRedemptionLock { .. }
            | C::Receive { .. }
            | C::Delivered { .. }
            | C::PayClaim { .. }
            | C::ConfirmVoucher { .. }
            | C::TakeClaim { .. }
            | C::TakeBackClaim { .. }
            | C::ReadClaim { .. }
            | C::RuleReceivable { .. }
            | C::Report { .. }
            | C::Tick => None,
        }
    }
}

impl ClientActs<ClusterCommand> for TerminalVoucherAct {
    const SPELLED: &'static [&'static str] = &[
        "cash-out-to-voucher",
        "redeem",
        "confirm-voucher",
        "reissue-voucher",
        "take-back-claim",
        "read-claim",
        "insert-note",
    ];

    /// F86: a terminal creates no credits.
    fn has(command: &ClusterCommand) -> bool {
        let is_staffs = matches!(
            command,
            ClusterCommand::BuyIn { .. } | ClusterCommand::ReverseBuyIn { .. } | ClusterCommand::EmptyStacker { .. }
        );
        !is_staffs && !command.is_of_acceptor()
    }

    fn instead_of(command: &ClusterCommand) -> Option<&'static str> {
        use ClusterCommand as C;
        match command {
            C::CashOut { to: CashOut::Voucher(_), .. } => Some("cash-out-to-voucher"),
            C::CashOut { to: CashOut::HandPay, .. }
            | C::Place { .. }
            | C::PlaceFor { .. }
            | C::PlaceExcess { .. }
            | C::Advise { .. }
            | C::Withdraw { .. }
            | C::Clear { .. }
            | C::Repeat { .. }
            | C::Double { .. }
            | C::RejectExcess
            | C::BuyIn { .. }
            | C::ReverseBuyIn { .. }
            | C::Read { .. }
            | C::AcceptNote { .. }
            | C::CountStacker { .. }
            | C::EmptyStacker { .. }
            | C::IssueColour { .. }
            | C::RedeemColour { .. }
            | C::Leave { .. }
            | C::WalkAway { .. }
            | C::Lost { .. }
            | C::Back { .. }
            | C::ClearLock { .. }
            | C::Register { .. }
            | C::TellTotal { .. }
            | C::AllRegistered
            | C::TickOff { .. }
            | C::RegisterFromFilm { .. }
            | C::WithdrawFromFilm { .. }
            | C::CloseReturns { .. }
            | C::Follow { .. }
            | C::Receive { .. }
            | C::Delivered { .. }
            | C::RaiseEvent { .. }
            | C::EventsHeld { .. } => None,
        }
    }
}

/// The first key of the message decides which of the two it is; nothing is parsed twice.
impl<'de, W: ClientActs<C> + Deserialize<'de>, C: Deserialize<'de>> Deserialize<'de> for ActOrCommand<W, C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<W, C>(PhantomData<(W, C)>);

        impl<'de, W: ClientActs<C> + Deserialize<'de>, C: Deserialize<'de>> Visitor<'de> for Reader<W, C> {
            type Value = ActOrCommand<W, C>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a command: its name, or an object with its name as the only key")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Self::Value, E> {
                read(name, StrDeserializer::new(name))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let Name(name) = map.next_key()?.ok_or_else(|| de::Error::custom("the command has no name"))?;
                let named = MapAccessDeserializer::new(Named { name: Some(name.clone()), map });
                read(&name, named)
            }
        }

        deserializer.deserialize_any(Reader(PhantomData))
    }
}

fn read<'de, W, C, D>(name: &str, deserializer: D) -> Result<ActOrCommand<W, C>, D::Error>
where
    W: ClientActs<C> + Deserialize<'de>,
    C: Deserialize<'de>,
    D: Deserializer<'de>,
{
    if W::SPELLED.contains(&name) {
        return W::deserialize(deserializer).map(ActOrCommand::Act);
    }
    let command = C::deserialize(deserializer)?;
    if !W::has(&command) {
        return Err(de::Error::custom("there is no such command here"));
    }
    match W::instead_of(&command) {
        Some(word) => Err(de::Error::custom(format_args!("that is not taken from outside: ask with \"{word}\""))),
        None => Ok(ActOrCommand::Command(command)),
    }
}

struct Name<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;

        impl<'de> Visitor<'de> for NameVisitor {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_borrowed_str<E: de::Error>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }

        deserializer.deserialize_str(NameVisitor)
    }
}

/// A map whose first key has been read already.
struct Named<'de, A> {
    name: Option<Cow<'de, str>>,
    map: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Named<'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.name.take() {
            Some(name) => seed.deserialize(CowStrDeserializer::new(name)).map(Some),
            None => self.map.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

#[cfg(test)]
mod tests;
