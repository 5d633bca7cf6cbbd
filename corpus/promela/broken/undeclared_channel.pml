// about: A message to a channel that was never declared.
// expect: refused
// mistake: 6:5 `outbox` is not declared
active proctype p()
{
    outbox!1
}
