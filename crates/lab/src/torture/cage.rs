//! The casino around the table: cashiers, attendants, shift managers, people who join and leave, devices, approvals, and the
//! time that passes.

use taisai::replay::failure::CheckResult;
use taisai::replay::setup::TABLE;
use taisai_rules::Money;
use taisai_table::{
    Act, Actor, ApprovalId, ClaimId, ClaimReason, ClusterId, CommandId, DeviceId, DeviceKind, HouseCommand,
    KeyFingerprint, KeysInUse, Person, PersonId, ReceivableRuling, Redeemer, ReportedEvent, Role, Roles, Seat,
    SecretOwner, SessionId, SignerKey, TableId, Time, Transfer, TransferPurpose, VoucherHash,
};

use super::casino::{
    ADMINISTRATOR, ATTENDANT, CASHIER, MANAGER, SHIFT_MANAGER, SPARE, STRANGER, SUPERVISOR, SimulatedCasino, TUMBLER,
    by, person,
};

const DAY: u64 = 24 * 60 * 60 * 1_000;

/// A table for training that the House has on file.
pub(super) const TRAINING: ClusterId = ClusterId { table: TableId(2), number: 0 };

impl SimulatedCasino<'_> {
    pub(super) fn try_house(&mut self, actor: Actor, command: HouseCommand) -> CheckResult {
        self.ask_house(actor, command)?.ok();
        Ok(())
    }

    pub(super) fn staff_acts(&mut self) -> CheckResult {
        match self.random.below(100) {
            0..=21 => self.pay_a_claim(),
            22..=33 => self.rule_a_receivable(),
            34..=45 => {
                let (number, amount) = (self.new_voucher(), Money::from_cents(self.random.signed(1, 200) * 1_000));
                let amount = if self.random.one_in(20) { Money::from_cents(600_000) } else { amount };
                let second = self.random.percent(50).then(|| person(SUPERVISOR));
                let sold = self.ask_house(by(CASHIER), HouseCommand::SellVoucher { number, amount, second })?;
                if sold.is_ok() {
                    self.keep_voucher(number.hash);
                }
                Ok(())
            }
            46..=59 => self.with_a_voucher(|hash| HouseCommand::RedeemAtCage { hash }, CASHIER),
            60..=63 => {
                let (why, second) = ("torn".to_owned(), Some(person(SUPERVISOR)));
                self.with_a_voucher(|hash| HouseCommand::VoidVoucher { hash, why, second }, CASHIER)
            }
            64..=67 => {
                let why = "the player was ill".to_owned();
                self.with_a_voucher(|hash| HouseCommand::RuleExpired { hash, why }, SHIFT_MANAGER)
            }
            68..=69 => self.clear_locks(),
            70..=71 => self.issue_anew(),
            72..=79 => self.change_people(),
            80..=83 => self.change_devices(),
            84..=89 => self.approvals(),
            90..=92 => self.report_something(),
            93..=94 => self.training_sends(),
            _ => {
                let (key, value, why) = ("lights".to_owned(), self.random.next().to_string(), "dim".to_owned());
                let second = Some(person(MANAGER));
                self.try_house(by(ADMINISTRATOR), HouseCommand::Configure { key, value, why, second })
            }
        }
    }

    /// A cashier confirms a voucher twice, or two people have it reissued.
    fn issue_anew(&mut self) -> CheckResult {
        let Some(hash) = self.some_voucher() else { return Ok(()) };
        let Some(serial) = self.house().voucher(hash).map(|voucher| voucher.serial) else { return Ok(()) };
        if self.random.percent(50) {
            self.try_house(by(CASHIER), HouseCommand::ConfirmVoucher { serial })?;
            return self.try_house(by(CASHIER), HouseCommand::ConfirmVoucher { serial });
        }
        let (number, second) = (self.new_voucher(), Some(person(SUPERVISOR)));
        if self.ask_house(by(CASHIER), HouseCommand::ReissueVoucher { serial, number, ended: None, second })?.is_ok() {
            self.keep_voucher(number.hash);
        }
        Ok(())
    }

    fn pay_a_claim(&mut self) -> CheckResult {
        let oldest = self.house().claims().next().map(|(claim, claimed)| (claim, claimed.amount));
        let Some((claim, amount)) = oldest else { return Ok(()) };
        let is_large = amount > self.setup.profile.hand_pay_limit && self.random.percent(80);
        let second = is_large.then(|| person(SUPERVISOR));
        // Whoever had it opened does not pay it.
        let payer = self.random.pick(&[ATTENDANT, CASHIER]);
        if self.random.one_in(4) {
            return self.try_house(by(payer), HouseCommand::TakeClaim { claim });
        }
        self.try_house(by(payer), HouseCommand::PayClaim { claim, second })
    }

    fn rule_a_receivable(&mut self) -> CheckResult {
        let oldest = self.house().receivables().next().map(|(id, owed)| (id, owed.left.cents()));
        let Some((receivable, left)) = oldest else { return Ok(()) };
        let ruling = if self.random.percent(50) {
            let most = if self.random.one_in(6) { left * 2 } else { left };
            ReceivableRuling::Collected { amount: Money::from_cents(self.random.signed(1, most)) }
        } else {
            ReceivableRuling::WrittenOff
        };
        let why = "not seen again".to_owned();
        self.try_house(by(SHIFT_MANAGER), HouseCommand::RuleReceivable { receivable, ruling, why })
    }

    fn with_a_voucher(&mut self, command: impl FnOnce(VoucherHash) -> HouseCommand, id: u32) -> CheckResult {
        let Some(hash) = self.some_voucher() else { return Ok(()) };
        self.try_house(by(id), command(hash))
    }

    pub(super) fn clear_locks(&mut self) -> CheckResult {
        let at_cage = Redeemer::Person(PersonId(CASHIER));
        let seat = self.seat();
        for redeemer in [at_cage, Redeemer::Seat { cluster: self.at, seat }] {
            if self.house().is_redemption_locked(redeemer) {
                self.try_house(by(ATTENDANT), HouseCommand::ClearRedemptionLock { redeemer })?;
            }
        }
        Ok(())
    }

    /// People who are on file for this alone.
    fn change_people(&mut self) -> CheckResult {
        let id = PersonId(SPARE + self.random.small(3));
        let roles = Roles::of(&[self.random.pick(&Role::ALL), self.random.pick(&Role::ALL)]);
        let second = Some(person(MANAGER));
        let command = match self.random.below(12) {
            0..=1 => HouseCommand::AddPerson { person: id, name: format!("Person {}", id.0), roles, second },
            2..=3 => HouseCommand::SetRoles { person: id, roles, second },
            4 => HouseCommand::Suspend { person: id, second },
            5..=6 => HouseCommand::Reinstate { person: id, second },
            7 => HouseCommand::Unlock { person: id, second },
            8 => return self.try_house(Actor::System, HouseCommand::LoginSucceeded { person: id }),
            9 => {
                for _ in 0..6 {
                    self.try_house(Actor::System, HouseCommand::LoginFailed { person: id })?;
                }
                return Ok(());
            }
            _ => return self.try_house(Actor::System, HouseCommand::LoginFailed { person: id }),
        };
        self.try_house(by(ADMINISTRATOR), command)
    }

    /// A secret is set anew or refused, and the keys are replaced.
    fn change_secret(&mut self, owner: SecretOwner) -> CheckResult {
        let version = self.house().secret_version(owner) + 1;
        self.try_house(Actor::System, HouseCommand::ChangeSecret { owner, version })?;
        self.try_house(Actor::System, HouseCommand::Report { what: ReportedEvent::SecretRefused { owner } })?;
        let key = self.random.pick(&[[1; 32], [2; 32]]);
        let keys = KeysInUse { fingerprint: KeyFingerprint(key), signer: SignerKey(key) };
        self.try_house(Actor::System, HouseCommand::UseKeys { keys })
    }

    /// A terminal is stolen and another put in its place; screens come and go; stackers are seen to.
    fn change_devices(&mut self) -> CheckResult {
        let second = Some(person(SUPERVISOR));
        let seat = self.seat();
        let new = DeviceId(self.next_device + 1);
        match self.random.below(6) {
            0 if !self.is_live() => {
                let Some(device) = self.house().terminal_at(self.at, seat) else { return Ok(()) };
                self.try_house(Actor::System, HouseCommand::CopiedToken { device })?;
                self.try_house(by(SUPERVISOR), HouseCommand::Revoke { device })?;
                self.terminal_is_lost(seat)?;
                self.next_device += 1;
                let kind = DeviceKind::Terminal { cluster: self.at, seat };
                self.try_house(by(ADMINISTRATOR), HouseCommand::Enrol { device: new, kind, second })?;
                self.connect(seat)
            }
            1 => {
                let device = self.random.pick(&[TUMBLER, DeviceId(987_654)]);
                self.try_house(Actor::System, HouseCommand::CopiedToken { device })?;
                self.change_secret(SecretOwner::Device(device))
            }
            2 => {
                self.next_device += 1;
                self.try_house(
                    by(ADMINISTRATOR),
                    HouseCommand::Enrol { device: new, kind: DeviceKind::Screen, second },
                )?;
                self.try_house(by(ADMINISTRATOR), HouseCommand::GiveCode { device: new, second })?;
                self.try_house(by(ADMINISTRATOR), HouseCommand::Revoke { device: new })
            }
            _ => self.see_to_a_stacker(),
        }
    }

    fn approvals(&mut self) -> CheckResult {
        let request = || HouseCommand::RequestApproval { act: Act::ManagePeople, what: "a new cashier".to_owned() };
        let open = self.house().approvals().next().map(|(approval, _)| approval);
        match (self.random.below(12), open) {
            (0..=3, _) | (_, None) => self.try_house(by(ADMINISTRATOR), request()),
            (4..=7, Some(approval)) => {
                let approve = self.random.percent(70);
                self.try_house(by(SUPERVISOR), HouseCommand::AnswerApproval { approval, approve })
            }
            (8, Some(approval)) => self.try_house(by(ADMINISTRATOR), HouseCommand::WithdrawApproval { approval }),
            (9, Some(approval)) => {
                let command = CommandId { source: 1, sequence: self.training_sent % 2 };
                self.try_house(Actor::System, HouseCommand::UseApproval { approval, command })
            }
            (10, _) => {
                for _ in 0..=taisai_table::MAX_OPEN_APPROVALS {
                    self.try_house(by(ADMINISTRATOR), request())?;
                }
                Ok(())
            }
            (_, Some(ApprovalId(number))) => {
                let approval = ApprovalId(number + 100);
                self.try_house(by(SUPERVISOR), HouseCommand::AnswerApproval { approval, approve: true })
            }
        }
    }

    /// What the program around the partitions reports; and significant events are seen to.
    fn report_something(&mut self) -> CheckResult {
        let what = self.random.pick(&[
            ReportedEvent::StoreProblem,
            ReportedEvent::TumblerFault { table: TABLE, tumbler: TUMBLER },
            ReportedEvent::TableNotOpened { table: TABLE, cluster: None, block: Some(7) },
        ]);
        self.try_house(Actor::System, HouseCommand::Report { what })?;
        // The newest, one before it that may have been seen to, or one that has not happened.
        let newest = self.house().significant().next_back().map_or(0, |event| event.number);
        let event = newest + 1 - u64::from(self.random.small(3)).min(newest);
        self.try_house(by(SUPERVISOR), HouseCommand::Acknowledge { event })
    }

    /// Play money of the training table arrives, and is owed to nobody.
    fn training_sends(&mut self) -> CheckResult {
        let (seat, session, number) = (Seat(0), SessionId(1), self.training_sent + 1);
        let purpose = match self.random.below(4) {
            0 => TransferPurpose::Voucher { seat, session, number: self.new_voucher() },
            1 => TransferPurpose::Claim { seat, session, reason: ClaimReason::CashOut, by: None },
            2 => TransferPurpose::Returned { seat },
            _ => TransferPurpose::Receivable { seat, session, round: taisai_table::RoundNumber(1), is_waived: false },
        };
        let transfer = Transfer { number, amount: Money::from_cents(5_000), purpose };
        if self.ask_house(Actor::System, HouseCommand::Receive { cluster: TRAINING, transfer })?.is_ok() {
            self.training_sent = number;
            if let TransferPurpose::Voucher { number, .. } = purpose {
                self.keep_voucher(number.hash);
            }
        }
        Ok(())
    }

    /// Time passes: a moment between commands, days between rounds.
    pub(super) fn pass_time(&mut self) -> CheckResult {
        let millis = 20 + self.random.below(400);
        self.time = Time(self.time.0 + millis);
        self.set_clock()
    }

    pub(super) fn pass_days(&mut self) -> CheckResult {
        if self.random.one_in(30) {
            self.time = Time(self.time.0 + DAY + self.random.below(2 * DAY));
            self.set_clock()?;
        }
        Ok(())
    }

    /// How many claims are open, for those who look for one that is not.
    pub(super) fn unknown_claim(&self) -> ClaimId {
        ClaimId(self.house().claims().map(|(claim, _)| claim.0).max().unwrap_or(0) + 1_000_000)
    }

    /// A person who is not on file, with every role claimed.
    pub(super) fn stranger() -> Person {
        Person { id: PersonId(STRANGER), roles: Roles::of(&Role::ALL) }
    }
}
