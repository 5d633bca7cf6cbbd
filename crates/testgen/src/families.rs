//! Boolean programs in families, any size: the Bluetooth driver (versions 1 to 4, any number of adders and stoppers), a
//! search tree with a finite heap, four models of the BEEM suite in the parameters of \[LR\] Figure 8, and a bug that
//! needs a deep stack. `instances` lists those that the corpus holds; a test keeps the files equal to what is generated.

mod bluetooth;
mod instances;
mod msmie;
mod mutex;
mod recursion;
mod tree;
mod words;

pub use bluetooth::bluetooth;
pub use instances::{Instance, instances};
pub use msmie::msmie;
pub use mutex::{anderson, bakery, peterson};
pub use recursion::depth;
pub use tree::tree;
