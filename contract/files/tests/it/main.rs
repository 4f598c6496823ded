//! Reading files that may be hostile, and files that capgen may overwrite.

mod ownership;
mod reading;
