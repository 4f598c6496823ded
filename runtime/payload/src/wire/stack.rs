//! Stack space for recursion. Payloads come from peers, and their depth must not overflow the stack, however small it
//! is.

/// In bytes. More than a chain of types, or 128 levels of a value, needs until it recurses through a box, a list or a
/// map. Frames are larger without optimization.
const MIN_STACK: usize = if cfg!(debug_assertions) { 512 * 1024 } else { 192 * 1024 };
/// In bytes. More than the interpreter and the strict parser need for any payload: together they need about 150 KiB,
/// and 700 KiB without optimization.
const MIN_STACK_TO_VALIDATE: usize = 1024 * 1024;
/// The size of a new stack, in bytes. It is several times [`MIN_STACK`], so that a deep value takes few of them.
const MORE: usize = 4 * 1024 * 1024;

/// Calls `f` with enough stack for another level of recursion: on a new stack if little is left.
#[inline]
pub(crate) fn with_room<T>(f: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(MIN_STACK, MORE, f)
}

/// Calls `f` with enough stack to parse and validate a whole payload by the interpreter.
pub(crate) fn with_room_to_validate<T>(f: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(MIN_STACK_TO_VALIDATE, MORE, f)
}
