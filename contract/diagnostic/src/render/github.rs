//! Findings as annotations of a pull request on GitHub.

use super::escape::visible;
use super::{Base, Region, paragraphs, presentable};
use crate::{Diagnostic, Label, Severity};

/// [Workflow commands](https://docs.github.com/actions/reference/workflow-commands-for-github-actions) that annotate
/// the changed files of a pull request, one per line.
///
/// An annotation has one place, the primary one. The other labels become lines of the message. The columns are left
/// out if a span covers several lines, because GitHub ignores them there.
pub fn github(findings: &[Diagnostic]) -> String {
    github_in(findings, &Base::default())
}

/// Like [`github`], with paths relative to the root of the repository, as GitHub needs them.
pub fn github_in(findings: &[Diagnostic], base: &Base) -> String {
    presentable(findings).map(|finding| command(&finding, base) + "\n").collect()
}

fn command(finding: &Diagnostic, base: &Base) -> String {
    let mut properties = Vec::new();
    let mut lines = paragraphs(finding);
    if let Some((primary, others)) = finding.labels.split_first() {
        let Region { start, end } = Region::new(&primary.source, &primary.span);
        properties.push(format!("file={}", property(&base.path(primary.source.path()))));
        properties.push(format!("line={},endLine={}", start.line, end.line));
        if start.line == end.line {
            properties.push(format!("col={},endColumn={}", start.column, end.column));
        }
        // Directly after the message: the notes and the help refer to the finding as a whole.
        lines.splice(1..1, others.iter().map(|label| place(label, base)));
    } else if let Some(file) = &finding.file {
        properties.push(format!("file={}", property(&base.path(file))));
    }
    properties.push(format!("title={}", property(finding.code.as_str())));
    let message: Vec<_> = lines.iter().map(|line| data(line)).collect();
    let command = match finding.severity() {
        Severity::Note => "notice",
        severity => severity.name(),
    };
    format!("::{command} {}::{}", properties.join(","), message.join("%0A"))
}

/// `path:line:column: text`
fn place(label: &Label, base: &Base) -> String {
    let start = label.source.position(label.span.start);
    let place = format!("{}:{}:{}", base.path(label.source.path()), start.line, start.column);
    if label.text.is_empty() { place } else { format!("{place}: {}", label.text) }
}

fn data(text: &str) -> String {
    visible(text).replace('%', "%25")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
