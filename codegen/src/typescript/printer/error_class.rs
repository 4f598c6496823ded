//! The class of the errors that `assert` functions throw.

use super::Form;
use crate::typescript::syntax::ErrorClass;

/// The lines of the class.
pub(super) fn lines(class: &ErrorClass, form: Form) -> Vec<String> {
    let ErrorClass { doc, name, violation } = class;
    let mut lines: Vec<String> = doc.iter().map(|line| format!("/** {line} */")).collect();
    lines.extend(match form {
        Form::Typed => vec![
            format!("export class {name} extends Error {{"),
            format!("  override readonly name = \"{name}\";"),
            format!("  readonly violations: {violation}[];"),
            "  readonly truncated: boolean;".to_owned(),
            String::new(),
            format!("  constructor(violations: {violation}[], truncated = false) {{"),
            SHOWN.to_owned(),
            MORE.to_owned(),
            SUPER.to_owned(),
            "    this.violations = violations;".to_owned(),
            "    this.truncated = truncated;".to_owned(),
            "  }".to_owned(),
        ],
        Form::Script | Form::CommonJs => vec![
            format!("{}class {name} extends Error {{", form.export()),
            format!("  name = \"{name}\";"),
            "  violations;".to_owned(),
            "  truncated;".to_owned(),
            String::new(),
            "  constructor(violations, truncated = false) {".to_owned(),
            SHOWN.to_owned(),
            MORE.to_owned(),
            SUPER.to_owned(),
            "    this.violations = violations;".to_owned(),
            "    this.truncated = truncated;".to_owned(),
            "  }".to_owned(),
        ],
        Form::Declarations => vec![
            format!("export declare class {name} extends Error {{"),
            format!("  readonly name = \"{name}\";"),
            format!("  readonly violations: {violation}[];"),
            "  readonly truncated: boolean;".to_owned(),
            format!("  constructor(violations: {violation}[], truncated?: boolean);"),
        ],
    });
    lines.push("}".to_owned());
    lines
}

/// The message has at most 16 violations, because a payload can have any number of them, and messages often go to logs.
const SHOWN: &str =
    "    const shown = violations.slice(0, 16).map(({ path, message }) => `${path || \"(root)\"}: ${message}`);";
const MORE: &str = "    if (truncated || violations.length > 16) shown.push(\"and more\");";
const SUPER: &str = "    super(shown.join(\"\\n\"));";
