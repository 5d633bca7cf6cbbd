//! Every operation of every atomic does what std's does, and two-step updates lose to other threads.

mod support;

use std::collections::BTreeSet;

use selvedge::sync::Arc;
use selvedge::sync::atomic::*;
use selvedge::thread;
use support::{holds, outcomes, outcomes_of};

use Ordering::{Relaxed, SeqCst};

macro_rules! integer {
    ($test:ident, $atomic:ident, $int:ty) => {
        #[test]
        fn $test() {
            holds(|| {
                let a = $atomic::new(6);
                assert_eq!((a.load(SeqCst), a.swap(7, SeqCst), a.fetch_add(1, SeqCst)), (6, 6, 7));
                assert_eq!((a.fetch_sub(2, SeqCst), a.fetch_and(3, SeqCst), a.fetch_or(12, SeqCst)), (8, 6, 2));
                assert_eq!((a.fetch_xor(2, SeqCst), a.fetch_max(40, SeqCst), a.fetch_min(3, SeqCst)), (14, 12, 40));
                assert_eq!((a.fetch_nand(1, SeqCst), a.load(SeqCst)), (3, !1));
                a.store(<$int>::MAX, SeqCst);
                assert_eq!((a.fetch_add(1, SeqCst), a.load(SeqCst)), (<$int>::MAX, <$int>::MIN));
                assert_eq!(a.compare_exchange(1, 2, SeqCst, SeqCst), Err(<$int>::MIN));
                assert_eq!(a.compare_exchange_weak(<$int>::MIN, 2, SeqCst, SeqCst), Ok(<$int>::MIN));
                assert_eq!(a.fetch_update(SeqCst, SeqCst, |x| x.checked_mul(5)), Ok(2));
                assert_eq!(a.fetch_update(SeqCst, SeqCst, |_| None), Err(10));
                let mut a = a;
                *a.get_mut() += 1;
                assert_eq!(a.with_mut(|x| *x), 11);
                assert_eq!(format!("{a:?}"), "11");
                assert_eq!(a.into_inner(), 11);
                assert_eq!($atomic::default().into_inner(), 0);
                assert_eq!($atomic::from(3).into_inner(), 3);
            });
        }
    };
}

integer!(u8_does_what_std_does, AtomicU8, u8);
integer!(u16_does_what_std_does, AtomicU16, u16);
integer!(u32_does_what_std_does, AtomicU32, u32);
integer!(u64_does_what_std_does, AtomicU64, u64);
integer!(usize_does_what_std_does, AtomicUsize, usize);
integer!(i8_does_what_std_does, AtomicI8, i8);
integer!(i16_does_what_std_does, AtomicI16, i16);
integer!(i32_does_what_std_does, AtomicI32, i32);
integer!(i64_does_what_std_does, AtomicI64, i64);
integer!(isize_does_what_std_does, AtomicIsize, isize);

#[test]
fn bool_does_what_std_does() {
    holds(|| {
        let a = AtomicBool::new(true);
        assert!(a.swap(false, SeqCst) && !a.fetch_or(true, SeqCst) && a.fetch_and(true, SeqCst));
        assert!(a.fetch_nand(true, SeqCst) && !a.fetch_xor(true, SeqCst) && a.fetch_not(SeqCst) && !a.load(SeqCst));
        assert_eq!(a.compare_exchange(false, true, SeqCst, SeqCst), Ok(false));
        assert_eq!(a.compare_exchange_weak(false, true, SeqCst, SeqCst), Err(true));
        assert_eq!(a.fetch_update(SeqCst, SeqCst, |x| Some(!x)), Ok(true));
        a.store(true, SeqCst);
        assert!(a.into_inner());
    });
}

#[test]
fn pointers_do_what_std_does() {
    holds(|| {
        let mut values = [10_u32, 20, 30];
        let first = values.as_mut_ptr();
        let a = AtomicPtr::new(first);
        assert_eq!(a.fetch_ptr_add(2, SeqCst), first);
        assert_eq!(a.fetch_ptr_sub(1, SeqCst), first.wrapping_add(2));
        assert_eq!(a.load(SeqCst), first.wrapping_add(1));
        assert_eq!(a.fetch_byte_add(4, SeqCst), first.wrapping_add(1));
        assert_eq!(a.fetch_byte_sub(8, SeqCst), first.wrapping_add(2));
        assert_eq!(a.fetch_or(1, SeqCst), first);
        assert_eq!(a.fetch_and(!1, SeqCst), first.map_addr(|x| x | 1));
        assert_eq!(a.fetch_xor(0, SeqCst), first);
        assert_eq!(a.compare_exchange(std::ptr::null_mut(), first, SeqCst, SeqCst), Err(first));
        assert_eq!(a.swap(std::ptr::null_mut(), SeqCst), first);
        assert!(a.into_inner().is_null());
    });
}

fn pair(body: fn(&AtomicUsize)) -> impl Fn() -> usize + Send + Sync + 'static {
    move || {
        let a = Arc::new(AtomicUsize::new(0));
        let t = thread::spawn({
            let a = a.clone();
            move || body(&a)
        });
        body(&a);
        t.join().unwrap();
        a.load(SeqCst)
    }
}

#[test]
fn one_step_or_two() {
    let one = |a: &AtomicUsize| {
        a.fetch_add(1, SeqCst);
    };
    let two = |a: &AtomicUsize| {
        let x = a.load(SeqCst);
        a.store(x + 1, SeqCst);
    };
    let retry = |a: &AtomicUsize| {
        a.fetch_update(SeqCst, SeqCst, |x| Some(x + 1)).unwrap();
    };
    assert_eq!(outcomes(pair(one)), BTreeSet::from([2]));
    assert_eq!(outcomes(pair(two)), BTreeSet::from([1, 2]));
    assert_eq!(outcomes(pair(retry)), BTreeSet::from([2]));
}

#[test]
fn store_buffering_is_seen_where_the_orderings_allow_it() {
    for order in [Relaxed, SeqCst] {
        let seen = outcomes(move || {
            let (load, store) = (order, order);
            let xy = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
            let t = thread::spawn({
                let xy = xy.clone();
                move || {
                    xy.0.store(1, store);
                    xy.1.load(load)
                }
            });
            xy.1.store(1, store);
            fence(SeqCst);
            compiler_fence(SeqCst);
            (xy.0.load(load), t.join().unwrap())
        });
        let mut expected = BTreeSet::from([(0, 1), (1, 0), (1, 1)]);
        if order == Relaxed {
            expected.insert((0, 0)); // one of the threads has no fence
        }
        assert_eq!(seen, expected);
    }
}

#[test]
fn a_redundant_load_hides_nothing() {
    let seen = outcomes(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let t = thread::spawn({
            let x = x.clone();
            move || x.store(1, SeqCst)
        });
        x.load(SeqCst);
        let second = x.load(SeqCst);
        t.join().unwrap();
        second
    });
    assert_eq!(seen, BTreeSet::from([0, 1]));
}

#[test]
fn a_weak_exchange_may_fail_for_no_reason_if_asked_to() {
    let once = || AtomicUsize::new(0).compare_exchange_weak(0, 1, SeqCst, SeqCst).is_ok();
    assert_eq!(outcomes(once), BTreeSet::from([true]));
    let builder = selvedge::Builder::new().spurious_failures(true);
    assert_eq!(outcomes_of(builder, once), BTreeSet::from([false, true]));
}
