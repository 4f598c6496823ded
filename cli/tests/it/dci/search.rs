//! `capgen dci search`.

use serde_json::json;

use crate::dci::skills::{dci, workspace};

#[test]
fn skills_are_ranked_by_their_words() {
    let workspace = workspace(&[
        ("reader", "Reads web pages aloud.", "DCI/1 P(anything)"),
        ("web-search", "Searches the web for pages.", ""),
        ("calculator", "Adds numbers.", "DCI/1 P(web-page)"),
    ]);
    let run = dci(&workspace, "search searching --json").ended(0);
    let found = json!([{
        "id": "web-search::skills/web-search", "s_skill": 0.8, "s_desc": 1, "s_namepath": 0.333_333,
        "description": "Searches the web for pages."
    }]);
    assert_eq!(run.json(), found);
    let text = dci(&workspace, "search web-page").ended(0).stdout;
    let order: Vec<_> = text.lines().skip(1).filter_map(|line| line.split_whitespace().last()).collect();
    assert_eq!(order, ["web-search::skills/web-search", "reader::skills/reader"]);
    let limited = dci(&workspace, "search web-page --limit 1").ended(0).stdout;
    assert!(limited.ends_with("  and 1 more\n"), "{limited}");
    assert_eq!(dci(&workspace, "search the").ended(0).stdout, "no skill contains a word of the text\n");
    assert_eq!(dci(&workspace, "search the --json").ended(0).stdout, "[]\n");
}
