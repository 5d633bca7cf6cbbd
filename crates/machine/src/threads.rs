//! A set of threads, as bits.

use selvedge_core::ThreadId;

/// A set of threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Threads([u64; 4]);

impl Threads {
    /// Every thread.
    pub const ALL: Threads = Threads([u64::MAX; 4]);
    /// No thread.
    pub const NONE: Threads = Threads([0; 4]);
    /// How many threads a set can tell apart; all those above count as one.
    pub const MOST: u32 = 256;

    /// This thread alone.
    pub fn only(thread: ThreadId) -> Self {
        let mut set = Threads::NONE;
        set.insert(thread);
        set
    }

    /// Those of the first 64 threads whose bits are set.
    pub fn of_bits(bits: u64) -> Self {
        Threads([bits, 0, 0, 0])
    }

    /// The threads in it, in order.
    pub fn iter(&self) -> impl Iterator<Item = ThreadId> {
        self.0.into_iter().zip(0..).flat_map(|(mut bits, word)| {
            std::iter::from_fn(move || {
                let thread = (bits != 0).then(|| ThreadId(word * 64 + bits.trailing_zeros()));
                bits &= bits.wrapping_sub(1);
                thread
            })
        })
    }

    /// Adds a thread.
    pub fn insert(&mut self, ThreadId(thread): ThreadId) {
        let thread = thread.min(Threads::MOST - 1) as usize;
        self.0[thread / 64] |= 1 << (thread % 64);
    }

    /// Whether a thread is in it.
    pub fn contains(&self, ThreadId(thread): ThreadId) -> bool {
        let thread = thread.min(Threads::MOST - 1) as usize;
        self.0[thread / 64] >> (thread % 64) & 1 == 1
    }

    /// The one thread that is in it, if there is exactly one.
    #[inline]
    pub fn single(&self) -> Option<ThreadId> {
        if let [first, 0, 0, 0] = self.0 {
            return first.is_power_of_two().then(|| ThreadId(first.trailing_zeros()));
        }
        let word = self.0.iter().position(|word| *word != 0)?;
        let alone = self.0[word].is_power_of_two() && self.0[word + 1..].iter().all(|word| *word == 0);
        let thread = word as u32 * 64 + self.0[word].trailing_zeros();
        // The last one stands for all those above, too.
        (alone && thread + 1 < Threads::MOST).then_some(ThreadId(thread))
    }

    /// The threads that are not in it.
    pub fn complement(&self) -> Self {
        Threads(self.0.map(|word| !word))
    }

    /// The threads of both.
    pub fn union(&self, other: &Threads) -> Self {
        Threads(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    /// Whether all of another set are in it.
    pub fn includes(&self, other: &Threads) -> bool {
        self.0.iter().zip(other.0).all(|(mine, theirs)| theirs & !mine == 0)
    }
}
