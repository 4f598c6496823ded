//! `Pattern`: syntax, matching, limits and error messages.
#![expect(clippy::panic, reason = "a test")]

use std::time::{Duration, Instant};

use capgen_schema::{Pattern, PatternErrorKind, StepLimit};
use proptest::prelude::*;

fn check(source: &str, matching: &[&str], others: &[&str]) {
    let pattern = Pattern::new(source).unwrap_or_else(|error| panic!("{source}: {error}"));
    for text in matching {
        assert_eq!(pattern.is_match(text), Ok(true), "{source} on {text:?}");
    }
    for text in others {
        assert_eq!(pattern.is_match(text), Ok(false), "{source} on {text:?}");
    }
}

fn check_rejected(source: &str, kind: PatternErrorKind) {
    match Pattern::new(source) {
        Ok(_) => panic!("{source:.80} is accepted"),
        Err(error) => assert_eq!(error.kind, kind, "{source:.80}: {error}"),
    }
}

#[test]
fn patterns_are_not_anchored() {
    check("a", &["a", "bab"], &["", "b"]);
    check("", &["", "x"], &[]);
}

#[test]
fn anchors_match_only_at_the_ends_of_the_text() {
    check("^abc$", &["abc"], &["abc\n", "\nabc", "x\nabc\nx"]);
}

#[test]
fn class_escapes_have_the_meaning_of_ecma_262() {
    check("^\\d$", &["0"], &["߀", "\u{7c0}"]);
    check("^\\D$", &["߀"], &["0"]);
    check("^\\w$", &["a", "_"], &["é", "ſ", "\u{212a}"]);
    check("^\\W$", &["é"], &["a"]);
    let spaces = [" ", "\t", "\u{b}", "\u{c}", "\u{a0}", "\u{feff}", "\n", "\u{2029}", "\u{2003}"];
    check("^\\s$", &spaces, &["\u{1}", "\u{2013}", "\u{85}", "\u{180e}"]);
    check("^\\S$", &["\u{1}", "\u{85}"], &spaces);
    check("^.$", &["a", "\u{85}", "😀"], &["\n", "\r", "\u{2028}", "\u{2029}"]);
    check("^[^]$", &["a", "\n"], &[""]);
    check("[]", &[], &["", "a"]);
}

#[test]
fn word_boundaries_are_ascii() {
    check("\\bcole", &["école", "cole"], &["ecole"]);
    check("\\Bcole", &["ecole"], &["école", "cole"]);
}

#[test]
fn assertions_do_not_match_inside_a_character() {
    check("\\B", &[""], &["A😀A"]);
    check("\\B|😀", &["A😀A"], &[]);
}

#[test]
fn character_escapes() {
    check("^\\cC\\cc\\t\\0\\x41\\u0042\\u{1F600}\\ud83d\\ude00\\/$", &["\u{3}\u{3}\t\0AB😀😀/"], &[]);
    check("^[\\b\\-\\]]$", &["\u{8}", "-", "]"], &["b"]);
}

#[test]
fn a_character_beyond_the_basic_plane_is_one_character() {
    check("^🐲*$", &["", "🐲", "🐲🐲"], &["🐉", "🐉🐉", "D"]);
    check("^.$", &["🐲"], &[]);
    check("^[🐲-🐴]$", &["🐳"], &["🐉"]);
    check("^[\\ud83d\\udc32]$", &["🐲"], &[]);
}

#[test]
fn lone_surrogates_match_nothing() {
    check("\\ud83d|\\p{Cs}|[\\ud800-\\udfff]", &[], &["", "😀"]);
    check("^[^\\ud83d]\\P{Cs}$", &["😀a"], &[]);
    check("^[\\ud7ff-\\ue000]$", &["\u{d7ff}", "\u{e000}"], &["\u{e001}"]);
}

#[test]
fn properties_have_the_names_of_ecma_262() {
    check("^\\p{Letter}\\p{L}\\p{gc=Lu}\\p{General_Category=Ll}$", &["éÉÉé"], &["éÉéé"]);
    check("^\\p{digit}+$", &["42", "৪২"], &["-%#"]);
    check("^\\p{Script=Greek}\\p{sc=Grek}\\p{scx=Greek}$", &["αβγ"], &["αβc"]);
    check("^\\p{sc=Copt}\\p{sc=Qaac}$", &["ⲀⲀ"], &[]);
    check("^\\p{Emoji}\\p{ASCII}\\p{Any}\\p{Assigned}\\P{Lu}$", &["😀a\n b"], &["😀é\n b"]);
    check("^\\p{scx=Deva}\\P{sc=Deva}$", &["क\u{964}"], &[]);
    for unknown in
        ["letter", "Greek", "IsGreek", "sc=greek", "gc=Any", "Any=Any", "L ", "InBasicLatin", "", "Script", "L=", "^L"]
    {
        check_rejected(&format!("\\p{{{unknown}}}"), PatternErrorKind::Syntax);
    }
    check_rejected("\\p{Changes_When_NFKC_Casefolded}", PatternErrorKind::Unsupported);
}

#[test]
fn look_around_is_exact() {
    check("^(?=.*[A-Z])(?=.*\\d)(?!.*\\s).{8,}$", &["Passw0rdx"], &["password1", "Passw0r", "Pass w0rdx"]);
    check("(?<=\\$)\\d+(?!\\.)", &["$42"], &["42", "$4.0"]);
    check("^(?:(?!foo).)*$", &["bar", "fo"], &["a foo b"]);
    check("(?<!a(?=b))b", &["cb", "b"], &["ab"]);
    check("(?<=(?<!x)y+)z", &["yz", "xyyz"], &["z", "xyz"]);
}

#[test]
fn patterns_invalid_in_ecma_262_are_rejected() {
    let syntax = "( ) (?: [ [a ] { } {1} a{ a{,2} a{2,1} a** a+++ * |* ^* $+ \\b+ (?=a)* (?<=a)? (?!a){2} \\ \\a \\- \\_ \\01 \\00 \\x1 \\u12 \
        \\u{110000} \\u{} \\u{1 \\c \\c1 \\k \\k<a \\k<a> \\1 (a)\\2 [b-a] [\\d-z] [a-\\d] [\\1] [\\B] [\\k] [\\c] \\p \\p{ \\pL [\\p] (?i) (?i:a) (?P<n>a) \
        (?<1>a) (?<>a) (?<n (?<a>)(?<a>) (?<a>)|(?<a>) (?>a) a{1}{2} \\z \\A \\Z [[:alpha:]]";
    for source in syntax.split_whitespace() {
        check_rejected(source, PatternErrorKind::Syntax);
    }
}

#[test]
fn patterns_valid_in_ecma_262_are_accepted() {
    let fine = "() (|) [] [^] [-] [a-] [-a] [\\d-] [--\\/] (?:)* a{0} a{00000002} a{2,}? (?<é>a) (?<$_\\u0061\\u{62}>a) (?<𝒜>a) [[] [&&] [~] / \\/ [^^] \
        (?=)(?!) (?<a>)(?<b>) \\cJ [\\cJ] [\\b] \\u{000000061} a|b| - , = ! : < > & ~ ` @ # % \" ' ;";
    for source in fine.split_whitespace() {
        check(source, &[], &[]);
    }
}

#[test]
fn back_references_are_rejected_before_and_after_the_group() {
    for source in ["(a)\\1", "\\1(a)", "(?<n>a)\\k<n>", "\\k<n>(?<n>a)", "(?<=\\1(a))"] {
        check_rejected(source, PatternErrorKind::BackReference);
    }
}

#[test]
fn large_counted_repetitions_load() {
    check("^[\\s\\S]{1,10000}$", &["a", &"é".repeat(10_000)], &["", &"a".repeat(10_001)]);
    check("^.{0,4096}$", &["", &"é".repeat(4096)], &[&"a".repeat(4097)]);
    check("^\\p{L}{0,1000}$", &["", &"é".repeat(1000)], &[&"é".repeat(1001), "1"]);
    check("^.{0,65535}$", &["a"], &[]);
}

#[test]
fn hostile_patterns_are_rejected_quickly() {
    let start = Instant::now();
    for source in [
        "((a{1000}){1000}){1000}",
        "a{4294967296}",
        "a{99999999999999999999}",
        "(?:){4000000000}",
        "(?=((a{1000}){1000}){1000})",
    ] {
        check_rejected(source, PatternErrorKind::TooLarge);
    }
    for unit in ["(", "(?:", "(?=", "\\p{L}\\p{Lu}", "(?=a)", "(a|", "(((((a)*)*)*)*)*", "[^\\p{L}a]"] {
        check_rejected(&unit.repeat(100_000), PatternErrorKind::TooLarge);
    }
    check_rejected(&"(".repeat(60_000), PatternErrorKind::TooLarge);
    check_rejected(&"(?=a)".repeat(10_000), PatternErrorKind::TooLarge);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn large_patterns_load_in_bounded_time() {
    let start = Instant::now();
    for unit in ["\\p{L}", "[\\p{L}\\p{N}]", "(a)", "a?", "[a-z]*", "a|", "\\b", "[^\\p{L}]"] {
        let _ = Pattern::new(&unit.repeat(60_000 / unit.len()));
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn nested_quantifiers_take_linear_time() {
    let text = "a".repeat(20_000) + "!";
    for source in ["^(a+)+$", "^(a|a)*$", "^(?=(a+)+$)a", "^(a?){50}a{50}$", "^(?!(?:a*)*b)(?=(a|aa)+$)"] {
        check(source, &[], &[&text]);
    }
}

#[test]
fn look_around_stops_at_the_step_limit() {
    let pattern = Pattern::new("(?<=a[ab]{0,50000}c)x").unwrap();
    assert_eq!(pattern.is_match(&"a".repeat(100_000)), Err(StepLimit));
}

#[test]
fn javascript_literals_are_escaped() {
    for (source, literal) in [
        ("", "(?:)"),
        ("a/b", "a\\/b"),
        ("a\\/b", "a\\/b"),
        ("\\\\/", "\\\\\\/"),
        ("[/]", "[\\/]"),
        ("</script>", "<\\/script>"),
        ("\n\r\u{2028}\u{2029}", "\\u000a\\u000d\\u2028\\u2029"),
        ("\u{202e}é😀", "\\u202eé😀"),
    ] {
        assert_eq!(Pattern::new(source).unwrap().escaped_for_js_literal(), literal);
    }
}

#[test]
fn patterns_that_backtrack_catastrophically_are_detected() {
    for (source, expected) in [("(a+)+", true), ("(a|a)*", true), ("(\\w+\\s?)*$", true), ("^[a-z]+(-[a-z]+)*$", false)]
    {
        assert_eq!(Pattern::new(source).unwrap().may_blow_up(), expected, "{source}");
    }
}

#[test]
fn messages_contain_the_position_and_a_fix() {
    for (source, message) in [
        ("ab{", "a quantifier is `{n}`, `{n,}` or `{n,m}`; a literal `{` must be written `\\{` (at character 3)"),
        (
            "a\\Z",
            "`\\Z` is not a valid escape in ECMA-262 with the `u` flag: write `$` for the end of the text (at character 3)",
        ),
        (
            "^a]b}$",
            "a literal `]` must be written `\\]` (at character 3); a literal `}` must be written `\\}` (at character 5)",
        ),
        (
            r"\A{,3}(",
            "`\\A` is not a valid escape in ECMA-262 with the `u` flag: write `^` for the start of the text (at character 2); \
             a quantifier is `{n}`, `{n,}` or `{n,m}`; a literal `{` must be written `\\{` (at character 3); \
             a literal `}` must be written `\\}` (at character 6); the group is not closed (at character 7)",
        ),
        ("x(a", "the group is not closed (at character 2)"),
    ] {
        assert_eq!(Pattern::new(source).unwrap_err().to_string(), message);
    }
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(source in any::<String>(), text in any::<String>()) {
        if let Ok(pattern) = Pattern::new(&source) {
            let _ = pattern.is_match(&text);
            prop_assert!(Pattern::new(&pattern.escaped_for_js_literal()).is_ok());
        }
    }

    #[test]
    fn text_of_syntax_characters_never_panics(source in "[\\[\\](){}?:=!<>|*+\\\\^$.,\\-abdpuxk0-9LéÀ-ÿ😀/]{0,40}", text in "[ab0-9é😀]{0,20}") {
        if let Ok(pattern) = Pattern::new(&source) {
            let _ = pattern.is_match(&text);
            prop_assert!(Pattern::new(&pattern.escaped_for_js_literal()).is_ok());
        }
    }
}
