//! An entry of any machine that can be read is written back as the same entry.
#![no_main]

use std::fmt::Debug;

use libfuzzer_sys::fuzz_target;
use serde::Serialize;
use serde::de::DeserializeOwned;
use taisai_table::{
    ClusterCommand, ClusterEvent, Entry, HouseCommand, HouseEvent, RoundCommand, RoundEvent, decode, encode,
};

fuzz_target!(|bytes: &[u8]| {
    check::<RoundCommand, RoundEvent>(bytes);
    check::<ClusterCommand, ClusterEvent>(bytes);
    check::<HouseCommand, HouseEvent>(bytes);
});

fn check<C, E>(bytes: &[u8])
where
    C: Serialize + DeserializeOwned + PartialEq + Debug,
    E: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let Ok(entry) = decode::<C, E>(bytes) else { return };
    let mut written = Vec::new();
    encode(&entry, &mut written);
    let again: Entry<C, E> = decode(&written).expect("what was written can be read");
    assert_eq!(again, entry);
}
