//! The layered search: expand every state of a model once, layer by layer, without reduction, recheck or trace.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use selvedge_verify::request::{Recheck, Reduction};
use selvedge_verify::{Budget, Language, LoadedModel, Request, Silent, load_text, verify};

const MODELS: [(&str, &str); 2] = [
    ("peterson_filter", include_str!("../../../../corpus/promela/large/peterson_filter.pml")),
    ("sliding_window", include_str!("../../../../corpus/promela/large/sliding_window.pml")),
];

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("layered");
    for (name, text) in MODELS {
        let model = load_text(name, Language::Promela, text).unwrap_or_else(|_| panic!("{name} is a model"));
        group.throughput(Throughput::Elements(transitions(&model)));
        group.bench_function(name, |bencher| bencher.iter(|| black_box(transitions(&model))));
    }
    group.finish();
}

/// Searches; how many transitions were executed.
fn transitions(model: &LoadedModel) -> u64 {
    let mut request = Request { recheck: Recheck::None, ..Request::default() };
    request.search.reduction = Some(Reduction::None);
    let answer = verify(model, &request, &Budget::unlimited(), &mut Silent);
    answer.unwrap_or_else(|_| panic!("the model is checked")).stats.transitions
}
