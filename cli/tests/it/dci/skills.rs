//! Workspaces with skills.

use crate::common::{Fleet, Run};

/// A workspace with these skills in `skills/<name>`: name, description and contract, if that is not empty.
pub(crate) fn workspace(skills: &[(&str, &str, &str)]) -> Fleet {
    let workspace = Fleet::new(&[]);
    for (name, description, contract) in skills {
        workspace.write(&format!("skills/{name}/SKILL.md"), &skill(name, description, contract));
    }
    workspace
}

/// A `SKILL.md`. JSON texts are YAML too.
pub(crate) fn skill(name: &str, description: &str, contract: &str) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let metadata = match contract {
        "" => String::new(),
        contract => format!("metadata:\n  contract: {}\n", quoted(contract)),
    };
    format!("---\nname: {}\ndescription: {}\n{metadata}---\n", quoted(name), quoted(description))
}

/// Runs `capgen dci` in a workspace with arguments that are separated by spaces.
pub(crate) fn dci(workspace: &Fleet, arguments: &str) -> Run {
    let output = workspace.command(&format!("dci {arguments}")).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { status: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
}
