//! Workspaces of invented skills: each has a description of about forty words, and two of three have a contract.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use capgen_testkit::Random;

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
pub fn skill(number: usize, random: &mut Random) -> String {
    let mut text = format!("---\nname: skill-{number}\ndescription: ");
    for _ in 0..40 {
        let range = [20, 200, 2_000, 20_000][random.below(4)];
        let _ = write!(text, "{} ", word(random.below(range)));
    }
    text.push('\n');
    if number % 3 != 0 {
        let (one, two, three) = (random.below(5_000), random.below(500), random.below(5_000));
        let _ = write!(text, "metadata:\n  contract: \"DCI/1 P(cap-{one},tool-{two}) R(cap-{three})\"\n");
    }
    text + "---\n\n# A skill\n"
}

/// Writes the skills of a workspace, a hundred in a folder.
pub fn write(root: &Path, skills: usize) {
    let mut random = Random::new(1);
    for number in 0..skills {
        let folder = root.join(format!("skills/{}/{number}", number / 100));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), skill(number, &mut random)).unwrap();
    }
}
