//! A flush by itself: so many bytes at the end of a file, and the system asked to make them durable.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use super::figure::p99;

/// The 99th percentile of flushes of so many bytes, in a folder of the same disk.
pub(super) fn p99_of(folder: &Path, bytes: usize, times: u32) -> std::io::Result<Duration> {
    let path = folder.join("flush");
    let mut file = OpenOptions::new().create_new(true).append(true).open(&path)?;
    let block = vec![b'x'; bytes];
    let mut taken = Vec::new();
    for _ in 0..times {
        let start = Instant::now();
        file.write_all(&block)?;
        file.sync_data()?;
        taken.push(start.elapsed());
    }
    std::fs::remove_file(path)?;
    Ok(p99(&mut taken))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flushes_are_timed_and_leave_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert!(p99_of(folder.path(), 4_096, 5).unwrap() > Duration::ZERO);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
