//! Device keys and the hashes of enrolment codes.

use taisai_table::{DeviceId, Time};

use super::store::{Row, SecretValue};
use super::{Secrets, SecretsError};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoredDevice {
    pub(crate) device: DeviceId,
    /// Ed25519.
    pub(crate) key: [u8; 32],
    /// The source of its commands.
    pub(crate) source: u64,
}

impl Secrets {
    pub(crate) async fn devices(&self) -> Result<Vec<StoredDevice>, SecretsError> {
        let rows = self.with(|store| store.rows("SELECT device, key, source FROM devices", &[])).await?;
        rows.iter().map(kept).collect()
    }

    pub(crate) async fn device(&self, device: DeviceId) -> Result<Option<StoredDevice>, SecretsError> {
        let select = "SELECT device, key, source FROM devices WHERE device = $1";
        let rows = self.with(move |store| store.rows(select, &[device.0.into()])).await?;
        rows.first().map(kept).transpose()
    }

    pub(crate) async fn enrol(&self, StoredDevice { device, key, source }: StoredDevice) -> Result<(), SecretsError> {
        let insert = "INSERT INTO devices (device, key, source) VALUES ($1, $2, $3)
                      ON CONFLICT (device) DO UPDATE SET key = excluded.key, source = excluded.source";
        let values = [device.0.into(), key.into(), source.into()];
        self.with(move |store| store.change(insert, &values)).await.map(drop)
    }

    /// Stores the hash of an enrolment code, in place of an older one.
    pub(crate) async fn add_code(&self, code: [u8; 32], device: DeviceId, expires: Time) -> Result<(), SecretsError> {
        let insert = "INSERT INTO codes (device, code, expires) VALUES ($1, $2, $3)
                      ON CONFLICT (device) DO UPDATE SET code = excluded.code, expires = excluded.expires";
        let values = [device.0.into(), code.into(), expires.0.into()];
        self.with(move |store| store.change(insert, &values)).await.map(drop)
    }

    /// The device that a code enrols. The code is used up.
    pub(crate) async fn use_code(&self, code: [u8; 32], now: Time) -> Result<Option<DeviceId>, SecretsError> {
        let delete = "DELETE FROM codes WHERE code = $1 RETURNING device, expires";
        let values: [SecretValue; 1] = [code.into()];
        let rows = self.with(move |store| store.rows(delete, &values)).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let (device, expires) = (DeviceId(row.get(0)?), Time(row.get(1)?));
        Ok((now < expires).then_some(device))
    }
}

fn kept(row: &Row) -> Result<StoredDevice, SecretsError> {
    Ok(StoredDevice { device: DeviceId(row.get(0)?), key: row.bytes(1)?, source: row.get(2)? })
}
