//! The secrets of the house, beside its record: hashes of passwords, keys of devices, and the key of voucher numbers. They
//! decide nothing of the game and are in no chain.

/// The store of secrets.
pub(crate) struct Secrets {}
