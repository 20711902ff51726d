//! Checks files of one kind, and prints every fault of every file with its line and column.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;
use serde::Serialize;
use taisai_rules::FileFault;

use crate::excerpt::{excerpt, source};
use crate::print::{self, BAD, GOOD};

/// The contents of a file, all its faults, or why it cannot be read.
pub(crate) type CheckedFile<T> = std::io::Result<Result<T, Vec<FileFault>>>;

#[derive(Serialize)]
struct CheckedFileJson {
    file: String,
    #[serde(flatten)]
    found: FileCheck,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum FileCheck {
    Faults(Vec<FaultJson>),
    /// Why the file could not be read.
    Error(String),
}

#[derive(Serialize)]
struct FaultJson {
    line: usize,
    column: usize,
    code: &'static str,
    message: String,
}

pub(crate) struct CheckedFiles<'f, T> {
    files: Vec<(&'f Path, CheckedFile<T>)>,
}

impl<'f, T> CheckedFiles<'f, T> {
    /// Reads all files. If one cannot be read, the others are still checked.
    pub(crate) fn read(files: &'f [PathBuf], read: impl Fn(&Path) -> CheckedFile<T>) -> Self {
        Self { files: files.iter().map(|file| (file.as_path(), read(file))).collect() }
    }

    pub(crate) fn have_no_faults(&self) -> bool {
        self.files.iter().all(|(_, read)| matches!(read, Ok(Ok(_))))
    }

    /// The contents of the files without a fault.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (&'f Path, &T)> {
        self.files.iter().filter_map(|(file, read)| Some((*file, read.as_ref().ok()?.as_ref().ok()?)))
    }

    pub(crate) fn to_json(&self) -> impl Iterator<Item = impl Serialize> {
        self.files.iter().map(|(file, read)| found(file, read))
    }

    pub(crate) fn print(&self, json: bool, summary: impl Fn(&T) -> String) -> anyhow::Result<()> {
        if json {
            return print::json_array(self.to_json());
        }
        let mut out = anstream::stdout().lock();
        for (file, read) in &self.files {
            print_found(&mut out, file, read, &summary)?;
        }
        Ok(())
    }

    /// `false` if a file has faults; an error if one cannot be read.
    pub(crate) fn finish(&self) -> anyhow::Result<bool> {
        let unread = self.files.iter().filter(|(_, read)| read.is_err()).count();
        if unread > 0 {
            bail!("{unread} of {} files cannot be read", self.files.len());
        }
        Ok(self.have_no_faults())
    }
}

fn found<T>(file: &Path, read: &CheckedFile<T>) -> CheckedFileJson {
    let fault = |fault: &FileFault| FaultJson {
        line: fault.line,
        column: fault.column,
        code: fault.kind.code(),
        message: fault.message.clone(),
    };
    let found = match read {
        Ok(Ok(_)) => FileCheck::Faults(Vec::new()),
        Ok(Err(faults)) => FileCheck::Faults(faults.iter().map(fault).collect()),
        Err(error) => FileCheck::Error(error.to_string()),
    };
    CheckedFileJson { file: file.display().to_string(), found }
}

fn print_found<T>(
    out: &mut impl Write,
    file: &Path,
    read: &CheckedFile<T>,
    summary: impl Fn(&T) -> String,
) -> std::io::Result<()> {
    match read {
        Ok(Ok(read)) => writeln!(out, "{GOOD}ok{GOOD:#}     {}: {}", file.display(), summary(read)),
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
