//! Files that commands write: whether one can be written is asked before long work, and it comes into being whole, under
//! another name beside it first.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// A file that will be written.
pub struct OutputFile {
    /// As it was given.
    name: PathBuf,
    /// Where it lies, links followed.
    path: PathBuf,
    /// Pipes and devices are written as they are.
    is_file: bool,
}

impl OutputFile {
    /// Asks whether a file can be written.
    pub fn new(name: &Path) -> anyhow::Result<Self> {
        Self::asked(name).with_context(|| format!("cannot write {}", name.display()))
    }

    fn asked(name: &Path) -> io::Result<Self> {
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
            let beside = output.beside()?;
            OpenOptions::new().write(true).create_new(true).open(&beside)?;
            fs::remove_file(beside)?;
        }
        Ok(output)
    }

    /// A name beside the file that is this process's own.
    fn beside(&self) -> io::Result<PathBuf> {
        let mut name = self.path.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_owned();
        name.push(format!(".{}.part", std::process::id()));
        Ok(self.path.with_file_name(name))
    }

    /// Writes the file, all of it or nothing, and gives its name.
    pub fn write(self, content: impl AsRef<[u8]>) -> anyhow::Result<PathBuf> {
        self.written(content.as_ref()).with_context(|| format!("cannot write {}", self.name.display()))?;
        Ok(self.name)
    }

    fn written(&self, content: &[u8]) -> io::Result<()> {
        if !self.is_file {
            return OpenOptions::new().write(true).open(&self.path)?.write_all(content);
        }
        let beside = self.beside()?;
        let written = self.written_beside(&beside, content);
        if written.is_err() {
            // Why it was not written is told; that its rest could not be removed either adds nothing.
            fs::remove_file(beside).ok();
        }
        written
    }

    fn written_beside(&self, beside: &Path, content: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(beside)?;
        if let Ok(before) = fs::metadata(&self.path) {
            file.set_permissions(before.permissions())?;
        }
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(beside, &self.path)
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
    fn a_file_is_there_whole_or_not_at_all() {
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
    fn a_place_that_cannot_be_written_is_told_at_once() {
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
    fn links_are_followed_and_devices_written() {
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
