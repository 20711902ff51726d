//! Ports for servers that cannot pick a free port themselves, such as `PostgreSQL`.

use std::net::{Ipv4Addr, TcpListener};
use std::ops::RangeInclusive;

/// Ports below are for servers that are no test's.
const LOWEST: u16 = 10_000;

/// The holder of a port here has it on every loopback address. Nothing else listens at this address.
const REGISTER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// A loopback port that no other test uses, in this process or another, as long as this is held. It may be left and listened on
/// again.
#[derive(Debug)]
pub struct ReservedPort {
    number: u16,
    _held: TcpListener,
}

impl ReservedPort {
    /// Reserves a port.
    ///
    /// # Panics
    /// If all are taken.
    #[expect(clippy::new_without_default, reason = "each one is another")]
    pub fn new() -> Self {
        let mut start = [0; 2];
        getrandom::fill(&mut start).expect("random bytes");
        let mut ports = ports(given());
        let start = usize::from(u16::from_le_bytes(start)) % ports.len();
        ports.rotate_left(start);
        ports.into_iter().find_map(Self::reserve).expect("a port that nobody uses")
    }

    fn reserve(number: u16) -> Option<Self> {
        let held = TcpListener::bind((REGISTER, number)).ok()?;
        // A server that is no test's may listen there.
        TcpListener::bind((Ipv4Addr::LOCALHOST, number)).map(drop).ok()?;
        Some(Self { number, _held: held })
    }

    /// Its number.
    pub const fn number(&self) -> u16 {
        self.number
    }
}

/// The ports that the system assigns to programs that ask for any port.
fn given() -> RangeInclusive<u16> {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").expect("the range of ports");
    let mut ends = range.split_whitespace().map(|end| end.parse().expect("a port"));
    ends.next().expect("the first port")..=ends.next().expect("the last port")
}

/// The ports that the system gives to nobody; all, where it gives all of them.
fn ports(given: RangeInclusive<u16>) -> Vec<u16> {
    let others: Vec<u16> = (LOWEST..=u16::MAX).filter(|port| !given.contains(port)).collect();
    if others.is_empty() { (LOWEST..=u16::MAX).collect() } else { others }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_reserved_outside_the_ephemeral_range() {
        for (given, first, last, count) in [
            (32_768..=60_999, 10_000, 65_535, 27_304),
            (15_000..=65_535, 10_000, 14_999, 5_000),
            (1_024..=60_999, 61_000, 65_535, 4_536),
            (1_024..=65_535, 10_000, 65_535, 55_536),
        ] {
            let ports = ports(given.clone());
            assert_eq!((ports.first(), ports.last(), ports.len()), (Some(&first), Some(&last), count), "{given:?}");
        }
    }
}
