//! Hostile texts that would take much time or memory in a naive parser. This test has its own process, so that its peak
//! memory can be measured.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
use std::fmt::Write;
use std::time::{Duration, Instant};

use capgen_diagnostic::render;
use capgen_manifest::{Source, parse_document};

/// Nested aliases: each of `levels` lines has ten aliases of the line above.
fn exponential(levels: usize) -> String {
    (1..=levels).fold("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned(), |mut text, level| {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(text, "a{level}: &a{level} [{aliases}]").unwrap();
        text
    })
}

/// A value of `size` elements with `uses` aliases.
fn quadratic(size: usize, uses: usize) -> String {
    format!("a: &a [{}]\nb:\n{}", "x, ".repeat(size), "- *a\n".repeat(uses))
}

fn deep_aliases() -> String {
    (1..200).fold("a0: &a0 [[]]\n".to_owned(), |mut text, level| {
        writeln!(text, "a{level}: &a{level} [[*a{}]]", level - 1).unwrap();
        text
    })
}

fn cases() -> Vec<(&'static str, String, Option<&'static str>)> {
    let deep = 100_000;
    vec![
        ("exponential.yaml", exponential(40), Some("E0008")),
        ("quadratic.yaml", quadratic(20_000, 20_000), Some("E0008")),
        ("long-text.yaml", format!("a: &a '{}'\nb:\n{}", "x".repeat(100_000), "- *a\n".repeat(100_000)), Some("E0008")),
        ("deep-aliases.yaml", deep_aliases(), Some("E0007")),
        ("anchors.yaml", format!("[{}]", "&a x, ".repeat(20_000)), None),
        ("undefined.yaml", format!("[{}]", "*a, ".repeat(100_000)), Some("E0009")),
        ("brackets.yaml", "[".repeat(deep), Some("E0007")),
        ("braces.yaml", "{a: ".repeat(deep), Some("E0007")),
        ("dashes.yaml", "- ".repeat(deep), Some("E0007")),
        ("marks.yaml", "? ".repeat(deep), Some("E0010")),
        ("staircase.yaml", (0..2_000).fold(String::new(), |text, i| text + &" ".repeat(i) + "a:\n"), Some("E0007")),
        ("brackets.json", "[".repeat(deep), Some("E0007")),
        ("braces.json", "{\"a\":".repeat(deep), Some("E0007")),
        ("long-line.yaml", format!("a: {}\na: 1\n", "x".repeat(1_000_000)), Some("E0003")),
        ("long-key.yaml", format!("{}: 1\n", "x".repeat(1_000_000)), Some("E0001")),
        ("long-number.yaml", format!("a: {}\n", "9".repeat(1_000_000)), Some("E0012")),
        ("long-hex.yaml", format!("a: 0x{}\n", "f".repeat(1_000_000)), Some("E0012")),
        ("long-fraction.json", format!("[0.{}1]", "0".repeat(1_000_000)), Some("E0012")),
        ("colons.yaml", format!("a: {}", ":".repeat(1_000_000)), Some("E0001")),
        ("duplicates.yaml", "a: 1\n".repeat(50_000), Some("E0003")),
        ("tags.yaml", format!("[{}]", "!a b, ".repeat(100_000)), Some("E0005")),
        ("nothing.yaml", format!("a:\n{}", "\n".repeat(500_000)), None),
        ("empty-items.yaml", "-\n".repeat(20_000), None),
        ("comments.yaml", format!("a:\n{}  b\n", "  # c\n".repeat(100_000)), None),
        ("nuls.yaml", "\0".repeat(1_000_000), Some("E0014")),
        ("huge.yaml", "a".repeat(33 << 20), Some("E0008")),
    ]
}

/// The processor time that this process has used, or the time since `start` if the system does not report it.
fn time_used(start: Instant) -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<_> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|field| field.parse::<u64>().ok());
    match (ticks(11), ticks(12)) {
        (Some(user), Some(system)) => Duration::from_millis((user + system) * 10),
        _ => start.elapsed(),
    }
}

/// The peak memory of this process in MB; `None` if the system does not report it.
fn peak_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()? / 1024)
}

#[test]
fn hostile_texts_take_less_than_a_second_and_100_mb() {
    let start = Instant::now();
    for (path, text, code) in cases() {
        let source = Source::new(path, text);
        let before = time_used(start);
        let read = parse_document(&source);
        let found = read.err().unwrap_or_default();
        assert_eq!(found.first().map(|d| d.code.as_str()), code, "{path}");
        for shown in
            [render::human(&found, true), render::json_lines(&found), render::github(&found), render::sarif(&found)]
        {
            assert!(shown.len() < 100_000, "{path}: {}", shown.len());
        }
        let used = time_used(start) - before;
        // Without optimization it takes ten times as long.
        let limit = Duration::from_millis(if cfg!(debug_assertions) { 3_000 } else { 1_000 });
        assert!(used < limit, "{path}: {used:?}");
    }
    assert!(peak_memory().is_none_or(|mb| mb < 100), "{:?} MB", peak_memory());
}
