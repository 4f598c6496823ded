//! The integration tests of this package, as one program: linking a program for each file would take longer than the tests.

mod common;
mod definitions;
mod fleet;
mod hash;
mod loaded;
mod manifest;
mod peers;
mod secrets;
mod text_properties;
mod transport;
mod write;
mod yaml_torture;
