// about: #ifdef, #ifndef, #if with an expression and defined(), #elif, #else, nested groups.
// expect: holds
// states: 156
// errors: none
#define SIZE 3
#define VERBOSE

#ifdef VERBOSE
byte seen = 1;
#else
byte seen = 0;
#endif

#ifndef QUIET
byte quiet = 0;
#else
this text is never read
#endif

#if SIZE == 1
byte limit = 10;
#elif SIZE > 1 && SIZE < 4
#  if defined(QUIET) || !defined(VERBOSE)
byte limit = 20;
#  else
byte limit = 30;
#  endif
#else
byte limit = 40;
#endif

#if defined NOT_THERE
#  if 1
byte limit = 50;
#  endif
#endif

#if 0
active proctype never_there() { assert(false) }
#endif

active [SIZE] proctype p()
{
    assert(seen == 1);
    assert(quiet == 0);
    limit++;
    assert(limit > 30 && limit <= 30 + SIZE)
}
