//! Ports for servers that cannot be told to take any port that is free, such as `PostgreSQL`.

use std::net::{Ipv4Addr, TcpListener};

/// Ports that the system gives to nobody who asks for any port, neither to listen nor to connect.
const PORTS: std::ops::Range<u16> = 15_000..32_000;

/// Whoever holds a port here has it on every loopback address. Nothing else listens at this address.
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
        let count = PORTS.end - PORTS.start;
        let start = u16::from_le_bytes(start) % count;
        let ports = (0..count).map(|step| PORTS.start + (start + step) % count);
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
