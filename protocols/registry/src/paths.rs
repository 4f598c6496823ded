//! Lists of JSON Pointers in events and reports.

use std::collections::BTreeSet;

/// The maximum number of paths in a list (decision 5). With the limit of their length, a list has at most 32 KiB, so an
/// event with one stays far below its 1 MiB.
const MAX_PATHS: usize = 32;
/// The maximum length of a path in code points (ruling 4). It is the limit of the other strings of an event (ruling 3).
const MAX_LENGTH: usize = 255;

/// The paths of a list: cut to whole segments within 255 code points, distinct, sorted bytewise, and the first 32 of
/// them (ruling 4).
pub(crate) fn limited(paths: impl IntoIterator<Item = String>) -> Vec<String> {
    let paths: BTreeSet<String> = paths.into_iter().map(cut).collect();
    paths.into_iter().take(MAX_PATHS).collect()
}

fn cut(mut path: String) -> String {
    if let Some((end, _)) = path.char_indices().nth(MAX_LENGTH) {
        // A segment is whole if the path ends there, or if the next one starts there.
        let is_whole = path.get(end..).is_some_and(|rest| rest.starts_with('/'));
        let head = path.get(..end).unwrap_or_default();
        let whole = if is_whole { end } else { head.rfind('/').unwrap_or(0) };
        path.truncate(whole);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_are_cut_between_segments() {
        let long = "é".repeat(253);
        assert_eq!(limited([format!("/{long}/a")]), [format!("/{long}")]);
        assert_eq!(limited([format!("/{long}é/a")]), [format!("/{long}é")]);
        assert_eq!(limited([format!("/a/{long}é")]), ["/a"]);
        assert_eq!(limited([format!("/{long}éé")]), [""]);
    }

    #[test]
    fn lists_are_distinct_sorted_and_short() {
        let many = (0..50).map(|index| format!("/{index:02}"));
        let limited = limited(many.clone().chain(many).rev());
        assert_eq!((limited.len(), limited.first().map(String::as_str)), (32, Some("/00")));
    }
}
