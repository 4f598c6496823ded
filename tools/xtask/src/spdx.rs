//! The part of SPDX licence expressions that crates use.

/// Whether the licence expression ([SPDX 2.3 annex D](https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/))
/// can be met with `allowed` licences alone. `/` is the old spelling of `OR`.
pub(crate) fn is_met(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words: Vec<&str> = spaced.split_whitespace().rev().collect();
    any(&mut words, allowed) == Some(true) && words.is_empty()
}

/// `words` are in reverse order: the next one is the last. `None` if they are not a valid expression.
fn any(words: &mut Vec<&str>, allowed: &[String]) -> Option<bool> {
    let mut met = all(words, allowed)?;
    while words.pop_if(|word| *word == "OR").is_some() {
        met |= all(words, allowed)?;
    }
    Some(met)
}

fn all(words: &mut Vec<&str>, allowed: &[String]) -> Option<bool> {
    let mut met = one(words, allowed)?;
    while words.pop_if(|word| *word == "AND").is_some() {
        met &= one(words, allowed)?;
    }
    Some(met)
}

fn one(words: &mut Vec<&str>, allowed: &[String]) -> Option<bool> {
    let word = words.pop()?;
    if word == "(" {
        let met = any(words, allowed)?;
        return (words.pop()? == ")").then_some(met);
    }
    let name = match words.pop_if(|word| *word == "WITH") {
        Some(_) => format!("{word} WITH {}", words.pop()?),
        None => word.to_owned(),
    };
    Some(allowed.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::is_met;

    #[test]
    fn a_licence_expression_is_met_by_the_allowed_licences() {
        let allowed = ["MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        for (expression, expected) in [
            ("MIT", true),
            ("MIT OR GPL-3.0", true),
            ("GPL-3.0/MIT", true),
            ("MIT AND GPL-3.0", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("GPL-3.0 OR MIT AND Unicode-3.0", true),
            ("Apache-2.0", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("(MIT", false),
            ("MIT MIT", false),
            ("", false),
        ] {
            assert_eq!(is_met(expression, &allowed), expected, "{expression}");
        }
    }
}
