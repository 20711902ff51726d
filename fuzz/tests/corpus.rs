//! Every target withstands its corpus: `cargo test --workspace --test corpus`.

use std::path::Path;
use std::process::Command;

macro_rules! targets {
    ($($target:ident)*) => { $(
        #[test]
        fn $target() {
            let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(stringify!($target));
            assert!(corpus.read_dir().expect("a corpus").next().is_some(), "an empty corpus tries nothing");
            let output = Command::new(env!(concat!("CARGO_BIN_EXE_", stringify!($target)))).arg("-runs=0").arg(corpus).output();
            let output = output.expect("the target runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    )* };
}

targets! { block config_file entry evidence game_file notation play_script settle_line snapshot }
