byte x;
active proctype p() { if :: (x = 1) -> skip fi }
