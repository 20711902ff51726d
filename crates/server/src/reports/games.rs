//! The last games of a seat (F30): credits before and after, bets, dice, payouts; as settled, and as they stand now. They are found
//! session by session, so that a seat that has not played for a year costs no more than one that plays.

use serde::Serialize;
use taisai_reports::{ReportReader, SqlValue};
use taisai_table::{ClusterId, Seat};

use super::error::{ReportError, count, maybe, number, text};
use super::rounds::{dice, words};

/// F30 asks for ten.
pub const LAST_GAMES: usize = 20;

const MAX_SESSIONS: usize = 64;

/// A game that a seat has played. Amounts are cents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct GameLine {
    /// The round.
    pub round: u64,
    /// The session.
    pub session: u32,
    /// When bets were opened; none for a moment, until the dealer's side is projected too.
    pub opened_at: Option<u64>,
    /// When it was settled.
    pub settled_at: u64,
    /// The dice that it was first settled by; none if it was void.
    pub first_dice: Option<[u8; 3]>,
    /// The dice by which it stands.
    pub dice: Option<[u8; 3]>,
    /// Why it is void, if it is.
    pub void: Option<String>,
    /// What there was before it, bets included.
    pub credits_before: i64,
    /// What late corrections and voids, of this round or of others, put to the credits before the next game, or took from them.
    pub corrected: i64,
    /// What was bought in before the next game was settled, less what was reversed.
    pub bought_in: i64,
    /// What was cashed out before then.
    pub cashed_out: i64,
    /// What there was before the next game, or is now: before, less what was staked, with what was paid and returned when it was settled,
    /// what was corrected and bought in, less what was cashed out.
    pub credits_after: i64,
    /// What was staked.
    pub staked: i64,
    /// What was paid when it was settled, stakes included.
    pub first_paid: i64,
    /// What was returned then.
    pub first_returned: i64,
    /// What is paid as it stands.
    pub paid: i64,
    /// What is returned as it stands.
    pub returned: i64,
    /// The bets.
    pub bets: Vec<BetLine>,
}

/// A bet in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct BetLine {
    /// The box.
    #[serde(rename = "box")]
    pub bet_box: String,
    /// `own` or `colour`.
    pub chips: String,
    /// The stake.
    pub stake: i64,
    /// What counts of it.
    pub counted: i64,
    /// `won`, `lost`, `lost-to-triple` or `void`.
    pub outcome: String,
    /// The odds it won at.
    pub odds: Option<String>,
    /// The paragraph by which it stands so.
    pub paragraph: Option<String>,
    /// What is paid, the stake included.
    pub paid: i64,
    /// What is returned.
    pub returned: i64,
}

/// A session at a seat.
struct Session {
    session: u32,
    /// The rounds in which it may have bet.
    rounds: (i64, i64),
}

/// The last games of a seat, the newest first.
pub fn games(reader: &mut ReportReader, cluster: ClusterId, seat: Seat) -> Result<Vec<GameLine>, ReportError> {
    let mut found = Vec::new();
    for session in sessions(reader, cluster, seat)? {
        let mut of_session = of_session(reader, cluster, seat, &session, LAST_GAMES - found.len())?;
        credits(reader, cluster, &session, &mut of_session)?;
        found.append(&mut of_session);
        if found.len() >= LAST_GAMES {
            break;
        }
    }
    Ok(found)
}

fn sessions(reader: &mut ReportReader, cluster: ClusterId, seat: Seat) -> Result<Vec<Session>, ReportError> {
    let sql = format!(
        "SELECT session, began_at, ended_at FROM sessions WHERE table_number = $1 AND cluster = $2 AND seat = $3
         ORDER BY session DESC LIMIT {MAX_SESSIONS}"
    );
    let rows = reader.query(&sql, &[cluster.table.0.into(), cluster.number.into(), seat.into()])?.rows;
    let mut sessions = Vec::new();
    for row in rows {
        let first = round_at(reader, cluster, &row[1])?.unwrap_or(0);
        let last = if matches!(row[2], SqlValue::Empty) { None } else { round_at(reader, cluster, &row[2])? };
        sessions.push(Session { session: count(&row[0])?, rounds: (first, last.unwrap_or(i64::MAX)) });
    }
    Ok(sessions)
}

/// The last round that was opened by then.
fn round_at(reader: &mut ReportReader, cluster: ClusterId, time: &SqlValue) -> Result<Option<i64>, ReportError> {
    let sql = "SELECT round FROM rounds WHERE table_number = $1 AND opened_at <= $2 ORDER BY opened_at DESC LIMIT 1";
    let rows = reader.query(sql, &[cluster.table.0.into(), time.clone()])?.rows;
    rows.first().map(|row| number(&row[0])).transpose()
}

fn of_session(
    reader: &mut ReportReader,
    cluster: ClusterId,
    seat: Seat,
    of: &Session,
    most: usize,
) -> Result<Vec<GameLine>, ReportError> {
    let sql = format!(
        "WITH games AS (
             SELECT DISTINCT round FROM wagers
             WHERE table_number = $1 AND cluster = $2 AND round BETWEEN $3 AND $4 AND seat = $5 AND session = $6
             ORDER BY round DESC LIMIT {most}
         )
         SELECT w.round, r.opened_at, s.settled_at, r.first_dice, r.dice, r.void, w.box, w.chips, w.stake, w.counted, w.outcome,
             w.odds, w.paragraph, w.paid, w.returned, w.first_paid, w.first_returned
         FROM games g
             JOIN wagers w ON w.table_number = $1 AND w.cluster = $2 AND w.round = g.round AND w.seat = $5 AND w.session = $6
             JOIN settlements s ON s.table_number = $1 AND s.cluster = $2 AND s.round = g.round
             LEFT JOIN rounds r ON r.table_number = $1 AND r.round = g.round
         ORDER BY w.round DESC, w.line"
    );
    let (first, last) = of.rounds;
    let values =
        [cluster.table.0.into(), cluster.number.into(), first.into(), last.into(), seat.into(), of.session.into()];
    let rows = reader.query(&sql, &values)?.rows;
    let mut games = Vec::new();
    for rows in rows.chunk_by(|a, b| a[0] == b[0]) {
        let row = &rows[0];
        let sum = |place: usize| {
            let cents = rows.iter().map(|row| number(&row[place]));
            cents.sum::<Result<i64, ReportError>>()
        };
        games.push(GameLine {
            round: count(&row[0])?,
            session: of.session,
            opened_at: maybe(&row[1])?,
            settled_at: count(&row[2])?,
            first_dice: dice(&row[3])?,
            dice: dice(&row[4])?,
            void: words(&row[5]),
            credits_before: 0,
            corrected: 0,
            bought_in: 0,
            cashed_out: 0,
            credits_after: 0,
            staked: sum(8)?,
            first_paid: sum(15)?,
            first_returned: sum(16)?,
            paid: sum(13)?,
            returned: sum(14)?,
            bets: rows.iter().map(|row| bet(row)).collect::<Result<_, _>>()?,
        });
    }
    Ok(games)
}

fn bet(row: &[SqlValue]) -> Result<BetLine, ReportError> {
    Ok(BetLine {
        bet_box: text(&row[6])?.to_owned(),
        chips: text(&row[7])?.to_owned(),
        stake: number(&row[8])?,
        counted: number(&row[9])?,
        outcome: text(&row[10])?.to_owned(),
        odds: words(&row[11]),
        paragraph: words(&row[12]),
        paid: number(&row[13])?,
        returned: number(&row[14])?,
    })
}

/// What there was before and after each game, by the ledger of its session, which begins with nothing. A game ends where the next one
/// is settled, so that what comes and goes between them is counted once, and the games of a session follow on each other.
fn credits(
    reader: &mut ReportReader,
    cluster: ClusterId,
    of: &Session,
    games: &mut [GameLine],
) -> Result<(), ReportError> {
    if games.is_empty() {
        return Ok(());
    }
    let sql = "SELECT posted_at, kind, round, amount FROM ledger_entries
               WHERE table_number = $1 AND cluster = $2 AND session = $3 AND account = 'seat' AND chain <> 'house'
               ORDER BY chain, position, line, leg";
    let rows = reader.query(sql, &[cluster.table.0.into(), cluster.number.into(), of.session.into()])?.rows;
    let mut end = rows.len();
    // The newest game comes first.
    for game in games {
        let start = settled(&rows, game)?.min(end);
        game.credits_before = total(&rows[..start], |_| true)?;
        game.credits_after = total(&rows[..end], |_| true)?;
        let between = &rows[start..end];
        game.corrected = total(between, |kind| matches!(kind, "correction" | "late-void"))?;
        let comes_in =
            |kind: &str| matches!(kind, "buy-in" | "buy-in-reversed" | "note" | "credits-received" | "colour-issued");
        game.bought_in = total(between, comes_in)?;
        let known = |kind: &str| matches!(kind, "settlement" | "void" | "correction" | "late-void") || comes_in(kind);
        game.cashed_out = -total(between, |kind| !known(kind))?;
        end = start;
    }
    Ok(())
}

/// Where a game was settled in the ledger of its session. One that gave back what it took is not in it: its place is known by the time.
fn settled(rows: &[Vec<SqlValue>], game: &GameLine) -> Result<usize, ReportError> {
    for (place, row) in rows.iter().enumerate() {
        let is_this = maybe(&row[2])? == Some(game.round) && matches!(text(&row[1])?, "settlement" | "void");
        if is_this || count::<u64>(&row[0])? > game.settled_at {
            return Ok(place);
        }
    }
    Ok(rows.len())
}

fn total(rows: &[Vec<SqlValue>], of: impl Fn(&str) -> bool) -> Result<i64, ReportError> {
    let mut total = 0i64;
    for row in rows {
        if of(text(&row[1])?) {
            total = total.checked_add(number(&row[3])?).ok_or(ReportError::TooLarge)?;
        }
    }
    Ok(total)
}
