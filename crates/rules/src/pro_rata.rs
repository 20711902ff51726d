//! Excess that was not rejected (5.1.1, 5.1.2): how much of each player's stake on one box counts. It knows amounts in
//! order of first placement, never who placed them.

use std::cmp::Reverse;

use crate::money::{Money, Unit};

/// How much of each stake counts when a box may count no more than `cap`.
///
/// `stakes` are the players' totals on the box in order of first placement. A stake below the minimum counts in full
/// (5.1.2, and the last sentence of 5.1.1). The others share what room is left in proportion to their stakes, none
/// falling below the minimum; shares are whole units, the units left over going to the largest remainders, ties to the
/// earlier placement.
///
/// # Panics
/// If a stake, the cap or the minimum is negative or not a whole multiple of the unit, or if the stakes add up to more
/// than fits in 64-bit cents.
///
/// ```
/// use taisai_rules::{Money, Unit, pro_rata};
/// let cents = |list: &[i64]| list.iter().copied().map(Money::from_cents).collect::<Vec<_>>();
/// let counted = pro_rata(&cents(&[600, 300, 50]), Money::from_cents(500), Money::from_cents(100), Unit::CENT);
/// assert_eq!(counted, cents(&[300, 150, 50]));
/// ```
pub fn pro_rata(stakes: &[Money], cap: Money, minimum: Money, unit: Unit) -> Vec<Money> {
    for amount in stakes.iter().chain([&minimum, &cap]) {
        let whole = amount.is_whole(unit) || *amount == Money::MAX;
        assert!(*amount >= Money::ZERO && whole, "amounts are whole, non-negative units");
    }
    let total: i128 = stakes.iter().map(|stake| wide(*stake)).sum();
    assert!(total <= wide(Money::MAX), "a box's total fits in 64-bit cents");
    if total <= wide(cap) {
        return stakes.to_vec();
    }

    let mut counted: Vec<Money> = stakes.iter().map(|stake| (*stake).min(minimum)).collect();
    let mut sharing: Vec<usize> = (0..stakes.len()).filter(|i| stakes[*i] >= minimum).collect();
    let mut shared: i128 = sharing.iter().map(|i| wide(stakes[*i])).sum();
    let mut room = (wide(cap) - (total - shared)).max(0);

    // A share below the minimum becomes the minimum, which leaves less for every other: the smallest stakes first.
    sharing.sort_by_key(|i| stakes[*i]);
    let mut raised = 0;
    while let Some(smallest) = sharing.get(raised).map(|i| wide(stakes[*i]))
        && room * smallest < wide(minimum) * shared
    {
        room = (room - wide(minimum)).max(0);
        shared -= smallest;
        raised += 1;
    }

    let unit = i128::from(unit.cents());
    let mut left = room / unit;
    let mut remainders = Vec::with_capacity(sharing.len() - raised);
    for i in &sharing[raised..] {
        let (share, whole) = (room * wide(stakes[*i]), shared * unit);
        let units = share / whole;
        counted[*i] = narrow(units * unit);
        remainders.push((Reverse(share - units * whole), *i));
        left -= units;
    }
    remainders.sort_unstable();
    for (_, i) in remainders.iter().take(usize::try_from(left).expect("no more is shared than there is room")) {
        counted[*i] = narrow(wide(counted[*i]) + unit);
    }
    counted
}

fn wide(money: Money) -> i128 {
    money.cents().into()
}

fn narrow(cents: i128) -> Money {
    Money::from_cents(i64::try_from(cents).expect("a share is no larger than its stake"))
}
