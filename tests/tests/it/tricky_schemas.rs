//! `tricky-schemas/*.json` of the corpus: schemas with literals that must, or must not, be assignable to the root's
//! type.

use capgen_codegen::Language;
use capgen_manifest::Data;
use capgen_tests::contract::{Draft, contract, generated};
use capgen_tests::corpus::{self, Document, elements, member};
use capgen_tests::node::{self, Program, TscError};

/// Invalid literals that no sound TypeScript type can reject, by file, each with the reason.
const BEYOND_TYPES: [(&str, &str, &str); 0] = [];

struct Case {
    name: String,
    accept: Vec<String>,
    reject: Vec<String>,
    types: String,
}

impl Case {
    /// `None` if the schema is outside the subset.
    fn new(name: &str, document: &Document) -> Option<Self> {
        let literals = |key: &str| {
            let text = |data: &Data| if let Data::String(text) = data { Some(text.replace('\n', " ")) } else { None };
            elements(member(document.root(), key)).iter().filter_map(|node| text(&node.data)).collect()
        };
        let schema = document.text(member(document.root(), "schema")?);
        let types = generated(&contract("tricky", &[Draft::request("root", schema)]).ok()?, Language::TypeScript);
        Some(Self { name: name.to_owned(), accept: literals("accept"), reject: literals("reject"), types })
    }

    /// The types and their uses: two files of the program with all cases.
    fn files(&self, index: usize) -> [(String, String); 2] {
        let mut uses = format!("import type {{ RootRequest as Root }} from \"./types-{index}.ts\";\n");
        for (index, literal) in self.accept.iter().chain(&self.reject).enumerate() {
            uses.push_str(&format!("export const x{index}: Root = {literal};\n"));
        }
        [(format!("types-{index}.ts"), self.types.clone()), (format!("{index}.ts"), uses)]
    }

    /// The literals on which the compiler and the case disagree. `errors` are the errors of all cases.
    fn surprises(&self, index: usize, errors: &[TscError]) -> Vec<String> {
        let mut surprises = Vec::new();
        let file = format!("{index}.ts");
        for (index, literal) in self.accept.iter().chain(&self.reject).enumerate() {
            // The first line of the file is the import.
            let mut found = errors.iter().filter(|error| error.file == file && error.line == index as u64 + 2);
            match (index < self.accept.len(), found.next()) {
                (true, Some(error)) => surprises.push(format!("rejected: {literal}\n    {}", error.message)),
                (false, None) if !self.is_beyond_types(literal) => surprises.push(format!("not rejected: {literal}")),
                _ => {}
            }
        }
        surprises.iter().map(|surprise| format!("{}: {surprise}\n", self.name)).collect()
    }

    fn is_beyond_types(&self, literal: &str) -> bool {
        BEYOND_TYPES.iter().any(|(name, beyond, _)| *name == self.name && *beyond == literal)
    }
}

fn check(documents: &[(String, Document)]) {
    let Some(node) = node::require_or_skip().unwrap() else { return };
    let cases: Vec<Case> = documents.iter().filter_map(|(name, document)| Case::new(name, document)).collect();
    let files = cases.iter().enumerate().flat_map(|(index, case)| case.files(index)).collect();
    let program = Program { files, options: node::strictest() };
    let errors: Vec<TscError> = node.tsc_check_all(&[program]).unwrap().into_iter().flatten().collect();
    let generated: Vec<&TscError> = errors.iter().filter(|error| error.file.starts_with("types-")).collect();
    assert!(generated.is_empty(), "{generated:?}");
    let surprises: String = cases.iter().enumerate().flat_map(|(index, case)| case.surprises(index, &errors)).collect();
    println!("{} of {} schemas load", cases.len(), documents.len());
    assert_eq!(surprises, "");
}

#[test]
#[ignore = "reads the corpora in the folder that `CAPGEN_CORPUS` names"]
fn valid_literals_of_the_corpora_have_the_type_and_invalid_ones_do_not() {
    check(&corpus::documents(&corpus::path("tricky-schemas")).unwrap());
}

#[test]
fn valid_literals_have_the_type_and_invalid_ones_do_not() {
    let text = std::fs::read_to_string(capgen_tests::folder().join("tests/it/literals.json")).unwrap();
    let cases = Document::parse(&text).unwrap();
    let documents = elements(Some(cases.root())).iter().map(|case| {
        let name = corpus::string(case, "name").unwrap().to_owned();
        (name, Document::parse(cases.text(case)).unwrap())
    });
    let documents: Vec<_> = documents.collect();
    assert!(documents.iter().all(|(name, document)| Case::new(name, document).is_some()), "every own case loads");
    check(&documents);
}
