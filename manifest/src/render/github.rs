//! Diagnostics for a pull request on GitHub.

use super::escape::visible;
use super::{regions, severity_name};
use crate::Diagnostic;

/// [Workflow commands](https://docs.github.com/actions/reference/workflow-commands-for-github-actions) that annotate the
/// changed files of a pull request, one a line. The columns are left out where a span has more than one line, as GitHub
/// ignores them there.
pub fn github(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|diagnostic| command(diagnostic) + "\n").collect()
}

fn command(diagnostic: &Diagnostic) -> String {
    let mut properties = Vec::new();
    if let Some((source, region, _)) = regions(diagnostic).into_iter().next() {
        let (start, end) = (region.start, region.end);
        properties.push(format!("file={}", property(source.path())));
        properties.push(format!("line={},endLine={}", start.line, end.line));
        if start.line == end.line {
            properties.push(format!("col={},endColumn={}", start.column, end.column));
        }
    } else if let Some(source) = &diagnostic.source {
        properties.push(format!("file={}", property(source.path())));
    }
    properties.push(format!("title={}", property(diagnostic.code.as_str())));
    let help = diagnostic.help.iter().map(|help| format!("help: {help}"));
    let lines: Vec<_> =
        std::iter::once(diagnostic.message.clone()).chain(diagnostic.notes.iter().cloned()).chain(help).collect();
    let message: Vec<_> = lines.iter().map(|line| data(line)).collect();
    format!("::{} {}::{}", severity_name(diagnostic), properties.join(","), message.join("%0A"))
}

fn data(text: &str) -> String {
    visible(text).replace('%', "%25")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
