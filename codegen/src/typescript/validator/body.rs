//! The statements of a function that gives a verdict.

use super::layout::new_line;
use super::output::identifiers;
use crate::typescript::syntax::WIDTH;

/// Collects statements; conditions that must hold are gathered into one.
pub(super) struct Body {
    out: String,
    indent: usize,
    conditions: Vec<String>,
    /// Whether what follows in each open block is never reached.
    dead: Vec<bool>,
    names: usize,
}

impl Body {
    pub(super) fn new() -> Self {
        Self { out: String::new(), indent: 2, conditions: Vec::new(), dead: vec![false], names: 0 }
    }

    /// A name for a variable.
    pub(super) fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// How many blocks are open.
    pub(super) fn nesting(&self) -> usize {
        self.dead.len()
    }

    /// The verdict is `false` unless the condition holds.
    pub(super) fn require(&mut self, condition: impl Into<String>) {
        if !self.is_dead() {
            self.conditions.push(condition.into());
        }
    }

    /// The verdict is `false`.
    pub(super) fn refuse(&mut self) {
        self.line("return false;");
        if let Some(dead) = self.dead.last_mut() {
            *dead = true;
        }
    }

    pub(super) fn line(&mut self, text: &str) {
        self.flush();
        if !self.is_dead() {
            new_line(&mut self.out, self.indent);
            self.out.push_str(text);
        }
    }

    /// Where the next statement will stand.
    pub(super) fn mark(&mut self) -> usize {
        self.flush();
        self.out.len()
    }

    /// Replaces a part of the text of the statement at `mark` if no statement behind it uses `name`.
    pub(super) fn unless_used(&mut self, mark: usize, name: &str, part: &str, replacement: &str) {
        self.flush();
        let Some(text) = self.out.get(mark..) else { return };
        let Some((before, after)) = text.split_once(part) else { return };
        if !identifiers(after).any(|identifier| identifier == name) {
            let text = format!("{before}{replacement}{after}");
            self.out.truncate(mark);
            self.out.push_str(text.trim_end_matches(' '));
        }
    }

    /// Drops what stands behind `mark` if it always refuses.
    pub(super) fn collapse(&mut self, mark: usize) {
        if self.is_dead() && mark < self.out.len() {
            self.out.truncate(mark);
            if let Some(dead) = self.dead.last_mut() {
                *dead = false;
            }
            self.refuse();
        }
    }

    pub(super) fn open(&mut self, head: &str) {
        self.line(&format!("{head} {{"));
        self.dead.push(self.is_dead());
        self.indent += 2;
    }

    /// Closes a block and opens the next, such as one that begins with `else`.
    pub(super) fn turn(&mut self, head: &str) {
        self.end_block();
        self.line(&format!("}} {head} {{"));
        self.dead.push(self.is_dead());
        self.indent += 2;
    }

    pub(super) fn close(&mut self) {
        self.end_block();
        self.line("}");
    }

    /// Closes the last block and refuses what does not meet a condition.
    pub(super) fn turn_to_condition(&mut self, condition: &str) {
        self.end_block();
        self.line(&format!("}} else if (!({condition})) {{"));
        self.indent += 2;
        self.line("return false;");
        self.indent -= 2;
        self.line("}");
    }

    fn end_block(&mut self) {
        self.flush();
        self.dead.pop();
        self.indent -= 2;
    }

    fn is_dead(&self) -> bool {
        self.dead.last().copied().unwrap_or(false)
    }

    fn flush(&mut self) {
        let conditions = std::mem::take(&mut self.conditions);
        if conditions.is_empty() || self.is_dead() {
            return;
        }
        new_line(&mut self.out, self.indent);
        self.out.push_str("if (!");
        write_all(&mut self.out, &conditions, self.indent, true);
        self.out.push_str(") return false;");
    }

    /// The statements, with the verdict on what nothing refused.
    pub(super) fn finish(mut self) -> String {
        let conditions = std::mem::take(&mut self.conditions);
        if self.is_dead() {
            return self.out;
        }
        new_line(&mut self.out, self.indent);
        self.out.push_str("return ");
        if conditions.is_empty() {
            self.out.push_str("true");
        } else {
            write_all(&mut self.out, &conditions, self.indent, false);
        }
        self.out.push(';');
        self.out
    }
}

fn write_all(out: &mut String, conditions: &[String], indent: usize, in_parens: bool) {
    let width: usize = conditions.iter().map(|condition| condition.chars().count() + 4).sum();
    let is_broken = conditions.len() > 1 && indent + width + 20 > WIDTH;
    let parens = if in_parens || is_broken { ["(", ")"] } else { ["", ""] };
    let [open, close] = parens;
    out.push_str(open);
    for (index, condition) in conditions.iter().enumerate() {
        if is_broken {
            new_line(out, indent + 2);
        }
        out.push_str(condition);
        if index + 1 < conditions.len() {
            out.push_str(if is_broken { " &&" } else { " && " });
        }
    }
    if is_broken {
        new_line(out, indent);
    }
    out.push_str(close);
}
