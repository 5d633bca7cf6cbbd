//! A helper that several test files may have: models are named by the test that calls it.

/// A model in a helper of another file.
pub fn check(body: fn()) {
    selvedge::model(body);
}
