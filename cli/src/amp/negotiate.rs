//! `capgen amp negotiate`: the algorithm of section 6.3.

use capgen_amp::body::Hints;
use capgen_amp::message::Rejection;
use capgen_amp::negotiate::{Mode, Offer, Request, Rule, negotiate};
use capgen_amp::{Code, parse_version};
use capgen_diagnostic::quoted;
use semver::Version;
use serde_json::json;

use super::{arguments, rejected};
use crate::console::{self, Console};
use crate::failure::{RunResult, Verdict};

pub(super) fn run(arguments: &arguments::Negotiate, console: &Console) -> RunResult {
    match select(arguments) {
        Ok((version, _)) if arguments.json => console::print_json(&format!("{}\n", json!({ "version": version })))?,
        Ok((version, rule)) => {
            console::print(&format!("{version}\n"))?;
            console.line(&rule.to_string());
        }
        Err(rejection) if arguments.json => {
            let Rejection { code, message } = &rejection;
            let error = json!({ "error": { "code": code.number(), "message": message } });
            console::print_json(&format!("{error}\n"))?;
            return Ok(Verdict::Findings);
        }
        Err(rejection) => return rejected(&rejection, console),
    }
    Ok(Verdict::Fine)
}

/// The selected version as it was written, and the rule that selected it.
fn select(arguments: &arguments::Negotiate) -> Result<(String, Rule), Rejection> {
    let mut invalid = Vec::new();
    let mut versions = |option: &str, texts: &mut dyn Iterator<Item = &str>| -> Vec<Version> {
        let versions =
            texts.map(|text| parse_version(text).map_err(|error| invalid.push(problem(option, text, &error))));
        versions.filter_map(Result::ok).collect()
    };
    let supported = versions("--supported", &mut arguments.supported.split(','));
    let preferred = versions("--preferred", &mut arguments.preferred.as_deref().into_iter()).pop();
    let acceptable = versions("--acceptable", &mut arguments.acceptable.iter().flat_map(|list| list.split(',')));
    let range = arguments.range.as_deref().and_then(|text| {
        text.parse().map_err(|error: capgen_amp::InvalidRange| invalid.push(problem("--range", text, &error))).ok()
    });
    if !invalid.is_empty() {
        return Err(Rejection::new(Code::BadRequest, invalid.join("; ")));
    }
    let hints = Hints { preferred, acceptable, range };
    let offers: Vec<Offer<'_>> = supported.iter().map(|version| Offer { version, supported: &[] }).collect();
    let selected = negotiate(Mode::Range, Request::Hints(&hints), &offers, &|_, _| false);
    let selected = selected.map_err(|mismatch| Rejection::new(Code::VersionMismatch, mismatch.to_string()))?;
    let version = supported.get(selected.index).map(ToString::to_string).unwrap_or_default();
    Ok((version, selected.rule))
}

fn problem(option: &str, text: &str, reason: &dyn std::fmt::Display) -> String {
    format!("{option}: {} is invalid: {reason}", quoted(text))
}
