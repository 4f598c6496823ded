//! What each code means: one Markdown file per code, compiled in.

/// What a code means, why it is bad, an example and its mend.
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// The code.
    pub code: &'static str,
    /// Markdown. Its first line is `# <code>: <title>`.
    pub text: &'static str,
}

macro_rules! explanations {
    ($($folder:literal: $($code:literal)+;)+) => {
        &[$($(Explanation { code: $code, text: include_str!(concat!($folder, "/", $code, ".md")) }),+),+]
    };
}

/// The pages are in the folder of the crate that reports the code.
const ALL: &[Explanation] = explanations! {
    "codes":
    "E0001" "E0002" "E0003" "E0004" "E0005" "E0006" "E0007" "E0008" "E0009" "E0010"
    "E0011" "E0012" "E0013" "E0014" "E0015";
    "../../schema/src/codes":
    "E0101" "E0102" "E0103" "E0104" "E0105" "E0106" "E0107" "E0108" "E0109" "E0110"
    "E0111" "E0112" "E0113" "E0114" "E0115" "E0116" "E0117" "E0118" "E0119" "E0120"
    "E0121" "E0122" "E0123";
    "codes":
    "E0201" "E0202" "E0203" "E0204" "E0205" "E0206" "E0207" "E0208" "E0209" "E0210"
    "E0211" "E0212" "E0213" "E0214"
    "E0301" "E0302" "E0303" "E0304" "E0305" "E0306" "E0307" "E0308";
    "../../codegen/src/codes":
    "E0401" "E0402" "E0403" "E0404" "E0405" "E0406" "E0407";
    "codes":
    "E0408";
    "../../codegen/src/codes":
    "E0409";
    "../../cli/src/codes":
    "E0501" "E0502" "E0503" "E0504" "E0505";
    "../../schema/src/codes":
    "W0101" "W0102" "W0103" "W0104" "W0105" "W0106" "W0107";
    "codes":
    "W0201";
};

impl Explanation {
    /// A few words, such as `unknown key`.
    pub fn title(&self) -> &'static str {
        self.text.lines().next().and_then(|line| line.split_once(": ")).map_or("", |(_, title)| title)
    }
}

/// What the code means; its case does not count.
///
/// ```
/// assert_eq!(capgen_manifest::explain("e0201").unwrap().title(), "unknown key");
/// ```
pub fn explain(code: &str) -> Option<&'static Explanation> {
    ALL.iter().find(|explanation| explanation.code.eq_ignore_ascii_case(code))
}

/// Every code, errors first.
pub fn explanations() -> &'static [Explanation] {
    ALL
}

/// The page `docs/codes.md`: every explanation under its heading.
pub fn codes_page() -> String {
    let mut page = String::from(
        "# Codes\n\nEvery finding has a stable code. `E` codes are errors; `W` codes are warnings, which \
         `--strict` turns\ninto errors. `capgen explain <code>` prints the section of a code.\n\n| code | |\n|---|---|\n",
    );
    for explanation in ALL {
        page.push_str(&format!("| {} | {} |\n", explanation.code, explanation.title()));
    }
    for explanation in ALL {
        page.push_str("\n#");
        page.push_str(explanation.text);
    }
    page
}
