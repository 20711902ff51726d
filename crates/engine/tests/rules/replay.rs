//! The record: the same entries give the same state from any point on, bytes come back as what was written, and bytes
//! that are cut short or changed are refused without a panic.

use taisai_table::{
    BadBytes, Cluster, ClusterEntry, Decision, Entry, FORMAT_VERSION, MachineEntry, Profile, Round, RoundEntry, decode,
    encode,
};

use crate::installation::{CLUSTER, ETG, GAMES, SEATS, TABLE, TestInstallation, rules};

/// A shift of play: every kind of command, refusals and repeats, irregularities, corrections, restarts.
pub(crate) fn shift(game: &'static str) -> TestInstallation {
    let mut installation = TestInstallation::new(game);
    installation.run("fund 0 90000; fund 1 50000; fund 2 70000");
    for throw in ["123", "456", "111", "665", "244"] {
        installation.run(
            "dealer open; player bet 0 big 500 small 500; player bet 1 big 900 sum:4 200; player bet 2 single:6 300",
        );
        installation.run(
            "player take 1 big 100; player bet 9 big 100 = !unknown-seat
                  player bet 0 three:126 100 = !box-not-on-layout",
        );
        installation.run(
            "player bet 2 triple:6 100; player clear 2; player bet 2 small 700; dealer close
                  player clear 1 = !bets-closed",
        );
        installation.run(&format!(
            "throw {throw}; dealer open; player repeat 1; player double 1; dealer close; dealer activate"
        ));
        installation
            .run("dealer tumbled 1; dealer void few-tumbles; dealer open; player bet 0 small 800; system restarted");
        installation
            .run("system restarted; player bet 0 big 500 = !held; dealer continue; player bet 0 big 500; deal 345");
        installation.run(
            "dealer open; player bet 1 big 500; dealer close; dealer activate; dealer tumbled 3; dealer interrupt 4",
        );
        installation.run("dealer commit 456 = !dice-not-known; shift rule conclude 466 with manager");
    }
    installation.run(
        "shift rule settle 1 456 with manager; shift rule settle 1 345 with manager
              supervisor void-damaged 2 4 with shift",
    );
    installation.run(
        "shift rule settle 2 335 with manager; supervisor use-dice 8; supervisor relieve dealer dealer2
              supervisor relieve dealer dealer",
    );
    installation.run("dealer open; player bet 0 big 900; manager void-by-law 5 malfunction with shift; deal 556");
    match game {
        ETG => installation.run(
            "system lost 0; player bet 0 big 500 = !no-round-open; system back 0; player voucher 1 7; fund 1 900
             player hand-pay 0
             supervisor correct 9 222 with manager; supervisor void-damaged 10 12 with manager",
        ),
        "tai-sai-classic" => installation.run(
            "dealer issue 0 1 500 10; dealer open; player bet-colour 0 big 1500 single:6 500; deal 166; dealer redeem 0
             dealer leave 0
             dealer issue 2 3 100 10; dealer open; player bet-colour 2 big 500; dealer walk 2; deal 456
             dealer issue 1 1 200 5",
        ),
        _ => installation.run(
            "supervisor limits unit=100 big=500..1000 diff=500; dealer open; player bet 0 big 1500
             player bet 1 big 900; dealer reject
             supervisor relieve manager manager; manager bet-for 2 big 900; dealer walk 2; deal 456; shift rule settle 21 123 with manager",
        ),
    }
    installation.run("supervisor announce; round 446");
    installation
}

fn entries(installation: &TestInstallation) -> (Vec<RoundEntry>, Vec<ClusterEntry>) {
    let (mut rounds, mut clusters) = (Vec::new(), Vec::new());
    for entry in &installation.house.record {
        match entry {
            MachineEntry::Round(_, entry) => rounds.push(entry.clone()),
            MachineEntry::Cluster(_, entry) => clusters.push(entry.clone()),
            MachineEntry::House(_) => {}
        }
    }
    (rounds, clusters)
}

/// A machine that is rebuilt from entries.
trait Machine: Clone {
    type Command;
    type Event: Clone + PartialEq + std::fmt::Debug;

    fn apply(&mut self, entry: &Entry<Self::Command, Self::Event>);
    fn decide(&self, entry: &Entry<Self::Command, Self::Event>) -> Decision<Self::Event>;
    fn hash(&self) -> [u8; 32];
    fn snapshot(&self) -> Vec<u8>;
    fn restore(game: &str, bytes: &[u8]) -> Result<Self, BadBytes>;
}

macro_rules! machine {
    ($machine:ident, $command:ident, $event:ident, $restore:expr) => {
        impl Machine for $machine {
            type Command = taisai_table::$command;
            type Event = taisai_table::$event;

            fn apply(&mut self, entry: &Entry<Self::Command, Self::Event>) {
                self.apply(entry);
            }
            fn decide(&self, entry: &Entry<Self::Command, Self::Event>) -> Decision<Self::Event> {
                self.decide(&entry.request)
            }
            fn hash(&self) -> [u8; 32] {
                self.state_hash()
            }
            fn snapshot(&self) -> Vec<u8> {
                self.snapshot()
            }
            fn restore(game: &str, bytes: &[u8]) -> Result<Self, BadBytes> {
                $restore(game, bytes)
            }
        }
    };
}

machine!(Round, RoundCommand, RoundEvent, |game, bytes| Self::restore(
    TABLE,
    rules(game, "A"),
    Profile::singapore(),
    false,
    bytes
));
machine!(Cluster, ClusterCommand, ClusterEvent, |game, bytes| Self::restore(
    CLUSTER,
    rules(game, "A"),
    Profile::singapore(),
    bytes
));

/// Every prefix is reached from scratch and from its snapshot, and leads to the same end; every decision is made again.
fn check_prefixes<M: Machine>(game: &str, scratch: M, entries: &[Entry<M::Command, M::Event>], end: [u8; 32]) {
    let mut prefix = scratch;
    for (place, entry) in entries.iter().enumerate() {
        let snapshot = prefix.snapshot();
        let mut restored = M::restore(game, &snapshot).expect("a snapshot");
        assert_eq!((restored.snapshot(), restored.hash()), (snapshot, prefix.hash()), "{game}, entry {place}");
        entries[place..].iter().for_each(|entry| restored.apply(entry));
        assert_eq!(restored.hash(), end, "{game}, from entry {place}");
        let decided = match prefix.decide(entry) {
            Decision::Accepted(event) => Ok(event),
            Decision::Refused(refusal) => Err(refusal),
            Decision::Repeated(_) => panic!("a repeat is not recorded"),
        };
        assert_eq!(decided, entry.outcome, "{game}, entry {place}");
        prefix.apply(entry);
    }
    assert_eq!(prefix.hash(), end, "{game}, from scratch");
}

#[test]
fn every_prefix_leads_to_the_same_state() {
    for game in GAMES {
        let installation = shift(game);
        let (rounds, clusters) = entries(&installation);
        assert!(rounds.len() > 150 && clusters.len() > 100, "{} and {} entries", rounds.len(), clusters.len());
        let round = Round::new(TABLE, rules(game, "A"), Profile::singapore(), false, 1);
        check_prefixes(game, round, &rounds, installation.round().state_hash());
        let cluster = Cluster::new(CLUSTER, rules(game, "A"), Profile::singapore(), SEATS);
        check_prefixes(game, cluster, &clusters, installation.cluster().state_hash());
    }
}

fn bytes<C: serde::Serialize, E: serde::Serialize>(entry: &Entry<C, E>) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(entry, &mut bytes);
    bytes
}

/// What is written is read; what is cut short or longer is not; a changed bit never panics.
fn check_bytes<C, E>(entry: &Entry<C, E>)
where
    C: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
    E: serde::Serialize + serde::de::DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let bytes = bytes(entry);
    assert_eq!(decode::<C, E>(&bytes).as_ref(), Ok(entry));
    for cut in 0..bytes.len() {
        let error = if cut == 0 { BadBytes::Empty } else { BadBytes::Damaged };
        assert_eq!(decode::<C, E>(&bytes[..cut]), Err(error), "{cut} bytes of {entry:?}");
    }
    assert_eq!(decode::<C, E>(&[&bytes[..], &[0]].concat()), Err(BadBytes::Damaged));
    assert_eq!(
        decode::<C, E>(&[&[FORMAT_VERSION + 1], &bytes[1..]].concat()),
        Err(BadBytes::Newer(FORMAT_VERSION + 1))
    );
    assert_eq!(decode::<C, E>(&[&[0], &bytes[1..]].concat()), Err(BadBytes::Damaged));
    for bit in 8..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        if let Ok(other) = decode::<C, E>(&changed) {
            assert!(other != *entry || self::bytes(&other) == bytes, "{entry:?}: bit {bit} makes no difference");
        }
    }
}

#[test]
fn entries_come_back_from_their_bytes() {
    for game in GAMES {
        let (rounds, clusters) = entries(&shift(game));
        rounds.iter().for_each(check_bytes);
        clusters.iter().for_each(check_bytes);
        // One after the other in a buffer.
        let mut buffer = bytes(&rounds[0]);
        let first = buffer.len();
        encode(&rounds[1], &mut buffer);
        assert_eq!(buffer[first..], bytes(&rounds[1]));
    }
}

fn check_snapshot<M: Machine>(game: &str, machine: &M) {
    let (bytes, hash) = (machine.snapshot(), machine.hash());
    for cut in (0..bytes.len()).step_by(7) {
        assert!(M::restore(game, &bytes[..cut]).is_err(), "{game}: {cut} bytes of a snapshot");
    }
    assert!(M::restore(game, &[&bytes[..], &[0]].concat()).is_err());
    for bit in (0..bytes.len() * 8).step_by(5) {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        // Read or refused; what is read is not the state that was written.
        if let Ok(other) = M::restore(game, &changed) {
            assert!(other.hash() != hash || other.snapshot() == bytes, "{game}: bit {bit}");
        }
    }
}

#[test]
fn damaged_snapshots_never_panic() {
    for game in GAMES {
        let installation = shift(game);
        check_snapshot(game, installation.round());
        check_snapshot(game, installation.cluster());
    }
}
