//! The limits of discovery in total. The folders are untrusted.

use capgen_diagnostic::Diagnostic;

use crate::codes;

/// The most folders and links. That is thirty times the number of skills in the trial behind decisions 39 to 45, which
/// was 16,132.
const MAX_FOLDERS: usize = 500_000;
/// The most files, folders and links that folders may contain. Ten for each folder on average, as a skill may have
/// other files.
const MAX_ENTRIES: usize = 5_000_000;
/// The most bytes of frontmatter. A description has at most 1,024 characters by the specification of Agent Skills, so
/// 100,000 skills need about 100 MB.
const MAX_BYTES: usize = 256 << 20;
/// The most values in frontmatter, counting the copies that aliases make: a few bytes of YAML can contain many values.
/// 100,000 skills may have 500 each, far more than usual.
const MAX_VALUES: usize = 50_000_000;

/// The rest of these limits.
#[derive(Debug)]
pub(super) struct Budget {
    folders: usize,
    entries: usize,
    bytes: usize,
    values: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { folders: MAX_FOLDERS, entries: MAX_ENTRIES, bytes: MAX_BYTES, values: MAX_VALUES }
    }
}

impl Budget {
    /// Counts a folder, or a link whose target is examined.
    pub(super) fn folder(&mut self) -> Result<(), Vec<Diagnostic>> {
        take(&mut self.folders, 1, MAX_FOLDERS, "folders and links")
    }

    /// Counts entries of a folder.
    pub(super) fn entries(&mut self, count: usize) -> Result<(), Vec<Diagnostic>> {
        take(&mut self.entries, count, MAX_ENTRIES, "files, folders and links")
    }

    /// Counts frontmatter with a number of bytes and values.
    pub(super) fn frontmatter(&mut self, bytes: usize, values: usize) -> Result<(), Vec<Diagnostic>> {
        take(&mut self.bytes, bytes, MAX_BYTES, "bytes of frontmatter")?;
        take(&mut self.values, values, MAX_VALUES, "values in frontmatter")
    }
}

fn take(left: &mut usize, count: usize, limit: usize, what: &str) -> Result<(), Vec<Diagnostic>> {
    *left = left.checked_sub(count).ok_or_else(|| {
        let message = format!("the sources of skills have more than {limit} {what}");
        vec![Diagnostic::new(codes::DISCOVERY_LIMIT, message).help("pass folders that contain only skills")]
    })?;
    Ok(())
}
