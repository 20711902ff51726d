//! An entry as text: who sent which command to which machine, and the reply.

use serde::Serialize;
use serde_json::Value;
use taisai_table::{Actor, ClusterId, CommandRequest, MachineEntry, Refusal};

use crate::print::BAD;

/// Longer commands are cut off in a list.
const MAX_TEXT: usize = 96;

/// What an entry says.
#[derive(Serialize)]
pub(super) struct EntryText {
    machine: String,
    time: u64,
    who: String,
    command: Value,
    event: Option<Value>,
    refusal: Option<Refusal>,
}

impl EntryText {
    /// Puts an entry into words, whichever machine it is of.
    pub(super) fn of(entry: &MachineEntry) -> anyhow::Result<Self> {
        match entry {
            MachineEntry::Round(_, entry) => entry_text("round".to_owned(), &entry.request, &entry.outcome),
            MachineEntry::Cluster(ClusterId { number: 0, .. }, entry) => {
                entry_text("cluster".to_owned(), &entry.request, &entry.outcome)
            }
            MachineEntry::Cluster(id, entry) => {
                entry_text(format!("cluster {}", id.number), &entry.request, &entry.outcome)
            }
            MachineEntry::House(entry) => entry_text("house".to_owned(), &entry.request, &entry.outcome),
        }
    }

    pub(super) fn line(&self) -> String {
        let mut command = self.command.to_string();
        if command.chars().count() > MAX_TEXT {
            command = command.chars().take(MAX_TEXT).chain(['…']).collect();
        }
        let answer = match (&self.refusal, &self.event) {
            (Some(refusal), _) => format!("{BAD}{}{BAD:#}", refusal.code()),
            (None, Some(Value::String(event))) => event.clone(),
            (None, Some(Value::Object(event))) => event.keys().next().cloned().unwrap_or_default(),
            (None, _) => String::new(),
        };
        format!("{:7}  {:11}  {command} → {answer}", self.machine, self.who)
    }
}

fn entry_text<C: Serialize, E: Serialize>(
    machine: String,
    request: &CommandRequest<C>,
    outcome: &Result<E, Refusal>,
) -> anyhow::Result<EntryText> {
    let who = match request.actor {
        Actor::Person(person) => format!("person {}", person.id.0),
        Actor::Terminal { seat, .. } => format!("terminal {}", seat.0),
        Actor::Tumbler(device) => format!("tumbler {}", device.0),
        Actor::NoteAcceptor { seat, .. } => format!("note acceptor {}", seat.0),
        Actor::ChipReader(device) => format!("chip reader {}", device.0),
        Actor::System => "system".to_owned(),
    };
    Ok(EntryText {
        machine,
        time: request.time.0,
        who,
        command: serde_json::to_value(&request.command)?,
        event: outcome.as_ref().ok().map(serde_json::to_value).transpose()?,
        refusal: outcome.as_ref().err().copied(),
    })
}
