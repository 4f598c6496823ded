//! The warnings that the author of a manifest accepts.

use std::ops::Range;

use capgen_diagnostic::{nearest, quoted, shortened};

use super::advice;
use super::reader::{Map, Reader, did_you_mean};
use crate::keys::{ACCEPTED, names};
use crate::{AcceptedWarning, Manifest, Member, codes};

/// The longest pointer in a message, in characters.
const MAX_POINTER: usize = 200;

/// Reads the list of accepted warnings.
pub(super) fn read(reader: &mut Reader<'_>, map: &Map<'_>, manifest: Option<&Manifest>) -> Vec<AcceptedWarning> {
    let labels = manifest.map(Manifest::labels);
    let mut accepted = Vec::new();
    for (node, place) in reader.elements(map, "accepted") {
        let Some(mut map) = reader.map(node, place, advice::ACCEPTED) else { continue };
        reader.only(&mut map, &names(&ACCEPTED));
        let code = code(reader, &map);
        reader.required(&map, "reason");
        let reason = reader.filled(&map, "reason");
        let capability = map.get("capability").map(|member| capability(reader, &map, member, labels.as_deref()));
        let at = map.get("at").map(|_| pointer(reader, &map));
        let (Some((code, span)), Some(reason), Some(index), Some(at)) =
            (code, reason, capability.map_or(Some(None), |it| it.map(Some)), at.map_or(Some(None), |it| it.map(Some)))
        else {
            continue;
        };
        let root = index.map(|index| format!("/capabilities/{index}")).unwrap_or_default();
        accepted.push(AcceptedWarning {
            code,
            reason: reason.to_owned(),
            pointer: root + at.unwrap_or_default(),
            is_used: false,
            span,
        });
    }
    accepted
}

/// The code of a warning, and its span.
fn code(reader: &mut Reader<'_>, map: &Map<'_>) -> Option<(String, Range<usize>)> {
    let member = reader.required(map, "code")?;
    let code = reader.text(map, "code")?;
    let span = member.value.span.clone();
    let digits = code.strip_prefix('W').unwrap_or_default();
    if digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Some((code.to_owned(), span));
    }
    let is_error = code.starts_with('E');
    let message = if is_error { "an error cannot be accepted" } else { "`code` must be the code of a warning" };
    let finding = reader.finding(codes::ACCEPTED_WARNING, message, (span, ""), &map.below("code"));
    reader.report(finding.help(if is_error {
        "correct the place of the error, and remove this entry"
    } else {
        "write the code that `capgen check` prints, such as `W0103`"
    }));
    None
}

/// The index of the capability. Without a valid manifest, it cannot be known, and the entry has no effect.
fn capability(reader: &mut Reader<'_>, map: &Map<'_>, member: &Member, labels: Option<&[String]>) -> Option<usize> {
    let label = reader.filled(map, "capability")?;
    let labels = labels?;
    let found = labels.iter().position(|other| other == label);
    if found.is_none() {
        let message = format!("the file has no capability {}", quoted(label));
        let at = (member.value.span.clone(), "");
        let finding = reader.finding(codes::ACCEPTED_WARNING, message, at, &map.below("capability"));
        let near = nearest(label, labels.iter().map(String::as_str));
        let versions = labels.iter().find(|other| other.split_once('@').is_some_and(|(name, _)| name == label));
        reader.report(match near.or(versions.map(String::as_str)) {
            Some(near) => finding.help(did_you_mean(near)),
            None => finding.help("write the name of a capability of this file, or remove the entry"),
        });
    }
    found
}

fn pointer<'n>(reader: &mut Reader<'_>, map: &Map<'n>) -> Option<&'n str> {
    let at = reader.text(map, "at")?;
    if at.is_empty() || at.starts_with('/') {
        return Some(at);
    }
    let message =
        format!("`at` must be a JSON Pointer, but {} does not start with `/`", quoted(&shortened(at, MAX_POINTER)));
    let span = map.get("at").map(|member| member.value.span.clone()).unwrap_or_default();
    let finding = reader.finding(codes::ACCEPTED_WARNING, message, (span, ""), &map.below("at"));
    reader.report(finding.help("write the place in the capability, such as `/inputSchema/properties/city`"));
    None
}
