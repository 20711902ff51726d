//! The House: every command with each of its refusals, vouchers and transfers exactly once, people and approvals, and
//! random sequences against a naive model of the books.

mod anew;
mod examples;
mod floor;
mod model;
mod people;
mod refusals;
mod sequences;
mod spelling;
mod transfers;
mod vouchers;
