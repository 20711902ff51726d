//! A profile's file becomes a checked [`Profile`], or a list of all its faults. `profiles/singapore.toml` is the example.

use taisai_datafile::{FileFault, FileFaultKind, TomlReader, TomlTable, TomlValue, cite};
use taisai_rules::Money;

use crate::identity::{Role, Roles};
use crate::profile::{Act, BetsCloser, ExcessPolicy, Law, Profile, Right, Shift};

/// The largest amount a profile may set, in cents.
const MAX_CENTS: u32 = 4_000_000_000;

impl Profile {
    /// Reads a profile's file, or names every fault in it.
    pub fn from_toml(text: &str) -> Result<Self, Vec<FileFault>> {
        let (mut reader, document) = TomlReader::parse(text);
        let root = TomlTable::new(document.span(), document.get_ref());
        let profile = read(&mut reader, root);
        let faults = reader.finish();
        match profile {
            Some(profile) if faults.is_empty() => Ok(profile),
            _ => Err(faults),
        }
    }
}

fn read<'t>(reader: &mut TomlReader<'t>, mut root: TomlTable<'_, 't>) -> Option<Profile> {
    let name = root.string(reader, "name");
    let time_zone = root.required(reader, "time_zone").and_then(|value| zone(reader, value));
    let gaming_day = root.required(reader, "gaming_day").and_then(|value| clock(reader, value));
    let shifts = root.required(reader, "shifts").map(|value| read_shifts(reader, value));
    let betting = root.section(reader, "betting").and_then(|mut table| {
        let seconds = table.required(reader, "seconds").and_then(|value| reader.integer(value, 5..=3_600));
        let closes = table.choice(reader, "closes", &[("dealer", BetsCloser::Dealer), ("tick", BetsCloser::Tick)]);
        let excess = table.choice(reader, "excess", &[("refuse", ExcessPolicy::Refuse), ("show", ExcessPolicy::Show)]);
        table.finish(reader);
        Some((seconds?, closes?, excess?))
    });
    let money = root.section(reader, "money").and_then(|mut table| {
        let mut cents = |key| {
            let value = table.required(reader, key)?;
            reader.integer(value, 1..=MAX_CENTS).map(|cents| Money::from_cents(cents.into()))
        };
        let (large_win, vouchers, by_hand) = (cents("large_win"), cents("voucher_limit"), cents("hand_pay_limit"));
        let (buy_in, registration, sale) = (cents("buy_in_limit"), cents("registration_limit"), cents("sale_limit"));
        let days = table.required(reader, "voucher_days").and_then(|value| reader.integer(value, 1..=3_650));
        let notes = table.optional("notes").map_or_else(|| Some(Vec::new()), |value| read_notes(reader, value));
        table.finish(reader);
        Some((large_win?, vouchers?, by_hand?, days?, notes?, buy_in?, sale?, registration?))
    });
    let attempts = root.section(reader, "security").and_then(|mut table| {
        let attempts = table.required(reader, "attempts").and_then(|value| reader.integer(value, 1..=100));
        table.finish(reader);
        u8::try_from(attempts?).ok()
    });
    let players = root.section(reader, "players").and_then(|mut table| {
        let minutes = table.required(reader, "reality_check").and_then(|value| reader.integer(value, 1..=1_440));
        table.finish(reader);
        minutes
    });
    let clusters = root.section(reader, "clusters").and_then(|mut table| {
        let seconds = table.required(reader, "silent").and_then(|value| reader.integer(value, 1..=3_600));
        table.finish(reader);
        seconds
    });
    let law = root.section(reader, "law").and_then(|mut table| {
        let takes_back = table.choice(reader, "winnings", &[("taken-back", true), ("kept", false)]);
        let notice = table.string(reader, "notice");
        let mut cited = |key| table.string(reader, key);
        let (malfunction, force_majeure, offence) =
            (cited("malfunction"), cited("force_majeure"), cited("suspected_offence"));
        table.finish(reader);
        Some(Law {
            takes_back: takes_back?,
            notice: notice?,
            malfunction: malfunction?,
            force_majeure: force_majeure?,
            suspected_offence: offence?,
        })
    });
    let rights = root.section(reader, "rights").and_then(|table| read_rights(reader, table));
    root.finish(reader);
    let (betting, money) = (betting?, money?);
    Some(Profile {
        name: name?,
        betting_seconds: betting.0,
        closes: betting.1,
        excess: betting.2,
        large_win: money.0,
        voucher_limit: money.1,
        voucher_days: money.3,
        buy_in_limit: money.5,
        registration_limit: money.7,
        sale_limit: money.6,
        hand_pay_limit: money.2,
        notes: money.4,
        attempts: attempts?,
        reality_check_minutes: players?,
        silent_seconds: clusters?,
        law: law?,
        time_zone: time_zone?,
        gaming_day: gaming_day?,
        shifts: shifts??,
        rights: rights?,
    })
}

/// Notes, by what they are worth.
fn read_notes<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<Vec<Money>> {
    let mut notes: Vec<Money> = Vec::new();
    for value in reader.array(value)? {
        let note = reader.integer(value, 1..=MAX_CENTS).map(|cents| Money::from_cents(cents.into()))?;
        if notes.last().is_some_and(|last| *last >= note) {
            reader.fault(value.span(), FileFaultKind::BadValue, "notes are named once each, the least first");
        }
        notes.push(note);
    }
    Some(notes)
}

/// A time of day, in minutes after midnight.
fn clock<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<u16> {
    let text = reader.string(value)?;
    let is_two_digits = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
    let part = |text: &str, end: u16| text.parse::<u16>().ok().filter(|number| is_two_digits(text) && *number < end);
    let time = text.split_once(':').and_then(|(hour, minute)| Some(part(hour, 24)? * 60 + part(minute, 60)?));
    if time.is_none() {
        let message = format!("{}: a time of day is written like \"06:00\"", cite(text));
        reader.fault(value.span(), FileFaultKind::BadValue, message);
    }
    time
}

fn read_shifts<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<Vec<Shift>> {
    let mut shifts: Vec<Shift> = Vec::new();
    let list = reader.array(value)?;
    for value in list {
        let mut table = reader.table(value)?;
        let name = table.string(reader, "name");
        let begins = table.required(reader, "begins").and_then(|value| clock(reader, value));
        table.finish(reader);
        let (Some(name), Some(begins)) = (name, begins) else { continue };
        if shifts.iter().any(|shift| shift.name == name || shift.begins >= begins) {
            reader.fault(
                value.span(),
                FileFaultKind::BadValue,
                "shifts have different names, and each begins after the last",
            );
        }
        shifts.push(Shift { name, begins });
    }
    if list.is_empty() {
        reader.fault(value.span(), FileFaultKind::BadValue, "a gaming day has at least one shift");
    }
    Some(shifts)
}

fn read_rights<'t>(reader: &mut TomlReader<'t>, mut table: TomlTable<'_, 't>) -> Option<[Right; Act::ALL.len()]> {
    let rights = Act::ALL.map(|act| {
        let mut right = table.section(reader, act.text())?;
        let by = right.required(reader, "by");
        let first = by.and_then(|value| read_roles(reader, value));
        let second = right.optional("with").map(|value| read_roles(reader, value));
        right.finish(reader);
        if let (Some(by), Some(first)) = (by, first) {
            check_right(reader, by.span(), act, first, second.flatten());
        }
        Some(Right { first: first?, second: second.map_or(Some(None), |roles| roles.map(Some))? })
    });
    table.finish(reader);
    let rights = rights.into_iter().collect::<Option<Vec<_>>>()?;
    rights.try_into().ok()
}

/// What no profile can give away: auditors read only and administrators touch neither money nor results (F50), what is over is
/// changed by two people, and a Shift Manager or above rules (5.14).
fn check_right(reader: &mut TomlReader<'_>, at: std::ops::Range<usize>, act: Act, first: Roles, second: Option<Roles>) {
    let of_house = matches!(act, Act::ManagePeople | Act::ManageDevices | Act::Configure);
    let needs_two =
        matches!(act, Act::Correct | Act::VoidDamaged | Act::VoidByLaw | Act::ReverseBuyIn | Act::LargeRegistration);
    let has = |role: Role| first.any(&[role]) || second.is_some_and(|roles| roles.any(&[role]));
    let rules = Roles::of(&[Role::ShiftManager, Role::CasinoManager]);
    let message = if has(Role::Auditor) {
        "an auditor only reads"
    } else if has(Role::Administrator) && !of_house {
        "an administrator touches neither money nor results"
    } else if needs_two && second.is_none() {
        "this takes a second person"
    } else if act == Act::Rule && first.iter().any(|role| !rules.any(&[role])) {
        "only a Shift Manager or above rules"
    } else {
        return;
    };
    reader.fault(at, FileFaultKind::BadValue, format!("{}: {message}", act.text()));
}

/// The name of a time zone: words of letters with a stroke between them, as `Asia/Singapore`, or `UTC`.
fn zone<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<String> {
    const AREAS: [&str; 10] =
        ["Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"];
    let text = reader.string(value)?;
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic() || "_-".contains(c));
    let is_zone =
        text.split_once('/').is_some_and(|(area, city)| AREAS.contains(&area) && city.split('/').all(is_word));
    if is_zone || text == "UTC" {
        return Some(text.to_owned());
    }
    reader.fault(
        value.span(),
        FileFaultKind::BadValue,
        format!("{}: a time zone is like \"Asia/Singapore\"", cite(text)),
    );
    None
}

fn read_roles<'t>(reader: &mut TomlReader<'t>, value: &TomlValue<'t>) -> Option<Roles> {
    let list = reader.array(value)?;
    let mut roles = Vec::new();
    for value in list {
        let text = reader.string(value)?;
        match Role::ALL.into_iter().find(|role| role.text() == text) {
            Some(role) => roles.push(role),
            None => {
                reader.fault(value.span(), FileFaultKind::BadValue, format!("{}: there is no such role", cite(text)));
            }
        }
    }
    if list.is_empty() {
        reader.fault(value.span(), FileFaultKind::BadValue, "at least one role is needed");
    }
    Some(Roles::of(&roles))
}
