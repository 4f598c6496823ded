//! All patterns of a contract share one memory limit. This test has its own process, so that its peak memory can be
//! measured.
#![expect(clippy::string_slice, reason = "a test fails by panicking")]

use capgen_manifest::{Diagnostic, LoadedContract, Source, load};

/// A contract with a capability for each list of patterns.
fn contract(capabilities: &[Vec<String>]) -> Result<LoadedContract, Vec<Diagnostic>> {
    let property = |(index, pattern): (usize, &String)| {
        format!(r#""p{index}":{{"type":"string","pattern":"{pattern}","examples":["xa"]}}"#)
    };
    let capability = |(index, patterns): (usize, &Vec<String>)| {
        let properties: Vec<_> = patterns.iter().enumerate().map(property).collect();
        let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, properties.join(","));
        format!(r#"{{"name":"c{index}","inputSchema":{schema}}}"#)
    };
    let capabilities: Vec<_> = capabilities.iter().enumerate().map(capability).collect();
    let text = format!(
        r#"{{"version":1,"agent":"agent://shop","transports":[{{"kind":"memory","topics":{{"requests":"a"}}}}],"capabilities":[{}]}}"#,
        capabilities.join(",")
    );
    load(&Source::new("a.json", text))
}

fn costly(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|n| format!("^x{n}(a{{1000}}){{100}}$")).collect()
}

/// The peak memory of this process in MB; `None` if the system does not report it.
fn peak_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()? / 1024)
}

#[test]
fn patterns_have_a_common_limit_and_take_no_memory_until_they_are_used() {
    // In one schema, in a schema each, and equal ones.
    let many = contract(&[costly(0..2000)]).unwrap_err();
    let each: Vec<_> = (0..500).map(|n| costly(n..n + 1)).collect();
    let apart = contract(&each).unwrap_err();
    for findings in [&many, &apart] {
        // Before the limit is reached, examples are checked.
        let errors: Vec<_> = findings.iter().filter(|finding| finding.code.as_str() != "W0104").collect();
        let [finding] = errors[..] else { panic!("{findings:?}") };
        assert_eq!((finding.code.as_str(), finding.labels.len()), ("E0124", 5), "{finding:?}");
        assert!(finding.message.contains(" MiB, more than the limit of 32.0 MiB"), "{}", finding.message);
        let label = &finding.labels[0];
        assert!(label.source.text()[label.span.clone()].starts_with("\"^x"), "{label:?}");
        assert_eq!(label.text, "2.2 MiB");
    }
    let at = apart.last().unwrap().pointer.as_deref();
    assert_eq!(at, Some("/capabilities/100/inputSchema/properties/p0/pattern"));
    let equal: Vec<_> = (0..500).map(|_| costly(0..1)).collect();
    contract(&equal).unwrap();
    // Contracts of a fleet, each just below the limit, with examples that are checked.
    let fleet: Vec<_> = (0..40).map(|n| contract(&[costly(n * 13..n * 13 + 13)]).unwrap()).collect();
    assert_eq!(fleet.len(), 40);
    assert!(peak_memory().is_none_or(|mb| mb < 150), "{:?} MB", peak_memory());
}

#[test]
fn ordinary_patterns_are_far_below_the_limit() {
    let ordinary = ["^[a-z0-9-]{1,64}$", "^\\\\p{L}{1,30}$", "^\\\\d{4}-\\\\d{2}-\\\\d{2}$", "^[^@]+@[^@]+$"];
    let patterns = (0..300).map(|n| ordinary[n % 4].replace('$', &format!("{n}$"))).collect();
    contract(&[patterns]).unwrap();
}
