//! Identifiers from untrusted names: case, characters, collisions.
//!
//! Identifiers are ASCII, and other characters separate words. Unicode identifiers could look alike but differ.

use std::collections::{HashMap, HashSet};

use capgen_schema::Hash;

/// The most bytes of a name. A name that is longer, such as that of a type inside many others, ends with a hash
/// instead: names occur often in the output, whose size must not be the length of the names times their number.
const MAX_LENGTH: usize = 160;

/// How many hexadecimal digits of the hash a name gets that is too long. With 64 bits, no two names of a file have the
/// same hash by accident.
const HASH_LENGTH: usize = 16;

/// The words of a name in lower case. A name is split at characters other than ASCII letters and digits, before a
/// capital that follows a small letter or a digit, and before the last capital of a run (`HTTPServer` gives `http`,
/// `server`). In a name of only ASCII punctuation and spaces, such as an operator, the characters are spelled: `<=`
/// gives `less`, `equals`.
fn words(name: &str) -> Vec<String> {
    let spelled: Option<Vec<&str>> = name.chars().filter(|&c| c != ' ').map(punctuation).collect();
    if let Some(spelled) = spelled {
        return spelled.iter().flat_map(|words| words.split('_')).map(str::to_owned).collect();
    }
    let chars: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for (i, &c) in chars.iter().enumerate() {
        if !c.is_ascii_alphanumeric() {
            words.push(std::mem::take(&mut word));
            continue;
        }
        let before = i.checked_sub(1).and_then(|i| chars.get(i));
        let after = chars.get(i + 1);
        let starts = c.is_ascii_uppercase()
            && before.is_some_and(|b| {
                b.is_ascii_lowercase()
                    || b.is_ascii_digit()
                    || (b.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase))
            });
        if starts {
            words.push(std::mem::take(&mut word));
        }
        word.push(c.to_ascii_lowercase());
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// The words for an ASCII punctuation character, in snake_case; `None` for other characters.
fn punctuation(c: char) -> Option<&'static str> {
    Some(match c {
        '!' => "not",
        '"' => "double_quote",
        '#' => "hash",
        '$' => "dollar",
        '%' => "percent",
        '&' => "and",
        '\'' => "quote",
        '(' => "left_paren",
        ')' => "right_paren",
        '*' => "star",
        '+' => "plus",
        ',' => "comma",
        '-' => "minus",
        '.' => "dot",
        '/' => "slash",
        ':' => "colon",
        ';' => "semicolon",
        '<' => "less",
        '=' => "equals",
        '>' => "greater",
        '?' => "question",
        '@' => "at",
        '[' => "left_bracket",
        '\\' => "backslash",
        ']' => "right_bracket",
        '^' => "caret",
        '_' => "underscore",
        '`' => "backtick",
        '{' => "left_brace",
        '|' => "or",
        '}' => "right_brace",
        '~' => "tilde",
        _ => return None,
    })
}

/// A name in UpperCamelCase: `review-pr` gives `ReviewPr`. Words that would join two digits are separated by `_` (`1.0`
/// gives `1_0`, unlike `10`). The result may be empty or start with a digit, so it is only a part of an identifier.
pub(crate) fn camel(name: &str) -> String {
    let mut camel = String::new();
    for word in words(name) {
        let mut chars = word.chars();
        let Some(first) = chars.next() else { continue };
        if first.is_ascii_digit() && camel.ends_with(|c: char| c.is_ascii_digit()) {
            camel.push('_');
        }
        camel.push(first.to_ascii_uppercase());
        camel.extend(chars);
    }
    camel
}

/// [`camel`], or `fallback` if that is empty. The result is only a part of an identifier.
pub(crate) fn camel_or(name: &str, fallback: &str) -> String {
    let camel = camel(name);
    if camel.is_empty() { fallback.to_owned() } else { camel }
}

/// The name of a type inside another: the name of the outer type and its own.
pub(crate) fn nested(outer: &str, inner: &str) -> String {
    limited(format!("{outer}{inner}"), "X")
}

/// The name, or its beginning with a separator and a hash of all of it if it is too long.
fn limited(name: String, separator: &str) -> String {
    if name.len() <= MAX_LENGTH {
        return name;
    }
    let kept = MAX_LENGTH - HASH_LENGTH - separator.len();
    let digest = hash(name.as_bytes(), HASH_LENGTH);
    name.chars().take(kept).collect::<String>() + separator + &digest
}

/// [`camel`] as a whole identifier: `fallback` if it is empty, and with an `N` before a leading digit.
pub(crate) fn type_name(name: &str, fallback: &str) -> String {
    let camel = camel(name);
    let name = match camel.chars().next() {
        None => fallback.to_owned(),
        Some(first) if first.is_ascii_digit() => format!("N{camel}"),
        Some(_) => camel,
    };
    limited(name, "X")
}

/// Names in UpperCamelCase for an agent, the preferred one first. The last contains the whole hash of the id, which a
/// peer cannot choose.
///
/// Several ids have the same name in camel case (`a-b`, `a.b`). The plain name belongs to the one in kebab case; the
/// others get a hash.
pub(crate) fn of_agent(id: &str) -> impl Iterator<Item = String> {
    let camel = type_name(id, "Agent");
    let is_plain = field_name(id).replace('_', "-") == id;
    let hashed = [8, 16, 32, 64].map(|length| format!("{camel}X{}", hash(id.as_bytes(), length)));
    is_plain.then_some(camel).into_iter().chain(hashed)
}

/// Names in UpperCamelCase for the agents of a folder, whose ids are distinct, in the same order.
///
/// If several ids have the same name in camel case (`a-b`, `a.b`), each of them gets a hash. So no name passes to
/// another agent when that one joins.
pub(crate) fn of_agents(ids: &[&str]) -> Vec<String> {
    let mut names: Vec<_> = ids.iter().map(|id| (type_name(id, "Agent"), id.as_bytes().to_vec())).collect();
    make_unique(&mut names, "X", |_| false);
    names.into_iter().map(|(name, _)| name).collect()
}

/// A name in snake_case as a whole identifier: `prUrl` gives `pr_url`. An empty name becomes `field`, and a leading
/// digit is preceded by `n`.
pub(crate) fn field_name(name: &str) -> String {
    let snake = words(name).join("_");
    let name = match snake.chars().next() {
        None => "field".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("n{snake}"),
        Some(_) => snake,
    };
    limited(name, "_x")
}

/// Makes names unique: each name that occurs more than once, or is `reserved`, gets the suffix `separator` plus a hash
/// of its identity. All of a set of equal names get a suffix, and identities are distinct, so the result does not
/// depend on order.
pub(crate) fn make_unique(names: &mut [(String, Vec<u8>)], separator: &str, reserved: impl Fn(&str) -> bool) {
    let mut count: HashMap<&str, usize> = HashMap::new();
    for (name, _) in names.iter() {
        *count.entry(name).or_default() += 1;
    }
    let plain: HashSet<String> =
        count.iter().filter(|&(name, &n)| n == 1 && !reserved(name)).map(|(name, _)| (*name).to_owned()).collect();
    if plain.len() == names.len() {
        return;
    }
    // A peer can construct names whose short hashes collide, so the hashes grow until all names are distinct.
    for length in [8, 16, 32, 64] {
        let unique: Vec<String> = names
            .iter()
            .map(|(name, identity)| {
                if plain.contains(name) { name.clone() } else { format!("{name}{separator}{}", hash(identity, length)) }
            })
            .collect();
        let distinct: HashSet<&String> = unique.iter().filter(|name| !reserved(name)).collect();
        if distinct.len() == names.len() || length == 64 {
            for ((name, _), unique) in names.iter_mut().zip(unique) {
                *name = unique;
            }
            return;
        }
    }
}

/// The first `length` hexadecimal digits of the SHA-256 of `identity`.
pub(crate) fn hash(identity: &[u8], length: usize) -> String {
    Hash::of(identity).digits(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_idiomatic_identifiers() {
        for (name, camel, snake) in [
            ("review-pr", "ReviewPr", "review_pr"),
            ("prUrl", "PrUrl", "pr_url"),
            ("HTTPServer2", "HttpServer2", "http_server2"),
            ("PR_URL", "PrUrl", "pr_url"),
            ("1.0", "N1_0", "n1_0"),
            ("2fast", "N2fast", "n2fast"),
            ("größe", "GrE", "gr_e"),
            ("", "Value", "field"),
            ("<=", "LessEquals", "less_equals"),
            ("!=", "NotEquals", "not_equals"),
            ("_", "Underscore", "underscore"),
            ("< >", "LessGreater", "less_greater"),
            (" ", "Value", "field"),
            ("≤", "Value", "field"),
            ("__proto__", "Proto", "proto"),
            ("a/*b*/c", "ABC", "a_b_c"),
        ] {
            assert_eq!(type_name(name, "Value"), camel, "{name}");
            assert_eq!(field_name(name), snake, "{name}");
        }
    }

    #[test]
    fn every_punctuation_character_has_a_name() {
        let all: Vec<char> = (0..=u8::MAX).map(char::from).filter(char::is_ascii_punctuation).collect();
        let names: HashSet<&str> = all.iter().filter_map(|&c| punctuation(c)).collect();
        assert_eq!(names.len(), all.len());
        assert_eq!(type_name("([{", "Value"), "LeftParenLeftBracketLeftBrace");
        assert_eq!(type_name(&"!".repeat(200), "Value").len(), MAX_LENGTH);
    }

    #[test]
    fn agents_of_a_folder_have_different_names() {
        let names = of_agents(&["A-B", "a-b", "a.b", "my_agent", "pr-reviewer"]);
        assert!(names[..3].iter().all(|name| name.starts_with("ABX")), "{names:?}");
        assert!(names[0] != names[1] && names[1] != names[2] && names[0] != names[2], "{names:?}");
        assert_eq!(names[3..], ["MyAgent", "PrReviewer"]);
        let names = of_agents(&["a-1", "a1"]);
        assert!(names[0].starts_with("A1X") && names[1].starts_with("A1X") && names[0] != names[1], "{names:?}");
    }

    #[test]
    fn long_names_end_with_a_hash() {
        let (long, longer) = ("a".repeat(200), "a".repeat(201));
        for limit in [|name: &str| type_name(name, "Value"), field_name, |name: &str| nested("Outer", name)] {
            assert_eq!([limit(&long).len(), limit(&longer).len()], [MAX_LENGTH; 2]);
            assert_ne!(limit(&long), limit(&longer));
        }
        assert_eq!(nested("Outer", "Inner"), "OuterInner");
        assert!(field_name(&long).starts_with("aaa") && field_name(&long).contains("a_x"));
    }

    #[test]
    fn every_colliding_name_gets_a_suffix_in_any_order() {
        let unique_names = |order: [usize; 3]| {
            let all = [("Asc", "asc"), ("Asc", "ASC"), ("Desc", "desc")];
            let mut names: Vec<_> = order.map(|i| (all[i].0.to_owned(), all[i].1.as_bytes().to_vec())).into();
            make_unique(&mut names, "X", |_| false);
            let mut by_identity: Vec<_> = names.into_iter().map(|(name, id)| (id, name)).collect();
            by_identity.sort();
            by_identity
        };
        let names = unique_names([0, 1, 2]);
        assert_eq!(names, unique_names([2, 1, 0]));
        assert!(names[0].1.starts_with("AscX") && names[1].1.starts_with("AscX") && names[0].1 != names[1].1);
        assert_eq!(names[2].1, "Desc");
    }
}
