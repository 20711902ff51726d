//! Checking files of one kind: every fault of every file with its line and column.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;
use serde::Serialize;
use taisai_rules::Fault;

use crate::print::{self, BAD, GOOD};

/// What a file holds, or all its faults; or why it cannot be read.
pub(crate) type Read<T> = std::io::Result<Result<T, Vec<Fault>>>;

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

/// Checks files and prints every fault; `false` if there is one. A file that cannot be read does not keep the others
/// from being checked.
pub(crate) fn check<T>(
    files: &[PathBuf],
    json: bool,
    read: impl Fn(&Path) -> Read<T>,
    tell: impl Fn(&T) -> String,
) -> anyhow::Result<bool> {
    let (mut well, mut unread) = (true, 0);
    let mut checked = Vec::new();
    let mut out = anstream::stdout().lock();
    for file in files {
        let read = read(file);
        well &= matches!(read, Ok(Ok(_)));
        unread += usize::from(read.is_err());
        if json {
            checked.push(found(file, read));
        } else {
            print_found(&mut out, file, &read, &tell)?;
        }
    }
    if json {
        print::json_array(checked)?;
    }
    if unread > 0 {
        bail!("{unread} of {} files cannot be read", files.len());
    }
    Ok(well)
}

fn found<T>(file: &Path, read: Read<T>) -> Checked {
    let fault = |fault: Fault| CheckedFault {
        line: fault.line,
        column: fault.column,
        code: fault.kind.code(),
        message: fault.message,
    };
    let found = match read {
        Ok(read) => Found::Faults(read.err().unwrap_or_default().into_iter().map(fault).collect()),
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

/// Prints every fault of a file, a line each.
pub(crate) fn print_faults(out: &mut impl Write, file: &Path, faults: &[Fault]) -> std::io::Result<()> {
    let file = file.display();
    faults.iter().try_for_each(|fault| writeln!(out, "{BAD}fault{BAD:#}  {file}:{fault}"))
}
