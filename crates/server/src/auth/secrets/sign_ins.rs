//! Stored sign-ins, so that a restart signs nobody out.

use taisai_table::{PersonId, SecretOwner, Time};

use super::passwords::is_one_time;
use super::store::{Row, SecretStore, SecretValue};
use super::{Secrets, SecretsError};

const TABLE: &str = "sign_ins";
const FURTHER: &str = "further_sources";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredSignIn {
    /// The source of its commands, which also identifies the sign-in.
    pub(crate) source: u64,
    /// The BLAKE3 hash of the cookie's token.
    pub(crate) token: [u8; 32],
    pub(crate) person: PersonId,
    pub(crate) begun: Time,
    /// To about a minute.
    pub(crate) used: Time,
    pub(crate) asked: Time,
    /// The sources of its screens.
    pub(crate) further: Vec<u64>,
    /// Whether the person has yet to choose a password.
    pub(crate) is_one_time: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignInKey {
    /// The hash of its token.
    Token([u8; 32]),
    Source(u64),
}

impl Secrets {
    pub(crate) async fn sign_ins(&self) -> Result<Vec<StoredSignIn>, SecretsError> {
        self.with(|store| read(store, "true", &[])).await
    }

    pub(crate) async fn sign_in(&self, which: SignInKey) -> Result<Option<StoredSignIn>, SecretsError> {
        let find = move |store: &mut SecretStore| match which {
            SignInKey::Token(token) => read(store, "s.token = $1", &[token.into()]),
            SignInKey::Source(source) => read(store, "s.source = $1", &[source.into()]),
        };
        Ok(self.with(find).await?.pop())
    }

    pub(crate) async fn begin(&self, begun: StoredSignIn) -> Result<(), SecretsError> {
        let insert = "INSERT INTO sign_ins (source, token, person, begun, used, asked, mac)
                      VALUES ($1, $2, $3, $4, $5, $6, $7)";
        self.with(move |store| store.change_authentic(TABLE, insert, begun.values())).await.map(drop)
    }

    pub(crate) async fn used(&self, source: u64, used: Time, asked: Time) -> Result<(), SecretsError> {
        let update =
            "UPDATE sign_ins SET (source, token, person, begun, used, asked, mac) = ($1, $2, $3, $4, $5, $6, $7)
                      WHERE source = $1";
        let write = move |store: &mut SecretStore| {
            let Some(before) = read(store, "s.source = $1", &[source.into()])?.pop() else { return Ok(()) };
            let values = StoredSignIn { used, asked, ..before }.values();
            store.change_authentic(TABLE, update, values).map(drop)
        };
        self.with(write).await
    }

    /// Adds the source of a screen, perhaps in place of another.
    pub(crate) async fn add_source(&self, source: u64, further: u64, dropped: Option<u64>) -> Result<(), SecretsError> {
        let add = move |store: &mut SecretStore| {
            if let Some(dropped) = dropped {
                store.change("DELETE FROM further_sources WHERE further = $1", &[dropped.into()])?;
            }
            let insert = "INSERT INTO further_sources (further, source, mac) VALUES ($1, $2, $3)";
            store.change_authentic(FURTHER, insert, vec![further.into(), source.into()])
        };
        self.with(add).await.map(drop)
    }

    /// Ends all sign-ins of a person but one.
    pub(crate) async fn end_of(&self, person: PersonId, save: Option<u64>) -> Result<(), SecretsError> {
        let values: [SecretValue; 2] = [person.0.into(), save.unwrap_or_default().into()];
        let end = move |store: &mut SecretStore| {
            let further = "DELETE FROM further_sources WHERE source IN
                           (SELECT source FROM sign_ins WHERE person = $1 AND source <> $2)";
            store.change(further, &values)?;
            store.change("DELETE FROM sign_ins WHERE person = $1 AND source <> $2", &values)
        };
        self.with(end).await.map(drop)
    }

    pub(crate) async fn end(&self, sources: Vec<u64>) -> Result<(), SecretsError> {
        let end = move |store: &mut SecretStore| {
            for source in sources {
                let source: [SecretValue; 1] = [source.into()];
                store.change("DELETE FROM sign_ins WHERE source = $1", &source)?;
                store.change("DELETE FROM further_sources WHERE source = $1", &source)?;
            }
            Ok(())
        };
        self.with(end).await
    }
}

fn read(store: &mut SecretStore, condition: &str, values: &[SecretValue]) -> Result<Vec<StoredSignIn>, SecretsError> {
    let select = format!(
        "SELECT s.source, s.token, s.person, s.begun, s.used, s.asked, s.mac FROM sign_ins s
         WHERE {condition} ORDER BY s.source"
    );
    let rows = store.authentic_rows(TABLE, &select, values, owner)?;
    let mut sign_ins = Vec::new();
    for row in rows {
        let (source, person) = (row.get(0)?, PersonId(row.get(2)?));
        let select = "SELECT further, source, mac FROM further_sources WHERE source = $1 ORDER BY further";
        let owner = |_: &Row| Ok(SecretOwner::Person(person));
        let further = store.authentic_rows(FURTHER, select, &[SecretValue::from(source)], owner)?;
        sign_ins.push(StoredSignIn {
            source,
            token: row.bytes(1)?,
            person,
            begun: Time(row.get(3)?),
            used: Time(row.get(4)?),
            asked: Time(row.get(5)?),
            further: further.iter().map(|row| row.get(0)).collect::<Result<_, _>>()?,
            is_one_time: is_one_time(store, person)?,
        });
    }
    Ok(sign_ins)
}

impl StoredSignIn {
    /// What its row is authenticated with.
    fn values(&self) -> Vec<SecretValue> {
        let Self { source, token, person, begun, used, asked, .. } = *self;
        vec![source.into(), token.into(), person.0.into(), begun.0.into(), used.0.into(), asked.0.into()]
    }
}

pub(super) fn owner(row: &Row) -> Result<SecretOwner, SecretsError> {
    Ok(SecretOwner::Person(PersonId(row.get(2)?)))
}
