//! `capgen export`: a contract in other formats.

mod arguments;
mod folder;

pub(crate) use arguments::Export;

use capgen_interop::{McpOptions, OpenAiOptions, a2a, json_schema, mcp, openai, openapi, pretty};
use capgen_manifest::{Manifest, capabilities_schema, fleet_schema};
use capgen_schema::{Json, Object};

use crate::console::{self, Console, count};
use crate::failure::{Failure, RunResult, Verdict};
use crate::json_errors;
use crate::one_contract::OneContract;
use arguments::{Format, ManifestFile, Output};

pub(crate) fn run(arguments: &Export, console: &Console) -> RunResult {
    json_errors::reported(exported(arguments, console), arguments.format.is_json(), console)
}

fn exported(arguments: &Export, console: &Console) -> RunResult {
    match &arguments.format {
        Format::Mcp(tools) => {
            let options = McpOptions { strict_clients: tools.strict_clients, all_versions: tools.all_versions };
            with(&tools.contract, |manifest| print(mcp(manifest, options), &tools.output, console))
        }
        Format::Openapi(document) => {
            with(&document.contract, |manifest| print(openapi(manifest), &document.output, console))
        }
        Format::Openai(functions) => {
            let options = OpenAiOptions { chat: functions.chat };
            with(&functions.contract, |manifest| print(openai(manifest, options), &functions.output, console))
        }
        Format::A2a(card) => with(&card.contract, |manifest| print(a2a(manifest, &card.url), &card.output, console)),
        Format::JsonSchema(folder) => {
            with(&folder.contract, |manifest| folder::write(&folder.out, &json_schema(manifest), folder.json, console))
        }
        Format::ManifestSchema(schema) => {
            let schema = match schema.file {
                ManifestFile::Capabilities => capabilities_schema(),
                ManifestFile::Fleet => fleet_schema(),
            };
            console::print_json(&pretty(&schema))?;
            Ok(Verdict::Fine)
        }
    }
}

fn with(contract: &OneContract, export: impl FnOnce(&Manifest) -> RunResult) -> RunResult {
    // `None` cannot happen: an option that selects a contract is required.
    contract.load()?.map_or(Ok(Verdict::Fine), |contract| export(&contract.manifest))
}

fn print(export: capgen_interop::Export, output: &Output, console: &Console) -> RunResult {
    let losses = export.losses.iter();
    if output.json {
        let losses = Json::Array(losses.map(capgen_interop::Loss::to_json).collect());
        let members = [("document".to_owned(), export.document), ("losses".to_owned(), losses)];
        console::print_json(&pretty(&Json::Object(members.into_iter().collect::<Object>()))).map_err(Failure::from)?;
    } else {
        console::print_json(&pretty(&export.document))?;
        losses.for_each(|loss| console.line(&format!("  {loss}")));
    }
    if !export.losses.is_empty() {
        let count = count(export.losses.len(), "part of the contract differs", "parts of the contract differ");
        console.line(&format!("{count} in the document"));
    }
    Ok(Verdict::Fine)
}
