//! Conditions, and how they are written.

use super::layout::new_line;
use crate::typescript::syntax::WIDTH;

/// A condition of type `boolean`.
#[derive(Clone, PartialEq)]
pub(super) enum Expr {
    True,
    False,
    /// An operand of `&&` as it stands.
    Atom(String),
    /// That the variable `size` is now `start`.
    Count {
        size: String,
        start: usize,
    },
    And(Vec<Expr>),
    Or(Vec<Expr>),
}

pub(super) fn atom(text: impl Into<String>) -> Expr {
    Expr::Atom(text.into())
}

/// That all hold.
pub(super) fn all(exprs: impl IntoIterator<Item = Expr>) -> Expr {
    let mut terms = Vec::new();
    for expr in exprs {
        match expr {
            Expr::True => {}
            Expr::False => return Expr::False,
            Expr::And(inner) => terms.extend(inner),
            expr => terms.push(expr),
        }
    }
    single(terms, Expr::True, Expr::And)
}

/// That one holds.
pub(super) fn any(exprs: impl IntoIterator<Item = Expr>) -> Expr {
    let mut terms = Vec::new();
    for expr in exprs {
        match expr {
            Expr::False => {}
            Expr::True => return Expr::True,
            Expr::Or(inner) => terms.extend(inner),
            expr => terms.push(expr),
        }
    }
    single(terms, Expr::False, Expr::Or)
}

/// What each asks first of all, and what they ask then.
pub(super) fn factor(exprs: Vec<Expr>) -> (Vec<Expr>, Vec<Expr>) {
    let mut lists: Vec<Vec<Expr>> =
        exprs.into_iter().map(|expr| if let Expr::And(terms) = expr { terms } else { vec![expr] }).collect();
    let Some((first, others)) = lists.split_first() else { return (Vec::new(), Vec::new()) };
    // What is assigned here, a branch that fails may have assigned anew.
    let is_common = |(at, term): &(usize, &Expr)| {
        !term.flat().contains(" = ") && others.iter().all(|list| list.get(*at) == Some(*term))
    };
    let count = first.iter().enumerate().take_while(is_common).count();
    let common = first.iter().take(count).cloned().collect();
    for list in &mut lists {
        list.drain(..count);
    }
    (common, lists.into_iter().map(all).collect())
}

fn single(mut terms: Vec<Expr>, none: Expr, many: fn(Vec<Expr>) -> Expr) -> Expr {
    match terms.len() {
        0 => none,
        1 => terms.pop().unwrap_or(none),
        _ => many(terms),
    }
}

impl Expr {
    /// Without a count that begins at once, which is given as a variable and its value.
    pub(super) fn without_counter(self) -> (Option<(String, String)>, Expr) {
        let Expr::And(mut terms) = self else { return (None, self) };
        let counter = terms.iter().enumerate().find_map(|(at, term)| match term {
            Expr::Count { size, start } => Some((at, size.clone(), start.to_string())),
            _ => None,
        });
        let is_first = |at: usize, size: &str| terms.iter().take(at).all(|term| term.uses(size) == 0);
        match counter.filter(|(at, size, _)| is_first(*at, size)) {
            Some((at, size, start)) => {
                terms.remove(at);
                (Some((size, start)), all(terms))
            }
            None => (None, Expr::And(terms)),
        }
    }

    /// On one line.
    pub(super) fn flat(&self) -> String {
        match self {
            Expr::True => "true".to_owned(),
            Expr::False => "false".to_owned(),
            Expr::Atom(text) => text.clone(),
            Expr::Count { size, start } => format!("(({size} = {start}), true)"),
            Expr::And(terms) => terms.iter().map(Expr::operand).collect::<Vec<_>>().join(" && "),
            Expr::Or(terms) => {
                let terms =
                    terms.iter().map(|term| if let Expr::And(_) = term { term.enclosed() } else { term.flat() });
                terms.collect::<Vec<_>>().join(" || ")
            }
        }
    }

    /// As an operand of any operator.
    pub(super) fn operand(&self) -> String {
        if let Expr::And(_) | Expr::Or(_) = self { self.enclosed() } else { self.flat() }
    }

    /// As the operand of `!`.
    pub(super) fn operand_of_not(&self) -> String {
        let flat = self.flat();
        if is_call(&flat) { flat } else { format!("({flat})") }
    }

    fn enclosed(&self) -> String {
        format!("({})", self.flat())
    }

    /// Whether the value `v` stands in it more often than so.
    pub(super) fn uses(&self, v: &str) -> usize {
        super::output::identifiers(&self.flat()).filter(|name| *name == v).count()
    }

    /// With the first of what stands for `v` replaced.
    pub(super) fn replace_first(self, v: &str, replacement: &str) -> Expr {
        fn replace(expr: Expr, v: &str, replacement: &str, is_done: &mut bool) -> Expr {
            let mut each =
                |terms: Vec<Expr>| terms.into_iter().map(|term| replace(term, v, replacement, is_done)).collect();
            match expr {
                Expr::And(terms) => Expr::And(each(terms)),
                Expr::Or(terms) => Expr::Or(each(terms)),
                Expr::Atom(text) if !*is_done => {
                    let replaced = replace_identifier(&text, v, replacement);
                    *is_done = replaced.is_some();
                    Expr::Atom(replaced.unwrap_or(text))
                }
                expr => expr,
            }
        }
        replace(self, v, replacement, &mut false)
    }

    /// Whether an access to a property is compared before anything else.
    pub(super) fn begins_with(&self, access: &str) -> bool {
        match self {
            Expr::Atom(text) => text.strip_prefix(access).is_some_and(|rest| rest.starts_with(" === ")),
            Expr::And(terms) | Expr::Or(terms) => {
                let first = terms.iter().find(|term| !matches!(term, Expr::Count { .. }));
                first.is_some_and(|term| term.begins_with(access))
            }
            _ => false,
        }
    }

    /// With an access replaced where it stands first.
    pub(super) fn replace_access(self, access: &str, replacement: &str) -> Expr {
        match self {
            Expr::Atom(text) => Expr::Atom(replace_whole(&text, access, replacement).unwrap_or(text)),
            Expr::And(terms) => Expr::And(replace_in_first(terms, access, replacement)),
            Expr::Or(terms) => Expr::Or(replace_in_first(terms, access, replacement)),
            expr => expr,
        }
    }

    /// Writes it behind `column` characters of a line that is indented by `indent`, in parentheses where it breaks.
    pub(super) fn write(&self, out: &mut String, column: usize, indent: usize) {
        let flat = self.flat();
        match self {
            Expr::And(terms) if column + flat.len() > WIDTH => write_lines(terms, " &&", out, indent),
            Expr::Or(terms) if column + flat.len() > WIDTH => write_lines(terms, " ||", out, indent),
            _ => out.push_str(&flat),
        }
    }
}

fn write_lines(terms: &[Expr], operator: &str, out: &mut String, indent: usize) {
    out.push('(');
    for (index, term) in terms.iter().enumerate() {
        new_line(out, indent + 2);
        let operand = term.operand();
        match term {
            Expr::And(terms) if indent + 4 + operand.len() > WIDTH => write_lines(terms, " &&", out, indent + 2),
            Expr::Or(terms) if indent + 4 + operand.len() > WIDTH => write_lines(terms, " ||", out, indent + 2),
            _ => out.push_str(&operand),
        }
        if index + 1 < terms.len() {
            out.push_str(operator);
        }
    }
    new_line(out, indent);
    out.push(')');
}

fn replace_in_first(mut terms: Vec<Expr>, access: &str, replacement: &str) -> Vec<Expr> {
    for term in &mut terms {
        let replaced = term.clone().replace_access(access, replacement);
        if replaced != *term {
            *term = replaced;
            break;
        }
    }
    terms
}

/// With the text replaced at the start, or behind an assignment at the start.
fn replace_whole(text: &str, access: &str, replacement: &str) -> Option<String> {
    let (before, rest) = text.split_once(access)?;
    let is_start = before.is_empty() || (before.starts_with('(') && before.ends_with(" = ") && !before.contains('"'));
    let is_whole = rest.starts_with([' ', ')']);
    (is_start && is_whole).then(|| format!("{before}{replacement}{rest}"))
}

fn replace_identifier(text: &str, v: &str, replacement: &str) -> Option<String> {
    let at = super::output::identifier_positions(text).find(|(_, name)| *name == v)?.0;
    let (before, rest) = text.split_at_checked(at)?;
    Some(format!("{before}{replacement}{}", rest.strip_prefix(v)?))
}

/// Whether a text is one call, or stands in parentheses.
fn is_call(text: &str) -> bool {
    let from = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.'));
    let mut depth = 0u32;
    let is_open_to_the_end = text.char_indices().skip_while(|(at, _)| Some(*at) != from).all(|(at, c)| {
        depth = match c {
            '(' => depth + 1,
            ')' => depth.saturating_sub(1),
            _ => depth,
        };
        depth > 0 || at + 1 == text.len()
    });
    is_open_to_the_end && text.ends_with(')') && !text.contains('"')
}
