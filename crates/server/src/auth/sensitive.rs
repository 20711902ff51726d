//! Which commands need a recent password (F51), and where a command names its second person. Clients never name that person: the
//! server fills in who approved.

use taisai_table::{ClusterCommand, HouseCommand, Person, RoundCommand};

/// When a command needs a recent password, with the place of its second person.
#[derive(Debug)]
pub(crate) enum PasswordRule<'a> {
    Never,
    /// Only large ones have a second person, and are refused without.
    WithSecond(&'a mut Option<Person>),
    Always(Option<&'a mut Option<Person>>),
}

pub(crate) trait Sensitive: Clone {
    fn password_rule(&mut self) -> PasswordRule<'_>;

    /// Whether the password must be recent. Ask this of the command with its second person, if it gets one.
    fn is_sensitive(&self) -> bool {
        match self.clone().password_rule() {
            PasswordRule::Never => false,
            PasswordRule::WithSecond(second) => second.is_some(),
            PasswordRule::Always(_) => true,
        }
    }

    fn second(&mut self) -> Option<&mut Option<Person>> {
        match self.password_rule() {
            PasswordRule::Never => None,
            PasswordRule::WithSecond(second) => Some(second),
            PasswordRule::Always(second) => second,
        }
    }

    /// The command without a second person: what is taken from clients, and what is approved.
    fn without_second(mut self) -> Self {
        if let Some(second) = self.second() {
            *second = None;
        }
        self
    }

    /// The command with the second person who approved it; unchanged if it has no place for one.
    fn with_second(mut self, person: Person) -> Self {
        if let Some(second) = self.second() {
            *second = Some(person);
        }
        self
    }
}

impl Sensitive for RoundCommand {
    fn password_rule(&mut self) -> PasswordRule<'_> {
        match self {
            Self::Correct { second, .. }
            | Self::CorrectKnown { second, .. }
            | Self::VoidDamaged { second, .. }
            | Self::VoidByLaw { second, .. }
            | Self::Inspect { second, .. }
            | Self::Rule { second, .. } => PasswordRule::Always(Some(second)),
            Self::Witness { .. } => PasswordRule::Always(None),
            Self::OpenTable
            | Self::AnnounceClosure
            | Self::CloseTable
            | Self::Relieve { .. }
            | Self::ShowLimits { .. }
            | Self::UseDice { .. }
            | Self::UseTumbler { .. }
            | Self::OpenBets
            | Self::CloseBets
            | Self::Tick
            | Self::Activate
            | Self::Tumbled { .. }
            | Self::AtRest { .. }
            | Self::Conceal { .. }
            | Self::Cover
            | Self::Uncover
            | Self::DamagedSet { .. }
            | Self::Commit { .. }
            | Self::Void { .. }
            | Self::Interrupt { .. }
            | Self::Continue
            | Self::Restarted
            | Self::Report { .. }
            | Self::RaiseEvent { .. }
            | Self::EventsHeld { .. } => PasswordRule::Never,
        }
    }
}

impl Sensitive for HouseCommand {
    fn password_rule(&mut self) -> PasswordRule<'_> {
        match self {
            Self::AddPerson { second, .. }
            | Self::SetRoles { second, .. }
            | Self::Suspend { second, .. }
            | Self::Reinstate { second, .. }
            | Self::Unlock { second, .. }
            | Self::Enrol { second, .. }
            | Self::GiveCode { second, .. }
            | Self::AddTable { second, .. }
            | Self::Configure { second, .. }
            | Self::VoidVoucher { second, .. }
            | Self::ReissueVoucher { second, .. } => PasswordRule::Always(Some(second)),
            Self::Revoke { .. }
            | Self::AnswerApproval { .. }
            | Self::RuleExpired { .. }
            | Self::RuleReceivable { .. } => PasswordRule::Always(None),
            Self::SellVoucher { second, .. } | Self::PayClaim { second, .. } => PasswordRule::WithSecond(second),
            Self::Found { .. }
            | Self::LoginFailed { .. }
            | Self::LoginSucceeded { .. }
            | Self::CopiedToken { .. }
            | Self::RequestApproval { .. }
            | Self::WithdrawApproval { .. }
            | Self::UseApproval { .. }
            | Self::Acknowledge { .. }
            | Self::RedeemAtCage { .. }
            | Self::RedeemAtSeat { .. }
            | Self::ClearRedemptionLock { .. }
            | Self::Receive { .. }
            | Self::Delivered { .. }
            | Self::ConfirmVoucher { .. }
            | Self::TakeClaim { .. }
            | Self::TakeBackClaim { .. }
            | Self::ReadClaim { .. }
            | Self::Report { .. }
            | Self::Tick => PasswordRule::Never,
        }
    }
}

impl Sensitive for ClusterCommand {
    fn password_rule(&mut self) -> PasswordRule<'_> {
        match self {
            Self::ReverseBuyIn { second, .. } => PasswordRule::Always(Some(second)),
            Self::BuyIn { second, .. }
            | Self::IssueColour { second, .. }
            | Self::Register { second, .. }
            | Self::RegisterFromFilm { second, .. }
            | Self::WithdrawFromFilm { second, .. }
            | Self::CloseReturns { second, .. } => PasswordRule::WithSecond(second),
            Self::Place { .. }
            | Self::PlaceFor { .. }
            | Self::PlaceExcess { .. }
            | Self::Withdraw { .. }
            | Self::Clear { .. }
            | Self::Repeat { .. }
            | Self::Double { .. }
            | Self::RejectExcess
            | Self::Advise { .. }
            | Self::Read { .. }
            | Self::AcceptNote { .. }
            | Self::CountStacker { .. }
            | Self::EmptyStacker { .. }
            | Self::RedeemColour { .. }
            | Self::CashOut { .. }
            | Self::Leave { .. }
            | Self::WalkAway { .. }
            | Self::Lost { .. }
            | Self::Back { .. }
            | Self::ClearLock { .. }
            | Self::TellTotal { .. }
            | Self::AllRegistered
            | Self::TickOff { .. }
            | Self::Follow { .. }
            | Self::Receive { .. }
            | Self::Delivered { .. }
            | Self::RaiseEvent { .. }
            | Self::EventsHeld { .. } => PasswordRule::Never,
        }
    }
}

#[cfg(test)]
mod tests {
    use taisai_table::{Person, PersonId, Role, Roles};

    use super::*;

    /// Whatever a client sends as the second person, the server replaces it.
    #[test]
    fn a_second_person_is_never_taken_from_outside() {
        let outside = r#"{"id":9,"roles":["casino-manager"]}"#;
        let inside = Person { id: PersonId(2), roles: Roles::of(&[Role::PitManager]) };
        let round = [
            r#"{"correct":{"round":1,"dice":[1,2,3],"why":"w","second":S}}"#,
            r#"{"correct-known":{"known":[1],"why":"w","second":S}}"#,
            r#"{"void-by-law":{"round":1,"reason":"malfunction","why":"w","second":S}}"#,
            r#"{"inspect":{"dice_set":1,"second":S}}"#,
            r#"{"void-damaged":{"from":1,"to":2,"dice_set":null,"why":"w","second":S}}"#,
            r#"{"rule":{"ruling":"note","why":"w","second":S}}"#,
        ];
        for json in round {
            check::<RoundCommand>(json, outside, inside, true);
        }
        let house = [
            (r#"{"add-person":{"person":1,"name":"n","roles":["dealer"],"second":S}}"#, true),
            (r#"{"set-roles":{"person":1,"roles":["dealer"],"second":S}}"#, true),
            (r#"{"suspend":{"person":1,"second":S}}"#, true),
            (r#"{"reinstate":{"person":1,"second":S}}"#, true),
            (r#"{"unlock":{"person":1,"second":S}}"#, true),
            (r#"{"enrol":{"device":1,"kind":"screen","second":S}}"#, true),
            (r#"{"add-table":{"table":1,"clusters":1,"training":false,"second":S}}"#, true),
            (r#"{"configure":{"key":"k","value":"v","why":"w","second":S}}"#, true),
            (r#"{"reissue-voucher":{"serial":1,"number":{"hash":[HASH],"digits":1},"second":S}}"#, true),
            (r#"{"void-voucher":{"hash":[HASH],"why":"w","second":S}}"#, true),
            (r#"{"give-code":{"device":1,"second":S}}"#, true),
            (r#"{"sell-voucher":{"number":{"hash":[HASH],"digits":1},"amount":1,"second":S}}"#, false),
            (r#"{"pay-claim":{"claim":1,"second":S}}"#, false),
        ];
        for (json, is_sensitive) in house {
            let json = json.replace("HASH", &["0"; 32].join(","));
            check::<HouseCommand>(&json, outside, inside, is_sensitive);
        }
        let reverse = r#"{"reverse-buy-in":{"seat":1,"receipt":1,"why":"w","second":S}}"#;
        check::<ClusterCommand>(reverse, outside, inside, true);
        for json in [
            r#"{"buy-in":{"seat":1,"amount":1,"second":S}}"#,
            r#"{"issue-colour":{"seat":1,"colour":1,"value":1,"chips":1,"second":S}}"#,
            r#"{"register":{"seat":1,"stakes":[{"box":"big","amount":1}],"second":S}}"#,
            r#"{"register-from-film":{"round":1,"seat":1,"player":"p","stake":{"box":"big","amount":1},"second":S}}"#,
            r#"{"withdraw-from-film":{"round":1,"line":1,"second":S}}"#,
            r#"{"close-returns":{"round":1,"second":S}}"#,
        ] {
            check::<ClusterCommand>(json, outside, inside, false);
        }
    }

    fn check<C>(json: &str, outside: &str, inside: Person, is_sensitive: bool)
    where
        C: Sensitive + Clone + PartialEq + std::fmt::Debug + serde::Serialize + serde::de::DeserializeOwned,
    {
        let claimed: C = serde_json::from_str(&json.replace('S', outside)).unwrap();
        let alone: C = serde_json::from_str(&json.replace('S', "null")).unwrap();
        assert_ne!(claimed, alone);
        assert_eq!(claimed.without_second(), alone);
        assert_eq!(alone.is_sensitive(), is_sensitive, "{json}");
        let mut both = alone.clone().with_second(inside);
        assert_eq!(both.second(), Some(&mut Some(inside)));
        assert!(both.is_sensitive(), "{json}");
        assert_eq!(both.without_second(), alone);
    }
}
