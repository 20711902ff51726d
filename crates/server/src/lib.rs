//! The server: it knows the outside — sockets, people who sign in, devices, the clock — and decides nothing. What is asked is
//! put before the machines of the table, and what they answer leaves once the record holds it.

mod clock;
mod house;
mod leaving;
mod line;
mod table;
