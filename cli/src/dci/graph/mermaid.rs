//! A graph as a flowchart of Mermaid.

use capgen_diagnostic::visible;

use super::Item;

pub(super) fn write(items: &[Item]) -> String {
    let mut text = "flowchart LR\n".to_owned();
    for (number, item) in items.iter().enumerate() {
        let lines: Vec<String> = [&item.title].into_iter().chain(&item.notes).map(|line| escaped(line)).collect();
        let class = match (item.is_in_conflict, item.is_repeated) {
            (true, _) => ":::conflict",
            (false, true) => ":::repeated",
            (false, false) => "",
        };
        text.push_str(&format!("  n{number}[\"{}\"]{class}\n", lines.join("<br/>")));
    }
    for (number, item) in items.iter().enumerate() {
        if let Some(parent) = item.parent {
            text.push_str(&format!("  n{parent} --> n{number}\n"));
        }
    }
    text.push_str("  classDef conflict stroke:red\n  classDef repeated stroke-dasharray:4\n");
    text
}

/// A text between double quotes, in which every character that Mermaid, Markdown or HTML may interpret is a numeric
/// entity of Mermaid.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in visible(text).chars() {
        if c.is_alphanumeric() || " ,.:/-_".contains(c) {
            escaped.push(c);
        } else {
            escaped.push_str(&format!("#{};", u32::from(c)));
        }
    }
    escaped
}
