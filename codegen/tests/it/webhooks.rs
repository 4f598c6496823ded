//! Webhooks, which the agent calls: clients of the agent leave them out.

use capgen_codegen::{Language, Options, Regenerate, generate_with};
use capgen_manifest::{Source, load};

fn generated(capabilities: &str, language: Language) -> String {
    let text = format!(
        "version: 1\nagent: agent://shop\ntransports: [{{ kind: memory, topics: {{ requests: shop }} }}]\n\
         capabilities: {capabilities}\n"
    );
    let contract = load(&Source::new("capabilities.yaml", text)).unwrap().manifest;
    let options = Options { calls: true, ..Options::default() };
    let files = generate_with(&contract, &[language], &options, &Regenerate::anywhere(&contract.agent));
    let name = files.keys().find(|name| name.starts_with("shop.")).cloned().unwrap();
    files[&name].clone()
}

const BOTH: &str =
    "[{ name: find-thing, http: { method: GET, path: /things } }, { name: thing-sold, http: { webhook: sold } }]";

/// The part of a text from one text to the next empty line at the margin, or to its end.
fn part<'t>(text: &'t str, start: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("{start} is not in {text}"));
    rest.split("\n}").next().unwrap_or(rest)
}

#[test]
fn rust_clients_leave_webhooks_out_and_agents_implement_them() {
    let text = generated(BOTH, Language::Rust);
    let client = part(&text, "impl ShopClient {");
    assert!(client.contains("fn find_thing(") && !client.contains("thing_sold"), "{client}");
    assert!(part(&text, "pub trait Shop:").contains("fn thing_sold("), "{text}");
}

#[test]
fn typescript_clients_leave_webhooks_out_and_agents_implement_them() {
    let text = generated(BOTH, Language::TypeScript);
    let client = part(&text, "export interface ShopClient {");
    assert!(client.contains("findThing") && !client.contains("thingSold"), "{client}");
    assert!(part(&text, "export interface ShopHandlers {").contains("thingSold"), "{text}");
}

#[test]
fn a_contract_with_webhooks_alone_has_no_client_in_rust() {
    let text = generated("[{ name: thing-sold, http: { webhook: sold } }]", Language::Rust);
    assert!(!text.contains("ShopClient") && text.contains("pub trait Shop:"), "{text}");
}
