//! The rules of the Agent Skills specification for names and descriptions (decision 45).

use capgen_diagnostic::{Diagnostic, Source, quoted};

use crate::codes;
use crate::inputs::SkillFile;

/// The longest name in characters, by the specification of Agent Skills.
const MAX_NAME: usize = 64;
/// The longest description in characters, by the same specification.
const MAX_DESCRIPTION: usize = 1024;

/// The findings about the name and the description of a skill.
pub(super) fn findings(source: &Source, file: &SkillFile) -> Vec<Diagnostic> {
    let (skill, spans) = (&file.skill, &file.spans);
    let mut findings = Vec::new();
    // The root of a folder of skills has no name of its own.
    let folder = skill.path.rsplit('/').next().filter(|name| *name != ".");
    if let Some(folder) = folder.filter(|folder| *folder != skill.name) {
        let message = format!("the name {} is not that of the folder, {}", quoted(&skill.name), quoted(folder));
        let finding = Diagnostic::new(codes::NAME_OF_FOLDER, message).at(source, spans.name.clone(), "");
        findings.push(finding.help("rename the folder or the skill"));
    }
    if let Some(reason) = invalid_name(&skill.name) {
        let message = format!("the name {} {reason}", quoted(&skill.name));
        let finding = Diagnostic::new(codes::NAME_FORM, message).at(source, spans.name.clone(), "");
        let help = format!("write at most {MAX_NAME} letters, digits and single hyphens, in lower case");
        findings.push(finding.help(help));
    }
    let length = skill.description.chars().count();
    if length > MAX_DESCRIPTION {
        let message = format!("the description has {length} characters, and may have {MAX_DESCRIPTION}");
        // A label under the whole text would underline pages.
        let start = spans.description.start;
        let finding = Diagnostic::new(codes::LONG_DESCRIPTION, message).at(source, start..start, "");
        findings.push(finding.help("move details below the frontmatter"));
    }
    findings
}

/// Why a name breaks the rules for names; `None` if it does not.
fn invalid_name(name: &str) -> Option<String> {
    let length = name.chars().count();
    if length > MAX_NAME {
        return Some(format!("has {length} characters, and may have {MAX_NAME}"));
    }
    // Letters that have no case are in lower case.
    let is_lower = |c: char| c.is_alphanumeric() && c.to_lowercase().eq([c]);
    if let Some(c) = name.chars().find(|c| *c != '-' && !is_lower(*c)) {
        return Some(format!(
            "contains {}, which is not a letter or digit in lower case or a hyphen",
            quoted(&c.to_string())
        ));
    }
    let is_misplaced = name.starts_with('-') || name.ends_with('-') || name.contains("--");
    is_misplaced.then(|| "has a hyphen that is not between two letters or digits".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_lower_case_with_single_hyphens() {
        for name in ["a", "web-search", "v2", "a-1-b", &"x".repeat(64), "\u{fc}ber-1"] {
            assert_eq!(invalid_name(name), None, "{name}");
        }
        for name in ["A", "a_b", "a b", "-a", "a-", "a--b", "a.b", "\u{dc}ber", &"x".repeat(65), "a\n"] {
            assert!(invalid_name(name).is_some(), "{name}");
        }
    }
}
