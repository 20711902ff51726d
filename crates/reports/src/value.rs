//! A value in a reporting table, for both stores.

use std::error::Error;
use std::sync::Arc;

use bytes::BytesMut;
use rusqlite::types::{ToSqlOutput, ValueRef};
use serde::Serialize;
use serde_variant::to_variant_name;
use taisai_rules::Money;
use taisai_table::{ClaimId, PersonId, ReceivableId, RoundNumber, Seat, SessionId, Time};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// A value: nothing, a whole number, or text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SqlValue {
    Empty,
    Number(i64),
    /// A constant text.
    Word(&'static str),
    Text(Arc<str>),
}

impl SqlValue {
    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Empty | Self::Number(_) => None,
            Self::Word(text) => Some(text),
            Self::Text(text) => Some(text),
        }
    }

    /// The number, if it is one.
    pub const fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Empty | Self::Word(_) | Self::Text(_) => None,
        }
    }
}

impl rusqlite::ToSql for SqlValue {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match self {
            Self::Empty => ValueRef::Null,
            Self::Number(number) => ValueRef::Integer(*number),
            Self::Word(text) => ValueRef::Text(text.as_bytes()),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}

impl ToSql for SqlValue {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Empty => Ok(IsNull::Yes),
            Self::Number(number) => number.to_sql_checked(kind, out),
            Self::Word(text) => text.to_sql_checked(kind, out),
            Self::Text(text) => (&**text).to_sql_checked(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [Type::INT8, Type::TEXT].contains(kind)
    }

    to_sql_checked!();
}

impl From<i64> for SqlValue {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u64> for SqlValue {
    /// # Panics
    /// If the number is 2^63 or larger, which nothing in a record is.
    fn from(number: u64) -> Self {
        Self::Number(number.try_into().expect("times and counts of a record are below 2^63"))
    }
}

impl From<&'static str> for SqlValue {
    fn from(word: &'static str) -> Self {
        Self::Word(word)
    }
}

impl From<Arc<str>> for SqlValue {
    fn from(text: Arc<str>) -> Self {
        Self::Text(text)
    }
}

impl From<String> for SqlValue {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<bool> for SqlValue {
    fn from(holds: bool) -> Self {
        Self::Number(holds.into())
    }
}

impl<T: Into<Self>> From<Option<T>> for SqlValue {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

macro_rules! small {
    ($($number:ty),*) => {
        $(impl From<$number> for SqlValue {
            fn from(number: $number) -> Self {
                Self::Number(number.into())
            }
        })*
    };
}

small!(u8, u16, u32);

macro_rules! numbered {
    ($($name:ident),*) => {
        $(impl From<$name> for SqlValue {
            fn from(id: $name) -> Self {
                id.0.into()
            }
        })*
    };
}

numbered!(ClaimId, PersonId, ReceivableId, RoundNumber, Seat, SessionId, Time);

impl From<Money> for SqlValue {
    fn from(money: Money) -> Self {
        Self::Number(money.cents())
    }
}

/// The name of an enum's variant as its JSON spells it: `SellVoucher { … }` is `sell-voucher`.
///
/// # Panics
/// If it is no enum.
pub(crate) fn variant_name(variant: &impl Serialize) -> &'static str {
    to_variant_name(variant).expect("commands, events and reasons are enums")
}

#[cfg(test)]
mod tests {
    use taisai_table::{ClaimReason, ClusterId, HouseCommand, RoundNumber, TableId, VoidReason};

    use super::*;

    #[test]
    fn variants_have_the_names_of_their_json() {
        assert_eq!(variant_name(&HouseCommand::Tick), "tick");
        assert_eq!(variant_name(&VoidReason::FewTumbles), "few-tumbles");
        assert_eq!(variant_name(&ClaimReason::Correction(RoundNumber(7))), "correction");
        let cluster = ClusterId { table: TableId(1), number: 0 };
        assert_eq!(variant_name(&HouseCommand::Delivered { cluster, number: 1 }), "delivered");
    }
}
