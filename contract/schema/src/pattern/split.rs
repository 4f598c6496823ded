//! Patterns with look-around at their ends, as combinations of patterns without it.
//!
//! A look-ahead directly after `^` concerns the start of the text, whatever the rest of the pattern matches. So
//! `^(?=a)(?!b)c` matches the texts that match `^c` and `^(?:a)` and do not match `^(?:b)`. The same is true of
//! look-behind directly before `$`, and if a fixed number of characters is between. Most look-around in practice is of
//! this kind: a text that must contain a digit, or must not start or end with some characters.

use super::Pattern;

/// A pattern, and whether it has to match.
pub(crate) type Condition = (String, bool);

/// The most alternatives. Alternatives at both ends multiply; usual patterns have one or two.
const MAX_ALTERNATIVES: usize = 32;

/// An equivalent of a pattern: a text matches if it meets every condition of one of the lists. Some conditions may have
/// look-around elsewhere. `None` if no look-around is at an end.
pub(crate) fn split(source: &str) -> Option<Vec<Vec<Condition>>> {
    // Two escapes of surrogates are one character if nothing is between them.
    if source.to_ascii_lowercase().contains("\\ud") {
        return None;
    }
    let sequences = sequences(source)?;
    let mut is_split = false;
    let mut alternatives = Vec::new();
    for items in sequences {
        let conditions = conditions(&items);
        is_split |= conditions.len() > 1;
        alternatives.push(conditions);
    }
    let is_valid = alternatives.iter().flatten().all(|(source, _)| Pattern::new(source).is_ok());
    (is_split && is_valid).then_some(alternatives)
}

/// A part of a pattern that follows another part.
#[derive(Clone)]
struct Item<'s> {
    text: &'s str,
    kind: Kind<'s>,
}

#[derive(Clone)]
enum Kind<'s> {
    Start,
    End,
    Ahead {
        body: &'s str,
        negated: bool,
    },
    Behind {
        body: &'s str,
        negated: bool,
    },
    /// A group without a quantifier.
    Group(&'s str),
    Other,
}

/// The alternatives of a pattern, each as the items that follow each other. Groups with look-around are replaced by
/// their contents.
fn sequences(source: &str) -> Option<Vec<Vec<Item<'_>>>> {
    let mut all = Vec::new();
    for alternative in items(source)? {
        let mut expanded: Vec<Vec<Item<'_>>> = vec![Vec::new()];
        for item in alternative {
            let inner = match item.kind {
                Kind::Group(body) if has_look_around(body) => sequences(body)?,
                _ => vec![vec![item]],
            };
            expanded = expanded
                .iter()
                .flat_map(|start| inner.iter().map(move |end| start.iter().chain(end).cloned().collect()))
                .collect();
            if expanded.len() + all.len() > MAX_ALTERNATIVES {
                return None;
            }
        }
        all.extend(expanded);
    }
    Some(all)
}

fn has_look_around(source: &str) -> bool {
    ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|start| source.contains(start))
}

/// The conditions of one alternative: first the pattern without the look-ahead whose place is a fixed number of
/// characters after the start of the text, and without the look-behind that is a fixed number of characters before its
/// end.
fn conditions(items: &[Item<'_>]) -> Vec<Condition> {
    let is_leading =
        |item: &&Item<'_>| matches!(item.kind, Kind::Start | Kind::Ahead { .. }) || item.has_fixed_length();
    let is_trailing =
        |item: &&Item<'_>| matches!(item.kind, Kind::End | Kind::Behind { .. }) || item.has_fixed_length();
    let mut leading = items.iter().take_while(is_leading).count();
    let mut trailing = items.iter().rev().take_while(is_trailing).count();
    if !items.iter().take(leading).any(|item| matches!(item.kind, Kind::Start)) {
        leading = 0;
    }
    if !items.iter().rev().take(trailing).any(|item| matches!(item.kind, Kind::End)) {
        trailing = 0;
    }
    let mut rest = String::new();
    let mut conditions = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match item.kind {
            Kind::Ahead { body, negated } if index < leading => {
                let before = characters(items.iter().take(index));
                conditions.push((format!("^{before}(?:{body})"), !negated));
            }
            Kind::Behind { body, negated } if index + trailing >= items.len() => {
                let after = characters(items.iter().skip(index + 1));
                conditions.push((format!("(?:{body}){after}$"), !negated));
            }
            _ => rest.push_str(item.text),
        }
    }
    conditions.insert(0, (rest, true));
    conditions
}

/// The parts that match characters.
fn characters<'s>(items: impl Iterator<Item = &'s Item<'s>>) -> String {
    items.filter(|item| item.has_fixed_length()).map(|item| item.text).collect()
}

impl Item<'_> {
    /// Whether it matches texts of one length only. The check is syntactic, so `false` means "unknown".
    fn has_fixed_length(&self) -> bool {
        let is_simple = matches!(self.kind, Kind::Other) && !self.text.starts_with('(');
        let atom = atom(self.text).unwrap_or(0);
        let quantifier = self.text.get(atom..).unwrap_or_default();
        is_simple && (quantifier.is_empty() || quantifier.starts_with('{') && !quantifier.contains(','))
    }
}

/// The items of each alternative of a pattern whose syntax is valid.
fn items(source: &str) -> Option<Vec<Vec<Item<'_>>>> {
    let mut alternatives = vec![Vec::new()];
    let mut rest = source;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('|') {
            alternatives.push(Vec::new());
            rest = after;
            continue;
        }
        let atom = atom(rest)?;
        let quantifier = quantifier(rest.get(atom..)?)?;
        let text = rest.get(..atom + quantifier)?;
        let kind = if quantifier == 0 { kind(text) } else { Kind::Other };
        alternatives.last_mut()?.push(Item { text, kind });
        rest = rest.get(text.len()..)?;
    }
    Some(alternatives)
}

fn kind(text: &str) -> Kind<'_> {
    let body = |start: &str| text.strip_prefix(start).and_then(|rest| rest.strip_suffix(')'));
    let looks = [("(?=", false, false), ("(?!", false, true), ("(?<=", true, false), ("(?<!", true, true)];
    for (start, behind, negated) in looks {
        match body(start) {
            Some(body) if behind => return Kind::Behind { body, negated },
            Some(body) => return Kind::Ahead { body, negated },
            None => {}
        }
    }
    match text {
        "^" => Kind::Start,
        "$" => Kind::End,
        _ => {
            let named = body("(?<").and_then(|rest| rest.split_once('>')).map(|(_, body)| body);
            let plain = || body("(").filter(|body| !body.starts_with('?'));
            body("(?:").or(named).or_else(plain).map_or(Kind::Other, Kind::Group)
        }
    }
}

/// The length of the first atom: a character, an escape, a class or a group.
fn atom(text: &str) -> Option<usize> {
    match text.chars().next()? {
        '\\' => escape(text),
        '[' => class(text),
        '(' => {
            let mut length = 1;
            loop {
                let rest = text.get(length..)?;
                match rest.chars().next()? {
                    ')' => return Some(length + 1),
                    '|' | '?' | '*' | '+' | '{' | '}' => length += 1,
                    _ => length += atom(rest)?,
                }
            }
        }
        other => Some(other.len_utf8()),
    }
}

/// The length of an escape. `\u{…}`, `\p{…}` and the others with more than one character are safe to cut after the
/// first one, except for those with braces, which look like quantifiers.
fn escape(text: &str) -> Option<usize> {
    let length = 1 + text.chars().nth(1)?.len_utf8();
    let braces = text
        .get(length..)
        .filter(|rest| rest.starts_with('{') && matches!(text.as_bytes().get(1), Some(b'u' | b'p' | b'P')));
    match braces {
        Some(braces) => Some(length + braces.find('}')? + 1),
        None => Some(length),
    }
}

fn class(text: &str) -> Option<usize> {
    let mut length = 1;
    loop {
        let rest = text.get(length..)?;
        match rest.chars().next()? {
            ']' => return Some(length + 1),
            '\\' => length += escape(rest)?,
            other => length += other.len_utf8(),
        }
    }
}

/// The length of the quantifier at the start of a text, or 0.
fn quantifier(text: &str) -> Option<usize> {
    let length = match text.chars().next() {
        Some('*' | '+' | '?') => 1,
        Some('{') => text.find('}')? + 1,
        _ => return Some(0),
    };
    Some(length + usize::from(text.get(length..)?.starts_with('?')))
}

#[cfg(test)]
mod tests {
    use capgen_testkit::Random;

    use super::*;

    fn check(source: &str, expected: &[&[(&str, bool)]]) {
        let found = split(source);
        let found: Option<Vec<Vec<(&str, bool)>>> = found.as_ref().map(|all| {
            all.iter()
                .map(|list| list.iter().map(|(source, positive)| (source.as_str(), *positive)).collect())
                .collect()
        });
        let expected = (!expected.is_empty()).then(|| expected.iter().map(|list| list.to_vec()).collect::<Vec<_>>());
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn look_around_at_the_ends_is_separated() {
        check(r"^(?=.*\d)(?!a|b)x+$", &[&[("^x+$", true), (r"^(?:.*\d)", true), ("^(?:a|b)", false)]]);
        check(r"^[a-z-]+(?<!-)$", &[&[("^[a-z-]+$", true), ("(?:-)$", false)]]);
        check(r"(?=^.{2}$)^a", &[&[("^a", true), ("^(?:^.{2}$)", true)]]);
        check(r"^(?:(?!x)y)$", &[&[("^y$", true), ("^(?:x)", false)]]);
        check(
            r"^a[b-c]{2}\d(?!x)y(?=z).(?<!.)w$",
            &[&[
                (r"^a[b-c]{2}\dy.w$", true),
                (r"^a[b-c]{2}\d(?:x)", false),
                (r"^a[b-c]{2}\dy(?:z)", true),
                ("(?:.)w$", false),
            ]],
        );
        check(r"^(?!a)b|c", &[&[("^b", true), ("^(?:a)", false)], &[("c", true)]]);
        check(r"^(?<n>(?!a)b|c[)\]]+)$", &[&[("^b$", true), ("^(?:a)", false)], &[(r"^c[)\]]+$", true)]]);
        check(r"^(?!\p{L}\u{41}{2})x{1,2}?$", &[&[("^x{1,2}?$", true), (r"^(?:\p{L}\u{41}{2})", false)]]);
    }

    #[test]
    fn look_around_elsewhere_stays() {
        for source in [
            "a(?=b)",
            "(?=a)",
            "^a*(?!b)c$",
            "^((?!a).)*$",
            "^(?:(?!a)b)+$",
            r"^\(?=a",
            "[(?=a)]^",
            "a$(?=b)",
            "(?<=a)b*$",
        ] {
            check(source, &[]);
        }
    }

    #[test]
    fn separated_patterns_match_the_same_texts() {
        let sources = [
            r"^(?=.*\d)(?!a|b)[a-c1]+$",
            r"^[a-c-]+(?<!-)(?<!b)$",
            r"(?=^.{2}$)^a|^(?!a)[^-]+(?<=1)$",
            r"^(?:(?!a)b|(?=a1)(?:a|1)+(?<!a1))$",
            r"^(?=\b)a?(?<=\B)$",
            r"^(?!(?=a)..$)[^1]*$",
            r"^a(?!b)[ab](?=1|-).*(?<!a).$",
        ];
        let mut texts = vec![String::new()];
        for index in 0..200 {
            let start = texts.get(index).cloned().unwrap_or_default();
            texts.extend(["a", "b", "1", "-"].map(|end| format!("{start}{end}")));
        }
        for source in sources {
            let pattern = Pattern::new(source).ok();
            let alternatives = split(source).unwrap_or_default();
            assert!(!alternatives.is_empty(), "{source}");
            for text in &texts {
                let matches = |source: &str| Pattern::new(source).ok().and_then(|pattern| pattern.is_match(text).ok());
                let meets = |(source, positive): &Condition| matches(source) == Some(*positive);
                let found = alternatives.iter().any(|list| list.iter().all(meets));
                let expected = pattern.as_ref().and_then(|pattern| pattern.is_match(text).ok());
                assert_eq!(Some(found), expected, "{source} {text}");
            }
        }
    }

    /// A random pattern, of which about one part in three is an anchor or look-around.
    fn random_pattern(random: &mut Random, depth: usize) -> String {
        let mut text = String::new();
        if depth == 3 && random.below(3) > 0 {
            text.push('^');
        }
        for _ in 0..=random.below(4) {
            let inner =
                |random: &mut Random| if depth == 0 { "a".to_owned() } else { random_pattern(random, depth - 1) };
            let part = match random.below(14) {
                0 => "^".to_owned(),
                1 => "$".to_owned(),
                2 | 3 => format!("(?={})", inner(random)),
                4 => format!("(?!{})", inner(random)),
                5 => format!("(?<={})", inner(random)),
                6 | 7 => format!("(?<!{})", inner(random)),
                8 => format!("(?:{})", inner(random)),
                9 => format!("({}|{})", inner(random), inner(random)),
                10 => r"\b".to_owned(),
                _ => ["a", "b", "[a1]", ".", r"\d", "[^b)|]"].get(random.below(6)).copied().unwrap_or("a").to_owned(),
            };
            let is_repeatable = !part.starts_with(['^', '$', '\\'])
                && !part.starts_with("(?=")
                && !part.starts_with("(?!")
                && !part.starts_with("(?<");
            let quantifier = if is_repeatable {
                ["", "", "", "*", "+?", "{2}", "{1,2}", "?"].get(random.below(8)).copied()
            } else {
                None
            };
            text.push_str(&part);
            text.push_str(quantifier.unwrap_or_default());
        }
        if depth == 3 && random.below(3) > 0 {
            text.push('$');
        }
        if random.below(6) == 0 {
            format!("{text}|{}", if depth == 0 { "b".to_owned() } else { random_pattern(random, depth - 1) })
        } else {
            text
        }
    }

    #[test]
    fn separated_random_patterns_match_the_same_texts() {
        let mut random = Random::new(1);
        let mut texts = vec![String::new()];
        for index in 0..85 {
            let start = texts.get(index).cloned().unwrap_or_default();
            texts.extend(["a", "b", "1", ")"].map(|end| format!("{start}{end}")));
        }
        let mut separated = 0;
        for _ in 0..400 {
            let source = random_pattern(&mut random, 3);
            let (Ok(pattern), Some(alternatives)) = (Pattern::new(&source), split(&source)) else { continue };
            separated += 1;
            let conditions: Vec<Vec<_>> = alternatives
                .iter()
                .map(|list| list.iter().map(|(source, positive)| (Pattern::new(source), *positive)).collect())
                .collect();
            for text in &texts {
                let meets = |(pattern, positive): &(Result<Pattern, _>, bool)| {
                    pattern.as_ref().is_ok_and(|pattern| pattern.is_match(text) == Ok(*positive))
                };
                let found = conditions.iter().any(|list| list.iter().all(meets));
                assert_eq!(pattern.is_match(text), Ok(found), "{source} {text:?} {alternatives:?}");
            }
        }
        assert!(separated > 40, "{separated}");
    }
}
