//! Lets a person in again from the machine of a stopped installation, when nobody who manages people can sign in. The House records
//! it as a command of the system.

use std::io;

use taisai_journal::Keys;
use taisai_record::{Address, WarningSink};
use taisai_table::{Actor, CommandRequest, HouseCommand, PersonId, Refusal, SecretOwner, Verdict};

use crate::auth::one_time_password;
use crate::auth::secrets::{Expected, Secrets, SecretsError};
use crate::failed_write::FailedWrite;
use crate::node::clock::{self, OwnIds, Share};
use crate::node::stopped::Stopped;
use crate::node::{InstallationPlan, NodeError, Opened};

#[derive(Debug, thiserror::Error)]
pub enum UnlockError {
    #[error(transparent)]
    Node(#[from] NodeError),
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    #[error("those who manage people are not locked out: they unlock at a screen of the casino")]
    OthersCan,
    /// The House refuses it.
    #[error("{}", .0.sentence())]
    Refused(Refusal),
    /// Nobody would know the password.
    #[error("cannot print the new password, so nothing was unlocked: {0}")]
    NotPrinted(String),
    /// The record takes nothing.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    #[error(transparent)]
    FailedWrite(FailedWrite),
}

impl UnlockError {
    /// The error, or that the store at this address failed if that is the cause.
    fn at(self, address: &Address) -> Self {
        let is_failed_write = match &self {
            Self::Node(error) => error.is_failed_write(),
            Self::Stopped(stopped) => stopped.is_failed_write(),
            Self::Secrets(_) | Self::OthersCan | Self::Refused(_) | Self::NotPrinted(_) | Self::FailedWrite(_) => false,
        };
        if is_failed_write {
            FailedWrite::of(self, address).map_or_else(|error| error, Self::FailedWrite)
        } else {
            self
        }
    }
}

/// Unlocks a person with a one-time password. Nothing is recorded unless `print_password` could show the password. Sign-ins with the old
/// password end.
pub async fn unlock<T: FnOnce(&str) -> io::Result<()>>(
    plan: &InstallationPlan,
    person: PersonId,
    print_password: Option<T>,
    warn: WarningSink,
) -> Result<(), UnlockError> {
    unlock_in_store(plan, person, print_password, warn).await.map_err(|error| error.at(&plan.address))
}

async fn unlock_in_store<T: FnOnce(&str) -> io::Result<()>>(
    plan: &InstallationPlan,
    person: PersonId,
    print_password: Option<T>,
    warn: WarningSink,
) -> Result<(), UnlockError> {
    // This creates no installation.
    drop(plan.address.archive().map_err(NodeError::from)?);
    // Before anything is written.
    let keys = Keys::open(&plan.files.key_file).map_err(SecretsError::from)?;
    let secrets = Secrets::open(&plan.address, &keys, Expected::There, false)?;
    let mut opened = Opened::new(clock::system, plan, Share::ALL, warn)?;
    let Opened { house, clock, sources, .. } = &mut opened;
    let command = HouseCommand::Unlock { person, second: None };
    let mut ids = OwnIds::new(sources);
    let request = CommandRequest { time: clock.now(), actor: Actor::System, id: ids.next(), command };
    let verdict = house.ask(request).verdict();
    if let (Verdict::Accepted, Some(print_password)) = (verdict, print_password) {
        let owner = SecretOwner::Person(person);
        let newest = house.machine().secret_version(owner);
        let (password, version) = one_time_password(&secrets, clock.now(), person, newest).await?;
        let command = HouseCommand::ChangeSecret { owner, version };
        house.ask(CommandRequest { time: clock.now(), actor: Actor::System, id: ids.next(), command });
        let sign_ins = secrets.sign_ins().await?.into_iter().filter(|sign_in| sign_in.person == person);
        secrets.end(sign_ins.map(|sign_in| sign_in.source).collect()).await?;
        print_password(&password).map_err(|error| UnlockError::NotPrinted(error.to_string()))?;
    }
    opened.close()?;
    match verdict {
        Verdict::Accepted => Ok(()),
        Verdict::Refused(Refusal::NotAllowed) => Err(UnlockError::OthersCan),
        Verdict::Refused(refusal) => Err(UnlockError::Refused(refusal)),
    }
}
