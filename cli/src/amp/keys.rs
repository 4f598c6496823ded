//! Options with the public keys of DIDs.

use capgen_amp::message::Keys;
use clap::error::ErrorKind;

use crate::failure::Failure;

/// The list of the values `DID=HEXPUB` of an option.
///
/// # Errors
///
/// A value has another form, or two values have the same DID: incorrect usage.
pub(super) fn keys(option: &str, values: &[String]) -> Result<Keys, Failure> {
    let mut keys = Keys::new();
    for value in values {
        let problem = match keys.insert_text(value) {
            Ok(None) => continue,
            Ok(Some(_)) => "the DID already has a key".to_owned(),
            Err(error) => error.to_string(),
        };
        let message = format!("invalid value '{value}' for '{option} <DID=HEXPUB>': {problem}");
        return Err(Failure::usage(ErrorKind::ValueValidation, message));
    }
    Ok(keys)
}
