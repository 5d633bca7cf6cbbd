// about: The included file does not exist.
// expect: refused
// mistake: 4:10 the file does not exist
#include "there_is_no_such_file.h"

active proctype p()
{
    skip
}
