//! Names of durable consumers.

use capgen_schema::HashBuilder;

/// The consumer that the members of a group share for an address. The readable part replaces characters that names of
/// consumers cannot have, so a hash distinguishes the names.
pub(crate) fn of_consumer(group: &str, address: &str) -> String {
    let mut hash = HashBuilder::new();
    // The length separates the two texts.
    hash.add_framed(group);
    hash.add(address);
    let mut name: String = format!("{group}-{address}")
        .chars()
        .map(|character| if character.is_ascii_alphanumeric() || character == '-' { character } else { '_' })
        .take(64)
        .collect();
    name.push('-');
    name.push_str(&hash.finish().digits(16));
    name
}

#[cfg(test)]
mod tests {
    use super::of_consumer;

    #[test]
    fn names_are_readable_valid_and_different() {
        let name = of_consumer("pr-reviewer", "agents.pr-reviewer.requests");
        assert!(name.starts_with("pr-reviewer-agents_pr-reviewer_requests-"), "{name}");
        let pairs = [
            ("a", "b.c"),
            ("a", "b_c"),
            ("a-b", "c"),
            ("a", "b-c"),
            ("ab", "c"),
            ("a", "bc"),
            ("a.*", "b/c"),
            ("é", "x"),
        ];
        let names: Vec<String> = pairs.iter().map(|(group, address)| of_consumer(group, address)).collect();
        for (index, name) in names.iter().enumerate() {
            assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{name}");
            assert!(!names[..index].contains(name), "{name}");
        }
        assert!(of_consumer(&"g".repeat(500), "a").len() < 128);
    }
}
