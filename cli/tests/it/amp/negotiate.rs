//! `capgen amp negotiate` and `capgen amp range`.

use crate::amp::Folder;

/// Runs `negotiate --json` with these arguments, and checks its one output.
#[track_caller]
fn check(arguments: &[&str], status: i32, expected: &str) {
    let run = Folder::new().run(["negotiate", "--json"].iter().chain(arguments)).ended(status);
    let document = run.json();
    let found = match status {
        0 => document["version"].to_string(),
        _ => document["error"]["code"].to_string(),
    };
    assert_eq!(found.trim_matches('"'), expected, "{run:?}");
    assert!(document.as_object().unwrap().len() == 1 && run.stderr.is_empty(), "{run:?}");
}

#[test]
fn a_02_negotiation_exact_version_positive() {
    check(&["--supported", "2.0.0,2.1.0", "--preferred", "2.1.0"], 0, "2.1.0");
}

#[test]
fn a_03_negotiation_fallback_positive() {
    check(&["--supported", "2.0.0,2.1.0", "--preferred", "2.2.0", "--acceptable", "2.1.0,2.0.0"], 0, "2.1.0");
}

#[test]
fn a_04_negotiation_mismatch_negative() {
    check(&["--supported", "2.0.0,2.1.0,2.9.9", "--range", ">=3.0.0 <4.0.0"], 1, "4003");
}

#[test]
fn the_rules_apply_in_their_order() {
    let supported = ["--supported", "1.0.0,2.1.0,2.0.0,3.0.0-rc.1"];
    let cases: [(&[&str], &str); 6] = [
        (&["--preferred", "1.0.0", "--acceptable", "2.0.0", "--range", ">=2.0.0"], "1.0.0"),
        (&["--preferred", "1.0.1", "--acceptable", "2.0.0,2.1.0", "--range", ">=2.0.0"], "2.0.0"),
        (&["--preferred", "1.0.1", "--acceptable", "2.2.0", "--range", ">=2.0.0 <3.0.0-0"], "2.1.0"),
        (&["--range", ">=2.0.0 <3.0.0"], "3.0.0-rc.1"),
        (&["--range", "2.0.0"], "2.0.0"),
        (&["--preferred", "2.1.0+build"], "2.1.0"),
    ];
    for (hints, expected) in cases {
        check(&[&supported[..], hints].concat(), 0, expected);
    }
}

#[test]
fn no_hints_do_not_match() {
    check(&["--supported", "1.0.0"], 1, "4003");
}

#[test]
fn invalid_versions_and_ranges_are_4001() {
    let cases: [&[&str]; 13] = [
        &["--supported", "", "--preferred", "1.0.0"],
        &["--supported", "1.0.0,", "--preferred", "1.0.0"],
        &["--supported", "1.0.0,,2.0.0", "--preferred", "1.0.0"],
        &["--supported", "1.0", "--preferred", "1.0.0"],
        &["--supported", "1.0.0, 2.0.0", "--preferred", "1.0.0"],
        &["--supported", "1.0.0", "--preferred", ""],
        &["--supported", "1.0.0", "--preferred", "-1"],
        &["--supported", "1.0.0", "--acceptable", ""],
        &["--supported", "1.0.0", "--acceptable", "1.0.0,x"],
        &["--supported", "1.0.0", "--preferred", "1.0.0", "--range", ""],
        &["--supported", "1.0.0", "--preferred", "1.0.0", "--range", "^1.0.0"],
        &["--supported", "1.0.0", "--range", ">=1.0.0 || 2.0.0"],
        &["--supported", "1.0.0", "--preferred", "18446744073709551616.0.0"],
    ];
    for arguments in cases {
        check(arguments, 1, "4001");
    }
}

#[test]
fn without_json_the_version_is_data_and_the_rule_is_commentary() {
    let run = Folder::new().run(["negotiate", "--supported", "2.0.0,2.1.0", "--range", ">=2.0.0"]).ended(0);
    assert_eq!(
        (run.stdout.as_str(), run.stderr.as_str()),
        ("2.1.0\n", "it is the highest offered version in the range\n")
    );
    let run = Folder::new().run(["negotiate", "--supported", "2.0.0", "--range", ">=3.0.0"]).ended(1);
    assert!(run.stdout.is_empty() && run.stderr.starts_with("4003 VERSION_MISMATCH: "), "{run:?}");
    let run = Folder::new().run(["negotiate", "--supported", "2", "--range", ">=3"]).ended(1);
    assert!(
        run.stdout.is_empty() && run.stderr.starts_with("4001 BAD_REQUEST: --supported: `2` is invalid"),
        "{run:?}"
    );
    assert!(run.stderr.contains("; --range: `>=3` is invalid"), "every error is reported: {run:?}");
}

#[test]
fn incorrect_usage_exits_with_2() {
    for arguments in
        [&["negotiate"][..], &["negotiate", "--json", "--preferred", "1.0.0"], &["range"], &["range", "1.0.0"]]
    {
        let run = Folder::new().run(arguments).ended(2);
        assert!(run.stdout.is_empty() && !run.stderr.is_empty(), "{run:?}");
    }
}

#[test]
fn a_range_prints_one_line_for_each_version() {
    let run =
        Folder::new().run(["range", "--", ">=1.2.0  <2.0.0", "1.2.0", "2.0.0-rc.1", "2.0.0", "1.2.0-rc.1"]).ended(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("true\ntrue\nfalse\nfalse\n", ""));
    assert_eq!(Folder::new().run(["range", "2.1.0", "2.1.0+build"]).ended(0).stdout, "true\n");
}

#[test]
fn an_invalid_range_or_version_prints_no_line() {
    let ranges = [
        "",
        " 1.0.0",
        "1.0.0 ",
        "1.x",
        "~1.0.0",
        "1.0.0 - 2.0.0",
        ">= 1.0.0",
        "1.0.0 2.0.0",
        "1.0",
        "1.0.0\n",
        "-1.0.0",
    ];
    for range in ranges {
        let run = Folder::new().run(["range", "--", range, "1.0.0"]).ended(1);
        assert!(run.stdout.is_empty() && run.stderr.starts_with("4001 BAD_REQUEST: "), "{range}: {run:?}");
    }
    let run = Folder::new().run(["range", "--", "1.0.0", "1.0.0", "v1.0.0"]).ended(1);
    assert!(run.stdout.is_empty() && run.stderr.contains("`v1.0.0`"), "{run:?}");
}

#[test]
fn a_number_beyond_the_limit_is_not_called_invalid_semver() {
    const LARGE: &str = "18446744073709551616.0.0";
    let limit = "is invalid: a number in a version is at most 18446744073709551615 (2^64 - 1)";
    for arguments in [["1.0.0", LARGE], [LARGE, "1.0.0"], [">=1.0.0 <18446744073709551616.0.0", "1.0.0"]] {
        let run = Folder::new().run(["range", "--"].iter().chain(&arguments)).ended(1);
        assert!(run.stdout.is_empty() && run.stderr.trim_end().ends_with(limit), "{run:?}");
    }
    let run = Folder::new().run(["negotiate", "--supported", LARGE, "--preferred", "1.0.0"]).ended(1);
    assert!(run.stderr.trim_end().ends_with(limit), "{run:?}");
    // A text that is not a version for another reason.
    let run = Folder::new().run(["range", "1.0.0", "18446744073709551616.0"]).ended(1);
    assert!(run.stderr.contains("a version is a full semantic version"), "{run:?}");
}

#[test]
fn text_in_arguments_cannot_control_the_terminal() {
    for arguments in [["negotiate", "--json", "--supported", "\u{1b}[2J"], ["range", "--", "\u{1b}[2J", "\u{202e}"]] {
        let run = Folder::new().run(arguments).ended(1);
        assert!(!format!("{}{}", run.stdout, run.stderr).contains(['\u{1b}', '\u{202e}']), "{run:?}");
    }
}
