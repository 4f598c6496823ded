//! The derive in the edition of this package; `edition-2021` has the same tests.

mod derive;
