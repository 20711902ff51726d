//! What must hold between the House and a cluster: money that has left one and not reached the other is on its way, and none
//! other is.

use taisai_rules::Money;

use crate::cluster::Cluster;
use crate::house::{Account, House};
use crate::invariant::{Broken, hold};
use crate::transfer::{Purpose, Transfer};

/// What a cluster has sent and the House has not received, and the other way round, is what their accounts in transit
/// differ by.
pub fn transit_is_on_its_way(house: &House, cluster: &Cluster) -> Result<(), Broken> {
    let (id, on_its_way) = (cluster.id(), on_its_way(house, cluster));
    let accounts = [cluster.ledger().transit, house.balance(Account::Transit(id))];
    let accounts: i128 = accounts.into_iter().map(Money::cents).map(i128::from).sum();
    hold("transit is on its way", accounts == on_its_way, || {
        format!("{accounts} and {on_its_way}, table {}, cluster {}", id.table.0, id.number)
    })
}

/// What is on its way between a cluster and the House, in cents; what a player owes is less than nothing.
pub fn on_its_way(house: &House, cluster: &Cluster) -> i128 {
    let (held, holds) = (house.received(cluster.id()), cluster.received());
    let cents = |transfer: &Transfer| i128::from(transfer.amount.cents());
    let out = cluster.outbox().filter(|transfer| transfer.number > held).map(|transfer| match transfer.purpose {
        Purpose::Receivable { .. } => -cents(transfer),
        Purpose::Voucher { .. } | Purpose::Claim { .. } | Purpose::Credits { .. } | Purpose::Returned { .. } => {
            cents(transfer)
        }
    });
    let back = house.outbox(cluster.id()).filter(|transfer| transfer.number > holds);
    out.chain(back.map(cents)).sum()
}
