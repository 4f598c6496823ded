//! Why a reference to another file leads nowhere.

use capgen_diagnostic::{public_url, quoted};
use capgen_schema::{Json, LINKED_FILES, definition_name, pointer};

/// The reason why a file that a reference leads to was not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotRead {
    /// There is no such file.
    Missing,
    /// A link leads out of the folder.
    Outside,
    /// It is a folder, a pipe or a device.
    NotAFile,
    /// The system does not allow to read it; the reason in a few words.
    Unreadable(String),
    /// More bytes of files than may be read.
    TooLarge,
    /// The document has no folder, such as one from standard input.
    NoFolder,
}

/// The reason why the text of a reference is not a path in the folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoPath {
    Url,
    Absolute,
    /// It leads out of the folder.
    Outside,
    /// It has characters that no path has, or that a URL must not have.
    Syntax,
}

/// A reference that has no target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NoTarget {
    /// One sentence, without a full stop.
    pub(super) message: String,
    pub(super) help: String,
}

/// At most this many bytes of references are followed in a file name: longer ones are not paths.
const MAX_PATH: usize = 1024;

/// The path in the folder to which a relative path in `file` leads, after `%` and two digits are decoded.
pub(super) fn resolved(file: &str, path: &str) -> Result<String, NoPath> {
    let scheme = path.split('/').next().and_then(|first| Some(first.split_once(':')?.0));
    if path.starts_with("//") || scheme.is_some_and(|scheme| scheme.len() > 1) {
        return Err(NoPath::Url);
    }
    // A scheme has more letters than the name of a drive.
    if path.starts_with('/') || scheme.is_some() {
        return Err(NoPath::Absolute);
    }
    if path.contains('?') || path.len() > MAX_PATH {
        return Err(NoPath::Syntax);
    }
    let mut parts: Vec<String> = file.split('/').map(str::to_owned).collect();
    parts.pop();
    for part in path.split('/') {
        let part = decoded(part).ok_or(NoPath::Syntax)?;
        match part.as_str() {
            "." => {}
            ".." => _ = parts.pop().ok_or(NoPath::Outside)?,
            // Names of files have none of these in any system, and `a%2Fb` is one name.
            name if name.is_empty() || name.contains(['/', '\\', ':', '\0']) => return Err(NoPath::Syntax),
            _ => parts.push(part),
        }
    }
    if parts.is_empty() { Err(NoPath::Outside) } else { Ok(parts.join("/")) }
}

/// A part of a reference without `%` and two digits; `None` if it is malformed.
pub(super) fn decoded(part: &str) -> Option<String> {
    // The decoder of references decodes one token at a time, and also reads `~0`.
    definition_name(&format!("#/definitions/{}", part.replace('~', "~0").replace('/', "~1")))
}

/// Whether the fragment of a reference leads to the files of a bundle, which no author can know.
pub(super) fn is_internal(fragment: &str) -> bool {
    decoded(fragment).is_some_and(|at| pointer::tokens(&at).next().is_some_and(|first| first == LINKED_FILES))
}

/// The reason why a reference has no target. `file` is the path of the file that contains it, `content` is the content
/// of that file, and `linked` has the files that are read.
pub(super) fn no_target<'d>(
    (file, content): (&str, &Json),
    reference: &str,
    linked: impl Fn(&str) -> Option<Result<&'d Json, &'d NotRead>>,
) -> NoTarget {
    let (path, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    let resolved = resolved(file, path);
    // A path has no parts that may be secret.
    let is_public = resolved.is_ok() && !reference.contains(['?', '=', '@']);
    let shown = if is_public { quoted(reference) } else { quoted(&public_url(reference)) };
    let no = |reason: &str, help: String| NoTarget { message: format!("the reference {shown} {reason}"), help };
    if path.is_empty() {
        return no(&no_place(content, fragment), place_help(content, fragment));
    }
    let resolved = match resolved {
        Ok(resolved) => resolved,
        Err(reason) => return of_path(reason, &no),
    };
    match linked(&resolved) {
        Some(Ok(content)) => no(&no_place(content, fragment), place_help(content, fragment)),
        Some(Err(reason)) => of_file(reason, &resolved, &no),
        None => of_file(&NotRead::NoFolder, &resolved, &no),
    }
}

/// A message with the reference, from a reason and a remedy.
type Message<'m> = dyn Fn(&str, String) -> NoTarget + 'm;

const ROOT_DIR: &str = "pass `--root-dir` with the folder that contains all files, or bundle the document first";

fn of_path(reason: NoPath, no: &Message<'_>) -> NoTarget {
    match reason {
        NoPath::Url => {
            let help =
                "bundle the document first, or write the file into its folder and refer to it by a relative path";
            no("is a URL, and nothing is fetched", help.to_owned())
        }
        NoPath::Absolute => {
            let help = "write a path that is relative to the file with the reference, or bundle the document first";
            no("is an absolute path, which is never read", help.to_owned())
        }
        NoPath::Outside => no("leads out of the folder whose files may be read", ROOT_DIR.to_owned()),
        NoPath::Syntax => {
            let help = "write the names of folders and files with `/` between them, and other characters as `%` with \
                two hexadecimal digits";
            no("is not a relative path", help.to_owned())
        }
    }
}

fn of_file(reason: &NotRead, path: &str, no: &Message<'_>) -> NoTarget {
    let shown = quoted(path);
    match reason {
        NotRead::Missing => {
            let help = format!(
                "write the file {shown}, seen from the folder of the document or `--root-dir`, or correct the path"
            );
            no("leads to a file that does not exist", help)
        }
        NotRead::Outside => no("leads through a link out of the folder whose files may be read", ROOT_DIR.to_owned()),
        NotRead::NotAFile => no("leads to a folder or a device", format!("refer to a file in place of {shown}")),
        NotRead::Unreadable(error) => {
            let help = format!("allow the program to read the file {shown}");
            no(&format!("leads to a file that cannot be read: {error}"), help)
        }
        NotRead::TooLarge => {
            let help = "refer to smaller files, or bundle only the schemas that are used";
            no("leads to a file beyond the limit: at most 10,000 files and 32 MiB are read", help.to_owned())
        }
        NotRead::NoFolder => {
            let help = "pass the path of the document instead of standard input, with `--root-dir` if that folder does \
                not contain it; or bundle the document first";
            no("leads to another file, and the document is not in a folder with others", help.to_owned())
        }
    }
}

/// The reason why a reference has no target, if the file that contains it is known.
fn no_place(content: &Json, fragment: &str) -> String {
    match exists(content, fragment) {
        true => "leads to a place where no schema is expected".to_owned(),
        false => "leads nowhere: the file has no such place".to_owned(),
    }
}

fn place_help(content: &Json, fragment: &str) -> String {
    let help = match exists(content, fragment) {
        true => "move the schema into `components.schemas` or `definitions`, and refer to it there",
        false => "correct the part after `#`",
    };
    help.to_owned()
}

fn exists(content: &Json, fragment: &str) -> bool {
    let is_pointer = fragment.is_empty() || fragment.starts_with('/');
    is_pointer && decoded(fragment).is_some_and(|at| content.pointer(&at).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_folder() {
        let check = |file, path, expected: &str| assert_eq!(resolved(file, path).as_deref(), Ok(expected), "{path}");
        check("a.yaml", "./b/c.yaml", "b/c.yaml");
        check("b/c.yaml", "../a.yaml", "a.yaml");
        check("b/c.yaml", "d.yaml", "b/d.yaml");
        check("a.yaml", "a%20b/c%2Bd.yaml", "a b/c+d.yaml");
        check("a.yaml", "100%25~0.yaml", "100%~0.yaml");
        check("b/c.yaml", "%2e%2E/a.yaml", "a.yaml");
        for outside in ["../a.yaml", "b/../../a", "..", "%2e%2e/a", "b/%2E./.%2e/a"] {
            assert_eq!(resolved("a.yaml", outside), Err(NoPath::Outside), "{outside}");
        }
        for url in ["http://x/a", "file:a", "//x/a"] {
            assert_eq!(resolved("a.yaml", url), Err(NoPath::Url), "{url}");
        }
        for absolute in ["/etc/passwd", "C:\\a", "C:/a"] {
            assert_eq!(resolved("a.yaml", absolute), Err(NoPath::Absolute), "{absolute}");
        }
        for other in
            ["b//c", "a%2Fb", "..%2f..%2fb", "%2Fetc%2Fpasswd", "a%5Cb", "a%00", "a%3Ab", "a?b", "a%", "a%g0", "%ff"]
        {
            assert_eq!(resolved("a.yaml", other), Err(NoPath::Syntax), "{other}");
        }
    }

    #[test]
    fn references_of_authors_are_not_internal() {
        assert!(is_internal("/x-capgen-files") && is_internal("/x-capgen%2Dfiles/a"));
        assert!(!is_internal("/x-capgen-files.2/a") && !is_internal("/a/x-capgen-files") && !is_internal(""));
    }
}
