//! Times flushes: appending to a file and making it durable.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// Appends `bytes` bytes to a file in `folder` and flushes them, `times` times; gives how long each took.
pub fn time_flushes(folder: &Path, bytes: usize, times: u32) -> std::io::Result<Vec<Duration>> {
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
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timed_flushes_leave_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let taken = time_flushes(folder.path(), 4_096, 5).unwrap();
        assert!(taken.len() == 5 && taken.iter().all(|time| *time > Duration::ZERO));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
