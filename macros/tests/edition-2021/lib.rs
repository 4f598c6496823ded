//! The derive in edition 2021.
#![cfg(test)]

#[path = "../derive/mod.rs"]
mod derive;
