//! Compares patterns with a JavaScript engine. Skipped without Node.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test")]

use capgen_schema::{Json, Pattern, PatternErrorKind, normalise};
use capgen_testkit::{Random, node};
use serde_json::{Value, json};

/// For each case `[pattern, literal, texts, flags]`, prints whether each text matches, once with `new RegExp(pattern,
/// flags)` and once with the literal; `null` if the pattern is rejected. The flags are `u` if they are absent.
///
/// A match inside of a surrogate pair is printed as `"within"`. V8 tries to match there, but ECMA-262 section 22.2.7.2
/// advances by code points, so such a match is ignored.
const SCRIPT: &str = r#"
const isWithin = (t, at) => /^[\ud800-\udbff][\udc00-\udfff]$/.test(t.slice(at - 1, at + 1));
const test = (r, t) => { const m = r.exec(t); return m && isWithin(t, m.index) ? "within" : m !== null; };
const answer = (make, texts) => { try { const r = make(); return texts.map((t) => test(r, t)); } catch { return null; } };
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(([pattern, literal, texts, flags = "u"]) => [
  answer(() => new RegExp(pattern, flags), texts),
  literal === null ? null : answer(() => (0, eval)("/" + literal + "/u"), texts),
])));
"#;

/// The output of `node` for the cases; `None` without `node`.
fn ask_node(cases: &[Value]) -> Option<Vec<Value>> {
    if !node::is_installed() {
        return None;
    }
    let answer = node::answer(node::command().args(["-e", SCRIPT]), &json!(cases)).unwrap();
    Some(answer.as_array().unwrap().clone())
}

fn compare(cases: impl IntoIterator<Item = (String, Vec<String>)>) {
    let cases: Vec<(String, Vec<String>)> = cases.into_iter().collect();
    let ours: Vec<_> = cases.iter().map(|(source, _)| Pattern::new(source)).collect();
    let questions: Vec<_> = cases
        .iter()
        .zip(&ours)
        .map(|((source, texts), ours)| json!([source, ours.as_ref().ok().map(Pattern::escaped_for_js_literal), texts]))
        .collect();
    let Some(answers) = ask_node(&questions) else { return };
    let mut differences = Vec::new();
    for (((source, texts), ours), theirs) in cases.iter().zip(&ours).zip(&answers) {
        match ours {
            Ok(pattern) => {
                let verdicts: Vec<_> = texts.iter().map(|text| verdict(pattern, text)).collect();
                if !agree(&theirs[0], &verdicts) || !agree(&theirs[1], &verdicts) {
                    differences.push(format!("{source:?} on {texts:?}: {verdicts:?}, node {theirs}"));
                }
            }
            Err(error) if (error.kind == PatternErrorKind::Syntax) != theirs[0].is_null() => {
                differences.push(format!("{source:?}: {error}, node {theirs}"));
            }
            Err(_) => {}
        }
    }
    let shown = differences.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} of {}:\n{shown}", differences.len(), cases.len());
}

/// Matches often enough that the pattern switches to its table, which must give the same result.
fn verdict(pattern: &Pattern, text: &str) -> bool {
    let verdict = pattern.is_match(text).unwrap();
    assert!((0..20).all(|_| pattern.is_match(text).unwrap() == verdict), "{} on {text:?}", pattern.source());
    verdict
}

fn agree(theirs: &Value, ours: &[bool]) -> bool {
    theirs.as_array().is_some_and(|theirs| {
        theirs.iter().zip(ours).all(|(theirs, ours)| theirs == "within" || theirs == &Value::Bool(*ours))
    })
}

/// Random patterns and texts, the same in every run.
struct Samples(Random);

impl Samples {
    fn text(&mut self) -> String {
        let length = self.0.below(8);
        (0..length).map(|_| self.0.pick(TEXT)).collect()
    }

    fn pattern(&mut self, depth: usize) -> String {
        let alternatives = if self.0.below(4) == 0 { 2 } else { 1 };
        let mut out = Vec::new();
        for _ in 0..alternatives {
            let terms = self.0.below(4);
            out.push((0..terms).map(|_| self.term(depth)).collect::<String>());
        }
        out.join("|")
    }

    fn term(&mut self, depth: usize) -> String {
        let atom = match self.0.below(if depth == 0 { 6 } else { 10 }) {
            0..=2 => self.0.pick(ATOMS).to_owned(),
            3 => return self.0.pick(&["^", "$", "\\b", "\\B"]).to_owned(),
            4 | 5 => self.class(),
            6 | 7 => format!("({}{})", self.0.pick(&["", "?:"]), self.pattern(depth - 1)),
            _ => return format!("({}{})", self.0.pick(&["?=", "?!", "?<=", "?<!"]), self.pattern(depth - 1)),
        };
        let quantifier = if self.0.below(2) == 0 { "" } else { self.0.pick(QUANTIFIERS) };
        atom + quantifier
    }

    fn class(&mut self) -> String {
        let items = self.0.below(4);
        let items: String = (0..items).map(|_| self.0.pick(CLASS_ITEMS)).collect();
        format!("[{}{items}]", self.0.pick(&["", "^"]))
    }

    /// Changes, inserts or removes characters of a pattern.
    fn mutate(&mut self, pattern: &str) -> String {
        let mut chars: Vec<String> = pattern.chars().map(String::from).collect();
        for _ in 0..=self.0.below(3) {
            let at = self.0.below(chars.len() + 1);
            match self.0.below(3) {
                0 if at < chars.len() => drop(chars.remove(at)),
                1 if at < chars.len() => chars[at] = self.0.pick(NOISE).to_owned(),
                _ => chars.insert(at, self.0.pick(NOISE).to_owned()),
            }
        }
        chars.concat()
    }
}

const TEXT: &[&str] =
    &["a", "b", "ab", "A", "1", "_", "-", " ", "\n", "\r", "é", "😀", "\u{2028}", "\u{feff}", "\u{85}", "\0", "ſ"];
const ATOMS: &[&str] = &[
    "a",
    "b",
    "ab",
    ".",
    "\\d",
    "\\D",
    "\\w",
    "\\W",
    "\\s",
    "\\S",
    "[^]",
    "[]",
    "\\u{1f600}",
    "\\ud83d\\ude00",
    "\\ud83d",
    "\\ude00",
    "\\p{L}",
    "\\P{L}",
    "\\p{Lu}",
    "\\n",
    "\\x61",
    "\\cJ",
    "\\0",
    "é",
    "😀",
    "-",
    "\\-",
    "\\/",
    "/",
    "\n",
    "\u{2028}",
    "\\p{Any}",
    "\\p{Cs}",
    "\\P{Cs}",
    "\\p{ASCII}",
    "\\p{Emoji}",
    "\\p{sc=Latn}",
];
const QUANTIFIERS: &[&str] = &["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0}", "{1,}?", "{0,3}", "{2,1}"];
const CLASS_ITEMS: &[&str] = &[
    "a",
    "b-z",
    "\\d",
    "\\W",
    "\\s",
    "-",
    "\\-",
    "^",
    "\\b",
    "\\ud800-\\udfff",
    "\\ud83d\\ude00",
    "😀",
    "\\u{0}-\\u{10ffff}",
    "\\u0000-\\ud900",
    "\\p{Lu}",
    "\\P{Lu}",
    ".",
    "$",
    "/",
    "[",
    "\n",
    "\\x00-\\x1f",
    "&&",
    "\\]",
];
const NOISE: &[&str] = &[
    "(", ")", "[", "]", "{", "}", "|", "*", "+", "?", "^", "$", "\\", ".", "-", ",", "1", "0", "2", "a", "k", "<", ">",
    "=", "!", ":", "b", "B", "d", "p", "u", "c", "x", "/", "é", "😀", "\n", "(?<", "(?:", "\\k<a>", "\\u{", "\\p{",
    "&", "i",
];

#[test]
fn random_patterns_agree_with_node() {
    let mut samples = Samples(Random::new(1));
    compare((0..2_500).map(|_| (samples.pattern(3), (0..8).map(|_| samples.text()).collect())));
}

#[test]
fn damaged_patterns_agree_with_node() {
    let mut samples = Samples(Random::new(2));
    compare((0..2_500).map(|_| {
        let pattern = samples.pattern(2);
        (samples.mutate(&pattern), (0..3).map(|_| samples.text()).collect())
    }));
}

#[test]
fn character_escapes_agree_with_node() {
    let texts = || ["", "a", "-", "\u{b}", "0", "\u{8}", "/", "é"].map(String::from).to_vec();
    let chars = (' '..='~').chain(['\0', '\n', 'é', '\u{2028}', '😀']);
    compare(chars.flat_map(|c| {
        [format!("\\{c}"), format!("[\\{c}]"), format!("[a-\\{c}]"), format!("{c}"), format!("[{c}]")]
            .map(|p| (p, texts()))
    }));
}

/// Escapes that only the legacy syntax allows, next to syntax that they could become a part of.
const LEGACY: &[&str] = &[
    "a", "1", "2", "{", "}", "{1", "{1\\,", "{1,2}", "\\,", "\\-", "\\_", "\\:", "\\=", "\\!", "\\<", "\\>", "\\@",
    "\\ ", "\\&", "\\}", "\\{", "(?", "(?<", "(?:", "(", ")", "[", "[^", "]", "a-z", "-", "*", "?", "|", "^", "$",
    "\\d", "\\k", "\\.",
];
const LEGACY_TEXT: &[&str] =
    &["a", "1", "2", "{", "}", ",", "-", "_", ":", "=", "<", ">", "@", " ", "&", "(", "k", "aa"];

#[test]
fn patterns_without_needless_escapes_match_the_same_texts() {
    let mut random = Random::new(3);
    let mut cases = Vec::new();
    while cases.len() < 1_500 {
        let source: String = (0..1 + random.below(7)).map(|_| random.pick(LEGACY)).collect();
        let schema = Json::try_from(&json!({"pattern": source})).unwrap();
        let Ok(output) = normalise(&schema) else { continue };
        let fixed = output.get("pattern").and_then(Json::as_str).unwrap().to_owned();
        if fixed != source {
            let texts = (0..6).map(|_| (0..random.below(5)).map(|_| random.pick(LEGACY_TEXT)).collect());
            let texts: Vec<String> = [source.replace('\\', ""), fixed.clone()].into_iter().chain(texts).collect();
            cases.push((source, fixed, texts));
        }
    }
    let questions: Vec<_> = cases.iter().map(|(source, _, texts)| json!([source, null, texts, ""])).collect();
    let Some(answers) = ask_node(&questions) else { return };
    for ((source, fixed, texts), theirs) in cases.iter().zip(&answers) {
        let pattern = Pattern::new(fixed).unwrap();
        let verdicts: Vec<_> = texts.iter().map(|text| pattern.is_match(text).unwrap()).collect();
        assert!(agree(&theirs[0], &verdicts), "{source:?} became {fixed:?}, on {texts:?}: {verdicts:?}, node {theirs}");
    }
}
