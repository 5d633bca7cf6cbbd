// Treiber's stack of numbered nodes; no node is used twice. Shared with `bench/stateless`, which compiles it against each
// library: whoever includes it has `AtomicUsize` and `SeqCst`.

struct Stack {
    head: AtomicUsize,
    next: Vec<AtomicUsize>,
}

impl Stack {
    fn push(&self, node: usize) {
        loop {
            let head = self.head.load(SeqCst);
            self.next[node].store(head, SeqCst);
            if self.head.compare_exchange(head, node, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.load(SeqCst);
            if head == 0 {
                return None;
            }
            let next = self.next[head].load(SeqCst);
            if self.head.compare_exchange(head, next, SeqCst, SeqCst).is_ok() {
                return Some(head);
            }
        }
    }
}
