//! Rebuilds every machine from the bytes of its entries, as after a restart, and checks that nothing changed.

use serde::Serialize;
use serde::de::DeserializeOwned;
use taisai_table::{Entry, MachineEntry, Machines, decode, encode};

use super::ScriptInstallation;
use crate::error::PlayError;
use crate::script::TABLE;

impl ScriptInstallation<'_> {
    pub(crate) fn restart(&mut self) -> Result<(), PlayError> {
        let machines = self.rebuild(&self.engine.record)?;
        self.engine.restart(machines, self.time);
        self.engine.deliver_all();
        Ok(())
    }

    fn rebuild(&self, record: &[MachineEntry]) -> Result<Machines, PlayError> {
        let mut machines = self.engine.machines().empty();
        let mut bytes = Vec::new();
        for recorded in record {
            machines.apply(&match recorded {
                MachineEntry::Round(table, entry) => MachineEntry::Round(*table, read_back(entry, &mut bytes)?),
                MachineEntry::Cluster(cluster, entry) => MachineEntry::Cluster(*cluster, read_back(entry, &mut bytes)?),
                MachineEntry::House(entry) => MachineEntry::House(read_back(entry, &mut bytes)?),
            });
        }
        let before = hashes(self.engine.machines());
        for ((machine, before), (_, after)) in before.into_iter().zip(hashes(&machines)) {
            if before != after {
                return Err(PlayError::RestartDiffers(machine));
            }
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

/// Encodes and decodes an entry, as a store does.
fn read_back<C, E>(entry: &Entry<C, E>, bytes: &mut Vec<u8>) -> Result<Entry<C, E>, PlayError>
where
    C: Serialize + DeserializeOwned,
    E: Serialize + DeserializeOwned,
{
    bytes.clear();
    encode(entry, bytes);
    Ok(decode(bytes)?)
}

#[cfg(test)]
mod tests {
    use taisai_rules::Games;

    use super::*;
    use crate::parse::parse;
    use crate::profile::Profiles;

    #[test]
    fn restart_detects_a_missing_entry() {
        let script = "table sic-bo-etg layout A terminals 5\ndealer 3\nlimits unit 1, rest 1..1000\nopen\nseat 1 buys in 100\n\
                      place your bets\nseat 1 bets 5 on big\nsell voucher of 20 by cashier 8\n";
        let script =
            parse(script, Games::embedded(), &Profiles::default()).unwrap_or_else(|faults| panic!("{faults:?}"));
        let mut installation = ScriptInstallation::new(&script).unwrap();
        for step in script.lines.iter().filter_map(|line| line.step.as_ref()) {
            installation.play(step).unwrap().unwrap();
        }
        installation.rebuild(&installation.engine.record).unwrap();
        let places: [fn(&MachineEntry) -> bool; 3] = [
            |entry| matches!(entry, MachineEntry::Round(..)),
            |entry| matches!(entry, MachineEntry::Cluster(..)),
            |entry| matches!(entry, MachineEntry::House(_)),
        ];
        for (is_of, machine) in places.into_iter().zip(["the dealer's side", "the players' side", "the House"]) {
            let mut record = installation.engine.record.clone();
            record.remove(record.iter().rposition(is_of).unwrap());
            let error = installation.rebuild(&record).unwrap_err().to_string();
            assert_eq!(error, format!("{machine} is not what it was before the restart"));
        }
    }
}
