//! A restart: every machine is built again from the bytes of its entries, and must be as it was.

use anyhow::{Context as _, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use taisai_table::{Entry, MachineEntry, Machines, decode, encode};

use super::Stage;
use crate::play::script::TABLE;

impl Stage<'_> {
    pub(super) fn restart(&mut self) -> anyhow::Result<()> {
        let machines = self.rebuilt(&self.installation.record)?;
        self.installation.restart(machines, self.time);
        self.installation.deliver_all();
        Ok(())
    }

    fn rebuilt(&self, record: &[MachineEntry]) -> anyhow::Result<Machines> {
        let mut machines = self.installation.machines().empty();
        let mut bytes = Vec::new();
        for recorded in record {
            machines.apply(&match recorded {
                MachineEntry::Round(table, entry) => MachineEntry::Round(*table, read_back(entry, &mut bytes)?),
                MachineEntry::Cluster(cluster, entry) => MachineEntry::Cluster(*cluster, read_back(entry, &mut bytes)?),
                MachineEntry::House(entry) => MachineEntry::House(read_back(entry, &mut bytes)?),
            });
        }
        let before = hashes(self.installation.machines());
        for ((machine, before), (_, after)) in before.into_iter().zip(hashes(&machines)) {
            ensure!(before == after, "{machine} is not what it was before the restart");
        }
        Ok(machines)
    }
}

fn hashes(machines: &Machines) -> [(&'static str, [u8; 32]); 3] {
    let table = &machines.tables[&TABLE];
    [
        ("the dealer's side", table.round.state_hash()),
        ("the players' side", table.clusters[0].state_hash()),
        ("the House", machines.house.state_hash()),
    ]
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
        stage.rebuilt(&stage.installation.record).unwrap();
        let places: [fn(&MachineEntry) -> bool; 3] = [
            |entry| matches!(entry, MachineEntry::Round(..)),
            |entry| matches!(entry, MachineEntry::Cluster(..)),
            |entry| matches!(entry, MachineEntry::House(_)),
        ];
        for (is_of, machine) in places.into_iter().zip(["the dealer's side", "the players' side", "the House"]) {
            let mut record = stage.installation.record.clone();
            record.remove(record.iter().rposition(is_of).unwrap());
            let error = stage.rebuilt(&record).unwrap_err().to_string();
            assert_eq!(error, format!("{machine} is not what it was before the restart"));
        }
    }
}
