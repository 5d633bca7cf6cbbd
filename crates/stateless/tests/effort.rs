//! How many executions BPOR needs: fixed figures, since backtrack points that nobody needs change no answer.

mod generated {
    #![allow(dead_code, reason = "nothing is shrunk here")]
    pub mod brute;
    pub mod interpret;
    pub mod program;
}

use std::rc::Rc;

use generated::brute::enumerate;
use generated::interpret::body;
use generated::program::{FLAVOURS, Random, generate};
use selvedge_stateless::{Config, Recheck, Reduction, SearchBound, explore};

/// Programs with more interleavings are left out.
const LIMIT: u64 = 300;

/// Executions of all programs of all kinds.
fn executions(fair_yields: Option<u32>) -> u64 {
    let mut sum = 0;
    for flavour in FLAVOURS {
        for seed in 0..60 {
            let program = generate(&mut Random::new(seed), flavour);
            if enumerate(&program, fair_yields, LIMIT).is_none() {
                continue;
            }
            let bound = SearchBound::Preemptions(Some(2));
            let config =
                Config { reduction: Reduction::Bpor, bound, fair_yields, keep_going: true, ..Config::default() };
            let config = Config { recheck: Recheck::None, ..config };
            sum += explore(&config, &mut |_| {}, &|| body(&program, Rc::new(|_| {}))).executions;
        }
    }
    sum
}

#[test]
fn bpor_needs_the_same_executions_every_time() {
    assert_eq!([None, Some(0), Some(1)].map(executions), [2_615, 3_471, 3_716]);
}
