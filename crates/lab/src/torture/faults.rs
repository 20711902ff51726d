//! People who ask for what cannot be: the wrong person, the wrong moment, the wrong amount. Every refusal there is has someone
//! here who asks for it.

use taisai::replay::failure::CheckResult;
use taisai::replay::setup::TABLE;
use taisai_rules::{BetBox, BoxKey, BoxKind, Money, Unit};
use taisai_table::{
    Act, Actor, ApprovalId, CashOut, Chips, ClusterCommand, ClusterId, DeviceId, DeviceKind, HouseCommand, LimitEntry,
    PersonId, Position, Receipt, ReceivableId, ReceivableRuling, RoundCommand, RoundNumber, RoundStanding, Ruling,
    Seat, Stake, Stakes, TableId, TableLimits, Time, Transfer, TransferPurpose, VoidReason, VoucherHash, VoucherNumber,
};

use super::cage::TRAINING;
use super::casino::{
    ADMINISTRATOR, ATTENDANT, AUDITOR, BOTH, CASHIER, DEALER, MANAGER, OTHER_DEALER, SHIFT_MANAGER, SPARE, SUPERVISOR,
    SimulatedCasino, TUMBLER, by, person,
};

impl SimulatedCasino<'_> {
    pub(super) fn faults(&mut self) -> CheckResult {
        match self.random.below(10) {
            0..=3 => self.bad_bet(),
            4..=6 => self.bad_call(),
            _ => self.bad_business(),
        }
    }

    pub(super) fn try_cluster(&mut self, actor: Actor, command: ClusterCommand) -> CheckResult {
        self.ask_cluster(actor, command)?.ok();
        Ok(())
    }

    /// Bets that cannot be.
    fn bad_bet(&mut self) -> CheckResult {
        let seat = self.seat();
        let actor = self.bettor(seat);
        let boxes = self.rules.layout().boxes();
        let (big, some) = (BetBox::BIG, boxes[self.random.index(boxes.len())]);
        let unit = self.model().limits().unit().cents();
        let stake = |bet_box, cents| Stake { bet_box, amount: Money::from_cents(cents) };
        let not_on_layout = BetBox::all().find(|bet_box| !self.rules.layout().has(*bet_box)).unwrap_or(big);
        let chips = if self.random.one_in(8) { Chips::Colour } else { Chips::Own };
        let place = |stakes: &[Stake]| ClusterCommand::Place { seat, chips, stakes: Stakes::from_slice(stakes) };
        let withdraw = |stakes: &[Stake]| ClusterCommand::Withdraw { seat, chips, stakes: Stakes::from_slice(stakes) };
        let least = self.model().limits().minimum(big).cents();
        let command = match self.random.below(20) {
            0 => place(&[]),
            1 => place(&[stake(big, 10 * unit), stake(big, 10 * unit)]),
            2 => place(&[stake(not_on_layout, 10 * unit)]),
            3 => place(&[stake(some, 0)]),
            4 => place(&[stake(some, -unit)]),
            5 => place(&[stake(some, i64::MAX - i64::MAX % unit)]),
            6 => place(&[stake(some, 10 * unit + 1)]),
            7 => place(&[stake(big, (least - unit).max(unit))]),
            8 => place(&[stake(big, 5_000 * unit)]),
            9 => place(&[stake(big, 1_000 * unit), stake(BetBox::SMALL, unit)]),
            10 => withdraw(&[stake(some, unit * 100_000)]),
            11 => withdraw(&[]),
            12 => ClusterCommand::Clear { seat: Seat(self.seats() + 3) },
            13 => ClusterCommand::Leave { seat },
            14 => ClusterCommand::PlaceFor { seat, chips, stakes: Stakes::from_slice(&[stake(some, 10 * unit)]) },
            15 => return self.try_cluster(by(AUDITOR), place(&[stake(some, 10 * unit)])),
            16 => return self.try_cluster(Actor::Terminal { device: DeviceId(1), seat: Seat(999) }, place(&[])),
            17 => {
                let other = Seat((seat.0 + 1) % self.seats());
                return self.try_cluster(Actor::Terminal { device: DeviceId(1), seat: other }, place(&[]));
            }
            18 => return self.try_cluster(self.dealer(), ClusterCommand::RejectExcess),
            19 if self.random.percent(70) => {
                let stakes = Stakes::from_slice(&[stake(some, 10 * unit)]);
                let register = ClusterCommand::Register { seat, stakes, second: None };
                let command = if self.random.percent(50) { ClusterCommand::AllRegistered } else { register };
                return self.try_cluster(self.dealer(), command);
            }
            // A bet in Colour Chips whose value it does not fit.
            _ => {
                return self.try_cluster(
                    by(DEALER),
                    ClusterCommand::Place {
                        seat,
                        chips: Chips::Colour,
                        stakes: Stakes::from_slice(&[stake(some, 3 * unit)]),
                    },
                );
            }
        };
        // At a live table nobody but the Dealer reaches an unknown seat.
        let actor =
            if matches!(command, ClusterCommand::Clear { .. }) && self.is_live() { self.dealer() } else { actor };
        self.try_cluster(actor, command)
    }

    /// Dealers, supervisors and others who call what they may not.
    fn bad_call(&mut self) -> CheckResult {
        let dealer = self.dealer();
        let other = if dealer == by(DEALER) { by(OTHER_DEALER) } else { by(DEALER) };
        let dice = self.dice();
        let newest = self.round().number();
        let why = || "no reason".to_owned();
        let manager = Some(person(MANAGER));
        let correct = |round, second| RoundCommand::Correct { round, dice, why: why(), second };
        let supervisor = by(SUPERVISOR);
        let (actor, command) = match self.random.below(35) {
            0 => (other, RoundCommand::OpenBets),
            1 => (by(AUDITOR), RoundCommand::OpenBets),
            2 => (dealer, RoundCommand::OpenBets),
            3 => (supervisor, RoundCommand::OpenTable),
            4 => (dealer, RoundCommand::Continue),
            5 => (dealer, RoundCommand::CloseBets),
            6 => (dealer, RoundCommand::Commit { dice }),
            7 => (Actor::System, RoundCommand::Tick),
            8 if self.round().phase() != taisai_table::Phase::Open => (dealer, RoundCommand::Activate),
            9 => (dealer, RoundCommand::Void { reason: VoidReason::FewTumbles }),
            10 => (dealer, RoundCommand::Void { reason: VoidReason::DamagedDice }),
            11 => (dealer, RoundCommand::Interrupt { known: dice.faces().to_vec() }),
            12 => (supervisor, correct(RoundNumber(newest.0 + 100), manager)),
            13 => (supervisor, correct(newest, manager)),
            14 => (supervisor, correct(newest, None)),
            15 => (by(BOTH), correct(newest, Some(person(BOTH)))),
            16 => {
                let dice = self.round().past(newest).and_then(|past| past.dice).unwrap_or(dice);
                (supervisor, RoundCommand::Correct { round: newest, dice, why: why(), second: manager })
            }
            17 => (by(SUPERVISOR), RoundCommand::Rule { ruling: Ruling::Note, why: why(), second: None }),
            18 => {
                let ruling = Ruling::Settle { round: newest, dice };
                (by(SHIFT_MANAGER), RoundCommand::Rule { ruling, why: why(), second: None })
            }
            19 => {
                (by(SHIFT_MANAGER), RoundCommand::Rule { ruling: Ruling::Conclude { dice }, why: why(), second: None })
            }
            20 if !self.table_is_closing => (supervisor, RoundCommand::CloseTable),
            21 => (supervisor, RoundCommand::ShowLimits { limits: self.bad_limits(), why: why() }),
            22 => (Actor::Tumbler(DeviceId(99)), RoundCommand::Tumbled { times: 3 }),
            23 => (dealer, RoundCommand::Tumbled { times: 0 }),
            24 => {
                let cluster = ClusterId { table: TABLE, number: 9 };
                (
                    Actor::System,
                    RoundCommand::Report { cluster, followed: 0, colour_chips: Money::ZERO, is_registered: false },
                )
            }
            25 => (supervisor, RoundCommand::UseDice { dice_set: 1 }),
            26 => {
                let (from, to) = (newest, RoundNumber(newest.0 + 1));
                (supervisor, RoundCommand::VoidDamaged { from, to, dice_set: None, why: why(), second: manager })
            }
            27 => {
                let (round, reason) = (newest, VoidReason::Ruling);
                (supervisor, RoundCommand::VoidByLaw { round, reason, why: why(), second: manager })
            }
            28 => (by(AUDITOR), RoundCommand::Relieve { position: Position::Dealer, person: None }),
            29 => (dealer, RoundCommand::Restarted),
            30 if self.round().is_interrupted() => (dealer, RoundCommand::Interrupt { known: Vec::new() }),
            30 => (dealer, RoundCommand::Interrupt { known: [dice.faces(), dice.faces()].concat() }),
            31 if self.round().phase() == taisai_table::Phase::Shut => {
                return self.open_before_the_rules_are_in_force();
            }
            33 => (by(MANAGER), RoundCommand::Witness { round: newest, seen: RoundStanding::InPlay }),
            32 => {
                let (round, reason) = (newest, VoidReason::Exposed);
                let reason = if self.random.percent(50) { VoidReason::ActivatedEarly } else { reason };
                (
                    dealer,
                    if self.random.percent(50) {
                        RoundCommand::Void { reason }
                    } else {
                        RoundCommand::VoidByLaw { round, reason, why: why(), second: manager }
                    },
                )
            }
            _ => (dealer, RoundCommand::AtRest { faces: [None; 3] }),
        };
        self.ask_round(actor, command)
    }

    pub(super) fn open_before_the_rules_are_in_force(&mut self) -> CheckResult {
        self.let_clusters_follow()?;
        let mut request = self.request(by(SUPERVISOR), RoundCommand::OpenTable);
        request.time = Time(0);
        self.decide_round(&request)?;
        self.set_clock()
    }

    fn bad_limits(&mut self) -> TableLimits {
        let unit = Unit::CENT.money();
        let cents = |cents| Some(Money::from_cents(cents));
        let boxes = vec![LimitEntry { boxes: BoxKey::Kind(BoxKind::Sum), min: cents(500), max: cents(100) }];
        match self.random.below(3) {
            0 => TableLimits { unit: Money::ZERO, boxes: Vec::new(), rest: None, differential: None },
            1 => TableLimits { unit, boxes, rest: None, differential: None },
            _ => TableLimits { unit: Money::from_cents(-100), boxes, rest: None, differential: cents(-1) },
        }
    }

    /// At the cage, with people and devices, and at seats.
    fn bad_business(&mut self) -> CheckResult {
        let seat = self.seat();
        let second = Some(person(MANAGER));
        let administrator = by(ADMINISTRATOR);
        let cents = Money::from_cents;
        let wrong = VoucherHash(self.random.bytes());
        let used = self.some_voucher();
        let why = || "no reason".to_owned();
        let roles = taisai_table::Roles::default();
        let (actor, command) = match self.random.below(34) {
            0 => (by(CASHIER), HouseCommand::RedeemAtCage { hash: wrong }),
            1 if self.random.one_in(6) => {
                for _ in 0..6 {
                    let hash = VoucherHash(self.random.bytes());
                    self.try_house(by(CASHIER), HouseCommand::RedeemAtCage { hash })?;
                }
                return Ok(());
            }
            1 | 2 => {
                let actor = if self.is_live() { Actor::System } else { self.terminal(seat) };
                (actor, HouseCommand::RedeemAtSeat { hash: wrong, cluster: self.at, seat })
            }
            3 => (Actor::System, HouseCommand::RedeemAtSeat { hash: wrong, cluster: TRAINING, seat }),
            4 => (by(AUDITOR), HouseCommand::RedeemAtCage { hash: wrong }),
            5 => (
                by(CASHIER),
                HouseCommand::SellVoucher { number: self.new_voucher(), amount: cents(99_999_900), second },
            ),
            6 => (by(CASHIER), HouseCommand::SellVoucher { number: self.new_voucher(), amount: cents(0), second }),
            7 => (by(CASHIER), HouseCommand::SellVoucher { number: self.new_voucher(), amount: Money::MAX, second }),
            8 => match used {
                Some(hash) => {
                    let number = VoucherNumber { hash, digits: 1 };
                    (by(CASHIER), HouseCommand::SellVoucher { number, amount: cents(1_000), second })
                }
                None => return Ok(()),
            },
            9 => match used {
                Some(hash) => (by(CASHIER), HouseCommand::VoidVoucher { hash, why: why(), second: None }),
                None => return Ok(()),
            },
            10 => match used {
                Some(hash) => (by(SHIFT_MANAGER), HouseCommand::RuleExpired { hash, why: why() }),
                None => return Ok(()),
            },
            11 => (by(ATTENDANT), HouseCommand::PayClaim { claim: self.unknown_claim(), second: None }),
            12 => (
                by(SHIFT_MANAGER),
                HouseCommand::RuleReceivable {
                    receivable: ReceivableId(999_999),
                    ruling: ReceivableRuling::WrittenOff,
                    why: why(),
                },
            ),
            13 => match self.house().receivables().next().map(|(id, owed)| (id, owed.left.cents())) {
                Some((receivable, left)) => {
                    let ruling = ReceivableRuling::Collected { amount: cents(left + 100) };
                    (by(SHIFT_MANAGER), HouseCommand::RuleReceivable { receivable, ruling, why: why() })
                }
                None => return Ok(()),
            },
            14 => (by(SUPERVISOR), HouseCommand::AnswerApproval { approval: ApprovalId(999_999), approve: true }),
            15 => (by(AUDITOR), HouseCommand::RequestApproval { act: Act::Correct, what: why() }),
            16 => (
                administrator,
                HouseCommand::AddPerson { person: PersonId(DEALER), name: "Twice".to_owned(), roles, second },
            ),
            17 => (administrator, HouseCommand::SetRoles { person: PersonId(77), roles, second }),
            18 => (administrator, HouseCommand::Suspend { person: PersonId(ADMINISTRATOR), second }),
            19 => (administrator, HouseCommand::Suspend { person: PersonId(SPARE), second: None }),
            20 => (by(BOTH), HouseCommand::Suspend { person: PersonId(SPARE), second: Some(person(BOTH)) }),
            21 => (Actor::System, HouseCommand::LoginFailed { person: PersonId(77) }),
            22 => (administrator, HouseCommand::Enrol { device: DeviceId(7), kind: DeviceKind::Tumbler, second }),
            23 => {
                let kind = DeviceKind::Terminal { cluster: ClusterId { table: TableId(77), number: 0 }, seat };
                (administrator, HouseCommand::Enrol { device: DeviceId(987_654), kind, second })
            }
            24 => (administrator, HouseCommand::Revoke { device: DeviceId(987_654) }),
            25 => {
                let clusters = std::num::NonZeroU16::MIN;
                (administrator, HouseCommand::AddTable { table: TABLE, clusters, training: false, second })
            }
            26 => {
                let (key, value) = (" ".to_owned(), "dark".to_owned());
                (administrator, HouseCommand::Configure { key, value, why: why(), second })
            }
            27 => {
                let transfer = Transfer { number: 1, amount: cents(100), purpose: TransferPurpose::Returned { seat } };
                let cluster = ClusterId { table: TableId(77), number: 0 };
                (Actor::System, HouseCommand::Receive { cluster, transfer })
            }
            28 => (Actor::Person(Self::stranger()), HouseCommand::RedeemAtCage { hash: wrong }),
            29 => (Actor::System, HouseCommand::Found { people: Vec::new() }),
            30 => (Actor::System, HouseCommand::Unlock { person: PersonId(SPARE), second: None }),
            _ => return self.bad_seat(seat),
        };
        self.try_house(actor, command)
    }

    /// Money and seats, wrongly.
    fn bad_seat(&mut self, seat: Seat) -> CheckResult {
        let terminal = self.terminal(seat);
        let cents = Money::from_cents;
        let second = Some(person(SUPERVISOR));
        let buy_in = |seat, amount| ClusterCommand::BuyIn { seat, amount, second };
        let (actor, command) = match self.random.below(22) {
            0 => (by(CASHIER), buy_in(Seat(999), cents(1_000))),
            1 => (by(CASHIER), buy_in(seat, cents(0))),
            2 => (by(CASHIER), buy_in(seat, Money::MAX)),
            3 => (by(AUDITOR), buy_in(seat, cents(1_000))),
            4 => (terminal, ClusterCommand::CashOut { seat, to: CashOut::HandPay }),
            5 => {
                // A number that was used before: the House opens a claim instead.
                let used = self.some_voucher().map(|hash| VoucherNumber { hash, digits: 1 });
                let number = used.unwrap_or_else(|| self.new_voucher());
                (terminal, ClusterCommand::CashOut { seat, to: CashOut::Voucher(number) })
            }
            6 => (by(ATTENDANT), ClusterCommand::CashOut { seat, to: CashOut::HandPay }),
            7 => (by(ATTENDANT), ClusterCommand::ClearLock { seat }),
            8 => (self.dealer(), ClusterCommand::WalkAway { seat: Seat(999) }),
            9 => (by(DEALER), ClusterCommand::RedeemColour { seat }),
            10 => {
                (by(DEALER), ClusterCommand::IssueColour { seat, colour: 1, value: cents(0), chips: 1, second: None })
            }
            11 => {
                (by(DEALER), ClusterCommand::IssueColour { seat, colour: 1, value: cents(500), chips: 0, second: None })
            }
            12 => (Actor::System, ClusterCommand::Lost { seat: Seat(999) }),
            13 => {
                (by(DEALER), ClusterCommand::IssueColour { seat, colour: 2, value: cents(500), chips: 1, second: None })
            }
            14 => {
                let purpose = TransferPurpose::Returned { seat };
                let number = self.cluster().received() + 1;
                let transfer = Transfer { number, amount: cents(100), purpose };
                (Actor::System, ClusterCommand::Receive { transfer })
            }
            15 => (terminal, buy_in(seat, cents(1_000))),
            16 => (self.acceptor(seat), ClusterCommand::AcceptNote { seat: Seat(seat.0 + 1), amount: cents(1_000) }),
            17 => {
                let acceptor = DeviceId(987_654);
                (by(CASHIER), ClusterCommand::EmptyStacker { acceptor, notes: 1, amount: cents(1_000) })
            }
            18 => {
                let kind = DeviceKind::NoteAcceptor { cluster: self.at, seat };
                let enrol = HouseCommand::Enrol { device: TUMBLER, kind, second: Some(person(SUPERVISOR)) };
                return self.try_house(by(ADMINISTRATOR), enrol);
            }
            19 => {
                let (receipt, why) = (Receipt(self.random.small(3)), "the wrong seat".to_owned());
                (by(CASHIER), ClusterCommand::ReverseBuyIn { seat, receipt, why, second })
            }
            20 => (terminal, ClusterCommand::Read { seat, message: 0 }),
            _ => (by(DEALER), ClusterCommand::Leave { seat }),
        };
        self.try_cluster(actor, command)
    }
}
