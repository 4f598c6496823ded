//! Files that capgen writes: which of them it may overwrite, and replacing them as a whole.
//!
//! The generator, the program `capgen` and the runtime's `export!` write files that are checked in, so this is the leaf that they share.
#![forbid(unsafe_code)]

mod device;
mod ownership;
mod replace;
mod temporary;

pub use device::is_device_name;
pub use ownership::{
    MARK, Present, UPDATE_VARIABLE, asks_for_update, has_mark, is_packaged, may_overwrite, read_present,
};
pub use replace::{create_files, replace_files};
pub use temporary::{remove_stale_files, remove_temporary_files};
