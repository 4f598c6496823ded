//! The matrix as one HTML page. Every text is escaped: names and versions come from peers.

use capgen_evolve::Compatibility;

use super::versions::Version;
use super::{Cells, reasons, word};
use crate::console::visible;

const STYLE: &str = "body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}\
th,td{border:1px solid #888;padding:.4em .8em;text-align:left;vertical-align:top}\
.full{background:#d6f5d6}.partial{background:#fff3c4}.incompatible{background:#f9d3d3}\
ul{margin:.3em 0 0;padding-left:1.2em;font-size:smaller}";

/// The page. It refers to no other file and has no script.
pub(super) fn page(capability: &str, versions: &[Version], cells: &Cells) -> String {
    let title = format!("Versions of {}", escaped(capability));
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         </head>\n<body>\n<h1>{title}</h1>\n<table>\n<tr><th>requester \\ provider</th>"
    );
    for version in versions {
        page.push_str(&format!("<th>{}</th>", escaped(&version.label)));
    }
    page.push_str("</tr>\n");
    for (version, row) in versions.iter().zip(cells) {
        page.push_str(&format!("<tr><th>{}</th>", escaped(&version.label)));
        row.iter().for_each(|cell| page.push_str(&data(cell)));
        page.push_str("</tr>\n");
    }
    page.push_str("</table>\n</body>\n</html>\n");
    page
}

fn data(cell: &Compatibility) -> String {
    let items: String = reasons(cell).iter().map(|reason| format!("<li>{}</li>", escaped(reason))).collect();
    let list = if items.is_empty() { String::new() } else { format!("<ul>{items}</ul>") };
    format!("<td class=\"{}\">{}{list}</td>", cell.name(), word(cell))
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}
