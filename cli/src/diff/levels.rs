//! The values of `--level`.

use capgen_diagnostic::{Code, Explanations};
use capgen_evolve::Level;

/// Parses `CODE=LEVEL`.
pub(super) fn parse(text: &str) -> Result<(Code, Level), String> {
    let (code, level) =
        text.split_once('=').ok_or("write the code of a rule, `=` and a level, such as `W0703=safe`")?;
    let rules = Explanations::new(&[capgen_evolve::codes::EXPLANATIONS]);
    let Some(rule) = rules.get(code) else {
        let near = rules.nearest(code).map(|near| format!(": did you mean {near}?")).unwrap_or_default();
        return Err(format!("there is no rule {code:?}{near}"));
    };
    let names = Level::ALL.map(Level::name).join(", ");
    let level =
        Level::from_name(level).ok_or_else(|| format!("there is no level {level:?}; the levels are {names}"))?;
    Ok((rule.code(), level))
}
