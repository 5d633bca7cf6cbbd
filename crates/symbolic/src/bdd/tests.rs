use selvedge_core::{Chance, Interrupt, Limits};

use super::*;

const VARIABLES: u32 = 24;

fn with_memory(memory: Option<u64>) -> Bdds {
    Bdds::new(VARIABLES, &Budget::start(Limits { memory, ..Limits::default() }, Interrupt::new()))
}

/// The parity of the first variables.
fn parity(bdds: &Bdds) -> Limited<Bdd> {
    (0..VARIABLES).try_fold(bdds.no(), |sum, var| {
        let (var, not_var) = (bdds.literal(Var(var), true)?, bdds.literal(Var(var), false)?);
        bdds.or(&bdds.and(&sum, &not_var)?, &bdds.and(&bdds.not(&sum)?, &var)?)
    })
}

#[test]
fn garbage_is_collected_and_what_is_in_use_stays() -> Result<(), StopReason> {
    let bdds = with_memory(Some(1));
    let (kept, mut chance) = (parity(&bdds)?, Chance::new(1));
    for _ in 0..1_000 {
        let bits = chance.draw();
        bdds.point((0..VARIABLES).map(|var| (Var(var), bits >> var & 1 == 1)))?;
    }
    let stats = bdds.stats();
    assert!(stats.collections >= 1 && stats.peak_nodes <= FEWEST_NODES as u64, "{stats:?}");
    assert!(stats.operations >= 1_000 && stats.nodes > 0 && stats.nodes <= stats.peak_nodes, "{stats:?}");
    assert!(kept == parity(&bdds)? && kept.nodes() > VARIABLES as usize);
    Ok(())
}

#[test]
fn assignments_are_counted_and_listed() -> Result<(), StopReason> {
    let bdds = with_memory(None);
    let vars = [Var(1), Var(4), Var(5), Var(9)];
    let [a, b, _, d] = vars.map(|var| bdds.var(var));
    let f = bdds.or(&bdds.and(&a?, &b?)?, &d?)?;
    let value = |number: usize, at: usize| number >> (3 - at) & 1 == 1;
    let holds = |number: &usize| value(*number, 0) && value(*number, 1) || value(*number, 3);
    let expected: Vec<Vec<bool>> =
        (0..16).filter(holds).map(|number| (0..4).map(|at| value(number, at)).collect()).collect();
    assert_eq!(bdds.count(&f, &vars), expected.len() as f64);
    let mut listed = bdds.assignments(&f, &vars, 100)?;
    listed.sort();
    assert_eq!(listed, expected);
    assert_eq!(bdds.assignments(&f, &vars, 3)?.len(), 3);
    assert_eq!((bdds.count(&bdds.yes(), &vars), bdds.count(&bdds.no(), &vars)), (16.0, 0.0));
    Ok(())
}

#[test]
fn tables_fill_the_memory_and_no_more() {
    for bytes in [64 << 20, 1 << 30, 6 << 30] {
        let size = Size::within(Some(bytes));
        let used = size.nodes as u64 * (16 + 8) + size.cache as u64 * 24;
        assert!(used <= bytes && used > bytes / 10 * 9, "{bytes}: {size:?}");
    }
    assert_eq!(Size::within(Some(1)).nodes, FEWEST_NODES);
}

#[test]
fn tables_that_cannot_be_reserved_shrink_by_a_quarter() {
    for available in [4 << 30, 24 << 30, 1 << 40] {
        let size = Size { nodes: 1 << 50, cache: MOST_CACHE }.that_fits(|bytes| bytes <= available);
        let needed = |nodes: usize| 2 * nodes * BYTES_RESERVED + OTHERS;
        assert!(needed(size.nodes) <= available && size.nodes > FEWEST_NODES, "{available}: {size:?}");
        let more = size.nodes / 3 * 4 + size.cache * BYTES_PER_CACHE_ENTRY as usize / BYTES_RESERVED;
        assert!(needed(more) / 4 * 5 > available, "{available}: {size:?} could be larger");
    }
    let nothing = Size::within(None).that_fits(|_| false);
    assert_eq!(nothing.nodes, FEWEST_NODES);
}
