//! Replaces keys from the machine of a stopped installation. The House records it as a command of the system.

use std::path::PathBuf;
use std::sync::Arc;

use taisai_journal::{KeyError, KeyFileContent, Keys, LeaseError, LeaseTiming, Leases, PublicKey};
use taisai_record::{Address, WarningSink};
use taisai_table::{Actor, CommandRequest, HouseCommand, Refusal, Verdict};

use crate::auth::secrets::{SecretsError, forget_secrets};
use crate::node::clock::{self, OwnIds, Share};
use crate::node::stopped::Stopped;
use crate::node::{InstallationPlan, NodeError, Opened, keys_in_use};

#[derive(Debug, thiserror::Error)]
pub enum KeyChangeError {
    #[error(transparent)]
    Node(#[from] NodeError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    #[error(transparent)]
    Leases(#[from] LeaseError),
    #[error(transparent)]
    Stopped(#[from] Stopped),
    #[error("the node at {0} runs: stop every node first")]
    Runs(String),
    #[error("the record knows no keys yet: start taisai serve once, and stop it")]
    NotRecorded,
    #[error("{} is there, and keys that are there are never made anew: taisai keys rotate replaces the signing key", .0.display())]
    NotLost(PathBuf),
    /// The House refuses it.
    #[error("{}", .0.sentence())]
    Refused(Refusal),
}

/// Replaces the signing key. The old one vouches for the entry that replaces it, and for nothing that comes after. Returns the old
/// and the new key. Where an earlier call was interrupted, it is completed.
pub fn rotate_keys(plan: &InstallationPlan, warn: &WarningSink) -> Result<(PublicKey, PublicKey), KeyChangeError> {
    refuse_running(plan)?;
    let path = &plan.files.key_file;
    let mut keys = Keys::open(path)?;
    if keys.next.is_none() {
        keys.next = Some(Keys::random()?.signing);
        keys.replace(path)?;
    }
    let rotated = keys.rotated();
    match Opened::new(clock::system, plan, Share::ALL, Arc::clone(warn)) {
        // It is on record already.
        Err(NodeError::OtherKeys { known, .. }) if known == rotated.fingerprint() => {}
        opened => {
            let opened = opened?;
            if opened.house.machine().keys().is_none() {
                return Err(KeyChangeError::NotRecorded);
            }
            record(opened, &rotated)?;
        }
    }
    rotated.replace(path)?;
    // The new key vouches for it too.
    Opened::new(clock::system, plan, Share::ALL, Arc::clone(warn))?.close()?;
    Ok((keys.signing.public(), rotated.signing.public()))
}

/// Makes a new key file where the old one is lost, and drops the secrets, which nobody can authenticate any more. The former public
/// keys are trusted for old blocks. Returns the new key.
pub fn new_keys(
    plan: &InstallationPlan,
    former: Vec<PublicKey>,
    warn: &WarningSink,
) -> Result<PublicKey, KeyChangeError> {
    refuse_running(plan)?;
    let path = &plan.files.key_file;
    let keys = match KeyFileContent::read(path)? {
        None => {
            let keys = Keys { former, ..Keys::random()? };
            keys.create(path)?;
            keys
        }
        // An earlier call was interrupted, or the file is in use, which the record tells.
        Some(KeyFileContent::Keys(keys)) if keys.former == former => *keys,
        Some(KeyFileContent::Keys(_) | KeyFileContent::SigningOnly(_)) => {
            return Err(KeyChangeError::NotLost(path.clone()));
        }
    };
    let opened = Opened::with_any_keys(clock::system, plan, Share::ALL, Arc::clone(warn))?;
    if opened.house.machine().keys() == Some(keys_in_use(&keys)) {
        return Err(KeyChangeError::NotLost(path.clone()));
    }
    forget_secrets(&plan.address)?;
    record(opened, &keys)?;
    Ok(keys.signing.public())
}

/// Nothing is made where there is no installation, and nothing is changed while one runs.
fn refuse_running(plan: &InstallationPlan) -> Result<(), KeyChangeError> {
    drop(plan.address.archive().map_err(NodeError::from)?);
    // Of a folder the lock decides.
    let Address::Postgres(address) = &plan.address else { return Ok(()) };
    let roster = Leases::open(address, LeaseTiming::default())?.read()?;
    roster.nodes.first().map_or(Ok(()), |node| Err(KeyChangeError::Runs(node.address.clone())))
}

fn record(mut opened: Opened, keys: &Keys) -> Result<(), KeyChangeError> {
    let command = HouseCommand::UseKeys { keys: keys_in_use(keys) };
    let id = OwnIds::new(&opened.sources).next();
    let request = CommandRequest { time: opened.clock.now(), actor: Actor::System, id, command };
    match opened.house.ask(request).verdict() {
        Verdict::Accepted => Ok(opened.close()?),
        Verdict::Refused(refusal) => Err(KeyChangeError::Refused(refusal)),
    }
}

#[cfg(test)]
mod tests {
    use taisai_journal::suite::TemporaryServer;
    use taisai_record::{Program, RecordFiles};
    use taisai_table::Profile;

    use super::*;

    fn installation(address: Address, folder: &std::path::Path) -> InstallationPlan {
        let (key_file, anchor) = (folder.join("house.key"), Some(folder.join("anchor.txt")));
        InstallationPlan {
            address,
            files: RecordFiles { key_file, anchor, trusted: Vec::new() },
            program: Program { version: "0.1.0".to_owned(), hash: [1; 32] },
            new_house: [7; 16],
            profile: Profile::singapore(),
            is_training: false,
            accepts_clock: false,
            allows_unapproved: false,
            tables: Vec::new(),
            acknowledged: taisai_journal::AcknowledgedHeads::default(),
        }
    }

    fn opened(plan: &InstallationPlan) -> Result<Opened, NodeError> {
        Opened::new(clock::system, plan, Share::ALL, Arc::new(drop))
    }

    /// Also where the command was interrupted once the record had the new key, and with the file of another node.
    fn rotate_in(address: Address) {
        let folder = tempfile::tempdir().unwrap();
        let plan = installation(address, folder.path());
        let (path, warn): (_, WarningSink) = (&plan.files.key_file, Arc::new(drop));
        opened(&plan).unwrap().close().unwrap();
        assert!(matches!(rotate_keys(&plan, &warn), Err(KeyChangeError::NotRecorded)));
        let first = Keys::open(path).unwrap();
        record(opened(&plan).unwrap(), &first).unwrap();
        let (old, new) = rotate_keys(&plan, &warn).unwrap();
        assert_eq!(old, first.signing.public());
        assert_eq!(Keys::open(path).unwrap().public(), [old, new]);

        let mut next = Keys::open(path).unwrap();
        next.next = Some(Keys::random().unwrap().signing);
        next.replace(path).unwrap();
        let rotated = next.rotated();
        record(opened(&plan).unwrap(), &rotated).unwrap();
        assert!(matches!(opened(&plan), Err(NodeError::OtherKeys { .. })), "the record is ahead of the file");
        assert_eq!(rotate_keys(&plan, &warn).unwrap(), (new, rotated.signing.public()));
        assert_eq!(Keys::open(path).unwrap().fingerprint(), rotated.fingerprint());

        let other = Keys { voucher: [1; 32], ..rotated.clone() };
        other.replace(path).unwrap();
        let refused = opened(&plan).map(drop);
        assert!(matches!(refused, Err(NodeError::OtherKeys { .. })), "{refused:?}");
        let former = rotated.public();
        assert!(matches!(new_keys(&plan, former.clone(), &warn), Err(KeyChangeError::NotLost(_))), "it is there");
        std::fs::remove_file(path).unwrap();
        let made = new_keys(&plan, former, &warn).unwrap();
        assert_eq!(Keys::open(path).unwrap().public().last(), Some(&made));
        opened(&plan).unwrap().close().unwrap();
    }

    #[test]
    fn keys_are_replaced_in_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        rotate_in(Address::Folder(folder.path().join("data")));
    }

    #[test]
    fn keys_are_replaced_on_a_server() {
        rotate_in(Address::Postgres(TemporaryServer::shared().database()));
    }
}
