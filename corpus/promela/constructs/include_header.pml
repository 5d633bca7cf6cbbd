// about: #include takes macros, declarations and an inline from a file beside this one.
// expect: holds
// states: 40
// errors: none
#include "shared_counter.h"

active [LIMIT] proctype worker()
{
    bump(1);
    assert(counter <= LIMIT)
}
