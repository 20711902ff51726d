//! What reaches a running table.

use taisai_table::{Actor, ClusterCommand, CommandId, Message, Round, RoundCommand, RoundNumber, Seat, Slip};

use super::{AtCluster, RunningTable};
use crate::house::SeatMoney;
use crate::leaving::{Counted, Reply, Then, Topic};
use crate::line::Line;

/// Mail for a table.
pub(crate) enum TableMail {
    /// A command for its dealer's side.
    Round { actor: Actor, id: CommandId, command: RoundCommand, reply: Reply },
    /// A command for one of its players' sides.
    Cluster { cluster: u16, actor: Actor, id: CommandId, command: ClusterCommand, reply: Reply },
    /// A Player Terminal is connected: this line is its own from now on, and that of the one before is cut.
    Sit { cluster: u16, seat: Seat, counted: Counted, money: Box<SeatMoney>, line: Line },
    /// The House has other money of the player at a seat than before.
    SeatMoney { cluster: u16, seat: Seat, money: Box<SeatMoney> },
    /// The connection of a Player Terminal has ended.
    Gone { cluster: u16, seat: Seat, line: Line },
    /// A screen follows the table.
    Follow { topics: Vec<Topic>, counted: Option<Counted>, line: Line },
    /// A look at it.
    Look(Box<dyn FnOnce(&RunningTable) -> Then + Send>),
    /// A message of another machine.
    Message(Message),
    /// The slip of a round that is over, read from the record.
    Slip { cluster: u16, round: RoundNumber, slip: Option<Slip> },
    /// What a cluster that runs elsewhere has on the layout.
    AtCluster { cluster: u16, at_cluster: AtCluster },
    /// The dealer's side as its record has it now, for a cluster that runs elsewhere.
    Followed(Box<Round>),
    /// A dice set was found damaged at another table.
    DamagedSet { dice_set: u32 },
    /// Another node takes the table: it ends here once its round is over.
    Depart,
}
