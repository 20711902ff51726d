//! Past rounds: a list that only grows, hashed page by page so that hashing a state does not become slower with every
//! round played.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::codec;
use crate::identity::RoundNumber;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PastRounds<T> {
    rounds: Vec<T>,
    /// The hashes of the pages that are full.
    pages: Vec<[u8; 32]>,
}

impl<T> PastRounds<T> {
    const PAGE: usize = 256;

    fn index(round: RoundNumber) -> Option<usize> {
        usize::try_from(round.0.checked_sub(1)?).ok()
    }

    pub(crate) fn get(&self, round: RoundNumber) -> Option<&T> {
        self.rounds.get(Self::index(round)?)
    }
}

impl<T: Serialize> PastRounds<T> {
    /// The next round is over.
    pub(crate) fn push(&mut self, round: T) {
        self.rounds.push(round);
        if self.rounds.len().is_multiple_of(Self::PAGE) {
            self.pages.push(self.hash_page(self.pages.len()));
        }
    }

    /// Changes a past round; does nothing if the round is not over.
    pub(crate) fn change(&mut self, round: RoundNumber, change: impl FnOnce(&mut T)) {
        if let Some(index) = Self::index(round).filter(|index| *index < self.rounds.len()) {
            change(&mut self.rounds[index]);
            let page = index / Self::PAGE;
            if page < self.pages.len() {
                self.pages[page] = self.hash_page(page);
            }
        }
    }

    /// What stands for all rounds in the hash of a state. The last page is hashed only here: it changes with every round.
    pub(crate) fn pages(&self) -> Vec<[u8; 32]> {
        let mut pages = self.pages.clone();
        if !self.rounds.len().is_multiple_of(Self::PAGE) {
            pages.push(self.hash_page(pages.len()));
        }
        pages
    }

    fn hash_page(&self, page: usize) -> [u8; 32] {
        let first = page * Self::PAGE;
        let last = self.rounds.len().min(first + Self::PAGE);
        let mut bytes = Vec::new();
        codec::write(&self.rounds[first..last], &mut bytes);
        blake3::hash(&bytes).into()
    }
}

impl<T> Default for PastRounds<T> {
    fn default() -> Self {
        Self { rounds: Vec::new(), pages: Vec::new() }
    }
}

impl<T: Serialize> Serialize for PastRounds<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rounds.serialize(serializer)
    }
}

impl<'de, T: Serialize + Deserialize<'de>> Deserialize<'de> for PastRounds<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rounds = Vec::deserialize(deserializer)?;
        let mut past = Self { rounds, pages: Vec::new() };
        past.pages = (0..past.rounds.len() / Self::PAGE).map(|page| past.hash_page(page)).collect();
        Ok(past)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Grown, changed and read back, a list has the same pages; each page is its own.
    #[test]
    fn pages_are_those_of_the_rounds() {
        let mut past = PastRounds::default();
        (0..600u32).for_each(|number| past.push(number));
        assert_eq!(past.pages().len(), 3);
        let before = past.clone();
        past.change(RoundNumber(300), |number| *number = 7);
        assert_eq!(past.get(RoundNumber(300)), Some(&7));
        let differs = |page| past.pages()[page] != before.pages()[page];
        assert_eq!([differs(0), differs(1), differs(2)], [false, true, false]);
        let bytes = postcard::to_allocvec(&past).unwrap();
        assert_eq!(postcard::from_bytes::<PastRounds<u32>>(&bytes).unwrap(), past);
        past.change(RoundNumber(300), |number| *number = 299);
        assert_eq!(past, before);
        for none in [RoundNumber(0), RoundNumber(601), RoundNumber(u64::MAX)] {
            past.change(none, |number| *number = 7);
            assert_eq!((past.get(none), &past), (None, &before));
        }
    }
}
