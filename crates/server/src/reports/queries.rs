//! Named queries and their numeric parameters.

use serde_json::{Map, Value as Json};
use taisai_reports::{NamedQuery, QueryResult, SqlValue};

use super::csv::{Cell, Csv};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadParameter {
    #[error("the query {query} does not ask for {name:?}")]
    Unknown { query: &'static str, name: String },
    #[error("{name} is given twice")]
    Doubled { name: String },
    #[error("the query {query} asks for {name}=NUMBER, {description}")]
    Missing { query: &'static str, name: &'static str, description: &'static str },
    #[error("{name}={given}: this is no whole number")]
    NoNumber { name: &'static str, given: String },
}

/// The values of a query's parameters, in their order.
pub fn parameters(query: &NamedQuery, given: &[(String, String)]) -> Result<Vec<SqlValue>, BadParameter> {
    let known: Vec<_> = query.parameters().collect();
    if let Some((name, _)) = given.iter().find(|(name, _)| !known.iter().any(|(known, _)| known == name)) {
        return Err(BadParameter::Unknown { query: query.name, name: name.clone() });
    }
    let is_doubled = |name: &String| given.iter().filter(|(given, _)| given == name).count() > 1;
    if let Some((name, _)) = given.iter().find(|(name, _)| is_doubled(name)) {
        return Err(BadParameter::Doubled { name: name.clone() });
    }
    let value = |(name, description): &(&'static str, &'static str)| {
        let missing = BadParameter::Missing { query: query.name, name, description };
        let (_, given) = given.iter().find(|(given, _)| given == name).ok_or(missing)?;
        let number: i64 = given.parse().map_err(|_| BadParameter::NoNumber { name, given: given.clone() })?;
        Ok(number.into())
    };
    known.iter().map(value).collect()
}

/// A row as a JSON object.
pub(super) fn row(columns: &[String], row: &[SqlValue]) -> Map<String, Json> {
    let cell = |value: &SqlValue| match (value.number(), value.text()) {
        (Some(number), _) => number.into(),
        (None, text) => text.into(),
    };
    columns.iter().cloned().zip(row.iter().map(cell)).collect()
}

pub fn rows_csv(answer: &QueryResult) -> String {
    let mut csv = Csv::new(answer.columns.iter().map(String::as_str));
    for row in &answer.rows {
        csv.row(row.iter().map(|value| match (value.number(), value.text()) {
            (Some(number), _) => Cell::number(number),
            (None, text) => Cell::maybe_text(text),
        }));
    }
    csv.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_named_and_all_there() {
        let query = NamedQuery::find("last-games").unwrap();
        let given = |given: &[(&str, &str)]| {
            let given: Vec<_> = given.iter().map(|(name, number)| ((*name).to_owned(), (*number).to_owned())).collect();
            parameters(query, &given).map_err(|error| error.to_string())
        };
        let all = [("seat", "3"), ("table", "1"), ("cluster", "0")];
        assert_eq!(given(&all).unwrap(), [1, 0, 3].map(|number: i64| SqlValue::from(number)));
        for (bad, expected) in [
            (&all[1..], "asks for seat=NUMBER"),
            (&[("table", "1"), ("cluster", "0"), ("seat", "x")], "this is no whole number"),
            (&[("table", "1"), ("cluster", "0"), ("seat", "3"), ("seat", "4")], "seat is given twice"),
            (&[("chair", "1")], "does not ask for \"chair\""),
        ] {
            let error = given(bad).unwrap_err();
            assert!(error.contains(expected), "{bad:?}: {error}");
        }
    }
}
