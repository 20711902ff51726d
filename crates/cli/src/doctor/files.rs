//! Checks this machine: the data folder, key file, secrets and anchor, the disk, and how many files may be open. Reads file modes
//! and times flushes, but shows no secret.

use std::fs::{self, Permissions};
use std::io;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use taisai_journal::{Hash, KeyError, KeyFileContent, Keys};
use taisai_record::{Address, ChainFollower, FollowError, chain_of};
use taisai_server::check_secrets;
use taisai_server::config::Config;
use taisai_table::{House, MachineId};

use super::finding::DoctorFinding;
use crate::flush;

const SLOW_FLUSH: Duration = Duration::from_millis(50);

/// No disk is faster: it is memory, or a cache that a power cut may erase.
const IMPLAUSIBLE_FLUSH: Duration = Duration::from_micros(10);

/// With fewer open files the server soon refuses connections.
const MIN_OPEN_FILES: u64 = 4_096;
/// With this many it never runs out.
const ENOUGH_OPEN_FILES: u64 = 66_048;

pub(super) fn judge(config: &Config, has_record: bool) -> Vec<DoctorFinding> {
    let files = config.files();
    let folder = match config.address() {
        Address::Folder(folder) => folder,
        Address::Postgres(_) => config.data.clone(),
    };
    let mut findings = data(&folder);
    findings.extend(keys(&files.key_file, &folder, has_record));
    if has_record && let Ok(Some(KeyFileContent::Keys(keys))) = KeyFileContent::read(&files.key_file) {
        findings.extend(with_keys(&config.address(), &keys));
    }
    if let Address::Folder(folder) = config.address() {
        findings.push(private("secrets", &folder.join("secrets.db"), 0o077, has_record));
    }
    if let Some(anchor) = &files.anchor {
        findings.push(private("anchor", anchor, 0o022, has_record));
        if anchor.parent() == Some(&folder) && matches!(config.address(), Address::Folder(_)) {
            let found = format!("{} lies beside the record", anchor.display());
            let fix = "name one on another disk or machine (anchor in taisai.toml): whoever rolls the record back can roll this back too";
            findings.push(DoctorFinding::note("anchor-place", found, fix));
        }
    }
    findings.push(open_files(rlimit::getrlimit(rlimit::Resource::NOFILE)));
    findings
}

fn data(folder: &Path) -> Vec<DoctorFinding> {
    const CHECK: &str = "data";
    let mode = match fs::metadata(folder).map(|metadata| metadata.permissions()) {
        Ok(mode) => mode,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let found = format!("{} is missing", folder.display());
            return vec![DoctorFinding::note(
                CHECK,
                found,
                "taisai serve makes it; if it was there, correct --data or the file",
            )];
        }
        Err(error) => {
            let found = format!("{}: {error}", folder.display());
            return vec![DoctorFinding::wrong(CHECK, found, "let the user that the server runs as use the folder")];
        }
    };
    let found = format!("{} has mode {:03o}", folder.display(), bits(&mode));
    let mut findings = vec![if bits(&mode) & 0o022 == 0 {
        DoctorFinding::ok(CHECK, found)
    } else {
        DoctorFinding::wrong(CHECK, found + ": others may put files in it", format!("chmod 700 {}", folder.display()))
    }];
    // A folder of its own, so that two doctors at the same time do not collide.
    let timed = tempfile::tempdir_in(folder).and_then(|own| flush::time_flushes(own.path(), 4_096, 20));
    findings.push(match timed {
        Ok(mut taken) => flushes(folder, &mut taken),
        Err(error) => {
            let found = format!("nothing can be written to {}: {error}", folder.display());
            DoctorFinding::wrong("flush", found, "run this as the user that the server runs as, and look at the disk")
        }
    });
    findings
}

fn flushes(folder: &Path, taken: &mut [Duration]) -> DoctorFinding {
    const CHECK: &str = "flush";
    taken.sort_unstable();
    let (Some(middle), Some(slowest)) = (taken.get(taken.len() / 2), taken.last()) else {
        return DoctorFinding::ok(CHECK, "none was timed");
    };
    let found =
        format!("{}: a flush takes {middle:.1?}, the slowest of {} took {slowest:.1?}", folder.display(), taken.len());
    if *middle < IMPLAUSIBLE_FLUSH {
        let fix = "no disk is so quick: make sure that it is no memory, and that its cache outlives a power cut";
        DoctorFinding::note(CHECK, found, fix)
    } else if *middle > SLOW_FLUSH {
        DoctorFinding::note(CHECK, found, "use a quicker disk, one with a cache that outlives a power cut")
    } else {
        DoctorFinding::ok(CHECK, found)
    }
}

fn keys(path: &Path, folder: &Path, has_record: bool) -> Vec<DoctorFinding> {
    const CHECK: &str = "keys";
    let restore = "restore it from where it is kept, or copy it from another node, with the server's user as its owner";
    let found = match KeyFileContent::read(path) {
        Ok(Some(KeyFileContent::Keys(keys))) => {
            let (key, fingerprint) = (keys.signing.public(), keys.fingerprint());
            DoctorFinding::ok(CHECK, format!("{} signs as {key}; its fingerprint is {fingerprint}", path.display()))
        }
        Ok(Some(KeyFileContent::SigningOnly(key))) => {
            let found =
                format!("{} has only the signing key {}: the others lie in the store", path.display(), key.public());
            DoctorFinding::wrong(CHECK, found, "taisai serve moves them into it at its next start")
        }
        Ok(None) => return vec![missing(CHECK, path, has_record)],
        Err(error @ KeyError::Exposed { .. }) => {
            DoctorFinding::wrong(CHECK, error.to_string(), format!("chmod 600 {}", path.display()))
        }
        Err(error @ KeyError::OtherOwner { .. }) => {
            DoctorFinding::wrong(CHECK, error.to_string(), format!("chown it to the server's user: {}", path.display()))
        }
        Err(error) => DoctorFinding::wrong(CHECK, format!("{:#}", anyhow::Error::from(error)), restore),
    };
    let mut findings = vec![found];
    if path.parent() == Some(folder) {
        let found = format!("{} lies beside the record", path.display());
        let fix =
            "name one elsewhere (keys in taisai.toml): a copy of the folder would give the keys away with the record";
        findings.push(DoctorFinding::note("keys-place", found, fix));
    }
    findings
}

/// Checks the record and the secrets against the key file.
fn with_keys(address: &Address, keys: &Keys) -> Vec<DoctorFinding> {
    const RECORDED: &str = "keys-recorded";
    const ROWS: &str = "secret-rows";
    let mut findings = Vec::new();
    let house = match house_on_record(address, keys) {
        Ok(house) => house,
        Err(error) => {
            let found = format!("the House cannot be read: {:#}", anyhow::Error::from(error));
            findings.push(DoctorFinding::wrong(RECORDED, found, "see docs/operating.md, When the store fails"));
            None
        }
    };
    if let Some(known) = house.as_ref().and_then(House::keys) {
        let (known, own) = (Hash::from_bytes(known.fingerprint.0), keys.fingerprint());
        findings.push(if known == own {
            DoctorFinding::ok(RECORDED, format!("the record knows the key file by its fingerprint {known}"))
        } else {
            let found = format!("the record knows the fingerprint {known}, and the key file has {own}");
            DoctorFinding::wrong(RECORDED, found, "copy the key file of a node that plays; see docs/keys.md")
        });
    }
    match check_secrets(address, keys, house.as_ref()) {
        Ok(wrong) => findings.extend(wrong.iter().map(|finding| {
            let fix = "find out who wrote to the store, and give whoever it concerns a new password or code";
            DoctorFinding::wrong(ROWS, finding.to_string(), fix)
        })),
        Err(error) => findings.push(DoctorFinding::wrong(
            ROWS,
            error.to_string(),
            "run this as the user that the server runs as, with the server's rights in the database",
        )),
    }
    findings
}

fn house_on_record(address: &Address, keys: &Keys) -> Result<Option<House>, FollowError> {
    let mut follower = ChainFollower::<House>::new(address.clone(), chain_of(MachineId::House), keys.public());
    follower.follow(|_| ControlFlow::Continue(()))?;
    Ok(follower.machine().cloned())
}

/// Checks that others have none of the rights `others` to a file.
fn private(check: &'static str, path: &Path, others: u32, has_record: bool) -> DoctorFinding {
    match fs::metadata(path).map(|metadata| bits(&metadata.permissions())) {
        Ok(mode) if mode & others == 0 => DoctorFinding::ok(check, format!("{} has mode {mode:03o}", path.display())),
        Ok(mode) => {
            let found = format!("{} has mode {mode:03o}: others may use it", path.display());
            DoctorFinding::wrong(check, found, format!("chmod {:03o} {}", mode & !others, path.display()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => missing(check, path, has_record),
        Err(error) => {
            let found = format!("{}: {error}", path.display());
            DoctorFinding::wrong(check, found, "let the server's user read and write it")
        }
    }
}

/// The first start makes the file: only after it is a missing file a problem.
fn missing(check: &'static str, path: &Path, has_record: bool) -> DoctorFinding {
    let found = format!("{} is missing", path.display());
    if has_record {
        DoctorFinding::wrong(check, found, "restore it from a backup: see docs/operating.md, Backup and restore")
    } else {
        DoctorFinding::note(check, found, "taisai serve makes it at the first start")
    }
}

fn open_files(limits: io::Result<(u64, u64)>) -> DoctorFinding {
    const CHECK: &str = "open-files";
    let fix = "raise the hard limit (LimitNOFILE= in the unit, or ulimit -Hn)";
    match limits {
        Ok((_, hard)) if hard < MIN_OPEN_FILES => {
            DoctorFinding::wrong(CHECK, format!("a program may have {hard} files open, connections among them"), fix)
        }
        Ok((_, hard)) if hard < ENOUGH_OPEN_FILES => {
            DoctorFinding::note(CHECK, format!("a program may have {hard} files open, connections among them"), fix)
        }
        Ok((_, hard)) => DoctorFinding::ok(CHECK, format!("a program may have {hard} files open")),
        Err(error) => DoctorFinding::wrong(CHECK, format!("the limit of open files is unknown: {error}"), fix),
    }
}

fn bits(mode: &Permissions) -> u32 {
    mode.mode() & 0o777
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::finding::CheckState;

    #[test]
    fn files_that_others_may_use_are_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.db");
        assert_eq!(private("secrets", &path, 0o077, false).state, CheckState::Note);
        assert_eq!(private("secrets", &path, 0o077, true).state, CheckState::Wrong);
        fs::write(&path, "").unwrap();
        for (mode, others, state, fix) in [
            (0o600, 0o077, CheckState::Ok, None),
            (0o640, 0o077, CheckState::Wrong, Some("chmod 600 ")),
            (0o644, 0o022, CheckState::Ok, None),
            (0o666, 0o022, CheckState::Wrong, Some("chmod 644 ")),
        ] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let finding = private("secrets", &path, others, true);
            assert_eq!(finding.state, state, "{mode:o}");
            assert_eq!(finding.fix, fix.map(|fix| format!("{fix}{}", path.display())), "{mode:o}");
        }
    }

    #[test]
    fn slow_flushes_and_low_limits_are_noted() {
        for (micros, state) in
            [(1, CheckState::Note), (10, CheckState::Ok), (50_000, CheckState::Ok), (50_001, CheckState::Note)]
        {
            let found = flushes(Path::new("data"), &mut [Duration::from_micros(micros)]);
            assert_eq!(found.state, state, "{micros}");
        }
        for (hard, state) in [
            (1_024, CheckState::Wrong),
            (4_096, CheckState::Note),
            (66_047, CheckState::Note),
            (66_048, CheckState::Ok),
        ] {
            assert_eq!(open_files(Ok((1, hard))).state, state, "{hard}");
        }
        assert_eq!(open_files(Err(io::Error::other("no"))).state, CheckState::Wrong);
    }
}
