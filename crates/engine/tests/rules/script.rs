//! Scripts: one step a line or between semicolons. `who what … = answer` asks, and expects to be accepted unless an
//! answer is given: the event, or `!` and a refusal's code, or `!` alone for any refusal. `? what … = value` looks.

use taisai_rules::{Face, Station};
use taisai_table::{
    CashOut, Chips, ClusterCommand, Decision, HouseCommand, Person, Position, Receipt, Refusal, RoundCommand,
    RoundNumber, RoundStanding, Ruling, Seat, Stake, Stakes, Transfer, TransferPurpose, VoidReason, VoucherHash,
    VoucherNumber,
};

use crate::installation::{CLUSTER, TestInstallation, acceptor, cents, dice, limits, person};

/// A command of one of the machines.
pub(crate) enum Command {
    Round(RoundCommand),
    Cluster(ClusterCommand),
    House(HouseCommand),
}

impl TestInstallation {
    /// Runs a script; every invariant holds after every step.
    pub(crate) fn run(&mut self, script: &str) {
        for step in script.split(['\n', ';']).map(str::trim).filter(|step| !step.is_empty()) {
            self.step(step);
            self.house.check().unwrap_or_else(|broken| panic!("{}: after `{step}`: {broken}", self.game));
        }
    }

    fn step(&mut self, step: &str) {
        let (step, expected) = match step.split_once(" = ") {
            Some((step, expected)) => (step, Some(expected.trim())),
            None => (step, None),
        };
        let words: Vec<_> = step.split_whitespace().collect();
        match words[..] {
            ["#", ..] | [] => {}
            ["?", ref what @ ..] => {
                let found = self.look(what);
                assert_eq!(found, expected.expect("a value"), "{}: {step}", self.game);
            }
            ["wait", seconds] => self.now += 1_000 * seconds.parse::<u64>().expect("seconds"),
            ["quiet"] => self.carries = false,
            ["carry"] => {
                self.carries = true;
                self.house.deliver_all();
            }
            ["carry-one"] => assert!(self.carry_one(), "{}: nothing to carry", self.game),
            // Credits for a terminal; at a live table players bring their own chips.
            ["fund", seat, amount] => {
                if self.cluster().rules().game().station() == Station::PlayerTerminals {
                    self.run(&format!("cashier cash {seat} {amount} with manager"));
                }
            }
            ["throw", dice] => self.run(&format!("dealer activate; tumbler9 tumbled 3; dealer commit {dice}")),
            ["deal", dice] => self.run(&format!("dealer close; throw {dice}")),
            ["round", dice] => self.run(&format!("dealer open; deal {dice}")),
            [who, ref what @ ..] => {
                let answer = self.ask(who, what);
                match expected {
                    Some("!") => assert!(!answer.is_accepted(), "{}: {step}", self.game),
                    Some(expected) => assert_eq!(answer.text(), expected, "{}: {step}", self.game),
                    None => assert!(answer.is_accepted(), "{}: {step}: {}", self.game, answer.text()),
                }
            }
        }
    }

    /// Asks, and carries what follows from it.
    pub(crate) fn ask(&mut self, who: &str, what: &[&str]) -> ScriptAnswer {
        let command = match command(what) {
            Command::Round(RoundCommand::ShowLimits { limits, why }) => {
                Command::Round(RoundCommand::ShowLimits { limits: limits.widest(self.cluster().rules().layout()), why })
            }
            command => command,
        };
        let seat = what.get(1).and_then(|seat| seat.parse().ok()).map(Seat);
        let actor = self.actor(who, seat);
        let answer = match command {
            Command::Round(command) => ScriptAnswer::of(&self.ask_round(actor, command)),
            Command::Cluster(command) => ScriptAnswer::of(&self.ask_cluster(actor, command)),
            Command::House(command) => {
                let request = self.request(actor, command);
                ScriptAnswer::of(&self.house.ask_house(request))
            }
        };
        if self.carries {
            self.house.deliver_all();
        }
        answer
    }
}

/// How a command was answered, in words.
pub(crate) struct ScriptAnswer(Result<String, Refusal>);

impl ScriptAnswer {
    fn of<E: serde::Serialize>(decision: &Decision<E>) -> Self {
        Self(match decision {
            Decision::Accepted(event) => Ok(event_text(&serde_json::to_value(event).expect("an event has JSON"))),
            Decision::Refused(refusal) => Err(*refusal),
            Decision::Repeated(verdict) => Ok(format!("repeated {verdict:?}")),
        })
    }

    pub(crate) const fn is_accepted(&self) -> bool {
        self.0.is_ok()
    }

    pub(crate) const fn refusal(&self) -> Option<Refusal> {
        match self.0 {
            Ok(_) => None,
            Err(refusal) => Some(refusal),
        }
    }

    pub(crate) fn text(&self) -> String {
        self.0.as_ref().map_or_else(|refusal| format!("!{}", refusal.code()), Clone::clone)
    }
}

/// An event's name, with its reason, whether the dice differ and whether it waits, where it has them.
fn event_text(event: &serde_json::Value) -> String {
    let Some((name, fields)) = event.as_object().and_then(|event| event.iter().next()) else {
        return event.as_str().expect("an event has a name").to_owned();
    };
    if fields["waits"] == true {
        return format!("{name} waits");
    }
    match (&fields["reason"], &fields["differs"]) {
        (serde_json::Value::String(reason), serde_json::Value::Bool(true)) => format!("{name} {reason} differs"),
        (serde_json::Value::String(reason), _) => format!("{name} {reason}"),
        (_, serde_json::Value::Bool(true)) => format!("{name} differs"),
        _ => name.clone(),
    }
}

fn number<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("a number: {text}"))
}

fn round(text: &str) -> RoundNumber {
    RoundNumber(number(text))
}

fn face(digit: char) -> Option<Face> {
    digit.to_digit(10).and_then(|digit| u8::try_from(digit).ok()).map(|digit| Face::try_from(digit).expect("a face"))
}

pub(crate) fn reason(text: &str) -> VoidReason {
    serde_json::from_value(text.into()).expect("a reason")
}

/// `big 500 sum:4 100` as stakes.
pub(crate) fn stakes(words: &[&str]) -> Stakes {
    words.chunks(2).map(|pair| Stake { bet_box: number(pair[0]), amount: cents(number(pair[1])) }).collect()
}

fn command(words: &[&str]) -> Command {
    match *words {
        // A voucher into the terminal at a seat.
        ["insert", seat, byte] => Command::House(HouseCommand::RedeemAtSeat {
            hash: VoucherHash([number(byte); 32]),
            cluster: CLUSTER,
            seat: Seat(number(seat)),
        }),
        _ => round_command(words).map_or_else(|| Command::Cluster(cluster_command(words)), Command::Round),
    }
}

/// `with manager` at the end names the second person.
fn split_second<'a>(words: &'a [&'a str]) -> (&'a [&'a str], Option<Person>) {
    match words {
        [words @ .., "with", second] => (words, person(second)),
        words => (words, None),
    }
}

fn round_command(words: &[&str]) -> Option<RoundCommand> {
    use RoundCommand as C;
    let why = || "it was seen".to_owned();
    let (words, second) = split_second(words);
    Some(match *words {
        ["open-table"] => C::OpenTable,
        ["announce"] => C::AnnounceClosure,
        ["close-table"] => C::CloseTable,
        ["relieve", position, who] => {
            let position = match position {
                "dealer" => Position::Dealer,
                "supervisor" => Position::Supervisor,
                _ => Position::Manager,
            };
            C::Relieve { position, person: person(who).map(|person| person.id) }
        }
        ["cover"] => C::Cover,
        ["uncover"] => C::Uncover,
        ["correct-known", known] => {
            C::CorrectKnown { known: known.chars().filter_map(face).collect(), why: why(), second }
        }
        ["void-by-law", number, cause] => {
            C::VoidByLaw { round: round(number), reason: reason(cause), why: why(), second }
        }
        ["damaged", dice_set] => C::DamagedSet { dice_set: number(dice_set) },
        ["inspect", dice_set] => C::Inspect { dice_set: number(dice_set), second },
        ["limits", ref spec @ ..] => C::ShowLimits { limits: limits(spec), why: why() },
        ["use-dice", dice_set] => C::UseDice { dice_set: number(dice_set) },
        ["use-tumbler", tumbler] => C::UseTumbler { tumbler: number(tumbler) },
        ["open"] => C::OpenBets,
        ["close"] => C::CloseBets,
        ["tick"] => C::Tick,
        ["activate"] => C::Activate,
        ["tumbled", times] => C::Tumbled { times: number(times) },
        ["rest", faces] => {
            let faces: Vec<_> = faces.chars().map(face).collect();
            C::AtRest { faces: faces.try_into().expect("three dice") }
        }
        ["commit", faces] => C::Commit { dice: dice(faces) },
        ["void", why] => C::Void { reason: reason(why) },
        ["interrupt"] => C::Interrupt { known: Vec::new() },
        ["interrupt", known] => C::Interrupt { known: known.chars().filter_map(face).collect() },
        ["continue"] => C::Continue,
        ["restarted"] => C::Restarted,
        ["correct", number, faces] => C::Correct { round: round(number), dice: dice(faces), why: why(), second },
        ["void-damaged", from, to, ref dice_set @ ..] => C::VoidDamaged {
            from: round(from),
            to: round(to),
            dice_set: dice_set.first().map(|dice_set| number(dice_set)),
            why: why(),
            second,
        },
        ["rule", ref ruling @ ..] => C::Rule { ruling: self::ruling(ruling), why: why(), second },
        ["witness", number, "void"] => {
            C::Witness { round: round(number), seen: RoundStanding::Void(VoidReason::Ruling) }
        }
        ["witness", number, faces] => C::Witness { round: round(number), seen: RoundStanding::Settled(dice(faces)) },
        ["report", followed, colour] => C::Report {
            cluster: CLUSTER,
            followed: number(followed),
            colour_chips: cents(number(colour)),
            is_registered: false,
        },
        _ => return None,
    })
}

fn ruling(words: &[&str]) -> Ruling {
    match *words {
        ["note"] => Ruling::Note,
        ["conclude", faces] => Ruling::Conclude { dice: dice(faces) },
        ["void", number] => Ruling::Void { round: round(number), fact: None },
        ["void", number, fact] => Ruling::Void { round: round(number), fact: Some(reason(fact)) },
        ["settle", number, faces] => Ruling::Settle { round: round(number), dice: dice(faces) },
        _ => panic!("a ruling: {words:?}"),
    }
}

fn cluster_command(words: &[&str]) -> ClusterCommand {
    use ClusterCommand as C;
    let seat = Seat(words.get(1).and_then(|seat| seat.parse().ok()).unwrap_or(0));
    let (own, colour) = (Chips::Own, Chips::Colour);
    let (words, second) = split_second(words);
    match *words {
        ["bet", _, ref list @ ..] => C::Place { seat, chips: own, stakes: stakes(list) },
        ["bet-colour", _, ref list @ ..] => C::Place { seat, chips: colour, stakes: stakes(list) },
        ["bet-for", _, ref list @ ..] => C::PlaceFor { seat, chips: own, stakes: stakes(list) },
        ["take", _, ref list @ ..] => C::Withdraw { seat, chips: own, stakes: stakes(list) },
        ["take-colour", _, ref list @ ..] => C::Withdraw { seat, chips: colour, stakes: stakes(list) },
        ["clear", _] => C::Clear { seat },
        ["repeat", _] => C::Repeat { seat },
        ["double", _] => C::Double { seat },
        ["bet-over", _, ref list @ ..] => C::PlaceExcess { seat, chips: own, stakes: stakes(list) },
        ["reject"] => C::RejectExcess,
        ["register", _, ref list @ ..] => C::Register { seat, stakes: stakes(list), second },
        ["total", bet_box, amount] => C::TellTotal { bet_box: number(bet_box), amount: cents(number(amount)) },
        ["registered"] => C::AllRegistered,
        ["tick", _] => C::TickOff { seat, is_paid: true },
        ["untick", _] => C::TickOff { seat, is_paid: false },
        ["film", number, seat, ref list @ ..] => C::RegisterFromFilm {
            round: round(number),
            seat: Seat(self::number(seat)),
            player: "the player in red".to_owned(),
            stake: stakes(list)[0],
            second,
        },
        ["unfilm", number, line] => C::WithdrawFromFilm { round: round(number), line: self::number(line), second },
        ["close-returns", number] => C::CloseReturns { round: round(number), second },
        ["advise", bet_box] => C::Advise { bet_box: number(bet_box) },
        ["cash", _, amount] => C::BuyIn { seat, amount: cents(number(amount)), second },
        ["reverse", _, receipt, ref why @ ..] => {
            C::ReverseBuyIn { seat, receipt: Receipt(number(receipt)), why: why.join(" "), second }
        }
        ["read", _, message] => C::Read { seat, message: number(message) },
        ["note", _, amount] => C::AcceptNote { seat, amount: cents(number(amount)) },
        ["count", _, notes] => C::CountStacker { seat, notes: number(notes) },
        ["empty", _, notes, amount] => {
            C::EmptyStacker { acceptor: acceptor(seat), notes: number(notes), amount: cents(number(amount)) }
        }
        ["issue", _, colour, value, chips] => {
            C::IssueColour { seat, colour: number(colour), value: cents(number(value)), chips: number(chips), second }
        }
        ["redeem", _] => C::RedeemColour { seat },
        ["voucher", _, byte] => {
            let number = VoucherNumber { hash: VoucherHash([number(byte); 32]), digits: number(byte) };
            C::CashOut { seat, to: CashOut::Voucher(number) }
        }
        ["hand-pay", _] => C::CashOut { seat, to: CashOut::HandPay },
        ["leave", _] => C::Leave { seat },
        ["walk", _] => C::WalkAway { seat },
        ["lost", _] => C::Lost { seat },
        ["back", _] => C::Back { seat },
        ["unlock", _] => C::ClearLock { seat },
        ["receive", _, number, amount] => {
            let (number, amount) = (self::number(number), cents(self::number(amount)));
            C::Receive {
                transfer: Transfer { number, amount, purpose: TransferPurpose::Credits { seat, session: None } },
            }
        }
        ["delivered", number] => C::Delivered { number: self::number(number) },
        _ => panic!("a command: {words:?}"),
    }
}
