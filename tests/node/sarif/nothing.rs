//! Cargo requires a target.

#![forbid(unsafe_code)]
