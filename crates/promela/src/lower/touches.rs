//! Which ends of channels a statement uses, for [`crate::independence`].

use super::visit::{basic, visit};
use crate::independence::End;
use crate::program::{Ex, Op, Pattern, Place, Receive};
use selvedge_promela_syntax::ast::ChanQuery;

/// An end of a channel that a statement uses.
pub(super) struct Touch {
    pub end: End,
    pub chan: Ex,
    /// It takes or adds a message.
    pub consumes: bool,
}

/// The ends of channels that a statement uses; `None` if it depends on more than those and on variables.
pub(super) fn touches(op: &Op) -> Option<Vec<Touch>> {
    let mut found = Vec::new();
    match op {
        Op::Skip | Op::Else | Op::End => {}
        Op::Condition(ex) | Op::Assert(ex, ..) => expression(ex, &mut found)?,
        Op::Assign(to, value) => assignment(to, value, &mut found)?,
        Op::AssignAll(list) => list.iter().try_for_each(|(to, value)| assignment(to, value, &mut found))?,
        Op::Print(print) => print.args.iter().try_for_each(|(ex, _)| expression(ex, &mut found))?,
        Op::Send(send) => {
            (!send.sorted).then_some(())?;
            found.push(Touch { end: End::Tail, chan: send.chan.clone(), consumes: true });
            send.args.iter().try_for_each(|arg| expression(arg, &mut found))?;
        }
        Op::Receive(receive) => received(receive, &mut found)?,
        Op::DStep(code) => {
            for op in basic(&code.nodes) {
                found.extend(touches(op)?);
            }
            // The order of what happens inside is not looked at.
            (found.len() < 2 || found.iter().all(|touch| !touch.consumes)).then_some(())?;
        }
    }
    Some(found)
}

fn assignment(to: &Place, value: &Ex, found: &mut Vec<Touch>) -> Option<()> {
    place(to, found)?;
    expression(value, found)
}

fn place(place: &Place, found: &mut Vec<Touch>) -> Option<()> {
    place.indices.iter().try_for_each(|index| expression(&index.value, found))
}

/// A receive or a poll.
fn received(receive: &Receive, found: &mut Vec<Touch>) -> Option<()> {
    (!receive.random).then_some(())?;
    found.push(Touch { end: End::Head, chan: receive.chan.clone(), consumes: !receive.copy });
    receive.args.iter().try_for_each(|arg| match arg {
        Pattern::Store(to) => place(to, found),
        Pattern::Any => Some(()),
        Pattern::Match(ex) => expression(ex, found),
    })
}

fn expression(ex: &Ex, found: &mut Vec<Touch>) -> Option<()> {
    let mut only_those = true;
    visit(ex, &mut |ex| match ex {
        Ex::Const(_) | Ex::GlobalByte(_) | Ex::LocalByte(_) | Ex::Pid | Ex::Load(_) => {}
        Ex::Unary(..) | Ex::Binary(..) | Ex::Conditional(_) => {}
        Ex::Query(query, chan, _) => {
            let end = match query {
                ChanQuery::NonEmpty | ChanQuery::Empty => End::Head,
                ChanQuery::NonFull | ChanQuery::Full => End::Tail,
                ChanQuery::Len => return only_those = false,
            };
            found.push(Touch { end, chan: (**chan).clone(), consumes: false });
        }
        Ex::Poll(receive) => {
            only_those &= !receive.random;
            found.push(Touch { end: End::Head, chan: receive.chan.clone(), consumes: false });
        }
        _ => only_those = false,
    });
    only_those.then_some(())
}
