//! What a pending access may do: which stores it may read, where in modification order it may write. The choices are
//! those of the machine of docs/design.md, section 4, newest store first. The first one is what a sequentially
//! consistent run would do, it is always allowed and costs nothing; each other one is *stale*.
//!
//! A store is too old if the thread knows of a newer one: a store that happens before the access, or one that was read by
//! a read that does.

use std::sync::atomic::Ordering;

use super::{Access, Graph, Node, NodeId, Scope, StoreId, ValueId, Wants, covers};
use crate::{ObjectId, SELF_CHECKS, ThreadId};

/// Which half of an access is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// It reads the store.
    Read,
    /// It writes behind the store.
    Write,
    /// It reads the store and writes behind it.
    Update,
}

/// Something that an access may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) store: StoreId,
    pub(crate) part: Part,
    pub(crate) order: Ordering,
}

impl Graph {
    /// What the next event of a thread, an access, may do in a scope.
    pub(crate) fn choices(&self, scope: Scope<'_>, thread: ThreadId, object: ObjectId, access: Access) -> Vec<Choice> {
        let mut found = Vec::new();
        self.find_choices(scope, thread, object, access, &mut found);
        found
    }

    /// The same, in memory that is there; the number of those that coherence and atomicity allow.
    pub(crate) fn find_choices(
        &self,
        scope: Scope<'_>,
        thread: ThreadId,
        object: ObjectId,
        access: Access,
        found: &mut Vec<Choice>,
    ) -> usize {
        found.clear();
        let mut coherent = 0;
        self.coherent_choices(scope, thread, object, access, |choice| {
            coherent += 1;
            let first = found.is_empty();
            if first || self.sc == 0 || self.is_sc_consistent(scope, thread, object, choice) {
                found.push(choice);
            }
        });
        if SELF_CHECKS {
            assert_eq!(found.first(), Some(&self.newest_choice(scope, object, access)));
        }
        coherent
    }

    /// The choice that is not stale.
    pub(crate) fn newest_choice(&self, scope: Scope<'_>, object: ObjectId, access: Access) -> Choice {
        let (store, node) = self.stores(object, scope).next_back().unwrap_or((StoreId::BASE, None));
        choice(store, node, access)
    }

    /// Whether what a thread's next event, an access, may do depends on more than its object: it may be sequentially consistent or
    /// comes after a fence that is.
    pub(crate) fn depends_on_all(&self, scope: Scope<'_>, thread: ThreadId, access: Access) -> bool {
        self.sc > 0 && (access.wants.may_be_sc() || self.is_fenced(scope, thread))
    }

    /// The choices that coherence and atomicity allow, newest first.
    fn coherent_choices(
        &self,
        scope: Scope<'_>,
        thread: ThreadId,
        object: ObjectId,
        access: Access,
        mut found: impl FnMut(Choice),
    ) {
        let Some(location) = self.known_location(object) else {
            found(choice(StoreId::BASE, None, access));
            return;
        };
        let known = self.known(thread, scope);
        let knows = |node: &Node| node.thread == thread || covers(known, node.thread, node.time);
        for (id, node) in self.stores(object, scope).rev() {
            let store = &location.stores[id.index()];
            let choice = choice(id, node, access);
            // Nothing comes between a store and the update that reads it.
            let updated = store
                .update
                .and_then(|update| location.stores[update.index()].node)
                .is_some_and(|update| scope.has(self.node(update)));
            if !updated || choice.part == Part::Read {
                found(choice);
            }
            let read = |reader: &Node| scope.has(reader) && knows(reader);
            if node.is_none_or(knows) || self.readers(store).any(read) {
                return;
            }
        }
    }

    /// Which of its choices an event is in a scope that has all that comes before it.
    pub(crate) fn choice_of(&self, node: NodeId, scope: Scope<'_>, access: Access) -> Option<u32> {
        let Node { thread, object, .. } = *self.node(node);
        let wanted = match (self.node(node).reads_from(), self.node(node).written_after()) {
            (Some(from), _) => from,
            // In the scope, what it stands behind may be an older store.
            (None, Some(_)) => self.store_before(node, scope)?,
            (None, None) => return None,
        };
        let position =
            self.choices(scope, thread, object, access).into_iter().position(|choice| choice.store == wanted);
        position.map(|position| position as u32)
    }

    /// The newest store of a scope that stands before a store in modification order.
    fn store_before(&self, node: NodeId, scope: Scope<'_>) -> Option<StoreId> {
        let object = self.node(node).object;
        let location = self.known_location(object)?;
        let place = location.position(self.made(node)?);
        location.order[..place].iter().rev().copied().find(|&s| {
            let maker = location.stores[s.index()].node;
            maker.is_none_or(|maker| scope.has(self.node(maker)))
        })
    }
}

/// What an access does with a store.
fn choice(store: StoreId, node: Option<&Node>, access: Access) -> Choice {
    let (part, order) = match access.wants {
        Wants::Load(order) => (Part::Read, order),
        Wants::Store(order) => (Part::Write, order),
        Wants::Modify(order) => (Part::Update, order),
        Wants::Exchange(success, failure, expected) => match value(node, access.base) == expected {
            true => (Part::Update, success),
            false => (Part::Read, failure),
        },
    };
    Choice { store, part, order }
}

/// What a store holds; `base` is what those hold that are no steps.
fn value(node: Option<&Node>, base: ValueId) -> ValueId {
    node.filter(|node| node.step).map_or(base, |node| node.value)
}
