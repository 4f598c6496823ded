//! Stack space for recursive types.

/// In bytes. More than a chain of types needs until it recurses through a box, a list or a map.
const LEAST: usize = 192 * 1024;
/// The size of a new stack, in bytes.
const MORE: usize = 4 * 1024 * 1024;

/// Calls `f` with enough stack for another level of recursion: on a new stack if little is left. Payloads come from peers, and their
/// depth must not overflow the stack.
#[inline]
pub(super) fn with_room<T>(f: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(LEAST, MORE, f)
}
