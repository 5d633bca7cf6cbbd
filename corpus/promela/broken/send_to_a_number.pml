// about: A message is sent to a variable that is no channel.
// expect: refused
// mistake: 8:5 `box` is a byte, not a channel
byte box;

active proctype p()
{
    box!1
}
