//! A graph in the language of Graphviz.

use capgen_diagnostic::visible;

use super::Item;

pub(super) fn write(items: &[Item]) -> String {
    let mut text = "digraph dci {\n  rankdir=LR;\n  node [shape=box];\n".to_owned();
    for (number, item) in items.iter().enumerate() {
        // `\n` is the line break of Graphviz.
        let lines: Vec<String> = [&item.title].into_iter().chain(&item.notes).map(|line| escaped(line)).collect();
        let color = if item.is_in_conflict { ", color=red" } else { "" };
        let style = if item.is_repeated { ", style=dashed" } else { "" };
        text.push_str(&format!("  n{number} [label=\"{}\"{color}{style}];\n", lines.join("\\n")));
    }
    for (number, item) in items.iter().enumerate() {
        if let Some(parent) = item.parent {
            text.push_str(&format!("  n{parent} -> n{number};\n"));
        }
    }
    text.push_str("}\n");
    text
}

/// A text between double quotes. Graphviz interprets quotes, backslashes and the entities of HTML there.
fn escaped(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;")
}
