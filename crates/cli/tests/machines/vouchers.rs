//! Credits become vouchers at one terminal and credits again at another, while the machine that holds the House is killed: each is
//! redeemed once, and no money is lost or made.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::crowd::Player;
use crate::house::{House, THE_HOUSE, until};
use crate::record::Record;

/// The two of a pair sit in different clusters, which are spread over the machines.
const PAIRS: u32 = 10;
const CLUSTERS: u16 = 4;
const KILLS: u32 = 2;

/// So much is put in at a time.
const CREDITS: i64 = 50_000;

/// The credits of a terminal that was lost when they came are paid by hand: whoever has none by then puts new money in.
const PATIENCE: Duration = Duration::from_secs(5);

/// So many vouchers are waited for where it must be seen that they are taken.
const VOUCHERS: u64 = 20;

/// Two players who hand all they have to each other.
struct Partners {
    one: Player,
    other: Player,
    bought: i64,
}

impl Partners {
    async fn play(mut self, redeemed: Arc<AtomicU64>, is_over: Arc<AtomicBool>) -> Self {
        self.buy_in().await;
        while !is_over.load(Ordering::Relaxed) {
            if timeout(PATIENCE, self.one.credits(|credits| credits > 0)).await.is_err() {
                self.buy_in().await;
            }
            let number = self.cash_out().await;
            self.other.does(&json!({"redeem": {"number": number}})).await;
            redeemed.fetch_add(1, Ordering::Relaxed);
            self = Self { one: self.other, other: self.one, ..self };
        }
        self
    }

    /// The number of a voucher. One whose answer was lost with a machine is shown under a new one, never again under its own (F42).
    async fn cash_out(&mut self) -> String {
        let mut issued = self.one.does(&json!({"cash-out-to-voucher": {}})).await;
        loop {
            if let Some(number) = issued["voucher"]["voucher"]["validation"].as_str() {
                return number.to_owned();
            }
            assert!(issued.get("on-file").is_some(), "no voucher: {issued}");
            let serial = match issued["on-file"]["voucher"]["serial"].as_u64() {
                Some(serial) => serial,
                None => self.one.sees(|seat| seat["money"]["voucher"]["serial"].as_u64()).await,
            };
            issued = self.one.does(&json!({"reissue-voucher": {"serial": serial}})).await;
        }
    }

    async fn buy_in(&mut self) {
        self.one.buy_in(CREDITS).await;
        self.bought += CREDITS;
    }

    async fn credits_now(&mut self) -> i64 {
        self.one.credits_now().await + self.other.credits_now().await
    }
}

/// What is owed by hand.
fn claims(house: &House) -> i64 {
    let (status, claims) = house.person("attendant").get("/api/v1/house/lists/claims");
    assert_eq!(status, 200, "{claims}");
    claims.as_array().unwrap().iter().map(|claim| claim["amount"].as_i64().unwrap()).sum()
}

#[test]
fn each_is_redeemed_once() {
    let mut house = House::spread(2 * PAIRS, CLUSTERS);
    let (redeemed, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let mut ones = house.enrol(1..=2 * PAIRS);
    let others = ones.split_off(usize::try_from(PAIRS).unwrap());
    let player = |device| Player::new(&house, device);
    let pair = |(one, other)| Partners { one: player(one), other: player(other), bought: 0 };
    let pairs: Vec<_> = ones.into_iter().zip(others).map(pair).collect();
    let play = |pair: Partners| house.runtime.spawn(pair.play(Arc::clone(&redeemed), Arc::clone(&is_over)));
    let pairs: Vec<_> = pairs.into_iter().map(play).collect();
    let more = || {
        let enough = redeemed.load(Ordering::Relaxed) + VOUCHERS;
        until("vouchers are redeemed", || {
            redeemed.load(Ordering::Relaxed) >= enough || pairs.iter().any(JoinHandle::is_finished)
        });
        assert!(pairs.iter().all(|pair| !pair.is_finished()), "a player cannot go on");
    };
    for _ in 0..KILLS {
        let holder = house.holder(THE_HOUSE);
        more();
        house.kill(holder);
        house.other_holder(THE_HOUSE, holder);
        more();
        house.start(holder);
        house.until_whole();
    }
    is_over.store(true, Ordering::Relaxed);
    let mut pairs: Vec<_> =
        pairs.into_iter().map(|pair| house.runtime.block_on(pair).expect("they went on to the end")).collect();
    let bought: i64 = pairs.iter().map(|pair| pair.bought).sum();
    until("all money is there", || {
        let credits: i64 = pairs.iter_mut().map(|pair| house.runtime.block_on(pair.credits_now())).sum();
        credits + claims(&house) == bought
    });
    let owed = claims(&house);
    house.audit();
    let record = Record::read(house.store(), house.clusters());
    assert_eq!(u64::try_from(record.redeemed.len()).unwrap(), redeemed.load(Ordering::Relaxed));
    assert!(record.redeemed.values().all(|times| *times == 1), "{:?}", record.redeemed);
    println!("{} vouchers, each redeemed once, {owed} cents as claims", record.redeemed.len());
}
