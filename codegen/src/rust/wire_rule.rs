//! Rules that are checked while a value is read or written, as expressions of the runtime's rule types.

use capgen_schema::Format;

use super::types::Types;
use super::writer::Writer;
use super::{codec, ident};
use crate::model::{Guard, NumberLimit, Shape, Type, TypeDef};

/// An expression for one of the runtime's rules, with the arguments of its constructor.
///
/// A place without a rule has `Option::None`: it asserts nothing beyond its Rust type, so the generated code calls
/// `read` instead of `read_by`.
pub(super) enum WireRule {
    Length {
        min: u64,
        max: Option<u64>,
    },
    Text {
        min: u64,
        max: Option<u64>,
        pattern: Option<String>,
        format: Option<Format>,
    },
    Integer {
        is_unsigned: bool,
        min: Option<i128>,
        max: Option<i128>,
    },
    Number {
        min: NumberLimit,
        max: NumberLimit,
    },
    MultipleOf {
        divisor: String,
        other: Option<Box<WireRule>>,
    },
    Items {
        is_unique: bool,
        min: u64,
        max: Option<u64>,
        item: Option<Box<WireRule>>,
    },
    /// Of the items of a tuple.
    Tuple(Vec<Option<WireRule>>),
    Values(Box<WireRule>),
    /// Of the names of a map, and the other rule of the map.
    Names(Box<WireRule>, Option<Box<WireRule>>),
    Nullable(Box<WireRule>),
    Boxed(Box<WireRule>),
    Interpreted(Interpreted),
}

/// Schemas that the interpreter checks, because neither the type nor other rules express all of their assertions.
pub(super) struct Interpreted {
    /// The name of the `static` with the schema of the side.
    schema: String,
    /// JSON Pointers into that schema, without duplicates.
    pointers: Vec<String>,
}

impl Interpreted {
    /// The schemas to check in addition to a definition's type.
    pub(super) fn of(types: &Types<'_>, def: &TypeDef) -> Option<Self> {
        def.coverage.interpreted().map(|pointers| Self::new(types, def, pointers))
    }

    fn new(types: &Types<'_>, def: &TypeDef, pointers: &[String]) -> Self {
        let pointers = codec::distinct(pointers).into_iter().map(str::to_owned).collect();
        Self { schema: ident::schema_static(types.root(def)), pointers }
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        writer.call("wire::Interpreted::new", |w| {
            w.text("&");
            w.text(&self.schema);
            w.comma();
            w.text("&");
            w.list("[", "]", |w| w.each(&self.pointers, |w, pointer| w.literal(pointer)));
        });
    }
}

/// The rule for a place in the definition `def`; `None` if the type covers all assertions.
pub(super) fn of(types: &Types<'_>, def: &TypeDef, ty: &Type, guard: &Guard) -> Option<WireRule> {
    if let Guard::Interpreted(pointers) = guard {
        return Some(WireRule::Interpreted(Interpreted::new(types, def, pointers)));
    }
    match ty {
        // If the interpreter checks the inner type, its schema is that of an alias, which need not allow `null`.
        Type::Nullable(inner) => of(types, def, inner, guard).map(|rule| WireRule::Nullable(Box::new(rule))),
        Type::Array { item, min, max } => {
            let (is_unique, item_guard) = match guard {
                Guard::Items { unique, item } => (*unique, item.as_ref()),
                _ => (false, &Guard::None),
            };
            let item = of(types, def, item, item_guard).map(Box::new);
            let is_needed = is_unique || *min > 0 || max.is_some() || item.is_some();
            is_needed.then_some(WireRule::Items { is_unique, min: *min, max: *max, item })
        }
        Type::Tuple(tuple) => {
            let guards = if let Guard::Positions(guards) = guard { guards.as_slice() } else { &[] };
            let guards = guards.iter().chain(std::iter::repeat(&Guard::None));
            let rules: Vec<_> =
                tuple.items.iter().zip(guards).map(|(item, guard)| of(types, def, item, guard)).collect();
            rules.iter().any(Option::is_some).then_some(WireRule::Tuple(rules))
        }
        Type::Map(value) => {
            let (name, guard) = match guard {
                Guard::Names { name, values } => (scalar(&Type::String, name), values.as_ref()),
                guard => (None, guard),
            };
            let guard = if let Guard::Values(guard) = guard { guard } else { &Guard::None };
            let values = of(types, def, value, guard).map(|rule| WireRule::Values(Box::new(rule)));
            match name {
                Some(name) => Some(WireRule::Names(Box::new(name), values.map(Box::new))),
                None => values,
            }
        }
        Type::Named { id, boxed } => alias(types, types.def(*id)).map(|rule| match rule {
            // It applies to every type.
            WireRule::Interpreted(_) => rule,
            rule if *boxed => WireRule::Boxed(Box::new(rule)),
            rule => rule,
        }),
        _ => scalar(ty, guard),
    }
}

/// The rule of a type that is printed as a Rust `type`. It applies wherever the name is used, because a `type` has no
/// code of its own to check it; every other named type checks itself.
fn alias(types: &Types<'_>, def: &TypeDef) -> Option<WireRule> {
    match &def.shape {
        Shape::Alias { target, guard, .. } if !types.is_newtype(def) => match Interpreted::of(types, def) {
            Some(interpreted) => Some(WireRule::Interpreted(interpreted)),
            None => of(types, def, target, guard),
        },
        _ => None,
    }
}

fn scalar(ty: &Type, guard: &Guard) -> Option<WireRule> {
    Some(match guard {
        Guard::Text { min, max, pattern: None, format: None } => WireRule::Length { min: *min, max: *max },
        Guard::Text { min, max, pattern, format } => {
            WireRule::Text { min: *min, max: *max, pattern: pattern.clone(), format: *format }
        }
        Guard::Integer { min, max } => {
            let is_unsigned = *ty == Type::Integer { unsigned: true };
            // `u64` itself asserts `minimum: 0`.
            let min = min.filter(|min| !is_unsigned || *min > 0);
            if min.is_none() && max.is_none() {
                return None;
            }
            WireRule::Integer { is_unsigned, min, max: *max }
        }
        Guard::Number { min, max } => WireRule::Number { min: *min, max: *max },
        Guard::MultipleOf { divisor, other } => {
            WireRule::MultipleOf { divisor: divisor.to_string(), other: scalar(ty, other).map(Box::new) }
        }
        _ => return None,
    })
}

impl WireRule {
    /// Writes the rule's type, as `static` items need it.
    pub(super) fn write_type(&self, writer: &mut Writer) {
        let generic = |w: &mut Writer, path: &str, inner: &dyn Fn(&mut Writer)| w.generic(path, inner);
        match self {
            WireRule::Length { .. } => writer.text("wire::Length"),
            WireRule::Text { .. } => writer.text("wire::Text"),
            WireRule::Integer { is_unsigned, .. } => {
                let integer = if *is_unsigned { "u64" } else { "i64" };
                generic(writer, "wire::Within", &|w| w.text(integer));
            }
            WireRule::Number { .. } => generic(writer, "wire::Within", &|w| w.text("f64")),
            WireRule::MultipleOf { other, .. } => {
                generic(writer, "wire::MultipleOf", &|w| write_type(w, other.as_deref()))
            }
            WireRule::Items { is_unique, item, .. } => {
                let items = |w: &mut Writer| generic(w, "wire::Items", &|w| write_type(w, item.as_deref()));
                if *is_unique { generic(writer, "wire::Unique", &items) } else { items(writer) }
            }
            WireRule::Tuple(items) => generic(writer, "wire::Tuple", &|w| {
                w.tuple(items, |w, item| write_type(w, item.as_ref()));
            }),
            WireRule::Values(value) => generic(writer, "wire::Values", &|w| value.write_type(w)),
            WireRule::Names(name, values) => generic(writer, "wire::Names", &|w| {
                name.write_type(w);
                w.comma();
                write_type(w, values.as_deref());
            }),
            WireRule::Nullable(inner) => generic(writer, "wire::Nullable", &|w| inner.write_type(w)),
            WireRule::Boxed(inner) => generic(writer, "wire::Boxed", &|w| inner.write_type(w)),
            WireRule::Interpreted(_) => writer.text("wire::Interpreted"),
        }
    }

    /// Writes the rule as a constant expression.
    pub(super) fn write(&self, writer: &mut Writer) {
        match self {
            WireRule::Length { min, max } => length(writer, *min, *max),
            WireRule::Text { min: 0, max: None, pattern: Some(pattern), format: None } => {
                writer.call("wire::Text::pattern", |w| w.literal(pattern));
            }
            WireRule::Text { min: 0, max: None, pattern: None, format: Some(format) } => {
                writer.call("wire::Text::format", |w| w.text(format_path(*format)));
            }
            WireRule::Text { min, max, pattern, format } => writer.call("wire::Text::new", |w| {
                length(w, *min, *max);
                w.comma();
                option(w, pattern.as_deref(), |w, pattern| w.literal(pattern));
                w.comma();
                option(w, *format, |w, format| w.text(format_path(format)));
            }),
            WireRule::Integer { is_unsigned: true, min, max } => within(writer, &unsigned(*min, *max)),
            WireRule::Integer { is_unsigned: false, min, max } => within(writer, &signed(*min, *max)),
            WireRule::Number { min, max } => numbers(writer, *min, *max),
            WireRule::MultipleOf { divisor, other } => writer.call("wire::MultipleOf::new", |w| {
                w.literal(divisor);
                w.comma();
                write(w, other.as_deref());
            }),
            WireRule::Items { is_unique, min, max, item } => {
                let items = |w: &mut Writer| {
                    w.call("wire::Items::new", |w| {
                        w.each([min.to_string(), max_literal(*max)], |w, limit| w.text(&limit));
                        w.comma();
                        write(w, item.as_deref());
                    });
                };
                if *is_unique { writer.call("wire::Unique", items) } else { items(writer) }
            }
            WireRule::Tuple(items) => {
                // `prettyplease` breaks a tuple that is the only argument, and not the list of arguments.
                writer.text("wire::Tuple(");
                writer.tuple(items, |w, item| write(w, item.as_ref()));
                writer.text(")");
            }
            WireRule::Values(value) => writer.call("wire::Values", |w| value.write(w)),
            WireRule::Names(name, values) => writer.call("wire::Names::new", |w| {
                name.write(w);
                w.comma();
                write(w, values.as_deref());
            }),
            WireRule::Nullable(inner) => writer.call("wire::Nullable", |w| inner.write(w)),
            WireRule::Boxed(inner) => writer.call("wire::Boxed", |w| inner.write(w)),
            WireRule::Interpreted(interpreted) => interpreted.write(writer),
        }
    }
}

fn write_type(writer: &mut Writer, rule: Option<&WireRule>) {
    match rule {
        Some(rule) => rule.write_type(writer),
        None => writer.text("wire::Any"),
    }
}

fn write(writer: &mut Writer, rule: Option<&WireRule>) {
    match rule {
        Some(rule) => rule.write(writer),
        None => writer.text("wire::Any"),
    }
}

fn option<T>(writer: &mut Writer, value: Option<T>, write: impl FnOnce(&mut Writer, T)) {
    match value {
        Some(value) => writer.call("Some", |w| write(w, value)),
        None => writer.text("None"),
    }
}

fn length(writer: &mut Writer, min: u64, max: Option<u64>) {
    writer.call("wire::Length::new", |w| w.each([min.to_string(), max_literal(max)], |w, limit| w.text(&limit)));
}

fn within(writer: &mut Writer, limits: &[String; 2]) {
    writer.call("wire::Within::new", |w| w.each(limits, |w, limit| w.text(limit)));
}

fn numbers(writer: &mut Writer, min: NumberLimit, max: NumberLimit) {
    let limits = [float(min.value), float(max.value)];
    let methods = [(min, ".exclusive_minimum"), (max, ".exclusive_maximum")];
    let mut methods = methods.into_iter().filter(|(limit, _)| limit.is_exclusive).map(|(_, method)| method).peekable();
    if methods.peek().is_none() {
        return within(writer, &limits);
    }
    writer.group(4, |w| {
        within(w, &limits);
        methods.for_each(|method| w.method(method, |_| {}));
    });
}

fn max_literal(max: Option<u64>) -> String {
    unsigned_literal(max.unwrap_or(u64::MAX))
}

fn unsigned_literal(limit: u64) -> String {
    if limit == u64::MAX { "u64::MAX".to_owned() } else { limit.to_string() }
}

fn signed_literal(limit: i64) -> String {
    match limit {
        // A number would be a negated literal that is out of range.
        i64::MIN => "i64::MIN".to_owned(),
        i64::MAX => "i64::MAX".to_owned(),
        limit => limit.to_string(),
    }
}

/// Bounds as `u64` literals. Bounds that exclude every `u64` become an empty range, which rejects every value.
fn unsigned(min: Option<i128>, max: Option<i128>) -> [String; 2] {
    let limits = [min.unwrap_or(0).max(0), max.unwrap_or(u64::MAX.into()).min(u64::MAX.into())];
    match limits.map(u64::try_from) {
        [Ok(min), Ok(max)] => [min, max].map(unsigned_literal),
        _ => ["u64::MAX".to_owned(), "0".to_owned()],
    }
}

/// Bounds as `i64` literals, like [`unsigned`].
fn signed(min: Option<i128>, max: Option<i128>) -> [String; 2] {
    let limits = [min.unwrap_or(i128::MIN).max(i64::MIN.into()), max.unwrap_or(i128::MAX).min(i64::MAX.into())];
    match limits.map(i64::try_from) {
        [Ok(min), Ok(max)] => [min, max].map(signed_literal),
        _ => ["i64::MAX".to_owned(), "i64::MIN".to_owned()],
    }
}

/// A finite float in the shortest form that reads back as the same value.
fn float(limit: f64) -> String {
    if limit == f64::INFINITY {
        "f64::INFINITY".to_owned()
    } else if limit == f64::NEG_INFINITY {
        "f64::NEG_INFINITY".to_owned()
    } else {
        format!("{limit:?}")
    }
}

const fn format_path(format: Format) -> &'static str {
    match format {
        Format::Uuid => "wire::Format::Uuid",
        Format::Email => "wire::Format::Email",
        Format::Uri => "wire::Format::Uri",
        Format::UriReference => "wire::Format::UriReference",
        Format::DateTime => "wire::Format::DateTime",
        Format::Date => "wire::Format::Date",
        Format::Time => "wire::Format::Time",
        Format::Duration => "wire::Format::Duration",
        Format::Ipv4 => "wire::Format::Ipv4",
        Format::Ipv6 => "wire::Format::Ipv6",
        Format::Hostname => "wire::Format::Hostname",
        Format::IdnEmail => "wire::Format::IdnEmail",
        Format::Iri => "wire::Format::Iri",
        Format::UriTemplate => "wire::Format::UriTemplate",
        Format::JsonPointer => "wire::Format::JsonPointer",
        Format::Regex => "wire::Format::Regex",
    }
}
