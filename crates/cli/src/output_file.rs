//! Files that commands write. The program checks before long work that it can write the file, and writes it whole: under another
//! name first, then renamed.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// A file to be written later.
pub struct OutputFile {
    /// As given by the user.
    name: PathBuf,
    /// With links resolved.
    path: PathBuf,
    /// Pipes and devices are written directly.
    is_file: bool,
}

impl OutputFile {
    /// Checks that the file can be written.
    pub fn new(name: &Path) -> anyhow::Result<Self> {
        Self::check(name).with_context(|| format!("cannot write {}", name.display()))
    }

    fn check(name: &Path) -> io::Result<Self> {
        let (path, is_file) = match fs::metadata(name) {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) => (fs::canonicalize(name)?, found.is_file()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (name.to_owned(), true),
            Err(error) => return Err(error),
        };
        let output = Self { name: name.to_owned(), path, is_file };
        if output.is_file {
            if output.path.exists() {
                OpenOptions::new().append(true).open(&output.path)?;
            }
            let temporary = output.temporary()?;
            OpenOptions::new().write(true).create_new(true).open(&temporary)?;
            fs::remove_file(temporary)?;
        }
        Ok(output)
    }

    /// The temporary name, in the same folder and unique to this process.
    fn temporary(&self) -> io::Result<PathBuf> {
        let mut name = self.path.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_owned();
        name.push(format!(".{}.part", std::process::id()));
        Ok(self.path.with_file_name(name))
    }

    /// Writes the whole file or nothing, and gives its name.
    pub fn write(self, content: impl AsRef<[u8]>) -> anyhow::Result<PathBuf> {
        self.write_all(content.as_ref()).with_context(|| format!("cannot write {}", self.name.display()))?;
        Ok(self.name)
    }

    fn write_all(&self, content: &[u8]) -> io::Result<()> {
        if !self.is_file {
            return OpenOptions::new().write(true).open(&self.path)?.write_all(content);
        }
        let temporary = self.temporary()?;
        let written = self.write_and_rename(&temporary, content);
        if written.is_err() {
            // The first error is the one to report.
            fs::remove_file(temporary).ok();
        }
        written
    }

    fn write_and_rename(&self, temporary: &Path, content: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(temporary)?;
        if let Ok(before) = fs::metadata(&self.path) {
            file.set_permissions(before.permissions())?;
        }
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(temporary, &self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let files = fs::read_dir(folder).unwrap();
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_written_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("par.csv");
        let output = OutputFile::new(&path).unwrap();
        assert_eq!(names(folder.path()), [""; 0], "nothing before it is written");
        output.write("one").unwrap();
        let output = OutputFile::new(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one", "as it was until the next is whole");
        output.write("two").unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names(folder.path()).len()), ("two", 1));
    }

    #[test]
    fn a_path_that_cannot_be_written_is_refused_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path(), &folder.path().join("none/par.csv"), Path::new("")] {
            let error = OutputFile::new(path).err().unwrap().to_string();
            assert_eq!(error, format!("cannot write {}", path.display()));
        }
        let output = OutputFile::new(&folder.path().join("par.csv")).unwrap();
        fs::create_dir(folder.path().join("par.csv")).unwrap();
        assert!(output.write("late").is_err());
        assert_eq!(names(folder.path()), ["par.csv"], "nothing half-written stays");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_are_written_directly() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "before").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        OutputFile::new(&link).unwrap().write("after").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "after");
        assert!(link.is_symlink());
        OutputFile::new(Path::new("/dev/null")).unwrap().write("gone").unwrap();
    }
}
