//! Pages as `html5ever` reads them, and contracts for tests.

use std::collections::BTreeSet;

use html5ever::tendril::TendrilSink as _;
use html5ever::tokenizer::TokenizerOpts;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// An element with its attributes.
#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
}

/// A page.
pub(crate) struct Parsed {
    /// Every element, in the order of the page.
    pub(crate) elements: Vec<Element>,
    /// The texts of the page without those of scripts and styles.
    pub(crate) text: String,
    pub(crate) ids: BTreeSet<String>,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

impl Parsed {
    /// Parses a page. A parse error, such as an element that is not closed or may not be where it is, fails the test.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let tokenizer = TokenizerOpts { exact_errors: true, ..TokenizerOpts::default() };
        let options = ParseOpts { tokenizer, ..ParseOpts::default() };
        let dom = parse_document(RcDom::default(), options).one(text);
        let errors = dom.errors.borrow();
        assert!(errors.is_empty(), "{path}: {errors:?}");
        let mut parsed = Self { elements: Vec::new(), text: String::new(), ids: BTreeSet::new() };
        parsed.walk(&dom.document);
        parsed.ids = parsed.elements.iter().filter_map(|element| element.attribute("id").map(str::to_owned)).collect();
        parsed
    }

    fn walk(&mut self, node: &Handle) {
        match &node.data {
            NodeData::Element { name, attrs, .. } => {
                let attributes = attrs.borrow();
                let attributes = attributes.iter().map(|a| (a.name.local.to_string(), a.value.to_string()));
                self.elements.push(Element { name: name.local.to_string(), attributes: attributes.collect() });
            }
            NodeData::Text { contents } => self.text.push_str(&contents.borrow()),
            _ => {}
        }
        node.children.borrow().iter().for_each(|child| self.walk(child));
    }

    pub(crate) fn named(&self, name: &str) -> impl Iterator<Item = &Element> {
        self.elements.iter().filter(move |element| element.name == name)
    }
}

/// A contract with many capabilities of a usual size.
pub(crate) fn many(agent: usize, capabilities: usize) -> String {
    let mut text = format!(
        "version: 1\nagent: agent://agent-{agent}\ntransports: [{{ kind: memory, topics: {{ requests: q }} }}]\ncapabilities:\n"
    );
    for index in 0..capabilities {
        text.push_str(&format!(
            "  - name: capability-{index}\n    version: \"1.{index}.0\"\n    description: Does the work number {index} of agent {agent}.\n\
             \x20   tags: [work, number-{index}]\n    inputSchema:\n      type: object\n      properties:\n"
        ));
        for property in 0..8 {
            text.push_str(&format!(
                "        property{property}: {{ description: The property {property} of the request., type: string, maxLength: 40 }}\n"
            ));
        }
        text.push_str(
            "        items:\n          type: array\n          items:\n            type: object\n            properties:\n\
             \x20             id: { type: string, format: uuid }\n              amount: { type: integer, minimum: 0, maximum: 100 }\n\
             \x20           required: [id]\n        mode: { enum: [fast, slow, exact] }\n      required: [property0, mode]\n\
             \x20     additionalProperties: false\n    outputSchema:\n      type: object\n      properties:\n\
             \x20       result: { oneOf: [{ type: string }, { type: integer }] }\n        total: { type: integer, minimum: 0 }\n\
             \x20     required: [result]\n",
        );
    }
    text
}
