//! The exact store: insert states that are new, and look up states that are known.

#[allow(dead_code)]
#[path = "../../../../crates/explicit/src"]
mod explicit {
    pub mod store;
}

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput};
use explicit::store::Store;

const STATES: u64 = 100_000;
const BYTES: usize = 64;

/// A state that differs from the initial one in eight bytes, as states of protocols do.
fn state(number: u64) -> [u8; BYTES] {
    let mut state = [0; BYTES];
    for (at, byte) in number.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_le_bytes().into_iter().enumerate() {
        state[at * BYTES / 8] = byte;
    }
    state
}

fn insert_all(store: &mut Store) -> u64 {
    (0..STATES).for_each(|number| {
        black_box(store.insert(&state(number), None));
    });
    store.len()
}

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("store_insert");
    group.throughput(Throughput::Elements(STATES));
    let empty = || Store::new(0, &[0; BYTES]);
    group.bench_function("new", |bencher| {
        bencher.iter_batched_ref(empty, insert_all, BatchSize::LargeInput);
    });
    let mut known = empty();
    insert_all(&mut known);
    group.bench_function("known", |bencher| bencher.iter(|| insert_all(&mut known)));
    group.finish();
}
