//! The content of a printed voucher (F40). It is only in the reply to the command that issued it (F42).

use std::fmt;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;
use taisai_rules::Money;
use taisai_table::{Time, VoucherOrigin, VoucherSerial, VoucherState};

use super::barcode;
use super::number::Validation;
use super::words::{Currency, Words};
use crate::server::Property;

#[derive(Clone, Copy)]
pub(crate) struct Ticket<'a> {
    pub(crate) place: &'a Property,
    /// The time zone of the profile.
    pub(crate) zone: &'a TimeZone,
    pub(crate) currency: Currency,
    pub(crate) validation: Validation,
    pub(crate) on_file: &'a taisai_table::Voucher,
}

/// A voucher, to be printed.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub(crate) struct Voucher {
    /// The property.
    pub(crate) property: String,
    /// Where it was issued, for programs.
    pub(crate) origin: VoucherOrigin,
    /// Where it was issued, for people.
    pub(crate) issued_at: String,
    /// When it was issued: milliseconds since 1970, UTC.
    pub(crate) issued: Time,
    /// The day, in the property's time.
    pub(crate) date: String,
    /// The time of that day.
    pub(crate) time: String,
    /// From when it is no longer good: milliseconds since 1970, UTC.
    pub(crate) expires: Time,
    /// The same for people, in the property's time.
    pub(crate) good_until: String,
    /// Whole cents.
    pub(crate) amount: Money,
    /// The amount in figures.
    pub(crate) figures: String,
    /// The amount in words.
    pub(crate) words: Words,
    /// Its serial number, which rises with every voucher of the casino.
    pub(crate) sequence: String,
    /// The same for programs.
    pub(crate) serial: VoucherSerial,
    /// The validation number, in groups.
    pub(crate) validation: String,
    /// The same as a barcode, SVG.
    pub(crate) barcode: String,
    /// For training: it is void and never redeems (F44).
    pub(crate) is_training: bool,
    /// Whether every table of the casino plays the approved game of its name: a voucher is the casino's, not a table's.
    pub(crate) is_game_approved: bool,
}

impl Voucher {
    /// The voucher; none if it was paid, is void, was replaced or has expired.
    pub(crate) fn of(ticket: Ticket<'_>) -> Option<Self> {
        let Ticket { place, zone, currency, validation, on_file } = ticket;
        let is_play = match on_file.state {
            VoucherState::Good => false,
            VoucherState::Play => true,
            VoucherState::Expired
            | VoucherState::Paid { .. }
            | VoucherState::Void { .. }
            | VoucherState::Replaced { .. } => return None,
        };
        let readable = validation.grouped();
        let in_words = |time, form| in_zone(time, zone, form);
        Some(Self {
            property: place.name.clone(),
            origin: on_file.origin,
            issued_at: issued_at(on_file.origin),
            issued: on_file.issued,
            date: in_words(on_file.issued, "%Y-%m-%d"),
            time: in_words(on_file.issued, "%H:%M:%S"),
            expires: on_file.expires,
            good_until: in_words(on_file.expires, "%Y-%m-%d %H:%M"),
            amount: on_file.amount,
            figures: format!("{}{}", currency.sign, on_file.amount),
            words: Words::of(on_file.amount, currency),
            sequence: on_file.serial.0.to_string(),
            serial: on_file.serial,
            barcode: barcode::svg(&validation.digits(), &readable),
            validation: readable,
            is_training: place.is_training || is_play,
            is_game_approved: place.is_game_approved,
        })
    }
}

/// Keeps the number out of logs.
impl fmt::Debug for Voucher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Voucher")
            .field("sequence", &self.sequence)
            .field("amount", &self.amount)
            .finish_non_exhaustive()
    }
}

fn issued_at(origin: VoucherOrigin) -> String {
    match origin {
        VoucherOrigin::Cage(person) => format!("Cage, cashier {}", person.0),
        VoucherOrigin::Seat { cluster, seat, .. } if cluster.number == 0 => {
            format!("Table {}, terminal {}", cluster.table.0, seat.0)
        }
        VoucherOrigin::Seat { cluster, seat, .. } => {
            format!("Table {}, group {}, terminal {}", cluster.table.0, cluster.number, seat.0)
        }
    }
}

/// A time in the property's zone. Times beyond the calendar, of vouchers that never expire, have no date.
pub(super) fn in_zone(time: Time, zone: &TimeZone, form: &str) -> String {
    let moment = i64::try_from(time.0).ok().and_then(|millis| Timestamp::from_millisecond(millis).ok());
    moment.map_or_else(|| "no date".to_owned(), |moment| moment.to_zoned(zone.clone()).strftime(form).to_string())
}

#[cfg(test)]
pub(super) mod tests {
    use taisai_table::{
        Actor, CommandId, CommandRequest, Decision, Entry, House, HouseCommand, Person, PersonId, Profile, Role, Roles,
        VoucherHash,
    };

    use super::super::VoucherKey;
    use super::*;

    pub(crate) const KEY: VoucherKey = VoucherKey([3; 32]);
    const ID: CommandId = CommandId { source: 1_763_273_000_000, sequence: 4 };

    fn number() -> Validation {
        Validation::parse("314159265358979323").unwrap()
    }

    /// 06:03:20 UTC on 16 November 2025: the afternoon in Singapore.
    pub(crate) const TIME: Time = Time(1_763_273_000_000);

    pub(crate) fn place(name: &str, is_training: bool) -> Property {
        let (house, version) = ([7; 16], "0.1.0".to_owned());
        Property { name: name.to_owned(), house, is_training, is_game_approved: true, version }
    }

    pub(crate) fn ask(
        house: &mut House,
        actor: Actor,
        id: CommandId,
        command: HouseCommand,
    ) -> Decision<taisai_table::HouseEvent> {
        let request = CommandRequest { time: TIME, actor, id, command };
        let decision = house.decide(&request);
        if let Some(outcome) = match &decision {
            Decision::Accepted(event) => Some(Ok(event.clone())),
            Decision::Refused(refusal) => Some(Err(*refusal)),
            Decision::Repeated(_) => None,
        } {
            house.apply(&Entry { request, outcome });
        }
        decision
    }

    pub(crate) fn cashier() -> Actor {
        Actor::Person(Person { id: PersonId(8), roles: Roles::of(&[Role::Cashier]) })
    }

    /// A House whose cashier has sold one voucher.
    pub(crate) fn sold(amount: i64) -> (House, VoucherHash) {
        let mut house = House::new(Profile::singapore(), false);
        let founder = |id, role| taisai_table::Founder {
            person: PersonId(id),
            name: format!("person {id}"),
            roles: Roles::of(&[role]),
        };
        let people = vec![founder(1, Role::Administrator), founder(2, Role::PitManager), founder(8, Role::Cashier)];
        let found =
            ask(&mut house, Actor::System, CommandId { source: 0, sequence: 1 }, HouseCommand::Found { people });
        assert!(matches!(found, Decision::Accepted(_)), "{found:?}");
        let number = number().voucher_number(&KEY);
        let sell = HouseCommand::SellVoucher { number, amount: Money::from_cents(amount), second: None };
        let decision = ask(&mut house, cashier(), ID, sell);
        assert!(matches!(decision, Decision::Accepted(_)), "{decision:?}");
        (house, number.hash)
    }

    pub(crate) fn test_voucher(place: &Property) -> Voucher {
        let (house, hash) = sold(123_450);
        let zone = TimeZone::get("Asia/Singapore").unwrap();
        let on_file = house.voucher(hash).unwrap();
        let validation = number();
        Voucher::of(Ticket { place, zone: &zone, currency: Currency::DOLLARS, validation, on_file }).unwrap()
    }

    #[test]
    fn a_voucher_shows_what_f40_asks_for() {
        let voucher = test_voucher(&place("Marina", false));
        assert_eq!(voucher.property, "Marina");
        assert_eq!(voucher.issued_at, "Cage, cashier 8");
        assert_eq!((&*voucher.date, &*voucher.time), ("2025-11-16", "14:03:20"));
        assert_eq!(voucher.good_until, "2025-12-16 14:03");
        assert_eq!(voucher.figures, "$1,234.50");
        assert_eq!(voucher.words.english, "One thousand two hundred and thirty-four dollars and fifty cents");
        assert_eq!(voucher.words.simplified, "壹仟贰佰叁拾肆元伍角整");
        assert_eq!(voucher.words.traditional, "壹仟貳佰參拾肆元伍角整");
        assert_eq!(voucher.sequence, "1");
        assert_eq!(Validation::parse(&voucher.validation), Ok(number()));
        assert!(voucher.barcode.contains(&voucher.validation));
        assert!(!voucher.is_training && test_voucher(&place("Marina", true)).is_training);
        let other = Property { is_game_approved: false, ..place("Marina", false) };
        assert!(voucher.is_game_approved && !test_voucher(&other).is_game_approved);
        let log = format!("{voucher:?}");
        assert!(!log.contains(&voucher.validation), "{log}");
    }

    #[test]
    fn a_voucher_that_was_paid_is_not_shown_again() {
        let (mut house, hash) = sold(5_000);
        let id = CommandId { source: ID.source, sequence: 5 };
        let paid = ask(&mut house, cashier(), id, HouseCommand::RedeemAtCage { hash });
        assert!(matches!(paid, Decision::Accepted(_)), "{paid:?}");
        let ticket = Ticket {
            place: &place("Marina", false),
            zone: &TimeZone::UTC,
            currency: Currency::DOLLARS,
            validation: number(),
            on_file: house.voucher(hash).unwrap(),
        };
        assert_eq!(Voucher::of(ticket), None);
    }

    #[test]
    fn a_moment_beyond_the_calendar_has_no_date() {
        assert_eq!(in_zone(Time(u64::MAX), &TimeZone::UTC, "%Y"), "no date");
        assert_eq!(in_zone(Time(0), &TimeZone::UTC, "%Y-%m-%d"), "1970-01-01");
    }
}
