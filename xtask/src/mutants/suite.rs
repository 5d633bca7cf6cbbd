//! The soundness suite: for each mutated package the tests that check its answers.
//!
//! The parts of a package take less than 60 seconds on one quiet core (`cargo xtask mutants --baseline` prints how long
//! each test takes). A mutant meets only the tests that reach it (`reach.rs`).

/// The suite of a package.
pub struct Suite {
    /// The mutated package.
    pub package: &'static str,
    /// What is run, in this order.
    pub parts: &'static [Part],
}

/// A test binary.
pub struct Part {
    /// Its package.
    pub package: &'static str,
    /// `lib`, or the name of an integration test.
    pub test: &'static str,
}

impl Part {
    /// The directory of the package below `crates`.
    pub fn directory(&self) -> &'static str {
        self.package.strip_prefix("selvedge-").unwrap_or(self.package)
    }
}

const fn part(package: &'static str, test: &'static str) -> Part {
    Part { package, test }
}

/// The suites, in the order in which packages are tested.
pub const SUITES: &[Suite] = &[
    Suite {
        package: "selvedge-dynamic",
        parts: &[
            part("selvedge-dynamic", "lib"),
            part("selvedge-dynamic", "cover"),
            part("selvedge-dynamic", "weights"),
            part("selvedge-dynamic", "effort"),
            part("selvedge-dynamic", "network"),
            part("selvedge-cli", "nets_corpus"),
        ],
    },
    Suite {
        package: "selvedge-stateless",
        parts: &[
            part("selvedge-stateless", "lib"),
            part("selvedge-stateless", "tables"),
            part("selvedge-stateless", "effort"),
            part("selvedge-stateless", "violations"),
            part("selvedge", "class_counts"),
            part("selvedge", "least_bounds"),
            part("selvedge", "recheck"),
            part("selvedge", "model"),
            part("selvedge", "cut_runs"),
            part("selvedge-stateless", "generated"),
        ],
    },
    Suite {
        package: "selvedge-symbolic",
        parts: &[
            part("selvedge-symbolic", "lib"),
            part("selvedge-symbolic", "witness"),
            part("selvedge-symbolic", "sequentialised"),
            part("selvedge-symbolic", "pushdown_files"),
            part("selvedge-cli", "boolprog_corpus"),
            part("selvedge-symbolic", "agreement"),
            part("selvedge-symbolic", "judged"),
            part("selvedge-cli", "symbolic"),
        ],
    },
    Suite {
        package: "selvedge-promela",
        parts: &[
            part("selvedge-verify", "simplification"),
            part("selvedge-promela", "warnings"),
            part("selvedge-verify", "soundness"),
            part("selvedge-cli", "corpus"),
            part("selvedge-cli", "golden"),
            part("selvedge-cli", "explanations"),
            part("selvedge-cli", "simulate"),
            part("selvedge-promela", "lib"),
            part("selvedge-verify", "recheck"),
            part("selvedge-verify", "spin_search"),
            part("selvedge-promela", "spinning"),
            part("selvedge-verify", "judged_costs"),
            part("selvedge-verify", "packed"),
            part("selvedge-verify", "reduction"),
        ],
    },
    Suite {
        package: "selvedge-explicit",
        parts: &[
            part("selvedge-explicit", "lib"),
            part("selvedge-verify", "spin_search"),
            part("selvedge-explicit", "bounds"),
            part("selvedge-verify", "soundness"),
            part("selvedge-cli", "corpus"),
            part("selvedge-cli", "golden"),
            part("selvedge-verify", "recheck"),
            part("selvedge-verify", "judged_costs"),
            part("selvedge-verify", "packed"),
            part("selvedge-verify", "reduction"),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn every_test_exists() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
        for part in SUITES.iter().flat_map(|suite| suite.parts).filter(|part| part.test != "lib") {
            let tests = crates.join(part.directory()).join("tests");
            let file = [format!("{}.rs", part.test), format!("{}/main.rs", part.test)];
            assert!(file.iter().any(|file| tests.join(file).is_file()), "{} has no test {}", part.package, part.test);
        }
    }
}
