//! Two writers at once. A store that lets only one in is asked to keep the other out, which its own tests show.

use std::sync::Barrier;
use std::thread;

use super::{Fixture, begin, block, chain, head, verify};
use crate::journal::{AppendError, ChainHead, ClaimError, Journal};

/// Runs the same on two handles at the same moment.
fn both<T: Send>(journals: &mut [Box<dyn Journal>; 2], act: impl Fn(usize, &mut dyn Journal) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(2);
    thread::scope(|scope| {
        let act = &act;
        let start = &start;
        let running: Vec<_> = (0..)
            .zip(journals)
            .map(|(number, journal)| {
                scope.spawn(move || {
                    start.wait();
                    act(number, &mut **journal)
                })
            })
            .collect();
        running.into_iter().map(|thread| thread.join().expect("a writer ends well")).collect()
    })
}

pub(super) fn appends(store: &dyn Fixture) {
    if !store.shared() {
        return;
    }
    let mut journals = [store.open(), store.open()];
    let mut at = begin(&mut *journals[0], "house");
    for _ in 0..20 {
        let blocks = [block(&at, &[b"first"]), block(&at, &[b"second"])];
        let results = both(&mut journals, |number, journal| journal.append(std::slice::from_ref(&blocks[number])));
        let won: Vec<usize> = (0..2).filter(|number| results[*number].is_ok()).collect();
        assert_eq!(won.len(), 1, "{results:?}");
        assert!(matches!(results[1 - won[0]], Err(AppendError::Fenced { .. })), "{results:?}");
        at = head(&blocks[won[0]]);
    }
    let mut archive = journals[0].archive().expect("an archive");
    assert_eq!(verify(&mut *archive, &chain("house")).expect("a good chain").len(), 21);
}

pub(super) fn claims(store: &dyn Fixture) {
    if !store.shared() {
        return;
    }
    let mut journals = [store.open(), store.open()];
    let name = chain("house");
    for epoch in 1..10 {
        let results = both(&mut journals, |_, journal| journal.claim(&name, epoch));
        let won = results.iter().filter(|result| result.is_ok()).count();
        let refused = results.iter().filter(|result| matches!(result, Err(ClaimError::Refused { .. }))).count();
        assert_eq!((won, refused), (1, 1), "{results:?}");
    }
}

pub(super) fn crossing(store: &dyn Fixture) {
    if !store.shared() {
        return;
    }
    let mut journals = [store.open(), store.open()];
    begin(&mut *journals[0], "a");
    begin(&mut *journals[0], "b");
    let mut archive = journals[0].archive().expect("an archive");
    for _ in 0..20 {
        let heads: Vec<ChainHead> = archive.heads().expect("heads");
        let results = both(&mut journals, |number, journal| {
            let mut blocks = vec![block(&heads[0], &[b"x"]), block(&heads[1], &[b"x"])];
            if number == 1 {
                blocks.reverse();
            }
            journal.append(&blocks)
        });
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
        assert_eq!(results.iter().filter(|result| matches!(result, Err(AppendError::Fenced { .. }))).count(), 1);
    }
}
