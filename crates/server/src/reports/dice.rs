//! The dice watch of every table (F71). It takes each standing result in once, in order, for all dice of a table and for each set.
//! It follows the reporting tables; when an old round changes, it takes all throws of that table in again.

use std::collections::BTreeMap;

use serde::Serialize;
use taisai_analysis::DiceWatch;
use taisai_analysis::watch::{ChiSquareTest, DiceVerdict, EvidenceKind};
use taisai_reports::ReportReader;
use taisai_rules::Dice;
use taisai_table::TableId;

use super::error::{ReportError, count, maybe};
use super::rounds::dice;

const MAX_ROUNDS_PER_QUERY: usize = 10_000;

/// The newest sets of each table.
const MAX_DICE_SETS: usize = 64;

/// What the watch says of some throws.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct DiceSheet {
    /// How many throws there were.
    pub throws: u64,
    /// How often each face came, over all three dice.
    pub faces: [u64; 6],
    /// How often each Total Sum came, from 3 on.
    pub sums: [u64; 16],
    /// Whether the faces come equally often; none before there are enough throws, as with the other tests.
    pub by_face: Option<TestSheet>,
    /// Whether the Total Sums come as often as they should.
    pub by_sum: Option<TestSheet>,
    /// Whether a throw depends on the one before it.
    pub serial: Option<TestSheet>,
    /// What speaks against fair dice, at any moment.
    pub evidence: f64,
    /// The part of it that is from faces.
    pub evidence_of_faces: f64,
    /// From Total Sums.
    pub evidence_of_sums: f64,
    /// From dependence between throws.
    pub evidence_of_serial: f64,
    /// The most that it has been.
    pub highest_evidence: f64,
    /// What is to be done: `nothing`, `watch`, `measure` or `take-out`.
    pub verdict: &'static str,
    /// The same in a sentence.
    pub sentence: String,
}

/// A chi-square test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct TestSheet {
    /// The statistic.
    pub chi_square: f64,
    /// Its degrees of freedom.
    pub freedom: u32,
    /// The chance of one as large, with fair dice.
    pub p_value: f64,
}

impl DiceSheet {
    pub fn new(watch: &DiceWatch) -> Self {
        let test = |test: Option<ChiSquareTest>| {
            test.map(|ChiSquareTest { statistic, freedom, chance }| TestSheet {
                chi_square: statistic,
                freedom,
                p_value: chance,
            })
        };
        // JSON has no infinity.
        let finite = |number: f64| number.min(f64::MAX);
        let evidence = watch.evidence();
        Self {
            throws: watch.throws(),
            faces: *watch.faces(),
            sums: *watch.sums(),
            by_face: test(watch.by_face()),
            by_sum: test(watch.by_sum()),
            serial: test(watch.serial()),
            evidence: finite(evidence.value()),
            evidence_of_faces: finite(evidence.of(EvidenceKind::Faces)),
            evidence_of_sums: finite(evidence.of(EvidenceKind::Sums)),
            evidence_of_serial: finite(evidence.of(EvidenceKind::Serial)),
            highest_evidence: finite(evidence.highest()),
            verdict: watch.verdict().text(),
            sentence: watch.verdict().to_string(),
        }
    }
}

/// What the watch says of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct TableDice {
    /// The table.
    pub table: u16,
    /// The last round that was looked at.
    pub round: u64,
    /// Whether its dice, all or those of a set, should be measured or taken out.
    pub is_alert: bool,
    /// All throws.
    pub all: DiceSheet,
    /// By set of dice, the newest first.
    pub sets: Vec<SetDice>,
}

/// What the watch says of a set of dice.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct SetDice {
    /// The set.
    pub dice_set: u32,
    /// Its throws.
    #[serde(flatten)]
    pub dice: DiceSheet,
}

#[derive(Debug, Default)]
struct WatchedTable {
    /// The last round that was taken in or skipped.
    round: u64,
    all: DiceWatch,
    /// In the order of first use.
    sets: Vec<(u32, DiceWatch)>,
}

impl WatchedTable {
    fn add(&mut self, table: TableId, set: u32, dice: Dice) {
        self.all.add(dice);
        let place = self.sets.iter().position(|(known, _)| *known == set).unwrap_or_else(|| {
            if self.sets.len() == MAX_DICE_SETS {
                self.sets.remove(0);
            }
            self.sets.push((set, DiceWatch::new()));
            self.sets.len() - 1
        });
        let watch = &mut self.sets[place].1;
        let before = watch.verdict();
        watch.add(dice);
        let after = watch.verdict();
        if after > before && after >= DiceVerdict::Measure {
            let evidence = watch.evidence().highest();
            tracing::warn!(table = table.0, dice_set = set, evidence, "{after}");
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct DiceWatches(BTreeMap<TableId, WatchedTable>);

impl DiceWatches {
    /// Takes in new throws of a table; all of them again if an old round has changed.
    pub(crate) fn follow(
        &mut self,
        reader: &mut ReportReader,
        table: TableId,
        from_start: bool,
    ) -> Result<(), ReportError> {
        let mut watched = if from_start { WatchedTable::default() } else { self.0.remove(&table).unwrap_or_default() };
        let sql = format!(
            "SELECT round, dice, dice_set, void FROM rounds
             WHERE table_number = $1 AND round > $2 AND over_at IS NOT NULL ORDER BY round LIMIT {MAX_ROUNDS_PER_QUERY}"
        );
        loop {
            let rows = reader.query(&sql, &[table.0.into(), watched.round.into()])?.rows;
            for row in &rows {
                watched.round = count(&row[0])?;
                let thrown = dice(&row[1])?.and_then(|faces| Dice::try_from(faces).ok());
                if let Some(thrown) = thrown.filter(|_| row[3].text().is_none()) {
                    watched.add(table, maybe(&row[2])?.unwrap_or(0), thrown);
                }
            }
            if rows.len() < MAX_ROUNDS_PER_QUERY {
                break;
            }
        }
        self.0.insert(table, watched);
        Ok(())
    }

    /// The result for a table; none before its first throw.
    pub(crate) fn sheet(&self, table: TableId) -> Option<TableDice> {
        let watched = self.0.get(&table)?;
        let sets = watched.sets.iter().rev();
        let verdicts = watched.sets.iter().map(|(_, watch)| watch).chain([&watched.all]).map(DiceWatch::verdict);
        Some(TableDice {
            table: table.0,
            round: watched.round,
            is_alert: verdicts.max() >= Some(DiceVerdict::Measure),
            all: DiceSheet::new(&watched.all),
            sets: sets.map(|(dice_set, watch)| SetDice { dice_set: *dice_set, dice: DiceSheet::new(watch) }).collect(),
        })
    }
}
