//! Stored sign-ins, so that a restart signs nobody out.

use taisai_table::{PersonId, Time};

use super::store::{Row, SecretStore, SecretValue};
use super::{Secrets, SecretsError};

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
        let insert = "INSERT INTO sign_ins (source, token, person, begun, used, asked) VALUES ($1, $2, $3, $4, $5, $6)";
        let StoredSignIn { source, token, person, begun, used, asked, .. } = begun;
        let values = [source.into(), token.into(), person.0.into(), begun.0.into(), used.0.into(), asked.0.into()];
        self.with(move |store| store.change(insert, &values)).await.map(drop)
    }

    pub(crate) async fn used(&self, source: u64, used: Time, asked: Time) -> Result<(), SecretsError> {
        let update = "UPDATE sign_ins SET used = $1, asked = $2 WHERE source = $3";
        let values = [used.0.into(), asked.0.into(), source.into()];
        self.with(move |store| store.change(update, &values)).await.map(drop)
    }

    /// Adds the source of a screen, perhaps in place of another.
    pub(crate) async fn add_source(&self, source: u64, further: u64, dropped: Option<u64>) -> Result<(), SecretsError> {
        let add = move |store: &mut SecretStore| {
            if let Some(dropped) = dropped {
                store.change("DELETE FROM further_sources WHERE further = $1", &[dropped.into()])?;
            }
            let insert = "INSERT INTO further_sources (further, source) VALUES ($1, $2)";
            store.change(insert, &[further.into(), source.into()])
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
        "SELECT f.source, f.further FROM further_sources f JOIN sign_ins s ON s.source = f.source
         WHERE {condition} ORDER BY f.further"
    );
    let further = store.rows(&select, values)?;
    let pair = |row: &Row| -> Result<(u64, u64), SecretsError> { Ok((row.get(0)?, row.get(1)?)) };
    let further: Vec<_> = further.iter().map(pair).collect::<Result<_, _>>()?;
    let select = format!(
        "SELECT s.source, s.token, s.person, s.begun, s.used, s.asked, coalesce(p.is_one_time, 1)
         FROM sign_ins s LEFT JOIN passwords p ON p.person = s.person WHERE {condition} ORDER BY s.source"
    );
    let kept = |row: &Row| {
        let source = row.get(0)?;
        Ok(StoredSignIn {
            source,
            token: row.bytes(1)?,
            person: PersonId(row.get(2)?),
            begun: Time(row.get(3)?),
            used: Time(row.get(4)?),
            asked: Time(row.get(5)?),
            further: further.iter().filter(|(of, _)| *of == source).map(|(_, further)| *further).collect(),
            is_one_time: row.get::<i64>(6)? != 0,
        })
    };
    store.rows(&select, values)?.iter().map(kept).collect()
}
