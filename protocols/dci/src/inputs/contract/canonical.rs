//! The canonical text of a contract.

use super::kind::Kind;
use super::token::escaped;
use super::{Setting, SkillContract};

impl SkillContract {
    /// The canonical text (decision 9): short names, clauses in the order `P E A R O D Rt M Pol`, and values in their
    /// order. A clause without values is omitted.
    ///
    /// Reading it in the mode in which this contract was read gives the same clauses. It contains no invalid tokens and
    /// no unknown clauses.
    pub fn canonical(&self) -> String {
        let mut text = String::from("DCI/1");
        if let Some(mode) = self.mode {
            text.push('^');
            text.push_str(mode.name());
        }
        for kind in Kind::ALL {
            let values = match kind {
                Kind::Provides => self.provides.join(","),
                Kind::Expects => self.expects.join(","),
                Kind::Accepts => settings(&self.accepts),
                Kind::Requires => self.requires.join(","),
                Kind::Optional => self.optional.join(","),
                Kind::Denies => self.denies.join(","),
                Kind::Runtime => self.runtime.join(","),
                Kind::Model => self.model.join(","),
                Kind::Policy => settings(&self.policy),
            };
            if !values.is_empty() {
                text.push_str(&format!(" {}({values})", kind.short()));
            }
        }
        text
    }
}

fn settings(settings: &[Setting]) -> String {
    let pairs: Vec<String> =
        settings.iter().map(|Setting { key, value }| format!("{key}={}", escaped(value))).collect();
    pairs.join(",")
}
