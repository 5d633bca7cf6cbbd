//! A search tree with a finite heap. Node 0 is no node. Insertion and search are recursive: one call for
//! each node on the way. An inserter looks for its key afterwards and must find it. Linking a new node
//! is a step of its own: the racy version does not look whether the place is still free.

use super::words::{Assignment, Word, bits_for};

struct Heap {
    keys: Vec<Word>,
    lefts: Vec<Word>,
    rights: Vec<Word>,
    root: Word,
    free: Word,
    pointer_bits: u32,
    key_bits: u32,
}

/// The tree with so many threads, nodes, and bits of a key.
pub fn tree(inserters: u32, searchers: u32, nodes: u32, key_bits: u32, racy: bool) -> String {
    let bits = bits_for(nodes + 1);
    let words = |name: &str, bits: u32| (1..=nodes).map(|i| Word::new(&format!("{name}{i}_"), bits)).collect();
    let heap = Heap {
        keys: words("key", key_bits),
        lefts: words("left", bits),
        rights: words("right", bits),
        root: Word::new("root", bits),
        free: Word::new("free", bits),
        pointer_bits: bits,
        key_bits,
    };
    let mut text = heap.declarations();
    text.push_str(&heap.allocate(nodes));
    text.push_str(&heap.child());
    text.push_str(&heap.link(racy));
    text.push_str(&heap.insert());
    text.push_str(&heap.search());
    text.push_str(&heap.threads(inserters, searchers));
    text
}

impl Heap {
    fn pointer(&self, name: &str) -> Word {
        Word::new(name, self.pointer_bits)
    }

    fn key(&self, name: &str) -> Word {
        Word::new(name, self.key_bits)
    }

    fn declarations(&self) -> String {
        let mut text = format!("decl {}, {};\n", self.root.declared(0), self.free.declared(1));
        for ((key, left), right) in self.keys.iter().zip(&self.lefts).zip(&self.rights) {
            text.push_str(&format!("decl {}, {}, {};\n", key.declared(0), left.declared(0), right.declared(0)));
        }
        text
    }

    /// The case that a pointer points to node `i`, counted from 0 here.
    fn at(&self, pointer: &Word, node: usize) -> String {
        pointer.is(node as u32 + 1)
    }

    /// Takes the next node of the heap and writes the key into it; a full heap ends the run.
    fn allocate(&self, nodes: u32) -> String {
        let (k, n) = (self.key("k"), self.pointer("n"));
        let mut write = Assignment::new();
        for (node, key) in self.keys.iter().enumerate() {
            let here = self.at(&n, node);
            let bits = key.variables().iter().zip(k.variables());
            let values = bits.map(|(old, new)| format!("({here} & {new}) | (!{here} & {old})"));
            write = write.word(key, values.collect());
        }
        let take = Assignment::new().word(&n, self.free.variables().to_vec()).word(&self.free, self.free.plus_one());
        format!(
            "
bool<{bits}> allocate({params})
begin
    decl {locals};
    {take}
    {write}
    return {locals};
end
",
            bits = self.pointer_bits,
            params = k.names(),
            locals = n.names(),
            take = take.when(&format!("!{}", self.free.is(nodes + 1))),
            write = write.statement(),
        )
    }

    /// The child of a node on one side; on the left of no node is the root.
    fn child(&self) -> String {
        let (n, c) = (self.pointer("n"), self.pointer("c"));
        let mut cases: Vec<(String, &Word)> = vec![(format!("({} & !right)", n.is(0)), &self.root)];
        for (node, (left, right)) in self.lefts.iter().zip(&self.rights).enumerate() {
            let here = self.at(&n, node);
            cases.push((format!("({here} & !right)"), left));
            cases.push((format!("({here} & right)"), right));
        }
        let read = Assignment::new().word(&c, Word::of_cases(&cases)).statement();
        format!(
            "
bool<{bits}> child({params}, right)
begin
    decl {locals};
    {read}
    return {locals};
end
",
            bits = self.pointer_bits,
            params = n.names(),
            locals = c.names(),
        )
    }

    /// Makes `c` the child of `n`. The careful version does so only if there is none, and tells.
    fn link(&self, racy: bool) -> String {
        let (n, c) = (self.pointer("n"), self.pointer("c"));
        let mut write = Assignment::new().bit("done", "T");
        let mut free = vec![format!("({} & !right & {})", n.is(0), self.root.is(0))];
        let mut set = |here: &str, slot: &Word| {
            let bits = slot.variables().iter().zip(c.variables());
            let values = bits.map(|(old, new)| format!("({here} & {new}) | (!{here} & {old})")).collect();
            let assignment = std::mem::take(&mut write);
            write = assignment.word(slot, values);
        };
        set(&format!("({} & !right)", n.is(0)), &self.root);
        for (node, (left, right)) in self.lefts.iter().zip(&self.rights).enumerate() {
            let here = self.at(&n, node);
            set(&format!("({here} & !right)"), left);
            set(&format!("({here} & right)"), right);
            free.push(format!("({here} & !right & {})", left.is(0)));
            free.push(format!("({here} & right & {})", right.is(0)));
        }
        let write = write.statement();
        let body = if racy {
            format!("    {write}\n")
        } else {
            format!(
                "    atomic_begin;
    if ({free}) then
        {write}
    else
        done := F;
    fi
    atomic_end;
",
                free = free.join(" | ")
            )
        };
        format!(
            "
bool link({n}, right, {c})
begin
    decl done;
{body}    return done;
end
",
            n = n.names(),
            c = c.names(),
        )
    }

    /// The side of node `n` on which a key belongs, and whether it is there already.
    fn compare(&self, n: &Word, k: &Word) -> String {
        let side = self.keys.iter().enumerate().map(|(node, key)| format!("({} & {})", self.at(n, node), key.less(k)));
        let same =
            self.keys.iter().enumerate().map(|(node, key)| format!("({} & {})", self.at(n, node), key.equals(k)));
        let (side, same) = (side.collect::<Vec<_>>().join(" | "), same.collect::<Vec<_>>().join(" | "));
        Assignment::new().bit("side", &side).bit("same", &same).statement()
    }

    /// Inserts below the child of `p` on one side.
    fn insert(&self) -> String {
        let (p, k, c) = (self.pointer("p"), self.key("k"), self.pointer("c"));
        format!(
            "
void insert({p}, right, {k})
begin
    decl {c}, side, same, done;
again:
    {c} := child({p}, right);
    if {none} then
        {c} := allocate({k});
        done := link({p}, right, {c});
        if (!done) then
            goto again;
        fi
        return;
    fi
    {compare}
    if (!same) then
        insert({c}, side, {k});
    fi
end
",
            p = p.names(),
            k = k.names(),
            c = c.names(),
            none = c.is(0),
            compare = self.compare(&c, &k),
        )
    }

    /// Looks below the child of `p` on one side.
    fn search(&self) -> String {
        let (p, k, c) = (self.pointer("p"), self.key("k"), self.pointer("c"));
        format!(
            "
bool search({p}, right, {k})
begin
    decl {c}, side, same, found;
    {c} := child({p}, right);
    if {none} then
        return F;
    fi
    {compare}
    if (same) then
        return T;
    fi
    found := search({c}, side, {k});
    return found;
end
",
            p = p.names(),
            k = k.names(),
            c = c.names(),
            none = c.is(0),
            compare = self.compare(&c, &k),
        )
    }

    fn threads(&self, inserters: u32, searchers: u32) -> String {
        let k = self.key("k");
        let root = vec!["F".to_owned(); self.pointer_bits as usize].join(", ");
        let mut text = String::new();
        for number in 1..=inserters {
            text.push_str(&format!(
                "
void thread_inserter{number}()
begin
    decl {k}, found;
    insert({root}, F, {k});
    found := search({root}, F, {k});
    assert(found);
end
",
                k = k.names(),
            ));
        }
        for number in 1..=searchers {
            text.push_str(&format!(
                "
void thread_searcher{number}()
begin
    decl {k}, found;
    found := search({root}, F, {k});
end
",
                k = k.names(),
            ));
        }
        text
    }
}
