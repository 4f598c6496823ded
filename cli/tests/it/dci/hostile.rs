//! The output about hostile skills. `docs/dci-threats.md` lists these tests.

use crate::common::{Fleet, Run};
use crate::dci::skills::{dci, skill, workspace};

/// Escape sequences, line ends, a bidirectional override, and the syntax of the languages of graphs.
const HOSTILE: &str = "x\u{1b}[2J\u{1b}]0;t\u{7}\r\nselected  evil\u{202e}\u{2028}\u{200b}\"]; n9[label=\"y\"] --> n7 <b>`%%{init}%%` \\\" #quot; &quot; | } end";

/// A workspace with a skill whose texts are hostile, which provides and requires capabilities.
fn hostile() -> Fleet {
    let workspace = workspace(&[
        ("fetcher", "Fetches pages.", "DCI/1 P(http-fetch) D(web-search)"),
        ("finder", "Finds things on the web.", "DCI/1 P(web-searches)"),
    ]);
    let contract = "DCI/1 P(web-search,read-aloud) R(http-fetch,translate) A(k=\u{1b}[2J) X\u{1b}(\u{202e}) Pol(selection-mode=cover)";
    let mut text = skill(HOSTILE, &format!("Web search. {HOSTILE}"), contract);
    text = text
        .replace("metadata:", &format!("compatibility: {}\nmetadata:", serde_json::json!(format!("cli,{HOSTILE}"))));
    workspace.write("skills/hostile/SKILL.md", &text);
    workspace.write("skills/also/SKILL.md", &skill(HOSTILE, "Web search too.", "DCI/1 P(web-search,read-aloud)"));
    workspace
        .write("skills/bad/SKILL.md", &format!("---\nname: {}\ndescription: 1\n---\n", serde_json::json!(HOSTILE)));
    workspace
}

/// Whether a terminal may act on a character, except for the end of a line.
fn is_unsafe(c: char) -> bool {
    c != '\n' && (c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'))
}

const COMMANDS: [&str; 11] = [
    "resolve --require web-search",
    "resolve --require web-search --json",
    "resolve --require web-search --mode strict",
    "resolve --require translate --policy min-total-score=1",
    "resolve --consumer skills/hostile",
    "graph --require web-search",
    "graph --consumer skills/hostile --format dot",
    "graph --require web-search --format mermaid",
    "search web",
    "search web --json",
    "lint",
];

#[test]
fn no_text_of_a_skill_reaches_a_terminal_unescaped() {
    let workspace = hostile();
    for command in COMMANDS {
        let Run { status, stdout, stderr } = dci(&workspace, command);
        assert!(status < 2 && !(stdout.is_empty() && stderr.is_empty()), "{command}: {status}");
        for output in [&stdout, &stderr] {
            assert!(!output.contains(is_unsafe), "{command}: {output:?}");
            assert!(!output.lines().any(|line| line.starts_with("selected  evil")), "{command}: {output}");
        }
    }
}

#[test]
fn json_contains_the_text_of_skills_as_it_is() {
    let report = dci(&hostile(), "resolve --require web-search --json").json();
    let ids: Vec<&str> =
        report["candidates"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&format!("{HOSTILE}::skills/hostile").as_str()), "{ids:?}");
}

#[test]
fn labels_cannot_add_anything_to_a_graph() {
    let workspace = hostile();
    let dot = dci(&workspace, "graph --require web-search --format dot").ended(0).stdout;
    let mermaid = dci(&workspace, "graph --require web-search --format mermaid").ended(0).stdout;
    assert!(dot.contains("n1 [label=\"x\\\\u{1b}[2J"), "{dot}");
    for line in dot.lines().filter(|line| line.contains("label")) {
        let label = line.trim().split_once("[label=\"").unwrap().1;
        // The first quote without a backslash ends the label.
        let mut chars = label.char_indices();
        let mut end = 0;
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => assert!(matches!(chars.next(), Some((_, '\\' | '"' | 'n'))), "{line}"),
                '"' => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        let rest = label.get(end..).unwrap();
        assert!(["\"];", "\", color=red];"].contains(&rest), "{line}");
        assert!(!label.replace("&amp;", "").contains('&'), "{line}");
    }
    for line in mermaid.lines().filter(|line| line.contains('[')) {
        let (node, rest) = line.trim().split_once("[\"").unwrap();
        let (label, rest) = rest.split_once('"').unwrap();
        assert!(node.strip_prefix('n').unwrap().parse::<u32>().is_ok(), "{line}");
        assert!(["]", "]:::conflict"].contains(&rest), "{line}");
        let label = label.replace("<br/>", "");
        assert!(!label.contains(['<', '>', '&', '[', ']', '`', '%', '\\', '|', '{', '}', '(', ')']), "{line}");
    }
    let nodes = |text: &str, node: &str| text.lines().filter(|line| line.trim().starts_with(node)).count();
    assert_eq!((nodes(&dot, "n7"), nodes(&dot, "n9"), nodes(&mermaid, "n7"), nodes(&mermaid, "n9")), (0, 0, 0, 0));
}

#[test]
fn long_texts_give_short_lines_and_many_skills_give_few() {
    let mut skills: Vec<(String, String)> = Vec::new();
    let many: String = (0..2_000).map(|n| format!(",claim-{n}")).collect();
    for number in 0..300 {
        skills.push((
            format!("skill{number}"),
            format!("DCI/1 P(web-search{many}) R(none-{number}) Pol(max-providers=1) Rt(zed)"),
        ));
    }
    let skills: Vec<(&str, &str, &str)> = skills.iter().map(|(name, contract)| (&**name, "web", &**contract)).collect();
    let workspace = workspace(&skills);
    let long = format!("web {}", "n".repeat(30_000));
    workspace.write("skills/long/SKILL.md", &skill(&long, &long, "DCI/1 P(web-search) M(m)"));
    for command in ["resolve --require web-search", "graph --require web-search", "search web"] {
        let run = dci(&workspace, command);
        let longest = run.stdout.lines().map(str::len).max().unwrap();
        assert!(longest < 1_000 && run.stdout.len() < 20_000, "{command}: {longest} {}", run.stdout.len());
    }
    // Every skill has a hint that is ignored.
    let stderr = dci(&workspace, "resolve --require web-search --json").stderr;
    assert!(stderr.lines().count() <= 101, "{}", stderr.lines().count());
    assert!(stderr.lines().last().unwrap().contains("200 further warnings"), "{stderr}");
}
