//! Collects errors, so that all of them are reported at once.

use quote::ToTokens;

/// The errors so far.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Adds an error at the tokens.
    pub(crate) fn at(&mut self, tokens: &impl ToTokens, message: impl Into<String>) {
        self.push(syn::Error::new_spanned(tokens, message.into()));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }

    pub(crate) fn finish(self) -> Option<syn::Error> {
        self.0
    }
}
