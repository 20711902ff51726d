//! `taisai backup`: copies a data folder while the server runs. The copy is made under another name, verified, and then renamed:
//! there is a whole copy or none.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context as _, bail, ensure};
use taisai_journal::{Anchor, open_sqlite_to_read};
use taisai_record::{Address, AuditFinding, Auditor};

use crate::print::{self, BAD, GOOD, QUIET};
use crate::progress_bar::ProgressBar;
use crate::store::Store;

#[derive(clap::Args)]
pub(crate) struct BackupArgs {
    /// Data folder; the server may be running
    #[arg(value_name = "STORE")]
    store: Address,
    /// Folder of the copy; it must not exist
    #[arg(value_name = "DEST")]
    destination: PathBuf,
    /// Anchor file; anchor.txt in the data folder if left out
    #[arg(long, value_name = "FILE")]
    anchor: Option<PathBuf>,
    /// Trusted public key, ed25519:…, or a file with keys; house.key in the data folder if left out
    #[arg(long, value_name = "KEY|FILE")]
    key: Vec<String>,
    /// Also copy secrets.db, with password hashes; the key file is never copied
    #[arg(long)]
    with_secrets: bool,
}

/// Makes a backup. It is an error if the copy does not verify; the copy is then removed.
pub(crate) fn run(args: &BackupArgs) -> anyhow::Result<bool> {
    let Address::Folder(source) = &args.store else {
        bail!(
            "a PostgreSQL record is copied by PostgreSQL: pg_basebackup for the whole server, or pg_dump for the database; \
             then check the copy with taisai audit verify"
        );
    };
    let destination = &args.destination;
    ensure!(!destination.exists(), "{} exists already: name a new folder", destination.display());
    let store = Store::at(args.store.clone(), &args.key)?;
    let part = UnfinishedCopy::begin(destination)?;
    copy(source, &part.0, args)?;
    if !verify(&store, &part.0)? {
        bail!(
            "the copy does not verify, so there is none; check the store with taisai audit verify {}",
            source.display()
        );
    }
    part.end(destination)?;
    let mut out = anstream::stdout().lock();
    writeln!(out, "{GOOD}ok{GOOD:#}     {} holds the record, verified", destination.display())?;
    let note = "the key file is not in it, and is never copied: keep a copy of it apart from the record, locked away";
    writeln!(out, "{QUIET}note{QUIET:#}   {note}")?;
    if !args.with_secrets {
        let note = "secrets.db is not in it: without it everyone gets a new password; --with-secrets copies it";
        writeln!(out, "{QUIET}note{QUIET:#}   {note}")?;
    }
    Ok(true)
}

/// Copies the anchor before the record, so that the record has everything that it refers to, and secrets behind the record: a secret
/// that is newer than the record knows is believed, an older one is not.
fn copy(source: &Path, part: &Path, args: &BackupArgs) -> anyhow::Result<()> {
    let anchor = args.anchor.clone().unwrap_or_else(|| source.join("anchor.txt"));
    if args.anchor.is_some() || anchor.exists() {
        copy_file(&anchor, &part.join("anchor.txt"))?;
    }
    let mut databases = vec!["snapshots.db", "journal.db"];
    if args.with_secrets {
        databases.push("secrets.db");
    }
    for name in databases {
        let from = source.join(name);
        if name != "journal.db" && !from.exists() {
            continue;
        }
        let all = fs::metadata(&from).with_context(|| format!("there is no record in {}", source.display()))?.len();
        let bar = ProgressBar::new(name, all);
        vacuum(&from, &part.join(name))?;
        bar.finish(&format!("{all} bytes copied"), (all, "bytes"));
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display()))?;
    File::open(to)?.sync_all()?;
    Ok(())
}

/// Copies a database while others write to it.
fn vacuum(from: &Path, to: &Path) -> anyhow::Result<()> {
    let failed = || format!("cannot copy {}", from.display());
    let permissions = fs::metadata(from).with_context(failed)?.permissions();
    let target = to.to_str().with_context(|| format!("{} is not text", to.display()))?;
    let connection = open_sqlite_to_read(from)?;
    // SQLite counts a copy into another file as a change, though nothing changes here.
    connection.pragma_update(None, "query_only", false).with_context(failed)?;
    connection.execute("VACUUM INTO ?1", [target]).with_context(failed)?;
    let copy = File::open(to)?;
    copy.set_permissions(permissions)?;
    copy.sync_all()?;
    Ok(())
}

fn verify(store: &Store, part: &Path) -> anyhow::Result<bool> {
    let address = Address::Folder(part.into());
    let anchor = part.join("anchor.txt");
    let lines = anchor.exists().then(|| Anchor::read(&anchor)).transpose()?;
    let anchored = lines.as_ref().map_or(&[][..], |lines| &lines.lines);
    let program = crate::audit::program()?;
    let mut archive = address.archive()?;
    let heads = archive.heads()?;
    ensure!(heads.iter().any(|head| head.next > 0), "the store is empty: there is nothing to copy");
    let found = AuditFinding::of_store(&mut *archive, &heads)?;
    let bar = Mutex::new(ProgressBar::new("verify", heads.iter().map(|head| head.next).sum()));
    let progress = || bar.lock().map(|mut bar| bar.advance(1)).unwrap_or_default();
    let auditor = Auditor { keys: &store.keys, anchored, program: &program };
    let audit = auditor.audit(&|| address.archive(), &heads, &progress)?;
    let entries = audit.chains.iter().filter_map(|chain| Some(chain.result.as_ref().ok()?.entries)).sum();
    if let Ok(bar) = bar.lock() {
        bar.finish(&print::counted(entries, ("entry", "entries")), (entries, "entries"));
    }
    drop(archive);
    let mut out = anstream::stdout().lock();
    for finding in audit.findings().chain(found.iter()) {
        writeln!(out, "{BAD}found{BAD:#}  {finding}")?;
    }
    Ok(found.is_empty() && audit.findings().next().is_none())
}

/// An unfinished copy, which is removed unless it is renamed.
struct UnfinishedCopy(PathBuf);

impl UnfinishedCopy {
    fn begin(destination: &Path) -> anyhow::Result<Self> {
        let mut name = destination.file_name().context("the copy needs a folder name")?.to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let part = destination.with_file_name(name);
        fs::create_dir(&part).with_context(|| format!("cannot create {}", part.display()))?;
        Ok(Self(part))
    }

    /// Renames the copy, if nothing has that name by now.
    fn end(self, destination: &Path) -> anyhow::Result<()> {
        File::open(&self.0)?.sync_all()?;
        ensure!(!destination.exists(), "{} appeared during the backup: name another folder", destination.display());
        fs::rename(&self.0, destination).with_context(|| format!("cannot create {}", destination.display()))?;
        let folder = destination.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()?;
        Ok(())
    }
}

impl Drop for UnfinishedCopy {
    fn drop(&mut self) {
        if self.0.exists() {
            // The first error is the one to report.
            fs::remove_dir_all(&self.0).ok();
        }
    }
}
