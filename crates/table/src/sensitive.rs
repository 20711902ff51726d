//! Which commands need a recent password (F51), and where a command names its second person. Clients never name that person: the
//! server fills in who approved.

use crate::identity::Person;

/// When a command needs a recent password, with the place of its second person.
#[derive(Debug)]
pub enum PasswordRule<'a> {
    Never,
    /// Only large ones have a second person, and are refused without.
    WithSecond(&'a mut Option<Person>),
    Always(Option<&'a mut Option<Person>>),
}

impl<'a> PasswordRule<'a> {
    fn into_second(self) -> Option<&'a mut Option<Person>> {
        match self {
            Self::Never => None,
            Self::WithSecond(second) => Some(second),
            Self::Always(second) => second,
        }
    }
}

/// A command that may need a recent password or a second person.
pub trait Sensitive: Clone {
    fn password_rule(&mut self) -> PasswordRule<'_>;

    /// Whether the password must be recent. Ask this of the command with its second person, if it gets one.
    fn is_sensitive(&self) -> bool {
        match self.clone().password_rule() {
            PasswordRule::Never => false,
            PasswordRule::WithSecond(second) => second.is_some(),
            PasswordRule::Always(_) => true,
        }
    }

    /// The second person, where the command names one.
    fn second(&self) -> Option<Person> {
        self.clone().password_rule().into_second().copied().flatten()
    }

    /// The command without a second person: what is taken from clients, and what is approved.
    #[must_use]
    fn without_second(mut self) -> Self {
        if let Some(second) = self.password_rule().into_second() {
            *second = None;
        }
        self
    }

    /// The command with the second person who approved it; unchanged if it has no place for one.
    #[must_use]
    fn with_second(mut self, person: Person) -> Self {
        if let Some(second) = self.password_rule().into_second() {
            *second = Some(person);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{PersonId, Role, Roles};
    use crate::{ClusterCommand, HouseCommand, RoundCommand};

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
        let both = alone.clone().with_second(inside);
        assert_eq!(both.second(), Some(inside));
        assert!(both.is_sensitive(), "{json}");
        assert_eq!(both.without_second(), alone);
    }
}
