//! The table of the verdicts on callers with older contracts.

use std::path::Path;

use capgen_codegen::history::{HistoryTable, KnownFinding, OlderContracts, SideVerdict, VerdictSettings, Verdicts};
use capgen_codegen::output::Destination;
use capgen_codegen::{Language, Options};
use capgen_evolve::{Accepted, AcceptedEntry, CallSettings, Date, Refusal, can_call_accepting};
use capgen_manifest::{LoadedContract, Source, load};

const TABLE: &str = r#"const call_verdicts: any = {
  find: {
    "1aa": { request: "fits", response: "undecided" },
    "2aa": {
      request: [
        {
          side: "request",
          code: "E0712",
          message: "`maxLength: 9` \"added\"",
          pointer: "/inputSchema",
          help: "keep it",
          fingerprint: "f",
          acceptedUntil: "2027-01-31",
        },
        { side: "request", code: "E0701", message: "", pointer: "", fingerprint: "" },
      ],
      response: {
        side: "response",
        code: "E0712",
        message: "`maxLength: 9` \"added\"",
        pointer: "/inputSchema",
        help: "keep it",
        fingerprint: "f",
        acceptedUntil: "2027-01-31",
        verdict: "undecided",
      },
    },
    aaa: {
      request: {
        side: "request",
        code: "E0712",
        message: "`maxLength: 9` \"added\"",
        pointer: "/inputSchema",
        help: "keep it",
        fingerprint: "f",
      },
      response: { side: "response" },
    },
  },
  last: { aaa: { request: "fits", response: "fits" } },
};
"#;

fn shop(capabilities: &str) -> LoadedContract {
    let text = format!(
        "version: 1\nagent: agent://shop\ntransports: [{{ kind: memory, topics: {{ requests: shop }} }}]\n\
         capabilities: [{capabilities}]\n"
    );
    load(&Source::new("capabilities.yaml", text)).unwrap()
}

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

#[test]
fn the_table_has_the_rows_of_each_capability_sorted_by_hash() {
    let contract = shop("{ name: find }, { name: other }, { name: last }");
    let finding = KnownFinding {
        code: "E0712".to_owned(),
        message: "`maxLength: 9` \"added\"".to_owned(),
        pointer: "/inputSchema".to_owned(),
        help: Some("keep it".to_owned()),
        fingerprint: "f".to_owned(),
        accepted_until: None,
    };
    let until = Some(day("2027-01-31"));
    let accepted = KnownFinding { accepted_until: until, ..finding.clone() };
    let other = KnownFinding { code: "E0701".to_owned(), ..KnownFinding::default() };
    let mut verdicts = Verdicts::default();
    for (capability, caller, sides) in [
        (2, "aaa", [SideVerdict::Fits, SideVerdict::Fits]),
        (0, "aaa", [SideVerdict::MayFail(vec![finding]), SideVerdict::MayFail(Vec::new())]),
        (0, "2aa", [SideVerdict::MayFail(vec![accepted.clone(), other]), SideVerdict::Undecided(vec![accepted])]),
        (0, "1aa", [SideVerdict::Fits, SideVerdict::Undecided(Vec::new())]),
    ] {
        verdicts.insert(capability, caller.to_owned(), sides);
    }
    let options = Options { calls: true, ..Options::default() };
    let (folder, languages) = (Path::new("generated"), &[Language::TypeScript][..]);
    let destination = Destination { folder, languages, options, build_script: None };
    let table = HistoryTable { verdicts, words: vec!["git".to_owned()] };
    let outputs = destination.generate_knowing(&[contract], vec![table]);
    let text = &outputs[0].files["shop.ts"];
    assert!(text.contains(TABLE), "{text}");
    assert!(text.contains(" --calls --history git --out . #"), "{text}");
    assert!(text.contains("options, undefined, undefined, verdictsOf(call_verdicts));"), "{text}");
}

/// The code of the finding for which a server refuses the caller on a day, by the verdict on a side.
fn refused_for(verdict: &SideVerdict, today: Date) -> Option<&str> {
    let SideVerdict::MayFail(findings) = verdict else { return None };
    let is_accepted = |finding: &&KnownFinding| finding.accepted_until.is_some_and(|last| today <= last);
    findings.iter().find(|finding| !is_accepted(finding)).map(|finding| finding.code.as_str())
}

#[test]
fn accepted_findings_are_removed_on_the_same_days_as_by_servers_that_compare_contracts() {
    let old = shop("{ name: find, inputSchema: { type: object, properties: { a: { type: string } } } }");
    let new = shop(
        "{ name: find, inputSchema: { type: object, required: [b], properties: { a: { type: string, maxLength: 2 } } } }",
    );
    let descriptor = |contract: &LoadedContract| contract.manifest.capabilities[0].to_descriptor(None);
    let agent = &new.manifest.agent;
    let mut older = OlderContracts::default();
    older.add(&new.manifest, old.manifest.clone());
    let verdict = |entries: Vec<AcceptedEntry>| {
        let settings = VerdictSettings { accepted: Accepted::new(entries), ..VerdictSettings::default() };
        older.verdicts(&new.manifest, &settings).rows(0).next().map(|(_, [(_, request), _])| request.clone()).unwrap()
    };
    let fingerprints = all_fingerprints(&old, &new);
    assert_eq!(fingerprints.len(), 2, "{fingerprints:?}");
    let entry = |fingerprint: &str, expires: &str| AcceptedEntry {
        fingerprint: fingerprint.to_owned(),
        code: None,
        agent: None,
        reason: "reviewed".to_owned(),
        expires: day(expires),
        span: 0..0,
    };
    let mut outcomes = Vec::new();
    for days in
        [[None, None], [Some("2027-01-31"), None], [None, Some("2027-01-31")], [Some("2027-02-01"), Some("2027-01-31")]]
    {
        let entries = || fingerprints.iter().zip(days).filter_map(|(one, day)| Some(entry(one, day?))).collect();
        let verdict = verdict(entries());
        for today in ["2027-01-31", "2027-02-01", "2027-02-02"].map(day) {
            let accepted = Accepted::new(entries());
            let settings = CallSettings::default();
            let expected =
                match can_call_accepting(&descriptor(&old), &descriptor(&new), &settings, accepted.on(agent, today)) {
                    Ok(_) => None,
                    Err(Refusal::Incompatible(found)) => found.finding.map(|finding| finding.code.as_str().to_owned()),
                    Err(other) => panic!("{other}"),
                };
            assert_eq!(refused_for(&verdict, today), expected.as_deref(), "{days:?} {today}");
            outcomes.push(expected);
        }
    }
    // Both findings and no finding occur.
    outcomes.sort();
    outcomes.dedup();
    assert_eq!(outcomes.len(), 3, "{outcomes:?}");
}

/// The fingerprints of the breaking findings of the only capability.
fn all_fingerprints(old: &LoadedContract, new: &LoadedContract) -> Vec<String> {
    let comparison = capgen_evolve::compare(&old.manifest, &new.manifest, capgen_evolve::Settings::default());
    let is_breaking = |finding: &&capgen_evolve::Finding| finding.level == capgen_evolve::Level::Breaking;
    comparison.findings.iter().filter(is_breaking).map(|finding| finding.fingerprint.to_string()).collect()
}
