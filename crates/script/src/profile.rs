//! Finds the profile that a script is played by: one in the program, or a file.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use taisai_table::Profile;

use crate::script::ScriptFault;

/// The largest file of a profile, in bytes.
const MAX_PROFILE_BYTES: u64 = 1 << 20;

/// Why a profile cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    #[error("cannot read {file}: {source}")]
    Io { file: String, source: std::io::Error },
    #[error("{0} is not a regular file")]
    NotAFile(String),
    #[error("{0} is too large for a profile")]
    TooLarge(String),
    #[error("there is no profile {0} in the program; the name of a file ends in .toml")]
    Unknown(String),
    /// The file can be read, but what it says is wrong.
    #[error("the profile has faults")]
    Faults(Vec<ScriptFault>),
}

/// Where a script's profile comes from.
#[derive(Default)]
pub struct Profiles {
    /// Overrides what the script says.
    chosen: Option<Profile>,
    /// The script's folder: the script names files relative to it.
    folder: PathBuf,
}

impl Profiles {
    /// With `chosen`, the script is played by that profile, whatever it says itself.
    pub fn new(chosen: Option<Profile>, script: &Path) -> Self {
        Self { chosen, folder: script.parent().map(Path::to_owned).unwrap_or_default() }
    }

    /// The profile of a script that names none.
    pub(crate) fn default_profile(&self) -> Profile {
        self.chosen.clone().unwrap_or_else(Profile::singapore)
    }

    /// The profile that a script names.
    pub(crate) fn find(&self, name: &str) -> Result<Profile, ProfileError> {
        if self.chosen.is_some() {
            return Ok(self.default_profile());
        }
        if let Some(profile) = Profile::embedded().into_iter().find(|known| name.eq_ignore_ascii_case(&known.name)) {
            return Ok(profile);
        }
        if !has_toml_extension(name) {
            return Err(ProfileError::Unknown(name.to_owned()));
        }
        read_profile(&self.folder.join(name))
    }
}

fn has_toml_extension(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

/// Reads a profile from a file.
pub fn read_profile(file: &Path) -> Result<Profile, ProfileError> {
    let name = file.display().to_string();
    let io = |source| ProfileError::Io { file: name.clone(), source };
    if !std::fs::metadata(file).map_err(io)?.is_file() {
        return Err(ProfileError::NotAFile(name));
    }
    let mut text = String::new();
    File::open(file).and_then(|file| file.take(MAX_PROFILE_BYTES + 1).read_to_string(&mut text)).map_err(io)?;
    if u64::try_from(text.len()).is_ok_and(|bytes| bytes > MAX_PROFILE_BYTES) {
        return Err(ProfileError::TooLarge(name));
    }
    let fault = |fault: taisai_rules::FileFault| ScriptFault {
        file: Some(name.clone()),
        line: fault.line,
        column: fault.column,
        message: format!("{}: {}", fault.kind.code(), fault.message),
    };
    Profile::from_toml(&text).map_err(|faults| ProfileError::Faults(faults.into_iter().map(fault).collect()))
}
