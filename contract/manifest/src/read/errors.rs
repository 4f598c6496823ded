//! The declared errors of a capability.

use std::collections::HashMap;
use std::ops::Range;

use capgen_descriptor::name::{ERROR_CODE_RULE, is_error_code};
use capgen_diagnostic::quoted;

use super::reader::{Map, Reader};
use super::{advice, schema};
use crate::keys::{ERROR, names};
use crate::{Data, DeclaredError, codes};

/// Reads the list of errors. One without a valid code is reported, and left out.
pub(super) fn read(reader: &mut Reader<'_>, map: &Map<'_>, key: &str) -> Vec<DeclaredError> {
    reader.not_empty(map, key);
    let mut errors = Vec::new();
    let mut known: HashMap<String, Range<usize>> = HashMap::new();
    for (node, mut place) in reader.elements(map, key) {
        let code = node.member("code").and_then(|member| match &member.value.data {
            Data::String(code) if is_error_code(code) => Some(code),
            _ => None,
        });
        if let (Some(at), Some(code)) = (&place.at, code) {
            place.at = Some(format!("{at}, error {}", quoted(code)));
        }
        let Some(mut map) = reader.map(node, place, advice::ERROR) else { continue };
        reader.only(&mut map, &names(&ERROR));
        let code = code_of(reader, &map, &mut known);
        let error = DeclaredError {
            code: code.unwrap_or_default(),
            description: reader.text(&map, "description").map(str::to_owned),
            retryable: reader.boolean(&map, "retryable").unwrap_or(false),
            status: status(reader, &map),
            details: schema::read(reader, &map, "detailsSchema"),
        };
        if !error.code.is_empty() {
            errors.push(error);
        }
    }
    errors
}

/// The code, if it is valid and not the one of an earlier error.
fn code_of(reader: &mut Reader<'_>, map: &Map<'_>, known: &mut HashMap<String, Range<usize>>) -> Option<String> {
    let member = reader.required(map, "code")?;
    let code = reader.text(map, "code")?;
    let (span, place) = (member.value.span.clone(), map.below("code"));
    if !is_error_code(code) {
        let finding = reader.finding(codes::ERROR_CODE, "not a valid code of an error", (span.clone(), ""), &place);
        let upper = code.trim().to_ascii_uppercase().replace(['-', ' ', '.'], "_");
        reader.report(if is_error_code(&upper) {
            // Callers use the code.
            let finding = reader.suggest_text(finding, &span, code, &upper).for_review();
            finding.help(format!("write `{upper}`"))
        } else {
            finding.help(ERROR_CODE_RULE)
        });
        return None;
    }
    if let Some(first) = known.get(code) {
        let message = format!("duplicate code {}", quoted(code));
        let finding = reader.finding(codes::DUPLICATE_ERROR, message, (span, "here again"), &place);
        let finding = finding.at(reader.source, first.clone(), "first here");
        reader.report(finding.help("give each error of a capability a code of its own"));
        return None;
    }
    known.insert(code.to_owned(), span);
    Some(code.to_owned())
}

/// The status of the response over HTTP.
fn status(reader: &mut Reader<'_>, map: &Map<'_>) -> Option<u16> {
    let member = map.get("status")?;
    let place = map.below("status");
    let Data::Number(number, _) = &member.value.data else {
        reader.wrong_type(&member.value, &place, "`status`", "a number");
        return None;
    };
    let (least, most) = (DeclaredError::MIN_STATUS, DeclaredError::MAX_STATUS);
    let status = number.as_u64().and_then(|status| u16::try_from(status).ok());
    let status = status.filter(|status| (least..=most).contains(status));
    if status.is_none() {
        let message = format!("`status` must be a whole number from {least} to {most}");
        let finding = reader.finding(codes::ERROR_STATUS, message, (member.value.span.clone(), ""), &place);
        reader.report(finding.help("write the status of the error over HTTP, such as `409` for a conflict"));
    }
    status
}
