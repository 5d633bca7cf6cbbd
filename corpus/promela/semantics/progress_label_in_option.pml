// about: A progress label that stands first in an option counts where its statement leads.
// expect: holds
// options: --non-progress
// states: 1
// errors: none
byte x1;
active proctype P1() { do :: progress1: x1 = 0 od }
