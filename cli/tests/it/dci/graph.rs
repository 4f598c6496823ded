//! `capgen dci graph`.

use crate::common::Fleet;
use crate::dci::skills::{dci, workspace};

/// Two providers that require the same capability, whose provider denies a capability that the run requires.
fn skills() -> Fleet {
    workspace(&[
        ("reader", "Reads aloud.", "DCI/1 P(read-aloud) R(http-fetch)"),
        ("summary", "Summarizes.", "DCI/1 P(summarize) R(http-fetch)"),
        ("fetcher", "Fetches.", "DCI/1 P(http-fetch) R(dns-lookup) D(summarize)"),
    ])
}

const OPTIONS: &str =
    "graph --require read-aloud --require summarize --require translate --policy selection-mode=cover";

#[test]
fn text_marks_missing_repeated_and_conflicting_providers() {
    let text = dci(&skills(), OPTIONS).ended(0).stdout;
    assert_eq!(
        text,
        "\
consumer  (requires read-aloud, summarize, translate; missing translate)
  reader::skills/reader  (requires http-fetch)
    fetcher::skills/fetcher  (requires dns-lookup; conflict: denies summarize)
  summary::skills/summary  (requires http-fetch)
    fetcher::skills/fetcher  (requires dns-lookup; conflict: denies summarize; repeated, see above)
"
    );
    let deeper = dci(&skills(), &format!("{OPTIONS} --policy max-dependency-depth=3")).ended(0).stdout;
    assert!(deeper.contains("(requires dns-lookup; conflict: denies summarize; missing dns-lookup)"), "{deeper}");
}

#[test]
fn dot_and_mermaid_have_the_same_nodes_and_edges() {
    let dot = dci(&skills(), &format!("{OPTIONS} --format dot")).ended(0).stdout;
    assert!(dot.starts_with("digraph dci {\n") && dot.ends_with("}\n"), "{dot}");
    let mermaid = dci(&skills(), &format!("{OPTIONS} --format mermaid")).ended(0).stdout;
    assert!(mermaid.starts_with("flowchart LR\n"), "{mermaid}");
    for (parent, child) in [(0, 1), (0, 2), (1, 3), (2, 4)] {
        assert!(dot.contains(&format!("  n{parent} -> n{child};\n")), "{dot}");
        assert!(mermaid.contains(&format!("  n{parent} --> n{child}\n")), "{mermaid}");
    }
    assert_eq!((dot.matches("color=red").count(), dot.matches("style=dashed").count()), (3, 1), "{dot}");
    assert_eq!(mermaid.matches("]:::conflict\n").count(), 3, "{mermaid}");
}

#[test]
fn selected_providers_are_shown_at_depth_0() {
    let text = dci(&skills(), &format!("{OPTIONS} --policy max-dependency-depth=0")).ended(0).stdout;
    assert_eq!(
        text.lines().skip(1).collect::<Vec<_>>(),
        ["  reader::skills/reader  (requires http-fetch)", "  summary::skills/summary  (requires http-fetch)"]
    );
}
