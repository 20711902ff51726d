//! Hashing and checking passwords. Argon2id costs memory and time on purpose, so few run at a time and a bounded number wait. An
//! unknown person takes as long as a known one.

use std::hint::black_box;
use std::sync::Arc;

use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::auth::secrets::{OneTimeCode, Password, random};
use crate::http::denied::Denied;

/// In characters.
const MIN_LENGTH: usize = 12;
const MAX_LENGTH: usize = 128;

/// OWASP's figures for Argon2id: memory in KiB, passes, lanes.
const ARGON2_COST: (u32, u32, u32) = (19 * 1_024, 2, 1);

const MAX_CONCURRENT_HASHES: usize = 2;
const MAX_WAITING_HASHES: usize = 16;

pub(crate) struct Hashing {
    at_once: Arc<Semaphore>,
    places: Arc<Semaphore>,
}

pub(super) fn is_good(new: &str, old: &str) -> bool {
    let is_code_again = OneTimeCode::read(new).is_some_and(|code| OneTimeCode::read(old) == Some(code));
    (MIN_LENGTH..=MAX_LENGTH).contains(&new.chars().count()) && new != old && !is_code_again
}

impl Hashing {
    pub(super) fn new() -> Self {
        Self {
            at_once: Arc::new(Semaphore::new(MAX_CONCURRENT_HASHES)),
            places: Arc::new(Semaphore::new(MAX_CONCURRENT_HASHES + MAX_WAITING_HASHES)),
        }
    }

    pub(super) async fn is_right(&self, password: String, on_file: Option<Password>) -> Result<bool, Denied> {
        if password.chars().count() > MAX_LENGTH {
            return Ok(false);
        }
        self.run(move || is_right(&password, on_file.as_ref())).await
    }

    pub(crate) async fn hash(&self, password: String) -> Result<Password, Denied> {
        let hashed = move || -> Option<String> {
            let salt: [u8; 16] = random().ok()?;
            Some(argon2()?.hash_password_with_salt(password.as_bytes(), &salt).ok()?.to_string())
        };
        self.run(hashed).await?.map(Password::Own).ok_or(Denied::Internal)
    }

    /// The permit is held until the work is done, even if the caller has given up.
    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Denied> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| Denied::TooMany)?;
        let turn = Arc::clone(&self.at_once).acquire_owned().await.map_err(|_| Denied::Internal)?;
        let held: (OwnedSemaphorePermit, OwnedSemaphorePermit) = (place, turn);
        let work = move || {
            let done = work();
            drop(held);
            done
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| Denied::Internal)
    }
}

fn argon2() -> Option<Argon2<'static>> {
    let (memory, passes, lanes) = ARGON2_COST;
    let params = Params::new(memory, passes, lanes, None).ok()?;
    Some(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn is_right(password: &str, on_file: Option<&Password>) -> bool {
    let Some(argon2) = argon2() else { return false };
    let takes_as_long = || {
        let mut hash = [0; 32];
        black_box(argon2.hash_password_into(password.as_bytes(), b"nobody's salt", &mut hash)).is_ok()
    };
    match on_file {
        Some(Password::Own(hash)) => argon2.verify_password(password.as_bytes(), hash.as_str()).is_ok(),
        Some(Password::OneTime(hash)) => {
            let typed = OneTimeCode::read(password).map(OneTimeCode::hash);
            let known = blake3::Hash::from_hex(hash).ok();
            // Comparing hashes takes the same time wherever they differ.
            takes_as_long() && typed.is_some_and(|typed| known.is_some_and(|known| known == typed))
        }
        None => {
            takes_as_long();
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_is_right_or_wrong() {
        let hashing = Hashing::new();
        let own = hashing.hash("correct horse battery".to_owned()).await.unwrap();
        let Password::Own(phc) = &own else { panic!("{own:?}") };
        assert!(phc.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{phc}");
        assert_ne!(own, hashing.hash("correct horse battery".to_owned()).await.unwrap(), "salted");
        let code = OneTimeCode::random().unwrap();
        let one_time = Password::OneTime(blake3::Hash::from(code.hash()).to_hex().to_string());
        let rows = [
            (Some(&own), "correct horse battery".to_owned(), true),
            (Some(&own), "correct horse batterz".to_owned(), false),
            (Some(&own), String::new(), false),
            (Some(&own), "x".repeat(1_000_000), false),
            (Some(&one_time), code.to_string(), true),
            (Some(&one_time), code.to_string().to_lowercase(), true),
            (Some(&one_time), OneTimeCode::random().unwrap().to_string(), false),
            (Some(&one_time), "correct horse battery".to_owned(), false),
            (None, "correct horse battery".to_owned(), false),
            (Some(&Password::Own("damaged".to_owned())), "damaged".to_owned(), false),
            (Some(&Password::OneTime("damaged".to_owned())), "damaged".to_owned(), false),
        ];
        for (on_file, password, is_right) in rows {
            let found = hashing.is_right(password.clone(), on_file.cloned()).await.unwrap();
            assert_eq!(found, is_right, "{on_file:?} {password:.40}");
        }
    }

    #[tokio::test]
    async fn too_many_waiting_hashes_are_denied() {
        let hashing = Hashing::new();
        let held = Arc::clone(&hashing.places).try_acquire_many_owned(18).unwrap();
        assert_eq!(hashing.is_right("password".to_owned(), None).await, Err(Denied::TooMany));
        drop(held);
        assert_eq!(hashing.is_right("password".to_owned(), None).await, Ok(false));
    }

    #[test]
    fn a_new_password_is_long_enough_and_another_one() {
        let code = OneTimeCode::random().unwrap().to_string();
        for (new, old, good) in [
            ("twelve chars", "something else", true),
            ("eleven char", "something else", false),
            ("十二個字的密碼是夠長的了", "something else", true),
            (&"x".repeat(128), "something else", true),
            (&"x".repeat(129), "something else", false),
            ("something else", "something else", false),
            (&code.to_lowercase(), &code, false),
        ] {
            assert_eq!(is_good(new, old), good, "{new}");
        }
    }
}
