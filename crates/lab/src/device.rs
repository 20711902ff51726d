//! A device's key: made on first use, kept in a file that only its owner reads, and never sent. With it the device proves to a
//! casino which one it is.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use ed25519_dalek::{Signer as _, SigningKey};
use serde::{Deserialize, Serialize};

use crate::socket::{CasinoAddress, ClientSocket};

/// What is signed begins with it.
const PURPOSE: &[u8] = b"taisai device\0";

/// A device that is enrolled.
#[derive(Clone)]
pub(crate) struct DeviceKey {
    key: SigningKey,
    known: DeviceIdentity,
}

/// What a device must know of itself.
#[derive(Clone, Copy, Deserialize)]
struct DeviceIdentity {
    device: u32,
    #[serde(deserialize_with = "digits")]
    house: [u8; 16],
}

/// The file of a key.
#[derive(Serialize, Deserialize)]
struct KeyFile {
    private_key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    device: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    house: Option<String>,
}

/// What a device sends to be enrolled.
#[derive(Serialize)]
struct EnrolmentAnswer<'a> {
    code: &'a str,
    public_key: String,
}

impl DeviceKey {
    /// A device whose key and number are known.
    pub(crate) fn new(secret: [u8; 32], device: u32, house: [u8; 16]) -> Self {
        Self { key: SigningKey::from_bytes(&secret), known: DeviceIdentity { device, house } }
    }

    pub(crate) const fn number(&self) -> u32 {
        self.known.device
    }

    /// The device of a key's file. The key is made if there is none, and enrolled with the code if one is given.
    pub(crate) fn open(file: &Path, server: &CasinoAddress, code: Option<&str>) -> anyhow::Result<Self> {
        let mut kept = match std::fs::read_to_string(file) {
            Ok(text) => {
                serde_json::from_str(&text).with_context(|| format!("{} is no key of a device", file.display()))?
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let mut secret = [0; 32];
                getrandom::fill(&mut secret)?;
                let kept = KeyFile { private_key: HEXLOWER.encode(&secret), device: None, house: None };
                keep(file, &kept)?;
                kept
            }
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
        };
        let secret = bytes(&kept.private_key).with_context(|| format!("{} holds no key", file.display()))?;
        let key = SigningKey::from_bytes(&secret);
        if let Some(code) = code {
            let enrolment = EnrolmentAnswer { code, public_key: HEXLOWER.encode(key.verifying_key().as_bytes()) };
            let enrolled = ureq::post(server.url("/api/v1/devices/enrol")).send_json(&enrolment);
            let known: DeviceIdentity = enrolled.context("the casino does not enrol it")?.body_mut().read_json()?;
            (kept.device, kept.house) = (Some(known.device), Some(HEXLOWER.encode(&known.house)));
            keep(file, &kept)?;
        }
        let (Some(device), Some(house)) = (kept.device, kept.house.as_deref().and_then(bytes)) else {
            bail!("the device is not enrolled yet: give its code with --enrol");
        };
        Ok(Self { key, known: DeviceIdentity { device, house } })
    }

    /// Answers the challenge that a casino begins with.
    pub(crate) async fn prove(&self, socket: &mut ClientSocket) -> anyhow::Result<()> {
        #[derive(Deserialize)]
        struct ProofChallenge {
            challenge: String,
        }

        let challenge = socket.next().await?.context("the casino closed the connection")?;
        let sent: ProofChallenge =
            serde_json::from_str(challenge).with_context(|| format!("the casino says: {challenge}"))?;
        let challenge: [u8; 32] = bytes(&sent.challenge).context("the challenge has not 32 bytes")?;
        let signed = self.signed(&challenge);
        Ok(socket.send(&signed).await?)
    }

    fn signed(&self, challenge: &[u8; 32]) -> String {
        let DeviceIdentity { device, house } = self.known;
        let message = [PURPOSE, &house, &device.to_le_bytes(), challenge].concat();
        let signature = HEXLOWER.encode(&self.key.sign(&message).to_bytes());
        format!("{{\"device\":{device},\"signature\":\"{signature}\"}}")
    }

    pub(crate) fn public_key(&self) -> ed25519_dalek::VerifyingKey {
        self.key.verifying_key()
    }
}

/// Writes the file of a key, for its owner only.
fn keep(file: &Path, kept: &KeyFile) -> anyhow::Result<()> {
    let written = || -> std::io::Result<()> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file)?;
        file.write_all(serde_json::to_string(kept)?.as_bytes())?;
        file.sync_all()
    };
    written().with_context(|| format!("cannot write {}", file.display()))
}

/// Digits of either case as bytes, if there are as many.
pub(crate) fn bytes<const N: usize>(digits: &str) -> Option<[u8; N]> {
    HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok()?.try_into().ok()
}

fn digits<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<[u8; 16], D::Error> {
    let text = String::deserialize(deserializer)?;
    bytes(&text).ok_or_else(|| serde::de::Error::custom("the casino's id has 32 digits"))
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::Signature;

    use super::*;

    #[test]
    fn signature_covers_casino_device_and_challenge() {
        let device = DeviceKey::new([3; 32], 0x0102_0304, [9; 16]);
        let challenge = [5; 32];
        let answer: serde_json::Value = serde_json::from_str(&device.signed(&challenge)).unwrap();
        assert_eq!(answer["device"], 0x0102_0304);
        let signature = Signature::from_bytes(&bytes(answer["signature"].as_str().unwrap()).unwrap());
        let mut message = b"taisai device\0".to_vec();
        message.extend([9; 16]);
        message.extend([4, 3, 2, 1]);
        message.extend([5; 32]);
        device.public_key().verify_strict(&message, &signature).unwrap();
        message[20] ^= 1;
        assert!(device.public_key().verify_strict(&message, &signature).is_err());
    }

    #[test]
    fn a_key_is_made_once_and_nobody_else_reads_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tumbler.key");
        let server = CasinoAddress::parse("http://127.0.0.1:1").unwrap();
        let error = DeviceKey::open(&file, &server, None).err().unwrap();
        assert!(error.to_string().contains("--enrol"), "{error}");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let first = std::fs::read_to_string(&file).unwrap();
        assert!(DeviceKey::open(&file, &server, None).is_err());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), first, "the same key");
        let mut kept: KeyFile = serde_json::from_str(&first).unwrap();
        (kept.device, kept.house) = (Some(7), Some(HEXLOWER.encode(&[1; 16])));
        keep(&file, &kept).unwrap();
        assert_eq!(DeviceKey::open(&file, &server, None).unwrap().known.device, 7);
        std::fs::write(&file, "{}").unwrap();
        assert!(DeviceKey::open(&file, &server, None).is_err());
    }

    #[test]
    fn digits_are_bytes() {
        assert_eq!(bytes(&HEXLOWER.encode(&[0, 1, 254, 255])), Some([0, 1, 254, 255]));
        assert_eq!(bytes::<2>("0g00"), None);
        assert_eq!(bytes::<2>("000"), None);
        assert_eq!(bytes::<2>("+1+1"), None);
        assert_eq!(bytes::<1>("é"), None);
    }
}
