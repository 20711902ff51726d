//! The suite on every store.

use taisai_journal::suite::{self, Fixture, TemporaryServer};
use taisai_journal::{Journal, MemoryStore, Postgres, Sqlite};
use tempfile::TempDir;

struct InMemory(MemoryStore);

impl Fixture for InMemory {
    fn open(&self) -> Box<dyn Journal> {
        Box::new(self.0.open())
    }

    fn shared(&self) -> bool {
        true
    }
}

struct InFolder(TempDir);

impl Fixture for InFolder {
    fn open(&self) -> Box<dyn Journal> {
        Box::new(Sqlite::open(self.0.path()).expect("a store"))
    }

    fn shared(&self) -> bool {
        false
    }
}

#[test]
fn memory() {
    suite::run(|| InMemory(MemoryStore::default()));
}

#[test]
fn memory_after_a_crash() {
    /// Every handle is opened on what a crash left.
    struct Crashing(MemoryStore);
    impl Fixture for Crashing {
        fn open(&self) -> Box<dyn Journal> {
            self.0.crash(0);
            Box::new(self.0.open())
        }

        fn shared(&self) -> bool {
            false
        }
    }
    suite::run(|| Crashing(MemoryStore::default()));
}

#[test]
fn sqlite() {
    suite::run(|| InFolder(tempfile::tempdir().expect("a folder")));
}

#[test]
fn postgres() {
    struct OnServer(String);
    impl Fixture for OnServer {
        fn open(&self) -> Box<dyn Journal> {
            Box::new(Postgres::open(&self.0).expect("a store"))
        }

        fn shared(&self) -> bool {
            true
        }
    }
    let server = TemporaryServer::shared();
    suite::run(|| OnServer(server.database()));
}
