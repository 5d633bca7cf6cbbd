// about: an escape that was taken is revoked when a later rendezvous offer of the same escape finds no receiver
// expect: holds
// states: 8
chan q5 = [0] of { bool };
byte x;
active proctype P2()
{
  { x = 1; x = 3 } unless { if :: q5!0 :: skip -> x = 2 fi }
}
