//! Limits wrong passwords and codes by client address. The number of addresses kept is bounded.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use taisai_table::Time;

const MAX_FAILURES_PER_MINUTE: u32 = 20;

const MINUTE_MILLIS: u64 = 60 * 1_000;

const MAX_ADDRESSES: usize = 4_096;

#[derive(Debug, Default)]
pub(crate) struct Attempts {
    by_address: Mutex<HashMap<IpAddr, AttemptsInMinute>>,
}

#[derive(Clone, Copy, Debug)]
struct AttemptsInMinute {
    begun: Time,
    tries: u32,
}

impl Attempts {
    /// Counts an attempt before it is checked, so that concurrent ones count too; `false` if there were too many.
    pub(crate) fn enter(&self, address: IpAddr, now: Time) -> bool {
        let mut tries = self.by_address();
        let is_old = |minute: &AttemptsInMinute| now.0.abs_diff(minute.begun.0) >= MINUTE_MILLIS;
        if tries.len() >= MAX_ADDRESSES && !tries.contains_key(&address) {
            tries.retain(|_, minute| !is_old(minute));
            let oldest = tries.iter().min_by_key(|(_, minute)| minute.begun).map(|(address, _)| *address);
            if tries.len() >= MAX_ADDRESSES
                && let Some(oldest) = oldest
            {
                tries.remove(&oldest);
            }
        }
        let minute = tries.entry(address).or_insert(AttemptsInMinute { begun: now, tries: 0 });
        if is_old(minute) {
            *minute = AttemptsInMinute { begun: now, tries: 0 };
        }
        let may = minute.tries < MAX_FAILURES_PER_MINUTE;
        if may {
            minute.tries += 1;
        }
        may
    }

    /// A correct attempt does not count.
    pub(crate) fn forgive(&self, address: IpAddr) {
        if let Some(minute) = self.by_address().get_mut(&address) {
            minute.tries = minute.tries.saturating_sub(1);
        }
    }

    fn by_address(&self) -> MutexGuard<'_, HashMap<IpAddr, AttemptsInMinute>> {
        self.by_address.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(number: u32) -> IpAddr {
        std::net::Ipv4Addr::from(number).into()
    }

    #[test]
    fn an_address_has_twenty_attempts_a_minute() {
        let tries = Attempts::default();
        for _ in 0..100 {
            assert!(tries.enter(address(1), Time(0)));
            tries.forgive(address(1));
        }
        for _ in 0..20 {
            assert!(tries.enter(address(1), Time(0)));
        }
        assert!(!tries.enter(address(1), Time(59_999)));
        assert!(tries.enter(address(2), Time(59_999)), "another address");
        assert!(tries.enter(address(1), Time(60_000)), "another minute");
    }

    #[test]
    fn the_number_of_addresses_is_bounded() {
        let tries = Attempts::default();
        for number in 0..10_000 {
            assert!(tries.enter(address(number), Time(number.into())));
        }
        assert_eq!(tries.by_address().len(), MAX_ADDRESSES);
    }
}
