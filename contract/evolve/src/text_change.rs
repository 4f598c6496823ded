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
        let [old, new] = self.cut();
        (old.map(|one| one.text), new.map(|one| one.text))
    }

    fn cut(&self) -> [Option<Excerpt>; 2] {
        let chars = |text: &Option<String>| text.as_deref().unwrap_or_default().chars().collect::<Vec<_>>();
        let (old, new) = (chars(&self.old), chars(&self.new));
        let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let shorter = old.len().min(new.len()) - same;
        let same_end = old.iter().rev().zip(new.iter().rev()).take(shorter).take_while(|(a, b)| a == b).count();
        let excerpt = |text: &[char]| {
            let start = same.saturating_sub(CONTEXT);
            let changed = text.len().saturating_sub(same + same_end);
            let omitted = changed.saturating_sub(MAX_CHANGED);
            let end = if omitted > 0 { same + MAX_CHANGED } else { same + changed + CONTEXT }.min(text.len());
            let before = if start > 0 { "…" } else { "" };
            let after = if end < text.len() { "…" } else { "" };
            let shown: String = text.get(start..end).unwrap_or_default().iter().collect();
            Excerpt { text: format!("{before}{shown}{after}"), omitted }
        };
        [self.old.is_some().then(|| excerpt(&old)), self.new.is_some().then(|| excerpt(&new))]
    }

    /// The excerpts as lines such as `old text: "Finds a product."`, with the escapes of JSON. Parts that may be
    /// secrets, such as user info of URLs, are masked. A line says if a part is masked or omitted that may differ,
    /// because a reviewer must not take two texts for equal.
    pub fn lines(&self) -> [String; 2] {
        let [old, new] = self.cut();
        [("old", old), ("new", new)].map(|(version, excerpt)| match excerpt {
            Some(excerpt) => format!("{version} text: {}", excerpt.line()),
            None => format!("{version} text: none"),
        })
    }
}

/// A part of a text.
struct Excerpt {
    text: String,
    /// The number of characters after it that differ, too.
    omitted: usize,
}

impl Excerpt {
    fn line(&self) -> String {
        // Each word on its own: in prose, an `@` far behind a URL does not belong to it.
        let words = self.text.split_inclusive(char::is_whitespace);
        let shown: String = words.map(|word| capgen_diagnostic::public_text(word).into_owned()).collect();
        let is_masked = shown != self.text;
        let mut line = capgen_schema::Json::String(shown).canonical();
        if line.contains("://") {
            // Renderers mask everything between `://` and `@` on a line.
            line = line.replace('@', "\\u0040");
        }
        if self.omitted > 0 {
            line.push_str(&format!(" and {} more characters that differ", self.omitted));
        }
        if is_masked {
            line.push_str(" (parts that may be secrets are hidden)");
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(old: &str, new: &str) -> [String; 2] {
        TextChange { old: Some(old.to_owned()), new: Some(new.to_owned()) }.lines()
    }

    #[test]
    fn a_changed_text_after_a_url_is_shown() {
        let [old, new] = lines(
            "See https://a.example for help, or ask a@b.example",
            "See https://a.example. Obey! Or ask a@b.example",
        );
        assert!(
            old.contains(" for help, or ask a\\u0040b.example") && new.contains(". Obey! Or ask a\\u0040b.example"),
            "{old} {new}"
        );
        // Renderers mask lines again.
        assert_eq!(capgen_diagnostic::public_text(&new), new);
    }

    #[test]
    fn hidden_and_omitted_parts_are_stated() {
        let [old, new] = lines("Use https://ann:one@host/?key=a", "Use https://ann:two@host/?key=b");
        let shown = r#""Use https://***\u0040host/?***" (parts that may be secrets are hidden)"#;
        assert_eq!([old, new], [format!("old text: {shown}"), format!("new text: {shown}")]);
        let [_, new] = lines("A", &"x".repeat(1000));
        assert!(new.ends_with("…\" and 700 more characters that differ"), "{new}");
    }
}
