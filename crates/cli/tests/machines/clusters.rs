//! One round with clusters on three nodes: each follows the round through its record, and none takes a bet after the close.

use std::collections::BTreeSet;
use std::time::Instant;

use serde_json::json;

use crate::betting_players::Player;
use crate::house::{TABLE, TABLE_PARTITION, TestCasino, until};
use crate::play::{BETS, BettingRun};
use crate::socket::Socket;

const TERMINALS: u32 = 40;
const CLUSTERS: u16 = 4;

/// The partition of a cluster, as `taisai tables list` names it.
fn part(cluster: u16) -> String {
    format!("table-1-{cluster}")
}

#[test]
fn one_round_is_played_on_three_machines() {
    let BettingRun { mut house, crowd, dealer } = BettingRun::at(TestCasino::spread(TERMINALS, CLUSTERS), TERMINALS, 1);
    let dealer = dealer.works();
    crowd.bets(4 * BETS);
    for cluster in [1, 3] {
        let holder = house.holder(&part(cluster));
        let killed = Instant::now();
        house.kill(holder);
        house.wait_until_all_partitions_are_held();
        println!("a machine with two parts: both run elsewhere after {} ms", killed.elapsed().as_millis());
        house.start(holder);
        house.wait_until_all_partitions_are_held();
        crowd.bets(4 * BETS);
    }
    BettingRun { house, crowd, dealer: dealer.rests() }.ends();
}

/// The credits and bets of a player.
const CREDITS: i64 = 12_300;

/// The console shows every cluster, whichever node holds the round, and continues from the command numbers used there.
#[test]
fn console_sees_every_cluster() {
    let mut house = TestCasino::spread(TERMINALS, CLUSTERS);
    let share = usize::try_from(TERMINALS).unwrap() / usize::from(CLUSTERS);
    let devices = house.enrol(1..=TERMINALS);
    for device in devices.into_iter().step_by(share) {
        let mut player = Player::new(&house, device);
        house.runtime.block_on(async {
            player.credits_now().await;
            player.buy_in(CREDITS).await;
        });
    }
    let supervisor = house.person("pit-supervisor");
    let mut console = supervisor.console(TABLE);
    let source = console.next()["snapshot"]["source"].clone();
    let clear_lock = json!({"cluster": {"number": CLUSTERS - 1, "command": {"clear-lock": {"seat": 1}}}});
    console.send_json(&json!({"commands": [{"sequence": 7, "command": clear_lock}]}));
    console.until("an answer", |message| message["answers"][0]["answer"]["refused"].is_object().then_some(()));
    let again = || {
        let path = format!("/api/v1/tables/{TABLE}/console?source={source}");
        Socket::try_open(supervisor.address, &path, &[("cookie", &supervisor.cookie)])
    };
    for _ in 0..2 {
        until("the number is known", || again().is_ok_and(|console| console.next()["snapshot"]["sequence"] == 7));
        let mut seen = BTreeSet::new();
        again().unwrap_or_else(|status| panic!("{status}")).until("a seat of every cluster", |message| {
            let staff = message.get("staff").unwrap_or(&message["snapshot"]["staff"]);
            let seats = staff["seats"].as_array().into_iter().flatten();
            seen.extend(seats.filter(|seat| seat["credits"] == CREDITS).map(|seat| seat["cluster"].as_u64()));
            (seen.len() == usize::from(CLUSTERS)).then_some(())
        });
        house.move_partition(TABLE_PARTITION, house.idle());
    }
    house.audit();
}
