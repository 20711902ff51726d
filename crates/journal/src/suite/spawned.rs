//! A process that a test starts. It ends with the test, even with one that fails.

use std::io::{BufRead as _, BufReader};
use std::ops::{Deref, DerefMut};
use std::process::{Child, Command};

/// A process. It is killed, if it still runs, when this is dropped.
#[derive(Debug)]
pub struct Spawned(Child);

impl Spawned {
    /// Starts a process.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start(command: &mut Command) -> Self {
        Self(command.spawn().expect("a process"))
    }

    /// This test program again, which runs the ignored test of that name and nothing else.
    ///
    /// # Panics
    /// If it is not known which program this is.
    pub fn test(name: &str) -> Command {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--exact", name, "--ignored", "--nocapture"]);
        command
    }

    /// The lines of its standard output, which must be piped.
    ///
    /// # Panics
    /// If it is not piped, or is no text.
    pub fn lines(&mut self) -> impl Iterator<Item = String> + use<> {
        BufReader::new(self.0.stdout.take().expect("a pipe")).lines().map(|line| line.expect("text"))
    }

    /// Sends it a signal, by its name.
    ///
    /// # Panics
    /// If it is not there.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.0.id().to_string()]).status().expect("kill");
        assert!(sent.success(), "it is not there for {name}");
    }
}

impl Deref for Spawned {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Spawned {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Spawned {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.0.kill().unwrap_or_default();
        self.0.wait().map_or_else(drop, drop);
    }
}
