//! The program as a person runs it, a script to record, and a small casino that records.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::mpsc;

use taisai_journal::ChainPurpose;
use taisai_record::{Address, MachineSetup, Program, RecordFiles, RecordStore, Recorder};
use taisai_rules::Money;
use taisai_table::{
    Actor, CommandId, CommandRequest, Decision, Founder, House, HouseCommand, Person, PersonId, Profile, Role, Roles,
    Time, VoucherHash, VoucherNumber,
};

/// A correction, a void and a plain round.
pub(crate) const SCRIPT: &str = "\
table tai-sai layout C seats 7
dealer 3
supervisor 7
manager 2
limits unit 1, big 25..5000, small 25..5000, rest 1..1000, differential 2000
open
place your bets
seat 3 bets 50 on big and 10 on sum:9
no more bets
dice 2 4 6
correct round 1 to 2 4 3 by supervisor 7 and manager 2 because the console read 6
place your bets
seat 4 bets 100 on small
no more bets
dice 6 6 6
void round 2 as malfunction by supervisor 7 and manager 2 because the tumbler stopped by itself
place your bets
seat 4 bets 25 on big
no more bets
dice 6 5 6
";

/// Runs the program in a folder. Returns its exit status, standard output and standard error.
pub(crate) fn taisai(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taisai"));
    let output = command.args(args).current_dir(folder).stdin(Stdio::null()).output().expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Runs the program in the folder of the tests.
pub(crate) fn run(args: &[&str]) -> (Option<i32>, String, String) {
    taisai(Path::new("."), args)
}

/// Runs the program with a text as its standard input.
pub(crate) fn run_with(args: &[&str], input: impl AsRef<[u8]> + Send) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taisai"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        // A program that ends early closes its input. Only its output matters here.
        scope.spawn(move || stdin.write_all(input.as_ref()).ok());
        child.wait_with_output().expect("the program ends")
    })
}

/// The public key as `audit verify` prints it.
pub(crate) fn key(folder: &Path, store: &str) -> String {
    let (_, json, _) = taisai(folder, &["audit", "verify", store, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    json["signers"][0].as_str().expect("a key").to_owned()
}

/// Records a casino that sells these vouchers. Each sale is durable before the next.
pub(crate) fn sell(store: &Path, beside: &Path, vouchers: impl IntoIterator<Item = u32>) {
    let files = RecordFiles { key_file: beside.join("house.key"), anchor: None, trusted: Vec::new() };
    let program = Program { version: "0.1.0".to_owned(), hash: [1; 32] };
    let address = Address::Folder(store.into());
    let mut store =
        RecordStore::open(&address, &files, program, [7; 16], ChainPurpose::Real, Arc::new(drop)).expect("a book");
    let (profile, time) = (Profile::singapore(), Time(1_800_000_000_000));
    let mut house: Recorder<House> =
        store.machine(MachineSetup::House { is_training: false }, &profile, time).expect("a house");
    let mut ask = |actor, place: u32, command| {
        let id = CommandId { source: 1, sequence: u64::from(place) };
        let decision = house.ask(CommandRequest { time: Time(time.0 + u64::from(place)), actor, id, command });
        assert!(matches!(decision, Decision::Accepted(_)), "{decision:?}");
        let (answer, answers) = mpsc::channel();
        house.commit(move |done| answer.send(done).expect("someone waits")).expect("it records");
        answers.recv().expect("an answer").expect("it is durable");
    };
    let founder =
        |id, name: &str, role| Founder { person: PersonId(id), name: name.to_owned(), roles: Roles::of(&[role]) };
    let cashier = Actor::Person(Person { id: PersonId(8), roles: Roles::of(&[Role::Cashier]) });
    for place in vouchers {
        if place == 1 {
            let cashier = founder(8, "Hui, \"H\"", Role::Cashier);
            let people = vec![cashier, founder(9, "Ina", Role::Administrator), founder(3, "Ben", Role::PitSupervisor)];
            ask(Actor::System, 1, HouseCommand::Found { people });
        }
        let mut hash = [0; 32];
        hash[..4].copy_from_slice(&place.to_le_bytes());
        let number = VoucherNumber { hash: VoucherHash(hash), digits: u16::try_from(place % 10_000).expect("digits") };
        let amount = Money::from_cents(1_000);
        ask(cashier, place + 1, HouseCommand::SellVoucher { number, amount, second: None });
    }
    drop(house);
    store.close().expect("everything is recorded");
}
