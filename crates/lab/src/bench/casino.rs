//! The casino that is measured: a training casino with one table, started as anyone starts one, its terminals enrolled with the
//! codes that it prints on its first start. It has no way in that a real casino has not, save that its note acceptors are simulated.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail};
use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use taisai_table::Profile;

use super::process::{Process, number_of};
use super::staff::{PersonOnFirstStart, Staff};
use super::terminal::{CREDITS, TerminalEndpoint};
use crate::device::{DeviceKey, bytes};
use crate::socket::CasinoAddress;

/// How many terminals are enrolled at the same time.
const AT_ONCE: usize = 8;

/// A casino that runs.
pub(super) struct MeasuredCasino {
    process: Process,
    server: CasinoAddress,
    address: SocketAddr,
    people: Vec<PersonOnFirstStart>,
    devices: Vec<DeviceKey>,
    folder: tempfile::TempDir,
}

/// What the casino has written so far, and flushed how often.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenBytes {
    bytes: u64,
    flushes: u64,
}

impl WrittenBytes {
    /// How many bytes a flush had since then.
    pub(super) fn bytes_a_flush_since(self, before: &Self) -> usize {
        let (bytes, flushes) = (self.bytes.saturating_sub(before.bytes), self.flushes.saturating_sub(before.flushes));
        usize::try_from(bytes.checked_div(flushes).unwrap_or_default().max(1)).unwrap_or(usize::MAX)
    }
}

impl MeasuredCasino {
    /// Starts a casino with terminals that are shared out among clusters.
    pub(super) fn start(program: &Path, terminals: u32, clusters: u32) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("no folder for the casino")?;
        std::fs::write(folder.path().join("taisai.toml"), file(terminals, clusters))?;
        let notes = format!("notes = [{CREDITS}]");
        std::fs::write(folder.path().join("profile.toml"), Profile::SINGAPORE.replacen("notes = []", &notes, 1))?;
        let process = Process::start(program, &["serve", "--config", "taisai.toml"], Some(folder.path()))?;
        let FirstStart { server, people, codes } = FirstStart::read(usize::try_from(terminals)?, || process.line())
            .context("the casino does not print everything")?;
        let address = server.authority.parse()?;
        let devices = enrol(&server, &codes)?;
        Ok(Self { process, server, address, people, devices, folder })
    }

    /// The people who run its table, signed in.
    pub(super) fn staff(&self) -> anyhow::Result<Staff> {
        Staff::sign_in(&self.server, &self.people)
    }

    /// Where its terminals connect.
    pub(super) fn place(&self) -> TerminalEndpoint {
        TerminalEndpoint {
            address: self.address,
            authority: self.server.authority.clone(),
            path: "/api/v1/tables/1/terminal".to_owned(),
            devices: self.devices.clone(),
            greets: true,
        }
    }

    /// The number of the device at a place.
    pub(super) fn device(&self, place: u32) -> anyhow::Result<u32> {
        let device = usize::try_from(place).ok().and_then(|place| self.devices.get(place));
        device.map(DeviceKey::number).context("there are not so many devices")
    }

    /// Where it keeps what it keeps.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The memory that it has, in bytes.
    #[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "a figure that is shown")]
    pub(super) fn resident(&self) -> anyhow::Result<f64> {
        Ok((number_of(&self.process.system("status")?, "VmRSS")? * 1_024) as f64)
    }

    /// The processor time that it has used.
    pub(super) fn processor(&self) -> anyhow::Result<Duration> {
        self.process.processor()
    }

    /// What it has written.
    pub(super) fn written(&self) -> anyhow::Result<WrittenBytes> {
        let metrics = ureq::get(self.server.url("/metrics")).call()?.body_mut().read_to_string()?;
        Ok(WrittenBytes {
            bytes: number_of(&self.process.system("io")?, "write_bytes")?,
            flushes: number_of(&metrics, "taisai_commit_seconds_count")?,
        })
    }
}

/// From the start of a casino's process with an empty store until it says that it is ready.
pub(super) fn start_to_ready(program: &Path) -> anyhow::Result<Duration> {
    let folder = tempfile::tempdir().context("no folder for the casino")?;
    let process = Process::start(program, &["serve", "--listen", "127.0.0.1:0"], Some(folder.path()))?;
    let server = CasinoAddress::parse(&url_in(&process.line_with("http://")?)?)?;
    ureq::get(server.url("/readyz")).call().context("the casino is not ready")?;
    Ok(process.started.elapsed())
}

fn file(terminals: u32, clusters: u32) -> String {
    format!(
        "listen = \"127.0.0.1:0\"\ndata = \"data\"\n\n[house]\nname = \"Bench\"\ntraining = true\nprofile = \"profile.toml\"\n\n\
         [[table]]\nnumber = 1\nname = \"Bench\"\ngame = \"sic-bo-etg\"\nlayout = \"B\"\nterminals = {terminals}\n\
         clusters = {clusters}\ntraining = true\n"
    )
}

/// What a casino prints on its first start.
struct FirstStart {
    server: CasinoAddress,
    people: Vec<PersonOnFirstStart>,
    /// The codes of its terminals, in the order of their numbers.
    codes: Vec<String>,
}

impl FirstStart {
    /// Reads lines until it has all terminals and the address.
    fn read(terminals: usize, mut line: impl FnMut() -> anyhow::Result<String>) -> anyhow::Result<Self> {
        let (mut server, mut people, mut codes) = (None, Vec::new(), Vec::new());
        loop {
            if let Some(server) = server.take_if(|_| codes.len() == terminals) {
                codes.sort_unstable();
                return Ok(Self { server, people, codes: codes.into_iter().map(|(_, code)| code).collect() });
            }
            let line = line()?;
            people.extend(person_in(&line));
            codes.extend(code_in(&line));
            if line.contains("http://") {
                server = Some(CasinoAddress::parse(&url_in(&line)?)?);
            }
        }
    }
}

/// The address in a line of what a casino prints.
fn url_in(line: &str) -> anyhow::Result<String> {
    let url = line.split_whitespace().find(|word| word.starts_with("http://")).context("the line has no address")?;
    let authority = url["http://".len()..].split(['/', '#']).next().unwrap_or_default();
    Ok(format!("http://{authority}"))
}

/// The person in a line of the table of the first people.
fn person_in(line: &str) -> Option<PersonOnFirstStart> {
    let words: Vec<_> = line.split_whitespace().collect();
    let [number, .., role, password] = words.as_slice() else { return None };
    let is_one = taisai_table::Role::ALL.iter().any(|known| known.text() == *role);
    let number = number.parse().ok().filter(|_| is_one)?;
    Some(PersonOnFirstStart { number, role: (*role).to_owned(), password: (*password).to_owned() })
}

/// The device in a line of the table of the first terminals, and the code that it is enrolled with.
fn code_in(line: &str) -> Option<(u32, String)> {
    let (_, link) = line.split_once("#device=")?;
    let (device, code) = link.split_whitespace().next()?.split_once("&code=")?;
    Some((device.parse().ok()?, code.to_owned()))
}

/// Enrols every terminal. They share a key: that each has a secret of its own is not what is measured.
fn enrol(server: &CasinoAddress, codes: &[String]) -> anyhow::Result<Vec<DeviceKey>> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret)?;
    let public_key = HEXLOWER.encode(DeviceKey::new(secret, 0, [0; 16]).public_key().as_bytes());
    let agent = ureq::Agent::new_with_defaults();
    let one = |code: &String| -> anyhow::Result<DeviceKey> {
        let sent =
            agent.post(server.url("/api/v1/devices/enrol")).send_json(json!({"code": code, "public_key": public_key}));
        let enrolled: Value = sent.context("a terminal is not enrolled")?.body_mut().read_json()?;
        let device = enrolled["device"].as_u64().and_then(|device| u32::try_from(device).ok());
        let house = enrolled["house"].as_str().and_then(bytes);
        match (device, house) {
            (Some(device), Some(house)) => Ok(DeviceKey::new(secret, device, house)),
            (None, _) | (_, None) => bail!("the casino enrols something else: {enrolled}"),
        }
    };
    let share = codes.len().div_ceil(AT_ONCE).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> = codes
            .chunks(share)
            .map(|codes| scope.spawn(|| codes.iter().map(one).collect::<anyhow::Result<Vec<_>>>()))
            .collect();
        let mut devices = Vec::new();
        for part in parts {
            devices.extend(part.join().ok().context("enrolling broke down")??);
        }
        Ok(devices)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a casino prints on its first start.
    #[test]
    fn what_a_casino_prints_is_read() {
        let printed = "\
Bench
TRAINING  No money here is real, and none is paid for it.

People, each with a one-time password, which is not printed again
  Number  Name            Roles           One-time password
  ──────  ──────────────  ──────────────  ─────────────────
       1  First Dealer    dealer          2F4K-9TQX
       3  Pit Supervisor  pit-supervisor  ABCD-EFGH

Player Terminals: open each link once, on the terminal itself
  DeviceKey  Table  Seat  Link
       1      1     0  http://127.0.0.1:40123/terminal#device=1&code=QQQQ-1111
      12      1    11  http://127.0.0.1:40123/terminal#device=12&code=RRRR-2222

Screens

  http://127.0.0.1:40123/terminal          a Player Terminal
  http://127.0.0.1:40123/                  the front page: open this first";
        let mut lines = printed.lines().map(str::to_owned);
        let read = FirstStart::read(2, || lines.next().context("no more lines")).unwrap();
        assert_eq!(read.server.authority, "127.0.0.1:40123");
        let people: Vec<_> = read.people.into_iter().map(|one| (one.number, one.role, one.password)).collect();
        let person = |number, role: &str, password: &str| (number, role.to_owned(), password.to_owned());
        assert_eq!(people, [person(1, "dealer", "2F4K-9TQX"), person(3, "pit-supervisor", "ABCD-EFGH")]);
        assert_eq!(read.codes, ["QQQQ-1111", "RRRR-2222"]);
    }

    #[test]
    fn casino_that_prints_too_few_terminals_is_an_error() {
        let mut lines = ["http://127.0.0.1:1/terminal#device=1&code=A"].map(str::to_owned).into_iter();
        assert!(FirstStart::read(2, || lines.next().context("no more lines")).is_err());
    }

    #[test]
    fn bytes_a_flush_are_those_in_between() {
        let at = |bytes, flushes| WrittenBytes { bytes, flushes };
        assert_eq!(at(9_000, 13).bytes_a_flush_since(&at(1_000, 9)), 2_000);
        assert_eq!(at(9_000, 13).bytes_a_flush_since(&at(9_000, 13)), 1, "a flush of nothing is none");
    }
}
