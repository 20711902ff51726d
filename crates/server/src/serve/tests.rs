//! Opening an installation whose key file a program before 0.2 wrote.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::*;
use crate::tests::plan::plan;
use crate::tests::running::RunningServer;

/// As programs before 0.2 had it.
fn make_older(key_file: &Path) -> String {
    let text = fs::read_to_string(key_file).unwrap();
    let signing = text.lines().find_map(|line| line.strip_prefix("signing ")).unwrap();
    let older = format!("taisai signing key 1\n{signing}\n");
    fs::write(key_file, &older).unwrap();
    older
}

/// Opens the installation of a folder on one machine.
async fn open(folder: &Path, new_secrets: bool) -> Result<OpenedNode, ServeError> {
    let installation = plan(folder, &[8]);
    let open = move || {
        let of_node = (&NodeAddress::default(), &FormerNames::default(), ([127, 0, 0, 1], 0).into(), false);
        open_node(installation, new_secrets, of_node, &Arc::new(Metrics::new()), Arc::new(drop))
    };
    tokio::task::spawn_blocking(open).await.unwrap()
}

#[tokio::test]
async fn an_older_key_file_stays_as_it_is_while_its_keys_are_missing_or_in_use() {
    let server = RunningServer::start().await;
    let data = server.data();
    let key_file = data.join("house.key");
    let older = make_older(&key_file);
    let second = open(data.parent().unwrap(), false).await;
    assert!(matches!(second, Err(ServeError::Node(_))), "another program runs it");
    assert_eq!(fs::read_to_string(&key_file).unwrap(), older);

    let folder = server.close().await;
    fs::remove_file(data.join("secrets.db")).unwrap();
    let restored = open(folder.path(), false).await;
    assert!(matches!(restored, Err(ServeError::Secrets(SecretsError::Missing { .. }))), "the voucher key is missing");
    assert_eq!(fs::read_to_string(&key_file).unwrap(), older);
    assert!(!data.join("house.key.before").exists());

    let (node, _, keys) = open(folder.path(), true).await.unwrap();
    assert_eq!(Keys::open(&key_file).unwrap().fingerprint(), keys.fingerprint());
    let before = data.join("house.key.before");
    assert_eq!(fs::read_to_string(&before).unwrap(), older);
    assert_eq!(fs::metadata(&before).unwrap().permissions().mode() & 0o777, 0o600);
    close(node).await.unwrap();
}
