//! Sign-ins in memory: their tokens, deadlines and sources. Callers pass the time in.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use taisai_table::{PersonId, Time};

use crate::auth::secrets::{SignInKey, StoredSignIn};

/// How many screens of one sign-in have a source of their own.
const MAX_SCREEN_SOURCES: usize = 64;

/// The sign-in that is idle longest ends.
const MAX_SIGN_INS_PER_PERSON: usize = 16;

/// How often the use of a sign-in is stored.
const WRITE_INTERVAL_MILLIS: u64 = 60 * 1_000;

#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeOuts {
    /// After the last use.
    pub(crate) idle: Duration,
    /// After the beginning.
    pub(crate) absolute: Duration,
    /// How long a password counts as recent.
    pub(crate) fresh: Duration,
}

impl Default for TimeOuts {
    fn default() -> Self {
        Self { idle: Duration::from_mins(15), absolute: Duration::from_hours(12), fresh: Duration::from_mins(5) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoundSignIn {
    pub(super) source: u64,
    pub(super) person: PersonId,
    pub(super) is_fresh: bool,
    pub(super) is_one_time: bool,
    /// If it is not used until then.
    pub(super) ends: Time,
}

#[derive(Debug)]
pub(super) struct SignIns {
    time_outs: TimeOuts,
    open: Mutex<OpenSignIns>,
}

#[derive(Debug, Default)]
struct OpenSignIns {
    by_source: BTreeMap<u64, CachedSignIn>,
    by_token: HashMap<[u8; 32], u64>,
}

#[derive(Debug)]
struct CachedSignIn {
    kept: StoredSignIn,
    /// When its use was last stored.
    written: Time,
}

impl SignIns {
    pub(super) fn new(time_outs: TimeOuts, kept: Vec<StoredSignIn>) -> Self {
        let mut open = OpenSignIns::default();
        for kept in kept {
            open.add(kept);
        }
        Self { time_outs, open: Mutex::new(open) }
    }

    pub(super) fn find(&self, token: &[u8; 32], now: Time) -> Option<FoundSignIn> {
        let source = self.open().by_token.get(token).copied()?;
        self.by_source(source, now)
    }

    pub(super) fn by_source(&self, source: u64, now: Time) -> Option<FoundSignIn> {
        let open = self.open();
        let kept = &open.by_source.get(&source)?.kept;
        if self.time_outs.is_over(kept, now) {
            return None;
        }
        Some(FoundSignIn {
            source,
            person: kept.person,
            is_fresh: is_within(kept.asked, now, self.time_outs.fresh),
            is_one_time: kept.is_one_time,
            ends: self.time_outs.ends(kept),
        })
    }

    /// Replaces a sign-in by what the store has, but keeps a later use; removes it if the store has none.
    pub(super) fn replace(&self, which: SignInKey, kept: Option<StoredSignIn>) {
        let mut open = self.open();
        let source = match which {
            SignInKey::Token(token) => open.by_token.get(&token).copied(),
            SignInKey::Source(source) => Some(source),
        };
        let before =
            source.and_then(|source| open.by_source.get(&source)).map(|before| (before.kept.used, before.written));
        open.remove(source.as_slice());
        let Some(mut kept) = kept else { return };
        let (used, written) = before.unwrap_or((kept.used, kept.used));
        kept.used = kept.used.max(used);
        let source = kept.source;
        open.add(kept);
        open.by_source.entry(source).and_modify(|sign_in| sign_in.written = written);
    }

    /// Counts a use. Returns the times to store, when that is due.
    pub(super) fn touch(&self, source: u64, now: Time) -> Option<(Time, Time)> {
        let mut open = self.open();
        let CachedSignIn { kept, written } = open.by_source.get_mut(&source)?;
        kept.used = now;
        (now.0.abs_diff(written.0) >= WRITE_INTERVAL_MILLIS).then(|| {
            *written = now;
            (now, kept.asked)
        })
    }

    pub(super) fn password_entered(&self, source: u64, now: Time) {
        self.change(source, |kept| (kept.asked, kept.used) = (now, now));
    }

    pub(super) fn has_password(&self, source: u64) {
        self.change(source, |kept| kept.is_one_time = false);
    }

    /// Gives a screen a source. If there are too many, the one unused for longest is dropped and returned.
    pub(super) fn add_source(&self, source: u64, further: u64) -> Option<u64> {
        let mut open = self.open();
        let CachedSignIn { kept, .. } = open.by_source.get_mut(&source)?;
        kept.further.push(further);
        (kept.further.len() > MAX_SCREEN_SOURCES).then(|| kept.further.remove(0))
    }

    /// Whether a source belongs to the sign-in. Asking counts as use.
    pub(super) fn uses(&self, source: u64, other: u64) -> bool {
        let mut open = self.open();
        let Some(CachedSignIn { kept, .. }) = open.by_source.get_mut(&source) else { return false };
        let Some(place) = kept.further.iter().position(|further| *further == other) else { return source == other };
        kept.further[place..].rotate_left(1);
        true
    }

    /// Adds a sign-in. Returns those that end: expired ones, and those too many for this person.
    pub(super) fn begin(&self, kept: StoredSignIn, now: Time) -> Vec<u64> {
        let mut open = self.open();
        let is_over = |kept: &StoredSignIn| self.time_outs.is_over(kept, now);
        let mut ended = open.matching(is_over);
        let of_one = open.matching(|other| other.person == kept.person && !is_over(other));
        if of_one.len() >= MAX_SIGN_INS_PER_PERSON {
            ended.extend(of_one.into_iter().min_by_key(|source| open.by_source[source].kept.used));
        }
        open.remove(&ended);
        open.add(kept);
        ended
    }

    pub(super) fn end(&self, source: u64) -> Vec<u64> {
        let mut open = self.open();
        let ended = open.matching(|kept| kept.source == source);
        open.remove(&ended);
        ended
    }

    /// Ends all sign-ins of a person but one.
    pub(super) fn end_of(&self, person: PersonId, save: Option<u64>) -> Vec<u64> {
        let mut open = self.open();
        let ended = open.matching(|kept| kept.person == person && Some(kept.source) != save);
        open.remove(&ended);
        ended
    }

    fn change(&self, source: u64, change: impl FnOnce(&mut StoredSignIn)) {
        if let Some(CachedSignIn { kept, .. }) = self.open().by_source.get_mut(&source) {
            change(kept);
        }
    }

    fn open(&self) -> MutexGuard<'_, OpenSignIns> {
        // Every change is complete, even if another holder of the lock panicked.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenSignIns {
    fn add(&mut self, kept: StoredSignIn) {
        self.by_token.insert(kept.token, kept.source);
        self.by_source.insert(kept.source, CachedSignIn { written: kept.used, kept });
    }

    fn matching(&self, is_meant: impl Fn(&StoredSignIn) -> bool) -> Vec<u64> {
        self.by_source.values().filter(|sign_in| is_meant(&sign_in.kept)).map(|sign_in| sign_in.kept.source).collect()
    }

    fn remove(&mut self, sources: &[u64]) {
        for source in sources {
            if let Some(CachedSignIn { kept, .. }) = self.by_source.remove(source) {
                self.by_token.remove(&kept.token);
            }
        }
    }
}

impl TimeOuts {
    fn is_over(&self, kept: &StoredSignIn, now: Time) -> bool {
        !is_within(kept.used, now, self.idle) || !is_within(kept.begun, now, self.absolute)
    }

    fn ends(&self, kept: &StoredSignIn) -> Time {
        let after = |time: Time, duration| time.0.saturating_add(millis(duration));
        Time(after(kept.used, self.idle).min(after(kept.begun, self.absolute)))
    }
}

/// Whether two times are less than that apart, in either order: a clock that was set back between runs extends no sign-in.
fn is_within(then: Time, now: Time, duration: Duration) -> bool {
    now.0.abs_diff(then.0) < millis(duration)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE_MILLIS: u64 = 60 * 1_000;
    const BEGUN: u64 = 1_000_000;

    fn kept(source: u64, person: u32, at: u64) -> StoredSignIn {
        let time = Time(at);
        let token = blake3::hash(&source.to_le_bytes()).into();
        let (person, further) = (PersonId(person), Vec::new());
        StoredSignIn { source, token, person, begun: time, used: time, asked: time, further, is_one_time: false }
    }

    fn sign_ins() -> SignIns {
        SignIns::new(TimeOuts::default(), vec![kept(1, 7, BEGUN)])
    }

    fn at(minutes: u64) -> Time {
        Time(BEGUN + minutes * MINUTE_MILLIS)
    }

    #[test]
    fn f51_an_idle_sign_in_ends_and_one_in_use_does_not() {
        let sign_ins = sign_ins();
        assert_eq!(sign_ins.by_source(1, at(0)).unwrap().ends, at(15));
        assert!(sign_ins.by_source(1, Time(at(15).0 - 1)).is_some());
        assert_eq!(sign_ins.by_source(1, at(15)), None);
        assert_eq!(sign_ins.touch(1, at(14)), Some((at(14), at(0))));
        assert_eq!(sign_ins.by_source(1, at(20)).unwrap().ends, at(29));
        assert_eq!(sign_ins.by_source(1, at(29)), None);
    }

    #[test]
    fn the_store_decides_about_a_sign_in() {
        let sign_ins = sign_ins();
        sign_ins.touch(1, at(14));
        sign_ins.replace(SignInKey::Source(1), Some(StoredSignIn { further: vec![9], ..kept(1, 7, BEGUN) }));
        assert!(sign_ins.uses(1, 9), "another node gave a screen a number");
        assert!(sign_ins.by_source(1, at(20)).is_some(), "it was used here since the last write");
        let token = kept(2, 8, BEGUN).token;
        sign_ins.replace(SignInKey::Token(token), Some(kept(2, 8, BEGUN)));
        assert_eq!(sign_ins.find(&token, at(0)).unwrap().person, PersonId(8), "someone signed in at another node");
        sign_ins.replace(SignInKey::Token(token), None);
        assert_eq!((sign_ins.find(&token, at(0)), sign_ins.by_source(2, at(0))), (None, None), "and out");
        sign_ins.replace(SignInKey::Source(1), None);
        assert_eq!(sign_ins.by_source(1, at(14)), None);
    }

    #[test]
    fn f51_a_sign_in_ends_however_much_it_is_used() {
        let sign_ins = sign_ins();
        for minute in 0..12 * 60 {
            assert!(sign_ins.by_source(1, at(minute)).is_some(), "{minute}");
            sign_ins.touch(1, at(minute));
        }
        assert_eq!(sign_ins.by_source(1, at(12 * 60)), None);
    }

    #[test]
    fn f51_a_password_is_fresh_for_five_minutes() {
        let sign_ins = sign_ins();
        let is_fresh = |now| sign_ins.by_source(1, now).unwrap().is_fresh;
        assert!(is_fresh(Time(at(5).0 - 1)));
        assert!(!is_fresh(at(5)));
        sign_ins.password_entered(1, at(6));
        assert!(is_fresh(at(10)));
        assert!(!is_fresh(at(11)));
    }

    #[test]
    fn a_clock_that_was_set_back_makes_no_sign_in_last_longer() {
        let sign_ins = sign_ins();
        assert!(sign_ins.by_source(1, Time(BEGUN - 1_000)).is_some(), "a little");
        assert_eq!(sign_ins.by_source(1, Time(BEGUN - 15 * MINUTE_MILLIS)), None);
    }

    #[test]
    fn use_is_stored_once_a_minute() {
        let sign_ins = sign_ins();
        let stored: Vec<_> =
            (0..180).filter(|second| sign_ins.touch(1, Time(BEGUN + second * 1_000)).is_some()).collect();
        assert_eq!(stored, [60, 120]);
    }

    #[test]
    fn sources_of_screens_belong_to_their_sign_in_until_long_unused() {
        let sign_ins = sign_ins();
        sign_ins.begin(kept(2, 7, BEGUN), at(0));
        for further in 100..100 + u64::try_from(MAX_SCREEN_SOURCES).unwrap() {
            assert_eq!(sign_ins.add_source(1, further), None);
        }
        assert!(sign_ins.uses(1, 1) && sign_ins.uses(1, 100));
        assert!(!sign_ins.uses(1, 999) && !sign_ins.uses(2, 100), "also not for another sign-in of the same person");
        assert_eq!(sign_ins.add_source(1, 999), Some(101), "100 was used since");
        assert!(!sign_ins.uses(1, 101) && sign_ins.uses(1, 100) && sign_ins.uses(1, 999));
        assert!(!sign_ins.uses(3, 3), "there is no such sign-in");
    }

    #[test]
    fn too_many_sign_ins_of_one_person_end_the_one_longest_idle() {
        let sign_ins = SignIns::new(TimeOuts::default(), vec![kept(1, 8, BEGUN)]);
        for source in 2..18 {
            assert_eq!(sign_ins.begin(kept(source, 7, BEGUN), at(0)), [0; 0], "{source}");
        }
        sign_ins.touch(2, at(1));
        assert_eq!(sign_ins.begin(kept(18, 7, at(1).0), at(1)), [3]);
        assert_eq!(sign_ins.by_source(3, at(1)), None);
        assert_eq!(sign_ins.find(&kept(3, 7, 0).token, at(1)), None);
        assert!(sign_ins.begin(kept(19, 9, at(16).0), at(15)).contains(&1), "what is over goes");
        let mut ended = sign_ins.end_of(PersonId(7), Some(18));
        ended.sort_unstable();
        assert_eq!(ended, [2]);
        assert!(sign_ins.by_source(18, at(15)).is_some());
        assert_eq!((sign_ins.end(18), sign_ins.end(18)), (vec![18], vec![]));
    }
}
