//! The bytes of a state, of the machine that the first byte names, are a state or are refused; a state is written back as
//! the same bytes and has the same hash.
#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use taisai_rules::Games;
use taisai_table::{Cluster, ClusterId, House, Profile, Round, TableId, TableRules};

static RULES: LazyLock<TableRules> = LazyLock::new(|| {
    let game = Games::embedded().find("tai-sai@6", None).expect("a game");
    TableRules::new(Arc::new(game.clone()), "C").expect("a layout")
});

const TABLE: TableId = TableId(1);

fuzz_target!(|input: &[u8]| {
    let Some((machine, bytes)) = input.split_first() else { return };
    let (rules, profile) = (|| RULES.clone(), Profile::singapore);
    match machine % 3 {
        0 => check(bytes, House::restore, |house| (house.snapshot(), house.state_hash())),
        1 => check(
            bytes,
            |bytes| Round::restore(TABLE, rules(), profile(), false, bytes),
            |round| (round.snapshot(), round.state_hash()),
        ),
        _ => check(
            bytes,
            |bytes| Cluster::restore(ClusterId { table: TABLE, number: 0 }, rules(), profile(), bytes),
            |cluster| (cluster.snapshot(), cluster.state_hash()),
        ),
    }
});

fn check<M, B: std::fmt::Debug>(
    bytes: &[u8],
    restore: impl Fn(&[u8]) -> Result<M, B>,
    written: impl Fn(&M) -> (Vec<u8>, [u8; 32]),
) {
    let Ok(machine) = restore(bytes) else { return };
    let (snapshot, hash) = written(&machine);
    let again = restore(&snapshot).expect("what was written can be read");
    assert_eq!(written(&again), (snapshot, hash));
}
