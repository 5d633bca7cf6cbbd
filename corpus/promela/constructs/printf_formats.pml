// about: printf with every format, and printm; they take a step but change nothing.
// expect: holds
// states: 11
// errors: none
mtype = { ping, pong };
mtype m = ping;
byte b = 65;
int i = -70000;

active proctype p()
{
    printf("plain text\n");
    printf("%d %d\n", b, i);
    printf("%u\t%x %o\n", b, b, b);
    printf("%c%c\n", b, b + 1);
    printf("%e %e\n", m, pong);
    printf("100%% \"quoted\" \\ backslash\n");
    printm(m);
    printm(pong);
    assert(b == 65 && i == -70000 && m == ping)
}
