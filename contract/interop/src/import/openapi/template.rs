//! The names in braces in a path.

/// The names of the parameters in a path such as `/things/{id}`.
pub(super) fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_braces() {
        let all = |path| names(path).collect::<Vec<_>>();
        assert_eq!(all("/a/{b}/c-{d}.{e}"), ["b", "d", "e"]);
        assert_eq!(all("/a/{b"), Vec::<&str>::new());
        assert_eq!(all("/a}/b"), Vec::<&str>::new());
    }
}
