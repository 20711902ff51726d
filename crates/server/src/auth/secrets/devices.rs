//! Device keys and the hashes of enrolment codes.

use taisai_table::{DeviceId, SecretOwner, Time};

use super::store::{Row, SecretStore, SecretValue};
use super::{Secrets, SecretsError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoredDevice {
    pub(crate) device: DeviceId,
    /// Ed25519.
    pub(crate) key: [u8; 32],
    /// The source of its commands.
    pub(crate) source: u64,
    /// Counted for each device.
    pub(crate) version: u32,
}

/// What a code enrols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CodeUse {
    pub(crate) device: DeviceId,
    /// The version of the key that it enrols.
    pub(crate) version: u32,
}

const TABLE: &str = "devices";
const CODES: &str = "codes";

impl Secrets {
    pub(crate) async fn devices(&self) -> Result<Vec<StoredDevice>, SecretsError> {
        self.with(|store| device_rows(store, "true", &[])).await
    }

    pub(crate) async fn device(&self, device: DeviceId) -> Result<Option<StoredDevice>, SecretsError> {
        Ok(self.with(move |store| device_rows(store, "device = $1", &[device.0.into()])).await?.pop())
    }

    pub(crate) async fn enrol(
        &self,
        StoredDevice { device, key, source, version }: StoredDevice,
    ) -> Result<(), SecretsError> {
        let insert = "INSERT INTO devices (device, key, source, version, mac) VALUES ($1, $2, $3, $4, $5)
                      ON CONFLICT (device) DO UPDATE SET key = excluded.key, source = excluded.source,
                          version = excluded.version, mac = excluded.mac";
        let values = vec![device.0.into(), key.into(), source.into(), version.into()];
        self.with(move |store| store.change_authentic(TABLE, insert, values)).await.map(drop)
    }

    /// Stores the hash of an enrolment code, in place of an older one.
    pub(crate) async fn add_code(
        &self,
        code: [u8; 32],
        device: DeviceId,
        expires: Time,
        newest: u32,
    ) -> Result<(), SecretsError> {
        let insert = "INSERT INTO codes (device, code, expires, version, mac) VALUES ($1, $2, $3, $4, $5)
                      ON CONFLICT (device) DO UPDATE SET code = excluded.code, expires = excluded.expires,
                          version = excluded.version, mac = excluded.mac";
        self.with(move |store| {
            let before = device_rows(store, "device = $1", &[device.0.into()])?.pop();
            let version = before.map_or(0, |before| before.version).max(newest) + 1;
            let values = vec![device.0.into(), code.into(), expires.0.into(), version.into()];
            store.change_authentic(CODES, insert, values)
        })
        .await
        .map(drop)
    }

    /// What a code enrols. The code is used up.
    pub(crate) async fn use_code(&self, code: [u8; 32], now: Time) -> Result<Option<CodeUse>, SecretsError> {
        let delete = "DELETE FROM codes WHERE code = $1 RETURNING device, code, expires, version, mac";
        let values: [SecretValue; 1] = [code.into()];
        let rows = self.with(move |store| store.authentic_rows(CODES, delete, &values, owner)).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let code = CodeUse { device: DeviceId(row.get(0)?), version: row.get(3)? };
        Ok((now < Time(row.get(2)?)).then_some(code))
    }

    /// Someone presented what is older than the newest secret of a device.
    pub(crate) fn refuse_device(&self, device: DeviceId) {
        self.refused.add(SecretOwner::Device(device));
    }
}

fn device_rows(
    store: &mut SecretStore,
    condition: &str,
    values: &[SecretValue],
) -> Result<Vec<StoredDevice>, SecretsError> {
    let select = format!("SELECT device, key, source, version, mac FROM devices WHERE {condition}");
    let kept = |row: &Row| {
        let (device, key) = (DeviceId(row.get(0)?), row.bytes(1)?);
        Ok(StoredDevice { device, key, source: row.get(2)?, version: row.get(3)? })
    };
    store.authentic_rows(TABLE, &select, values, owner)?.iter().map(kept).collect()
}

pub(super) fn owner(row: &Row) -> Result<SecretOwner, SecretsError> {
    Ok(SecretOwner::Device(DeviceId(row.get(0)?)))
}
