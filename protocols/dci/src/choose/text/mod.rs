//! Words of prose and names: tokens, stems, similarity and relevance.

mod bm25;
mod similarity;
mod terms;

pub(crate) use bm25::{Document, relevance};
pub(crate) use similarity::{Shape, correspond, is_similar};
pub(crate) use terms::Terms;
