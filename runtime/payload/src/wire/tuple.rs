//! Arrays of a fixed length as tuples.

use super::stack::with_room;
use super::{Any, Codec, Constraint, Reader, Writer};

/// A constraint on each item of a tuple, which is an array of exactly as many items.
///
/// ```
/// use capgen::wire::{Any, Length, Tuple};
/// static PAIR: Tuple<(Length, Any)> = Tuple((Length::new(1, 8), Any));
/// assert_eq!(capgen::wire::branch(&serde_json::json!(["a", 1])), Some(("a".to_owned(), 1_i64)));
/// assert_eq!(capgen::wire::branch::<(String, i64)>(&serde_json::json!(["a", 1, 2])), None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Tuple<C>(pub C);

impl Reader<'_> {
    /// Reads the next item of an array by a constraint; `None` if there is none.
    fn position<T, C: Constraint<T>>(&mut self, constraint: &C, is_first: bool) -> Option<T> {
        if self.another(b']', is_first)? { constraint.read(self) } else { None }
    }
}

/// The traits for tuples with these items. Each has the name of its type and of its constraint, its index, and whether
/// it is the first.
macro_rules! tuple {
    ($($item:ident $constraint:ident $index:tt $is_first:literal),+) => {
        impl<$($item, $constraint: Constraint<$item>),+> Constraint<($($item,)+)> for Tuple<($($constraint,)+)> {
            fn read(&self, reader: &mut Reader<'_>) -> Option<($($item,)+)> {
                reader.open(b'[')?;
                let items = with_room(|| Some(($(reader.position(&self.0.$index, $is_first)?,)+)))?;
                if reader.another(b']', false)? { None } else { Some(items) }
            }

            fn write(&self, writer: &mut Writer, value: &($($item,)+)) -> Option<()> {
                writer.begin_array()?;
                with_room(|| {
                    $(writer.position(&value.$index, &self.0.$index, $is_first)?;)+
                    Some(())
                })?;
                writer.end_array()
            }
        }

        impl<$($item: Codec),+> Codec for ($($item,)+) {
            fn read(reader: &mut Reader<'_>) -> Option<Self> {
                Tuple(($(tuple!(any $index),)+)).read(reader)
            }

            fn write(&self, writer: &mut Writer) -> Option<()> {
                Tuple(($(tuple!(any $index),)+)).write(writer, self)
            }
        }
    };
    (any $index:tt) => { Any };
}

// Longer tuples lack the traits that generated types have, such as `Debug`.
tuple!(A RuleA 0 true);
tuple!(A RuleA 0 true, B RuleB 1 false);
tuple!(A RuleA 0 true, B RuleB 1 false, C RuleC 2 false);
tuple!(A RuleA 0 true, B RuleB 1 false, C RuleC 2 false, D RuleD 3 false);
tuple!(A RuleA 0 true, B RuleB 1 false, C RuleC 2 false, D RuleD 3 false, E RuleE 4 false);
tuple!(A RuleA 0 true, B RuleB 1 false, C RuleC 2 false, D RuleD 3 false, E RuleE 4 false, F RuleF 5 false);
tuple!(A RuleA 0 true, B RuleB 1 false, C RuleC 2 false, D RuleD 3 false, E RuleE 4 false, F RuleF 5 false,
    G RuleG 6 false);
tuple!(A RuleA 0 true, B RuleB 1 false, C RuleC 2 false, D RuleD 3 false, E RuleE 4 false, F RuleF 5 false,
    G RuleG 6 false, H RuleH 7 false);
tuple!(A RuleA 0 true, B RuleB 1 false, C RuleC 2 false, D RuleD 3 false, E RuleE 4 false, F RuleF 5 false,
    G RuleG 6 false, H RuleH 7 false, I RuleI 8 false);
tuple!(A RuleA 0 true, B RuleB 1 false, C RuleC 2 false, D RuleD 3 false, E RuleE 4 false, F RuleF 5 false,
    G RuleG 6 false, H RuleH 7 false, I RuleI 8 false, J RuleJ 9 false);
tuple!(A RuleA 0 true, B RuleB 1 false, C RuleC 2 false, D RuleD 3 false, E RuleE 4 false, F RuleF 5 false,
    G RuleG 6 false, H RuleH 7 false, I RuleI 8 false, J RuleJ 9 false, K RuleK 10 false);
tuple!(A RuleA 0 true, B RuleB 1 false, C RuleC 2 false, D RuleD 3 false, E RuleE 4 false, F RuleF 5 false,
    G RuleG 6 false, H RuleH 7 false, I RuleI 8 false, J RuleJ 9 false, K RuleK 10 false, L RuleL 11 false);
