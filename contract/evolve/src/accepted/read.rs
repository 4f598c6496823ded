//! Reading the file of accepted findings.

use std::ops::Range;

use capgen_diagnostic::{Diagnostic, Hidden, Source, nearest, quoted};
use capgen_manifest::{AgentId, Data, Member, Node, parse_document};

use super::AcceptedEntry;
use crate::{Date, Fingerprint, codes};

/// The keys of an entry. The first three are required.
const KEYS: [&str; 5] = ["fingerprint", "reason", "expires", "code", "agent"];

/// Further errors are not reported: a hostile file can cause millions. The first ones are enough to correct the file.
const MAX_FINDINGS: usize = 100;

/// An entry as users write it.
const EXAMPLE: &str = "an entry is `- { fingerprint: \"0123456789abcdef0123\", reason: \"...\", expires: 2027-01-31 }`";

/// Reads the entries of a file in YAML or JSON: a list of mappings with the keys `fingerprint`, `reason`, `expires`
/// and, if the entry is about one rule or one agent, `code` and `agent`. A file without content has no entries.
///
/// # Errors
///
/// Every error of the file: [`codes::INVALID_ACCEPTED`], or the errors of YAML or JSON.
pub fn read_accepted(source: &Source) -> Result<Vec<AcceptedEntry>, Vec<Diagnostic>> {
    let is_blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    if source.text().lines().all(is_blank) {
        return Ok(Vec::new());
    }
    // Unlike manifests, the file contains no credentials, so findings may show all of it.
    source.hide_with(|_| Hidden::default());
    let root = parse_document(source)?;
    let mut reader = Reader { source, findings: Vec::new() };
    let mut entries = Vec::new();
    match &root.data {
        Data::Array(items) => entries.extend(items.iter().filter_map(|item| reader.entry(item))),
        Data::Null => {}
        _ => reader.report("the file must be a list of accepted findings", start(&root), EXAMPLE),
    }
    if reader.findings.is_empty() { Ok(entries) } else { Err(reader.findings) }
}

struct Reader<'s> {
    source: &'s Source,
    findings: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn report(&mut self, message: impl Into<String>, span: Range<usize>, help: impl Into<String>) {
        if self.findings.len() < MAX_FINDINGS {
            let finding = Diagnostic::new(codes::INVALID_ACCEPTED, message).at(self.source, span, "");
            self.findings.push(finding.help(help));
        }
    }

    fn entry(&mut self, node: &Node) -> Option<AcceptedEntry> {
        let Data::Object(members) = &node.data else {
            self.report("an accepted finding must be a mapping", start(node), EXAMPLE);
            return None;
        };
        for member in members.iter().filter(|member| !KEYS.contains(&member.key.as_str())) {
            let help = match nearest(&member.key, KEYS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the keys are {}", KEYS.map(|key| format!("`{key}`")).join(", ")),
            };
            self.report(format!("unknown key {}", quoted(&member.key)), member.key_span.clone(), help);
        }
        let span = members.first().map_or(node.span.clone(), |member| member.key_span.clone());
        for key in KEYS.iter().take(3).filter(|key| node.member(key).is_none()) {
            self.report(format!("an accepted finding must have the key `{key}`"), span.clone(), EXAMPLE);
        }
        let fingerprint = node.member("fingerprint").and_then(|member| self.fingerprint(member));
        let reason = node.member("reason").and_then(|member| self.reason(member));
        let expires = node.member("expires").and_then(|member| self.expires(member));
        let code = node.member("code").map(|member| self.code(member));
        let agent = node.member("agent").map(|member| self.agent(member));
        Some(AcceptedEntry {
            fingerprint: fingerprint?,
            reason: reason?,
            expires: expires?,
            // An entry whose restriction is invalid must not accept more than one with a valid restriction.
            code: code.map_or(Some(None), |code| code.map(Some))?,
            agent: agent.map_or(Some(None), |agent| agent.map(Some))?,
            span,
        })
    }

    fn fingerprint(&mut self, member: &Member) -> Option<String> {
        // Some fingerprints, such as `1234567890123456` and `12e4567890123456`, look like numbers without quotes.
        let text = text(&member.value).unwrap_or_default();
        let is_valid = matches!(text.len(), Fingerprint::LEN | Fingerprint::OLD_LEN)
            && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if !is_valid {
            let message = format!("a fingerprint must have {} hexadecimal digits in lower case", Fingerprint::LEN);
            self.report(message, value(member), "copy it from the output of `capgen diff`");
        }
        is_valid.then(|| text.to_owned())
    }

    fn reason(&mut self, member: &Member) -> Option<String> {
        match &member.value.data {
            Data::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            _ => {
                let help = "write why the change breaks no caller, or who has agreed to it";
                self.report("the reason must be a text that is not empty", value(member), help);
                None
            }
        }
    }

    fn expires(&mut self, member: &Member) -> Option<Date> {
        let date = text(&member.value).and_then(|text| text.parse().ok());
        if date.is_none() {
            let help = "write the last day on which the finding is accepted, such as 2027-01-31";
            self.report("`expires` must be a day in the form YYYY-MM-DD", value(member), help);
        }
        date
    }

    fn code(&mut self, member: &Member) -> Option<String> {
        match &member.value.data {
            Data::String(text) if is_code(text) => Some(text.clone()),
            _ => {
                let help = "write the code of the finding, such as E0704, or remove the key";
                self.report("`code` must be the code of a rule", value(member), help);
                None
            }
        }
    }

    fn agent(&mut self, member: &Member) -> Option<String> {
        let id = text(&member.value).and_then(|text| AgentId::new(text.strip_prefix("agent://").unwrap_or(text)));
        if id.is_none() {
            self.report("`agent` must be the id of an agent", value(member), AgentId::RULE);
        }
        id.map(|id| id.as_str().to_owned())
    }
}

/// The text of a string or a number.
fn text(node: &Node) -> Option<&str> {
    match &node.data {
        Data::String(text) | Data::Number(_, text) => Some(text),
        _ => None,
    }
}

/// The span of a value, or of its key if the value is empty.
fn value(member: &Member) -> Range<usize> {
    if member.value.span.is_empty() { member.key_span.clone() } else { member.value.span.clone() }
}

/// The start of a value that may take several lines.
fn start(node: &Node) -> Range<usize> {
    node.span.start..node.span.start
}

/// Whether the text has the form of a code, such as `E0704`.
fn is_code(text: &str) -> bool {
    text.len() == 5 && text.starts_with(['E', 'W', 'N']) && text.bytes().skip(1).all(|byte| byte.is_ascii_digit())
}
