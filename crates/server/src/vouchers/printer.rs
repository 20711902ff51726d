//! Prints vouchers. Once the House has a voucher on file, the reply to the command that issued it contains its number, barcode and
//! page; a repeated command gets a reply without them. A refused voucher is answered with what the House has on file of it (F41).

use std::time::Duration;

use jiff::tz::TimeZone;
use serde::Serialize;
use taisai_engine::VoucherFate;
use taisai_journal::Keys;
use taisai_table::{ClaimId, House, Profile, VoucherHash, VoucherSerial};

use super::number::{Validation, VoucherKey};
use super::on_file::{EarlierVoucher, OnFile, detail};
use super::page::page;
use super::ticket::{Ticket, Voucher};
use super::words::Currency;
use crate::http::denied::Denied;
use crate::http::reply::CommandReply;
use crate::server::{Property, Server};

/// The transfer of a cash-out reaches the House long before that.
const ISSUE_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) struct Printer {
    pub(crate) key: VoucherKey,
    zone: TimeZone,
    currency: Currency,
}

/// What came of a command that issues a voucher, or that was about one when it was sent before.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Issued {
    /// It is printed.
    Voucher {
        /// What is on it.
        #[cfg_attr(test, schema(inline))]
        voucher: Box<Voucher>,
        /// The page to print, HTML.
        page: String,
    },
    /// It could not be issued: an attendant pays the amount by hand (F43).
    Claim {
        /// The claim.
        claim: ClaimId,
        /// The amount, whole cents.
        amount: i64,
    },
    /// Play money: nobody is owed (F44).
    PlayMoney {},
    /// It was issued, and is paid, void, replaced or expired by now.
    Closed {},
    /// The command was carried out when it was sent before. A number was shown then, and is never shown again (F42).
    OnFile {
        /// What is on file of it; none where it is no voucher, or on its way.
        voucher: Option<OnFile>,
    },
}

impl Printer {
    pub(crate) fn new(keys: &Keys, profile: &Profile) -> Self {
        let zone = TimeZone::get(&profile.time_zone).unwrap_or(TimeZone::UTC);
        Self { key: VoucherKey(keys.voucher), zone, currency: Currency::DOLLARS }
    }
}

/// The reply to an accepted command that issues a voucher with this number.
pub(crate) async fn issued(server: &Server, validation: Validation) -> Result<CommandReply, Denied> {
    let hash = validation.voucher_number(&server.vouchers.key).hash;
    let house = server.node.house();
    let became = tokio::time::timeout(ISSUE_TIMEOUT, house.voucher(hash)).await.map_err(|_| Denied::TooSlow)??;
    let issued = match became {
        VoucherFate::Voucher(on_file) => {
            let Printer { zone, currency, .. } = &server.vouchers;
            let place = Property { name: server.name().await?, ..server.place.clone() };
            let ticket = Ticket { place: &place, zone, currency: *currency, validation, on_file: &on_file };
            match Voucher::of(ticket) {
                Some(voucher) => Issued::Voucher { page: page(&voucher), voucher: Box::new(voucher) },
                None => Issued::Closed {},
            }
        }
        VoucherFate::Claim { claim, amount } => Issued::Claim { claim, amount: amount.cents() },
        VoucherFate::PlayMoney => Issued::PlayMoney {},
    };
    Ok(CommandReply::with(&issued))
}

/// The reply to a repeated command that issues a voucher: never with a number.
pub(crate) async fn issued_before(server: &Server, earlier: EarlierVoucher) -> Result<CommandReply, Denied> {
    let now = server.clock.now();
    let voucher = server.node.house().read(move |house| earlier.on_file(house, now)).await?;
    Ok(CommandReply::with(&Issued::OnFile { voucher }))
}

/// The reply to a command that replaces a voucher; if refused, with what became of the old one.
pub(crate) async fn reissued(
    server: &Server,
    (serial, validation): (VoucherSerial, Validation),
    answer: CommandReply,
) -> Result<CommandReply, Denied> {
    match answer {
        CommandReply::Accepted(Some(_)) => issued(server, validation).await,
        CommandReply::Accepted(None) => issued_before(server, EarlierVoucher::Reissue(serial)).await,
        CommandReply::Refused(_) => {
            let found = move |house: &House| house.voucher_with(serial).map(|(hash, _)| hash);
            match server.node.house().read(found).await? {
                Some(hash) => presented(server, hash, answer).await,
                None => Ok(answer),
            }
        }
    }
}

/// The reply about a presented voucher. Refusals and repetitions include what the House has on file, so that a cashier who missed
/// the first reply reads how much was paid.
pub(crate) async fn presented(
    server: &Server,
    hash: VoucherHash,
    answer: CommandReply,
) -> Result<CommandReply, Denied> {
    if let CommandReply::Accepted(Some(_)) = answer {
        return Ok(answer);
    }
    let now = server.clock.now();
    let voucher = server.node.house().read(move |house| detail(house, hash, now)).await?;
    Ok(match answer {
        CommandReply::Accepted(_) => CommandReply::with(&Issued::OnFile { voucher }),
        CommandReply::Refused(mut refused) => {
            refused.detail =
                voucher.map(|voucher| serde_json::to_value(voucher).expect("a voucher can be written down"));
            CommandReply::Refused(refused)
        }
    })
}
