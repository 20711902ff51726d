//! The reporting tables, built from a casino that plays.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../../record/tests/common/casino.rs"]
mod casino;
mod clusters;
mod document;
#[path = "../../../record/tests/common/made.rs"]
mod made;
mod projection;
#[path = "../../../record/tests/common/wide_table.rs"]
mod wide_table;
