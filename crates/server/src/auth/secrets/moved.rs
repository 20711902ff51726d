//! Moves keys out of the store. Programs before 0.2 had the key of voucher numbers and that of the nodes among the secrets, and the
//! signing key alone in a file.

use std::path::Path;

use taisai_journal::{KeyFileContent, Keys};
use taisai_record::Address;

use super::store::{IN_USE, SecretDatabase, SecretStore, StoredKeys};
use super::{Expected, SecretsError};

/// Writes the keys of a store into its key file, if the file has the signing key alone. They are taken out of the store when it is
/// opened next. Nothing is written where they are missing. Call it only where no other program runs the installation. Blocks on the
/// disk or the database.
pub(crate) fn move_keys(address: &Address, path: &Path, expected: Expected) -> Result<(), SecretsError> {
    let Some(KeyFileContent::SigningOnly(signing)) = KeyFileContent::read(path)? else { return Ok(()) };
    let mut keys = Keys { signing: *signing, ..Keys::random()? };
    match SecretStore::stored_keys(address)? {
        StoredKeys::Here { voucher: None, nodes: None } | StoredKeys::None if expected == Expected::There => {
            return Err(SecretsError::Missing { place: SecretStore::place(address) });
        }
        StoredKeys::Here { voucher, nodes } => {
            keys.voucher = voucher.unwrap_or(keys.voucher);
            keys.nodes = nodes.unwrap_or(keys.nodes);
        }
        StoredKeys::Moved => {
            return Err(SecretsError::KeysMoved { file: path.into(), place: SecretStore::place(address) });
        }
        StoredKeys::None => {}
    }
    keys.replace_older(path)?;
    tracing::warn!(
        file = %path.display(),
        "every key of the casino is in the key file now: keep a copy of it elsewhere; older backups still have keys in them"
    );
    Ok(())
}

/// Drops all secrets: without the key file nobody can authenticate them. Blocks on the disk or the database.
pub(crate) fn forget_secrets(address: &Address) -> Result<(), SecretsError> {
    let Some(mut store) = SecretDatabase::open(address, false)? else { return Ok(()) };
    store.begin()?;
    for table in ["passwords", "sign_ins", "further_sources", "devices", "codes", "keys", IN_USE, "layout"] {
        store.change(&format!("DROP TABLE IF EXISTS {table}"), &[])?;
    }
    store.commit()
}
