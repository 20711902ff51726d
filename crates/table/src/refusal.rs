//! Refusals: the normal reply to a command that is not allowed. One closed list in order of precedence: the id, the
//! right to act, the machine and its messages, the phase, the layout, limits, credits; then what only the House knows.
//! Each has a stable code, a sentence for people, and the rule of the game behind it where there is one.

use serde::{Deserialize, Serialize};
use taisai_rules::{Game, Paragraph, Rule};

macro_rules! refusals {
    ($($name:ident, $code:literal, $rule:expr, $sentence:literal;)*) => {
        /// Why a command was not carried out. Where several reasons hold, the first in this list is the answer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Refusal {
            $(#[doc = $sentence] #[serde(rename = $code)] $name,)*
        }

        impl Refusal {
            /// Every refusal, in order of precedence.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The refusal's stable code.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// A sentence for people.
            pub const fn sentence(self) -> &'static str {
                match self { $(Self::$name => $sentence,)* }
            }

            /// The rule of the game that it rests on, where it is one of the game's.
            pub const fn rule(self) -> Option<Rule> {
                match self { $(Self::$name => $rule,)* }
            }
        }
    };
}

refusals! {
    // The id.
    CommandIdReused, "command-id-reused", None, "The same command id was used for something else.";
    CommandTooOld, "command-too-old", None, "The command id is older than those remembered.";

    // The right to ask.
    NotAllowed, "not-allowed", None, "This person or device may not do that.";
    SecondPersonMissing, "second-person-missing", None, "A second person has to approve this.";
    SecondPersonNotAllowed, "second-person-not-allowed", None, "The second person must be another one, with the right to approve.";
    NotActing, "not-acting", None, "The person does not hold that position at this table now.";

    // The machine and its messages.
    TrainingMixed, "training-mixed", None, "Training and real money never mix.";
    OutOfOrder, "out-of-order", None, "The notice or transfer is not the next one.";

    OtherRegistration, "other-registration", None, "This table registers its bets the other way: every bet before the close, or what wins after the dice.";

    // The phase.
    TableNotOpen, "table-not-open", None, "The table is not open.";
    TableClosing, "table-closing", None, "The table is about to close: no more Colour Chips are issued.";
    TableOpen, "table-open", None, "The table is open already.";
    RulesNotInForce, "rules-not-in-force", None, "The rules of this table are not in force.";
    LimitsNotShown, "limits-not-shown", Some(Rule::LimitsShown), "A minimum and a maximum for every box, and the Differential where the game has one, must be on display first.";
    Held, "held", None, "Play is held after a restart until the Dealer continues or reports an interruption.";
    NotHeld, "not-held", None, "Nothing waits for this decision.";
    RoundInPlay, "round-in-play", None, "A round is in play.";
    NoRoundOpen, "no-round-open", Some(Rule::Open), "No round is open for bets.";
    BetsClosed, "bets-closed", Some(Rule::Closed), "No more bets: nothing is placed, increased or withdrawn.";
    BetsNotClosed, "bets-not-closed", Some(Rule::Closed), "Bets are not closed yet.";
    NotDue, "not-due", None, "It is not time for that yet.";
    AlreadyTumbled, "already-tumbled", Some(Rule::Tumble), "The dice of this round have been tumbled already.";
    NotTumbled, "not-tumbled", Some(Rule::Tumble), "The dice have not been tumbled, or fewer than three times.";
    DiceConcealed, "dice-concealed", Some(Rule::Concealed), "The dice are concealed until \"No more Bets\": what they show is not taken.";
    KnownDiceDiffer, "known-dice-differ", Some(Rule::Concluded), "These faces contradict the dice known at the interruption.";
    ReadByTumbler, "read-by-tumbler", Some(Rule::Result), "The tumbler has read the dice: commit what they show, and a difference is recorded.";
    DiceNotKnown, "dice-not-known", Some(Rule::Result), "The three dice do not all lie flat, or were not all read.";
    ResultCommitted, "result-committed", None, "The result is committed: only a correction changes it.";
    NotThrown, "not-thrown", Some(Rule::Result), "The dice of this round are not committed yet: what wins is registered after them.";
    AllRegistered, "all-registered", None, "All that wins is registered already: the round is settled, or about to be.";
    NotInGame, "not-in-game", None, "This game has no such rule.";
    UnknownRound, "unknown-round", None, "There is no such round.";
    TooManyRounds, "too-many-rounds", None, "One act voids at most 10,000 rounds.";
    RoundNotSettled, "round-not-settled", None, "The round has not been settled.";
    RoundVoid, "round-void", Some(Rule::Ruling), "The round is void: only a ruling changes it.";
    RuledOn, "ruled-on", Some(Rule::Ruling), "A ruling has decided this round: only another ruling changes it.";
    NotWitnessed, "not-witnessed", Some(Rule::Ruling), "A ruling must be witnessed by a second person first.";
    NothingToWitness, "nothing-to-witness", Some(Rule::Ruling), "No ruling on this round waits for a witness.";
    CorrectionTooLate, "correction-too-late", Some(Rule::Ruling), "The next round has opened, or the table is shut: only a ruling corrects the round now.";
    RoundStands, "round-stands", Some(Rule::PreviousStand), "The irregularity voids the current round only: earlier rounds stand.";
    SameDice, "same-dice", Some(Rule::WrongResult), "These dice are the registered ones.";
    SlipDiffers, "slip-differs", None, "The slip passed in is not that of the round.";
    OutcomeEstablished, "outcome-established", Some(Rule::Concluded), "An outcome is established: the round is concluded.";
    DiceDamaged, "dice-damaged", Some(Rule::DamagedDice), "This dice set was found damaged: it opens no round until two people have inspected it.";
    NotCleared, "not-cleared", None, "Chips or credits must be redeemed first.";
    ClosureNotAnnounced, "closure-not-announced", None, "The closing of the table must be announced before its last round.";

    // The layout.
    UnknownSeat, "unknown-seat", None, "There is no such seat.";
    TerminalLost, "terminal-lost", Some(Rule::TerminalDown), "The terminal has lost its connection.";
    SeatLocked, "seat-locked", None, "The seat is locked until an attendant clears it.";
    NoSession, "no-session", None, "Nobody plays at that seat.";
    NoBets, "no-bets", None, "There is no bet in the command.";
    BoxTwice, "box-twice", None, "A box stands in the command twice.";
    BoxNotOnLayout, "box-not-on-layout", None, "The box is not on this layout.";
    NoSuchBet, "no-such-bet", None, "There is no such bet, or less than is withdrawn.";
    NotOnPayList, "not-on-pay-list", None, "No chips are given to that seat: it has no bet in the round, or its player has walked away and a claim is kept.";
    GivenStands, "given-stands", None, "What was given stands: the player has left, or a correction has moved the rest to the House.";
    AlreadyRegistered, "already-registered", Some(Rule::Settle), "The bet was registered after the dice: it is not registered from the film again.";
    LosingBox, "losing-box", Some(Rule::Settle), "The box loses, and its total is not over its maximum or Differential: it is collected and not registered.";
    NothingToRepeat, "nothing-to-repeat", None, "There was no bet in the last round to repeat.";
    UnknownBuyIn, "unknown-buy-in", None, "The session has no buy-in under that receipt, or it was reversed.";
    NothingToRead, "nothing-to-read", None, "There is no such message, or it was read.";

    // Limits.
    BadAmount, "bad-amount", None, "The amount must be above zero.";
    NoteNotTaken, "note-not-taken", None, "This note is not accepted: the profile lists those that are.";
    AmountTooLarge, "amount-too-large", None, "The amount is too large to be counted.";
    AmountOffUnit, "amount-off-unit", None, "The amount is not a whole multiple of the unit, or of the chip's value.";
    BelowMinimum, "below-minimum", Some(Rule::LimitsShown), "The bet would be below the minimum.";
    OverLimit, "over-limit", Some(Rule::LimitsShown), "The bet would be over the maximum.";
    OverDifferential, "over-differential", Some(Rule::LimitsShown), "The bet would be over the Differential.";
    NotBelowMinimum, "not-below-minimum", Some(Rule::Advice), "The total on the box is not below its minimum.";
    OppositeNotTold, "opposite-not-told", Some(Rule::Differential), "A total exceeds the Differential: announce the total of the opposite box first.";
    TotalDiffers, "total-differs", Some(Rule::Position), "What is registered on a box differs from the announced total.";
    NoExcess, "no-excess", Some(Rule::Excess), "Nothing is over its limit.";
    BadLimits, "bad-limits", None, "The limits contradict each other, the game or the unit.";

    // Credits.
    NotEnoughCredits, "not-enough-credits", None, "There are not enough credits.";
    ColourInUse, "colour-in-use", Some(Rule::ColourChips), "That colour is with another player, or no set is with this one.";

    // What people write.
    BadText, "bad-text", None, "A text is empty, too long, or has characters that cannot be read.";

    // The House.
    UnknownPerson, "unknown-person", None, "There is no such person, or not any more.";
    PersonExists, "person-exists", None, "That person is known already.";
    RolesConflict, "roles-conflict", None, "An Administrator or an Auditor holds no role of money or results.";
    NobodyToManage, "nobody-to-manage", None, "Nobody among the first people could manage people.";
    LockedOut, "locked-out", None, "Locked after too many failed attempts.";
    UnknownDevice, "unknown-device", None, "There is no such device, or it is revoked.";
    DeviceExists, "device-exists", None, "That device is enrolled already.";
    UnknownTable, "unknown-table", None, "There is no such table.";
    TableExists, "table-exists", None, "That table is known already.";
    VoucherNotOnFile, "voucher-not-on-file", None, "The voucher is not on file.";
    VoucherPaid, "voucher-paid", None, "The voucher was paid.";
    VoucherVoid, "voucher-void", None, "The voucher was voided.";
    VoucherReplaced, "voucher-replaced", None, "The voucher was issued anew: this number is dead.";
    VoucherExpired, "voucher-expired", None, "The voucher has expired.";
    VoucherGood, "voucher-good", None, "The voucher has not expired.";
    VoucherConfirmed, "voucher-confirmed", None, "The voucher was confirmed, or is not the seat's newest: two people can have it issued anew.";
    VoucherNumberUsed, "voucher-number-used", None, "A voucher with that number was issued before.";
    OverHouseLimit, "over-house-limit", None, "The amount is above what the House pays this way.";
    UnknownClaim, "unknown-claim", None, "There is no such claim, or it is closed.";
    ClaimTaken, "claim-taken", None, "An attendant has the claim.";
    OwnClaim, "own-claim", None, "The person who had a claim opened may not pay it: another person must.";
    UnknownReceivable, "unknown-receivable", None, "There is no such receivable, or it is closed.";
    MoreThanOwed, "more-than-owed", None, "The amount is more than is owed.";
    UnknownApproval, "unknown-approval", None, "There is no such approval to answer.";
    TooManyApprovals, "too-many-approvals", None, "Too many approvals of this person are open.";
    UnknownEvent, "unknown-event", None, "There is no such event, or somebody has acknowledged it.";
}

impl Refusal {
    /// The paragraphs to cite in a game.
    pub fn paragraphs(self, game: &Game) -> &[Paragraph] {
        self.rule().map_or(&[], |rule| game.paragraphs(rule))
    }
}
