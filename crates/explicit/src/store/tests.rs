use super::code::{Reference, code_length, decode, encode};
use super::*;

fn bytes(store: &Store, id: StateId) -> Vec<u8> {
    let mut out = vec![99];
    store.get(id, &mut out);
    out
}

#[test]
fn keeps_each_state_once_with_its_first_parent() {
    let mut store = Store::new(0, b"");
    let (a, new) = store.insert(b"a", None);
    assert!(new);
    let (b, new) = store.insert(b"b", Some(a));
    assert!(new);
    assert_eq!(store.insert(b"b", None), (b, false));
    assert_eq!(store.parent(b), Some(a));
    assert_eq!(store.parent(a), None);
    assert_eq!(store.len(), 2);
}

#[test]
fn grows_and_finds_everything_again() {
    let mut store = Store::new(0, &[7; 100]);
    let state = |i: u32| [i.to_le_bytes().as_slice(), &vec![(i % 9) as u8; (i % 200) as usize]].concat();
    let ids: Vec<StateId> = (0..50_000)
        .map(|i| {
            if i % 10_000 == 9_999 {
                store.grow_less();
            }
            store.insert(&state(i), None).0
        })
        .collect();
    for (i, id) in ids.iter().enumerate() {
        assert_eq!(store.insert(&state(i as u32), None), (*id, false));
        assert_eq!(bytes(&store, *id), state(i as u32));
    }
}

#[test]
fn states_that_differ_only_in_trailing_zeros_are_different() {
    let mut store = Store::new(0, &[1, 2, 3]);
    assert!(store.insert(&[1, 2, 3], None).1);
    assert!(store.insert(&[1, 2, 3, 0], None).1);
    assert!(store.insert(&[1, 2], None).1);
    assert!(store.insert(&[], None).1);
}

#[test]
fn the_hidden_prefix_does_not_distinguish_states() {
    let mut store = Store::new(2, b"..x");
    let (id, _) = store.insert(b"..x", None);
    assert_eq!(store.insert(b"!!x", None), (id, false));
    assert_eq!(bytes(&store, id), b"..x");
    assert!(store.insert(b"..y", None).1);
}

#[test]
fn threads_are_marked_one_by_one_or_all_at_once() {
    let mut store = Store::with_marks(1, b".x");
    let (id, _) = store.insert(b".x", None);
    let (other, _) = store.insert(b".y", Some(id));
    assert!(store.mark(id, ThreadId(3)) && !store.mark(id, ThreadId(3)));
    assert!(store.mark(id, ThreadId(200)) && !store.mark(id, ThreadId(200)));
    assert!(!store.is_marked(other, ThreadId(3)) && !store.is_marked(other, ThreadId(200)));
    let rest = store.mark_all(id, 255);
    assert!(!rest.contains(ThreadId(3)) && !rest.contains(ThreadId(200)) && rest.contains(ThreadId(4)));
    assert!(store.is_marked(id, ThreadId(4)) && store.is_marked(id, ThreadId(222)));
    assert!(store.all_marked(id) && !store.all_marked(other));
    assert_eq!(bytes(&store, id), b".x");
    assert_eq!(store.parent(other), Some(id));
}

#[test]
fn threads_are_gathered() {
    let mut store = Store::with_marks(0, b"x");
    let (id, _) = store.insert(b"x", None);
    store.mark(id, ThreadId(2));
    assert_eq!(store.gather(id, ThreadId(2)), Some(false));
    assert_eq!(store.gather(id, ThreadId(1)), Some(true));
    assert_eq!(store.gather(id, ThreadId(13)), Some(false));
    assert_eq!(store.gather(id, ThreadId(14)), None);
    let mut both = Threads::only(ThreadId(1));
    both.insert(ThreadId(13));
    assert_eq!(store.mark_gathered(id), both);
    assert_eq!(store.mark_gathered(id), Threads::NONE);
    assert!(store.is_marked(id, ThreadId(13)) && !store.all_marked(id));
    assert_eq!(store.gather(id, ThreadId(3)), Some(true));
    assert!(store.mark_free(id) && !store.mark_free(id));
    assert!(!store.mark_all(id, 4).contains(ThreadId(1)));
    assert_eq!(store.mark_gathered(id), Threads::NONE);
    assert!(store.all_marked(id));
    let (other, _) = store.insert(b"y", None);
    store.mark_all(other, 1);
    assert!(!store.mark_free(other));
}

#[test]
fn a_code_is_read_back_whatever_the_lengths() {
    let state = |seed: usize, len: usize| (0..len).map(|i| ((i * seed) % 7 * 50) as u8).collect::<Vec<u8>>();
    for (len, usual) in (0..150).flat_map(|len| [0, 3, 8, 64, 130].map(|usual| (len, usual))) {
        let (bytes, reference) = (state(3, len), Reference::new(&state(5, usual)));
        let (mut code, mut out) = (Vec::new(), Vec::new());
        encode(&bytes, &reference, &mut code);
        decode(&code, &reference.bytes, &mut out);
        assert_eq!((out, code_length(&code)), (bytes, code.len()));
    }
}

#[test]
fn holds_a_state_longer_than_a_chunk() {
    let mut store = Store::new(0, b"");
    let long = vec![3; 3 * CHUNK + 5];
    let (small, _) = store.insert(b"small", None);
    let (id, _) = store.insert(&long, None);
    let (after, _) = store.insert(b"after", Some(id));
    assert_eq!(bytes(&store, id), long);
    assert_eq!(bytes(&store, small), b"small");
    assert_eq!(bytes(&store, after), b"after");
    assert_eq!(store.parent(after), Some(id));
}

#[test]
fn bytes_are_those_of_arena_table_and_far_marks() {
    let mut store = Store::with_marks(0, &[0; 8]);
    let ids: Vec<StateId> = (0..20_000u64).map(|i| store.insert(&i.to_le_bytes(), None).0).collect();
    let held = (store.chunks.iter().map(Vec::capacity).sum::<usize>() + size_of_val(&store.table[..])) as u64;
    assert_eq!(store.bytes(), held);
    // At least the head of a record and a slot of the table; the codes are short.
    let least = (PARENT + MARKS + 8) as f64;
    let each = store.bytes_per_state();
    assert!((least..3.0 * least).contains(&each), "{each}");
    assert!(ids.iter().all(|id| store.mark(*id, ThreadId(200))));
    assert!(store.bytes() >= held + 20_000 * size_of::<(StateId, u32)>() as u64);
}
