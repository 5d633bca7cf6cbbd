//! Coverability: the backward search, on a net that needs it.

use std::hint::black_box;

use criterion::Criterion;
use selvedge_verify::request::Recheck;
use selvedge_verify::{Budget, Language, Request, Silent, Verdict, load_text, verify};

const NETS: [(&str, &str); 2] = [
    ("doubling", include_str!("../../../../corpus/nets/doubling.spec")),
    ("readers_writers", include_str!("../../../../corpus/nets/readers_writers.spec")),
];

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("coverability_backward");
    for (name, text) in NETS {
        let model = load_text(name, Language::Spec, text).unwrap_or_else(|_| panic!("{name} is a net"));
        let request = Request { recheck: Recheck::None, ..Request::default() };
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let answer = verify(&model, &request, &Budget::unlimited(), &mut Silent);
                let verdict = answer.unwrap_or_else(|_| panic!("the net is checked")).verdict;
                assert_ne!(black_box(verdict), Verdict::Inconclusive);
            });
        });
    }
    group.finish();
}
