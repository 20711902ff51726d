//! What the engine may depend on: the machines below it, and no thread, clock, chance, socket or database.

use std::collections::BTreeSet;
use std::process::Command;

/// What the engine names itself. `utoipa` is there for the description of a server only.
const DIRECT: [&str; 5] = ["serde", "taisai-rules", "taisai-table", "thiserror", "utoipa"];

/// What none of them may bring.
const ABSENT: [&str; 11] = [
    "tokio",
    "mio",
    "rusqlite",
    "libsqlite3-sys",
    "postgres",
    "tokio-postgres",
    "rustls",
    "axum",
    "hyper",
    "rand",
    "getrandom",
];

/// The packages that the engine is built with on this machine, each with how far it is from the engine. What runs while it is
/// compiled is left out.
fn tree() -> Vec<(u32, String)> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo.args(["tree", "--offline", "--locked", "--all-features", "-e", "normal,no-proc-macro", "--prefix", "depth"]);
    let ran = cargo.output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let package = |line: &str| {
        let name = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let depth = line[..line.len() - name.len()].parse().unwrap();
        (depth, name.split(' ').next().unwrap().to_owned())
    };
    String::from_utf8(ran.stdout).unwrap().lines().map(package).collect()
}

#[test]
fn the_engine_has_no_thread_clock_chance_socket_or_database() {
    let tree = tree();
    assert_eq!(tree[0], (0, "taisai-engine".to_owned()));
    let direct: BTreeSet<&str> = tree.iter().filter(|(depth, _)| *depth == 1).map(|(_, name)| name.as_str()).collect();
    assert_eq!(direct, BTreeSet::from(DIRECT));
    let reached: BTreeSet<&str> = tree.iter().map(|(_, name)| name.as_str()).collect();
    assert!(reached.len() > 10, "{reached:?}");
    let forbidden: Vec<_> = ABSENT.into_iter().filter(|name| reached.contains(name)).collect();
    assert!(forbidden.is_empty(), "{forbidden:?} among {reached:?}");
}
