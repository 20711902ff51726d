//! One round, many clusters on three machines: each follows the round by its record, and none takes a bet after its close.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::json;
use taisai_journal::suite::wait_for;

use crate::crowd::{Crowd, Player};
use crate::dealer::Dealer;
use crate::house::{House, Setup, TABLE, THE_TABLE, until};
use crate::play::{BETS, Play};
use crate::socket::Socket;

const TERMINALS: u32 = 40;
const CLUSTERS: u16 = 4;

/// A cluster's part, as it is listed.
fn part(cluster: u16) -> String {
    format!("table-1-{cluster}")
}

#[test]
fn one_round_is_played_on_three_machines() {
    let Play { mut house, crowd, dealer } = Play::at(House::spread(TERMINALS, CLUSTERS), TERMINALS, 1);
    let dealer = dealer.works();
    crowd.bets(4 * BETS);
    for cluster in [1, 3] {
        let holder = house.holder(&part(cluster));
        let killed = Instant::now();
        house.kill(holder);
        house.until_whole();
        println!("a machine with two parts: both run elsewhere after {} ms", killed.elapsed().as_millis());
        house.start(holder);
        house.until_whole();
        crowd.bets(4 * BETS);
    }
    Play { house, crowd, dealer: dealer.rests() }.ends();
}

/// What a player has who is seen.
const CREDITS: i64 = 12_300;

/// The console is told of every cluster, whichever machine has the dealer's side, and goes on from the numbers that were used there.
#[test]
fn a_console_sees_every_cluster() {
    let mut house = House::spread(TERMINALS, CLUSTERS);
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
    console.say(&json!({"commands": [{"sequence": 7, "command": clear_lock}]}));
    console.until("an answer", |said| said["answers"][0]["answer"]["refused"].is_object().then_some(()));
    let again = || {
        let path = format!("/api/v1/tables/{TABLE}/console?source={source}");
        Socket::try_open(supervisor.address, &path, &[("cookie", &supervisor.cookie)])
    };
    for _ in 0..2 {
        until("the number is known", || again().is_ok_and(|console| console.next()["snapshot"]["sequence"] == 7));
        let mut seen = BTreeSet::new();
        again().unwrap_or_else(|status| panic!("{status}")).until("a seat of every cluster", |said| {
            let staff = said.get("staff").unwrap_or(&said["snapshot"]["staff"]);
            let seats = staff["seats"].as_array().into_iter().flatten();
            seen.extend(seats.filter(|seat| seat["credits"] == CREDITS).map(|seat| seat["cluster"].as_u64()));
            (seen.len() == usize::from(CLUSTERS)).then_some(())
        });
        house.move_part(THE_TABLE, house.idle());
    }
    house.audit();
}

/// A cluster is silent after so many seconds: long before the lease of its machine is over.
const SILENT: u8 = 1;

/// A part that a machine has held for less is not taken from it.
const SETTLED_IN: Duration = Duration::from_secs(10);

/// Where this machine stands still, a lease may be over before the cluster is found silent: then it is tried again.
const TRIES: u32 = 5;

/// Its machine stands still, and lives as far as its lease says: the close does not wait for the end of that.
#[test]
fn a_silent_cluster_is_taken_from_its_machine() {
    let house = House::with(&Setup { terminals: TERMINALS, clusters: CLUSTERS, silent: SILENT, ..Setup::default() });
    house.until_whole();
    let Play { house, crowd, mut dealer } = Play::at(house, TERMINALS, 6);
    let is_taken_alive = (0..TRIES).any(|_| {
        // Parts move between two rounds.
        dealer.works_while(|| {
            house.until_whole();
            let whole = Instant::now();
            until("its machine has settled in", || {
                crowd.bets(BETS);
                whole.elapsed() > SETTLED_IN
            });
        });
        is_taken_alive(&house, &crowd, &mut dealer)
    });
    assert!(is_taken_alive, "its lease was over first, each of {TRIES} times");
    dealer.works_while(|| {
        house.until_whole();
        crowd.bets(4 * BETS);
    });
    Play { house, crowd, dealer }.ends();
}

/// Freezes a machine while bets are open, closes them, and says whether its cluster was taken from it while it lived.
fn is_taken_alive(house: &House, crowd: &Crowd, dealer: &mut Dealer) -> bool {
    let silent = house.idle();
    let cluster = (0..CLUSTERS).map(part).find(|part| house.holder(part) == silent).expect("parts are spread");
    dealer.deals_until("bets are open", |table| table["phase"] == "open" && table["is_held"] == false);
    crowd.bets(BETS);
    until("bets were open for long enough", || dealer.may_close());
    let others = house.doors().into_iter().enumerate().filter(|(node, _)| *node != silent).map(|(_, door)| door);
    dealer.goes_to(others.collect());
    house.freeze(silent);
    let frozen = Instant::now();
    dealer.act();
    let lives = wait_for("the cluster is taken", || house.is_taken_alive(&cluster, silent));
    until("the round is closed", || dealer.look()["phase"] == "closed");
    println!("a silent cluster: the round is closed after {} ms", frozen.elapsed().as_millis());
    house.thaw(silent);
    dealer.goes_to(house.doors());
    lives
}
