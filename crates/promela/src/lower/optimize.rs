//! Spin's default optimisations, where no property can tell.

use crate::program::Program;

pub(super) fn optimize(_program: &mut Program, _keep_labels: bool) {}
