//! A line of code that may be broken, and where.
//!
//! Oppen's algorithm ("Prettyprinting", 1980) with the numbers and the rules of `prettyplease`: a group that does not fit
//! is broken, at each of its breaks or only where needed, and so on inside it.

/// Lines are no longer, where they can be broken; the indent of the module is not counted.
const MARGIN: isize = 89;

/// What a line may hold however deep its indent is.
const LEAST: isize = 60;

/// More than fits anywhere.
const ENDLESS: usize = 1 << 32;

/// A place where a line may be broken.
#[derive(Clone, Copy, Default)]
pub(super) struct Break {
    /// What stands here if the line is not broken here.
    pub(super) flat: &'static str,
    /// How much of `flat` counts where it is to be seen whether something fits.
    pub(super) width: usize,
    /// What ends the line where it is broken.
    pub(super) before: &'static str,
    /// What starts the next one.
    pub(super) after: &'static str,
    /// The next one's indent, from that of the group.
    pub(super) offset: isize,
    /// It is no place to break, but what is before it is no longer asked to fit with what is behind it.
    pub(super) never: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Open {
        offset: isize,
        /// Whether all breaks are taken or only those that are needed.
        all: bool,
    },
    Close,
    Break(Break),
}

#[derive(Clone, Copy)]
struct Piece {
    kind: Kind,
    /// Where in the text it is.
    at: usize,
    /// The width of what is before it.
    width: usize,
}

#[derive(Clone, Copy)]
enum Frame {
    Fits,
    Broken { indent: isize, all: bool },
}

/// A line in the making.
#[derive(Default)]
pub(super) struct Line {
    /// The line as it is when it is not broken.
    text: String,
    pieces: Vec<Piece>,
    /// The width of what is before each group that is open.
    groups: Vec<usize>,
    width: usize,
}

impl Line {
    pub(super) fn text(&mut self, text: &str) {
        self.text.push_str(text);
        self.width += text.len();
    }

    /// Text that `write` appends.
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

    /// Closes a group that is broken, as is all around it, where it is wider than `width`.
    pub(super) fn close_within(&mut self, width: usize) {
        if self.groups.last().is_some_and(|before| self.width - before > width) {
            self.width += ENDLESS;
        }
        self.close();
    }

    pub(super) fn cut(&mut self, cut: Break) {
        self.push(Kind::Break(cut));
        self.text.push_str(cut.flat);
        self.width += cut.width;
    }

    /// How many pieces and bytes there are.
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.pieces.len(), self.text.len())
    }

    /// Forgets the last `count` pieces, the first of which opened a group.
    pub(super) fn forget(&mut self, count: usize) {
        self.pieces.truncate(self.pieces.len().saturating_sub(count));
        self.groups.pop();
    }

    fn push(&mut self, kind: Kind) {
        self.pieces.push(Piece { kind, at: self.text.len(), width: self.width });
    }

    /// Moves the line to `out`. Every line of it starts with `margin`, then `indent` and, in groups, `hang`.
    pub(super) fn flush(&mut self, out: &mut String, margin: usize, indent: usize, hang: usize) {
        spaces(out, margin + indent);
        // No less than what counts, but for what is endless.
        let length = isize::try_from(self.text.len().max(self.width)).unwrap_or(isize::MAX);
        let indent = isize::try_from(indent).unwrap_or(isize::MAX);
        let space = (MARGIN - indent).max(LEAST);
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

    /// The width of what has to fit: from each piece to the next break that is not deeper.
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

struct Layout<'o> {
    out: &'o mut String,
    margin: usize,
    indent: isize,
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
                Kind::Break(cut) => {
                    self.cut(&cut, fits);
                    from += cut.flat.len();
                }
            }
        }
        self.text(line.text.get(from..).unwrap_or_default());
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(text);
        self.space -= isize::try_from(text.len()).unwrap_or(isize::MAX);
    }

    fn cut(&mut self, cut: &Break, fits: bool) {
        let stays = match self.frames.last() {
            Some(Frame::Fits) => true,
            Some(Frame::Broken { all: true, .. }) => false,
            Some(Frame::Broken { all: false, .. }) | None => fits,
        };
        if stays || cut.never {
            return self.text(cut.flat);
        }
        let indent = self.indent + cut.offset;
        self.out.push_str(cut.before);
        self.out.push('\n');
        spaces(self.out, self.margin + usize::try_from(indent).unwrap_or(0));
        self.space = (MARGIN - indent).max(LEAST);
        self.text(cut.after);
    }
}

fn spaces(out: &mut String, count: usize) {
    const SPACES: &str = "                                ";
    match SPACES.get(..count) {
        Some(spaces) => out.push_str(spaces),
        None => out.extend(std::iter::repeat_n(' ', count)),
    }
}
