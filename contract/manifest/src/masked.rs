//! The text of a manifest without the values of its transports, for programs without the parser. They may be
//! credentials.

/// Replaces a value that is not displayed.
const MASK: &str = "***";

/// Whether a key that the format does not have may be displayed. A URL or a password with a colon can end up in the
/// place of a key.
pub(crate) fn is_name(key: &str) -> bool {
    // The keys of manifests are shorter; longer texts may be credentials.
    const MAX_NAME: usize = 40;
    let first = key.starts_with(|c: char| c.is_ascii_alphabetic() || "_$".contains(c));
    first && key.len() <= MAX_NAME && key.bytes().all(|b| b.is_ascii_alphanumeric() || b"_$.-".contains(&b))
}

/// The lines of a manifest, with `***` in place of every value, except those below `capabilities` and those of
/// `version` and `agent`. Comments are masked too. Keys remain, as do the line ends.
///
/// The text need not be valid: it may be a file that was edited by hand. It is masked line by line, and a line that a
/// parser could read in more than one way is masked as a whole.
///
/// ```
/// let text = "version: 1\ntransports:\n  - kind: nats\n    url: nats://me:secret@host\ncapabilities:\n  - name: echo\n";
/// let lines = capgen_manifest::masked_lines(text);
/// assert_eq!(lines.concat(), "version: 1\ntransports:\n  - kind: ***\n    url: ***\ncapabilities:\n  - name: echo\n");
/// ```
pub fn masked_lines(text: &str) -> Vec<String> {
    let mut is_public = false;
    // The indentation of a key whose value may continue in lines that are indented more.
    let mut value_of: Option<usize> = None;
    let mask = |line: &str| {
        let content = line.trim_end();
        let end = line.get(content.len()..).unwrap_or_default();
        let at_margin = content.starts_with(|c: char| !c.is_whitespace() && c != '-' && c != '#');
        if at_margin {
            is_public = content == "capabilities:" || content == "capabilities: []";
        }
        let is_head = at_margin && ["version: ", "agent: "].iter().any(|key| content.starts_with(key));
        let has_one_value = !content.contains(['{', '[', '"', '\'', '|', '>', '#', '&', '*', '!']);
        if is_public || (is_head && has_one_value) {
            return line.to_owned();
        }
        let indentation = content.len() - content.trim_start_matches([' ', '-']).len();
        if value_of.is_some_and(|key| indentation > key) && !content.is_empty() {
            return format!("{}{MASK}{end}", content.get(..spaces(content)).unwrap_or_default());
        }
        let (masked, has_value) = masked_line(content);
        value_of = has_value.then_some(indentation);
        format!("{masked}{end}")
    };
    text.split_inclusive('\n').map(mask).collect()
}

fn spaces(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A line without its value, and whether it has one.
fn masked_line(line: &str) -> (String, bool) {
    let content = line.trim_start_matches([' ', '-', '\t']);
    let start = line.get(..line.len() - content.len()).unwrap_or_default();
    if content.is_empty() {
        return (line.to_owned(), false);
    }
    let Some((key, value)) = content.split_once(':').filter(|(key, _)| is_name(key.trim_matches(['"', '\'']))) else {
        return (format!("{start}{MASK}"), false);
    };
    if value.is_empty() {
        (line.to_owned(), false)
    } else if value.starts_with(' ') {
        (format!("{start}{key}: {MASK}"), true)
    } else {
        (format!("{start}{MASK}"), false)
    }
}

#[cfg(test)]
mod tests {
    use super::masked_lines;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(masked_lines(text).concat(), expected);
    }

    #[test]
    fn values_of_transports_are_masked_and_keys_remain() {
        check(
            "# note\nversion: 1\nagent: agent://a\ntransports:\n  - kind: nats\n    topics:\n      requests: a.b\n    password: p:w # x\n",
            "***\nversion: 1\nagent: agent://a\ntransports:\n  - kind: ***\n    topics:\n      requests: ***\n    password: ***\n",
        );
    }

    #[test]
    fn values_of_several_lines_are_masked() {
        for value in [
            "|\n      hunter2: x\n      hunter2",
            "\"hunter2\n      hunter2: y\"",
            "hunter2\n      hunter2",
            "{\n      hunter2: 1 }",
        ] {
            let text =
                format!("transports:\n  - kind: nats\n    password: {value}\n    topics:\n      requests: hunter2\n");
            let masked = masked_lines(&text).concat();
            assert!(!masked.contains("hunter2") && masked.contains("      requests: ***\n"), "{masked}");
        }
    }

    #[test]
    fn texts_in_another_form_show_no_values() {
        for text in [
            r#"{"version": 1, "transports": [{"kind": "nats", "password": "hunter2"}]}"#,
            "{\n  \"transports\": [\n    { \"kind\": \"nats\",\n      \"password\": \"hunter2\" }\n  ]\n}\n",
            "capabilities:\n  - name: a\ntransports:\n- kind: nats\n  url: nats://me:hunter2@h\n",
            "capabilities: &hunter2\n",
            "transports: [{ kind: nats, url: \"nats://me:hunter2@h\" }]\n",
            "transports:\n  - hunter2\n  - hunter2:hunter2\n  - ? hunter2\n",
            "agent: \"hunter2\nhunter2: hunter2\"\n# hunter2\n",
        ] {
            let masked = masked_lines(text).concat();
            assert!(!masked.contains("hunter2: ***\n") || text.starts_with("agent"), "{masked}");
            assert!(!masked.replace("hunter2: ***", "").contains("hunter2"), "{masked}");
        }
    }

    #[test]
    fn capabilities_are_displayed() {
        let text = "capabilities:\r\n  - name: a\n    description: \"x: y\"\n# comment\n\n  - name: b\n";
        check(text, text);
    }
}
