//! The way to a table.

use taisai_table::{Actor, ClusterCommand, CommandId, RoundCommand};
use tokio::sync::{mpsc, oneshot};

use super::{RunningTable, TableMail};
use crate::leaving::{Answer, Reply, Then};
use crate::stopped::Stopped;

/// The way to a table.
#[derive(Clone)]
pub(crate) struct TableDoor(pub(crate) mpsc::Sender<TableMail>);

impl TableDoor {
    /// Sends mail, and waits while the mailbox is full.
    pub(crate) async fn send(&self, letter: TableMail) -> Result<(), Stopped> {
        self.0.send(letter).await.map_err(|_| Stopped::Closed)
    }

    /// How many letters wait.
    pub(crate) fn waiting(&self) -> usize {
        self.0.max_capacity() - self.0.capacity()
    }

    /// Looks at the table, at what the record holds of it already.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&RunningTable) -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        let (tell, told) = oneshot::channel();
        let look = move |table: &RunningTable| -> Then {
            let seen = look(table);
            // Whoever looked may have gone.
            Box::new(move || tell.send(seen).map_or_else(drop, drop))
        };
        self.send(TableMail::Look(Box::new(look))).await?;
        told.await.map_err(|_| Stopped::Closed)
    }

    /// Asks the dealer's side, and waits for the answer.
    pub(crate) async fn ask_round(
        &self,
        actor: Actor,
        id: CommandId,
        command: RoundCommand,
    ) -> Result<Answer, Stopped> {
        let (reply, answer) = oneshot::channel();
        self.send(TableMail::Round { actor, id, command, reply: Reply::Once(reply) }).await?;
        answer.await.map_err(|_| Stopped::Closed)
    }

    /// Asks a players' side, and waits for the answer and whether it was given before, when the command was sent first.
    pub(crate) async fn ask_cluster_again(
        &self,
        cluster: u16,
        actor: Actor,
        id: CommandId,
        command: ClusterCommand,
    ) -> Result<(Answer, bool), Stopped> {
        let (reply, answer) = oneshot::channel();
        self.send(TableMail::Cluster { cluster, actor, id, command, reply: Reply::Again(reply) }).await?;
        answer.await.map_err(|_| Stopped::Closed)
    }

    /// Asks a players' side, and waits for the answer.
    pub(crate) async fn ask_cluster(
        &self,
        cluster: u16,
        actor: Actor,
        id: CommandId,
        command: ClusterCommand,
    ) -> Result<Answer, Stopped> {
        let (reply, answer) = oneshot::channel();
        self.send(TableMail::Cluster { cluster, actor, id, command, reply: Reply::Once(reply) }).await?;
        answer.await.map_err(|_| Stopped::Closed)
    }
}
