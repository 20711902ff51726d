//! A house that deals by itself, for play money.
