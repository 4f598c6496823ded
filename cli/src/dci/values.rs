//! The values of the options of `capgen dci`.

use capgen_dci::{Decision, InvalidSetting, Mode, Overrides, Profile};
use capgen_diagnostic::nearest;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// The parser of `strict` and `best-effort`.
pub(super) fn mode() -> impl TypedValueParser<Value = Mode> {
    let names = [Mode::Strict.name(), Mode::BestEffort.name()];
    PossibleValuesParser::new(names).map(|name| name.parse().unwrap_or_default())
}

/// The parser of `rfc` and `practical`.
pub(super) fn profile() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::ALL.map(Profile::name)).map(|name| name.parse().unwrap_or_default())
}

/// The parser of `--decision`.
pub(super) fn decision() -> impl TypedValueParser<Value = Decision> {
    const DECISIONS: [Decision; 3] = [Decision::Emulate, Decision::ContinueWithPartial, Decision::Abort];
    let parser = PossibleValuesParser::new(DECISIONS.map(Decision::name));
    parser.map(|name| DECISIONS.into_iter().find(|decision| decision.name() == name).unwrap_or_default())
}

/// A capability of `--require`.
pub(super) fn capability(text: &str) -> Result<String, &'static str> {
    let is_valid = capgen_dci::contract::is_capability(text);
    is_valid
        .then(|| text.to_owned())
        .ok_or("a capability has 1 to 128 letters, digits and `-_./:`, and starts and ends with a letter or a digit")
}

/// A key of the policy and its value.
pub(super) fn policy(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE, such as max-candidates=10")?;
    match Overrides::default().set(key, value) {
        Ok(()) => Ok((key.to_owned(), value.to_owned())),
        Err(error) => {
            let known = nearest(key, Overrides::KEYS).filter(|_| error == InvalidSetting::UnknownKey);
            let suggestion = known.map(|known| format!("; did you mean `{known}`?"));
            Err(format!("{error}{}", suggestion.unwrap_or_default()))
        }
    }
}

/// A time of RFC 3339.
pub(super) fn time(text: &str) -> Result<String, &'static str> {
    let is_valid = capgen_schema::Format::DateTime.accepts(text);
    is_valid.then(|| text.to_owned()).ok_or("write a time of RFC 3339, such as 2026-01-02T03:04:05Z")
}
