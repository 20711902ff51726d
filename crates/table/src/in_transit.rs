//! Money in transit between the House and a cluster: sent by one and not yet received by the other.

use taisai_rules::Money;

use crate::cluster::Cluster;
use crate::house::{Account, House};
use crate::invariant::{BrokenInvariant, hold};
use crate::transfer::{Transfer, TransferPurpose};

/// Checks that the transit accounts of the House and of a cluster add up to the transfers in transit between them.
pub fn check_transit(house: &House, cluster: &Cluster) -> Result<(), BrokenInvariant> {
    let (id, in_transit) = (cluster.id(), cents_in_transit(house, cluster));
    let accounts = [cluster.ledger().transit, house.balance(Account::Transit(id))];
    let accounts: i128 = accounts.into_iter().map(Money::cents).map(i128::from).sum();
    hold("transit is on its way", accounts == in_transit, || {
        format!("{accounts} and {in_transit}, table {}, cluster {}", id.table.0, id.number)
    })
}

/// The cents in transit between a cluster and the House. A receivable counts as negative: the player owes it.
pub fn cents_in_transit(house: &House, cluster: &Cluster) -> i128 {
    let (house_received, cluster_received) = (house.received(cluster.id()), cluster.received());
    let cents = |transfer: &Transfer| i128::from(transfer.amount.cents());
    let to_house =
        cluster.outbox().filter(|transfer| transfer.number > house_received).map(|transfer| match transfer.purpose {
            TransferPurpose::Receivable { .. } => -cents(transfer),
            TransferPurpose::Voucher { .. }
            | TransferPurpose::Claim { .. }
            | TransferPurpose::Credits { .. }
            | TransferPurpose::Returned { .. } => cents(transfer),
        });
    let to_cluster = house.outbox(cluster.id()).filter(|transfer| transfer.number > cluster_received);
    to_house.chain(to_cluster.map(cents)).sum()
}
