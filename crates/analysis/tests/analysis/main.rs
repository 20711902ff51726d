//! The figures and the simulated sessions from outside.

mod outside;
mod simulate;
