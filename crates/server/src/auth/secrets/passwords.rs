//! Stored password hashes.

use taisai_table::{PersonId, SecretOwner, Time};

use super::store::{Row, SecretStore};
use super::{Secrets, SecretsError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Password {
    /// Chosen by the person: an Argon2id hash as a PHC string.
    Own(String),
    /// A one-time password: the BLAKE3 hash of its 128 random bits, in hex.
    OneTime(String),
}

const TABLE: &str = "passwords";

impl Secrets {
    /// The password of a person. One that is older than the newest that the House knows was restored, and is refused.
    pub(crate) async fn password(&self, person: PersonId, newest: u32) -> Result<Option<Password>, SecretsError> {
        let row = self.with(move |store| password_row(store, person)).await?;
        let Some(row) = row else { return Ok(None) };
        if row.get::<u32>(4)? < newest {
            self.refused.add(SecretOwner::Person(person));
            return Ok(None);
        }
        let hash = row.text(1)?;
        Ok(Some(if row.get::<i64>(2)? != 0 { Password::OneTime(hash) } else { Password::Own(hash) }))
    }

    /// The version of the password of a person; zero if there is none.
    pub(crate) async fn password_version(&self, person: PersonId) -> Result<u32, SecretsError> {
        self.with(move |store| version(store, person)).await
    }

    /// Sets a password, and returns its version, which is to be recorded.
    pub(crate) async fn set_password(
        &self,
        person: PersonId,
        password: Password,
        now: Time,
        newest: u32,
    ) -> Result<u32, SecretsError> {
        let insert = "INSERT INTO passwords (person, hash, is_one_time, changed, version, mac)
                      VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (person) DO UPDATE
                      SET hash = excluded.hash, is_one_time = excluded.is_one_time, changed = excluded.changed,
                          version = excluded.version, mac = excluded.mac";
        let (hash, is_one_time) = match password {
            Password::Own(hash) => (hash, false),
            Password::OneTime(hash) => (hash, true),
        };
        self.with(move |store| {
            let version = version(store, person)?.max(newest) + 1;
            let values = vec![person.0.into(), hash.as_str().into(), is_one_time.into(), now.0.into(), version.into()];
            store.change_authentic(TABLE, insert, values)?;
            Ok(version)
        })
        .await
    }
}

fn password_row(store: &mut SecretStore, person: PersonId) -> Result<Option<Row>, SecretsError> {
    let select = "SELECT person, hash, is_one_time, changed, version, mac FROM passwords WHERE person = $1";
    Ok(store.authentic_rows(TABLE, select, &[person.0.into()], owner)?.pop())
}

fn version(store: &mut SecretStore, person: PersonId) -> Result<u32, SecretsError> {
    password_row(store, person)?.map_or(Ok(0), |row| row.get(4))
}

/// Whether a person has yet to choose a password; also if what is stored is not believed.
pub(super) fn is_one_time(store: &mut SecretStore, person: PersonId) -> Result<bool, SecretsError> {
    password_row(store, person)?.map_or(Ok(true), |row| Ok(row.get::<i64>(2)? != 0))
}

pub(super) fn owner(row: &Row) -> Result<SecretOwner, SecretsError> {
    Ok(SecretOwner::Person(PersonId(row.get(0)?)))
}
