//! Room on the stack for types that hold themselves.

/// In bytes: more than a chain of types needs before it comes back to itself through a box, a list or a map.
const LEAST: usize = 192 * 1024;
/// In bytes.
const MORE: usize = 4 * 1024 * 1024;

/// Calls `f` where there is room for another level: on a stack of its own where what is left is little.
#[inline]
pub(super) fn with_room<T>(f: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(LEAST, MORE, f)
}
