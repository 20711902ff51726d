//! Checking files of one kind: every fault of every file with its line and column.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;
use serde::Serialize;
use taisai_rules::FileFault;

use crate::excerpt::{excerpt, source};
use crate::print::{self, BAD, GOOD};

/// What a file holds, or all its faults; or why it cannot be read.
pub(crate) type Read<T> = std::io::Result<Result<T, Vec<FileFault>>>;

/// A file as it was found, for programs.
#[derive(Serialize)]
struct Checked {
    file: String,
    #[serde(flatten)]
    found: Found,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Found {
    Faults(Vec<CheckedFault>),
    /// Why the file could not be read.
    Error(String),
}

#[derive(Serialize)]
struct CheckedFault {
    line: usize,
    column: usize,
    code: &'static str,
    message: String,
}

/// Files of one kind, each as it was found.
pub(crate) struct CheckedFiles<'f, T> {
    files: Vec<(&'f Path, Read<T>)>,
}

impl<'f, T> CheckedFiles<'f, T> {
    /// Reads all of them: a file that cannot be read does not keep the others from being checked.
    pub(crate) fn read(files: &'f [PathBuf], read: impl Fn(&Path) -> Read<T>) -> Self {
        Self { files: files.iter().map(|file| (file.as_path(), read(file))).collect() }
    }

    pub(crate) fn are_well(&self) -> bool {
        self.files.iter().all(|(_, read)| matches!(read, Ok(Ok(_))))
    }

    /// What the files without a fault hold.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (&'f Path, &T)> {
        self.files.iter().filter_map(|(file, read)| Some((*file, read.as_ref().ok()?.as_ref().ok()?)))
    }

    pub(crate) fn for_programs(&self) -> impl Iterator<Item = impl Serialize> {
        self.files.iter().map(|(file, read)| found(file, read))
    }

    pub(crate) fn print(&self, json: bool, tell: impl Fn(&T) -> String) -> anyhow::Result<()> {
        if json {
            return print::json_array(self.for_programs());
        }
        let mut out = anstream::stdout().lock();
        for (file, read) in &self.files {
            print_found(&mut out, file, read, &tell)?;
        }
        Ok(())
    }

    /// `false` if a file has faults; an error if one could not be read.
    pub(crate) fn finish(&self) -> anyhow::Result<bool> {
        let unread = self.files.iter().filter(|(_, read)| read.is_err()).count();
        if unread > 0 {
            bail!("{unread} of {} files cannot be read", self.files.len());
        }
        Ok(self.are_well())
    }
}

fn found<T>(file: &Path, read: &Read<T>) -> Checked {
    let fault = |fault: &FileFault| CheckedFault {
        line: fault.line,
        column: fault.column,
        code: fault.kind.code(),
        message: fault.message.clone(),
    };
    let found = match read {
        Ok(Ok(_)) => Found::Faults(Vec::new()),
        Ok(Err(faults)) => Found::Faults(faults.iter().map(fault).collect()),
        Err(error) => Found::Error(error.to_string()),
    };
    Checked { file: file.display().to_string(), found }
}

fn print_found<T>(
    out: &mut impl Write,
    file: &Path,
    read: &Read<T>,
    tell: impl Fn(&T) -> String,
) -> std::io::Result<()> {
    match read {
        Ok(Ok(read)) => writeln!(out, "{GOOD}ok{GOOD:#}     {}: {}", file.display(), tell(read)),
        Ok(Err(faults)) => print_faults(out, file, faults),
        Err(error) => writeln!(out, "{BAD}error{BAD:#}  {}: {error}", file.display()),
    }
}

/// Prints every fault of a file with the line that it is in.
pub(crate) fn print_faults(out: &mut impl Write, file: &Path, faults: &[FileFault]) -> std::io::Result<()> {
    let (name, source) = (file.display(), source(file));
    for fault in faults {
        let excerpt = excerpt(&source, fault.line, fault.column);
        write!(out, "{BAD}fault{BAD:#}  {name}:{fault}\n{excerpt}")?;
    }
    Ok(())
}
