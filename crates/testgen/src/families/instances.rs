//! The instances that the corpus holds, each with the header of its expected answers.

use super::{anderson, bakery, msmie, peterson, tree};

/// A file of the corpus.
pub struct Instance {
    /// Below the corpus.
    pub path: String,
    header: Vec<(&'static str, String)>,
    program: String,
}

impl Instance {
    /// The file's text.
    pub fn text(&self) -> String {
        let header = self.header.iter().map(|(key, value)| format!("// {key}: {value}\n"));
        format!("{}\n{}", header.collect::<String>(), self.program)
    }
}

/// All of them.
pub fn instances() -> Vec<Instance> {
    let mut list = drivers();
    list.extend(beem());
    list.extend(trees());
    list.extend([1, 2, 3, 5, 8, 20, 40].map(deep));
    list
}

/// The least number of rounds in which an assertion fails, or that none does.
type Least = Option<u32>;

fn instance(path: String, about: String, least: Least, more: Vec<(&'static str, String)>, program: String) -> Instance {
    let mut header = vec![("about", about)];
    header.push(("expect", if least.is_some() { "violated assertion" } else { "holds" }.to_owned()));
    header.push(("rounds", least.map_or_else(|| "safe".to_owned(), |rounds| rounds.to_string())));
    header.extend(more);
    Instance { path, header, program }
}

/// Threads: adders and stoppers; versions 1 to 4.
const BLUETOOTH: [((u32, u32), [Least; 4]); 5] = [
    ((1, 1), [Some(2), None, None, None]),
    ((2, 1), [Some(2), Some(3), None, None]),
    ((1, 2), [Some(2), Some(2), Some(2), None]),
    ((2, 2), [Some(2), Some(2), Some(2), None]),
    ((3, 1), [Some(2), Some(3), None, None]),
];

fn drivers() -> Vec<Instance> {
    let mut list = Vec::new();
    for ((adders, stoppers), least) in BLUETOOTH {
        for (version, least) in (1..=4).zip(least) {
            let path = format!("boolprog/bluetooth/v{version}_{adders}a{stoppers}s.bp");
            let about = format!("the Bluetooth driver, version {version}, {adders} adding, {stoppers} stopping");
            let program = super::bluetooth(version, adders, stoppers);
            list.push(instance(path, about, least, Vec::new(), program));
        }
    }
    list
}

fn large(reason: &str) -> Vec<(&'static str, String)> {
    vec![("explicit", format!("skip, {reason}"))]
}

fn beem() -> Vec<Instance> {
    let name = |error: bool| if error { "_error" } else { "" };
    let mut list = Vec::new();
    for (n, error, least, more) in [
        (2, false, None, Vec::new()),
        (3, false, None, Vec::new()),
        (3, true, Some(2), Vec::new()),
        (6, false, None, large("millions of states")),
        (6, true, Some(2), large("millions of states")),
    ] {
        let path = format!("boolprog/beem/anderson_{n}{}.bp", name(error));
        list.push(instance(path, format!("Anderson's queue lock, N={n}"), least, more, anderson(n, error)));
    }
    for (n, max, error, least, more) in [
        (2, 3, false, None, Vec::new()),
        (2, 6, true, Some(1), Vec::new()),
        (4, 7, false, None, large("millions of states")),
        (4, 5, true, Some(1), large("millions of states")),
    ] {
        let path = format!("boolprog/beem/bakery_{n}_{max}{}.bp", name(error));
        let about = format!("Lamport's bakery, N={n} MAX={max}");
        list.push(instance(path, about, least, more, bakery(n, max, error)));
    }
    for (n, error, least, more) in [
        (2, false, None, Vec::new()),
        (3, false, None, Vec::new()),
        (3, true, Some(2), Vec::new()),
        (4, false, None, large("a million states")),
        (4, true, Some(2), large("millions of states")),
    ] {
        let path = format!("boolprog/beem/peterson_{n}{}.bp", name(error));
        let about = format!("Peterson's algorithm, N={n}");
        list.push(instance(path, about, least, more, peterson(n, error)));
    }
    for (masters, slaves, buffers, least, more) in [
        (2, 1, 3, None, Vec::new()),
        (2, 1, 2, Some(2), Vec::new()),
        (6, 7, 2, Some(2), large("13 threads")),
        (10, 10, 5, None, large("millions of states")),
    ] {
        let path = format!("boolprog/beem/msmie_{masters}m{slaves}s{buffers}b.bp");
        let about = format!("the MSMIE protocol, M={masters} S={slaves} N={buffers}");
        let mut instance = instance(path, about, least, more, msmie(masters, slaves, buffers));
        if least.is_some() {
            instance.header[1].1 = "violated label-reached".to_owned();
        }
        list.push(instance);
    }
    list
}

fn trees() -> Vec<Instance> {
    let mut list = Vec::new();
    for (inserters, searchers, nodes, key_bits, racy, least, more) in [
        (1, 1, 2, 1, false, None, Vec::new()),
        (1, 1, 2, 1, true, None, Vec::new()),
        (2, 0, 2, 1, false, None, Vec::new()),
        (2, 0, 2, 1, true, Some(2), Vec::new()),
        (1, 1, 3, 2, false, None, Vec::new()),
        (2, 1, 3, 2, true, Some(2), large("millions of states")),
        (1, 1, 7, 3, false, None, large("a heap of 7 nodes")),
        (2, 1, 7, 3, false, None, large("a heap of 7 nodes")),
        (2, 2, 7, 3, false, None, large("a heap of 7 nodes")),
    ] {
        let name = if racy { "_racy" } else { "" };
        let path = format!("boolprog/tree/tree_{inserters}i{searchers}s_{nodes}n{key_bits}b{name}.bp");
        let about = format!("a search tree, {inserters} inserting, {searchers} searching, {nodes} nodes");
        let program = tree(inserters, searchers, nodes, key_bits, racy);
        list.push(instance(path, about, least, more, program));
    }
    list
}

fn deep(n: u32) -> Instance {
    let about = format!("a bug that needs {n} calls inside each other");
    // The assertion is in `main`, which is a frame too.
    let more = match n < 32 {
        true => Vec::new(),
        false => vec![("explicit", "inconclusive".to_owned())],
    };
    instance(format!("boolprog/recursion/depth_{n:02}.bp"), about, Some(1), more, super::depth(n))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    #[test]
    fn the_corpus_holds_what_is_generated() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
        for instance in super::instances() {
            let text = std::fs::read_to_string(corpus.join(&instance.path)).unwrap_or_default();
            assert!(text == instance.text(), "{}: run `cargo xtask generate corpus`", instance.path);
        }
    }
}
