//! The file system of capgen: reading untrusted files within limits, and replacing the files that capgen writes.
//!
//! ```
//! use capgen_files::{Links, read};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("contract.yaml");
//! std::fs::write(&path, "version: 1")?;
//! assert_eq!(read(&path, Links::Refused, 100)?, b"version: 1");
//! assert_eq!(read(&path, Links::Refused, 5).unwrap_err().to_string(), "it has more than 5 bytes");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Reading order
//!
//! For contributors:
//!
//! - `open.rs`: the one place that opens files to read them. Callers state whether links are followed; pipes and
//!   devices are refused.
//! - `read.rs`: the content of a file or an input, or its start. The length is limited before memory is allocated.
//! - `lines.rs`: lines of a limited length.
//! - `ownership.rs`: which files capgen may overwrite, and when it is asked to.
//! - `replace.rs`, `temporary.rs`: replacing several files as a whole, and removing the temporary files of processes
//!   that were killed.
//! - `device.rs`: names that Windows reserves.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod device;
mod lines;
mod open;
mod ownership;
mod read;
mod replace;
mod temporary;

pub use device::is_device_name;
pub use lines::LineBuffer;
pub use open::{Links, Unreadable, open, open_input, open_with};
pub use ownership::{
    MARK, Present, UPDATE_VARIABLE, asks_for_update, has_mark, is_marked, is_packaged, may_overwrite, read_present,
};
pub use read::{has_content, read, read_head, read_input};
pub use replace::{create_files, replace_files};
pub use temporary::{remove_stale_files, remove_temporary_files};
