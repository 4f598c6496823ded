//! One logical line of code: its text and the places where it may be broken.
//!
//! This module decides where lines end and knows nothing about Rust; [`Writer`](super::writer::Writer) knows Rust's
//! syntax and decides nothing about widths. The algorithm is Oppen's ("Prettyprinting", 1980) with the margins and the
//! rules of `prettyplease`: a group that does not fit is broken, either at all of its breaks or only where necessary,
//! and then each group inside it is treated the same way.

/// The maximum width of a line in bytes (which `prettyplease` counts too), without the indentation of the module. Only
/// a line without breaks may be longer.
const MARGIN: isize = 89;

/// The space that a line has at any indentation, so that deeply nested code is not broken at every token.
const MIN_SPACE: isize = 60;

/// A width that never fits.
const INFINITE: usize = 1 << 32;

/// A place where a line may be broken.
#[derive(Clone, Copy, Default)]
pub(super) struct Break {
    /// The text at this place if the line is not broken here.
    pub(super) flat: &'static str,
    /// The width of `flat` when checking whether a group fits. It is 0 for a trailing comma that prettyplease leaves
    /// out of the check.
    pub(super) width: usize,
    /// The text before the line end if the line is broken here.
    pub(super) before: &'static str,
    /// The text at the start of the next line if the line is broken here.
    pub(super) after: &'static str,
    /// The indentation of the next line, relative to the group's.
    pub(super) offset: isize,
    /// The line is not broken here. The break only separates the text before it from the text after it, so that the
    /// first stays whole if the second does not fit.
    pub(super) never: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Open {
        offset: isize,
        /// Whether a group that does not fit is broken at all of its breaks, or only where necessary.
        all: bool,
    },
    Close,
    Break(Break),
}

#[derive(Clone, Copy)]
struct Piece {
    kind: Kind,
    /// The offset in [`Line::text`].
    at: usize,
    /// The width of everything before it.
    width: usize,
}

#[derive(Clone, Copy)]
enum Frame {
    Fits,
    /// `indent` is the indentation outside the group.
    Broken {
        indent: isize,
        all: bool,
    },
}

/// A line that is being written.
#[derive(Default)]
pub(super) struct Line {
    /// The whole line as it is if it is not broken.
    text: String,
    pieces: Vec<Piece>,
    /// For each open group, the width of everything before it.
    groups: Vec<usize>,
    width: usize,
}

impl Line {
    pub(super) fn text(&mut self, text: &str) {
        self.text.push_str(text);
        self.width += text.len();
    }

    /// Appends the text that `write` pushes.
    pub(super) fn append(&mut self, write: impl FnOnce(&mut String)) {
        let before = self.text.len();
        write(&mut self.text);
        self.width += self.text.len() - before;
    }

    pub(super) fn open(&mut self, offset: isize, all: bool) {
        self.push(Kind::Open { offset, all });
        self.groups.push(self.width);
    }

    pub(super) fn close(&mut self) {
        self.push(Kind::Close);
        self.groups.pop();
    }

    /// Closes a group. If it is wider than `width`, the group and every group around it are broken.
    pub(super) fn close_within(&mut self, width: usize) {
        if self.groups.last().is_some_and(|before| self.width - before > width) {
            self.width += INFINITE;
        }
        self.close();
    }

    pub(super) fn add_break(&mut self, place: Break) {
        self.push(Kind::Break(place));
        self.text.push_str(place.flat);
        self.width += place.width;
    }

    /// Whether a line of `width` bytes fits at an indentation.
    pub(super) fn fits(width: usize, indent: usize) -> bool {
        isize::try_from(width).is_ok_and(|width| width <= space_at(isize::try_from(indent).unwrap_or(isize::MAX)))
    }

    /// The number of pieces and bytes so far.
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.pieces.len(), self.text.len())
    }

    /// Drops the last `count` pieces, the first of which opened a group.
    pub(super) fn forget(&mut self, count: usize) {
        self.pieces.truncate(self.pieces.len().saturating_sub(count));
        self.groups.pop();
    }

    fn push(&mut self, kind: Kind) {
        self.pieces.push(Piece { kind, at: self.text.len(), width: self.width });
    }

    /// Moves the line to `out`, without a line end. Each resulting line is indented by `margin` plus `indent`; lines
    /// after the first are also indented by `hang`, plus the offsets of their groups.
    pub(super) fn flush(&mut self, out: &mut String, margin: usize, indent: usize, hang: usize) {
        spaces(out, margin + indent);
        // Most lines fit without a break, so that is checked before any layout. The text is at least as long as the
        // counted width, except that `INFINITE` exceeds both.
        let length = isize::try_from(self.text.len().max(self.width)).unwrap_or(isize::MAX);
        let indent = isize::try_from(indent).unwrap_or(isize::MAX);
        let space = space_at(indent);
        if length <= space {
            out.push_str(&self.text);
        } else {
            let hang = isize::try_from(hang).unwrap_or(0);
            let mut layout = Layout { out, margin, indent: indent + hang, space, frames: Vec::new() };
            layout.print(self);
        }
        self.text.clear();
        self.pieces.clear();
        self.groups.clear();
        self.width = 0;
    }

    /// For each piece, the width that has to fit on the line: up to the next break that is not deeper. Computed from
    /// the end in one pass, which makes the layout linear in the number of pieces.
    fn sizes(&self) -> Vec<usize> {
        let mut next = vec![self.width];
        let mut sizes: Vec<usize> = Vec::with_capacity(self.pieces.len());
        for piece in self.pieces.iter().rev() {
            if let Kind::Open { .. } = piece.kind {
                next.pop();
            }
            let end = next.last().copied().unwrap_or(self.width);
            sizes.push(end - piece.width);
            match piece.kind {
                Kind::Open { .. } => {}
                Kind::Close => next.push(end),
                Kind::Break(_) => {
                    next.pop();
                    next.push(piece.width);
                }
            }
        }
        sizes.reverse();
        sizes
    }
}

/// The state while a line that does not fit is broken.
struct Layout<'o> {
    out: &'o mut String,
    margin: usize,
    indent: isize,
    /// The space left on the current line; negative after text that could not be broken.
    space: isize,
    frames: Vec<Frame>,
}

impl Layout<'_> {
    fn print(&mut self, line: &Line) {
        let mut from = 0;
        for (piece, size) in line.pieces.iter().zip(line.sizes()) {
            self.text(line.text.get(from..piece.at).unwrap_or_default());
            from = piece.at;
            let fits = isize::try_from(size).is_ok_and(|size| size <= self.space);
            match piece.kind {
                Kind::Open { .. } if fits => self.frames.push(Frame::Fits),
                Kind::Open { offset, all } => {
                    self.frames.push(Frame::Broken { indent: self.indent, all });
                    self.indent += offset;
                }
                Kind::Close => {
                    if let Some(Frame::Broken { indent, .. }) = self.frames.pop() {
                        self.indent = indent;
                    }
                }
                Kind::Break(place) => {
                    self.break_at(&place, fits);
                    from += place.flat.len();
                }
            }
        }
        self.text(line.text.get(from..).unwrap_or_default());
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(text);
        self.space -= isize::try_from(text.len()).unwrap_or(isize::MAX);
    }

    fn break_at(&mut self, place: &Break, fits: bool) {
        let stays_flat = match self.frames.last() {
            Some(Frame::Fits) => true,
            Some(Frame::Broken { all: true, .. }) => false,
            Some(Frame::Broken { all: false, .. }) | None => fits,
        };
        if stays_flat || place.never {
            return self.text(place.flat);
        }
        let indent = self.indent + place.offset;
        self.out.push_str(place.before);
        self.out.push('\n');
        spaces(self.out, self.margin + usize::try_from(indent).unwrap_or(0));
        self.space = space_at(indent);
        self.text(place.after);
    }
}

/// The space that a line has at an indentation.
fn space_at(indent: isize) -> isize {
    (MARGIN - indent).max(MIN_SPACE)
}

/// Appends `count` spaces. Every line calls this, and copying from a constant is faster than `extend`.
fn spaces(out: &mut String, count: usize) {
    const SPACES: &str = "                                ";
    match SPACES.get(..count) {
        Some(spaces) => out.push_str(spaces),
        None => out.extend(std::iter::repeat_n(' ', count)),
    }
}
