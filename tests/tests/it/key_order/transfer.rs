//! A transfer of money, whose provider sorts or renames its properties: the source of a caller keeps its meaning, or
//! does not compile.

use capgen_codegen::Language;
use capgen_tests::contract::{Draft, contract, generated};
use capgen_tests::rust_package::{Package, succeed};

/// The request with its properties in this order, and all of them required.
fn transfer(names: [&str; 3]) -> String {
    let property = |name: &&str| match *name {
        "amount" => r#""amount": {"type": "integer"}"#.to_owned(),
        name => format!(r#""{name}": {{"type": "string"}}"#),
    };
    let properties: Vec<String> = names.iter().map(property).collect();
    let schema = format!(
        r#"{{"type": "object", "properties": {{{}}}, "required": ["{}"]}}"#,
        properties.join(","),
        names.join(r#"",""#)
    );
    generated(&contract("bank", &[Draft::request("transfer", &schema)]).unwrap(), Language::Rust)
}

const NAMED: &str = r#"
pub fn pay() -> String {
    let required = TransferRequestRequired { from: "alice".to_owned(), to: "bob".to_owned(), amount: 5 };
    let paid = serde_json::to_value(TransferRequest::new(required)).unwrap();
    format!("{} pays {} to {}", paid["from"], paid["amount"], paid["to"])
}
"#;

const PROGRAM: &str = r#"
mod declared;
mod sorted;
fn main() {
    println!("{}", declared::pay());
    println!("{}", sorted::pay());
}
"#;

#[test]
fn sorted_properties_leave_the_meaning_of_a_program_that_compiles() {
    let module = |names| format!("{}{NAMED}", transfer(names));
    let files = [
        ("main.rs".to_owned(), PROGRAM.to_owned()),
        ("declared.rs".to_owned(), module(["from", "to", "amount"])),
        ("sorted.rs".to_owned(), module(["amount", "to", "from"])),
    ];
    let package = Package::write(env!("CARGO_TARGET_TMPDIR"), "transfer-sorted", "2024", &files).unwrap();
    let output = succeed(&mut package.cargo("run")).unwrap();
    let paid = "\"alice\" pays 5 to \"bob\"\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), paid.repeat(2));
}

#[test]
fn arguments_without_names_and_renamed_properties_do_not_compile() {
    let positional = r#"pub fn pay() -> TransferRequest { TransferRequest::new("alice", "bob", 5) }"#;
    for (name, names, source, error) in [
        ("transfer-positional", ["from", "to", "amount"], positional, "E0061"),
        ("transfer-renamed", ["from", "beneficiary", "amount"], NAMED, "E0560"),
    ] {
        let main = format!("mod bank {{ {}{source} }}\nfn main() {{ bank::pay(); }}\n", transfer(names));
        let files = [("main.rs".to_owned(), main)];
        let package = Package::write(env!("CARGO_TARGET_TMPDIR"), name, "2021", &files).unwrap();
        let output = package.cargo("check").output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && message.contains(error), "{name}: {message}");
    }
}
