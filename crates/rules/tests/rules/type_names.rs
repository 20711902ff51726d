//! One name means one thing in the workspace: two types of the same name need a reason in `type_names.txt`.
//!
//! `BLESS=1 cargo test -p taisai-rules --test rules type_names` removes the names that are unique by now, and adds new
//! ones with the reason "to be renamed".

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

const ALLOWED: &str = "tests/rules/type_names.txt";
const TO_BE_RENAMED: &str = "to be renamed";

fn source_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            if !path.ends_with("tests") {
                source_files(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// The type that a line declares. An indented `type` is an associated type.
fn declared(line: &str) -> Option<&str> {
    let is_indented = line.starts_with(' ');
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let (keyword, rest) = line.split_once(' ')?;
    let is_type = matches!(keyword, "struct" | "enum" | "trait" | "union") || (keyword == "type" && !is_indented);
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    (is_type && rest.starts_with(|c: char| c.is_ascii_uppercase())).then(|| &rest[..end])
}

/// Every name that several types outside of tests have, with the files that declare it.
fn shared_names(crates: &Path) -> BTreeMap<String, Vec<String>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(crates).expect("a readable folder") {
        let source = entry.expect("a readable folder").path().join("src");
        if source.is_dir() {
            source_files(&source, &mut files);
        }
    }
    files.sort();
    let mut names = BTreeMap::<String, Vec<String>>::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a readable file");
        let relative = file.strip_prefix(crates).expect("a file of the crates").display().to_string();
        // Modules of tests stand at the end of their files.
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for name in code.lines().filter_map(declared) {
            names.entry(name.to_owned()).or_default().push(relative.clone());
        }
    }
    names.retain(|_, files| files.len() > 1);
    names
}

#[test]
fn types_share_a_name_only_for_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = shared_names(root.parent().expect("the folder of the crates"));
    let text = fs::read_to_string(root.join(ALLOWED)).unwrap_or_default();
    let allowed: BTreeMap<_, _> = text.lines().filter_map(|line| line.split_once(": ")).collect();
    if env::var_os("BLESS").is_some() {
        let reason = |name: &String| *allowed.get(name.as_str()).unwrap_or(&TO_BE_RENAMED);
        let lines: Vec<_> = shared.keys().map(|name| format!("{name}: {}", reason(name))).collect();
        fs::write(root.join(ALLOWED), lines.join("\n") + "\n").expect("a file that can be written");
        return;
    }
    let new: Vec<_> = shared.iter().filter(|(name, _)| !allowed.contains_key(name.as_str())).collect();
    assert!(new.is_empty(), "give one of each a more precise name, or the reason in {ALLOWED}: {new:#?}");
    let unique: Vec<_> = allowed.keys().filter(|name| !shared.contains_key(**name)).collect();
    assert!(unique.is_empty(), "these names are unique: remove them from {ALLOWED}: {unique:?}");
}

#[test]
fn declarations_are_found_at_any_visibility() {
    for (line, name) in [
        ("pub struct Slip {", Some("Slip")),
        ("    pub(crate) enum Kind<'a> {", Some("Kind")),
        ("trait Machine: Clone {", Some("Machine")),
        ("type Answer = u8;", Some("Answer")),
        ("    type Err = UnknownBox;", None),
        ("pub use slip::Slip;", None),
        ("        pub enum $name {", None),
        ("// struct Slip", None),
    ] {
        assert_eq!(declared(line), name, "{line}");
    }
}
