//! How boxes, money and dice are written down: for people (JSON) a box is its text, for machines its place in the
//! notation; money is whole cents, dice are their numbers.

use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{BetBox, BoxKey, Dice, Face, Money};

impl Serialize for BetBox {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(self.text())
        } else {
            serializer.serialize_u8(self.place())
        }
    }
}

impl<'de> Deserialize<'de> for BetBox {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
            text.parse().map_err(D::Error::custom)
        } else {
            BetBox::at(u8::deserialize(deserializer)?).ok_or_else(|| D::Error::custom("there is no such box"))
        }
    }
}

impl Serialize for BoxKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Kind(kind) => serializer.serialize_str(kind.text()),
            Self::Box(bet_box) => serializer.serialize_str(bet_box.text()),
        }
    }
}

impl<'de> Deserialize<'de> for BoxKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <std::borrow::Cow<'de, str>>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.cents())
    }
}

impl<'de> Deserialize<'de> for Money {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i64::deserialize(deserializer).map(Money::from_cents)
    }
}

impl Serialize for Face {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.number())
    }
}

impl<'de> Deserialize<'de> for Face {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Face::try_from(u8::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Serialize for Dice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.faces().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Dice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <[Face; 3]>::deserialize(deserializer).map(Dice::from)
    }
}
