//! A restart: every machine is built again from the bytes of its entries, and must be as it was.

use anyhow::{Context as _, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use taisai_table::{Entry, Recorded, decode, encode};

use super::Stage;

impl Stage<'_> {
    pub(super) fn rebuild(&mut self) -> anyhow::Result<()> {
        let mut bytes = Vec::new();
        let read = self.floor.record.iter().map(|recorded| {
            Ok(match recorded {
                Recorded::Round(table, entry) => Recorded::Round(*table, read_back(entry, &mut bytes)?),
                Recorded::Cluster(cluster, entry) => Recorded::Cluster(*cluster, read_back(entry, &mut bytes)?),
                Recorded::House(entry) => Recorded::House(read_back(entry, &mut bytes)?),
            })
        });
        let record = read.collect::<anyhow::Result<Vec<_>>>()?;
        let before = self.hashes();
        self.floor.rebuild(&record);
        for ((machine, before), (_, after)) in before.into_iter().zip(self.hashes()) {
            ensure!(before == after, "{machine} is not what it was before the restart");
        }
        Ok(())
    }

    fn hashes(&self) -> [(&'static str, [u8; 32]); 3] {
        [
            ("the dealer's side", self.round().state_hash()),
            ("the players' side", self.cluster().state_hash()),
            ("the House", self.house().state_hash()),
        ]
    }
}

/// An entry as a store would give it back.
fn read_back<C, E>(entry: &Entry<C, E>, bytes: &mut Vec<u8>) -> anyhow::Result<Entry<C, E>>
where
    C: Serialize + DeserializeOwned,
    E: Serialize + DeserializeOwned,
{
    bytes.clear();
    encode(entry, bytes);
    decode(bytes).context("an entry cannot be read back")
}

#[cfg(test)]
mod tests {
    use taisai_rules::{Games, Moment};

    use super::super::super::parse::parse;
    use super::super::super::profile::Profiles;
    use super::*;

    /// A record that lacks its last entry of a machine gives another state, and that is seen.
    #[test]
    fn a_record_with_a_gap_is_seen() {
        let script = "table sic-bo-etg layout A terminals 5\ndealer 3\nlimits unit 1, rest 1..1000\nopen\nseat 1 buys in 100\n\
                      place your bets\nseat 1 bets 5 on big\nsell voucher of 20 by cashier 8\n";
        let now = Moment::from_unix_seconds(1_767_240_000);
        let script =
            parse(script, Games::embedded(), now, &Profiles::default()).unwrap_or_else(|faults| panic!("{faults:?}"));
        let mut stage = Stage::new(&script).unwrap();
        for step in script.lines.iter().filter_map(|line| line.step.as_ref()) {
            stage.play(step).unwrap().unwrap();
        }
        stage.rebuild().unwrap();
        let floor = stage.floor.clone();
        let places: [fn(&Recorded) -> bool; 3] = [
            |entry| matches!(entry, Recorded::Round(..)),
            |entry| matches!(entry, Recorded::Cluster(..)),
            |entry| matches!(entry, Recorded::House(_)),
        ];
        for (is_of, machine) in places.into_iter().zip(["the dealer's side", "the players' side", "the House"]) {
            stage.floor.clone_from(&floor);
            let last = stage.floor.record.iter().rposition(is_of).unwrap();
            stage.floor.record.remove(last);
            let error = stage.rebuild().unwrap_err().to_string();
            assert_eq!(error, format!("{machine} is not what it was before the restart"));
        }
    }
}
