// about: The closing quote of a string is missing.
// expect: refused
// mistake: 6:12 this string is not closed
active proctype p()
{
    printf("hello\n);
    skip
}
