//! The derive in edition 2021.
#![cfg(test)]

#[path = "../it/derive/mod.rs"]
mod derive;
