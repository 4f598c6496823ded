//! The languages of an output in `fleet.yaml`.

use capgen_diagnostic::{Diagnostic, nearest, quoted};
use capgen_manifest::{FleetOutput, FleetText, codes};

use crate::Language;

/// The languages that an output in `fleet.yaml` names, or [`Language::DEFAULT`] if it names none.
///
/// # Errors
///
/// A finding ([`codes::OUTPUT`]) for each name that no language has.
pub fn languages_of(output: &FleetOutput) -> Result<Vec<Language>, Vec<Diagnostic>> {
    if output.languages.is_empty() {
        return Ok(Language::DEFAULT.to_vec());
    }
    let is_named = |language: Language| output.languages.iter().any(|name| has_name(language, &name.text));
    let is_known = |name: &&FleetText| Language::ALL.iter().any(|language| has_name(*language, &name.text));
    let unknown: Vec<Diagnostic> = output.languages.iter().filter(|name| !is_known(name)).map(unknown).collect();
    if !unknown.is_empty() {
        return Err(unknown);
    }
    Ok(Language::ALL.iter().copied().filter(|language| is_named(*language)).collect())
}

fn has_name(language: Language, text: &str) -> bool {
    language.name() == text || language.aliases().contains(&text)
}

fn unknown(name: &FleetText) -> Diagnostic {
    let known: Vec<&str> = Language::ALL.iter().map(|language| language.name()).collect();
    let message = format!("unknown language {}", quoted(&name.text));
    name.place.locate(Diagnostic::new(codes::OUTPUT, message)).help(match nearest(&name.text, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            format!("the values are {}", known.join(", "))
        }
    })
}
