//! `taisai.toml`: what a house is set up by.
