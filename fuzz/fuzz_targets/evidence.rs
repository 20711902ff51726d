//! A file of evidence is read as it was written, or refused; what it proves with the key that signed the first of the corpus
//! is settled or refused. Also with a hash at its end that was made to fit.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taisai_journal::Hash;
use taisai_record::{Program, RoundEvidence};

const KEY: &str = "ed25519:fb0ebec624a3db608527fcdb3bf126a5dba5b43a757a0d07f5f650bee5350cad";

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    check(&[bytes, Hash::of(bytes).as_bytes()].concat());
});

fn check(bytes: &[u8]) {
    let Ok(evidence) = RoundEvidence::from_bytes(bytes) else { return };
    assert_eq!(evidence.to_bytes().as_deref(), Ok(bytes));
    let program = Program { version: String::new(), hash: [0; 32] };
    if let Ok(proven) = evidence.check(&[KEY.parse().expect("a key")], &program) {
        assert_eq!((proven.settlement.table, proven.settlement.round), (evidence.table, evidence.round));
    }
}
