#include "/dev/zero"
#include "fifo"
#include "../../etc/passwd"
init { skip }
