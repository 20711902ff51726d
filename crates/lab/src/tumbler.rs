//! `taisai-lab tumbler`: a simulated dice tumbler. It follows the display of its table and tumbles when bets are closed, well or badly,
//! as its arguments say. docs/tumbler.md says what tumblers say.

mod script;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use crate::device::DeviceKey;
use crate::socket::{CasinoAddress, ClientSocket};
pub(crate) use script::Misbehaviour;
use script::TumblerScript;

/// How the tumbler runs.
#[derive(clap::Args)]
pub(crate) struct TumblerArgs {
    /// The casino: http://HOST:PORT
    #[arg(long, value_name = "URL", value_parser = CasinoAddress::parse)]
    server: CasinoAddress,
    /// The table
    #[arg(long, value_name = "TABLE")]
    table: u16,
    /// The file of its key, which is made on first use
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Enrol it first, with the one-time code that the casino gave for it
    #[arg(long, value_name = "CODE")]
    enrol: Option<String>,
    /// The faces it shows, like 1,2,3; "-" reads those of each round from a line of standard input; chance if left out
    #[arg(long, value_name = "FACES")]
    dice: Option<String>,
    /// Misbehave in this way; may be given several times
    #[arg(long, value_name = "KIND")]
    misbehave: Vec<Misbehaviour>,
    /// How long it takes from one message to the next, in milliseconds
    #[arg(long, default_value_t = 300, value_name = "MILLIS")]
    pause: u64,
    /// End after this many rounds
    #[arg(long, value_name = "ROUNDS")]
    rounds: Option<u64>,
}

/// Where the dice come from.
enum DiceSource {
    Chance,
    Same([u8; 3]),
    /// Lines of standard input, read as they come: the casino is answered meanwhile.
    Lines(mpsc::Receiver<String>),
}

impl DiceSource {
    fn parse(text: Option<&str>) -> anyhow::Result<Self> {
        match text {
            None => Ok(Self::Chance),
            Some("-") => {
                let (lines, read) = mpsc::channel(1);
                std::thread::spawn(move || {
                    // The receiver may be gone; a line that cannot be read ends the input.
                    std::io::stdin().lines().map_while(Result::ok).all(|line| lines.blocking_send(line).is_ok())
                });
                Ok(Self::Lines(read))
            }
            Some(faces) => faces_of(faces).map(Self::Same),
        }
    }

    /// The faces of the next round.
    async fn next(&mut self) -> anyhow::Result<[u8; 3]> {
        match self {
            Self::Same(faces) => Ok(*faces),
            Self::Lines(lines) => faces_of(lines.recv().await.context("standard input has no more dice")?.trim()),
            Self::Chance => {
                let mut faces = [0; 3];
                for face in &mut faces {
                    *face = chance()?;
                }
                Ok(faces)
            }
        }
    }
}

/// A face, each as likely as any other: what is above the last multiple of six is drawn again.
fn chance() -> anyhow::Result<u8> {
    loop {
        let mut drawn = [0];
        getrandom::fill(&mut drawn)?;
        if let [byte @ ..252] = drawn {
            return Ok(byte % 6 + 1);
        }
    }
}

fn faces_of(text: &str) -> anyhow::Result<[u8; 3]> {
    let faces = text.split([',', ' ']).map(|face| face.parse().ok().filter(|face| (1..=6).contains(face)));
    let faces = faces.collect::<Option<Vec<u8>>>().and_then(|faces| faces.try_into().ok());
    faces.with_context(|| format!("{text:?} is not three faces from 1 to 6, like 1,2,3"))
}

/// Where the table is, as its display shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct DisplayedRound {
    round: u64,
    phase: String,
}

impl DisplayedRound {
    /// Takes in a message to displays: the first shows everything, the others what has changed.
    fn update(&mut self, message: &str) -> anyhow::Result<()> {
        let message: Value = serde_json::from_str(message).context("the display shows something else")?;
        let public = message.pointer("/snapshot/public").or_else(|| message.get("public"));
        if let Some(round) = public.and_then(|public| public["round"].as_u64()) {
            self.round = round;
        }
        if let Some(phase) = public.and_then(|public| public["phase"].as_str()) {
            phase.clone_into(&mut self.phase);
        }
        Ok(())
    }
}

/// Runs the tumbler until it has done its rounds, or the casino goes.
pub(crate) fn run(args: &TumblerArgs) -> anyhow::Result<bool> {
    let device = DeviceKey::open(&args.key, &args.server, args.enrol.as_deref())?;
    let mut dice = DiceSource::parse(args.dice.as_deref())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(tumble(args, &device, &mut dice))?;
    Ok(true)
}

async fn tumble(args: &TumblerArgs, device: &DeviceKey, dice: &mut DiceSource) -> anyhow::Result<()> {
    let at = |what: &str| format!("/api/v1/tables/{}/{what}", args.table);
    let mut display = ClientSocket::open(&args.server, &at("display"), None).await?;
    let mut socket = ClientSocket::open(&args.server, &at("tumbler"), None).await?;
    device.prove(&mut socket).await?;
    let since = SystemTime::now().duration_since(UNIX_EPOCH).context("the system's clock is before 1970")?;
    let mut script = TumblerScript::new(u64::try_from(since.as_millis())?, &args.misbehave);
    let pause = Duration::from_millis(args.pause);
    let (mut displayed, mut done, mut rounds) = (DisplayedRound::default(), 0, 0);
    let mut wants_dice = false;
    let mut waiting: VecDeque<String> = VecDeque::new();
    let mut due = Instant::now();
    // Messages that have not been answered.
    let mut open = 0_u64;
    loop {
        tokio::select! {
            message = display.next() => {
                let before = displayed.clone();
                displayed.update(message?.context("the display of the table has ended")?)?;
                if displayed.phase == "open" && (&displayed.phase, displayed.round) != (&before.phase, before.round) {
                    waiting.extend(script.bets_open());
                }
                if displayed.phase == "closed" && displayed.round != done {
                    done = displayed.round;
                    wants_dice = true;
                }
            }
            faces = dice.next(), if wants_dice => {
                wants_dice = false;
                rounds += 1;
                waiting.extend(script.bets_closed(faces?));
                socket.is_deaf = script.is_silent();
            }
            answer = socket.next() => {
                let answer = answer?.context("the casino has ended the connection")?;
                println!("< {answer}");
                open = open.saturating_sub(1);
            }
            () = sleep_until(due), if !waiting.is_empty() => {
                for message in script.at_once(&mut waiting) {
                    println!("> {message}");
                    socket.send(&message).await?;
                    open += 1;
                }
                due = Instant::now() + pause;
            }
        }
        if args.rounds == Some(rounds) && waiting.is_empty() && (open == 0 || script.is_silent()) {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_are_read() {
        assert_eq!(faces_of("1,2,3").unwrap(), [1, 2, 3]);
        assert_eq!(faces_of("6 6 5").unwrap(), [6, 6, 5]);
        for bad in ["", "1,2", "1,2,3,4", "0,1,2", "7,1,1", "a,b,c", "1;2;3"] {
            assert!(faces_of(bad).is_err(), "{bad}");
        }
    }

    #[tokio::test]
    async fn chance_shows_every_face() {
        let mut counts = [0; 6];
        for _ in 0..2_000 {
            for face in DiceSource::Chance.next().await.unwrap() {
                counts[usize::from(face) - 1] += 1;
            }
        }
        assert!(counts.iter().all(|count| (700..1_300).contains(count)), "{counts:?}");
    }

    #[test]
    fn the_display_is_followed() {
        let mut displayed = DisplayedRound::default();
        displayed.update(r#"{"number":1,"snapshot":{"public":{"round":4,"phase":"open"}}}"#).unwrap();
        assert_eq!(displayed, DisplayedRound { round: 4, phase: "open".to_owned() });
        displayed.update(r#"{"number":2,"public":{"phase":"closed"}}"#).unwrap();
        assert_eq!(displayed, DisplayedRound { round: 4, phase: "closed".to_owned() });
        displayed.update(r#"{"number":3,"public":{"is_held":true}}"#).unwrap();
        assert_eq!(displayed.phase, "closed");
        assert!(displayed.update("nonsense").is_err());
    }
}
