//! The limits and the list of findings that the readers of YAML and JSON share.

use std::ops::Range;

use capgen_diagnostic::{Code, Diagnostic, Source, quoted};

use crate::codes;
use crate::masked::is_name;
use crate::secrets::has_colon;
use crate::tree::{Member, Node};

/// The deepest nesting. A schema of 64 levels takes about 130 levels of mappings.
pub(crate) const MAX_DEPTH: usize = 256;
/// The largest text, in bytes. Usual manifests have less than 1 MB; the tree of a text needs several times its size in
/// memory.
pub(crate) const MAX_BYTES: usize = 32 << 20;
/// The largest number of values, counting the copies that aliases make. A text of the largest size has fewer, unless
/// its values have fewer than 16 bytes each. A value in memory is many times as large as the one or two bytes that it
/// may have in the text.
pub(crate) const MAX_NODES: usize = 2_000_000;
/// A reader gives up after this many findings: a hostile text can cause one per byte. The first ones are enough to
/// correct the text.
const MAX_FINDINGS: usize = 100;

/// Reading cannot continue. The reason is in the [`Findings`].
pub(crate) struct Stop;

/// The findings of one text.
pub(crate) struct Findings<'s> {
    source: &'s Source,
    list: Vec<Diagnostic>,
}

impl<'s> Findings<'s> {
    /// Starts an empty list.
    ///
    /// # Errors
    ///
    /// [`codes::TOO_LARGE`] if the text has more than [`MAX_BYTES`].
    pub(crate) fn new(source: &'s Source) -> Result<Self, Vec<Diagnostic>> {
        let bytes = source.text().len();
        if bytes > MAX_BYTES {
            let message = format!("the text has {bytes} bytes, more than the limit of {MAX_BYTES}");
            return Err(vec![Diagnostic::new(codes::TOO_LARGE, message).at(source, 0..0, "")]);
        }
        Ok(Self { source, list: Vec::new() })
    }

    /// Creates a finding at a place.
    pub(crate) fn at(&self, code: Code, message: impl Into<String>, span: Range<usize>) -> Diagnostic {
        Diagnostic::new(code, message).at(self.source, span, "")
    }

    /// Adds a certain edit to a finding.
    pub(crate) fn suggest(&self, finding: Diagnostic, span: Range<usize>, new: String) -> Diagnostic {
        finding.suggest(self.source, span, new)
    }

    /// Adds a finding and continues, unless there are too many.
    pub(crate) fn add(&mut self, finding: Diagnostic) -> Result<(), Stop> {
        self.list.push(finding);
        if self.list.len() < MAX_FINDINGS { Ok(()) } else { Err(Stop) }
    }

    /// Adds a finding after which the rest of the text has no known meaning.
    pub(crate) fn stop<T>(&mut self, finding: Diagnostic) -> Result<T, Stop> {
        Err(self.stop_with(finding))
    }

    /// Like [`stop`](Self::stop), for a caller that returns the error itself.
    pub(crate) fn stop_with(&mut self, finding: Diagnostic) -> Stop {
        self.list.push(finding);
        Stop
    }

    /// Checks the depth of a value at `span`.
    pub(crate) fn check_depth(&mut self, depth: usize, span: Range<usize>) -> Result<(), Stop> {
        if depth <= MAX_DEPTH {
            return Ok(());
        }
        self.stop(self.at(codes::TOO_DEEP, format!("values nest deeper than {MAX_DEPTH} levels"), span))
    }

    /// Counts `more` values at `span`.
    pub(crate) fn check_nodes(&mut self, nodes: &mut usize, more: usize, span: Range<usize>) -> Result<(), Stop> {
        *nodes = nodes.saturating_add(more);
        if *nodes <= MAX_NODES {
            return Ok(());
        }
        self.stop(self.at(codes::TOO_LARGE, format!("the text has more than {MAX_NODES} values"), span))
    }

    /// Adds a finding for every duplicate key in `members`.
    pub(crate) fn check_keys(&mut self, members: &[Member]) -> Result<(), Stop> {
        let mut order: Vec<&Member> = members.iter().collect();
        // A stable sort keeps equal keys in source order, so the first one is the original.
        order.sort_by(|a, b| a.key.cmp(&b.key));
        let mut repeats = Vec::new();
        for same in order.chunk_by(|a, b| a.key == b.key) {
            if let [first, rest @ ..] = same {
                repeats.extend(rest.iter().map(|again| (*first, *again)));
            }
        }
        repeats.sort_by_key(|(_, again)| again.key_span.start);
        for (first, again) in repeats {
            let shows = is_name(&again.key) && has_colon(self.source.text(), &again.key_span);
            let name = if shows { format!(" {}", quoted(&again.key)) } else { String::new() };
            let finding = Diagnostic::new(codes::DUPLICATE_KEY, format!("duplicate key{name}"))
                .at(self.source, again.key_span.clone(), "again here")
                .at(self.source, first.key_span.clone(), "first here")
                .help("remove one of the two, or move its content to the other");
            self.add(finding)?;
        }
        Ok(())
    }

    /// The tree, if there are no findings, or the findings in source order.
    pub(crate) fn finish(mut self, root: Result<Node, Stop>) -> Result<Node, Vec<Diagnostic>> {
        match root {
            Ok(root) if self.list.is_empty() => Ok(root),
            _ => {
                self.list.sort_by_key(|finding| finding.labels.first().map(|label| label.span.start));
                Err(self.list)
            }
        }
    }
}
