//! Workspaces of invented skills: each has a description of about forty words, and two of three have a contract.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Numbers that look random and are the same in every run.
pub struct Numbers(u64);

impl Numbers {
    pub fn new() -> Self {
        Self(1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

const SYLLABLES: [&str; 16] =
    ["ba", "con", "de", "fi", "gra", "ho", "in", "ka", "lo", "mi", "nor", "pe", "ra", "sto", "ter", "vu"];

/// A word of a vocabulary in which low numbers are frequent.
fn word(number: usize) -> String {
    let (mut word, mut rest) = (String::new(), number + 16);
    while rest > 0 {
        word.push_str(SYLLABLES[rest % 16]);
        rest /= 16;
    }
    word
}

/// The text of a `SKILL.md`.
pub fn skill(number: usize, numbers: &mut Numbers) -> String {
    let mut text = format!("---\nname: skill-{number}\ndescription: ");
    for _ in 0..40 {
        let range = [20, 200, 2_000, 20_000][numbers.below(4)];
        let _ = write!(text, "{} ", word(numbers.below(range)));
    }
    text.push('\n');
    if number % 3 != 0 {
        let (one, two, three) = (numbers.below(5_000), numbers.below(500), numbers.below(5_000));
        let _ = write!(text, "metadata:\n  contract: \"DCI/1 P(cap-{one},tool-{two}) R(cap-{three})\"\n");
    }
    text + "---\n\n# A skill\n"
}

/// Writes the skills of a workspace, a hundred in a folder.
pub fn write(root: &Path, skills: usize) {
    let mut numbers = Numbers::new();
    for number in 0..skills {
        let folder = root.join(format!("skills/{}/{number}", number / 100));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), skill(number, &mut numbers)).unwrap();
    }
}
