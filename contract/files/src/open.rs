//! Opening files of folders that may be hostile: nothing here waits for a pipe or opens a device, and a link at the end
//! of a path is followed only if the caller wants it.

use std::fs::{File, Metadata, OpenOptions};
use std::path::Path;
use std::{fmt, io};

/// Whether a link at the end of a path is followed. Links in the folders of a path are followed in any case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Links {
    /// The path comes from the user, who may keep files elsewhere.
    Followed,
    /// The path is in a folder that another party may have filled: its links could lead to private files of the user.
    Refused,
}

impl Links {
    fn metadata(self, path: &Path) -> io::Result<Metadata> {
        match self {
            Self::Followed => path.metadata(),
            Self::Refused => path.symlink_metadata(),
        }
    }
}

/// The reason why a file is not read. Its text does not name the file.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unreadable {
    /// The system reports an error.
    System(io::Error),
    /// The path is a folder.
    Folder,
    /// The path is a link, and [`Links::Refused`] applies.
    Link,
    /// The path is a pipe, a socket or a device.
    Irregular,
    /// The file is longer than `limit` bytes.
    TooLong {
        /// The largest length in bytes.
        limit: u64,
    },
}

impl Unreadable {
    /// Whether there is nothing at the path.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::System(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// The reason why something that has this metadata is not a file to read.
    fn of(metadata: &Metadata) -> Option<Self> {
        let kind = metadata.file_type();
        match () {
            () if kind.is_file() => None,
            () if kind.is_dir() => Some(Self::Folder),
            () if kind.is_symlink() => Some(Self::Link),
            () => Some(Self::Irregular),
        }
    }
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

/// Keeps the error of the system, and its kind.
impl From<Unreadable> for io::Error {
    fn from(reason: Unreadable) -> Self {
        match reason {
            Unreadable::System(error) => error,
            reason => Self::other(reason),
        }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(error) => error.fmt(f),
            Self::Folder | Self::Link | Self::Irregular => f.write_str("it is not a regular file"),
            Self::TooLong { limit } => write!(f, "it has more than {limit} bytes"),
        }
    }
}

impl std::error::Error for Unreadable {}

/// Opens a regular file for reading, with its metadata.
///
/// # Errors
///
/// Those of the system, and a path that is a folder, a pipe, a device, or a link that is not followed.
pub fn open(path: &Path, links: Links) -> Result<(File, Metadata), Unreadable> {
    open_with(path, links, OpenOptions::new().read(true))
}

/// Opens a regular file with these options. With [`OpenOptions::create`], it need not exist.
///
/// On Unix, with the feature `untrusted`, the system itself refuses links and does not wait, so it does not matter if
/// another process replaces the file meanwhile. Otherwise the path is checked before it is opened.
///
/// # Errors
///
/// Those of [`open`].
pub fn open_with(path: &Path, links: Links, options: &mut OpenOptions) -> Result<(File, Metadata), Unreadable> {
    #[cfg(all(unix, feature = "untrusted"))]
    {
        use std::os::unix::fs::OpenOptionsExt as _;

        use rustix::fs::OFlags;
        // Opening a pipe without a writer returns at once, and a terminal does not become that of the process.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        let flags = if links == Links::Refused { flags | OFlags::NOFOLLOW } else { flags };
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    let refused = || links.metadata(path).ok().as_ref().and_then(Unreadable::of);
    #[cfg(not(all(unix, feature = "untrusted")))]
    if let Some(reason) = refused() {
        return Err(reason);
    }
    // The errors of the system for links, sockets and folders depend on the system.
    let file = options.open(path).map_err(|error| refused().unwrap_or(Unreadable::System(error)))?;
    let metadata = file.metadata()?;
    match Unreadable::of(&metadata) {
        Some(reason) => Err(reason),
        None => Ok((file, metadata)),
    }
}

/// Opens a path that the user named as an input of a command. It may be a pipe, as shells make for `<(...)`, or a
/// terminal: reading it waits, as the user expects.
///
/// # Errors
///
/// Those of the system.
pub fn open_input(path: &Path) -> io::Result<File> {
    File::open(path)
}
