//! File names that Windows reserves.

/// Whether Windows treats a file of that name as a device, regardless of its extension
/// ([naming files](https://learn.microsoft.com/windows/win32/fileio/naming-a-file)).
///
/// ```
/// use capgen_files::is_device_name;
/// assert!(is_device_name("CON") && is_device_name("nul.v2"));
/// assert!(!is_device_name("console"));
/// ```
pub fn is_device_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ').to_ascii_lowercase();
    let numbered =
        |device| stem.strip_prefix(device).is_some_and(|n: &str| n.len() == 1 && n.bytes().all(|b| b.is_ascii_digit()));
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

#[cfg(test)]
mod tests {
    use super::is_device_name;

    #[test]
    fn device_names_are_reserved_whatever_their_case_and_extension() {
        for name in ["con", "CON", "Prn", "aux", "nul", "com0", "com9", "LPT1", "nul.v2", "aux.x.y"] {
            assert!(is_device_name(name), "{name}");
        }
        for name in ["console", "com", "com10", "comx", "lpt", "con-1", "x.con", "nul-agent", ""] {
            assert!(!is_device_name(name), "{name}");
        }
    }
}
