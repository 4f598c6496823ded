//! The table of the verdicts on callers with older contracts.

use std::path::Path;

use capgen_codegen::output::Destination;
use capgen_codegen::{KnownFinding, Language, Options, SideVerdict, Verdicts};
use capgen_manifest::{Source, load};

const TABLE: &str = r#"const call_verdicts: any = {
  find: {
    "1aa": { request: "fits", response: "undecided" },
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

#[test]
fn the_table_has_the_rows_of_each_capability_sorted_by_hash() {
    let text = "version: 1\nagent: agent://shop\ntransports: [{ kind: memory, topics: { requests: shop } }]\n\
                capabilities: [{ name: find }, { name: other }, { name: last }]\n";
    let contract = load(&Source::new("capabilities.yaml", text)).unwrap();
    let finding = KnownFinding {
        code: Some("E0712".to_owned()),
        message: "`maxLength: 9` \"added\"".to_owned(),
        pointer: "/inputSchema".to_owned(),
        help: Some("keep it".to_owned()),
        fingerprint: "f".to_owned(),
    };
    let mut verdicts = Verdicts::default();
    verdicts.insert(2, "aaa".to_owned(), [SideVerdict::Fits, SideVerdict::Fits]);
    verdicts.insert(
        0,
        "aaa".to_owned(),
        [SideVerdict::MayFail(finding), SideVerdict::MayFail(KnownFinding::default())],
    );
    verdicts.insert(0, "1aa".to_owned(), [SideVerdict::Fits, SideVerdict::Undecided]);
    let options = Options { calls: true, ..Options::default() };
    let (folder, languages) = (Path::new("generated"), &[Language::TypeScript][..]);
    let destination = Destination { folder, languages, options, build_script: None };
    let outputs = destination.generate_knowing(&[contract], &[verdicts], |locator, contract| {
        locator.command(contract).with_history(vec!["git".to_owned()])
    });
    let text = &outputs[0].files["shop.ts"];
    assert!(text.contains(TABLE), "{text}");
    assert!(text.contains(" --calls --history git --out . #"), "{text}");
    assert!(text.contains("options, undefined, undefined, verdictsOf(call_verdicts));"), "{text}");
}
