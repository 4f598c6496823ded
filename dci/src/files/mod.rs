//! Everything that reads or writes files, or runs programs. The rest of the crate is pure.

mod budget;
mod discover;
mod open;
mod scan;

pub use discover::{Discovery, Rejection, Roots, discover};
