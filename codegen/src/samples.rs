//! Calls of capabilities with generated clients, for pages that show how to call an agent.

use capgen_manifest::Manifest;

use crate::{Language, Options, lower};

/// A call of a capability, around its request as JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CallSample {
    /// The name of the language, such as `Rust`.
    pub language: &'static str,
    /// The text before the request.
    pub before: String,
    /// The text after the request.
    pub after: String,
}

/// The names of a call in generated code, in the settled model of a language.
pub(crate) struct SampleNames {
    /// The client, or the function that makes it.
    pub(crate) client: String,
    /// The method of the client.
    pub(crate) method: String,
    /// The type of the request.
    pub(crate) request: String,
}

/// A call of each capability in each language, in the order of the contract. There is none of a webhook, which the
/// agent does not offer. The names are those of code that is generated with [`calls`](Options::calls) and no other
/// option.
///
/// Takes the time of generating the code.
///
/// ```
/// use capgen_codegen::{Language, call_samples};
/// use capgen_manifest::{Source, load};
/// let text = "\
/// version: 1
/// agent: agent://shop
/// transports: [{ kind: memory, topics: { requests: shop } }]
/// capabilities: [{ name: find-product, inputSchema: { type: string } }]
/// ";
/// let contract = load(&Source::new("capabilities.yaml", text)).unwrap();
/// let samples = call_samples(&contract.manifest, &[Language::Rust]);
/// assert!(samples[0][0].after.contains("client.find_product(&request).await"));
/// ```
pub fn call_samples(manifest: &Manifest, languages: &[Language]) -> Vec<Vec<CallSample>> {
    let mut model = lower::lower(manifest);
    model.options = Options { calls: true, ..Options::default() };
    let mut samples: Vec<Vec<CallSample>> = vec![Vec::new(); manifest.capabilities.len()];
    for target in Language::targets(languages) {
        let mut settled = model.clone();
        target.settle(&mut settled);
        target.prepare(&mut settled);
        let names = target.sample_names(&settled);
        for ((capability, names), samples) in manifest.capabilities.iter().zip(names).zip(&mut samples) {
            let (before, after) = target.sample_template().split_once(REQUEST).unwrap_or_default();
            if !capability.is_webhook() {
                let [before, after] =
                    [before, after.trim_end()].map(|text| filled(text, manifest.agent.as_str(), &names));
                samples.push(CallSample { language: target.name(), before, after });
            }
        }
    }
    samples
}

/// The place of the request in a template.
const REQUEST: &str = "{json}";

/// The template with the names, which have no braces.
fn filled(template: &str, agent: &str, names: &SampleNames) -> String {
    let pairs =
        [("{agent}", agent), ("{client}", &names.client), ("{method}", &names.method), ("{request}", &names.request)];
    pairs.into_iter().fold(template.to_owned(), |text, (place, name)| text.replace(place, name))
}
