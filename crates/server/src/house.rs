//! The running House: one thread that owns it, and sends and takes money to and from the tables.

use taisai_table::{Actor, ClusterId, CommandId, HouseCommand, Transfer};

use crate::leaving::Reply;

/// Mail for the House.
#[derive(Debug)]
pub(crate) enum HouseMail {
    /// A command.
    Command {
        actor: Actor,
        id: CommandId,
        command: HouseCommand,
        reply: Reply,
    },
    /// Money from a cluster.
    Transfer { cluster: ClusterId, transfer: Transfer },
    /// A cluster holds a transfer.
    ClusterHolds { cluster: ClusterId, number: u64 },
}
