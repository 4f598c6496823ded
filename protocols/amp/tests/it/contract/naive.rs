//! A model of versions and ranges that works on texts, written from the specifications and not from the code.

use std::cmp::Ordering;

use proptest::prelude::*;

/// The order of two versions by <https://semver.org/#spec-item-11>.
pub(crate) fn precedence(one: &str, other: &str) -> Ordering {
    let split = |text: &str| {
        let text = text.split('+').next().unwrap().to_owned();
        match text.split_once('-') {
            Some((core, pre)) => (core.to_owned(), Some(pre.to_owned())),
            None => (text, None),
        }
    };
    let ((core, pre), (other_core, other_pre)) = (split(one), split(other));
    let core =
        core.split('.').zip(other_core.split('.')).fold(Ordering::Equal, |order, (a, b)| order.then(number(a, b)));
    core.then_with(|| match (pre, other_pre) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(one), Some(other)) => pre_release(&one, &other),
    })
}

fn pre_release(one: &str, other: &str) -> Ordering {
    let mut ones = one.split('.');
    let mut others = other.split('.');
    loop {
        let order = match (ones.next(), others.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(a), Some(b)) => match (is_number(a), is_number(b)) {
                (true, true) => number(a, b),
                (true, false) => Ordering::Less,
                (false, true) => Ordering::Greater,
                (false, false) => a.cmp(b),
            },
        };
        if order.is_ne() {
            return order;
        }
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn number(one: &str, other: &str) -> Ordering {
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

/// Whether a version is in a range that is known to be valid.
pub(crate) fn is_in(version: &str, range: &str) -> bool {
    range.split(' ').filter(|part| !part.is_empty()).all(|part| {
        let bound = part.trim_start_matches(['<', '>', '=']);
        let order = precedence(version, bound);
        match &part[..part.len() - bound.len()] {
            "<" => order == Ordering::Less,
            "<=" => order != Ordering::Greater,
            ">" => order == Ordering::Greater,
            ">=" => order != Ordering::Less,
            _ => order == Ordering::Equal,
        }
    })
}

/// Versions that are often equal or neighbours.
pub(crate) fn versions() -> impl Strategy<Value = String> {
    let number = prop_oneof![8 => (0_u64..3).boxed(), 1 => Just(u64::MAX).boxed()];
    let pre = prop_oneof![
        6 => Just(String::new()),
        4 => prop::sample::select(vec!["0", "1", "10", "2", "a", "rc", "rc.0", "rc.1", "rc.10", "rc.2", "-", "99999999999999999999"])
            .prop_map(|pre| format!("-{pre}")),
    ];
    let build = prop_oneof![5 => Just(""), 1 => Just("+a"), 1 => Just("+b.01")];
    ([number.clone(), number.clone(), number], pre, build)
        .prop_map(|([major, minor, patch], pre, build)| format!("{major}.{minor}.{patch}{pre}{build}"))
}

/// Valid ranges, with any number of spaces between comparators.
pub(crate) fn ranges() -> impl Strategy<Value = String> {
    let comparator = (prop::sample::select(vec!["=", "<", "<=", ">", ">="]), versions());
    let comparators = prop::collection::vec((comparator, 1_usize..4), 1..4).prop_map(|comparators| {
        let parts = comparators
            .iter()
            .map(|((operator, version), spaces)| format!("{operator}{version}{}", " ".repeat(*spaces)));
        parts.collect::<String>().trim_end().to_owned()
    });
    prop_oneof![1 => versions(), 4 => comparators]
}
