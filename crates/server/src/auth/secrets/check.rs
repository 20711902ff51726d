//! The secrets of a stopped or running installation, as an auditor with the key file sees them. Nothing is changed.

use taisai_journal::Keys;
use taisai_record::Address;
use taisai_table::{House, SecretOwner};

use super::store::{Row, SecretDatabase, SecretStore};
use super::{SecretsError, devices, passwords, sign_ins};

/// What is wrong with the secrets of an installation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretFinding {
    /// Whoever may read the store has them.
    #[error("{place} still has keys in it: taisai serve moves them into the key file at its next start")]
    KeysInStore { place: String },
    #[error("{place} was not written with the keys of this file")]
    OtherKeys { place: String },
    /// The row was made up, changed, or copied from another owner.
    #[error("{place}: the row for {} in {table} is not what the casino stored for that owner", of(*owner))]
    NotAuthentic { place: String, table: &'static str, owner: SecretOwner },
    /// The row was put back after it was replaced.
    #[error("{place}: the row for {} in {table} is older than the newest on record: it was put back", of(*owner))]
    Older { place: String, table: &'static str, owner: SecretOwner },
}

fn of(owner: SecretOwner) -> String {
    match owner {
        SecretOwner::Person(person) => format!("person {}", person.0),
        SecretOwner::Device(device) => format!("device {}", device.0),
    }
}

/// A table, its columns, and where its version is, if it has one.
type CheckedTable = (&'static str, &'static str, Option<usize>, fn(&Row) -> Result<SecretOwner, SecretsError>);

const TABLES: [CheckedTable; 4] = [
    ("passwords", "person, hash, is_one_time, changed, version, mac", Some(4), passwords::owner),
    ("devices", "device, key, source, version, mac", Some(3), devices::owner),
    ("codes", "device, code, expires, version, mac", None, devices::owner),
    ("sign_ins", "source, token, person, begun, used, asked, mac", None, sign_ins::owner),
];

/// Checks the secrets beside a record against the key file, and against what the House has on record if that is given. An installation
/// without secrets has nothing wrong with them.
pub fn check_secrets(
    address: &Address,
    keys: &Keys,
    house: Option<&House>,
) -> Result<Vec<SecretFinding>, SecretsError> {
    let place = SecretStore::place(address);
    let Some(mut connection) = SecretDatabase::open_to_read(address)? else { return Ok(Vec::new()) };
    if connection.has_keys()? {
        return Ok(vec![SecretFinding::KeysInStore { place }]);
    }
    let key = SecretStore::row_key(keys);
    if !connection.is_marked_with(&key)? {
        return Ok(vec![SecretFinding::OtherKeys { place }]);
    }
    let mut findings = Vec::new();
    for (table, columns, version, owner) in TABLES {
        for row in connection.rows(&format!("SELECT {columns} FROM {table}"), &[])? {
            let (place, owner) = (place.clone(), owner(&row)?);
            if !key.is_right(table, row.values()) {
                findings.push(SecretFinding::NotAuthentic { place, table, owner });
            } else if let (Some(version), Some(house)) = (version, house)
                && row.get::<u32>(version)? < house.secret_version(owner)
            {
                findings.push(SecretFinding::Older { place, table, owner });
            }
        }
    }
    Ok(findings)
}
