//! Which profile a script is played by: one in the program, or a file.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use taisai_table::Profile;

use super::script::Fault;

/// The largest file of a profile.
const MOST_BYTES: u64 = 1 << 20;

/// A profile, or the faults of its file.
pub(super) type Loaded = Result<Profile, Vec<Fault>>;

/// Where profiles are looked for.
#[derive(Default)]
pub(super) struct Profiles {
    /// The one to be used, whatever a script says.
    chosen: Option<Profile>,
    /// The script's folder, from which its files are named.
    folder: PathBuf,
}

impl Profiles {
    pub(super) fn new(chosen: Option<Profile>, script: &Path) -> Self {
        Self { chosen, folder: script.parent().map(Path::to_owned).unwrap_or_default() }
    }

    /// The profile where a script names none.
    pub(super) fn usual(&self) -> Profile {
        self.chosen.clone().unwrap_or_else(Profile::singapore)
    }

    /// The profile that a script names.
    pub(super) fn find(&self, name: &str) -> anyhow::Result<Loaded> {
        if self.chosen.is_some() {
            return Ok(Ok(self.usual()));
        }
        if let Some(profile) = Profile::embedded().into_iter().find(|known| name.eq_ignore_ascii_case(&known.name)) {
            return Ok(Ok(profile));
        }
        ensure!(is_file(name), "there is no profile {name} in the program, and a file's name ends in .toml");
        read(&self.folder.join(name))
    }
}

fn is_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

/// Reads a profile's file.
pub(super) fn read(file: &Path) -> anyhow::Result<Loaded> {
    let name = file.display().to_string();
    let reading = || format!("cannot read {name}");
    ensure!(std::fs::metadata(file).with_context(reading)?.is_file(), "{name} is not a regular file");
    let mut text = String::new();
    let bytes = File::open(file).with_context(reading)?.take(MOST_BYTES + 1).read_to_string(&mut text);
    ensure!(u64::try_from(bytes.with_context(reading)?)? <= MOST_BYTES, "{name} is too large for a profile");
    let fault = |fault: taisai_rules::FileFault| Fault {
        file: Some(name.clone()),
        line: fault.line,
        column: fault.column,
        message: format!("{}: {}", fault.kind.code(), fault.message),
    };
    Ok(Profile::from_toml(&text).map_err(|faults| faults.into_iter().map(fault).collect()))
}
