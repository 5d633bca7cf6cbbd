// about: Process numbers follow the order of the text, not the order in which processes move.
// expect: holds
// states: 87
// errors: none
byte first_mover = 255;

active proctype a() { atomic { if :: first_mover == 255 -> first_mover = _pid :: else -> skip fi }; assert(_pid == 0) }
active proctype b() { atomic { if :: first_mover == 255 -> first_mover = _pid :: else -> skip fi }; assert(_pid == 1) }
active proctype c() { atomic { if :: first_mover == 255 -> first_mover = _pid :: else -> skip fi }; assert(_pid == 2 && first_mover <= 2) }
