//! Stored password hashes.

use taisai_table::{PersonId, Time};

use super::{Secrets, SecretsError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Password {
    /// Chosen by the person: an Argon2id hash as a PHC string.
    Own(String),
    /// A one-time password: the BLAKE3 hash of its 128 random bits, in hex.
    OneTime(String),
}

impl Secrets {
    pub(crate) async fn password(&self, person: PersonId) -> Result<Option<Password>, SecretsError> {
        let select = "SELECT hash, is_one_time FROM passwords WHERE person = $1";
        let rows = self.with(move |store| store.rows(select, &[person.0.into()])).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let (hash, is_one_time) = (row.text(0)?, row.get::<i64>(1)? != 0);
        Ok(Some(if is_one_time { Password::OneTime(hash) } else { Password::Own(hash) }))
    }

    pub(crate) async fn set_password(
        &self,
        person: PersonId,
        password: Password,
        now: Time,
    ) -> Result<(), SecretsError> {
        let insert = "INSERT INTO passwords (person, hash, is_one_time, changed) VALUES ($1, $2, $3, $4)
                      ON CONFLICT (person) DO UPDATE
                      SET hash = excluded.hash, is_one_time = excluded.is_one_time, changed = excluded.changed";
        let (hash, is_one_time) = match password {
            Password::Own(hash) => (hash, false),
            Password::OneTime(hash) => (hash, true),
        };
        let values = [person.0.into(), hash.as_str().into(), is_one_time.into(), now.0.into()];
        self.with(move |store| store.change(insert, &values)).await.map(drop)
    }
}
