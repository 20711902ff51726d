//! Keys of the installation, by name, each created when it is first read.

use super::store::SecretStore;
use super::{Secrets, SecretsError};

pub(crate) fn random<const N: usize>() -> Result<[u8; N], SecretsError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| SecretsError::Random)?;
    Ok(bytes)
}

impl Secrets {
    /// The key of that name, which never changes.
    pub(crate) async fn key(&self, name: &'static str) -> Result<[u8; 32], SecretsError> {
        let find = move |store: &mut SecretStore| {
            let insert = "INSERT INTO keys (name, key) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
            let select = "SELECT key FROM keys WHERE name = $1";
            if store.rows(select, &[name.into()])?.is_empty() {
                store.change(insert, &[name.into(), random::<32>()?.into()])?;
            }
            store.rows(select, &[name.into()])?.first().ok_or(SecretsError::Damaged("a key is missing"))?.bytes(0)
        };
        self.with(find).await
    }
}
