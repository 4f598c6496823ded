//! A text for readers that changed, such as a description, which a language model may read too.

/// The old and the new text. At least one of them is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextChange {
    /// The text of the old contract; `None` if it has none.
    pub old: Option<String>,
    /// The text of the new contract; `None` if it has none.
    pub new: Option<String>,
}

/// How many characters before and after the part that differs are shown. A few words identify the place.
const CONTEXT: usize = 40;

/// The longest part that differs, in characters, that is shown as a whole. It takes a few lines.
const MAX_CHANGED: usize = 300;

impl TextChange {
    /// Both texts, each cut to the part that differs and a few words around it. An ellipsis marks an omission.
    ///
    /// ```
    /// use capgen_evolve::TextChange;
    /// let long = "x".repeat(100);
    /// let change = TextChange { old: Some(format!("{long}old{long}")), new: Some(format!("{long}new{long}")) };
    /// let around = "x".repeat(40);
    /// let (old, new) = change.excerpts();
    /// assert_eq!(old.as_deref(), Some(&*format!("…{around}old{around}…")));
    /// assert_eq!(new.as_deref(), Some(&*format!("…{around}new{around}…")));
    /// ```
    pub fn excerpts(&self) -> (Option<String>, Option<String>) {
        let chars = |text: &Option<String>| text.as_deref().unwrap_or_default().chars().collect::<Vec<_>>();
        let (old, new) = (chars(&self.old), chars(&self.new));
        let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let shorter = old.len().min(new.len()) - same;
        let same_end = old.iter().rev().zip(new.iter().rev()).take(shorter).take_while(|(a, b)| a == b).count();
        let excerpt = |text: &[char]| {
            let start = same.saturating_sub(CONTEXT);
            let changed = text.len().saturating_sub(same + same_end);
            let end = if changed > MAX_CHANGED { same + MAX_CHANGED } else { same + changed + CONTEXT }.min(text.len());
            let before = if start > 0 { "…" } else { "" };
            let after = if end < text.len() { "…" } else { "" };
            let shown: String = text.get(start..end).unwrap_or_default().iter().collect();
            format!("{before}{shown}{after}")
        };
        (self.old.is_some().then(|| excerpt(&old)), self.new.is_some().then(|| excerpt(&new)))
    }

    /// The excerpts as lines such as `old text: "Finds a product."`, with the escapes of JSON. User info of URLs is
    /// masked.
    pub fn lines(&self) -> [String; 2] {
        let (old, new) = self.excerpts();
        [("old", old), ("new", new)].map(|(version, text)| match text {
            Some(text) => {
                let shown = capgen_schema::Json::String(capgen_diagnostic::public_text(&text).into_owned());
                format!("{version} text: {}", shown.canonical())
            }
            None => format!("{version} text: none"),
        })
    }
}
