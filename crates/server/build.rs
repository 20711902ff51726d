//! Lists the files of the screens, as `npm run build` left them in `web/dist`, so that the program carries them. Without them the
//! list is empty, and the program says at its address what is missing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const BUILT: &str = "../../web/dist";

fn main() -> io::Result<()> {
    // A folder that is not there counts as changed at every build.
    fs::create_dir_all(BUILT)?;
    println!("cargo:rerun-if-changed={BUILT}");
    println!("cargo:rerun-if-changed=build.rs");
    let built = fs::canonicalize(BUILT)?;
    let mut files = files_in(&built)?;
    files.sort();

    let mut list = String::from("[\n");
    for file in files.iter().filter(|file| !is_packed(file)) {
        let path = file.strip_prefix(&built).map_err(io::Error::other)?.to_string_lossy().replace('\\', "/");
        let packed = file.with_added_extension("gz");
        let packed = if files.contains(&packed) { format!("Some({})", bytes_of(&packed)) } else { "None".to_owned() };
        writeln!(list, "    ScreenFile {{ path: {path:?}, whole: {}, packed: {packed} }},", bytes_of(file))
            .map_err(io::Error::other)?;
    }
    list.push(']');
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo names no OUT_DIR"))?;
    fs::write(Path::new(&out).join("screens.rs"), list)
}

fn bytes_of(file: &Path) -> String {
    format!("include_bytes!({:?})", file.to_string_lossy())
}

fn is_packed(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "gz")
}

fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(files_in(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}
