//! `capgen registry key`, and the option `--signing-key`.

use std::path::{Path, PathBuf};

use capgen_registry::SigningKey;
use clap::Args;

use crate::console::{Console, print};
use crate::failure::{Failure, RunResult, Verdict};
use crate::secret;

#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub(crate) struct Key {
    /// The file with the seed of Ed25519: 32 bytes in base64
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

const HELP: &str = "\
Examples:
  (umask 077; openssl rand -base64 32 > atlas.key)
  capgen registry key atlas.key

Prints the public key in base64, as in the member `keys` of a configuration.";

/// The key of a producer.
#[derive(Args, Debug)]
pub(crate) struct Signing {
    /// Sign events with this Ed25519 seed: the id of the key in the configuration, and a file with 32 bytes in base64
    #[arg(long, value_name = "KEY_ID=FILE", value_parser = id_and_file)]
    pub(crate) signing_key: Option<(String, PathBuf)>,
}

/// The value of `--signing-key`. The id of a key may contain `=`, a file that is named here does not.
fn id_and_file(text: &str) -> Result<(String, PathBuf), &'static str> {
    let (id, path) = text.rsplit_once('=').ok_or("expected the id of the key, =, and a file")?;
    Ok((id.to_owned(), path.into()))
}

pub(super) fn run(arguments: &Key, console: &Console) -> RunResult {
    let key = read("", &arguments.file, console)?;
    print(&format!("{}\n", key.public_key()))?;
    Ok(Verdict::Fine)
}

/// The key of `--signing-key`, if there is one.
///
/// # Errors
///
/// The file cannot be used.
pub(super) fn signing_key(signing: &Signing, console: &Console) -> Result<Option<SigningKey>, Failure> {
    signing.signing_key.as_ref().map(|(id, path)| read(id, path, console)).transpose()
}

fn read(id: &str, path: &Path, console: &Console) -> Result<SigningKey, Failure> {
    let parse = |text: &str| SigningKey::from_base64(id, text).map_err(|error| error.to_string());
    Ok(secret::read(path, "the seed of an Ed25519 key: 32 bytes in base64", parse, console)?)
}
