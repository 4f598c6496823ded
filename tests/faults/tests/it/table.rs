//! One test for each cell of the table of faults.

use capgen_faults::{Cell, Kind, TABLE, check, each_fault, page};

macro_rules! tests {
    ($($module:ident: $($name:ident),*;)*) => {
        tests!(@column memory Memory: $($($name),*),*);
        tests!(@column nats Nats: $($($name),*),*);
        tests!(@column jetstream JetStream: $($($name),*),*);
    };
    (@column $column:ident $kind:ident: $($name:ident),*) => {
        mod $column {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() {
                    super::check(super::Kind::$kind, stringify!($name)).await;
                }
            )*
        }
    };
}

each_fault!(tests);

#[test]
fn the_page_of_faults_contains_the_table() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(capgen_faults::PAGE);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(&page()), "{} is not up to date; the table is:\n{}", path.display(), page());
}

#[test]
fn cells_without_a_test_state_the_reason() {
    for row in TABLE.iter().map(|row| row()) {
        for cell in row.cells {
            assert!(!matches!(cell, Cell::Meaningless(reason) if reason.is_empty()), "{}", row.name);
        }
    }
}
