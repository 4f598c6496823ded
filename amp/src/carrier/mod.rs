//! Carriers: they move whole messages as bytes, and know nothing about capabilities (`specs/amp-transport.md`).

pub mod connection;
pub mod control;
pub mod frame;
