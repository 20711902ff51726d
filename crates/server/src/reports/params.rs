//! Query parameters of reports: who may ask, which days, events and pages, and the format. A value that cannot be read is denied.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use jiff::civil::Date;
use serde::Deserialize;
use taisai_table::{DeviceId, PersonId, Role, Seat, TableId};

use super::{Calendar, Days, EventFilter, GroupBy};
use crate::auth::SignedIn;
use crate::http::denied::Denied;
use crate::server::SharedServer;

const MAX_EVENT_KINDS: usize = 32;

const DEFAULT_PAGE_EVENTS: usize = 100;

/// An auditor, or a supervisor or manager of the pit.
pub(crate) struct MayRead;

impl TryFrom<SignedIn> for MayRead {
    type Error = Denied;

    fn try_from(signed_in: SignedIn) -> Result<Self, Denied> {
        const READERS: [Role; 5] =
            [Role::Auditor, Role::PitSupervisor, Role::PitManager, Role::ShiftManager, Role::CasinoManager];
        if signed_in.person.roles.any(&READERS) { Ok(Self) } else { Err(Denied::NotForYou) }
    }
}

impl FromRequestParts<SharedServer> for MayRead {
    type Rejection = Denied;

    async fn from_request_parts(parts: &mut Parts, server: &SharedServer) -> Result<Self, Denied> {
        SignedIn::from_request_parts(parts, server).await?.try_into()
    }
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Format {
    Json,
    Csv,
}

/// Days of a report, and how it is written.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct DaysParams {
    /// The first gaming day, like `2027-01-15`, or `today`.
    pub(super) from: Option<String>,
    /// The last.
    pub(super) to: Option<String>,
    #[cfg_attr(test, param(inline))]
    pub(super) format: Option<Format>,
}

/// What results are gathered by.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct ResultsParams {
    /// By what; by table if it is left out.
    #[cfg_attr(test, param(inline))]
    pub(super) by: Option<GroupBy>,
    /// Whether tables that play for training count too.
    pub(super) training: Option<bool>,
    /// The first gaming day, like `2027-01-15`, or `today`.
    pub(super) from: Option<String>,
    /// The last.
    pub(super) to: Option<String>,
    #[cfg_attr(test, param(inline))]
    pub(super) format: Option<Format>,
}

/// Which events.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct EventsParams {
    /// From then on: a gaming day, a time with its offset or in the casino's zone, or milliseconds since 1970.
    pub(super) from: Option<String>,
    /// Until then: to the end of a gaming day, or before a time.
    pub(super) to: Option<String>,
    /// The kind, or several with commas between them.
    kind: Option<String>,
    table: Option<u16>,
    cluster: Option<u16>,
    /// The seat or terminal.
    terminal: Option<u32>,
    device: Option<u32>,
    /// Whoever did it, approved it, or whom it is about.
    person: Option<u32>,
    /// Where the page before has ended.
    after: Option<String>,
    /// At most this many.
    pub(super) limit: Option<usize>,
    /// The newest first.
    newest: Option<bool>,
    #[cfg_attr(test, param(inline))]
    pub(super) format: Option<Format>,
}

/// Which rounds.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams))]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, into_params(parameter_in = Query))]
pub(crate) struct RoundsParams {
    /// Before this round.
    pub(super) before: Option<u64>,
    /// At most this many.
    pub(super) limit: Option<usize>,
}

impl EventsParams {
    /// The filter. Times are read in the casino's calendar.
    pub(super) fn filter(&self, calendar: &Calendar) -> Result<EventFilter, Denied> {
        let moment = |text: Option<&str>, is_end| {
            text.map(|text| calendar.moment(text, is_end).ok_or(Denied::BadRequest)).transpose()
        };
        let kinds: Vec<_> = self.kind.iter().flat_map(|kinds| kinds.split(',')).map(ToOwned::to_owned).collect();
        let is_kind = |kind: &String| kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        if kinds.len() > MAX_EVENT_KINDS || !kinds.iter().all(is_kind) {
            return Err(Denied::BadRequest);
        }
        Ok(EventFilter {
            from: moment(self.from.as_deref(), false)?,
            to: moment(self.to.as_deref(), true)?,
            kinds,
            table: self.table.map(TableId),
            cluster: self.cluster,
            seat: self.terminal.map(Seat),
            device: self.device.map(DeviceId),
            person: self.person.map(PersonId),
            after: self.after.as_deref().map(|place| place.parse().map_err(|_| Denied::BadRequest)).transpose()?,
            is_newest_first: self.newest.unwrap_or(false),
        })
    }
}

/// Parses a range of gaming days; `today` is the current one.
pub(super) fn days(
    from: Option<&str>,
    to: Option<&str>,
    today: impl Fn() -> Result<Date, Denied>,
) -> Result<Days, Denied> {
    // Reject days far from any record.
    let is_near = |day: &Date| (1970..3000).contains(&day.year());
    let day = |text: &str| match text {
        "today" => today(),
        text => text.parse::<Date>().ok().filter(is_near).ok_or(Denied::BadRequest),
    };
    Ok(Days { from: from.map(day).transpose()?, to: to.map(day).transpose()? })
}

pub(super) fn page(limit: Option<usize>, most: usize) -> Result<usize, Denied> {
    let limit = limit.unwrap_or(DEFAULT_PAGE_EVENTS);
    if (1..=most).contains(&limit) { Ok(limit) } else { Err(Denied::BadRequest) }
}

pub(super) fn is_csv(format: Option<Format>, headers: &HeaderMap) -> bool {
    let accepts = || headers.get(header::ACCEPT)?.to_str().ok();
    format.map_or_else(
        || accepts().is_some_and(|accepts| accepts.starts_with("text/csv")),
        |format| format == Format::Csv,
    )
}

#[cfg(test)]
mod tests {
    use axum::extract::Query;

    use super::super::MAX_PAGE_EVENTS;
    use super::*;

    fn read<T: serde::de::DeserializeOwned>(query: &str) -> Result<T, Denied> {
        let read = Query::try_from_uri(&format!("/?{query}").parse().unwrap());
        read.map(|Query(params)| params).map_err(|_| Denied::BadRequest)
    }

    #[test]
    fn what_cannot_be_read_is_denied() {
        let calendar = Calendar::utc();
        let filter = |query: &str| {
            let params: EventsParams = read(query)?;
            page(params.limit, MAX_PAGE_EVENTS)?;
            params.filter(&calendar)
        };
        for good in [
            "",
            "from=2027-01-15&to=2027-01-16&kind=void,correction&table=1&cluster=0&terminal=3&person=5&limit=1000&newest=true",
            "from=2027-01-15T06:00:00%2B08:00&after=1800000000000.table-1.3.0.0&format=csv",
        ] {
            assert!(filter(good).is_ok(), "{good}");
        }
        for bad in [
            "from=tomorrow",
            "to=-1",
            "kind=%00",
            "kind=x'--",
            "table=65536",
            "table=x",
            "terminal=-1",
            "limit=0",
            "limit=1001",
            "limit=99999999999999999999",
            "after=here",
            "newest=maybe",
            "format=pdf",
            "lunch=1",
            "table=1&table=2",
        ] {
            assert_eq!(filter(bad).err(), Some(Denied::BadRequest), "{bad}");
        }
        let many = "void,".repeat(40);
        assert_eq!(filter(&format!("kind={many}void")).err(), Some(Denied::BadRequest));
        for bad in ["9999-12-31", "-009999-01-01", "2027-02-30", "2027-01-15'", ""] {
            let today = || panic!("nobody asks for it");
            assert_eq!(days(Some(bad), None, today), Err(Denied::BadRequest), "{bad}");
        }
        let today: Date = "2027-01-15".parse().unwrap();
        assert_eq!(days(Some("today"), Some("2027-01-16"), || Ok(today)).map(|days| days.from), Ok(Some(today)));
        assert_eq!(
            days(None, Some("today"), || Err(Denied::Internal)),
            Err(Denied::Internal),
            "a casino without a clock"
        );
        assert!(read::<ResultsParams>("by=box&from=2027-01-15&training=false").is_ok());
        assert_eq!(read::<ResultsParams>("by=phase").err(), Some(Denied::BadRequest));
    }

    #[test]
    fn a_spreadsheet_is_given_to_those_who_ask_for_it() {
        let accepting = |accept: &'static str| HeaderMap::from_iter([(header::ACCEPT, accept.parse().unwrap())]);
        assert!(is_csv(None, &accepting("text/csv")) && is_csv(Some(Format::Csv), &HeaderMap::new()));
        assert!(!is_csv(None, &accepting("text/html, */*")) && !is_csv(Some(Format::Json), &accepting("text/csv")));
    }
}
