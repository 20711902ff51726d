//! A store in a folder whose write or flush has failed: the program ends in a way of its own, so that nothing starts it again before a
//! person has looked at the disk.

use std::error::Error;
use std::path::PathBuf;

use taisai_record::Address;

/// The record could not be written to its folder, or not flushed.
#[derive(Debug, thiserror::Error)]
#[error(
    "the record in {} could not be written or flushed. Nothing that was acknowledged is lost, but the disk may hold less than the \
     system shows. Before you start the program again, look at the free space, the log of the kernel and the health of the disk; a disk \
     that has failed once is replaced",
    folder.display()
)]
pub struct FailedWrite {
    folder: PathBuf,
    source: Box<dyn Error + Send + Sync>,
}

impl FailedWrite {
    /// A failed write of the store at this address; a database server looks after its own disk.
    pub(crate) fn of<E: Error + Send + Sync + 'static>(error: E, address: &Address) -> Result<Self, E> {
        match address {
            Address::Folder(folder) => Ok(Self { folder: folder.clone(), source: error.into() }),
            Address::Postgres(_) => Err(error),
        }
    }
}
