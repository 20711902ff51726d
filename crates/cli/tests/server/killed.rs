//! Five hundred terminals bet while the process is killed and restarted ten times: every acknowledged bet is in the record
//! exactly once, and commands without a reply are repeated under their numbers.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use serde_json::Value;
use taisai_journal::suite::{HANG_LIMIT, wait_until};

use crate::dealing::{Dealing, buy_in};
use crate::house::TestCasino;
use crate::person::accepted;
use crate::random::Random;
use crate::socket::ReceivedFrame;
use crate::terminal::{Device, Terminal, place};

const TERMINALS: u32 = 500;
const KILLS: u32 = 10;
const UNIT: i64 = 100;
const CREDITS: i64 = 10_000_000;

/// A terminal's knowledge of its bets.
struct Player {
    device: Device,
    /// The command without a reply.
    open: Option<(u64, Value)>,
    /// What was acknowledged, in cents.
    taken: i64,
}

impl Player {
    /// Bets until the connection ends or the process is killed.
    fn play(&mut self, terminal: &mut Terminal, ends: &AtomicBool, count: &AtomicU64) {
        if let Some((sequence, bet)) = &self.open {
            terminal.send_as(*sequence, bet);
        }
        loop {
            let (sequence, _) = self.open.get_or_insert_with(|| {
                let bet = place(terminal.device.seat, &[("small", UNIT)]);
                (terminal.send(&bet), bet)
            });
            let Some(answer) = terminal.try_answer(*sequence) else { return };
            match answer["refused"]["code"].as_str() {
                None => {
                    self.taken += UNIT;
                    count.fetch_add(1, Ordering::Relaxed);
                }
                // Refused between restart and resumption. The next command has a new number.
                Some("held" | "terminal-lost") => {}
                Some(other) => panic!("{other}: {answer}"),
            }
            self.open = None;
            if ends.load(Ordering::Relaxed) {
                return;
            }
        }
    }
}

/// Ends the players of this run, also when the test fails.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn acknowledged_bets_survive_kills_exactly_once() {
    rlimit::increase_nofile_limit(u64::MAX).unwrap();
    let tables = format!("\n[[table]]\nnumber = 1\ngame = \"sic-bo-etg\"\nlayout = \"B\"\nterminals = {TERMINALS}\n");
    let mut house = TestCasino::alone(&tables);
    let dealing = Dealing::open(&house, 1);
    let mut players: Vec<Player> = (1..=TERMINALS)
        .map(|seat| {
            buy_in(&house, 1, seat, CREDITS);
            Player { device: house.enrol(1, seat), open: None, taken: 0 }
        })
        .collect();
    dealing.open_bets();
    let (mut random, count) = (Random(9), AtomicU64::new(0));
    for kill in 0..=KILLS {
        let (ends, connected) = (AtomicBool::new(false), AtomicU32::new(0));
        let (address, is_last) = (house.address(), kill == KILLS);
        thread::scope(|scope| {
            for player in &mut players {
                let (ends, connected, count) = (&ends, &connected, &count);
                let play = move || {
                    let mut is_counted = false;
                    // A busy server may cut a terminal off; it connects again.
                    while !ends.load(Ordering::Relaxed) || (is_last && player.open.is_some()) {
                        let Ok(mut terminal) = player.device.try_connect(address) else { continue };
                        connected.fetch_add(u32::from(!is_counted), Ordering::Relaxed);
                        is_counted = true;
                        // The kill may come before every terminal knows that play goes on.
                        if terminal.is_shown(|terminal| terminal.public["is_held"] == false) {
                            player.play(&mut terminal, ends, count);
                        }
                    }
                };
                thread::Builder::new().stack_size(512 * 1024).spawn_scoped(scope, play).unwrap();
            }
            let _ending = SetOnDrop(&ends);
            wait_until("every terminal is connected", || connected.load(Ordering::Relaxed) == TERMINALS);
            if kill > 0 {
                accepted(&house.person("dealer").round(1, "continue"));
            }
            // The number of bets differs each time, so that the kill comes at any moment.
            let enough = count.load(Ordering::Relaxed) + 200 + random.below(400);
            wait_until(&format!("bets are taken in life {kill}"), || count.load(Ordering::Relaxed) >= enough);
            ends.store(true, Ordering::Relaxed);
            if !is_last {
                house.kill();
            }
        });
        if !is_last {
            house.restart();
        }
    }
    for player in &players {
        let terminal = player.device.connect(house.address());
        assert_eq!(terminal.view["on_layout"], player.taken, "seat {}", player.device.seat);
        assert_eq!(terminal.view["credits"], CREDITS - player.taken, "seat {}", player.device.seat);
        assert!(player.open.is_none());
    }
    let taken: i64 = players.iter().map(|player| player.taken).sum();
    let dealer = Dealing { table: 1, dealer: house.person("dealer"), supervisor: house.person("pit-supervisor") };
    dealer.conclude([1, 2, 3]);
    let console = dealer.dealer.console(1);
    let by = Instant::now() + HANG_LIMIT;
    let mut meters = Value::Null;
    while meters["won"] != 2 * taken {
        assert!(Instant::now() < by, "{meters}, of {taken}");
        let ReceivedFrame::Json(message) = console.receive() else { panic!("{meters}, of {taken}") };
        let staff = message.get("staff").or_else(|| message["snapshot"].get("staff"));
        meters = staff.and_then(|staff| staff.get("meters")).map_or(meters, |meters| meters[0].clone());
    }
    assert_eq!(meters["bet"], taken);
    drop(console);
    house.audit();
    let (is_shown, round) = house.taisai(&["audit", "show", "data", "--table", "1", "--round", "1", "--json"]);
    assert!(is_shown, "{round}");
    let round: Value = serde_json::from_str(&round).unwrap();
    assert!(round.to_string().contains(&taken.to_string()), "{taken} is not what the record holds");
}
